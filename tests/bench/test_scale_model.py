"""The model of what many GPUs and workers do: its parts against known results."""

from __future__ import annotations

import importlib.util
import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

PATH = Path(__file__).parents[2] / "benchmarks" / "scale_model.py"
SPEC = importlib.util.spec_from_file_location("scale_model", PATH)
assert SPEC is not None and SPEC.loader is not None
model: Any = importlib.util.module_from_spec(SPEC)
__import__("sys").modules["scale_model"] = model
SPEC.loader.exec_module(model)


@pytest.mark.parametrize(
    ("count", "expected"),
    [(1, 0.0), (2, 1 / math.sqrt(math.pi)), (3, 1.5 / math.sqrt(math.pi)), (10, 1.538753), (1000, 3.241436)],
)
def test_the_largest_of_normal_numbers(count: int, expected: float) -> None:
    """Order statistics as tables have them (David and Nagaraja, 2003)."""
    assert model.largest_of(count) == pytest.approx(expected, abs=1e-5)


def test_one_gpu_is_what_was_measured() -> None:
    found = model.measured()
    curve = json.loads(model.RESULTS.read_text())[model.TASK]["curve"][10:]
    rates = sorted(row["steps_per_second"] for row in curve)
    assert found.rate(1) == pytest.approx(rates[len(rates) // 2], rel=0.02)
    assert all(found.rate(n) < n * found.rate(1) for n in (2, 8, 64, 1000))


def test_measured_ranks_correct_the_latency(tmp_path: Path) -> None:
    """A file as the benchmark writes it, made with a known latency, gives that latency back."""
    true = replace(model.measured(), local=50e-6)
    cases = []
    for ranks in (1, 2, 8):
        parts = true.parts(ranks)
        seconds = {"simulates": parts["simulates"], "learns": sum(parts.values()) - parts["simulates"]}
        cases.append({"kind": "weak", "task": model.TASK, "envs": model.ENVS, "ranks": ranks, "round_seconds": seconds})
    path = tmp_path / "ranks.json"
    path.write_text(json.dumps({"cases": cases}))
    assert model.corrected(model.measured(), path).local == pytest.approx(50e-6, rel=1e-6)


def test_a_farm_without_failures_is_bounded_by_each_of_its_parts() -> None:
    farm = model.Farm(1e6, sample_bytes=1e-9, mtbf=1e12)
    assert farm.limits(10)["workers"] == pytest.approx(1e7, rel=1e-3)
    assert farm.limits(10)["commits"] == pytest.approx(1e6 * 60.0 / 0.05)
    failing = model.Farm(1e6, sample_bytes=1e-9, shard_seconds=300.0).limits(1)["workers"]
    assert failing == pytest.approx(1e6 * 300.0 / ((3600.0 + 120.0) * math.expm1(300.0 / 3600.0)))
