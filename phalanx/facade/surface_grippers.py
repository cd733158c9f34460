"""Surface grippers, such as suction cups: what stages say of them, and what they hold from step to step.

A gripper is a prim of type ``IsaacSurfaceGripper``, whose attachment points are joints on one of its bodies, where it
looks along an axis for something to hold. In the world each point has a fixed joint to each thing that could be held,
all of them broken but those that hold; each has its six rows in the solver, broken or not. What is decided between
steps is decided on the host: on a GPU, a step waits for the device while a gripper is closed or closes, and only then.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field

import numpy as np

from phalanx.io.formats.usd.bindings import Gf, Prim, Stage, Usd, UsdGeom, UsdPhysics
from phalanx.maths.arrays import rotate
from phalanx.models.actor_spec import DYNAMIC
from phalanx.world.handles.loop_joint import LoopJoint
from phalanx.world.world import World

TYPE = "IsaacSurfaceGripper"

OPEN, CLOSING, CLOSED = -1, 0, 1

PROPERTIES = {
    "max_grip_distance": ("isaac:maxGripDistance", 0.01),
    "coaxial_force_limit": ("isaac:coaxialForceLimit", 0.0),
    "shear_force_limit": ("isaac:shearForceLimit", 0.0),
    "retry_interval": ("isaac:retryInterval", 0.0),
}
"""Attributes of prims, and what holds where these do not say: m, N, N, s. No force is too much where a limit is 0."""

Place = Callable[[str], tuple[str, str] | None]
"""From the path of a prim to the actor and body that it is or is part of; ``None`` if nothing was read of it."""


@dataclass
class Point:
    """An attachment point: a frame on a body, in which it looks along an axis.

    ``clearance`` is how far from the frame's origin it begins to look, m. ``joints`` are those to what can be held.
    """

    actor: str
    body: str
    position: tuple[float, float, float]
    orientation: tuple[float, float, float, float]
    axis: tuple[float, float, float]
    clearance: float
    joints: dict[str, LoopJoint] = field(default_factory=dict)


class SurfaceGripper:
    """A gripper in all environments.

    Args:
        world: not built yet; joints are added to it.
        path: of its prim, for messages and names.
        points: where it holds; at least one.
        properties: of all environments, by name; see :data:`PROPERTIES`.

    Attributes:
        state: (num_envs,) :data:`OPEN`, :data:`CLOSING` or :data:`CLOSED`.
        properties: (num_envs,) each.
    """

    def __init__(self, world: World, path: str, points: list[Point], properties: dict[str, float]) -> None:
        self._world, self.path, self._points = world, path, points
        n, own = world.num_envs, {point.actor for point in points}
        self.names = [one.name for one in world.objects.values() if one.kind == DYNAMIC and one.name not in own]
        self.state = np.full(n, OPEN)
        self.properties = {name: np.full(n, value) for name, value in properties.items()}
        self._held = np.full((n, len(points)), -1)  # which of the names
        self._waited = np.zeros(n)
        for number, point in enumerate(points):
            for name in self.names:
                point.joints[name] = world.add_joint(
                    "fixed", (point.actor, point.body), name, name=f"{path} {number} {name}",
                    position_a=point.position, orientation_a=point.orientation, collide=True,
                )  # fmt: skip
        world.before_step(lambda _: self._look())
        world.on_step(lambda _: self._bear())

    def act(self, values: np.ndarray, envs: np.ndarray) -> None:
        """Tell some of them what to do: above 0.3 to close, below -0.3 to open, else nothing."""
        self.reset(envs[values < -0.3])
        closing = envs[(values > 0.3) & (self.state[envs] == OPEN)]
        self.state[closing], self._waited[closing] = CLOSING, 0.0

    def reset(self, envs: np.ndarray) -> None:
        """Let some of them let go of all that they hold; what a reset of the world has put together comes apart."""
        self.state[envs], self._held[envs] = OPEN, -1
        if len(envs):
            for joint in self._joints():
                joint.set_broken(True, envs)

    def go_on(self, before: SurfaceGripper) -> None:
        """Be in the state of the same gripper of a world that this one follows; its joints are already."""
        numbers = np.array([self.names.index(name) if name in self.names else -1 for name in before.names] + [-1])
        self.state[:], self._waited[:], self._held[:] = before.state, before._waited, numbers[before._held]
        for name, values in before.properties.items():
            self.properties[name][:] = values

    def held(self, env: int) -> list[str]:
        """Names of what one of them holds."""
        return [self.names[n] for n in self._held[env] if n >= 0]

    # -- inside ----------------------------------------------------------------------------------------------

    def _joints(self) -> Iterator[LoopJoint]:
        for point in self._points:
            yield from point.joints.values()

    def _frames(self, point: Point) -> tuple[np.ndarray, np.ndarray]:
        """(num_envs, 3) each: where a point is, and where it looks, world."""
        pose = self._world.engine.device.to_host(next(iter(point.joints.values())).pose_a)
        return pose[:, :3], rotate(pose[:, 3:], np.broadcast_to(point.axis, (len(pose), 3)))

    def _look(self) -> None:
        """Let those that close hold what is near."""
        world = self._world
        envs = np.flatnonzero(self.state == CLOSING)
        if not len(envs) or not self.names:
            return
        host, actors = world.engine.device.to_host, world.queries.actor_names
        for number, point in enumerate(self._points):
            position, axis = self._frames(point)
            starts = (position + point.clearance * axis)[envs, None]
            reach = self.properties["max_grip_distance"][envs, None]
            hits = world.queries.raycast(starts, axis[envs, None], reach, env_ids=envs, ignore=point.actor)
            found = [actors[n] if n >= 0 else "" for n in host(hits.actor)[:, 0]]
            for name in set(found) & set(self.names):
                mine = envs[[one == name for one in found]]
                point.joints[name].attach(mine)
                self.state[mine], self._held[mine, number] = CLOSED, self.names.index(name)

    def _bear(self) -> None:
        """Let go of what pulls too hard, and give up looking after a while."""
        world, held = self._world, self._held
        for number, point in enumerate(self._points):
            names = np.unique(held[:, number][held[:, number] >= 0])
            if not len(names):
                continue
            _, axis = self._frames(point)
            for n in names:
                force = world.engine.device.to_host(point.joints[self.names[n]].wrench)[:, :3]
                pull = (force * axis).sum(axis=1)
                shear = np.linalg.norm(force - pull[:, None] * axis, axis=1)
                over = np.zeros(len(pull), bool)
                for load, limit in ((pull, "coaxial_force_limit"), (shear, "shear_force_limit")):
                    over |= (self.properties[limit] > 0.0) & (load > self.properties[limit])
                if len(lost := np.flatnonzero(over & (held[:, number] == n))):
                    point.joints[self.names[n]].set_broken(True, lost)
                    held[lost, number] = -1
        self.state[(self.state == CLOSED) & (held < 0).all(axis=1)] = OPEN
        closing = self.state == CLOSING
        self._waited[closing] += world.dt
        self.state[closing & (self._waited >= self.properties["retry_interval"] - 1e-9)] = OPEN


def add(world: World, stage: Stage, place: Place, skip: Collection[str]) -> dict[str, SurfaceGripper]:
    """The grippers of a stage, by path, added to a world that is not built yet.

    Args:
        place: where bodies of prims are.
        skip: prims that are not looked at, nor what is below them.

    Raises:
        ValueError: a gripper has no attachment points, or one of them is on no body.
    """
    found = {}
    walk = iter(Usd.PrimRange(stage.GetPseudoRoot(), Usd.TraverseInstanceProxies(Usd.PrimDefaultPredicate)))
    for prim in walk:
        path = str(prim.GetPath())
        if path in skip:
            walk.PruneChildren()
        elif prim.GetTypeName() == TYPE:
            values = {name: _number(prim, key, default) for name, (key, default) in PROPERTIES.items()}
            found[path] = SurfaceGripper(world, path, _points(stage, prim, place), values)
    return found


def _points(stage: Stage, prim: Prim, place: Place) -> list[Point]:
    who, relation = f"surface gripper <{prim.GetPath()}>", prim.GetRelationship("isaac:attachmentPoints")
    targets = relation.GetTargets() if relation else []
    if not targets:
        raise ValueError(f"{who} has no attachment points: let isaac:attachmentPoints name joints on its body")
    cache = UsdGeom.XformCache(Usd.TimeCode.EarliestTime())
    found = []
    for target in targets:
        joint = UsdPhysics.Joint(stage.GetPrimAtPath(target))
        bodies = joint.GetBody0Rel().GetTargets() if joint else []
        owner = place(str(bodies[0])) if bodies else None
        if owner is None:
            raise ValueError(f"{who}: <{target}> must be a joint whose physics:body0 is a rigid body that is simulated")
        scale = Gf.Transform(cache.GetLocalToWorldTransform(stage.GetPrimAtPath(bodies[0]))).GetScale()
        local = joint.GetLocalPos0Attr().Get() or (0.0, 0.0, 0.0)
        turn = joint.GetLocalRot0Attr().Get() or Gf.Quatf(1.0)
        letter = str(joint.GetPrim().GetAttribute("isaac:forwardAxis").Get() or "X").upper()
        if letter not in ("X", "Y", "Z"):
            raise ValueError(f"{who}: isaac:forwardAxis of <{target}> is {letter!r}; it must be X, Y or Z")
        x, y, z = (float(part) * float(factor) for part, factor in zip(local, scale, strict=True))
        axis = np.eye(3)["XYZ".index(letter)]
        found.append(
            Point(
                *owner,
                (x, y, z),
                (turn.GetReal(), *turn.GetImaginary()),
                (axis[0], axis[1], axis[2]),
                _number(joint.GetPrim(), "isaac:clearanceOffset", 0.0),
            )
        )
    return found


def _number(prim: Prim, name: str, default: float) -> float:
    value = prim.GetAttribute(name).Get() if prim.HasAttribute(name) else None
    return default if value is None else float(value)
