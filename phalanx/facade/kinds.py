"""Environments that differ: one model that stands for all of them, and the numbers in which each kind differs from it.

The engine steps environments side by side if they have the same links, joints and shapes; numbers (masses, frames,
sizes, limits, gains) may be another in each. So environments are grouped by content, each kind is read once, and the
shapes of all kinds become shapes of one model: spheres of one kind take the place of spheres of another, which differ
in numbers; what a kind lacks is absent from its environments. Where links, joints or names differ, there is none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from phalanx.io.formats.usd import Scene, read_stage
from phalanx.io.formats.usd.bindings import Sdf, Stage
from phalanx.models.robot_model import Body, RobotModel, Shape
from phalanx.world import variants
from phalanx.world.usd_scenes import add_scene
from phalanx.world.world import World

MOST_SHAPES = 64
"""Of all kinds together on one body."""

_PLACE = "xformOp:translate"
_ROOT = "/environment"


@dataclass
class Kinds:
    """Kinds of environments.

    Attributes:
        of: (num_envs,), the number of each environment's kind.
        roots: the first environment of each kind, by its prim.
        scenes: what was read of it, with the shapes of all kinds.
        absent: of each kind the shapes that its environments lack, by actor and number.
        looks_of: (num_envs,), likewise where what is only seen counts, too.
        looks: the first environment of each of these.
    """

    of: np.ndarray
    roots: list[str]
    looks_of: np.ndarray
    looks: list[str]
    scenes: list[Scene] = field(default_factory=list)
    absent: list[set[tuple[str, int]]] = field(default_factory=list)


class DifferentKindsError(Exception):
    """Environments differ in what the engine cannot have side by side; the message says in what."""


def group(stage: Stage, paths: Sequence[str]) -> Kinds:
    """Environments grouped by what is written in them, and by what of that is simulated."""
    seen: dict[str, int] = {}
    simulated: dict[str, int] = {}
    kind_of_looks: list[int] = []
    looks_of = np.zeros(len(paths), int)
    for i, path in enumerate(paths):
        whole, parts = _written(stage, path)
        looks_of[i] = seen.setdefault(whole, len(seen))
        if looks_of[i] == len(kind_of_looks):
            kind_of_looks.append(simulated.setdefault(parts, len(simulated)))
    of = np.array(kind_of_looks, int)[looks_of]
    return Kinds(of, _firsts(paths, of), looks_of, _firsts(paths, looks_of))


def _firsts(paths: Sequence[str], of: np.ndarray) -> list[str]:
    return [str(paths[i]) for i in np.unique(of, return_index=True)[1]]


_SEEN = ("inputs:", "info:", "primvars:")
"""Properties of shaders, lights and surfaces, which are seen and not simulated, begin so."""


def _written(stage: Stage, path: str) -> tuple[str, str]:
    """All that layers say of an environment but where it is, with paths as if it were :data:`_ROOT`.

    And the same without what is only seen: colours that are drawn for each environment make no kinds.
    """
    texts: list[str] = []
    simulated: list[str] = []
    for layer in stage.GetLayerStack():
        if layer.GetPrimAtPath(path) is None:
            continue
        alone = Sdf.Layer.CreateAnonymous()
        Sdf.CopySpec(layer, path, alone, _ROOT)
        prim = alone.GetPrimAtPath(_ROOT)
        if _PLACE in prim.properties:
            prim.RemoveProperty(prim.properties[_PLACE])
        texts.append(_text(alone, path))
        specs: list[Any] = []
        alone.Traverse(_ROOT, specs.append)
        seen = [at for at in specs if at.IsPropertyPath() and at.name.startswith(_SEEN)]
        for at in seen:
            prim = alone.GetPrimAtPath(at.GetPrimPath())
            prim.RemoveProperty(prim.properties[at.name])
        simulated.append(_text(alone, path) if seen else texts[-1])
    return "\n".join(texts), "\n".join(simulated)


def _text(layer: Any, path: str) -> str:
    return re.sub(rf"<{re.escape(path)}(?=[/>.])", f"<{_ROOT}", layer.ExportToString().partition("\n")[2])


def read(stage: Stage, kinds: Kinds, first: Scene) -> None:
    """Read all kinds, and give each the shapes of all.

    Args:
        stage: the stage.
        kinds: of :func:`group`; its scenes are written.
        first: what was read of the first kind's environment and of what is around the environments.

    Raises:
        DifferentKindsError: there is no model that stands for all.
    """
    scenes = [first, *(read_stage(stage, root, inertias="keep", loose_ends=True) for root in kinds.roots[1:])]
    kinds.scenes = scenes
    if len(scenes) == 1:  # they only look different
        kinds.absent = [set()]
        return
    own = [
        {path[len(root) :]: one for path, one in _by_path(scene, root)}
        for scene, root in zip(scenes, kinds.roots, strict=True)
    ]
    for number, actors in enumerate(own[1:], 1):
        if actors.keys() != own[0].keys():
            odd = sorted(actors.keys() ^ own[0].keys())
            raise DifferentKindsError(f"<{kinds.roots[0]}> and <{kinds.roots[number]}> have other bodies: {odd[0]}")
    if any(scene.deformables or scene.held for scene in scenes):
        raise DifferentKindsError("they have deformable bodies, or joints between robots and objects")
    kinds.absent = [set() for _ in scenes]
    for path, one in own[0].items():
        models = [actors[path].model for actors in own]
        for number, model in enumerate(models):
            _check(models[0], model, kinds.roots[number] + path)
            if own[number][path].kind != one.kind or own[number][path].locked_axes != one.locked_axes:
                raise DifferentKindsError(f"<{kinds.roots[number]}{path}> is of another kind")
        _unite(one.name, models, kinds.absent)
        for actors in own[1:]:
            actors[path].name = one.name
            actors[path].bodies = dict(zip(actors[path].bodies, one.bodies.values(), strict=True))
    for number, scene in enumerate(scenes[1:], 1):
        scene.actors = {own[number][path].name: own[number][path] for path in own[0]}


def _by_path(scene: Scene, root: str) -> list[tuple[str, Any]]:
    return [(one.path, one) for one in scene.actors.values() if one.path.startswith(f"{root}/")]


def _check(a: RobotModel, b: RobotModel, where: str) -> None:
    """That two models have the same bodies and joints."""

    def structure(model: RobotModel) -> list[Any]:
        joints = [(one.name, one.type, one.parent, one.child) for one in model.joints]
        follows = [(one.mimic.joint if one.mimic else None) for one in model.joints]
        tendons = [one.name for one in (*model.fixed_tendons, *model.spatial_tendons)]
        rest = [model.fixed_base, model.self_collision, model.disabled_pairs, tendons, model.options]
        return [[body.name for body in model.bodies], joints, follows, *rest]

    for mine, theirs in zip(structure(a), structure(b), strict=True):
        if mine != theirs:
            raise DifferentKindsError(f"<{where}> has other bodies, joints or settings")


def _unite(actor: str, models: list[RobotModel], absent: list[set[tuple[str, int]]]) -> None:
    """Give the bodies of all kinds the same shapes; those that a kind lacks are another's, and noted."""
    first = 0
    for bodies in zip(*(model.bodies for model in models), strict=True):
        slots: dict[tuple[Any, ...], list[Shape | None]] = {}
        for kind, body in enumerate(bodies):
            seen: dict[tuple[Any, ...], int] = {}
            for shape in body.collisions:
                key = _sort(shape)
                seen[key] = seen.get(key, -1) + 1
                slots.setdefault((*key, seen[key]), [None] * len(models))[kind] = shape
        if len(slots) > MOST_SHAPES:
            raise DifferentKindsError(f"{actor}/{bodies[0].name} has {len(slots)} different shapes")
        for number, shapes in enumerate(slots.values()):
            some = next(shape for shape in shapes if shape is not None)
            for kind in range(len(models)):
                if shapes[kind] is None:
                    absent[kind].add((actor, first + number))
            _place(bodies, number, [some if shape is None else shape for shape in shapes])
        first += len(slots)


def _place(bodies: Sequence[Body], number: int, shapes: list[Shape]) -> None:
    for body, shape in zip(bodies, shapes, strict=True):
        if number == 0:
            body.collisions = []
        body.collisions.append(replace(shape))


def _sort(shape: Shape) -> tuple[Any, ...]:
    """What shapes must have in common to differ in numbers only; meshes must be the same."""
    solid: tuple[Any, ...] = ()
    for array in (shape.vertices, shape.faces, shape.heights):
        solid += (None if array is None else (array.shape, array.tobytes()),)
    material = tuple(sorted(key for key in shape.material or ()))
    common = (shape.approximation, shape.double_sided, shape.sdf, shape.contact_type, shape.contact_affinity)
    return (shape.kind, *common, *solid, material)


# -- the numbers in which environments differ ------------------------------------------------------------------------


def start_poses(kinds: Kinds, name: str) -> np.ndarray | None:
    """(num_envs, 7): where each environment's kind has an actor at first; ``None`` if all have it at the same place."""
    models = [scene.actors[name].model for scene in kinds.scenes if name in scene.actors]
    poses = np.array([[*(one.position or (0.0,) * 3), *(one.orientation or (1.0, 0.0, 0.0, 0.0))] for one in models])
    if len(models) < len(kinds.scenes) or not (poses != poses[0]).any():
        return None
    return poses[kinds.of]


def apply(kinds: Kinds, world: World, settings: dict[str, Any]) -> None:
    """Give each environment of a built world the numbers of its kind.

    Args:
        kinds: with what was read of them.
        world: made of the first kind's scene.
        settings: it was made with these, but for the device.

    Raises:
        DifferentKindsError: kinds differ in what is the same in all environments by construction.
    """
    if len(kinds.scenes) == 1:
        return
    mine = kinds.scenes[0]
    names = [name for name, one in mine.actors.items() if one.path.startswith(f"{kinds.roots[0]}/")]
    own = replace(mine, actors={name: mine.actors[name] for name in names})
    own.separated = [pair for pair in mine.separated if {pair[0][0], pair[1][0]} <= set(names)]
    base = _alone(own, settings)
    for number in range(1, len(kinds.scenes)):
        scene = replace(kinds.scenes[number], grounds=own.grounds, separated=own.separated, options=own.options)
        try:
            variants.transfer(world, base, _alone(scene, settings), names, np.flatnonzero(kinds.of == number))
        except variants.VariantError as error:
            raise DifferentKindsError(str(error)) from None
    _remove_absent(kinds, world, names)


def _alone(scene: Scene, settings: dict[str, Any]) -> World:
    """A world of one environment on the CPU, built and not stepped."""
    world = World(num_envs=1, **{**settings, "device": "cpu"})
    add_scene(scene, world)
    return world.build()


def _remove_absent(kinds: Kinds, world: World, names: list[str]) -> None:
    for name in names:
        actor = world.actors[name]
        made = [id(one.shape) for one in actor.part.articulation.collisions]
        shapes = [id(shape) for body in actor.model.bodies for shape in body.collisions]
        for kind, absent in enumerate(kinds.absent):
            gone = {shapes[number] for owner, number in absent if owner == name}
            variants.remove_shapes(
                world, name, [n for n, shape in enumerate(made) if shape in gone], np.flatnonzero(kinds.of == kind)
            )
