"""State of one world carried over to another one that has some of the same things in it."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import fields
from typing import Any

from phalanx import components as c
from phalanx.components.particle import ParticleNearCount
from phalanx.ecs import Field, Table
from phalanx.models.actor_spec import KINEMATIC
from phalanx.world.contents import Contents
from phalanx.world.engine.rows import read_rows, write_rows
from phalanx.world.handles.actor import Actor
from phalanx.world.handles.robot import Robot
from phalanx.world.saving import STATE_ROLES

OF_ACTORS = {"links": c.Link, "dofs": c.Dof, "coords": c.Coord, "bodies": c.Body, "tree": c.Tree, "shapes": c.Shape}
"""Tables that actors have rows of, by the names of these."""

OF_DEFORMABLES = {
    "body": c.Deformable,
    "nodes": c.Node,
    "rope_nodes": c.RopeNode,
    "particles": c.Particle,
    "points": c.Node,
}

LEFT = (ParticleNearCount.kept,)
"""What is about rows of tables that are not carried over."""


def carry_state(old: Contents, new: Contents, leave: Collection[str] = ()) -> None:
    """Let a world go on from where another one is, as far as both have the same.

    Actors, deformable bodies and joints are the same if they have the same name, and alike bodies, joints or nodes.
    They keep positions, velocities, inputs and what was set of them. Objects that have become dynamic, or kinematic,
    keep positions, and velocities if they are dynamic. Contacts, attachments and ties begin without loads, as after a
    reset. Time and the number of steps go on.

    Args:
        old: the world that ends; it stays as it is.
        new: of as many environments on the same device; it is built.
        leave: names of components that are as the new world has them.
    """
    for name, actor in old.actors.items():
        other = new.actors.get(name)
        if other is not None and _same(actor, other):
            alike, held = actor.part.kind == other.part.kind, other.part.kind == KINEMATIC
            roles, kept = (STATE_ROLES, leave) if alike else (("state",), (*leave, *(("DofState",) if held else ())))
            _carry(old, new, _tables(actor._bound, OF_ACTORS), _tables(other._bound, OF_ACTORS), roles, kept)
    for name, body in old.all_deformables.items():
        other_body = new.all_deformables.get(name)
        if other_body is not None and body.num_nodes == other_body.num_nodes:
            _carry(old, new, _tables(body.rows, OF_DEFORMABLES), _tables(other_body.rows, OF_DEFORMABLES))
    for name, joint in old.joints.items():
        other_joint = new.joints.get(name)
        if other_joint is not None and joint.plan.to_dict() == other_joint.plan.to_dict():
            _carry(old, new, [(c.Loop, joint._rows)], [(c.Loop, other_joint._rows)])
    new.engine.step_count = old.engine.step_count
    new.engine.touch_state()


def _same(a: Actor, b: Actor) -> bool:
    joints = [one.joint_names if isinstance(one, Robot) else [] for one in (a, b)]
    return a.body_names == b.body_names and joints[0] == joints[1]


def _tables(rows: Any, tables: dict[str, Table]) -> list[tuple[Table, slice]]:
    """Tables, and a handle's rows of them."""
    found = []
    for each in fields(rows):
        if each.name in tables:
            at = getattr(rows, each.name)
            found.append((tables[each.name], slice(at, at + 1) if isinstance(at, int) else slice(at.start, at.stop)))
    return found


def _carry(
    old: Contents,
    new: Contents,
    sources: list[tuple[Table, slice]],
    targets: list[tuple[Table, slice]],
    roles: Collection[str] = STATE_ROLES,
    leave: Collection[str] = (),
) -> None:
    """Copy rows of tables of which both have as many."""
    for (table, source), (_, target) in zip(sources, targets, strict=True):
        if source.stop > source.start and source.stop - source.start == target.stop - target.start:
            for field in _fields(old, new, table):
                if field.role in roles and field.key.partition(".")[0] not in leave:
                    write_rows(new.engine, field, target, read_rows(old.engine, field, source), wait=True)


def _fields(old: Contents, new: Contents, table: Table) -> Iterator[Field]:
    """What continues a simulation, of a table, in both worlds."""
    both = {field.key for field in new.engine.store.fields(STATE_ROLES)}
    for field in old.engine.store.fields(STATE_ROLES):
        if field.table is table and field.key in both and field not in LEFT:
            yield field
