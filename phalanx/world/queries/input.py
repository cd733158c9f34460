"""What users pass to scene queries: checked, and in the shape that queries have."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from phalanx.components.shape import BOX, CAPSULE, SPHERE, is_convex
from phalanx.io.reading.errors import LoadError
from phalanx.models.meshes.cooking import cook
from phalanx.models.meshes.hulls import Hull
from phalanx.models.robot_model import Shape
from phalanx.world.engine.engine import Engine


class Request:
    """Arrays for ``m`` rays or probes in some environments, each (environments or 1, m or 1, *item).

    Args:
        who: the query, for messages.
        env_ids: the environments, all by default.
    """

    def __init__(self, engine: Engine, who: str, env_ids: Any) -> None:
        self.engine, self.who = engine, who
        self.envs: np.ndarray | None = None if env_ids is None else engine.env_indices(env_ids)
        self.num_envs = engine.num_envs if self.envs is None else len(self.envs)
        self.size = 1

    def array(
        self,
        what: str,
        value: Any,
        item: tuple[int, ...] = (),
        *,
        least: float = -math.inf,
        infinite: bool = False,
        length: bool = False,
    ) -> Any:
        """A user's numbers, (environments, m, *item), (m, *item) or (*item).

        Host arrays are checked; numbers that are on a GPU already are not waited for.

        Args:
            least: no number may be less; ``infinite``: numbers may be infinite; ``length``: vectors must not be zero.
        """
        engine = self.engine
        array = engine.device.accept(value)
        if array.dtype.kind not in "fiu":
            raise TypeError(f"{self.who}: {what} must be numbers, not {array.dtype}")
        shape = tuple(array.shape)
        lead = shape[: len(shape) - len(item)]
        if shape[len(lead) :] != item or len(lead) > 2 or (len(lead) == 2 and lead[0] not in (1, self.num_envs)):
            last = "".join(f", {n}" for n in item)
            raise ValueError(
                f"{self.who}: {what} has shape {shape}; it must be (m{last}) or (num_envs{', m' + last}), with "
                f"num_envs={self.num_envs} here"
            )
        count = lead[-1] if lead else 1
        if count != 1 and self.size not in (1, count):
            raise ValueError(f"{self.who}: {what} is for {count} at once, other arguments for {self.size}")
        self.size = count if self.size == 1 else self.size
        array = array.reshape((1,) * (2 - len(lead)) + shape)
        if isinstance(array, np.ndarray):
            for wrong, verdict in (
                (np.isnan(array), "is not a number (NaN)"),
                (np.isinf(array) & (not infinite), "is infinite"),
                (array < least, f"is below {least:g}"),
                (np.logical_not(array.any(axis=-1)) & length, "is zero"),
            ):
                self._refuse(what, wrong, verdict)
        return engine.device.xp.asarray(array)

    def units(self, what: str, value: Any, size: int) -> Any:
        """Vectors at length 1, float64."""
        xp, array = self.engine.device.xp, self.array(what, value, (size,), length=True)
        array = array.astype("float64")
        square = sum(array[..., i] * array[..., i] for i in range(1, size)) + array[..., 0] * array[..., 0]
        with np.errstate(invalid="ignore", divide="ignore"):
            return array / xp.sqrt(square)[..., None]

    def _refuse(self, what: str, wrong: Any, verdict: str) -> None:
        if wrong.any():
            row, number, *_ = (int(i) for i in np.argwhere(wrong)[0])
            place = f"number {number}"
            if wrong.shape[0] > 1:
                place = f"environment {row if self.envs is None else int(self.envs[row])}, {place}"
            raise ValueError(f"{self.who}: {what} {verdict} in {place}")


@dataclass(frozen=True)
class Probe:
    """A convex shape as the kernels take it; arrays (environments or 1, m or 1, 3)."""

    kind: int
    size: Any
    low: Any
    high: Any
    hull: Hull | None = None
    position: np.ndarray | None = None
    """(3,) and ``orientation`` (4,): the shape's frame in that of the probe, if it is another."""
    orientation: np.ndarray | None = None


def sphere(request: Request, radius: Any) -> Probe:
    """A sphere."""
    r = request.array("radius", radius, least=0.0)[..., None]
    size = request.engine.device.xp.concatenate([r, r, r], axis=-1)
    return Probe(SPHERE, size, -size, size)


def box(request: Request, half_extents: Any) -> Probe:
    """A box."""
    size = request.array("half_extents", half_extents, (3,), least=0.0)
    return Probe(BOX, size, -size, size)


def capsule(request: Request, radius: Any, half_length: Any) -> Probe:
    """A capsule along its z axis; ``half_length`` without the caps."""
    xp = request.engine.device.xp
    r, h = (
        request.array(what, value, least=0.0)[..., None]
        for what, value in (("radius", radius), ("half_length", half_length))
    )
    r, h = xp.broadcast_arrays(r, h)
    high = xp.concatenate([r, r, r + h], axis=-1)
    return Probe(CAPSULE, xp.concatenate([r, h, xp.zeros_like(r)], axis=-1), -high, high)


def convex(request: Request, shape: Shape) -> Probe:
    """Any convex shape; a mesh by its hull, or as its ``approximation`` says."""
    if not isinstance(shape, Shape):
        raise TypeError(f"{request.who}: shape must be a phalanx.Shape, not {type(shape).__name__}")
    try:
        pieces = cook(shape)
    except LoadError as error:
        raise ValueError(f"{request.who}: {error}") from None
    if len(pieces) != 1 or not is_convex(pieces[0].kind):
        raise ValueError(f"{request.who}: the shape has {len(pieces)} parts; ask with one convex part at a time")
    piece = pieces[0]
    xp = request.engine.device.xp
    size, low, high = (xp.asarray(v, "float64").reshape(1, 1, 3) for v in (piece.size, piece.low, piece.high))
    hull = piece.geometry if isinstance(piece.geometry, Hull) else None
    made = Probe(piece.kind, size, low, high, hull)
    if piece.position.any() or piece.orientation[1:].any():
        made = replace(made, position=piece.position, orientation=piece.orientation)
    return made
