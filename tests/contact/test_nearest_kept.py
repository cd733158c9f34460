"""Worlds that keep the nearest contacts: which those are, in whatever company, and within what memory."""

from __future__ import annotations

import re
import resource
import warnings
from pathlib import Path

import numpy as np
import pytest
from oracles import host

import phalanx as px
from phalanx import components as c
from phalanx.world import memory

BALLS = 40
RADIUS = 0.1
SLOTS = 100


def heap(device: str, num_envs: int, seeds: dict[int, int], balls: int = BALLS, **options: object) -> px.World:
    """Balls all in one place in some environments, as numbered seeds have it, and apart from each other in others."""
    world = px.World(num_envs, device, gravity=(0.0, 0.0, 0.0), when_full="nearest", **options)  # type: ignore[arg-type]
    for i in range(balls):
        world.add_rigid_object(px.Shape("sphere", (RADIUS,)), f"ball{i}", position=(float(i), 0.0, 0.0), density=1e3)
    world.build()
    places = {env: np.random.default_rng(seed).uniform(-0.05, 0.05, (balls, 3)) for env, seed in seeds.items()}
    for i, ball in enumerate(world.objects.values()):
        for env, place in places.items():
            ball.set_root_state(np.array([*place[i], 1, 0, 0, 0]), env_ids=[env])
    return world


def quietly(world: px.World, steps: int) -> px.World:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", px.SimulationWarning)
        world.step(steps)
        world.check()
    return world


def poses(world: px.World, env: int) -> bytes:
    return b"".join(host(ball.root_pose)[env].tobytes() for ball in world.objects.values())


def test_the_contacts_are_the_nearest_of_all(device: str) -> None:
    """By brute force: of the pairs that are kept, whose bounds overlap most, the deepest contacts."""
    world = quietly(heap(device, 2, {1: 5}, max_contacts=SLOTS), 1)
    place = np.random.default_rng(5).uniform(-0.05, 0.05, (BALLS, 3)).astype(np.float32)
    a, b = np.triu_indices(BALLS, 1)
    between = np.abs(place[a] - place[b])
    count = host(world[c.ContactCount].current)[0]
    assert count.tolist() == [0, SLOTS]
    shapes = {tuple(sorted(pair)) for pair in zip(*(host(x)[:SLOTS, 1].tolist() for x in _pairs(world)), strict=True)}
    order = np.argsort(between.max(axis=1), kind="stable")
    kept = order[:SLOTS]
    assert np.diff(between.max(axis=1)[order[SLOTS - 1 : SLOTS + 1]])[0] > 1e-6, "the order is plain"
    assert shapes == {(int(a[n]), int(b[n])) for n in kept}
    limit = quietly(heap(device, 2, {1: 5}, max_memory=memory_of(world)), 1)
    assert limit.engine.store.rows(c.Contact) >= SLOTS


def _pairs(world: px.World) -> tuple[object, object]:
    return world[c.ContactPoint].a, world[c.ContactPoint].b


def memory_of(world: px.World) -> int:
    return sum(memory.slot_bytes(world.engine.store, table, world.engine.store.rows(table)) for table in memory.SLOTS)


def test_of_contacts_with_the_ground_and_each_other_the_nearest(device: str) -> None:
    """Boxes on the ground, one in another: depths by hand."""
    world = px.World(1, device, gravity=(0.0, 0.0, 0.0), when_full="nearest", max_contacts=6)
    world.add_ground()
    for i, height in enumerate((0.09, 0.07, 0.105)):  # half of a box is 0.1
        world.add_rigid_object(px.Shape("box", (0.1, 0.1, 0.1)), f"box{i}", position=(float(i), 0.0, height), mass=1.0)
    world.build()
    with pytest.warns(px.SimulationWarning, match=r"contacts did not fit into 6 slots in environments 0: .*up to 12"):
        world.step()
        world.check()
    found = host(world[c.ContactPoint].separation)[:6, 0]
    owner = host(world[c.ContactPoint].a)[:6, 0]
    np.testing.assert_allclose(np.sort(found), [-0.03] * 4 + [-0.01] * 2, atol=1e-6)
    assert sorted(owner.tolist()) == [0, 0, 1, 1, 1, 1]


def test_environments_are_the_same_alone_and_among_others_and_again(device: str) -> None:
    many = quietly(heap(device, 4, {0: 1, 2: 2, 3: 3}, max_contacts=SLOTS), 30)
    again = quietly(heap(device, 4, {0: 1, 2: 2, 3: 3}, max_contacts=SLOTS), 30)
    for env, seed in ((0, 1), (2, 2), (3, 3)):
        alone = quietly(heap(device, 1, {0: seed}, max_contacts=SLOTS), 30)
        assert poses(alone, 0) == poses(many, env) == poses(again, env)
        assert np.isfinite(np.frombuffer(poses(alone, 0), np.float32)).all()


def test_it_is_saved_and_goes_on_to_the_bit(device: str, tmp_path: Path) -> None:
    world = quietly(heap(device, 2, {1: 4}, max_contacts=SLOTS, max_memory=10**8), 10)
    world.save(tmp_path / "a.npz")
    loaded = px.World.load(tmp_path / "a.npz", device)
    assert loaded.describe()["when_full"] == "nearest"
    assert poses(quietly(world, 10), 1) == poses(quietly(loaded, 10), 1)


def test_a_warning_for_each_environment_until_it_is_reset(device: str) -> None:
    world = heap(device, 3, {1: 1, 2: 2}, max_contacts=20)
    with pytest.warns(px.SimulationWarning) as caught:
        world.step()
        world.check()
    said = [str(one.message) for one in caught]
    assert len(said) == 1, said
    assert re.match(
        r"pairs of near shapes did not fit into 20 slots in environments 1, 2: there were up to \d+", said[0]
    )
    assert "and the nearest 20 are kept; move the shapes apart, make fewer environments, or raise max_memory" in said[0]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        world.step(3)
        world.check()
    world.reset([1])
    for ball in world.objects.values():
        ball.set_root_state(np.array([0.0, 0, 0, 1, 0, 0, 0]), env_ids=[1])
    with pytest.warns(px.SimulationWarning, match="in environments 1: there were up to 780"):
        world.step()
        world.check()


@pytest.mark.parametrize("balls", [300, pytest.param(1000, marks=pytest.mark.slow)])
def test_hundreds_of_balls_in_one_place_stay_within_the_budget(balls: int, device: str) -> None:
    budget = 50_000_000
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    world = heap(device, 2, {1: 3}, balls, max_memory=budget)
    assert 0.9 * budget < memory_of(world) <= budget
    quietly(world, 3)
    assert memory_of(world) <= budget
    count = host(world[c.ContactCount].current)[0]
    assert count[0] == 0 and 500 < count[1] == world.engine.store.rows(c.Contact)
    assert world.diverged.size == 0
    if device == "cpu":  # arrays that grow are copied; kernels are compiled
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 - before
        assert grown < budget * 2 + 400_000_000


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"when_full": "nearest"}, r'when_full="nearest" needs max_memory= or max_contacts='),
        ({"when_full": "first"}, r"when_full='first': must be 'error' or 'nearest'"),
        ({"when_full": None}, r"when_full=None: must be 'error' or 'nearest'"),
    ],
)
def test_what_makes_no_sense(options: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        px.World(**options)  # type: ignore[arg-type]


def test_a_budget_for_nothing_is_refused(device: str) -> None:
    with pytest.raises(px.CapacityError, match=r"slots of contacts that this world begins with .* max_memory="):
        heap(device, 2, {}, 2, max_memory=10)
    with pytest.raises(px.CapacityError, match=r"100 slots for contacts .*lower max_contacts"):
        heap(device, 2, {}, max_memory=1_000_000, max_contacts=SLOTS)
