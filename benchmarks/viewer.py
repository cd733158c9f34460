"""What a viewer costs: steps with none, with one that nobody looks at, and with one browser that looks.

    python benchmarks/viewer.py --num-envs 1 64 4096 --device cpu --json out.json

Quadrupeds on a ground that hold a pose, one step a call. The three cases take turns, round after round, in one world.
The browser is a process of its own that takes what it is sent; it sees one environment, or with ``--grid N`` so many.
Figures are medians of rounds: real time a step, CPU time of the thread that steps, and CPU time of the process (all
threads, the viewer's too); and quartiles of the ratios of these times within a round, which other work on the machine
moves least. Many short rounds (``--rounds 60 --seconds 0.3``) say more than few long ones. On a CPU what the viewer
takes of the loop is in the thread's time; what waiting for the interpreter's lock adds is in the real time only.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import phalanx as px
from phalanx.bench.machine import machine

CASES = ("none", "unwatched", "watched")

CLOCKS: dict[str, Callable[[], float]] = {
    "real": time.perf_counter,
    "stepping_thread": time.thread_time,
    "process": time.process_time,
}
"""s."""


def look(port: int) -> None:
    """Be a browser."""
    import msgspec
    import viser
    from websockets.sync.client import connect

    protocol: Any = f"viser-v{viser.__version__}"
    with connect(f"ws://127.0.0.1:{port}", subprotocols=[protocol], max_size=None, compression=None) as socket:
        camera = {"wxyz": (1.0, 0.0, 0.0, 0.0), "position": (3.0, 0.0, 1.0), "fov": 1.0, "near": 0.01, "far": 100.0}
        size = {"image_height": 480, "image_width": 640}
        turn = {"look_at": (0.0, 0.0, 0.0), "up_direction": (0.0, 0.0, 1.0)}
        socket.send(msgspec.msgpack.encode({"type": "ViewerCameraMessage", **camera, **size, **turn}))
        for _ in socket:
            pass


def measure(num_envs: int, device: str, rounds: int, seconds: float, grid: int) -> dict[str, Any]:
    """Figures of all cases at one number of environments."""
    world = px.World(num_envs=num_envs, device=device)
    world.add_ground()
    robot = world.add_robot("quadruped")
    robot.set_drive(stiffness=40.0, damping=1.0)
    world.step(10)
    world.synchronize()
    start = time.perf_counter()
    world.step(20)
    world.synchronize()
    steps = max(5, int(seconds * 20 / (time.perf_counter() - start)))
    found: dict[str, list[tuple[float, ...]]] = {case: [] for case in CASES}
    frames = []
    for number in range(rounds):
        for case in (*CASES[number % 3 :], *CASES[: number % 3]):
            viewer = None if case == "none" else px.Viewer(world, port=0)
            browser = None
            if viewer is not None and case == "watched":
                viewer.selection.mode, viewer.selection.count = ("Grid", grid) if grid > 1 else ("One", 1)
                port = str(viewer.server.get_port())
                browser = subprocess.Popen([sys.executable, __file__, "--look", port], stderr=subprocess.DEVNULL)
                assert viewer.wait(60.0), "the browser did not come"
                while viewer.frames < 3:
                    world.step()
            before = 0 if viewer is None else viewer.frames
            begun = [clock() for clock in CLOCKS.values()]
            for _ in range(steps):
                world.step()
            world.synchronize()
            spent = [clock() - start for clock, start in zip(CLOCKS.values(), begun, strict=True)]
            found[case].append(tuple(each / steps for each in spent))
            if viewer is not None:
                if case == "watched":
                    frames.append((viewer.frames - before) / spent[0])
                viewer.close()
            if browser is not None:
                browser.kill()
                browser.wait()
    medians = [{case: statistics.median(t[i] for t in found[case]) for case in CASES} for i in range(len(CLOCKS))]
    return {
        "num_envs": num_envs,
        "seen": min(grid, num_envs) if grid > 1 else 1,
        "steps": steps,
        "rounds": rounds,
        "frames_per_second": statistics.median(frames),
        "steps_per_second": {case: 1.0 / medians[0][case] for case in CASES},
        "ms_per_step": {
            clock: {case: 1e3 * each[case] for case in CASES} for clock, each in zip(CLOCKS, medians, strict=True)
        },
        "ratio_of_rounds": {
            clock: {
                case: _quartiles([a[i] / b[i] for a, b in zip(found[case], found["none"], strict=True)])
                for case in CASES[1:]
            }
            for i, clock in enumerate(CLOCKS)
        },
    }


def _quartiles(values: list[float]) -> dict[str, Any]:
    """With an interval that has the true median in 95 of 100 cases, by ranks."""
    found: dict[str, Any] = dict(zip(("low", "median", "high"), statistics.quantiles(values, n=4), strict=True))
    ordered, reach = sorted(values), 0.98 * len(values) ** 0.5
    first = max(0, int(len(values) / 2 - reach))
    return {**found, "median_95": [ordered[first], ordered[-1 - first]]}


def main() -> None:
    """Read options, measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("--num-envs", type=int, nargs="+", default=[1, 64, 4096])
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=2.0, help="of a round of a case, about")
    parser.add_argument("--grid", type=int, default=1, help="environments that are seen")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--look", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.look:
        return look(given.look)
    results = []
    for num_envs in given.num_envs:
        results.append(measure(num_envs, given.device, given.rounds, given.seconds, given.grid))
        print(json.dumps(results[-1], indent=2), flush=True)
        if given.json:  # at once: a later one may take long
            made = {"machine": machine(), "device": given.device, "results": results}
            given.json.write_text(json.dumps(made, indent=2) + "\n")
    return None


if __name__ == "__main__":
    main()
