"""Stand-ins of arms reach as far as their makers say, and scenery is where scripts expect it."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from phalanx.assets import arms, scenery
from phalanx.maths.arrays import matrix
from phalanx.models.robot_model import RobotModel


def places(model: RobotModel, angles: dict[str, float] | None = None) -> dict[str, np.ndarray]:
    """Poses (4, 4) of all bodies in the root's frame, by joints alone."""
    found, angles = {model.root: np.eye(4)}, angles or {}
    for joint in model.joints:
        pose = np.eye(4)
        pose[:3, :3], pose[:3, 3] = matrix(np.asarray(joint.orientation)), joint.position
        turned = np.eye(4)
        angle, axis = angles.get(joint.name, 0.0), np.asarray(joint.axis)
        cross = np.cross(np.eye(3), axis) * -1.0
        turned[:3, :3] += np.sin(angle) * cross + (1.0 - np.cos(angle)) * cross @ cross
        found[joint.child] = found[joint.parent] @ pose @ turned
    return found


def reach(model: RobotModel, shoulder: str, last: str, tip: tuple[float, float, float]) -> float:
    """The farthest that a point of the last body can be from the shoulder, m, whatever the limits of joints."""
    above, names, name = {one.child: one for one in model.joints}, [], last
    while name != shoulder:
        names.append(above[name].name)
        name = above[name].parent

    def lost(angles: np.ndarray) -> float:
        found = places(model, dict(zip(names, angles, strict=True)))
        return -float(np.linalg.norm((found[last] @ [*tip, 1.0])[:3] - found[shoulder][:3, 3]))

    starts = np.random.default_rng(0).uniform(-3.0, 3.0, (4, len(names)))
    return max(-minimize(lost, start, method="Nelder-Mead", options={"maxiter": 1500}).fun for start in starts)


@pytest.mark.parametrize(
    ("make", "shoulder", "last", "tip", "published", "within"),
    [
        (arms.gen3, "half_arm_1_link", "bracelet_link", (0.0, 0.0, -0.0615), 0.902, 0.005),
        # 0.900 m is given to the grasp's middle, which the description has 0.16 m from the last joint
        (arms.jaco_7, "j2n7s300_link_2", "j2n7s300_link_7", (0.0, 0.0, -0.16), 0.9, 0.015),
        (arms.jaco_6, "j2n6s300_link_2", "j2n6s300_link_6", (0.0, 0.0, -0.16), 0.9, 0.015),
    ],
)
def test_arms_reach_as_far_as_published(make, shoulder, last, tip, published, within) -> None:
    assert reach(make(), shoulder, last, tip) == pytest.approx(published, rel=within)


def test_gen3_points_straight_up_at_zero() -> None:
    pose = places(arms.gen3())["bracelet_link"]
    tip = (pose @ [0.0, 0.0, -0.0615, 1.0])[:3]
    assert tip == pytest.approx([0.0, 0.0, 1.187], abs=0.03), "its maker's drawing has 1187 mm"


def test_the_load_carrier_is_open_above_and_as_large_as_the_script_says() -> None:
    shapes = scenery.load_carrier().bodies[0].collisions
    low = np.min([np.array(one.position) - one.size for one in shapes], axis=0)
    high = np.max([np.array(one.position) + one.size for one in shapes], axis=0)
    assert high - low == pytest.approx([0.2, 0.3, 0.147]) and high + low == pytest.approx([0.0, 0.0, 0.0])
    above = [one for one in shapes if one.position[2] > 0.01]
    assert not above, "nothing closes it"


def test_rough_ground_is_the_same_each_time_and_faces_up() -> None:
    (one,), (again,) = scenery.rough_plane(), scenery.rough_plane()
    assert one.vertices is not None and one.faces is not None and again.vertices is not None
    assert np.array_equal(one.vertices, again.vertices)
    a, b, c = (one.vertices[one.faces[:, i]] for i in range(3))
    assert (np.cross(b - a, c - a)[:, 2] > 0.0).all()
    assert np.abs(one.vertices[:, 2]).max() <= 0.1 and np.ptp(one.vertices[:, 2]) > 0.15
