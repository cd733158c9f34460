"""The script that draws how stepping and training scale over GPUs."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest

from phalanx import bench

ROOT = Path(bench.__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def plot():
    spec = importlib.util.spec_from_file_location("ranks_plot", ROOT / "benchmarks" / "ranks_plot.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def case(kind, ranks, envs, stepping, training):
    return {
        "task": "quadruped-flat",
        "kind": kind,
        "ranks": ranks,
        "envs": envs,
        "envs_in_all": envs * ranks,
        "stepping_steps_per_second": stepping,
        "training_steps_per_second": training,
    }


def test_shares_compare_with_as_many_environments(plot):
    cases = [
        case("weak", 1, 4096, 100.0, 50.0),
        case("weak", 2, 4096, 190.0, 75.0),
        case("strong", 1, 8192, 120.0, None),
        case("strong", 2, 4096, 180.0, 90.0),
        case("strong", 2, 1024, 180.0, 90.0),  # nothing to compare it with
    ]
    weak, strong = plot.shares(cases)
    assert (weak["stepping"], weak["training"]) == (0.95, 0.75)
    assert strong["stepping"] == 0.75 and "training" not in strong


def test_committed_results_are_drawn(plot, tmp_path):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed (pip install 'phalanx[dev]')")
    results = json.loads((ROOT / "benchmarks" / "results" / "2026-11-28-ranks-2-h200.json").read_text())
    plot.draw(results, tmp_path / "gpus.png")
    assert (tmp_path / "gpus.png").stat().st_size > 10_000
