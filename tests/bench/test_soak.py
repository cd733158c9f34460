"""The soak: its rounds find no difference, and would find one; memory that grows is told."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import phalanx as px


@pytest.fixture(scope="module")
def soak() -> ModuleType:
    path = Path(px.__file__).resolve().parents[1] / "benchmarks" / "soak.py"
    spec = importlib.util.spec_from_file_location("benchmark_soak", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["benchmark_soak"] = module
    spec.loader.exec_module(module)
    return module


def test_rounds_find_what_interruptions_change(soak: Any, device: str, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    monkeypatch.setattr(soak, "STEPS", 24)
    monkeypatch.setattr(soak, "WARM_VISITS", 1)
    result = soak.soak(600.0, 1, 1, device, told.append, rounds=2)
    assert result["rounds"] == 2 and result["faults"] == [] and result["warm_up_rounds"] == 1
    assert result["open_files"]["first"] > 2 and result["resident_bytes"]["first"] > 10_000_000

    class Forgetful(px.World):
        def set_state(self, state: dict[str, Any]) -> None:
            """Lose something small."""
            super().set_state({**state, "DofState.velocity": state["DofState.velocity"] + 1e-6})

    broken = soak.Scene(1, 0)
    monkeypatch.setattr(soak.px, "World", Forgetful)
    monkeypatch.setattr(soak, "act", lambda world, key, step: None)
    faults = soak.one_round(broken, [1, 3, 0], device)
    assert any("interruptions changed" in fault for fault in faults), faults


def test_memory_that_grows_and_files_that_stay_open_are_told(soak: Any) -> None:
    assert soak.trend([100.0, 101.0, 102.0, 103.0]) == pytest.approx(3 / 101.5)
    assert soak.trend([5.0]) == 0.0
    assert not soak._flat("resident_bytes", {"growth": 0.011}) and soak._flat("resident_bytes", {"growth": -0.2})
    assert not soak._flat("open_files", {"first": 9, "last": 10}) and soak._flat("open_files", {"first": 9, "last": 9})
