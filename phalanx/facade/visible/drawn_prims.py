"""Which prims of a stage are drawn.

Of environments that hold the same, the first one's prims stand for those of all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from phalanx.facade.stage_world import StageWorld
from phalanx.io.formats.usd.bindings import Prim, Stage, Usd, UsdGeom, UsdPhysics

LIGHTS = ("DistantLight", "DomeLight", "DomeLight_1", "SphereLight", "DiskLight", "CylinderLight", "RectLight")
"""Types of prims that shine."""

_COLLIDERS = re.compile(r"(collisions?|colliders?)(_\w+)?", re.IGNORECASE)


@dataclass
class DrawnPrim:
    """A prim with geometry, or a light.

    Attributes:
        prim: the prim.
        path: of the prim; that in the first environment of a kind for what each of them has.
        transform: (4, 4), from its frame to the world, for columns.
        carrier: path of the rigid body that it moves with; ``None`` if it stands still.
        own: whether each environment has one.
    """

    prim: Prim
    path: str
    transform: np.ndarray
    carrier: str | None
    own: bool


def drawn_prims(stage: Stage, stage_world: StageWorld) -> tuple[list[DrawnPrim], list[DrawnPrim], list[str]]:
    """The prims with geometry, point instancers included, and the lights; and paths of those prims that are hidden.

    Guides and proxies are left out, and so is what only collides: below a prim that is called so, on a body that has
    something else to be looked at.
    """
    shapes: list[DrawnPrim] = []
    lights: list[DrawnPrim] = []
    hidden: list[str] = []
    cache = UsdGeom.XformCache(Usd.TimeCode.EarliestTime())
    carriers: dict[str, str | None] = {"/": None}
    samples = tuple(f"{path}/" for path in stage_world.samples)
    for prim in _walk(stage, frozenset(stage_world.env_paths) - stage_world.samples.keys()):
        path = str(prim.GetPath())
        above = path.rpartition("/")[0] or "/"
        carriers[path] = path if _moves(prim, path, stage_world) else carriers.get(above)
        if is_hidden(prim):
            hidden.append(path)
        light = str(prim.GetTypeName()) in LIGHTS
        if not light and not (prim.IsA(UsdGeom.Gprim) or prim.IsA(UsdGeom.PointInstancer)):
            continue
        if UsdGeom.Imageable(prim).ComputePurpose() in (UsdGeom.Tokens.guide, UsdGeom.Tokens.proxy):
            continue
        transform = np.array(cache.GetLocalToWorldTransform(prim)).T
        own = path.startswith(samples)
        (lights if light else shapes).append(DrawnPrim(prim, path, transform, carriers[path], own))
    return _without_colliders(shapes), lights, hidden


def told_by_environments(stage: Stage, paths: Sequence[str]) -> Iterator[str]:
    """Paths of the prims at and below some, copies of others, that have a visibility of their own."""
    for layer in stage.GetLayerStack():
        specs = [spec for path in paths if (spec := layer.GetPrimAtPath(path)) is not None]
        while specs:
            spec = specs.pop()
            specs.extend(spec.nameChildren)
            if "visibility" in spec.properties:
                yield str(spec.path)


def is_hidden(prim: Prim) -> bool:
    """Whether a prim itself says that it, and all below it, is not to be seen."""
    image = UsdGeom.Imageable(prim)
    return bool(image) and image.GetVisibilityAttr().Get() == UsdGeom.Tokens.invisible


def _walk(stage: Stage, skip: frozenset[str]) -> Iterator[Prim]:
    """All prims that count, without those to skip and what is below them, nor prototypes of point instancers."""
    walk: Any = iter(Usd.PrimRange(stage.GetPseudoRoot(), Usd.TraverseInstanceProxies()))
    for prim in walk:
        if prim.IsPseudoRoot():
            continue
        if skip and str(prim.GetPath()) in skip:
            walk.PruneChildren()
            continue
        if prim.IsA(UsdGeom.PointInstancer):
            walk.PruneChildren()
        yield prim


def _moves(prim: Prim, path: str, stage_world: StageWorld) -> bool:
    """Whether a prim is a rigid body that is simulated."""
    if not prim.HasAPI(UsdPhysics.RigidBodyAPI):
        return False
    try:
        stage_world.place(path)
    except KeyError:
        return False
    return True


def _without_colliders(shapes: list[DrawnPrim]) -> list[DrawnPrim]:
    """Leave out what lies below prims called collisions, where their body has something else."""
    only = [_only_collides(one) for one in shapes]
    looked_at = {one.carrier for one, collides in zip(shapes, only, strict=True) if not collides}
    return [one for one, collides in zip(shapes, only, strict=True) if not (collides and one.carrier in looked_at)]


def _only_collides(one: DrawnPrim) -> bool:
    if one.carrier is None or not one.prim.HasAPI(UsdPhysics.CollisionAPI):
        return False
    return any(_COLLIDERS.fullmatch(name) for name in one.path[len(one.carrier) :].split("/")[1:-1])
