"""Sensors on bodies against what is known: free fall, rest, steady turning, weights."""

from __future__ import annotations

import numpy as np
import pytest
from facade.isaacsim.core_scenes import add_robots, boxes, host, kind, like, xforms

from phalanx.assets.building import build
from phalanx.assets.catalogue import chosen
from phalanx.facade import stage
from phalanx.facade.isaacsim.core.prims import SingleArticulation, SingleRigidPrim, SingleXFormPrim
from phalanx.facade.isaacsim.core.utils.stage import add_reference_to_stage
from phalanx.facade.isaacsim.sensors.physics import ContactSensor, EffortSensor, EsSensorReading, IMUSensor, _sensor
from phalanx.facade.omni.kit.commands import execute
from phalanx.io.formats.usd.bindings import Gf, UsdPhysics

G, DT = 9.81, 1.0 / 60.0


def test_falling_and_at_rest(world, backend):
    boxes(1, "/World/Box_{}")
    imu = world.scene.add(IMUSensor("/World/Box_0/imu", "imu"))
    world.scene.add_ground_plane()
    world.reset()
    assert imu.get_current_frame()["physics_step"] == 0
    for _ in range(3):
        world.step(render=False)
    falling = imu.get_current_frame()
    assert kind(falling["lin_acc"]) == backend and falling["physics_step"] == 3
    assert falling["time"] == pytest.approx(3 * DT)
    np.testing.assert_allclose(host(falling["lin_acc"]), [0, 0, 0], atol=2e-3)
    np.testing.assert_allclose(host(imu.get_current_frame(read_gravity=False)["lin_acc"]), [0, 0, -G], atol=2e-3)
    for _ in range(120):
        world.step(render=False)
    np.testing.assert_allclose(host(imu.get_current_frame()["lin_acc"]), [0, 0, G], atol=0.02)
    world.reset()
    np.testing.assert_allclose(host(imu.get_current_frame()["lin_acc"]), [0, 0, 0])


def test_what_turns_feels_the_centripetal_acceleration(world, backend):
    """0.2 m off the centre of mass and turned by 90 degrees about z."""
    boxes(1, "/World/Box_{}")
    xforms("/World/Box_0/arm")
    half = float(np.sqrt(0.5))
    imu = IMUSensor(
        "/World/Box_0/arm/imu",
        "imu",
        translation=np.array([0.2, 0.0, 0.0]),
        orientation=np.array([half, 0.0, 0.0, half]),
    )
    world.scene.add(imu)
    world.get_physics_context().set_gravity(0.0)
    world.get_physics_context().set_physics_dt(0.001)
    world.reset()
    rate = 3.0
    SingleRigidPrim("/World/Box_0").set_angular_velocity(like(backend, [0.0, 0.0, rate]))
    for _ in range(20):
        world.step(render=False)
    frame = imu.get_current_frame()
    rate *= np.exp(-0.05 * 0.02)  # bodies have some damping unless told otherwise
    np.testing.assert_allclose(host(frame["ang_vel"]), [0, 0, rate], atol=1e-4)
    # Along the arm, which is the sensor's -y, towards the middle. Across it, the damping slows it down, and the
    # difference of velocities is half a step old.
    across = -0.05 * rate * 0.2 + rate**2 * 0.2 * rate * 0.001 / 2
    np.testing.assert_allclose(host(frame["lin_acc"]), [across, rate**2 * 0.2, 0], atol=2e-3)
    angle = np.pi / 2 + rate * 0.02
    np.testing.assert_allclose(host(frame["orientation"]), [np.cos(angle / 2), 0, 0, np.sin(angle / 2)], atol=2e-3)


def test_periods_pauses_and_means(world):
    boxes(1, "/World/Box_{}")
    slow = world.scene.add(IMUSensor("/World/Box_0/slow", "slow", frequency=20))
    mean = world.scene.add(IMUSensor("/World/Box_0/mean", "mean", angular_velocity_filter_size=4))
    assert slow.get_frequency() == 20 and slow.get_dt() == pytest.approx(0.05)
    world.get_physics_context().set_gravity(0.0)
    world.reset()
    body, steps = SingleRigidPrim("/World/Box_0"), []
    for i in range(8):
        body.set_angular_velocity(np.array([0.0, 0.0, float(i)]))
        world.step(render=False)
        steps.append(slow.get_current_frame()["physics_step"])
    assert steps == [1, 1, 1, 4, 4, 4, 7, 7]
    assert mean.get_current_frame()["ang_vel"][2] == pytest.approx((4 + 5 + 6 + 7) / 4, rel=1e-3)
    mean.pause()
    world.step(render=False)
    assert mean.is_paused() and mean.get_current_frame()["physics_step"] == 8
    mean.resume()
    world.step(render=False)
    assert not mean.is_paused() and mean.get_current_frame()["physics_step"] == 10


def test_a_box_is_pushed_by_its_weight(world, backend):
    boxes(2, "/World/Box_{}")
    weight = 2.0 * G
    touch = world.scene.add(ContactSensor("/World/Box_0/touch", "touch"))
    cut = world.scene.add(ContactSensor("/World/Box_1/cut", "cut", max_threshold=5.0))
    high = world.scene.add(ContactSensor("/World/Box_1/high", "high", min_threshold=100.0))
    world.scene.add_ground_plane()
    world.reset()
    world.step(render=False)
    assert touch.get_current_frame()["in_contact"] is False and touch.get_current_frame()["force"] == 0.0
    for _ in range(150):
        world.step(render=False)
    frame = touch.get_current_frame()
    assert frame["in_contact"] is True and frame["force"] == pytest.approx(weight, rel=1e-3)
    assert cut.get_current_frame()["force"] == 5.0
    assert high.get_current_frame()["in_contact"] is False and high.get_current_frame()["force"] == 0.0
    high.set_min_threshold(1.0)
    assert (high.get_min_threshold(), high.get_radius()) == (1.0, -1.0)
    world.step(render=False)
    assert high.get_current_frame()["in_contact"] is True


def test_contacts_one_by_one(world, backend):
    """A box on a box on the ground: who touches whom, where, and what impulses add up to."""
    boxes(2, "/World/Box_{}", spread=0.0)
    upper = SingleRigidPrim("/World/Box_1", "upper", position=like(backend, [0.0, 0.0, 1.25]))
    touch = world.scene.add(ContactSensor("/World/Box_0/touch", "touch"))
    near = world.scene.add(ContactSensor("/World/Box_0/near", "near", radius=0.05, translation=np.array([0, 0, 0.1])))
    corner = world.scene.add(
        ContactSensor("/World/Box_0/corner", "corner", radius=0.05, translation=np.array([0.1, 0.1, 0.1]))
    )
    world.scene.add_ground_plane()
    touch.add_raw_contact_data_to_frame()
    world.reset()
    world.step(render=False)
    frame = touch.get_current_frame()
    assert frame["contacts"] == [] and frame["number_of_contacts"] == 0
    for _ in range(180):
        world.step(render=False)
    frame, top = touch.get_current_frame(), host(upper.get_world_pose()[0])
    assert frame["number_of_contacts"] == len(frame["contacts"]) > 2
    sums = {}
    for contact in frame["contacts"]:
        assert contact["body0"] == "/World/Box_0"
        assert all(kind(contact[name]) == backend for name in ("position", "normal", "impulse"))
        impulse = host(contact["impulse"])
        np.testing.assert_allclose(impulse, host(contact["normal"]) * np.linalg.norm(impulse), atol=1e-6)
        above = contact["body1"] == "/World/Box_1"
        assert host(contact["position"])[2] == pytest.approx(top[2] - 0.1 if above else 0.0, abs=2e-3)
        np.testing.assert_allclose(host(contact["normal"]), [0, 0, -1 if above else 1], atol=1e-3)
        sums[contact["body1"]] = sums.get(contact["body1"], 0.0) + impulse
    assert set(sums) == {
        "/World/Box_1",
        next(path for path in sums if path.startswith("/World/") and "Box" not in path),
    }
    np.testing.assert_allclose(sums["/World/Box_1"], [0, 0, -2.0 * G * DT], rtol=5e-3, atol=1e-3)
    np.testing.assert_allclose(sum(sums.values()), [0, 0, 2.0 * G * DT], rtol=5e-3, atol=1e-3)
    assert frame["force"] == pytest.approx(2.0 * G, rel=5e-3)
    assert near.get_current_frame()["force"] == 0.0 and "contacts" not in near.get_current_frame()
    at_corner = [host(each["impulse"]) for each in frame["contacts"] if near_to(each, [0.1, 0.1, 0.2], 0.05)]
    assert corner.get_current_frame()["in_contact"] and len(at_corner) > 0
    assert corner.get_current_frame()["force"] == pytest.approx(
        np.linalg.norm(np.sum(at_corner, axis=0)) / DT, rel=1e-3
    )
    touch.remove_raw_contact_data_from_frame()
    world.step(render=False)
    assert "contacts" not in touch.get_current_frame()


def near_to(contact, place, radius: float) -> bool:
    return bool(np.linalg.norm(host(contact["position"]) - place) < radius)


def test_sensors_stay_on_bodies_that_are_put_elsewhere_before_a_reset(world):
    """The root of a robot is put 1.5 m higher, as its default: what sits on another link goes up with that link."""
    add_robots("quadruped", 1, fixed=False)
    robot = world.scene.add(SingleArticulation("/World/Robot_0", "robot", position=np.array([0.0, 0.0, 1.5])))
    link = next(str(prim.GetPath()) for prim in stage.get_stage().Traverse() if prim.GetName() == "FL_calf")
    sensor = world.scene.add(ContactSensor(f"{link}/touch", "touch", translation=np.array([0.1, 0.0, -0.05])))
    imu = world.scene.add(IMUSensor(f"{link}/imu", "imu", translation=np.array([0.0, 0.2, 0.0])))
    for _ in range(2):
        world.reset()
        robot.set_world_pose(np.array([0.3, 0.0, 2.0]))
        world.step(render=False)
        np.testing.assert_allclose(host(sensor.get_local_pose()[0]), [0.1, 0.0, -0.05], atol=1e-5)
        np.testing.assert_allclose(host(imu.get_local_pose()[0]), [0.0, 0.2, 0.0], atol=1e-5)
        at = host(SingleXFormPrim(link).get_world_pose()[0])
        assert np.linalg.norm(host(sensor.get_world_pose()[0]) - at) == pytest.approx(np.hypot(0.1, 0.05), abs=1e-5)
    late = SingleXFormPrim(f"{link}/touch", "late")
    world.reset()
    late.post_reset()
    np.testing.assert_allclose(host(late.get_local_pose()[0]), [0.1, 0.0, -0.05], atol=1e-5)


def test_sensors_end_with_their_prims(world):
    boxes(2, "/World/Box_{}")
    imu = IMUSensor("/World/Box_0/imu")
    world.reset()
    imu.initialize()
    world.step(render=False)
    stage.get_stage().RemovePrim("/World/Box_0/imu")
    world.step(render=False)
    assert imu.get_current_frame()["physics_step"] == 1


def test_sensors_that_cannot_be(world):
    xforms("/World/a")
    boxes(1, "/World/Box_{}")
    with pytest.raises(ValueError, match="is not below a rigid body"):
        IMUSensor("/World/a/imu")
    with pytest.raises(ValueError, match="frequency and dt cannot both be given"):
        IMUSensor("/World/Box_0/imu", frequency=10, dt=0.1)


def joint_path(name: str) -> str:
    return next(str(prim.GetPath()) for prim in stage.get_stage().Traverse() if prim.GetName() == name)


def test_an_arm_that_is_held_out_weighs_on_its_joint(world, tmp_path):
    """2 kg whose middle is 1 m from the joint: what Isaac Sim's tests of its effort sensor expect of the same arm."""
    files = build(chosen(["simple-arm"])[0], tmp_path)
    add_reference_to_stage(str(files[0]), "/Articulation")
    joint = UsdPhysics.RevoluteJoint(stage.get_stage().GetPrimAtPath("/Articulation/Arm/RevoluteJoint"))
    joint.CreateAxisAttr("Y")
    world.reset()
    sensor = EffortSensor("/Articulation/Arm/RevoluteJoint")
    for _ in range(60):
        world.step(render=False)
    assert sensor.get_sensor_reading().value == pytest.approx(-2.0 * 9.81, rel=1e-3)


def test_efforts_of_a_joint(world):
    """At rest a joint transmits what its drive does: stiffness times how far it is from its target."""
    add_robots("arm", 1)
    robot = world.scene.add(SingleArticulation("/World/Robot_0", "robot"))
    world.reset()
    name, other = robot.dof_names[1], robot.dof_names[0]
    sensor = EffortSensor(joint_path(name))
    slow = EffortSensor(joint_path(name), sensor_period=2.5 * DT)
    assert not sensor.get_sensor_reading().is_valid
    robot.get_articulation_controller().set_gains(np.full(robot.num_dof, 400.0), np.full(robot.num_dof, 40.0))
    target = np.zeros(robot.num_dof)
    target[1] = 0.7
    robot.set_joint_positions(target)
    values, times = [], []
    for _ in range(180):
        world.step(render=False)
        reading = sensor.get_sensor_reading()
        values.append(reading.value)
        times.append(reading.time)
    assert reading.is_valid and reading.time == pytest.approx(180 * DT)
    sag = target[1] - robot.get_joint_positions()[1]
    assert abs(sag) > 1e-3 and reading.value == pytest.approx(400.0 * sag, rel=5e-3)
    # 2.5 steps go into 180 steps 72 times: the last one is at the last step
    slower = slow.get_sensor_reading()
    assert slower.time == pytest.approx(72 * 2.5 * DT) and slower.value == pytest.approx(values[-1])
    for _ in range(3):
        world.step(render=False)
        values.append(sensor.get_sensor_reading().value)
    between = slow.get_sensor_reading()
    assert between.time == pytest.approx(182.5 * DT)
    assert between.value == pytest.approx((values[181] + values[182]) / 2)
    assert slow.get_sensor_reading(use_latest_data=True).time == pytest.approx(183 * DT)
    told = slow.get_sensor_reading(lambda buffer, time: EsSensorReading(True, time, buffer[1].value))
    assert told.value == pytest.approx(values[181])
    sensor.update_dof_name(other)
    world.step(render=False)
    assert sensor.get_sensor_reading().value == pytest.approx(robot.get_measured_joint_efforts()[0])
    sensor.change_buffer_size(3)
    assert len(sensor.sensor_reading_buffer) == 3
    sensor.enabled = False
    assert not sensor.get_sensor_reading().is_valid
    world.reset()
    assert not slow.get_sensor_reading().is_valid
    with pytest.raises(ValueError, match="no joint of an articulation"):
        EffortSensor("/World/nothing")


def test_readings_by_paths(world):
    """A box of 2 kg at rest, by commands and interfaces."""
    boxes(1, "/World/Box_{}")
    contacts, units = _sensor.acquire_contact_sensor_interface(), _sensor.acquire_imu_sensor_interface()
    _, made = execute("IsaacSensorCreateContactSensor", path="/Feel", parent="/World/Box_0", radius=-1)
    execute("IsaacSensorCreateImuSensor", path="/Imu", parent="/World/Box_0", translation=Gf.Vec3d(0, 0, 0.1))
    assert str(made.GetPath()) == "/World/Box_0/Feel"
    world.scene.add_ground_plane()
    assert not contacts.get_sensor_reading("/World/Box_0/Feel").is_valid
    world.reset()
    for _ in range(3):
        world.step(render=False)
    reading = units.get_sensor_reading("/World/Box_0/Imu", read_gravity=False)
    assert reading.is_valid and reading.lin_acc_z == pytest.approx(-G, abs=2e-3)
    felt = contacts.get_sensor_reading("/World/Box_0/Feel")
    assert (felt.is_valid, felt.in_contact, felt.value) == (True, False, 0.0)
    for _ in range(120):
        world.step(render=False)
    felt = contacts.get_sensor_reading("/World/Box_0/Feel", use_latest_data=True)
    assert felt.in_contact and felt.inContact and felt.value == pytest.approx(2.0 * G, rel=0.02)
    reading = units.get_sensor_reading("/World/Box_0/Imu")
    np.testing.assert_allclose([reading.lin_acc_x, reading.lin_acc_y, reading.lin_acc_z], [0, 0, G], atol=0.02)
    np.testing.assert_allclose(reading.orientation, [0, 0, 0, 1], atol=1e-3)
    raw = contacts.get_contact_sensor_raw_data("/World/Box_0/Feel")
    assert raw["impulse"]["z"].sum() == pytest.approx(2.0 * G * DT, rel=0.02)
    assert {contacts.decode_body_name(each) for each in raw["body0"]} == {"/World/Box_0"}
    assert all("ound" in contacts.decode_body_name(each) for each in raw["body1"])
    assert contacts.is_contact_sensor("/World/Box_0/Feel") and not contacts.is_contact_sensor("/World/Box_0/Imu")
    assert units.is_imu_sensor("/World/Box_0/Imu") and not units.get_sensor_reading("/World/none").is_valid
    with pytest.raises(ValueError, match="parent is not given"):
        execute("IsaacSensorCreateContactSensor", path="/Feel")
