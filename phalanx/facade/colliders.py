"""Which prim each shape of a body was read from."""

from __future__ import annotations

from phalanx.facade.stage_world import StageWorld
from phalanx.io.formats.usd.bindings import Usd, UsdPhysics


def collider_path(world: StageWorld, path: str, actor: int, shape: int | None = None) -> str:
    """The prim of a shape of a body.

    A body with one collider has all its shapes of it. Where several colliders became as many shapes, they are in the
    stage's order. Where some became several (convex pieces), or no shape is given, it is the body's own path.

    Args:
        world: of the stage.
        path: of the body's prim.
        actor: as queries of the engine number them.
        shape: which of the actor's shapes.
    """
    found = _colliders(world, path)
    if len(found) == 1:
        return found[0]
    names = list(world.world.actors)
    if shape is None or actor >= len(names):
        return path
    bodies = world.world.actors[names[actor]].shape_bodies
    mine = [i for i, body in enumerate(bodies) if body == bodies[shape]]
    return found[mine.index(shape)] if len(found) == len(mine) else path


def _colliders(world: StageWorld, path: str) -> list[str]:
    """Prims that collide at or below a body's, other bodies apart."""
    found = []
    walk = iter(Usd.PrimRange(world.stage.GetPrimAtPath(path), Usd.TraverseInstanceProxies(Usd.PrimDefaultPredicate)))
    for prim in walk:
        name = str(prim.GetPath())
        if name != path and prim.HasAPI(UsdPhysics.RigidBodyAPI):
            walk.PruneChildren()
        elif prim.HasAPI(UsdPhysics.CollisionAPI) and (
            UsdPhysics.CollisionAPI(prim).GetCollisionEnabledAttr().Get() is not False
        ):
            found.append(name)
    return found
