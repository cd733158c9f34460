"""Nodes of deformable bodies on height fields, triangle meshes and signed distance fields."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import trimesh
from deformable.scenes import cube, momentum, world
from oracles import host

import phalanx as px

SLOPE = 0.3


@pytest.fixture(scope="module")
def on_a_plane() -> tuple[np.ndarray, np.ndarray]:
    """Where a cube without friction slides on a slope that is a plane, and how fast."""
    return _slide("plane")


@pytest.mark.parametrize("kind", ["field", "mesh"])
def test_a_slope_of_triangles_is_as_a_plane(kind: str, on_a_plane: tuple[np.ndarray, np.ndarray]) -> None:
    """On a tilted height field or mesh a cube without friction slides as it does on the plane, and stops at no seam."""
    place, speed = _slide(kind)
    np.testing.assert_allclose(place, on_a_plane[0], atol=2e-4)
    np.testing.assert_allclose(speed, on_a_plane[1], atol=2e-3)
    assert speed[0] < -0.9


def _slide(kind: str) -> tuple[np.ndarray, np.ndarray]:
    x = np.linspace(-2.0, 2.0, 9)
    heights = np.repeat(SLOPE * x[:, None], 9, axis=1)
    normal = np.array([-SLOPE, 0.0, 1.0]) / np.hypot(1.0, SLOPE)
    made = world(dt=0.01)
    if kind == "plane":
        made.add_ground(normal=normal.tolist(), friction=0.0)
    else:
        shape = px.Shape("height_field", (0.5, 0.5), heights=heights)
        made.add_rigid_object(shape if kind == "field" else _grid(heights, x), "hill", kind="static", friction=0.0)
    angle = -np.arctan(SLOPE)
    turn = (np.cos(angle / 2), 0.0, np.sin(angle / 2), 0.0)
    place = 0.051 * normal + (0.2, 0.0, 0.2 * SLOPE)
    body = cube(made, resolution=2, position=place.tolist(), orientation=turn, friction=0.0)
    made.build()
    made.step(40)
    return host(body.node_pos)[0].mean(axis=0), host(body.node_vel)[0].mean(axis=0)


def _grid(heights: np.ndarray, x: np.ndarray) -> px.Shape:
    """A mesh of two triangles for each cell."""
    n = len(x)
    points = np.stack([*np.meshgrid(x, x, indexing="ij"), heights], axis=2).reshape(-1, 3)
    a = (np.arange(n - 1)[:, None] * n + np.arange(n - 1)).ravel()
    faces = np.concatenate([np.stack([a, a + n, a + n + 1], 1), np.stack([a, a + n + 1, a + 1], 1)])
    return px.Shape("mesh", vertices=points, faces=faces, approximation="none")


@pytest.mark.parametrize(("approximation", "moves"), [("sdf", False), ("sdf", True), ("none", False)])
def test_a_cube_rests_on_the_mesh_of_a_ball(approximation: str, moves: bool) -> None:
    """A mesh of a ball, with a distance field or as triangles, bears a soft cube as the ball does; a moving one is
    pushed back.
    """
    ball = trimesh.creation.icosphere(subdivisions=3, radius=0.1)
    found = []
    for kind in ("mesh", "sphere"):
        made = world(gravity=(0.0, 0.0, 0.0) if moves else (0.0, 0.0, -9.81), dt=0.01)
        mesh = px.Shape("mesh", vertices=ball.vertices, faces=ball.faces, approximation=approximation)
        shape = mesh if kind == "mesh" else px.Shape("sphere", (0.1,))
        thing = made.add_rigid_object(shape, "ball", kind="dynamic" if moves else "static", mass=1.0 if moves else None)
        body = cube(made, height=0.102, resolution=4, youngs_modulus=3e4, mass=1.0, friction=0.5)
        made.build()
        if moves:
            body.set_node_state(vel=np.tile([0.0, 0.0, -1.0], (1, body.num_nodes, 1)))
        made.step(20)
        speed = host(thing.root_vel)[0, 2] if moves else 0.0
        found.append((host(body.node_pos)[0, :, 2].mean(), speed, momentum(body)[1][0, 2]))
    np.testing.assert_allclose(found[0], found[1], atol=0.02)
    assert found[0][0] == pytest.approx(found[1][0], abs=1e-3)
    if moves:
        assert found[0][1] < -0.3
        assert found[0][1] + found[0][2] == pytest.approx(-1.0, abs=1e-6), "momentum is kept"


def test_what_lies_in_a_corner_of_a_mesh_touches_all_of_its_walls() -> None:
    """Grains in the corner of a room that is one mesh come to rest where they do between three planes; outside of its
    convex edges and behind its walls nothing is there.
    """
    slope = np.array([0.6, 0.5, 1.0])  # how the room is tilted: all three walls bear
    found = []
    for kind in ("mesh", "planes"):
        made = world(gravity=(-9.81 * slope / np.linalg.norm(slope)).tolist(), dt=0.01)
        if kind == "mesh":
            made.add_rigid_object(_corner(), "room", kind="static", friction=0.3)
        else:
            for axis in np.eye(3):
                made.add_ground(normal=axis.tolist(), friction=0.3)
        places = np.array([[0.012, 0.013, 0.011], [0.05, 0.06, 0.011], [0.1, 0.012, 0.08]])
        grains = made.add_particles(px.PointSet(places), "grains", radius=0.01, density=1000.0, friction=0.3)
        made.build()
        made.step(60)
        before = host(grains.node_pos)[0]
        made.step(20)
        found.append(host(grains.node_pos)[0])
        assert np.abs(found[-1] - before).max() < 1e-7, f"at rest, {kind}"
    np.testing.assert_allclose(found[0], found[1], atol=1e-6)
    assert found[0][0] == pytest.approx([0.01, 0.01, 0.01], abs=1e-5)


def _corner() -> px.Shape:
    """Three walls of 0.5 m that meet in the origin, seen from inside; each of four triangles."""
    points, faces = [], []
    for axis in range(3):
        u, v = np.eye(3)[(axis + 1) % 3], np.eye(3)[(axis + 2) % 3]
        at = len(points) * 5
        points.append(0.5 * np.array([0 * u, u, u + v, v, 0.4 * u + 0.3 * v]))
        faces += [[at + k, at + (k + 1) % 4, at + 4] for k in range(4)]
    merged = trimesh.Trimesh(np.concatenate(points), faces)  # walls share the corners where they meet
    return px.Shape("mesh", vertices=merged.vertices, faces=merged.faces, approximation="none")


def test_a_sheet_of_triangles_bears_from_both_sides() -> None:
    """Soft cubes stay on the side of a double-sided mesh from which they come; through a single-sided one what comes
    from behind passes.
    """
    made = world(dt=0.01)
    x = np.linspace(-0.3, 0.3, 4)
    sheet = _grid(np.zeros((4, 4)), x)
    assert sheet.faces is not None
    back = replace(sheet, faces=sheet.faces[:, ::-1])
    cubes = []
    for n, (shape, both) in enumerate([(sheet, False), (back, False), (sheet, True), (back, True)]):
        shape = replace(shape, double_sided=both)
        made.add_rigid_object(shape, f"sheet {n}", kind="static", position=(float(n), 0.0, 0.0))
        cubes.append(cube(made, resolution=2, position=(float(n), 0.0, 0.06), name=f"cube {n}"))
    made.build()
    made.step(40)
    height = [float(host(body.node_pos)[0, :, 2].mean()) for body in cubes]
    assert height[0] == pytest.approx(height[2], abs=1e-4)
    assert height[0] == pytest.approx(height[3], abs=1e-4)
    assert height[0] == pytest.approx(0.05, abs=2e-3)
    assert height[1] < -0.3
