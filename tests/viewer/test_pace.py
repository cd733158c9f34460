"""When steps are due: play, pause, single steps and speed, by a clock of the test's own."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from phalanx.viewer.pace import FASTEST, SLOWEST, Pace


class Clock:
    def __init__(self):
        self.now = 5.0

    def __call__(self):
        return self.now


def test_as_fast_as_possible_never_waits():
    pace = Pace()
    assert all(pace.due(0.01 * k) == 0.0 for k in range(100))


@given(speed=st.floats(SLOWEST, FASTEST), dt=st.floats(1e-4, 0.05), steps=st.integers(1, 50))
def test_steps_are_due_at_the_speed(speed, dt, steps):
    clock = Clock()
    pace = Pace(speed=speed, clock=clock)
    assert pace.due(0.0) == 0.0
    for k in range(1, steps + 1):
        wait = pace.due(k * dt)
        clock.now += wait
        assert clock.now - 5.0 == pytest.approx(k * dt / speed, rel=1e-6, abs=1e-9)


def test_who_is_late_does_not_catch_up():
    clock = Clock()
    pace = Pace(speed=1.0, clock=clock)
    pace.due(0.0)
    clock.now += 60.0  # a minute went by for 0.1 s of simulation
    assert pace.due(0.1) == 0.0
    assert pace.due(0.2) == pytest.approx(0.1)


def test_time_that_goes_back_does_not_wait():
    clock = Clock()
    pace = Pace(speed=1.0, clock=clock)
    pace.due(10.0)
    assert pace.due(0.0) == 0.0
    assert pace.due(0.5) == pytest.approx(0.5)


def test_paused_waits_but_for_single_steps():
    pace = Pace(playing=False)
    assert math.isinf(pace.due(0.0))
    pace.step(2)
    assert [pace.due(0.0) for _ in range(3)] == [0.0, 0.0, math.inf]
    pace.play()
    assert pace.due(0.0) == 0.0 and pace.playing
    pace.pause()
    assert math.isinf(pace.due(0.0)) and not pace.playing


def test_single_steps_are_forgotten_when_played():
    pace = Pace(playing=False)
    pace.step(5)
    pace.play()
    pace.pause()
    assert math.isinf(pace.due(0.0))


def test_slower_and_faster_halve_and_double():
    pace = Pace(speed=1.0)
    pace.slower()
    assert pace.speed == 0.5
    for _ in range(20):
        pace.slower()
    assert pace.speed == SLOWEST
    for _ in range(12):
        pace.faster()
    assert pace.speed == FASTEST
    pace.faster()
    assert pace.speed is None
    pace.faster()
    assert pace.speed is None
    pace.slower()
    assert pace.speed == 1.0


@pytest.mark.parametrize("speed", [0.0, -1.0, 100.0, math.nan])
def test_refuses_speeds_that_cannot_be(speed):
    with pytest.raises(ValueError, match="times real time"):
        Pace(speed=speed)
