"""Candidates that share a shape are found by its chain on CPUs, and among all candidates on GPUs."""

from __future__ import annotations

import numpy as np
from oracles import host

import phalanx as px
from phalanx import components as c
from phalanx.ecs.sequences.stand_ins import substituted
from phalanx.systems import STEP
from phalanx.systems.collision.seams import EXCHANGE, chain_candidates, drop_seam_contacts, without_chains

ENVS = 3


def test_both_ways_leave_out_the_same_contacts() -> None:
    """Boxes that slide over tiles, which are bodies of their own: each box is on up to four, a plank on dozens."""
    rng = np.random.default_rng(2)
    world = px.World(ENVS, "cpu", dt=1 / 60)
    for i in range(8):
        for j in range(5):
            tile = px.Shape("box", (0.1, 0.1, 0.05))
            world.add_rigid_object(tile, f"tile_{i}_{j}", kind="static", position=(0.2 * i, 0.2 * j, -0.05))
    boxes = [world.add_rigid_object(px.Shape("box", (0.09, 0.08, 0.07)), f"box_{k}", mass=1.0) for k in range(4)]
    plank = world.add_rigid_object(px.Shape("box", (0.75, 0.3, 0.03)), "plank", mass=1.0)
    world.build()
    for k, box in enumerate(boxes):
        place = np.tile([0.3 + 0.2 * k, 0.15, 0.0705, 1.0, 0.0, 0.0, 0.0], (ENVS, 1))
        place[:, :2] += rng.uniform(-0.05, 0.05, (ENVS, 2))
        box.set_root_state(place, np.tile([0.5, 0.3, 0.0, 0.0, 0.0, 0.0], (ENVS, 1)))
    plank.set_root_state(np.tile([0.7, 0.6, 0.0305, 1.0, 0.0, 0.0, 0.0], (ENVS, 1)), np.zeros((ENVS, 6)))
    world.step(3)
    store = world.engine.store
    assert without_chains() in substituted(world.engine.sequence(STEP), EXCHANGE, store.rows)
    found = []
    for systems in ([chain_candidates, drop_seam_contacts], [without_chains()]):
        store.set(c.Manifold.dropped, 0)
        store.set(c.ShapeChain.last, -1)
        store.program(systems).run()
        found.append(host(store.view(c.Manifold.dropped)).copy())
    np.testing.assert_array_equal(*found)
    used = int(host(store.view(c.CandidateCount.current)).max())
    count = host(store.view(c.Manifold.count))[..., :used]
    left_out = (found[0] != 0).sum()
    assert used > 32 and left_out > 3 and (count > 0).sum() > 2 * left_out
