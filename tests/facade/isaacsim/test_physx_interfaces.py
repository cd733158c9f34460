"""``omni.physx``: what is where, reports of contacts, and forces on single bodies."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest
from facade.isaacsim.core_scenes import boxes

from phalanx.facade import simulation, stage
from phalanx.facade.carb.types import Float3, Float4
from phalanx.facade.isaacsim.core.api.objects import DynamicCuboid, FixedCuboid
from phalanx.facade.isaacsim.core.cloner import GridCloner
from phalanx.facade.isaacsim.core.utils.collisions import ray_cast
from phalanx.facade.omni import physx
from phalanx.facade.omni.physx.bindings._physx import ContactEventType
from phalanx.facade.pxr.PhysicsSchemaTools import decodeSdfPath, intToSdfPath, sdfPathToInt
from phalanx.io.formats.usd.bindings import Gf, UsdGeom, UsdPhysics

UNTURNED = Float4(0.0, 0.0, 0.0, 1.0)
DOWN = Float3(0.0, 0.0, -1.0)


@pytest.fixture
def scene(world):
    """A cube of 0.5 m at x = 2, 4 and 6 m, the last one of two colliders, and ground at 0."""
    world.scene.add_ground_plane(prim_path="/World/ground")
    for i in (1, 2):
        world.scene.add(FixedCuboid(f"/World/cube_{i}", f"cube_{i}", position=np.array([2.0 * i, 0, 0.5]), size=0.5))
    body = UsdGeom.Xform.Define(stage.get_stage(), "/World/body")
    body.AddTranslateOp().Set(Gf.Vec3d(6.0, 0.0, 0.5))
    UsdPhysics.RigidBodyAPI.Apply(body.GetPrim()).CreateKinematicEnabledAttr(True)
    for name, x in (("left", -0.125), ("right", 0.125)):
        part = UsdGeom.Cube.Define(stage.get_stage(), f"/World/body/{name}")
        part.CreateSizeAttr(0.25)
        part.AddTranslateOp().Set(Gf.Vec3d(x, 0.0, 0.0))
        UsdPhysics.CollisionAPI.Apply(part.GetPrim())
    world.reset()
    return physx.get_physx_scene_query_interface()


def test_rays(scene):
    hit = scene.raycast_closest(Float3(0, 0, 0.5), Float3(2.0, 0, 0), 10.0)
    assert hit["hit"] and hit["rigidBody"] == hit["collision"] == "/World/cube_1"
    assert hit["distance"] == pytest.approx(1.75, abs=1e-5) and hit["position"].x == pytest.approx(1.75, abs=1e-5)
    np.testing.assert_allclose(hit["normal"], [-1, 0, 0], atol=1e-6)
    assert not scene.raycast_closest((0, 0, 0.5), (1, 0, 0), 1.7)["hit"]
    assert scene.raycast_any((0, 0, 0.5), (1, 0, 0), 1.8) and not scene.raycast_any((0, 0, 0.5), (1, 0, 0), 1.7)
    hits = []
    assert scene.raycast_all((0, 0, 0.5), (1, 0, 0), -1.0, lambda found: hits.append(found) or True)
    assert [each.rigid_body for each in hits] == ["/World/cube_1", "/World/cube_2", "/World/body", "/World/body"]
    assert [each.collision for each in hits[2:]] == ["/World/body/left", "/World/body/right"]
    np.testing.assert_allclose([each.distance for each in hits], [1.75, 3.75, 5.75, 6.0], atol=1e-5)
    assert decodeSdfPath(*hits[2].collision_encoded) == "/World/body/left"
    few = []
    assert scene.raycast_all((0, 0, 0.5), (1, 0, 0), 10.0, lambda found: few.append(found) or len(few) < 2)
    assert len(few) == 2, "the function has ended it"
    down = scene.raycast_closest((0, 5, 3), DOWN, 10.0)
    assert down["distance"] == pytest.approx(3.0) and down["collision"].startswith("/World/ground")
    assert ray_cast(np.array([0, 0, 0.5]), np.array([1.0, 0, 0, 0]), np.zeros(3), 10.0) == (
        "/World/cube_1",
        pytest.approx(1.75, abs=1e-5),
    )


def test_sweeps_and_overlaps(scene):
    hit = scene.sweep_sphere_closest(radius=0.2, origin=(0, 0, 0.5), dir=(1, 0, 0), distance=10.0)
    assert hit["rigidBody"] == "/World/cube_1" and hit["distance"] == pytest.approx(1.55, abs=1e-4)
    assert scene.sweep_sphere_any(0.2, (0, 0, 0.5), (1, 0, 0), 1.6)
    assert not scene.sweep_sphere_any(0.2, (0, 0, 0.5), (1, 0, 0), 1.5)
    turned = Float4(0.0, 0.0, float(np.sin(np.pi / 8)), float(np.cos(np.pi / 8)))  # by 45 degrees about z
    hit = scene.sweep_box_closest((0.1, 0.1, 0.1), (0, 0, 0.5), turned, (1, 0, 0), 10.0)
    assert hit["distance"] == pytest.approx(1.75 - 0.1 * np.sqrt(2), abs=1e-4)
    assert scene.overlap_sphere_any(0.3, (2, 0, 1)) and not scene.overlap_sphere_any(0.2, (2, 0, 1))
    found = []
    count = scene.overlap_box((2.0, 0.1, 0.1), (3, 0, 0.5), UNTURNED, lambda each: found.append(each) or True)
    assert count == 2 and sorted(each.rigid_body for each in found) == ["/World/cube_1", "/World/cube_2"]
    assert scene.overlap_box((2.0, 0.1, 0.1), (3, 0, 0.5), UNTURNED, None, True) == 1
    assert not scene.overlap_box_any((0.1, 0.1, 0.1), (0, 0, 0.5), UNTURNED)
    with pytest.raises(ValueError, match="must be three numbers"):
        scene.overlap_sphere_any(0.3, (2, 0))


def test_nothing_is_hit_while_nothing_is_simulated():
    scene = physx.get_physx_scene_query_interface()
    assert not scene.raycast_closest((0, 0, 1), DOWN, 10.0)["hit"]
    with pytest.raises(RuntimeError, match="there is no simulation"):
        ray_cast(np.zeros(3), np.array([1.0, 0, 0, 0]), np.zeros(3))


def test_environments_are_seen_where_they_are(world):
    boxes(1, "/World/envs/env_{}", spread=0.0)
    GridCloner(3.0).clone("/World/envs/env_0", [f"/World/envs/env_{i}" for i in range(4)])
    world.reset()
    scene = physx.get_physx_scene_query_interface()
    for i in range(4):
        place = UsdGeom.Xformable(stage.get_stage().GetPrimAtPath(f"/World/envs/env_{i}")).GetLocalTransformation()
        x, y, z = place.ExtractTranslation()
        hit = scene.raycast_closest((x, y, z + 5.0), DOWN, 10.0)
        assert hit["rigidBody"] == f"/World/envs/env_{i}" and hit["distance"] == pytest.approx(4.9, abs=1e-4)
        np.testing.assert_allclose(hit["position"], [x, y, z + 0.1], atol=1e-4)


def test_contacts_are_reported(world):
    """A cube lands, rests and is taken away: the impulse of a step is its weight."""
    world.scene.add_ground_plane(prim_path="/World/ground", restitution=0.0)
    cube = world.scene.add(DynamicCuboid("/World/cube", "cube", position=np.array([0, 0, 0.3]), size=0.5, mass=2.0))
    world.scene.add(DynamicCuboid("/World/silent", "silent", position=np.array([5, 0, 0.25]), size=0.5))
    cube.prim.AddAppliedSchema("PhysxContactReportAPI")
    interface, seen = physx.get_physx_simulation_interface(), []
    subscription = interface.subscribe_contact_report_events(lambda headers, data: seen.append((headers, data)))
    world.reset()
    for _ in range(60):
        world.step(render=False)
    kinds = [[header.type for header in headers] for headers, _ in seen]
    assert kinds[0] == [ContactEventType.CONTACT_FOUND] and kinds[-1] == [ContactEventType.CONTACT_PERSIST]
    assert sum(kind.count(ContactEventType.CONTACT_FOUND) for kind in kinds) == 1
    headers, data = seen[-1]
    assert str(intToSdfPath(headers[0].actor0)) == str(intToSdfPath(headers[0].collider0)) == "/World/cube"
    assert str(intToSdfPath(headers[0].actor1)).startswith("/World/ground")
    points = data[headers[0].contact_data_offset :][: headers[0].num_contact_data]
    assert len(points) == 4
    total = np.sum([point.impulse for point in points], axis=0)
    np.testing.assert_allclose(total, [0, 0, 2.0 * 9.81 * world.get_physics_dt()], rtol=0.02, atol=1e-3)
    for point in points:
        np.testing.assert_allclose(point.normal, [0, 0, 1], atol=1e-5)
        np.testing.assert_allclose(np.abs(point.position[:2]), 0.25, atol=1e-3)
        assert abs(point.position[2]) < 2e-3 and abs(point.separation) < 2e-3
    assert interface.get_contact_report() == (headers, data)
    cube.set_world_pose(np.array([0.0, 0.0, 9.0]))
    world.step(render=False)
    assert [header.type for header in seen[-1][0]] == [ContactEventType.CONTACT_LOST] and not seen[-1][1]
    count = len(seen)
    world.step(render=False)
    assert len(seen) == count, "nothing is told of a step without contacts"
    subscription.unsubscribe()


def test_contacts_below_the_threshold_are_not_reported(world):
    world.scene.add_ground_plane(restitution=0.0)
    light = world.scene.add(DynamicCuboid("/World/cube", "cube", position=np.array([0, 0, 0.05]), size=0.1, mass=0.05))
    light.prim.AddAppliedSchema("PhysxContactReportAPI")
    world.reset()
    for _ in range(10):
        world.step(render=False)
    interface = physx.get_physx_simulation_interface()
    assert interface.get_contact_report() == ([], []), "0.5 N, and 1 N is asked for by default"


@pytest.mark.parametrize(
    ("mode", "value"), [("Force", 3.0), ("Impulse", 3.0 / 60), ("Acceleration", 1.5), ("VelocityChange", 1.5 / 60)]
)
def test_forces_push_for_a_step_and_add_up(world, mode, value):
    cube = world.scene.add(DynamicCuboid("/World/cube", "cube", position=np.array([0, 0, 5.0]), size=0.5, mass=2.0))
    world.get_physics_context().set_gravity(0.0)
    world.reset()
    interface, path = physx.get_physx_simulation_interface(), sdfPathToInt("/World/cube")
    for y in (-0.2, 0.2):
        interface.apply_force_at_pos(0, path, Float3(value / 2, 0, 0), Float3(0, y, 5.0), mode)
    for _ in range(2):
        world.step(render=False)
    np.testing.assert_allclose(cube.get_linear_velocity(), [1.5 / 60, 0, 0], rtol=1e-4, atol=1e-7)
    np.testing.assert_allclose(cube.get_angular_velocity(), 0.0, atol=1e-6)
    interface.apply_force_at_pos(0, path, (value, 0, 0), (0, 0.2, 5.0), mode)
    interface.apply_torque(0, path, (0.0, 0.0, 0.6))
    world.step(render=False)
    np.testing.assert_allclose(cube.get_angular_velocity(), 0.0, atol=1e-3)  # they cancel out


def test_what_cannot_be_pushed(world):
    boxes(1)
    interface = physx.get_physx_simulation_interface()
    with pytest.raises(ValueError, match="no rigid body that is simulated"):
        interface.apply_force_at_pos(0, sdfPathToInt("/World/Box_0"), (1, 0, 0), (0, 0, 0))
    world.reset()
    with pytest.raises(ValueError, match="mode 'Shove'"):
        interface.apply_force_at_pos(0, sdfPathToInt("/World/Box_0"), (1, 0, 0), (0, 0, 0), "Shove")


def test_a_world_that_is_gone_is_not_held(world):
    """Contacts that were reported and forces that were set do not keep the arrays of a world that has stopped."""
    boxes(1)
    world.reset()
    stage.get_stage().GetPrimAtPath("/World/Box_0").AddAppliedSchema("PhysxContactReportAPI")
    interface = physx.get_physx_simulation_interface()
    world.step(render=False)
    interface.get_contact_report()
    interface.apply_force_at_pos(0, sdfPathToInt("/World/Box_0"), (1, 0, 0), (0, 0, 0))
    made = weakref.ref(simulation.get().world)
    world.stop()
    gc.collect()
    assert made() is None
