"""Many shapes in one place: more memory than there may be is an error that says where, how much and what to do."""

from __future__ import annotations

import re
import warnings
from pathlib import Path

import numpy as np
import pytest
from oracles import host

import phalanx as px
from phalanx import components as c
from phalanx.world import memory

BALLS = 60


def pile(device: str, num_envs: int = 2, **options: object) -> px.World:
    """Balls at one point in environment 1, apart from each other in all others."""
    world = px.World(num_envs, device, gravity=(0.0, 0.0, 0.0), **options)  # type: ignore[arg-type]
    for i in range(BALLS):
        world.add_rigid_object(px.Shape("sphere", (0.1,)), f"ball{i}", position=(float(i), 0.0, 0.0), density=1000.0)
    world.build()
    for i, ball in enumerate(world.objects.values()):
        ball.set_root_state(np.array([1e-3 * i, 0, 0, 1, 0, 0, 0]), env_ids=[1])
    return world


def run(world: px.World, steps: int = 8) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", px.SimulationWarning)
        for _ in range(4 if world.engine.device.is_cuda else 1):  # a GPU makes room for one table, then for the next
            world.step(steps)
            world.synchronize()
            world.check()


def test_slots_grow_within_the_budget_and_not_beyond(device: str) -> None:
    pairs = BALLS * (BALLS - 1) // 2
    free = pile(device)
    run(free)
    needed = sum(memory.slot_bytes(free.engine.store, table, free.engine.store.rows(table)) for table in memory.SLOTS)
    assert free.engine.store.rows(c.Contact) >= pairs and free.engine.store.rows(c.Candidate) >= pairs
    within = pile(device, max_memory=needed)
    run(within)
    assert within.state().keys() == free.state().keys()
    np.testing.assert_array_equal(
        host(within.objects["ball7"].root_pose), host(free.objects["ball7"].root_pose), "the budget changes nothing"
    )
    beyond = pile(device, max_memory=needed // 3)
    with pytest.raises(px.CapacityError) as raised:
        run(beyond)
    said = str(raised.value)
    counts = re.search(r"there are (\d+) in one of environments 1, (\d+) fit", said)
    assert counts is not None, said
    found, fit = (int(number) for number in counts.groups())
    # a GPU has made the steps that were queued before it is asked, without what did not fit: the balls have parted
    assert fit < found <= pairs if beyond.engine.device.is_cuda else found == pairs
    assert f"max_memory={needed // 3 / 1e6:.0f} MB" in said
    assert "move the shapes apart, make fewer environments, or raise max_memory" in said
    with pytest.raises(px.CapacityError):
        run(beyond)  # and again, as long as they are there
    beyond.reset([1])
    run(beyond)  # goes on without
    held = sum(memory.slot_bytes(beyond.engine.store, table, beyond.engine.store.rows(table)) for table in memory.SLOTS)
    assert held <= needed // 3


def test_what_did_not_fit_is_told_once(device: str) -> None:
    """An error about contacts leaves none about pairs behind, which may be of environments that are reset by then."""
    world = pile(device, max_memory=100_000_000)
    for flag in ("contacts_dropped", "candidates_dropped"):
        setattr(world[c.Status], flag, [[0, 10**6]])
    with pytest.raises(px.CapacityError, match=r"contacts: there are .* in one of environments 1"):
        world.check()
    world.check()


def test_the_default_is_a_share_of_what_is_free(device: str, monkeypatch: pytest.MonkeyPatch) -> None:
    world = pile(device)
    assert memory.free_bytes(world.engine.device) > 10_000_000
    monkeypatch.setattr(memory, "free_bytes", lambda _device: 1000)
    with pytest.raises(px.CapacityError, match="50% of the memory that is free may be used"):
        run(world)


def test_worlds_that_are_too_large_are_refused_before_they_are_built(monkeypatch: pytest.MonkeyPatch) -> None:
    world = px.World(10**9)
    world.add_robot("cartpole")
    with pytest.raises(
        px.CapacityError, match=r"in 1000000000 environments take at least [\d.]+ GB, .*make fewer environments"
    ):
        world.build()
    world = px.World(1, max_contacts=10**11)
    world.add_rigid_object([px.Shape("sphere", (0.1,))], "a")
    world.add_rigid_object([px.Shape("sphere", (0.1,))], "b")
    world.add_ground()
    world.build()  # no more slots than there can be contacts
    monkeypatch.setattr(memory, "free_bytes", lambda _device: 5000)
    world = px.World(2)
    world.add_rigid_object(px.Shape("sphere", (0.1,)), "a")
    with pytest.raises(px.CapacityError, match=r"this world takes [\d.]+ GB in 2 environments .*put less into each"):
        world.build()
    monkeypatch.setattr(memory, "PAIR_BYTES", 5000)
    with pytest.raises(px.CapacityError, match="2 collision shapes in an environment have 1 pairs"):
        again = px.World()
        again.add_rigid_object(px.Shape("sphere", (0.1,)), "a")
        again.add_rigid_object(px.Shape("sphere", (0.1,)), "b")
        again.build()


def test_the_budget_is_saved(tmp_path: Path) -> None:
    world = px.World(max_memory=10**9)
    world.add_rigid_object(px.Shape("sphere", (0.1,)), "a")
    world.save(tmp_path / "a.npz")
    assert px.World.load(tmp_path / "a.npz").describe()["max_memory"] == 10**9


@pytest.mark.parametrize("value", [0, -1, 1.5, True, "1 GB"])
def test_budgets_that_make_no_sense(value: object) -> None:
    with pytest.raises(ValueError, match=r"max_memory=.*must be a whole number, at least 1"):
        px.World(max_memory=value)  # type: ignore[arg-type]
