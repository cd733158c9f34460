"""Which bodies and geoms may not meet, or meet whatever their bits say."""

from __future__ import annotations

from phalanx.io.checks import nearest
from phalanx.io.mjcf import schema
from phalanx.io.mjcf.notes import Notes
from phalanx.io.mjcf.tree import Context, Node, Tree


def excludes(context: Context, tree: Tree, notes: Notes) -> list[tuple[Node, Node]]:
    """Pairs of bodies that do not collide."""
    found = []
    for element in context.source.sections("contact"):
        if element.tag not in ("exclude", "pair"):
            raise schema.unknown(element, ["exclude", "pair"])
        if element.tag != "exclude":
            continue
        schema.check(element, notes)
        bodies = []
        for key in ("body1", "body2"):
            given = element.get(key)
            name = given if given == "world" else context.name(given)
            if name not in tree.bodies:
                if context.attached and ("body", given) in context.source.names:
                    break
                raise element.error(f'the body "{name}" does not exist{nearest(name, tree.bodies)}')
            bodies.append(tree.bodies[name])
        if len(bodies) == 2:
            found.append((bodies[0], bodies[1]))
    return found


def pairs(context: Context, tree: Tree, notes: Notes) -> list[tuple[str, str]]:
    """Pairs of geoms, by name, that the file wants to collide in any case."""
    found = []
    for element in context.source.sections("contact"):
        if element.tag != "pair":
            continue
        schema.check(element, notes)
        values = context.source.defaults.values(element, "pair", "main")
        names = []
        for key in ("geom1", "geom2"):
            name = context.name(values.word(key))
            if name not in tree.geoms:
                if context.attached and ("geom", values.word(key)) in context.source.names:
                    break
                raise element.error(f'the geom "{name}" does not exist{nearest(name, tree.geoms)}')
            names.append(name)
        if len(names) == 2:
            found.append((names[0], names[1]))
    return found
