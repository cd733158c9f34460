"""The bodies of a file as a tree, with frames resolved, copies made and attached files put in their places."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from phalanx.io.formats.mjcf import schema
from phalanx.io.formats.mjcf.notes import Notes
from phalanx.io.formats.mjcf.poses import IDENTITY, Pose, compose
from phalanx.io.formats.mjcf.source import Options, Source
from phalanx.io.formats.mjcf.values import Values
from phalanx.io.reading import limits
from phalanx.io.reading.errors import LoadError
from phalanx.io.reading.sizes import expanded
from phalanx.io.reading.xmltree import Element
from phalanx.maths.arrays import between, from_euler, rotate, unit
from phalanx.models.checks import nearest

IGNORED = ("camera", "light")
HOLDS = (
    "body",
    "joint",
    "freejoint",
    "geom",
    "site",
    "inertial",
    "frame",
    "replicate",
    "attach",
    "flexcomp",
    *IGNORED,
    "plugin",
)
LEAVES = ("joint", "freejoint", "geom", "site", "inertial")
JOINTS = {"free": "free", "ball": "spherical", "slide": "prismatic", "hinge": "revolute"}


@dataclass(frozen=True)
class Context:
    """Where an element comes from: its file, and what is put around names in it."""

    source: Source
    options: Options
    """Of the file that everything is attached to."""
    prefix: str = ""
    suffix: str = ""
    attached: bool = False
    outer: Context | None = None
    """Of a copy that <replicate> makes: what it is a copy in."""

    def holds(self, other: Context) -> bool:
        """Whether another one is this one, or a copy in it."""
        inner: Context | None = other
        while inner is not None and inner is not self:
            inner = inner.outer
        return inner is self

    def name(self, name: str) -> str:
        """A name of the file as it is in the scene."""
        return f"{self.prefix}{name}{self.suffix}"


@dataclass
class Placed:
    """A geom or site of a body, in the body's frame."""

    name: str
    values: Values
    context: Context
    pose: Pose


@dataclass
class JointNode:
    """A joint of a body: ``kind`` as in :class:`phalanx.models.robot_model.Joint`, anchor and unit axis in the body's
    frame.
    """

    name: str
    kind: str
    values: Values
    context: Context
    anchor: np.ndarray
    axis: np.ndarray
    reference: float
    """Coordinate in the pose in which the file shows the body, rad or m."""


@dataclass
class Node:
    """A body; ``pose`` is that in its parent."""

    name: str
    element: Element
    context: Context
    parent: Node | None
    pose: Pose
    mocap: bool = False
    joints: list[JointNode] = field(default_factory=list)
    geoms: list[Placed] = field(default_factory=list)
    sites: list[Placed] = field(default_factory=list)
    inertial: Values | None = None
    children: list[Node] = field(default_factory=list)

    def world_pose(self) -> Pose:
        """Its pose as the file shows it."""
        return self.pose if self.parent is None else compose(self.parent.world_pose(), self.pose)

    @property
    def root(self) -> Node:
        """The top-level body that it hangs on; the world's own is the world."""
        node = self
        while node.parent is not None and node.parent.parent is not None:
            node = node.parent
        return node

    def walk(self) -> Iterable[Node]:
        """It and all below it, depth first."""
        yield self
        for child in self.children:
            yield from child.walk()


@dataclass
class Flexcomp:
    """Something deformable that a body has; ``pose`` is that of its points in the body."""

    name: str
    element: Element
    context: Context
    node: Node
    pose: Pose


@dataclass
class Tree:
    """All bodies of a scene, the world first, and everything that has a name, by name as it is in the scene."""

    main: Source
    notes: Notes
    asset_dirs: tuple[Any, ...] = ()
    bodies: dict[str, Node] = field(default_factory=dict)
    joints: dict[str, tuple[Node, JointNode]] = field(default_factory=dict)
    geoms: dict[str, tuple[Node, Placed]] = field(default_factory=dict)
    sites: dict[str, tuple[Node, Placed]] = field(default_factory=dict)
    flexcomps: list[Flexcomp] = field(default_factory=list)
    contexts: list[Context] = field(default_factory=list)
    """Of the file itself, and one for each time that another one is attached and for each copy."""
    _opened: dict[str, Source] = field(default_factory=dict)

    def __post_init__(self) -> None:
        context = Context(self.main, self.main.options)
        self.contexts.append(context)
        self.world = Node("world", self.main.root, context, None, IDENTITY)
        self.bodies["world"] = self.world
        self._check_size()
        for section in self.main.root.all("worldbody"):
            schema.check(section, self.notes)
            self._fill(self.world, section, context, IDENTITY, "main")

    def _check_size(self) -> None:
        """Refuse a file that becomes too many elements once copies are made and models attached."""

        def inside(part: tuple[Source, Element]) -> Iterable[tuple[tuple[Source, Element], int]]:
            source, element = part
            times = 1
            if element.tag == "replicate":
                times = max(0, Values(element).whole("count", 1))
            for child in element.children:
                yield (source, child), times
            if element.tag == "attach" and "frame" not in element.attributes:
                attached = self._open(source, element)
                yield from (((attached, section), 1) for section in attached.root.all("worldbody"))

        known: dict[Any, tuple[int, int]] = {}
        for section in self.main.root.all("worldbody"):
            expanded((self.main, section), inside, "elements", section.error, lambda part: id(part[1]), known)

    # -- reading -----------------------------------------------------------------------------------------------

    def _fill(self, node: Node, element: Element, context: Context, pose: Pose, inherited: str) -> None:
        """Read what an element holds into a body; ``pose`` is that of the frame that it is written in."""
        source = context.source
        for child in element.children:
            tag = child.tag
            if tag not in HOLDS:
                if tag == "composite":
                    raise child.error(f"<{tag}> is not simulated; write out the bodies, or remove it.")
                raise schema.unknown(child, list(HOLDS))
            if tag in IGNORED:
                continue
            if tag == "plugin":
                self.notes.add(child, "plugins are not simulated; it is left out.")
                continue
            if tag == "flexcomp":
                own = compose(pose, source.pose(Values(child)))
                self._flexcomp(node, child, context, own)
                continue
            schema.check(child, self.notes)
            for inside in child.children if tag in LEAVES else ():
                if inside.tag != "plugin":
                    raise schema.unknown(inside, ["plugin"])
                self.notes.add(inside, "plugins are not simulated; it is left out.")
            if node is self.world and tag in ("joint", "freejoint", "inertial"):
                raise child.error("the world cannot have it; put it into a <body>.")
            if tag == "body":
                self._body(node, child, context, pose, inherited)
            elif tag == "frame":
                own = compose(pose, source.pose(Values(child)))
                self._fill(node, child, context, own, _class(child, source, inherited))
            elif tag == "replicate":
                self._replicate(node, child, context, pose, inherited)
            elif tag == "attach":
                self._attach(node, child, context, pose)
            elif tag == "inertial":
                if node.inertial is not None:
                    raise child.error("the body already has one; remove one.")
                node.inertial = Values(child)
            elif tag in ("joint", "freejoint"):
                self._joint(node, child, context, pose, inherited)
            else:
                values = source.defaults.values(child, tag, inherited)
                name = child.attributes.get("name", "")
                placed = Placed(context.name(name) if name else "", values, context, IDENTITY)
                placed.pose = compose(pose, _place(values, source))
                table, mine = (self.geoms, node.geoms) if tag == "geom" else (self.sites, node.sites)
                mine.append(placed)
                if name:
                    _register(table, placed.name, (node, placed), child)

    def _body(self, parent: Node, element: Element, context: Context, pose: Pose, inherited: str) -> Node:
        given = element.attributes.get("name", "")
        name = context.name(given) if given else self._free(f"body_{len(self.bodies)}")
        values = Values(element)
        own = compose(pose, context.source.pose(values))
        node = Node(name, element, context, parent, own, values.flag("mocap", False))
        _register(self.bodies, name, node, element)
        parent.children.append(node)
        self._fill(node, element, context, IDENTITY, _class(element, context.source, inherited))
        kinds = [joint.kind for joint in node.joints]
        if "free" in kinds and (len(kinds) > 1 or parent is not self.world):
            raise element.error("a free joint must be the only joint of a body that hangs in the world itself.")
        if node.mocap and (kinds or parent is not self.world):
            raise element.error("a mocap body hangs in the world itself and has no joints.")
        return node

    def _flexcomp(self, node: Node, element: Element, context: Context, pose: Pose) -> None:
        given = element.attributes.get("name", "")
        if not given:
            raise element.error("a flexcomp must have a name.")
        name = context.name(given)
        if any(one.name == name for one in self.flexcomps):
            raise element.error(f'there is already a flexcomp named "{name}".')
        self.flexcomps.append(Flexcomp(name, element, context, node, pose))

    def _free(self, name: str) -> str:
        while name in self.bodies:
            name += "_"
        return name

    def _joint(self, node: Node, element: Element, context: Context, pose: Pose, inherited: str) -> None:
        source = context.source
        free = element.tag == "freejoint"
        values = Values(element) if free else source.defaults.values(element, "joint", inherited)
        kind = "free" if free else JOINTS[values.choice("type", "hinge", tuple(JOINTS))]
        axis = rotate(pose[1], values.vector("axis", 3, (0.0, 0.0, 1.0)))
        if kind in ("revolute", "prismatic") and not np.linalg.norm(axis) > 1e-10:
            raise values.error("axis", "it must not be zero")
        anchor = compose(pose, (values.vector("pos", 3, (0.0, 0.0, 0.0)), IDENTITY[1]))[0]
        if kind == "free":
            anchor = np.zeros(3)
        reference = values.number("ref", 0.0) * (source.radians if kind == "revolute" else 1.0)
        reference = reference if kind in ("revolute", "prismatic") else 0.0
        given = element.attributes.get("name", "")
        name = context.name(given) if given else f"{node.name}_joint{len(node.joints) or ''}"
        joint = JointNode(name, kind, values, context, anchor, unit(axis), reference)
        node.joints.append(joint)
        _register(self.joints, name, (node, joint), element)

    def _replicate(self, node: Node, element: Element, context: Context, pose: Pose, inherited: str) -> None:
        values = Values(element)
        count = values.whole("count")
        if count < 1:
            raise values.error("count", "it must be at least 1")
        limits.check("elements", len(self.contexts) + count, element.error)  # also copies of nothing
        source = context.source
        turned = from_euler(source.radians * values.vector("euler", 3, (0.0, 0.0, 0.0)), source.compiler.sequence)
        step = (values.vector("offset", 3, (0.0, 0.0, 0.0)), turned)
        separator, digits = values.word("sep", ""), len(str(count - 1))
        own = IDENTITY
        for number in range(count):
            suffix = f"{separator}{number:0{digits}d}{context.suffix}"
            inner = Context(source, context.options, context.prefix, suffix, context.attached, context)
            self.contexts.append(inner)
            self._fill(node, element, inner, compose(pose, own), inherited)
            own = compose(own, step)

    def _open(self, source: Source, element: Element) -> Source:
        """The file that an <attach> of another one names."""
        model = source.asset("model", Values(element).word("model"), element)
        file = str(source.finder.resolve(model.word("file"), model.element))
        if file == self.main.path:
            raise element.error(f'"{model.word("file")}" attaches itself; break the circle.')
        if file not in self._opened:
            limits.check("includes", len(self._opened) + 1, element.error)
            try:
                self._opened[file] = Source.load(file, self.asset_dirs, self.notes)
            except LoadError as error:
                raise element.error(f"the attached file cannot be used: {error}") from None
        return self._opened[file]

    def _attach(self, node: Node, element: Element, context: Context, pose: Pose) -> None:
        values = Values(element)
        if "frame" in element.attributes:
            raise element.error("only bodies and whole files can be attached; name a body in place of the frame.")
        source = self._open(context.source, element)
        inner = Context(source, context.options, context.prefix + values.word("prefix"), context.suffix, True)
        self.contexts.append(inner)
        wanted = element.attributes.get("body", "")
        for section in source.root.all("worldbody"):
            if not wanted:
                self._fill(node, section, inner, pose, "main")
                continue
            for found, inherited in _bodies(section, "main"):
                if found.attributes.get("name") == wanted:
                    self._body(node, found, inner, pose, inherited)
                    return
        if wanted:
            names = [name for tag, name in source.names if tag == "body"]
            raise element.error(f'the model has no body "{wanted}"{nearest(wanted, names)}')


def _bodies(element: Element, inherited: str) -> Iterable[tuple[Element, str]]:
    """Bodies below an element, with the default class that each inherits."""
    for child in element.children:
        if child.tag == "body":
            yield child, inherited
        if child.tag in ("body", "frame", "replicate"):
            yield from _bodies(child, child.attributes.get("childclass", inherited))


def _class(element: Element, source: Source, inherited: str) -> str:
    name = element.attributes.get("childclass", inherited)
    if name not in source.defaults.classes:
        raise element.error(f'the default class "{name}" does not exist{nearest(name, source.defaults.classes)}')
    return name


def _place(values: Values, source: Source) -> Pose:
    """Pose of a geom or site in the frame that it is written in; sizes are read in
    :mod:`phalanx.io.formats.mjcf.geoms`.
    """
    if not values.has("fromto"):
        return source.pose(values)
    ends = values.vector("fromto", 6)
    along = ends[:3] - ends[3:]
    if not np.linalg.norm(along) > 1e-10:
        raise values.error("fromto", "its ends are in one place")
    return 0.5 * (ends[:3] + ends[3:]), between((0.0, 0.0, 1.0), unit(along))


def _register(table: dict[str, Any], name: str, value: Any, element: Element) -> None:
    if name in table:
        raise element.error(f'the name "{name}" is taken; rename one, or give copies a separator of their own.')
    table[name] = value
