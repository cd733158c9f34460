"""A handle on some rows of the engine's tables: environment-first copies out, checked values in."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, ClassVar, TypeVar

import numpy as np

from phalanx.ecs import Field
from phalanx.world.checking import too_large
from phalanx.world.engine.engine import Engine
from phalanx.world.engine.rows import RowIndex, read_rows, write_rows

F = TypeVar("F", bound=Callable[..., Any])


def on_device(method: F) -> F:
    """Run a method of a handle with array operations on the world's device, in order with the caller's stream."""

    @wraps(method)
    def run(self: Handle, *args: Any, **kwargs: Any) -> Any:
        self.engine.build()
        with self.engine.store.active():
            return method(self, *args, **kwargs)

    return run  # type: ignore[return-value]


class Handle:
    """Something of a world that has a name, and rows in the tables of all environments."""

    KIND: ClassVar[str] = "handle"
    """What messages call it."""

    def __init__(self, engine: Engine, name: str) -> None:
        self.engine, self.name = engine, name

    @property
    def world(self) -> Any:
        """The world that it is in."""
        return self.engine.world

    def __str__(self) -> str:
        return f"{self.KIND} {self.name!r}"

    @property
    def _xp(self) -> Any:
        """The array module of the world's device."""
        return self.engine.device.xp

    def _read(self, field: Field, rows: RowIndex) -> Any:
        """See :func:`phalanx.world.engine.rows.read_rows`."""
        return read_rows(self.engine, field, rows)

    def _write(self, field: Field, rows: RowIndex, value: Any, envs: np.ndarray | None) -> None:
        """See :func:`phalanx.world.engine.rows.write_rows`."""
        write_rows(self.engine, field, rows, value, envs)

    def _input(
        self,
        what: str,
        value: Any,
        shape: int | tuple[int, ...],
        env_ids: Any,
        *,
        finite: bool = True,
        negative: bool = True,
        poses: bool = False,
    ) -> tuple[Any, np.ndarray | None]:
        """Broadcast a user's value to (n, *shape) and check it; numbers that are on a GPU already are not waited for.

        Returns the array and the environments that it is for, ``None`` for all.
        """
        engine = self.engine
        envs = None if env_ids is None else engine.env_indices(env_ids)
        count = engine.num_envs if envs is None else len(envs)
        array = engine.device.accept(value)
        if array.dtype.kind not in "fiub":
            raise TypeError(f"{self}: {what} must be numbers, not {array.dtype}")
        wanted = (count, shape) if isinstance(shape, int) else (count, *shape)
        if array.ndim > len(wanted) or any(
            have not in (1, need) for have, need in zip(array.shape[::-1], wanted[::-1], strict=False)
        ):
            raise ValueError(f"{self}: {what} has shape {tuple(array.shape)}; it must broadcast to {wanted}")
        if isinstance(array, np.ndarray):
            if (large := too_large(array, engine.dtype)) is not None:
                raise ValueError(f"{self}: {what} is {large}")
            for wrong, verdict in (
                (np.isnan(array), "is not a number (NaN)"),
                (np.isinf(array) & finite, "is infinite"),
                ((array < 0) & (not negative), "is negative"),
            ):
                if wrong.any() and count:
                    row, *item = (int(i) for i in np.argwhere(np.broadcast_to(wrong, wanted))[0])
                    env = row if envs is None else int(envs[row])
                    place = f"environment {env}, column {', '.join(map(str, item))}" if item else f"environment {env}"
                    raise ValueError(f"{self}: {what} {verdict} in {place}")
            if poses and not np.broadcast_to(array, wanted)[..., 3:].any(axis=-1).all():
                raise ValueError(f"{self}: {what} has a quaternion of zero length")
        array = self._xp.asarray(array)
        return (array if array.shape == wanted else self._xp.broadcast_to(array, wanted)), envs

    def _from_host(self, value: Any) -> np.ndarray | None:
        """A user's value where it can be looked at: numbers that are on a GPU already are not waited for."""
        array = None if value is None else self.engine.device.accept(value)
        return array if isinstance(array, np.ndarray) else None

    def _above_zero(self, what: str, value: Any) -> None:
        """Refuse a user's numbers that are 0 or less, as far as they can be looked at."""
        given = self._from_host(value)
        if given is not None and not (given > 0).all():
            raise ValueError(f"{self}: {what} must be above 0; got {given.min()}")
        least = float(np.finfo(self.engine.dtype).tiny)
        if given is not None and (given < least).any():
            raise ValueError(
                f"{self}: {what} is {given.min():.4g}, and the least number of {self.engine.dtype} that is not 0 is "
                f"{least:.4g}"
            )

    def _below(self, what: str, value: Any, most: float) -> None:
        """Refuse a user's numbers that are a bound or more, as far as they can be looked at."""
        given = self._from_host(value)
        if given is not None and not (given < most).all():
            raise ValueError(f"{self}: {what} must be below {most:g}; got {given.max()}")

    def _unit(self, poses: Any) -> Any:
        """A float64 copy of poses (..., 7) with unit quaternions."""
        values = self._xp.array(poses, dtype="float64")
        values[..., 3:] /= self._xp.sqrt((values[..., 3:] ** 2).sum(axis=-1, keepdims=True))
        return values
