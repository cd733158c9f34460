"""Named benchmarks: how fast scenes step, on what, and against whom in the same run."""

from __future__ import annotations

import importlib.metadata
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

import phalanx as px
from phalanx import components as c
from phalanx.bench import mujoco_peer
from phalanx.bench.scenes import SCENES, Scene

FIRST_STEP = "first_step"
NAMES = (*SCENES, FIRST_STEP)


def run(
    names: Sequence[str] = (),
    device: str = "auto",
    json_path: str | os.PathLike[str] | None = None,
    *,
    num_envs: Sequence[int] = (),
    seconds: float = 2.0,
    peers: bool = True,
) -> dict[str, Any]:
    """Run benchmarks, print a table, and return (and write) the results.

    Args:
        names: of :data:`NAMES`; all by default.
        device: ``"auto"``, ``"cpu"`` or ``"cuda:N"``.
        json_path: where to write the results.
        num_envs: environment counts instead of each scene's own.
        seconds: roughly how long to measure each case.
        peers: also run MuJoCo's C engine on the CPU, where it is installed.

    Raises:
        ValueError: an unknown benchmark.
    """
    unknown = [name for name in names if name not in NAMES]
    if unknown:
        raise ValueError(f"no benchmark named {', '.join(unknown)}; there are {', '.join(NAMES)}")
    results: dict[str, Any] = {"machine": machine(), "cases": []}
    jobs: list[tuple[str, int]] = []
    actual = px.World(device=device).device
    for name in names or NAMES:
        counts = (1,) if name == FIRST_STEP else num_envs or _counts(SCENES[name], actual)
        jobs += [(name, count) for count in counts]
    for name, count in tqdm(jobs, desc="bench", unit="case", delay=2, leave=False, disable=not sys.stderr.isatty()):
        case = first_step(actual) if name == FIRST_STEP else measure(SCENES[name], count, actual, seconds, peers)
        results["cases"].append(case)
    print(table(results))
    if json_path is not None:
        Path(json_path).write_text(json.dumps(results, indent=1) + "\n")
    return results


def _counts(scene: Scene, device: str) -> tuple[int, ...]:
    return scene.cpu_envs if device == "cpu" else scene.cuda_envs


def measure(
    scene: Scene, num_envs: int, device: str, seconds: float = 2.0, peers: bool = True, frames: int = 6
) -> dict[str, Any]:
    """One scene at one size: rate (median of frames after a warm-up), times of each system, memory, contacts, peers."""
    begin = time.perf_counter()
    world, robot = scene.world(num_envs, device, "float32")
    world.step()
    world.synchronize()
    ready = time.perf_counter() - begin
    begin = time.perf_counter()
    world.step(10)
    world.synchronize()
    steps = int(np.clip(seconds / frames / ((time.perf_counter() - begin) / 10), 10, 2000))
    world.reset()
    targets = scene.targets(robot.default_joint_pos, num_envs, frames)
    elapsed = []
    for frame in targets:
        robot.set_targets(pos=frame)
        world.synchronize()
        begin = time.perf_counter()
        world.step(steps)
        world.synchronize()
        elapsed.append(time.perf_counter() - begin)
    rate = num_envs * steps / float(np.median(elapsed[1:]))
    host = world._device.to_host
    case: dict[str, Any] = {
        "name": scene.name,
        "num_envs": num_envs,
        "device": world.device,
        "dtype": world.dtype,
        "dt": scene.dt,
        "steps": steps * (frames - 1),
        "threads": px.num_threads() if world.device == "cpu" else None,
        "env_steps_per_second": rate,
        "ready_seconds": ready,
        "contacts_per_env": float(host(world[c.ContactCount].current).mean()) if scene.ground else 0.0,
        "height": float(host(robot.root_pose)[:, 2].mean()),
        "bytes_per_env": world._store.nbytes() / num_envs,
        "peers": {},
    }
    case["system_seconds_per_step"] = world.time_systems(10)
    if peers and world.device == "cpu" and mujoco_peer.available():
        budget = max(2, int(steps / 4)) if num_envs > 1 else steps
        peer = mujoco_peer.measure(scene, robot.joint_names, targets, robot.default_joint_pos, budget, px.num_threads())
        case["peers"]["mujoco.rollout"] = {
            "version": peer.version,
            "env_steps_per_second": peer.steps_per_second,
            "contacts_per_env": peer.contacts,
            "height": peer.height,
            "ratio": rate / peer.steps_per_second,
        }
    return case


_FIRST_STEP = """
import time, sys
begin = time.perf_counter()
import phalanx as px
world = px.World(num_envs=64, device=sys.argv[1])
world.add_ground()
world.add_robot("quadruped")
world.step()
world.synchronize()
print(time.perf_counter() - begin)
"""


def first_step(device: str) -> dict[str, Any]:
    """Seconds to the end of the first step of a new process, imports included, with an empty and with a warm cache."""
    import tempfile

    seconds = []
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "PHALANX_CACHE_DIR": folder, "NUMBA_CACHE_DIR": folder}
        for _ in range(2):
            done = subprocess.run(
                [sys.executable, "-c", _FIRST_STEP, device], env=environment, capture_output=True, text=True, check=True
            )
            seconds.append(float(done.stdout.split()[-1]))
    return {
        "name": FIRST_STEP,
        "num_envs": 64,
        "device": device,
        "cold_seconds": seconds[0],
        "warm_seconds": seconds[1],
    }


def machine() -> dict[str, Any]:
    """Hardware and versions, for the record."""
    versions = {}
    for package in ("numba", "llvmlite", "numpy", "numba-cuda", "cupy-cuda12x", "cupy-cuda13x", "mujoco"):
        try:
            versions[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    found = {"phalanx": px.__version__, "python": platform.python_version(), "system": platform.platform(), **versions}
    found["processor"] = _processor()
    found["processors"] = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    from phalanx.ecs.store import cuda_available

    if cuda_available():
        import cupy  # pyright: ignore[reportMissingImports]

        found["gpu"] = cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()
        found["cuda_driver"] = cupy.cuda.runtime.driverGetVersion()
    return found


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor()


def table(results: dict[str, Any]) -> str:
    """The results as text: cases, then where the time of the largest one goes."""
    lines = [
        f"{'benchmark':<12}{'device':<8}{'envs':>7}{'env-steps/s':>14}{'us/step':>10}"
        f"{'contacts':>10}{'height':>8}  peers"
    ]
    for case in results["cases"]:
        if case["name"] == FIRST_STEP:
            lines.append(
                f"{FIRST_STEP:<12}{case['device']:<8}{case['num_envs']:>7}  "
                f"empty cache {case['cold_seconds']:.1f} s, warm cache {case['warm_seconds']:.1f} s"
            )
            continue
        rate = case["env_steps_per_second"]
        peers = "; ".join(
            f"{name} {p['version']}: {p['env_steps_per_second']:,.0f} ({p['contacts_per_env']:.1f} contacts, height "
            f"{p['height']:.3f}), ratio {p['ratio']:.2f}"
            for name, p in case["peers"].items()
        )
        lines.append(
            f"{case['name']:<12}{case['device']:<8}{case['num_envs']:>7}{rate:>14,.0f}"
            f"{1e6 * case['num_envs'] / rate:>10.1f}"
            f"{case['contacts_per_env']:>10.1f}{case['height']:>8.3f}  {peers}"
        )
    timed = [case for case in results["cases"] if "system_seconds_per_step" in case]
    if timed:
        largest = max(timed, key=lambda case: case["num_envs"])
        spent = sorted(largest["system_seconds_per_step"].items(), key=lambda item: -item[1])
        total = sum(seconds for _, seconds in spent)
        lines += ["", f"{largest['name']}, {largest['num_envs']} environments: share of each system alone"]
        lines += [f"  {name:<24}{seconds * 1e6:>10.1f} us{seconds / total:>8.1%}" for name, seconds in spent[:12]]
    return "\n".join(lines)
