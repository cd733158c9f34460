"""Which bodies and geoms may not meet, or meet whatever their bits say."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from phalanx.io.formats.mjcf import schema, softness
from phalanx.io.formats.mjcf.bodies import Solid
from phalanx.io.formats.mjcf.geoms import Geom
from phalanx.io.formats.mjcf.inertia import carried
from phalanx.io.formats.mjcf.notes import Notes
from phalanx.io.formats.mjcf.references import References
from phalanx.io.formats.mjcf.tree import Context, Node, Tree


def excludes(context: Context, tree: Tree, notes: Notes) -> list[tuple[Node, Node]]:
    """Pairs of bodies that do not collide."""
    found = []
    for element in context.source.sections("contact"):
        if element.tag not in ("exclude", "pair"):
            raise schema.unknown(element, ["exclude", "pair"])
        if element.tag != "exclude":
            continue
        schema.check(element, notes)
        references = References(context)
        a, b = (
            "world" if element.get(key) == "world" else references.find(tree.bodies, element.get(key), element, "body")
            for key in ("body1", "body2")
        )
        if references.apply:
            found.append((tree.bodies[a], tree.bodies[b]))
    return found


FIRST_BIT = 32
LAST_BIT = 62
"""Contact bits that files cannot use, one for each geom that pairs are made with."""
FILE_BITS = (1 << FIRST_BIT) - 1
ALL_BITS = (1 << (LAST_BIT + 1)) - 1

Kind = tuple[int, int, softness.Softness]
"""Contact type and affinity of a geom, and how soft it is."""


def let_meet(tree: Tree, solids: dict[str, Solid], notes: Notes) -> None:
    """Give the geoms of explicit pairs contact bits by which they, and no others, meet.

    One of two geoms gets a bit of its own as its type, the other the same as its affinity, so geoms that meet the same
    one do not meet each other. Those that are paired most go first, as they need the fewest bits.
    """
    by_name = {geom.name: geom for solid in solids.values() for geom in solid.geoms if geom.name}
    missing = []
    for context in tree.contexts:
        for a, b in pairs(context, tree, notes):
            one, other = by_name[a].shape, by_name[b].shape
            bits = one.contact_type & other.contact_affinity | other.contact_type & one.contact_affinity
            if not bits and not context.options.off("contact"):
                missing.append((a, b))
    bit = FIRST_BIT
    while missing:
        names = [name for pair in missing for name in pair]
        hub = max(names, key=names.count)
        others = [a if b == hub else b for a, b in missing if hub in (a, b)]
        missing = [pair for pair in missing if hub not in pair]
        if bit > LAST_BIT:
            notes.add(
                tree.geoms[hub][1].values.element, "there are too many explicit pairs; those with it are left out."
            )
            continue
        by_name[hub].shape.contact_type |= 1 << bit
        for name in others:
            by_name[name].shape.contact_affinity |= 1 << bit
        for name in (hub, *others):
            by_name[name].collides = True
        bit += 1


def pairs(context: Context, tree: Tree, notes: Notes) -> list[tuple[str, str]]:
    """Pairs of geoms, by name, that the file wants to collide in any case."""
    found = []
    for element in context.source.sections("contact"):
        if element.tag != "pair":
            continue
        schema.check(element, notes)
        values = context.source.defaults.values(element, "pair", "main")
        references = References(context)
        a, b = (references.find(tree.geoms, values.word(key), element, "geom") for key in ("geom1", "geom2"))
        if references.apply:
            found.append((a, b))
    return found


def _softness_of_pairs(tree: Tree, notes: Notes) -> dict[str, dict[str, softness.Softness]]:
    """Softness that explicit pairs have of their own, by the names of both geoms."""
    found: dict[str, dict[str, softness.Softness]] = {}
    for context in tree.contexts:
        least = 0.0 if context.options.off("refsafe") else 2.0 * context.options.timestep
        for element in context.source.sections("contact"):
            if element.tag != "pair":
                continue
            values = context.source.defaults.values(element, "pair", "main")
            soft = softness.read_softness(values, "solref", "solimp", least)
            references = References(context)
            a, b = (references.find(tree.geoms, values.word(key), element, "geom") for key in ("geom1", "geom2"))
            if references.apply and soft.given:
                found.setdefault(a, {})[b] = soft
                found.setdefault(b, {})[a] = soft
            elif references.apply and values.has("solimp"):
                notes.attribute(values.givers("solimp")[-1], "solimp")
    return found


def soften(tree: Tree, solids: dict[str, Solid], notes: Notes) -> None:
    """Give geoms that move the springs and dampers that their contacts have in the file.

    A geom's are those for its own mass. Those of two that move are one behind the other, which makes them those for the
    reduced mass. Of several kinds of contacts those with what cannot move count, which stays rigid here.
    """
    still: dict[Kind, Geom] = {}
    others: dict[Kind, Geom] = {}
    moving: list[tuple[Node, Geom]] = []
    fixed: set[str] = set()
    for name, solid in solids.items():
        moves = _moves(tree.bodies[name])
        for geom in (geom for geom in solid.geoms if geom.collides):
            if moves:
                moving.append((tree.bodies[name], geom))
            else:
                fixed.add(geom.name)
            kinds = others if moves else still
            kinds[geom.shape.contact_type, geom.shape.contact_affinity, geom.softness] = geom
    paired = _softness_of_pairs(tree, notes)
    if not paired and not any(geom.softness.given for geom in (*still.values(), *others.values())):
        return
    for node, geom in moving:
        own = paired.get(geom.name, {}) if geom.name else {}
        held = [soft for other, soft in own.items() if other in fixed]
        free = [soft for other, soft in own.items() if other not in fixed]
        bits = ALL_BITS if not own else FILE_BITS  # by others only explicit pairs meet
        kinds = _kinds(geom, held, still, bits) or _kinds(geom, free, others, bits)
        kinds = kinds or [softness.mixed(geom.softness, softness.Softness())]
        soft = next((kind for kind in kinds if kind.given), None)
        mass = carried(node, solids) if soft is not None else 0.0
        if soft is None or mass <= 0.0 or geom.placed is None:
            continue
        element, options = geom.placed.values.element, geom.placed.context.options
        load = float(np.linalg.norm(options.gravity)) or 9.81
        stiffness, damping = softness.spring(soft, mass, load)
        geom.shape.material = {
            **(geom.shape.material or {}), "contact_stiffness": stiffness, "contact_damping": damping,
            "contact_combine": "series",
        }  # fmt: skip
        notes.add(element, f"solref: {softness.DAMPED if softness.damped(soft) else softness.LIVELY}")
        if len(kinds) > 1:
            notes.add(element, f"its contacts differ in solref; all have that of one, {softness.SPRINGS}.")


def _kinds(
    geom: Geom, pairs: list[softness.Softness], others: Iterable[Kind], bits: int
) -> list[softness.Softness]:  # fmt: skip
    """Softness of contacts of a geom: of explicit pairs, and mixtures with those that it meets."""
    return list(dict.fromkeys([*pairs, *(softness.mixed(geom.softness, other) for other in _met(geom, others, bits))]))


def _moves(node: Node | None) -> bool:
    """Whether joints move a body."""
    while node is not None and not node.joints:
        node = node.parent
    return node is not None


def _met(geom: Geom, others: Iterable[Kind], bits: int) -> list[softness.Softness]:
    """Softness of geoms that these of their bits let it meet."""
    mine, affinity = geom.shape.contact_type & bits, geom.shape.contact_affinity & bits
    return [soft for kind, willing, soft in others if mine & willing or kind & affinity]
