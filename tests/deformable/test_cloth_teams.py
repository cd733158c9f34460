"""Cloth as GPUs step it, a block of threads for each environment: what is found system by system, colour by colour."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest
from deformable.scenes import world
from ecs.team_emulator import run_team_system
from oracles import host

import phalanx as px
from phalanx import components as c
from phalanx.components.cloth_run import BENDS, CORNERS, LANES, MOST_NODES, RUN, WARP
from phalanx.ecs import Field, System, read, system
from phalanx.ecs.declare import Access
from phalanx.ecs.sequences.stand_ins import substituted
from phalanx.ecs.text.team_language import variant
from phalanx.systems.deformable import cloth_teams, sequence

ENVS = 2


def on_a_box() -> tuple[px.World, px.Cloth]:
    """A sheet that lies over the edge of a box."""
    made = world(num_envs=ENVS, contact_offset=0.02)
    made.add_rigid_object(px.Shape("box", (0.1, 0.1, 0.05)), "box", kind="static", position=(0.0, 0.0, 0.05))
    return made, made.add_cloth(px.ClothMesh.grid(0.25, 0.2, 5, 4), "sheet", position=(0.03, 0.0, 0.102), damping=0.5)


def settled(made: px.World, sheet: px.Cloth, held: int) -> px.World:
    made.build()
    if held >= 0:
        sheet.set_node_targets(sheet.node_pos + 0.01, held=np.arange(len(sheet.node_pos[0])) == held)
    for _ in range(6):
        made.step()
    assert (host(made.engine.store.view(c.NodeContactState.pair)) >= 0).any()
    return made


@pytest.fixture(scope="module")
def drape() -> px.World:
    """Tied at a corner, held at another."""
    made, sheet = on_a_box()
    made.attach_nodes(sheet, np.arange(30) == 0)
    return settled(made, sheet, 29)


def systems_of(made: px.World) -> list[System]:
    """What a substep of deformable bodies is."""
    store = made.engine.store
    assert made.engine.soft_steps is not None
    found = sequence(made.engine.schedule, *made.engine.soft_steps)
    return [s for s in found if all(t is None or store.rows(t) for t in (s.over, s.needs))]


def by_32(whole: System) -> System:
    """The same with fewer threads, which are slow in Python."""
    numbers = {name: access for name, access in whole.arguments.items() if isinstance(access.target, int)}
    few = variant(whole, f"{whole.name}_by_32", 32, 32, THREADS=32)
    return replace(few, arguments=few.arguments | numbers)


def numbers(system: System) -> list[int]:
    return [system.arguments[name].target for name in ("small", "sweeps", "back")]


def both(made: px.World, fields: Sequence[Field], runs: Sequence[Callable[[], None]]) -> list[dict[Field, np.ndarray]]:
    """What fields are after each of the runs, from the same start."""
    store = made.engine.store
    begin = {field: host(store.view(field)).copy() for field in fields}
    found = []
    for run in runs:
        for field, values in begin.items():
            store.set(field, values)
        run()
        found.append({field: host(store.view(field)).copy() for field in fields})
    for field, values in begin.items():
        store.set(field, values)
    return found


def test_a_block_finds_what_colours_find(drape: px.World) -> None:
    """Two sweeps, forwards and back, from places that were shaken: to rounding in float64."""
    store = drape.engine.store
    assert (host(store.view(c.NodeTarget.held)) > 0).any()
    swept = [s for s in systems_of(drape) if s.name == "relax_cloth"]
    portions = swept[: 2 * store.rows(c.ClothColour)]
    [whole] = substituted(portions, cloth_teams.PORTIONS, store.rows)
    assert whole.name == "sweep_cloth" and numbers(whole) == [1, 2, 0]
    few = by_32(whole)
    store.set(c.ClothMaterial.pressure, 20.0)  # as if it were closed
    rng = np.random.default_rng(2)
    before = host(store.view(c.NodeState.position)).copy()
    shaken = before + 2e-4 * rng.normal(size=before.shape)
    store.set(c.NodeState.position, shaken)
    place = c.NodeState.position
    one, other = both(drape, [place], [store.program(portions).run, lambda: run_team_system(few, store)])
    store.set(c.NodeState.position, before)
    moved = np.abs(one[place] - shaken).max()
    assert moved > 1e-4
    np.testing.assert_allclose(other[place], one[place], rtol=0, atol=1e-12 * moved)


def test_only_whole_sweeps_are_brought_together(drape: px.World) -> None:
    """Parts of a sweep, cloth that has no room, and other systems stay as they are."""
    store = drape.engine.store
    systems = systems_of(drape)
    swept = [s for s in systems if s.name == "relax_cloth"]
    colours = store.rows(c.ClothColour)
    assert substituted(swept[:-1], cloth_teams.PORTIONS, store.rows) == swept[:-1]
    back = substituted(swept[colours : 2 * colours], cloth_teams.PORTIONS, store.rows)
    assert [s.arguments["back"] for s in back] == [Access("rows", 1)]
    many = lambda table: MOST_NODES + 1 if table is c.Node else store.rows(table)  # noqa: E731
    assert substituted(systems, cloth_teams.PORTIONS, many) == systems
    less = substituted(systems, cloth_teams.PORTIONS, store.rows)
    assert drape.engine.soft_steps is not None
    assert len(systems) - len(less) == len(swept) - drape.engine.soft_steps[0]
    assert [s for s in less if s.name != "sweep_cloth"] == [s for s in systems if s.name != "relax_cloth"]
    assert substituted(less, cloth_teams.SMALL_STEPS, store.rows) == less, "ties have a part in small steps"


@pytest.fixture(scope="module")
def alone() -> px.World:
    """Two sheets, one held at a corner."""
    made, sheet = on_a_box()
    made.add_cloth(px.ClothMesh.grid(0.1, 0.1, 2, 2), "other", position=(-0.05, 0.0, 0.12))
    return settled(made, sheet, 29)


def test_a_block_makes_the_small_steps_of_a_substep(alone: px.World) -> None:
    """All that is left of them, to rounding in float64: places, velocities, impulses, loads, anchors, rigid motions."""
    store = alone.engine.store
    systems = systems_of(alone)
    less = substituted(substituted(systems, cloth_teams.PORTIONS, store.rows), cloth_teams.SMALL_STEPS, store.rows)
    [whole] = [s for s in less if s.name == "step_cloth"]
    names = [s.name for s in systems]
    begin = names.index("predict_nodes")
    end = len(names) - names[::-1].index("finish_node_contacts")
    assert [s.name for s in less] == [*names[:begin], "step_cloth", *names[end:]]
    assert alone.engine.soft_steps is not None
    small = alone.engine.soft_steps[0]
    assert numbers(whole) == [small, alone.engine.soft_steps[5], 0]
    two = replace(by_32(whole), arguments=by_32(whole).arguments | {"small": Access("rows", 2)})
    portions = systems[begin : begin + 2 * (end - begin) // small]
    state, point, modes = c.NodeContactState, c.NodeContactPoint, c.DeformableModes
    of_contacts = [state.load, state.spot, state.slides, state.impulse, state.moment, state.pulse]
    of_contacts += [point.anchor, point.gap]
    others = [c.NodeState.position, c.NodeState.velocity, c.NodeStep.start, c.DeformableSettings.done]
    others += [modes.move, modes.middle, modes.ahead, modes.broken, c.NodeGroupSums.held]
    scratch = [c.NodeStep.goal, c.NodeGroupSums.inertia, c.NodeGroupSums.force, c.NodeGroupSums.middle]
    every = [*of_contacts, *others]
    assert {f for s in portions for f in s.writes} == {*every, *scratch}
    rng = np.random.default_rng(3)
    store.set(c.NodeState.velocity, host(store.view(c.NodeState.velocity)) + 0.1 * rng.normal(size=(39, 3, ENVS)))
    begun = host(store.view(c.NodeState.position)).copy()
    one, other = both(alone, every, [store.program(portions).run, lambda: run_team_system(two, store)])
    moved = np.abs(one[c.NodeState.position] - begun).max()
    assert moved > 1e-5 and np.abs(one[modes.move]).max() > 1e-9
    on = host(store.view(state.pair)) >= 0
    assert on.any() and not on.all()
    for field in every:
        wanted, found = one[field], other[field]
        if field in of_contacts:
            keep = on if wanted.ndim == 2 else np.broadcast_to(on[:, None], wanted.shape)
            wanted, found = wanted[keep], found[keep]
        size = max(np.abs(wanted).max(), moved)
        np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-10 * size, err_msg=field.key)
    assert (one[state.slides][on] == 1).any() and np.abs(one[state.impulse]).max() > 0


def test_what_others_need_of_a_small_step_stays(alone: px.World) -> None:
    """Systems that read what a block keeps to itself, or run between, leave small steps as they are."""
    store = alone.engine.store
    systems = substituted(systems_of(alone), cloth_teams.PORTIONS, store.rows)

    @system(over=c.Node, phase="sense")
    def looks(v, e, goal=read(c.NodeStep.goal)) -> None: ...

    assert substituted([*systems, looks], cloth_teams.SMALL_STEPS, store.rows) == [*systems, looks]
    first = [s.name for s in systems].index("finish_node_contacts")
    between = [*systems[:first], looks, *systems[first:]]
    assert substituted(between, cloth_teams.SMALL_STEPS, store.rows) == between
    many = lambda table: MOST_NODES if table is c.Node else store.rows(table)  # noqa: E731
    assert substituted(systems, cloth_teams.SMALL_STEPS, many) == systems, "no room for sums"


def test_blocks_are_as_large_as_colours(alone: px.World) -> None:
    store = alone.engine.store
    systems = substituted(systems_of(alone), cloth_teams.PORTIONS, store.rows)
    for runs, threads in ((10, 128), (40, 128), (41, 256), (80, 256), (120, 512), (170, 512)):
        many = {c.ClothRun: runs, c.ClothColour: 10, c.Node: 64, c.NodeGroup: 2}.__getitem__
        [whole] = [s for s in substituted(systems, cloth_teams.SMALL_STEPS, many) if s.name == "step_cloth"]
        assert whole.team_size == whole.block_threads == threads
        assert whole.function.__globals__["THREADS"] == threads


def test_runs_have_what_nodes_have(alone: px.World) -> None:
    """Threads of a run come to all triangles and bending of its nodes, and to each once."""
    store = alone.engine.store

    def values(field: Field) -> np.ndarray:
        found = host(store.view(field))[..., 0]
        return found.astype(int) if field.dtype == "int32" else found

    node = values(c.ClothRunNodeTopology.node)
    assert sorted(node[node >= 0]) == list(range(store.rows(c.Node)))
    for run, k in np.ndindex(store.rows(c.ClothRun), RUN):
        v = node[run * RUN + k]
        for run_bounds, bounds, taken, of_node, at_once in (
            (
                (c.ClothRunTopology.first_corner, c.ClothRunTopology.end_corner),
                (c.ClothNode.first_corner, c.ClothNode.end_corner),
                (c.ClothRunCornerShape.others, c.ClothRunCornerShape.inverse, c.ClothRunCornerShape.area),
                (c.ClothCornerTopology.others, c.ClothCornerShape.inverse, c.ClothCornerShape.area),
                CORNERS,
            ),
            (
                (c.ClothRunTopology.first_bend, c.ClothRunTopology.end_bend),
                (c.ClothNode.first_bend, c.ClothNode.end_bend),
                (c.ClothRunBendTopology.other, c.ClothRunBendTopology.weight),
                (c.ClothBendTopology.other, c.ClothBendTopology.weight),
                BENDS,
            ),
        ):
            first, end = (int(values(field)[run]) for field in run_bounds)
            assert (end - first) % (at_once * WARP) == 0 and (end - first) // WARP * LANES >= 1
            rows = first + np.flatnonzero(np.arange(end - first) % WARP // LANES == k)
            rows = rows[values(taken[-1])[rows] != 0.0]  # an area, or a weight
            own = range(*(int(values(field)[v]) for field in bounds)) if v >= 0 else []
            wanted = sorted(tuple(np.hstack([values(f)[row] for f in of_node])) for row in own)
            assert sorted(tuple(np.hstack([values(f)[row] for f in taken])) for row in rows) == [
                one for one in wanted if one[-1] != 0.0
            ]
