"""Bodies that fixed joints connect, made one: the same robot with fewer names."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from real_robots import robot_path

from phalanx.io.formats import library
from phalanx.io.formats.urdf import load_urdf
from phalanx.maths.arrays import matrix
from phalanx.models.articulation import flatten
from phalanx.models.merging import merge_fixed_joints
from phalanx.models.robot_model import Body, Joint, RobotModel
from phalanx.models.tendons import Attachment, SpatialTendon


def check(model: RobotModel) -> RobotModel:
    """Compare what the engine makes of a model before and after."""
    before = model.to_dict()
    merged = merge_fixed_joints(model)
    assert model.to_dict() == before, "the model itself stays as it is"
    assert all(joint.type != "fixed" for joint in merged.joints)
    expected, found = (flatten(one, fixed_base=True) for one in (model, merged))
    assert {link.name for link in found.links} == {body.name for body in merged.bodies if not body.hidden}
    assert set(found.dof_names) == set(expected.dof_names)
    # Which of two links comes first may change, as one is no longer farther from the root.
    theirs = {link.joint and link.joint.name: link for link in found.links}
    for a in expected.links:
        b = theirs[a.joint and a.joint.name]
        assert (a.name, a.joint_type) == (b.name, b.joint_type)
        assert a.parent < 0 or expected.links[a.parent].name == found.links[b.parent].name
        for key in ("position", "axis", "mass", "com", "inertia", "gravity_scale"):
            np.testing.assert_allclose(getattr(b, key), getattr(a, key), atol=1e-12, err_msg=f"{key} of {a.name}")
        np.testing.assert_allclose(matrix(b.orientation), matrix(a.orientation), atol=1e-12)
    places = [
        sorted((of.links[one.link].name, one.kind, *np.round([*one.size, *one.position], 9)) for one in of.collisions)
        for of in (expected, found)
    ]
    assert places[0] == places[1]
    return merged


@pytest.mark.parametrize("name", library.names())
def test_shipped_robots_move_alike(name: str) -> None:
    model = library.load_robot(name, visuals=False)
    merged = check(model)
    assert len(merged.bodies) == len(model.bodies) - sum(joint.type == "fixed" for joint in model.joints)


@pytest.mark.parametrize("name", ["panda", "ur5_gripper", "tiago"])
def test_real_robots_move_alike(name: str) -> None:
    model = load_urdf(robot_path(name), visuals=False)
    for body in model.bodies:
        body.collisions = [shape for shape in body.collisions if shape.kind != "mesh"]
    check(model)


def test_frames_of_joints_in_children_tendons_and_pairs_move_along() -> None:
    bodies = [Body(name, 1.0, (0.1, 0.0, 0.2), np.diag([0.1, 0.2, 0.25])) for name in "abcd"]
    half = float(np.sqrt(0.5))
    joints = [
        Joint("ab", "fixed", "a", "b", (0.0, 0.0, 1.0), (half, 0.0, 0.0, half)),
        Joint("bc", "revolute", "b", "c", (1.0, 0.0, 0.0), axis=(0.0, 0.0, 1.0)),
        Joint("cd", "fixed", "c", "d", (1.0, 0.0, 0.0)),
    ]
    joints[0].child_position, joints[0].child_orientation = (0.5, 0.0, 0.0), (half, half, 0.0, 0.0)
    model = RobotModel("r", bodies, joints, disabled_pairs=[("a", "b"), ("b", "d")])
    bodies[1].gravity_scale = 0.0
    model.spatial_tendons = [SpatialTendon("s", [Attachment("b"), Attachment("d", (0.0, 2.0, 0.0), parent=0)])]
    merged = check(model)
    assert merged.disabled_pairs == [("a", "c")] and merged.bodies[0].gravity_scale == 0.5
    ends = [(one.body, one.position) for one in merged.spatial_tendons[0].attachments]
    assert ends[1] == ("c", (1.0, 2.0, 0.0)) and ends[0][0] == "a"
    # b's origin in a: the joint's frame is turned by a quarter about z, and lies at (0.5, 0, 0) of b, turned about x.
    turned = matrix(np.array([half, 0.0, 0.0, half])) @ matrix(np.array([half, half, 0.0, 0.0])).T
    np.testing.assert_allclose(ends[0][1], np.array([0.0, 0.0, 1.0]) - turned @ [0.5, 0.0, 0.0], atol=1e-12)
    assert dataclasses.replace(model).bodies[0].mass == 1.0
