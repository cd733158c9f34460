"""Numbers that prims have as attributes of PhysX, set and read alike for one prim and for many."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from phalanx.facade import simulation
from phalanx.facade.arrays import api_of
from phalanx.facade.backends import on_host, shaped
from phalanx.io.formats.usd.bindings import Prim, Sdf

TYPES: dict[str, Callable[[Any], Any]] = {"Float": float, "Bool": bool, "Int": int, "Token": str}


def write(prim: Prim, name: str, kind: str, value: Any) -> None:
    """Set an attribute, which is created if need be."""
    attribute = prim.GetAttribute(name)
    if not attribute:
        attribute = prim.CreateAttribute(name, getattr(Sdf.ValueTypeNames, kind), custom=False)
    attribute.Set(TYPES[kind](value) if kind in TYPES else value)


def read(prim: Prim, name: str, default: Any) -> Any:
    """The value of an attribute, or what PhysX takes where none is written."""
    attribute = prim.GetAttribute(name)
    found = attribute.Get() if attribute else None
    return default if found is None else found


def first_number(values: Any) -> Any:
    """The first of some numbers: one of Python's, or, as Isaac Sim has it, a tensor of shape () if they are torch's."""
    return values.reshape(-1)[0] if api_of(values) == "torch" else float(on_host(values).reshape(-1)[0])


def single(name: str, what: str, default: Any = 0.0, kind: str = "Float") -> tuple[Any, Any]:
    """Methods that set and read an attribute of an object's ``prim``.

    Args:
        name: of the attribute.
        what: what it is, for documentation.
        default: what PhysX takes where nothing is written.
        kind: its type in USD.
    """

    def setter(self: Any, value: Any) -> None:
        write(self.prim, name, kind, value)

    def getter(self: Any) -> Any:
        value = read(self.prim, name, default)
        arrays = simulation.arrays()
        if kind != "Float" or arrays.name != "torch":
            return value
        return first_number(arrays.give(np.array([value], np.float32)))

    setter.__doc__ = f"Set {what}."
    getter.__doc__ = f"{what[0].upper()}{what[1:]}; with the backend torch a tensor of shape ()."
    return setter, getter


def several(
    name: str, what: str, default: Any = 0.0, kind: str = "Float", clones: bool = True, column: bool = False
) -> tuple[Any, Any]:
    """The same of the prims of a view, as arrays (M,) for the prims that are chosen.

    Args:
        name, what, default, kind: as of :func:`single`.
        clones: whether the method that reads has the parameter ``clone``.
        column: whether it gives (M, 1) while a simulation plays, as PhysX's views of particles and materials do.
    """

    def setter(self: Any, values: Any, indices: Any = None) -> None:
        chosen = self._chosen(indices)
        for i, value in zip(chosen, shaped(what, on_host(values), (len(chosen),)).tolist(), strict=True):
            write(self.prims[i], name, kind, value)

    def getter(self: Any, indices: Any = None, clone: bool = True) -> Any:
        return _array(self, indices)

    def short_getter(self: Any, indices: Any = None) -> Any:
        return _array(self, indices)

    def _array(self: Any, indices: Any) -> Any:
        found = [read(self.prims[i], name, default) for i in self._chosen(indices)]
        array = np.array(found, {"Bool": bool, "Int": np.int32}.get(kind, np.float32))
        return self._backend.give(array.reshape(-1, 1) if column and simulation.stage_world() is not None else array)

    shape = "(M,), or (M, 1) while a simulation plays" if column else "(M,)"
    setter.__doc__ = f"Set {what}, (M,){' or (M, 1)' if column else ''}."
    getter.__doc__ = short_getter.__doc__ = f"{what[0].upper()}{what[1:]}, {shape}."
    return setter, (getter if clones else short_getter)
