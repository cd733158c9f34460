"""Kinematics of serial chains against Pinocchio, and solutions of the inverse problem by putting them in."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import phalanx
from phalanx.io.formats.urdf import load_urdf
from phalanx.maths.arrays import from_matrix, matrix
from phalanx.models.serial_chain import SerialChain

ROBOTS = Path(phalanx.__file__).parent / "robots"
END = (0.02, -0.03, 0.1), (0.5, 0.5, -0.5, 0.5)


@pytest.fixture(scope="module")
def arm() -> SerialChain:
    model = load_urdf(ROBOTS / "arm.urdf")
    leaves = {one.name for one in model.bodies} - {joint.parent for joint in model.joints}
    return SerialChain(model, sorted(leaves)[0], *END)


def dispersed(chain: SerialChain, seed: int, share: float = 1.0) -> np.ndarray:
    low, high = np.maximum(chain.lower, -3.0), np.minimum(chain.upper, 3.0)
    middle, half = (low + high) / 2, (high - low) / 2 * share
    return np.random.default_rng(seed).uniform(middle - half, middle + half)


@pytest.mark.parametrize("file", ["arm.urdf", "humanoid.urdf", "quadruped.urdf", "cartpole.urdf"])
def test_frames_and_jacobians_against_pinocchio(file):
    pin = pytest.importorskip("pinocchio", reason="pinocchio is not installed (pip install pin)")
    model, other = load_urdf(ROBOTS / file), pin.buildModelFromUrdf(str(ROBOTS / file))
    data = other.createData()
    for body in [one.name for one in model.bodies][1:]:
        chain = SerialChain(model, body, *END)
        if not chain.joint_names:
            continue
        values = dispersed(chain, 1)
        q, columns = pin.neutral(other), []
        for name, value in zip(chain.joint_names, values, strict=True):
            joint = other.joints[other.getJointId(name)]
            q[joint.idx_q : joint.idx_q + joint.nq] = value if joint.nq == 1 else (np.cos(value), np.sin(value))
            columns.append(joint.idx_v)
        frame = other.getFrameId(body)
        pin.framesForwardKinematics(other, data, q)
        end = pin.SE3(matrix(np.array(END[1])), np.array(END[0]))
        found = chain.frame(values)
        np.testing.assert_allclose(found, (data.oMf[frame] * end).homogeneous, atol=1e-12)
        whole = pin.computeFrameJacobian(other, data, q, frame, pin.ReferenceFrame.LOCAL_WORLD_ALIGNED)[:, columns]
        reach = found[:3, 3] - data.oMf[frame].translation
        whole[:3] += np.cross(whole[3:].T, reach).T  # of the frame's origin rather than the body's
        np.testing.assert_allclose(chain.jacobian(values), whole, atol=1e-12)


@given(st.integers(0, 10_000))
@settings(max_examples=40, deadline=None)
def test_poses_that_can_be_reached_are(arm, seed):
    """From a posture nearby; where that one is at its limits, too."""
    goal = dispersed(arm, seed, 0.95)
    start = np.clip(goal + np.random.default_rng(seed).normal(0.0, 0.15, goal.size), arm.lower, arm.upper)
    pose = arm.frame(goal)
    found = arm.solve(pose[:3, 3], from_matrix(pose[:3, :3]), start, distance=1e-6, angle=1e-6, iterations=300)
    assert found.distance < 1e-5 and found.angle < 1e-4
    reached = arm.frame(found.positions)
    np.testing.assert_allclose(reached[:3, 3], pose[:3, 3], atol=1e-5)
    np.testing.assert_allclose(reached[:3, :3], pose[:3, :3], atol=1e-4)
    assert (found.positions >= arm.lower).all() and (found.positions <= arm.upper).all()


def test_places_alone_and_places_out_of_reach(arm):
    start = dispersed(arm, 3, 0.5)
    goal = arm.frame(dispersed(arm, 4, 0.5))[:3, 3]
    found = arm.solve(goal, None, start)
    assert found.distance < 1e-4 and found.angle == 0.0
    far = arm.solve([0.0, 0.0, 50.0], None, start)
    reach = np.linalg.norm(arm.frame(far.positions)[:3, 3] - [0.0, 0.0, 50.0])
    assert far.distance == pytest.approx(reach) and 45.0 < far.distance < 50.0


def test_what_is_no_chain():
    model = load_urdf(ROBOTS / "arm.urdf")
    with pytest.raises(KeyError, match="has no body 'nothing'"):
        SerialChain(model, "nothing")
    with pytest.raises(ValueError, match="positions have shape"):
        SerialChain(model, model.bodies[-1].name).frame([0.0])
