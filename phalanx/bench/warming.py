"""Compile the kernels that worlds need ahead of time, so that later processes load them from the cache.

::

    phalanx.bench.warming.warm_up([world])

Kernels of all worlds are compiled side by side in several processes; what several worlds share is compiled once. The
cache is a folder (``$PHALANX_CACHE_DIR``, or the user's cache folder), so an image of a machine can carry it along.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from phalanx.ecs import System
from phalanx.ecs.ahead.precompile import marker
from phalanx.ecs.cache.checking import damaged
from phalanx.ecs.cache.modules import Target
from phalanx.ecs.text.codegen import generate
from phalanx.io.formats.library import names as shipped
from phalanx.systems import QUERIES, REFRESH, STEP
from phalanx.world.world import World


@dataclass(frozen=True)
class Warmed:
    """What was done: kernels of all worlds together, how many of them were not in the cache, and seconds."""

    kernels: int
    compiled: int
    seconds: float


def warm_up(worlds: Sequence[World]) -> Warmed:
    """Bring every kernel that these worlds may run into the cache, and run each once: worlds are a step further after.

    All must be on the same device and of the same dtype.

    Raises:
        ValueError: they are not.
    """
    begin = time.perf_counter()
    wanted, missing = _look(worlds)
    if not worlds:
        return Warmed(0, 0, 0.0)
    worlds[0].engine.device.precompile(missing, worlds[0].dtype)
    for world in worlds:  # compiles what was too little for processes of its own, and the engine's own loops
        world.step()
        for phase in QUERIES:
            world.compute(phase)
        world.synchronize()
    for key in missing:
        wanted[key].touch()
    return Warmed(len(wanted), len(missing), time.perf_counter() - begin)


@dataclass(frozen=True)
class Checked:
    """What was found: kernels of all worlds together, how many of them are not in the cache, and damaged files."""

    kernels: int
    missing: int
    damaged: tuple[Path, ...]

    @property
    def ok(self) -> bool:
        """Whether nothing is to be compiled."""
        return not self.missing and not self.damaged


def check(worlds: Sequence[World]) -> Checked:
    """Look whether every kernel that these worlds may run is in the cache, and whether all files of it are whole.

    Nothing is compiled, and nothing thrown away. Errors are those of :func:`warm_up`.
    """
    found = tuple(damaged())
    wanted, missing = _look(worlds)
    return Checked(len(wanted), len(missing), found)


Key = tuple[System, frozenset[str]]


def _look(worlds: Sequence[World]) -> tuple[dict[Key, Path], list[Key]]:
    """The kernels that worlds may run with the files that say that they are there, and those that are not."""
    if len({(world.device, world.dtype) for world in worlds}) > 1:
        raise ValueError("warm_up: all worlds must be on one device and of one dtype; call it once for each")
    if not worlds:
        return {}, []
    for world in worlds:
        world.build()
    real = worlds[0].dtype
    target: Target = "cuda" if worlds[0].engine.device.is_cuda else "cpu"
    keys = dict.fromkeys(key for world in worlds for phases in _SEQUENCES for key in _kernels(world, phases))
    wanted = {key: marker(generate(*key, real, target), target) for key in keys}
    return wanted, [key for key, path in wanted.items() if not _is_there(path, target)]


def _is_there(marker: Path, target: Target) -> bool:
    """On a CPU machine code lies beside the marker; on a GPU it is the driver's."""
    return marker.exists() and (target == "cuda" or any(marker.parent.glob(f"{marker.stem}.*.nbc")))


_SEQUENCES = (STEP, REFRESH, *((phase,) for phase in QUERIES))
"""What worlds run at once; kernels on a GPU depend on what comes after what."""


def _kernels(world: World, phases: tuple[str, ...]) -> list[Key]:
    return world.engine.store.kernels(world.engine.run_by(phases))


def worlds_for(names: Iterable[str], device: str = "cpu", dtype: str = "float32", num_envs: int = 2) -> list[World]:
    """Small worlds of benchmark scenes, families of scenes, shipped robots and robot files on a ground, by name.

    A name that is both a scene and a robot stands for both; all default scenes and shipped robots, if there are none.

    Raises:
        LoadError: a file cannot be used, or there is nothing of that name.
    """
    from phalanx.bench import DEFAULT, NAMES, choose
    from phalanx.bench.build import set_up

    found: list[World] = []
    for name in list(names) or list(dict.fromkeys([*DEFAULT, *shipped()])):
        scenes = choose([name]) if name in NAMES else []
        found += [set_up(scene, num_envs, device, dtype).world for scene in scenes]
        if name in shipped() or not scenes:
            world = World(num_envs=num_envs, device=device, dtype=dtype)
            world.add_ground()
            world.add_robot(name)
            found.append(world)
    return found
