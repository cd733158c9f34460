"""``phalanx train`` and ``phalanx play``."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from phalanx.commands import learning_tasks
from phalanx.commands.checkpoints import Checkpoints, chosen
from phalanx.commands.common import Interrupted, UserError, check_output, user_mistakes
from phalanx.commands.launching import LAST_WORDS, launch
from phalanx.commands.steering import steer
from phalanx.commands.watching import Watch

if TYPE_CHECKING:
    from phalanx.learn.ranks import Ranks

QUIET = 5.0
"""s between lines of progress where there is no terminal."""
FILM_SECONDS = 6.0
"""Of films while it trains."""


@dataclass(frozen=True)
class TrainOptions:
    """What was asked for; ``None`` is what the task's recipe says."""

    task: str
    num_envs: int | None
    iterations: int | None
    device: str
    seed: int | None
    out: Path | None
    resume: Path | None
    video: bool
    gpus: int | Literal["all"] | None = None
    ranks: int | None = None
    trainer: str = "rsl_rl"
    watch: Watch | None = None


def train(o: TrainOptions) -> int:
    """Train a task, in this process or as many as were asked for; 0."""
    learning_tasks.check_torch()
    from phalanx.learn.ranks import RankError, Ranks

    with user_mistakes(RankError):
        own = Ranks.of()
    device = own.device(o.device, _gpus())
    learning_tasks.check(o.task, device, o.trainer)
    if o.trainer == "sb3" and (o.gpus is not None or o.ranks is not None or own.count > 1):
        raise UserError(f"--trainer {o.trainer} trains in one process; leave --gpus, --ranks and torchrun away.")
    if o.watch is not None and (o.gpus is not None or o.ranks is not None or own.count > 1):
        raise UserError("--view shows the training of one process; leave --gpus, --ranks and torchrun away.")
    if (o.gpus is not None or o.ranks is not None) and own.count == 1 and "WORLD_SIZE" not in os.environ:
        count = _rank_count(o)
        _check_resume(o)
        if count > 1:
            folder = o.out or _new_folder(o.task)
            return launch(count, "phalanx.train", _arguments(o, folder))
    if own.count == 1:
        return _train(o, device, own)
    try:
        own.join(device)
        return _train(o, device, own)
    except RuntimeError as error:
        if not own.lost_another(error):
            raise
        time.sleep(LAST_WORDS)  # whoever started the ranks ends them, and shows what the other one said
        raise UserError(f"rank {own.rank}: another rank has ended.") from None
    finally:
        own.leave()


def _gpus() -> int:
    """GPUs that both torch and the engine can use."""
    import torch

    from phalanx.ecs.device import cuda_available

    return torch.cuda.device_count() if cuda_available() else 0


def _rank_count(o: TrainOptions) -> int:
    """How many ranks --gpus or --ranks asks for."""
    if o.gpus is not None and o.ranks is not None:
        raise UserError("--gpus and --ranks: give one of them.")
    if o.gpus is None:
        assert o.ranks is not None
        if o.ranks < 1:
            raise UserError(f"--ranks {o.ranks}: must be at least 1.")
        return o.ranks
    if o.device != "auto":
        raise UserError(f"--gpus {o.gpus} --device {o.device}: each rank has a GPU of its own; leave --device away.")
    found = _gpus()
    count = found if o.gpus == "all" else o.gpus
    if count < 1 or count > found:
        there = f"this machine has {found} that can be used" if found else "this machine has none that can be used"
        remedy = "; --ranks N trains on CPUs" if not found else ""
        raise UserError(f"--gpus {o.gpus}: {there}{remedy}.")
    return count


def _arguments(o: TrainOptions, folder: Path) -> list[str]:
    """Of the command of a rank."""
    given = {
        "--num-envs": o.num_envs,
        "--iterations": o.iterations,
        "--device": o.device,
        "--seed": o.seed,
        "--out": folder,
        "--resume": o.resume,
        "--trainer": o.trainer,
    }
    found = [o.task, *(text for name, value in given.items() if value is not None for text in (name, str(value)))]
    return [*found, "--video"] if o.video else found


def _new_folder(task: str) -> Path:
    return Path("runs") / task / time.strftime("%Y-%m-%d_%H-%M-%S")


def _check_resume(o: TrainOptions) -> None:
    if o.resume is not None and not o.resume.is_file():
        raise UserError(f"{o.resume}: there is no such checkpoint; give a file model_N.pt that training wrote.")


def _train(o: TrainOptions, device: str, ranks: Ranks) -> int:
    """In this process, which may be one of several."""
    _check_resume(o)
    folder = o.out or _new_folder(o.task)
    from phalanx.learn import trainers
    from phalanx.learn.trainer import CheckpointError

    with user_mistakes(CheckpointError):
        if o.resume is not None and (wrote := trainers.wrote(o.resume)) != o.trainer:
            raise UserError(f"{o.resume} was written by {wrote}: go on with --trainer {wrote}.")
        shown = o.video or o.watch is not None
        made = learning_tasks.make(o.task, o.num_envs, device, o.seed, rank=ranks.rank, trainer=o.trainer, shown=shown)
        if ranks.first:
            folder.mkdir(parents=True, exist_ok=True)
        own = folder if ranks.first else None
        trainer = trainers.make(o.trainer, made.env, made.settings, own, o.task, made.seed, ranks)
        if o.resume is not None:
            trainer.load(o.resume)
        total = max(0, (o.iterations or made.iterations) - trainer.iteration)
        if not ranks.first:
            trainer.learn(total, made.stagger)
            return 0
        count, where = trainer.num_envs, f"on {device}"
        if ranks.count > 1:
            where = f"on each of {ranks.count} ranks ({device.partition(':')[0]}, {ranks.backend(device, _gpus())})"
        print(f"{o.task}: {count} environments {where}, {trainer.parameters} parameters, into {folder}", flush=True)
        progress = _Progress(trainer.iteration + total)
        films = _Films(made, trainer, folder) if o.video else None
        try:
            with _shown(o.watch, made.world, progress):
                trainer.learn(total, made.stagger, progress.show, films.after_step if films else None)
        except KeyboardInterrupt:
            trainer.finish()
            raise Interrupted(f"Interrupted; {_last(folder, trainer)} is kept.") from None
        finally:
            if films is not None:
                films.end()
    progress.end()
    best = max((row["reward"] for row in trainer.curve if "reward" in row), default=float("nan"))
    last = _last(folder, trainer)
    print(f"best mean reward {best:.4g}; checkpoint {last}; curve {folder / 'curve.json'}")
    print(f"phalanx play {o.task} {last}")
    return 0


@contextlib.contextmanager
def _shown(watch: Watch | None, world: Any, progress: _Progress) -> Iterator[None]:
    """Show what is trained while it is, with a plot of the mean reward of episodes."""
    if watch is None:
        yield
        return
    with watch.open(world) as viewer:
        viewer.add_plot("Mean reward of episodes", lambda: progress.reward)
        yield


def _last(folder: Path, trainer: Any) -> Path:
    """The last checkpoint."""
    return folder / f"model_{trainer.iteration}{trainer.ending}"


def play(
    task: str,
    checkpoint: Path,
    num_envs: int,
    seconds: float,
    device: str,
    seed: int,
    video: Path | None,
    watch: Watch | None = None,
) -> int:
    """Run a policy without noise and say how it does; 0. While it is watched it goes on until Ctrl-C."""
    device = _device(device)
    learning_tasks.check_torch()
    check_output(video)
    from phalanx.learn import trainers
    from phalanx.learn.filming import Film
    from phalanx.learn.ranks import Ranks
    from phalanx.learn.trainer import CheckpointError

    newest, checkpoint = checkpoint.is_dir(), chosen(checkpoint)
    with user_mistakes(CheckpointError):
        wrote = trainers.wrote(checkpoint)
        shown = video is not None or watch is not None
        made = learning_tasks.make(task, num_envs, device, seed, noise=False, trainer=wrote, shown=shown)
        trainer = trainers.make(wrote, made.env, made.settings, None, task, seed, Ranks())
        trainer.load(checkpoint)
        film = Film(made.world, made.step_seconds) if video is not None else None
        steps, start = max(1, round(seconds / made.step_seconds)), time.perf_counter()
        if watch is not None:
            return _watched(watch, made, trainer, checkpoint, newest, steps)
        played = trainer.play(steps, film.after_step if film is not None else None)
        took = time.perf_counter() - start
        print(f"{task}: {num_envs} environments, {steps} steps ({steps * made.step_seconds:.3g} s), ", end="")
        print(f"{num_envs * steps / took:.3g} steps/s, reward {played.reward / made.step_seconds:.4g} a second")
        if played.episodes is not None:
            mean, length = played.episodes
            print(f"episodes that ended: mean reward {mean:.4g}, mean length {length:.4g} steps")
        if film is not None and video is not None:
            film.write(video)
            print(f"video {video}: {film.seconds:.3g} s")
    return 0


def _watched(watch: Watch, made: learning_tasks.Made, trainer: Any, checkpoint: Path, newest: bool, steps: int) -> int:
    """Play in the browser until Ctrl-C, with a choice of checkpoints; 0."""
    with watch.open(made.world, speed=1.0) as viewer:
        choice, steering = Checkpoints(viewer, checkpoint, trainer.load, newest), steer(viewer, made.env)

        def after_step() -> None:
            choice.after_step()
            steering.after_step()

        with contextlib.suppress(KeyboardInterrupt):
            while True:
                trainer.play(steps, after_step)
    return 0


def _device(name: str) -> str:
    if name == "auto":
        from phalanx.ecs.device import cuda_available

        return "cuda:0" if cuda_available() else "cpu"
    return "cuda:0" if name == "cuda" else name


class _Progress:
    """A line that says how it goes: rewritten on a terminal, else written now and then."""

    def __init__(self, total: int) -> None:
        self._total, self._terminal, self._said = total, sys.stderr.isatty(), 0.0
        self._line = ""
        self.reward = float("nan")
        """Mean of the last episodes that ended."""

    def show(self, row: dict[str, Any]) -> None:
        self.reward = float(row.get("reward", self.reward))
        reward = f"reward {row['reward']:8.3f}, episode {row['length']:6.1f} steps" if "reward" in row else "no episode"
        left = (self._total - row["iteration"] - 1) * row["seconds"] / (row["iteration"] + 1)
        self._line = (
            f"{row['iteration'] + 1:5d}/{self._total}  {row['seconds']:7.1f} s  {reward}  "
            f"{row['steps_per_second']:9.0f} steps/s  {left:6.0f} s to go"
        )
        now = time.monotonic()
        if self._terminal:
            print(f"\r\x1b[K{self._line}", end="", file=sys.stderr, flush=True)
        elif now - self._said > QUIET:
            print(self._line, file=sys.stderr, flush=True)
            self._said, self._line = now, ""

    def end(self) -> None:
        """The last line."""
        if self._terminal or self._line:
            print("" if self._terminal else self._line, file=sys.stderr, flush=True)


class _Films:
    """A film of the first environments each time that a checkpoint is written, while it goes on training."""

    def __init__(self, made: learning_tasks.Made, trainer: Any, folder: Path) -> None:
        self._made, self._trainer, self._folder = made, trainer, folder
        self._film: Any = None
        self._next = trainer.iteration

    def after_step(self) -> None:
        from phalanx.learn.filming import Film

        if self._film is None and self._trainer.iteration >= self._next:
            self._film, self._number = Film(self._made.world, self._made.step_seconds), self._trainer.iteration
            self._next = self._number + self._trainer.save_interval
        if self._film is not None:
            self._film.after_step()
            if self._film.seconds >= FILM_SECONDS:
                self.end()

    def end(self) -> None:
        """Write what is filmed so far: training may end before a film is as long as others."""
        film, self._film = self._film, None
        if film is not None and film.seconds > 0.0:
            film.write(self._folder / f"video_{self._number}{_ending()}")


def _ending() -> str:
    import importlib.util

    return ".mp4" if importlib.util.find_spec("av") else ".gif"
