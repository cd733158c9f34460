"""What lets prims of a stage be bodies and colliders, and what takes that back."""

from __future__ import annotations

from phalanx.facade.isaaclab.sim.schemas.authoring import applied_schemas
from phalanx.io.formats.usd.bindings import Prim, Sdf, Stage, Usd, UsdGeom, UsdPhysics

APPROXIMATIONS = {
    "none": "",
    "convexHull": "PhysxConvexHullCollisionAPI",
    "convexDecomposition": "PhysxConvexDecompositionCollisionAPI",
    "meshSimplification": "PhysxTriangleMeshSimplificationCollisionAPI",
    "sdf": "PhysxSDFMeshCollisionAPI",
    "boundingCube": "",
    "boundingSphere": "",
    "sphereFill": "PhysxSphereFillCollisionAPI",
}
"""What meshes may collide as, and the schema that has its settings."""


def hasSchema(prim: Prim, schemaName: str) -> bool:
    """Whether a schema is applied to a prim."""
    return schemaName in applied_schemas(prim)


def setCollider(prim: Prim, approximationShape: str = "none", execute_command_fn: object = None) -> None:
    """Let a shape collide, and a mesh as an approximation of itself.

    Args:
        prim: an ``UsdGeom.Gprim``, or an instance of one.
        approximationShape: of meshes; one of :data:`APPROXIMATIONS`.
        execute_command_fn: of no effect: nothing is kept to be undone.

    Raises:
        ValueError: there is no such approximation.
    """
    if approximationShape not in APPROXIMATIONS:
        raise ValueError(f"approximationShape={approximationShape!r}; it must be one of {', '.join(APPROXIMATIONS)}")
    UsdPhysics.CollisionAPI.Apply(prim)
    if prim.IsA(UsdGeom.Mesh) or prim.IsInstanceable():
        UsdPhysics.MeshCollisionAPI.Apply(prim).CreateApproximationAttr().Set(approximationShape)
        if APPROXIMATIONS[approximationShape]:
            prim.AddAppliedSchema(APPROXIMATIONS[approximationShape])


def removeCollider(prim: Prim) -> None:
    """Let a shape no longer collide."""
    for schema in (UsdPhysics.CollisionAPI, UsdPhysics.MeshCollisionAPI):
        prim.RemoveAPI(schema)
    for name in filter(None, APPROXIMATIONS.values()):
        prim.RemoveAppliedSchema(name)


def setColliderSubtree(prim: Prim, approximationShape: str = "none", execute_command_fn: object = None) -> None:
    """:func:`setCollider` for all shapes at and below a prim."""
    for each in Usd.PrimRange(prim):
        if each.IsA(UsdGeom.Gprim) or each.IsInstanceable():
            setCollider(each, approximationShape)


def removeColliderSubtree(prim: Prim) -> None:
    """:func:`removeCollider` for a prim and all below it."""
    for each in Usd.PrimRange(prim):
        removeCollider(each)


def setPhysics(prim: Prim, kinematic: bool, custom_execute_fn: object = None) -> None:
    """Let a prim be a body, which others move unless it is ``kinematic``."""
    body = UsdPhysics.RigidBodyAPI.Apply(prim)
    body.CreateRigidBodyEnabledAttr(True)
    body.CreateKinematicEnabledAttr(bool(kinematic))


def removePhysics(prim: Prim) -> None:
    """Let a prim be a body no longer."""
    prim.RemoveAPI(UsdPhysics.RigidBodyAPI)


def setRigidBody(prim: Prim, approximationShape: str, kinematic: bool, custom_execute_fn: object = None) -> None:
    """Let a prim be a body, and all shapes at and below it collide; see :func:`setCollider` and :func:`setPhysics`."""
    setPhysics(prim, kinematic)
    setColliderSubtree(prim, approximationShape)


def removeRigidBody(prim: Prim) -> None:
    """Take :func:`setRigidBody` back."""
    removePhysics(prim)
    removeColliderSubtree(prim)


def setStaticCollider(prim: Prim, approximationShape: str = "none", custom_execute_fn: object = None) -> None:
    """Let all shapes at and below a prim collide, without moving."""
    setColliderSubtree(prim, approximationShape)


def removeStaticCollider(prim: Prim) -> None:
    """Take :func:`setStaticCollider` back."""
    removeColliderSubtree(prim)


def addCollisionGroup(stage: Stage, path: object) -> Prim:
    """A group of colliders, an ``UsdPhysics.CollisionGroup``; its prim."""
    return UsdPhysics.CollisionGroup.Define(stage, Sdf.Path(str(path))).GetPrim()


def addPairFilter(stage: Stage, primPaths: list[object]) -> None:
    """Let prims not collide with each other."""
    paths = [Sdf.Path(str(path)) for path in primPaths]
    for number, path in enumerate(paths):
        relation = UsdPhysics.FilteredPairsAPI.Apply(stage.GetPrimAtPath(path)).CreateFilteredPairsRel()
        for other in paths[number + 1 :]:
            relation.AddTarget(other)


def removePairFilter(stage: Stage, primPaths: list[object]) -> None:
    """Take :func:`addPairFilter` back."""
    paths = [Sdf.Path(str(path)) for path in primPaths]
    for path in paths:
        relation = UsdPhysics.FilteredPairsAPI(stage.GetPrimAtPath(path)).GetFilteredPairsRel()
        for other in paths if relation else ():
            relation.RemoveTarget(other)


__all__ = [
    "addCollisionGroup",
    "addPairFilter",
    "hasSchema",
    "removeCollider",
    "removeColliderSubtree",
    "removePairFilter",
    "removePhysics",
    "removeRigidBody",
    "removeStaticCollider",
    "setCollider",
    "setColliderSubtree",
    "setPhysics",
    "setRigidBody",
    "setStaticCollider",
]
