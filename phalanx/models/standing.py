"""How a robot stands whose file does not say so.

The rule, for robots with a free base:

1. Joints are at 0, or at the limit nearest to it. What touches the ground then is all that is less than
   :data:`LEVEL` of the robot's height above its lowest point. The robot stands if at least two links that move against
   the root touch it, the root does not, and the centre of mass is above the polygon between the points of contact, at
   least :data:`MARGIN` of the way from its edge to its innermost point.
2. Otherwise its legs are bent: chains of joints from the root to links that reach down to the ground as in 1., or
   nearly. All feet come to one height and the centre of mass above their middle, with joints as near to 0 as that
   allows and a tenth of their range away from their limits. Then it must stand as in 1.

Shapes that collide count, the root is level.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from phalanx.maths.arrays import matrix
from phalanx.models.meshes.height_fields import grid_triangles
from phalanx.models.pose import body_frames
from phalanx.models.primitives import PRIMITIVES
from phalanx.models.robot_model import Joint, RobotModel, Shape

LEVEL = 0.02
MARGIN = 0.5
NEAR = 0.3
"""Feet that are bent to the ground are above it by less than this part of the root's height."""

FROM_LIMITS = 0.1
"""Of a joint's range: how far legs that are bent stay away from its ends."""

STEPS = 25
"""Most poses that are tried to bend legs."""

ONE_DOF = ("revolute", "continuous", "prismatic")
DEPTH = 3
"""Moving joints in a row that make an arm."""


@dataclass(frozen=True)
class Standing:
    """A pose in which a robot stands on z = 0: ``height`` of the root's frame, m, and ``joint_pos`` by name.

    ``feet`` are the links that touch the ground. ``bent`` says that joints are not where the file has them.
    """

    height: float
    joint_pos: dict[str, float]
    feet: tuple[str, ...]
    bent: bool

    def __str__(self) -> str:
        how = "its legs bent to stand" if self.bent else "standing"
        names = ", ".join(self.feet[:6]) + (", ..." if len(self.feet) > 6 else "")
        return f"{how} on {names}, the root {self.height:.4g} m above the ground"


def standing_pose(model: RobotModel) -> Standing | None:
    """The pose in which a robot stands by the rule above; ``None``: it does not, nor could it be bent to."""
    body = _Body(model)
    rest = body.rest()
    found = body.stands(rest, bent=False)
    if found is None and (bent := body.bend(rest)) is not None:
        found = body.stands(bent, bent=True)
    return found


def is_arm(model: RobotModel) -> bool:
    """Whether a robot is an arm, or has arms on a base that stands: such a base belongs fixed, or it falls over.

    An arm has at least :data:`DEPTH` moving joints in a row, and its root carries nothing else that moves; or the root
    touches the ground, in the pose of part 1 of the rule, and less than two links that move do (feet, or wheels).
    """
    body = _Body(model)
    carried = [joint.child for joint in body.order if joint.type != "fixed" and body.group[joint.parent] == body.root]
    if body.depth() < DEPTH:
        return False
    if len(carried) == 1:
        return True
    touching, _, _ = body.contacts(body.rest())
    shaped = {body.group[name] for name, shapes in body.points.items() if shapes}
    return body.root in touching and len(touching) < 3 and len(shaped) > 1


class _Body:
    """A robot's rigid groups: links that fixed joints connect, each called as its first link."""

    def __init__(self, model: RobotModel) -> None:
        self.model = model
        self.root = model.root
        self.outgoing = model.outgoing()
        self.group = {self.root: self.root}
        self.order: list[Joint] = []
        waiting = [self.root]
        for link in waiting:  # which grows
            for joint in self.outgoing[link]:
                self.group[joint.child] = self.group[link] if joint.type == "fixed" else joint.child
                self.order.append(joint)
                waiting.append(joint.child)
        self.carrier = {joint.child: joint for joint in self.order}
        self.points = {
            body.name: [_points(shape) for shape in body.collisions if shape.kind != "plane"] for body in model.bodies
        }
        self.masses = {body.name: (body.mass, np.array(body.com, float)) for body in model.bodies}

    def rest(self) -> dict[str, float]:
        """Joints at 0, or as near as limits allow."""
        return {
            joint.name: float(np.clip(0.0, joint.lower, joint.upper))
            for joint in self.order
            if joint.type in ONE_DOF and joint.mimic is None
        }

    def depth(self) -> int:
        """Most moving joints in a row."""
        depth = {self.root: 0}
        for joint in self.order:
            depth[joint.child] = depth[joint.parent] + (joint.type != "fixed")
        return max(depth.values())

    def placed(self, joint_pos: Mapping[str, float]) -> tuple[dict[str, np.ndarray], np.ndarray]:
        """Points (n, 3) of each group's surface that may be lowest, and the centre of mass, the root level at 0."""
        frames = body_frames(self.model, joint_pos)
        found: dict[str, list[np.ndarray]] = {}
        for name, shapes in self.points.items():
            rotation, origin = frames[name]
            for points, radius in shapes:
                lowered = origin + points @ rotation.T - np.array([0.0, 0.0, radius])
                found.setdefault(self.group[name], []).append(lowered)
        clouds = {group: np.concatenate(clouds) for group, clouds in found.items()}
        return clouds, self.centre(frames, self.masses)[1]

    def contacts(self, joint_pos: Mapping[str, float]) -> tuple[set[str], np.ndarray, np.ndarray]:
        """Groups that touch the ground, the points where they do, and the centre of mass."""
        clouds, centre = self.placed(joint_pos)
        if not clouds:
            return set(), np.zeros((0, 3)), centre
        low = min(cloud[:, 2].min() for cloud in clouds.values())
        high = max(cloud[:, 2].max() for cloud in clouds.values())
        level = low + LEVEL * (high - low)
        touching = {group: cloud[cloud[:, 2] <= level] for group, cloud in clouds.items()}
        touching = {group: cloud for group, cloud in touching.items() if len(cloud)}
        return set(touching), np.concatenate(list(touching.values())), centre

    def stands(self, joint_pos: dict[str, float], bent: bool) -> Standing | None:
        """The pose, if it is one to stand in."""
        touching, points, centre = self.contacts(joint_pos)
        if self.root in touching or len(touching) < 2 or not _above(centre[:2], points[:, :2]):
            return None
        feet = tuple(group for group in self.group if group in touching)
        return Standing(-float(points[:, 2].min()), dict(joint_pos), feet, bent)

    def legs(self, joint_pos: Mapping[str, float]) -> list[tuple[str, np.ndarray]]:
        """The last links of chains that reach down, and the middle of what is lowest of each, in the frame of that."""
        clouds, _ = self.placed(joint_pos)
        frames = body_frames(self.model, joint_pos)
        if not clouds:
            return []
        low = min(cloud[:, 2].min() for cloud in clouds.values())
        root = clouds[self.root][:, 2].min() if self.root in clouds else 0.0
        inner = {self.group[joint.parent] for joint in self.order if joint.type != "fixed"}
        found = []
        for group, cloud in clouds.items():
            if group in inner or cloud[:, 2].min() > low + NEAR * (root - low):
                continue
            lowest = cloud[cloud[:, 2] <= cloud[:, 2].min() + LEVEL * (root - low)].mean(axis=0)
            rotation, origin = frames[group]
            found.append((group, rotation.T @ (lowest - origin)))
        return found if root > low else []

    def bend(self, rest: Mapping[str, float]) -> dict[str, float] | None:
        """Joint positions by part 2 of the rule; ``None`` where there are no legs."""
        from scipy.optimize import least_squares

        legs = self.legs(rest)
        chains = [self.chain(group) for group, _ in legs]
        joints = list(dict.fromkeys(joint.name for chain in chains for joint in chain))
        if len(legs) < 2 or not joints:
            return None
        known = {joint.name: joint for joint in self.order}
        low, high = (np.array([getattr(known[name], end) for name in joints]) for end in ("lower", "upper"))
        span = np.where(np.isfinite(high - low), high - low, 2.0 * np.pi)
        low, high = low + FROM_LIMITS * span, high - FROM_LIMITS * span
        middle = np.clip(0.0, low, high)
        _, centre = self.placed(rest)
        size = max(float(np.abs(centre).max()), 0.1, *(float(np.linalg.norm(point)) for _, point in legs))
        below = {name: self.below(known[name].child) for name in joints}

        def asked(q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            """What should be 0, and its derivatives by joint positions."""
            pose = {**rest, **dict(zip(joints, q.tolist(), strict=True))}
            frames = body_frames(self.model, pose)
            feet = np.array([frames[group][1] + frames[group][0] @ point for group, point in legs])
            mass, centre = self.centre(frames, self.masses)
            moves, shifts = np.zeros((len(legs), 3, len(q))), np.zeros((3, len(q)))
            for n, name in enumerate(joints):
                joint = known[name]
                rotation, origin = frames[joint.child]
                axis = rotation @ (matrix(joint.child_orientation) @ np.asarray(joint.axis, float))
                anchor = origin + rotation @ np.asarray(joint.child_position, float)
                part, where = self.centre(frames, below[name])
                points = np.array([*feet, where])
                speeds = (
                    np.cross(axis, points - anchor) if joint.type != "prismatic" else np.tile(axis, (len(points), 1))
                )
                shifts[:, n] = part / mass * speeds[-1]
                for leg, (group, _) in enumerate(legs):
                    if group in below[name]:
                        moves[leg, :, n] = speeds[leg]
            middle_of_feet, its_moves = feet.mean(axis=0), moves.mean(axis=0)
            values = [100.0 / size * (feet[:, 2] - middle_of_feet[2]), 100.0 / size * (centre - middle_of_feet)[:2]]
            slopes = [100.0 / size * (moves[:, 2] - its_moves[2]), 100.0 / size * (shifts - its_moves)[:2]]
            return np.concatenate([*values, (q - middle) / span]), np.concatenate([*slopes, np.diag(1.0 / span)])

        bounds = (np.minimum(low, middle - 1e-6), np.maximum(high, middle + 1e-6))
        slopes: Any = lambda q: asked(q)[1]  # noqa: E731
        solved = least_squares(
            lambda q: asked(q)[0], middle, slopes, bounds=bounds, max_nfev=STEPS, xtol=1e-5, ftol=1e-6
        )
        return {**rest, **dict(zip(joints, solved.x.tolist(), strict=True))}

    def below(self, link: str) -> dict[str, tuple[float, np.ndarray]]:
        """Masses of a link and all that it carries."""
        names = [link]
        for name in names:  # which grows
            names += [joint.child for joint in self.outgoing[name]]
        return {name: self.masses[name] for name in names}

    def centre(
        self, frames: Mapping[str, tuple[np.ndarray, np.ndarray]], masses: Mapping[str, tuple[float, np.ndarray]]
    ) -> tuple[float, np.ndarray]:
        """Mass of some links and where its centre is."""
        mass = sum(m for m, _ in masses.values())
        parts = [m * (frames[name][1] + frames[name][0] @ com) for name, (m, com) in masses.items()]
        return mass, np.sum(parts, axis=0) / mass if mass > 0.0 else np.zeros(3)

    def chain(self, group: str) -> list[Joint]:
        """Joints from the root to a group that a drive can move by one number."""
        found = []
        while group in self.carrier:
            joint = self.carrier[group]
            if joint.type in ONE_DOF and joint.mimic is None:
                found.append(joint)
            group = joint.parent
        return found[::-1]


def _above(centre: np.ndarray, points: np.ndarray) -> bool:
    """Whether a point (2,) is well inside the convex hull of others (n, 2): see ``MARGIN``."""
    from scipy.optimize import linprog
    from scipy.spatial import ConvexHull, QhullError

    try:
        hull = ConvexHull(points)
    except (QhullError, ValueError):  # fewer than three points, or all on a line
        return False
    normals, offsets = hull.equations[:, :2], hull.equations[:, 2]
    inner = -float((normals @ centre + offsets).max())
    # the innermost point has the greatest distance to the nearest edge: max r with n.x + r <= -offset
    sides = np.column_stack([normals, np.ones(len(normals))])
    most = linprog([0.0, 0.0, -1.0], A_ub=sides, b_ub=-offsets, bounds=[(None, None)] * 3)
    return inner >= MARGIN * float(most.x[2]) > 0.0


def _points(shape: Shape) -> tuple[np.ndarray, float]:
    """Points (n, 3) of a shape that may be lowest, in the body's frame, and how far the surface is from them."""
    kind, radius = shape.kind, 0.0
    if kind in PRIMITIVES:
        local, radius = PRIMITIVES[kind].outline(shape.size)
    elif kind == "mesh" and shape.vertices is not None:
        local = np.asarray(shape.vertices, float)
    elif kind == "height_field" and shape.heights is not None:
        local = grid_triangles(shape.heights, shape.size)[0]
    else:
        local = np.zeros((1, 3))
    return np.asarray(shape.position, float) + local @ matrix(shape.orientation).T, radius
