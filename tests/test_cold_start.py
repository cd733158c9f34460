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
world.add_ground()
robot = world.add_robot("quadruped")
robot.set_drive(stiffness=40.0, damping=1.0)
rng = np.random.default_rng(1)
for _ in range(10):
    robot.set_targets(pos=robot.default_joint_pos + 0.3 * rng.standard_normal((5, 12)))
    world.step(20)
state = world.state()
print(hashlib.sha256(b"".join(state[key].tobytes() for key in sorted(state))).hexdigest(), bool(world.diverged.size))
"""


PAIRS = """
import hashlib
import numpy as np
from narrow import pairs, solids

cylinder = solids.SOLIDS["cylinder"]
turn_a, turn_b, between = pairs.place(cylinder, cylinder, 2000, np.random.default_rng(5))
found = pairs.collide(cylinder, cylinder, turn_a, turn_b, between, 0.2, "cpu", "float32")
print(hashlib.sha256(found.deepest.tobytes()).hexdigest(), "False")
"""
"""A few kernels alone, the largest of which calls functions that stay functions."""


@pytest.mark.parametrize("script", [RUN, PAIRS], ids=["world", "pairs"])
def test_compiled_and_cached_kernels_give_the_same_bits(script: str, device: str, tmp_path: Path) -> None:
    """Whether kernels come from the compiler or from the disk must not show in the last bit."""
    if script is PAIRS and device != "cpu":
        pytest.skip("kernels of a GPU are the same wherever they are compiled")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    environment |= {"PHALANX_CACHE_DIR": str(tmp_path), "NUMBA_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-c", script, device]
    runs = [subprocess.run(command, env=environment, capture_output=True, text=True, check=True) for _ in range(2)]
    first, second = (run.stdout.split() for run in runs)
    assert first[1] == "False", "nothing diverged"
    assert first == second
