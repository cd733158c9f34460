"""Specs: what they may say, and the sentence that follows if they say something else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from phalanx.farm import FarmError, Spec

ARM = {"robot": "arm", "stiffness": 100.0, "damping": 10.0}


def test_episodes_are_cut_into_shards() -> None:
    spec = Spec.of({**ARM, "episodes": 10, "episodes_per_shard": 4, "steps": 10, "every": 4})
    assert [list(spec.episodes_of(n)) for n in range(spec.shards)] == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]
    assert spec.samples == [4, 8]


def test_what_is_described_is_the_same_spec(tmp_path: Path) -> None:
    pytest.importorskip("yaml", reason="pyyaml is not installed (pip install 'phalanx[farm]')")
    path = tmp_path / "spec.yaml"
    path.write_text("robot: arm\nrandomise:\n  joint_pos: [-0.1, 0.2]\nsignals: [root_pose]\nworld:\n  dt: 0.002\n")
    spec = Spec.read(path)
    assert spec.randomise == {"joint_pos": (-0.1, 0.2)}
    assert Spec.of(spec.describe()) == spec
    assert Spec.of(spec.describe()).digest == spec.digest != Spec.of(ARM).digest


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"robots": "arm"}, "there is no entry 'robots'; did you mean 'robot'"),
        ({}, "robot, build, task: give one of them"),
        ({**ARM, "build": "a:b"}, "robot, build, task: give one of them"),
        ({**ARM, "episodes": 0}, "episodes: 0 must be a whole number, at least 1"),
        ({**ARM, "steps": 1.5}, "steps: 1.5 must be a whole number"),
        ({**ARM, "steps": True}, "steps: True must be a whole number"),
        ({**ARM, "every": 500}, "every: 500 is more than the 200 steps"),
        ({**ARM, "seed": -1}, "seed: -1"),
        ({**ARM, "signals": ["joint_position"]}, "there is no signal 'joint_position'; did you mean 'joint_pos"),
        ({**ARM, "signals": []}, "signals: must be a list"),
        ({**ARM, "randomise": {"weight": [0, 1]}}, "there is no randomisation 'weight'; there are joint_pos"),
        ({**ARM, "randomise": {"mass": [0, 1]}}, r"mass: \[0, 1\] is no range of what it can be"),
        ({**ARM, "randomise": {"friction": [-0.1, 1]}}, "is no range of what it can be"),
        ({**ARM, "task": "cartpole"}, "robot, build, task: give one of them"),
        ({"task": "cartpole", "stiffness": 3.0}, "stiffness: task cartpole says this itself; leave it away"),
        ({"task": "cartpole", "randomise": {"mass": [1, 2]}}, "randomise: task cartpole says this itself"),
        ({"task": "cartpole", "signals": ["joint_pos"]}, "there is no signal 'joint_pos'; there are observation"),
        ({**ARM, "policy": "model_3.pt"}, "policy: model_3.pt is for a task; say task instead of robot"),
        ({**ARM, "randomise": {"joint_pos": [1, 0]}}, r"joint_pos: \[1, 0\] is no range"),
        ({**ARM, "randomise": {"joint_pos": 0.1}}, r"joint_pos: 0.1 must be \[low, high\]"),
        ({**ARM, "randomise": {"stiffness": [-1, 1]}}, "is no range of what it can be"),
        ({**ARM, "policy": "holds"}, "there is no policy 'holds'; did you mean 'hold'"),
        ({**ARM, "world": {"num_envs": 3}}, "there is no argument of world 'num_envs'"),
        ({**ARM, "world": 3}, "world: must be entries"),
        ({**ARM, "stiffness": "high"}, "stiffness: 'high' must be a number"),
        ({**ARM, "swing": float("nan")}, "swing: nan must be a number"),
    ],
)
def test_mistakes(said: dict[str, Any], message: str) -> None:
    with pytest.raises(FarmError, match=message):
        Spec.of(said)


LAUGHS = "robot:\n- &a [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"- &{name} [{', '.join(['*' + last] * 10)}]\n" for last, name in zip("abcdefgh", "bcdefghi", strict=True)
)
"""A thousand million values in half a kilobyte."""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: [", "is no YAML"),
        ("- 1", "must be entries"),
        ("robot: 3", "robot: 3 must be text"),
        ("robot: cartpole\nseed: 2020-99-99", "is no YAML: month must be"),
        ("robot: cartpole\nseed: !!int abc", "is no YAML: invalid literal"),
        ("robot: cartpole\nepisodes: 1" + "0" * 5000, r"is no YAML|episodes must be at most"),
        ("robot: " + "[" * 5000, "nested too deep"),
        ("robot: &a [*a]", "nested too deep"),
        (LAUGHS, "more than 10,000 values"),
        ("robot: cartpole\nsignals: [3.5]", "no signal '?3.5"),
        ("robot: cartpole\nsteps: 1000000000000000", "steps must be at most 1,000,000,000"),
        ("robot: cartpole\nseed: 0x" + "f" * 20000, "is no YAML: a number of 80,000 bits"),
        ("robot: cartpole\nepisodes: 1\nsteps: 20000000\nevery: 1", "an episode has 20,000,000 samples"),
        ("#" * 1_000_001, "has 1,000,001 characters"),
    ],
    ids=range(14),
)
def test_files_that_are_none(tmp_path: Path, text: str, message: str) -> None:
    pytest.importorskip("yaml", reason="pyyaml is not installed (pip install 'phalanx[farm]')")
    path = tmp_path / "spec.yaml"
    path.write_text(text)
    with pytest.raises(FarmError, match=message):
        Spec.read(path)
    with pytest.raises(FarmError, match="No such file"):
        Spec.read(tmp_path / "none.yaml")
