"""What a viewer costs: steps with none, with one that nobody looks at, and with one browser that looks.

    python benchmarks/viewer.py --num-envs 1 64 4096 --device cpu --json out.json

Quadrupeds on a ground that hold a pose, one step a call. The three cases take turns, round after round, in one world.
The browser is a process of its own that takes what it is sent; it sees one environment, or with ``--grid N`` so many.
Figures are medians of rounds: real time and CPU time a step of the stepping process (all threads, the viewer's too);
and quartiles of the ratios of CPU times within a round, which other work on the machine moves least.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import phalanx as px
from phalanx.bench.machine import machine

CASES = ("none", "unwatched", "watched")


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
    found: dict[str, list[tuple[float, float]]] = {case: [] for case in CASES}
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
            real, used = time.perf_counter(), time.process_time()
            for _ in range(steps):
                world.step()
            world.synchronize()
            real, used = time.perf_counter() - real, time.process_time() - used
            found[case].append((real / steps, used / steps))
            if viewer is not None:
                if case == "watched":
                    frames.append((viewer.frames - before) / real)
                viewer.close()
            if browser is not None:
                browser.kill()
                browser.wait()
    real, used = ({case: statistics.median(t[i] for t in found[case]) for case in CASES} for i in (0, 1))
    ratios = {case: [a[1] / b[1] for a, b in zip(found[case], found["none"], strict=True)] for case in CASES[1:]}
    return {
        "num_envs": num_envs,
        "seen": min(grid, num_envs) if grid > 1 else 1,
        "steps": steps,
        "rounds": rounds,
        "frames_per_second": statistics.median(frames),
        "steps_per_second": {case: 1.0 / real[case] for case in CASES},
        "cpu_ms_per_step": {case: 1e3 * used[case] for case in CASES},
        "more_time": {case: real[case] / real["none"] - 1.0 for case in CASES[1:]},
        "more_cpu_time": {case: used[case] / used["none"] - 1.0 for case in CASES[1:]},
        "cpu_time_ratio_of_rounds": {
            case: dict(zip(("low", "median", "high"), statistics.quantiles(each, n=4), strict=True))
            for case, each in ratios.items()
        },
    }


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
