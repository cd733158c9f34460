"""Restitution: how high things bounce off what, and what collisions keep; default iterations, dt 1/240."""

from __future__ import annotations

import numpy as np
import pytest
from contact.scenes import GRAVITY, about, floor_mesh, prism
from oracles import host

import phalanx as px

DT = 1 / 240
RESTITUTION = np.array([0.0, 0.3, 0.8, 1.0])
DROP = 1.0
REACH = 0.1
"""How far each shape reaches down from its origin, m."""

SHAPES = {
    "sphere": px.Shape("sphere", (REACH,)),
    "capsule upright": px.Shape("capsule", (0.05, 0.05)),
    "capsule lying": px.Shape("capsule", (REACH, 0.1), orientation=about((0.0, 1.0, 0.0), np.pi / 2)),
    "box": px.Shape("box", (0.1, 0.1, REACH)),
    "cylinder": px.Shape("cylinder", (0.1, REACH)),
    "hull": px.Shape("mesh", vertices=prism(8, 0.1, REACH)),
}
ON_A_POINT = ("sphere", "capsule upright")


@pytest.mark.parametrize("surface", ["plane", "box", "mesh"])
def test_rebound_reaches_its_height(surface: str, device: str) -> None:
    """Restitution squared of the height, to 1 %; without any, a point stays and a face rises by less than 4 cm."""
    world = px.World(len(RESTITUTION), device, dt=DT)
    if surface == "plane":
        world.add_ground(restitution_combine="max")
    else:
        floor = px.Shape("box", (5.0, 5.0, 0.5), (0.0, 0.0, -0.5)) if surface == "box" else floor_mesh(10.0, 10.0, 0.5)
        world.add_rigid_object(floor, "floor", kind="static", restitution_combine="max")
    bodies = [
        world.add_rigid_object(
            shape, name, mass=1.0 + i, position=(0.03, 0.7 * i - 2.04, REACH + DROP), restitution_combine="max"
        )
        for i, (name, shape) in enumerate(SHAPES.items())
    ]
    world.build()
    for body in bodies:
        body.set_material(restitution=RESTITUTION[:, None])
    height = np.empty((300, len(bodies), len(RESTITUTION)))
    for k in range(len(height)):
        world.step()
        height[k] = [host(body.root_pose)[:, 2] - REACH for body in bodies]
    landed = int(np.argmax(height[:, 0, 0] < 1e-3))
    assert landed * DT == pytest.approx(np.sqrt(2 * DROP / GRAVITY), abs=2 * DT)
    rebound = height[landed + 1 :].max(axis=0)
    for name, reached in zip(SHAPES, rebound, strict=True):
        np.testing.assert_allclose(reached[1:], DROP * RESTITUTION[1:] ** 2, rtol=0.01, err_msg=name)
        assert reached[0] < (1e-4 if name in ON_A_POINT else 0.04), name
    assert height.min() > -2e-3


def test_ball_bounces_for_ever_or_comes_to_rest(device: str) -> None:
    """20 s: without loss it keeps its height to 2 %; with restitution 0.8 it lies still after (1 + e) / (1 - e) T."""
    world = px.World(2, device, dt=DT)
    world.add_ground(restitution_combine="max")
    ball = world.add_rigid_object(SHAPES["sphere"], "ball", position=(0.0, 0.0, 1.1), restitution_combine="max")
    ball.set_material(restitution=[[1.0], [0.8]])
    world.step(round(20.0 / DT) - 240)
    height = np.empty((240, 2))
    for k in range(240):
        world.step()
        height[k] = host(ball.root_pose)[:, 2] - REACH
    assert height[:, 0].max() == pytest.approx(1.0, rel=0.02)
    assert np.abs(height[:, 1]).max() < 1e-4


def test_a_thrown_ball_bounces_like_a_ball(device: str) -> None:
    """Friction turns a bouncing ball until it rolls, 2/7 of its slip, or as far as mu (1 + e) of the fall goes."""
    friction = np.array([0.05, 0.2, 0.8])
    world = px.World(3, device, dt=DT, gravity=(0.0, 0.0, 0.0))
    world.add_rigid_object(
        px.Shape("box", (5.0, 5.0, 0.5), (0.0, 0.0, -0.5)), "floor", kind="static", restitution=0.8, friction=0.0,
        friction_combine="max",
    )  # fmt: skip
    ball = world.add_rigid_object(
        SHAPES["sphere"], "ball", position=(0.0, 0.0, 0.33), restitution=0.8, friction_combine="max"
    )
    ball.set_material(static_friction=friction[:, None], dynamic_friction=friction[:, None])
    ball.set_root_state(vel=[3.0, 0.0, -4.0, 0.0, 0.0, 0.0])
    world.step(60)
    kick = np.minimum(friction * (1 + 0.8) * 4.0, 2 / 7 * 3.0)
    velocity = host(ball.root_vel)
    np.testing.assert_allclose(velocity[:, 2], 0.8 * 4.0, rtol=1e-3)
    np.testing.assert_allclose(velocity[:, 0], 3.0 - kick, rtol=2e-3)
    np.testing.assert_allclose(velocity[:, 4], 2.5 * kick / REACH, rtol=2e-3)
    np.testing.assert_allclose(velocity[:, [1, 3, 5]], 0.0, atol=1e-4)


MASSES = np.array([[1.0, 1.0], [1.0, 10.0], [20.0, 0.5], [2.0, 2.0], [1.0, 10.0], [20.0, 0.5]])
OFFSET = np.array([0.0, 0.0, 0.0, 0.09, 0.12, 0.05])
"""Distance between the lines that the centres of two balls of radius 0.1 m move on, m: 0 is head-on."""


@pytest.mark.parametrize("restitution", [1.0, 0.5])
def test_two_balls_collide(restitution: float, device: str) -> None:
    """Momentum to 1e-5, energy to 1 %, and the velocities of the textbook, whatever the masses and the direction."""
    world = px.World(len(MASSES), device, dt=DT, gravity=(0.0, 0.0, 0.0))
    balls = [
        world.add_rigid_object(SHAPES["sphere"], name, restitution=restitution, friction=0.0)
        for name in ("left", "right")
    ]
    zero = np.zeros(len(MASSES))
    rest = np.tile([1.0, 0.0, 0.0, 0.0], (len(MASSES), 1))
    start = np.array([np.stack([zero - 0.5, zero, zero], 1), np.stack([zero + 0.4, OFFSET, 0.3 * OFFSET], 1)])
    speed = np.array([np.tile([4.0, 0.0, 0.0], (len(MASSES), 1)), np.tile([-1.0, 0.0, 0.0], (len(MASSES), 1))])
    for ball, mass, at, v in zip(balls, MASSES.T, start, speed, strict=True):
        ball.set_mass(mass, scale_inertia=True)
        ball.set_root_state(pose=np.hstack([at, rest]), vel=np.hstack([v, np.zeros_like(v)]))
    mass = MASSES.T[..., None]
    world.step(72)
    after = np.array([host(ball.root_vel) for ball in balls])
    momentum = (mass * speed).sum(axis=0)
    np.testing.assert_allclose(
        (mass * after[..., :3]).sum(axis=0), momentum, atol=1e-5 * float((mass * np.abs(speed)).sum(axis=0).max())
    )
    off = np.sqrt(OFFSET**2 + (0.3 * OFFSET) ** 2)
    along = np.stack([np.sqrt(0.2**2 - off**2), OFFSET, 0.3 * OFFSET], axis=1) / 0.2  # the line of centres at impact
    closing = ((speed[0] - speed[1]) * along).sum(axis=1)
    impulse = (1 + restitution) * closing / (1 / MASSES).sum(axis=1)
    expected = speed + np.array([-1.0, 1.0])[:, None, None] * (impulse[:, None] * along)[None] / mass
    lost = 0.5 * (1 - restitution**2) * closing**2 / (1 / MASSES).sum(axis=1)
    energy = 0.5 * (mass * after[..., :3] ** 2).sum(axis=(0, 2))
    before = 0.5 * (mass * speed**2).sum(axis=(0, 2))
    np.testing.assert_allclose(energy[:3], (before - lost)[:3], rtol=0.01)
    np.testing.assert_allclose(energy[3:], (before - lost)[3:], rtol=0.01 if restitution == 1 else 0.06)
    np.testing.assert_allclose(after[:, :3, :3], expected[:, :3], atol=0.01)
    # The direction of an oblique impact is known as well as the place: one step is 2 cm.
    np.testing.assert_allclose(after[:, 3:, :3], expected[:, 3:], atol=0.5)
    np.testing.assert_allclose(after[..., 3:], 0.0, atol=1e-4)  # no friction, no spin


def test_impacts_do_not_make_energy(device: str) -> None:
    """Boxes, capsules and hulls that land turned and spinning, without loss by restitution, leave with no more."""
    count = 32
    rng = np.random.default_rng(0)
    world = px.World(count, device, dt=DT, gravity=(0.0, 0.0, 0.0))
    world.add_rigid_object(px.Shape("box", (20.0, 9.0, 0.5), (0.0, 0.0, -0.5)), "floor", kind="static", restitution=1.0)
    bodies = [
        world.add_rigid_object(shape, name, mass=1.0, restitution=1.0, friction=0.4)
        for name, shape in SHAPES.items()
        if name not in ("capsule lying", "cylinder")
    ]
    world.build()

    def energy() -> np.ndarray:
        found = []
        for body in bodies:
            spin = host(body.root_vel)[:, 3:]
            w, x, y, z = host(body.root_pose)[:, 3:].T
            axes = np.array(  # rows: the body's axes, world
                [
                    [1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)],
                    [2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)],
                    [2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)],
                ]
            )
            own = np.einsum("ijn,nj->ni", axes, spin)
            turning = np.einsum("ni,nij,nj->n", own, host(body.inertia), own)
            found.append(0.5 * (host(body.root_vel)[:, :3] ** 2).sum(axis=1) + 0.5 * turning)
        return np.array(found)

    for i, body in enumerate(bodies):
        turn = rng.normal(size=(count, 4))
        place = np.tile([0.03, i - 1.54, 0.6], (count, 1))
        body.set_root_state(
            pose=np.hstack([place, turn]), vel=rng.normal(size=(count, 6)) * [1, 0, 0, 5, 5, 5] + [0, 0, -4, 0, 0, 0]
        )
    before = energy()
    world.step(100)
    assert (np.array([host(body.root_vel)[:, 2] for body in bodies]) > 0).all()  # all have bounced
    ratio = energy() / before
    assert ratio.max() < 1.05
    assert ratio[0].min() > 0.85  # a ball loses by friction alone


def test_cradle_of_five_balls(device: str) -> None:
    """With 3 cm between them, the last ball leaves with all the speed; however near, momentum stays, energy not grows.

    Balls that touch, or nearly, do not pass the blow on one by one: several leave, as from one impact of all.
    """
    gap = np.array([0.0, 1e-4, 1e-3, 0.03])
    speed = 2.0
    world = px.World(len(gap), device, dt=DT, gravity=(0.0, 0.0, 0.0))
    balls = [
        world.add_rigid_object(
            SHAPES["sphere"], f"ball{i}", mass=1.0, restitution=1.0, friction=0.0, locked_axes="y z rx ry rz"
        )
        for i in range(5)
    ]
    for i, ball in enumerate(balls):
        pose = np.zeros((len(gap), 7))
        pose[:, 0] = i * (2 * REACH + gap) - (0.3 if i == 0 else 0.0)
        pose[:, 3] = 1.0
        ball.set_root_state(pose=pose, vel=np.eye(6)[0] * (speed if i == 0 else 0.0))
    world.step(200)
    after = np.array([host(ball.root_vel)[:, 0] for ball in balls])
    np.testing.assert_allclose(after[:, -1], [0.0, 0.0, 0.0, 0.0, speed], atol=1e-3)
    np.testing.assert_allclose(after.sum(axis=0), speed, rtol=1e-4)
    assert ((after**2).sum(axis=0) < speed**2 * (1 + 1e-3)).all()
    assert (np.diff(after, axis=0) > -1e-3).all()  # none passes through the next


@pytest.mark.parametrize("rate", [60, 240])
@pytest.mark.parametrize("restitution", [0.5, 1.0])
def test_a_ball_bounces_where_it_meets_another(restitution: float, rate: int, device: str) -> None:
    """Left 1 % of a step's way before an oblique hit, it goes on: from there the line of centres is the right one."""
    radius, speed = 0.03, 3.0
    offset = np.array([0.1, 0.2, 0.25])  # of the distance of centres
    world = px.World(len(offset), device=device, dt=1 / rate, gravity=(0.0, 0.0, 0.0))
    ball, material = px.Shape("sphere", (radius,)), px.Material(0.0, 0.0, restitution)
    first = world.add_rigid_object(ball, "first", mass=1.0, material=material)
    second = world.add_rigid_object(ball, "second", mass=1.0, material=material)
    line = np.stack([np.sqrt(1 - offset**2), -offset, 0.0 * offset], axis=1)
    pose, velocity = np.zeros((len(offset), 7)), np.zeros((len(offset), 6))
    pose[:, :3], pose[:, 3], velocity[:, 0] = -2.0 * radius * line, 1.0, speed
    pose[:, 0] -= 5.01 * speed / rate
    first.set_root_state(pose=pose, vel=velocity)
    world.step(8)
    gains = (0.5 * (1 + restitution) * speed * line[:, 0])[:, None] * line
    np.testing.assert_allclose(host(second.root_vel)[:, :3], gains, atol=0.02 * speed)
