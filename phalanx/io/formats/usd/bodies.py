"""Which prims are rigid bodies, which are colliders, and whose."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from phalanx.io.formats.usd.bindings import Prim, Usd, UsdGeom, UsdPhysics
from phalanx.io.formats.usd.cloths import is_cloth
from phalanx.io.formats.usd.deformables import is_deformable
from phalanx.io.formats.usd.frames import inverse, rigid, sheared
from phalanx.io.formats.usd.particle_sets import is_particle_set
from phalanx.io.formats.usd.values import Reading

MERGE = "PhysxMeshMergeCollisionAPI"
MESHES = "collection:collisionmeshes"
"""The collection of what that schema merges."""


@dataclass(eq=False)
class RigidBody:
    """A rigid body as the stage shows it.

    ``pose`` (4, 4) is that of its frame in our world: where the prim is, without its scale. Lists are of prims: the
    colliders that it carries, and what is only to be looked at. ``static`` ones are colliders without a rigid body.
    """

    prim: Prim
    pose: np.ndarray
    kinematic: bool = False
    static: bool = False
    colliders: list[Prim] = field(default_factory=list)
    looks: list[Prim] = field(default_factory=list)
    groups: dict[str, Prim] = field(default_factory=dict)
    """What makes a collider one, by the collider's path, where that is a prim above it."""

    @property
    def path(self) -> str:
        """Of its prim."""
        return str(self.prim.GetPath())

    def group(self, collider: Prim) -> Prim:
        """The prim that says how a collider collides: itself, or one above it."""
        return self.groups.get(str(collider.GetPath()), collider)

    def local(self, reading: Reading, prim: Prim) -> np.ndarray:
        """(4, 4): from a prim's frame, scale and all, to the body's, in metres."""
        return inverse(self.pose) @ reading.transform(prim)


@dataclass
class Found:
    """What a stage has below a prim, by path, in the order in which it is written."""

    bodies: dict[str, RigidBody] = field(default_factory=dict)
    statics: dict[str, RigidBody] = field(default_factory=dict)
    joints: list[Prim] = field(default_factory=list)
    roots: list[Prim] = field(default_factory=list)
    """Prims that say that an articulation begins with them, or below."""
    prims: list[Prim] = field(default_factory=list)
    deformables: list[Prim] = field(default_factory=list)
    groups: dict[str, Prim] = field(default_factory=dict)
    """Prims without geometry that make what is below them collide."""

    def group(self, prim: Prim) -> Prim | None:
        """The prim above a prim that makes it collide, within the same body."""
        text = str(prim.GetPath()) if self.groups else "/"
        while len(text) > 1 and text not in self.bodies:
            text = text.rpartition("/")[0]
            found = self.groups.get(text)
            if found is not None:
                return None if _left_out(found, prim) else found
        return None

    def owner(self, path: object) -> RigidBody | None:
        """The rigid body that a path is, or is part of."""
        text = str(path)
        while text not in self.bodies and len(text) > 1:
            text = text.rpartition("/")[0]
        return self.bodies.get(text)


def find(reading: Reading, root: Prim) -> Found:
    """Look through a prim and all below it: what is loaded, active and defined, in instances, too.

    A rigid body may lie below another one; each has the colliders that are below it and not below another one. Where
    an instance is a collider, or a prim that merges meshes, all geometry below it is: Isaac Sim imports URDF files so.
    """
    found = Found()
    for prim in reading.walk(Usd.PrimRange(root, Usd.TraverseInstanceProxies(Usd.PrimDefaultPredicate))):
        found.prims.append(prim)
        if prim.IsA(UsdPhysics.Joint) or _foreign_joint(prim):
            found.joints.append(prim)
            if prim.HasAPI(UsdPhysics.ArticulationRootAPI):
                found.roots.append(prim)
            continue
        if prim.HasAPI(UsdPhysics.ArticulationRootAPI):
            found.roots.append(prim)
        if is_deformable(reading, prim) or is_cloth(reading, prim) or is_particle_set(reading, prim):
            found.deformables.append(prim)
            continue
        if prim.HasAPI(UsdPhysics.RigidBodyAPI) and reading.flag(prim, "physics:rigidBodyEnabled", True):
            _body(reading, found, prim)
        collides = prim.HasAPI(UsdPhysics.CollisionAPI)
        geometry = prim.IsA(UsdGeom.Gprim)
        group = found.group(prim) if geometry and not collides else None
        if collides and not geometry and (prim.IsInstance() or merges(prim)):
            found.groups[str(prim.GetPath())] = prim
        elif collides and not geometry:
            reading.notes.add(prim, "colliders must be geometry; as it is none, it does not collide.")
        elif collides or group is not None:
            owner = found.owner(prim.GetPath())
            if owner is None:
                still = RigidBody(prim, _frame(reading, prim), static=True)
                found.statics[still.path] = owner = still
            owner.colliders.append(prim)
            if group is not None:
                owner.groups[str(prim.GetPath())] = group
        elif reading.visuals and geometry and _seen(prim):
            owner = found.owner(prim.GetPath())
            if owner is not None:
                owner.looks.append(prim)
        if not collides and prim.HasAPI(UsdPhysics.MassAPI) and not prim.HasAPI(UsdPhysics.RigidBodyAPI):
            reading.notes.add(prim, "it is neither a collider nor a rigid body, so that its mass counts for nothing.")
        if prim.IsA(UsdGeom.PointInstancer) and _has_physics(prim):
            reading.notes.add(prim, "point instancers are not simulated; what they copy is left out.")
    _tell_of_groups(reading, found)
    return found


def merges(prim: Prim) -> bool:
    """Whether all meshes that a prim makes collide are one mesh, which ``PhysxMeshMergeCollisionAPI`` says."""
    return MERGE in map(str, prim.GetPrimTypeInfo().GetAppliedAPISchemas())


def _left_out(group: Prim, prim: Prim) -> bool:
    """Whether a prim that merges meshes leaves out what is at or above a prim below it."""
    excluded = group.GetRelationship(f"{MESHES}:excludes")
    return bool(excluded) and any(prim.GetPath().HasPrefix(path) for path in excluded.GetTargets())


def _tell_of_groups(reading: Reading, found: Found) -> None:
    used = {id(one) for body in [*found.bodies.values(), *found.statics.values()] for one in body.groups.values()}
    for prim in found.groups.values():
        included = prim.GetRelationship(f"{MESHES}:includes")
        far = [path for path in (included.GetTargets() if included else []) if not path.HasPrefix(prim.GetPath())]
        if far:
            reading.notes.add(prim, f"it merges meshes below it only; <{far[0]}> is not, and does not collide with it.")
        elif id(prim) not in used:
            reading.notes.add(prim, "colliders must be geometry; as there is none below it, it does not collide.")


def _has_physics(instancer: Prim) -> bool:
    """Whether a point instancer copies bodies or colliders; others are only to be looked at, such as markers."""
    stage = instancer.GetStage()
    copied = [stage.GetPrimAtPath(path) for path in UsdGeom.PointInstancer(instancer).GetPrototypesRel().GetTargets()]
    below = (one for prim in copied if prim for one in Usd.PrimRange(prim, Usd.TraverseInstanceProxies()))
    return any(one.HasAPI(UsdPhysics.RigidBodyAPI) or one.HasAPI(UsdPhysics.CollisionAPI) for one in below)


def _body(reading: Reading, found: Found, prim: Prim) -> None:
    if not prim.IsA(UsdGeom.Xformable):
        raise reading.error(prim, f"a rigid body must have a place: make the {prim.GetTypeName() or 'prim'} an Xform.")
    body = RigidBody(prim, _frame(reading, prim), reading.flag(prim, "physics:kinematicEnabled", False))
    found.bodies[body.path] = body


def _frame(reading: Reading, prim: Prim) -> np.ndarray:
    transform = reading.transform(prim)
    if sheared(transform[:3, :3]) and prim.HasAPI(UsdPhysics.RigidBodyAPI):
        raise reading.error(
            prim, "a rigid body's transform must not shear; scale its shapes instead of what it is turned in."
        )
    return rigid(transform)


def _foreign_joint(prim: Prim) -> bool:
    """Gears, racks and so on, whose types are known only where the schemas of PhysX are installed."""
    name = str(prim.GetTypeName())
    return name.startswith("Physx") and name.endswith("Joint")


def _seen(prim: Prim) -> bool:
    return UsdGeom.Imageable(prim).ComputePurpose() != UsdGeom.Tokens.guide
