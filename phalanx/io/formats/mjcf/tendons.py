"""Tendons of a file: fixed ones over joints, spatial ones through sites."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from phalanx.io.formats.mjcf import schema
from phalanx.io.formats.mjcf.held import Held
from phalanx.io.formats.mjcf.notes import Notes
from phalanx.io.formats.mjcf.references import References
from phalanx.io.formats.mjcf.tree import Context, Node, Placed, Tree
from phalanx.io.formats.mjcf.values import Values
from phalanx.models.tendons import Attachment, FixedTendon, SpatialTendon


@dataclass
class Read:
    """A tendon of the scene; ``joints`` of a fixed one with their coefficients."""

    name: str
    values: Values
    context: Context
    root: Node
    """Of the tree that it belongs to."""
    joints: dict[str, float] = field(default_factory=dict)
    spatial: SpatialTendon | None = None
    ends: list[tuple[Node, Placed]] = field(default_factory=list)
    """Of a spatial tendon between trees, or to the world, that only keeps two points within a distance."""
    start: float = 0.0
    """Length of a fixed one where the file shows it."""
    gains: tuple[float, float] = (0.0, 0.0)
    """Stiffness and damping of a fixed one."""
    more: list[FixedTendon] = field(default_factory=list)
    """What holds its length, or ties it to others."""
    actuated: bool = False
    left_out: bool = False
    """It is not simulated, as was said."""

    def needed(self) -> bool:
        """Whether it does anything: springs, dampers, limits, or an actuator whose force depends on its length."""
        tendon = self.fixed()
        return self.actuated or tendon.stiffness > 0.0 or tendon.damping > 0.0 or tendon.limit_stiffness > 0.0

    def fixed(self) -> FixedTendon:
        """As a fixed tendon of a model."""
        values = self.values
        rest = _rest(values)
        rest = self.start if rest is None else rest
        made = FixedTendon(self.name, dict(self.joints), rest_length=rest)
        made.stiffness, made.damping = self.gains
        if _limited(values, self.context):
            made.lower, made.upper = values.vector("range", 2).tolist()
            made.limit_stiffness = math.inf
        return made


def read(context: Context, tree: Tree, notes: Notes) -> list[Read]:
    """Tendons of one file that belong to one tree of bodies; others are told of and left out."""
    found = []
    for element in context.source.sections("tendon"):
        if element.tag not in ("fixed", "spatial"):
            raise schema.unknown(element, ["fixed", "spatial"])
        schema.check(element, notes)
        values = context.source.defaults.values(element, "tendon", "main")
        own = element.attributes.get("name", "")
        name = context.name(own) if own else f"tendon_{len(found)}"
        made = (_fixed if element.tag == "fixed" else _spatial)(name, values, context, tree, notes)
        if made is not None:
            found.append(made)
    return found


def _fixed(name: str, values: Values, context: Context, tree: Tree, notes: Notes) -> Read | None:
    joints: dict[str, float] = {}
    references = References(context)
    roots = []
    start = 0.0
    for child in values.element.children:
        if child.tag != "joint":
            raise schema.unknown(child, ["joint"])
        schema.check(child, notes, "fixed joint")
        joint = references.find(tree.joints, child.get("joint"), child, "joint")
        if references.missing:
            return None
        node, given = tree.joints[joint]
        if given.kind not in ("revolute", "prismatic"):
            raise child.error(f'the joint "{joint}" has more than one degree of freedom.')
        roots.append(node.root)
        joints[joint] = joints.get(joint, 0.0) + Values(child).number("coef")
        start += Values(child).number("coef") * given.reference
    if not joints:
        raise values.element.error("it runs over no joint; give it one.")
    if not references.apply:
        return None
    if any(root is not roots[0] for root in roots):
        notes.add(values.element, "tendons between different robots are not simulated; it is left out.")
        return Read(name, values, context, tree.world, left_out=True)
    return Read(name, values, context, roots[0], joints, start=start, gains=_gains(values, context, notes))


def _spatial(name: str, values: Values, context: Context, tree: Tree, notes: Notes) -> Read | None:
    attachments: list[Attachment] = []
    references = References(context)
    roots, ends = [], []
    for child in values.element.children:
        if child.tag in ("geom", "pulley"):
            schema.check(child, notes, "spatial geom" if child.tag == "geom" else "")
            what = "wrap round geoms" if child.tag == "geom" else "branch at pulleys"
            notes.add(values.element, f"tendons that {what} are not simulated; it is left out.")
            return Read(name, values, context, tree.world, left_out=True)
        if child.tag != "site":
            raise schema.unknown(child, ["site", "geom", "pulley"])
        schema.check(child, notes, "spatial site")
        site = references.find(tree.sites, child.get("site"), child, "site")
        if references.missing:
            return None
        node, placed = tree.sites[site]
        x, y, z = placed.pose[0].tolist()
        attachments.append(Attachment(node.name, (x, y, z), parent=len(attachments) - 1))
        roots.append(node.root)
        ends.append((node, placed))
    if len(attachments) < 2:
        raise values.element.error("it needs at least two sites.")
    if not references.apply:
        return None
    gains = _gains(values, context, notes)
    if any(root is not roots[0] for root in roots) or roots[0] is tree.world:
        if len(ends) == 2 and not any(gains) and _limited(values, context):
            return Read(name, values, context, roots[0], ends=ends)
        notes.add(values.element, "tendons between robots, or to the world, are not simulated; it is left out.")
        return Read(name, values, context, tree.world, left_out=True)
    made = SpatialTendon(name, attachments)
    made.stiffness, made.damping = gains
    leaf = attachments[-1]
    leaf.rest_length = _rest(values)
    if _limited(values, context):
        leaf.lower, leaf.upper = values.vector("range", 2).tolist()
        made.limit_stiffness = math.inf
    return Read(name, values, context, roots[0], spatial=made)


def between(tendon: Read) -> Held:
    """A tendon that keeps two points within a distance, as what holds them."""
    (a, one), (b, other) = tendon.ends
    lower, upper = tendon.values.vector("range", 2).tolist()
    return Held("distance", tendon.name, a, b, one.pose, other.pose, (max(lower, 0.0), upper))


def _rest(values: Values) -> float | None:
    """Rest length; ``None``: that in the file's own pose, as -1 says there."""
    given = values.vector("springlength", 2, (-1.0, -1.0), least=1)
    if not values.has("springlength") or given[0] == -1.0:
        return None
    words = len(values.numbers("springlength"))
    if words == 2 and given[0] != given[1]:
        raise values.error("springlength", "a range without force cannot be had; give one length")
    return float(given[0])


def _gains(values: Values, context: Context, notes: Notes) -> tuple[float, float]:
    """Stiffness, N/m, and damping, N s/m."""
    stiffness, damping = (context.options.amount(values, name, notes) for name in ("stiffness", "damping"))
    return stiffness, damping


def _limited(values: Values, context: Context) -> bool:
    return not context.options.off("limit") and values.limited("limited", "range", context.source.compiler.autolimits)
