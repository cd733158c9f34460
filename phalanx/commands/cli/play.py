"""What ``phalanx play`` takes."""

from __future__ import annotations

from phalanx.commands.cli.options import Checkpoint, Device, Task, Video


def play(
    task: Task,
    checkpoint: Checkpoint,
    num_envs: int = 16,
    seconds: float = 20.0,
    device: Device = "auto",
    seed: int = 0,
    video: Video = None,
) -> int:
    """Run a trained policy without noise, and say how it does.

    Args:
        task: what it learnt.
        checkpoint: a file model_N.pt, or .zip of sb3, that training wrote with any trainer, on whatever device.
        num_envs: environments.
        seconds: simulated time.
        device: where to simulate; auto is the first GPU, or else the CPU.
        seed: of the environments' random numbers.
        video: film the first environments to this file.
    """
    from phalanx.commands.train import play

    return play(task, checkpoint, num_envs, seconds, device, seed, video)
