"""The rigid bodies that expressions for prims stand for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from phalanx.facade.isaaclab.sim import utils
from phalanx.facade.physx.rigid_body_view import RigidBodyView
from phalanx.facade.stage_world import StageWorld
from phalanx.io.formats.usd.bindings import UsdPhysics


def rigid_body_view(who: str, stage_world: StageWorld, prim_paths: Sequence[str]) -> RigidBodyView:
    """A tensor view of the one rigid body at or below each prim of each expression; rows expression by expression.

    Args:
        who: for messages.
        stage_world: where the bodies are.
        prim_paths: the expressions; each must stand for as many prims.

    Raises:
        RuntimeError: there is no rigid body, or more than one, or an articulation; or the numbers differ; or two
            expressions stand for the same body.
    """
    found = {path: _bodies(who, path) for path in prim_paths}
    counts = {path: len(bodies) for path, bodies in found.items()}
    if len(set(counts.values())) > 1:
        told = ", ".join(f"{n} of {path!r}" for path, n in counts.items())
        raise RuntimeError(f"{who}: there must be as many prims of each object; there are {told}")
    paths = [path for bodies in (found[each] for each in prim_paths) for path in bodies]
    twice = [path for path, n in Counter(paths).items() if n > 1]
    if twice:
        raise RuntimeError(f"{who}: <{twice[0]}> is in it twice; each object must have prims of its own")
    places = [stage_world.place(path) for path in paths]
    members: list[Any] = [((place.actor, place.body), place.env) for place in places]
    return RigidBodyView(stage_world.world, members, paths, stage_world.origins)


def _bodies(who: str, prim_path: str) -> list[str]:
    """Of each prim that an expression stands for the path of the rigid body at or below it."""
    instances = utils.find_matching_prim_paths(prim_path)
    if not instances:
        raise RuntimeError(f"{who}: there is no prim {prim_path!r} on the stage any more")
    below = _body_path(who, instances[0]).removeprefix(instances[0])
    return [path + below for path in instances]


def _body_path(who: str, path: str) -> str:
    jointed = utils.get_all_matching_child_prims(path, lambda one: one.HasAPI(UsdPhysics.ArticulationRootAPI))
    if jointed:
        raise RuntimeError(f"{who}: <{jointed[0].GetPath()}> is the root of an articulation; use Articulation")
    found = utils.get_all_matching_child_prims(path, lambda one: one.HasAPI(UsdPhysics.RigidBodyAPI))
    if len(found) != 1:
        names = ", ".join(str(one.GetPath()) for one in found) or "none"
        raise RuntimeError(
            f"{who}: one prim at or below <{path}> must be a rigid body (have PhysicsRigidBodyAPI); found {names}"
        )
    return str(found[0].GetPath())
