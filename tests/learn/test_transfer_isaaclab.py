"""What MuJoCo needs to stand in for our physics in Isaac Lab's tasks: speed limits of joints, grips that hold."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracles import host

torch = pytest.importorskip("torch", reason="torch is not installed (pip install 'phalanx[torch]')")
mujoco: Any = pytest.importorskip("mujoco", reason="MuJoCo is not installed (pip install 'phalanx[test]')")

from benchmarks.transfer_isaaclab import firm_contacts, keep_speeds  # noqa: E402
from phalanx import World  # noqa: E402
from phalanx.bench import SCENES, mjcf, mujoco_peer  # noqa: E402
from phalanx.bench.build import Actuator, Setup, set_up  # noqa: E402
from phalanx.bench.declare import Drives, MujocoOptions, Scene  # noqa: E402
from phalanx.facade import wheel  # noqa: E402
from phalanx.models.robot_model import Body, Joint, RobotModel, Shape  # noqa: E402


def test_speed_limits_are_kept_by_impulses_on_joints() -> None:
    """Of a quadruped in the air: no joint is too fast, the others feel it, and its momentum stays what it was."""
    setup = set_up(SCENES["quadruped"], 1)
    model, data = mujoco_peer.model(setup)
    (robot,) = setup.world.robots.values()
    dofs = [int(model.joint(f"{robot.name}/{name}").dofadr[0]) for name in robot.joint_names]
    random = np.random.default_rng(1)
    data.qvel[dofs] = random.uniform(-12.0, 12.0, len(dofs))
    mujoco.mj_forward(model, data)
    mujoco.mj_subtreeVel(model, data)
    place, velocity, momentum = data.qpos.copy(), data.qvel.copy(), data.subtree_linvel[0].copy()
    fastest = np.full(len(dofs), 5.0)
    keep_speeds(model, data, dofs, fastest)
    assert np.abs(data.qvel[dofs]).max() < 5.0 + 1e-5
    impulse = np.zeros(model.nv)
    mujoco.mj_mulM(model, data, impulse, data.qvel - velocity)
    free = np.ones(model.nv, bool)
    free[np.array(dofs)[np.abs(np.abs(data.qvel[dofs]) - 5.0) < 1e-5]] = False
    assert 0 < (~free).sum() < len(dofs)
    np.testing.assert_allclose(impulse[free], 0.0, atol=1e-9)
    mujoco.mj_subtreeVel(model, data)
    np.testing.assert_allclose(data.subtree_linvel[0], momentum, atol=1e-9)
    np.testing.assert_allclose(data.qpos[7:] - place[7:], model.opt.timestep * (data.qvel - velocity)[6:], atol=1e-12)
    assert np.abs((data.qvel - velocity)[:6]).max() > 1e-3


PRESS, HALF, FRICTION = 48.0, 0.024, 0.5
"""What fingers press with, N, half a cube's edge, m, and friction, as in Isaac-Lift-Cube-Franka-v0."""
SECONDS = 0.2
"""In which a cube may fall."""


def light_fingers() -> RobotModel:
    """Two fingers of 22 g on a fixed hand, as the Franka's; pads of 2 cm x 3.3 cm press along y."""
    bodies, joints = [Body("hand", 1.0, inertia=1e-3 * np.eye(3))], []
    for name, side in (("left", 1.0), ("right", -1.0)):
        pad = Shape("box", (0.01, 0.005, 0.0165), (0.0, 0.005 * side, 0.0))
        bodies.append(Body(name, 0.0216, inertia=1e-5 * np.eye(3), collisions=[pad]))
        joints.append(Joint(name, "prismatic", "hand", name, axis=(0.0, side, 0.0), lower=0.0, upper=0.04))
    return RobotModel("fingers", bodies, joints)


def gripped(mass: float, dt: float) -> tuple[World, dict[str, Any]]:
    """A cube between such fingers, and the gains of their drives."""
    world = World(1, dt=dt)
    world.add_robot(light_fingers(), "hand", True, (0.0, 0.0, 1.0), joint_pos=[HALF, HALF], friction=FRICTION)
    cube = Shape("box", (HALF, HALF, HALF))
    world.add_rigid_object(cube, "cube", mass=mass, position=(0.0, 0.0, 1.0), friction=FRICTION)
    return world, {"stiffness": [PRESS / HALF] * 2, "damping": [100.0] * 2}


def fallen_here(mass: float) -> float:
    """How far the cube falls, m, in our engine, after fingers have pressed it for a while without gravity."""
    world, gains = gripped(mass, 0.005)
    world.robots["hand"].set_drive(**gains)
    world.robots["hand"].set_targets(pos=[0.0, 0.0])
    cube, places = world.actors["cube"], []
    for weighs in (False, True):
        cube.set_gravity(weighs)
        world.step(round(SECONDS / world.dt))
        places.append(float(host(cube.root_pose)[0, 2]))
    return places[0] - places[1]


def fallen_in_mujoco(mass: float, dt: float, options: MujocoOptions) -> float:
    """The same in MuJoCo, with targets at 0."""
    world, gains = gripped(mass, dt)
    drives = {"hand": Drives(*(np.array(one) for one in gains.values()), *(np.zeros(2) for _ in range(3)))}
    actuators = [Actuator("hand", joint, False, 0.0, 0.0) for joint in range(2)]
    setup = Setup(Scene("grip", "", dt=dt, mujoco=options), world, drives, actuators)
    model = mujoco.MjModel.from_xml_string(mjcf.write(setup))
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    cube, places = world.actors["cube"], []
    for weighs in (0.0, 1.0):
        model.opt.gravity[2] = -9.81 * weighs
        for _ in range(round(SECONDS / dt)):
            mujoco.mj_step(model, data)
        places.append(float(data.body(f"{cube.name}/{cube.link_names[0]}").xpos[2]))
    return places[0] - places[1]


def test_both_engines_hold_a_cube_up_to_coulombs_bound() -> None:
    """5 % less than friction can carry stays, 10 % more falls by what is left over.

    Firm contacts and short steps in MuJoCo; in our engine steps are ten times as long. Measured: 0.3 mm of the lighter
    cubes in both, 18.8 mm of the heavier ones in both, and 17.8 mm by Coulomb's law.
    """
    most = 2.0 * FRICTION * PRESS / 9.81
    falls = 0.5 * 9.81 * SECONDS**2 * (1.0 - 1.0 / 1.1)
    for fallen in (fallen_here, lambda mass: fallen_in_mujoco(mass, 0.0005, firm_contacts(0.0005))):
        assert abs(fallen(0.95 * most)) < 1e-3
        np.testing.assert_allclose(fallen(1.1 * most), falls, rtol=0.1)


def test_mujocos_own_contacts_drop_what_light_fingers_hold() -> None:
    """Why there are firm ones: the task's cube, of a twentieth of what friction can carry, is pinched out."""
    mass = 0.216
    assert abs(fallen_here(mass)) < 1e-4
    assert fallen_in_mujoco(mass, 0.005, MujocoOptions()) > 0.03
    assert abs(fallen_in_mujoco(mass, 0.0005, firm_contacts(0.0005))) < 1e-4


@pytest.mark.slow
@pytest.mark.skipif(wheel.source() is None, reason="Isaac Lab's wheel is not installed: make isaaclab")
def test_a_franka_lifts_cubes_in_both_engines(tmp_path: Path) -> None:
    """Isaac Lab's task by the controller that was written by hand: all cubes lifted, returns within a tenth."""
    for package, extra in (("gymnasium", "isaaclab"), ("pxr", "isaac"), ("pinocchio", "test"), ("rsl_rl", "learn")):
        pytest.importorskip(package, reason=f"{package} is not installed: extra {extra}")
    from phalanx.assets.building import build
    from phalanx.assets.catalogue import chosen
    from phalanx.assets.descriptions import MissingPackageError

    for one in chosen(("franka", "dex-cube", "table")):
        try:
            build(one, tmp_path)
        except MissingPackageError as error:
            pytest.skip(str(error))
    returns = []
    for also in ((), ("--mujoco", "20")):
        command = [
            sys.executable,
            "-m",
            "benchmarks.lift_controller",
            "--num-envs",
            "6",
            "--times",
            "1.0",
            "1.9",
            "2.2",
        ]
        own = {**os.environ, "PHALANX_ASSET_ROOT": str(tmp_path)}
        done = subprocess.run([*command, *also], capture_output=True, text=True, env=own, timeout=600, check=False)
        assert done.returncode == 0, done.stderr
        found = json.loads(done.stdout.splitlines()[-1])
        assert found["lifted_at_end"] == 1.0 and found.get("warnings", 0) == 0
        returns.append(found["return"])
    assert abs(returns[1] / returns[0] - 1.0) < 0.1
