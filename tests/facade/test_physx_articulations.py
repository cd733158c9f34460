"""Tensor views of articulations: layouts, round trips, and frames and dynamics against independent formulas."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from facade.physx_scenes import DT, G, crane, floats, transforms, turned

import phalanx as px
from phalanx.facade.physx import ArticulationView, DofType, JointType
from phalanx.maths import arrays as rotations

ENVS = [1, 7]


class Scene:
    """A quadruped whose bodies' centres of mass are off their frames, differently in each environment."""

    def __init__(self, num_envs: int, device: str) -> None:
        rng = np.random.default_rng(3)
        self.world = px.World(num_envs, device, dt=DT)
        self.robot = self.world.add_robot("quadruped")
        coms = self.robot.default_root_pose[:1] * 0 + rng.uniform(-0.05, 0.05, (num_envs, self.robot.num_bodies, 3))
        self.robot.set_body_mass_properties(com=coms)
        self.coms = coms
        self.origins = rng.uniform(-20, 20, (num_envs, 3))

    def view(self) -> ArticulationView:
        return ArticulationView(self.world, self.robot, origins=self.origins)

    def disperse(self, give: Any, view: ArticulationView, seed: int = 5) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Random states; returns root poses, generalised velocities and joint positions."""
        rng, n = np.random.default_rng(seed), view.count
        poses, velocities = transforms(rng, n), rng.normal(size=(n, 18))
        joints = rng.uniform(-0.5, 0.5, (n, 12))
        put(give, view, poses, velocities, joints)
        return poses, velocities, joints


def put(give: Any, view: ArticulationView, poses: np.ndarray, velocities: np.ndarray, joints: np.ndarray) -> None:
    view.set_root_transforms(give(poses))
    view.set_dof_positions(give(joints))
    view.set_root_velocities(give(velocities[:, :6]))
    view.set_dof_velocities(give(velocities[:, 6:]))


@pytest.fixture(scope="module", params=ENVS)
def scene(request: pytest.FixtureRequest, device: str) -> Scene:
    return Scene(request.param, device)


@pytest.fixture(scope="module")
def arm(device: str) -> tuple[px.World, px.Robot]:
    """A fixed-base crane in 7 environments."""
    world = px.World(7, device, dt=DT)
    robot = world.add_robot(crane(), fixed_base=True, position=(1.0, 2.0, 3.0), orientation=(0.9, 0.1, -0.3, 0.2))
    return world, robot


SHAPES = {
    "root_transforms": (7,), "root_velocities": (6,),
    "link_transforms": ("links", 7), "link_velocities": ("links", 6), "link_accelerations": ("links", 6),
    "dof_positions": ("dofs",), "dof_velocities": ("dofs",), "dof_accelerations": ("dofs",),
    "dof_position_targets": ("dofs",), "dof_velocity_targets": ("dofs",), "dof_actuation_forces": ("dofs",),
    "dof_projected_joint_forces": ("dofs",), "dof_types": ("dofs",), "dof_motions": ("dofs",), "drive_types": ("dofs",),
    "dof_limits": ("dofs", 2), "dof_stiffnesses": ("dofs",), "dof_dampings": ("dofs",), "dof_max_forces": ("dofs",),
    "dof_max_velocities": ("dofs",), "dof_armatures": ("dofs",), "dof_friction_coefficients": ("dofs",),
    "dof_friction_properties": ("dofs", 3), "masses": ("links",), "inv_masses": ("links",), "coms": ("links", 7),
    "inertias": ("links", 9), "inv_inertias": ("links", 9), "disable_gravities": ("links",),
    "material_properties": ("shapes", 3), "contact_offsets": ("shapes",), "rest_offsets": ("shapes",),
    "jacobians": ("jacobian links", 6, "velocities"), "generalized_mass_matrices": ("velocities", "velocities"),
    "gravity_compensation_forces": ("velocities",),
    "coriolis_and_centrifugal_compensation_forces": ("velocities",),
    "link_incoming_joint_force": ("links", 6),
    "fixed_tendon_stiffnesses": (0,), "fixed_tendon_dampings": (0,), "fixed_tendon_limit_stiffnesses": (0,),
    "fixed_tendon_limits": (0, 2), "fixed_tendon_rest_lengths": (0,), "fixed_tendon_offsets": (0,),
    "spatial_tendon_stiffnesses": (0,), "spatial_tendon_dampings": (0,), "spatial_tendon_limit_stiffnesses": (0,),
    "spatial_tendon_offsets": (0,),
}  # fmt: skip


def check_shapes(view: ArticulationView) -> None:
    meta = view.shared_metatype
    base = int(meta.fixed_base)
    sizes = {"links": view.max_links, "dofs": view.max_dofs, "shapes": view.max_shapes}
    sizes |= {"jacobian links": view.max_links - base, "velocities": view.max_dofs + 6 - 6 * base}
    for name, shape in SHAPES.items():
        found = getattr(view, f"get_{name}")()
        assert tuple(found.shape) == (view.count, *(sizes.get(size, size) for size in shape)), name
        integers = name in ("dof_types", "dof_motions", "drive_types", "disable_gravities")
        assert str(found.dtype).endswith("uint8" if integers else "float32"), name
    rows, columns = view.jacobian_shape
    assert tuple(view.get_jacobians().shape[1:]) == (rows // 6, 6, columns)
    assert tuple(view.get_generalized_mass_matrices().shape[1:]) == view.generalized_mass_matrix_shape


def test_shapes(scene: Scene, arm: Any, api: str) -> None:
    check_shapes(scene.view())
    check_shapes(ArticulationView(*arm))


def test_metatype(scene: Scene, arm: Any) -> None:
    view = scene.view()
    meta = view.shared_metatype
    assert (meta.link_count, meta.joint_count, meta.dof_count, meta.fixed_base) == (17, 16, 12, False)
    assert meta.dof_names[:5] == ["FL_hip_joint", "FR_hip_joint", "RL_hip_joint", "RR_hip_joint", "FL_thigh_joint"]
    assert meta.link_indices["FL_foot"] == 13 and meta.joint_types[-1] == JointType.Fixed
    assert meta.joint_names[meta.joint_indices["FR_calf_joint"]] == "FR_calf_joint"
    assert meta.joint_dof_offsets[12:] == [12] * 4 and meta.joint_dof_counts == [1] * 12 + [0] * 4
    crane = ArticulationView(*arm).shared_metatype
    assert crane.fixed_base and crane.link_names == ["base", "upper", "lower", "sensor", "hand"]
    assert crane.joint_names == ["shoulder", "elbow", "weld", "slide"]
    assert crane.dof_types == [DofType.Rotation, DofType.Rotation, DofType.Translation]
    assert crane.link_parents == [-1, 0, 1, 2, 2]
    assert view.prim_paths[-1] == f"/World/envs/env_{view.count - 1}/robot" and view.is_homogeneous
    assert view.link_paths[0][13] == "/World/envs/env_0/robot/FL_foot"


SETTERS = {
    "dof_positions": (-0.5, 0.5), "dof_velocities": (-2.0, 2.0), "dof_position_targets": (-1.0, 1.0),
    "dof_velocity_targets": (-1.0, 1.0), "dof_actuation_forces": (-5.0, 5.0), "dof_stiffnesses": (0.0, 50.0),
    "dof_dampings": (0.0, 5.0), "dof_max_forces": (1.0, 50.0), "dof_max_velocities": (20.0, 50.0),
    "dof_armatures": (0.0, 0.1), "dof_friction_properties": (0.0, 1.0), "dof_friction_coefficients": (0.0, 1.0),
    "masses": (0.1, 2.0), "inertias": (0.5, 1.0), "material_properties": (0.1, 0.9), "contact_offsets": (0.02, 0.03),
    "rest_offsets": (0.0, 0.01), "root_velocities": (-1.0, 1.0), "dof_limits": (-1.0, 1.0), "coms": (-0.1, 0.1),
    "root_transforms": (-1.0, 1.0), "disable_gravities": (0.0, 0.0),
}  # fmt: skip


@pytest.mark.parametrize("name", SETTERS)
def test_what_is_set_is_what_is_there_and_other_rows_stay(name: str, device: str, api: str, give: Any) -> None:
    """On a subset of rows, in any order; the first value counts where there is something to keep to."""
    robot, view = editable(device)
    low, high = SETTERS[name]
    shape = tuple(getattr(view, f"get_{name}")().shape)
    rng = np.random.default_rng(len(name))
    values = rng.uniform(low, high, shape)
    if name == "root_transforms":
        values = transforms(rng, view.count)
    elif name == "coms":
        values[..., 3:] = (0, 0, 0, 1)
    elif name == "inertias":
        values = (np.eye(3) * values[..., :3, None] + 0.01).reshape(shape)
    elif name == "dof_limits":
        values = np.sort(values, axis=-1)
    elif name == "disable_gravities":
        values[::2] = 1
    others = {each: floats(getattr(view, f"get_{each}")()) for each in SETTERS}
    indices = give(np.array([5, 0, 2])) if api != "numpy" else [5, 0, 2]
    getattr(view, f"set_{name}")(give(values), indices)
    found, expected = floats(getattr(view, f"get_{name}")()), others[name].copy()
    expected[[5, 0, 2]] = values[[5, 0, 2]]
    np.testing.assert_allclose(found[[5, 0, 2]], expected[[5, 0, 2]], rtol=3e-6, atol=3e-6)
    stays = [1, 3, 4, 6]
    assert np.array_equal(found[stays], others[name][stays]), "rows that were not named changed"
    related = {"masses": set(), "coms": {"root_velocities"}, "root_transforms": {"root_velocities"}}
    linked = {"dof_friction_properties", "dof_friction_coefficients"}
    for each, before in others.items():
        if each == name or {each, name} <= linked or each in related.get(name, set()):
            continue
        np.testing.assert_array_equal(floats(getattr(view, f"get_{each}")()), before, err_msg=each)
    getattr(view, f"set_{name}")(give(values))
    np.testing.assert_allclose(floats(getattr(view, f"get_{name}")()), values, rtol=3e-6, atol=3e-6)
    assert robot.num_dof == 3


_editable: dict[str, Any] = {}


def editable(device: str) -> tuple[px.Robot, ArticulationView]:
    """A floating crane, which is never stepped, so that its kernels are compiled once."""
    if device not in _editable:
        world = px.World(7, device, dt=DT)
        _editable[device] = world.add_robot(crane(), fixed_base=False, position=(0, 0, 5))
    robot = _editable[device]
    return robot, ArticulationView(robot.world, robot)


def test_limits_that_there_are_not_are_the_greatest_number(arm: Any, api: str, give: Any) -> None:
    view = ArticulationView(*arm)
    limits = floats(view.get_dof_limits())
    np.testing.assert_allclose(limits[:, 0], [[-2.0, 2.0]] * 7)
    assert (np.abs(limits[:, 1]) == np.finfo(np.float32).max).all()
    view.set_dof_limits(view.get_dof_limits(), give(np.array([1])) if api != "numpy" else [1])
    assert np.isinf(np.asarray(arm[0].engine.device.to_host(arm[1].joint_position_limits))[:, 1]).all()


def test_wrong_use_says_so_and_changes_nothing(device: str, api: str, give: Any) -> None:
    _, view = editable(device)
    before = floats(view.get_dof_positions())
    for data, indices, error, message in (
        (np.zeros((7, 2)), None, ValueError, "must be \\(7, 3\\)"),
        (np.zeros((2, 3)), [0, 1], ValueError, "data are for all rows"),
        (np.zeros((7, 3)), [0.5], TypeError, "whole numbers"),
    ):
        with pytest.raises(error, match=message):
            view.set_dof_positions(give(data), indices)
    if device == "cpu":
        with pytest.raises(IndexError, match="lie in 0"):
            view.set_dof_positions(give(np.zeros((7, 3))), [7])
        bad = np.zeros((7, 3))
        bad[4, 1] = np.nan
        with pytest.raises(ValueError, match="row 4"):
            view.set_dof_positions(give(bad))
        with pytest.raises(ValueError, match="above the upper at shoulder"):
            view.set_dof_limits(give(np.broadcast_to([[1.0, -1.0]], (7, 3, 2)).copy()))
    with pytest.raises(ValueError, match="same flag"):
        flags = np.zeros((7, 5))
        flags[:, 3] = 1
        view.set_disable_gravities(give(flags))
    with pytest.raises(NotImplementedError, match="set_dof_drive_model_properties"):
        view.set_dof_drive_model_properties(give(before))
    assert np.array_equal(floats(view.get_dof_positions()), before)


# -- frames and dynamics ---------------------------------------------------------------------------------------------


def test_frames(scene: Scene, api: str, give: Any) -> None:
    """Positions are in the world of all environments; velocities are those of centres of mass off the frames."""
    view = scene.view()
    poses, velocities, _ = scene.disperse(give, view)
    np.testing.assert_allclose(floats(view.get_root_transforms()), poses, atol=1e-5)
    np.testing.assert_allclose(floats(view.get_root_velocities()), velocities[:, :6], atol=1e-5)
    np.testing.assert_allclose(floats(view.get_link_transforms())[:, 0], poses, atol=1e-5)
    np.testing.assert_allclose(floats(view.get_link_velocities())[:, 0], velocities[:, :6], atol=1e-5)
    np.testing.assert_allclose(floats(view.get_coms())[..., :3], scene.coms, atol=1e-6)
    # the engine's own velocity is that of the frame: v_com = v_frame + w x R c
    engine = floats(scene.robot.body_vel)
    rotation = turned(floats(view.get_link_transforms())[..., 3:])
    arms = np.einsum("...ij,...j->...i", rotation, scene.coms)
    expected = engine[..., :3] + np.cross(engine[..., 3:], arms)
    np.testing.assert_allclose(floats(view.get_link_velocities())[..., :3], expected, atol=2e-5)
    np.testing.assert_allclose(
        engine[:, 0, :3], velocities[:, :3] - np.cross(velocities[:, 3:6], arms[:, 0]), atol=1e-5
    )


def test_jacobians_times_velocities_are_velocities_of_links(scene: Scene, arm: Any, api: str, give: Any) -> None:
    view = scene.view()
    _, velocities, _ = scene.disperse(give, view)
    found = np.einsum("nlij,nj->nli", floats(view.get_jacobians()), velocities)
    np.testing.assert_allclose(found, floats(view.get_link_velocities()), atol=2e-5)
    fixed = ArticulationView(*arm)
    speeds = np.random.default_rng(1).normal(size=(7, 3))
    fixed.set_dof_velocities(give(speeds))
    found = np.einsum("nlij,nj->nli", floats(fixed.get_jacobians()), speeds)
    np.testing.assert_allclose(found, floats(fixed.get_link_velocities())[:, 1:], atol=1e-5)
    assert not floats(fixed.get_root_velocities()).any()


def inertias_in_world(view: ArticulationView) -> np.ndarray:
    rotation = turned(floats(view.get_link_transforms())[..., 3:])
    own = floats(view.get_inertias()).reshape(*rotation.shape)
    return rotation @ own @ np.swapaxes(rotation, -1, -2)


def test_mass_matrix_and_gravity_are_sums_over_links(scene: Scene, api: str, give: Any) -> None:
    """M = sum of J_v^T m J_v + J_w^T I J_w, and armature; gravity's compensation = - sum of J_v^T m g."""
    view = scene.view()
    scene.disperse(give, view)
    jacobian, mass = floats(view.get_jacobians()), floats(view.get_masses())
    linear, angular = jacobian[:, :, :3], jacobian[:, :, 3:]
    expected = np.einsum("nl,nlij,nlik->njk", mass, linear, linear)
    expected += np.einsum("nlij,nlih,nlhk->njk", angular, inertias_in_world(view), angular)
    expected[:, range(6, 18), range(6, 18)] += floats(view.get_dof_armatures())
    np.testing.assert_allclose(floats(view.get_generalized_mass_matrices()), expected, atol=1e-4)
    weight = G * np.einsum("nl,nlj->nj", mass, linear[:, :, 2])
    np.testing.assert_allclose(floats(view.get_gravity_compensation_forces()), weight, atol=2e-3)


def test_coriolis_forces_against_differences_of_jacobians(scene: Scene, api: str, give: Any) -> None:
    """b = sum of J^T [m a, I alpha + w x I w], with a, alpha the change of J u at a constant generalised velocity u."""
    view, step = scene.view(), 2e-3
    poses, u, joints = scene.disperse(give, view)
    jacobian, mass, inertia = floats(view.get_jacobians()), floats(view.get_masses()), inertias_in_world(view)
    found = floats(view.get_coriolis_and_centrifugal_compensation_forces())
    spin = np.einsum("nlij,nj->nli", jacobian, u)[..., 3:]
    moved = []
    for h in (step, -step):
        angle = np.linalg.norm(u[:, 3:6], axis=1, keepdims=True) * h
        axis = u[:, 3:6] / np.linalg.norm(u[:, 3:6], axis=1, keepdims=True)
        turn = np.concatenate((np.cos(angle / 2), np.sin(angle / 2) * axis), axis=1)
        there = poses.copy()
        there[:, 3:] = rotations.product(turn, poses[:, [6, 3, 4, 5]])[:, [1, 2, 3, 0]]
        before, after = (np.einsum("nij,nj->ni", turned(p[:, 3:]), scene.coms[:, 0]) for p in (poses, there))
        there[:, :3] += before - after + h * u[:, :3]
        put(give, view, there, u, joints + h * u[:, 6:])
        moved.append(np.einsum("nlij,nj->nli", floats(view.get_jacobians()), u))
    change = (moved[0] - moved[1]) / (2 * step)
    force = mass[..., None] * change[..., :3]
    momentum = np.einsum("nlij,nlj->nli", inertia, spin)
    torque = np.einsum("nlij,nlj->nli", inertia, change[..., 3:]) + np.cross(spin, momentum)
    expected = np.einsum("nlij,nli->nj", jacobian, np.concatenate((force, torque), axis=-1))
    np.testing.assert_allclose(found, expected, atol=5e-3 * np.abs(expected).max())


def test_gravity_compensation_holds_an_arm_still(arm: Any, api: str, give: Any) -> None:
    world, robot = arm
    view = ArticulationView(world, robot)
    robot.set_joint_friction(0.0, 0.0, 0.0)
    start = np.random.default_rng(2).uniform(-0.15, 0.15, (7, 3))
    view.set_dof_positions(give(start))
    view.set_dof_velocities(give(np.zeros((7, 3))))
    view.set_dof_actuation_forces(view.get_gravity_compensation_forces())
    world.step(20)
    assert np.abs(floats(view.get_dof_velocities())).max() < 2e-4
    # what the joints transmit: along their axes the efforts, and at each joint the weight beyond, about its own frame
    efforts, forces = floats(view.get_dof_actuation_forces()), floats(view.get_dof_projected_joint_forces())
    np.testing.assert_allclose(forces, efforts, atol=1e-2)
    places, coms, mass = (floats(a) for a in (view.get_link_transforms(), view.get_coms(), view.get_masses()))
    centres = places[..., :3] + np.einsum("nlij,nlj->nli", turned(places[..., 3:]), coms[..., :3])
    found = floats(view.get_link_incoming_joint_force())
    joints = {joint.child: joint for joint in robot.model.joints}
    beyond = {"base": range(5), "upper": range(1, 5), "lower": range(2, 5), "sensor": [3], "hand": [4]}
    for link, name in enumerate(view.shared_metatype.link_names):
        rotation, joint = turned(places[:, link, 3:]), joints.get(name)
        origin = places[:, link, :3]
        if joint is not None:
            origin = origin + rotation @ np.array(joint.child_position)
            rotation = rotation @ rotations.matrix(joint.child_orientation)
        force, torque = np.zeros((7, 3)), np.zeros((7, 3))
        for other in beyond[name]:
            up = mass[:, other, None] * [0, 0, G]
            force, torque = force + up, torque + np.cross(centres[:, other] - origin, up)
        expected = np.concatenate([np.einsum("nji,nj->ni", rotation, value) for value in (force, torque)], axis=1)
        np.testing.assert_allclose(found[:, link], expected, atol=2e-2, err_msg=name)
    robot.set_targets(effort=0.0)


def test_accelerations_of_links(arm: Any, api: str, give: Any) -> None:
    """Of centres of mass: change of their velocities over a step, to first order in its length."""
    world, robot = arm
    view = ArticulationView(world, robot)
    rng = np.random.default_rng(4)
    robot.set_targets(effort=0.0)
    view.set_dof_positions(give(rng.uniform(-0.1, 0.1, (7, 3))))
    view.set_dof_velocities(give(rng.uniform(-0.3, 0.3, (7, 3))))
    before = floats(view.get_link_velocities())
    world.step()
    change = (floats(view.get_link_velocities()) - before) / DT
    found = floats(view.get_link_accelerations())
    assert np.abs(change).max() > 3
    np.testing.assert_allclose(found, change, atol=0.03 * np.abs(change).max())


@pytest.mark.parametrize("is_global", [True, False])
@pytest.mark.parametrize("at", ["com", "position"])
def test_forces_at_positions_accelerate(scene: Scene, api: str, give: Any, is_global: bool, at: str) -> None:
    """M du/dt + b + g = sum of J^T [F, T + arm x F], on every link, feet that are fixed to shanks too; for one step."""
    view = scene.view()
    poses, velocities, joints = scene.disperse(give, view, seed=9)
    put(give, view, poses, 0 * velocities, joints)
    scene.robot.set_drive(stiffness=0.0, damping=0.0)
    scene.robot.set_joint_friction(0.0, 0.0, 0.0)
    scene.robot.set_joint_limits(lower=-np.inf, upper=np.inf)
    rng, n = np.random.default_rng(11), view.count
    force, torque = rng.normal(size=(2, n, 17, 3)) * np.array([2.0, 0.1])[:, None, None, None]
    place = floats(view.get_link_transforms())
    rotation = turned(place[..., 3:])
    own = rng.uniform(-0.1, 0.1, (n, 17, 3))
    offset = np.einsum("nlij,nlj->nli", rotation, own)
    given = place[..., :3] + offset if is_global else own
    position = give(given) if at == "position" else None
    arms = offset if at == "position" else np.einsum("nlij,nlj->nli", rotation, scene.coms)
    arms = arms - np.einsum("nlij,nlj->nli", rotation, scene.coms)
    in_world = [value if is_global else np.einsum("nlij,nlj->nli", rotation, value) for value in (force, torque)]
    wrench = np.concatenate((in_world[0], in_world[1] + np.cross(arms, in_world[0])), axis=-1)
    tau = np.einsum("nlij,nli->nj", floats(view.get_jacobians()), wrench)
    tau -= floats(view.get_gravity_compensation_forces())
    expected = np.linalg.solve(floats(view.get_generalized_mass_matrices()), tau[..., None])[..., 0]
    shape = (-1, 3)  # as scripts pass them
    view.apply_forces_and_torques_at_position(
        give(force.reshape(shape)), give(torque.reshape(shape)), position, None, is_global
    )
    scene.world.step()
    speeds = np.concatenate((floats(view.get_root_velocities()), floats(view.get_dof_velocities())), axis=1)
    np.testing.assert_allclose(speeds / DT, expected, atol=0.01 * np.abs(expected).max())
    assert not np.any(scene.world.engine.device.to_host(scene.world[px.components.ExternalWrench].force))


def test_rows_that_are_listed(device: str, api: str, give: Any) -> None:
    """Two robots of one sort as rows of one view, in any order, agree with views of each."""
    world = px.World(3, device, dt=DT)
    robots = [world.add_robot(crane(), name, fixed_base=False, position=(0, y, 5)) for y, name in enumerate("ab")]
    one, two = (ArticulationView(world, robot) for robot in robots)
    rng = np.random.default_rng(0)
    for view in (one, two):
        view.set_root_transforms(give(transforms(rng, 3)))
        view.set_root_velocities(give(rng.normal(size=(3, 6))))
        view.set_dof_positions(give(rng.uniform(-0.2, 0.2, (3, 3))))
        view.set_dof_velocities(give(rng.normal(size=(3, 3))))
    orders = {
        "by column": [(robot, None) for robot in robots],
        "by environment": [(robot, env) for env in range(3) for robot in robots],
        "listed": [("b", 2), ("a", [1, 0])],
    }
    for order, members in orders.items():
        view = ArticulationView(world, members)
        assert view._rows.order == order
        pick = [(robots.index(view._robots[c]), e) for e, c in zip(view._rows.env, view._rows.column, strict=True)]
        for name in SHAPES:
            both = [floats(getattr(each, f"get_{name}")()) for each in (one, two)]
            expected = np.stack([both[i][env] for i, env in pick])
            np.testing.assert_array_equal(floats(getattr(view, f"get_{name}")()), expected, err_msg=f"{order} {name}")
        for name, values in (
            ("dof_positions", rng.uniform(-0.2, 0.2, (view.count, 3))),
            ("dof_armatures", rng.uniform(0, 0.2, (view.count, 3))),
            ("root_velocities", rng.normal(size=(view.count, 6))),
            ("masses", rng.uniform(1, 2, (view.count, 5))),
        ):
            for indices in ([1], None):
                before = [floats(getattr(each, f"get_{name}")()) for each in (one, two)]
                getattr(view, f"set_{name}")(give(values), indices)
                for row, (i, env) in enumerate(pick):
                    if indices is None or row in indices:
                        before[i][env] = values[row]
                after = [floats(getattr(each, f"get_{name}")()) for each in (one, two)]
                np.testing.assert_allclose(after, before, rtol=3e-6, atol=3e-6, err_msg=f"{order} {name}")
    with pytest.raises(ValueError, match="twice"):
        ArticulationView(world, [("a", 0), ("a", [1, 0])])
    with pytest.raises(ValueError, match="no robot 'c'"):
        ArticulationView(world, "c")
