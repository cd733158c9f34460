"""The shipped robots load without a complaint, stand on the ground, and are found by name."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

from phalanx.io.formats import library
from phalanx.io.formats.urdf import load_urdf
from phalanx.io.reading.errors import LoadError
from phalanx.models.robot_model import RobotModel, Shape

MOVING = {
    "arm": 9,
    "cartpole": 2,
    "double_pendulum": 2,
    "humanoid": 27,
    "quadrotor": 0,
    "quadruped": 12,
}
MASSES = {"humanoid": 70.0, "quadruped": 13.44, "quadrotor": 0.027}


def load(name: str) -> RobotModel:
    return load_urdf(library.path(name))


def moving(model: RobotModel) -> list[str]:
    return [joint.name for joint in model.joints if joint.type != "fixed"]


def transform(rotation: Rotation, position: tuple[float, ...]) -> np.ndarray:
    out = np.eye(4)
    out[:3, :3], out[:3, 3] = rotation.as_matrix(), position
    return out


def placements(model: RobotModel, height: float, pose: dict[str, float]) -> dict[str, np.ndarray]:
    """(4, 4) world pose of every body with the root upright at ``height``."""
    out = {model.root: transform(Rotation.identity(), (0, 0, height))}
    waiting = list(model.joints)
    while waiting:
        for joint in [j for j in waiting if j.parent in out]:
            q = pose.get(joint.name, 0.0)
            axis = np.array(joint.axis)
            if joint.type == "prismatic":
                motion = transform(Rotation.identity(), tuple(q * axis))
            else:
                motion = transform(Rotation.from_rotvec(q * axis), (0, 0, 0))
            frame = transform(Rotation.from_quat(joint.orientation, scalar_first=True), joint.position)
            out[joint.child] = out[joint.parent] @ frame @ motion
            waiting.remove(joint)
    return out


def nominal(name: str) -> tuple[RobotModel, dict[str, np.ndarray]]:
    model, defaults = load(name), library.defaults(name)
    return model, placements(model, defaults.base_height, defaults.joint_pos)


def lowest_points(shape: Shape) -> np.ndarray:
    """Points (n, 3) in the shape's frame among which its lowest is, once ``drop`` is taken off (sphere: radius)."""
    if shape.kind == "sphere":
        return np.zeros((1, 3))
    assert shape.kind == "box", "shipped robots collide by spheres and boxes"
    return np.array(np.meshgrid(*[(-h, h) for h in shape.size])).reshape(3, -1).T


def contacts(model: RobotModel, poses: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Per colliding body, the lowest candidate points (n, 3) of its shapes in the world."""
    out: dict[str, np.ndarray] = {}
    for body in model.bodies:
        for shape in body.collisions:
            frame = poses[body.name] @ transform(
                Rotation.from_quat(shape.orientation, scalar_first=True), shape.position
            )
            points = lowest_points(shape) @ frame[:3, :3].T + frame[:3, 3]
            if shape.kind == "sphere":
                points = points - (0, 0, shape.size[0])
            out[body.name] = np.concatenate([out.get(body.name, np.empty((0, 3))), points])
    return out


def centre_of_mass(model: RobotModel, poses: dict[str, np.ndarray]) -> np.ndarray:
    masses = np.array([body.mass for body in model.bodies])
    centres = np.array([(poses[body.name] @ [*body.com, 1.0])[:3] for body in model.bodies])
    return masses @ centres / masses.sum()


def test_every_file_is_in_the_table_and_back() -> None:
    assert sorted(file.stem for file in library.FOLDER.glob("*.urdf")) == sorted(library.names()) == sorted(MOVING)


@pytest.mark.parametrize("name", MOVING)
def test_shipped_robots_load_without_warnings(name: str) -> None:
    model = load(name)
    assert model.name == name
    assert model.warnings == []
    assert len(moving(model)) == MOVING[name]
    assert sum(body.mass for body in model.bodies) == pytest.approx(MASSES.get(name, sum(b.mass for b in model.bodies)))
    assert all(
        body.mass > 0.0
        for body in model.bodies
        if any(body.name == j.child and j.type != "fixed" for j in model.joints)
    )


@pytest.mark.parametrize("name", MOVING)
def test_other_engines_read_the_shipped_files(name: str) -> None:
    mujoco = pytest.importorskip("mujoco")
    assert mujoco.MjModel.from_xml_path(str(library.path(name))).nv == MOVING[name]


@pytest.mark.parametrize("name", MOVING)
def test_nominal_pose_names_joints_and_keeps_their_limits(name: str) -> None:
    model, defaults = load(name), library.defaults(name)
    assert set(defaults.joint_pos) <= set(moving(model))
    for joint in model.joints:
        assert joint.lower <= defaults.joint_pos.get(joint.name, 0.0) <= joint.upper, joint.name
        if joint.mimic:
            leader = defaults.joint_pos[joint.mimic.joint]
            assert defaults.joint_pos[joint.name] == joint.mimic.multiplier * leader + joint.mimic.offset


@pytest.mark.parametrize(
    ("name", "feet"),
    [
        ("quadruped", ("FL_foot", "FR_foot", "RL_foot", "RR_foot")),
        ("humanoid", ("left_foot", "right_foot")),
        ("quadrotor", ("base",)),
    ],
)
def test_feet_just_touch_the_ground_and_hold_the_centre_of_mass(name: str, feet: tuple[str, ...]) -> None:
    model, poses = nominal(name)
    touching = contacts(model, poses)
    support = []
    for body, points in touching.items():
        if body in feet:
            assert points[:, 2].min() == pytest.approx(0.0, abs=1e-12), body
            support.append(points[points[:, 2] < 1e-9][:, :2])
        else:
            assert points[:, 2].min() > 0.01, body
    hull = ConvexHull(np.concatenate(support))
    centre = centre_of_mass(model, poses)
    inside = -(hull.equations[:, :2] @ centre[:2] + hull.equations[:, 2]).max()
    assert inside > {"quadrotor": 0.02}.get(name, 0.05)
    assert centre[1] == pytest.approx(0.0, abs=1e-12)  # the same on both sides


def test_quadruped_feet_are_under_its_hips() -> None:
    _, poses = nominal("quadruped")
    for leg in ("FL", "FR", "RL", "RR"):
        np.testing.assert_allclose(poses[f"{leg}_foot"][:2, 3], poses[f"{leg}_thigh"][:2, 3], atol=1e-12)


def test_humanoid_feet_are_flat() -> None:
    _, poses = nominal("humanoid")
    for side in ("left", "right"):
        np.testing.assert_allclose(poses[f"{side}_foot"][:3, :3], np.eye(3), atol=1e-12)


def test_humanoid_has_a_mans_height_and_reach() -> None:
    model = load("humanoid")
    poses = placements(model, 0.0, {})
    top = poses["head"][2, 3] + 0.105
    assert 1.65 < top - poses["left_foot"][2, 3] + 0.07 < 1.80
    below = [poses[f"left_{part}"][2, 3] for part in ("upper_arm", "forearm", "wrist", "hand")]
    assert all(a > b for a, b in pairwise(below))


def test_arm_reaches_where_its_published_parameters_say() -> None:
    """At zero the flange is at (0.088, 0, 0.333 + 0.316 + 0.384 - 0.107) and looks down."""
    model = load("arm")
    poses = placements(model, 0.0, {})
    np.testing.assert_allclose(poses["hand"][:3, 3], (0.088, 0.0, 0.926), atol=1e-12)
    np.testing.assert_allclose(poses["hand"][:3, 2], (0, 0, -1), atol=1e-12)
    opened = placements(model, 0.0, {"left_finger_joint": 0.04, "right_finger_joint": 0.04})
    assert np.linalg.norm(opened["left_finger"][:3, 3] - opened["right_finger"][:3, 3]) == pytest.approx(0.08)


@pytest.mark.parametrize("name", ["arm", "humanoid", "quadruped"])
def test_gains_are_given_for_every_joint(name: str) -> None:
    joints = moving(load(name))
    defaults = library.defaults(name)
    stiffness, damping = defaults.gains(joints)
    assert len(stiffness) == len(damping) == len(defaults.pose(joints)) == len(joints)
    assert min(stiffness) > 0.0
    assert min(damping) > 0.0


def test_first_matching_gain_counts_and_others_are_passive() -> None:
    stiffness, damping = library.defaults("arm").gains(["left_finger_joint", "joint1"])
    assert (stiffness, damping) == ([2000.0, 400.0], [50.0, 40.0])
    assert library.defaults("cartpole").gains(["slider", "hinge"]) == ([0.0, 0.0], [0.0, 0.0])


# -- names and paths -------------------------------------------------------------------------------------------


def test_resolve_names_and_paths(tmp_path: Path) -> None:
    assert library.resolve("quadruped") == library.path("quadruped")
    file = tmp_path / "own.urdf"
    file.write_text("<robot/>")
    assert library.resolve(str(file)) == library.resolve(file) == file


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (
            "quadrupd",
            '"quadrupd" is neither a file nor a shipped robot; did you mean "quadruped"? Shipped are arm, cart',
        ),
        ("spot", '"spot" is neither a file nor a shipped robot. Shipped are arm, cartpole, double_pendulum, humanoid'),
        ("folder/quadruped", "folder/quadruped: no such file; check the path (the current folder is "),
        ("anymal.urdf", "anymal.urdf: no such file; check the path"),
        (".", ".: this is a folder; give the robot file inside it."),
    ],
)
def test_resolve_says_what_is_wrong(given: str, words: str) -> None:
    with pytest.raises(LoadError) as caught:
        library.resolve(given)
    assert words in str(caught.value)


@pytest.mark.parametrize("function", [library.path, library.defaults])
def test_unknown_names_are_refused_everywhere(function) -> None:
    with pytest.raises(LoadError, match="neither a file nor a shipped robot"):
        function("../robots/arm")
