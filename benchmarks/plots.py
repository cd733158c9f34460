"""How speed scales with environments, dofs and contacts, and what a contact costs, drawn from committed results.

    python benchmarks/plots.py                    # the newest results of each device, into docs/
    python benchmarks/plots.py FILE.json ... --out docs

Figures come from ``phalanx bench``: all its scenes for environments, the family ``chains`` for dofs, the families
``spheres``, ``boxes_apart`` and ``stacks`` for contacts. Files with ``"benchmark": "contact_cost"`` have the scenes of
these last, timed with the default contact offset at dt 1/120. Peers are drawn dashed. Needs matplotlib (extra ``dev``).
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).resolve().parent
FAMILIES = {
    "chain": ("dofs", "chains"),
    "spheres": ("contacts", "spheres apart"),
    "boxes_apart": ("contacts", "boxes apart"),
    "stacks": ("contacts", "boxes in stacks of 4"),
}
"""By what a scene's name has before its number: what its family differs in, and what a line of it is called."""


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
    for case in results.get("cases", ()):  # other files have no scenes at speed
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
    names = {called: head for head, (_, called) in FAMILIES.items()}
    return [
        Point(
            machine,
            f"{names[case['scene']]}_{case['bodies']}",
            "phalanx",
            count,
            count / case["seconds_per_step"],
            6.0 * case["bodies"],
            case["contacts_per_env"],
        )
        for case in results["cases"]
    ]


def newest(paths: Iterable[Path]) -> list[Point]:
    """All points; each line of a machine from the latest file (by name) that has any of it, since versions on one line
    would show what is none of its sizes' doing; none of files of the first version where a machine has others.
    """
    found: dict[tuple[Any, ...], list[Point]] = {}
    for path in sorted(paths):
        lines: dict[tuple[Any, ...], list[Point]] = {}
        for point in read(path):
            lines.setdefault((point.machine, line_of(point)), []).append(point)
        found |= lines
    points = [point for line in found.values() for point in line]
    renewed = {p.machine for p in points if not p.first_version and not family(p)[0]}
    return [p for p in points if not (p.first_version and p.machine in renewed)]


def family(point: Point) -> tuple[str, str]:
    """What the scenes of a point's family differ in, ``"dofs"`` or ``"contacts"``, and its name; else empty."""
    head, _, tail = point.scene.rpartition("_")
    return FAMILIES.get(head, ("", "")) if tail.isdigit() else ("", "")


def line_of(point: Point) -> tuple[str, str]:
    """Which line a point is on: label and engine."""
    _, called = family(point)
    return f"{called}, {point.num_envs} environments" if called else point.scene, point.engine


def fit(points: list[Point]) -> tuple[float, float, float]:
    """Straight line of time over contacts: seconds a step and environment without, for each more, and the power by
    which they grow. Errors count in proportion to the time.
    """
    contacts = np.array([point.contacts for point in points])
    seconds = np.array([1.0 / point.rate for point in points])
    each, without = np.polyfit(contacts, seconds, 1, w=1.0 / seconds)
    return float(without), float(each), float(np.polyfit(np.log(contacts), np.log(seconds), 1)[0])


def draw(points: list[Point], axis: str, target: Path) -> bool:
    """One panel for each machine; whether there was anything to draw."""
    plt = _pyplot()
    from matplotlib.ticker import FuncFormatter

    chosen = [point for point in points if family(point)[0] == ("" if axis == "environments" else axis)]
    machines = list(dict.fromkeys(point.machine for point in chosen))
    if not machines:
        return False
    figure, panels = plt.subplots(1, len(machines), figsize=(5.6 * len(machines), 4.4), squeeze=False)
    for panel, machine in zip(panels[0], machines, strict=True):
        lines: dict[tuple[str, str], list[tuple[float, float]]] = {}
        for point in chosen:
            place = {"environments": point.num_envs, "dofs": point.dofs, "contacts": point.contacts}[axis]
            if point.machine == machine and place:
                lines.setdefault(line_of(point), []).append((float(place), point.rate))
        colours = {label: f"C{n % 10}" for n, label in enumerate(dict.fromkeys(label for label, _ in lines))}
        for (label, engine), values in lines.items():
            x, y = zip(*sorted(values), strict=True)
            ours = engine == "phalanx"
            text = label if ours else f"{label}, {engine}"
            panel.plot(x, y, "o-" if ours else "s--", ms=4 if ours else 3, lw=1.4 if ours else 1,
                       color=colours[label], label=text)  # fmt: skip
        panel.set(yscale="log", xlabel=axis if axis == "environments" else f"{axis} per environment")
        panel.set_xscale("log", base=2)
        panel.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
        panel.set_ylabel("environment-steps per second")
        panel.set_title(machine, fontsize=10)
        panel.grid(alpha=0.3, which="both", lw=0.5)
        panel.legend(frameon=False, fontsize=7)
    figure.tight_layout()
    figure.savefig(target, dpi=110)
    plt.close(figure)
    return True


def draw_costs(points: list[Point], target: Path) -> list[str]:
    """Our times over contacts with straight lines, a panel for each machine and number of environments; what the lines
    say, in words, or nothing if there was nothing to draw.
    """
    lines: dict[tuple[str, int], dict[str, list[Point]]] = {}
    for point in points:
        kind, called = family(point)
        if kind == "contacts" and point.contacts and point.engine == "phalanx":
            lines.setdefault((point.machine, point.num_envs), {}).setdefault(called, []).append(point)
    if not lines:
        return []
    plt, said = _pyplot(), []
    figure, panels = plt.subplots(1, len(lines), figsize=(5.5 * len(lines), 4.2), squeeze=False)
    for panel, ((machine, count), scenes) in zip(panels[0], lines.items(), strict=True):
        for called, cases in scenes.items():
            contacts = [point.contacts or 0.0 for point in cases]
            dots = panel.plot(contacts, [1e6 / point.rate for point in cases], "o", ms=4, label=called)
            # contacts that move one tree are solved another way
            several = [point for point in cases if (point.dofs or 0.0) > 6.0]
            if len(several) > 2:
                without, each, power = fit(several)
                ends = np.array([0.0, max(contacts)])
                panel.plot(ends, 1e6 * (without + each * ends), "-", lw=1, color=dots[0].get_color())
                said.append(f"{machine}, {count}: {called}: {1e9 * each:.0f} ns a contact, power {power:.2f}")
        panel.set(xlabel="contacts per environment", ylabel="µs per step and environment", xlim=0, ylim=0)
        panel.set_title(f"{machine}, {count} environments", fontsize=10)
        panel.grid(alpha=0.3)
        panel.legend(frameon=False, fontsize=8)
    figure.tight_layout()
    figure.savefig(target, metadata={"Date": None})  # the same picture from the same figures
    plt.close(figure)
    return said


def _pyplot() -> Any:
    import matplotlib

    matplotlib.use("agg")
    matplotlib.rcParams["svg.hashsalt"] = "phalanx"
    import matplotlib.pyplot as plt

    return plt


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
    target = options.out / "contact_cost.svg"
    said = draw_costs(points, target)
    print("\n".join([f"wrote {target}", *said]) if said else "no results to draw the cost of contacts from yet")


if __name__ == "__main__":
    main()
