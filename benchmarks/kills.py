"""Recordings whose writers are killed at random moments, or whose disks become full, and what is left of them.

    python -m benchmarks.kills --kills 200 --disks 50 --json out.json

A process records quadrupeds that are driven, reset and pushed, and says after each step how far it is. It gets SIGKILL
at a random moment within a random step, one in each of as many equal parts of the steps, a few before the recorder
begins and after it has ended among them. Of what is left, all samples must be those of an undisturbed recording to the
bit, with all events that belong to them; the count must be at least what the recorder had written, and miss no more
than three chunks of what was stepped. Every fourth is also made again from its own events.

Disks are file systems in memory (tmpfs) of random sizes, mounted in a namespace of their own (``unshare``): the kernel
says that they are full, at whatever write that is. As many are tried as it takes until so many became full while the
recorder wrote; on others it could not begin, or all had room. The error must count exactly the samples that can be
read; where the recorder could not begin, nothing may be left. A world is saved there, too: there is the whole file, or
the one of before.

All processes are forked from one that has built the world. Exit code 1 if anything was lost.
"""

from __future__ import annotations

import argparse
import datetime
import json
import mmap
import os
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import phalanx as px
from phalanx.bench.machine import machine
from phalanx.io.recordings.replay import open_recording, verify

RESULTS = Path(__file__).resolve().parent / "results"
STEPS = 160
ENVS = 16
PARTS = 3
"""Chunks that may be lost."""
MOST_STEPS_AHEAD = 20
"""In whose time the recorder begins; kills before the first step are at random within it."""
MOST_TRIES = 6
"""Disks that are tried, at most, for each that is to become full."""


def make_world() -> px.World:
    """Quadrupeds on the ground, each at another angle of its joints."""
    world = px.World(ENVS, dt=0.005)
    world.add_ground()
    robot = world.add_robot("quadruped")
    robot.set_drive(stiffness=40.0, damping=1.0)
    robot.set_joint_state(pos=np.random.default_rng(1).uniform(-0.2, 0.2, (ENVS, robot.num_dof)).astype(np.float32))
    world.step(2)
    return world


def drive(world: px.World, step: int) -> None:
    """What the host does before a step."""
    rng = np.random.default_rng(step)
    robot = world.robots["robot"]
    if step % 5 == 0:
        robot.set_targets(pos=rng.uniform(-0.3, 0.3, (ENVS, robot.num_dof)).astype(np.float32))
    if step % 90 == 89:
        world.reset(rng.permutation(ENVS)[:3])
    if step % 70 == 11:
        robot.set_root_state(vel=rng.uniform(-0.5, 0.5, (ENVS, 6)).astype(np.float32))


def record(world: px.World, path: Path, chunk: int, told: Callable[[int, int], None]) -> None:
    """Record all steps; ``told`` gets the steps that were made, and how many samples the recorder has written."""
    with px.Recorder(world, path, chunk_steps=chunk) as recorder:
        for step in range(STEPS):
            drive(world, step)
            world.step()
            told(step + 1, recorder._written)
    told(STEPS, STEPS + 1)


def forked(call: Callable[[], Any]) -> Any:
    """What a call returns in a process of its own, by JSON; a string if it ended with an error."""
    reader, writer = os.pipe()
    if (pid := os.fork()) == 0:
        try:
            found = call()
        except BaseException:
            found = traceback.format_exc()
        os.write(writer, json.dumps(found).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as file:
        text = file.read()
    os.waitpid(pid, 0)
    return json.loads(text) if text else "ended without a word"


def reference(world: px.World, folder: Path) -> float:
    """Make the undisturbed recording, and keep what it holds; returns the seconds that it took."""
    begin = time.perf_counter()
    record(world, folder / "reference.zarr", 20, lambda steps, written: None)
    seconds = time.perf_counter() - begin
    values = contents(folder / "reference.zarr")
    np.savez(folder / "reference.npz", **values)  # type: ignore[arg-type]
    return seconds


def contents(path: Path) -> dict[str, np.ndarray]:
    """All samples, steps, and the places of events."""
    recording = open_recording(path)
    found = {f"{a.name} {key}": np.asarray(series) for _, a in recording.recorded for key, series in a.items()}
    events = [(event.kind, event.step, event.sample) for event in recording.events()]
    return {**found, "step": recording.step, "events": np.array(events)}


def check(path: Path, expected: Path, again: bool) -> dict[str, Any]:
    """How many samples can be read, and what is wrong with them."""
    try:
        recording = open_recording(path)
    except px.LoadError as error:
        return {"samples": 0, "faults": [], "why": str(error).rpartition(": ")[2]}
    count, faults = recording.num_samples, []
    with np.load(expected) as file:
        good = {key: file[key] for key in file.files}
    found = contents(path)
    if found.keys() != good.keys():
        faults.append(f"it has {sorted(found)}")
    for key in found.keys() & good.keys():
        part = good[key][:count] if key == "step" else good[key][:, :count]
        if key == "events":
            part = good[key][good[key][:, 2] < count]
            if found[key][: len(part)].tolist() != part.tolist() or len(found[key]) > len(part) + 1:
                faults.append(f"events are {found[key].tolist()}")
        elif part.shape != found[key].shape or part.tobytes() != found[key].tobytes():
            faults.append(f"{key} differs")
    if recording.closed and count != STEPS + 1:
        faults.append("it says that it is closed")
    if again and not (verdict := verify(recording)):
        faults.append(f"made again: {verdict}")
    return {"samples": count, "faults": faults, "closed": recording.closed}


def _ended(pid: int) -> bool:
    """Whether a child is dead and waits to be looked after."""
    return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def kill_one(
    world: px.World, folder: Path, rng: np.random.Generator, after: float, seconds: float, again: bool
) -> dict[str, Any]:
    """Kill one process that records, once it has made so many steps, and within the next, which takes some seconds."""
    path, chunk = folder / "killed.zarr", int(rng.integers(1, 40))
    shared = mmap.mmap(-1, 16)
    reader, writer = os.pipe()
    if (pid := os.fork()) == 0:
        try:
            os.write(writer, b"x")
            record(
                world,
                path,
                chunk,
                lambda steps, written: shared.__setitem__(slice(0, 16), struct.pack("qq", steps, written)),
            )
            time.sleep(0.2)
        except BaseException:
            traceback.print_exc()
            os._exit(3)
        os._exit(0)
    os.read(reader, 1)
    moment = max(0.0, after % 1.0 if after >= 0.0 else (1.0 + after) * MOST_STEPS_AHEAD) * seconds
    while struct.unpack("qq", shared[:16])[0] < min(after // 1.0, STEPS) and not _ended(pid):
        time.sleep(0.0002)
    time.sleep(moment)
    os.kill(pid, signal.SIGKILL)
    _, status = os.waitpid(pid, 0)
    os.close(reader)
    os.close(writer)
    steps, written = struct.unpack("qq", shared[:16])
    found = forked(lambda: check(path, folder / "reference.npz", again))
    if isinstance(found, str):
        found = {"samples": -1, "faults": [found]}
    count = found["samples"]
    if os.WIFEXITED(status) and os.WEXITSTATUS(status) != 0:
        found["faults"].append(f"it ended by itself with {os.WEXITSTATUS(status)}")
    if count < written:
        found["faults"].append(f"{written} samples were written")
    if count > steps + 2 or count < steps + 1 - PARTS * chunk - 1:
        found["faults"].append(f"{steps} steps were made, in chunks of {chunk}")
    shutil.rmtree(path, ignore_errors=True)
    return {"after": round(after, 2), "chunk": chunk, "steps": steps, "written": written, **found}


def fill_one(world: px.World, folder: Path, rng: np.random.Generator, whole: int, again: bool) -> dict[str, Any]:
    """Record on a disk that has room for a part of what a whole recording takes, or a little more; and save on it."""
    disk, chunk, size = folder / "disk", int(rng.integers(1, 40)), int(rng.uniform(0.4, 1.3) * whole)
    disk.mkdir(exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "none", str(disk)], check=True)
    try:

        def run() -> list[Any]:
            try:
                record(world, disk / "a.zarr", chunk, lambda steps, written: None)
            except px.RecordingError as error:
                return ["error", str(error), (disk / "a.zarr").exists()]
            return ["closed", "", True]

        ended = forked(run)
        if isinstance(ended, str):
            return {"size": size, "chunk": chunk, "samples": -1, "faults": [ended]}
        found = forked(lambda: check(disk / "a.zarr", folder / "reference.npz", again))
        if isinstance(found, str):
            found = {"samples": -1, "faults": [found]}
        how, said, there = ended
        count = int(said.partition("Its first ")[2].split()[0]) if "Its first " in said else 0
        outcome = "closed" if how == "closed" else "became full" if there else "refused"
        if how == "error" and found["samples"] != count:
            found["faults"].append(f"the message counts {count}: {said}")
        if how == "closed" and found["samples"] != STEPS + 1:
            found["faults"].append("it was closed and is not whole")
        if not there and any(disk.iterdir()):
            found["faults"].append(f"left behind: {[one.name for one in disk.iterdir()]}")
        faults = forked(lambda: save_on(world, disk))
        found["faults"] += [faults] if isinstance(faults, str) else faults
        return {"size": size, "chunk": chunk, "outcome": outcome, **found}
    finally:
        subprocess.run(["umount", "-l", str(disk)], check=True)


def save_on(world: px.World, disk: Path) -> list[str]:
    """Save worlds over each other on a disk that is nearly full, with less and less room."""
    shutil.rmtree(disk / "a.zarr", ignore_errors=True)
    faults, before = [], None
    for round_ in range(4):
        names = {one.name for one in disk.iterdir()}
        try:
            world.save(disk / "w.npz")
        except OSError:
            if before is not None and (disk / "w.npz").read_bytes() != before:
                faults.append("a save that failed changed the file of before")
            if {one.name for one in disk.iterdir()} != names:
                faults.append("a save that failed left something behind")
        else:
            before = (disk / "w.npz").read_bytes()
            px.World.load(disk / "w.npz")
        world.step()
        left = shutil.disk_usage(disk).free
        try:
            (disk / f"filler{round_}").write_bytes(bytes(max(0, left - 40_000 * (3 - round_))))
        except OSError:
            continue
    return faults


def campaign(
    kills: int, disks: int, seed: int, tell: Callable[[str], None] = print, steps: int = STEPS
) -> dict[str, Any]:
    """Run them; the result of each, and what was found in all."""
    globals()["STEPS"] = steps
    folder = Path(tempfile.mkdtemp(prefix="phalanx-kills-"))
    try:
        world = make_world()
        seconds = forked(lambda: reference(world, folder))
        if isinstance(seconds, str):
            raise RuntimeError(seconds)
        tell(f"an undisturbed recording takes {seconds:.2f} s")
        rng = np.random.default_rng(seed)
        moments = [-1.0 + (STEPS + 6) * (n + rng.uniform()) / kills for n in range(kills)]
        step = seconds / STEPS
        killed = [kill_one(world, folder, rng, moment, step, n % 4 == 0) for n, moment in enumerate(moments)]
        whole = sum(512 * file.stat().st_blocks for file in (folder / "reference.zarr").rglob("*"))
        filled: list[dict[str, Any]] = []
        while sum(one.get("outcome") == "became full" for one in filled) < disks and len(filled) < MOST_TRIES * disks:
            filled.append(fill_one(world, folder, rng, whole, len(filled) % 4 == 0))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    faults = [f"kill {n}: {fault}" for n, one in enumerate(killed) for fault in one["faults"]]
    faults += [f"disk {n}: {fault}" for n, one in enumerate(filled) for fault in one["faults"]]
    for fault in faults:
        tell(fault)
    return {
        "kills": len(killed),
        "killed_before_the_first_chunk": sum(one["samples"] == 0 for one in killed),
        "killed_after_the_end": sum(bool(one.get("closed")) for one in killed),
        "samples_verified": sum(max(0, one["samples"]) for one in (*killed, *filled)),
        "disks": len(filled),
        "disks_by_outcome": {
            outcome: sum(one.get("outcome") == outcome for one in filled)
            for outcome in ("refused", "became full", "closed")
        },
        "made_again": -(-kills // 4) + -(-len(filled) // 4),
        "seconds_of_a_recording": seconds,
        "faults": faults,
        "each_kill": [
            f"after {one['after']} steps, chunks of {one['chunk']}: {one['steps']} steps made, "
            f"{one['written']} samples written, {one['samples']} readable"
            for one in killed
        ],
        "each_disk": [
            f"{one['size']} bytes, chunks of {one['chunk']}: {one.get('outcome')}, {one['samples']} samples readable"
            for one in filled
        ],
    }


def private(arguments: list[str]) -> int | None:
    """Run this again where it may mount file systems; the exit code, or None where that is not possible."""
    wrapped = ["unshare", "--user", "--map-root-user", "--mount"]
    if shutil.which("unshare") is None or subprocess.run([*wrapped, "true"], capture_output=True).returncode:
        return None
    return subprocess.run([*wrapped, sys.executable, "-m", "benchmarks.kills", "--private", *arguments]).returncode


def main() -> int:
    """Read options, run, print and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--disks", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--json", type=Path, help="by default benchmarks/results/<day>-kills.json")
    parser.add_argument("--private", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.disks and not given.private:
        code = private(sys.argv[1:])
        if code is None:
            print("this machine does not let users mount file systems: run with --disks 0")
            return 2
        return code
    result = campaign(given.kills, given.disks, given.seed, lambda text: print(text, flush=True), given.steps)
    day = datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d")
    target = given.json or RESULTS / f"{day}-kills.json"
    made = {
        "machine": machine(),
        "seed": given.seed,
        "steps": given.steps,
        "num_envs": ENVS,
        "folder": tempfile.gettempdir(),
    }
    target.write_text(json.dumps({**made, **result}, indent=1) + "\n")
    print(json.dumps({key: value for key, value in result.items() if not key.startswith("each_")}, indent=1))
    return 1 if result["faults"] else 0


if __name__ == "__main__":
    sys.exit(main())
