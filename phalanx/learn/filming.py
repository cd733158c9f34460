"""Films of what environments do while they are stepped by somebody else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from phalanx import components as c
from phalanx.world.snapshots import node_positions
from phalanx.world.world import World

FPS = 30.0
SIZE = (640, 480)
MOST = 9
"""Environments in a film."""
APART = 6.0
"""Robots of several environments that stand farther apart, in their own sizes, are in one large scene, such as on
terrains side by side: the film is of the first one, and follows it."""


class Film:
    """Takes poses after steps of an environment, and makes a film of them.

    Args:
        world: what is filmed; its first :data:`MOST` environments.
        step_seconds: of a step of the environment.
        count: how many environments, at most.
    """

    def __init__(self, world: World, step_seconds: float, count: int = MOST) -> None:
        self._world, self._count = world, min(count, world.num_envs)
        self._every = max(1, round(1.0 / (FPS * step_seconds)))
        self._fps = 1.0 / (self._every * step_seconds)
        self._poses: list[np.ndarray] = []
        self._nodes: list[tuple[np.ndarray, ...]] = []
        self._step = 0

    @property
    def seconds(self) -> float:
        """Length of the film so far."""
        return len(self._poses) / self._fps

    def after_step(self) -> None:
        """Take poses, if it is time for a frame."""
        self._step += 1
        if self._step % self._every == 0:
            world = self._world
            world.compute("query_bodies")
            poses: Any = world[c.BodyState].pose[..., : self._count]
            self._poses.append(np.array(poses.get() if hasattr(poses, "get") else poses).transpose(2, 0, 1))
            self._nodes.append(node_positions(world, np.arange(self._count)))

    def write(self, path: Path) -> None:
        """Draw it; see :class:`phalanx.images.pictures.video.VideoWriter` for kinds of files."""
        from phalanx.images.pictures.film import framed_painter, write_film

        poses = np.stack(self._poses)
        nodes = self._nodes if self._nodes[0] else None
        count, robot = self._count, self._far_apart(poses[0])
        if robot is not None:
            count, poses = 1, poses[:, :1]
            nodes = None if nodes is None else [tuple(each[:1] for each in frame) for frame in nodes]
        painter, shifts = framed_painter(
            self._world, poses, self._fps, list(range(count)), size=SIZE, nodes=nodes, follow=robot
        )
        write_film(path, painter, poses, shifts, self._fps, nodes=nodes)

    def _far_apart(self, poses: np.ndarray) -> slice | None:
        """Rows of the first robot's bodies, if those of the environments are far apart; poses (envs, bodies, 7)."""
        if len(poses) < 2 or not self._world.robots:
            return None
        from phalanx.images.pictures.film import bodies_of

        rows = bodies_of(self._world, next(iter(self._world.robots)))
        places = poses[:, rows, :3]
        size = max(0.5, float(np.median(np.ptp(places, axis=1).max(axis=-1))))
        return rows if np.ptp(np.median(places, axis=1), axis=0).max() > APART * size else None
