"""Which packages train: what they are called, whether they are there, and which of them wrote a checkpoint."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from phalanx.learn.ranks import Ranks
from phalanx.learn.trainer import CheckpointError, Trainer, TrainerMissingError, check_installed, read_tensors


@dataclass(frozen=True)
class Package:
    """A package that trains.

    Attributes:
        title: what people call it.
        module: what Python calls it.
        project: what pip calls it.
        oldest: the first version that Isaac Lab 2.3.2 asks for.
    """

    title: str
    module: str
    project: str
    oldest: tuple[int, ...]


PACKAGES = {
    "rsl_rl": Package("rsl-rl", "rsl_rl", "rsl-rl-lib", (3, 0, 1)),
    "skrl": Package("skrl", "skrl", "skrl", (1, 4, 3)),
    "sb3": Package("Stable-Baselines3", "stable_baselines3", "stable-baselines3", (2, 6)),
}
"""By the name that ``--trainer`` takes."""


def check(name: str) -> None:
    """See that a trainer is there, in a version that will do.

    Raises:
        TrainerMissingError: it is not; the message says how to get it.
    """
    if name == "rsl_rl":
        return check_installed()
    package = PACKAGES[name]
    remedy = f"pip install 'phalanx[{name}]'"
    if importlib.util.find_spec(package.module) is None:
        raise TrainerMissingError(f"--trainer {name} needs {package.title}: {remedy}")
    found = importlib.metadata.version(package.project)
    if _numbers(found) < package.oldest:
        wanted = f"{package.title} {'.'.join(map(str, package.oldest))} or later"
        raise TrainerMissingError(f"--trainer {name} needs {wanted}, and not {found}: {remedy}")
    return None


def _numbers(version: str) -> tuple[int, ...]:
    parts = version.split("+")[0].split(".")
    digits = ["".join(letter for letter in part if letter.isdigit()) for part in parts[:3]]
    return tuple(int(one) for one in digits if one)


def wrote(path: Path) -> str:
    """Which trainer wrote a checkpoint.

    Raises:
        CheckpointError: none did.
    """
    if not path.is_file():
        raise CheckpointError(f"{path}: there is no such file.")
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            if "policy.pth" in archive.namelist():
                return "sb3"
    found = read_tensors(path)
    if "model_state_dict" in found:
        return "rsl_rl"
    if "policy" in found:
        return "skrl"
    raise CheckpointError(f"{path} is no checkpoint of a policy.")


def make(name: str, env: Any, settings: dict[str, Any], folder: Path | None, task: str, seed: int, ranks: Ranks) -> Any:
    """A trainer by its name; arguments are those of :class:`phalanx.learn.trainer.Trainer`."""
    if name == "skrl":
        from phalanx.learn.skrl_trainer import SkrlTrainer

        return SkrlTrainer(env, settings, folder, task, seed, ranks)
    if name == "sb3":
        from phalanx.learn.sb3_trainer import Sb3Trainer

        return Sb3Trainer(env, settings, folder, task, seed)
    return Trainer(env, settings, folder, task, seed, ranks)
