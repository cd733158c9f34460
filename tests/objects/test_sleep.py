"""Sleep: stacks at rest go to sleep and do not move by a bit; what may wake them does, in its environment only.

One world with a stack on a table; each environment stands for one event.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from contact.scenes import GRAVITY
from oracles import host

import phalanx as px
from phalanx import components as c
from phalanx.io.recordings.replay import open_recording, verify

DT = 1 / 240
THRESHOLD = 5e-5
HALF = 0.1
BOXES = 4
MASS = 8.0  # density 1000
EVENTS = [
    "none",
    "ball",
    "lowest",
    "gravity",
    "force",
    "velocity",
    "woken",
    "support",
    "gravity of one",
    "table pushed",
]
CUBE = px.Shape("box", (HALF, HALF, HALF))


def stack_world(device: str, num_envs: int = len(EVENTS)) -> px.World:
    """Four boxes on a static table, a kinematic plate below another box, a ball at rest far away."""
    world = px.World(num_envs, device, dt=DT)
    world.add_ground()
    world.add_rigid_object(px.Shape("box", (0.5, 0.5, 0.1)), "table", kind="static", position=(0, 0, 0.5))
    for k in range(BOXES):
        at = (0.002 * k, 0, 0.6 + HALF + 2 * HALF * k)
        world.add_rigid_object(CUBE, f"box{k}", position=at, sleep_threshold=THRESHOLD)
    world.add_rigid_object(px.Shape("box", (0.3, 0.3, 0.1)), "plate", kind="kinematic", position=(3, 0, 0.5))
    world.add_rigid_object(CUBE, "cargo", position=(3, 0, 0.7), sleep_threshold=THRESHOLD)
    world.add_rigid_object(
        px.Shape("sphere", (0.05,)), "ball", mass=4.0, position=(0, 4, 0.05), sleep_threshold=THRESHOLD
    )
    return world


@pytest.fixture(scope="module")
def asleep(device: str) -> px.World:
    """The world 0.6 s on, everything at rest for more than 0.4 s."""
    world = stack_world(device)
    world.step(round(0.3 / DT))
    assert not sleeping(world).any()
    world.step(round(0.5 / DT))
    return world


def boxes(world: px.World) -> list[px.RigidObject]:
    return [world.objects[f"box{k}"] for k in range(BOXES)]


def sleeping(world: px.World) -> np.ndarray:
    """(n, boxes)."""
    return np.stack([host(box.is_sleeping) for box in boxes(world)], axis=1) == 1


def poses(world: px.World) -> np.ndarray:
    """(n, boxes, 7)."""
    return np.stack([host(box.root_pose) for box in boxes(world)], axis=1)


def loads(world: px.World) -> np.ndarray:
    """(n, boxes): upward contact force that is left on each box, N."""
    return np.stack([host(box.net_contact_force)[:, 0, 2] for box in boxes(world)], axis=1)


def test_stacks_fall_asleep_alike_alone_and_among_others(asleep: px.World) -> None:
    assert sleeping(asleep).all() and host(asleep.objects["cargo"].is_sleeping).all()
    alone = stack_world(asleep.device, 1)
    alone.step(round(0.8 / DT))
    assert sleeping(alone).all()
    assert (poses(alone) == poses(asleep)).all()


def test_reports_of_a_sleeping_stack_carry_its_weight(asleep: px.World) -> None:
    np.testing.assert_allclose(loads(asleep), MASS * GRAVITY, rtol=0.005)
    view = asleep.contact_view(["box0"], filters=["table"])
    np.testing.assert_allclose(host(view.force_matrix())[:, 0, 0, 2], BOXES * MASS * GRAVITY, rtol=0.005)


def test_events(asleep: px.World, tmp_path: Path) -> None:
    """What happens in each environment, for a second; and in all of them the stack is saved and goes on alike."""
    world, objects = asleep, asleep.objects
    before = poses(world)
    env = {name: [EVENTS.index(name)] for name in EVENTS}
    objects["ball"].set_root_state(pose=[0.8, 0, 1.4, 1, 0, 0, 0], vel=[-4, 0, 0, 0, 0, 0], env_ids=env["ball"])
    objects["box0"].set_root_state(pose=[0, 2, HALF, 1, 0, 0, 0], env_ids=env["lowest"])
    gravity = np.tile(np.array([[0.0], [0.0], [-GRAVITY]])[None], (1, 1, world.num_envs))
    gravity[0, :, env["gravity"][0]] = [1.0, 0.0, -GRAVITY]
    world[c.Settings].gravity = gravity
    objects["box3"].set_external_wrench(force=[0.0, 0.0, 3.0], env_ids=env["force"])
    objects["box1"].set_root_state(vel=[0.0, 0.0, 0.0, 0.0, 0.0, 0.01], env_ids=env["velocity"])
    objects["box3"].wake_up(env_ids=env["woken"])
    objects["table"].set_root_state(pose=[0, 0, 0.4, 1, 0, 0, 0], env_ids=env["support"])
    objects["box2"].set_gravity(False, env_ids=env["gravity of one"])
    objects["plate"].set_root_state(vel=[0.1, 0, 0, 0, 0, 0], env_ids=env["table pushed"])
    world.save(tmp_path / "asleep.npz")
    world.step()
    awake = ~sleeping(world)
    assert not awake[env["none"]].any() and not awake[env["ball"]].any(), "the ball has yet to arrive"
    assert not awake[env["table pushed"]].any(), "that is the other stack"
    assert host(objects["cargo"].is_sleeping).tolist() == [name not in ("gravity", "table pushed") for name in EVENTS]
    for name in ("lowest", "gravity", "force", "velocity", "woken", "support", "gravity of one"):
        assert awake[env[name]].all(), name
    again = px.World.load(tmp_path / "asleep.npz", device=world.device)
    again.step()
    for _ in range(45):
        world.step()
        again.step()
        stricken = ~sleeping(world)[env["ball"][0]]
        assert stricken.all() or not stricken.any(), "an island wakes as a whole"
    assert stricken.all()
    world.step(round(0.4 / DT))
    again.step(round(0.4 / DT))
    assert (poses(world) == poses(again)).all() and (sleeping(world) == sleeping(again)).all()
    after = poses(world)
    moved = np.abs(after - before)[..., :3].max(axis=(1, 2))
    assert (after[env["none"]] == before[env["none"]]).all()
    assert (after[env["table pushed"]] == before[env["table pushed"]]).all()
    assert host(objects["cargo"].root_pose)[env["table pushed"], 0] > 3.02  # friction takes it along
    fell = before[env["lowest"], 1:, 2] - after[env["lowest"], 1:, 2]
    np.testing.assert_allclose(fell, 2 * HALF, atol=2e-3)
    fell = before[env["support"], :, 2] - after[env["support"], :, 2]
    np.testing.assert_allclose(fell, 0.1, atol=2e-3)
    assert moved[env["ball"][0]] > 1e-3 and moved[env["gravity"][0]] < 1e-3, "static friction holds"
    np.testing.assert_allclose(loads(world)[env["force"][0]], [MASS * GRAVITY] * 3 + [MASS * GRAVITY - 3.0], rtol=0.005)
    world.step(round(2.5 / DT))  # what fell rocks for a while
    calm = sleeping(world)
    for name in ("none", "lowest", "gravity", "force", "velocity", "woken", "support", "gravity of one"):
        assert calm[env[name]].all(), f"{name}: it must go to sleep again"


def test_sleepers_do_not_move_by_a_bit(asleep: px.World) -> None:
    """For 5 s, while their reports stay the same, too."""
    env = EVENTS.index("none")
    before, force = poses(asleep)[env], loads(asleep)[env]
    for _ in range(5):
        asleep.step(round(1.0 / DT))
        assert (poses(asleep)[env] == before).all()
        assert not any(host(box.root_vel)[env].any() for box in boxes(asleep))
        np.testing.assert_allclose(loads(asleep)[env], force, rtol=1e-5)


@pytest.fixture(scope="module")
def balls(device: str) -> px.World:
    """Balls without weight, and boxes one of which never sleeps; nobody asks for sleep until later."""
    world = px.World(2, device, dt=DT)
    world.add_ground()
    ball = px.Shape("sphere", (0.1,))
    world.add_rigid_object(ball, "target", mass=1.0, position=(0, 0, 2), disable_gravity=True)
    world.add_rigid_object(ball, "bullet", mass=1.0, position=(1, 0, 2), disable_gravity=True)
    world.add_rigid_object(ball, "falling", mass=1.0, position=(3, 0, 2))
    world.add_rigid_object(CUBE, "below", position=(6, 0, HALF))
    world.add_rigid_object(CUBE, "above", position=(6, 0, 3 * HALF))
    world.add_rigid_object(px.Shape("sphere", (0.5,)), "rock", kind="static", position=(9, 0, 0))
    world.step(2)
    return world


def test_by_hand(balls: px.World) -> None:
    """Asked for when the world runs already: by threshold and by hand; a hit wakes, and keeps the momentum."""
    objects = balls.objects
    assert not host(objects["target"].is_sleeping).any()
    objects["falling"].wake_up()  # nothing sleeps: nothing to do
    objects["falling"].set_root_state(pose=[3, 0, 1.5, 1, 0, 0, 0], vel=[0, 0, -1, 0, 0, 0])
    objects["falling"].put_to_sleep(env_ids=[1])
    objects["target"].put_to_sleep()
    objects["below"].set_sleep_threshold([THRESHOLD, 0.0])
    objects["above"].set_sleep_threshold(THRESHOLD)
    objects["bullet"].set_root_state(vel=[-2.0, 0, 0, 0, 0, 0], env_ids=[0])
    assert host(objects["falling"].is_sleeping).tolist() == [False, True]
    balls.step(60)
    height = host(objects["falling"].root_pose)[:, 2]
    assert height[1] == 1.5 and abs(height[0] - (1.5 - 0.25 - 0.5 * GRAVITY * 0.25**2)) < 0.01
    assert host(objects["target"].is_sleeping).all()
    balls.step(90)
    assert host(objects["target"].is_sleeping).tolist() == [False, True]
    speed = [host(objects[name].root_vel)[:, 0] for name in ("target", "bullet")]
    np.testing.assert_allclose(speed[0] + speed[1], [-2.0, 0.0], atol=1e-5)
    np.testing.assert_allclose(speed[0], [-1.0, 0.0], atol=0.05)  # without restitution both go on together
    assert host(objects["above"].is_sleeping).tolist() == [True, False], "the lower one never sleeps in environment 1"
    objects["falling"].wake_up()
    balls.step(48)
    assert abs(host(objects["falling"].root_pose)[1, 2] - (1.5 - 0.5 * GRAVITY * 0.2**2)) < 0.01


def test_thresholds_are_read_saved_and_checked(balls: px.World) -> None:
    objects = balls.objects
    objects["below"].set_sleep_threshold([THRESHOLD, 0.0])
    np.testing.assert_allclose(host(objects["below"].sleep_threshold), [THRESHOLD, 0.0])
    assert host(objects["target"].sleep_threshold).tolist() == [0.0, 0.0]
    made = px.World.from_description(stack_world("cpu", 1).describe()).build()
    np.testing.assert_allclose(host(made.objects["box2"].sleep_threshold), THRESHOLD)
    with pytest.raises(ValueError, match="'below': sleep threshold is negative"):
        objects["below"].set_sleep_threshold(-1.0)
    with pytest.raises(ValueError, match=r"'rock' is not moved by forces: put_to_sleep\(\) has no use for it"):
        objects["rock"].put_to_sleep()
    with pytest.raises(ValueError, match=r"sleep_threshold=-1: must be finite and at least 0"):
        px.World().add_rigid_object(CUBE, sleep_threshold=-1)
    assert "judge_islands" not in [s.name for s in px.World(device="cpu").schedule.systems()]


def test_recordings_repeat_what_begins_late(device: str, tmp_path: Path) -> None:
    """Sleep and torsional friction of a collection, asked for while it is recorded; then all of it is replayed."""
    world = px.World(2, device, dt=DT)
    world.add_ground()
    ball = px.Shape("sphere", (0.1,))
    balls = world.add_rigid_objects({f"ball{x}": {"source": ball, "position": (x, 0, 0.5)} for x in (0, 1)})
    world.build()
    with px.Recorder(world, tmp_path / "late.zarr"):
        world.step(20)
        balls.put_to_sleep(env_ids=[1], object_ids=["ball1"])
        world.step(20)
        assert (host(balls.is_sleeping) == [[0, 0], [0, 1]]).all()
        balls["ball0"].set_material(min_torsional_patch_radius=0.02)
        world.step(10)
        balls.wake_up()
        balls["ball0"].set_root_state(vel=[0, 0, -1, 0, 0, 10])
        world.step(60)
    assert not host(balls.is_sleeping).any()
    np.testing.assert_allclose(host(balls.root_pose)[:, 0, 2], 0.1, atol=1e-3)
    assert (np.abs(host(balls.root_vel)[:, 0, 5]) < 5).all()
    result = verify(open_recording(tmp_path / "late.zarr"))
    assert result.ok, str(result)


def test_recordings_of_sleep_repeat(device: str, tmp_path: Path) -> None:
    """Falling asleep, being put to sleep, woken by hand and by a force: replayed to the bit."""
    world = stack_world(device, 2)
    world.build()
    with px.Recorder(world, tmp_path / "sleep.zarr"):
        world.step(150)
        world.objects["box1"].wake_up(env_ids=[0])
        world.step(20)
        world.objects["box3"].set_external_wrench(force=[1.0, 0, 0], env_ids=[1])
        world.step(20)
        world.objects["ball"].put_to_sleep()
        world.step(120)
    assert sleeping(world).all()
    result = verify(open_recording(tmp_path / "sleep.zarr"))
    assert result.ok, str(result)
