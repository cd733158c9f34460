"""Recordings of processes that are killed and of disks that become full: some of each, as the command tries them."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import phalanx as px
from phalanx.io.recordings.replay import open_recording

ROOT = Path(px.__file__).resolve().parents[1]


def campaign(tmp_path: Path, *options: str, seconds: float = 300) -> subprocess.CompletedProcess[str]:
    command = [
        sys.executable,
        "-m",
        "benchmarks.kills",
        "--steps",
        "30",
        "--json",
        str(tmp_path / "out.json"),
        *options,
    ]
    return subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, env={**os.environ, "TMPDIR": str(tmp_path)}, timeout=seconds
    )


def test_some_kills_and_full_disks(tmp_path: Path) -> None:
    done = campaign(tmp_path, "--kills", "2", "--disks", "1", "--seed", "5")
    if done.returncode == 2:
        done = campaign(tmp_path, "--kills", "2", "--disks", "0")  # users may not mount file systems here
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads((tmp_path / "out.json").read_text())
    assert found["kills"] == 2 and found["faults"] == [] and found["samples_verified"] > 10
    assert sum(found["disks_by_outcome"].values()) == found["disks"]


@pytest.mark.slow
def test_two_hundred_kills_and_fifty_full_disks(tmp_path: Path) -> None:
    done = campaign(tmp_path, "--kills", "200", "--disks", "50", "--steps", "160", seconds=3000)
    if done.returncode == 2:
        pytest.skip("this machine does not let users mount file systems")
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads((tmp_path / "out.json").read_text())
    assert found["kills"] == 200 and found["disks_by_outcome"]["became full"] == 50 and found["faults"] == []


def test_what_is_lost_or_differs_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = importlib.util.spec_from_file_location("benchmark_kills", ROOT / "benchmarks" / "kills.py")
    assert spec is not None and spec.loader is not None
    kills = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(kills)
    monkeypatch.setattr(kills, "STEPS", 12)
    kills.record(kills.make_world(), tmp_path / "a.zarr", 5, lambda steps, written: None)
    good = kills.contents(tmp_path / "a.zarr")
    np.savez(tmp_path / "good.npz", **good)
    assert kills.check(tmp_path / "a.zarr", tmp_path / "good.npz", True)["faults"] == []
    wrong = {**good, "robot joint_pos": good["robot joint_pos"] + 1e-6, "events": good["events"][:-1] + 1}
    np.savez(tmp_path / "wrong.npz", **wrong)
    faults = kills.check(tmp_path / "a.zarr", tmp_path / "wrong.npz", False)["faults"]
    assert "robot joint_pos differs" in faults and any(fault.startswith("events are") for fault in faults)
    monkeypatch.setattr(kills, "STEPS", 13)
    faults = kills.check(tmp_path / "a.zarr", tmp_path / "good.npz", False)["faults"]
    assert faults == ["it says that it is closed"]
    assert open_recording(tmp_path / "a.zarr").num_samples == 13
