"""Frames, 4×4 poses, cameras and random samples of ``isaaclab.utils.math`` against NumPy, under every array API."""

from __future__ import annotations

import inspect
import math
import re
import runpy
from typing import Any

import numpy as np
import pytest
from facade.compare import N, close, get, quaternions, quick, same_rotation, scipy, vectors
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

import phalanx.facade.isaaclab.utils.math as mu

EYE = np.array([1.0, 0.0, 0.0, 0.0])


def matrix(t: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Homogeneous matrices of poses."""
    found = np.tile(np.eye(4), (len(t), 1, 1))
    found[:, :3, :3], found[:, :3, 3] = scipy(q).as_matrix(), t
    return found


def is_pose(found: tuple, expected: np.ndarray) -> bool:
    """Whether a position and a quaternion are a homogeneous matrix."""
    return close(found[0], expected[:, :3, 3], 1e-9) and same_rotation(
        found[1], Rotation.from_matrix(expected[:, :3, :3]), 1e-9
    )


@quick
@given(t01=vectors, q01=quaternions(), t12=vectors, q12=quaternions())
def test_frames_compose(give, t01, q01, t12, q12):
    p, q, r, s = give(t01, q01, t12, q12)
    first, second = matrix(t01, q01), matrix(t12, q12)
    assert is_pose(mu.combine_frame_transforms(p, q, r, s), first @ second)
    assert is_pose(mu.subtract_frame_transforms(p, q, r, s), np.linalg.inv(first) @ second)
    assert is_pose(mu.subtract_frame_transforms(p, q), np.linalg.inv(first))
    assert is_pose(mu.combine_frame_transforms(p, q), first)
    assert is_pose(mu.combine_frame_transforms(p, q, r), first @ matrix(t12, np.tile(EYE, (N, 1))))
    assert is_pose(mu.combine_frame_transforms(p, q, q12=s), first @ matrix(0 * t12, q12))


@quick
@given(t01=vectors, q01=quaternions(), t02=vectors, q02=quaternions())
def test_pose_errors_lead_to_the_target(give, t01, q01, t02, q02):
    p, q, r, s = give(t01, q01, t02, q02)
    move, turn = mu.compute_pose_error(p, q, r, s)
    assert close(move, t02 - t01)
    assert same_rotation(Rotation.from_rotvec(get(turn)).as_quat(scalar_first=True), scipy(q02) * scipy(q01).inv())
    assert same_rotation(mu.compute_pose_error(p, q, r, s, "quat")[1], scipy(q02) * scipy(q01).inv())
    delta = np.concatenate([get(move), get(turn)], -1)
    assert is_pose(mu.apply_delta_pose(p, q, give(delta)), matrix(t02, q02))


@quick
@given(t=vectors, q=quaternions(), v=vectors, w=vectors)
def test_twists(give, t, q, v, w):
    found = mu.rigid_body_twist_transform(*give(v, w, t, q))
    inverse = scipy(q).inv()
    assert close(found[0], inverse.apply(v + np.cross(w, t)), 1e-9) and close(found[1], inverse.apply(w))


@quick
@given(points=vectors, t=vectors, q=quaternions())
def test_points(give, points, t, q):
    batch = np.stack([points + i for i in range(N)])
    expected = np.stack([scipy(q[i]).apply(batch[i]) + t[i] for i in range(N)])
    assert close(mu.transform_points(*give(batch, t, q)), expected, 1e-9)
    same = np.stack([scipy(q[i]).apply(points) + t[i] for i in range(N)])
    assert close(mu.transform_points(*give(points, t, q)), same, 1e-9)
    assert close(mu.transform_points(*give(points, t[0], q[0])), same[0], 1e-9)
    assert close(mu.transform_points(give(points)), points)


def test_identity_poses(give):
    zero, one = give(np.zeros((3, 3))), give(np.tile(EYE, (3, 1)))
    assert mu.is_identity_pose(zero, one) is True
    assert mu.is_identity_pose(zero, -one) is True
    assert mu.is_identity_pose(zero + 1e-3, one) is False
    assert mu.is_identity_pose(zero, give(np.tile([0.6, 0.8, 0.0, 0.0], (3, 1)))) is False


@quick
@given(t1=vectors, q1=quaternions(), t2=vectors, q2=quaternions())
def test_homogeneous_poses(give, t1, q1, t2, q2):
    a, b = matrix(t1, q1), matrix(t2, q2)
    x, y = give(a, b)
    assert close(mu.make_pose(*mu.unmake_pose(x)), a)
    assert close(mu.pose_inv(x), np.linalg.inv(a), 1e-9)
    assert close(mu.pose_in_A_to_pose_in_B(x, y), b @ a, 1e-9)
    assert close(mu.transform_poses_from_frame_A_to_frame_B(x, y, x), a @ np.linalg.inv(b) @ a, 1e-9)


@pytest.mark.parametrize("axis_angle", [True, False])
def test_interpolation_goes_at_constant_speed(give, axis_angle):
    axis = np.array([1.0, 2.0, -2.0]) / 3
    turns = Rotation.from_rotvec(np.linspace(0.0, 2.4, 9)[:, None] * axis) * Rotation.from_euler("x", 0.3)
    expected = turns.as_matrix()
    found = mu.interpolate_rotations(*give(expected[0], expected[-1]), num_steps=8, axis_angle=axis_angle)
    assert close(found, expected, 1e-9)
    first, last = np.eye(4), np.eye(4)
    first[:3, :3], last[:3, :3], last[:3, 3] = expected[0], expected[-1], [8.0, -4.0, 0.0]
    poses, between = mu.interpolate_poses(*give(first, last), num_steps=7)
    assert between == 7
    assert close(poses[:, :3, :3], expected, 1e-9)
    assert close(poses[:, :3, 3], np.linspace(0, 1, 9)[:, None] * [8.0, -4.0, 0.0], 1e-9)


def test_steps_are_as_long_as_asked_for(give):
    last = np.eye(4)
    last[0, 3] = 1.0
    poses, between = mu.interpolate_poses(*give(np.eye(4), last), step_size=0.3, perturb=True)
    assert between == 4 and tuple(poses.shape) == (6, 4, 4)
    x = get(poses)[:, 0, 3]
    assert x[0] == 0 and x[-1] == 1 and (np.abs(x - np.linspace(0, 1, 6)) <= 0.1 + 1e-9).all()
    assert np.abs(x - np.linspace(0, 1, 6)).max() > 1e-4
    assert close(mu.interpolate_poses(*give(np.eye(4), last), num_steps=0)[0], np.stack([np.eye(4), last]))


# -- cameras ---------------------------------------------------------------------------------------------------------

INTRINSICS = np.array([[300.0, 0.0, 2.5], [0.0, 280.0, 1.0], [0.0, 0.0, 1.0]])


@quick
@given(depth=st.lists(st.floats(0.1, 10.0), min_size=12, max_size=12))
def test_depth_to_points_and_back(give, depth):
    images = np.array(depth).reshape(2, 2, 3)
    points = get(mu.unproject_depth(*give(images, INTRINSICS)))
    assert points.shape == (2, 6, 3)
    seen = get(mu.project_points(*give(points, INTRINSICS)))
    for n in range(2):
        for v in range(2):
            for u in range(3):
                row = u * 2 + v  # column by column
                assert close(seen[n, row], [u, v, images[n, v, u]])
                expected = images[n, v, u] * np.array([(u - 2.5) / 300.0, (v - 1.0) / 280.0, 1.0])
                assert close(points[n, row], expected)


def test_distances_from_the_centre(give):
    z = np.linspace(1.0, 3.0, 6).reshape(2, 3)
    points = get(mu.unproject_depth(*give(z, INTRINSICS)))
    ranges = np.linalg.norm(points, axis=-1).reshape(3, 2).T.copy()
    assert close(mu.orthogonalize_perspective_depth(*give(ranges, INTRINSICS)), z)
    assert close(mu.unproject_depth(*give(ranges, INTRINSICS), is_ortho=False), points)
    several = np.stack([INTRINSICS, INTRINSICS])
    both = give(np.stack([ranges, ranges])[..., None], several)
    assert close(mu.orthogonalize_perspective_depth(*both), np.stack([z, z])[..., None])
    assert close(mu.unproject_depth(*both, is_ortho=False), np.stack([points, points]))
    assert close(mu.unproject_depth(*give(z[..., None], INTRINSICS)), points)


@pytest.mark.parametrize("up", ["Y", "Z"])
def test_views(give, up):
    eyes = np.array([[1.0, 2.0, 3.0], [0.0, -4.0, 0.5], [2.0, 2.0, 2.0], [1.0, 1.0, 1.0]])
    targets = np.array([[0.0, 0.0, 0.0], [1.0, 1.0, 0.5], [2.0, 2.0, -1.0], [1.0, 3.0, 1.0]])
    found = get(mu.create_rotation_matrix_from_view(*give(eyes, targets), up_axis=up))
    direction = (targets - eyes) / np.linalg.norm(targets - eyes, axis=-1, keepdims=True)
    assert close(found.transpose(0, 2, 1) @ found, np.tile(np.eye(3), (4, 1, 1)))
    assert close(np.linalg.det(found), np.ones(4)) and close(found[:, :, 2], -direction)
    assert np.allclose(found[:, "XYZ".index(up), 0], 0.0, atol=1e-9)  # the horizon is level
    assert (found[:, "XYZ".index(up), 1] > -1e-9).all()  # nothing is upside down


@quick
@given(q=quaternions())
def test_camera_conventions(give, q):
    axes: Any = {"opengl": ([0, 0, -1], [0, 1, 0]), "ros": ([0, 0, 1], [0, -1, 0]), "world": ([1, 0, 0], [0, 0, 1])}
    for origin, (forward, up) in axes.items():
        for target, (new_forward, new_up) in axes.items():
            found = mu.convert_camera_frame_orientation_convention(give(q), origin, target)
            assert close(scipy(get(found)).apply(new_forward), scipy(q).apply(forward))
            assert close(scipy(get(found)).apply(new_up), scipy(q).apply(up))
            if origin != target:  # of a quaternion and its opposite, Isaac Lab's test of a camera asks for this one
                assert get(found).max() >= -get(found).min() - 1e-6


# -- samples ---------------------------------------------------------------------------------------------------------


def test_samples_have_their_distributions(api, device):
    low, high = np.array([-1.0, 2.0]), np.array([1.0, 6.0])
    flat = get(mu.sample_uniform(mu.saturate(low, low, high), high, (20_000, 2), device))
    assert (flat >= low).all() and (flat <= high).all() and np.allclose(flat.mean(0), [0.0, 4.0], atol=0.05)
    whole = get(mu.sample_uniform(-1, 1, 7, device))
    assert whole.shape == (7,) and whole.dtype == get(mu.sample_log_uniform(1, 2, 3, device)).dtype == np.float32
    logarithms = np.log10(get(mu.sample_log_uniform(0.01, 100.0, (20_000,), device)))
    assert abs(logarithms.mean()) < 0.05 and abs(logarithms.std() - 4 / math.sqrt(12)) < 0.03
    bell = get(mu.sample_gaussian(3.0, 0.5, (20_000,), device))
    assert abs(bell.mean() - 3.0) < 0.02 and abs(bell.std() - 0.5) < 0.02
    ends = get(mu.sample_triangle(0.0, 2.0, (20_000,), device))
    assert (ends >= 0).all() and (ends <= 2).all() and abs(np.abs(ends - 1).mean() - 2 / 3) < 0.01
    side = get(mu.sample_cylinder(0.5, (1.0, 2.0), (100, 20), device))
    assert side.shape == (100, 20, 3) and np.allclose(np.hypot(side[..., 0], side[..., 1]), 0.5, atol=1e-6)
    assert side[..., 2].min() >= 1 and side[..., 2].max() <= 2 and abs(side[..., :2].mean()) < 0.02
    assert np.abs(get(mu.sample_cylinder(0.5, 1.0, 100, device))[:, 2]).max() <= 0.5


def test_random_orientations(api, device):
    q = get(mu.random_orientation(5_000, device))
    assert q.shape == (5_000, 4) and np.allclose(np.linalg.norm(q, axis=1), 1.0, atol=1e-6)
    assert np.abs(scipy(q).as_matrix().mean(0)).max() < 0.03  # uniform over rotations: the mean matrix is zero
    yaw = get(mu.random_yaw_orientation(5_000, device))
    assert np.abs(yaw[:, 1:3]).max() == 0 and abs(scipy(yaw).as_matrix()[:, 0, :2].mean()) < 0.03
    assert get(mu.default_orientation(2, device)).tolist() == [[1, 0, 0, 0]] * 2
    rotation = get(mu.generate_random_transformation_matrix(0.25, 0.1))
    assert np.allclose(rotation[:3, :3] @ rotation[:3, :3].T, np.eye(3), atol=1e-6)
    assert np.abs(rotation[:3, 3]).max() <= 0.25 and Rotation.from_matrix(rotation[:3, :3]).magnitude() <= 0.3


# -- TorchScript -----------------------------------------------------------------------------------------------------


def test_functions_can_be_called_from_torchscript(torch, device):
    def distance(a, b):
        return mu.quat_error_magnitude(mu.quat_mul(a, b), b)

    scripted = torch.jit.script(distance)
    a, b = mu.random_orientation(3, device), mu.random_orientation(3, device)
    assert torch.equal(scripted(a, b), distance(a, b))


def test_torchscript_may_leave_out_what_is_optional(torch, device):
    def call(q, v):
        return mu.normalize(v), mu.euler_xyz_from_quat(q), mu.combine_frame_transforms(v, q)

    q, v = mu.random_orientation(3, device), torch.randn(3, 3, device=device)
    for found, wanted in zip(torch.jit.script(call)(q, v), call(q, v), strict=True):
        for one, other in zip(found, wanted, strict=True):
            assert torch.equal(one, other)
    assert "eps" in inspect.signature(mu.normalize).parameters and mu.normalize.__doc__


def test_torchscript_takes_isaac_sims_functions(torch, device):
    from phalanx.facade.isaacsim.core.utils import torch as tu

    def call(q, v):
        rows = tu.compute_heading_and_up(q, q, v, v, v, 2), tu.compute_rot(q, v, v, v, v)
        return rows, tu.tf_combine(q, v, q, v), tu.tf_inverse(q, v), tu.quat_from_euler_xyz(v[:, 0], v[:, 1], v[:, 2])

    q, v = mu.random_orientation(3, device), torch.randn(3, 3, device=device)
    found, wanted = torch.jit.script(call)(q, v), call(q, v)
    flat = torch.utils._pytree.tree_leaves
    for one, other in zip(flat(found), flat(wanted), strict=True):
        torch.testing.assert_close(one, other)
    back, at = tu.tf_combine(*tu.tf_inverse(q, v), q, v)
    torch.testing.assert_close(at, torch.zeros_like(v), atol=1e-5, rtol=0.0)
    torch.testing.assert_close(back.abs(), torch.tensor([1.0, 0, 0, 0], device=device).expand(3, 4), atol=1e-5, rtol=0)


def test_torchscript_takes_all_functions_but_samples_between_limits_of_any_type(torch, tmp_path):
    """Each function is compiled in a module that calls it with every argument."""
    refused = set()
    for name in mu.__all__:
        signature = re.sub(r"Literal\[[^]]*\]", "str", str(inspect.signature(getattr(mu, name))))
        arguments = ", ".join(inspect.signature(getattr(mu, name)).parameters)
        (tmp_path / f"calls_{name}.py").write_text(
            f"import torch\nfrom {mu.__name__} import {name}\n\ndef call{signature}:\n    return {name}({arguments})\n"
        )
        call = runpy.run_path(str(tmp_path / f"calls_{name}.py"))["call"]
        try:
            torch.jit.script(call)
        except (TypeError, RuntimeError):
            refused.add(name)
    assert refused == {"sample_cylinder", "sample_gaussian", "sample_log_uniform", "sample_triangle", "sample_uniform"}


def test_torchscript_compiles_functions_themselves(torch):
    """``torch.jit.script(function)`` does, as it does with Isaac Lab's own."""
    from phalanx.facade.isaacsim.core.utils import torch as tu

    q, v = mu.random_orientation(3, "cpu"), torch.randn(3, 3)
    for name in mu.__all__:
        if not name.startswith("sample_"):
            torch.jit.script(getattr(mu, name))
    for name in ("quat_mul", "quat_conjugate", "quat_apply", "quat_rotate", "torch_rand_float", "saturate", "tf_apply"):
        torch.jit.script(getattr(tu, name))
    assert torch.equal(torch.jit.script(mu.quat_apply)(q, v), mu.quat_apply(q, v))
    assert torch.equal(torch.jit.script(mu.convert_quat)(q, to="xyzw"), mu.convert_quat(q, to="xyzw"))
    assert torch.jit.script(tu.torch_rand_float)(2.0, 3.0, (4, 2), "cpu").shape == (4, 2)
    assert torch.jit.script(tu.torch_random_dir_2)((4, 1), "cpu").shape == (4, 2)
