"""Bodies and joints that come to the stage, or leave it, while it is simulated, and changed materials.

Those of one environment are simulated from the next step on: the stage becomes a world anew, which goes on from where
the old one is. What else is edited of a body that stays, such as its shapes, counts from the next reset on, and so does
whatever is edited while copies are environments side by side.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence

from phalanx.facade import clones, stage_watch
from phalanx.facade.stage_world import StageWorld
from phalanx.io.formats.usd.bindings import Prim, Stage, Usd, UsdPhysics

log = logging.getLogger("phalanx.facade")

SOFT = ("PhysxDeformableBodyAPI", "PhysxDeformableSurfaceAPI", "PhysxParticleClothAPI", "PhysxParticleSetAPI")
"""Schemas of prims that become deformable bodies."""

SWITCHES = ("physics:collisionEnabled", "physics:kinematicEnabled", "physics:rigidBodyEnabled", "physics:jointEnabled")
"""Attributes that say what there is."""

MATERIALS = ("physics:staticFriction", "physics:dynamicFriction", "physics:restitution")
"""Attributes of materials."""


class StageEdits:
    """Sees which prims are created and deleted from now on, and which of some attributes are written.

    Args:
        world: of the stage of the process.
    """

    def __init__(self, world: StageWorld) -> None:
        self._stage: Stage = world.stage
        # a stage of many copies takes long to look through, and goes on as it is
        self._joints = None if world.env_paths else set(_joints(self._stage.GetPseudoRoot()))
        self._edited: list[str] = []
        self._switched = self._coated = self._told = False
        self._listeners = [
            stage_watch.get().composed.subscribe(self._edited.extend),
            stage_watch.get().valued.subscribe(self._see),
        ]

    def _see(self, paths: list[str]) -> None:
        for path in paths:
            name = path.partition(".")[2]
            self._switched |= name in SWITCHES
            self._coated |= name in MATERIALS

    def __bool__(self) -> bool:
        """Whether something was edited since :meth:`changed` was asked."""
        return bool(self._edited) or self._switched or self._coated

    def changed(self, world: StageWorld) -> tuple[str, ...] | None:
        """Whether a world is to go on with what the stage has now; ``None`` if not.

        Returns:
            names of the components that are as the stage has them from now on.
        """
        paths, switched, coated = _tops(self._edited), self._switched, self._coated
        self._edited.clear()
        self._switched = self._coated = False
        if not (switched or coated or any(self._gone(world, path) or self._new(world, path) for path in paths)):
            return None
        if world.env_paths or clones.environments(self._stage):
            if not self._told:
                log.warning(
                    "bodies and joints that come to the stage or leave it, switches of theirs and materials count from "
                    "the next reset on: the stage has environments"
                )
            self._told = True
            return None
        self._joints = set(_joints(self._stage.GetPseudoRoot()))
        return ("ShapeMaterial",) if coated else ()

    def _gone(self, world: StageWorld, path: str) -> bool:
        """Whether something that is simulated was deleted or deactivated at or below a path."""
        known = [*world.bodies, *world.deformables, *(ground.name for ground in world.scene.grounds)]
        known += self._joints or ()
        return any(_below(each, path) and not _active(self._stage, each) for each in known)

    def _new(self, world: StageWorld, path: str) -> bool:
        """Whether something that is to be simulated, and is not, is at or below a path."""
        grounds = {ground.name for ground in world.scene.grounds}
        top = self._stage.GetPrimAtPath(path)
        for prim in _prims(top) if top else ():
            name = str(prim.GetPath())
            if prim.HasAPI(UsdPhysics.RigidBodyAPI):
                if not world.has_body(name) and _enabled(prim):
                    return True
            elif prim.HasAPI(UsdPhysics.CollisionAPI):
                if not (world.has_body(name) or name in grounds or _carried(prim)):
                    return True
            elif prim.IsA(UsdPhysics.Joint):
                if self._joints is not None and name not in self._joints:
                    return True
            elif name not in world.deformables and not set(SOFT).isdisjoint(
                map(str, prim.GetPrimTypeInfo().GetAppliedAPISchemas())
            ):
                return True
        return False


def _prims(top: Prim) -> Iterator[Prim]:
    return iter(Usd.PrimRange(top, Usd.TraverseInstanceProxies(Usd.PrimDefaultPredicate)))


def _joints(top: Prim) -> Iterator[str]:
    """Paths of the joints at or below a prim."""
    return (str(prim.GetPath()) for prim in _prims(top) if prim.IsA(UsdPhysics.Joint))


def _active(stage: Stage, path: str) -> bool:
    prim = stage.GetPrimAtPath(path)
    return bool(prim) and prim.IsActive()


def _enabled(prim: Prim) -> bool:
    return UsdPhysics.RigidBodyAPI(prim).GetRigidBodyEnabledAttr().Get() is not False


def _carried(prim: Prim) -> bool:
    """Whether a rigid body is above a prim."""
    above = prim.GetParent()
    while above and not above.IsPseudoRoot():
        if above.HasAPI(UsdPhysics.RigidBodyAPI):
            return True
        above = above.GetParent()
    return False


def _tops(paths: Sequence[str]) -> list[str]:
    """Paths that are below none of the others."""
    found: list[str] = []
    for path in sorted(set(paths)):
        if not found or not _below(path, found[-1]):
            found.append(path)
    return found


def _below(path: str, root: str) -> bool:
    return path == root or path.startswith(root.rstrip("/") + "/")
