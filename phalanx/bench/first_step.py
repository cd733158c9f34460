"""Seconds to the end of the first step of a new process, with an empty and with a warm cache of kernels."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from typing import Any

NUM_ENVS = 64
CACHES = ("PHALANX_CACHE_DIR", "NUMBA_CACHE_DIR")
"""Variables that say where compiled kernels are kept."""

_OURS = """
import sys, time
begin = time.perf_counter()
from phalanx.bench.build import set_up
from phalanx.bench.scenes import SCENES
world = set_up(SCENES[sys.argv[1]], int(sys.argv[2]), sys.argv[3]).world
world.step()
world.synchronize()
print(time.perf_counter() - begin)
"""

_PEER = """
import sys, time
begin = time.perf_counter()
import mujoco
import warp
warp.config.log_level = warp.LOG_WARNING
warp.init()
import mujoco_warp as engine
with warp.ScopedDevice(sys.argv[3]):
    compiled = mujoco.MjModel.from_xml_path(sys.argv[1])
    data = mujoco.MjData(compiled)
    mujoco.mj_resetDataKeyframe(compiled, data, 0)
    mujoco.mj_forward(compiled, data)
    model = engine.put_model(compiled)
    rooms = dict(nconmax=int(sys.argv[4]), njmax=int(sys.argv[5]))
    state = engine.put_data(compiled, data, nworld=int(sys.argv[2]), **rooms)
    engine.step(model, state)
    warp.synchronize()
print(time.perf_counter() - begin)
"""


def first_step(scene: str, device: str) -> dict[str, Any]:
    """Ours: ``cold_seconds`` and ``warm_seconds``, for a scene by name."""
    cold, warm = _twice(_OURS, (scene, str(NUM_ENVS), device), CACHES)
    return {"scene": scene, "engine": "phalanx", "device": device, "cold_seconds": cold, "warm_seconds": warm}


def first_step_of_warp(scene: str, device: str) -> dict[str, Any]:
    """MuJoCo Warp's, on the same scene; it must be installed."""
    from phalanx.bench import mjcf, mujoco_peer, warp_peer
    from phalanx.bench.build import set_up
    from phalanx.bench.scenes import SCENES

    setup = set_up(SCENES[scene], 1)
    nconmax, njmax = warp_peer.rooms(setup, *mujoco_peer.model(setup), frames=4)
    with tempfile.NamedTemporaryFile("w", suffix=".xml") as file:
        file.write(mjcf.write(setup))
        file.flush()
        arguments = (file.name, str(NUM_ENVS), device, str(nconmax), str(njmax))
        cold, warm = _twice(_PEER, arguments, ("WARP_CACHE_PATH",))
    return {"scene": scene, "engine": warp_peer.NAME, "device": device, "cold_seconds": cold, "warm_seconds": warm}


def _twice(program: str, arguments: tuple[str, ...], caches: tuple[str, ...]) -> tuple[float, float]:
    """What a program prints last, in two runs with the same folder for its caches, which is empty at first."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, **dict.fromkeys(caches, folder)}
        seconds = []
        for _ in range(2):
            done = subprocess.run(
                [sys.executable, "-c", program, *arguments],
                env=environment,
                capture_output=True,
                text=True,
                check=False,
            )
            if done.returncode:
                reason = done.stderr.strip() or f"exit status {done.returncode}"
                raise RuntimeError(f"the first step could not be timed: {reason.splitlines()[-1]}")
            seconds.append(float(done.stdout.split()[-1]))
    return seconds[0], seconds[1]
