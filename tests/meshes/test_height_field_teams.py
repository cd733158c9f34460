"""Convex shapes on height fields as GPUs do it: a warp finds what a thread finds alone."""

from __future__ import annotations

import numpy as np
from ecs.team_emulator import Items, run_team_system
from oracles import host

import phalanx as px
from phalanx import components as c
from phalanx.ecs.sequences.stand_ins import substituted
from phalanx.systems import REFRESH, STEP
from phalanx.systems.collision.mesh_contact import EXCHANGES
from phalanx.systems.collision.mesh_contact.convex_height_field import collide_convex_with_height_field
from phalanx.systems.collision.mesh_contact.convex_height_field_teams import spread_convex_with_height_field

ENVS = 2
RING = np.array([[np.cos(a), np.sin(a), z] for a in np.arange(6) * np.pi / 3 for z in (-1.0, 1.0)]) * 0.08
SHAPES = {
    "plank": px.Shape("box", (0.25, 0.1, 0.03)),
    "cylinder": px.Shape("cylinder", (0.05, 0.08)),
    "hull": px.Shape("mesh", vertices=RING),
    "pebble": px.Shape("box", (0.02, 0.02, 0.02)),
}
FOUND = (
    c.Manifold.count,
    c.Manifold.passed,
    c.Manifold.clearance,
    c.ManifoldPointState.position,
    c.ManifoldPointState.normal,
    c.ManifoldPointState.separation,
)


def test_a_warp_finds_the_same_points() -> None:
    """To the bit, both in Python: shapes that lie, fall, pass by, and are so fast that a ball guards them."""
    rng = np.random.default_rng(4)
    world = px.World(ENVS, "cpu", dt=1 / 60, dtype="float64")
    ground = px.Shape("height_field", (0.1, 0.1), heights=rng.uniform(0.0, 0.15, (40, 24)))
    world.add_rigid_object(ground, "ground", kind="static")
    bodies = [world.add_rigid_object(shape, name, mass=1.0) for name, shape in SHAPES.items()]
    world.build()
    for i, body in enumerate(bodies):
        place = np.column_stack([0.8 * i - 1.2 + rng.uniform(-0.1, 0.1, (ENVS, 1)), np.zeros((ENVS, 1))])
        height = rng.uniform(0.1, 0.25, (ENVS, 1))
        velocity = rng.normal(size=(ENVS, 6)) * [2.0, 2.0, 2.0, 5.0, 5.0, 5.0]
        velocity[:, 2] -= 30.0 * (np.arange(ENVS) % 2) * (i % 2)
        body.set_root_state(np.hstack([place, height, rng.normal(size=(ENVS, 4))]), velocity)
    store, step = world.engine.store, world.engine.sequence(STEP)
    assert spread_convex_with_height_field in substituted(step, EXCHANGES[0], store.rows)
    first = next(i for i, system in enumerate(step) if system.name.startswith("collide_"))
    # Pairs that may touch: the kernels of a whole step would take a minute to compile.
    store.program([*world.engine.sequence(REFRESH), *step[:first]]).run()
    arguments = {
        name: store.rows(access.target) if access.mode == "rows" else Items(store.array(access.target))
        for name, access in collide_convex_with_height_field.arguments.items()
    }

    def alone() -> None:
        for n in range(store.rows(c.Candidate)):
            for e in range(ENVS):
                collide_convex_with_height_field.function(n, e, **arguments)

    results = []
    for run in (alone, lambda: run_team_system(spread_convex_with_height_field, store)):
        for field in FOUND:
            store.set(field, 0)
        run()
        results.append([host(store.view(field)).copy() for field in FOUND])
    for one, other in zip(*results, strict=True):
        np.testing.assert_array_equal(one, other)
    assert results[0][0].sum() > 20 and np.isfinite(results[0][2]).any()
