"""What tests of rotations and frames share: random input, and comparisons with SciPy's rotations and NumPy."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays as any_array
from scipy.spatial.transform import Rotation

from phalanx.facade import arrays

N = 5
quick = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], derandomize=True
)
numbers = st.floats(-10.0, 10.0, allow_subnormal=False)
vectors = any_array(np.float64, (N, 3), elements=numbers)
angles = any_array(np.float64, (N,), elements=st.floats(-math.pi, math.pi))


@st.composite
def quaternions(draw: Any) -> np.ndarray:
    """Unit quaternions, (N, 4), with zeros among their components now and then."""
    found = draw(any_array(np.float64, (N, 4), elements=st.sampled_from([0.0, 1.0, -1.0, 0.5]) | numbers))
    found[np.linalg.norm(found, axis=1) < 1e-2] = (1.0, 0.0, 0.0, 0.0)
    return found / np.linalg.norm(found, axis=1, keepdims=True)


def get(value: Any) -> np.ndarray:
    """A NumPy array of a result."""
    return np.asarray(arrays.accept(value, "cpu"))


def float32(values: Any) -> np.ndarray:
    return np.asarray(values, np.float32)


def scipy(q: np.ndarray) -> Rotation:
    """SciPy's rotation of (w, x, y, z)."""
    return Rotation.from_quat(np.roll(q, -1, -1))


def same_rotation(found: Any, expected: np.ndarray | Rotation, tolerance: float = 1e-12) -> bool:
    """Whether quaternions are the same up to their sign."""
    q = get(found)
    other = expected.as_quat(scalar_first=True) if isinstance(expected, Rotation) else expected
    apart = np.minimum(np.abs(q - other).max(-1), np.abs(q + other).max(-1))
    return q.shape == other.shape and bool((apart < tolerance).all())


def close(found: Any, expected: Any, tolerance: float = 1e-10) -> bool:
    found, expected = get(found), np.asarray(expected)
    return found.shape == expected.shape and bool(np.allclose(found, expected, rtol=tolerance, atol=tolerance))
