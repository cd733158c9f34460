"""Tensor views of contacts from paths of prims."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from phalanx.facade.isaaclab.sensors.prims import of_instances
from phalanx.facade.physx.contact_view import RigidContactView
from phalanx.facade.stage_world import Place, StageWorld


def contact_view(
    who: str,
    stage_world: StageWorld,
    prim_path: str,
    parents: Sequence[str],
    bodies: Sequence[str],
    filters: Sequence[str],
    places: Sequence[Place],
) -> RigidContactView:
    """A tensor view of contacts, rows instance by instance, with a filter for each prim that an instance meets.

    Args:
        who: for messages.
        stage_world: where the bodies are.
        prim_path: the sensor's expression.
        parents: the prim above the bodies, of each instance.
        bodies: names of an instance's bodies.
        filters: expressions for what they meet.
        places: where the bodies are, instance by instance.

    Raises:
        RuntimeError: an expression matches nothing, or nothing that can be met, or something of another environment.
    """
    paths = [f"{parent}/{name}" for parent in parents for name in bodies]
    envs = [one.env or 0 for one in places]
    met: list[list[str]] = [[] for _ in parents]  # instance, filter: path
    for expression in filters:
        found = of_instances(who, prim_path, parents, expression)
        if not found[0]:
            raise RuntimeError(f"{who}: filter_prim_paths_expr has {expression!r}, and there is no such prim")
        for own, more in zip(met, found, strict=True):
            own += more
    keys: dict[tuple[str, str], int] = {}  # the first row of each column
    for row, one in enumerate(places):
        keys.setdefault((one.actor, one.body), row)
    per = len(bodies)
    for i in range(len(parents) if stage_world.env_paths else 0):
        for path in met[i]:
            env = stage_world.prototype(path)[1]
            if env not in (None, envs[i * per]):
                raise RuntimeError(
                    f"{who}: filter <{path}> is in another environment than <{parents[i]}>; let filter_prim_paths_expr "
                    "begin as prim_path does"
                )
    columns: list[Any] = []
    for j in range(len(met[0])):
        columns.append(("each", [_what(who, stage_world, met[row // per][j]) for row in keys.values()]))
    members: list[Any] = [((one.actor, one.body), env) for one, env in zip(places, envs, strict=True)]
    rows = [met[i] for i in range(len(parents)) for _ in bodies]
    return RigidContactView(stage_world.world, members, columns, 0, paths, rows, stage_world.origins)


def _what(who: str, stage_world: StageWorld, path: str) -> Any:
    """What a prim is: a body, a ground, or several that are below it."""
    first, _ = stage_world.prototype(path)
    grounds = {ground.name: f"ground/{i}" for i, ground in enumerate(stage_world.scene.grounds)}
    bodies = stage_world._bodies
    if first in bodies:
        return bodies[first]
    found: list[Any] = [grounds[name] for name in grounds if name == first or name.startswith(f"{first}/")]
    found += [bodies[name] for name in bodies if name.startswith(f"{first}/")]
    if not found:
        raise RuntimeError(
            f"{who}: filter <{path}> is no rigid body, static collider or ground that is simulated, nor above one"
        )
    return found
