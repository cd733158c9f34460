"""Error over time and error against cost, drawn from a file of ``phalanx bench --truth --json FILE``.

    python benchmarks/truth_plots.py                     # the newest committed results, into docs/
    python benchmarks/truth_plots.py FILE.json --out docs

Needs matplotlib (extra ``dev``).
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).resolve().parent
COLORS = {
    "phalanx float32": "#c8553d",
    "phalanx float64": "#f0a868",
    "mujoco Euler": "#1f3b57",
    "mujoco implicitfast": "#4f7cac",
    "mujoco RK4": "#8fb8de",
}
LEAST = 1e-9
"""Errors below this are drawn as this, m or rad."""


def newest() -> Path:
    """The newest committed results.

    Raises:
        FileNotFoundError: there are none.
    """
    found = sorted((HERE / "results").glob("*-truth-*.json"))
    if not found:
        raise FileNotFoundError(
            f"no *-truth-*.json in {HERE / 'results'}; phalanx bench --truth --json FILE writes one"
        )
    return found[-1]


def draw(results: dict[str, Any], path: Path, rate: int = 240) -> None:
    """A row for each scene: error over time at one step length, and error against cost at all."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    scenes = results["scenes"]
    figure, axes = plt.subplots(len(scenes), 2, figsize=(11, 2.6 * len(scenes)), layout="constrained", squeeze=False)
    for (left, right), scene in zip(axes, scenes, strict=True):
        for name, color in COLORS.items():
            engine, _, kind = name.partition(" ")
            runs = [run for run in scene["runs"] if (run["engine"], run["kind"]) == (engine, kind)]
            runs.sort(key=lambda run: run["rate"])
            for run in runs:
                if run["rate"] == rate:
                    left.plot(scene["times"], np.maximum(run["errors"], LEAST), color=color, label=name)
            costs, errors = [1e3 * run["cost"] for run in runs], [max(run["error"], LEAST) for run in runs]
            right.plot(costs, errors, "o-", color=color, label=name, markersize=4)
        left.set(yscale="log", ylabel=f"{scene['scene']}\nerror, {scene['unit']}")
        right.set(yscale="log", xscale="log")
        for ax in (left, right):
            ax.grid(alpha=0.25, which="major")
    axes[0, 0].set_title(f"error over time, dt = 1/{rate} s")
    axes[0, 1].set_title("error against cost, dt from 1/1000 to 1/60 s")
    axes[-1, 0].set_xlabel("simulated time, s")
    axes[-1, 1].set_xlabel("processor time for a simulated second of an environment, ms")
    axes[0, 0].legend(fontsize=7, ncols=2)
    figure.savefig(path, dpi=110)
    plt.close(figure)


def main() -> None:
    """Read results, draw ``truth.png``."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", nargs="?", type=Path, help="the newest committed results by default")
    parser.add_argument("--out", type=Path, default=HERE.parent / "docs", help="folder of the picture")
    options = parser.parse_args()
    path = options.out / "truth.png"
    draw(json.loads((options.file or newest()).read_text()), path)
    print(path)


if __name__ == "__main__":
    main()
