"""A world to record, for tests and for processes that they start."""

from __future__ import annotations

import numpy as np
from small_robots import arm

import phalanx as px


def make_world(num_envs: int = 3) -> px.World:
    """Arms in different poses, driven."""
    world = px.World(num_envs=num_envs, dt=0.01)
    robot = world.add_robot(arm(), name="arm", fixed_base=True)
    world.build()
    robot.set_drive(stiffness=20.0, damping=1.0)
    rng = np.random.default_rng(1)
    robot.set_joint_state(pos=rng.uniform(-0.5, 0.5, (num_envs, 3)).astype(np.float32))
    return world
