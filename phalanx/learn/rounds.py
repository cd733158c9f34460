"""Training with packages that have a loop of their own: environments tell them when a round, and when all, is done."""

from __future__ import annotations

import contextlib
import json
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import gymnasium
import torch

from phalanx.ecs.whole_files import replacing, write_text
from phalanx.learn.curves import curve_writer, threads
from phalanx.learn.environment import Environment
from phalanx.learn.ranks import Ranks
from phalanx.learn.trainer import CheckpointError, Played, Sums

SAVE_INTERVAL = 50
"""Rounds between checkpoints."""


class EnoughError(Exception):
    """What was asked for is done; it ends the loop of the package."""


class Rounds(ABC):
    """A policy in the making, by a package whose loop steps environments.

    Environments call :meth:`before_step` and :meth:`after_step`. A package learns after the last step of a round, so
    that a round ends where the next one's first step begins.

    Args:
        env: a native environment, or one of Isaac Lab.
        per_round: steps of each environment in a round.
        folder: where checkpoints, ``curve.json`` and TensorBoard's files go; ``None``: nowhere.
        task: the name, which checkpoints hold.
        seed: of the policy.
        ranks: this process among those that train together; the curve is of all of them.
    """

    trainer: str
    """What the package is called on the command line."""
    ending: str
    """Of the names of checkpoints."""

    def __init__(
        self, env: Any, per_round: int, folder: Path | None, task: str, seed: int, ranks: Ranks | None = None
    ) -> None:
        self.ranks = ranks or Ranks()
        self.native = env if isinstance(env, Environment) else None
        own = env if self.native is not None else env.unwrapped
        self.num_envs, self.device = int(own.num_envs), str(own.device)
        self.folder, self.task, self.seed = folder, task, seed
        self.save_interval, self._per_round = SAVE_INTERVAL, per_round
        self.curve: list[dict[str, Any]] = []
        """What came of each iteration."""
        self.iteration, self._seconds, self._cpu_seconds = 0, 0.0, 0.0
        self._sums = Sums(self.num_envs, self.device)
        self._total = torch.zeros((), dtype=torch.float64, device=self.device)
        self._steps, self._full, self._after = 0, 0, None
        self._when_full: Callable[[], None] = lambda: None
        self._writer: Any = None

    # -- what a package brings -----------------------------------------------------------------------------------

    @property
    @abstractmethod
    def parameters(self) -> int:
        """Numbers that are learnt."""

    @abstractmethod
    def _learn(self, iterations: int, stagger: bool) -> None:
        """Run the package's loop for so many rounds, or until :class:`EnoughError`."""

    @abstractmethod
    def _play(self, steps: int) -> None:
        """Run the policy without noise until :class:`EnoughError`, or for so many steps."""

    @abstractmethod
    def _write(self, path: Path, infos: dict[str, Any]) -> None:
        """Write a checkpoint."""

    @abstractmethod
    def _read(self, path: Path) -> dict[str, Any]:
        """Take policy and optimiser from a checkpoint; returns what else it says.

        Raises:
            CheckpointError: it is none.
            RuntimeError: sizes differ.
        """

    def _agree(self) -> None:  # noqa: B027 - most packages have nothing to do
        """Make what is learnt the same on all ranks, where the package leaves differences; after each round."""

    # -- what environments call ----------------------------------------------------------------------------------

    def before_step(self) -> None:
        """A step begins.

        Raises:
            EnoughError: it should not.
        """
        if self._steps == self._full:
            self._when_full()

    def after_step(self, rewards: torch.Tensor, dones: torch.Tensor) -> None:
        """A step is done."""
        self._sums.add(rewards, dones)
        self._total += rewards.mean()
        self._steps += 1
        self._stepped = time.perf_counter()
        if self._after is not None:
            self._after()

    # -- learning ------------------------------------------------------------------------------------------------

    def learn(
        self,
        iterations: int,
        stagger: bool = False,
        report: Callable[[dict[str, Any]], object] = lambda row: None,
        after_step: Callable[[], object] | None = None,
        enough: Callable[[dict[str, Any]], bool] = lambda row: False,
    ) -> None:
        """Go on for so many iterations; arguments are those of :meth:`phalanx.learn.trainer.Trainer.learn`."""
        end = self.iteration + iterations

        def full() -> None:
            row = self._end_round()
            report(row)
            if self.folder is not None and self.iteration % self.save_interval == 0:
                self.save(self.folder / f"model_{self.iteration}{self.ending}")
            if self.iteration >= end or enough(row):
                raise EnoughError

        if iterations > 0:
            with self._counting(self._per_round, full, after_step):
                self._begin_round()
                with threads(self.device, self.parameters * self.num_envs * self._per_round):
                    self._learn(iterations, stagger and self.iteration == 0)
                if self._steps == self._full:  # the loop came to its own end
                    full()
        self.finish()

    @contextlib.contextmanager
    def _counting(
        self, steps: int, when_full: Callable[[], None], after: Callable[[], object] | None
    ) -> Iterator[None]:
        self._steps, self._full, self._when_full, self._after = 0, steps, when_full, after
        self._sums = Sums(self.num_envs, self.device)
        self._total.zero_()
        try:
            with contextlib.suppress(EnoughError):
                yield
        finally:
            self._full, self._after = -1, None

    def _begin_round(self) -> None:
        self._steps, self._begun, self._worked = 0, time.perf_counter(), time.process_time()

    def _end_round(self) -> dict[str, Any]:
        if self.device != "cpu":
            torch.cuda.synchronize(self.device)
        self._agree()
        ended = self._sums.take(self.ranks)
        now, steps = time.perf_counter(), self.num_envs * self._per_round * self.ranks.count
        self._seconds += now - self._begun
        self._cpu_seconds += time.process_time() - self._worked
        row = {
            "iteration": self.iteration,
            "steps": (self.curve[-1]["steps"] if self.curve else 0) + steps,
            "seconds": self._seconds,
            "cpu_seconds": self._cpu_seconds,
            "steps_per_second": steps / (now - self._begun),
            "stepping_steps_per_second": steps / (self._stepped - self._begun),
            **({} if ended is None else {"reward": ended[0], "length": ended[1]}),
        }
        self.curve.append(row)
        self._log(row)
        self.iteration += 1
        self._begin_round()
        return row

    def _log(self, row: dict[str, Any]) -> None:
        if self.folder is None:
            return
        if self._writer is None:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._writer = curve_writer(self.folder)
        for name, value in row.items():
            if name != "iteration":
                self._writer.add_scalar(f"train/{name}", value, row["iteration"])

    # -- files ---------------------------------------------------------------------------------------------------

    def finish(self) -> None:
        """Write the last checkpoint and the curve."""
        if self.folder is None:
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        self.save(self.folder / f"model_{self.iteration}{self.ending}")
        found = {"task": self.task, "num_envs": self.num_envs, "device": self.device, "seed": self.seed}
        found |= {"trainer": self.trainer, "ranks": self.ranks.count}
        write_text(self.folder / "curve.json", json.dumps(found | {"curve": self.curve}, indent=1))
        if self._writer is not None:
            self._writer.flush()

    def save(self, path: Path) -> None:
        """Write a checkpoint; it is there whole or not at all."""
        path.parent.mkdir(parents=True, exist_ok=True)
        infos = {
            "trainer": self.trainer,
            "task": self.task,
            "iteration": self.iteration,
            "seconds": self._seconds,
            "cpu_seconds": self._cpu_seconds,
            "curve": self.curve,
            "random": self.native.random.state if self.native is not None else None,
        }
        with replacing(path) as made:
            self._write(made, infos)

    def load(self, path: Path) -> None:
        """Go on from a checkpoint: policy, optimiser, iteration and curve. Those that the package wrote by itself do.

        Raises:
            CheckpointError: it is none, or of another task or another size.
        """
        try:
            infos = self._read(path)
        except (RuntimeError, ValueError, KeyError) as error:
            if isinstance(error, CheckpointError):
                raise
            text = (str(error).splitlines() or [type(error).__name__])[-1].strip()
            raise CheckpointError(f"{path} does not fit the policy of {self.task}: {text}") from None
        self.iteration, self.curve = int(infos.get("iteration", 0)), list(infos.get("curve", ()))
        self._seconds, self._cpu_seconds = (float(infos.get(name, 0.0)) for name in ("seconds", "cpu_seconds"))
        if self.native is not None and infos.get("random") is not None:
            self.native.random.resume(infos["random"])

    def check_task(self, path: Path, infos: dict[str, Any]) -> None:
        """See that a checkpoint is one of this task.

        Raises:
            CheckpointError: it is not.
        """
        if infos.get("task", self.task) != self.task:
            raise CheckpointError(f"{path} is a checkpoint of {infos['task']}, not of {self.task}.")

    # -- playing -------------------------------------------------------------------------------------------------

    def play(self, steps: int, after_step: Callable[[], object] | None = None) -> Played:
        """Run the policy without noise for so many steps."""

        def full() -> None:
            raise EnoughError

        with self._counting(steps, full, after_step):
            self._play(steps)
        return Played(float(self._total) / steps, self._sums.take())


class Counted(gymnasium.Wrapper):
    """An environment of Isaac Lab, of which trainers hear when it is stepped."""

    def __init__(self, env: Any, rounds: Rounds) -> None:
        super().__init__(env)
        self._rounds = rounds

    def step(self, action: Any) -> Any:
        """Step it."""
        self._rounds.before_step()
        found: Any = self.env.step(action)
        rewards, terminated, truncated = found[1:4]
        self._rounds.after_step(rewards, terminated | truncated)
        return found
