"""What starts deep inside each other parts no faster than it may be pushed, and springs gain no more from that."""

from __future__ import annotations

import numpy as np
import pytest
from contact.overlaps import chain
from oracles import host
from scipy.spatial.transform import Rotation

import phalanx as px

CAP = 3.0
"""m/s, the world's cap on the speed of pushes."""
THIN = 0.06
"""m, the least half width of a shape, and so of the levers that pushes have."""
SHAPES = {
    "box": px.Shape("box", (0.12, 0.08, 0.06)),
    "capsule": px.Shape("capsule", (0.06, 0.1)),
    "cylinder": px.Shape("cylinder", (0.08, 0.1)),
    "ball": px.Shape("sphere", (0.1,)),
}
ENVS = 6
STEPS = pytest.mark.parametrize("rate", [60, 200, 1000])


@pytest.mark.parametrize(
    ("shape", "real"),
    [
        ("box", "float32"),
        ("capsule", "float32"),
        ("ball", "float32"),
        pytest.param("capsule", "float64", marks=pytest.mark.slow),
    ],
)
@STEPS
def test_arms_in_each_other(rate: int, shape: str, real: str, device: str) -> None:
    """Arms on fixed bases that overlap all along, 1 : 1 and 1 : 1000 in mass, with drives that pull them back.

    Where normals all but meet hinges, pushes turned joints by up to 1e15 rad in a step, and impulses of the step
    before, with levers that had changed, by 1e5. Drives are overdamped by far: they go back at stiffness / damping.
    """
    for ratio in (1.0, 1000.0):
        world = px.World(ENVS, device=device, dtype=real, dt=1 / rate, gravity=(0.0, 0.0, 0.0))
        one, other = (
            world.add_robot(chain(name, SHAPES[shape], mass), name, fixed_base=True)
            for name, mass in (("light", 1.0), ("heavy", ratio))
        )
        away = np.random.default_rng(0).uniform(-1.0, 1.0, (ENVS, 3)) * [0.05, 0.03, 0.02]
        other.set_root_state(pose=np.hstack([away, np.tile([1.0, 0.0, 0.0, 0.0], (ENVS, 1))]))
        for robot in (one, other):
            robot.set_drive(stiffness=5e3, damping=250.0)
        before, turned, fastest, back = 0.0, 0.0, 0.0, 0.0
        for _ in range(rate // 4):
            world.step()
            angles = np.hstack([host(one.joint_pos), host(other.joint_pos)])
            speeds = np.hstack([host(one.joint_vel), host(other.joint_vel)])
            turned = max(turned, float(np.abs(angles - before).max()))
            fastest = max(fastest, float(np.abs(speeds).max()))
            back = max(back, 20.0 * float(np.abs(angles).max()))
            before = angles
        assert 0.0 < turned < 1.0
        assert fastest < max(2.0 * back, CAP / THIN)


@pytest.mark.parametrize("pair", [("box", "box"), ("box", "ball"), ("capsule", "cylinder"), ("capsule", "capsule")])
@STEPS
def test_loose_bodies_in_each_other(rate: int, pair: tuple[str, str], device: str) -> None:
    """Two bodies about the same place, 1 : 1 to 1 : 1000: they part at the cap at most, and then stay."""
    for ratio in (1.0, 30.0, 1000.0):
        world = px.World(ENVS, device=device, dt=1 / rate, gravity=(0.0, 0.0, 0.0))
        bodies = [
            world.add_rigid_object(SHAPES[shape], name, mass=mass)
            for shape, name, mass in zip(pair, ("one", "other"), (1.0, ratio), strict=True)
        ]
        rng = np.random.default_rng(1)
        places = []
        for body in bodies:
            turns = Rotation.random(ENVS, rng).as_quat(scalar_first=True)  # pyright: ignore[reportCallIssue]
            places.append(rng.uniform(-0.02, 0.02, (ENVS, 3)))
            body.set_root_state(pose=np.hstack([places[-1], turns]))
        for _ in range(rate // 2):
            world.step()
            now = [host(body.root_pose)[:, :3] for body in bodies]
            apart = [np.linalg.norm(b - a, axis=1) for a, b in (places, now)]
            assert (np.abs(apart[1] - apart[0]) < 1.01 * CAP / rate + 1e-6).all()
            places = now
            for body in bodies:
                assert np.abs(host(body.root_vel)).max() < 1e-3
        assert apart[1].min() > 0.05


@pytest.mark.parametrize("kp", [0.0, 100.0, 5000.0])
@STEPS
def test_a_robot_in_a_wall(rate: int, kp: float, device: str) -> None:
    """A free arm, its middle link half in a wall, parts from it: no faster than pushed and let go by its drives."""
    world = px.World(ENVS, device=device, dt=1 / rate, gravity=(0.0, 0.0, 0.0))
    robot = world.add_robot(chain("arm", SHAPES["capsule"]), "arm", fixed_base=False)
    world.add_rigid_object(px.Shape("box", (0.5, 0.1, 0.5)), "wall", kind="static", position=(0.3, 0.0, 0.0))
    if kp > 0.0:
        robot.set_drive(stiffness=kp, damping=kp / 20)
    y = np.linspace(-0.09, 0.09, ENVS)
    pose = np.tile([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], (ENVS, 1))
    pose[:, 1] = y
    robot.set_root_state(pose=pose)
    for _ in range(rate):
        world.step()
        assert np.abs(host(robot.body_vel)[..., :3]).max() < CAP
    points = host(robot.body_pose)[..., 1]
    np.testing.assert_array_less(0.1, np.abs(points).max(axis=1))
