"""Cloth: shapes of strips and balloons against their analytic ones, momentum, contact with rigid shapes, bits."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh
from deformable.scenes import momentum, spread, world
from scipy.integrate import solve_bvp
from scipy.optimize import brentq
from scipy.spatial import Delaunay

import phalanx as px
from phalanx.components import NodeContactState
from phalanx.ecs.cpu import threads
from phalanx.io.recordings.replay import verify
from phalanx.models.meshes.cloth_bending import bending_matrix

WEIGHT = 300.0 * 9.81 * 1e-3
"""N/m^2, of a sheet of 1 mm and 300 kg/m^3."""


def _and(options: dict[str, Any], **more: Any) -> Any:
    return {**options, **more}


def root(function: Callable[[float], float], low: float, high: float) -> float:
    """Where a function is 0."""
    found: Any = brentq(function, low, high)
    return found


@pytest.fixture(scope="module")
def hall() -> px.World:
    """Strips and a balloon beside each other, that touch nothing, come to rest."""
    made = world(contact_offset=0.01)
    free: dict[str, Any] = {"collision_mask": [], "bending_stiffness": 0.0, "poissons_ratio": 0.0, "damping": 5.0}
    beam = px.ClothMesh.grid(0.22, 0.04, 11, 2)
    strip = made.add_cloth(beam, "beam", **_and(free, bending_stiffness=0.03))
    made.attach_nodes(strip, beam.nodes[:, 0] < -0.0899)
    line = px.ClothMesh.grid(0.5, 0.02, 24, 1)
    made.add_cloth(line, "line", **free)
    sheet = px.ClothMesh.grid(0.05, 0.2, 2, 8)
    for name, more in (("sheet", {}), ("woven", {"shear_modulus": 2e3})):
        hung = made.add_cloth(
            sheet, name, youngs_modulus=1e5, orientation=(0.70710678, 0.70710678, 0, 0), **_and(free, **more)
        )
        made.attach_nodes(hung, sheet.nodes[:, 1] > 0.0999)
    ball = trimesh.creation.icosphere(subdivisions=2, radius=0.1)
    made.add_cloth(px.ClothMesh(ball.vertices, ball.faces), "ball", pressure=3000.0, disable_gravity=True,
                   **_and(free, poissons_ratio=0.3))  # fmt: skip
    made.build()
    hung = made.cloths["line"]
    ends = np.abs(line.nodes[:, 0]) > 0.2499
    for n in range(200):
        near = hung.default_node_pos.copy()
        near[ends, 0] *= 1 - 0.2 * min((n + 1) / 50, 1)
        hung.set_node_targets(near, ends)
        made.step()
    return made


def test_a_strip_that_is_held_at_one_end_is_an_elastica(hall: px.World) -> None:
    """Two columns of nodes are tied: the slope is nothing in the middle between them, and there the length begins."""
    length, stiffness = 0.2 + 0.01, 0.03
    found = solve_bvp(
        lambda s, y: np.array([y[1], -WEIGHT * (length - s) * np.cos(y[0]) / stiffness, np.sin(y[0])]),
        lambda a, b: np.array([a[0], b[1], a[2]]),
        np.linspace(0, length, 50),
        np.zeros((3, 50)),
    )
    strip = hall.cloths["beam"]
    assert spread(strip.node_vel) < 0.02
    assert strip.node_pos[0, :, 2].min() == pytest.approx(-found.y[2, -1], rel=0.01)


def test_a_strip_that_hangs_by_its_ends_is_a_catenary(hall: px.World) -> None:
    scale = root(lambda a: 2 * a * np.sinh(0.2 / a) - 0.5, 0.01, 10)
    strip = hall.cloths["line"]
    x, _, z = strip.node_pos[0].T
    np.testing.assert_allclose(-z.min(), scale * (np.cosh(0.2 / scale) - 1), rtol=0.01)
    np.testing.assert_allclose(z, scale * (np.cosh(x / scale) - np.cosh(0.2 / scale)), atol=2e-3)


def test_a_sheet_that_hangs_stretches_by_its_weight(hall: px.World) -> None:
    """By rho g l^2 / 2 E at the lower edge; the shear modulus has no part in it."""
    for name in ("sheet", "woven"):
        sheet = hall.cloths[name]
        lower = sheet.node_pos[0, sheet.mesh.nodes[:, 1] < -0.0999, 2].mean()
        assert -0.1 - lower == pytest.approx(300 * 9.81 * 0.2**2 / (2 * 1e5), rel=0.02)


def test_a_balloon_is_as_large_as_its_pressure_asks(hall: px.World) -> None:
    """p r = 2 T with the tension T = E t / (1 - nu) (k^2 - 1) / 2 of a sphere k times as wide (Laplace's law)."""
    ball = hall.cloths["ball"]
    stiffness = 1e6 * 1e-3 / 0.7
    wide = root(lambda k: 3000 * 0.1 * k - stiffness * (k * k - 1), 1.001, 1.5)
    found = np.cbrt(ball.volume[0] / ball.mesh.volume())
    assert found - 1 == pytest.approx(wide - 1, rel=0.03)
    pos = ball.node_pos[0] - ball.node_pos[0].mean(axis=0)
    np.testing.assert_allclose(np.linalg.norm(pos, axis=1), 0.1 * found, rtol=0.01)


@pytest.mark.parametrize("nu", [0.0, 0.3])
def test_bending_is_exact_for_sheets_of_constant_curvature(nu: float) -> None:
    """The energy of quadratic surfaces over an irregular mesh is that of a plate, but for a rim without moments."""
    grid = px.ClothMesh.grid(1.0, 1.0, 24, 24)
    nodes = grid.nodes.copy()
    inside = (np.abs(nodes[:, :2]) < 0.49).all(axis=1)
    nodes[inside, :2] += np.random.default_rng(0).uniform(-0.01, 0.01, (inside.sum(), 2))
    mesh = px.ClothMesh(nodes, Delaunay(nodes[:, :2]).simplices)
    rows, columns, values = bending_matrix(mesh, nu)
    x, y = nodes[:, :2].T
    for z, xx, yy, xy in (
        (x * x / 2, 1.0, 0.0, 0.0),
        ((x + y) ** 2 / 4, 0.5, 0.5, 0.5),
        (x * y, 0.0, 0.0, 1.0),
        ((x * x + y * y) / 2, 1.0, 1.0, 0.0),
    ):
        whole = ((1 - nu) * (xx**2 + yy**2 + 2 * xy**2) + nu * (xx + yy) ** 2) / 2
        assert z[rows] @ (values * z[columns]) / 2 == pytest.approx(whole, rel=0.09)
    for z in (x, y, np.ones_like(x)):
        assert abs(z[rows] @ (values * z[columns])) < 1e-9


def test_in_free_flight_momentum_is_kept() -> None:
    """A sheet that spins, flies and flaps: however few sweeps there are."""
    made = world(dt=0.005, deformable_sweeps=1)
    sheet = made.add_cloth(px.ClothMesh.grid(0.2, 0.3, 4, 6), position=(1.0, 2.0, 3.0))
    made.build()
    arm = sheet.default_node_pos - sheet.default_node_pos.mean(axis=0)
    vel = np.cross((3.0, -5.0, 4.0), arm) + (1.0, 0.5, 2.0) + 0.2 * np.random.default_rng(0).normal(size=arm.shape)
    sheet.set_node_state(vel=vel)
    place, linear, angular = momentum(sheet)
    spin = angular - np.cross(place, linear)
    made.step(60)
    now, later, turned = momentum(sheet)
    weight = sheet.node_mass.sum() * 9.81 * made.time
    np.testing.assert_allclose(later, linear - (0, 0, weight), rtol=1e-11)
    np.testing.assert_allclose(turned - np.cross(now, later), spin, atol=1e-8 * spread(spin))


def test_it_drapes_over_shapes_and_lies_on_the_ground() -> None:
    """One falls on a ball that spins and turns with it, one on a box, one on the ground, which carries its weight."""
    made = world(dtype="float32", dt=1 / 60)
    made.add_ground()
    mesh = px.ClothMesh.grid(0.4, 0.4, 12, 12)
    ball = made.add_rigid_object(
        px.Shape("sphere", (0.1,)), "ball", kind="kinematic", position=(0, 0, 0.3), friction=0.6
    )
    made.add_rigid_object(px.Shape("box", (0.1, 0.1, 0.1)), "box", kind="static", position=(1, 0, 0.2))
    over = made.add_cloth(mesh, "over", position=(0, 0, 0.45), thickness=2e-3, bending_stiffness=1e-5, friction=0.6)
    on = made.add_cloth(mesh, "on", position=(1, 0, 0.35), thickness=2e-3, bending_stiffness=1e-5)
    down = made.add_cloth(mesh, "down", position=(2, 0, 0.05), thickness=2e-3, bending_stiffness=1e-5)
    made.build()
    for n in range(150):
        angle = 3.0 * (n + 1) * made.dt
        ball.set_kinematic_target((0, 0, 0.3, np.cos(angle / 2), 0, 0, np.sin(angle / 2)))
        made.step()
        for sheet in (over, on, down):
            assert spread(sheet.node_vel) < 4.0
    away = np.linalg.norm(over.node_pos[0] - (0, 0, 0.3), axis=1)
    assert away.min() > 0.1 - 1e-3
    on_top = over.node_pos[0, :, 2] > 0.38
    assert on_top.sum() > 8
    turned = np.cross((0, 0, 3.0), over.node_pos[0, on_top] - (0, 0, 0.3))
    np.testing.assert_allclose(over.node_vel[0, on_top], turned, atol=0.1)
    inside = (np.abs(on.node_pos[0] - (1, 0, 0.2)) < 0.1 - 1e-3).all(axis=1)
    assert not inside.any() and on.node_pos[0, :, 2].max() > 0.295
    assert down.node_pos[0, :, 2] == pytest.approx(np.full(down.num_nodes, 1e-3), abs=2e-4)
    assert spread(down.node_vel) < 1e-2
    rows = slice(2 * down.num_nodes * 3, None)
    impulse = made[NodeContactState].impulse[rows, :, 0].sum(axis=0)
    weight = float(down.node_mass.sum()) * 9.81
    np.testing.assert_allclose(impulse / made.dt, (0, 0, weight), atol=0.01 * weight)


@pytest.mark.parametrize(("slope", "friction"), [(0.3, 0.5), (0.7, 0.5)])
def test_it_sticks_or_slides_on_a_slope(slope: float, friction: float) -> None:
    angle = np.arctan(slope)
    made = world(gravity=(9.81 * np.sin(angle), 0, -9.81 * np.cos(angle)))
    made.add_ground(friction=friction)
    sheet = made.add_cloth(px.ClothMesh.grid(0.1, 0.1, 3, 3), position=(0, 0, 5.1e-4), friction=friction)
    made.step(30)
    before, place, time = sheet.node_vel[0, :, 0].mean(), sheet.node_pos, made.time
    made.step(30)
    if slope < friction:
        assert spread(sheet.node_pos - place) < 1e-4
        return
    expected = 9.81 * (np.sin(angle) - friction * np.cos(angle))
    assert (sheet.node_vel[0, :, 0].mean() - before) / (made.time - time) == pytest.approx(expected, rel=0.03)


def busy(num_envs: int, pressure: float = 0.0) -> px.World:
    """A sheet tied to the world by a corner, above a ball that lies on the ground, and a balloon; apart at first."""
    made = world(num_envs=num_envs, dtype="float32")
    made.add_ground()
    mesh = px.ClothMesh.grid(0.2, 0.2, 5, 5)
    sheet = made.add_cloth(mesh, "sheet", position=(0, 0, 0.12), thickness=2e-3)
    made.attach_nodes(sheet, [0])
    made.add_rigid_object(px.Shape("sphere", (0.05,)), "ball", mass=0.2, position=(0.03, 0.02, 0.05))
    ball = trimesh.creation.icosphere(subdivisions=1, radius=0.05)
    made.add_cloth(px.ClothMesh(ball.vertices, ball.faces), "balloon", pressure=500.0, position=(0, 0.3, 0.06))
    made.build()
    apart = np.random.default_rng(3).normal(size=(100, 3))[:num_envs]
    sheet.set_node_state(vel=0.3 * apart[:, None])
    return made


def found(made: px.World, env: int) -> bytes:
    """Where everything is in an environment."""
    nodes = [made.cloths[name].node_pos[env].tobytes() for name in ("sheet", "balloon")]
    return b"".join([*nodes, made.objects["ball"].root_pose[env].tobytes()])


def test_bits_threads_reset_and_files(tmp_path: Path) -> None:
    """Alone and among others, with one thread and two; saved, loaded, recorded and run again, reset in part."""
    alone = busy(1)
    alone.step(40)
    seen = []
    for count in (1, 2):
        px.set_num_threads(count)
        assert threads.num_threads() == count
        made = busy(40)
        made.step(40)
        seen.append([found(made, env) for env in range(40)])
    px.set_num_threads(None)
    assert seen[0] == seen[1]
    assert seen[0][0] == found(alone, 0) and len(set(seen[0])) == 40
    made = busy(3)
    with px.Recorder(made, tmp_path / "run.zarr", every=5):
        for n in range(20):
            if n == 7:
                made.reset([1])
                made.cloths["balloon"].set_pressure([500.0, 800.0, 100.0])
            made.step()
    recording = px.open_recording(tmp_path / "run.zarr")
    np.testing.assert_array_equal(recording.deformables["sheet"].node_pos[:, -1], made.cloths["sheet"].node_pos)
    assert verify(recording).ok
    volumes = made.cloths["balloon"].volume
    assert volumes[1] > volumes[0] > volumes[2]
    made.save(tmp_path / "world.npz")
    other = px.World.load(tmp_path / "world.npz")
    for one in (made, other):
        one.step(10)
    assert [found(made, env) for env in range(3)] == [found(other, env) for env in range(3)]
    made.reset([0, 2])
    for name in ("sheet", "balloon"):
        sheet = made.cloths[name]
        np.testing.assert_allclose(sheet.node_pos[[0, 2]], np.stack([sheet.default_node_pos] * 2), atol=1e-7)
    assert found(made, 1) == found(other, 1)


CORNERS = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]], float)


@pytest.mark.parametrize(
    ("nodes", "triangles", "message"),
    [
        (CORNERS, np.zeros((0, 3), int), "part.obj: there are no triangles"),
        (CORNERS[:3], [[0, 1, 3]], "triangle 0 has the corners .* but there are 3 nodes"),
        (CORNERS, [[0, 1, 2], [1, 2, 3]], "node 4 belongs to no triangle"),
        (CORNERS[:3], [[0, 1, 2], [2, 1, 0]], "triangle 0, .* is there 2 times"),
        (CORNERS[:3], [[0, 1, 1.5]], "triangle 0 .*: not whole numbers"),
        (CORNERS * (1, 0, 0), [[0, 1, 2], [1, 3, 4]], "triangle 0, corners .* has no area"),
        (np.where(CORNERS == 1, np.nan, CORNERS), [[0, 1, 2]], "node 1 has a coordinate that is not finite"),
        (CORNERS, [[0, 1, 2], [0, 1, 3], [0, 1, 4]], r"triangles 0, 1, 2 share the edge \[0, 1\]"),
    ],
)
def test_triangles_that_are_none(nodes: Any, triangles: Any, message: str) -> None:
    with pytest.raises(px.LoadError, match=message):
        px.ClothMesh(nodes, triangles, "part.obj")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"youngs_modulus": 0.0}, "cloth 'c': youngs_modulus=0.0: must be"),
        ({"poissons_ratio": 0.5}, "poissons_ratio=0.5: must be below 0.5"),
        ({"thickness": 0.0}, "thickness"),
        ({"bending_stiffness": -1.0}, "bending_stiffness"),
        ({"shear_modulus": -1.0}, "shear_modulus"),
        ({"pressure": float("nan")}, "pressure=nan"),
        ({"mass": 1.0, "density": 2.0}, "mass or density, not both"),
    ],
)
def test_options_out_of_range(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        world().add_cloth(px.ClothMesh.grid(1, 1, 1, 1), "c", **options)


def test_pressure_needs_an_inside() -> None:
    sheet = px.ClothMesh.grid(1, 1, 1, 1)
    with pytest.raises(px.LoadError, match="triangle 0 has a free edge"):
        world().add_cloth(sheet, pressure=1.0)
    turned = np.array([[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 1, 2]])
    with pytest.raises(px.LoadError, match="turned over against its neighbour"):
        px.ClothMesh(CORNERS[:4], turned, "tent").check_closed()
    with pytest.raises(px.LoadError, match="there is no cloth of a box"):
        world().add_cloth(px.Shape("box", (1, 1, 1)))
