"""Sweeps: what may be varied, what a trial's number is, and trials on Ray."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("fsspec", reason="fsspec is not installed (pip install 'phalanx[farm]')")

from phalanx.commands.cli import main
from phalanx.farm import FarmError, Spec, Sweep, sweep
from phalanx.farm.sweeping import changed, measured
from phalanx.farm.work import Simulation

ARM: dict[str, Any] = {
    "robot": "arm",
    "stiffness": 100.0,
    "damping": 10.0,
    "episodes": 6,
    "episodes_per_shard": 4,
    "steps": 20,
    "every": 10,
    "randomise": {"joint_pos": (-0.2, 0.2)},
    "signals": ("joint_pos",),
}
SPEC = Spec.of(ARM)


def spread(arrays: Mapping[str, np.ndarray]) -> float:
    """How far apart episodes end, rad."""
    return float(arrays["joint_pos"][:, -1].std(axis=0).mean())


@pytest.fixture(autouse=True)
def _importable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parent))


def test_entries_and_entries_of_entries_change() -> None:
    found = changed(SPEC, {"stiffness": 50.0, "world.dt": 0.002, "randomise.damping": [0.5, 2.0]})
    assert (found.stiffness, found.world) == (50.0, {"dt": 0.002})
    assert found.randomise == {"joint_pos": (-0.2, 0.2), "damping": (0.5, 2.0)}
    assert changed(SPEC, {}) == SPEC


def test_a_number_is_of_all_episodes() -> None:
    """Also of those of a second, smaller shard."""
    whole = Simulation(Spec.of({**ARM, "episodes_per_shard": 6}), "cpu").run(0)
    assert measured(SPEC, "joint_pos", "cpu") == pytest.approx(whole["joint_pos"].mean(), rel=1e-6)
    assert measured(SPEC, spread, "cpu") == spread(whole) == measured(SPEC, "test_sweeping:spread", "cpu")
    with pytest.raises(FarmError, match="measure: nan is no number"):
        measured(SPEC, lambda arrays: float("nan"), "cpu")


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({}, "over: is missing"),
        ({"over": {"stiffness": [1]}}, "measure: is missing"),
        ({"over": {}, "measure": "joint_pos"}, "over: must be entries"),
        ({"over": {"stiffness": []}, "measure": "joint_pos"}, r"over: stiffness: \[\] must be a list of values"),
        ({"over": {"stiffness": {"low": 2, "high": 1}}, "measure": "joint_pos"}, "must be a list of values, or low"),
        ({"over": {"stiffness": {"low": 0, "high": 1, "log": True}}, "measure": "x"}, "log: true, above 0"),
        ({"over": {"stiffness": [1]}, "measure": "x", "goal": "most"}, "goal: 'most' must be max or min"),
        ({"over": {"stiffness": [1]}, "measure": "x", "samples": 0}, "samples: 0 must be a whole number"),
        ({"over": {"stiffness": [1]}, "measures": "x"}, "there is no entry 'measures'; did you mean 'measure'"),
    ],
)
def test_files_that_say_what_cannot_be(said: dict[str, Any], message: str, tmp_path: Path) -> None:
    (tmp_path / "sweep.yaml").write_text(json.dumps(said))  # which is YAML, too
    with pytest.raises(FarmError, match=message):
        Sweep.read(tmp_path / "sweep.yaml")


@pytest.mark.parametrize(
    ("over", "measure", "message"),
    [
        ({"stifness": [1]}, "joint_pos", "there is no entry 'stifness'; did you mean 'stiffness'"),
        ({"stiffness": [1, -1]}, "joint_pos", "stiffness: -1 must be a number, at least 0"),
        ({"world.t": [1]}, "joint_pos", "there is no argument of world 't'"),
        ({"stiffness": [1]}, "joint_position", "there is no measure 'joint_position'; did you mean 'joint_pos'"),
        ({"stiffness": [1]}, "test_sweeping:no", "has no attribute 'no'"),
    ],
)
def test_mistakes_are_found_before_anything_starts(over: Any, measure: str, message: str) -> None:
    with pytest.raises(FarmError, match=message):
        sweep(SPEC, Sweep(over, measure))


@pytest.mark.slow
def test_trials_on_ray(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """All values of the list, with what is drawn; numbers are those of the same spec simulated here."""
    pytest.importorskip("ray.tune", reason="Ray Tune is not installed (pip install 'phalanx[sweep]')")
    pytest.importorskip("yaml", reason="pyyaml is not installed (pip install 'phalanx[farm]')")
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent))
    what = {
        "over": {"stiffness": [25.0, 400.0], "damping": {"low": 1.0, "high": 20.0, "log": True}},
        "measure": "test_sweeping:spread",
        "goal": "min",
        "samples": 2,
    }
    for name, said in (("arm", {**ARM, "signals": ["joint_pos"]}), ("sweep", what)):
        (tmp_path / f"{name}.yaml").write_text(json.dumps(said))
    out = tmp_path / "out"
    assert main(["farm", str(tmp_path / "arm.yaml"), "--out", str(out), "--sweep", str(tmp_path / "sweep.yaml")]) == 0
    found = json.loads((out / "sweep.json").read_text())
    trials = found["trials"]
    assert sorted(one["values"]["stiffness"] for one in trials) == [25.0, 25.0, 400.0, 400.0]
    assert len({one["values"]["damping"] for one in trials}) == 4
    assert all(1.0 <= one["values"]["damping"] < 20.0 and not one["error"] for one in trials)
    numbers = [one["measure"] for one in trials]
    assert numbers == sorted(numbers)
    for one in trials:
        assert one["measure"] == measured(changed(SPEC, one["values"]), spread, "cpu")
    assert found["spec"]["stiffness"] == trials[0]["values"]["stiffness"]
    assert "stiffness: " in capsys.readouterr().out
