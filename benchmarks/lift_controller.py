"""Plays Isaac Lab's task of a Franka that lifts a cube, unmodified, by a controller written by hand, or a policy.

    python -m benchmarks.lift_controller --num-envs 64 --json out.json
    python -m benchmarks.lift_controller --num-envs 64 --noise 0.5 --gripper chance
    python -m benchmarks.lift_controller --num-envs 64 --policy model_300.pt
    python -m benchmarks.lift_controller --num-envs 64 --times 1.0 1.9 2.2 --mujoco 20

The controller says what a task gives that a policy has to learn, and how often cubes are lifted by chance. The hand
goes above the cube, down, closes, and carries the cube to its goal, by inverse kinematics (Pinocchio, on the
description that the stand-in is made of) at the times in ``TIMES``. With ``--gripper chance`` it stays at the cube, the
gripper opens and closes as a policy at the start of learning lets it, and noise moves the joints; a policy gets noise
on all its actions. Rewards are those of whole first episodes of 5 s, by term, with the weights that the task begins
with. With ``--mujoco`` physics is MuJoCo's (:mod:`benchmarks.transfer_isaaclab`).
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import torch

from benchmarks.panda import Arm, pin
from benchmarks.transfer_isaaclab import MujocoPhysics
from phalanx import facade
from phalanx.bench.machine import machine
from phalanx.commands import learning_tasks
from phalanx.learn import trainers
from phalanx.learn.ranks import Ranks

TASK = "Isaac-Lift-Cube-Franka-v0"
SHARE = 0.2
"""Of what is left to an action's target, in each step."""
TIMES = (0.8, 1.4, 1.7)
"""s: when it goes down, closes, and lifts. The hand still moves then: some cubes are gripped by an edge, or knocked."""
BRAKE = torch.tensor((0.08, 0.15, 0.08, 0.15, 0.0, 0.0, 0.0))
"""Of an action, for each rad/s of a joint: the drives alone let the arm swing. With more light links would tremble."""
ABOVE = 0.12
"""m: of the fingertips' middle over that of the cube, before it goes down."""
TCP = 0.1034
"""m: of the fingertips' middle in the hand's frame, as the task has it."""
LIFTED = 0.04
"""m: height of the cube's middle that the task calls lifted."""
SETTLED = 0.1
"""s after which a cube that nobody touched lies on the table."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--num-envs", type=int, default=64)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--noise", type=float, default=0.0, help="standard deviation, added to actions of the arm")
    parser.add_argument("--carrying", action="store_true", help="noise only while the hand lifts and carries")
    parser.add_argument("--gripper", choices=("closes", "chance"), default="closes")
    parser.add_argument("--policy", type=Path, help="checkpoint of rsl-rl's trainer, to be played instead")
    parser.add_argument("--finer", type=int, default=1, help="steps of physics in one of the task's, of 10 ms")
    parser.add_argument("--times", type=float, nargs=3, default=TIMES, help="s: when it goes down, closes, and lifts")
    parser.add_argument(
        "--mujoco", type=int, default=0, metavar="N", help="so many of MuJoCo's steps in one of physics"
    )
    parser.add_argument("--soft", action="store_true", help="with the contacts that MuJoCo has by default")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    result = played(options)
    print(json.dumps(result))
    if options.json is not None:
        whole = {"machine": machine(), "torch": torch.__version__, "task": TASK, "cases": [result]}
        options.json.write_text(json.dumps(whole, indent=1) + "\n")
    return 0


def played(options: argparse.Namespace) -> dict[str, Any]:
    """First episodes: return with its standard error, its terms, and how cubes fared."""
    facade.install()
    if options.finer > 1:
        _step_finely(options.finer)
    count, seed = options.num_envs, options.seed
    made = learning_tasks.make(TASK, count, "cpu", seed)
    env = made.env.unwrapped
    physics = MujocoPhysics(env, options.mujoco, firm=not options.soft) if options.mujoco else None
    player = Controller(env, options) if options.policy is None else Policy(made, options)
    env.reset(seed=seed)
    torch.manual_seed(seed)
    player.begin()
    names = env.reward_manager.active_terms
    cube, goals = env.scene["object"], env.command_manager.get_command("object_pose")[:, :3].clone()
    terms, heights, going = torch.zeros(count, len(names)), [], torch.ones(count, dtype=torch.bool)
    apart = torch.zeros(count)
    for _ in range(int(env.max_episode_length) - 1):  # the last step begins another episode
        with torch.inference_mode():
            ended = player.step()
        terms += going[:, None] * env.reward_manager._step_reward * env.step_dt
        going &= ~ended
        place = cube.data.root_pos_w - env.scene.env_origins
        heights.append(torch.where(going, place[:, 2], 0.0))
        apart = torch.where(going, (place - goals).norm(dim=1), torch.inf)
    returns = terms.sum(dim=1)
    found: dict[str, Any] = {"num_envs": count, "seed": seed, "noise": options.noise, "finer": options.finer}
    if physics is not None:
        found |= {"mujoco_steps": options.mujoco, "firm": not options.soft, "warnings": physics.warnings()}
    found |= player.says()
    found |= {"return": float(returns.mean()), "error": float(returns.std() / count**0.5)}
    found["rewards"] = dict(zip(names, terms.mean(dim=0).tolist(), strict=True))
    lifted = torch.stack(heights)[round(SETTLED / env.step_dt) :] > LIFTED
    found |= {"lifted_at_end": float(lifted[-1].float().mean()), "ever_lifted": float(lifted.any(0).float().mean())}
    found |= {"share_of_time_lifted": float(lifted.float().mean()), "fallen_off": float((~going).float().mean())}
    return found | {"median_distance_to_goal": float(apart.median())}


def _step_finely(parts: int) -> None:
    """Let the task, of which nothing is made yet, have shorter steps of physics, and as many more in a control step."""
    from isaaclab_tasks.manager_based.manipulation.lift.config.franka import (  # pyright: ignore[reportMissingImports]
        joint_pos_env_cfg,
    )

    settings = joint_pos_env_cfg.FrankaCubeLiftEnvCfg
    own = settings.__post_init__

    def finely(self: Any) -> None:
        own(self)
        self.sim.dt /= parts
        self.decimation *= parts
        self.sim.render_interval = self.decimation

    settings.__post_init__ = finely


class Controller:
    """The hand goes above the cube, down, closes, and carries it; or stays at it, opening and closing by chance."""

    def __init__(self, env: Any, options: argparse.Namespace) -> None:
        self.env, self.noise, self.by_chance = env, options.noise, options.gripper == "chance"
        self.arm = Arm(env, options.seed)
        self.times, self.carrying = tuple(options.times), options.carrying
        self.steps, self.action = 0, torch.zeros(env.num_envs, 8)
        self.targets: tuple[torch.Tensor, ...] = ()

    def begin(self) -> None:
        """To be called after the reset."""
        self.targets = waypoints(self.env, self.arm)

    def step(self) -> torch.Tensor:
        """(environments,): which episodes ended."""
        phase = sum(self.steps * self.env.step_dt >= time for time in self.times)
        target, action, robot = self.targets[(0, 1, 1, 2)[phase]], self.action, self.env.scene["robot"]
        if self.by_chance and phase > 1:
            target = self.targets[1]
        action[:, :7] += SHARE * (target - action[:, :7])
        action[:, 7] = torch.randn(len(action)) if self.by_chance else (1.0 if phase < 2 else -1.0)
        given = action.clone()
        given[:, :7] -= BRAKE * robot.data.joint_vel[:, :7]
        if phase == 3 or not self.carrying:
            given[:, :7] += self.noise * torch.randn(len(action), 7)
        self.steps += 1
        _, _, ended, out_of_time, _ = self.env.step(given)
        return ended | out_of_time

    def says(self) -> dict[str, Any]:
        """What it is, for the result."""
        return {
            "times": self.times,
            "carrying": self.carrying,
            "gripper_by_chance": self.by_chance,
            "unreachable": self.arm.unreachable,
        }


class Policy:
    """A policy that was trained."""

    def __init__(self, made: Any, options: argparse.Namespace) -> None:
        self.noise, self.file = options.noise, options.policy
        self.trainer = trainers.make("rsl_rl", made.env, made.settings, None, TASK, options.seed, Ranks())
        self.trainer.load(options.policy)
        self.policy: Any = None
        self.observations: Any = None

    def begin(self) -> None:
        """To be called after the reset."""
        self.policy, self.observations = self.trainer.policy(), self.trainer.env.get_observations()

    def step(self) -> torch.Tensor:
        """(environments,): which episodes ended."""
        action = self.policy(self.observations)
        self.observations, _, ended, _ = self.trainer.env.step(action + self.noise * torch.randn_like(action))
        return ended.bool()

    def says(self) -> dict[str, Any]:
        """What it is, for the result."""
        rounds = len(torch.load(self.file, map_location="cpu", weights_only=True)["infos"]["curve"])
        return {"rounds": rounds, "sha256": hashlib.sha256(self.file.read_bytes()).hexdigest()}


def waypoints(env: Any, arm: Arm) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Actions (environments, 7) above the cube, at it, and with it at its goal."""
    cubes = (env.scene["object"].data.root_pos_w - env.scene["robot"].data.root_pos_w).double().numpy()
    goals = env.command_manager.get_command("object_pose")[:, :3].double().numpy()
    load = float(env.scene["object"].root_physx_view.get_masses()[0, 0])
    pin.framesForwardKinematics(arm.model, arm.data, np.concatenate((arm.middle, (0.0, 0.0))))
    down = np.diag((1.0, -1.0, -1.0))
    rest = 0.5 * 0.8 * 0.06  # m: of the cube's middle over the table
    found: list[list[np.ndarray]] = [[], [], []]
    for cube, goal in zip(cubes, goals, strict=True):
        now = arm.middle
        places = (cube[:2], rest + ABOVE), (cube[:2], rest), (goal[:2], goal[2])
        for number, (across, height) in enumerate(places):
            tip = np.array([*across, height])
            now = arm.inverse(pin.SE3(down, tip - down @ np.array([0.0, 0.0, TCP])), now)
            found[number].append(arm.action(now, load if number == 2 else 0.0))
    above, at, goal = (torch.as_tensor(np.array(one), dtype=torch.float32) for one in found)
    return above, at, goal


if __name__ == "__main__":
    sys.exit(main())
