"""Joints that close loops: between any two bodies, or a body and the world, on top of the trees of robots."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from phalanx import components as c
from phalanx.components.link import PRISMATIC, REVOLUTE, SPHERICAL
from phalanx.components.loop import LOOP_ROWS
from phalanx.ecs import Store
from phalanx.maths.arrays import IDENTITY, between, from_rotation_vector, inverse, product, rotate
from phalanx.models.actor_spec import DYNAMIC
from phalanx.models.articulation import NUM_DOFS
from phalanx.world.engine.engine import Engine
from phalanx.world.handle import on_device
from phalanx.world.handles.actor import Actor
from phalanx.world.handles.declared import Owners, assign
from phalanx.world.handles.joint_angles import JointAngles
from phalanx.world.layout.angle_limits import AngleLimits, place_angle_limits
from phalanx.world.layout.columns import Columns

JOINT_KINDS = ("fixed", "revolute", "spherical", "distance")
"""In the order of the codes in :mod:`phalanx.components.loop`."""

Pose = tuple[np.ndarray, np.ndarray]
"""Position (3,) and quaternion (4,), w x y z."""


@dataclass(frozen=True)
class JointEnd:
    """A frame on a body; of the world where ``actor`` is ``None``."""

    actor: Actor | None
    body: int
    position: np.ndarray
    orientation: np.ndarray

    @property
    def on_link(self) -> Pose:
        """The frame in that of the body's link."""
        if self.actor is None:
            return self.position, self.orientation
        frame = self.actor.part.articulation.frames[self.body]
        return (
            frame.position + rotate(frame.orientation, self.position),
            product(frame.orientation, self.orientation),
        )

    @property
    def label(self) -> str | None:
        """``actor/body``, ``None`` for the world."""
        return None if self.actor is None else f"{self.actor.name}/{self.actor.body_names[self.body]}"


@dataclass(frozen=True)
class JointPlan:
    """A loop joint before the world is built."""

    name: str
    kind: str
    a: JointEnd
    b: JointEnd
    axis: np.ndarray
    min_distance: float = 0.0
    max_distance: float = math.inf
    break_force: float = math.inf
    break_torque: float = math.inf
    collide: bool = False
    limits: AngleLimits = field(default_factory=AngleLimits)

    def to_dict(self) -> dict[str, Any]:
        """Arguments of :meth:`phalanx.World.add_joint`, JSON-ready."""

        def finite(value: float) -> float | None:
            return None if math.isinf(value) else value

        return {
            "name": self.name,
            "kind": self.kind,
            "body_a": self.a.label,
            "body_b": self.b.label,
            "position_a": self.a.position.tolist(),
            "orientation_a": self.a.orientation.tolist(),
            "position_b": self.b.position.tolist(),
            "orientation_b": self.b.orientation.tolist(),
            "axis": self.axis.tolist(),
            "min_distance": self.min_distance,
            "max_distance": "inf" if math.isinf(self.max_distance) else self.max_distance,
            "break_force": finite(self.break_force),
            "break_torque": finite(self.break_torque),
            "collide": self.collide,
            **self.limits.to_dict(),
        }


class LoopJoint(JointAngles):
    """A joint in every environment; made by :meth:`phalanx.World.add_joint`.

    Arrays are environment-first, on the world's device, and yours.
    """

    KIND = "joint"

    def __init__(self, engine: Engine, plan: JointPlan) -> None:
        super().__init__(engine, plan.name)
        self.plan = plan
        self._row = 0
        self._limits: dict[int, int] = {}

    def __repr__(self) -> str:
        return f"<LoopJoint {self.name!r}: {self.kind}, {self.body_a} to {self.body_b or 'the world'}>"

    @property
    def kind(self) -> str:
        """``"fixed"``, ``"revolute"``, ``"spherical"`` or ``"distance"``."""
        return self.plan.kind

    @property
    def body_a(self) -> str:
        """Its first body, ``actor/body``."""
        return str(self.plan.a.label)

    @property
    def body_b(self) -> str | None:
        """Its second body, ``None``: the world."""
        return self.plan.b.label

    def bind(self, row: int, first: int) -> int:
        """Called by the world once its tables are filled, with its row and that of its first limit.

        Returns the row of the first limit of the next joint.
        """
        self._row = row
        self._limits = {kind: first + n for n, kind in enumerate(self.plan.limits.rows(self.kind))}
        return first + len(self._limits)

    @property
    def _rows(self) -> slice:
        return slice(self._row, self._row + 1)

    _of_it = Owners("", lambda joint: joint._rows)

    wrench = _of_it(c.LoopReaction.wrench, after=("query_joints",))
    """(n, 6): [force, torque] on body a over the last substep, about the origin of its frame; world, N and N·m.

    Of a distance joint, the force of a rod or rope in tension points from a to b. Body b gets the opposite.
    """

    _least_distance = _of_it(c.LoopFrame.nearest, what="least", negative=False)
    _most_distance = _of_it(c.LoopFrame.farthest, what="most", finite=False, negative=False)

    @property
    @on_device
    def pose_a(self) -> Any:
        """(n, 7): [x y z qw qx qy qz] of the frame on body a, world."""
        return self._pose(self.plan.a)

    @property
    @on_device
    def pose_b(self) -> Any:
        """(n, 7): of the frame on body b, or in the world."""
        return self._pose(self.plan.b)

    def _pose(self, end: JointEnd) -> Any:
        xp = self._xp
        position, orientation = xp.asarray(end.position), xp.asarray(end.orientation)
        if end is self.plan.b and self.kind == "fixed":  # which may have been attached elsewhere
            return self._attached_pose()
        if end.actor is None:
            return xp.tile(xp.concatenate((position, orientation)), (self.engine.num_envs, 1))
        body = end.actor.body_pose[:, end.body].astype("float64")
        position = xp.broadcast_to(position, (len(body), 3))
        turned = product(body[:, 3:], orientation, xp)
        return xp.concatenate((body[:, :3] + rotate(body[:, 3:], position, xp), turned), axis=1)

    def _attached_pose(self) -> Any:
        """(n, 7) of frame B, as the world has it."""
        fields = (c.LoopFrame.position_b, c.LoopFrame.orientation_b)
        position, orientation = (self._read(field, self._rows)[:, 0].astype("float64") for field in fields)
        orientation = product(orientation, self._xp.asarray(inverse(self._axes)), self._xp)
        if self.plan.b.actor is not None:
            link = self._link_pose(self.plan.b)
            position = link[:, :3] + rotate(link[:, 3:], position, self._xp)
            orientation = product(link[:, 3:], orientation, self._xp)
        return self._xp.concatenate((position, orientation), axis=1)

    @property
    def _axes(self) -> np.ndarray:
        """(4,): frames as the world has them in those of users, w x y z; their x axis is the joint's."""
        return between((1.0, 0.0, 0.0), self.plan.axis)

    def _link_pose(self, end: JointEnd) -> Any:
        """(n, 7) of the link that carries an end's body."""
        xp, actor = self._xp, end.actor
        assert actor is not None
        frame = actor.part.articulation.frames[end.body]
        body = actor.body_pose[:, end.body].astype("float64")
        turned = product(body[:, 3:], xp.asarray(inverse(frame.orientation)), xp)
        there = xp.broadcast_to(xp.asarray(frame.position), (len(body), 3))
        return xp.concatenate((body[:, :3] - rotate(turned, there, xp), turned), axis=1)

    def _wake(self, env_ids: Any) -> None:
        for actor in (self.plan.a.actor, self.plan.b.actor):
            if actor is not None and actor.part.kind == DYNAMIC and actor.num_velocities:
                actor.wake_up(env_ids)

    def _orientations(self) -> tuple[Any, Any]:
        axes = self._xp.asarray(self._axes)
        a, b = (product(self._pose(end)[:, 3:], axes, self._xp) for end in (self.plan.a, self.plan.b))
        return a, b

    @property
    @on_device
    def broken(self) -> Any:
        """(n,) bool: it does nothing, since it was loaded above ``break_force`` or ``break_torque``, or told so."""
        return self._read(c.LoopState.broken, self._rows)[:, 0] != 0

    @on_device
    def set_broken(self, broken: Any = True, env_ids: Any = None) -> None:
        """Take the joint apart, (n,) booleans, or put it together again; a reset does that, too.

        What is apart then is pulled together no faster than ``max_depenetration_velocity``.
        """
        values, envs = self._input("broken", broken, (), env_ids)
        self._write(c.LoopState.broken, self._rows, (values != 0)[:, None], envs)
        self.engine.touch_state()

    @on_device
    def attach(self, env_ids: Any = None) -> None:
        """Hold the bodies as they are now against each other: frame B moves to where A is, and nothing is broken.

        Environments may differ; from then on the world keeps a frame for each, and kernels are compiled once more. A
        reset puts the joint together where it was attached last.

        Raises:
            ValueError: it is no fixed joint.
        """
        if self.kind != "fixed":
            raise ValueError(f"{self} is {self.kind}: attach() is for fixed joints")
        xp, b = self._xp, self.plan.b
        envs = None if env_ids is None else self.engine.env_indices(env_ids)
        pose = self._pose(self.plan.a)
        position, orientation = pose[:, :3], product(pose[:, 3:], xp.asarray(self._axes), xp)
        if b.actor is not None:
            link = self._link_pose(b)
            back = inverse(link[:, 3:], xp)
            position, orientation = rotate(back, position - link[:, :3], xp), product(back, orientation, xp)
        for frame, value in ((c.LoopFrame.position_b, position), (c.LoopFrame.orientation_b, orientation)):
            chosen = value if envs is None else value[xp.asarray(envs)]
            self._write(frame, self._rows, chosen[:, None], envs)
        self.set_broken(False, env_ids)

    def set_distance(self, least: Any = None, most: Any = None, env_ids: Any = None) -> None:
        """Set the bounds of a distance joint, (n,) each, m; the one that is not given stays.

        Environments may differ; from then on the world keeps a value for each, and kernels are compiled once more.

        Raises:
            ValueError: it is no distance joint, or bounds have the wrong shape, are negative, or no numbers.
        """
        if self.kind != "distance":
            raise ValueError(f"{self} is {self.kind}: set_distance() is for distance joints")
        assign(self, {"_least_distance": least, "_most_distance": most}, env_ids)


def initial_pose(end: JointEnd) -> Pose:
    """Where a frame is when its actor is in its default state, world."""
    if end.actor is None:
        return end.position, end.orientation
    actor = end.actor
    root = actor.default_root_pose
    joint_pos = np.asarray(getattr(actor, "default_joint_pos", np.zeros(0)), float)
    poses: list[Pose] = []
    dof = 0
    for link in actor.part.articulation.links:
        if link.parent < 0:
            poses.append((root[:3], root[3:]))
            continue
        count = NUM_DOFS[link.joint_type]
        value, dof = joint_pos[dof : dof + count], dof + count
        position, orientation = poses[link.parent]
        position = position + rotate(orientation, link.position)
        orientation = product(orientation, link.orientation)
        if link.joint_type == PRISMATIC:
            position = position + rotate(orientation, value[0] * link.axis)
        elif link.joint_type == REVOLUTE:
            orientation = product(orientation, from_rotation_vector(value[0] * link.axis))
        elif link.joint_type == SPHERICAL:
            orientation = product(orientation, from_rotation_vector(value))
        else:
            position = position + rotate(orientation, value[:3])
            orientation = product(orientation, from_rotation_vector(value[3:]))
        poses.append((position, orientation))
    position, orientation = poses[actor.part.articulation.frames[end.body].link]
    at, facing = end.on_link
    return position + rotate(orientation, at), product(orientation, facing)


def relative(pose: Pose, to: Pose) -> Pose:
    """A pose in the frame of another."""
    back = inverse(to[1])
    return rotate(back, pose[0] - to[0]), product(back, pose[1])


def place_loops(store: Store, plans: list[JointPlan], actors: list[Actor]) -> None:
    """Fill the tables of loop joints, once those of their bodies are."""
    numbers = {id(actor): n for n, actor in enumerate(actors)}
    host = store.device.to_host
    last_dof = host(store.view(c.LinkTopology.last_dof))[:, 0]
    first, end = (host(store.view(f))[:, 0] for f in (c.DofTopology.tree_first, c.DofTopology.tree_end))
    columns = Columns()
    joined: list[set[tuple[int, int]]] = []
    entries = cells = 0
    for plan in plans:
        links, bodies, dofs, frames = [], [], [], []
        for side in (plan.a, plan.b):
            rows = None if side.actor is None else actors[numbers[id(side.actor)]]._bound
            frame = None if side.actor is None else side.actor.part.articulation.frames[side.body]
            links.append(-1 if rows is None or frame is None else rows.links.start + frame.link)
            bodies.append(-1 if rows is None else rows.bodies.start + side.body)
            dofs.append(int(last_dof[links[-1]]) if links[-1] >= 0 else -1)
            position, orientation = side.on_link
            frames.append((position, product(orientation, between((1.0, 0.0, 0.0), plan.axis))))
        trees = {(int(first[d]), int(end[d])) for d in dofs if d >= 0}
        if not trees:
            raise ValueError(
                f"joint {plan.name!r} connects what cannot move: {plan.a.label}, {plan.b.label or 'world'}"
            )
        kind = JOINT_KINDS.index(plan.kind)
        line = columns.count(c.LoopLineTopology.loop)
        # a row has cells from the first joint on that shares a tree with it
        coupled = [n for n, others in enumerate(joined) if others & trees]
        begin = int(columns.rows(c.LoopTopology.line)[coupled[0]]) if coupled else line
        columns.add(
            {
                c.LoopTopology.kind: kind,
                c.LoopTopology.count: LOOP_ROWS[kind],
                c.LoopTopology.link_a: links[0],
                c.LoopTopology.link_b: links[1],
                c.LoopTopology.body_a: bodies[0],
                c.LoopTopology.body_b: bodies[1],
                c.LoopTopology.dof_a: dofs[0],
                c.LoopTopology.dof_b: dofs[1],
                c.LoopTopology.entry: entries,
                c.LoopTopology.line: line,
                c.LoopFrame.position_a: frames[0][0],
                c.LoopFrame.orientation_a: frames[0][1],
                c.LoopFrame.position_b: frames[1][0],
                c.LoopFrame.orientation_b: frames[1][1],
                c.LoopFrame.nearest: plan.min_distance,
                c.LoopFrame.farthest: plan.max_distance,
                c.LoopFrame.break_force: plan.break_force,
                c.LoopFrame.break_torque: plan.break_torque,
            }
        )
        entries += sum(high - low for low, high in trees)
        for slot in range(LOOP_ROWS[kind]):
            columns.add(
                {
                    c.LoopLineTopology.loop: len(joined),
                    c.LoopLineTopology.slot: slot,
                    c.LoopLineTopology.first: begin,
                    c.LoopLineTopology.cell: cells,
                }
            )
            cells += line + slot + 1 - begin
        joined.append(trees)
    store.set_rows(c.Loop, len(plans))
    store.set_rows(c.LoopEntry, entries)
    store.set_rows(c.LoopLine, columns.count(c.LoopLineTopology.loop))
    store.set_rows(c.LoopCell, cells)
    columns.write(store)
    if any(plan.limits.rows(plan.kind) for plan in plans):
        place_angle_limits(store, [plan.kind for plan in plans], [plan.limits for plan in plans])


def frame_distance(a: JointEnd, b: JointEnd) -> float:
    """Distance of two frames' origins in the actors' default states."""
    return float(np.linalg.norm(initial_pose(a)[0] - initial_pose(b)[0]))


def same_frame(end: JointEnd, pose: Pose) -> JointEnd:
    """The frame on the body of ``end`` that is where ``pose`` is, in the actors' default states."""
    own = JointEnd(end.actor, end.body, np.zeros(3), IDENTITY)
    position, orientation = relative(pose, initial_pose(own))
    return JointEnd(end.actor, end.body, position, orientation)
