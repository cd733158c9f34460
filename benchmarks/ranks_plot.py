"""How stepping and training scale over GPUs, drawn from what ``benchmarks.ranks`` kept.

    python benchmarks/ranks_plot.py benchmarks/results/2026-11-28-ranks-2-h200.json docs/scaling_gpus.png

Above: environment-steps per second as a share of the same on one GPU times the number of GPUs. Below: where the
seconds of a round of training go. Needs matplotlib (extra ``dev``).
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

PARTS = {"simulates": "#0072B2", "learns": "#E69F00", "gradients": "#D55E00"}
"""Of a round of training, with their colours (Okabe and Ito). Gradients are sent while it learns."""


def shares(cases: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Of each case on several GPUs: task, kind, environments, GPUs, and what stepping and training reach of linear.

    Weak scaling compares with one GPU that has as many environments as each has, strong with one that has all of them.
    """
    found = []
    for case in cases:
        if case["ranks"] == 1:
            continue
        of = "envs" if case["kind"] == "weak" else "envs_in_all"
        one = next(
            (
                c
                for c in cases
                if c["ranks"] == 1 and all(c[k] == case[k] for k in ("task", "kind")) and c[of] == case[of]
            ),
            None,
        )
        if one is None:
            continue
        share = {
            name: case[f"{name}_steps_per_second"] / (case["ranks"] * one[f"{name}_steps_per_second"])
            for name in ("stepping", "training")
            if case.get(f"{name}_steps_per_second") and one.get(f"{name}_steps_per_second")
        }
        found.append({"case": case, "one": one, **share})
    return found


def label(case: dict[str, Any]) -> str:
    """A case as the axis names it."""
    many = f"{case['envs']:,} each" if case["kind"] == "weak" else f"{case['envs_in_all']:,} in all"
    return f"{case['task'].replace('quadruped-', '')}\n{many}\n{case['ranks']} GPUs"


def draw(results: dict[str, Any], target: Path) -> None:
    """Both panels, and the hardware below."""
    import matplotlib

    matplotlib.use("agg")
    import matplotlib.pyplot as plt

    found = shares(results["cases"])
    figure, (above, below) = plt.subplots(2, 1, figsize=(7.0, 6.4), layout="constrained", sharex=True)
    for number, each in enumerate(found):
        for side, (name, colour) in enumerate((("stepping", "#009E73"), ("training", "#CC79A7"))):
            if name in each:
                place = number + (side - 0.5) * 0.36
                above.bar(place, 100 * each[name], 0.34, color=colour, label=name if number == 0 else None)
                above.annotate(
                    f"{100 * each[name]:.0f}", (place, 100 * each[name]), ha="center", va="bottom", fontsize=8
                )
        for side, case in enumerate((each["one"], each["case"])):
            bottom, place = 0.0, number + (side - 0.5) * 0.36
            seconds = {name: 1e3 * case["round_seconds"][name] for name in PARTS}
            seconds["learns"] -= seconds["gradients"]
            for name, colour in PARTS.items():
                below.bar(
                    place, seconds[name], 0.34, bottom=bottom, color=colour, label=name if number == side == 0 else None
                )
                bottom += seconds[name]
            below.annotate(
                "1" if side == 0 else str(case["ranks"]), (place, bottom), ha="center", va="bottom", fontsize=8
            )
    above.axhline(100, color="0.6", lw=1, ls=":")
    above.set(ylabel="share of linear [%]", ylim=(0, 118))
    below.set(ylabel="a round of training [ms]")
    below.margins(y=0.1)
    below.set_xticks(range(len(found)), [label(each["case"]) for each in found], fontsize=8)
    for panel in (above, below):
        panel.spines[["top", "right"]].set_visible(False)
        panel.grid(alpha=0.3, axis="y")
        panel.legend(frameon=False, fontsize=8, ncols=3, loc="upper left")
    machine = results["machine"]
    said = (
        f"{results['gpus']} {machine['gpu']} of one host, Phalanx {machine['phalanx']}, CuPy {machine['cupy-cuda13x']}"
    )
    figure.supxlabel(said, fontsize=7.5, x=0.01, ha="left")
    figure.savefig(target, dpi=150)
    plt.close(figure)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description="Draw how stepping and training scale over GPUs.")
    parser.add_argument("file", type=Path, help="what benchmarks.ranks --json wrote")
    parser.add_argument("target", type=Path, help="the picture")
    options = parser.parse_args()
    draw(json.loads(options.file.read_text()), options.target)
    print(f"wrote {options.target}")


if __name__ == "__main__":
    main()
