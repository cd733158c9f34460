"""What Isaac Sim's documentation shows of views: each member is called once, on five copies, and what is set is read.

Views are asked for everything by all of them and by some, as the documentation does. Numbers of a simulation are
compared with those that a test set, or with what is known of the scene; other tests of this folder look at each closer.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from facade.isaacsim.core_scenes import boxes, host, kind, like, robot_file, xforms

from phalanx.facade.isaacsim.core.api.materials import OmniGlass, PhysicsMaterial
from phalanx.facade.isaacsim.core.api.robots import RobotView
from phalanx.facade.isaacsim.core.cloner import GridCloner
from phalanx.facade.isaacsim.core.prims import Articulation, GeometryPrim, RigidPrim, XFormPrim
from phalanx.facade.isaacsim.core.utils.stage import add_reference_to_stage
from phalanx.facade.isaacsim.core.utils.types import ArticulationActions

COPIES = 5
SOME = [3, 0]
"""Copies that are asked and told apart from the others, in an order of their own."""

JOINTS, LINKS = 9, 10
FINGERS = [7, 8]
AHEAD = np.array([1.0, 0.0, 0.0, 0.0])


def copied(what: str) -> Any:
    """Five environments with boxes, or with arms on their bases; where they are, (5, 3) in m."""
    xforms("/World/envs/env_0")
    if what == "box":
        boxes(1, "/World/envs/env_0/box")
    else:
        add_reference_to_stage(robot_file("arm", True), "/World/envs/env_0/arm")
    cloner = GridCloner(spacing=2.0)
    cloner.define_base_env("/World/envs")
    return np.array(cloner.clone("/World/envs/env_0", cloner.generate_paths("/World/envs/env", COPIES)))


def agree(view: Any, backend: str, name: str, value: Any, *, some: Any = None, **more: Any) -> None:
    """Set a value in all copies and another one in some, and read both.

    Args:
        name: what is set and read, such as ``"masses"``.
        value: of one copy, an array of any shape.
        some: the one that some get; twice the other if it is not given.
        more: which joints or links.
    """
    shape = np.shape(value)
    set_, get = getattr(view, f"set_{name}"), getattr(view, f"get_{name}")
    set_(like(backend, np.broadcast_to(value, (COPIES, *shape))))
    found = get()
    assert kind(found) == backend and found.shape == (COPIES, *shape), name
    np.testing.assert_allclose(host(found), np.broadcast_to(value, found.shape), rtol=1e-5, err_msg=name)
    other = np.asarray(value) * 2.0 if some is None else np.asarray(some)
    set_(like(backend, np.broadcast_to(other, (len(SOME), *other.shape))), indices=like(backend, SOME, "int64"), **more)
    found = get(indices=like(backend, SOME, "int64"), **more)
    assert found.shape == (len(SOME), *other.shape), name
    np.testing.assert_allclose(host(found), np.broadcast_to(other, found.shape), rtol=1e-5, err_msg=name)
    kept = host(get())[[1, 2, 4]]
    np.testing.assert_allclose(kept, np.broadcast_to(value, kept.shape), rtol=1e-5, err_msg=name)


def shapes(view: Any, backend: str, one: dict[str, tuple[int, ...]]) -> None:
    """What getters give has a row for each copy, is of the backend, and is made of numbers; for some, too."""
    for name, shape in one.items():
        found = getattr(view, name)()
        assert kind(found) == backend and found.shape == (COPIES, *shape), name
        assert np.isfinite(host(found)).all(), name
        rows = getattr(view, name)(indices=like(backend, SOME, "int64"))
        np.testing.assert_array_equal(host(rows), host(found)[SOME], err_msg=name)


def check_places(view: Any, backend: str, places: np.ndarray) -> None:
    """What all views have: who they are, poses, scales, what is seen, default states, materials that are seen."""
    assert view.count == COPIES == len(view.prims) and view.is_valid()
    assert view.prim_paths == [str(prim.GetPath()) for prim in view.prims] and view.name
    found, turns = view.get_world_poses()
    assert kind(found) == kind(turns) == backend
    np.testing.assert_allclose(host(found), places, atol=1e-5)
    np.testing.assert_allclose(host(turns), np.tile(AHEAD, (COPIES, 1)), atol=1e-6)
    local, turned = (host(each) for each in view.get_local_poses(indices=SOME))
    assert local.shape == (2, 3) and turned.shape == (2, 4)
    there = like(backend, np.array([[0.3, 0.2, 0.5], [0.1, -0.2, 0.5]]))
    view.set_local_poses(there, like(backend, np.tile(AHEAD, (2, 1))), indices=SOME)
    np.testing.assert_allclose(host(view.get_local_poses(indices=SOME)[0]), host(there), atol=1e-5)
    view.set_world_poses(like(backend, places), like(backend, np.tile(AHEAD, (COPIES, 1))))
    np.testing.assert_allclose(host(view.get_world_poses()[0]), places, atol=1e-5)
    agree(view, backend, "local_scales", [1.0, 1.0, 1.0], some=[1.0, 0.5, 2.0])
    np.testing.assert_allclose(host(view.get_world_scales(indices=SOME)), [[1.0, 0.5, 2.0]] * 2, rtol=1e-6)
    view.set_local_scales(like(backend, np.ones((COPIES, 3))))
    view.set_visibilities([True, False, True, True, False])
    assert host(view.get_visibilities()).tolist() == [True, False, True, True, False]
    assert host(view.get_visibilities(indices=[1, 0])).tolist() == [False, True]
    glass = OmniGlass("/World/Looks/glass", ior=1.3, color=np.array([0.1, 0.6, 0.2]))
    view.apply_visual_materials(glass, indices=[1, 4])
    assert view.is_visual_material_applied() == [False, True, False, False, True]
    assert view.get_applied_visual_materials(indices=[4, 2]) == [glass, None]


def check_default_places(view: Any, backend: str, places: np.ndarray) -> None:
    """What ``post_reset`` goes back to."""
    goal = places + [0.0, 0.0, 0.25]
    view.set_default_state(positions=like(backend, goal), orientations=like(backend, np.tile(AHEAD, (COPIES, 1))))
    state = view.get_default_state()
    assert kind(state.positions) == backend
    np.testing.assert_allclose(host(state.positions), goal, rtol=1e-5)
    np.testing.assert_allclose(host(state.orientations), np.tile(AHEAD, (COPIES, 1)))
    view.post_reset()
    np.testing.assert_allclose(host(view.get_world_poses()[0]), goal, atol=1e-5)


def test_views_of_places(world, backend):
    places = copied("box")
    view = XFormPrim("/World/envs/env_.*", "places")
    world.reset()
    view.initialize()
    check_places(view, backend, places)
    check_default_places(view, backend, places)


def test_views_of_what_collides(world, backend):
    places = copied("box") + [0.0, 0.0, 1.0]
    view: Any = GeometryPrim("/World/envs/env_.*/box", "boxes", collisions=np.full(COPIES, True))
    check_places(view, backend, places)
    check_default_places(view, backend, places)
    for name, value in (
        ("contact_offsets", 0.03),
        ("rest_offsets", 0.002),
        ("torsional_patch_radii", 0.04),
        ("min_torsional_patch_radii", 0.01),
    ):
        agree(view, backend, name, value)
    view.set_collision_approximations(["convexHull"] * COPIES)
    view.set_collision_approximations(["none", "boundingSphere"], indices=SOME)
    assert view.get_collision_approximations() == ["boundingSphere", "convexHull", "convexHull", "none", "convexHull"]
    assert view.get_collision_approximations(indices=SOME) == ["none", "boundingSphere"]
    view.apply_collision_apis()
    view.disable_collision()
    assert host(view.is_collision_enabled()).tolist() == [False] * COPIES
    view.enable_collision(indices=SOME)
    assert host(view.is_collision_enabled(indices=[0, 1])).tolist() == [True, False]
    assert len(view.geoms) == COPIES and view.geoms[0].GetPath() == "/World/envs/env_0/box"
    felt = PhysicsMaterial("/World/Physics/felt", static_friction=0.8, dynamic_friction=0.6, restitution=0.2)
    view.apply_physics_materials(felt, indices=[2])
    assert view.get_applied_physics_materials(indices=[2, 1]) == [felt, None]
    world.reset()
    view.initialize()
    assert view.is_valid()


def test_views_of_bodies(world, backend):
    places = copied("box") + [0.0, 0.0, 1.0]
    view: Any = RigidPrim(
        "/World/envs/env_.*/box",
        "boxes",
        track_contact_forces=True,
        contact_filter_prim_paths_expr=["/World/envs/env_.*/box"],
        max_contact_count=2 * COPIES,
    )
    world.get_physics_context().set_gravity(0.0)
    world.reset()
    view.initialize()
    assert view.is_physics_handle_valid() and view.num_shapes == 1
    check_places(view, backend, places)
    shapes(view, backend, {"get_inv_masses": (1,), "get_inv_inertias": (9,), "get_net_contact_forces": (3,)})
    assert view.get_contact_force_matrix().shape[::2] == (COPIES, 3)
    forces, points, normals, distances, counts, starts = view.get_contact_force_data()
    assert forces.shape == distances.shape == (2 * COPIES, 1) and points.shape == normals.shape == (2 * COPIES, 3)
    assert counts.shape == starts.shape and not host(counts).any()  # nothing touches anything
    for name, value in (
        ("masses", 1.5),
        ("inertias", np.diag([0.1, 0.2, 0.2]).ravel()),
        ("densities", 200.0),
        ("sleep_thresholds", 1e-4),
        ("linear_velocities", [0.1, 0.2, 0.3]),
        ("angular_velocities", [0.3, 0.2, 0.1]),
        ("velocities", [0.4, 0.0, 0.1, 0.0, 0.2, 0.0]),
    ):
        agree(view, backend, name, value)
    middle, axes = like(backend, np.full((COPIES, 1, 3), 0.01)), like(backend, np.tile(AHEAD, (COPIES, 1, 1)))
    view.set_coms(middle, axes)
    found = view.get_coms(indices=like(backend, SOME, "int64"))
    assert [each.shape for each in found] == [(2, 1, 3), (2, 1, 4)]
    np.testing.assert_allclose(host(found[0]), 0.01, rtol=1e-5)
    view.set_coms(like(backend, np.zeros((COPIES, 1, 3))), axes)
    view.set_velocities(like(backend, np.zeros((COPIES, 6))))
    view.set_masses(like(backend, np.full(COPIES, 2.0)))
    push = like(backend, [[0.0, 0.0, 12.0]] * 2)
    view.apply_forces(push, indices=SOME, is_global=True)
    spin = like(backend, [[0.0, 0.0, 0.1]] * 2)
    world.step(render=False)
    state = view.get_current_dynamic_state()
    speeds = host(state.linear_velocities)[:, 2]
    np.testing.assert_allclose(speeds, np.where(np.isin(range(COPIES), SOME), 0.1, 0.0), atol=1e-5)
    view.apply_forces_and_torques_at_pos(
        forces=push, torques=spin, positions=like(backend, places[SOME]), indices=SOME, is_global=True
    )
    world.step(render=False)
    assert (host(view.get_angular_velocities(indices=SOME))[:, 2] > 1e-3).all()
    view.disable_gravities(indices=SOME)
    world.get_physics_context().set_gravity(-9.81)
    view.set_velocities(like(backend, np.zeros((COPIES, 6))))
    world.step(render=False)
    falls = host(view.get_linear_velocities())[:, 2]
    assert falls[SOME] == pytest.approx(0.0, abs=1e-6) and falls[[1, 2, 4]] == pytest.approx(-9.81 / 60, rel=1e-3)
    view.enable_gravities()
    view.disable_rigid_body_physics(indices=[1])
    world.step(render=False)
    falls = host(view.get_linear_velocities())[:, 2]
    assert falls[SOME] == pytest.approx(-9.81 / 60, rel=1e-3)
    view.enable_rigid_body_physics()
    rest = like(backend, np.zeros((COPIES, 3)))
    view.set_default_state(linear_velocities=rest, angular_velocities=rest)
    check_default_places(view, backend, places)
    np.testing.assert_allclose(host(view.get_default_state().linear_velocities), 0.0)
    np.testing.assert_allclose(host(view.get_velocities()), 0.0, atol=1e-6)


@pytest.mark.parametrize("type_", [Articulation, RobotView])
def test_views_of_articulations(world, backend, type_):
    places = copied("arm")
    view: Any = type_("/World/envs/env_.*/arm", "arms")
    world.get_physics_context().set_gravity(0.0)
    world.reset()
    view.initialize()
    assert view.initialized and view.is_physics_handle_valid()
    assert (view.num_dof, view.num_bodies, view.num_fixed_tendons) == (JOINTS, LINKS, 0) and view.num_shapes > 0
    assert len(view.dof_names) == JOINTS and len(view.body_names) == LINKS == view.get_articulation_body_count()
    assert view.get_dof_index(view.dof_names[4]) == 4 and view.get_body_index(view.body_names[6]) == 6
    assert len(view.get_dof_types()) == JOINTS and len(view.get_dof_types(view.dof_names[7:])) == 2
    check_places(view, backend, places)
    numbers = {"get_coriolis_and_centrifugal_forces": (JOINTS,), "get_generalized_gravity_forces": (JOINTS,)}
    numbers |= {"get_measured_joint_efforts": (JOINTS,), "get_applied_joint_efforts": (JOINTS,)}
    numbers |= {"get_measured_joint_forces": (LINKS, 6), "get_mass_matrices": (JOINTS, JOINTS)}
    numbers |= {"get_jacobians": tuple(view.get_jacobian_shape()), "get_body_inv_masses": (LINKS,)}
    numbers |= {"get_body_inv_inertias": (LINKS, 9), "get_velocities": (6,), "get_linear_velocities": (3,)}
    shapes(view, backend, {**numbers, "get_angular_velocities": (3,)})
    assert view.get_jacobian_shape() == (LINKS - 1, 6, JOINTS) and view.get_mass_matrix_shape() == (JOINTS, JOINTS)
    assert view.get_dof_limits().shape == (COPIES, JOINTS, 2)
    tendons = ("stiffnesses", "dampings", "limit_stiffnesses", "rest_lengths", "offsets")
    assert {getattr(view, f"get_fixed_tendon_{name}")().shape for name in tendons} == {(COPIES, 0)}
    assert view.get_fixed_tendon_limits().shape == (COPIES, 0, 2)
    view.set_fixed_tendon_properties(dampings=like(backend, np.zeros((COPIES, 0))))
    pose = np.linspace(0.1, 0.3, JOINTS)
    pose[FINGERS] = 0.01
    for name, value, some, more in (
        ("joint_positions", pose, [0.02, 0.03], {"joint_indices": FINGERS}),
        ("joint_velocities", pose, [0.05, 0.06], {"joint_indices": FINGERS}),
        ("armatures", np.full(JOINTS, 0.02), [0.03, 0.04], {"joint_indices": FINGERS}),
        ("friction_coefficients", np.full(JOINTS, 0.02), [0.03, 0.04], {"joint_indices": FINGERS}),
        ("max_efforts", np.full(JOINTS, 50.0), [20.0, 30.0], {"joint_indices": FINGERS}),
        ("body_masses", np.linspace(1.0, 0.1, LINKS), [0.5, 0.6], {"body_indices": [3, 9]}),
        ("body_inertias", np.tile(0.1 * np.eye(3).ravel(), (LINKS, 1)), np.tile(0.3 * np.eye(3).ravel(), (2, 1)),
         {"body_indices": [3, 9]}),
        ("sleep_thresholds", 1e-3, None, {}),
        ("stabilization_thresholds", 1e-3, None, {}),
        ("solver_position_iteration_counts", 8, None, {}),
        ("solver_velocity_iteration_counts", 2, None, {}),
    ):  # fmt: skip
        agree(view, backend, name, value, some=some, **more)
    middle, axes = np.full((COPIES, LINKS, 3), 0.01), np.tile(AHEAD, (COPIES, LINKS, 1))
    view.set_body_coms(like(backend, middle), like(backend, axes))
    found = view.get_body_coms(indices=SOME, body_indices=[3, 9])
    assert [each.shape for each in found] == [(2, 2, 3), (2, 2, 4)]
    np.testing.assert_allclose(host(found[0]), 0.01, rtol=1e-5)
    view.set_enabled_self_collisions(like(backend, [False] * COPIES, "bool"))
    view.set_enabled_self_collisions(like(backend, [True, True], "bool"), indices=SOME)
    assert host(view.get_enabled_self_collisions()).astype(bool).tolist() == [True, False, False, True, False]
    view.set_effort_modes("acceleration")
    view.set_effort_modes("force", indices=SOME, joint_indices=FINGERS)
    assert view.get_effort_modes(indices=[1, 0], joint_indices=FINGERS) == [["acceleration"] * 2, ["force"] * 2]
    for name in ("linear_velocities", "angular_velocities", "velocities"):  # of bases that stand still
        width = 6 if name == "velocities" else 3
        getattr(view, f"set_{name}")(like(backend, np.full((2, width), 0.5)), indices=SOME)
        assert not host(getattr(view, f"get_{name}")()).any()


def test_commands_of_articulations(world, backend):
    copied("arm")
    view: Any = Articulation("/World/envs/env_.*/arm", "arms")
    world.reset()
    view.initialize()
    stiff, damped = np.full((COPIES, JOINTS), 300.0), np.full((COPIES, JOINTS), 30.0)
    view.set_gains(kps=like(backend, stiff), kds=like(backend, damped))
    view.set_gains(kps=like(backend, stiff[:2, :2] / 2), kds=like(backend, damped[:2, :2] / 2),
                   indices=SOME, joint_indices=FINGERS)  # fmt: skip
    kps, kds = view.get_gains(indices=[0, 1], joint_indices=[6, 7])
    np.testing.assert_allclose(host(kps), [[300.0, 150.0], [300.0, 300.0]])
    np.testing.assert_allclose(host(kds), [[30.0, 15.0], [30.0, 30.0]])
    goal = np.linspace(-0.2, 0.2, JOINTS)
    view.set_joint_position_targets(like(backend, np.tile(goal, (COPIES, 1))))
    view.set_joint_position_targets(like(backend, np.full((2, 2), 0.015)), indices=SOME, joint_indices=FINGERS)
    view.set_joint_velocity_targets(like(backend, np.tile(0.1 * goal, (COPIES, 1))))
    view.set_joint_velocity_targets(like(backend, np.zeros((2, 2))), indices=SOME, joint_indices=FINGERS)
    seen = view.get_applied_actions()
    assert kind(seen.joint_positions) == backend
    wanted = np.tile(goal, (COPIES, 1))
    wanted[np.ix_(SOME, FINGERS)] = 0.015
    np.testing.assert_allclose(host(seen.joint_positions), wanted, rtol=1e-6)
    view.apply_action(ArticulationActions(joint_positions=like(backend, np.full((COPIES, JOINTS), 0.01))))
    view.apply_action(
        ArticulationActions(
            joint_positions=like(backend, np.full((2, 2), 0.02)), joint_indices=like(backend, FINGERS, "int64")
        ),
        indices=like(backend, SOME, "int64"),
    )
    some = view.get_applied_actions().joint_positions
    np.testing.assert_allclose(host(some)[:2, 6:], [[0.01, 0.02, 0.02], [0.01, 0.01, 0.01]], rtol=1e-6)
    view.set_joint_efforts(like(backend, np.full((COPIES, JOINTS), 0.2)))
    view.set_joint_efforts(like(backend, np.full((2, 2), 0.1)), indices=SOME, joint_indices=FINGERS)
    efforts = host(view.get_applied_joint_efforts(indices=[0, 1], joint_indices=FINGERS))
    np.testing.assert_allclose(efforts, [[0.1, 0.1], [0.2, 0.2]], rtol=1e-6)
    for mode in ("velocity", "effort", "position"):
        view.switch_control_mode(mode)
    view.switch_dof_control_mode(mode="velocity", dof_index=8, indices=SOME)
    start = like(backend, np.tile(goal / 4, (COPIES, 1)))
    zero = like(backend, np.zeros((COPIES, JOINTS)))
    view.set_joints_default_state(positions=start, velocities=zero, efforts=zero)
    default, now = view.get_joints_default_state(), view.get_joints_state()
    np.testing.assert_allclose(host(default.positions), host(start), rtol=1e-6)
    assert default.velocities.shape == default.efforts.shape == now.velocities.shape == (COPIES, JOINTS)
    view.post_reset()
    np.testing.assert_allclose(host(view.get_joint_positions()), host(start), rtol=1e-5)
    np.testing.assert_allclose(host(view.get_joint_velocities()), 0.0)
