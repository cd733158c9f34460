"""What a whole MJCF file holds, ready for a world."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from phalanx.io.formats.mjcf import actuators as actuators_
from phalanx.io.formats.mjcf import bodies, contacts, equality, geoms, keyframes, tendons
from phalanx.io.formats.mjcf import flex as flex_
from phalanx.io.formats.mjcf.flex import FlexModel
from phalanx.io.formats.mjcf.held import Held
from phalanx.io.formats.mjcf.inertia import resistance
from phalanx.io.formats.mjcf.models import WORLD, TreeModel, tree_model
from phalanx.io.formats.mjcf.notes import Notes
from phalanx.io.formats.mjcf.source import Options, Source
from phalanx.io.formats.mjcf.tree import Node, Tree
from phalanx.io.formats.mjcf.values import Values
from phalanx.io.formats.scene_file import Ground, keyframe_names
from phalanx.io.reading import limits
from phalanx.io.reading.boundary import Clock, of_file, place
from phalanx.models.actuators import Actuator
from phalanx.models.checks import Inertias
from phalanx.models.robot_model import Body, RobotModel


@dataclass
class Scene:
    """An MJCF file.

    ``trees`` are the robots and objects by name, those fixed to the world included; geoms of the world itself make the
    static object "world". ``held`` are pairs of bodies that joints hold together, ``separated`` those of different
    trees that do not collide: (tree, body) each, with an empty tree for the world. ``options`` are suggestions.
    """

    name: str
    source: str
    trees: dict[str, TreeModel]
    grounds: list[Ground]
    held: list[Held]
    separated: list[tuple[tuple[str, str], tuple[str, str]]]
    options: Options
    warnings: list[str] = field(default_factory=list)
    flexes: list[FlexModel] = field(default_factory=list)
    """What is deformable."""

    def owner(self, node: Node) -> str:
        """Name of the tree that a body belongs to; empty for the world."""
        return node.root.name if node.parent is not None else ""

    @property
    def keyframes(self) -> list[str]:
        """Names of the keyframes."""
        return keyframe_names(tree.model for tree in self.trees.values())


def load(
    path: str | Path, asset_dirs: Iterable[str | Path] = (), visuals: bool = True, *, fix_inertias: bool = False
) -> Scene:
    """Read an MJCF file with all that it includes and attaches.

    ``asset_dirs`` are folders that files may lie in besides the file's own (see :mod:`phalanx.io.reading.paths`). With
    ``visuals=False`` shapes that are only to be looked at are left out. With ``fix_inertias`` inertias that no body can
    have are replaced by the nearest that one can have, with a warning.

    Raises:
        LoadError: with file, line, element and remedy, when the file cannot be simulated; what is odd or not simulated
            is in ``warnings``.
    """
    with place(of_file(path)):
        return _load(path, asset_dirs, visuals, "fix" if fix_inertias else "refuse")


def _load(path: str | Path, asset_dirs: Iterable[str | Path], visuals: bool, inertias: Inertias) -> Scene:
    notes = Notes()
    folders = tuple(asset_dirs) if not isinstance(asset_dirs, str | Path) else (asset_dirs,)
    main = Source.load(path, folders, notes)
    tree = Tree(main, notes, folders)
    limits.check("bodies", len(tree.bodies), main.root.error)
    clock, solids = Clock(main.root.error), {}
    for name, node in tree.bodies.items():
        with place(node.element.error):
            solids[name] = bodies.weigh(node, notes)
        clock.check()
    bodies.scale_total(list(solids.values()), main.compiler.total_mass)
    contacts.let_meet(tree, solids, notes)
    _mention_smooth(solids, notes)
    contacts.soften(tree, solids, notes)
    grounds = _grounds(tree, solids)
    trees: dict[str, TreeModel] = {}
    if any(geom.type != "plane" for geom in solids["world"].geoms):
        shell = Body(WORLD, collisions=[], visuals=[])
        made = solids["world"].body(visuals)
        shell.collisions = [shape for shape in made.collisions if shape.kind != "plane"]
        shell.visuals = made.visuals
        trees[WORLD] = TreeModel(WORLD, "static", RobotModel(WORLD, [shell], [], str(path), fixed_base=True))
    for root in tree.world.children:
        with place(root.element.error):
            trees[root.name] = tree_model(root, solids, notes, str(path), visuals, inertias)
    strings = {one.name: one for context in tree.contexts for one in tendons.read(context, tree, notes)}
    held = [one for context in tree.contexts for one in equality.read(context, tree, trees, strings, notes)]
    held += [tendons.between(one) for one in strings.values() if one.ends]
    drives = [one for context in tree.contexts for one in actuators_.read(context, tree, strings, notes)]
    for one in (each for each in drives if not each.left_out):
        _connect(one, tree, trees, strings, solids, notes)
    for tendon in strings.values():
        if not tendon.ends and not tendon.left_out:
            _add_tendon(tendon, trees[tendon.root.name], notes)
    everything = keyframes.joints_of(trees.values())
    for context in (one for one in tree.contexts if one.outer is None):
        keyframes.read(context, everything, drives, notes)
    scene = Scene(main.root.attributes.get("model", Path(path).stem), str(path), trees, grounds, held, [], main.options)
    for flex in tree.flexcomps:
        with place(flex.element.error):
            scene.flexes.append(flex_.read(flex, notes))
        clock.check()
    for context in tree.contexts:
        for a, b in contacts.excludes(context, tree, notes):
            _separate(scene, a, b, notes)
    scene.warnings = notes.sentences()
    return scene


def _mention_smooth(solids: dict[str, bodies.Solid], notes: Notes) -> None:
    """Geoms without friction of their own whose friction MuJoCo takes where they touch one that has less."""
    geoms_ = [geom for solid in solids.values() for geom in solid.geoms if geom.collides]
    smooth = [geom for geom in geoms_ if geom.condim == 1]
    for geom in smooth:
        shape = geom.shape
        for other in geoms_:
            theirs = other.shape
            meet = shape.contact_type & theirs.contact_affinity | theirs.contact_type & shape.contact_affinity
            if meet and other.condim > 1 and other.friction < geom.friction and geom.placed is not None:
                notes.add(
                    geom.placed.values.element,
                    "with condim 1 it has no friction of its own here, so that of what it touches holds, not the "
                    "greater of the two.",
                )
                break


def _grounds(tree: Tree, solids: dict[str, bodies.Solid]) -> list[Ground]:
    """Planes of the world and of bodies that cannot move."""
    found = []
    for name, solid in solids.items():
        for geom in solid.geoms:
            if geom.type not in ("plane", "hfield"):
                continue
            node: Node | None = tree.bodies[name]
            while node is not None:
                if node.joints or node.mocap:
                    what = "plane" if geom.type == "plane" else "height field"
                    raise node.element.error(f'it carries the {what} "{geom.name}", which cannot move; make it a box.')
                node = node.parent
            if geom.type == "hfield":
                continue
            point, normal = geoms.plane_of(geom, tree.bodies[name].world_pose())
            x, y, z = normal.tolist()
            if geom.collides:
                found.append(
                    Ground(
                        geom.name,
                        (x, y, z),
                        float(normal @ point),
                        dict(geom.shape.material or {}),
                        geom.shape.contact_type,
                        geom.shape.contact_affinity,
                    )
                )
    for solid in solids.values():
        for geom in solid.geoms:
            if geom.type == "plane":
                geom.collides = False  # not a shape of the body
    return found


def _connect(
    one: actuators_.Read,
    tree: Tree,
    trees: dict[str, TreeModel],
    strings: dict[str, tendons.Read],
    solids: dict[str, bodies.Solid],
    notes: Notes,
) -> None:
    """Let an actuator move its joint or tendon, in the model that it belongs to."""
    actuator, gear = one.actuator, actuators_.gears(one.values)
    if one.tendon:
        _pull(one, strings[one.tendon], trees, float(gear[0]), notes)
        return
    node, joint = tree.joints[one.joint]
    if joint.kind == "free":
        notes.add(one.values.element, f"actuators of free joints are not simulated; {actuators_.LEFT_OUT}")
        return
    if joint.kind == "spherical":
        if np.any(actuator.bias) or actuator.velocity_gain:
            notes.add(one.values.element, f"servos of ball joints are not simulated; {actuators_.LEFT_OUT}")
            return
        names = [f"{joint.name}:{axis}" for axis in ("rx", "ry", "rz")]
        actuator.joints = {name: float(g) for name, g in zip(names, gear[:3], strict=True) if g}
    else:
        actuator.joints = {joint.name: float(gear[0])}
        if one.law.damping_ratio > 0.0:
            b0, b1, _ = actuator.bias
            mass = resistance(node, joint, solids) / float(gear[0] * gear[0]) if gear[0] else 0.0
            actuator.bias = (b0, b1, -2.0 * one.law.damping_ratio * float(np.sqrt(max(0.0, -b1) * mass)))
    _inherit(one, joint.values, joint.context.source.radians if joint.kind == "revolute" else 1.0)
    _register(actuator, trees[node.root.name], one, notes)


def _pull(one: actuators_.Read, tendon: tendons.Read, trees: dict[str, TreeModel], gear: float, notes: Notes) -> None:
    actuator = one.actuator
    if tendon.left_out:
        notes.add(one.values.element, f"its tendon is not simulated; {actuators_.LEFT_OUT}")
        return
    depends = actuator.bias[1] != 0.0 or actuator.bias[2] != 0.0 or actuator.velocity_gain != 0.0
    if one.law.damping_ratio > 0.0 or (depends and actuator.bias[1] == 0.0) or actuator.velocity_gain:
        text = f"of the servos of tendons only those for lengths, with kv, are simulated; {actuators_.LEFT_OUT}"
        notes.add(one.values.element, text)
        return
    if tendon.spatial is not None or tendon.ends or (depends and np.any(np.isfinite(actuator.force_range))):
        what = "tendons with a range of force" if tendon.joints else "spatial tendons"
        notes.add(one.values.element, f"actuators of {what} are not simulated; {actuators_.LEFT_OUT}")
        return
    if depends:
        actuator.tendon, actuator.gear, tendon.actuated = tendon.name, gear, True
    else:
        actuator.joints = {name: gear * weight for name, weight in tendon.joints.items()}
    _register(actuator, trees[tendon.root.name], one, notes)


def _inherit(one: actuators_.Read, values: Values, scale: float) -> None:
    """A servo's range of controls from that of its joint, which has ``values`` in a unit of ``scale`` rad or m."""
    share = 0.0 if one.context.options.off("clampctrl") else one.law.inherit_range
    if share > 0.0 and not np.any(np.isfinite(one.actuator.control_range)):
        low, high = values.vector("range", 2) * scale
        middle, half = 0.5 * (low + high), 0.5 * (high - low) * share
        one.actuator.control_range = (float(middle - half), float(middle + half))


def _register(actuator: Actuator, tree: TreeModel, one: actuators_.Read, notes: Notes) -> None:
    if any(other.name == actuator.name for other in tree.model.actuators):
        raise one.values.element.error(f'there is already an actuator "{actuator.name}"; rename one.')
    sharing = [other for other in tree.model.actuators if other.joints.keys() & actuator.joints.keys()]
    if sharing and any(np.isfinite(each.force_range).all() and any(each.bias) for each in (actuator, *sharing)):
        notes.add(one.values.element, "several actuators move its joint; their limits of force hold for the sum.")
    tree.model.actuators.append(actuator)


def _add_tendon(tendon: tendons.Read, tree: TreeModel, notes: Notes) -> None:
    if tendon.spatial is not None:
        if tree.kind == "robot":
            tree.model.spatial_tendons.append(tendon.spatial)
        else:
            notes.add(tendon.values.element, "tendons of rigid objects are not simulated; it is left out.")
    else:
        if tendon.needed():
            made = tendon.fixed()
            for actuator in tree.model.actuators:
                if actuator.tendon == tendon.name:
                    made.stiffness -= actuator.bias[1] * actuator.gear * actuator.gear
                    made.damping -= actuator.bias[2] * actuator.gear * actuator.gear
            tree.model.fixed_tendons.append(made)
        tree.model.fixed_tendons += tendon.more


def _separate(scene: Scene, a: Node, b: Node, notes: Notes) -> None:
    """Keep two bodies from colliding."""
    names = [(scene.owner(node) or WORLD, node.name) for node in (a, b)]
    if names[0][0] == names[1][0]:
        if names[0][0] != WORLD:
            scene.trees[names[0][0]].model.disabled_pairs.append((a.name, b.name))
        return
    if (a.parent is None or b.parent is None) and scene.grounds:
        node = b if a.parent is None else a
        notes.add(node.element, "contacts of a body with planes of the world cannot be excluded; they stay.")
    if all(name in scene.trees for name, _ in names):
        scene.separated.append((names[0], names[1]))
