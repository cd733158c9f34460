"""Runs systems that are written for teams of GPU threads, with a thread of Python for each of the GPU's.

Slow, but it needs no GPU, and computes in the world's float type: in float64 what a team finds can be compared to the
last digits with what the systems find that it stands in for. Threads go as they like between places where they wait for
each other, so it also shows where they should.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np

from phalanx.ecs import System, Table
from phalanx.ecs.store import Store


class Items:
    """A field, indexed as in systems: what all environments share has one of them."""

    def __init__(self, array: np.ndarray) -> None:
        self.memory = array.reshape(-1)
        assert np.shares_memory(self.memory, array)
        self._array = array

    def _at(self, index: tuple[int, ...]) -> tuple[int, ...]:
        assert all(i >= 0 for i in index), f"{index} counts from the end"
        return (*index[:-1], 0) if self._array.shape[-1] == 1 else index

    def __getitem__(self, index: tuple[int, ...]) -> Any:
        return self._array[self._at(index)].item()

    def __setitem__(self, index: tuple[int, ...], value: Any) -> None:
        self._array[self._at(index)] = value


class Team:
    """One team: what its threads know of each other."""

    def __init__(self, size: int, row: int, room: int, count: int) -> None:
        self.size, self.row, self.room, self.count = size, row, room, count
        parts = {n: size // n for n in (1 << k for k in range(size.bit_length()))}
        self._barriers = {n: [threading.Barrier(n, timeout=60) for _ in range(many)] for n, many in parts.items()}
        self._given: list[Any] = [None] * size
        self._own = threading.local()
        self._memory: dict[int, np.ndarray] = {}

    def run(self, body: Callable[[], None]) -> None:
        """Let every thread run the body."""
        failed: list[BaseException] = []

        def one(rank: int) -> None:
            self._own.rank = rank
            try:
                body()
            except BaseException as error:
                failed.append(error)
                for each in self._barriers.values():
                    for barrier in each:
                        barrier.abort()

        threads = [threading.Thread(target=one, args=(rank,)) for rank in range(self.size)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        causes = [error for error in failed if not isinstance(error, threading.BrokenBarrierError)]
        if failed:
            raise (causes or failed)[0]

    def language(self) -> dict[str, Any]:
        """What :mod:`phalanx.ecs.text.team_language` declares, for this team."""
        return {
            "team_row": lambda: self.row,
            "team_count": lambda: self.count,
            "team_rank": lambda size: self._own.rank % size,
            "team_slot": lambda size: self._own.rank // size,
            "team_wait": lambda size: self._all(size, None),
            "block_wait": lambda: self._all(self.size, None),
            "team_sum": lambda size, x: sum(self._all(size, x)),
            "part_sum": self._part_sum,
            "team_eight_sums": self._eight_sums,
            "team_ballot": lambda size, x: sum(1 << rank for rank, one in enumerate(self._all(size, x)) if one),
            "team_from": lambda size, x, rank: self._all(size, x)[rank],
            "count_bits": lambda x: int(x).bit_count(),
            "lowest_bit": lambda x: (x & -x).bit_length() - 1,
            "as_real": float,
            "as_bits": int,
            "load_four": lambda field, at: tuple(field.memory[at : at + 4].tolist()),
            "store_four": self._store_four,
            "store_one": self._store_one,
            "load_kept_four": self._load_kept_four,
            "keep_four": self._keep_four,
            "team_room": lambda size: self.room,
            "block_memory": self._block_memory,
            "real": float,
        }

    def _all(self, size: int, x: Any) -> list[Any]:
        """What every thread gives of the part of the team, of so many threads, that the one who asks is in."""
        rank = self._own.rank
        part = rank // size
        barrier = self._barriers[size][part]
        self._given[rank] = x
        barrier.wait()
        found = self._given[part * size : (part + 1) * size]
        barrier.wait()
        return found

    def _part_sum(self, size: int, part: int, x: float) -> float:
        first = self._own.rank % size // part * part
        return sum(self._all(size, x)[first : first + part])

    def _eight_sums(self, size: int, *numbers: float) -> float:
        return sum(given[self._own.rank % 8] for given in self._all(size, numbers))

    @staticmethod
    def _store_four(field: Items, at: int, *values: float) -> None:
        assert at % 4 == 0 and len(values) == 4
        field.memory[at : at + 4] = values

    @staticmethod
    def _store_one(field: Items, at: int, value: float) -> None:
        field.memory[at] = value

    @staticmethod
    def _load_kept_four(wanted: int, kept: int, memory: np.ndarray, place: int, field: Items, at: int) -> tuple:
        assert (place if kept else at) % 4 == 0
        four = memory[place : place + 4] if kept else field.memory[at : at + 4]
        return tuple(four.tolist()) if wanted else (0.0,) * 4

    @staticmethod
    def _keep_four(memory: np.ndarray, place: int, *values: float) -> None:
        assert place % 4 == 0 and len(values) == 4 and place + 4 <= memory.size
        memory[place : place + 4] = values

    def _block_memory(self, count: int) -> np.ndarray:
        return self._memory.setdefault(count, np.full(count or self.room, np.nan))


def run_team_system(system: System, store: Store, room: int | None = None) -> None:
    """Run a system of teams in every environment of a store on the CPU, for every row of its table.

    ``room``: numbers of the block's memory for each team, where that is for the launch to say; else the least.
    """
    assert system.is_native and isinstance(system.teams_of, Table)
    given = {
        name: (access.target if isinstance(access.target, int) else store.rows(access.target))
        if access.mode == "rows"
        else Items(store.array(access.target))
        for name, access in system.arguments.items()
    }
    count = 2 if system.apiece else store.rows(system.teams_of)  # as many as share out rows on a GPU, mostly
    for row in range(count):
        for e in range(store.num_envs):
            team = Team(system.team_size, row, system.room[0] if room is None else room, count)
            body = _bound(system.function, team.language())
            team.run(lambda body=body, e=e: body((e,), **given))


def _bound(function: Callable[..., None], language: dict[str, Any]) -> Callable[..., None]:
    """The function, and the helpers that it calls, with what a team means by the words of the language."""
    names = {**function.__globals__, **language}
    for name in set(function.__code__.co_names) - set(language):
        value = function.__globals__.get(name)
        if isinstance(value, FunctionType) and not set(language).isdisjoint(_words(value)):
            names[name] = _bound(value, language)
    return FunctionType(function.__code__, names)


def _words(function: FunctionType) -> set[str]:
    """Names that a function, or a helper that it calls, means something by."""
    called = [function.__globals__.get(name) for name in function.__code__.co_names]
    return {*function.__code__.co_names}.union(*(_words(one) for one in called if isinstance(one, FunctionType)))
