"""Rotations against SciPy's, over random and special ones."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial.transform import Rotation

from phalanx.maths import arrays as rotations

numbers = st.one_of(st.floats(-1.0, 1.0), st.sampled_from([0.0, 1.0, -1.0, 1e-9]))
quaternions = arrays(float, (3, 4), elements=numbers).filter(lambda q: bool((np.linalg.norm(q, axis=1) > 1e-3).all()))
vectors = arrays(float, (3, 3), elements=numbers)
directions = vectors.filter(lambda v: bool((np.linalg.norm(v, axis=1) > 1e-3).all())).map(rotations.unit)
angles = arrays(float, (3, 3), elements=st.one_of(st.floats(-7.0, 7.0), st.sampled_from([0.0, np.pi / 2, np.pi])))


def assert_close(found: np.ndarray, expected: np.ndarray, atol: float = 1e-12) -> None:
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=atol)


def scipy_of(quaternion: np.ndarray) -> Rotation:
    return Rotation.from_quat(quaternion, scalar_first=True)


def assert_same_turns(quaternion: np.ndarray, expected: Rotation) -> None:
    assert_close(np.linalg.norm(quaternion, axis=-1), np.ones(len(quaternion)))
    assert_close(scipy_of(quaternion).as_matrix(), expected.as_matrix())


@settings(deadline=None)
@given(quaternions, quaternions, vectors)
def test_products_inverses_and_turned_vectors(a: np.ndarray, b: np.ndarray, vector: np.ndarray) -> None:
    a, b = rotations.unit(a), rotations.unit(b)
    assert_same_turns(rotations.product(a, b), scipy_of(a) * scipy_of(b))
    assert_same_turns(rotations.inverse(a), scipy_of(a).inv())
    assert_close(rotations.rotate(a, vector), scipy_of(a).apply(vector))


@settings(deadline=None)
@given(quaternions)
def test_matrices_there_and_back(quaternion: np.ndarray) -> None:
    found = rotations.matrix(quaternion)
    assert_close(found, scipy_of(quaternion).as_matrix())
    back = rotations.from_matrix(found)
    assert (back[:, 0] >= 0.0).all()
    assert_same_turns(back, scipy_of(quaternion))


@settings(deadline=None)
@given(quaternions, angles)
def test_rotation_vectors_there_and_back(quaternion: np.ndarray, vector: np.ndarray) -> None:
    assert_same_turns(rotations.from_rotation_vector(vector), Rotation.from_rotvec(vector))
    unit = rotations.unit(quaternion)
    found = rotations.rotation_vector(unit)
    assert (np.linalg.norm(found, axis=1) <= np.pi + 1e-12).all()
    assert_close(Rotation.from_rotvec(found).as_matrix(), scipy_of(unit).as_matrix())


@settings(deadline=None)
@given(directions, angles)
def test_about_an_axis(axis: np.ndarray, angle: np.ndarray) -> None:
    assert_same_turns(rotations.about(axis, angle[:, 0]), Rotation.from_rotvec(axis * angle[:, :1]))


@settings(deadline=None)
@given(angles, st.permutations("xyz"))
def test_euler_angles(angle: np.ndarray, axes: list[str]) -> None:
    letters = "".join(axes)
    # SciPy's capital letters are axes that turn along, its small ones stay fixed
    assert_same_turns(rotations.from_euler(angle, letters), Rotation.from_euler(letters.upper(), angle))
    assert_same_turns(rotations.from_euler(angle, letters.upper()), Rotation.from_euler(letters, angle))


def test_euler_angles_about_fixed_and_turned_axes_in_one() -> None:
    x, y, z = (Rotation.from_rotvec(np.eye(3)[n] * angle) for n, angle in enumerate((0.3, 0.5, 0.7)))
    assert_same_turns(rotations.from_euler([0.3, 0.5, 0.7], "xYz"), y * x * z)


@settings(deadline=None)
@given(directions, directions)
def test_the_shortest_turn_between_directions(start: np.ndarray, end: np.ndarray) -> None:
    turn = rotations.between(start, end)
    assert_close(scipy_of(turn).apply(start), end, atol=1e-9)
    shortest = 2.0 * np.arctan2(np.linalg.norm(end - start, axis=1), np.linalg.norm(end + start, axis=1))
    assert_close(scipy_of(turn).magnitude(), shortest, atol=1e-7)


@pytest.mark.parametrize("lean", [0.0, 1e-12, 1e-6, 1e-4, 1e-2])
def test_the_shortest_turn_to_nearly_the_opposite(lean: float) -> None:
    starts = np.concatenate([np.eye(3), -np.eye(3)])
    sides = np.roll(starts, 1, axis=1)
    ends = -np.cos(lean) * starts + np.sin(lean) * sides
    turned = scipy_of(rotations.between(starts, ends)).apply(starts)
    assert_close(turned, ends, atol=1e-11)


def test_zero_has_no_direction() -> None:
    np.testing.assert_array_equal(rotations.unit([[0.0, 0.0, 0.0], [0.0, 3.0, 4.0]]), [[0, 0, 0], [0, 0.6, 0.8]])


def test_leading_axes_broadcast_and_types_stay() -> None:
    rng = np.random.default_rng(3)
    q = rotations.unit(rng.normal(size=(5, 1, 4))).astype(np.float32)
    v = rng.normal(size=(2, 3)).astype(np.float32)
    turned = rotations.rotate(q, v)
    assert (turned.shape, turned.dtype) == ((5, 2, 3), np.float32)
    expected = rotations.matrix(q) @ v[..., None]
    assert (expected.shape, expected.dtype) == ((5, 2, 3, 1), np.float32)
    assert_close(turned, expected[..., 0], atol=1e-6)
    own = rotations.from_rotation_vector(v)
    both = rotations.product(q, own)
    assert (both.shape, both.dtype) == ((5, 2, 4), np.float32)
    back = rotations.product(rotations.inverse(q), both)
    assert_close(rotations.matrix(back), np.broadcast_to(rotations.matrix(own), (5, 2, 3, 3)), atol=1e-6)
    assert rotations.rotation_vector(q).dtype == np.float32


@pytest.mark.gpu
def test_the_same_on_a_gpu(gpu: str) -> None:
    import cupy  # pyright: ignore[reportMissingImports]

    rng = np.random.default_rng(4)
    a, b = rotations.unit(rng.normal(size=(2, 9, 4)))
    v = rng.normal(size=(9, 3))
    with cupy.cuda.Device(int(gpu.partition(":")[2] or 0)):
        x, y, u = cupy.asarray(a), cupy.asarray(b), cupy.asarray(v)
        for here, there in (
            (rotations.product(a, b), rotations.product(x, y, cupy)),
            (rotations.inverse(a), rotations.inverse(x, cupy)),
            (rotations.rotate(a, v), rotations.rotate(x, u, cupy)),
            (rotations.matrix(a), rotations.matrix(x, cupy)),
            (rotations.from_rotation_vector(v), rotations.from_rotation_vector(u, cupy)),
            (rotations.rotation_vector(a), rotations.rotation_vector(x, cupy)),
        ):
            assert_close(there.get(), here, atol=1e-14)
