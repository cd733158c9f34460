"""What carries a sensor: a rigid body, something on one, the root of a robot, or nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from phalanx.facade.isaaclab.assets import frames
from phalanx.facade.isaaclab.sensors.prims import is_rigid_body, rigid_body_view
from phalanx.facade.isaaclab.sim import utils
from phalanx.facade.isaaclab.utils.math import combine_frame_transforms
from phalanx.facade.namespaces import array, common, copy
from phalanx.facade.physx.rigid_body_view import RigidBodyView
from phalanx.facade.stage_world import StageWorld
from phalanx.io.formats.usd.bindings import UsdPhysics


class Attachment:
    """Where prims are as the simulation goes on: those on rigid bodies move with them, others stay.

    Args:
        who: for messages.
        stage_world: where the bodies are.
        paths: of the prims; all are carried as the first one is.
        device: of the poses.

    Attributes:
        count: how many there are.
    """

    def __init__(self, who: str, stage_world: StageWorld, paths: Sequence[str], device: str) -> None:
        self._view: RigidBodyView | None = None
        self._own: Any = None
        self.count = len(paths)
        depth = carrier_depth(paths[0])
        if depth:
            bodies = ["/".join(path.split("/")[:depth]) for path in paths]
            self._view = rigid_body_view(who, stage_world, bodies, 1)
            if bodies[0] != paths[0]:
                self._own = array(local_poses(paths, bodies), device)
        elif (roots := _roots(stage_world, paths)) is not None:
            self._view = RigidBodyView(stage_world.world, roots, list(paths), stage_world.origins)
        else:
            self._own = array(local_poses(paths, [None] * len(paths)), device)

    @property
    def moves(self) -> bool:
        """Whether something carries them that can move."""
        return self._view is not None

    def poses(self) -> tuple[Any, Any]:
        """(n, 3) and (n, 4): where they are in the world, m, and their orientations, (w, x, y, z)."""
        if self._view is None:
            return self._own[:, :3], self._own[:, 3:]
        pose = frames.to_wxyz(self._view.get_transforms())
        if self._own is None:
            return pose[:, :3], pose[:, 3:]
        _, pose, own = common(pose, self._own)
        return combine_frame_transforms(pose[:, :3], pose[:, 3:], own[:, :3], own[:, 3:])

    def get_world_poses(self, indices: Any = None) -> tuple[Any, Any]:
        """:meth:`poses` of some of them, all by default, as copies."""
        chosen = slice(None) if indices is None else indices
        place, turn = self.poses()
        return copy(place[chosen]), copy(turn[chosen])


def carrier_depth(path: str) -> int:
    """How many segments the path of the nearest rigid body at or above a prim has; 0 if there is none."""
    parts = path.split("/")
    for depth in range(len(parts), 1, -1):
        if is_rigid_body("/".join(parts[:depth])):
            return depth
    return 0


def _roots(stage_world: StageWorld, paths: Sequence[str]) -> list[Any] | None:
    """The roots of robots whose articulation roots prims are, and their environments."""
    stage = utils.get_current_stage()
    if not stage.GetPrimAtPath(paths[0]).HasAPI(UsdPhysics.ArticulationRootAPI):
        return None
    found: list[Any] = []
    for path in paths:
        names, env = stage_world.actors_at(path)
        robots = [name for name in names if name in stage_world.world.robots]
        if len(robots) != 1:
            return None
        found.append(((robots[0], stage_world.world.robots[robots[0]].body_names[0]), env or 0))
    return found


def local_poses(paths: Sequence[str], above: Sequence[str | None]) -> np.ndarray:
    """(n, 7): poses of prims in the frames of others, ``None`` for the world."""
    stage = utils.get_current_stage()
    found = [
        utils.resolve_prim_pose(stage.GetPrimAtPath(path), None if other is None else stage.GetPrimAtPath(other))
        for path, other in zip(paths, above, strict=True)
    ]
    return np.array([[*position, *quat] for position, quat in found], "float32")
