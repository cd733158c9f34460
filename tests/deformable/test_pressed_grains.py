"""Grains that bodies press between them: force balance, Coulomb's bound, momentum, wedges, pistons, a real hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from deformable.scenes import momentum, world
from deformable.test_gripping import FINGER, GRIPPER
from oracles import host
from real_robots import robot_path

import phalanx as px
from phalanx import components as c

G, RADIUS = 9.81, 5e-3


def forces(made: px.World) -> np.ndarray:
    """(coupled links, 3): of particles, over the last step."""
    return host(made.engine.store.view(c.CoupledLinkMotion.impulse))[:, :3, 0] / made.dt


def plates(
    made: px.World, masses: tuple[float, float], gap: float, half: float = 0.01, width: float = 0.03, **options: Any
) -> Any:
    """Two plates that face each other along x, each so far from a grain in the middle."""
    return [
        made.add_rigid_object(
            px.Shape("box", (half, width, width)), f"plate{k}", mass=masses[k],
            position=((2 * k - 1) * (RADIUS + gap + half), 0, 0), **options,
        )
        for k in range(2)
    ]  # fmt: skip


def hand_of(folder: Path, made: px.World, apart: float, friction: float = 0.5) -> px.Robot:
    """A gripper whose fingers are so far from what has its middle between them."""
    path, x = folder / "gripper.urdf", RADIUS + 0.005 + apart
    fingers = FINGER.format(name="left", x=-x, way=1) + FINGER.format(name="right", x=x, way=-1)
    path.write_text(GRIPPER.format(fingers=fingers))
    return made.add_robot(
        path, "hand", fixed_base=True, position=(0, 0, 0.05), friction=friction, friction_combine="min"
    )


@pytest.mark.parametrize(
    ("masses", "mass", "force", "dtype"),
    [
        ((0.5, 0.5), 1e-3, 10.0, "float64"),
        ((0.5, 0.5), 1e-3, 50.0, "float32"),
        ((0.5, 0.05), 1e-3, 50.0, "float64"),
        ((0.05, 0.05), 0.2, 50.0, "float64"),
    ],
)
def test_a_grain_carries_what_presses_it(masses: tuple[float, float], mass: float, force: float, dtype: str) -> None:
    """Two plates that are pushed towards each other stop at the grain, which is as hard as they are."""
    made = world(gravity=(0, 0, 0), dtype=dtype)
    both = plates(made, masses, 3e-3)
    grain = made.add_particles([[0.0, 0, 0]], radius=RADIUS, mass=mass)
    made.build()
    for sign, plate in zip((1, -1), both, strict=True):
        plate.set_external_wrench(force=np.array([[sign * force, 0.0, 0.0]]))
    for _ in range(40):
        made.step()
        apart = both[1].root_pose[0, 0] - both[0].root_pose[0, 0] - 0.02
        assert apart > 0.99 * 2 * RADIUS
        total = sum(m * plate.root_vel[0, 0] for m, plate in zip(masses, both, strict=True))
        assert abs(total + mass * grain.node_vel[0, 0, 0]) < (1e-12 if dtype == "float64" else 1e-5)
    assert apart < 2 * RADIUS * 1.001
    rounding = 1e-9 if dtype == "float64" else 1e-4
    np.testing.assert_allclose(forces(made)[:, 0], [-force, force], rtol=rounding)
    assert all(abs(plate.root_vel[0, 0]) < rounding for plate in both)


@pytest.mark.parametrize("rolling", [None, 0.0, 0.1])
def test_plates_that_meet_about_grains_keep_momentum(rolling: float | None) -> None:
    """Linear and angular, with that of spins; beside their middle, so that they turn. Energy falls."""
    made = world(gravity=(0, 0, 0))
    masses = (0.5, 0.2)
    apart: dict[str, Any] = {"collision_group": 1, "collision_mask": [0]}  # they touch grains only
    both = plates(made, masses, 2e-3, half=0.03, friction=0.4, **apart)  # cubes, whose spin is constant in flight
    points = np.array([[0.0, 0.01, 0.002], [0.0, -0.004, 0.008], [0.0, 0.002, -0.013]])
    grains = made.add_particles(points, radius=RADIUS, mass=2e-3, friction=0.4, rolling_friction=rolling)
    made.build()
    velocities = ([0.4, 0.05, 0, 0, 0, 0], [-0.5, 0, 0.1, 0, 0, 0])
    for plate, velocity in zip(both, velocities, strict=True):
        plate.set_root_state(vel=np.array([velocity]))

    def sums() -> tuple[np.ndarray, np.ndarray, float]:
        _, push, turn = momentum(grains)
        linear, angular = push[0], turn[0]
        if rolling is not None:
            angular = angular + 0.4 * RADIUS**2 * 2e-3 * grains.spin[0].sum(axis=0)
        energy = 0.0
        for m, plate in zip(masses, both, strict=True):
            pose, vel = plate.root_pose[0], plate.root_vel[0]
            about = m * 0.03**2 * 2 / 3 * vel[3:]
            linear = linear + m * vel[:3]
            angular = angular + np.cross(pose[:3], m * vel[:3]) + about
            energy += 0.5 * m * vel[:3] @ vel[:3] + 0.5 * vel[3:] @ about
        return linear, angular, energy

    linear, angular, energy = sums()
    hit = False
    for _ in range(30):
        made.step()
        hit = hit or np.abs(forces(made)[:, 0]).max() > 1.0
        now, turned, left = sums()
        np.testing.assert_allclose(now, linear, atol=1e-12)
        assert left < energy * (1 + 1e-9)
    assert hit
    np.testing.assert_allclose(turned, angular, atol=1e-12)


@pytest.mark.parametrize("rolling", [None, 0.0, 0.1])
@pytest.mark.parametrize("count", [1, 3])
def test_friction_holds_grains_up_to_its_bound(tmp_path: Path, rolling: float | None, count: int) -> None:
    """Fingers that press with N hold a weight of 2 mu N; a little more slips with what is left of its weight.

    That a grain may roll changes nothing: each of the two fingers holds it from rolling on the other.
    """
    friction, push = 0.5, 2.0
    for share in (0.97, 1.03):
        made = world()
        hand = hand_of(tmp_path, made, 1e-4, friction)
        mass = share * 2 * friction * push / G / count
        points = np.array([[0, 2.02 * RADIUS * (k - (count - 1) / 2), 0.05] for k in range(count)])
        options: dict[str, Any] = {"friction": friction, "friction_combine": "min", "rolling_friction": rolling}
        grains = made.add_particles(points, radius=RADIUS, mass=mass, **options)
        made.build()
        hand.set_drive([50000, 0, 0], [2000, 0, 0], effort_limit=1e4)
        hand.set_targets([0, 0, 0], effort=[0, push, push])
        made.step(10)
        place, speed = grains.node_pos[0, :, 2].copy(), grains.node_vel[0, :, 2].copy()
        made.step(30)
        if share < 1:
            np.testing.assert_allclose(grains.node_pos[0, :, 2], place, atol=1e-7)
            assert np.abs(place - 0.05).max() < 5e-5
            pressed = sorted(forces(made)[:, 0])
            np.testing.assert_allclose(pressed, [-push, push], rtol=1e-6)
        else:
            slips = (grains.node_vel[0, :, 2] - speed) / 0.3
            np.testing.assert_allclose(slips, -G * (1 - 1 / share), rtol=0.02)


def test_a_gripper_lifts_holds_and_lets_go(tmp_path: Path) -> None:
    """Of 1 g, with 10 N, in float32, with drives that close."""
    made = world(dtype="float32")
    post = px.Shape("box", (0.003, 0.003, 0.02))
    made.add_rigid_object(post, "post", kind="static", position=(0, 0, 0.02))
    hand = hand_of(tmp_path, made, 0.01)
    grain = made.add_particles([[0.0, 0, 0.04 + RADIUS]], radius=RADIUS, mass=1e-3, friction=0.5, rolling_friction=0.01)
    made.build()
    hand.set_drive([5000, 500, 500], [200, 20, 20])

    def drive(lift: float, close: float, steps: int) -> None:
        start = hand.joint_pos[0].copy()
        for n in range(steps):
            way = (n + 1) / steps
            hand.set_targets([start[0] + (lift - start[0]) * way, *(start[1:] + (close - start[1:]) * way)])
            made.step()

    drive(0.0, 0.03, 40)  # 20 mm into the grain, if it gave way
    apart = 2 * (RADIUS + 0.01) - hand.joint_pos[0, 1:].sum()
    assert apart == pytest.approx(2 * RADIUS, rel=0.01)
    assert np.abs(forces(made)[:, 0]).max() == pytest.approx(500 * 0.02, rel=0.02)
    drive(0.1, 0.03, 60)
    made.step(20)
    held = grain.node_pos[0, 0] - (0, 0, hand.joint_pos[0, 0])
    assert held[2] == pytest.approx(0.04 + RADIUS, abs=2e-4) and grain.node_pos[0, 0, 2] > 0.14
    made.step(100)
    later = grain.node_pos[0, 0] - (0, 0, hand.joint_pos[0, 0])
    np.testing.assert_allclose(later, held, atol=2e-6)
    drive(0.1, 0.0, 20)
    made.step(30)
    assert grain.node_pos[0, 0, 2] < 0.1


@pytest.mark.parametrize(("share", "holds"), [(1.3, True), (0.7, False)])
def test_a_wedge_holds_a_grain_if_friction_is_above_the_tangent_of_half_its_angle(share: float, holds: bool) -> None:
    """Two plates at 20 degrees to each other that press it: else it is pressed out."""
    half = np.radians(10)
    friction = share * np.tan(half)
    made = world(gravity=(0, 0, 0))
    both = []
    for k, sign in enumerate((1, -1)):
        inward = np.array([sign * np.cos(half), 0, np.sin(half)])
        turn = (np.cos(half / 2), 0.0, -sign * np.sin(half / 2), 0.0)
        spot = tuple(-inward * (RADIUS + 0.01))
        options: dict[str, Any] = {"friction": friction, "friction_combine": "min", "orientation": turn}
        shape = px.Shape("box", (0.01, 0.03, 0.03))
        both.append(made.add_rigid_object(shape, f"plate{k}", mass=100.0, position=spot, **options))
    grain = made.add_particles([[0.0, 0, 0]], radius=RADIUS, mass=1e-3, friction=friction, friction_combine="min")
    made.build()
    for sign, plate in zip((1, -1), both, strict=True):
        plate.set_external_wrench(force=np.array([[sign * 10.0, 0.0, 0.0]]))
    made.step(40)
    apart = both[1].root_pose[0, 0] - both[0].root_pose[0, 0]
    began = 2 * np.cos(half) * (RADIUS + 0.01)
    if holds:
        assert np.linalg.norm(grain.node_pos) < 0.05 * RADIUS and apart > began - 0.02 * RADIUS
    else:
        assert np.linalg.norm(grain.node_pos) > RADIUS and apart < began - 0.3 * RADIUS


def test_a_piston_presses_a_layer_as_hard_as_the_floor_is_pressed(tmp_path: Path) -> None:
    """25 grains on the floor of a box that is carried by a spring of its own: what the piston has, the floor gets."""
    made = world()
    path = tmp_path / "press.urdf"
    link = '<link name="{name}"><inertial><mass value="{mass}"/><inertia ixx="1e-3" iyy="1e-3" izz="1e-3" ixy="0" '
    link += 'ixz="0" iyz="0"/></inertial>{shape}</link>'
    box = '<collision><geometry><box size="0.08 0.08 0.02"/></geometry></collision>'
    joint = '<joint name="{name}" type="prismatic"><parent link="frame"/><child link="{name}"/><origin xyz="0 0 {z}"/>'
    joint += '<axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1000" velocity="10"/></joint>'
    parts = [link.format(name="frame", mass=1, shape="")]
    for name, mass, z in (("floor", 0.3, 0.0), ("piston", 0.8, 0.02 + 2 * RADIUS + 1e-3)):
        parts += [link.format(name=name, mass=mass, shape=box), joint.format(name=name, z=z)]
    path.write_text(f'<robot name="press">{"".join(parts)}</robot>')
    press = made.add_robot(path, "press", fixed_base=True, self_collision=False)
    side = 2.2 * RADIUS * np.arange(-2, 3)
    points = np.array([[x, y, 0.01 + RADIUS] for x in side for y in side])
    grains = made.add_particles(points, radius=RADIUS, mass=1e-3)
    made.build()
    press.set_drive([20000, 0], [300, 0], effort_limit=1000)
    for force in (10.0, 50.0):
        press.set_targets([0, 0], effort=[0, -force])
        made.step(40)
        down, up = forces(made)[:, 2]
        weight = 25e-3 * G
        assert up == pytest.approx(force + 0.8 * G, rel=1e-6)
        assert down == pytest.approx(-up - weight, rel=1e-6)
        floor, piston = press.joint_pos[0]
        assert 2 * RADIUS + 1e-3 + piston - floor > 2 * RADIUS * 0.99
        assert np.abs(grains.node_vel).max() < 1e-6


def test_it_is_the_same_alone_and_again_and_from_a_file(tmp_path: Path) -> None:
    """To the bit, while grains are pressed; and a reset forgets what pressed them."""

    def run(count: int, first: int = 0) -> tuple[px.World, Any, Any]:
        made = world(num_envs=count, dtype="float32")
        hand = hand_of(tmp_path, made, 2e-3)
        points = np.array([[0, 2.02 * RADIUS * k, 0.05] for k in (-1, 0, 1)])
        grains = made.add_particles(points, radius=RADIUS, mass=1e-3, rolling_friction=0.1)
        made.build()
        hand.set_drive([5000, 0, 0], [200, 5, 5])
        effort = np.array([[0, 5.0 + k, 6.0 - k] for k in range(3)])[first : first + count]
        hand.set_targets(np.zeros((count, 3)), effort=effort)
        made.step(12)
        return made, hand, grains

    made, _, grains = run(3)
    for first in range(3):
        np.testing.assert_array_equal(run(1, first)[2].node_pos[0], grains.node_pos[first])
    made.save(tmp_path / "world.phx")
    loaded = px.World.load(tmp_path / "world.phx")
    for each in (made, loaded):
        each.step(5)
    np.testing.assert_array_equal(loaded.particles["particles"].node_pos, grains.node_pos)
    assert host(made.engine.store.view(c.NodeContactState.load)).max() > 1.0
    made.reset()
    assert host(made.engine.store.view(c.NodeContactState.load)).max() == 0.0


@pytest.mark.parametrize("stiffness", [2e3, 1e4])
def test_a_real_hand_lifts_a_grain(stiffness: float) -> None:
    """The Panda closes as fast as it may, with 10 N (the drives of Isaac Lab's Franka) and 50 N, and lifts it.

    Fingers go 2 mm in a step, and their speed limit takes most of what drives them. When what limits do was taken for
    a force that lasts, they went through the grain.
    """
    made = world(dtype="float32")
    arm = made.add_robot(robot_path("panda"), "panda", fixed_base=True, friction=0.8)
    grain = made.add_particles([[2.0, 0, 0]], radius=RADIUS, mass=1e-3, friction=0.8, rolling_friction=0.05)
    made.build()
    pose = np.array([[0, -0.785, 0, -2.356, 0, 1.571, 0.785, 0.012, 0.012]])
    arm.set_joint_state(pos=pose)
    gains, most = np.full(7, 4000.0), np.full(7, 1000.0)
    arm.set_drive(
        np.r_[gains, stiffness, stiffness], np.r_[np.full(7, 300.0), np.full(2, 0.05 * stiffness)],
        effort_limit=np.r_[most, 200, 200],
    )  # fmt: skip
    arm.set_targets(pose)

    def tips() -> np.ndarray:
        """The middle between the pads."""
        places = [arm.body_pose[0, arm.body_names.index(f"panda_{side}finger")] for side in ("left", "right")]
        w, v = places[0][3], places[0][4:7]
        down = np.array([0, 0, 0.045])
        down = down + 2 * w * np.cross(v, down) + 2 * np.cross(v, np.cross(v, down))
        return (places[0][:3] + places[1][:3]) / 2 + down

    made.step(5)
    start = tips()
    grain.set_node_state(pos=start[None, None], vel=np.zeros((1, 1, 3)))
    closed = pose.copy()
    closed[0, 7:] = 0
    arm.set_targets(closed)
    for _ in range(40):
        made.step()
        assert arm.joint_pos[0, 7:].min() > 0.95 * RADIUS
    np.testing.assert_allclose(arm.joint_pos[0, 7:], RADIUS, rtol=0.01)
    pressed = np.sort(np.linalg.norm(forces(made), axis=1))[-2:]
    np.testing.assert_allclose(pressed, stiffness * RADIUS, rtol=0.02)
    held = np.linalg.norm(grain.node_pos[0, 0] - tips())
    for n in range(50):
        lifted = closed.copy()
        lifted[0, 1] -= 0.3 * (n + 1) / 50
        arm.set_targets(lifted)
        made.step()
    made.step(50)
    assert (tips() - start)[2] > 0.08
    assert np.linalg.norm(grain.node_pos[0, 0] - tips()) == pytest.approx(held, abs=1e-4)


def test_a_layer_between_free_plates_turns_over_as_a_strut_does() -> None:
    """36 grains that do not turn between plates that nothing guides: all is as one rigid body, as friction holds it.

    Two forces that press it turn it over, from rounding errors on, at a rate of sqrt(F L / I). Without friction that
    acts between the plates grains held on to both, which cannot be; plates shook and flew apart in half a second.
    """
    made = world(gravity=(0, 0, 0))
    both = plates(made, (1.0, 1.0), 6e-4, friction=0.5, width=0.06)
    side = 0.013 * (np.arange(6) - 2.5)
    points = np.array([[0, y, z] for y in side for z in side])
    made.add_particles(points, radius=RADIUS, mass=1e-3, friction=0.5)
    made.build()
    for sign, plate in zip((1, -1), both, strict=True):
        plate.set_external_wrench(force=np.array([[20.0 * sign, 0.0, 0.0]]))
    spins = []
    for _ in range(2):
        made.step(32)
        spins.append(np.linalg.norm(both[0].root_vel[0, 3:]))
    length = 0.02 + 2 * RADIUS
    inertia = 2 * ((0.02**2 + 0.12**2) / 12 + (length / 2) ** 2) + 1e-3 * (points[:, 1] ** 2).sum()
    assert spins[0] > 1e-8 and spins[1] < 1e-2
    assert np.log(spins[1] / spins[0]) / 0.32 == pytest.approx(np.sqrt(20.0 * length / inertia), rel=0.01)
    apart = both[1].root_pose[0, 0] - both[0].root_pose[0, 0] - 0.02
    assert apart == pytest.approx(2 * RADIUS, rel=0.01)
    np.testing.assert_allclose(forces(made)[:, 0], [-20, 20], rtol=1e-6)


@pytest.mark.parametrize("share", [0.9, 1.2])
def test_a_heavy_box_on_grains_slides_as_friction_says(share: float) -> None:
    """10 kg on 25 grains of 1 g that do not turn, on ground that tilts: it stays below the angle of friction.

    Above it slides with g (sin - mu cos) on the grains, or with them.
    """
    friction = 0.4
    angle = np.arctan(share * friction)
    made = world(gravity=(G * np.sin(angle), 0, -G * np.cos(angle)))
    made.add_ground(friction=friction, friction_combine="min")
    shape = px.Shape("box", (0.06, 0.06, 0.02))
    box = made.add_rigid_object(
        shape, "box", mass=10.0, position=(0, 0, 2 * RADIUS + 0.02), friction=friction, friction_combine="min"
    )
    side = 2.4 * RADIUS * np.arange(-2, 3)
    points = np.array([[x, y, RADIUS] for x in side for y in side])
    made.add_particles(points, radius=RADIUS, mass=1e-3, friction=friction, friction_combine="min")
    made.step(10)
    place, speed = box.root_pose[0, 0], box.root_vel[0, 0]
    made.step(20)
    if share < 1:
        assert abs(box.root_pose[0, 0] - place) < 2e-5 and abs(place) < 1e-3
    else:
        slides = (box.root_vel[0, 0] - speed) / 0.2
        assert slides == pytest.approx(G * (np.sin(angle) - friction * np.cos(angle)), rel=0.02)
    assert box.root_pose[0, 2] - 0.02 > 0.99 * 2 * RADIUS
