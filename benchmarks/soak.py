"""A long run in one process, to see that nothing is lost: random scenes, resets, recording, save and load.

    python -m benchmarks.soak --hours 1 --device cpu --json out.json

A round takes one of some random scenes with new poses, masses, materials and gains, and runs it twice with the same
actions, resets and randomisation: once without interruptions, and once recorded, saved to a file, loaded in place of
the world, and set back to a state of before. Every step of both must be the same to the bit, and so must what was
recorded, and what the recording makes again. After each round garbage is collected, the allocator gives back what it
holds free (``malloc_trim``), and resident memory, open files, threads, mappings and GPU memory are read.

Warm-up ends when each scene was run twice, since code that is compiled stays loaded, and not before half of the time
is over, since the allocator takes that long: caches of its threads fill, and pages that it cannot give back are shared
by what stays and what was freed (``benchmarks/results/2026-11-23-soak-allocator.json``). From then on growth is that of
the line of least squares through all rounds, as a share of their mean, taken to the length of the whole run.
What was found so far is written every minute; SIGTERM and Ctrl-C end the run after the round that is under way.
With an empty kernel cache a GPU's first rounds compile for minutes: run a short soak first, which fills it.
Exit code 1 if that of resident or allocated memory is more than 1 %, if a file stays open, or if a bit differs.
``resident_bytes`` has pages, ``allocated_bytes`` what ``malloc`` has handed out, caches of its threads included.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import datetime
import gc
import hashlib
import json
import os
import shutil
import signal
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import phalanx as px
from phalanx.bench.machine import machine
from phalanx.ecs.whole_files import write_text
from phalanx.io.recordings.replay import open_recording, verify

RESULTS = Path(__file__).resolve().parent / "results"
ROBOTS = ("cartpole", "arm", "quadruped", "double_pendulum", "humanoid", "quadrotor")
SHAPES = (("sphere", 1), ("box", 3), ("capsule", 2), ("cylinder", 2), ("cone", 2))
STEPS = 60
MOST_GROWTH = 0.01
KEEP_EVERY = 60.0
ENDS = (signal.SIGTERM, signal.SIGINT)
WARM_VISITS = 2


class Scene:
    """What is in a world: random, but the same for the same numbers."""

    def __init__(self, seed: int, number: int) -> None:
        rng = np.random.default_rng([seed, 1, number])
        self.num_envs = int(rng.integers(1, 9))
        self.dtype = "float64" if rng.random() < 0.2 else "float32"
        self.solver = "pgs" if rng.random() < 0.2 else "tgs"
        self.robot = ROBOTS[number % len(ROBOTS)] if rng.random() < 0.8 else None
        self.objects = [
            (kind, tuple(rng.uniform(0.05, 0.12, count).tolist()))
            for kind, count in (SHAPES[rng.integers(len(SHAPES))] for _ in range(rng.integers(1, 7)))
        ]

    def world(self, device: str, rng: np.random.Generator) -> px.World:
        """A world of it, with random poses and masses."""
        world = px.World(self.num_envs, device, self.dtype, dt=0.005, solver=self.solver)
        world.add_ground(friction=float(rng.uniform(0.2, 1.0)))
        if self.robot is not None:
            world.add_robot(self.robot, name="robot", position=(0.0, 0.0, 1.0))
        for i, (kind, size) in enumerate(self.objects):
            place = (0.25 * i - 0.5, float(rng.uniform(-0.05, 0.05)), float(rng.uniform(0.15, 0.8)))
            world.add_rigid_object(
                px.Shape(kind, size), f"object{i}", mass=float(rng.uniform(0.1, 3.0)), position=place
            )
        return world


def act(world: px.World, key: list[int], step: int) -> None:
    """What the host does before a step: targets, and now and then a reset, new masses, materials, gains, or poses."""
    rng = np.random.default_rng([*key, step])
    n = world.num_envs
    robot = world.robots.get("robot")
    if robot is not None and robot.num_dof:
        robot.set_targets(pos=rng.uniform(-0.3, 0.3, (n, robot.num_dof)).astype(np.float32))
    if step % 9 == 8:
        world.reset(rng.permutation(n)[: rng.integers(1, n + 1)])
    if step % 7 == 3:
        body = list(world.objects.values())[rng.integers(len(world.objects))]
        which = rng.integers(5)
        if which == 0:
            body.set_mass(rng.uniform(0.1, 3.0, n).astype(np.float32), scale_inertia=True)
        elif which == 1:
            friction = float(rng.uniform(0.1, 1.0))
            body.set_material(
                static_friction=friction, dynamic_friction=friction, restitution=float(rng.uniform(0, 0.5))
            )
        elif which == 2:
            body.set_external_wrench(force=rng.uniform(-2, 2, (n, 3)).astype(np.float32))
        elif which == 3 and robot is not None and robot.num_dof:
            robot.set_drive(stiffness=float(rng.uniform(0, 40)), damping=float(rng.uniform(0, 2)))
        else:
            body.set_root_state(vel=rng.uniform(-1, 1, (n, 6)).astype(np.float32))


def look(world: px.World) -> bytes:
    """A digest of where everything is and how it moves."""
    found = hashlib.sha256()
    for actor in world.actors.values():
        for values in (actor.root_pose, actor.root_vel):
            found.update(host(values).tobytes())
    for robot in world.robots.values():
        for values in (robot.joint_pos, robot.joint_vel):
            found.update(host(values).tobytes())
    return found.digest()


def host(values: Any) -> np.ndarray:
    return np.ascontiguousarray(values.get() if hasattr(values, "get") else np.asarray(values))


def undisturbed(world: px.World, key: list[int]) -> list[bytes]:
    """The state after each step."""
    found = [look(world)]
    for step in range(STEPS):
        act(world, key, step)
        world.step()
        found.append(look(world))
    return found


def disturbed(world: px.World, key: list[int], folder: Path) -> tuple[list[bytes], list[tuple[int, Path]]]:
    """The same with interruptions; and the recordings, each with the step at which it began."""
    rng = np.random.default_rng([*key, 99])
    events = {int(at): int(rng.integers(3)) for at in rng.permutation(np.arange(2, STEPS - 1))[:4]}
    found, recordings = [look(world)], [(0, folder / "0.zarr")]
    recorder = px.Recorder(world, recordings[-1][1], chunk_steps=int(rng.integers(1, 20)))
    for step in range(STEPS):
        if step in events:
            recorder.close()
            if events[step] == 0:
                world.save(folder / f"{step}.npz")
                world = px.World.load(folder / f"{step}.npz", device=world.device)
            elif events[step] == 1:
                state = world.state()
                for ahead in range(3):
                    act(world, [*key, 7], ahead)
                    world.step()
                world.set_state(state)
            recordings.append((step, folder / f"{step}.zarr"))
            recorder = px.Recorder(world, recordings[-1][1], chunk_steps=int(rng.integers(1, 20)))
        act(world, key, step)
        world.step()
        found.append(look(world))
    recorder.close()
    return found, recordings


def one_round(scene: Scene, key: list[int], device: str) -> list[str]:
    """What went wrong, nothing if nothing did."""
    faults = []
    folder = Path(tempfile.mkdtemp(prefix="phalanx-soak-"))
    try:
        expected = undisturbed(scene.world(device, np.random.default_rng(key)), key)
        got, recordings = disturbed(scene.world(device, np.random.default_rng(key)), key, folder)
        differ = [step for step, (a, b) in enumerate(zip(expected, got, strict=True)) if a != b]
        if differ:
            faults.append(f"interruptions changed steps {differ[0]} and later")
        ends = [begin for begin, _ in recordings[1:]] + [STEPS]
        for (begin, path), end in zip(recordings, ends, strict=True):
            recording = open_recording(path)
            if recording.num_samples != end - begin + 1 or not recording.closed:
                faults.append(f"{path.name} has {recording.num_samples} samples, not {end - begin + 1}")
        result = verify(open_recording(recordings[-1][1]), device=device)
        if not result.ok:
            faults.append(f"{recordings[-1][1].name}: {result}")
    finally:
        shutil.rmtree(folder)
    return faults


class _Mallinfo2(ctypes.Structure):
    """What glibc's ``mallinfo2`` returns."""

    _NAMES = "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost"
    _fields_ = [(name, ctypes.c_size_t) for name in _NAMES.split()]


def allocated_bytes() -> int:
    """Bytes of ``malloc`` in use, in all arenas and mapped ones, without what is free between them; 0 if not known."""
    try:
        mallinfo2 = ctypes.CDLL("libc.so.6").mallinfo2
    except (OSError, AttributeError):
        return 0
    mallinfo2.restype = _Mallinfo2
    found = mallinfo2()
    return found.uordblks + found.hblkhd


def numbers(device: str) -> dict[str, int]:
    """What this process holds, after everything that can go has gone."""
    gc.collect()
    with contextlib.suppress(OSError, AttributeError):  # another C library than glibc has no malloc_trim
        ctypes.CDLL("libc.so.6").malloc_trim(0)
    status = Path("/proc/self/status").read_text()
    found = {
        "allocated_bytes": allocated_bytes(),
        "python_blocks": sys.getallocatedblocks(),
        "modules": len(sys.modules),
        "resident_bytes": 1024 * next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS")),
        "open_files": len(os.listdir("/proc/self/fd")),
        "threads": len(os.listdir("/proc/self/task")),
        "mappings": Path("/proc/self/maps").read_text().count("\n"),
    }
    if device != "cpu":
        import cupy  # pyright: ignore[reportMissingImports]

        pool = cupy.get_default_memory_pool()
        pool.free_all_blocks()
        cupy.get_default_pinned_memory_pool().free_all_blocks()  # which counts as memory of the host
        free, total = cupy.cuda.runtime.memGetInfo()
        found |= {"gpu_pool_bytes": pool.used_bytes(), "gpu_used_bytes": total - free}
    return found


def trend(values: list[float]) -> float:
    """Growth of the line of least squares from the first to the last, as a share of the mean; 0 where all are alike."""
    if len(values) < 2 or min(values) == max(values):
        return 0.0
    return float(np.polyfit(np.arange(len(values)), values, 1)[0] * (len(values) - 1) / np.mean(values))


def soak(
    seconds: float,
    scenes: int,
    seed: int,
    device: str,
    tell: Callable[[str], None] = print,
    rounds: int | None = None,
    keep: Callable[[dict[str, Any]], object] = lambda result: None,
) -> dict[str, Any]:
    """Rounds until the time is up, or so many, or SIGTERM or SIGINT comes; ``keep`` gets what is known, each minute."""
    pool = [Scene(seed, number) for number in range(scenes)]
    visits = [0] * scenes
    begin = kept = time.monotonic()
    history: list[dict[str, Any]] = []
    faults: list[str] = []
    warm = None
    with _asked_to_end() as asked:
        while not asked and time.monotonic() - begin < seconds and (rounds is None or len(history) < rounds):
            number = len(history)
            rng = np.random.default_rng([seed, 2, number])
            chosen = number % scenes if number < WARM_VISITS * scenes else int(rng.integers(scenes))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", px.SimulationWarning)  # contacts that get more slots
                found = one_round(pool[chosen], [seed, 3, number], device)
            faults += [f"round {number}, scene {chosen}: {fault}" for fault in found]
            visits[chosen] += 1
            history.append({"seconds": round(time.monotonic() - begin, 1), "scene": chosen, **numbers(device)})
            if warm is None and min(visits) >= WARM_VISITS and _half_is_over(seconds, begin, rounds, number):
                warm = number
            if number % 20 == 0 or found:
                tell(f"round {number}: {history[-1]} {found}")
            if time.monotonic() - kept > KEEP_EVERY:
                keep(_result(history, warm, faults))
                kept = time.monotonic()
    return _result(history, warm, faults)


@contextlib.contextmanager
def _asked_to_end() -> Iterator[list[int]]:
    """Signals that have asked for an end."""
    asked: list[int] = []
    before = {each: signal.signal(each, lambda number, _: asked.append(number)) for each in ENDS}
    try:
        yield asked
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


def _result(history: list[dict[str, Any]], warm: int | None, faults: list[str]) -> dict[str, Any]:
    """What rounds have shown, of which those up to ``warm`` were warm-up."""
    result: dict[str, Any] = {
        "seconds": history[-1]["seconds"] if history else 0.0,
        "rounds": len(history),
        "steps": 2 * STEPS * len(history),
        "warm_up_rounds": None if warm is None else warm + 1,
        "faults": list(faults),
    }
    later = history[warm + 1 :] if warm is not None else []
    if later:
        whole = history[-1]["seconds"] / max(history[-1]["seconds"] - later[0]["seconds"], 1e-3)
        for name in [key for key in later[0] if key not in ("seconds", "scene")]:
            series = [each[name] for each in later]
            result[name] = {"first": series[0], "last": series[-1], "least": min(series), "most": max(series)}
            result[name]["growth"] = whole * trend(series)
    result["ok"] = bool(later) and not faults and all(_flat(name, result[name]) for name in later[0] if name in result)
    result["history"] = history[:: max(1, len(history) // 200)]
    return result


def _flat(name: str, found: Any) -> bool:
    if name in ("open_files", "threads"):
        return found["last"] <= found["first"]
    watched = ("resident_bytes", "allocated_bytes", "gpu_pool_bytes", "gpu_used_bytes")
    return name not in watched or found["growth"] <= MOST_GROWTH


def _half_is_over(seconds: float, begin: float, rounds: int | None, number: int) -> bool:
    return time.monotonic() - begin >= seconds / 2 or (rounds is not None and number + 1 >= rounds / 2)


def main() -> int:
    """Read options, run, print and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("--hours", type=float, default=1.0)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--scenes", type=int, default=12)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path, help="by default benchmarks/results/<day>-soak-<device>.json")
    given = parser.parse_args()
    day = datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d")
    target = given.json or RESULTS / f"{day}-soak-{given.device.replace(':', '')}.json"
    options = {"hours": given.hours, "scenes": given.scenes, "seed": given.seed, "device": given.device}
    options["folder"] = tempfile.gettempdir()

    def keep(result: dict[str, Any]) -> None:
        write_text(target, json.dumps({"machine": machine(), "options": options, **result}, indent=1) + "\n")

    result = soak(
        3600 * given.hours, given.scenes, given.seed, given.device, lambda text: print(text, flush=True), keep=keep
    )
    keep(result)
    print(json.dumps({key: value for key, value in result.items() if key != "history"}, indent=1))
    if result["warm_up_rounds"] is None:
        print("too short: some scenes were not run twice, so nothing is said of memory")
    return 0 if result["ok"] else 1


if __name__ == "__main__":
    sys.exit(main())
