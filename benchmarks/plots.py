"""How speed scales with environments, dofs and contacts, drawn from committed results.

    python benchmarks/plots.py                    # the newest results of each device, into docs/
    python benchmarks/plots.py FILE.json ... --out docs

Figures come from ``phalanx bench`` (all its scenes for environments, the family ``chains`` for dofs, ``spheres`` for
contacts) and, where there are none of those yet, from ``contact_cost.py``. Peers are drawn dashed. Needs matplotlib
(extra ``dev``).
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
FAMILIES = {"chain": "dofs", "spheres": "contacts"}


@dataclass(frozen=True)
class Point:
    """One engine on one scene at one size."""

    machine: str
    scene: str
    engine: str
    num_envs: int
    rate: float
    dofs: float | None
    contacts: float | None
    first_version: bool = False
    """From a file of the first version, whose scenes were others of the same names."""


def read(path: Path) -> list[Point]:
    """The figures of a file, of whatever kind it is."""
    results = json.loads(path.read_text())
    if results.get("benchmark") == "contact_cost":
        return _contact_cost(results)
    points = []
    for case in results["cases"]:
        if "phalanx" in case:
            for run in (case["phalanx"], *case["peers"]):
                points.append(_point(results, case["device"], case["scene"], run["engine"], run))
        elif "env_steps_per_second" in case:  # files of the first version
            runs = {"phalanx": case, **{name: {**case, **run} for name, run in case["peers"].items()}}
            for name, run in runs.items():
                point = _point(results, case["device"], case["name"], name, run)
                points.append(replace(point, first_version=True))
    return points


def _point(results: dict[str, Any], device: str, scene: str, engine: str, run: dict[str, Any]) -> Point:
    contacts = run.get("contacts_per_env")
    rate = run["env_steps_per_second"]
    return Point(_machine(results, device), scene, engine, run["num_envs"], rate, run.get("dofs"), contacts)


def _machine(results: dict[str, Any], device: str) -> str:
    machine = results["machine"]
    if device != "cpu":
        return str(machine["gpu"])
    return f"{machine['processors']} cores of {machine['processor']}"


def _contact_cost(results: dict[str, Any]) -> list[Point]:
    machine, count = _machine(results, results["device"]), results["num_envs"]
    return [
        Point(
            machine,
            case["scene"],
            "phalanx",
            count,
            count / case["seconds_per_step"],
            6.0 * case["bodies"],
            case["contacts_per_env"],
        )
        for case in results["cases"]
    ]


def newest(paths: Iterable[Path]) -> list[Point]:
    """All points, those of later files (by name) instead of earlier ones of the same machine, scene, engine, size; none
    of files of the first version where a machine has others.
    """
    found: dict[tuple[Any, ...], Point] = {}
    for path in sorted(paths):
        for point in read(path):
            of_family = point.contacts if " " in point.scene else None  # contact_cost.py: one name for many
            found[point.machine, point.scene, point.engine, point.num_envs, of_family] = point
    renewed = {p.machine for p in found.values() if not p.first_version and family(p) == ""}
    return [p for p in found.values() if not (p.first_version and p.machine in renewed)]


def family(point: Point) -> str:
    """``"dofs"`` or ``"contacts"`` for scenes that differ in those, else ``""``."""
    head, _, tail = point.scene.rpartition("_")
    if tail.isdigit() and head in FAMILIES:
        return FAMILIES[head]
    return "contacts" if " " in point.scene else ""


def line_of(point: Point, axis: str) -> tuple[str, str]:
    """Which line a point is on: label and engine."""
    if axis == "environments":
        return point.scene, point.engine
    name = point.scene if " " in point.scene else {"dofs": "chains", "contacts": "spheres apart"}[axis]
    return f"{name}, {point.num_envs} environments", point.engine


def draw(points: list[Point], axis: str, target: Path) -> bool:
    """One panel for each machine; whether there was anything to draw."""
    import matplotlib

    matplotlib.use("agg")
    import matplotlib.pyplot as plt
    from matplotlib.ticker import ScalarFormatter

    chosen = [point for point in points if family(point) == ("" if axis == "environments" else axis)]
    machines = list(dict.fromkeys(point.machine for point in chosen))
    if not machines:
        return False
    figure, panels = plt.subplots(1, len(machines), figsize=(5.6 * len(machines), 4.4), squeeze=False)
    for panel, machine in zip(panels[0], machines, strict=True):
        lines: dict[tuple[str, str], list[tuple[float, float]]] = {}
        for point in chosen:
            place = {"environments": point.num_envs, "dofs": point.dofs, "contacts": point.contacts}[axis]
            if point.machine == machine and place:
                lines.setdefault(line_of(point, axis), []).append((float(place), point.rate))
        colours = {label: f"C{n % 10}" for n, label in enumerate(dict.fromkeys(label for label, _ in lines))}
        for (label, engine), values in lines.items():
            x, y = zip(*sorted(values), strict=True)
            ours = engine == "phalanx"
            text = label if ours else f"{label}, {engine}"
            panel.plot(x, y, "o-" if ours else "s--", ms=4 if ours else 3, lw=1.4 if ours else 1,
                       color=colours[label], label=text)  # fmt: skip
        panel.set(yscale="log", xlabel=axis if axis == "environments" else f"{axis} per environment")
        panel.set_xscale("log", base=2)
        panel.xaxis.set_major_formatter(ScalarFormatter())
        panel.set_ylabel("environment-steps per second")
        panel.set_title(machine, fontsize=10)
        panel.grid(alpha=0.3, which="both", lw=0.5)
        panel.legend(frameon=False, fontsize=7)
    figure.tight_layout()
    figure.savefig(target, dpi=110)
    plt.close(figure)
    return True


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description="Draw how speed scales, from committed results.")
    parser.add_argument("files", type=Path, nargs="*", help="results; by default all in benchmarks/results")
    parser.add_argument("--out", type=Path, default=HERE.parent / "docs", help="folder for the pictures")
    options = parser.parse_args()
    points = newest(options.files or (HERE / "results").glob("*.json"))
    for axis in ("environments", "dofs", "contacts"):
        target = options.out / f"scaling_{axis}.png"
        print(f"wrote {target}" if draw(points, axis, target) else f"no results to draw speed against {axis} from yet")


if __name__ == "__main__":
    main()
