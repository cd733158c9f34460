"""``phalanx warmup --check``: which kernels are missing."""

from __future__ import annotations

from pathlib import Path

import pytest

import phalanx as px
from phalanx.bench.warming import check, warm_up
from phalanx.commands.cli import main


def world() -> px.World:
    world = px.World(2)
    world.add_robot("cartpole")
    return world


def test_what_is_there_and_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    warm_up([world()])
    found = check([world()])
    assert found.missing == 0 and found.kernels > 20
    monkeypatch.setenv("PHALANX_CACHE_DIR", str(tmp_path / "empty"))
    nothing = check([world()])
    assert (nothing.kernels, nothing.missing, nothing.damaged) == (found.kernels, found.kernels, ())
    assert not nothing.ok
    assert not list((tmp_path / "empty").glob("*.nbc")), "nothing is compiled"
    assert main(["warmup", "cartpole", "--device", "cpu", "--check"]) == 1
    assert "kernels of 2 worlds for cpu, float32" in capsys.readouterr().out
