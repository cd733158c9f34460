"""Trace regions: every system by name, and no other bits."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from oracles import host

import phalanx as px
from phalanx.ecs import trace
from phalanx.systems import STEP


def test_a_traced_step_names_every_system_and_changes_nothing(device: str, tmp_path: Path) -> None:
    worlds = [px.World(num_envs=3, device=device) for _ in range(2)]
    robots = [world.add_robot("double_pendulum", joint_pos=[0.5, 0.2]) for world in worlds]
    for world in worlds:
        world.step(2)
    with trace.record(tmp_path / "trace.json"):
        worlds[0].step(3)
    worlds[1].step(3)
    np.testing.assert_array_equal(host(robots[0].joint_pos), host(robots[1].joint_pos))
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    names = [event["name"] for event in events if event["cat"] == "system"]
    ran = [system.name for system, _shared in worlds[0].engine.store.kernels(worlds[0].engine.sequence(STEP))]
    assert sorted(names) == sorted(3 * ran)
    if device == "cpu":  # on a GPU some stand for others, under names of their own
        assert {s.name for s in worlds[0].schedule.systems(("actuate", "dynamics"))} <= set(names)
        assert {"drive_joints", "mass_matrix", "factorize_mass", "recouple", "place_links"} <= set(names)
    assert any(name.startswith(("sweep_dofs", "sweep_island")) for name in names)
    assert all(event["dur"] > 0 for event in events)
    assert sum(event["dur"] for event in events if event["name"] == "step") > sum(
        event["dur"] for event in events if event["cat"] == "system"
    )
    assert not trace.active()


def test_a_trace_in_a_trace_is_refused(tmp_path: Path) -> None:
    second = trace.record(tmp_path / "b.json")
    with trace.record(tmp_path / "a.json"), pytest.raises(RuntimeError, match="end it first"), second:
        pass
    assert not (tmp_path / "b.json").exists()
