"""Contacts that give way: springs and dampers by materials, against formulas and MuJoCo."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracles import host

import phalanx as px
from phalanx import components as c

GRAVITY = 9.81
STEPS = pytest.mark.parametrize("rate", [60, 200, 1000])
REALS = pytest.mark.parametrize("real", ["float32", "float64"])
STIFFNESS = np.array([500.0, 2e3, 2e4, 2e5])
RADIUS = 0.1


def ball_on_ground(
    device: str,
    real: str,
    rate: int,
    stiffness: np.ndarray,
    damping: np.ndarray,
    height: float,
    gravity: float = GRAVITY,
) -> tuple[px.World, px.RigidObject]:
    """A ball of 1 kg with its lowest point at a height, and its own spring in each environment."""
    world = px.World(len(stiffness), device=device, dtype=real, dt=1 / rate, gravity=(0.0, 0.0, -gravity))
    world.add_ground(restitution=0.7)
    ball = px.Shape("sphere", (RADIUS,))
    thing = world.add_rigid_object(ball, "ball", mass=1.0, position=(0, 0, RADIUS + height), restitution=0.7)
    thing.set_material(contact_stiffness=stiffness[:, None], contact_damping=damping[:, None])
    return world, thing


@STEPS
@REALS
def test_rest_is_weight_over_stiffness(real: str, rate: int, device: str) -> None:
    """Let go at the surface, critically damped, it comes to rest m g / k deep; its contact bears its weight."""
    world, ball = ball_on_ground(device, real, rate, STIFFNESS, 2 * np.sqrt(STIFFNESS), 0.0)
    world.step(2 * rate)
    depth = RADIUS - host(ball.root_pose)[:, 2]
    np.testing.assert_allclose(depth, GRAVITY / STIFFNESS, rtol=0.01, atol=1e-7)
    np.testing.assert_allclose(host(ball.net_contact_force)[:, 0, 2], GRAVITY, rtol=1e-3)


@STEPS
@REALS
def test_steps_are_implicit_euler(real: str, rate: int, device: str) -> None:
    """Every step of a ball that is in contact and vibrates, little damped, against the formula in double precision."""
    damping = np.array([1.0, 5.0, 20.0, 50.0])
    world, ball = ball_on_ground(device, real, rate, STIFFNESS, damping, -0.03)
    h, s, v = 1 / rate, np.full(4, -0.03), np.zeros(4)
    for _ in range(rate // 4):
        world.step()
        give = np.where(s <= 0, damping, 0.0)
        free = v - h * GRAVITY
        push = np.maximum(0.0, -h * (STIFFNESS * (s + h * free) + give * free) / (1 + h * h * STIFFNESS + h * give))
        v = free + push
        s = s + h * v
        np.testing.assert_allclose(host(ball.root_pose)[:, 2] - RADIUS, s, atol=2e-5 if real == "float32" else 1e-9)


def test_time_of_contact_and_rebound(device: str) -> None:
    """Falling onto an undamped spring at dt 1/4000: how long it stays within 2 %, how fast it leaves within 1.5 %.

    Implicit Euler takes the share h omega / 2 of a vibration's amplitude per radian: pi / 2 h omega on the way.
    """
    rate, stiffness = 4000, np.array([2e3, 8e3])
    world, ball = ball_on_ground(device, "float64", rate, stiffness, np.zeros(2), 0.1)
    touching, fastest = np.zeros(2), np.zeros(2)
    for _ in range(2 * rate // 5):
        world.step()
        touching += host(ball.net_contact_force)[:, 0, 2] > 0
        fastest = np.maximum(fastest, host(ball.root_vel)[:, 2])
    speed, own = np.sqrt(2 * GRAVITY * 0.1), np.sqrt(stiffness)
    # m x'' = -k x - m g from x = 0 at -speed until it is there again
    length = 2 * (np.pi - np.arctan(speed * own / GRAVITY)) / own
    np.testing.assert_allclose(touching / rate, length, rtol=0.02)
    np.testing.assert_allclose(fastest, speed * (1 - 0.5 * np.pi * own / rate), rtol=0.015)


def test_two_surfaces(device: str) -> None:
    """With a rigid surface the soft one's spring holds; two are combined as restitutions are, min is the stiffer."""
    cases = {
        "rigid": (0.0, "average", 1e3), "average": (3e3, "average", 2e3), "min": (3e3, "min", 3e3),
        "max": (3e3, "max", 1e3),
    }  # fmt: skip
    world = px.World(1, device=device, dtype="float64", dt=1 / 200)
    things = {}
    for n, (name, (below, combine, _)) in enumerate(cases.items()):
        place = (float(n), 0.0, -0.1)
        world.add_rigid_object(
            px.Shape("box", (0.3, 0.3, 0.1)), f"floor {name}", kind="static", position=place, contact_stiffness=below
        )
        things[name] = world.add_rigid_object(
            px.Shape("sphere", (RADIUS,)), name, mass=1.0, position=(float(n), 0.0, RADIUS), contact_stiffness=1e3,
            contact_damping=100.0, restitution_combine=combine,
        )  # fmt: skip
    world.step(800)
    for name, (_, _, expected) in cases.items():
        depth = RADIUS - host(things[name].root_pose)[0, 2]
        assert depth == pytest.approx(GRAVITY / expected, rel=1e-3), name


@STEPS
def test_box_and_stack(rate: int, device: str) -> None:
    """A box on four springs, two rigid boxes on it: each point bears its share, what is on it stays."""
    world = px.World(1, device=device, dt=1 / rate)
    world.add_ground()
    cube = px.Shape("box", (0.1, 0.1, 0.1))
    soft = world.add_rigid_object(
        cube, "soft", mass=2.0, position=(0, 0, 0.1), contact_stiffness=5e3, contact_damping=200.0
    )
    middle = world.add_rigid_object(cube, "middle", mass=1.0, position=(0, 0, 0.3))
    top = world.add_rigid_object(cube, "top", mass=1.0, position=(0, 0, 0.5))
    world.step(3 * rate)
    lower, upper = 4.0 * GRAVITY / (4 * 5e3), 2.0 * GRAVITY / (4 * 5e3)
    heights = [host(thing.root_pose)[0, 2] for thing in (soft, middle, top)]
    np.testing.assert_allclose(heights, [0.1 - lower, 0.3 - lower - upper, 0.5 - lower - upper], atol=1.5e-4)


def test_slope_holds_by_friction(device: str) -> None:
    """On a soft slope of 20 degrees a box with a friction coefficient of 0.5 stays, with 0.3 it slides as it must."""
    angle = np.radians(20.0)
    world = px.World(2, device=device, dt=1 / 200)
    world.add_ground(normal=(-np.sin(angle), 0.0, np.cos(angle)), contact_stiffness=2e4, contact_damping=300.0)
    turn = (np.cos(angle / 2), 0.0, -np.sin(angle / 2), 0.0)
    box = world.add_rigid_object(
        px.Shape("box", (0.1, 0.1, 0.05)), "box", mass=1.0, orientation=turn,
        position=(-0.05 * np.sin(angle), 0.0, 0.05 * np.cos(angle)), friction_combine="min",
    )  # fmt: skip
    box.set_material(static_friction=[[0.5], [0.3]], dynamic_friction=[[0.5], [0.3]])
    world.step(100)
    before = np.linalg.norm(host(box.root_vel)[:, :3], axis=1)
    world.step(100)
    gained = np.linalg.norm(host(box.root_vel)[:, :3], axis=1) - before
    assert abs(gained[0]) < 1e-3
    assert gained[1] == pytest.approx(0.5 * GRAVITY * (np.sin(angle) - 0.3 * np.cos(angle)), rel=0.02)


def test_against_mujoco(device: str) -> None:
    """A ball thrown at a spring and damper as MuJoCo has it (solref -k -d, solimp near 1: no weight) at dt 1/5000."""
    import mujoco  # the other tests of this file do without

    mj: Any = mujoco  # its type information does not cover what it binds
    rate, k, d = 5000, 2000.0, 10.0
    scene = f"""<mujoco><option timestep="{1 / rate}" integrator="Euler" gravity="0 0 0"/>
    <default><geom solref="-{k} -{d}" solimp="0.9999 0.9999 0.001 0.5 1" condim="1"/></default>
    <worldbody><geom type="plane" size="1 1 1"/><body pos="0 0 {RADIUS + 0.05}"><freejoint/>
    <geom type="sphere" size="{RADIUS}" mass="1"/></body></worldbody></mujoco>"""
    model = mj.MjModel.from_xml_string(scene)
    data = mj.MjData(model)
    data.qvel[2] = -1.0
    world, ball = ball_on_ground(device, "float64", rate, np.array([k]), np.array([d]), 0.05, gravity=0.0)
    ball.set_root_state(vel=[[0.0, 0.0, -1.0, 0.0, 0.0, 0.0]])
    worst = 0.0
    for _ in range(rate // 2):
        mj.mj_step(model, data)
        world.step()
        if data.qvel[2] < 0.0:
            worst = max(worst, abs(host(ball.root_pose)[0, 2] - data.qpos[2]))
    assert worst < 1e-4
    assert data.qvel[2] == pytest.approx(host(ball.root_vel)[0, 2], rel=0.015)


def test_collections_give_way_as_single_objects_do(device: str) -> None:
    """Springs of some objects in some environments; others stay rigid. At rest they are m g / k deep."""
    world = px.World(2, device=device, dt=1 / 200)
    world.add_ground()
    ball = px.Shape("sphere", (RADIUS,))
    found = world.add_rigid_objects(
        {f"ball{k}": {"source": ball, "position": (0.5 * k, 0.0, RADIUS)} for k in range(3)}, mass=1.0
    )
    world.build()
    stiffness = np.array([[500.0, 2e3], [1e3, 4e3]])
    found.set_material(
        contact_stiffness=stiffness, contact_damping=2 * np.sqrt(stiffness), object_ids=[0, 2],
        torsional_patch_radius=np.full((2, 2), 0.01),
    )  # fmt: skip
    world.step(400)
    depth = RADIUS - host(found.root_pose)[..., 2]
    np.testing.assert_allclose(depth[:, [0, 2]], GRAVITY / stiffness, rtol=0.01)
    assert np.abs(depth[:, 1]).max() < 1e-4
    np.testing.assert_allclose(host(world[c.ShapeMaterial].torsional_patch_radius)[[0, 1, 2], 0], [0.01, 0.0, 0.01])


def test_rigid_worlds_do_not_change(device: str) -> None:
    """Bitwise: what is rigid beside something soft in its world moves as without it."""
    found = []
    for soft in (False, True):
        world = px.World(2, device=device, dt=1 / 200)
        world.add_ground()
        cube = px.Shape("box", (0.1, 0.1, 0.1))
        boxes = [world.add_rigid_object(cube, f"box{i}", position=(0.02 * i, 0, 0.1 + 0.21 * i)) for i in range(3)]
        world.add_rigid_object(cube, "other", position=(3.0, 0, 0.3), contact_stiffness=1e4 if soft else None)
        world.step(200)
        found.append(np.array([host(box.root_pose) for box in boxes]))
    np.testing.assert_array_equal(found[0], found[1])


def test_saved_and_refused(tmp_path: Path, device: str) -> None:
    """A world comes back soft, and goes on to the bit; what cannot be is refused."""
    world, ball = ball_on_ground(device, "float32", 200, STIFFNESS, np.sqrt(STIFFNESS), 0.05)
    world.step(60)
    world.save(tmp_path / "soft.npz")
    again = px.World.load(tmp_path / "soft.npz")
    world.step(60)
    again.step(60)
    np.testing.assert_array_equal(host(again.objects["ball"].root_pose), host(ball.root_pose))
    np.testing.assert_allclose(host(again.objects["ball"].contact_stiffness)[:, 0], STIFFNESS)
    with pytest.raises(ValueError, match="contact_stiffness"):
        px.Material(contact_stiffness=-1.0)
    with pytest.raises(ValueError, match="contact damping"):
        ball.set_material(contact_damping=-1.0)
