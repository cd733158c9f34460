"""Which shapes may meet: the list of pairs and the filters of the sorted way say the same, and what the options say."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

import phalanx as px
from phalanx.components import AllowedPair, BarredPairKey, PairTopology, Shape, ShapeFilter, ShapeTopology
from phalanx.components.shape import MESH, PLANE
from phalanx.models.meshes.height_fields import grid_triangles
from phalanx.systems.collision.sweep_and_prune import is_barred, may_collide
from phalanx.world.layout import collision
from phalanx.world.layout import fill as layout


def world_of(seed: int) -> px.World:
    """Objects of all sorts with random groups and masks, robots with and without self-collision, pairs switched off."""
    rng = np.random.default_rng(seed)
    world = px.World(num_envs=1)
    world.add_ground()
    vertices, faces = grid_triangles(np.zeros((3, 3)), (1.0, 1.0))
    for k in range(12):
        kind = ("dynamic", "dynamic", "static", "kinematic")[k % 4]
        shape = (px.Shape("box", (0.1, 0.1, 0.1)), px.Shape("sphere", (0.1,)))[k % 2]
        if k in (2, 6):
            shape = px.Shape("mesh", vertices=vertices, faces=faces, approximation="triangle_mesh")
        mask = rng.choice(4, rng.integers(1, 5), replace=False).tolist() if rng.uniform() < 0.7 else 2**32 - 1
        group = int(rng.integers(4)) if k else 31
        world.add_rigid_object(shape, f"o{k}", kind=kind, collision_group=group, collision_mask=mask)
    world.add_robot("quadruped", "plain")
    names = world.robots["plain"].body_names
    pairs = [(names[i], names[j]) for i, j in rng.choice(len(names), (4, 2)).tolist() if i != j]
    world.add_robot("quadruped", "folding", self_collision=True, disable_collisions=pairs, collision_group=2)
    for a, b in rng.choice(list(world.actors), (5, 2)).tolist():
        if a != b:
            world.disable_collision(a, b)
    return world


def numbers(world: px.World, component: type, name: str) -> np.ndarray:
    """Whole numbers of a field that all environments share."""
    return world.engine.device.to_host(getattr(world[component], name))[..., 0]


def listed(world: px.World) -> set[tuple[int, int]]:
    a, b = numbers(world, PairTopology, "a"), numbers(world, PairTopology, "b")
    return set(zip(a.tolist(), b.tolist(), strict=True))


@pytest.mark.parametrize("seed", range(5))
def test_both_ways_let_the_same_pairs_through(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    allowed = listed(world_of(seed).build())
    for module in (collision, layout):
        monkeypatch.setattr(module, "LONGEST_LIST", 0)
    world = world_of(seed).build()
    assert world.engine.store.rows(AllowedPair) == 0 and len(allowed) > 20
    kind = numbers(world, ShapeTopology, "kind").tolist()
    names = ("yields", "part", "self_collision", "group", "mask")
    f = {name: numbers(world, ShapeFilter, name).tolist() for name in names}
    barred = numbers(world, BarredPairKey, "key")[:, None]
    count = world.engine.store.rows(Shape)
    found = set()
    for i, j in combinations(range(count), 2):
        may = may_collide(
            f["yields"][i], f["yields"][j], f["part"][i], f["part"][j], f["self_collision"][i],
            f["group"][i], f["group"][j], f["mask"][i], f["mask"][j], kind[i], kind[j],
        )  # fmt: skip
        if may and not is_barred(barred, len(barred), i * count + j):
            found.add((j, i) if kind[i] > kind[j] else (i, j))
    assert found == allowed


@pytest.mark.parametrize("seed", range(5))
def test_pairs_are_what_the_options_say(seed: int) -> None:
    """By the words of the documentation, from the actors and not from the tables."""
    world = world_of(seed).build()
    owner, body, link = [], [], []
    for actor in world.actors.values():
        for data in actor.part.articulation.collisions:
            owner.append(actor.name)
            body.append(data.body)
            link.append(data.link)
    kind = numbers(world, ShapeTopology, "kind").tolist()
    assert kind[-1] == PLANE
    disabled = {frozenset(pair) for pair in world.describe()["disabled_collisions"]}
    expected = set()
    for i, j in combinations(range(len(owner)), 2):
        a, b = world.actors[owner[i]].part, world.actors[owner[j]].part
        moved = any(p.kind == "dynamic" for p in (a, b))
        groups = a.mask >> b.group & 1 and b.mask >> a.group & 1
        meshes = kind[i] == MESH and kind[j] == MESH
        allowed = moved and groups and not meshes and frozenset((owner[i], owner[j])) not in disabled
        if a is b:
            parents = {(n, part_link.parent) for n, part_link in enumerate(a.articulation.links)}
            joined = link[i] == link[j] or (link[i], link[j]) in parents or (link[j], link[i]) in parents
            off = any({body[i], body[j]} == set(pair) for pair in a.disabled_bodies)
            allowed = allowed and a.self_collision and not joined and not off
        if allowed:
            expected.add((i, j))
    assert {(min(pair), max(pair)) for pair in listed(world)} == expected
