"""``phalanx doctor``: what is installed, what is missing, and what that means."""

from __future__ import annotations

import importlib.metadata
import sys
from dataclasses import dataclass

from phalanx._version import __version__


@dataclass(frozen=True)
class Need:
    """A package, as pip knows it, what it is for, and how to get it."""

    name: str
    purpose: str
    remedy: str


TASKS = "pip install 'phalanx[isaaclab]'"
NEEDS = {
    "scripts written for Isaac Lab": [
        Need("usd-core", "stages and files of USD", "pip install 'phalanx[isaac]'"),
        Need("torch", "what scripts hold as tensors", "pip install 'phalanx[torch]'"),
    ],
    "Isaac Lab's own tasks": [
        Need("gymnasium", "environments", TASKS),
        Need("toml", "its packages' own data", TASKS),
        Need("prettytable", "managers", TASKS),
        Need("hidapi", "devices", TASKS),
        Need("h5py", "recordings of managers", TASKS),
        Need("opencv-python-headless", "tactile sensors", TASKS),
        Need("hydra-core", "scripts that train", TASKS),
        Need("example-robot-data", "stand-ins for robots' files", "pip install 'phalanx[assets]'"),
    ],
    "training": [
        Need("rsl-rl-lib", "--trainer rsl_rl, the default", "pip install 'phalanx[learn]'"),
        Need("skrl", "--trainer skrl", "pip install 'phalanx[skrl]'"),
        Need("stable-baselines3", "--trainer sb3", "pip install 'phalanx[sb3]'"),
    ],
    "some tasks": [
        Need("warp-lang", "AutoMate", "pip install warp-lang"),
        Need("torchvision", "tasks with image features", "pip install torchvision"),
    ],
}
"""Packages by what needs them."""

SAME = {"opencv-python-headless": ("opencv-python", "opencv-contrib-python")}
"""Packages that do as well."""


def doctor() -> int:
    """Print it; 1 if scripts written for Isaac Lab cannot run at all."""
    print(f"Phalanx {__version__}, Python {sys.version.split()[0]}, {_devices()}")
    _wheel()
    for title, needs in NEEDS.items():
        print(f"For {title}:")
        for need in needs:
            found = version(need.name)
            print(f"  {need.name:24}{found or 'missing':14}{need.purpose}{'' if found else f'; {need.remedy}'}")
    _files()
    return 0 if all(version(need.name) for need in NEEDS["scripts written for Isaac Lab"]) else 1


def version(name: str) -> str:
    """The version of a package that is installed; empty if it is not."""
    for one in (name, *SAME.get(name, ())):
        try:
            return importlib.metadata.version(one)
        except importlib.metadata.PackageNotFoundError:
            continue
    return ""


def _devices() -> str:
    from phalanx.ecs.device import cuda_available

    return "with a GPU" if cuda_available() else "no GPU"


def _wheel() -> None:
    from phalanx.facade import wheel
    from phalanx.facade.isaacsim.core.version import VERSION

    print(f"It speaks Isaac Lab {wheel.VERSION} and Isaac Sim {VERSION}.")
    found = wheel.source()
    if found is None:
        print(f"Isaac Lab is not installed: {wheel.REMEDY}")
    elif found.is_spoken:
        print(f"Isaac Lab {found.version} is in {found.folder}.")
    else:
        print(f"Isaac Lab {found.version} is in {found.folder}, which is another version: {wheel.REMEDY}")


def _files() -> None:
    from phalanx.assets.building import is_stand_in
    from phalanx.assets.catalogue import STAND_INS
    from phalanx.assets.places import folder

    root = folder()
    there = [root / one.files[0] for one in STAND_INS if (root / one.files[0]).exists()]
    if not version("usd-core"):
        kinds = f"{len(there)} are there"
    else:
        stand_ins = sum(map(is_stand_in, there))
        kinds = f"{len(there) - stand_ins} of their own, {stand_ins} stand-ins"
    print(f"Files of robots and objects are looked for below {root}: {kinds}.")
    if not there:
        print("  phalanx assets build writes stand-ins; phalanx assets fetch NAME asks NVIDIA's server.")
