"""The data of a world: tables with rows, components with their arrays, and programs that run systems over them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from phalanx.ecs.declare import Bound, Component, Field, System, Table
from phalanx.ecs.device import Device
from phalanx.ecs.recorded.grouping import Straightener
from phalanx.ecs.sequences.fusion import fused, repeated
from phalanx.ecs.sequences.stand_ins import StandIn, substituted

ALIGN = 16
"""Environment strides are odd multiples of this many elements, but for worlds of few environments on GPUs."""

FEW = 32
"""Environments that fill a warp of GPU threads."""

MANY_ROWS = 8_192
"""Rows of a table from which on, with few environments, threads of a warp share out its rows: as many warps with a
thread at work each as a GPU holds at once."""

Addition = tuple[Iterable[System], Mapping[Field, Any]]
"""Systems, and the arrays of fields that are theirs alone."""

_NO_FIELDS: Mapping[Field, Any] = MappingProxyType({})


class View:
    """The arrays of one component in one store: ``store[Component].field``, ``(rows, *item, num_envs or 1)``."""

    def __init__(self, store: Store, component: type[Component]) -> None:
        object.__setattr__(self, "_store", store)
        object.__setattr__(self, "_component", component)

    def _field(self, name: str) -> Field:
        declared = vars(self._component).get(name)
        if not isinstance(declared, Field):
            known = ", ".join(f.name for f in self._component.fields())
            raise AttributeError(f"component {self._component.__name__} has no field {name!r}; it has {known}")
        return declared

    def __getattr__(self, name: str) -> Any:
        with self._store.active():
            return self._store.view(self._field(name))

    def __setattr__(self, name: str, value: Any) -> None:
        self._store.set(self._field(name), value)

    def __repr__(self) -> str:
        names = ", ".join(f.name for f in self._component.fields())
        return f"<live arrays of {self._component.__name__}: {names}>"

    def __dir__(self) -> Iterator[str]:
        return (f.name for f in self._component.fields())


class Store:
    """Fields of all components for ``num_envs`` environments on one device.

    The environment axis is last, contiguous, and padded to :attr:`stride` elements: whole blocks of as many lanes as a
    world of this size may have, and an odd multiple of 16 so that rows do not fall on the same cache sets. On a GPU, up
    to 16 environments are padded to a power of two of at least 2, since what they read are neighbouring rows.

    Args:
        num_envs, device: how many environments, and where.
        real: the float type, ``"float32"`` or ``"float64"``.
        substitutes: what stands in for systems on GPUs, in float32.
    """

    def __init__(self, num_envs: int, device: Device, real: str, substitutes: Sequence[StandIn] = ()) -> None:
        self._substitutes = substitutes if device.is_cuda and real == "float32" else ()
        self.num_envs, self.device, self.real = num_envs, device, real
        self.stride = self._stride(num_envs)
        self._rows: dict[Table, int] = {}
        self._arrays: dict[Field, Any] = {}
        self._compiled: dict[tuple[System, frozenset[str]], Any] = {}
        self._straight = Straightener(real, lambda f: self.device.to_host(self.array(f)), self.rows, self.stride)
        self.version = 0
        """Grows whenever an array is replaced, so that programs bound to old ones are rebuilt."""
        self.on_set: Callable[[Field], None] | None = None
        """Called with a field after :meth:`set` has overwritten it."""

    def _stride(self, num_envs: int) -> int:
        if self.device.is_cuda and num_envs <= ALIGN:
            return max(2, 1 << (num_envs - 1).bit_length())  # 1 is for what all environments share
        lanes = self.device.most_lanes(num_envs)
        whole = -(-num_envs // lanes) * lanes
        return whole if whole // ALIGN % 2 else whole + ALIGN

    # -- tables ----------------------------------------------------------------------------------------------

    def set_rows(self, table: Table, count: int) -> None:
        """Give a table its number of rows; before its fields are first used."""
        if any(f.table is table for f in self._arrays) and self._rows.get(table) != count:
            raise ValueError(f"table {table.name} already holds data for {self._rows.get(table)} rows")
        self._rows[table] = count
        self._straight.forget(table)

    def grow(self, table: Table, count: int) -> None:
        """Give a table more rows, between steps; what its fields hold is kept."""
        if count < self.rows(table):
            raise ValueError(f"table {table.name} has {self.rows(table)} rows; it cannot shrink to {count}")
        self._rows[table] = count
        self._straight.forget(table)
        for declared, array in list(self._arrays.items()):
            if declared.table is table:
                with self.active():
                    larger = self._full(declared, array.shape[-1])
                    larger[: array.shape[0]] = array
                self._arrays[declared] = larger
        self.version += 1

    def rows(self, table: Table) -> int:
        """Number of rows of a table."""
        try:
            return self._rows[table]
        except KeyError:
            raise KeyError(
                f"table {table.name!r} has no rows in this world; "
                f"call world.add_rows({table.name}, count) before build()"
            ) from None

    def has_rows(self, table: Table) -> bool:
        """Whether a table has been given its number of rows, be it 0."""
        return table in self._rows

    # -- fields ----------------------------------------------------------------------------------------------

    def __getitem__(self, component: type[Component]) -> View:
        return View(self, component)

    def array(self, declared: Field) -> Any:
        """The padded array of a field, allocated at first use."""
        found = self._arrays.get(declared)
        if found is None:
            width = 1 if declared.shared else self.stride
            found = self._full(declared, width)
            self._arrays[declared] = found
        return found

    def view(self, declared: Field) -> Any:
        """The array of a field without the padding."""
        array = self.array(declared)
        return array if array.shape[-1] == 1 else array[..., : self.num_envs]

    def is_shared(self, declared: Field) -> bool:
        """Whether all environments have one value of a field."""
        return self.array(declared).shape[-1] == 1

    def set(self, declared: Field, value: Any) -> None:
        """Overwrite a field with anything that broadcasts to ``(rows, *item, num_envs or 1)``; padding follows."""
        with self.active():
            value = self.device.xp.asarray(value)
            array = self.array(declared)
            if array.shape[-1] == 1 and value.ndim == array.ndim and value.shape[-1] == self.num_envs > 1:
                self.widen(declared)
                array = self.array(declared)
            target = self.view(declared)
            try:
                fits = np.broadcast_shapes(value.shape, target.shape) == target.shape
            except ValueError:
                fits = False
            if not fits:
                raise ValueError(f"{declared.key}: shape {value.shape} does not broadcast to {target.shape}")
            if array.shape[-1] == 1:
                array[...] = value
            else:
                array[..., : self.num_envs] = value
                array[..., self.num_envs :] = array[..., self.num_envs - 1 : self.num_envs]
        if declared.constant and self._straight.forget():  # programs have been recorded from it
            self.version += 1
        if self.on_set is not None:
            self.on_set(declared)

    def widen(self, declared: Field) -> None:
        """Give every environment its own value of a shared field."""
        if declared.constant:
            raise ValueError(f"{declared.key} is the same in all environments by construction; it cannot differ in one")
        array = self.array(declared)
        if array.shape[-1] == 1:
            with self.active():
                wide = self._full(declared, self.stride)
                wide[...] = array
            self._arrays[declared] = wide
            self.version += 1

    def _full(self, declared: Field, width: int) -> Any:
        dtype = self.real if declared.dtype == "real" else "int32"
        shape = (max(self.rows(declared.table), 1), *declared.shape, width)
        with self.active():
            return self.device.xp.full(shape, declared.initial, dtype)

    def active(self) -> Any:
        """See :meth:`Device.active`."""
        return self.device.active()

    # -- running ---------------------------------------------------------------------------------------------

    def program(self, systems: Iterable[System], *additions: Addition, stop_at: Iterable[Field] = ()) -> Any:
        """Compile systems and bind them to this store's arrays; after them those of additions.

        An addition is systems and the arrays, of this store's stride, of fields that this store does not hold.

        Args:
            stop_at: flags of environments at which the program stops on a CPU (:mod:`phalanx.ecs.cpu.program`); it
                does not on a GPU, where looking at them would take longer than a step.
        """
        groups = [(self.kernels(systems), {}), *((self.kernels(more, own), own) for more, own in additions)]
        self._precompile([key for kernels, _ in groups for key in kernels])
        with self.active():  # kernels are made for the device that is the current one
            bound = [self._bind(system, shared, own) for kernels, own in groups for system, shared in kernels]
            flags = {field: self.array(field) for field in stop_at}
            return self.device.program(bound, self.num_envs, self.stride, flags)

    def _bind(self, system: System, shared: frozenset[str], own: Mapping[Field, Any]) -> Bound:
        arguments = [
            self._number(a.target) if a.mode == "rows" else own[a.target] if a.target in own else self.array(a.target)
            for a in system.arguments.values()
        ]
        key = (system.whole or system, shared)
        if key not in self._compiled:
            self._compiled[key] = self.device.compile(key[0], shared, self.real)
        table = system.over or system.teams_of
        rows = self.rows(table) if table is not None else 1
        if system.whole is not None:
            rows = system.count
        return Bound(system, self._compiled[key], rows, arguments, shared)

    def kernels(
        self, systems: Iterable[System], own: Mapping[Field, Any] = _NO_FIELDS
    ) -> list[tuple[System, frozenset[str]]]:
        """What stands for a sequence of systems, and the arguments of each that all environments share.

        Systems of tables without rows are left out; what is repeated is one kernel where that is faster
        (:mod:`phalanx.ecs.sequences.fusion`). On GPUs some have substitutes (:mod:`phalanx.ecs.sequences.stand_ins`),
        and what only goes through known rows is recorded (:mod:`phalanx.ecs.recorded.recorder`).

        Args:
            systems: in the order in which they run.
            own: fields that this store does not hold.
        """
        wanted = self._wanted(systems)
        if self.device.is_cuda and not own:
            wanted = self._straight.each(wanted, _repeated(wanted))
        found = [(s, self._shared(s, own)) for s in wanted]
        found = fused(found) if self.num_envs <= self.device.teams_at_once else found
        if not self.device.is_cuda or self.num_envs >= FEW:
            return found
        large = {s for s, _ in found if s.over is not None and self.rows(s.over) >= MANY_ROWS}
        return [(s.in_rows if s in large else s, shared) for s, shared in found]

    def decide(self, systems: Iterable[System]) -> None:
        """Have systems recorded, on GPUs, as in this sequence, whatever sequence they run in; before programs are made.

        Results of a system do not depend, then, on which others run before and after it.
        """
        if self.device.is_cuda:
            wanted = self._wanted(systems)
            self._straight.decide(wanted, _repeated(wanted))

    def fields_of(self, systems: Iterable[System]) -> list[Field]:
        """Fields that a sequence of systems works on; on GPUs, those of what stands in for them."""
        return [access.target for system in self._wanted(systems) for access in system.field_arguments.values()]

    def _wanted(self, systems: Iterable[System]) -> list[System]:
        """Systems of tables that have rows, or what stands in for them."""
        tables = ((s, (s.over, s.needs, s.teams_of)) for s in systems)
        wanted = [s for s, needed in tables if all(t is None or self.rows(t) > 0 for t in needed)]
        for substitute in self._substitutes:
            wanted = substituted(wanted, substitute, self.rows)
        return wanted

    def precompile(self, systems: Iterable[System]) -> None:
        """Have kernels ready for programs of these systems, compiled side by side where they are not cached."""
        self._precompile(self.kernels(systems))

    def _precompile(self, kernels: list[tuple[System, frozenset[str]]]) -> None:
        wholes = dict.fromkeys((system.whole or system, shared) for system, shared in kernels)
        self.device.precompile([key for key in wholes if key not in self._compiled], self.real)

    def _number(self, counted: Table | int) -> int:
        return counted if isinstance(counted, int) else self.rows(counted)

    def _shared(self, system: System, own: Mapping[Field, Any] = _NO_FIELDS) -> frozenset[str]:
        """Names of the arguments whose field has one value for all environments."""
        held = {name: a.target for name, a in system.field_arguments.items() if a.target not in own}
        shared = frozenset(name for name, target in held.items() if self.is_shared(target))
        for name in shared:
            if system.arguments[name].writes:
                raise ValueError(
                    f"system {system.name} writes {system.arguments[name].target.key}, which all environments share"
                )
        return shared

    # -- saving ----------------------------------------------------------------------------------------------

    def fields(self, roles: Iterable[str]) -> list[Field]:
        """Fields that are held and have one of the given roles."""
        wanted = set(roles)
        return [f for f in self._arrays if f.role in wanted]

    def snapshot(self, roles: Iterable[str]) -> dict[str, np.ndarray]:
        """Host copies of all fields with one of the given roles, by key."""
        return {f.key: self.device.to_host(self.view(f)) for f in self.fields(roles)}

    def restore(self, snapshot: dict[str, np.ndarray]) -> None:
        """Write back what :meth:`snapshot` returned.

        Raises:
            ValueError: a field is unknown, or is no array of numbers of its shape.
        """
        self.check_numbers(snapshot)
        known = {f.key: f for f in self._arrays}
        for key, value in snapshot.items():
            if key not in known:
                raise ValueError(f"state has {key}, which this world does not hold; was it saved from another one?")
            wide = (*self.array(known[key]).shape[:-1], self.num_envs)
            if value.shape != wide and value.shape != (*wide[:-1], 1):
                raise ValueError(f"state has {key} of shape {value.shape}; this world needs {wide}")
        for key, value in snapshot.items():
            self.set(known[key], value)

    @staticmethod
    def check_numbers(snapshot: Mapping[str, Any]) -> None:
        """Refuse values that are no arrays of numbers.

        Raises:
            ValueError: with the field and what it is.
        """
        if not isinstance(snapshot, Mapping):
            raise ValueError(f"arrays by the names of their fields are needed, not {type(snapshot).__name__}")
        for key, value in snapshot.items():
            if not hasattr(value, "shape") or getattr(getattr(value, "dtype", None), "kind", "") not in tuple("biuf"):
                raise ValueError(f"state has {key} of {type(value).__name__}: must be an array of numbers")

    def sizes(self, num_envs: int | None = None) -> dict[str, int]:
        """Bytes on the device of each field that is held, by key; or what they were with so many environments."""
        stride = self.stride if num_envs is None else self._stride(num_envs)
        return {
            field.key: array.nbytes if array.shape[-1] == 1 else array.nbytes // self.stride * stride
            for field, array in self._arrays.items()
        }

    def row_bytes(self, table: Table) -> int:
        """Bytes of a row of a table in all environments, as far as its fields are held."""
        return sum(self.bytes_of(field, rows=1) for field in self._arrays if field.table is table)

    def bytes_of(self, declared: Field, rows: int | None = None) -> int:
        """Bytes that a field takes, or so many rows of it; held or not."""
        held = self._arrays.get(declared)
        width = held.shape[-1] if held is not None else 1 if declared.shared else self.stride
        itemsize = np.dtype(self.real).itemsize if declared.dtype == "real" else 4
        rows = max(self.rows(declared.table), 1) if rows is None else rows
        return rows * math.prod(declared.shape) * width * itemsize

    def nbytes(self, num_envs: int | None = None) -> int:
        """Bytes of all arrays on the device; or what they were with so many environments."""
        return sum(self.sizes(num_envs).values())


def _repeated(systems: Iterable[System]) -> set[System]:
    return repeated([(system, frozenset()) for system in systems])
