"""Shapes, bodies, meshes, grounds, materials and joints for a stage. Lengths are in the stage's units."""

from __future__ import annotations

from typing import Any

import numpy as np

from phalanx.facade.isaaclab.sim.utils.materials import bind_physics_material
from phalanx.facade.omni.physx.scripts.transforms import (
    copy_transform_as_scale_orient_translate,
    set_or_add_orient_op,
    set_or_add_scale_op,
    set_or_add_scale_orient_translate,
    set_or_add_translate_op,
    setup_transform_as_scale_orient_translate,
)
from phalanx.facade.pxr.PhysicsSchemaTools import addGroundPlane
from phalanx.io.formats.usd.bindings import Gf, Prim, Sdf, Stage, UsdGeom, UsdPhysics

Path = Any
"""Text, or an ``Sdf.Path``."""

_UNTURNED, _UNSCALED, _NOWHERE = (1.0, 0.0, 0.0, 0.0), (1.0, 1.0, 1.0), (0.0, 0.0, 0.0)
_WHITE = (1.0, 1.0, 1.0)


def add_ground_plane(stage: Stage, planePath: Path, axis: str, size: float, position: Any, color: Any) -> str:
    """A ground without an end; see ``pxr.PhysicsSchemaTools.addGroundPlane``. The path at which it is."""
    return addGroundPlane(stage, planePath, axis, size, position, color)


def add_quad_plane(stage: Stage, quadPath: Path, axis: str, size: float, position: Any, color: Any) -> str:
    """A square that collides, square to an axis, ``size`` being half its edge. The path at which it is."""
    from phalanx.facade.omni.usd import get_stage_next_free_path

    path = get_stage_next_free_path(stage, str(quadPath), False)
    mesh = create_mesh_square_axis(stage, path, axis, size)
    set_or_add_translate_op(mesh, position)
    mesh.CreateDisplayColorAttr([_vector(color)])
    UsdPhysics.CollisionAPI.Apply(mesh.GetPrim())
    return path


# -- bodies ----------------------------------------------------------------------------------------------------


def add_rigid_box(
    stage: Stage,
    path: Path,
    size: Any = (1.0, 1.0, 1.0),
    position: Any = _NOWHERE,
    orientation: Any = _UNTURNED,
    color: Any = _WHITE,
    density: float = 1.0,
    lin_velocity: Any = _NOWHERE,
    ang_velocity: Any = _NOWHERE,
) -> Prim:
    """A box that moves and collides; its prim.

    Args:
        stage: that gets it.
        path: of its prim.
        size: its edges, (3,).
        position: of its middle, (3,).
        orientation: a quaternion, ``Gf.Quatf`` or (w, x, y, z).
        color: red, green, blue, from 0 to 1.
        density: in the stage's units of mass and length.
        lin_velocity: at the start, per s, (3,).
        ang_velocity: at the start, degrees per s, (3,).
    """
    made = UsdGeom.Cube.Define(stage, Sdf.Path(str(path)))
    made.CreateSizeAttr(1.0)
    place = (size, orientation, position)
    return _moving(made, place, color, density, lin_velocity, ang_velocity)


def add_rigid_sphere(
    stage: Stage,
    path: Path,
    radius: float = 1.0,
    position: Any = _NOWHERE,
    orientation: Any = _UNTURNED,
    color: Any = _WHITE,
    density: float = 1.0,
    lin_velocity: Any = _NOWHERE,
    ang_velocity: Any = _NOWHERE,
) -> Prim:
    """A ball that moves and collides; its prim. See :func:`add_rigid_box`."""
    made = UsdGeom.Sphere.Define(stage, Sdf.Path(str(path)))
    made.CreateRadiusAttr(float(radius))
    return _moving(made, (_UNSCALED, orientation, position), color, density, lin_velocity, ang_velocity)


def add_rigid_capsule(
    stage: Stage,
    path: Path,
    radius: float = 1.0,
    height: float = 1.0,
    axis: str = "Y",
    position: Any = _NOWHERE,
    orientation: Any = _UNTURNED,
    color: Any = _WHITE,
    density: float = 1.0,
    lin_velocity: Any = _NOWHERE,
    ang_velocity: Any = _NOWHERE,
) -> Prim:
    """A capsule that moves and collides, ``height`` long between its caps; its prim. See :func:`add_rigid_box`."""
    made = _round(UsdGeom.Capsule, stage, path, radius, height, axis)
    return _moving(made, (_UNSCALED, orientation, position), color, density, lin_velocity, ang_velocity)


def add_rigid_cylinder(
    stage: Stage,
    path: Path,
    radius: float = 1.0,
    height: float = 1.0,
    axis: str = "Y",
    position: Any = _NOWHERE,
    orientation: Any = _UNTURNED,
    color: Any = _WHITE,
    density: float = 1.0,
    lin_velocity: Any = _NOWHERE,
    ang_velocity: Any = _NOWHERE,
) -> Prim:
    """A cylinder that moves and collides; its prim. See :func:`add_rigid_box`."""
    made = _round(UsdGeom.Cylinder, stage, path, radius, height, axis)
    return _moving(made, (_UNSCALED, orientation, position), color, density, lin_velocity, ang_velocity)


def add_rigid_cone(
    stage: Stage,
    path: Path,
    radius: float = 1.0,
    height: float = 1.0,
    axis: str = "Y",
    position: Any = _NOWHERE,
    orientation: Any = _UNTURNED,
    color: Any = _WHITE,
    density: float = 1.0,
    lin_velocity: Any = _NOWHERE,
    ang_velocity: Any = _NOWHERE,
) -> Prim:
    """A cone that moves and collides; its prim. See :func:`add_rigid_box`."""
    made = _round(UsdGeom.Cone, stage, path, radius, height, axis)
    return _moving(made, (_UNSCALED, orientation, position), color, density, lin_velocity, ang_velocity)


def _round(kind: Any, stage: Stage, path: Path, radius: float, height: float, axis: str) -> Any:
    made = kind.Define(stage, Sdf.Path(str(path)))
    made.CreateRadiusAttr(float(radius))
    made.CreateHeightAttr(float(height))
    made.CreateAxisAttr(str(axis).upper())
    return made


def _vector(values: Any) -> Any:
    return Gf.Vec3f(*(float(each) for each in values))


def _moving(made: Any, place: Any, color: Any, density: float, linear: Any, angular: Any) -> Prim:
    scale, turn, position = place
    if not hasattr(turn, "GetReal"):
        turn = Gf.Quatf(*(float(each) for each in turn))
    set_or_add_scale_orient_translate(made, scale, turn, position)
    made.CreateDisplayColorAttr([_vector(color)])
    UsdPhysics.CollisionAPI.Apply(made.GetPrim())
    body = UsdPhysics.RigidBodyAPI.Apply(made.GetPrim())
    body.CreateVelocityAttr(_vector(linear))
    body.CreateAngularVelocityAttr(_vector(angular))
    add_density(made.GetPrim().GetStage(), made.GetPrim().GetPath(), density)
    return made.GetPrim()


def add_density(stage: Stage, path: Path, value: float = 0.0) -> Any:
    """Give a body or a collider a density, in the stage's units; 0 leaves it to materials."""
    api = UsdPhysics.MassAPI.Apply(stage.GetPrimAtPath(Sdf.Path(str(path))))
    api.CreateDensityAttr(float(value))
    return api


def add_mass(stage: Stage, path: Path, mass: float) -> Any:
    """Give a body a mass, in the stage's units."""
    api = UsdPhysics.MassAPI.Apply(stage.GetPrimAtPath(Sdf.Path(str(path))))
    api.CreateMassAttr(float(mass))
    return api


def add_physics_material_to_prim(stage: Stage, prim: Prim, materialPath: Path) -> None:
    """Bind a material to a prim, for physics.

    Raises:
        ValueError: there is no material at the path, or the prim cannot have one: it neither collides nor is a scene, a
            deformable body or a particle system.
    """
    if not bind_physics_material(str(prim.GetPath()), str(materialPath), stage):
        raise ValueError(f"<{prim.GetPath()}> cannot have a physics material: apply UsdPhysics.CollisionAPI to it")


# -- meshes ----------------------------------------------------------------------------------------------------


def create_mesh(stage: Stage, path: Path, points: Any, normals: Any, indices: Any, vertexCounts: Any) -> Any:
    """A mesh of some faces, an ``UsdGeom.Mesh``.

    Args:
        stage: that gets it.
        path: of its prim.
        points: (n, 3).
        normals: one for each corner of each face, or none.
        indices: numbers of points, of all faces.
        vertexCounts: how many corners each face has.
    """
    mesh = UsdGeom.Mesh.Define(stage, Sdf.Path(str(path)))
    found = [_vector(each) for each in points]
    mesh.CreatePointsAttr(found)
    mesh.CreateFaceVertexCountsAttr([int(each) for each in vertexCounts])
    mesh.CreateFaceVertexIndicesAttr([int(each) for each in indices])
    if len(normals):
        mesh.CreateNormalsAttr([_vector(each) for each in normals])
        mesh.SetNormalsInterpolation(UsdGeom.Tokens.faceVarying)
    mesh.CreateExtentAttr(UsdGeom.PointBased.ComputeExtent(found))
    mesh.CreateSubdivisionSchemeAttr(UsdGeom.Tokens.none)
    return mesh


def create_mesh_cube(stage: Stage, path: Path, halfSize: float) -> Any:
    """A cube as a mesh of six squares, around its origin."""
    corners = np.array([[x, y, z] for z in (-1, 1) for y in (-1, 1) for x in (-1, 1)], float) * float(halfSize)
    faces = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
    normals = np.repeat([[0, 0, -1], [0, 0, 1], [0, -1, 0], [0, 1, 0], [-1, 0, 0], [1, 0, 0]], 4, axis=0)
    return create_mesh(stage, path, corners, normals, np.ravel(faces), [4] * 6)


def create_mesh_square_axis(stage: Stage, path: Path, axis: str, halfSize: float) -> Any:
    """A square as a mesh, square to an axis, around its origin.

    Raises:
        ValueError: there is no such axis.
    """
    number = "XYZ".find(str(axis).upper())
    if number < 0 or len(str(axis)) != 1:
        raise ValueError(f"axis={axis!r}; it must be 'X', 'Y' or 'Z'")
    corners = np.zeros((4, 3))
    corners[:, (number + 1) % 3] = np.array([-1, 1, 1, -1]) * float(halfSize)
    corners[:, (number + 2) % 3] = np.array([-1, -1, 1, 1]) * float(halfSize)
    return create_mesh(stage, path, corners, np.repeat(np.eye(3)[[number]], 4, axis=0), range(4), [4])


# -- joints ----------------------------------------------------------------------------------------------------


def add_joint_fixed(
    stage: Stage,
    jointPath: Path,
    actor0: Path,
    actor1: Path,
    localPos0: Any,
    localRot0: Any,
    localPos1: Any,
    localRot1: Any,
    breakForce: float = float("inf"),
    breakTorque: float = float("inf"),
) -> Any:
    """A joint that lets two bodies not move against each other, an ``UsdPhysics.FixedJoint``.

    Args:
        stage: that gets it.
        jointPath: of its prim.
        actor0: path of a body.
        actor1: path of the other.
        localPos0: where it is in the frame of the first, (3,).
        localRot0: how it is turned there, a ``Gf.Quatf``.
        localPos1: where it is in the frame of the second.
        localRot1: how it is turned there.
        breakForce: N beyond which it breaks.
        breakTorque: N m beyond which it breaks.
    """
    joint = UsdPhysics.FixedJoint.Define(stage, Sdf.Path(str(jointPath)))
    joint.CreateBody0Rel().SetTargets([Sdf.Path(str(actor0))])
    joint.CreateBody1Rel().SetTargets([Sdf.Path(str(actor1))])
    joint.CreateLocalPos0Attr(_vector(localPos0))
    joint.CreateLocalRot0Attr(localRot0)
    joint.CreateLocalPos1Attr(_vector(localPos1))
    joint.CreateLocalRot1Attr(localRot1)
    joint.CreateBreakForceAttr(float(breakForce))
    joint.CreateBreakTorqueAttr(float(breakTorque))
    return joint


__all__ = [
    "add_density",
    "add_ground_plane",
    "add_joint_fixed",
    "add_mass",
    "add_physics_material_to_prim",
    "add_quad_plane",
    "add_rigid_box",
    "add_rigid_capsule",
    "add_rigid_cone",
    "add_rigid_cylinder",
    "add_rigid_sphere",
    "copy_transform_as_scale_orient_translate",
    "create_mesh",
    "create_mesh_cube",
    "create_mesh_square_axis",
    "set_or_add_orient_op",
    "set_or_add_scale_op",
    "set_or_add_scale_orient_translate",
    "set_or_add_translate_op",
    "setup_transform_as_scale_orient_translate",
]
