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
from typing import Any

import numpy as np

from phalanx.ecs import Field, System, Table
from phalanx.ecs.declare import Bound
from phalanx.facade.arrays import array_api, hand_out
from phalanx.world import World

LARGE = 1 << 20
"""Numbers that are worth binding kernels anew."""

Environments = Table("environments", "how many there are, without padding")


def shares_memory(world: World) -> bool:
    """Whether arrays that users have can be arrays of the engine's device, in the engine's type."""
    return world.dtype == "float32" and (not world._device.is_cuda or array_api(world.device) != "numpy")


def flat(array: Any) -> Any:
    """A contiguous array of the engine's device as one that systems take: (numbers, 1)."""
    return array.reshape(-1, 1)


def in_order(world: World) -> Any:
    """A context for work on the world's device, in order with torch's current stream as well as with CuPy's."""
    device, torch = world._device, sys.modules.get("torch")
    if device.is_cuda and torch is not None and array_api(world.device) == "torch":
        xp, pointer = device.xp, torch.cuda.current_stream(int(device.name[5:])).cuda_stream
        if pointer != xp.cuda.get_current_stream().ptr:
            return device.in_order_with(xp.cuda.ExternalStream(pointer))
    return device.active()


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


class Reader:
    """Kernels whose results users get: new arrays each time, (rows, width) by name, which are parts of one.

    Args:
        world: the world.
        system: a system over rows.
        rows: how many rows it has.
        results: of each name the field that the system writes, and the shape of the array.
        arrays, numbers: see :class:`Launch`.
    """

    def __init__(
        self,
        world: World,
        system: System,
        rows: int,
        results: Mapping[str, tuple[Field, tuple[int, ...]]],
        arrays: Mapping[Field, Any],
        numbers: Mapping[Table, int],
    ) -> None:
        self._world, self._parts = world, {}
        self._launch = system, rows, arrays, numbers
        self._fields: dict[Field, tuple[int, int]] = {}
        end = 0
        for name, (one, shape) in results.items():
            start, end = end, end + int(np.prod(shape))
            self._parts[name], self._fields[one] = (start, end, shape), (start, end)
        self._size, self._whole, self._kernels = end, None, None

    def read(self) -> dict[str, Any]:
        """What there is now, as arrays of the user's API."""
        with in_order(self._world):
            handed = hand_out(self._compute())
        return self._apart(handed)

    def take(self) -> dict[str, Any]:
        """The same as arrays of the engine's device, within :func:`in_order`."""
        return self._apart(self._compute())

    def _compute(self) -> Any:
        """A new array with all results.

        On a GPU kernels write into the same array each time, whose address is in their graph. On the CPU what is large
        goes to memory of its own: to bind kernels anew costs less than a copy.
        """
        if self._whole is None:
            system, rows, arrays, numbers = self._launch
            self._whole = self._world._device.xp.zeros(self._size, self._world.dtype)
            buffers = {one: flat(self._whole[start:end]) for one, (start, end) in self._fields.items()}
            self._kernels = Kernels(self._world, [Launch(system, rows, {**arrays, **buffers}, numbers)])
        self._kernels.run()  # pyright: ignore[reportOptionalMemberAccess]
        if self._world._device.is_cuda or self._size < LARGE:
            return self._whole.copy()
        found, self._whole = self._whole, None
        return found

    def _apart(self, whole: Any) -> dict[str, Any]:
        return {name: whole[start:end].reshape(shape) for name, (start, end, shape) in self._parts.items()}
