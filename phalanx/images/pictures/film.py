"""Films of motion: frames at a steady rate of simulated time, from a camera that stands or follows."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from phalanx.images.pictures.picture import MOVING, Camera, WorldPainter
from phalanx.images.pictures.video import VideoWriter
from phalanx.images.world_scene import body_row

if TYPE_CHECKING:
    from phalanx.world.world import World

_FRAMED = 40  # frames that the camera is made for
_FAR = 1.5  # ways of a group, in its own sizes, that a standing camera does not follow
_SLOW = 0.4  # s: standard deviation of the Gaussian that smooths the way of a camera


class Painter(Protocol):
    """Draws frames."""

    def draw(
        self,
        poses: np.ndarray | None = None,
        shift: Any = (0.0, 0.0, 0.0),
        nodes: tuple[np.ndarray, ...] | None = None,
    ) -> np.ndarray:
        """(height, width, 3) uint8 of bodies at poses (environments, bodies, 7), the camera moved by ``shift``, m."""
        ...


def frame_times(start: float, end: float, fps: float) -> np.ndarray:
    """Times of frames, s: ``fps`` a second from ``start`` on, as many as there are until ``end``; one at least."""
    return start + np.arange(int((end - start) * fps + 1e-6) + 1) / fps


STILL = slice(0, 0)
"""Instead of bodies to follow: the camera stands."""


def bodies_of(world: World, name: str) -> slice:
    """Rows of a robot's or object's bodies, or of the one body of a name, among all of the world's.

    Raises:
        ValueError: there is nothing of this name, or several bodies have it.
    """
    world.build()
    if name in world.actors:
        return world.actors[name]._bound.bodies
    row = body_row(world, name)
    return slice(row, row + 1)


def framed_painter(
    world: World,
    poses: np.ndarray,
    fps: float,
    env_ids: Any = None,
    *,
    eye: tuple[float, float, float] | None = None,
    target: tuple[float, float, float] | None = None,
    follow: slice | None = None,
    nodes: Sequence[tuple[np.ndarray, ...]] | None = None,
    **options: Any,
) -> tuple[WorldPainter, np.ndarray]:
    """A painter whose camera sees everything at all times, and how far it is to move (frames, 3), m.

    Where a group goes farther than it is large the camera goes with it, smoothly, and else it stands.

    Args:
        world: with as many environments as ``poses``, or ``env_ids`` of them.
        poses: (frames, environments, bodies, 7), of all of the world's bodies.
        fps: frames a second.
        eye: where the camera is at first, m; by default where it sees all.
        target: where it looks from there; by default at the middle of what it is made for.
        follow: rows of the bodies that the camera goes along with and is made for, see :func:`bodies_of`;
            :data:`STILL`: it stands. By default it goes along with everything, unless it was told where to be.
        nodes: of each frame, of soft bodies and cloth, see :class:`~.picture.WorldPainter`; they are not seen without.
        options: of :class:`~.picture.WorldPainter`.
    """
    options = {"passes": MOVING, "soft": nodes is not None, **options}
    shifts = np.zeros((len(poses), 3))
    followed = None if follow is None or follow == STILL else follow
    if followed is not None:
        shifts = _way(poses[:, :, followed], fps, 0.0)
    elif follow is None and eye is None and options.get("camera") is None:
        shifts = _way(poses, fps)
    chosen = np.unique(np.linspace(0, len(poses) - 1, _FRAMED).round().astype(int))
    still = poses[chosen].copy()
    still[..., :3] -= shifts[chosen, None, None].astype(still.dtype)
    if eye is not None:
        seen = still[..., :3] if followed is None else still[:, :, followed, :3]
        middle = np.nanmean(np.where(np.isfinite(seen), seen, np.nan), axis=(0, 1, 2)) if target is None else target
        x, y, z = (float(one) for one in middle)
        options["camera"] = Camera(eye, (x, y, z))
    taken = None if nodes is None else [nodes[n] for n in chosen]
    return WorldPainter(world, env_ids, poses=still, framed=followed, nodes=taken, **options), shifts


def write_film(
    path: str | os.PathLike[str],
    painter: Painter,
    poses: np.ndarray,
    shifts: np.ndarray,
    fps: float,
    progress: Callable[[int], object] | None = None,
    nodes: Sequence[tuple[np.ndarray, ...]] | None = None,
) -> int:
    """Write a video; returns how many frames it has.

    Args:
        path: see :class:`~.video.VideoWriter`.
        painter: of the frames.
        poses, shifts: see :func:`framed_painter`.
        fps: frames a second.
        progress: is called with 1 after every frame.
        nodes: of each frame, if there is something soft.

    Raises:
        VideoError: the file cannot be of that kind, size or rate.
    """
    with VideoWriter(path, fps) as video:
        for n, (pose, shift) in enumerate(zip(poses, shifts, strict=True)):
            video.add(painter.draw(pose, shift) if nodes is None else painter.draw(pose, shift, nodes[n]))
            if progress is not None:
                progress(1)
    return video.frames


def _way(poses: np.ndarray, fps: float, far: float = _FAR) -> np.ndarray:
    """(frames, 3): where the middle of all goes, on the level, or nowhere if that is not far, in their own sizes."""
    finite = np.isfinite(poses).all(axis=(0, 2, 3))
    if not finite.any() or not poses.shape[2]:
        return np.zeros((len(poses), 3))
    places = poses[:, finite, :, :3].astype(float)
    middle = np.median(places, axis=(1, 2))
    middle[:, 2] = 0.0
    sizes = np.ptp(places, axis=2).max(axis=-1)  # (frames, environments)
    if np.linalg.norm(np.ptp(middle, axis=0)) < far * max(float(np.median(sizes)), 0.1):
        return np.zeros((len(poses), 3))
    reach = int(np.ceil(3 * _SLOW * fps))
    weights = np.exp(-0.5 * (np.arange(-reach, reach + 1) / (_SLOW * fps)) ** 2)
    padded = np.pad(middle, ((reach, reach), (0, 0)), mode="reflect", reflect_type="odd")  # it goes on as it went
    smooth = [np.convolve(padded[:, k], weights / weights.sum(), mode="valid") for k in range(3)]
    return np.stack(smooth, axis=-1) - middle[0]
