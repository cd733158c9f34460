"""What the tensor views share: which row stands for what, and arrays in and out of the engine's tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from enum import IntEnum
from functools import partial, wraps
from typing import Any, TypeVar

import numpy as np

from phalanx.ecs import Field
from phalanx.facade.arrays import accept, hand_out, hand_out_host
from phalanx.facade.physx import com_motion
from phalanx.models.actor_spec import DYNAMIC
from phalanx.world.engine.optional_systems import SLEEP
from phalanx.world.engine.rows import view_rows, write_listed, write_rows
from phalanx.world.handles.actor import Actor
from phalanx.world.world import World

UNBOUNDED = float(np.finfo(np.float32).max)
"""What stands for "no limit", both ways: the greatest float32, as in PhysX; the engine has infinity."""

TO_XYZW = [0, 1, 2, 4, 5, 6, 3]
"""Columns of a pose of the engine [x y z qw qx qy qz] in the order of the views [x y z qx qy qz qw]."""

FROM_XYZW = [0, 1, 2, 6, 3, 4, 5]
"""The other way round."""


class DofType(IntEnum):
    """What a degree of freedom does."""

    Rotation = 0
    Translation = 1
    Invalid = 255


class DofMotion(IntEnum):
    """Whether a degree of freedom has limits."""

    Free = 0
    Limited = 1
    Locked = 2
    Invalid = 255


class DofDriveType(IntEnum):
    """What a drive makes of its gains: a force, or an acceleration."""

    None_ = 0
    Force = 1
    Acceleration = 2


class JointType(IntEnum):
    """Kinds of joints."""

    Fixed = 0
    Revolute = 1
    Prismatic = 2
    Spherical = 3
    Invalid = 255


F = TypeVar("F", bound=Callable[..., Any])


def compute(world: World, phase: str) -> None:
    """Run a phase of queries or a kernel of views, unless nothing has happened since it ran last."""
    own = partial(com_motion.run, world, phase) if phase in com_motion.SYSTEMS else None
    world.engine.compute_once(phase, own)


def reads(method: F, hand_out: Callable[[Any], Any] = hand_out) -> F:
    """Run a method with array operations on the world's device; arrays that it returns become the user's, float32."""

    @wraps(method)
    def run(self: View, *args: Any, **kwargs: Any) -> Any:
        self.world.build()
        with self.world.engine.store.active():
            found = method(self, *args, **kwargs)
            arrays = found if isinstance(found, tuple) else (found,)
            arrays = [a.astype("float32") if a.dtype == "float64" else a for a in arrays]
        if self.raw:
            return tuple(arrays) if isinstance(found, tuple) else arrays[0]
        handed = tuple(hand_out(a) for a in arrays)
        return handed if isinstance(found, tuple) else handed[0]

    return run  # type: ignore[return-value]


def reads_host(method: F) -> F:
    """Like :func:`reads`, but PyTorch's tensors are on the CPU, as PhysX has what bodies and shapes are made of.

    Scripts pick from these with indices that are on the CPU.
    """
    return reads(method, hand_out_host)


def writes(method: F) -> F:
    """Run a method with array operations on the world's device."""

    @wraps(method)
    def run(self: View, *args: Any, **kwargs: Any) -> Any:
        self.world.build()
        with self.world.engine.store.active():
            return method(self, *args, **kwargs)

    return run  # type: ignore[return-value]


class Rows:
    """Which environment and which column each row of a view is; a column is the same body or robot of all environments.

    Args:
        members: (key, environments) in the order of rows; ``None`` is all environments. Each key is hashable.
        num_envs: number of environments.
    """

    def __init__(self, members: Iterable[tuple[Any, Any]], num_envs: int) -> None:
        columns: dict[Any, int] = {}
        env_parts, column_parts = [], []
        members = list(members)
        if members and all(type(envs) is int for _, envs in members):  # a row each: thousands of them, made at once
            column_parts.append(np.array([columns.setdefault(key, len(columns)) for key, _ in members], np.int64))
            env_parts.append(np.array([envs for _, envs in members], np.int64))
            if not (env_parts[0].min() >= 0 and env_parts[0].max() < num_envs):
                wrong = next(envs for _, envs in members if not 0 <= envs < num_envs)
                raise IndexError(f"environments of a view must lie in 0..{num_envs - 1}; got {wrong}")
            members = []
        for key, envs in members:
            column = columns.setdefault(key, len(columns))
            chosen = np.arange(num_envs) if envs is None else np.atleast_1d(np.asarray(envs, np.int64))
            if len(chosen) and not (chosen.min() >= 0 and chosen.max() < num_envs):
                raise IndexError(f"environments of a view must lie in 0..{num_envs - 1}; got {envs}")
            env_parts.append(chosen)
            column_parts.append(np.full(len(chosen), column))
        if not columns:
            raise ValueError("a view needs at least one row")
        self.keys = list(columns)
        self.env, self.column = np.concatenate(env_parts), np.concatenate(column_parts)
        self.count, self.num_envs = len(self.env), num_envs
        k, every = len(self.keys), np.arange(len(self.env))
        if len(np.unique(self.env * k + self.column)) != self.count:
            raise ValueError("a view has a row twice")
        self._index: tuple[Any, Any] | None = None  # of listed rows, on the device, once it was wanted
        self.order = "listed"
        if self.count == num_envs * k:
            if np.array_equal(self.env * k + self.column, every):
                self.order = "by environment"
            elif np.array_equal(self.column * num_envs + self.env, every):
                self.order = "by column"

    @property
    def placement(self) -> tuple[int, np.ndarray] | None:
        """A step, and a start by column: rows are ``step * environment + start``; none if they are listed."""
        if self.order == "listed":
            return None
        columns = np.arange(len(self.keys))
        return (len(columns), columns) if self.order == "by environment" else (1, columns * self.num_envs)

    def gather(self, block: Any, xp: Any) -> Any:
        """(count, ...) rows of (num_envs, columns, ...)."""
        if self.order == "by environment":
            return block.reshape(self.count, *block.shape[2:])
        if self.order == "by column":
            return xp.ascontiguousarray(xp.swapaxes(block, 0, 1)).reshape(self.count, *block.shape[2:])
        if self._index is None:
            self._index = xp.asarray(self.env), xp.asarray(self.column)
        return block[self._index]

    def spread(self, values: Any, xp: Any) -> Any:
        """(num_envs, columns, ...) from (count, ...) rows, where there is a row for each."""
        k = len(self.keys)
        if self.order == "by environment":
            return values.reshape(self.num_envs, k, *values.shape[1:])
        if self.order == "by column":
            return xp.swapaxes(values.reshape(k, self.num_envs, *values.shape[1:]), 0, 1)
        raise ValueError("rows are listed")


class View:
    """Something of a world by rows.

    Getters return arrays of the chosen API (:func:`phalanx.facade.set_array_api`) on the world's device: float32,
    copies of what the simulation has now. Setters take ``(data, indices)``: data for all rows, in any shape with as
    many numbers, and the numbers of the rows to write; ``None`` is all of them. What is out of range is refused on the
    CPU; on a GPU nothing waits for data that are there.

    Args:
        world: the engine's world; built when the view is used first.
        rows: see :class:`Rows`.
        origins: (num_envs, 3), m: where the environments' origins are; what views call world coordinates are the
            engine's plus these. Zero by default.
    """

    raw = False
    """Whether getters return the engine's own arrays, NumPy's or CuPy's, instead."""

    def __init__(self, world: World, rows: Rows, origins: Any = None) -> None:
        self.world, self._rows = world, rows
        self._placed: dict[Any, Any] = {}
        self._origins = self._world_origins = None
        if origins is not None and np.any(host := accept(origins)):
            if host.shape != (world.num_envs, 3):
                raise ValueError(f"origins have shape {host.shape}; they must be ({world.num_envs}, 3)")
            self._world_origins = np.asarray(host, float)
            self._origins = self._world_origins[rows.env]

    @property
    def count(self) -> int:
        """Number of rows."""
        return self._rows.count

    @property
    def placement(self) -> tuple[int, np.ndarray] | None:
        """See :attr:`Rows.placement`."""
        return self._rows.placement

    def check(self) -> bool:
        """Whether the view can be used; it always can."""
        return True

    # -- on the device ---------------------------------------------------------------------------------------

    @property
    def _xp(self) -> Any:
        return self.world.engine.device.xp

    def _place(self, name: str, array: Any) -> Any:
        """A constant array on the device, copied there once."""
        if name not in self._placed:
            self._placed[name] = self._xp.asarray(array() if callable(array) else array)
        return self._placed[name]

    def _brought(self, values: np.ndarray, dtype: Any = None) -> Any:
        """Numbers of rows, or which of them count, on the device, copied there once; nobody may write to them."""
        values = values if dtype is None else values.astype(dtype)
        key = (values.dtype.str, values.shape, values.tobytes())
        found = self._placed.get(key)
        if found is None:
            found = self._placed[key] = self._xp.array(values)
        return found

    @property
    def _env(self) -> Any:
        return self._place("env", self._rows.env)

    @property
    def _column(self) -> Any:
        return self._place("column", self._rows.column)

    def _offsets(self, like: Any) -> Any:
        """(count, 3): origins of the rows' environments; 0 if they are all there."""
        return 0.0 if self._origins is None else self._place("origins", self._origins).astype(like.dtype)

    def _read(self, field: Field, rows: np.ndarray, items: list[int] | None = None) -> Any:
        """(count, m, *item): of a table the rows that ``rows``, (columns, m), has for the column of each row.

        ``items`` are some of the last axis, in another order.
        """
        xp = self._xp
        block = self._block(field, rows, items)
        return xp.ascontiguousarray(self._rows.gather(block, xp))

    def _block(self, field: Field, rows: np.ndarray, items: list[int] | None = None) -> Any:
        """(num_envs, columns, m, *item) of a table; a view of the engine's own memory where that is possible."""
        found = view_rows(self.world.engine, field, self._run(rows))
        if items is not None:
            found = self._reordered(found, items)
        return found.reshape(found.shape[0], *rows.shape, *found.shape[2:])

    def _reordered(self, values: Any, items: list[int]) -> Any:
        """A copy with other items of the last axis; on the CPU item by item, which the cache takes better."""
        if self._xp is not np:
            return values[..., self._place(f"items {items}", items)]
        found = np.empty((*values.shape[:-1], len(items)), values.dtype)
        for i, item in enumerate(items):
            found[..., i] = values[..., item]
        return found

    def _run(self, rows: np.ndarray) -> Any:
        """Rows (columns, m) one after the other, as a slice where they follow each other."""
        flat = rows.ravel()
        if len(flat) and (np.diff(flat) == 1).all():
            return slice(int(flat[0]), int(flat[-1]) + 1)
        return self._brought(flat)

    def _write(self, field: Field, rows: np.ndarray, values: Any, indices: Any) -> None:
        """Write values (count, m, *item) of the chosen rows, and let the world know."""
        if rows.size:
            self._put(field, rows, values, indices)
            self.world.engine.touch(field)

    def _put(self, field: Field, rows: np.ndarray, values: Any, indices: Any) -> None:
        """Write values (count, m, *item) of the chosen rows.

        A parameter that all environments share stays so if all get the same; else each gets a value of its own, and
        kernels that read it are compiled once more.
        """
        xp, engine = self._xp, self.world.engine
        if indices is None and self._rows.order != "listed":
            block = self._rows.spread(values, xp)
            flat = block.reshape(engine.num_envs, rows.size, *block.shape[3:])
            write_rows(engine, field, self._run(rows), flat, wait=True)
        else:
            some = slice(None) if indices is None else indices
            write_listed(engine, field, self._brought(rows)[self._column[some]], self._env[some], values[some])

    # -- what users give -------------------------------------------------------------------------------------

    def _take(
        self, what: str, data: Any, shape: Sequence[int], indices: Any = None, *, finite: bool = True, least: Any = None
    ) -> Any:
        """A user's data for all rows as an array (count, *shape) of the engine's, checked in the rows that count."""
        array = accept(data, self.world.device)
        wanted = (self.count, *shape)
        if array.dtype.kind not in "fiub":
            raise TypeError(f"{what} must be numbers, not {array.dtype}")
        if array.size != int(np.prod(wanted)):
            raise ValueError(
                f"{what} has shape {tuple(array.shape)}; it must be {wanted}: data are for all rows of the view, "
                "indices choose those that are written"
            )
        array = self._xp.asarray(array, self.world.dtype).reshape(wanted)
        if isinstance(array, np.ndarray):
            used = array if indices is None else array[indices]
            wrong = np.isnan(used) if not finite else ~np.isfinite(used)
            verdict = "is not a number (NaN)" if not finite else "is not finite"
            if least is not None and not wrong.any():
                wrong, verdict = used < least, f"is below {least}"
            if wrong.any():
                row = int(np.argwhere(wrong)[0][0])
                row = row if indices is None else int(np.asarray(indices)[row])
                raise ValueError(f"{what} {verdict} in row {row}")
        return array

    def _indices(self, indices: Any) -> Any:
        """Numbers of rows on the device; ``None`` for all of them."""
        if indices is None or (isinstance(indices, slice) and indices == slice(None)):
            return None
        if isinstance(indices, slice | range):
            indices = np.arange(self.count)[indices] if isinstance(indices, slice) else np.asarray(indices)
        array = accept(indices, self.world.device).reshape(-1)
        if array.dtype.kind == "b":
            raise TypeError("indices must be numbers of rows, not flags")
        if not array.size:
            return array.astype("int64")
        if array.dtype.kind not in "iu":
            raise TypeError(f"indices must be whole numbers, not {array.dtype}")
        if isinstance(array, np.ndarray):
            if array.min() < 0 or array.max() >= self.count:
                raise IndexError(f"indices must lie in 0..{self.count - 1}; got {array.min()} to {array.max()}")
            if array.size == self.count and np.array_equal(array, np.arange(self.count)):
                return None
        return array.astype("int64")

    def _host_rows(self, indices: Any) -> np.ndarray:
        """Numbers of rows on the host."""
        if indices is None:
            return np.arange(self.count)
        return indices if isinstance(indices, np.ndarray) else indices.get()

    def _with_origins(self, found: Any) -> Any:
        """Poses (count, ..., 7) in the world of all environments, changed in place."""
        if self._origins is not None:
            shift = self._offsets(found)
            found[..., :3] += shift.reshape(self.count, *(1,) * (found.ndim - 2), 3)
        return found

    def _pose(self, what: str, data: Any, indices: Any) -> Any:
        """A user's transforms, (count, 1, 7), as poses of the engine with unit quaternions."""
        values = self._take(what, data, (1, 7), indices)[..., FROM_XYZW].astype("float64")
        values[..., 0, :3] -= self._offsets(values)
        quaternion = values[..., 3:]
        length = self._xp.sqrt((quaternion**2).sum(axis=-1, keepdims=True))
        if isinstance(values, np.ndarray) and not length[slice(None) if indices is None else indices].all():
            raise ValueError(f"{what} have a quaternion of zero length")
        values[..., 3:] = quaternion / self._xp.where(length > 0, length, 1.0)
        return values.astype(self.world.dtype)

    def _wake(self, actors: Iterable[Actor], indices: Any) -> None:
        """Wake actors in the rows' environments, in a world where anything sleeps."""
        if SLEEP in self.world.engine.features:
            envs = np.unique(self._rows.env[self._host_rows(indices)])
            for actor in actors:
                if actor.part.kind == DYNAMIC and actor.num_velocities:
                    actor.wake_up(envs)


def find_actor(world: World, actor: Any, kind: type = Actor) -> Any:
    """An actor from itself or its name."""
    found = world.actors.get(actor if isinstance(actor, str) else getattr(actor, "name", ""))
    if found is None or not isinstance(found, kind) or (not isinstance(actor, str) and found is not actor):
        known = ", ".join(name for name, each in world.actors.items() if isinstance(each, kind)) or "none"
        raise ValueError(f"there is no {kind.__name__.lower()} {actor!r} in this world; there are {known}")
    return found
