"""What makes tensor views by the paths of a stage's prims: globs segment by segment, as PhysX's tensor API has them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from phalanx.facade import environments
from phalanx.facade.physx import SimulationView
from phalanx.facade.stage_world import Place, StageWorld
from phalanx.io.formats.usd.bindings import Stage, UsdPhysics


def expression(glob: str) -> str:
    """The regular expression, segment by segment, of a glob: ``*`` and ``.*`` are any text, ``?`` any character."""
    return "/".join(_segment(each) for each in glob.replace(".*", "*").split("/"))


def _segment(glob: str) -> str:
    text = re.escape(glob)
    for escaped, means in (
        (r"\*", ".*"),
        (r"\?", "."),
        (r"\[", "["),
        (r"\]", "]"),
        (r"\(", "("),
        (r"\)", ")"),
        (r"\|", "|"),
    ):
        text = text.replace(escaped, means)
    return text


def simulation_view(stage: Stage, stage_world: StageWorld) -> SimulationView:
    """What makes tensor views of a stage's world.

    A path or glob stands for the rigid bodies among the prims that it matches, and for the root bodies of those that
    are roots of articulations.
    """

    def resolve(pattern: str) -> Iterator[tuple[str, Place]]:
        for path in environments.matching(stage, expression(pattern)):
            place = _place(stage, stage_world, path)
            if place is not None:
                yield path, place

    return SimulationView(stage_world.world, resolve, stage_world.origins)


def _place(stage: Stage, stage_world: StageWorld, path: str) -> Place | None:
    try:
        return stage_world.place(path)
    except KeyError:
        if not stage.GetPrimAtPath(path).HasAPI(UsdPhysics.ArticulationRootAPI):
            return None
    names, env = stage_world.actors_at(path)
    robots = [stage_world.world.robots[name] for name in names if name in stage_world.world.robots]
    return Place(robots[0].name, robots[0].body_names[0], env) if len(robots) == 1 else None
