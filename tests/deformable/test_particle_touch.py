"""Particles that touch cloth, soft bodies and ropes: momentum, weight, friction, nothing passes, bits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from deformable.scenes import cube, momentum, spread, world
from oracles import host

import phalanx as px
from phalanx import components as c
from phalanx.models.meshes.point_set import PointSet
from phalanx.models.meshes.tet_shapes import tet_shape
from phalanx.world.deformables.body import DeformableBody
from phalanx.world.deformables.cloth import Cloth
from phalanx.world.deformables.particles import Particles

G = 9.81
RADIUS = 0.005


def grains(made: px.World, counts: Any = (4, 4, 3), **options: Any) -> Particles:
    """Grains of 5 mm on a lattice, not quite even."""
    points = PointSet.grid(counts, 0.0102, jitter=3e-4)
    given: dict[str, Any] = {"radius": RADIUS, "friction": 0.5, "touches_cloth": True, **options}
    return made.add_particles(points, **given)


def sheet(made: px.World, cells: int = 8, **options: Any) -> Cloth:
    """A sheet of 0.2 m that touches."""
    given: dict[str, Any] = {"bending_stiffness": 1e-5, "youngs_modulus": 1e5, "touches_cloth": True, **options}
    return made.add_cloth(px.ClothMesh.grid(0.2, 0.2, cells, cells), **given)


def thrown_at(kind: str, rolling: float | None, friction: float) -> tuple[px.World, DeformableBody, Particles]:
    """Particles thrown askew at a body in free flight."""
    made = world(gravity=(0, 0, 0))
    body: DeformableBody
    if kind in ("sheet", "water"):
        body = sheet(made, thickness=1e-3)
    elif kind == "caged":
        half = (0.05, 0.05, 0.05)
        body = made.add_soft_body(
            tet_shape(px.Shape("box", half), 2), position=(0, 0, -0.05), youngs_modulus=2e4, touches_cloth=True,
            collision=tet_shape(px.Shape("box", half), 5),
        )  # fmt: skip
    elif kind == "cube":
        body = cube(made, resolution=3, height=-0.1, youngs_modulus=2e4, touches_cloth=True)
    else:
        line = np.stack([np.linspace(-0.1, 0.1, 21), np.zeros(21), np.zeros(21)], axis=1)
        body = made.add_rope(line, radius=0.004, touches_cloth=True)
    where: Any = {"position": (0.01, 0, 0.04), "friction": friction}
    if kind == "water":
        points = PointSet.grid((4, 4, 3), 2 * RADIUS, jitter=2e-4)
        some = made.add_particles(points, radius=RADIUS, fluid=True, touches_cloth=True, **where)
    else:
        some = grains(made, (8, 1, 2) if kind == "rope" else (4, 4, 3), rolling_friction=rolling, **where)
    made.build()
    some.set_node_state(vel=np.broadcast_to([0.3, 0.0, -1.0], (1, some.num_nodes, 3)))
    return made, body, some


@pytest.mark.parametrize(
    ("kind", "rolling", "friction", "angular"),
    [
        ("sheet", None, 0.0, 1e-8),
        ("sheet", 0.0, 0.5, 1e-8),
        ("sheet", 0.1, 0.5, 1e-8),
        ("sheet", None, 0.5, np.inf),  # grains that do not turn have no spin for what friction does
        ("cube", 0.1, 0.5, 1e-8),
        ("caged", 0.1, 0.5, 1e-8),
        ("water", None, 0.0, 1e-8),
        ("rope", 0.1, 0.5, 1e-5),
    ],
)
def test_what_meets_in_flight_keeps_its_momentum(
    kind: str, rolling: float | None, friction: float, angular: float
) -> None:
    """Linear, and angular with that of spins."""
    made, body, some = thrown_at(kind, rolling, friction)

    def both() -> tuple[np.ndarray, np.ndarray]:
        (_, p, turns), (_, q, more) = momentum(body), momentum(some)
        inertia = 0.4 * float(some.node_mass[0, 0]) * RADIUS**2
        return p[0] + q[0], turns[0] + more[0] + inertia * some.spin[0].sum(axis=0)

    linear, turn = both()
    began = momentum(some)[1][0]
    for _ in range(4):
        made.step(5)
        p, q = both()
        assert spread(p - linear) < 1e-13 * spread(linear)
        assert spread(q - turn) < angular * spread(turn)
    assert spread(momentum(some)[1][0] - began) > 0.03 * spread(linear)  # it did hit


def elastic_forces(body: Cloth) -> np.ndarray:
    """(nodes, 3): forces of a sheet without bending in its nodes, by Saint Venant and Kirchhoff."""
    mesh, x = body.part.mesh, host(body.node_pos)[0].astype(float)
    nu, stiff = body.part.poissons_ratio, body.part.youngs_modulus * body.part.thickness
    found = np.zeros_like(x)
    for t in mesh.triangles:
        rest = (mesh.nodes[t[1:]] - mesh.nodes[t[0]])[:, :2].T
        deformed = (x[t[1:]] - x[t[0]]).T @ np.linalg.inv(rest)
        strain = 0.5 * (deformed.T @ deformed - np.eye(2))
        stress = stiff / (1 - nu**2) * ((1 - nu) * strain + nu * np.trace(strain) * np.eye(2))
        forces = -0.5 * abs(np.linalg.det(rest)) * deformed @ stress @ np.linalg.inv(rest).T
        found[t[1:]] += forces.T
        found[t[0]] -= forces.sum(axis=1)
    return found


def test_the_weight_of_grains_arrives_at_the_nodes_that_hold_the_sheet() -> None:
    """A hundred grains in a sheet that is held at its corners; forces by an independent formula."""
    made = world()
    cloth = sheet(made, 10, thickness=1e-3, bending_stiffness=1e-7, damping=6.0)
    some = grains(made, (5, 5, 4), position=(0, 0, 0.025), damping=6.0)
    made.build()
    rim = np.asarray((np.abs(cloth.mesh.nodes[:, :2]) > 0.0999).all(axis=1))
    assert rim.sum() == 4
    cloth.set_node_targets(cloth.node_pos, rim[None])
    made.step(160)
    total = G * (float(some.node_mass.sum()) + float(cloth.node_mass[0][~rim].sum()))
    held = -elastic_forces(cloth)[rim].sum(axis=0)
    np.testing.assert_allclose(held, [0, 0, total], atol=0.01 * total)
    assert some.node_pos[0, :, 2].min() > cloth.node_pos[0, :, 2].min()
    assert cloth.node_pos[0, :, 2].min() < -0.03


@pytest.mark.parametrize(("friction", "rolling"), [(0.2, None), (0.6, None), (0.6, 0.0), (0.6, 0.05), (0.6, 0.6)])
def test_a_grain_on_a_slope_of_cloth(friction: float, rolling: float | None) -> None:
    """It stays, slides or rolls, as on a plane, over the edges of triangles, too."""
    slope = np.radians(25.0)
    g = (G * np.sin(slope), 0.0, -G * np.cos(slope))
    made = world(gravity=g, deformable_steps=16)
    sheet(made, 14, kinematic=True, friction=friction)
    some = made.add_particles(
        np.array([[-0.083, 0.013, RADIUS + 5e-4]]), radius=RADIUS, friction=friction, rolling_friction=rolling,
        touches_cloth=True,
    )  # fmt: skip
    made.build()
    made.step(10)
    first = some.node_vel[0, 0, 0]
    made.step(10)
    found = (some.node_vel[0, 0, 0] - first) / 0.1
    slides = g[0] + friction * g[2]
    rolls = max(5 / 7 * (g[0] + (rolling or 0.0) * g[2]), 0.0)
    wanted = max(slides, 0.0) if rolling is None else rolls
    assert abs(found - wanted) < 0.01 * G
    assert abs(some.node_pos[0, 0, 2] - RADIUS - 5e-4) < 1e-4


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("share", [0.5, 0.95])
def test_what_goes_less_than_a_radius_in_a_small_step_does_not_pass(share: float, dtype: str) -> None:
    """Grains that are thrown at a sheet held at its rim, askew, from one side, with pairs behind each other."""
    made = world(dtype=dtype, gravity=(0, 0, 0))
    cloth = sheet(made, 9, thickness=2e-3, youngs_modulus=1e6)
    some = grains(made, (5, 5, 3), position=(0, 0, 0.03), friction=0.3)
    made.build()
    rim = np.asarray((np.abs(cloth.mesh.nodes[:, :2]) > 0.0999).any(axis=1))
    cloth.set_node_targets(cloth.node_pos, rim[None])
    speed = share * RADIUS / (0.01 / 8)
    way = np.array([0.2, 0.3, -0.93])
    some.set_node_state(vel=np.broadcast_to(speed * way / np.linalg.norm(way), (1, some.num_nodes, 3)))
    for _ in range(20):
        made.step()
        assert outside(cloth, some).min() > 0.0


def test_grains_that_are_held_take_a_sheet_along() -> None:
    """They push it up by 30 mm, it lies on them, and they go where they are told."""
    made = world(dtype="float32")
    cloth = sheet(made, 12, thickness=1e-3)
    some = grains(made, (3, 3, 1), position=(0, 0, -0.012), kinematic=True)
    made.build()
    rim = np.asarray((np.abs(cloth.mesh.nodes[:, :2]) > 0.0999).any(axis=1))
    cloth.set_node_targets(cloth.node_pos, rim[None])
    begin = some.node_pos.copy()
    for n in range(70):
        target = begin + np.array([0.0, 0.0, min(0.003 * (n + 1), 0.03)])
        some.set_node_targets(target)
        made.step()
    np.testing.assert_allclose(some.node_pos, target, atol=1e-6)
    below = -outside(cloth, some)  # from the planes of triangles
    assert below.min() > 0.8 * RADIUS and below.max() < 1.5 * RADIUS
    assert spread(cloth.node_vel) < 0.02


def outside(cloth: Cloth, some: Particles) -> np.ndarray:
    """How far particles are above the nearest triangle of a sheet that began flat, by its normal; beside it: far."""
    x, y = host(some.node_pos)[0].astype(float), host(cloth.node_pos)[0].astype(float)
    normals = []
    for nodes in (y, cloth.mesh.nodes):
        corner = nodes[cloth.mesh.triangles]
        normals.append(np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0]))
    normal = normals[0] * np.sign(normals[1][:, 2:])
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    away = x[:, None] - y[cloth.mesh.triangles].mean(axis=1)
    far = np.linalg.norm(away, axis=-1)
    nearest = far.argmin(axis=1)
    found = (away[np.arange(len(x)), nearest] * normal[nearest]).sum(axis=1)
    return np.where(far.min(axis=1) < 0.02, found, 1.0)


@pytest.mark.parametrize("caged", [False, True])
def test_grains_lie_on_a_soft_cube(caged: bool) -> None:
    """They fall on it, and stay; the ground carries both. Also where a finer mesh touches in place of its surface."""
    made = world()
    made.add_ground(friction=0.5)
    more = {"collision": tet_shape(px.Shape("box", (0.05, 0.05, 0.05)), 5), "resolution": 3} if caged else {}
    soft = cube(made, youngs_modulus=2e4, touches_cloth=True, friction=0.5, **more)
    some = grains(made, (5, 5, 2), rolling_friction=0.1, position=(0, 0, 0.125))
    made.build()
    made.step(140)
    z = some.node_pos[0, :, 2]
    assert z.min() > 0.1 and z.max() < 0.115
    assert spread(some.node_vel) < 0.02
    pressed = soft.node_pos[0, :, 2].max()
    assert 0.095 < pressed < 0.0995  # 9.8 N of its own and 0.4 N of grains on a block of 20 kPa


def test_water_between_sheets_is_as_high_as_between_walls() -> None:
    """What is behind cloth counts as fluid at rest: without that it has 9 % less volume."""
    made = world()
    count = 6
    half = count * RADIUS
    water = made.add_particles(
        PointSet.grid((count, count, 10), 2 * RADIUS, jitter=1e-4), radius=RADIUS, fluid=True, touches_cloth=True,
        position=(0, 0, 10 * RADIUS), damping=2.0, friction=0.0,
    )  # fmt: skip
    turn = np.sqrt(0.5)
    far = half + 5e-4
    for name, place, pose in (
        ("floor", (0, 0, -5e-4), (1, 0, 0, 0)),
        *[(f"y{k}", (0, k * far, 0.2), (turn, turn, 0, 0)) for k in (1, -1)],
        *[(f"x{k}", (k * far, 0, 0.2), (0.5, 0.5, 0.5, 0.5)) for k in (1, -1)],
    ):
        made.add_cloth(
            px.ClothMesh.grid(0.14, 0.4, 8, 16), name, position=place, orientation=pose, kinematic=True,
            touches_cloth=True, friction=0.0,
        )  # fmt: skip
    made.build()
    made.step(60)
    x = water.node_pos[0]
    assert (np.abs(x[:, :2]) < half).all() and (x[:, 2] > 0).all()
    assert 0.985 < x[:, 2].mean() / (10 * RADIUS) < 1.0


def test_water_stays_in_a_bag() -> None:
    """A sheet whose rim is drawn together and up carries it."""
    made = world()
    cloth = sheet(made, 14, damping=4.0, friction=0.0)
    water = made.add_particles(
        PointSet.grid((8, 8, 4), 2 * RADIUS, jitter=1e-4), radius=RADIUS, fluid=True, position=(0, 0, 0.03),
        damping=4.0, friction=0.0, touches_cloth=True,
    )  # fmt: skip
    made.build()
    rim = np.asarray((np.abs(cloth.mesh.nodes[:, :2]) > 0.0999).any(axis=1))
    begin = cloth.node_pos.copy()
    for n in range(120):
        share = min(n / 40, 1.0)
        target = begin * [1 - 0.3 * share, 1 - 0.3 * share, 1.0] + [0.0, 0.0, 0.06 * share]
        cloth.set_node_targets(target, rim[None])
        made.step()
    x = water.node_pos[0]
    assert (np.abs(x[:, :2]) < 0.07).all() and (x[:, 2] < 0.06).all() and outside(cloth, water).min() > 0.0
    total = G * (float(water.node_mass.sum()) + float(cloth.node_mass[0][~rim].sum()))
    found = []
    for _ in range(20):
        made.step(2)
        found.append(-elastic_forces(cloth)[rim].sum(axis=0)[2])
    assert abs(np.mean(found) - total) < 0.01 * total


def scene(num_envs: int, **settings: Any) -> tuple[px.World, Cloth, Particles]:
    """Grains on a sheet that falls on a box."""
    made = world(num_envs=num_envs, dtype="float32", **settings)
    made.add_ground()
    made.add_rigid_object(px.Shape("box", (0.04, 0.04, 0.02)), "box", mass=0.2, position=(0, 0, 0.02))
    cloth = sheet(made, 6, thickness=2e-3, position=(0, 0, 0.05))
    some = grains(made, (3, 3, 2), rolling_friction=0.1, position=(0, 0, 0.07))
    made.build()
    speeds = np.linspace(0.1, 0.2, num_envs) if num_envs > 1 else np.array([0.2])
    some.set_node_state(vel=np.broadcast_to(speeds[:, None, None], (num_envs, 18, 3)))
    return made, cloth, some


def test_bits_alone_again_and_from_states_and_files(tmp_path: Path) -> None:
    """The same to the bit: alone, among others with one thread and two, after a reset, from a state and a file."""
    made, cloth, some = scene(2)
    made.step(25)
    state = made.state()
    middle = some.node_pos.copy()
    made.save(tmp_path / "world.npz")
    made.step(10)
    after, sheet_after = some.node_pos.copy(), cloth.node_pos.copy()
    alone, own_cloth, own = scene(1)
    alone.step(35)
    np.testing.assert_array_equal(own.node_pos[0], after[1])
    np.testing.assert_array_equal(own_cloth.node_pos[0], sheet_after[1])
    assert spread(after[0] - after[1]) > 1e-3
    made.set_state(state)
    np.testing.assert_array_equal(some.node_pos, middle)
    loaded = px.World.load(tmp_path / "world.npz")
    for one in (made, loaded):
        one.step(10)
        np.testing.assert_array_equal(one.particles["particles"].node_pos, after)
    alone.reset()
    own.set_node_state(vel=np.full((1, 18, 3), 0.2))
    alone.step(35)
    np.testing.assert_array_equal(own.node_pos[0], after[1])
    try:
        for count in (1, 2):
            px.set_num_threads(count)
            many, _, several = scene(40)
            many.step(35)
            np.testing.assert_array_equal(several.node_pos[[0, 39]], after)
    finally:
        px.set_num_threads(None)


def test_without_the_flag_nothing_is_added() -> None:
    """Particles pass cloth for which either flag is missing, with the bits of particles alone."""
    found = []
    for cloth, own, there in ((True, False, True), (False, True, True), (False, False, False)):
        made = world(dtype="float32")
        if there:
            sheet(made, 4, touches_cloth=cloth)
        some = grains(made, (3, 3, 2), position=(0, 0, 0.05), touches_cloth=own)
        made.build()
        assert made.engine.store.rows(c.ParticleTouch) == 0
        made.step(15)
        found.append(some.node_pos[0].copy())
    np.testing.assert_array_equal(found[0], found[2])
    np.testing.assert_array_equal(found[1], found[2])
