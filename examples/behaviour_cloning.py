"""An arm learns to reach from an exported dataset: demonstrations, HDF5, a small network, and new goals.

A controller that knows the Jacobian shows 256 arms how to reach a ball each. The recording becomes a dataset as
robomimic reads it; a network learns from that file alone what targets to give the drives, and then moves arms to balls
that it has not seen.
Needs torch and h5py (the extras ``learn`` and ``export``); takes a minute on a CPU.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import torch

import phalanx as px
from phalanx.io.exports.export import export
from phalanx.io.formats import library

DT, EVERY = 0.005, 4  # s; steps of physics between two targets: 50 Hz
REACH, DAMPING = 2.0, 0.05  # share of the way that the controller asks for at once; of its least squares, m
OBSERVATIONS = ("robot/joint_pos", "goal/root_pose")


def scene(num_envs: int, seed: int) -> tuple[px.World, px.Robot, px.RigidObject]:
    """Arms in random poses, each with a ball at a place that its hand can reach."""
    world = px.World(num_envs=num_envs, device="cpu", dt=DT)
    robot = world.add_robot("arm", name="robot")
    goal = world.add_rigid_object(px.Shape("sphere", (0.03,)), "goal", kind="kinematic", collision_mask=0)
    robot.set_drive(*library.defaults("arm").gains(robot.joint_names))
    world.build()
    rng = np.random.default_rng(seed)
    around = robot.default_joint_pos
    robot.set_joint_state(around + rng.uniform(-0.6, 0.6, (num_envs, robot.num_dof)))
    pose = np.tile([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], (num_envs, 1))
    pose[:, :3] = robot.body_pose[:, -1, :3]  # where the hand is in a pose is a place that it can reach
    goal.set_root_state(pose=pose)
    robot.set_joint_state(around + rng.uniform(-0.6, 0.6, (num_envs, robot.num_dof)))
    return world, robot, goal


def distances(robot: px.Robot, goal: px.RigidObject) -> np.ndarray:
    """(num_envs,): of the hand from the ball, m."""
    return np.linalg.norm(goal.root_pose[:, :3] - robot.body_pose[:, -1, :3], axis=1)


def expert(robot: px.Robot, goal: px.RigidObject) -> np.ndarray:
    """(num_envs, num_dof): targets of the drives that bring the hand nearer, by damped least squares."""
    way = REACH * (goal.root_pose[:, :3] - robot.body_pose[:, -1, :3])
    jacobian = robot.jacobian()[:, -1, :3]  # of the hand's place
    square = jacobian @ jacobian.transpose(0, 2, 1) + DAMPING**2 * np.eye(3)
    step = np.einsum("nij,ni->nj", jacobian, np.linalg.solve(square, way[..., None])[..., 0])
    return robot.joint_pos + np.clip(step, -0.3, 0.3)


def drive(world: px.World, steps: int, robot: px.Robot, targets: Callable[[], np.ndarray]) -> None:
    """Give new targets 50 times a second."""
    for _ in range(steps):
        robot.set_targets(pos=targets())
        world.step(EVERY)


def read(path: Path) -> tuple[torch.Tensor, torch.Tensor]:
    """Inputs (joint positions, place of the ball) and outputs (how far targets are from positions) of all steps."""
    with h5py.File(path) as file:
        data: Any = file["data"]
        demos: list[Any] = [data[name] for name in data]
        joints = np.concatenate([demo["obs/robot_joint_pos"][...] for demo in demos])
        goals = np.concatenate([demo["obs/goal_root_pose"][...] for demo in demos])[:, :3]
        actions = np.concatenate([demo["actions"][...] for demo in demos])
    inputs = np.concatenate([joints, goals], axis=1)
    return torch.tensor(inputs, dtype=torch.float32), torch.tensor(actions - joints, dtype=torch.float32)


def learn(inputs: torch.Tensor, outputs: torch.Tensor, seconds: float) -> Callable[[torch.Tensor], torch.Tensor]:
    """A network that imitates, trained for so long."""
    torch.manual_seed(0)
    torch.set_num_threads(1)  # batches are small
    mean, width, scale = inputs.mean(0), inputs.std(0) + 1e-6, outputs.std(0) + 1e-6
    sizes = (inputs.shape[1], 256, 256, outputs.shape[1])
    layers = [torch.nn.Linear(sizes[0], 256), torch.nn.ELU(), torch.nn.Linear(256, 256), torch.nn.ELU()]
    network = torch.nn.Sequential(*layers, torch.nn.Linear(256, sizes[-1]))
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-3)
    end, loss, rounds = time.monotonic() + seconds, torch.tensor(0.0), 0
    while time.monotonic() < end:
        chosen = torch.randint(len(inputs), (1024,))
        error = network((inputs[chosen] - mean) / width) - outputs[chosen] / scale
        loss = error.square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        rounds += 1
    print(f"trained      {rounds} batches in {seconds:g} s, loss {loss.item():.4f}")
    return lambda seen: network((seen - mean) / width) * scale


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--num-envs", type=int, default=256)
    parser.add_argument("--steps", type=int, default=75, help="of a demonstration, at 50 Hz")
    parser.add_argument("--seconds", type=float, default=40.0, help="of training")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        world, robot, goal = scene(options.num_envs, seed=0)
        start = distances(robot, goal)
        with px.Recorder(world, Path(folder) / "reach.zarr", every=EVERY):
            drive(world, options.steps, robot, lambda: expert(robot, goal))
        end = distances(robot, goal)
        print(f"shown        {1000 * start.mean():.0f} mm from the ball at first, {1000 * end.mean():.1f} mm at last")
        dataset = Path(folder) / "reach.hdf5"
        export(px.open_recording(Path(folder) / "reach.zarr"), "robomimic", dataset, observations=OBSERVATIONS)
        inputs, outputs = read(dataset)
    print(f"dataset      {len(inputs)} steps, {inputs.shape[1]} numbers each")
    policy = learn(inputs, outputs, options.seconds)

    world, robot, goal = scene(options.num_envs, seed=1)
    start = distances(robot, goal)

    def targets() -> np.ndarray:
        joints = robot.joint_pos
        seen = torch.tensor(np.concatenate([joints, goal.root_pose[:, :3]], axis=1), dtype=torch.float32)
        with torch.no_grad():
            return joints + policy(seen).numpy()

    drive(world, options.steps, robot, targets)
    end = distances(robot, goal)
    print(f"new balls    {1000 * start.mean():.0f} mm at first, {1000 * np.median(end):.1f} mm at last (median)")
    print(f"reached      {(end < 0.05).mean():.0%} within 50 mm; {(start < 0.05).mean():.0%} were at first")


if __name__ == "__main__":
    main()
