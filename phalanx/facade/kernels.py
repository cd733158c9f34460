"""Kernels between the engine's tables and arrays as users have them.

The engine's arrays have the environment last, users' have it first. A system of the facade reads and writes both: what
users have is a field of a table of its own that holds the numbers one after the other, and is indexed by where a number
is: ``target[e * step + offset[i, 0], 0]``. So one launch does what would take an array operation each for turning
tables, for arithmetic, and for writing. Programs are graphs on a GPU, as a step is.

Systems of the facade are over rows of their own (joints of an articulation in all its rows), and look at whether an
environment is there, since on the CPU blocks of environments are padded.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

from phalanx.ecs import Field, System, Table
from phalanx.ecs.declare import Bound
from phalanx.facade.arrays import array_api
from phalanx.world import World

Environments = Table("environments", "how many there are, without padding")


def shares_memory(world: World) -> bool:
    """Whether arrays that users have can be arrays of the engine's device, in the engine's type."""
    return world.dtype == "float32" and (not world._device.is_cuda or array_api(world.device) != "numpy")


def flat(array: Any) -> Any:
    """A contiguous array of the engine's device as one that systems take: (numbers, 1)."""
    return array.reshape(-1, 1)


def in_order(world: World) -> Any:
    """A context for work on the world's device, in order with torch's current stream as well as with CuPy's."""
    device = world._device
    if not device.is_cuda:
        return device.active()
    torch, xp = sys.modules.get("torch"), device.xp
    if torch is not None and array_api(device.name) == "torch":
        pointer = torch.cuda.current_stream(int(device.name[5:])).cuda_stream
        if pointer != xp.cuda.get_current_stream().ptr:
            return device.in_order_with(_stream(xp, pointer))
    return device.active()


@cache
def _stream(xp: Any, pointer: int) -> Any:
    """CuPy's object for a stream of torch's, which keeps its streams for good."""
    return xp.cuda.ExternalStream(pointer)


@dataclass(frozen=True)
class Launch:
    """A system and what it runs on.

    Args:
        system: a system over rows.
        rows: how many.
        arrays: of fields that are not the world's, the arrays; (..., 1) for those as users have them.
        numbers: what its arguments of ``rows(Table)`` are, besides :data:`Environments`.
    """

    system: System
    rows: int
    arrays: Mapping[Field, Any] = field(default_factory=dict)
    numbers: Mapping[Table, int] = field(default_factory=dict)


class Kernels:
    """Launches one after the other, bound to a world's arrays; bound anew when the world replaces some."""

    def __init__(self, world: World, launches: Sequence[Launch]) -> None:
        self._world, self._launches = world, [one for one in launches if one.rows]
        self._version, self._program = -1, None

    def run(self) -> None:
        """Run them all, within :func:`in_order`."""
        store = self._world._store
        if self._version != store.version:
            self._program = self._bind()
            self._version = store.version
        self._program.run(1)  # pyright: ignore[reportOptionalMemberAccess]

    def _bind(self) -> Any:
        store = self._world._store
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
            return self._world.num_envs if access.target is Environments else launch.numbers[access.target]
        found = launch.arrays.get(access.target)
        return self._world._store.array(access.target) if found is None else found


def constants(world: World, columns: Mapping[Field, Any]) -> dict[Field, Any]:
    """Arrays (rows, 1) on the device for fields, of numbers by rows."""
    xp = world._device.xp
    return {
        one: xp.asarray(np.ascontiguousarray(values, "int32" if one.dtype == "int32" else world.dtype).reshape(-1, 1))
        for one, values in columns.items()
    }
