"""Tensor views of what few robots have: tendons, ball joints, planar joints; and roots that cannot move."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from facade.physx_scenes import DT, G, crane, floats, transforms
from oracles import host

import phalanx as px
from phalanx.facade.physx import ArticulationView, DofDriveType, DofType, JointType
from phalanx.models.robot_model import Body, Joint, RobotModel

ENVS = 3


@pytest.fixture(scope="module")
def pulled(device: str) -> px.Robot:
    """A crane with two fixed tendons and a spatial one; never stepped."""
    tendons = [
        px.FixedTendon("first", {"shoulder": 1.0, "elbow": -0.5}, stiffness=10.0),
        px.FixedTendon("second", {"slide": 2.0}, stiffness=20.0, damping=3.0),
        px.SpatialTendon(
            "rope",
            [px.Attachment("base", (0.1, 0.0, 0.0)), px.Attachment("hand", (0.0, 0.1, 0.0), parent=0)],
            stiffness=5.0,
        ),
    ]
    return px.World(ENVS, device, dt=DT).add_robot(crane(), fixed_base=True, tendons=tendons)


def test_tendons(pulled: px.Robot, api: str, give: Any) -> None:
    view = ArticulationView(pulled.world, pulled)
    assert (view.max_fixed_tendons, view.max_spatial_tendons) == (2, 1)
    rng = np.random.default_rng(0)
    names = ["stiffnesses", "dampings", "limit_stiffnesses", "limits", "rest_lengths", "offsets"]
    for sort, count, chosen in (("fixed", 2, names), ("spatial", 1, [*names[:3], "offsets"])):
        values = {name: rng.uniform(0, 9, (ENVS, count, 2) if name == "limits" else (ENVS, count)) for name in chosen}
        if "limits" in values:
            values["limits"] = np.sort(values["limits"], axis=-1)
        before = {name: floats(getattr(view, f"get_{sort}_tendon_{name}")()) for name in chosen}
        getattr(view, f"set_{sort}_tendon_properties")(*map(give, values.values()), [2, 0])
        for name, given in values.items():
            found = floats(getattr(view, f"get_{sort}_tendon_{name}")())
            assert found.shape == given.shape
            np.testing.assert_allclose(found[[2, 0]], given[[2, 0]], rtol=1e-6, err_msg=f"{sort} {name}")
            np.testing.assert_array_equal(found[1], before[name][1], err_msg=f"{sort} {name}")


def test_fixed_roots_are_placed_but_do_not_move(pulled: px.Robot, api: str, give: Any) -> None:
    view = ArticulationView(pulled.world, pulled)
    poses = transforms(np.random.default_rng(1), ENVS)
    view.set_root_transforms(give(poses))
    np.testing.assert_allclose(floats(view.get_root_transforms()), poses, atol=2e-6)
    view.set_root_velocities(give(np.ones((ENVS, 6))))
    assert not floats(view.get_root_velocities()).any()
    assert not floats(view.get_link_velocities()).any()


@pytest.fixture(scope="module")
def loose(device: str) -> px.Robot:
    """A base with a ball joint and, beyond it, a planar joint; gravity pulls in three directions."""
    inertia = np.diag([0.02, 0.03, 0.04])
    bodies = [Body(name, 1.0 + i, (0.05, 0.1, -0.2), inertia) for i, name in enumerate(("base", "ball", "plate"))]
    joints = [
        Joint("hip", "spherical", "base", "ball", (0.1, 0.0, 0.0)),
        Joint("table", "planar", "ball", "plate", (0.0, 0.0, -0.3), axis=(0.0, 0.0, 1.0)),
    ]
    world = px.World(ENVS, device, dt=DT, gravity=(1.0, 2.0, -G))
    return world.add_robot(RobotModel("loose", bodies, joints), fixed_base=True)


def test_joints_of_several_dofs(loose: px.Robot, api: str, give: Any) -> None:
    view = ArticulationView(loose.world, loose)
    meta = view.shared_metatype
    assert meta.joint_names == ["hip", "table"] and meta.joint_dof_counts == [3, 3] and meta.joint_dof_offsets == [0, 3]
    assert meta.joint_types == [JointType.Spherical, JointType.Invalid]
    turns, moves = DofType.Rotation, DofType.Translation
    assert meta.dof_types == [turns, turns, turns, moves, moves, turns]
    kinds = floats(view.get_drive_types())[0].tolist()
    assert kinds == [DofDriveType.None_] * 3 + [DofDriveType.Force] * 3
    rng = np.random.default_rng(2)
    given = rng.uniform(-0.5, 0.5, (ENVS, 6))
    before = floats(view.get_dof_positions())
    view.set_dof_positions(give(given), [1])
    np.testing.assert_allclose(floats(view.get_dof_positions())[1], given[1], atol=1e-6)
    np.testing.assert_array_equal(floats(view.get_dof_positions())[[0, 2]], before[[0, 2]])
    np.testing.assert_allclose(floats(view.get_dof_positions()), host(loose.joint_pos), atol=1e-7)
    limits = np.tile([-1.0, 1.0], (ENVS, 6, 1))
    view.set_dof_limits(give(limits))
    found = floats(view.get_dof_limits())
    assert np.array_equal(found[:, 3:], limits[:, 3:]) and (np.abs(found[:, :3]) > 1e38).all()


def test_forces_along_axes_of_joints_of_several_dofs(loose: px.Robot, api: str, give: Any) -> None:
    """Held still against gravity, joints transmit along each axis what gravity's compensation says."""
    view = ArticulationView(loose.world, loose)
    view.set_dof_positions(give(np.random.default_rng(3).uniform(-0.5, 0.5, (ENVS, 6))))
    view.set_dof_velocities(give(np.zeros((ENVS, 6))))
    hold = view.get_gravity_compensation_forces()
    view.set_dof_actuation_forces(hold)
    loose.world.step()
    assert np.abs(floats(view.get_dof_accelerations())).max() < 1e-2
    np.testing.assert_allclose(floats(view.get_dof_projected_joint_forces()), floats(hold), atol=5e-3)
