"""What a stage holds, ready for a world."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from phalanx.io.formats.scene_file import Ground, keyframe_names
from phalanx.io.formats.usd import bodies, cloths, deformables, gaps, joints, particle_sets, schema, source, trees
from phalanx.io.formats.usd.bindings import Stage, Usd
from phalanx.io.formats.usd.bodies import Found
from phalanx.io.formats.usd.deformables import DeformableModel
from phalanx.io.formats.usd.drives import idle_limits, resists, softness
from phalanx.io.formats.usd.filters import Filters
from phalanx.io.formats.usd.frames import Units, orientation_of, position_of
from phalanx.io.formats.usd.joints import JointPrim
from phalanx.io.formats.usd.materials import Materials
from phalanx.io.formats.usd.models import ActorModel, Solid, object_model, robot_model, solid
from phalanx.io.formats.usd.names import Names
from phalanx.io.formats.usd.notes import Notes
from phalanx.io.formats.usd.options import Options, options_of
from phalanx.io.formats.usd.shapes import plane
from phalanx.io.formats.usd.trees import Tree
from phalanx.io.formats.usd.values import Reading
from phalanx.io.reading import limits
from phalanx.io.reading.boundary import Clock, of_file, place
from phalanx.io.reading.errors import LoadError
from phalanx.models.checks import Inertias, check_inertias
from phalanx.models.robot_model import Shape


@dataclass
class Held:
    """A joint between two bodies that is in no tree, (actor, body) each; b may be the world.

    ``arguments`` are those of :meth:`phalanx.World.add_joint`.
    """

    name: str
    path: str
    kind: str
    a: tuple[str, str]
    b: tuple[str, str] | None
    arguments: dict[str, Any]


@dataclass
class Scene:
    """What was read of a stage: actors by name, grounds, joints, pairs that do not collide, deformable bodies.

    ``separated`` are pairs of (actor, body). ``options`` are suggestions.
    """

    name: str
    source: str
    actors: dict[str, ActorModel]
    grounds: list[Ground]
    held: list[Held]
    separated: list[tuple[tuple[str, str], tuple[str, str]]]
    options: Options
    deformables: list[DeformableModel] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    @property
    def keyframes(self) -> list[str]:
        """Names of the keyframes."""
        return keyframe_names(actor.model for actor in self.actors.values())

    @property
    def robots(self) -> list[ActorModel]:
        """Actors that can move with joints."""
        return [actor for actor in self.actors.values() if actor.kind == "robot"]


def load(
    path: str | os.PathLike[str],
    asset_dirs: Iterable[str | os.PathLike[str]] = (),
    visuals: bool = False,
    *,
    fix_inertias: bool = False,
) -> Scene:
    """Read a USD file, all that it refers to included.

    Args:
        path: a .usd, .usda, .usdc or .usdz file.
        asset_dirs: folders that files may lie in besides the file's own, see :mod:`phalanx.io.formats.usd.source`.
        visuals: also read shapes that are only to be looked at.
        fix_inertias: replace inertias that no body can have by the nearest that one can have, with a warning.

    Raises:
        LoadError: with file, prim and remedy, when it cannot be simulated; what is odd or not simulated is in
            ``warnings``.
    """
    folders = (asset_dirs,) if isinstance(asset_dirs, str | os.PathLike) else tuple(asset_dirs)
    stage = source.open_stage(path, folders)
    return read_stage(stage, visuals=visuals, name=str(path), inertias="fix" if fix_inertias else "refuse")


def read_stage(
    stage: Stage,
    path: str = "/",
    *,
    visuals: bool = False,
    name: str = "",
    skip: Iterable[str] = (),
    inertias: Inertias = "refuse",
    loose_ends: bool = False,
) -> Scene:
    """Read what an open stage holds at and below a prim.

    Args:
        stage: a ``pxr.Usd.Stage``; what is not loaded or not active is not read.
        path: of the prim; of all of the stage by default.
        visuals: also read shapes that are only to be looked at.
        name: what messages call the stage, its file by default.
        skip: paths of prims that are left out with all below them, and are not even looked at: copies of others, say.
        inertias: what becomes of those that no body can have.
        loose_ends: leave out joints that name prims which do not exist, with a warning, as PhysX does.

    Raises:
        LoadError: as of :func:`load`, and if there is no such prim.
    """
    layer = stage.GetRootLayer()
    name = name or layer.realPath or layer.identifier
    with place(of_file(name)):
        return _read(stage, path, visuals, name, skip, inertias, loose_ends)


def _read(
    stage: Stage,
    path: str,
    visuals: bool,
    name: str,
    skip: Iterable[str],
    inertias: Inertias,
    loose_ends: bool = False,
) -> Scene:
    reading = Reading(stage, Units.of(stage), Notes(name), visuals, frozenset(map(str, skip)), inertias, loose_ends)
    for what, unit in (("metersPerUnit", reading.units.length), ("kilogramsPerUnit", reading.units.mass)):
        if not 0.0 < unit < math.inf:
            raise LoadError(f"{name}: </>: {what} = {unit:g} must be positive and finite.")
    root = stage.GetPrimAtPath(path)
    if not root:
        raise LoadError(f"{name}: there is no prim <{path}>; check the path.")
    for text in source.problems(stage):
        reading.notes.add(stage.GetPseudoRoot(), text)
    clock, found = Clock(of_file(name)), bodies.find(reading, root)
    limits.check("bodies", len(found.bodies), of_file(name))
    materials = Materials(reading)
    grounds = _grounds(reading, found, materials)
    read = [one for prim in found.joints if (one := joints.read(reading, found, prim)) is not None]
    grouped = trees.group(reading, found, read)
    used = Names()
    actors: dict[str, ActorModel] = {}
    solids: dict[str, Solid] = {}
    for tree in grouped.trees:
        made = _robot(reading, found, tree, used, solids, materials)
        actors[made.name] = made
        clock.check()
    for body in [*grouped.loose, *found.statics.values()]:
        called = used.free(body.path)
        with place(partial(reading.error, body.prim)):
            solids[body.path] = solid(reading, body, body.prim.GetName(), materials)
            actors[called] = object_model(reading, body, called, solids[body.path])
        clock.check()
    for actor in actors.values():
        if actor.kind in ("robot", "dynamic"):
            _check_inertias(reading, actor)
    title = stage.GetDefaultPrim().GetName() if stage.GetDefaultPrim() else Path(name).stem
    scene = Scene(title, name, actors, grounds, [], [], options_of(reading))
    for prim in found.deformables:
        with place(partial(reading.error, prim)):
            called = used.free(str(prim.GetPath()))
            if particle_sets.is_particle_set(reading, prim):
                model = particle_sets.read(reading, prim, called)
            else:
                model = (cloths if cloths.is_cloth(reading, prim) else deformables).read(reading, prim, called)
                resolution = deformables.resolution_of(reading, prim)
                if text := gaps.close(
                    model, (one for actor in actors.values() for one in actor.model.bodies), resolution
                ):
                    reading.notes.add(prim, text)
            scene.deformables.append(model)
        clock.check()
    particle_sets.tell_what_they_pass(reading, scene.deformables)
    owners = {prim: (actor.name, body) for actor in actors.values() for prim, body in actor.bodies.items()}
    colliders: dict[str, Shape | Ground] = {ground.name: ground for ground in grounds}
    for one in solids.values():
        colliders |= {str(prim.GetPath()): made for prim, made in one.colliders}
    scene.separated = Filters(reading, actors, colliders, owners).apply(found.prims)
    for joint in read:
        scene.separated += _joined_statics(reading, found, joint, owners)
    names, rigid = Names(), grouped.rigid()
    for joint in grouped.held:
        a, b = (rigid.get(body, body) for body in joint.bodies)
        if a is b:
            reading.notes.add(joint.prim, "it connects what is one rigid body already; it is left out.")
            continue
        held = _held(reading, joint, owners, names)
        scene.held += [held] if held is not None else []
    schema.check(reading, found.prims)
    scene.warnings = reading.notes.sentences()
    return scene


def _check_inertias(reading: Reading, actor: ActorModel) -> None:
    prims = {body: reading.stage.GetPrimAtPath(path) for path, body in actor.bodies.items()}
    told = check_inertias(actor.model, reading.inertias, lambda name, text: reading.error(prims[name], text))
    for name, text in told.items():
        reading.notes.add(prims[name], text)


def _whole(found: Found, tree: Tree) -> str:
    """The prim that a robot is called as: one that all of its bodies, and no others, lie below; else its root.

    The nearest one, but where bodies lie below each other, so that this says nothing, the nearest one with a kind.
    """
    paths = [body.path for body in tree.bodies]
    prim = tree.root.prim.GetStage().GetPrimAtPath(os.path.commonpath(paths))
    nested = str(prim.GetPath()) in paths
    while prim and not prim.IsPseudoRoot():
        below = str(prim.GetPath()) + "/"
        whole = sum(path.startswith(below) for path in found.bodies) == len(paths)
        if whole and not (nested and not Usd.ModelAPI(prim).GetKind()):
            return str(prim.GetPath())
        prim = prim.GetParent()
    return tree.root.path


def _robot(
    reading: Reading, found: Found, tree: Tree, used: Names, solids: dict[str, Solid], materials: Materials
) -> ActorModel:
    """A robot, with names for its bodies and joints."""
    name = used.free(_whole(found, tree))
    names, joint_names = Names(), Names()
    if tree.hinged:
        names.take("world")
    for body in tree.bodies:
        solids[body.path] = solid(reading, body, names.free(body.path), materials)
    called = {edge.joint.path: joint_names.free(edge.joint.path) for edge in tree.edges}
    return robot_model(reading, tree, name, solids, called)


def _grounds(reading: Reading, found: Found, materials: Materials) -> list[Ground]:
    """Planes, which collide without end."""
    grounds = []
    for body in [*found.bodies.values(), *found.statics.values()]:
        for prim in [one for one in body.colliders if str(one.GetTypeName()) == "Plane"]:
            if not body.static:
                raise reading.error(prim, f"<{body.path}> carries a plane, which cannot move; make it a Cube.")
            del found.statics[body.path]
            if not reading.flag(prim, "physics:collisionEnabled", True):
                continue
            point, normal = plane(reading, prim, reading.transform(prim))
            x, y, z = normal.tolist()
            name = str(prim.GetPath())
            grounds.append(Ground(name, (x, y, z), float(normal @ point), materials.surface(prim), 1, 1))
    return grounds


def _joined_statics(
    reading: Reading, found: Found, joint: JointPrim, owners: dict[str, tuple[str, str]]
) -> list[tuple[tuple[str, str], tuple[str, str]]]:
    """The body of a joint and the static collider that its other end names, which do not collide unless it says so."""
    paths = [str(path) for n in (0, 1) for path in reading.targets(joint.prim, f"physics:body{n}")]
    statics = [path for path in paths if path in found.statics]
    bodies_ = [body for body in joint.bodies if body is not None]
    return [] if joint.collide else [(owners[body.path], owners[path]) for body in bodies_ for path in statics]


def _held(reading: Reading, joint: JointPrim, owners: dict[str, tuple[str, str]], names: Names) -> Held | None:
    """A joint between actors, or within one; ``None`` if it is of a kind that cannot hold them."""
    kinds = {"fixed", "revolute", "spherical", "distance"}
    if joint.kind not in kinds:
        text = f"{joint.kind} joints are simulated in the trees of robots only; it is left out."
        reading.notes.add(joint.prim, text)
        return None
    if reading.applied(joint.prim, "PhysicsDriveAPI"):
        reading.notes.add(joint.prim, "drives of joints that are in no tree are not simulated; it has none.")
    if resists(reading, joint):
        text = "armature, friction, damping and caps on speed hold in joints of trees only; it has none."
        reading.notes.add(joint.prim, text)
    ends = [
        (None if one is None else owners[one.path], frame)
        for one, frame in zip(joint.bodies, joint.frames, strict=True)
    ]
    reverse = ends[0][0] is None
    (a, frame_a), (b, frame_b) = ends[::-1] if reverse else ends
    if a is None or not any(one is not None and not one.kinematic for one in joint.bodies):
        reading.notes.add(joint.prim, "neither of its ends can move; it is left out.")
        return None
    arguments: dict[str, Any] = {
        "position_a": position_of(frame_a),
        "orientation_a": orientation_of(frame_a),
        "position_b": position_of(frame_b),
        "orientation_b": orientation_of(frame_b),
        "collide": joint.collide,
    }
    for key, load in (("break_force", joint.break_force), ("break_torque", joint.break_torque)):
        if 0.0 < load < 3e38:
            arguments[key] = load
    if joint.kind == "distance":
        least, most = joint.distance
        arguments |= {"min_distance": least or 0.0, "max_distance": "inf" if most is None else most}
        del arguments["orientation_a"], arguments["orientation_b"]
        idle_limits(reading, joint, [])
        if reading.flag(joint.prim, "physxPhysicsDistanceJoint:springEnabled", False):
            reading.notes.add(joint.prim, "springs of distance joints are not simulated; its limits are hard.")
    elif joint.kind != "fixed":
        for axis in joint.uneven:
            text = f"its limits of {axis} are uneven; the wider one is taken for both sides."
            reading.notes.add(joint.prim, text)
        _angles(reading, joint, arguments, reverse)
    kind = joint.kind
    if kind == "distance" and joint.distance[1] == 0.0:
        kind = "spherical"
        del arguments["min_distance"], arguments["max_distance"]
    return Held(names.free(joint.path), joint.path, kind, a, b, arguments)


def _angles(reading: Reading, joint: JointPrim, arguments: dict[str, Any], reverse: bool) -> None:
    """Axis and limits; an angle of ours is that of a against b, so that the signs of limits are the other way round."""
    axis = next(iter(joint.free)) if joint.kind == "revolute" else "rot" + "XYZ"[joint.axis]
    arguments["axis"] = [1.0 if axis.endswith(letter) else 0.0 for letter in "XYZ"]
    low, high = joint.free[axis]
    low, high = (low, high) if reverse else (-high, -low)
    most = math.pi if joint.kind == "spherical" else math.inf
    for key, limit in (("lower", low), ("upper", high)):
        if abs(limit) < most:
            arguments[key] = limit
    if "lower" in arguments or "upper" in arguments:
        arguments |= softness(reading, joint, axis)
    idle_limits(reading, joint, [axis])
    if joint.kind == "spherical" and not all(map(math.isinf, joint.swing)):
        cones: list[float | None] = [None if math.isinf(angle) else angle for angle in joint.swing]
        arguments["swing_limit"] = cones[::-1] if joint.axis == 0 else cones
