"""Every robot of example-robot-data loads, or says why not, and has the numbers that Pinocchio reads."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import real_robots
from scipy.spatial.transform import Rotation

from phalanx.io.formats.urdf import load_urdf
from phalanx.io.reading.errors import LoadError
from phalanx.models.robot_model import RobotModel

# Files of example-robot-data that cannot be simulated, and why.
REFUSED = {
    "alex_psyonic_hands.urdf": 'mimics joint "index_q1", which does not exist',
    "romeo.urdf": "neither that link nor any link it carries has mass",
    "romeo_laas_small.urdf": "neither that link nor any link it carries has mass",
    "romeo_small.urdf": r"<link name=\"R(Shoulder|Elbow)YawLink\">: its inertia violates the triangle inequality",
    "ur3.urdf": "has no <link>",  # an empty <robot>
}


def rotation(quaternion: tuple[float, ...]) -> np.ndarray:
    return Rotation.from_quat(quaternion, scalar_first=True).as_matrix()


def placements(model: RobotModel) -> dict[str, np.ndarray]:
    """(4, 4) pose of every body relative to the root's, with all joints at zero."""
    poses = {model.root: np.eye(4)}
    waiting = list(model.joints)
    while waiting:
        for one in [j for j in waiting if j.parent in poses]:
            local = np.eye(4)
            local[:3, :3], local[:3, 3] = rotation(one.orientation), one.position
            poses[one.child] = poses[one.parent] @ local
            waiting.remove(one)
    return poses


def all_robot_files() -> list[Path]:
    return sorted(real_robots.robots_folder().rglob("*.urdf"))


@pytest.mark.parametrize("file", all_robot_files(), ids=lambda file: file.name)
def test_every_real_robot_loads_or_says_why_not(file: Path) -> None:
    if file.name in REFUSED:
        with pytest.raises(LoadError, match=REFUSED[file.name]):
            load_urdf(file, visuals=False)
        return
    model = load_urdf(file, visuals=False)
    assert len(model.joints) == len(model.bodies) - 1
    assert sum(b.mass for b in model.bodies) > 0.0


@pytest.mark.parametrize(
    "name", ["go2", "anymal_c", "panda", "hyq", "talos", "solo12", "g1", "icub", "kinova", "ur5", "tiago"]
)
def test_agrees_with_pinocchio(robot_path: Callable[[str], Path], name: str) -> None:
    pin = pytest.importorskip("pinocchio")
    file = robot_path(name)
    model = load_urdf(file, visuals=False)
    reference = pin.buildModelFromUrdf(str(file), pin.JointModelFreeFlyer())
    data, zero = reference.createData(), pin.neutral(reference)
    pin.framesForwardKinematics(reference, data, zero)

    poses = placements(model)
    for b in model.bodies:
        expected = data.oMf[reference.getFrameId(b.name, pin.FrameType.BODY)].homogeneous
        np.testing.assert_allclose(poses[b.name], expected, atol=1e-12, err_msg=b.name)

    masses = np.array([b.mass for b in model.bodies])
    centres = np.array([(poses[b.name] @ [*b.com, 1.0])[:3] for b in model.bodies])
    assert masses.sum() == pytest.approx(pin.computeTotalMass(reference), rel=1e-12)
    centre = masses @ centres / masses.sum()
    np.testing.assert_allclose(centre, pin.centerOfMass(reference, data, zero), atol=1e-12)

    pin.ccrba(reference, data, zero, np.zeros(reference.nv))
    total = np.zeros((3, 3))
    for b, mass, c in zip(model.bodies, masses, centres - centre, strict=True):
        turn = poses[b.name][:3, :3]
        total += turn @ b.inertia @ turn.T + mass * (c @ c * np.eye(3) - np.outer(c, c))
    np.testing.assert_allclose(total, data.Ig.inertia, rtol=1e-10, atol=1e-10)

    for j in model.joints:
        if j.type in ("revolute", "prismatic"):
            at = reference.joints[reference.getJointId(j.name)]
            limits = reference.lowerPositionLimit[at.idx_q], reference.upperPositionLimit[at.idx_q]
            assert (j.lower, j.upper) == pytest.approx(limits), j.name


def test_a_robot_with_meshes_survives_a_json_file(robot_path: Callable[[str], Path]) -> None:
    model = load_urdf(robot_path("solo12"))
    assert any(s.kind == "mesh" for b in model.bodies for s in b.collisions)
    copy = RobotModel.from_dict(json.loads(json.dumps(model.to_dict())))
    assert copy.to_dict() == model.to_dict()
    for one, other in zip(model.bodies, copy.bodies, strict=True):
        for shape, again in zip(one.collisions, other.collisions, strict=True):
            np.testing.assert_array_equal(shape.vertices, again.vertices)
            np.testing.assert_array_equal(shape.faces, again.faces)
