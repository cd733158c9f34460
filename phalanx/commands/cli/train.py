"""What ``phalanx train`` takes."""

from __future__ import annotations

from typing import Literal

from phalanx.commands.cli.options import Device, Flag, Folder, Gpus, Resume, Seed, Steps, Task


def train(
    task: Task,
    num_envs: Steps = None,
    iterations: Steps = None,
    device: Device = "auto",
    seed: Seed = None,
    out: Folder = None,
    resume: Resume = None,
    video: Flag = False,
    gpus: Gpus = None,
    ranks: Steps = None,
    trainer: Literal["rsl_rl", "skrl", "sb3"] = "rsl_rl",
    view: Flag = False,
    host: str = "127.0.0.1",
    port: int = 8080,
) -> int:
    """Train a policy by PPO, for a native task or one of Isaac Lab's own.

    Native tasks are cartpole, ant, quadruped-flat, quadruped-rough, arm-reach and cube-lift; `phalanx tasks` lists
    Isaac Lab's. Checkpoints, the learning curve as JSON, and TensorBoard's files go into a folder.

    Args:
        task: what to learn.
        num_envs: environments that are stepped together; by default as the task's recipe has it.
        iterations: rounds of stepping and learning, those of a checkpoint included; by default likewise.
        device: where to simulate and to learn; auto is the first GPU, or else the CPU.
        seed: of everything random; by default that of Isaac Lab's settings (42 as a rule), of native tasks 0.
        out: the folder; by default runs/TASK/DATE_TIME.
        resume: go on from a checkpoint.
        video: film the first environments whenever a checkpoint is written; .mp4 with the extra video, else .gif.
        gpus: as many processes, each with a GPU of its own.
        ranks: as many processes, which share processors, or the GPU that --device names.
        trainer: whose PPO: rsl-rl's, skrl's or Stable-Baselines3's.
        view: show it in the browser while it trains, with a plot of the reward; of one process. Needs the extra viewer.
        host: address at which the viewer listens; on others than this machine's own it asks for a token.
        port: where the viewer listens; 0 is any port that is free.
    """
    from phalanx.commands.train import TrainOptions, train
    from phalanx.commands.watching import Watch

    watch = Watch(host, port) if view else None
    return train(
        TrainOptions(task, num_envs, iterations, device, seed, out, resume, video, gpus, ranks, trainer, watch)
    )
