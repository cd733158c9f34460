"""What ``phalanx play`` takes."""

from __future__ import annotations

from phalanx.commands.cli.options import Checkpoint, Device, Flag, Task, Video


def play(
    task: Task,
    checkpoint: Checkpoint,
    num_envs: int = 16,
    seconds: float = 20.0,
    device: Device = "auto",
    seed: int = 0,
    video: Video = None,
    view: Flag = False,
    host: str = "127.0.0.1",
    port: int = 8080,
) -> int:
    """Run a trained policy without noise, and say how it does.

    Args:
        task: what it learnt.
        checkpoint: a file model_N.pt, or .zip of sb3, that training wrote with any trainer, on whatever device;
            or a folder, of which the newest is played.
        num_envs: environments.
        seconds: simulated time.
        device: where to simulate; auto is the first GPU, or else the CPU.
        seed: of the environments' random numbers.
        video: film the first environments to this file.
        view: show it in the browser until Ctrl-C, with a choice of the checkpoints of the folder; of a folder that
            training writes to, new ones are loaded as they come. Needs the extra viewer.
        host: address at which the viewer listens; on others than this machine's own it asks for a token.
        port: where the viewer listens; 0 is any port that is free.
    """
    from phalanx.commands.train import play
    from phalanx.commands.watching import Watch

    return play(task, checkpoint, num_envs, seconds, device, seed, video, Watch(host, port) if view else None)
