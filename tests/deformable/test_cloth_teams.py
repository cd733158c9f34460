"""Sweeps over cloth as GPUs do them, a block of threads for each environment: what is found colour by colour."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from deformable.scenes import world
from ecs.team_emulator import run_team_system
from oracles import host

import phalanx as px
from phalanx import components as c
from phalanx.ecs.declare import Access
from phalanx.ecs.sequences.stand_ins import substituted
from phalanx.ecs.text.team_language import variant
from phalanx.systems.deformable import cloth_teams, sequence

ENVS = 2


@pytest.fixture(scope="module")
def drape() -> px.World:
    """A sheet that lies over the edge of a box: tied at a corner, held at another."""
    made = world(num_envs=ENVS, contact_offset=0.02)
    made.add_rigid_object(px.Shape("box", (0.1, 0.1, 0.05)), "box", kind="static", position=(0.0, 0.0, 0.05))
    mesh = px.ClothMesh.grid(0.25, 0.2, 5, 4)
    sheet = made.add_cloth(mesh, "sheet", position=(0.03, 0.0, 0.102))
    made.attach_nodes(sheet, np.arange(len(mesh.nodes)) == 0)
    made.build()
    sheet.set_node_targets(sheet.node_pos, held=np.arange(len(mesh.nodes)) == len(mesh.nodes) - 1)
    for _ in range(6):
        made.step()
    return made


def test_a_block_finds_what_colours_find(drape: px.World) -> None:
    """Two sweeps, forwards and back, from places that were shaken: to rounding in float64."""
    store = drape.engine.store
    assert (host(store.view(c.NodeContactState.pair)) >= 0).any() and (host(store.view(c.NodeTarget.held)) > 0).any()
    assert drape.engine.soft_steps is not None
    swept = [s for s in sequence(drape.engine.schedule, *drape.engine.soft_steps) if s.name == "relax_cloth"]
    portions = swept[: 2 * store.rows(c.ClothColour)]
    [whole] = substituted(portions, cloth_teams.PORTIONS, store.rows)
    assert whole.name == "sweep_cloth"
    numbers = {name: access for name, access in whole.arguments.items() if isinstance(access.target, int)}
    assert [numbers[name].target for name in ("sweeps", "back")] == [2, 0]
    few = variant(cloth_teams.sweep_cloth, "sweep_cloth_by_32", 32, 32, THREADS=32)
    few = replace(few, arguments=few.arguments | numbers)
    store.set(c.ClothMaterial.pressure, 20.0)  # as if it were closed
    rng = np.random.default_rng(2)
    shaken = host(store.view(c.NodeState.position)) + 2e-4 * rng.normal(size=(store.rows(c.Node), 3, ENVS))
    found = []
    for run in (lambda: store.program(portions).run(), lambda: run_team_system(few, store)):
        store.set(c.NodeState.position, shaken)
        run()
        found.append(host(store.view(c.NodeState.position)).copy())
    moved = np.abs(found[0] - shaken).max()
    assert moved > 1e-4
    np.testing.assert_allclose(found[1], found[0], rtol=0, atol=1e-12 * moved)


def test_only_whole_sweeps_are_brought_together(drape: px.World) -> None:
    """Parts of a sweep, cloth that has no room, and other systems stay as they are."""
    store = drape.engine.store
    assert drape.engine.soft_steps is not None
    found = sequence(drape.engine.schedule, *drape.engine.soft_steps)
    systems = [s for s in found if all(t is None or store.rows(t) for t in (s.over, s.needs))]
    swept = [s for s in systems if s.name == "relax_cloth"]
    colours = store.rows(c.ClothColour)
    assert substituted(swept[:-1], cloth_teams.PORTIONS, store.rows) == swept[:-1]
    back = substituted(swept[colours : 2 * colours], cloth_teams.PORTIONS, store.rows)
    assert [s.arguments["back"] for s in back] == [Access("rows", 1)]
    many = lambda table: cloth_teams.MOST_NODES + 1 if table is c.Node else store.rows(table)  # noqa: E731
    assert substituted(systems, cloth_teams.PORTIONS, many) == systems
    less = substituted(systems, cloth_teams.PORTIONS, store.rows)
    assert len(systems) - len(less) == len(swept) - drape.engine.soft_steps[0]
    assert [s for s in less if s.name != "sweep_cloth"] == [s for s in systems if s.name != "relax_cloth"]
