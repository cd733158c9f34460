"""Draws committed learning curves: reward of episodes over seconds of training.

    python benchmarks/learning_curves.py    # benchmarks/results/learning/*.json into docs/pictures/learning.png

Needs matplotlib (extra ``dev``).
"""

from __future__ import annotations

import json
from pathlib import Path

HERE = Path(__file__).resolve().parent


def main() -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    runs = []
    for path in sorted((HERE / "results" / "learning").glob("*.json")):
        found = json.loads(path.read_text())  # others say what a task adds to physics
        runs += [(task, run, found["machine"].partition(",")[0]) for task, run in found.get("tasks", {}).items()]
    runs.sort(key=lambda run: (run[1]["device"], run[0]))
    columns = -(-len(runs) // 2)
    figure, rows_of_axes = plt.subplots(2, columns, figsize=(3.4 * columns, 5.6), layout="constrained")
    axes = rows_of_axes.ravel()
    for axis in axes[len(runs) :]:
        axis.remove()
    for axis, (task, run, machine) in zip(axes, runs, strict=False):
        rows = [row for row in run["curve"] if "reward" in row]
        axis.plot([row["seconds"] for row in rows], [row["reward"] for row in rows], color="#30639c")
        axis.set(
            title=f"{task.removeprefix('Isaac-').removesuffix('-v0')}\n{machine}, {run['num_envs']} environments",
            xlabel="seconds",
            xlim=(0, None),
        )
        axis.title.set_fontsize(9)
        axis.grid(alpha=0.3)
    for row in rows_of_axes:
        row[0].set_ylabel("reward of an episode")
    figure.savefig(HERE.parent / "docs" / "pictures" / "learning.png", dpi=110)


if __name__ == "__main__":
    main()
