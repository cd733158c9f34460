"""Environments of a world with numbers of their own: masses, frames, sizes, limits, and which shapes they lack.

Whatever a model says ends in fields of the engine. So two worlds that are made of two models are compared field by
field, and where parameters differ, environments get those of the second; nothing of a model can be forgotten.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from phalanx import components as c
from phalanx.components.shape import ABSENT
from phalanx.ecs import Field, Store, Table

if TYPE_CHECKING:
    from phalanx.world.world import World


class VariantError(ValueError):
    """Two models differ in what cannot be another in each environment; the message says in what."""


def transfer(world: World, base: World, other: World, names: list[str], envs: np.ndarray) -> None:
    """Let environments of a world have the numbers in which two worlds of one environment differ.

    Args:
        world: built.
        base, other: built worlds of one environment with the same actors, in the same order.
        names: of those actors, which the first world has, too.
        envs: numbers of environments.

    Raises:
        VariantError: the two differ in what is the same in all environments by construction.
    """
    rows = _rows(world, base, names)
    theirs = _fields(other.engine.store)
    for key, one in _fields(base.engine.store).items():
        if key not in theirs:
            continue
        before, after = (np.asarray(w.engine.store.array(one))[..., 0] for w in (base, other))
        if before.shape != after.shape or (one.constant and not np.array_equal(before, after)):
            raise VariantError(f"{one.key} ({one.doc}) differs")
        changed = np.flatnonzero((before != after).reshape(len(before), -1).any(axis=1) & ~_both_nan(before, after))
        if not len(changed):
            continue
        place = rows.get(one.table)
        if place is None:
            if world.engine.store.rows(one.table) != base.engine.store.rows(one.table):
                raise VariantError(f"{one.key} ({one.doc}) differs")
            place = np.arange(len(before))
        world.engine.store.widen(one)
        with world.engine.store.active():
            xp = world.engine.store.device.xp
            array = world.engine.store.array(one)
            for row in changed:
                array[int(place[row])][..., xp.asarray(envs)] = xp.asarray(after[row][..., None], array.dtype)
    world.engine.touch_state()
    world.engine.touch_inputs()


def _both_nan(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    if a.dtype.kind != "f":
        return np.zeros(len(a), bool)
    return ((a == b) | (np.isnan(a) & np.isnan(b))).reshape(len(a), -1).all(axis=1)


def _rows(world: World, base: World, names: list[str]) -> dict[Table, np.ndarray]:
    """For each table whose rows belong to actors the rows of a world that those of a smaller world stand for."""
    found: dict[Table, list[int]] = {table: [] for table in (c.Link, c.Dof, c.Coord, c.Body, c.Tree, c.Shape)}
    for name in names:
        bound = world.actors[name]._bound
        for table, part in (
            (c.Link, bound.links),
            (c.Dof, bound.dofs),
            (c.Coord, bound.coords),
            (c.Body, bound.bodies),
        ):
            found[table] += range(part.start, part.stop)
        found[c.Tree].append(bound.tree)
        found[c.Shape] += bound.shapes
    planes = base.engine.store.rows(c.Shape) - len(found[c.Shape])
    count = world.engine.store.rows(c.Shape)
    found[c.Shape] += range(count - planes, count)
    return {table: np.array(rows, int) for table, rows in found.items()}


def _fields(store: Store) -> dict[str, Field]:
    held = store.fields(("state", "input", "parameter", "derived"))
    return {one.key: one for one in held if one.constant or one.role != "derived"}


def remove_shapes(world: World, name: str, numbers: list[int], envs: np.ndarray) -> None:
    """Let some environments lack shapes of an actor: they meet nothing there, and no ray meets them.

    Args:
        world: built.
        name: of the actor.
        numbers: of its shapes.
        envs: numbers of environments.
    """
    geometry, store = c.ShapeGeometry, world.engine.store
    values = [(geometry.contact_offset, ABSENT), *((one, 0.0) for one in (geometry.size, geometry.low, geometry.high))]
    rows = [world.actors[name]._bound.shapes[number] for number in numbers]
    if not rows or not len(envs):
        return
    for one, value in values:
        store.widen(one)
        with store.active():
            for row in rows:
                store.array(one)[row][..., store.device.xp.asarray(envs)] = value
    world.engine.touch_state()
