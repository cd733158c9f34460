"""Trains native tasks, and says how fast environments step, how fast policies learn, and how well they do in the end.

    python benchmarks/learning.py cartpole quadruped-flat ant --device cuda:0 --out FOLDER

leaves ``TASK.pt`` and ``learning.json``: for each task environment steps per second with random actions, the share of
them that is not physics, the learning curve, and what the policy without noise brings, on the device and on the CPU.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

import torch

from phalanx import learn
from phalanx.learn.recipes import recipe
from phalanx.learn.trainer import Trainer, read_checkpoint


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tasks", nargs="+", choices=list(learn.TASKS), metavar="TASK")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--num-envs", type=int)
    parser.add_argument("--iterations", type=int)
    parser.add_argument("--seconds", type=float, default=1e9, help="of training, at most, for each task")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("."))
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    results: dict[str, Any] = {}
    for task in options.tasks:
        results[task] = trained(task, options)
        (options.out / "learning.json").write_text(json.dumps(results, indent=1))


def trained(task: str, options: argparse.Namespace) -> dict[str, Any]:
    """Train one task; the figures."""
    device, seed = options.device, options.seed
    found = recipe(task, device)
    began = time.perf_counter()
    env = learn.make(task, options.num_envs or found.num_envs, device, seed=seed, infos=False)
    env.reset()
    env.advance(torch.zeros(env.num_envs, env.num_actions, device=env.device))
    _wait(device)
    ready = time.perf_counter() - began
    print(f"{task}: {env.num_envs} environments on {device}, first step after {ready:.1f} s", flush=True)
    stepping = {"first_step_seconds": ready, **speed(env)}
    print("  " + ", ".join(f"{name} {value:.4g}" for name, value in stepping.items()), flush=True)
    trainer = Trainer(env, found.settings(), None, task, seed)
    said = [0.0]

    def report(row: dict[str, Any]) -> None:
        last = row["iteration"] + 1 == (options.iterations or found.iterations)
        if last or time.perf_counter() - said[0] > 5.0:
            said[0] = time.perf_counter()
            names = ("reward", "length", "steps_per_second", "stepping_steps_per_second", "deviation")
            text = ", ".join(f"{name} {row[name]:.4g}" for name in names if name in row)
            print(f"  {row['iteration'] + 1:5d}  {row['seconds']:7.1f} s  {text}", flush=True)

    trainer.learn(
        options.iterations or found.iterations,
        found.stagger,
        report,
        enough=lambda row: row["seconds"] > options.seconds,
    )
    path = options.out / f"{task}.pt"
    trainer.save(path)
    ends = {device: played(task, path, device, seed + 1)}
    if device != "cpu":
        ends["cpu"] = played(task, path, "cpu", seed + 1)
    for where, end in ends.items():
        print(f"  policy without noise on {where}: {json.dumps(end)}", flush=True)
    return {"num_envs": env.num_envs, "device": device, "speed": stepping, "played": ends, "curve": trainer.curve}


def speed(env: learn.Environment, steps: int = 200) -> dict[str, float]:
    """Environment steps per second with random actions, and those of physics alone."""
    device = str(env.device)
    generator = torch.Generator(device).manual_seed(0)
    actions = [torch.randn(env.num_envs, env.num_actions, device=device, generator=generator) for _ in range(8)]
    steps = steps if device != "cpu" else max(4, min(steps, 200_000 // env.num_envs))
    for k in range(8):
        env.advance(actions[k])

    def rate(run: Any) -> float:
        _wait(device)
        start = time.perf_counter()
        for k in range(steps):
            run(k)
        _wait(device)
        return env.num_envs * steps / (time.perf_counter() - start)

    whole = rate(lambda k: env.advance(actions[k % 8]))
    physics = rate(lambda k: env.world.step(env.decimation))
    return {"steps_per_second": whole, "physics_steps_per_second": physics, "rest_over_physics": physics / whole - 1.0}


def played(task: str, path: Path, device: str, seed: int, num_envs: int = 64) -> dict[str, float]:
    """Mean return and length of a policy's first episodes without noise; of walking, also how well it follows."""
    env = learn.make(task, num_envs, device, seed=seed, noise=False, infos=False)
    trainer = Trainer(env, recipe(task, device).settings(), None, task, seed)
    read_checkpoint(path)
    trainer.load(path)
    env.reset(seed=seed)
    policy, observations = trainer.policy(), trainer.env.get_observations()
    returns, lengths = torch.zeros(num_envs, device=device), torch.zeros(num_envs, device=device)
    going = torch.ones(num_envs, device=device)
    off = torch.zeros((), device=device)
    dog = getattr(env, "dog", None)
    with torch.inference_mode():
        for _ in range(env.max_episode_length):
            observations, rewards, dones, _ = trainer.env.step(policy(observations))
            returns += going * rewards
            lengths += going
            if dog is not None:
                way = torch.linalg.vector_norm(env.command[:, :2] - dog.root_lin_vel_b[:, :2], dim=1)  # type: ignore
                off += (going * (~dones) * way).sum()
            going *= ~dones
    found = {"return": float(returns.mean()), "length": float(lengths.mean()), "longest": env.max_episode_length}
    return found | ({"mean_speed_error": float(off / lengths.sum())} if dog is not None else {})


def _wait(device: str) -> None:
    if device != "cpu":
        torch.cuda.synchronize()


if __name__ == "__main__":
    sys.exit(main())
