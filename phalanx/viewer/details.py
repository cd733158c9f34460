"""What a model has that is not seen: centres of mass, inertias, joints and their limits, ways and names."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from phalanx.maths.arrays import between, from_matrix, from_rotation_vector, product, rotate, unit
from phalanx.models.pose import bodies_in_order
from phalanx.models.primitives import PRIMITIVES
from phalanx.viewer.drawings import Copies, Drawing, Lines, Points

if TYPE_CHECKING:
    from phalanx.models.robot_model import Joint
    from phalanx.world.snapshots import Snapshot
    from phalanx.world.world import World

COMS, INERTIAS, AXES, LIMITS, TRAILS = "Centres of mass", "Inertia boxes", "Joint axes", "Joint limits", "Trails"
KINDS = (COMS, INERTIAS, AXES, LIMITS, TRAILS)

COM_COLOR, BOX_COLOR, AXIS_COLOR, LIMIT_COLOR, NOW_COLOR, TRAIL_COLOR = (
    np.array(rgb, np.uint8)
    for rgb in ((240, 200, 0), (120, 80, 220), (0, 150, 80), (150, 150, 150), (230, 60, 30), (30, 120, 230))
)

LONGEST = 300
"""Points of a trail."""

JUMP = 0.5
"""m between two points from which on a trail begins anew."""

ARC = 24
"""Straight pieces of an arc from limit to limit."""


class Details:
    """Draws them, of the environments that are seen.

    Args:
        world: built.
        size: m: of axes and arcs.
        rows: of environments (k,) their numbers (k,) in the world; by default they are the same.
    """

    def __init__(self, world: World, size: float, rows: Callable[[np.ndarray], np.ndarray] = lambda envs: envs) -> None:
        self._world, self._size, self._rows = world, size, rows
        self.snapshot: Snapshot | None = None
        self._trails: deque[np.ndarray] = deque(maxlen=LONGEST)
        self._trail_of: tuple[int, ...] = ()
        first, self._roots = 0, []
        self._joints: list[tuple[Joint, int, int]] = []
        for actor in world.actors.values():
            if actor.num_bodies and not actor.fixed_base:
                self._roots.append(first)
            numbers = {name: first + row for row, name in enumerate(bodies_in_order(actor.model))}
            for joint in actor.model.joints:
                if (
                    joint.type in ("revolute", "continuous", "prismatic")
                    and {joint.parent, joint.child} <= numbers.keys()
                ):
                    self._joints.append((joint, numbers[joint.parent], numbers[joint.child]))
            first += actor.num_bodies

    def read(self, kind: str, envs: np.ndarray, offsets: np.ndarray) -> Sequence[Drawing]:
        """Drawings of one of :data:`KINDS`, of the last snapshot."""
        snapshot = self.snapshot
        if snapshot is None or len(snapshot.poses) != len(envs):
            return []
        poses = snapshot.poses.astype(float)
        poses[..., :3] += offsets[:, None]
        if kind in (COMS, INERTIAS):
            return self._masses(kind, envs, poses)
        if kind == TRAILS:
            return self._ways(envs, poses)
        return self._axes(poses) if kind == AXES else self._limits(poses)

    def _masses(self, kind: str, envs: np.ndarray, poses: np.ndarray) -> list[Drawing]:
        """Dots, or boxes of even density that have the bodies' masses and inertias."""
        places, turns, sizes, first, rows = [], [], [], 0, self._rows(envs)
        for actor in self._world.actors.values():
            mass, com, inertia = (_host(each[rows]) for each in (actor.body_mass, actor.body_com, actor.body_inertia))
            some = (mass > 0.0) & np.isfinite(poses[:, first : first + actor.num_bodies]).all(axis=-1)
            at = poses[:, first : first + actor.num_bodies][some]
            first += actor.num_bodies
            place = at[:, :3] + rotate(at[:, 3:], com[some].astype(float))
            places.append(place)
            if kind == INERTIAS and len(place):
                values, axes = np.linalg.eigh(inertia[some].astype(float))
                axes[np.linalg.det(axes) < 0.0, :, 0] *= -1.0
                # I_x = m (b^2 + c^2) / 12 with sides a, b, c, and so on
                squares = 6.0 / mass[some, None] * (values.sum(axis=1, keepdims=True) - 2.0 * values)
                sizes.append(np.sqrt(np.maximum(squares, 1e-10)))
                turns.append(product(at[:, 3:], from_matrix(axes)))
        if not places or not sum(map(len, places)):
            return []
        place = np.concatenate(places)
        if kind == COMS:
            return [Points(place.astype(np.float32), COM_COLOR, 0.2 * self._size)]
        return [Copies(*_BOX, place, np.concatenate(turns), np.concatenate(sizes), BOX_COLOR, 0.35)]

    def _axes(self, poses: np.ndarray) -> list[Drawing]:
        lines = []
        for joint, _, child in self._joints:
            at, axis = self._of_child(joint, poses[:, child])
            lines.append(np.stack([at - self._size * axis, at + self._size * axis], axis=1))
        return _lines(lines, AXIS_COLOR, 0.06 * self._size)

    def _limits(self, poses: np.ndarray) -> list[Drawing]:
        """From limit to limit arcs, or straight lines, and where the joint is."""
        ways, now = [], []
        for joint, parent, child in self._joints:
            if not np.isfinite([joint.lower, joint.upper]).all():
                continue
            frame = poses[:, parent]
            origin = frame[:, :3] + rotate(frame[:, 3:], np.array(joint.position))
            turn = product(frame[:, 3:], np.array(joint.orientation))
            axis = unit(np.array(joint.axis, float))
            at, _ = self._of_child(joint, poses[:, child])
            if joint.type == "prismatic":
                ends = np.stack([origin + rotate(turn, end * axis) for end in (joint.lower, joint.upper)], axis=1)
                ways.append(ends)
                continue
            side = self._size * rotate(between(np.array([0.0, 0.0, 1.0]), axis), np.array([1.0, 0.0, 0.0]))
            angles = np.linspace(joint.lower, joint.upper, ARC + 1)
            rim = rotate(from_rotation_vector(angles[:, None] * axis), side)
            points = origin[:, None] + rotate(turn[:, None], rim[None])
            ways += [points[:, k : k + 2] for k in range(ARC)]
            own = rotate(np.array(joint.child_orientation), side)
            now.append(np.stack([at, at + rotate(poses[:, child, 3:], own)], axis=1))
        return [*_lines(ways, LIMIT_COLOR, 0.03 * self._size), *_lines(now, NOW_COLOR, 0.06 * self._size)]

    def _of_child(self, joint: Joint, pose: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Where a joint is, and its axis, by the poses (k, 7) of its child."""
        at = pose[:, :3] + rotate(pose[:, 3:], np.array(joint.child_position, float))
        axis = rotate(np.array(joint.child_orientation, float), unit(np.array(joint.axis, float)))
        return at, rotate(pose[:, 3:], axis)

    def _ways(self, envs: np.ndarray, poses: np.ndarray) -> list[Drawing]:
        now, of = poses[:, self._roots, :3], tuple(map(int, envs))
        last = self._trails[-1] if self._trails else None
        if of != self._trail_of or (last is not None and np.abs(now - last).max(initial=0.0) > JUMP):
            self._trails.clear()
        self._trail_of = of
        if last is None or not self._trails or not np.array_equal(now, last):
            self._trails.append(now)
        if len(self._trails) < 2:
            return []
        missing = LONGEST - len(self._trails)  # always as many: a browser need not make them anew
        points = np.array([self._trails[0]] * missing + list(self._trails))
        return _lines([np.stack([points[:-1], points[1:]], axis=-2).reshape(-1, 2, 3)], TRAIL_COLOR, 0.03 * self._size)


def _lines(parts: list[np.ndarray], color: np.ndarray, thickness: float) -> list[Drawing]:
    ends = np.concatenate(parts) if parts else np.zeros((0, 2, 3))
    ends = ends[np.isfinite(ends).all(axis=(1, 2))].astype(np.float32)
    return [Lines(ends, color, thickness)] if len(ends) else []


def _host(value: Any) -> np.ndarray:
    return np.asarray(value.get() if hasattr(value, "get") else value)


def _box() -> tuple[np.ndarray, np.ndarray]:
    vertices, faces = PRIMITIVES["box"].triangles(0.5, 0.5, 0.5)
    return np.asarray(vertices, np.float32), np.asarray(faces, np.uint32)


_BOX = _box()
