"""What contacts cost: time of a step against the number of contacts of an environment.

    python benchmarks/contact_cost.py --device cpu --num-envs 256
    python benchmarks/contact_cost.py --device cuda:0 --num-envs 4096
    python benchmarks/contact_cost.py --plot benchmarks/results/*contact-cost*.json

Each scene has 1 to 64 bodies in every environment, at rest on the ground: spheres apart (a contact each), boxes apart
(four each), and boxes in stacks of four (sixteen a stack, twelve of them between bodies). The results, with hardware
and versions, go to ``benchmarks/results``; ``--plot`` draws them with matplotlib (extra ``dev``) into ``docs``.
"""

from __future__ import annotations

import argparse
import datetime
import json
import time
from pathlib import Path
from typing import Any

import numpy as np

import phalanx as px
from phalanx import bench
from phalanx.components import ContactCount

HERE = Path(__file__).parent
BODIES = (1, 2, 4, 8, 16, 32, 64)
SCENES = {"spheres apart": ("sphere", 1), "boxes apart": ("box", 1), "boxes in stacks of 4": ("box", 4)}
"""Kind of body, and how many are in a stack."""
HALF = 0.1
DT = 1 / 120
SETTLE = 60
"""Steps before the clock runs."""


def build(scene: str, bodies: int, num_envs: int, device: str) -> px.World:
    """So many bodies per environment, at rest."""
    kind, high = SCENES[scene]
    world = px.World(num_envs=num_envs, device=device, dt=DT)
    world.add_ground()
    shape = px.Shape("sphere", (HALF,)) if kind == "sphere" else px.Shape("box", (HALF, HALF, HALF))
    for k in range(bodies):
        column, level = divmod(k, high)
        place = (0.5 * (column % 8), 0.5 * (column // 8), HALF + 2 * HALF * level)
        world.add_rigid_object(shape, f"body{k}", mass=1.0, position=place)
    return world


def measure(scene: str, bodies: int, num_envs: int, device: str, seconds: float) -> dict[str, Any]:
    """Median time of a step over five runs, and what it was spent on."""
    world = build(scene, bodies, num_envs, device)
    world.step(SETTLE)
    world.synchronize()
    begin = time.perf_counter()
    world.step(5)
    world.synchronize()
    steps = int(np.clip(seconds / 5 / ((time.perf_counter() - begin) / 5), 3, 2000))
    spent = []
    for _ in range(5):
        begin = time.perf_counter()
        world.step(steps)
        world.synchronize()
        spent.append((time.perf_counter() - begin) / steps)
    count = world[ContactCount].current
    count = count.get() if hasattr(count, "get") else count
    return {
        "scene": scene,
        "bodies": bodies,
        "contacts_per_env": float(np.mean(count)),
        "seconds_per_step": float(np.median(spent)),
        "spread": float(np.ptp(spent) / np.median(spent)),
        "steps": 5 * steps,
        "bytes_per_env": world._store.nbytes() / num_envs,
    }


def fit(cases: list[dict[str, Any]]) -> dict[str, float]:
    """Straight line through the times with two bodies or more: contacts that move one tree are solved another way."""
    used = [case for case in cases if case["bodies"] > 1]
    contacts = np.array([case["contacts_per_env"] for case in used])
    seconds = np.array([case["seconds_per_step"] for case in used])
    weight = 1.0 / seconds  # errors are in proportion to the time
    slope, start = np.polyfit(contacts, seconds, 1, w=weight)
    exponent = np.polyfit(np.log(contacts), np.log(seconds), 1)[0]
    return {"seconds_per_contact": float(slope), "seconds_without": float(start), "exponent": float(exponent)}


def run(device: str, num_envs: int, bodies: list[int], seconds: float) -> dict[str, Any]:
    """All scenes; prints a table on the way."""
    world = px.World(device=device)
    results: dict[str, Any] = {
        "benchmark": "contact_cost",
        "machine": bench.machine(),
        "device": world.device,
        "threads": px.num_threads() if world.device == "cpu" else None,
        "num_envs": num_envs,
        "dt": DT,
        "cases": [],
        "fits": {},
    }
    print(f"{'scene':<22}{'bodies':>8}{'contacts':>10}{'us a step and env':>20}{'spread':>8}")
    for scene in SCENES:
        for count in bodies:
            case = measure(scene, count, num_envs, device, seconds)
            results["cases"].append(case)
            time_us = 1e6 * case["seconds_per_step"] / num_envs
            print(
                f"{scene:<22}{count:>8}{case['contacts_per_env']:>10.1f}{time_us:>20.3f}{case['spread']:>8.0%}",
                flush=True,
            )
        if len(bodies) > 2:
            results["fits"][scene] = fit([case for case in results["cases"] if case["scene"] == scene])
    for scene, line in results["fits"].items():
        each = 1e9 * line["seconds_per_contact"] / num_envs
        print(f"{scene}: {each:.0f} ns a contact, grows with the {line['exponent']:.2f}th power of their number")
    return results


def plot(files: list[Path], target: Path) -> None:
    """One panel for each file: points, and the straight lines."""
    import matplotlib.pyplot as plt

    figure, panels = plt.subplots(1, len(files), figsize=(5.5 * len(files), 4.2), squeeze=False)
    for panel, file in zip(panels[0], files, strict=True):
        results = json.loads(file.read_text())
        scale = 1e6 / results["num_envs"]
        for scene in SCENES:
            cases = [case for case in results["cases"] if case["scene"] == scene]
            contacts = np.array([case["contacts_per_env"] for case in cases])
            dots = panel.plot(contacts, [scale * case["seconds_per_step"] for case in cases], "o", ms=4, label=scene)
            if line := results["fits"].get(scene):
                ends = np.linspace(0, contacts.max(), 2)
                values = scale * (line["seconds_without"] + line["seconds_per_contact"] * ends)
                panel.plot(ends, values, "-", lw=1, color=dots[0].get_color())
        panel.set(xlabel="contacts per environment", ylabel="µs per step and environment", xlim=0, ylim=0)
        panel.set_title(f"{results['device']}, {results['num_envs']} environments", fontsize=10)
        panel.grid(alpha=0.3)
        panel.legend(frameon=False, fontsize=8)
    figure.tight_layout()
    figure.savefig(target)
    print(f"wrote {target}")


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description="Time of a step against the number of contacts.")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--num-envs", type=int, default=256)
    parser.add_argument("--bodies", type=int, nargs="+", default=list(BODIES))
    parser.add_argument("--seconds", type=float, default=2.0, help="roughly how long to measure each case")
    parser.add_argument("--out", type=Path, help="JSON file; by default named after the date and device, in results/")
    parser.add_argument("--plot", type=Path, nargs="+", metavar="JSON", help="draw these results and measure nothing")
    parser.add_argument("--picture", type=Path, default=HERE.parent / "docs" / "contact_cost.svg")
    options = parser.parse_args()
    if options.plot:
        plot(options.plot, options.picture)
        return
    results = run(options.device, options.num_envs, options.bodies, options.seconds)
    day = datetime.datetime.now(datetime.UTC).date().isoformat()
    out = options.out or HERE / "results" / f"{day}-contact-cost-{options.device.replace(':', '')}.json"
    out.write_text(json.dumps(results, indent=1) + "\n")
    print(f"wrote {out}")


if __name__ == "__main__":
    main()
