"""``phalanx run`` by several processes: what one process does, split; and mistakes, said before anything starts."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from phalanx.commands import run_ranks
from phalanx.commands.cli import main
from phalanx.commands.run import RunOptions
from phalanx.io.recordings.replay import open_recording

OPTIONS = RunOptions(
    "quadruped",
    4,
    10,
    None,
    "auto",
    "float32",
    "auto",
    True,
    None,
    "hold",
    None,
    None,
    0,
    Path("a/b.zarr"),
    1,
    Path("c"),
)


def test_two_ranks_do_what_one_process_does(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """To the bit, environment by environment, with targets that are drawn; the reports add up."""
    options = ["quadruped", "--steps", "30", "--controller", "random", "--device", "cpu", "--record-every", "10"]
    files = [str(tmp_path / name) for name in ("two.zarr", "two.json", "one.zarr", "one.json")]
    assert main(["run", *options, "--num-envs", "2", "--ranks", "2", "--record", files[0], "--json", files[1]]) == 0
    said = capfd.readouterr().out
    assert "simulated    4 environments, 2 on each of 2 ranks, for 0.15 s (30 steps" in said
    assert main(["run", *options, "--num-envs", "4", "--record", files[2], "--json", files[3]]) == 0
    alone, *parts = (
        next(iter(open_recording(tmp_path / f"{name}.zarr").robots.values())) for name in ("one", "two-0", "two-1")
    )
    for name in ("joint_pos", "joint_vel", "root_pose"):
        whole = np.asarray(alone[name])
        assert np.array_equal(np.concatenate([np.asarray(part[name]) for part in parts], axis=0), whole), name
    assert len(np.unique(whole[:, -1, 0])) == 4
    two, one = (json.loads(Path(files[n]).read_text()) for n in (1, 3))
    for name in ("num_envs", "steps", "seconds", "device", "dtype", "diverged"):
        assert two[name] == one[name], name
    for which in ("min", "max"):
        assert two["robots"][0]["height"][which] == one["robots"][0]["height"][which]
    assert two["robots"][0]["height"]["mean"] == pytest.approx(one["robots"][0]["height"]["mean"], rel=1e-6)
    assert two["env_steps_per_second"] == sum(rank["env_steps_per_second"] for rank in two["ranks"])


@pytest.mark.parametrize(
    ("asked", "gpus", "devices"),
    [
        ("auto", 2, ["cuda:0", "cuda:1", "cuda:0"]),
        ("auto", 0, ["auto"] * 3),
        ("cuda:0", 2, ["cuda:0"] * 3),
        ("cpu", 2, ["cpu"] * 3),
    ],
)
def test_each_rank_has_its_own(asked: str, gpus: int, devices: list[str]) -> None:
    made = [run_ranks.of_rank(replace(OPTIONS, device=asked), rank, 3, gpus, None) for rank in range(3)]
    assert [one.device for one in made] == devices
    assert [(one.first_env, one.all_envs) for one in made] == [(0, 12), (4, 12), (8, 12)]
    assert [one.record for one in made] == [Path(f"a/b-{rank}.zarr") for rank in range(3)]
    assert [one.picture for one in made] == [Path("c"), None, None]


def test_all_gpus(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_ranks, "gpus_here", lambda: 8)
    assert [run_ranks.rank_count("auto", asked, None) for asked in ("all", 8, 1, None)] == [8, 8, 1, 1]
    with pytest.raises(run_ranks.UserError, match="--gpus 9: this machine has 8 that can be used"):
        run_ranks.rank_count("auto", 9, None)


def test_reports_add_up() -> None:
    """Of two ranks of which the second one's environment 1 diverged, and with it the height."""
    one = {
        "num_envs": 2, "steps": 5, "dt": 0.01, "seconds": 0.05, "device": "cuda:0", "diverged": [],
        "robots": [{"name": "r", "height": {"mean": 1.0, "min": 0.5, "max": 1.5}}],
        "env_steps_per_second": 100.0, "warnings": ["a"],
    }  # fmt: skip
    two = one | {"device": "cuda:1", "diverged": [1], "robots": [{"name": "r", "height": None}], "warnings": ["a", "b"]}
    found = run_ranks.together([one, two])
    assert (found["num_envs"], found["device"], found["diverged"]) == (4, "cuda:0, cuda:1", [3])
    assert (found["env_steps_per_second"], found["times_real_time"]) == (200.0, 2.0)
    assert found["robots"][0]["height"] == {"mean": 1.0, "min": 0.5, "max": 1.5}
    assert found["warnings"] == ["a", "b"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--gpus", "0"], "--gpus 0: this machine has"),
        (["--gpus", "1000"], "--gpus 1000: this machine has"),
        (["--ranks", "0"], "--ranks 0: must be at least 1"),
        (["--ranks", "2", "--gpus", "2"], "give one of them"),
        (["--gpus", "2", "--device", "cpu"], "leave --device away"),
        (["--ranks", "2", "--device", "cpu", "--view"], "--view shows the environments of one process"),
        (["--ranks", "2", "--device", "cpu", "--steps", "0"], "--steps must be at least 1"),
        (["--ranks", "2", "--device", "cpu", "no_such_robot"], '"no_such_robot" is neither a file nor a shipped robot'),
    ],
)
def test_mistakes_are_found_before_anything_starts(
    options: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    robot = [] if "no_such_robot" in options else ["quadruped"]
    assert main(["run", *robot, *options]) == 2
    said = capsys.readouterr().err
    assert message in said and said.count("\n") == 1
