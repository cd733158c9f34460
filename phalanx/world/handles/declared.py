"""Declared properties of handles: which field, whose rows of it, which numbers it takes, and what follows from a write.

A handle's class declares a property, and says in the text below it what it is, with shape and unit::

    joint_armature = joints(c.DofModel.armature, negative=False)
    \"\"\"(n, num_dof), kg·m^2 or kg: inertia of rotors, added to the joint's own.\"\"\"

That is its getter. A setter calls :func:`assign` with values by name. All values are checked before one is written.
Fields that environments may share are widened if need be, and the engine is told what was written by the field's role.
:func:`declared` lists the properties of a class.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from itertools import pairwise
from typing import Any, Never, Self, TypedDict, Unpack, overload

import numpy as np

from phalanx.ecs import Field
from phalanx.world.engine.optional_systems import need
from phalanx.world.engine.rows import RowIndex, read_rows, write_rows
from phalanx.world.handle import Handle
from phalanx.world.handles.by_name import by_joint

Values = tuple[Any, np.ndarray | None]
"""Checked values, and the environments that they are for; ``None``: all."""


class Options(TypedDict, total=False):
    """What a declaration may say, see :class:`Declared`."""

    what: str
    after: tuple[str, ...]
    finite: bool
    negative: bool
    above_zero: bool
    below: float
    needs: str
    wakes: bool


@dataclass(frozen=True)
class Owners:
    """What a handle has properties of, such as its joints. Called with fields, it declares a property of them.

    Attributes:
        axis: how shapes name their number, as ``num_dof``; empty: there is one value for all of them.
        rows: of a handle, the rows that are read.
        written: of a handle, the rows that are written and which of the user's columns goes to each of them; by
            default the rows that are read, column by column.
        by_name: whether setters take dicts of names and patterns of joints.
    """

    axis: str
    rows: Callable[[Any], RowIndex]
    written: Callable[[Any], tuple[RowIndex, np.ndarray]] | None = None
    by_name: bool = False

    def __call__(self, *fields: Field, **options: Unpack[Options]) -> Declared:
        """Declare a property of them; see :class:`Declared`."""
        return Declared(self, fields, **options)

    def count(self, handle: Handle) -> int:
        """How many values a handle has in an environment."""
        return _count(self.rows(handle))


class _Text:
    """``__doc__`` of properties: the text below the declaration, where type checkers and pages of docs find it too."""

    def __init__(self, own: str | None) -> None:
        self._own = own

    def __get__(self, declared: Declared | None, owner: type) -> str | None:
        return self._own if declared is None else _texts(declared.owner).get(declared.name)


class Declared:
    """A property of a handle that is in the engine's tables; several fields are stacked along the last axis.

    Args:
        of: what it belongs to.
        fields: where it is.
        what: what messages call it; its name by default.
        after: phases that compute it.
        finite, negative, above_zero, below: which numbers setters take.
        needs: the optional system that acts on it.
        wakes: whether who is written is woken.
    """

    name = ""
    owner: type

    def __init__(
        self,
        of: Owners,
        fields: tuple[Field, ...],
        *,
        what: str = "",
        after: tuple[str, ...] = (),
        finite: bool = True,
        negative: bool = True,
        above_zero: bool = False,
        below: float = np.inf,
        needs: str = "",
        wakes: bool = False,
    ) -> None:
        self.of, self.fields, self.what, self.after = of, fields, what, after
        self.finite, self.negative, self.above_zero, self.below = finite, negative, above_zero, below
        self.needs, self.wakes = needs, wakes

    def __set_name__(self, owner: type, name: str) -> None:
        self.owner, self.name = owner, name
        self.what = self.what or name.replace("_", " ")

    @overload
    def __get__(self, handle: None, owner: type) -> Self: ...
    @overload
    def __get__(self, handle: Any, owner: type) -> Any: ...
    def __get__(self, handle: Any, owner: type) -> Any:
        return self if handle is None else self.read(handle)

    def __set__(self, handle: Any, value: Never) -> None:
        raise AttributeError(f"{handle}: {self.name} cannot be assigned; call a setter, such as set_{self.name}()")

    @property
    def field(self) -> Field:
        """The field of one that is not stacked."""
        return self.fields[0]

    @property
    def shape(self) -> tuple[str | int, ...]:
        """Of its arrays, as ``("n", "num_dof")``."""
        first, *others = self.fields
        stacked = (1 + len(others),) if others else ()
        return ("n", *((self.of.axis,) if self.of.axis else ()), *first.shape, *stacked)

    def read(self, handle: Any) -> Any:
        """A copy for the user, of :attr:`shape`."""
        engine = handle.engine
        engine.build()
        with engine.store.active():
            if self.after:
                engine.compute(*self.after)
            rows = self.of.rows(handle)
            if len(self.fields) == 1:
                return self._rows(handle, self.fields[0], rows)
            return handle._xp.stack([self._rows(handle, field, rows) for field in self.fields], axis=-1)

    def _rows(self, handle: Any, field: Field, rows: RowIndex) -> Any:
        if not _count(rows):  # its table may be empty
            dtype = "int32" if field.dtype == "int32" else handle.engine.dtype
            return handle._xp.zeros((handle.engine.num_envs, 0, *field.shape), dtype)
        found = read_rows(handle.engine, field, rows)
        return found if self.of.axis else found[:, 0]

    def check(self, handle: Any, value: Any, env_ids: Any, chosen: np.ndarray | None) -> Values:
        """A user's value as an array, (k, ...) of :attr:`shape`, and the environments that it is for; ``None``: all."""
        if self.of.by_name:
            value = by_joint(handle, self.what, value, env_ids, partial(self.read, handle), finite=self.finite)
        count = self.of.count(handle) if chosen is None else len(chosen)
        shape = (*((count,) if self.of.axis else ()), *self.field.shape)
        checked = handle._input(self.what, value, shape, env_ids, finite=self.finite, negative=self.negative)
        if self.above_zero:
            handle._above_zero(self.what, value)
        if self.below < np.inf:
            handle._below(self.what, value, self.below)
        return checked

    def write(self, handle: Any, values: Any, envs: np.ndarray | None, chosen: np.ndarray | None) -> None:
        """Write values that :meth:`check` made."""
        rows, columns = self.of.written(handle) if self.of.written else (self.of.rows(handle), None)
        if chosen is not None:
            rows = rows.start + chosen if isinstance(rows, slice) else rows[chosen]
        if not _count(rows):
            return
        if columns is not None:
            values = values[:, handle._xp.asarray(columns)]
        elif not self.of.axis:
            values = values[:, None]
        write_rows(handle.engine, self.field, rows, values, envs)


Declared.__doc__ = _Text(Declared.__doc__)  # type: ignore[assignment]

Checked = dict[str, Values]
"""Values of properties by name."""


def check(handle: Handle, given: Mapping[str, Any], env_ids: Any, chosen: np.ndarray | None = None) -> Checked:
    """Check what users give for properties, by name; those that are ``None`` are left out.

    Args:
        handle: whose properties they are.
        given: by name.
        env_ids: as users give them.
        chosen: which of the values along the axis of the owners they are; all by default.
    """
    known = type(handle)
    return {
        name: getattr(known, name).check(handle, value, env_ids, chosen)
        for name, value in given.items()
        if value is not None
    }


def commit(handle: Any, checked: Checked, env_ids: Any, chosen: np.ndarray | None = None) -> None:
    """Write what :func:`check` returned, and let the engine know."""
    if not checked:
        return
    written: list[Declared] = [getattr(type(handle), name) for name in checked]
    for each in written:
        if each.needs:
            need(handle.engine, each.needs)
    for each, (values, envs) in zip(written, checked.values(), strict=True):
        each.write(handle, values, envs, chosen)
    if any([each.wakes for each in written]) and handle.num_velocities:
        handle.wake_up(env_ids)
    handle.engine.touch(*[each.field for each in written])


def assign(handle: Handle, given: Mapping[str, Any], env_ids: Any, chosen: np.ndarray | None = None) -> None:
    """Set properties by name; those that are ``None`` stay. For arguments see :func:`check`."""
    handle.engine.build()
    with handle.engine.store.active():
        commit(handle, check(handle, given, env_ids, chosen), env_ids, chosen)


def declared(handle: type[Handle]) -> dict[str, Declared]:
    """The declared properties of a kind of handle, by name."""
    return {name: each for name, each in inspect.getmembers_static(handle) if isinstance(each, Declared)}


def _count(rows: RowIndex) -> int:
    return rows.stop - rows.start if isinstance(rows, slice) else len(rows)


@cache
def _texts(owner: type) -> dict[str, str]:
    """The texts below a class's assignments."""
    try:
        (tree,) = ast.parse(textwrap.dedent(inspect.getsource(owner))).body
    except OSError:  # there is no source
        return {}
    assert isinstance(tree, ast.ClassDef)
    return {
        target.id: inspect.cleandoc(text.value.value)
        for made, text in pairwise(tree.body)
        if isinstance(made, ast.Assign) and isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant)
        for target in made.targets
        if isinstance(target, ast.Name) and isinstance(text.value.value, str)
    }
