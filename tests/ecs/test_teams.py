"""Spread loops: what GPU threads that share an environment compute. See test_refused_teams.py for what they cannot."""

from __future__ import annotations

import ast
import itertools
import threading
import time
from typing import Any

import numpy as np
import pytest
from oracles import host

from phalanx.ecs import Component, Device, Field, Store, System, Table, read, rows, spread, system, update, write
from phalanx.ecs.text import codegen, teams

Wire = Table("wire", "wires between poles")
Site = Table("site", "where they are")
ROWS, ENVS = 21, 19  # neither a multiple of a team


class Load(Component, table=Wire):
    """What a wire carries."""

    weight = Field(unit="N", doc="its own weight", role="parameter")
    carried = Field(unit="N", doc="with all before it")
    share = Field(2, doc="part of the whole, and of what is left")
    first = Field(dtype="int32", doc="where its section starts", constant=True)
    found = Field(dtype="int32", doc="how many are heavy so far")


class Tool(Component, table=Site):
    """What one system needs while it runs."""

    own = Field(2, unit="N", doc="sum of what is carried, and of its squares", private=True)
    tally = Field(2, dtype="int32", doc="how many are heavy, and twice as many", private=True)


@system(phase="sense")
def carry(
    lanes,
    count=rows(Wire),
    first=read(Load.first),
    weight=read(Load.weight),
    carried=update(Load.carried),
    share=write(Load.share),
):
    """Sums over sections of growing length, one after the other, each of which needs the one before."""
    for e in lanes:
        carried[0, e] = weight[0, e]
    for i in range(1, count):
        for e in lanes:
            carried[i, e] = carried[i - 1, e]
        for k in spread(first[i, 0], i + 1):
            for e in lanes:
                carried[i, e] += 0.5 * weight[k, e]
                if weight[k, e] < 0.0:
                    carried[i, e] -= weight[k, e]
    for i in spread(count):
        least = count - 1 - i
        for e in lanes:
            share[i, 0, e] = carried[i, e] / carried[count - 1, e]
        for e in lanes:
            share[i, 1, e] = weight[least, e]


@system(phase="sense")
def even_out(
    lanes,
    count=rows(Wire),
    weight=read(Load.weight),
    carried=update(Load.carried),
    found=update(Load.found),
    share=update(Load.share),
    own=update(Tool.own),
):
    """What the first thread stores, all load, and decide by; what all store, the first one loads."""
    for e in lanes:
        found[0, e] = 0
    for i in range(count):
        heavy = 0
        for e in lanes:
            heavy = 1 if weight[i, e] > 2.0 else 0
            found[0, e] += heavy
        for e in lanes:
            own[0, 0, e] = 0.0
            own[0, 1, e] = 1.0
        if found[0, lanes[0]] % 2 == heavy:
            for k in spread(count):
                for e in lanes:
                    own[0, 0, e] += carried[k, e]
                    own[0, 1, e] += carried[k, e] * carried[k, e]
            for e in lanes:
                mean = own[0, 0, e] / count
                share[i, 0, e] = mean - carried[i, e]
                carried[i, e] = mean
                carried[0, e] += share[i, 0, e] / (1.0 + own[0, 1, e])
        else:
            for k in spread(count):
                for e in lanes:
                    share[k, 1, e] = weight[k, e] + carried[i, e]
            for k in spread(count):
                for e in lanes:
                    carried[k, e] = 0.5 * (share[k, 1, e] + weight[k, e])


def evened_out(weight: np.ndarray, carried: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    carried, share, found = carried.copy(), np.zeros((ROWS, 2, ENVS)), np.zeros(ENVS, int)
    for i, e in itertools.product(range(ROWS), range(ENVS)):
        heavy = int(weight[i, e] > 2.0)
        found[e] += heavy
        if found[e] % 2 == heavy:
            mean, squares = carried[:, e].sum() / ROWS, 1.0 + (carried[:, e] ** 2).sum()
            share[i, 0, e] = mean - carried[i, e]
            carried[i, e] = mean
            carried[0, e] += share[i, 0, e] / (1.0 + squares)
        else:
            share[:, 1, e] = weight[:, e] + carried[i, e]
            carried[:, e] = 0.5 * (share[:, 1, e] + weight[:, e])
    return carried, share, found


def expected(weight: np.ndarray, first: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    carried = weight.copy()
    for i in range(1, len(weight)):
        part = weight[first[i] : i + 1]
        carried[i] = carried[i - 1] + (0.5 * part - np.minimum(part, 0.0)).sum(axis=0)
    return carried, np.stack([carried / carried[-1], weight[::-1]], axis=1)


def inputs() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    return rng.normal(2.0, 1.0, (ROWS, ENVS)), np.arange(ROWS) // 2


def test_one_source(device: str) -> None:
    """The same numbers from every back end."""
    weight, first = inputs()
    store = Store(ENVS, Device(device), "float64")
    store.set_rows(Wire, ROWS)
    store[Load].weight = weight
    store[Load].first = first[:, None]
    store.program([carry]).run()
    carried, share = expected(weight, first)
    with store.active():  # what runs on the world's stream is waited for
        np.testing.assert_allclose(host(store[Load].carried), carried, rtol=1e-13)
        np.testing.assert_allclose(host(store[Load].share), share, rtol=1e-13)


def run_by_threads(made: System, shared: frozenset[str], *fields: np.ndarray, last: bool = False) -> None:
    """The text made for the GPU, run by as many threads in Python; the first thread is ahead of the others, or last."""
    generated = codegen.generate(made, shared, "float64", "cuda")
    tree = ast.parse(generated.source)
    kernel = next(n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == generated.entry)
    kernel.decorator_list = []
    for env in range(ENVS):
        barrier = threading.Barrier(teams.TEAM)
        given = np.zeros(teams.TEAM)

        def run(rank: int, env: int = env, barrier: Any = barrier, given: np.ndarray = given) -> None:
            def wait(*_: int) -> None:
                barrier.wait(30.0)
                time.sleep(0.0 if (rank == 0) != last else 1e-4)

            def joined(mask: int, x: float) -> float:
                given[rank] = x
                wait()
                total = type(x)(given.sum())
                wait()
                return total

            class cuda:
                class local:
                    array = staticmethod(lambda size, kind: np.full(size, np.nan if kind is float else 77, kind))

                class threadIdx:
                    x = (env * teams.TEAM + rank) % 128

                @staticmethod
                def grid(_: int) -> int:
                    return env * teams.TEAM + rank

            names = {"cuda": cuda, "unsigned": int, "signed": int, "real": float, "range": range, "_joined": joined}
            names |= {"_wait": wait, "np": np, "_place": lambda row, size, i: row * size + i}
            names["_fixed"] = lambda *words: None
            literals = (n for n in tree.body if isinstance(n, ast.Assign) and ast.unparse(n.targets[0]).startswith("_"))
            exec(ast.unparse(ast.Module([*literals, kernel], [])), names)
            names[generated.entry](ENVS, ROWS, ENVS, ROWS, *(field.reshape(-1) for field in fields))

        threads = [threading.Thread(target=run, args=(rank,)) for rank in range(teams.TEAM)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60.0)
            assert not thread.is_alive(), "a thread waits for others that never come"


def test_a_team_of_threads() -> None:
    weight, first = inputs()
    carried, share = np.full((ROWS, ENVS), np.nan), np.full((ROWS, 2, ENVS), np.nan)
    run_by_threads(carry, frozenset({"first"}), first, weight, carried, share)
    wanted = expected(weight, first)
    np.testing.assert_allclose(carried, wanted[0], rtol=1e-13)
    np.testing.assert_allclose(share, wanted[1], rtol=1e-13)


@pytest.mark.parametrize("last", [False, True])
def test_threads_see_what_others_store(last: bool) -> None:
    weight, _ = inputs()
    start = weight[::-1].copy()
    carried, share, found = start.copy(), np.zeros((ROWS, 2, ENVS)), np.zeros((ROWS, ENVS), int)
    run_by_threads(even_out, frozenset(), weight, carried, found, share, np.zeros((2, ENVS)), last=last)
    wanted = evened_out(weight, start)
    np.testing.assert_allclose(carried, wanted[0], rtol=1e-12)
    np.testing.assert_allclose(share, wanted[1], rtol=1e-12)
    np.testing.assert_array_equal(found[0], wanted[2])


def test_what_threads_have_to_themselves(device: str) -> None:
    weight, _ = inputs()
    store = Store(ENVS, Device(device), "float64")
    store.set_rows(Wire, ROWS)
    store.set_rows(Site, 1)
    store[Load].weight = weight
    store[Load].carried = weight[::-1]
    # one environment at a time decides for itself: on the CPU, lanes are one
    store.program([even_out.lane_by_lane]).run()
    wanted = evened_out(weight, weight[::-1])
    np.testing.assert_allclose(host(store[Load].carried), wanted[0], rtol=1e-12)
    np.testing.assert_allclose(host(store[Load].share), wanted[1], rtol=1e-12)


@system(phase="sense")
def count_heavy(
    lanes,
    count=rows(Wire),
    weight=read(Load.weight),
    tally=update(Tool.tally),
    found=update(Load.found),
):
    """Whole numbers of a thread's own, and sums of them in a field."""
    for e in lanes:
        tally[0, 0, e] = 0
        tally[0, 1, e] = 0
        found[0, e] = 3
    for i in spread(count):
        for e in lanes:
            heavy = 1 if weight[i, e] > 2.0 else 0
            tally[0, 0, e] += heavy
            tally[0, 1, e] += 2 * heavy
            found[0, e] -= heavy
    for i in spread(1, count):
        for e in lanes:
            found[i, e] = tally[0, 1, e] // 2 + tally[0, 0, e] % 2


def counted(weight: np.ndarray) -> np.ndarray:
    heavy = (weight > 2.0).sum(axis=0)
    return np.stack([3 - heavy, *[heavy + heavy % 2] * (ROWS - 1)])


def test_whole_numbers_of_a_team() -> None:
    weight, _ = inputs()
    found = np.zeros((ROWS, ENVS), int)
    run_by_threads(count_heavy, frozenset(), weight, np.zeros((2, ENVS), int), found)
    np.testing.assert_array_equal(found, counted(weight))
    text = codegen.generate(count_heavy, frozenset(), "float32", "cuda").source
    assert "_own_tally = cuda.local.array(2, np.int32)" in text and "= real(0)" not in text


def test_whole_numbers_of_their_own(device: str) -> None:
    weight, _ = inputs()
    store = Store(ENVS, Device(device), "float32")
    store.set_rows(Wire, ROWS)
    store.set_rows(Site, 1)
    store[Load].weight = weight
    store.program([count_heavy]).run()
    with store.active():
        np.testing.assert_array_equal(host(store[Load].found), counted(weight.astype("float32")))
