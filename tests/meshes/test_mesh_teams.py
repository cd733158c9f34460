"""Convex shapes on meshes as GPUs do it: a warp finds what threads find alone."""

from __future__ import annotations

import numpy as np
from ecs.team_emulator import Items, run_team_system
from oracles import host

import phalanx as px
from phalanx import components as c
from phalanx.ecs.sequences.stand_ins import substituted
from phalanx.systems import REFRESH, STEP
from phalanx.systems.collision.mesh_contact import EXCHANGES
from phalanx.systems.collision.mesh_contact import convex_mesh_teams as teams
from phalanx.systems.collision.mesh_contact.convex_mesh import collide_convex_with_mesh

ENVS = 2
RING = np.array([[np.cos(a), np.sin(a), z] for a in np.arange(6) * np.pi / 3 for z in (-1.0, 1.0)]) * 0.08
SHAPES = {
    "plank": px.Shape("box", (0.25, 0.1, 0.03)),
    "cylinder": px.Shape("cylinder", (0.05, 0.08)),
    "hull": px.Shape("mesh", vertices=RING),
    "pebble": px.Shape("box", (0.02, 0.02, 0.02)),
    "high": px.Shape("box", (0.1, 0.1, 0.1)),
    "ball": px.Shape("sphere", (0.05,)),
}
FOUND = (
    c.Manifold.count,
    c.Manifold.passed,
    c.Manifold.clearance,
    c.ManifoldPointState.position,
    c.ManifoldPointState.normal,
    c.ManifoldPointState.separation,
)


def terrain(rng: np.random.Generator) -> px.Shape:
    """Uneven ground of 40 x 16 squares of two triangles each, some 0.1 m wide."""
    x, y = np.meshgrid(np.linspace(-2.0, 2.0, 41), np.linspace(-0.8, 0.8, 17), indexing="ij")
    corners = np.stack([x, y, rng.uniform(0.0, 0.15, x.shape)], axis=-1).reshape(-1, 3)
    first = (np.arange(40)[:, None] * 17 + np.arange(16)).reshape(-1)
    triangles = np.concatenate(
        [np.stack([first, first + 17, first + 18], 1), np.stack([first, first + 18, first + 1], 1)]
    )
    return px.Shape("mesh", vertices=corners, faces=triangles, approximation="triangle_mesh")


def test_a_warp_finds_the_same_points() -> None:
    """To the bit, both in Python: shapes that lie, fall, pass by, are near nothing, or so fast that a ball guards them.

    The plank is near more triangles than a thread notes at a time, and together they are near more than a warp looks at
    side by side.
    """
    rng = np.random.default_rng(4)
    world = px.World(ENVS, "cpu", dt=1 / 60, dtype="float64")
    world.add_rigid_object(terrain(rng), "ground", kind="static")
    bodies = [world.add_rigid_object(shape, name, mass=1.0) for name, shape in SHAPES.items()]
    world.build()
    for i, body in enumerate(bodies):
        place = np.column_stack([0.6 * i - 1.5 + rng.uniform(-0.1, 0.1, (ENVS, 1)), np.zeros((ENVS, 1))])
        height = rng.uniform(0.1, 0.25, (ENVS, 1)) + (0.4 if i == 4 else 0.0)
        velocity = rng.normal(size=(ENVS, 6)) * [2.0, 2.0, 2.0, 5.0, 5.0, 5.0]
        velocity[:, 2] -= 30.0 * (np.arange(ENVS) % 2) * (i % 2)
        body.set_root_state(np.hstack([place, height, rng.normal(size=(ENVS, 4))]), velocity)
    store, step = world.engine.store, world.engine.sequence(STEP)
    assert teams.share_convex_with_mesh in substituted(step, EXCHANGES[1], store.rows)
    first = next(i for i, system in enumerate(step) if system.name.startswith("collide_"))
    # Pairs that may touch: the kernels of a whole step would take a minute to compile.
    store.program([*world.engine.sequence(REFRESH), *step[:first]]).run()
    arguments = {
        name: store.rows(access.target) if access.mode == "rows" else Items(store.array(access.target))
        for name, access in collide_convex_with_mesh.arguments.items()
    }
    near: list[int] = []
    is_near = teams.is_near

    def counted(*given: object) -> bool:
        found = is_near(*given)
        near.append(int(found))
        return found

    def alone() -> None:
        for n in range(store.rows(c.Candidate)):
            for e in range(ENVS):
                collide_convex_with_mesh.function(n, e, **arguments)

    def shared() -> None:
        teams.is_near = counted
        try:
            run_team_system(teams.share_convex_with_mesh, store)
        finally:
            teams.is_near = is_near

    results = []
    for run in (alone, shared):
        for field in FOUND:
            store.set(field, 0)
        run()
        results.append([host(store.view(field)).copy() for field in FOUND])
    for one, other in zip(*results, strict=True):
        np.testing.assert_array_equal(one, other)
    assert results[0][0].sum() > 20 and np.isfinite(results[0][2]).any()
    assert sum(near) > ENVS * 32 and len(near) > sum(near)
