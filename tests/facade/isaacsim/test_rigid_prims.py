"""Views of rigid bodies: poses, velocities, forces and masses, on the stage and in a simulation."""

from __future__ import annotations

import numpy as np
import pytest
from facade.isaacsim.core_scenes import boxes, host, kind, like, xforms

from phalanx.facade import stage
from phalanx.facade.isaacsim.core.prims import RigidPrim, SingleRigidPrim
from phalanx.io.formats.usd.bindings import Gf, UsdGeom, UsdPhysics

DT = 1 / 60


def still(world, view) -> None:
    """No gravity."""
    world.get_physics_context().set_gravity(0.0)
    world.reset()


def test_prims_become_bodies_and_have_what_the_stage_says(world, backend):
    xforms("/World/a")
    view = RigidPrim("/World/a", masses=like(backend, [3.0]), linear_velocities=like(backend, [[1, 2, 3]]))
    prim = stage.get_stage().GetPrimAtPath("/World/a")
    assert prim.HasAPI(UsdPhysics.RigidBodyAPI) and not view.is_physics_handle_valid()
    assert host(view.get_masses()).tolist() == [3.0] and view.get_inertias() is None
    view.set_angular_velocities(like(backend, [[0, 0, np.pi]]))
    np.testing.assert_allclose(UsdPhysics.RigidBodyAPI(prim).GetAngularVelocityAttr().Get(), (0, 0, 180.0), rtol=1e-6)
    np.testing.assert_allclose(host(view.get_velocities()), [[1, 2, 3, 0, 0, np.pi]], rtol=1e-6)


def test_velocities_and_poses_are_what_is_simulated(world, backend):
    boxes(3)
    view = RigidPrim("/World/Box_.*")
    still(world, view)
    assert view.is_physics_handle_valid() and view.num_shapes == 1
    some = like(backend, [2, 0], "int64")
    view.set_velocities(like(backend, [[0, 0, 1, 0, 0, 0], [0, 0, 0, 0, 0, 2]]), indices=some)
    found = view.get_velocities()
    assert kind(found) == backend and found.shape == (3, 6)
    np.testing.assert_allclose(host(found), [[0, 0, 0, 0, 0, 2], [0] * 6, [0, 0, 1, 0, 0, 0]])
    for _ in range(60):
        world.step(render=False)
    places, turns = (host(each) for each in view.get_world_poses())
    np.testing.assert_allclose(places, [[0, 0, 1], [1, 0, 1], [2, 0, 2]], atol=1e-4)
    half = (1.0 - np.exp(-0.05)) / 0.05  # of the angle, rad: 2 rad/s, damped by 0.05 1/s as PhysX does by default
    np.testing.assert_allclose(turns[0], [np.cos(half), 0, 0, np.sin(half)], atol=1e-3)
    view.set_linear_velocities(like(backend, [[0, 0, 5]]), indices=[0])
    np.testing.assert_allclose(host(view.get_velocities(indices=[0])), [[0, 0, 5, 0, 0, 2 * np.exp(-0.05)]], atol=1e-3)
    np.testing.assert_allclose(host(view.get_angular_velocities(indices=[0])), [[0, 0, 2 * np.exp(-0.05)]], atol=1e-3)
    view.set_world_poses(like(backend, [[9, 9, 9]]), indices=[1])
    np.testing.assert_allclose(host(view.get_world_poses()[0])[1], [9, 9, 9])
    np.testing.assert_allclose(host(view.get_world_poses()[1])[0], turns[0], atol=1e-6)


def test_arrays_that_are_handed_out_stay(world, backend):
    boxes(1)
    view = RigidPrim("/World/Box_0")
    world.reset()
    before = view.get_world_poses()[0]
    for _ in range(10):
        world.step(render=False)
    np.testing.assert_allclose(host(before), [[0, 0, 1]])


def test_forces_act_for_a_step(world):
    boxes(2)
    view = RigidPrim("/World/Box_.*")
    still(world, view)
    for _ in range(3):
        view.apply_forces(np.array([[4.0, 0.0, 0.0]]), indices=[1])
        world.step(render=False)
    np.testing.assert_allclose(view.get_linear_velocities(), [[0, 0, 0], [3 * 4.0 / 2.0 * DT, 0, 0]], atol=1e-6)
    world.step(render=False)  # no force any more
    np.testing.assert_allclose(view.get_linear_velocities()[1], [3 * 4.0 / 2.0 * DT, 0, 0], atol=1e-6)


def test_forces_and_torques_at_places(world):
    boxes(1)
    view = RigidPrim("/World/Box_0")
    still(world, view)
    inertia = 2.0 * 0.2**2 / 6.0
    view.apply_forces_and_torques_at_pos(
        np.array([[1.0, 0.0, 0.0]]), np.array([[0.0, 0.0, 0.01]]), np.array([[0.0, 0.1, 1.0]])
    )
    world.step(render=False)
    np.testing.assert_allclose(view.get_linear_velocities(), [[0.5 * DT, 0, 0]], rtol=1e-4)
    np.testing.assert_allclose(view.get_angular_velocities(), [[0, 0, (0.01 - 0.1) / inertia * DT]], rtol=1e-3)
    view.set_velocities(np.zeros((1, 6)))
    turned = np.array([[np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5)]])
    view.set_world_poses(orientations=turned)
    view.apply_forces(np.array([[1.0, 0.0, 0.0]]), is_global=False)  # along its own x, which is the world's y
    world.step(render=False)
    np.testing.assert_allclose(view.get_linear_velocities(), [[0, 0.5 * DT, 0]], atol=1e-6)


def test_masses(world, backend):
    boxes(2)
    view = RigidPrim("/World/Box_.*")
    world.reset()
    np.testing.assert_allclose(host(view.get_masses()), [2, 2])
    np.testing.assert_allclose(host(view.get_inv_masses(indices=[1])), [[0.5]])
    diagonal = 2.0 * 0.2**2 / 6.0
    np.testing.assert_allclose(host(view.get_inertias())[0].reshape(3, 3), np.eye(3) * diagonal, rtol=1e-5)
    np.testing.assert_allclose(host(view.get_inv_inertias())[0].reshape(3, 3), np.eye(3) / diagonal, rtol=1e-5)
    view.set_masses(like(backend, [5.0]), indices=[1])
    np.testing.assert_allclose(host(view.get_masses()), [2, 5])
    view.set_inertias(like(backend, np.diag([0.1, 0.2, 0.25]).reshape(1, 9)), indices=[0])
    np.testing.assert_allclose(host(view.get_inertias())[0].reshape(3, 3), np.diag([0.1, 0.2, 0.25]), rtol=1e-5)
    places, turns = view.get_coms()
    assert places.shape == (2, 1, 3) and turns.shape == (2, 1, 4)
    view.set_coms(like(backend, [[[0.01, 0.0, 0.02]]]), indices=[1])
    np.testing.assert_allclose(host(view.get_coms()[0])[:, 0], [[0, 0, 0], [0.01, 0, 0.02]], atol=1e-6)
    view.apply_forces(like(backend, [[5.0, 0, 0]]), indices=[1])
    world.step(render=False)
    assert host(view.get_linear_velocities())[1, 0] == pytest.approx(DT, rel=1e-4)


def test_gravity_of_single_bodies(world):
    boxes(2)
    view = RigidPrim("/World/Box_.*")
    world.reset()
    view.disable_gravities(indices=[1])
    world.step(render=False)
    np.testing.assert_allclose(view.get_linear_velocities()[:, 2], [-9.81 * DT, 0.0], rtol=1e-5)
    view.enable_gravities()
    world.step(render=False)
    np.testing.assert_allclose(view.get_linear_velocities()[:, 2], [-2 * 9.81 * DT, -9.81 * DT], rtol=1e-5)


def test_bodies_are_taken_out_of_the_simulation_and_back(world):
    boxes(2, "/World/box_{}")
    view = world.scene.add(RigidPrim("/World/box_.*", "boxes"))
    world.reset()

    def fall() -> list[float]:
        start = host(view.get_world_poses()[0])[:, 2]
        for _ in range(3):
            world.step(render=False)
        return (start - host(view.get_world_poses()[0])[:, 2]).tolist()

    view.disable_rigid_body_physics(indices=[1])
    assert fall()[0] > 1e-3 and fall()[1] == 0.0
    np.testing.assert_array_equal(host(view._physics_view.get_disable_simulations()), [[0], [1]])
    view.enable_rigid_body_physics()
    assert min(fall()) > 1e-3


def test_without_a_simulation_bodies_stand_still_from_the_next_reset_on(world):
    boxes(2, "/World/box_{}")
    view = RigidPrim("/World/box_.*", "boxes")
    view.disable_rigid_body_physics(indices=[1])
    world.scene.add(view)
    world.reset()
    start = host(view.get_world_poses()[0])[:, 2]
    for _ in range(3):
        world.step(render=False)
    fallen = start - host(view.get_world_poses()[0])[:, 2]
    assert fallen[0] > 1e-3 and fallen[1] == 0.0


def test_default_states(world):
    boxes(2)
    view = RigidPrim("/World/Box_.*")
    view.set_default_state(positions=np.array([[0.0, 0.0, 5.0], [1.0, 0.0, 5.0]]))
    world.scene.add(view)
    world.reset()
    np.testing.assert_allclose(view.get_world_poses()[0][:, 2], 5.0)
    view.set_default_state(linear_velocities=np.array([[0.0, 1.0, 0.0]]), indices=[0])
    for _ in range(5):
        world.step(render=False)
    world.reset(soft=True)
    state = view.get_current_dynamic_state()
    np.testing.assert_allclose(state.linear_velocities, [[0, 1, 0], [0, 0, 0]], atol=1e-6)
    np.testing.assert_allclose(state.positions[:, 2], 5.0)
    assert view.get_default_state().angular_velocities.shape == (2, 3)


def test_units_of_the_stage():
    from phalanx.facade.isaacsim.core.api import World

    world = World(stage_units_in_meters=0.01)
    cube = UsdGeom.Cube.Define(stage.get_stage(), "/World/Box")
    cube.CreateSizeAttr(20.0)
    cube.AddTranslateOp().Set((0.0, 0.0, 100.0))
    UsdPhysics.CollisionAPI.Apply(cube.GetPrim())
    body = SingleRigidPrim("/World/Box", mass=2.0)
    world.reset()
    np.testing.assert_allclose(body.get_world_pose()[0], [0, 0, 100])
    world.step(render=False)
    assert body.get_linear_velocity()[2] == pytest.approx(-981.0 * DT, rel=1e-4)
    body.set_linear_velocity(np.array([100.0, 0.0, 0.0]))
    before = body.get_world_pose()[0][0]
    world.step(render=False)
    assert body.get_world_pose()[0][0] - before == pytest.approx(100.0 * DT, rel=1e-3)
    view = RigidPrim("/World/Box")
    np.testing.assert_allclose(view.get_inertias()[0, 0], 2.0 * 20.0**2 / 6.0, rtol=1e-4)
    view.set_linear_velocities(np.zeros((1, 3)))
    view.apply_forces(np.array([[200.0, 0.0, 0.0]]))  # kg cm/s^2
    world.step(render=False)
    assert view.get_linear_velocities()[0, 0] == pytest.approx(100.0 * DT, rel=1e-3)


def test_one_body(world, backend):
    boxes(1)
    body = SingleRigidPrim("/World/Box_0", mass=4.0)
    world.reset()
    assert body.get_mass() == 4.0
    body.set_mass(1.5)
    assert body.get_mass() == 1.5
    body.set_linear_velocity(like(backend, [0, 0, 1]))
    body.set_angular_velocity(like(backend, [0, 1, 0]))
    np.testing.assert_allclose(host(body.get_linear_velocity()), [0, 0, 1])
    np.testing.assert_allclose(host(body.get_angular_velocity()), [0, 1, 0])
    state = body.get_current_dynamic_state()
    assert state.position.shape == (3,) and kind(state.position) == backend
    body.set_sleep_threshold(0.25)
    assert body.get_sleep_threshold() == 0.25
    body.set_density(100.0)
    assert body.get_density() == 100.0
    place, turn = body.get_com()
    assert place.shape == (3,) and turn.shape == (4,)


def test_what_goes_wrong(world, caplog):
    boxes(2)
    view = RigidPrim("/World/Box_.*")
    view.apply_forces(np.zeros((2, 3)))
    assert "no simulation" in caplog.text
    world.reset()
    with pytest.raises(ValueError, match=r"velocities has shape \(1, 6\); it must be \(2, 6\)"):
        view.set_velocities(np.zeros((1, 6)))
    with pytest.raises(ValueError, match=r"masses has shape \(3,\)"):
        view.set_masses([1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="Prim path expression"):
        RigidPrim("/World/Box_9")


def test_bodies_move_at_first_as_the_stage_has_them_move(world):
    """Velocities of the stage, of the centre of mass in the space above the body, degrees per second."""
    boxes(2, "/World/Box_{}")
    prim = stage.get_stage().GetPrimAtPath("/World/Box_1")
    UsdPhysics.MassAPI(prim).CreateCenterOfMassAttr(Gf.Vec3f(0.0, 0.0, 0.05))
    body = UsdPhysics.RigidBodyAPI(prim)
    body.CreateVelocityAttr(Gf.Vec3f(1.0, 0.0, 2.0))
    body.CreateAngularVelocityAttr(Gf.Vec3f(0.0, 90.0, 0.0))
    view = RigidPrim("/World/Box_.*")
    for _ in range(2):
        world.reset()
        expected = [[0, 0, 0, 0, 0, 0], [1.0, 0, 2.0, 0, np.pi / 2, 0]]
        np.testing.assert_allclose(view.get_velocities(), expected, atol=1e-5)
        for _ in range(5):
            world.step(render=False)
        world.stop()
