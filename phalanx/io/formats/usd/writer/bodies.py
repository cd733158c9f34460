"""Bodies as prims: rigid bodies with masses."""

from __future__ import annotations

from typing import Any

import numpy as np

from phalanx.io.formats.usd.bindings import Prim, UsdGeom, UsdPhysics
from phalanx.io.formats.usd.writer.writing import Writing, place, point, quaternion
from phalanx.maths.arrays import from_matrix
from phalanx.models.robot_model import Body, RobotModel

NOTHING = 1e-9
"""kg: of bodies without mass, for which UsdPhysics has no number: 0 stands for what follows from the shapes."""

SMALL = 1e-12
"""m^2: moments of inertia per mass of bodies that have mass and no moments, for the same reason."""

DEGREES = 180.0 / np.pi


def write_body(
    writing: Writing, path: str, body: Body, frame: tuple[np.ndarray, np.ndarray], density: float | None
) -> Prim:
    """A rigid body without its shapes.

    Args:
        path: of its prim.
        frame: rotation (3, 3) and origin (3,), m, in the frame of the robot's prim.
        density: kg/m^3 of shapes of bodies without mass, 0 for that of UsdPhysics; ``None``: they have none.
    """
    prim = UsdGeom.Xform.Define(writing.stage, path).GetPrim()
    place(prim, frame[1], from_matrix(frame[0]))
    UsdPhysics.RigidBodyAPI.Apply(prim)
    api = UsdPhysics.MassAPI.Apply(prim)
    from_shapes = density is not None and bool(body.collisions)
    if from_shapes and not body.mass > 0.0:
        if density:
            api.CreateDensityAttr(float(density))
    else:
        api.CreateMassAttr(body.mass if body.mass > 0.0 else NOTHING)
        api.CreateCenterOfMassAttr(point(body.com))
        if np.any(body.inertia) or not from_shapes:
            moments, axes = principal(body)
            api.CreateDiagonalInertiaAttr(point(moments))
            api.CreatePrincipalAxesAttr(quaternion(axes))
    if body.gravity_scale == 0.0:
        writing.physx(prim, "PhysxRigidBodyAPI", "", {"disableGravity": True})
    elif body.gravity_scale != 1.0:
        writing.note(f'body "{body.name}": USD switches gravity on or off; its share of {body.gravity_scale:g} is 1.')
    return prim


def principal(body: Body) -> tuple[np.ndarray, np.ndarray]:
    """Principal moments (3,), kg·m^2, and the quaternion of their axes; never all 0, which would stand for none."""
    inertia = np.asarray(body.inertia, float)
    if not inertia.any():
        return np.full(3, max(body.mass, NOTHING) * SMALL), np.array([1.0, 0.0, 0.0, 0.0])
    if not (inertia - np.diag(np.diag(inertia))).any():
        return np.diag(inertia), np.array([1.0, 0.0, 0.0, 0.0])
    moments, axes = np.linalg.eigh(inertia)
    return moments, from_matrix(axes * np.sign(np.linalg.det(axes)))


def write_options(writing: Writing, model: RobotModel, bodies: list[Prim], marker: Prim, alike: bool) -> None:
    """Damping, caps on velocity, sleep, iterations; where the model does not say they are the engine's if ``alike``.

    Args:
        marker: the articulation root.
    """
    options = dict(model.options)
    if alike:
        options = {"angular_damping": 0.0, "max_angular_velocity": np.inf, **options}
    given: dict[str, Any] = {
        "linearDamping": options.get("linear_damping"),
        "angularDamping": options.get("angular_damping"),
        "maxLinearVelocity": options.get("max_linear_velocity"),
        "maxDepenetrationVelocity": options.get("max_depenetration_velocity"),
    }
    if "max_angular_velocity" in options:
        given["maxAngularVelocity"] = options["max_angular_velocity"] * DEGREES
    if not options.get("gyroscopic_forces", True):
        given["enableGyroscopicForces"] = False
    if options.get("disable_gravity", False):
        given["disableGravity"] = True
    values = {name: float(v) if not isinstance(v, bool) and v is not None else v for name, v in given.items()}
    for prim in bodies:
        writing.physx(prim, "PhysxRigidBodyAPI", "", values)
    solver: dict[str, Any] = {"enabledSelfCollisions": bool(model.self_collision)}
    for ours, theirs in (("sleep_threshold", "sleepThreshold"), ("stabilization_threshold", "stabilizationThreshold")):
        solver[theirs] = float(options[ours]) if options.get(ours) is not None else None
    for ours, theirs in (
        ("position_iterations", "solverPositionIterationCount"),
        ("velocity_iterations", "solverVelocityIterationCount"),
    ):
        solver[theirs] = int(options[ours]) if options.get(ours) is not None else None
    writing.physx(marker, "PhysxArticulationAPI", "", solver)
    for name in sorted(options.keys() & {"collision_group", "collision_mask", "contact_offset", "rest_offset"}):
        writing.note(f'the option "{name}" of the whole robot is not written; give it where the robot is added.')
