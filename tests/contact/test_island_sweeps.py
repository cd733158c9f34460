"""Islands: which trees, dofs and contacts they have; and swept by themselves, on a GPU, they go as all together do."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from ecs.team_emulator import run_team_system
from oracles import host

import phalanx as px
from phalanx import components as c
from phalanx.bench.build import set_up
from phalanx.bench.scenes import SCENES
from phalanx.systems import STEP
from phalanx.systems.solver.islands import stand_ins as island_solver
from phalanx.world.layout.fill import grow_slots

BALL = px.Shape("sphere", (0.1,))


def balls(device: str, dtype: str = "float64") -> px.World:
    """Nine balls, of which environments scatter some: in touch, apart, and on the ground or not; one is kinematic."""
    world = px.World(num_envs=6, dt=1 / 120, device=device, dtype=dtype)
    world.add_ground()
    for k in range(8):
        world.add_rigid_object(BALL, f"ball{k}", mass=1.0, position=(0.19 * k, 0.0, 0.1))
    world.add_rigid_object(BALL, "held", mass=1.0, position=(0.0, 1.0, 0.5), kind="kinematic")
    world.build()
    rng = np.random.default_rng(4)
    for k in range(8):
        pose = np.tile([0.0, 0.0, 0.1, 1.0, 0.0, 0.0, 0.0], (6, 1))
        pose[:, 0] = 0.19 * k + 0.5 * (rng.random(6) < 0.3)
        pose[:, 2] += 0.3 * (rng.random(6) < 0.3)
        world.actors[f"ball{k}"].set_root_state(pose=pose)
    return world


def numbers(array: object) -> np.ndarray:
    """On the host, as whole numbers."""
    return host(array).astype(np.int64)


def test_lists_of_islands(device: str) -> None:
    """Against sets that are joined contact by contact, in six environments; on a CPU by threads of Python."""
    world = balls(device, "float64" if device == "cpu" else "float32")
    world.step()
    store = world.engine.store
    find, list_rows = island_solver.prepare(lambda table: 54)[:2]
    if device == "cpu":
        run_team_system(find, store)
    else:
        store.program([find]).run()
    store.program([list_rows]).run()
    tree = numbers(world[c.LinkTopology].tree)[:, 0]
    link = numbers(world[c.ShapeTopology].link)
    first_dof, end_dof = numbers(world[c.TreeTopology].first_dof)[:, 0], numbers(world[c.TreeTopology].end_dof)[:, 0]
    count, a, b = (
        numbers(f) for f in (world[c.ContactCount].current, world[c.ContactPoint].a, world[c.ContactPoint].b)
    )
    moves_a, moves_b = numbers(world[c.ContactMotion].dof_a), numbers(world[c.ContactMotion].dof_b)
    yields = numbers(world[c.TreeTopology].yields)[:, 0]
    island, groups, begin = (
        numbers(f) for f in (world[c.IslandTree].first, world[c.IslandTree].groups, world[c.IslandTree].begin)
    )
    contacts, first = numbers(world[c.IslandTree].contacts), numbers(world[c.IslandTree].first_contact)
    order, of_contact = numbers(world[c.IslandContact].order), numbers(world[c.IslandContact].tree)
    rows, first_row, row_dof = (
        numbers(f) for f in (world[c.IslandTree].rows, world[c.IslandTree].first_row, world[c.IslandDof].row)
    )
    active, of_dof = numbers(world[c.DofRow].active), tree[numbers(world[c.DofTopology].link)[:, 0]]
    dof_order, of_sides = numbers(world[c.IslandDof].order), numbers(world[c.IslandContact].yields)
    assert yields.tolist() == [1] * 8 + [0]
    assert len(set(map(tuple, island.T.tolist()))) > 3, "environments differ"
    for e in range(world.num_envs):
        sets = [{t} for t in range(9)]
        ends = []
        for k in range(count[0, e]):
            two = [tree[link[s[k, e], 0]] if d[k, e] >= 0 else -1 for s, d in ((a, moves_a), (b, moves_b))]
            assert of_sides[k, e] == sum(n for n, t in zip((1, 2), two, strict=True) if t >= 0 and yields[t])
            two = [t for t in two if t >= 0 and yields[t]]
            ends.append(two)
            joined = set().union(*(sets[t] for t in two)) if two else set()
            for t in joined:
                sets[t] = joined
        assert island[:, e].tolist() == [min(s) for s in sets]
        assert of_contact[: count[0, e], e].tolist() == [max(two, default=-1) for two in ends]
        for t in {min(s) for s in sets}:
            mine = [d for s in sorted(sets[t]) for d in range(first_dof[s], end_dof[s], 4)]
            at = slice(begin[t, e], begin[t, e] + groups[t, e])
            assert dof_order[at, e].tolist() == mine
            at = slice(first_row[t, e], first_row[t, e] + rows[t, e])
            assert row_dof[at, e].tolist() == [d for d in np.flatnonzero(active.any(1)) if of_dof[d] in sets[t]]
            at = slice(first[t, e], first[t, e] + contacts[t, e])
            assert order[at, e].tolist() == [k for k, two in enumerate(ends) if two and min(sets[two[0]]) == t]
    sizes = numbers(world[c.IslandTree].sort)
    assert {0, 1} <= set(sizes.ravel().tolist())
    assert (sizes == 2).any() and host(world[c.IslandRest].left).max() == 0


def test_what_is_too_large_is_left() -> None:
    world = balls("cpu")
    world.step()
    run_team_system(island_solver.prepare(lambda table: 32)[0], world.engine.store)
    large = (host(world[c.IslandTree].sort) == 2).any(axis=0)
    assert large.any() and not large.all()
    np.testing.assert_array_equal(host(world[c.IslandRest].left)[0], large)


@pytest.mark.parametrize(("dofs", "large"), [(27, False), (32, False), (33, True), (128, True), (384, False)])
def test_large_islands_have_systems_of_their_own(dofs: int, large: bool) -> None:
    made = [*island_solver.prepare(lambda table: dofs), *island_solver.instead(lambda table: dofs, 5, 4, True)]
    names = [s.name for s in made]
    assert ("sweep_large_island" in names) == large


@pytest.mark.parametrize(("bodies", "fours"), [(1, 3 * 2), (8, 3 * (2 + 2))])
def test_rows_have_room_for_the_trees_that_may_touch(bodies: int, fours: int) -> None:
    """And for no more: 128 dofs a row took 200 kB of an environment of eight boxes. Slots that grow keep their size."""
    world = px.World(num_envs=2, device="cpu")
    world.add_ground()
    for k in range(bodies):
        world.add_rigid_object(px.Shape("box", (0.1, 0.1, 0.1)), f"box{k}", mass=1.0, position=(0.3 * k, 0.0, 0.1))
    world.build()
    store = world.engine.store
    assert store.rows(c.IslandRowFour) == store.rows(c.Contact) * fours
    assert store.rows(c.IslandDofFour) == store.rows(c.Dof) * (2 + 6)
    assert store.rows(c.IslandLinkFour) == bodies * (2 + 6 * 2)
    before = store.rows(c.Contact)
    grow_slots(store, c.Contact, 3 * before)
    assert store.rows(c.IslandRowFour) == store.rows(c.Contact) * fours > 2 * before * fours


def test_walks_through_trees_go_depth_first() -> None:
    """What a dof moves is in one piece there; links with shapes, and where trees branch, have a place."""
    world = scene("three_humanoids")("cpu")
    topology = {
        name: numbers(getattr(world[c.DofTopology], name))[:, 0] for name in ("parent", "tree_first", "relations")
    }
    walk, begin, end = (numbers(getattr(world[c.DofTopology], f"walk{k}"))[:, 0] for k in ("", "_begin", "_end"))
    moves, place = numbers(world[c.DofRelation].moves)[:, 0], numbers(world[c.IslandDof].place)[:, 0]
    reach, first = numbers(world[c.IslandDof].reach)[:, 0], topology["tree_first"]
    assert len(walk) == 81 and sorted(walk) == list(range(81))
    chains = []
    for d in range(81):
        tree = [k for k in range(81) if first[k] == first[d]]
        chains.append({k for k in tree if moves[topology["relations"][d] + k] == 1})
        assert reach[d] == sum(1 << g for g in {(k - first[d]) // 4 for k in chains[d]})
    for d in range(81):
        assert set(walk[begin[d] : end[d]]) == {k for k in range(81) if d in chains[k]} and walk[begin[d]] == d
    known = set(np.flatnonzero(place >= 0))
    assert sorted(place[place >= 0]) == list(range(len(known)))
    assert set(numbers(world[c.ShapeTopology].dof)[:, 0]) - {-1} <= known
    for before, d in zip([-1, *walk], walk, strict=False):
        assert topology["parent"][d] in {before, -1, *known}


def scene(name: str) -> Callable[[str], px.World]:
    def make(device: str) -> px.World:
        stage = set_up(SCENES[name], 16, device)
        stage.apply(stage.controls(0))
        return stage.world

    return make


def heap(device: str) -> px.World:
    """More contacts in one island than a team takes."""
    world = px.World(num_envs=3, dt=1 / 120, device=device, dtype="float32")
    world.add_ground()
    for k in range(6):
        for j in range(3):
            world.add_rigid_object(
                px.Shape("box", (0.1, 0.1, 0.1)), f"box{k}_{j}", mass=1.0, position=(0.19 * k, 0, 0.1 + 0.2 * j)
            )
    world.build()
    return world


@pytest.mark.parametrize(
    ("make", "left"),
    [
        (scene("humanoid"), False),
        (scene("quadruped"), False),
        (scene("three_humanoids"), False),
        (lambda device: balls(device, "float32"), False),
        (heap, True),
    ],
    ids=["humanoid", "quadruped", "three_humanoids", "balls", "heap"],
)
def test_islands_go_as_all_together_do(
    make: Callable[[str], px.World], left: bool, gpu: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only the order of sums differs: by rounding, after one step and, grown, after ten."""
    found = []
    for apart in (True, False):
        if not apart:
            monkeypatch.setattr("phalanx.world.engine.engine.SUBSTITUTES", ())
        world = make(gpu)
        names = {s.name for s, _ in world.engine.store.kernels(world.engine.run_by(STEP))}
        assert ("sweep_island" in names) == apart
        for steps in (1, 9):
            world.step(steps)
            state = (world[c.Coordinate].value, world[c.DofState].velocity, world[c.ContactImpulse].value)
            found.append([host(one) for one in (*state, world[c.ContactMotion].approach, world[c.ContactMotion].slip)])
        if apart:
            assert bool(host(world[c.IslandRest].left).all()) == left
    one, ten, there_one, there_ten = found
    for state, wanted, tolerances in ((one, there_one, (1e-6, 1e-5, 1e-5)), (ten, there_ten, (1e-5, 1e-3, 5e-4))):
        for values, others, tolerance in zip(state, wanted, (*tolerances, 1e-4, 1e-4), strict=True):
            assert np.isfinite(values).all()
            np.testing.assert_allclose(values, others, rtol=0, atol=tolerance * max(1.0, float(np.abs(others).max())))
