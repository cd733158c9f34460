"""Soft bodies on the ground, on slopes, on shapes of every sort, under and over rigid bodies."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from deformable.scenes import cube, momentum, spread, world

import phalanx as px
from phalanx.components import NodeContactState


def test_a_cube_comes_to_rest_on_the_ground() -> None:
    """It does not sink in, the ground carries its weight, at rest nothing moves; without friction it is a column."""
    made = world()
    made.add_ground(friction=0.0)
    body = cube(made, height=0.02, youngs_modulus=3e4, poissons_ratio=0.0, friction=0.0)
    made.step(300)
    assert spread(body.node_vel) < 1e-4
    assert -1e-5 < body.node_pos[0, :, 2].min() < 1e-5
    impulse = made[NodeContactState].impulse[..., 0].sum(axis=0)
    weight = body.node_mass.sum() * 9.81
    np.testing.assert_allclose(impulse / made.dt, (0, 0, weight), atol=1e-3 * weight)
    assert 0.1 - body.node_pos[0, :, 2].max() == pytest.approx(1000 * 9.81 * 0.1**2 / (2 * 3e4), rel=0.05)


@pytest.mark.parametrize(("slope", "friction"), [(0.3, 0.5), (0.45, 0.5), (0.6, 0.5), (0.6, 0.0)])
def test_it_sticks_or_slides_on_a_slope(slope: float, friction: float) -> None:
    angle = np.arctan(slope)
    made = world(gravity=(9.81 * np.sin(angle), 0, -9.81 * np.cos(angle)))
    made.add_ground(friction=friction)
    body = cube(made, friction=friction, resolution=3)
    made.step(150)
    lower = body.default_node_pos[:, 2] < 1e-9
    before, time = momentum(body)[1][0, 0] / body.node_mass.sum(), made.time
    place = body.node_pos[0, lower]
    made.step(100)
    speed = momentum(body)[1][0, 0] / body.node_mass.sum()
    if slope < friction:
        assert spread(body.node_pos[0, lower] - place) < 2e-5
        return
    expected = 9.81 * (np.sin(angle) - friction * np.cos(angle))
    assert (speed - before) / (made.time - time) == pytest.approx(expected, rel=0.03)


SHAPES = {
    "sphere": (px.Shape("sphere", (0.2,)), 0.2),
    "capsule": (px.Shape("capsule", (0.1, 0.2), orientation=(0.7071, 0, 0.7071, 0)), 0.1),
    "box": (px.Shape("box", (0.2, 0.2, 0.05)), 0.05),
    "cylinder": (px.Shape("cylinder", (0.2, 0.05)), 0.05),
    "cone": (px.Shape("cone", (0.2, 0.05), orientation=(0, 1, 0, 0)), 0.05),
    "hull": (
        px.Shape(
            "mesh",
            vertices=np.array([(x, y, z) for x in (-0.2, 0.2) for y in (-0.2, 0.2) for z in (-0.05, 0.05)]),
            faces=np.array([(0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1), (2, 3, 7), (2, 7, 6),
                            (0, 2, 6), (0, 6, 4), (1, 5, 7), (1, 7, 3)]),
        ),
        0.05,
    ),
}  # fmt: skip
"""Shapes that a cube can stand on, and the height of their highest point."""


@pytest.fixture(scope="module")
def shelf() -> px.World:
    """All shapes beside each other, with a cube above each; they cannot move."""
    made = world()
    for n, (name, (shape, _)) in enumerate(SHAPES.items()):
        made.add_rigid_object(shape, name, kind="static", position=(n, 0, 0), friction=1.0)
        cube(made, half=0.04, height=SHAPES[name][1] + 0.01, resolution=3, name=f"on {name}", friction=1.0)
    for n, name in enumerate(SHAPES):
        body = made.deformables[f"on {name}"]
        body.default_node_pos = body.default_node_pos + (n, 0, 0)
    made.reset()
    made.step(150)
    return made


@pytest.mark.parametrize("name", SHAPES)
def test_it_rests_on_shapes_of_every_sort(shelf: px.World, name: str) -> None:
    body = shelf.deformables[f"on {name}"]
    assert body.node_pos[0, :, 2].min() > (-0.2 if name in ("sphere", "capsule") else SHAPES[name][1] - 1e-4)
    assert abs(body.node_pos[0, :, 2].mean() - SHAPES[name][1] - 0.04) < 0.02
    assert spread(body.node_vel) < 0.02


@pytest.mark.parametrize("plate", [0.05, 0.5])
def test_a_tower_of_soft_and_rigid_bodies_stands(plate: float) -> None:
    """3 kg on a soft cube of 1 kg on a plate: 80 times the plate's mass above it."""
    made = world()
    made.add_ground()
    low = made.add_rigid_object(px.Shape("box", (0.1, 0.1, 0.005)), "plate", mass=plate, position=(0, 0, 0.005))
    body = cube(made, height=0.011, resolution=5, youngs_modulus=2e5)
    top = made.add_rigid_object(px.Shape("box", (0.04, 0.04, 0.04)), "top", mass=3.0, position=(0, 0, 0.152))
    made.step(100)
    before = top.root_pose[0, :3].copy()
    made.step(100)
    assert spread(top.root_pose[0, :3] - before) < 2e-5
    assert spread(top.root_pose[0, :2]) < 1e-3 and spread(top.root_vel) < 5e-3
    assert low.root_pose[0, 2] == pytest.approx(0.005, abs=2e-4)
    assert spread(body.node_vel) < 2e-3


def test_kinematic_bodies_take_it_along() -> None:
    """A lift that goes up and aside by 0.1 m in a second, without jerks: what stands on it stays where it is on it."""
    made = world()
    lift = made.add_rigid_object(px.Shape("box", (0.2, 0.2, 0.02)), "lift", kind="kinematic")
    body = cube(made, height=0.0201, resolution=3, friction=1.0)
    made.step(50)
    start = body.node_pos[0].mean(axis=0)
    for n in range(100):
        share = (n + 1) / 100
        way = 0.1 * share**2 * (3 - 2 * share)
        lift.set_kinematic_target((way, 0, way, 1, 0, 0, 0))
        made.step()
        if n == 49:
            np.testing.assert_allclose(body.node_vel[0].mean(axis=0), (0.15, 0, 0.15), atol=5e-3)
    made.step(50)
    np.testing.assert_allclose(body.node_pos[0].mean(axis=0) - start, (0.1, 0, 0.1), atol=2e-4)
    assert spread(body.node_vel) < 5e-3


def test_filters_keep_apart() -> None:
    made = world()
    made.add_ground(collision_group=1)
    through = cube(made, name="through", collision_mask=[0])
    stays = cube(made, name="stays", collision_mask=[1])
    made.step(30)
    assert through.node_pos[0, :, 2].max() < 0
    assert stays.node_pos[0, :, 2].min() > -1e-3


def test_any_stiffness_and_inside_out() -> None:
    """Seven decades of stiffness at 60 steps a second, right way round and reflected through the middle.

    Where it was reflected it may get stuck folded, if it is stiff; but it stays together and calms down.
    """
    made = world(num_envs=14, dt=1 / 60, dtype="float32")
    made.add_ground()
    body = cube(made, height=0.05, resolution=4, mass=0.5)
    made.build()
    body.set_elasticity(np.tile(10.0 ** np.arange(3, 10), 2))
    pos = body.node_pos
    middle = pos.mean(axis=1, keepdims=True)
    pos[7:] = 2 * middle[7:] - pos[7:]
    body.set_node_state(pos)
    made.step(240)
    assert not made.diverged.size
    height = np.ptp(body.node_pos[..., 2], axis=1)
    np.testing.assert_allclose(height[2:7], 0.1, atol=5e-4)  # 1e3 and 1e4 Pa sag
    assert spread(body.node_vel[2:7]) < 1e-3
    assert height[7:].max() < 0.2 and spread(body.node_vel) < 3.0


@pytest.mark.parametrize("flat", [True, False])
def test_a_cube_recovers(flat: bool) -> None:
    """Pressed flat, or turned inside out like a glove, it takes its shape again."""
    made = world(num_envs=2, gravity=(0, 0, 0), deformable_steps=40)
    body = cube(made, resolution=3, damping=1.0)
    made.build()
    body.set_elasticity([1e4, 1e5])
    pos = body.node_pos
    middle = pos.mean(axis=1, keepdims=True)
    body.set_node_state((pos - middle) * (1, 1, 0 if flat else -1) + middle)
    made.step(200)
    rest = body.mesh.nodes - body.mesh.nodes.mean(axis=0)
    for pos in body.node_pos:
        pos = pos - pos.mean(axis=0)
        left, _, right = np.linalg.svd(rest.T @ pos)
        turn = left @ np.diag([1, 1, np.linalg.det(left @ right)]) @ right
        assert spread(pos - rest @ turn) < 1e-3


@pytest.mark.parametrize("young", [1e5, 5e7])
def test_a_tumbling_box_gains_no_energy_and_comes_to_rest(young: float) -> None:
    """It falls on a corner; energies are those of motion, height and strain."""
    made = world()
    made.add_ground()
    box = cube(made, 0.1, youngs_modulus=young, mass=0.7, position=(0, 0, 0.25), orientation=(0.9, 0.3, 0.2, 0.1))
    made.build()
    shear = young / 2 / 1.45
    bulk = shear * (1 + 0.9 / 0.1)

    def energy() -> float:
        mass, pos, vel = box.node_mass[0], box.node_pos[0], box.node_vel[0]
        gradients = box.deformation_gradients[0]
        change = np.linalg.det(gradients) - 1 - shear / bulk
        strain = shear / 2 * ((gradients**2).sum(axis=(1, 2)) - 3) + bulk / 2 * (change**2 - (shear / bulk) ** 2)
        return float((mass * ((vel**2).sum(axis=1) / 2 + 9.81 * pos[:, 2])).sum() + (box.mesh.volumes * strain).sum())

    seen = [energy()]
    for _ in range(25):
        made.step(10)
        seen.append(energy())
    assert max(after - before for before, after in pairwise(seen)) < 0.01 * seen[0]
    assert seen[-1] == pytest.approx(0.7 * 9.81 * 0.1, rel=0.03)
    assert box.node_pos[0, :, 2].min() > -1e-3


def test_overlap_at_the_start_is_undone_gently() -> None:
    """A cube that begins a fifth of its height in the ground: it comes up, and is not thrown out."""
    made = world()
    made.add_ground()
    body = cube(made, height=-0.02)
    top = 0.0
    for _ in range(60):
        made.step()
        top = max(top, float(body.node_pos[0, :, 2].min()))
    assert body.node_pos[0, :, 2].min() > -1e-3 and top < 0.02


def test_contact_sensors_feel_it() -> None:
    """A cube at rest on a plate that is held aslant: its weight, and the normal part of it, in every report."""
    made = world(num_envs=2)
    turn = (np.cos(0.15), 0.0, np.sin(0.15), 0.0)
    plate = made.add_rigid_object(
        px.Shape("box", (0.2, 0.2, 0.02)), "plate", kind="kinematic", orientation=turn, friction=1.0
    )
    normal = np.array((np.sin(0.3), 0.0, np.cos(0.3)))
    body = cube(made, resolution=3, position=0.0702 * normal, orientation=turn, friction=1.0, damping=5.0)
    view = made.contact_view("plate", name="scales")
    made.step(150)
    assert spread(body.node_vel) < 1e-3
    weight = 9.81 * body.node_mass.sum(axis=1)[:, None] * (0.0, 0.0, -1.0)
    squarely = (weight @ normal)[:, None] * normal
    at = 5e-3 * spread(weight)
    np.testing.assert_allclose(plate.net_contact_force[:, 0], weight, atol=at)
    np.testing.assert_allclose(plate.net_normal_contact_force[:, 0], squarely, atol=at)
    np.testing.assert_allclose(view.net_force()[:, 0], weight, atol=at)
    np.testing.assert_allclose(view.net_force(normal_only=True)[:, 0], squarely, atol=at)
    body.set_node_state(body.node_pos + normal)
    made.step()
    for found in (plate.net_contact_force, plate.net_normal_contact_force, view.net_force()):
        assert not found.any()
