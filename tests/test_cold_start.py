"""A process that compiles its kernels and one that finds them in the cache simulate the same, and start as promised."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

RUN = """
import hashlib, sys
import numpy as np
import phalanx as px

world = px.World(num_envs=5, device=sys.argv[1])
if sys.argv[2] == "quadruped":
    world.add_ground()
robot = world.add_robot(sys.argv[2])
robot.set_drive(stiffness=40.0, damping=1.0)
rng = np.random.default_rng(1)
for _ in range(10):
    robot.set_targets(pos=robot.default_joint_pos + 0.3 * rng.standard_normal((5, robot.num_dof)))
    world.step(20)
state = world.state()
print(hashlib.sha256(b"".join(state[key].tobytes() for key in sorted(state))).hexdigest(), bool(world.diverged.size))
"""


OBJECT = """
import hashlib, os, pathlib, pickle
from phalanx.ecs.cache.files import unsealed
from narrow import pairs, solids
from phalanx.ecs.text.codegen import generate
from phalanx.ecs.cache.modules import load
from phalanx.ecs.ahead.precompile import _compiler, marker
from phalanx.systems.collision.narrow import collide_capsules, collide_spheres

capsule = solids.SOLIDS["capsule"]
store = pairs.build(capsule, capsule, 2, "cpu", "float32")
spheres, capsules = (generate(s, store._shared(s), "float32", "cpu") for s in (collide_spheres, collide_capsules))
chosen = [spheres, capsules] if os.environ["COMPANY"] else [capsules]
_compiler.compile([(kernel.path, marker(kernel, "cpu")) for kernel in chosen], workers=1)
load(capsules)  # what is cached refers to the module
cached, = pathlib.Path(os.environ["PHALANX_CACHE_DIR"]).rglob(f"*{capsules.entry}*.nbc")
name, kind, (machine_code, bitcode) = pickle.loads(unsealed(cached))[0]
print(hashlib.sha256(machine_code).hexdigest())
"""
"""Machine code of a kernel, with the names of its functions, and with COMPANY that of one compiled after another.

In one process the names alone would be others, whichever kernels they are.
"""


@pytest.mark.parametrize("robot", ["cartpole", pytest.param("quadruped", marks=pytest.mark.slow)])
def test_compiled_and_cached_kernels_give_the_same_bits(robot: str, device: str, tmp_path: Path) -> None:
    """Whether kernels come from the compiler or from the disk must not show in the last bit."""
    first, second = (run(RUN, tmp_path, device, robot) for _ in range(2))
    assert first[1] == "False", "nothing diverged"
    assert first == second


def test_what_was_compiled_before_does_not_show(device: str, tmp_path: Path) -> None:
    """Compiled by a process that had compiled boxes, the distances of some cylinders were others by a rounding."""
    if device != "cpu":
        pytest.skip("kernels of a GPU are the same wherever they are compiled")
    alone, after = (run(OBJECT, tmp_path / str(i), COMPANY="spheres" * i) for i in range(2))
    assert alone == after


def run(script: str, cache: Path, *arguments: str, **settings: str) -> list[str]:
    """What a script prints that runs with a cache of its own."""
    cache.mkdir(exist_ok=True)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **settings}
    environment |= {"PHALANX_CACHE_DIR": str(cache), "NUMBA_CACHE_DIR": str(cache)}
    command = [sys.executable, "-c", script, *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.split()


def test_importing_phalanx_loads_only_what_every_world_needs() -> None:
    """Compilers, readers of files, sensors and writers are loaded by what uses them: an import takes a third of a
    second, and each of these would add to it.
    """
    code = "import sys; had = set(sys.modules); import phalanx; print(*sorted(set(sys.modules) - had))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    late = (
        "numba",
        "llvmlite",
        "cupy",
        "torch",
        "scipy",
        "zarr",
        "pxr",
        "PIL",
        "email",
        "subprocess",
        "importlib.metadata",
    )
    ours = ("facade", "images", "io.formats.mjcf", "io.formats.usd", "io.recordings", "learn", "rays", "viewer")
    for name in (*late, *(f"phalanx.{each}" for each in ours)):
        assert not [each for each in loaded if each == name or each.startswith(f"{name}.")], name
    assert "phalanx.world.world" in loaded
