"""Training with rsl-rl's policy and PPO, in a loop that does not wait for the device at each step."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import json
import time
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from phalanx.ecs.whole_files import replacing, write_text
from phalanx.learn.curves import curve_writer, threads
from phalanx.learn.environment import Environment
from phalanx.learn.ranks import Ranks
from phalanx.learn.rollouts import Rollouts

REMEDY = "pip install 'phalanx[learn]'"
"""How to get what trains."""


class TrainerMissingError(ImportError):
    """A package that training needs is not installed."""


class CheckpointError(ValueError):
    """A file is no checkpoint, or one of another task."""


def check_installed() -> None:
    """See that rsl-rl is there.

    Raises:
        TrainerMissingError: it is not; the message says how to get it.
    """
    missing = [name for name in ("rsl_rl", "tensordict", "git") if importlib.util.find_spec(name) is None]
    if missing:
        raise TrainerMissingError(f"Training needs {', '.join(missing)}: {REMEDY}")


class ForTrainer:
    """A native environment as rsl-rl has them."""

    def __init__(self, env: Environment) -> None:
        from tensordict import TensorDict  # pyright: ignore[reportMissingImports]

        self.env, self._dict = env, TensorDict
        self.num_envs, self.num_actions, self.device = env.num_envs, env.num_actions, env.device
        self.max_episode_length, self.cfg = env.max_episode_length, {}
        env.reset()

    @property
    def episode_length_buf(self) -> torch.Tensor:
        """(num_envs,): steps since episodes began."""
        return self.env.episode_length

    def get_observations(self) -> Any:
        """Copies of what was observed last, by group."""
        groups = {name: values.clone() for name, values in self.env.observations.items()}
        if "critic" in groups:
            groups["critic"] = torch.cat((groups["policy"], groups["critic"]), dim=1)
        return self._dict(groups, batch_size=[self.num_envs])

    def step(self, actions: torch.Tensor) -> tuple[Any, torch.Tensor, torch.Tensor, dict[str, Any]]:
        """Observations, rewards, whether episodes ended, and which of these ran out of time."""
        self.env.advance(actions)
        return self.get_observations(), self.env.reward, self.env.done, {"time_outs": self.env.truncated}


class Sums:
    """Sums of rewards and lengths of episodes of any environment, kept on its device."""

    def __init__(self, num_envs: int, device: Any) -> None:
        self._now = torch.zeros((num_envs, 2), dtype=torch.float64, device=device)
        self._ended = torch.zeros(3, dtype=torch.float64, device=device)

    def add(self, rewards: torch.Tensor, dones: torch.Tensor) -> None:
        """Count a step."""
        done = (dones > 0)[:, None]
        self._now += torch.stack((rewards, torch.ones_like(rewards)), dim=1)
        self._ended += torch.cat((self._now, torch.ones_like(self._now[:, :1])), dim=1).mul(done).sum(dim=0)
        self._now.masked_fill_(done, 0.0)

    def take(self, ranks: Ranks | None = None) -> tuple[float, float] | None:
        """Mean return and length of the episodes that ended since, of all ranks; waits for the device."""
        total, length, count = (ranks or Ranks()).sum(self._ended).tolist()
        self._ended.zero_()
        return (total / count, length / count) if count else None


@dataclass(frozen=True)
class Played:
    """What came of running a policy.

    Attributes:
        reward: mean over environments and steps.
        episodes: mean return and length of the episodes that ended; ``None`` if none did.
    """

    reward: float
    episodes: tuple[float, float] | None


class Trainer:
    """A policy in the making, by rsl-rl.

    Args:
        env: a native environment, or one with a wrapper for rsl-rl.
        settings: as rsl-rl's ``OnPolicyRunner`` takes them.
        folder: where checkpoints, ``curve.json`` and TensorBoard's files go; ``None``: nowhere.
        task: the name, which checkpoints hold.
        seed: of the policy.
        ranks: processes that train it together, which have met (:meth:`phalanx.learn.ranks.Ranks.join`). Each makes a
            trainer with environments of its own, as many as every other; only the first is given a folder.
    """

    trainer, ending = "rsl_rl", ".pt"

    def __init__(
        self,
        env: Any,
        settings: dict[str, Any],
        folder: Path | None,
        task: str,
        seed: int = 0,
        ranks: Ranks | None = None,
    ) -> None:
        check_installed()
        self.ranks = ranks or Ranks()
        with contextlib.redirect_stdout(io.StringIO()):  # it prints the layers
            torch.manual_seed(seed)
            self.env: Any = ForTrainer(env) if isinstance(env, Environment) else env
            self.device = str(self.env.device)
            if not settings.get("obs_groups"):
                critic = "critic" if "critic" in self.env.get_observations().keys() else "policy"  # noqa: SIM118
                settings = settings | {"obs_groups": {"policy": ["policy"], "critic": [critic]}}
            self.runner = _runner(self.ranks)(self.env, settings, log_dir=None, device=self.device)
            if self.ranks.count > 1:
                self.runner.alg.broadcast_parameters()
        self.native = env if isinstance(env, Environment) else None
        self._rollouts = Rollouts(self.runner.alg, self.native, self.ranks)
        if self.native is None and self.ranks.count > 1:
            torch.manual_seed(seed + self.ranks.rank)  # each draws noise for environments of its own
        self.runner.logger_type, self.runner.disable_logs = "none", True
        self.folder, self.task, self.seed = folder, task, seed
        self.curve: list[dict[str, Any]] = []
        """What came of each iteration."""
        self.iteration, self._seconds, self._cpu_seconds = 0, 0.0, 0.0
        self._writer: Any = None

    @property
    def parameters(self) -> int:
        """Numbers that are learnt."""
        return sum(one.numel() for one in self.runner.alg.policy.parameters())

    @property
    def num_envs(self) -> int:
        """Environments."""
        return self.env.num_envs

    @property
    def save_interval(self) -> int:
        """Rounds between checkpoints."""
        return self.runner.save_interval

    # -- learning --------------------------------------------------------------------------------------------

    def learn(
        self,
        iterations: int,
        stagger: bool = False,
        report: Callable[[dict[str, Any]], object] = lambda row: None,
        after_step: Callable[[], object] | None = None,
        enough: Callable[[dict[str, Any]], bool] = lambda row: False,
    ) -> None:
        """Go on for so many iterations.

        Args:
            iterations: rounds of stepping and learning.
            stagger: let first episodes end at different times.
            report: called with each row of :attr:`curve`.
            after_step: called after each step of the environments.
            enough: whether to stop, by a row of :attr:`curve`.
        """
        env, per_round = self.env, self.runner.num_steps_per_env
        if stagger and not self.iteration:
            self._stagger()
        sums = Sums(env.num_envs, self.device)
        observations = env.get_observations().to(self.device)
        self.runner.train_mode()
        with threads(self.device, self.parameters * env.num_envs * per_round):
            self._rounds(iterations, observations, sums, report, after_step, enough)
        self.finish()

    def _rounds(
        self,
        iterations: int,
        observations: Any,
        sums: Sums,
        report: Callable[[dict[str, Any]], object],
        after_step: Callable[[], object] | None,
        enough: Callable[[dict[str, Any]], bool],
    ) -> None:
        env, algorithm, per_round = self.env, self.runner.alg, self.runner.num_steps_per_env
        end = self.iteration + iterations
        while self.iteration < end:
            start, worked = time.perf_counter(), time.process_time()
            extras: dict[str, Any] = {}
            with torch.inference_mode():
                for _ in range(per_round):
                    actions = self._rollouts.act(observations)
                    observations, rewards, dones, extras = env.step(actions)
                    observations = observations.to(self.device)
                    algorithm.process_env_step(observations, rewards, dones, extras)
                    if self.native is None:
                        sums.add(rewards, dones)
                    if after_step is not None:
                        after_step()
                self._wait()
                between = time.perf_counter()
                self._rollouts.compute_returns(observations)
            losses = self._means(algorithm.update())
            self._wait()
            stop = time.perf_counter()
            self._seconds += stop - start
            self._cpu_seconds += time.process_time() - worked
            steps = env.num_envs * per_round * self.ranks.count
            row = {
                "iteration": self.iteration,
                "steps": (self.curve[-1]["steps"] if self.curve else 0) + steps,
                "seconds": self._seconds,
                "cpu_seconds": self._cpu_seconds,
                "steps_per_second": steps / (stop - start),
                "stepping_steps_per_second": steps / (between - start),
                **self._episodes(sums, extras),
                **losses,
                "deviation": float(algorithm.policy.action_std.detach().mean()),
                "learning_rate": float(algorithm.learning_rate),
            }
            self.curve.append(row)
            self._write(row)
            report(row)
            self.iteration += 1
            if self.folder is not None and self.iteration % self.runner.save_interval == 0:
                self.save(self.folder / f"model_{self.iteration}.pt")
            if enough(row):
                break

    def _means(self, losses: dict[str, Any]) -> dict[str, float]:
        """Over ranks."""
        values = torch.tensor([float(value) for value in losses.values()], dtype=torch.float64, device=self.device)
        return dict(zip(losses, self.ranks.mean(values).tolist(), strict=True))

    def _stagger(self) -> None:
        if self.native is not None:
            self.native.stagger()
            return
        most = int(self.env.max_episode_length)
        self.env.episode_length_buf = torch.randint_like(self.env.episode_length_buf, high=most)

    def _episodes(self, sums: Sums, extras: dict[str, Any]) -> dict[str, float]:
        """Mean return and length of the episodes that ended in this round, and what made them up."""
        if self.native is not None:
            taken, names = self.native.episodes.take(self.ranks.sum), self.native.episodes.names
            if not taken["count"]:
                return {}
            found = {"reward": taken["return"], "length": taken["length"]}
            return found | {f"reward/{name}": taken[name] for name in names}
        ended = sums.take(self.ranks)
        found = {} if ended is None else {"reward": ended[0], "length": ended[1]}
        log = extras.get("log") or extras.get("episode") or {}
        return found | {name: float(torch.as_tensor(value, dtype=torch.float64).mean()) for name, value in log.items()}

    def _wait(self) -> None:
        if self.device != "cpu":
            torch.cuda.synchronize(self.device)

    # -- files -----------------------------------------------------------------------------------------------

    def _write(self, row: dict[str, Any]) -> None:
        if self.folder is None:
            return
        if self._writer is None:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._writer = curve_writer(self.folder)
        for name, value in row.items():
            if name != "iteration":
                self._writer.add_scalar(name if "/" in name else f"train/{name}", value, row["iteration"])

    def finish(self) -> None:
        """Write the last checkpoint and the curve."""
        if self.folder is None:
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        self.save(self.folder / f"model_{self.iteration}.pt")
        found = {"task": self.task, "num_envs": self.env.num_envs, "device": self.device, "seed": self.seed}
        found["ranks"] = self.ranks.count
        write_text(self.folder / "curve.json", json.dumps(found | {"curve": self.curve}, indent=1))
        if self._writer is not None:
            self._writer.flush()

    def save(self, path: Path) -> None:
        """Write a checkpoint; it is there whole or not at all."""
        path.parent.mkdir(parents=True, exist_ok=True)
        algorithm = self.runner.alg
        whole = {
            "model_state_dict": algorithm.policy.state_dict(),
            "optimizer_state_dict": algorithm.optimizer.state_dict(),
            "iter": self.iteration,
            "infos": {
                "task": self.task,
                "seconds": self._seconds,
                "cpu_seconds": self._cpu_seconds,
                "learning_rate": algorithm.learning_rate,
                "curve": self.curve,
                "random": self.native.random.state if self.native is not None else None,
            },
        }
        with replacing(path) as made, open(made, "wb") as file:  # by its path, PyTorch would write that into it
            torch.save(whole, file)

    def load(self, path: Path) -> None:
        """Go on from a checkpoint: policy, optimiser, iteration and curve.

        Raises:
            CheckpointError: it is none, or of another task or another size.
        """
        found = read_checkpoint(path)
        infos = found.get("infos") or {}
        if infos.get("task", self.task) != self.task:
            raise CheckpointError(f"{path} is a checkpoint of {infos['task']}, not of {self.task}.")
        try:
            self.runner.alg.policy.load_state_dict(found["model_state_dict"])
        except RuntimeError as error:
            text = str(error).splitlines()[-1].strip()
            raise CheckpointError(f"{path} does not fit the policy of {self.task}: {text}") from None
        self.runner.alg.optimizer.load_state_dict(found["optimizer_state_dict"])
        self.runner.alg.learning_rate = infos.get("learning_rate", self.runner.alg.learning_rate)
        self.iteration, self.curve = int(found.get("iter", 0)), list(infos.get("curve", ()))
        self._seconds, self._cpu_seconds = (float(infos.get(name, 0.0)) for name in ("seconds", "cpu_seconds"))
        if self.native is not None and infos.get("random") is not None:
            self.native.random.resume(infos["random"])

    # -- playing ---------------------------------------------------------------------------------------------

    def policy(self) -> Callable[[Any], torch.Tensor]:
        """What maps observations to actions, without noise."""
        return self.runner.get_inference_policy(device=self.device)

    def play(self, steps: int, after_step: Callable[[], object] | None = None) -> Played:
        """Run the policy without noise for so many steps."""
        env, policy, sums = self.env, self.policy(), Sums(self.env.num_envs, self.device)
        total = torch.zeros((), dtype=torch.float64, device=self.device)
        with torch.inference_mode():
            observations = env.get_observations()
            for _ in range(steps):
                observations, rewards, dones, _ = env.step(policy(observations))
                sums.add(rewards, dones)
                total += rewards.mean()
                if after_step is not None:
                    after_step()
        return Played(float(total) / steps, sums.take())


def _runner(ranks: Ranks) -> Any:
    """rsl-rl's runner, for ranks on CPUs, too, of which its own knows none."""
    from rsl_rl.runners import OnPolicyRunner  # pyright: ignore[reportMissingImports]

    class Runner(OnPolicyRunner):
        def _configure_multi_gpu(self) -> None:
            self.gpu_world_size, self.is_distributed = ranks.count, ranks.count > 1
            self.gpu_local_rank, self.gpu_global_rank = ranks.local_rank, ranks.rank
            found = {"global_rank": ranks.rank, "local_rank": ranks.local_rank, "world_size": ranks.count}
            self.multi_gpu_cfg = found if self.is_distributed else None

    return Runner


def read_checkpoint(path: Path) -> dict[str, Any]:
    """What a checkpoint of rsl-rl holds, on the CPU.

    Raises:
        CheckpointError: it is none.
    """
    found = read_tensors(path)
    if "model_state_dict" not in found:
        raise CheckpointError(f"{path} is no checkpoint of a policy.")
    return found


def read_tensors(path: Path, content: bytes | None = None, name: str = "") -> dict[str, Any]:
    """A dictionary that torch wrote, on the CPU; nothing in it is executed.

    Args:
        path: of the file.
        content, name: of an entry of the file that holds the dictionary; by default the whole file does.

    Raises:
        CheckpointError: it is none, or is damaged.
    """
    try:
        file = path if content is None else io.BytesIO(content)
        found = torch.load(file, map_location="cpu", weights_only=True)
    except FileNotFoundError:
        raise CheckpointError(f"{path}: there is no such file.") from None
    except Exception as error:
        what = "is no checkpoint" if content is None else f"is damaged in {name}"
        raise CheckpointError(f"{path} {what}: {type(error).__name__}.") from None
    if not isinstance(found, dict):
        raise CheckpointError(f"{path} is no checkpoint of a policy.")
    return found


def read_archive(path: Path, names: Callable[[str], bool]) -> dict[str, dict[str, Any]]:
    """Dictionaries that torch wrote into a zip archive, by the names of its entries, on the CPU.

    Args:
        path: of the archive.
        names: says of an entry's name whether it is read.

    Raises:
        CheckpointError: it is no archive, or an entry is damaged; the message says which.
    """
    found = {}
    try:
        with zipfile.ZipFile(path) as archive:
            for name in filter(names, archive.namelist()):
                try:
                    content = archive.read(name)
                except Exception as error:  # of the archive, or of what it is compressed with
                    raise CheckpointError(f"{path} is damaged in {name}: {type(error).__name__}.") from None
                found[name] = read_tensors(path, content, name)
    except (OSError, zipfile.BadZipFile) as error:
        raise CheckpointError(f"{path} is no checkpoint: {type(error).__name__}.") from None
    return found
