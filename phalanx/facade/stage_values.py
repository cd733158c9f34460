"""Attributes that scripts write on the stage while it is simulated, which count from the next step on.

Those are places and velocities of rigid bodies, masses, drives of joints, and the physics scene. Materials, and whether
something collides or is kinematic, are for :mod:`phalanx.facade.stage_edits`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from phalanx.facade import stage_watch
from phalanx.facade.physx.articulation_view import ArticulationView
from phalanx.facade.physx.rigid_body_view import RigidBodyView
from phalanx.facade.stage_world import Place, StageWorld
from phalanx.io.formats.usd.bindings import Gf, Prim, Stage, Usd, UsdGeom, UsdPhysics
from phalanx.models.actor_spec import KINEMATIC, STATIC

BODY = ("physics:velocity", "physics:angularVelocity", "physics:mass")
SCENE = (
    "physics:gravityDirection",
    "physics:gravityMagnitude",
    "physxScene:timeStepsPerSecond",
    "physxScene:bounceThreshold",
)
MOVE = "xformOp:"
DRIVE = "drive:"

SAME = 1e-6
"""Relative difference of gains that is none: what is written per degree comes back rounded."""


class StageValues:
    """Sees which attributes are written from now on.

    Args:
        world: of the stage of the process.
    """

    def __init__(self, world: StageWorld) -> None:
        self._stage: Stage = world.stage
        self._written: set[str] = set()
        self._listener = stage_watch.get().valued.subscribe(self._see)

    def _see(self, paths: list[str]) -> None:
        for path in paths:
            prim, _, name = path.partition(".")
            if name.startswith((MOVE, DRIVE)) or name in BODY or name in SCENE:
                self._written.add(f"{prim}.{MOVE}" if name.startswith(MOVE) else path)

    def __bool__(self) -> bool:
        """Whether something was written that may count."""
        return bool(self._written)

    def apply(self, world: StageWorld, scene: str) -> bool:
        """Let the world have it; whether attributes of the physics scene, a path, are among it, which are not read."""
        written, self._written = sorted(self._written), set()
        of_scene = False
        for path in written:
            name, _, attribute = path.partition(".")
            prim = self._stage.GetPrimAtPath(name)
            if not prim:
                continue
            if attribute in SCENE:
                of_scene |= name == scene
            elif attribute.startswith(DRIVE):
                _set_drive(world, prim, attribute)
            elif world.has_body(name):
                _set_body(world, prim, attribute)
        return of_scene


def _set_body(world: StageWorld, prim: Prim, attribute: str) -> None:
    """What a body's prim says of its place, velocity or mass. Links of robots are where their joints have them."""
    place = world.place(str(prim.GetPath()))
    actor = world.world.actors[place.actor]
    if actor.part.kind == STATIC:
        return
    view = RigidBodyView(world.world, [((place.actor, place.body), place.env or 0)], origins=world.origins)
    view.raw = True
    if attribute == "physics:mass":
        _set_mass(view, float(prim.GetAttribute(attribute).Get() or 0.0))
    elif place.actor in world.world.objects:
        if attribute != MOVE:
            _set_velocity(view, prim, attribute == "physics:velocity")
        elif actor.part.kind == KINEMATIC:
            view.set_kinematic_targets(_pose(prim))
        else:
            view.set_transforms(_pose(prim))


def _set_mass(view: RigidBodyView, mass: float) -> None:
    """Inertia goes with it. 0 stands for the mass by density, which the world began with."""
    before = _host(view.get_masses()).reshape(-1)[0]
    if mass > 0.0 and abs(mass - before) > SAME * mass:
        inertia = _host(view.get_inertias()).reshape(1, -1)
        view.set_masses(np.array([[mass]], "float32"))
        if before > 0.0:
            view.set_inertias((inertia * (mass / before)).astype("float32"))


def _set_velocity(view: RigidBodyView, prim: Prim, linear: bool) -> None:
    """In the space that the body is placed in; degrees and units of the stage."""
    value = np.array(UsdPhysics.RigidBodyAPI(prim).GetVelocityAttr().Get() or (0.0,) * 3, float)
    if not linear:
        value = np.radians(np.array(UsdPhysics.RigidBodyAPI(prim).GetAngularVelocityAttr().Get() or (0.0,) * 3, float))
    turn = np.array(_to_world(prim.GetParent()).GetOrthonormalized().ExtractRotationMatrix(), float).T
    found = _host(view.get_velocities()).reshape(1, 6).copy()
    unit = UsdGeom.GetStageMetersPerUnit(prim.GetStage()) if linear else 1.0
    found[0, slice(0, 3) if linear else slice(3, 6)] = turn @ value * unit
    view.set_velocities(found.astype("float32"))


def _to_world(prim: Prim) -> Any:
    return UsdGeom.XformCache(Usd.TimeCode.Default()).GetLocalToWorldTransform(prim)


def _pose(prim: Prim) -> np.ndarray:
    """(1, 7): place, m, and quaternion x y z w of a prim on the stage."""
    found = Gf.Transform(_to_world(prim))
    turn = found.GetRotation().GetQuat()
    at = np.array(found.GetTranslation(), float) * UsdGeom.GetStageMetersPerUnit(prim.GetStage())
    return np.array([[*at, *turn.GetImaginary(), turn.GetReal()]], "float32")


def _set_drive(world: StageWorld, prim: Prim, attribute: str) -> None:
    """An attribute of a drive, such as ``drive:angular:physics:targetPosition``; angles are degrees on the stage."""
    found = _dof(world, prim)
    value = prim.GetAttribute(attribute).Get()
    _, kind, _, name = (*attribute.split(":"), "", "", "")[:4]
    if found is None or value is None or name not in SETTERS:
        return
    (place, dof), angular = found, kind in ("angular", "rotX", "rotY", "rotZ")
    get, put, per_radian = SETTERS[name]
    scale = 1.0 if not angular or per_radian == 0 else np.radians(1.0) ** per_radian
    view = ArticulationView(world.world, [(place.actor, place.env or 0)], origins=world.origins)
    view.raw = True
    values = _host(getattr(view, get)()).copy()
    wanted = float(value) * scale
    if not np.isclose(values[0, dof], wanted, rtol=SAME, atol=0.0):
        values[0, dof] = wanted
        getattr(view, put)(values)


SETTERS = {
    "targetPosition": ("get_dof_position_targets", "set_dof_position_targets", 1),
    "targetVelocity": ("get_dof_velocity_targets", "set_dof_velocity_targets", 1),
    "stiffness": ("get_dof_stiffnesses", "set_dof_stiffnesses", -1),
    "damping": ("get_dof_dampings", "set_dof_dampings", -1),
    "maxForce": ("get_dof_max_forces", "set_dof_max_forces", 0),
}
"""Getters and setters of tensor views, and the power of an angle's unit in the value."""


def _dof(world: StageWorld, prim: Prim) -> tuple[Place, int] | None:
    """The robot of a joint and its dof; ``None`` if it is none of a robot's, or has several."""
    joint = UsdPhysics.Joint(prim)
    for relation in (joint.GetBody1Rel(), joint.GetBody0Rel()) if joint else ():
        for target in map(str, relation.GetTargets()):
            if world.has_body(target):
                place = world.place(target)
                robot = world.world.robots.get(place.actor)
                if robot is not None and prim.GetName() in robot.joint_names:
                    return place, robot.joint_names.index(prim.GetName())
    return None


def _host(values: Any) -> np.ndarray:
    return np.asarray(values.get() if hasattr(values, "get") else values)
