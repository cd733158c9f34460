"""Errors and costs as text, and who is ahead at equal cost."""

from __future__ import annotations

from typing import Any


def standing(scene: dict[str, Any]) -> tuple[int, int]:
    """Of the peer's settings, how many are beaten: one of ours costs no more and errs less; and how many there are."""
    ours = [run for run in scene["runs"] if run["engine"] == "phalanx"]
    peers = [run for run in scene["runs"] if run["engine"] != "phalanx"]
    beaten = [any(our["cost"] <= run["cost"] and our["error"] < run["error"] for our in ours) for run in peers]
    return sum(beaten), len(peers)


def table(results: dict[str, Any]) -> str:
    """A block for each scene: a line for each engine, a column for each rate."""
    machine = results["machine"]
    lines = [
        f"Phalanx {machine['phalanx']} and MuJoCo {machine.get('mujoco', '?')} on {results['threads']} threads of "
        f"{machine['processor']}.",
        "Error: root of the mean square over time and bodies. Cost: processor time for a simulated second of each of "
        f"{results['environments']} environments, ms.",
    ]
    ahead = 0
    for scene in results["scenes"]:
        rates = sorted({run["rate"] for run in scene["runs"]})
        lines += ["", f"{scene['scene']}: {scene['doc']}; {scene['seconds']:g} s; truth: {scene['truth']}"]
        heads = [f"1/{rate} s" for rate in rates]
        lines.append(f"  {'error, ' + scene['unit']:<22}" + "".join(f"{head:>11}" for head in heads) + "   cost, ms")
        for name, runs in _by_engine(scene).items():
            errors = "".join(f"{run['error']:>11.2e}" for run in runs)
            costs = " ".join(f"{1e3 * run['cost']:.3g}" for run in runs)
            lines.append(f"  {name:<22}{errors}   {costs}")
        beaten, count = standing(scene)
        ahead += 2 * beaten > count
        lines.append(f"  at equal cost: ahead of {beaten} of MuJoCo's {count} settings")
    lines += ["", f"Ahead at equal cost of most settings in {ahead} of {len(results['scenes'])} scenes."]
    return "\n".join(lines)


def _by_engine(scene: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {}
    for run in sorted(scene["runs"], key=lambda run: run["rate"]):
        found.setdefault(f"{run['engine']} {run['kind']}", []).append(run)
    return dict(sorted(found.items(), key=lambda item: not item[0].startswith("phalanx")))
