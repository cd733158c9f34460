"""Benchmark scenes, as data."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from phalanx.io import library
from phalanx.robot import Robot
from phalanx.world import World


@dataclass(frozen=True)
class Scene:
    """A shipped robot in its nominal pose under its default drives, with position targets that jitter about that pose.

    ``noise`` is the amplitude of the targets' jitter (rad or m), drawn anew for each of ``frames`` batches of steps.
    """

    name: str
    doc: str
    robot: str
    ground: bool
    dt: float = 0.005
    noise: float = 0.02
    cpu_envs: tuple[int, ...] = (1, 1024)
    cuda_envs: tuple[int, ...] = (1, 256, 4096, 8192)

    def world(self, num_envs: int, device: str, dtype: str) -> tuple[World, Robot]:
        """The scene, built."""
        world = World(num_envs=num_envs, device=device, dtype=dtype, dt=self.dt)
        if self.ground:
            world.add_ground()
        robot = world.add_robot(self.robot)
        world.build()
        stiffness, damping = library.defaults(self.robot).gains(robot.joint_names)
        robot.set_drive(stiffness, damping)
        return world, robot

    def targets(self, robot_default: np.ndarray, num_envs: int, frames: int) -> np.ndarray:
        """(frames, num_envs, num_dof) position targets, the same for every engine."""
        rng = np.random.default_rng(0)
        return robot_default + self.noise * rng.uniform(-1, 1, (frames, num_envs, len(robot_default)))


SCENES = {
    scene.name: scene
    for scene in (
        Scene("quadruped", "12-dof quadruped that stands on the ground", "quadruped", ground=True),
        Scene("humanoid", "27-dof humanoid that stands on the ground", "humanoid", ground=True),
        Scene("arm", "7-dof arm with a gripper, no contact", "arm", ground=False, noise=0.1),
        Scene("cartpole", "cart and pole, no contact", "cartpole", ground=False),
    )
}
