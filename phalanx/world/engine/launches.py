"""Launches of systems on a world's tables and on arrays as users have them.

The engine's arrays have the environment last, users' have it first. A system of a launch reads and writes both: what
users have is a field of a table of its own that holds the numbers one after the other, and is indexed by where a number
is: ``target[e * step + offset[i, 0], 0]``. So one launch does what would take an array operation each for turning
tables, for arithmetic, and for writing. Programs are graphs on a GPU, as a step is.

Such systems are over rows of their own (joints of an articulation in all its rows), and look at whether an environment
is there, since on the CPU blocks of environments are padded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from phalanx.ecs import Field, System, Table
from phalanx.ecs.declare import Bound
from phalanx.world.engine.engine import Engine

Environments = Table("environments", "how many there are, without padding")


def flat(array: Any) -> Any:
    """A contiguous array of the engine's device as one that systems take: (numbers, 1)."""
    return array.reshape(-1, 1)


@dataclass(frozen=True)
class Launch:
    """A system and what it runs on.

    Args:
        system: a system over rows.
        rows: how many.
        arrays: of fields that are not the world's, the arrays; (..., 1) for those as users have them. ``None``: there
            is none, and the system does not look at it.
        numbers: what its arguments of ``rows(Table)`` are, besides :data:`Environments`.
    """

    system: System
    rows: int
    arrays: Mapping[Field, Any] = field(default_factory=dict)
    numbers: Mapping[Table, int] = field(default_factory=dict)


def side_by_side(launches: Sequence[Launch]) -> list[Launch]:
    """The same with one launch of each system, for systems with rows of several sorts, of which launches have one each.

    It has the arrays that one of the launches has, and the largest of the numbers.
    """
    found: dict[System, Launch] = {}
    for one in launches:
        known = found.get(one.system, one)
        arrays = {**known.arrays, **{name: array for name, array in one.arrays.items() if array is not None}}
        numbers = {table: max(number, known.numbers[table]) for table, number in one.numbers.items()}
        count = one.rows if known is one else known.rows + one.rows
        found[one.system] = Launch(one.system, count, arrays, numbers)
    return list(found.values())


class Kernels:
    """Launches one after the other, bound to a world's arrays; bound anew when the world replaces some."""

    def __init__(self, engine: Engine, launches: Sequence[Launch]) -> None:
        self._engine, self._launches = engine, [one for one in launches if one.rows]
        self._version, self._program = -1, None

    def run(self) -> None:
        """Run them all, while the world's device is active."""
        store = self._engine.store
        if self._version != store.version:
            self._program = self._bind()
            self._version = store.version
        self._program.run(1)  # pyright: ignore[reportOptionalMemberAccess]

    def _bind(self) -> Any:
        store = self._engine.store
        device, prepared = store.device, []
        for launch in self._launches:
            given = {access.target: self._argument(launch, access) for access in launch.system.arguments.values()}
            fields = launch.system.field_arguments.items()
            shared = frozenset(name for name, access in fields if given[access.target].shape[-1] == 1)
            prepared.append((launch, given, shared))
        device.precompile([(launch.system, shared) for launch, _, shared in prepared], store.real)
        bound = [
            Bound(
                launch.system,
                device.compile(launch.system, shared, store.real),
                launch.rows,
                [given[access.target] for access in launch.system.arguments.values()],
                shared,
            )
            for launch, given, shared in prepared
        ]
        return device.program(bound, store.num_envs, store.stride)

    def _argument(self, launch: Launch, access: Any) -> Any:
        if access.mode == "rows":
            return self._engine.num_envs if access.target is Environments else launch.numbers[access.target]
        if access.target not in launch.arrays:
            return self._engine.store.array(access.target)
        found = launch.arrays[access.target]
        if found is None:
            dtype = "int32" if access.target.dtype == "int32" else self._engine.dtype
            return self._engine.device.xp.zeros((1, *access.target.shape, 1), dtype)
        return found


def constants(engine: Engine, columns: Mapping[Field, Any]) -> dict[Field, Any]:
    """Arrays (rows, 1) on the device for fields, of numbers by rows."""
    xp = engine.device.xp
    return {
        one: xp.asarray(np.ascontiguousarray(values, "int32" if one.dtype == "int32" else engine.dtype).reshape(-1, 1))
        for one, values in columns.items()
    }
