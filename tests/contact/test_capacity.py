"""More contacts or near pairs than there is room for: a warning, more room, and no trace of it from then on."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest
from oracles import host

import phalanx as px
from phalanx.components import Candidate, Contact, ContactCount
from phalanx.ecs import Table, trace
from phalanx.world.layout import collision

ENVS = 3
CROWDED = 1
"""The environment in which everything is in one place."""
BOXES = 4


def boxes(device: str, max_contacts: int | None = None) -> px.World:
    """Boxes that fall side by side, but are stacked up on the ground in one environment."""
    world = px.World(num_envs=ENVS, device=device, dt=1 / 240, max_contacts=max_contacts)
    world.add_ground()
    for k in range(BOXES):
        world.add_rigid_object(px.Shape("box", (0.1, 0.1, 0.1)), f"box{k}", mass=1.0, position=(k, 0, 0.5))
    world.build()
    for k, box in enumerate(world.objects.values()):
        pose = host(box.root_pose)
        pose[CROWDED, :3] = [0.002 * k, 0, 0.1 + 0.2 * k]
        box.set_root_state(pose)
    return world


def poses(world: px.World) -> np.ndarray:
    return np.array([host(box.root_pose) for box in world.objects.values()])


@pytest.mark.parametrize("table", [Contact, Candidate], ids=lambda table: table.name)
def test_slots_grow_with_a_warning_and_leave_no_trace(
    table: Table, device: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the growth on, bit by bit what a world with room from the start makes of the same state; on a CPU in the
    step in which there was too little room, too.
    """
    roomy = boxes(device)
    with monkeypatch.context() as patch:
        patch.setattr(collision, f"AUTOMATIC_{table.name.upper()}S", 6 if table is Contact else 1)
        patch.setattr(collision, f"{table.name.upper()}S_PER_SHAPE", 0)
        tight = boxes(device)
    few = tight.engine.store.rows(table)
    assert few < 7
    what = "contacts" if table is Contact else "pairs of near shapes"
    with pytest.warns(px.SimulationWarning, match=rf"{what} did not fit into {few} slots in environments 1; there are"):
        tight.step(30)
        tight.check()  # on a GPU the flags are looked at now and then
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tight.step(30)
        roomy.step(60)
    assert tight.engine.store.rows(table) > few
    same = [e for e in range(ENVS) if e != CROWDED or device == "cpu"]
    np.testing.assert_array_equal(poses(tight)[:, same], poses(roomy)[:, same])
    tight.save(tmp_path / "world")
    loaded = px.World.load(tmp_path / "world", device)  # which has got as much room as it needs
    roomy.set_state(tight.state())
    for world in (tight, loaded, roomy):
        world.step(240)
    for world in (loaded, roomy):
        np.testing.assert_array_equal(poses(world), poses(tight))
    height = poses(tight)[:, CROWDED, 2]
    np.testing.assert_allclose(height, 0.1 + 0.2 * np.arange(BOXES), atol=5e-3)


def clusters(num_envs: int, when: dict[int, float]) -> px.World:
    """Balls that fly together: they meet at another time in each environment, if at all."""
    world = px.World(num_envs, gravity=(0.0, 0.0, 0.0))
    for i in range(12):
        world.add_rigid_object(px.Shape("sphere", (0.1,)), f"ball{i}", density=1000.0)
    world.build()
    for i, ball in enumerate(world.objects.values()):
        side = np.array([np.cos(0.5 * i + 0.1), np.sin(0.5 * i + 0.1), 0.1 * i])
        velocity = np.zeros((num_envs, 6))
        velocity[:, :3] = [when.get(e, 0.0) * -side for e in range(num_envs)]
        pose = np.zeros((num_envs, 7))
        pose[:, :3], pose[:, 3] = side, 1.0
        ball.set_root_state(pose, velocity)
    return world


def few_slots(patch: pytest.MonkeyPatch) -> None:
    for name in ("CONTACTS", "CANDIDATES"):
        patch.setattr(collision, f"AUTOMATIC_{name}", 1)
        patch.setattr(collision, f"{name}_PER_SHAPE", 0)


@pytest.mark.filterwarnings("ignore::phalanx.SimulationWarning")
@pytest.mark.parametrize("threads", [1, 2])
def test_on_a_cpu_the_number_of_slots_changes_nothing(
    threads: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Steps at once or one by one, alone or among others, traced or not: as with room from the start, bit by bit."""
    count, when = 70, {0: 2.0, 3: 4.0, 40: 3.0, 69: 5.0}
    roomy = clusters(count, when)
    few_slots(monkeypatch)
    px.set_num_threads(threads)
    try:
        worlds = [clusters(count, when) for _ in range(3)]
        first = worlds[0].engine.store.rows(Contact)
        roomy.step(120)
        worlds[0].step(120)
        for _ in range(120):
            worlds[1].step()
        with trace.record(tmp_path / "trace.json"):
            worlds[2].step(120)
        alone = clusters(1, {0: when[40]})
        alone.step(120)
    finally:
        px.set_num_threads(None)
    assert worlds[0].engine.store.rows(Contact) > first == 1
    for world in worlds:
        np.testing.assert_array_equal(poses(world), poses(roomy))
    np.testing.assert_array_equal(poses(alone)[:, 0], poses(roomy)[:, 40])


def test_a_limit_that_is_given_is_kept_and_told(device: str) -> None:
    """The environment that needs more goes on with what fits; the others as if it were not there."""
    limited, roomy = boxes(device, max_contacts=6), boxes(device)
    for _ in range(2):
        with pytest.warns(px.SimulationWarning, match=r"contacts did not fit into 6 slots.*pass max_contacts=\d+ or"):
            limited.step(20)
            limited.check()
    assert limited.engine.store.rows(Contact) == 6
    assert host(limited[ContactCount].current)[0, CROWDED] == 6
    roomy.step(40)
    calm = [e for e in range(ENVS) if e != CROWDED]
    np.testing.assert_array_equal(poses(limited)[:, calm], poses(roomy)[:, calm])
    assert np.isfinite(poses(limited)).all()
