"""Plays Isaac Lab's task of a Franka that reaches, unmodified, with a controller that was written by hand.

    python -m benchmarks.reach_controller --num-envs 64 --json out.json
    python -m benchmarks.reach_controller --num-envs 64 --speed-limit 100    # rad/s, of the arm's joints

It says what a task gives that a policy has to learn. For each command, inverse kinematics (Pinocchio, on the
description that the stand-in is made of) finds joints that put the hand there; the action adds what gravity takes
from drives of that stiffness. Targets are approached step by step, each by a share of what is left. Rewards are those
of whole first episodes of 12 s, by term, with the weights that the task's curriculum sets after 4,500 steps.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import torch

from benchmarks.panda import Arm, pin
from phalanx import facade
from phalanx.bench.machine import machine
from phalanx.commands import learning_tasks

TASK = "Isaac-Reach-Franka-v0"
SHARE = 0.15
"""Of what is left to an action's target, in each step."""
LATE_WEIGHTS = {"action_rate": -0.005, "joint_vel": -0.001}
"""Of the task's curriculum."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--num-envs", type=int, default=64)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--speed-limit", type=float, help="rad/s, of joints of the arm; by default the robot's own")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    result = played(options.num_envs, options.seed, options.speed_limit)
    print(json.dumps(result))
    if options.json is not None:
        whole = {"machine": machine(), "torch": torch.__version__, "task": TASK, "cases": [result]}
        options.json.write_text(json.dumps(whole, indent=1) + "\n")
    return 0


def played(count: int, seed: int, speed_limit: float | None) -> dict[str, Any]:
    """First episodes of the controller: return with its standard error, its terms, errors at the ends of commands."""
    facade.install()
    if speed_limit is not None:
        from isaaclab_assets.robots.franka import FRANKA_PANDA_CFG  # pyright: ignore[reportMissingImports]

        for part in ("panda_shoulder", "panda_forearm"):
            FRANKA_PANDA_CFG.actuators[part].velocity_limit_sim = speed_limit
    env = learning_tasks.make(TASK, count, "cpu", seed).env.unwrapped
    env.reset(seed=seed)
    weights = {name: env.reward_manager.get_term_cfg(name).weight for name in env.reward_manager.active_terms}
    late = torch.tensor([LATE_WEIGHTS.get(name, weight) / weight for name, weight in weights.items()])
    controller, action = Controller(env, seed), torch.zeros(count, 7)
    terms, ends, before = torch.zeros(count, len(weights)), [], controller.commands()
    for _ in range(int(env.max_episode_length)):
        action = action + SHARE * (controller.targets() - action)
        metrics = env.command_manager.get_term("ee_pose").metrics
        errors = metrics["position_error"].clone(), metrics["orientation_error"].clone()
        env.step(action)
        terms += env.reward_manager._step_reward * env.step_dt * late
        changed = (controller.commands() != before).any(dim=1)
        before = controller.commands()
        ends.append([error[changed] for error in errors])
    returns = terms.sum(dim=1)
    position, orientation = (torch.cat(one) for one in zip(*ends, strict=True))
    found: dict[str, Any] = {"num_envs": count, "seed": seed, "speed_limit": speed_limit}
    found |= {"return": float(returns.mean()), "error": float(returns.std() / count**0.5)}
    found["rewards"] = dict(zip(weights, terms.mean(dim=0).tolist(), strict=True))
    found |= {"position_error": float(position.mean()), "orientation_error": float(orientation.mean())}
    return found | {"unreachable": controller.arm.unreachable}


class Controller:
    """Actions of the arm's joints that hold the hand where each environment's command wants it."""

    def __init__(self, env: Any, seed: int) -> None:
        self.env, self.arm = env, Arm(env, seed)
        self._known, self._targets = torch.full((env.num_envs, 7), torch.nan), torch.zeros(env.num_envs, 7)

    def commands(self) -> torch.Tensor:
        """(environments, 7): places (m) and orientations (wxyz) in the base's frame; a copy."""
        return self.env.command_manager.get_command("ee_pose").clone()

    def targets(self) -> torch.Tensor:
        """(environments, 7): actions; found anew where there is a new command."""
        commands = self.commands()
        for n in (commands != self._known).any(dim=1).nonzero()[:, 0].tolist():
            x, y, z, qw, qx, qy, qz = commands[n].double().tolist()
            now = self.arm.robot.data.joint_pos[n, :7].double().numpy()
            goal = self.arm.inverse(pin.XYZQUATToSE3(np.array([x, y, z, qx, qy, qz, qw])), now)
            self._targets[n] = torch.as_tensor(self.arm.action(goal))
        self._known = commands
        return self._targets


if __name__ == "__main__":
    sys.exit(main())
