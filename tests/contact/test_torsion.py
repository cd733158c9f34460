"""Torsional friction: what spins on a point is braked by friction at the patch's radius, as worked out by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from contact.scenes import GRAVITY
from oracles import host

import phalanx as px
from phalanx.models.robot_model import Body, Joint, RobotModel, Shape

DT = 1 / 240
RADIUS = 0.1
INERTIA = 0.4 * RADIUS**2  # of 1 kg
FRICTION = 0.5
LEAST = np.array([0.0, 0.01, 0.02, 0.04])
PATCH = np.array([0.0, 0.2, 0.4, 0.8])
DEPTH = 5e-5  # within what the solver lets stay
SPIN = 20.0
FORCE = 15.0


def spin(thing: Any, axis: int = 2) -> np.ndarray:
    """(n,): angular velocity about an axis of the world."""
    return host(thing.root_vel)[:, 3 + axis]


def braked(torque: np.ndarray, t: float, inertia: float = INERTIA) -> np.ndarray:
    """Spin after t under a torque that stops it."""
    return np.maximum(SPIN - torque / inertia * t, 0.0)


@pytest.fixture(scope="module")
def world(device: str) -> px.World:
    """Spheres, a box and a capsule, which all spin; every environment has other radii."""
    world = px.World(len(LEAST), device, dt=DT)
    world.add_ground(friction=FRICTION)
    ball = px.Shape("sphere", (RADIUS,))
    options: dict[str, Any] = {"mass": 1.0, "friction": FRICTION}
    world.add_rigid_object(ball, "ball", position=(0, 0, RADIUS), **options)
    world.add_rigid_object(ball, "deep", position=(1, 0, RADIUS - DEPTH), **options)
    block = px.Shape("box", (0.3, 0.3, 0.3))
    world.add_rigid_object(block, "block", kind="static", position=(2, 0, 0.3), friction=FRICTION)
    world.add_rigid_object(ball, "upper", position=(2, 0, 0.6 + RADIUS), **options)
    world.add_rigid_object(ball, "left", position=(3.0, 0, 1), disable_gravity=True, **options)
    world.add_rigid_object(ball, "right", position=(3.0 + 2 * RADIUS, 0, 1), disable_gravity=True, **options)
    world.add_rigid_object(ball, "pushed", position=(4, 0, RADIUS), **options, min_torsional_patch_radius=0.02)
    world.add_rigid_object(px.Shape("box", (0.1, 0.1, 0.1)), "box", position=(5, 0, 0.1), **options)
    world.add_rigid_object(
        px.Shape("capsule", (0.1, 0.2)),
        "capsule",
        position=(6, 0, 0.1),
        orientation=(0.5**0.5, 0.5**0.5, 0, 0),
        **options,
    )
    world.build()
    for name in ("ball", "block", "left", "box", "capsule"):
        world.objects[name].set_material(min_torsional_patch_radius=LEAST[:, None])
    world.objects["deep"].set_material(torsional_patch_radius=PATCH[:, None])
    for name in ("ball", "deep", "upper", "box", "capsule"):
        world.objects[name].set_root_state(vel=[0, 0, 0, 0, 0, SPIN])
    world.objects["left"].set_root_state(vel=[0, 0, 0, SPIN, 0, 0])
    world.objects["left"].set_external_wrench(force=[FORCE, 0, 0])
    world.objects["right"].set_external_wrench(force=[-FORCE, 0, 0])
    limit = FRICTION * GRAVITY * 0.02
    world.objects["pushed"].set_external_wrench(torque=np.array([0.5, 0.95, 1.05, 2.0])[:, None] * [0, 0, limit])
    return world


def test_spin_slows_as_coulomb_says(world: px.World) -> None:
    """To 0.5 %, on a plane, on a box, between two spheres; with a radius given, and one from the penetration."""
    objects, t = world.objects, 0.0
    weight = FRICTION * GRAVITY
    for _ in range(4):
        world.step(24)
        t += 24 * DT
        expected = braked(weight * LEAST, t)
        np.testing.assert_allclose(spin(objects["ball"]), expected, rtol=0.005, atol=1e-3)
        np.testing.assert_allclose(spin(objects["upper"]), expected, rtol=0.005, atol=1e-3)
        np.testing.assert_allclose(host(objects["deep"].root_pose)[:, 2], RADIUS - DEPTH, atol=1e-7)
        np.testing.assert_allclose(spin(objects["deep"]), braked(weight * np.sqrt(PATCH * DEPTH), t), rtol=0.005)
        mean = SPIN / 2
        left = np.maximum(SPIN - FRICTION * FORCE * LEAST / INERTIA * t, mean)
        np.testing.assert_allclose(spin(objects["left"], 0), left, rtol=0.005)
        np.testing.assert_allclose(spin(objects["left"], 0) + spin(objects["right"], 0), SPIN, rtol=1e-5)
        ahead = np.maximum(np.array([0.5, 0.95, 1.05, 2.0]) - 1, 0) * weight * 0.02 / INERTIA * t
        np.testing.assert_allclose(spin(objects["pushed"]), ahead, rtol=0.01, atol=1e-5)
    assert (spin(objects["ball"]) > 1.0).tolist() == [True, True, True, False]  # or not much was tested


def test_what_touches_at_several_points_is_left_alone(world: px.World) -> None:
    """A box on four contacts and a capsule on two move alike to the bit, whatever the radius."""
    for name in ("box", "capsule"):
        pose, vel = (host(values) for values in (world.objects[name].root_pose, world.objects[name].root_vel))
        assert (pose == pose[:1]).all() and (vel == vel[:1]).all(), name


def test_radii_are_read_reset_saved_and_checked(world: px.World, tmp_path: Any) -> None:
    np.testing.assert_allclose(host(world.objects["deep"].torsional_patch_radius)[:, 0], PATCH)
    np.testing.assert_allclose(host(world.objects["ball"].min_torsional_patch_radius)[:, 0], LEAST)
    world.save(tmp_path / "spins.npz")
    again = px.World.load(tmp_path / "spins.npz", device=world.device)
    for each in (world, again):
        each.step(10)
    for name in ("ball", "pushed"):
        assert (host(world.objects[name].root_vel) == host(again.objects[name].root_vel)).all()
    with pytest.raises(ValueError, match="'ball': least torsional patch radius is negative"):
        world.objects["ball"].set_material(min_torsional_patch_radius=-0.1)
    with pytest.raises(ValueError, match=r"torsional_patch_radius=-1: must be a finite number, not negative"):
        px.Material(torsional_patch_radius=-1)


def test_others_do_not_notice(device: str) -> None:
    """A box that spins down beside a sphere with torsional friction moves as beside one without, to the bit.

    On a GPU islands are swept by themselves in worlds without torsional friction, and sums are in another order.
    """
    found = []
    for radius in (0.0, 0.05):
        world = px.World(2, device, dt=DT)
        world.add_ground()
        ball, cube = px.Shape("sphere", (0.1,)), px.Shape("box", (0.1, 0.1, 0.1))
        world.add_rigid_object(ball, "ball", position=(1, 0, 0.1), min_torsional_patch_radius=radius)
        box = world.add_rigid_object(cube, "box", position=(0, 0, 0.11))
        assert ("sweep_spins" in [s.name for s in world.build().schedule.systems()]) == (radius > 0)
        for made in world.objects.values():
            made.set_root_state(vel=[0, 0, 0, 0, 0, SPIN])
        world.step(60)
        assert (spin(world.objects["ball"]) < 0.9 * SPIN).all() == (radius > 0)
        found.append(np.concatenate([host(box.root_pose), host(box.root_vel)], axis=1))
    if device == "cpu":
        assert (found[0] == found[1]).all()
    else:
        np.testing.assert_allclose(found[0], found[1], rtol=0, atol=1e-5)


def test_alone_on_the_ground(device: str) -> None:
    """One body a world, so that neighbouring environments go in step; asked for when the world runs already."""
    world = px.World(len(LEAST), device, dt=DT)
    world.add_ground(friction=FRICTION)
    ball = world.add_rigid_object(
        px.Shape("sphere", (RADIUS,)), "ball", position=(0, 0, RADIUS), mass=1.0, friction=FRICTION
    )
    ball.set_root_state(vel=[0, 0, 0, 0, 0, SPIN])
    world.step(12)
    np.testing.assert_allclose(spin(ball), SPIN, rtol=1e-6)
    ball.set_material(min_torsional_patch_radius=LEAST[:, None])
    world.step(48)
    np.testing.assert_allclose(spin(ball), braked(FRICTION * GRAVITY * LEAST, 48 * DT), rtol=0.005)


def test_joints_carry_the_torque(device: str) -> None:
    """A foot on a leg that its drive keeps from turning stands on a turning ball: joints transmit the torque."""
    foot = Body("foot", 2.0, inertia=np.diag([0.02] * 3), collisions=[Shape("sphere", (RADIUS,))])
    up = (0.0, 0.0, 1.0)
    joints = [
        Joint("yaw", "revolute", "base", "shank", axis=up, lower=-1.0, upper=1.0),
        Joint("lift", "prismatic", "shank", "foot", axis=up, lower=-1.0, upper=1.0),
    ]
    model = RobotModel(
        "leg", [Body("base", 1.0, inertia=np.eye(3)), Body("shank", 0.5, inertia=np.eye(3) / 100), foot], joints
    )
    world = px.World(2, device, dt=DT)
    table = world.add_rigid_object(px.Shape("sphere", (0.3,)), "table", kind="kinematic", friction=FRICTION)
    options: dict[str, Any] = {"friction": FRICTION, "min_torsional_patch_radius": 0.03}
    leg = world.add_robot(model, "leg", fixed_base=True, position=(0, 0, 0.3 + RADIUS), **options)
    table.set_root_state(vel=[[0, 0, 0, 0, 0, 4.0], [0, 0, 0, 0, 0, -4.0]])
    leg.set_drive(stiffness=[50.0, 0.0], damping=[5.0, 0.0])
    world.step(240)
    torque = FRICTION * 2.0 * GRAVITY * 0.03
    wrench = host(leg.incoming_joint_wrench)[:, leg.body_names.index("foot")]
    np.testing.assert_allclose(wrench[:, 5], [-torque, torque], rtol=0.005)
    np.testing.assert_allclose(wrench[:, :2], 0.0, atol=0.02)
