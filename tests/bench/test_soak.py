"""The soak: its rounds find no difference, and would find one; memory that grows is told."""

from __future__ import annotations

import importlib.util
import os
import signal
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


@pytest.mark.slow
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
    assert soak.trend([5.0]) == 0.0 and soak.trend([0.0, 0.0]) == 0.0  # nothing of the pool of a GPU is held
    assert not soak._flat("allocated_bytes", {"growth": 0.011}) and soak._flat("python_blocks", {"growth": 0.011})
    before = soak.allocated_bytes()
    held = [bytearray(100_000) for _ in range(100)]
    if before:  # 0 with another C library than glibc
        assert soak.allocated_bytes() - before == pytest.approx(1e7, rel=0.02)
    del held


def test_growth_counts_from_half_of_the_run_on_and_as_of_the_whole_run(
    soak: Any, device: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of ten rounds of a second the first half grows by a lot, the second by 0.1 % a round: 0.4 % in 4 s, 1 % in 10."""
    sizes, clock = iter([50, 60, 70, 80, 90, 100.0, 100.1, 100.2, 100.3, 100.4]), [0.0]

    def one_round(scene: Any, key: list[int], device: str) -> list[str]:
        clock[0] += 1.0
        return []

    monkeypatch.setattr(soak, "one_round", one_round)
    monkeypatch.setattr(soak.time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(soak, "numbers", lambda device: {"resident_bytes": 1e6 * next(sizes), "open_files": 9})
    before = signal.getsignal(signal.SIGTERM)
    result = soak.soak(600.0, 1, 1, device, lambda text: None, rounds=10)
    assert result["warm_up_rounds"] == 5 and signal.getsignal(signal.SIGTERM) is before
    assert result["resident_bytes"]["growth"] == pytest.approx(10 / 4 * 0.4 / 100.2)
    assert result["ok"]
    assert not soak._flat("resident_bytes", {"growth": 0.011}) and soak._flat("resident_bytes", {"growth": -0.2})
    assert not soak._flat("open_files", {"first": 9, "last": 10}) and soak._flat("open_files", {"first": 9, "last": 9})


def test_what_is_known_is_kept_and_a_signal_ends_it(soak: Any, device: str, monkeypatch: pytest.MonkeyPatch) -> None:
    clock, kept = [0.0], []

    def one_round(scene: Any, key: list[int], device: str) -> list[str]:
        clock[0] += 25.0
        if clock[0] == 250.0:
            os.kill(os.getpid(), signal.SIGTERM)
        return []

    monkeypatch.setattr(soak, "one_round", one_round)
    monkeypatch.setattr(soak.time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(soak, "numbers", lambda device: {"open_files": 9})
    result = soak.soak(1000.0, 1, 1, device, lambda text: None, keep=kept.append)
    assert [each["rounds"] for each in kept] == [3, 6, 9] and result["rounds"] == 10
