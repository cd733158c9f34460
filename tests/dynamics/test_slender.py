"""Slender links on spherical joints at long timesteps: their spin about their own axis must not run away."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from oracles import host
from scipy.spatial.transform import Rotation

import phalanx as px
from phalanx.models.robot_model import Body, Joint, RobotModel

LENGTH, MASS, RADIUS, G = 0.2, 0.1, 0.01, 9.81


def rods(*joints: str) -> RobotModel:
    """Rods one after the other along x, 67 times as hard to turn over as to spin, on joints of these types."""
    across, along = MASS * (LENGTH**2 / 12 + RADIUS**2 / 4), 0.5 * MASS * RADIUS**2
    inertia = np.diag([along, across, across])
    bodies = [Body("base", 1.0, inertia=1e-2 * np.eye(3))]
    bodies += [Body(f"rod{n}", MASS, (0.5 * LENGTH, 0.0, 0.0), inertia) for n in range(len(joints))]
    made = [
        Joint(
            f"joint{n}",
            kind,
            bodies[n].name,
            f"rod{n}",
            (LENGTH if n else 0.0, 0.0, 0.0),
            axis=(0.0, 1.0, 0.0),
        )
        for n, kind in enumerate(joints)
    ]
    return RobotModel("rods", bodies, made)


def energy(robot: px.Robot) -> np.ndarray:
    """Of each environment, J."""
    velocity, pose = host(robot.joint_vel), host(robot.body_pose)[:, 1:]
    kinetic = 0.5 * np.einsum("ei,eij,ej->e", velocity, host(robot.mass_matrix()), velocity)
    turn = Rotation.from_quat(pose[..., 3:].reshape(-1, 4), scalar_first=True)
    heights = pose[..., 2] + turn.apply([0.5 * LENGTH, 0, 0])[:, 2].reshape(pose.shape[:2])
    return kinetic + MASS * G * heights.sum(axis=1)


@pytest.mark.parametrize(
    ("joints", "rate", "most"),
    [
        (("spherical",), 60, 0.7),
        (("spherical",), 120, 0.16),
        (("spherical",), 240, 0.05),
        (("spherical", "spherical"), 240, 0.32),
        (("revolute", "spherical"), 60, 14.0),
        (("revolute", "spherical"), 120, 2.2),
        (("revolute", "spherical"), 240, 0.25),
    ],
)
def test_slender_rods_swing_on(joints: tuple[str, ...], rate: int, most: float, device: str) -> None:
    """No environment diverges, and energy differs by little more than semi-implicit Euler's error at these steps.

    Where the momentum of a whole robot decides on the spin of its slenderest link, the first of these robots diverge
    within a second at 1/60 s. (Steps at which semi-implicit Euler diverges as well are left out.)
    """
    world = px.World(8, device, "float64", dt=1 / rate)
    robot = world.add_robot(rods(*joints), fixed_base=True)
    world.build()
    robot.set_drive(stiffness=0.0, damping=0.0)
    rng = np.random.default_rng(1)
    shape = (world.num_envs, robot.num_dof)
    robot.set_joint_state(rng.normal(0.0, 0.3, shape), rng.normal(0.0, 3.0, shape))
    start = energy(robot)
    with warnings.catch_warnings():
        warnings.simplefilter("error", px.SimulationWarning)
        world.step(2 * rate)
    assert np.abs(energy(robot) - start).max() < most
