"""Costs of managers and terms by name: what is nested where, and what stays as it was."""

from __future__ import annotations

import types

import pytest

from phalanx.commands import task_profile


class Term:
    """A term that is an object, as terms with a state are."""

    def __init__(self) -> None:
        self.resets = 0

    def __call__(self, env: object, scale: float) -> float:
        return 2.0 * scale

    def reset(self) -> None:
        self.resets += 1


class Manager:
    """Rewards, as Isaac Lab keeps them."""

    def __init__(self) -> None:
        self.term = Term()
        self._term_names = ["first", "second"]
        self._term_cfgs = [types.SimpleNamespace(func=self.term), types.SimpleNamespace(func=self._fails)]
        self.fails = False

    def _fails(self, env: object, scale: float) -> float:
        if self.fails:
            raise ValueError("no")
        return scale

    def compute(self, dt: float) -> float:
        return sum(one.func(None, scale=dt) for one in self._term_cfgs)


class Env:
    """An environment with one manager, a sensor and an empty stage."""

    def __init__(self) -> None:
        self.reward_manager = Manager()
        self.sensor = types.SimpleNamespace(update=lambda dt: None)
        self.scene = types.SimpleNamespace(update=self._update, sensors={"feet": self.sensor})
        self.sim = types.SimpleNamespace(stage_world=types.SimpleNamespace(is_empty=True), step=lambda render: None)

    def _update(self, dt: float) -> None:
        self.sensor.update(dt)

    def step(self, action: float) -> float:
        for _ in range(4):
            self.sim.step(render=False)
            self.scene.update(dt=action)
        return self.reward_manager.compute(dt=action)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """A clock that goes on by one each time it is read."""
    now = [0.0]

    def read() -> float:
        now[0] += 1.0
        return now[0]

    monkeypatch.setattr(task_profile.time, "perf_counter", read)
    return now


def test_calls_are_counted_where_they_are_nested(clock: list[float]) -> None:
    env, waits = Env(), []
    profile = task_profile.Profile(lambda: waits.append(1))
    task_profile.attach(env, profile)
    assert [env.step(3.0), env.step(5.0)] == [9.0, 15.0]
    rows = {row["name"]: row for row in profile.rows(steps=2)}
    depths = {name: row["depth"] for name, row in rows.items()}
    assert depths == {
        "env.step": 0,
        "sim.step": 1,
        "scene.update": 1,
        "sensor feet": 2,
        "reward_manager.compute": 1,
        "first": 2,
        "second": 2,
    }
    assert {name: row["calls"] for name, row in rows.items()} == {
        "env.step": 1,
        "sim.step": 4,
        "scene.update": 4,
        "sensor feet": 4,
        "reward_manager.compute": 1,
        "first": 1,
        "second": 1,
    }
    calls = sum(row["calls"] for row in rows.values())
    assert len(waits) == 2 * 2 * calls, "the device is waited for before and after each call"
    assert rows["first"]["ms"] == 2000.0 and rows["first"]["host_ms"] == 1000.0  # three readings each
    assert rows["reward_manager.compute"]["ms"] == 2000.0 + 2 * 3000.0


def test_terms_keep_their_attributes_and_errors_pass() -> None:
    env = Env()
    profile = task_profile.Profile(lambda: None)
    task_profile.attach(env, profile)
    env.reward_manager._term_cfgs[0].func.reset()
    assert env.reward_manager.term.resets == 1
    env.reward_manager.fails = True
    with pytest.raises(ValueError, match="no"):
        env.step(1.0)
    env.reward_manager.fails = False
    env.step(1.0)
    rows = {row["name"]: row for row in profile.rows(steps=1)}
    assert rows["second"]["depth"] == 2 and rows["second"]["calls"] == 2, "a failure leaves nothing open"


def test_the_table_names_the_rate_and_shares() -> None:
    rows = [
        {"name": "env.step", "depth": 0, "calls": 1.0, "ms": 4.0, "host_ms": 4.0},
        {"name": "sim.step", "depth": 1, "calls": 2.0, "ms": 1.0, "host_ms": 0.5},
    ]
    result = {"task": "T", "num_envs": 100, "device": "cpu", "profile": {"plain_ms": 2.0, "steps": 5, "rows": rows}}
    text = "\n".join(task_profile.table(result))
    assert "2.000 ms a step (50000 frames/s)" in text
    assert "  sim.step" in text and "25.0%" in text
