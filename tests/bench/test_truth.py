"""``phalanx bench --truth``: what the scenes say is true is so, and tables and pictures are made of it."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from phalanx.bench import truth
from phalanx.bench.truth import ours
from phalanx.commands.cli import main

FOLDER = Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.fixture(scope="module")
def plots() -> ModuleType:
    spec = importlib.util.spec_from_file_location("truth_plots", FOLDER / "truth_plots.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", ["tumbling_body", "sliding_box", "rolling_ball"])
def test_errors_shrink_with_the_step(name):
    """Formulas and engine are derived apart: if they meet as steps get short, both are right."""
    scene = truth.SCENES[name]
    assert scene.truth is not None
    known = scene.truth(scene.times)
    errors = [np.max(scene.errors(ours.poses(scene, rate, "float64"), known)) for rate in (60, 240, 1000)]
    assert errors[0] > errors[1] > errors[2]
    assert errors[2] < 2e-3


def test_results_table_and_picture(tmp_path, capsys, plots):
    pytest.importorskip("mujoco.rollout", reason="mujoco is not installed")
    path = tmp_path / "truth.json"
    rates = (60, 240)
    results = truth.run(["sliding_box"], path, rates=rates, envs=2)
    printed = capsys.readouterr().out
    assert json.loads(path.read_text()) == results
    (scene,) = results["scenes"]
    assert {(run["engine"], run["kind"], run["rate"]) for run in scene["runs"]} == {
        (engine, kind, rate)
        for engine, kinds in (("phalanx", ("float32", "float64")), ("mujoco", ("Euler", "implicitfast", "RK4")))
        for kind in kinds
        for rate in rates
    }
    assert all(run["cost"] > 0 and np.isfinite(run["errors"]).all() for run in scene["runs"])
    assert "sliding_box" in printed and "at equal cost" in printed
    plots.draw(results, tmp_path / "truth.png")
    assert (tmp_path / "truth.png").read_bytes().startswith(b"\x89PNG")


def run_of(engine: str, cost: float, error: float) -> dict[str, float | str]:
    return {"engine": engine, "cost": cost, "error": error}


def test_who_is_ahead():
    """A setting of the peer is beaten by one of ours that costs no more and errs less."""
    ours_ = [run_of("phalanx", 1.0, 0.1), run_of("phalanx", 2.0, 0.01)]
    peers = [run_of("mujoco", 0.5, 0.2), run_of("mujoco", 1.5, 0.2), run_of("mujoco", 3.0, 0.005)]
    assert truth.standing({"runs": ours_ + peers}) == (1, 3)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["pendulum"], "no scene of known motion named pendulum"),
        (["--device", "cuda:0"], "takes no --device"),
        (["--steps", "3"], "takes no --steps"),
        (["--num-envs", "1", "2"], "one number of environments"),
    ],
)
def test_mistakes(arguments, says, capsys):
    assert main(["bench", "--truth", *arguments]) == 2
    assert says in capsys.readouterr().err


def test_list(capsys):
    assert main(["bench", "--truth", "--list"]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == list(truth.SCENES)
