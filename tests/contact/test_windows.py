"""Normal impulses found together: never negative, never worse than before, and even where the load is."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from phalanx.systems.solver.windows import solve_window

LOWER = [(0, 0), (1, 0), (1, 1), (2, 0), (2, 1), (2, 2), (3, 0), (3, 1), (3, 2), (3, 3)]
NUMBERS = st.floats(-10.0, 10.0, allow_subnormal=False)


def solve(response: np.ndarray, gain: np.ndarray, start: np.ndarray, takes_part: np.ndarray) -> np.ndarray:
    """``solve_window`` on a whole matrix."""
    inverse = [1.0 / response[i, i] if takes_part[i] and response[i, i] > 0.0 else 0.0 for i in range(4)]
    return np.array(solve_window(*(response[i, j] for i, j in LOWER), *inverse, *gain, *start))


def energy(response: np.ndarray, gain: np.ndarray, change: np.ndarray) -> float:
    """What the impulses minimise: half the square of the change in the metric of the response, less gain * change."""
    return float(0.5 * change @ response @ change - gain @ change)


PUSHED_APART = np.zeros((4, 6))
"""Two contacts press on a body from two sides, one of them with a lever: cut off at zero, a step could go uphill."""
PUSHED_APART[0, 3], PUSHED_APART[1:, 1] = 0.25, (1.0, -0.25, -1.0)


@example(PUSHED_APART, np.array([-1.0, -3.0, -2.0, 1.0]), np.array([0.0, 0.0, 2.0, 3.0]), np.ones(4, bool))
@given(
    arrays(np.float64, (4, 6), elements=NUMBERS),
    arrays(np.float64, 4, elements=NUMBERS),
    arrays(np.float64, 4, elements=st.floats(0.0, 10.0, allow_subnormal=False)),
    arrays(np.bool_, 4),
)
def test_it_only_gets_better(jacobian: np.ndarray, gain: np.ndarray, start: np.ndarray, takes_part: np.ndarray) -> None:
    """Any response J J^T, singular ones too (contacts that press from two sides): repeated, it goes downhill."""
    response = jacobian @ jacobian.T
    new = start
    left = gain
    for _ in range(20):
        before = energy(response, gain, new - start)
        new = solve(response, left, new, takes_part)
        left = gain - response @ (new - start)
        assert (new >= 0.0).all()
        np.testing.assert_array_equal(new[~takes_part], start[~takes_part])
        assert energy(response, gain, new - start) <= before + 1e-7 * (1.0 + abs(before) + 1e3 * np.abs(response).max())


@pytest.mark.parametrize("aside", [0.0, 0.03])
def test_a_face_shares_its_load(aside: float) -> None:
    """A cube that lands on four corners, straight: equal impulses; off its middle: force and moments in balance."""
    corners = 0.1 * np.array([[1, 1], [-1, 1], [-1, -1], [1, -1]])
    inertia = 0.2**2 / 6
    jacobian = np.column_stack([np.ones(4), corners[:, 1] / np.sqrt(inertia), -corners[:, 0] / np.sqrt(inertia)])
    response = jacobian @ jacobian.T
    velocity = np.array([-1.0, 0.0, aside / np.sqrt(inertia)])  # what an impulse at x = aside would stop
    impulse = solve(response, -jacobian @ velocity, np.zeros(4), np.ones(4, bool))
    for _ in range(20):
        impulse = solve(response, -jacobian @ (velocity + jacobian.T @ impulse), impulse, np.ones(4, bool))
    assert impulse.sum() == pytest.approx(1.0, rel=1e-6)
    assert impulse @ corners[:, 0] == pytest.approx(aside, abs=1e-6)
    if aside == 0.0:
        np.testing.assert_allclose(impulse, 0.25, rtol=1e-12)
