"""Rotations, frames and cameras of ``isaaclab.utils.math`` against SciPy and NumPy, under every array API."""

from __future__ import annotations

import math

import numpy as np
import pytest
from facade.compare import N, angles, close, float32, get, quaternions, quick, same_rotation, scipy, vectors
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays as any_array
from scipy.spatial.transform import Rotation, Slerp

import phalanx.facade.isaaclab.utils.math as mu
from phalanx.facade.namespaces import array

# -- quaternions -----------------------------------------------------------------------------------------------------


@quick
@given(a=quaternions(), b=quaternions(), v=vectors)
def test_products_and_rotated_vectors(give, a, b, v):
    p, q, x = give(a, b, v)
    assert same_rotation(mu.quat_mul(p, q), scipy(a) * scipy(b))
    assert close(mu.quat_apply(p, x), scipy(a).apply(v))
    assert close(mu.quat_apply_inverse(p, x), scipy(a).inv().apply(v))
    assert close(mu.quat_rotate(p, x), scipy(a).apply(v)) and close(mu.quat_rotate_inverse(p, mu.quat_rotate(p, x)), v)
    assert same_rotation(mu.quat_conjugate(p), scipy(a).inv()) and same_rotation(mu.quat_inv(p), scipy(a).inv())
    assert close(mu.quat_mul(p * 3.0, mu.quat_inv(p * 3.0)), np.tile([1.0, 0.0, 0.0, 0.0], (N, 1)))
    assert close(mu.quat_error_magnitude(p, q), (scipy(a) * scipy(b).inv()).magnitude())


@quick
@given(q=quaternions())
def test_matrices(give, q):
    expected = scipy(q).as_matrix()
    assert close(mu.matrix_from_quat(give(q)), expected)
    assert close(mu.matrix_from_quat(give(2.5 * q)), expected)
    assert same_rotation(mu.quat_from_matrix(give(expected)), q)


@quick
@given(roll=angles, pitch=angles, yaw=angles, q=quaternions())
def test_euler_angles(give, roll, pitch, yaw, q):
    expected = Rotation.from_euler("xyz", np.stack([roll, pitch, yaw], -1))
    found = mu.quat_from_euler_xyz(*give(roll, pitch, yaw))
    assert same_rotation(found, expected)
    back = mu.euler_xyz_from_quat(give(q))
    assert same_rotation(mu.quat_from_euler_xyz(*back), q)
    assert all(
        (np.abs(get(a)) <= limit + 1e-15).all() for a, limit in zip(back, np.pi * np.array([1, 0.5, 1]), strict=True)
    )
    for wrapped, plain in zip(mu.euler_xyz_from_quat(give(q), wrap_to_2pi=True), back, strict=True):
        assert (get(wrapped) >= 0).all() and (get(wrapped) <= 2 * math.pi).all()
        assert close(np.exp(1j * get(wrapped)), np.exp(1j * get(plain)))


@quick
@given(a=any_array(np.float64, (N, 3), elements=st.floats(-math.pi, math.pi)))
@pytest.mark.parametrize("convention", ["XYZ", "ZYX", "ZXZ"])
def test_matrices_from_euler_angles(give, convention, a):
    assert close(mu.matrix_from_euler(give(a), convention), Rotation.from_euler(convention, a).as_matrix())


@quick
@given(q=quaternions())
@example(q=np.tile([math.cos(1e-9), 0.0, math.sin(1e-9), 0.0], (N, 1)))
@example(q=np.tile([math.cos(4e-6), 0.0, 0.0, -math.sin(4e-6)], (N, 1)))
def test_rotation_vectors(give, q):
    found = mu.axis_angle_from_quat(give(q))
    assert same_rotation(Rotation.from_rotvec(get(found)).as_quat(scalar_first=True), q)
    assert (np.linalg.norm(get(found), axis=-1) <= math.pi + 1e-12).all()
    vector = scipy(q).as_rotvec()
    angle = np.linalg.norm(vector, axis=-1)
    assert same_rotation(mu.quat_from_angle_axis(*give(angle, 2 * vector + [0, 0, 1e-300])), q)


@quick
@given(a=quaternions(), b=quaternions())
def test_differences_and_sums_of_orientations(give, a, b):
    p, q = give(a, b)
    difference = mu.quat_box_minus(p, q)
    rotation = scipy(a) * scipy(b).inv()
    assert same_rotation(Rotation.from_rotvec(get(difference)).as_quat(scalar_first=True), rotation)
    total = mu.quat_box_plus(q, difference)
    assert same_rotation(total, a, 1e-11) and (get(total)[:, 0] >= 0).all()


@quick
@given(q=quaternions(), v=vectors)
def test_yaw(give, q, v):
    pitch, yaw = (get(a) for a in mu.euler_xyz_from_quat(give(q))[1:])
    yaw[abs(pitch) > 1.5] = 0.0  # nearly straight up, digits get lost, and there
    q[abs(pitch) > 1.5] = [1.0, 0.0, 0.0, 0.0]  # is nothing to compare
    assert same_rotation(mu.yaw_quat(give(q)), Rotation.from_euler("z", yaw[:, None]), 1e-10)
    assert close(mu.quat_apply_yaw(*give(q, v)), Rotation.from_euler("z", yaw[:, None]).apply(v), 1e-9)


@quick
@given(a=quaternions(), b=quaternions(), tau=st.floats(0.0, 1.0))
@example(a=np.tile([1.0, 0.0, 0.0, 0.0], (N, 1)), b=np.tile([-1.0, 1e-6, 0.0, 0.0], (N, 1)), tau=0.25)
def test_slerp(give, a, b, tau):
    b = b / np.linalg.norm(b, axis=-1, keepdims=True)
    found = get(mu.quat_slerp(*give(a, b), tau=tau))
    for i in range(N):
        if abs(a[i] @ b[i]) < 1e-6:
            continue  # half a turn: both ways are short
        expected = Slerp(np.array([0, 1]), Rotation.concatenate([scipy(a[i]), scipy(b[i])]))(tau)
        assert same_rotation(found[i], expected, 1e-9)


def test_order_and_sign_of_quaternions(give):
    q = give([[0.5, -0.5, 0.5, 0.5], [-0.6, 0.0, 0.8, 0.0]])
    assert close(mu.convert_quat(q, to="xyzw"), float32([[-0.5, 0.5, 0.5, 0.5], [0.0, 0.8, 0.0, -0.6]]))
    assert close(mu.convert_quat(mu.convert_quat(q), to="wxyz"), get(q))
    assert close(mu.quat_unique(q), float32([[0.5, -0.5, 0.5, 0.5], [0.6, 0.0, -0.8, 0.0]]))


def test_float32_stays_float32(give):
    q = give([[0.5, -0.5, 0.5, 0.5]])
    for found in (mu.quat_mul(q, q), mu.axis_angle_from_quat(q), mu.quat_from_matrix(mu.matrix_from_quat(q)),
                  mu.quat_slerp(q, q, 0.5), mu.wrap_to_pi(q), mu.quat_box_plus(q, q[:, 1:])):  # fmt: skip
        assert str(found.dtype).endswith("float32")


def test_lists_and_mixed_input(api):
    assert close(mu.quat_apply([0.0, 0.0, 0.0, 1.0], [[1.0, 2.0, 3.0]]), float32([[-1.0, -2.0, 3.0]]))
    assert close(mu.wrap_to_pi(4.0), float32(4.0 - 2 * math.pi), 1e-6)
    assert close(mu.quat_mul(array([1.0, 0.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0, 0.0])), float32([0, 1, 0, 0]))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: mu.quat_mul([[1.0, 0.0, 0.0]], [[1.0, 0.0, 0.0]]), r"shape \(\.\.\., 4\)"),
        (lambda: mu.convert_quat([1.0, 0.0, 0.0]), r"shape \(\.\.\., 4\)"),
        (lambda: mu.convert_quat([1.0, 0.0, 0.0, 0.0], "wzyx"), "to='wzyx'"),  # pyright: ignore[reportArgumentType]
        (lambda: mu.quat_from_matrix([[1.0, 0.0], [0.0, 1.0]]), r"shape \(\.\.\., 3, 3\)"),
        (lambda: mu.matrix_from_euler([0.0, 0.0, 0.0], "XXZ"), "convention 'XXZ'"),
        (lambda: mu.matrix_from_euler([0.0, 0.0], "XYZ"), r"shape \(\.\.\., 3\)"),
        (lambda: mu.transform_points([1.0, 2.0, 3.0]), r"\(P, 3\) or \(N, P, 3\)"),
        (lambda: mu.transform_points([[1.0, 2.0, 3.0]], [[[0.0]]]), "pos has shape"),
        (lambda: mu.compute_pose_error([[0.0] * 3], [[1.0, 0, 0, 0]], [[0.0] * 3], [[1.0, 0, 0, 0]], "euler"),  # pyright: ignore[reportArgumentType]
         "rot_error_type='euler'"),
        (lambda: mu.unproject_depth(np.ones((2, 2, 2, 2)), np.eye(3)), "depth has shape"),
        (lambda: mu.unproject_depth(np.ones((2, 3, 3)), np.ones((3, 3, 3))), "with N=2"),
        (lambda: mu.create_rotation_matrix_from_view([[1.0, 0, 0]], [[0.0, 0, 0]], "X"), "up_axis='X'"),  # pyright: ignore[reportArgumentType]
        (lambda: mu.convert_camera_frame_orientation_convention([1.0, 0, 0, 0], "usd"), "convention 'usd'"),  # pyright: ignore[reportArgumentType]
        (lambda: mu.make_pose([0.0, 0.0, 0.0], [[1.0, 0.0], [0.0, 1.0]]), "make no poses"),
        (lambda: mu.interpolate_poses(np.eye(4), np.eye(4)), "either num_steps or step_size"),
        (lambda: mu.interpolate_poses(np.eye(4), np.eye(4), step_size=0.1), "two different positions"),
    ],
)  # fmt: skip
def test_wrong_use_is_told(call, message):
    with pytest.raises(ValueError, match=message):
        call()


# -- ranges, angles --------------------------------------------------------------------------------------------------


@quick
@given(x=vectors, low=st.floats(-5, -0.1), high=st.floats(0.1, 5))
def test_ranges(give, x, low, high):
    lower, upper = np.full(3, low), np.full(3, high)
    given_x, lo, hi = give(x, lower, upper)
    assert close(mu.scale_transform(given_x, lo, hi), 2 * (x - low) / (high - low) - 1, 1e-9)
    assert close(mu.unscale_transform(mu.scale_transform(given_x, lo, hi), lo, hi), x, 1e-9)
    assert close(mu.saturate(given_x, lo, hi), np.clip(x, low, high))
    assert close(mu.copysign(-2.5, given_x), np.copysign(2.5, x))
    length = np.linalg.norm(x, axis=-1, keepdims=True)
    assert close(mu.normalize(given_x), x / np.maximum(length, 1e-9), 1e-9)
    assert close(mu.skew_symmetric_matrix(given_x) @ given_x[..., None] + 0.0, np.zeros((N, 3, 1)))
    assert close((mu.skew_symmetric_matrix(given_x) @ give(x[::-1].copy())[..., None])[..., 0], np.cross(x, x[::-1]))
    assert close(mu.skew_symmetric_matrix(given_x[0])[0], np.cross(x[0], -np.eye(3)))


@quick
@given(a=any_array(np.float64, (N,), elements=st.floats(-1e3, 1e3)))
def test_angles_are_wrapped(give, a):
    found = get(mu.wrap_to_pi(give(a)))
    assert (np.abs(found) <= math.pi).all() and close(np.exp(1j * found), np.exp(1j * a), 1e-9)


def test_half_turns_keep_their_sign(give):
    found = mu.wrap_to_pi(give(np.array([math.pi, -math.pi, 3 * math.pi, -3 * math.pi, 0.0])))
    assert close(found, [math.pi, -math.pi, math.pi, -math.pi, 0.0])
