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

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8A6D3B", "#000000")
"""Of lines: those of Okabe and Ito, which colour-blind readers can tell apart, a brown instead of the yellow."""


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
    day: str = ""
    """When it was measured, as the file's name has it."""
    version: str = ""
    """The engine with its version and, for Phalanx, precision; for captions."""


def read(path: Path) -> list[Point]:
    """The figures of a file, of whatever kind it is."""
    results = json.loads(path.read_text())
    day = path.name[:10] if path.name[:4].isdigit() and path.name[4:5] == "-" else ""
    return [replace(p, day=day, version=_version(results, p.engine)) for p in _points(results)]


def _points(results: dict[str, Any]) -> list[Point]:
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


def _version(results: dict[str, Any], engine: str) -> str:
    """An engine as a caption names it."""
    machine = results["machine"]
    if engine == "phalanx":
        return " ".join(["Phalanx", machine.get("phalanx", ""), results.get("dtype", "")]).strip()
    package = {"mujoco.rollout": "mujoco", "mujoco_warp": "mujoco-warp"}.get(engine, engine)
    return f"{engine} {machine.get(package, '')}".strip()


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
    """One panel for each machine, and a caption that says what was measured on which hardware when; whether there was
    anything to draw. Scenes of which Phalanx has one size only say nothing about scaling and are left out.
    """
    plt = _pyplot()
    places = {"environments": lambda p: p.num_envs, "dofs": lambda p: p.dofs, "contacts": lambda p: p.contacts}
    chosen = [p for p in points if family(p)[0] == ("" if axis == "environments" else axis) and places[axis](p)]
    lines: dict[str, dict[str, dict[str, list[Point]]]] = {}  # by machine, label and engine
    for point in chosen:
        label, engine = line_of(point)
        lines.setdefault(point.machine, {}).setdefault(label, {}).setdefault(engine, []).append(point)
    for machine in list(lines):
        lines[machine] = {
            k: v for k, v in lines[machine].items() if len({places[axis](p) for p in v.get("phalanx", ())}) > 1
        }
        if not lines[machine]:
            del lines[machine]
    if not lines:
        return False

    width = 4.6 * len(lines)
    figure, panels = plt.subplots(1, len(lines), figsize=(max(width, 6.4), 5.2), squeeze=False, layout="constrained")
    labels = list(dict.fromkeys(label for by_label in lines.values() for label in by_label))
    colours = {label: COLOURS[n % len(COLOURS)] for n, label in enumerate(labels)}
    for panel, (machine, by_label) in zip(panels[0], lines.items(), strict=True):
        for label, engines in by_label.items():
            for engine, values in engines.items():
                x, y = zip(*sorted((float(places[axis](p) or 0.0), p.rate) for p in values), strict=True)
                ours = engine == "phalanx"
                panel.plot(
                    x, y, "o-" if ours else "s--", ms=5, lw=1.6 if ours else 1.0, color=colours[label],
                    mfc=colours[label] if ours else "white", label=label if ours else f"{label}, {engine}",
                )  # fmt: skip
        _guide(panel, 1.0 if axis == "environments" else -1.0)
        _log_axes(panel)
        panel.set_xlabel("environments in the world" if axis == "environments" else f"{axis} per environment")
        panel.set_title(machine, fontsize=10)
        panel.legend(frameon=False, fontsize=7.5, ncols=2, loc="upper center", bbox_to_anchor=(0.5, -0.13))
    panels[0][0].set_ylabel("environment-steps per second")
    used = [p for by in lines.values() for engines in by.values() for values in engines.values() for p in values]
    figure.supxlabel(_caption(used), fontsize=7.5, x=0.01, ha="left")
    figure.savefig(target, dpi=150, metadata=_metadata(target))
    plt.close(figure)
    return True


def _guide(panel: Any, power: float) -> None:
    """A grey line through the middle of what is drawn: rates that grow with this power."""
    drawn = [line.get_xydata() for line in panel.lines]
    x, y = np.concatenate(drawn).T
    ends = np.array([x.min(), x.max()])
    middle = np.exp(np.log([x, y]).mean(axis=1))
    low, high = y.min() / 1.6, y.max() * 1.6
    guide = middle[1] * (ends / middle[0]) ** power
    panel.plot(ends, guide, ":", color="0.6", lw=1.2, zorder=0,
               label="in proportion" if power > 0 else "in inverse proportion")  # fmt: skip
    panel.set_ylim(low, high)


def _log_axes(panel: Any) -> None:
    """Powers of two below, whole numbers written out, and powers of ten beside."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    panel.set(yscale="log")
    panel.set_xscale("log", base=2)
    panel.xaxis.set_major_locator(LogLocator(base=2, numticks=9))
    panel.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:,.0f}" if x >= 1 else f"{x:g}"))
    panel.yaxis.set_minor_formatter(NullFormatter())
    panel.tick_params(labelsize=8)
    panel.grid(alpha=0.35, which="major", lw=0.6)
    panel.grid(alpha=0.15, which="minor", lw=0.4)
    panel.spines[["top", "right"]].set_visible(False)


def _caption(points: list[Point]) -> str:
    """Hardware, days and versions, a line for each machine."""
    lines = []
    for machine in dict.fromkeys(point.machine for point in points):
        here = [point for point in points if point.machine == machine]
        days = ", ".join(sorted({point.day for point in here if point.day}))
        engines = ", ".join(dict.fromkeys(point.version or point.engine for point in here))
        lines.append(f"{machine}{f', measured {days}' if days else ''}: {engines}.")
    return "\n".join(lines)


def _metadata(target: Path) -> dict[str, None]:
    """The same picture from the same figures: no date in it."""
    return {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}.get(target.suffix, {})


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
    shape = (max(4.6 * len(lines), 6.4), 4.4)
    figure, panels = plt.subplots(1, len(lines), figsize=shape, squeeze=False, layout="constrained")
    colours = {called: COLOURS[n] for n, called in enumerate(called for _, called in FAMILIES.values())}
    for panel, ((machine, count), scenes) in zip(panels[0], lines.items(), strict=True):
        for called, cases in scenes.items():
            contacts = [point.contacts or 0.0 for point in cases]
            dots = panel.plot(
                contacts, [1e6 / point.rate for point in cases], "o", ms=5, label=called, color=colours[called]
            )
            # contacts that move one tree are solved another way
            several = [point for point in cases if (point.dofs or 0.0) > 6.0]
            if len(several) > 2:
                without, each, power = fit(several)
                ends = np.array([0.0, max(contacts)])
                panel.plot(ends, 1e6 * (without + each * ends), "-", lw=1, color=dots[0].get_color())
                said.append(f"{machine}, {count}: {called}: {1e9 * each:.0f} ns a contact, power {power:.2f}")
        panel.set(xlabel="contacts per environment", xlim=0, ylim=0)
        panel.spines[["top", "right"]].set_visible(False)
        panel.set_title(f"{machine}, {count} environments", fontsize=10)
        panel.grid(alpha=0.3)
        panel.legend(frameon=False, fontsize=8)
    panels[0][0].set_ylabel("time of a step per environment [µs]")
    used = [point for scenes in lines.values() for cases in scenes.values() for point in cases]
    figure.supxlabel(_caption(used), fontsize=7.5, x=0.01, ha="left")
    figure.savefig(target, metadata=_metadata(target))
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
    parser.add_argument("--format", choices=("png", "pdf", "svg"), help="of all pictures (pdf and svg are for print)")
    options = parser.parse_args()
    points = newest(options.files or (HERE / "results").glob("*.json"))
    for axis in ("environments", "dofs", "contacts"):
        target = options.out / f"scaling_{axis}.{options.format or 'png'}"
        print(f"wrote {target}" if draw(points, axis, target) else f"no results to draw speed against {axis} from yet")
    target = options.out / f"contact_cost.{options.format or 'svg'}"
    said = draw_costs(points, target)
    print("\n".join([f"wrote {target}", *said]) if said else "no results to draw the cost of contacts from yet")


if __name__ == "__main__":
    main()
