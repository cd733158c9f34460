"""The part of a world that says which joints connect its bodies across trees."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from phalanx.world import checking
from phalanx.world.handles.actor import Actor
from phalanx.world.handles.loop_joint import (
    JOINT_KINDS,
    JointEnd,
    JointPlan,
    LoopJoint,
    frame_distance,
    initial_pose,
    same_frame,
)
from phalanx.world.layout.angle_limits import AngleLimits
from phalanx.world.running import Running

BodyName = Actor | str | tuple[Actor | str, str]
"""A body: an actor for its root, ``"actor"``, ``"actor/body"``, or a pair of both."""

ZERO = (0.0, 0.0, 0.0)
UNIT = (1.0, 0.0, 0.0, 0.0)


class Jointed(Running):
    """Adds loop joints to what a world can hold."""

    actors: dict[str, Actor]
    joints: dict[str, LoopJoint]

    def add_joint(
        self,
        kind: str,
        body_a: BodyName,
        body_b: BodyName | None = None,
        *,
        name: str | None = None,
        position_a: Sequence[float] = ZERO,
        orientation_a: Sequence[float] = UNIT,
        position_b: Sequence[float] | None = None,
        orientation_b: Sequence[float] | None = None,
        axis: Sequence[float] = (1.0, 0.0, 0.0),
        min_distance: float | None = None,
        max_distance: float | str | None = None,
        break_force: float | None = None,
        break_torque: float | None = None,
        collide: bool = False,
        lower: float | None = None,
        upper: float | None = None,
        swing_limit: float | Sequence[float | None] | None = None,
        limit_restitution: float = 0.0,
        limit_stiffness: float = 0.0,
        limit_damping: float = 0.0,
    ) -> LoopJoint:
        """Connect two bodies, of any robots and rigid objects, or a body and the world, in every environment.

        A frame A is fixed to body a, a frame B to body b. The joint holds A to B: completely (``"fixed"``), but for
        turns about their common axis (``"revolute"``) or about their common origin (``"spherical"``), or keeps their
        origins no nearer than ``min_distance`` and no farther than ``max_distance`` (``"distance"``).

        Args:
            kind: one of those.
            body_a, body_b: an actor (its root), ``"actor/body"``, or (actor, body); ``None`` for b: the world.
            name: unique among :attr:`joints`; made up from the kind by default.
            position_a, orientation_a: A in body a's frame (w x y z, normalised for you).
            position_b, orientation_b: B in body b's frame, or in the environment's. By default where A is while all
                actors are in their default states; of a distance joint, the origin of body b.
            axis: of a revolute joint, in both frames; of a spherical one, that of twists.
            min_distance, max_distance: of a distance joint, m; with neither, the distance in the default state, and
                with one, no bound on the other side.
            break_force, break_torque: it breaks when it transmits more in a substep, N and N·m.
            collide: whether the two bodies collide with each other.
            lower, upper: least and greatest angle of A against B, rad; none by default. Of a revolute joint, about the
                axis, and turns count (:attr:`LoopJoint.angle`); of a spherical one, the twist, from -pi to pi.
            swing_limit: of a spherical joint, how far A's axis may swing away from B's, rad, at most pi: a cone, or
                with two numbers an ellipse, about y and about z (``None``: not limited, pi), the axes across the axis
                once x is turned to it the shortest way. The ellipse is one of tan(angle / 4).
            limit_restitution: share of its speed, up to 1, with which the joint leaves a limit.
            limit_stiffness, limit_damping: limits are springs beyond them, N·m/rad and N·m·s/rad; with neither, hard.

        Raises:
            TypeError: a limit is no number.
            ValueError: it connects a body to itself, or two that cannot move, or a value is out of its range.
        """
        self._not_built("add_joint")
        name = self._joint_name(kind, name)
        who = f"joint {name!r}"
        if kind not in JOINT_KINDS:
            raise ValueError(f"{who}: kind={kind!r}: must be one of {', '.join(JOINT_KINDS)}")
        a, b = self._end(who, body_a), self._end(who, body_b)
        if a.actor is None:
            raise ValueError(f"{who}: body_a must be a body; pass the world as body_b=None")
        link_a, link_b = ((x.actor, x.actor and x.actor.part.articulation.frames[x.body].link) for x in (a, b))
        if link_a == link_b:
            raise ValueError(f"{who}: {a.label} and {b.label} are one rigid body; nothing can move between them")
        pose = checking.pose(who, position_a, orientation_a)
        a = JointEnd(a.actor, a.body, pose[:3], pose[3:])
        there = same_frame(b, initial_pose(a))
        if position_b is None and kind == "distance" and b.actor is None:
            raise ValueError(f"{who}: position_b must say where in the world the other end is")
        origin = ZERO if kind == "distance" else there.position.tolist()
        facing = there.orientation.tolist() if orientation_b is None else orientation_b
        pose = checking.pose(who, origin if position_b is None else position_b, facing)
        b = JointEnd(b.actor, b.body, pose[:3], pose[3:])
        direction = checking.pose(f"{who}: axis", axis, UNIT)[:3]
        if not direction.any():
            raise ValueError(f"{who}: axis={tuple(axis)}: must not be zero")
        least, most = 0.0, math.inf
        if kind == "distance":
            least, most = self._distances(who, a, b, min_distance, max_distance)
        elif (min_distance is not None and min_distance != 0) or max_distance not in (None, "inf"):
            raise ValueError(f"{who} is {kind}: only distance joints have min_distance and max_distance")
        plan = JointPlan(
            name,
            kind,
            a,
            b,
            direction / np.linalg.norm(direction),
            least,
            most,
            math.inf if break_force is None else checking.number(f"{who}: break_force", break_force, above=0),
            math.inf if break_torque is None else checking.number(f"{who}: break_torque", break_torque, above=0),
            bool(collide),
            AngleLimits.checked(
                who, kind, lower, upper, swing_limit, limit_restitution, limit_stiffness, limit_damping
            ),
        )
        self.joints[name] = LoopJoint(self.engine, plan)
        return self.joints[name]

    def _distances(
        self, who: str, a: JointEnd, b: JointEnd, least: float | None, most: float | str | None
    ) -> tuple[float, float]:
        if least is None and most is None:
            found = frame_distance(a, b)
            if found <= 0:
                raise ValueError(f"{who}: its ends coincide; pass min_distance or max_distance")
            return found, found
        low = 0.0 if least is None else checking.number(f"{who}: min_distance", least)
        high = math.inf if most is None else checking.number(f"{who}: max_distance", most, above=0, infinite=True)
        if low > high:
            raise ValueError(f"{who}: min_distance={low} is above max_distance={high}")
        return low, high

    def _joint_name(self, kind: str, name: str | None) -> str:
        if name is None:
            number = sum(joint.kind == kind for joint in self.joints.values())
            name = f"{kind}_{number}"
        if not isinstance(name, str) or not name:
            raise ValueError(f"add_joint: name={name!r}: must be text, not empty")
        if name in self.joints:
            raise ValueError(f"add_joint: there is already a joint named {name!r}; pass another name=")
        return name

    def _end(self, who: str, given: BodyName | None) -> JointEnd:
        """The frame of a body, of the world for ``None``."""
        zero, unit = np.zeros(3), np.array(UNIT)
        if given is None:
            return JointEnd(None, -1, zero, unit)
        first, body = given if isinstance(given, tuple) else (given, None)
        if isinstance(first, str) and body is None and first not in self.actors:
            first, _, body = first.partition("/")
        name = first if isinstance(first, str) else first.name
        actor = self.actors.get(name)
        if actor is None or (isinstance(first, Actor) and actor is not first):
            raise ValueError(f"{who}: there is no actor {name!r} in this world; there are {', '.join(self.actors)}")
        if body is not None and body not in actor.body_names:
            raise ValueError(f"{who}: {actor} has no body {body!r}; it has {', '.join(actor.body_names)}")
        return JointEnd(actor, 0 if body is None else actor.body_names.index(body), zero, unit)

    @property
    def _limited_joints(self) -> bool:
        """Whether angles of joints are limited."""
        return any(joint.plan.limits.rows(joint.kind) for joint in self.joints.values())

    def _apart(self) -> list[tuple[tuple[int, int], tuple[int, int]]]:
        """Pairs of links, (number of actor, number of link), that joints keep from colliding."""
        numbers = {name: n for n, name in enumerate(self.actors)}
        found = []
        for plan in (joint.plan for joint in self.joints.values()):
            ends = [
                (numbers[end.actor.name], end.actor.part.articulation.frames[end.body].link)
                for end in (plan.a, plan.b)
                if end.actor is not None
            ]
            if len(ends) == 2 and not plan.collide:
                found.append((ends[0], ends[1]))
        return found
