"""Meshes that make no sense, poses that are no numbers, masses that are none: a word with the remedy."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import trimesh
from oracles import host

import phalanx as px
from phalanx.components import Coordinate, DofState
from phalanx.io.reading.errors import LoadError
from phalanx.models.meshes import cooking
from phalanx.models.meshes.cooking import cook
from phalanx.models.meshes.hulls import Hull
from phalanx.world.layout import collision
from phalanx.world.layout import fill as layout


def sheet(faces: list[list[int]]) -> px.Shape:
    """Triangles over the corners, and the middle of one side, of a square of 2 m."""
    vertices = np.array([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0], [0, -1, 0]], float)
    return px.Shape("mesh", vertices=vertices, faces=np.array(faces), approximation="triangle_mesh")


def test_triangles_without_area_are_left_out(device: str) -> None:
    """And what is left carries a ball."""
    world = px.World(num_envs=1, device=device)
    with pytest.warns(UserWarning, match="1 of 3 triangles of the mesh have no area and were left out"):
        world.add_rigid_object(sheet([[0, 1, 2], [0, 2, 3], [0, 4, 1]]), "floor", kind="static")
    ball = world.add_rigid_object(px.Shape("sphere", (0.1,)), "ball", position=(0.3, 0.0, 0.1))
    world.step(200)
    np.testing.assert_allclose(host(ball.root_pose)[:, 2], 0.1, atol=1e-3)
    with pytest.raises(LoadError, match="no triangle with an area"):
        px.World().add_rigid_object(sheet([[0, 4, 1]]), kind="static")


def test_neighbours_that_face_opposite_sides_are_told() -> None:
    with pytest.warns(UserWarning, match=r"at 1 edges of the mesh neighbours face opposite sides.*make its normals"):
        px.World().add_rigid_object(sheet([[0, 1, 2], [0, 3, 2]]), kind="static")
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # an open sheet, and one with a hole, are ordinary ground
        px.World().add_rigid_object(sheet([[0, 1, 2], [0, 2, 3]]), kind="static")


def test_an_open_mesh_that_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its hull is well defined; its volume is not, nor its inside, which a decomposition needs.

    CoACD takes a minute to close this box, so it is not asked: what is tested is the word before.
    """
    box = trimesh.creation.box((0.2, 0.2, 0.2))
    monkeypatch.setattr(cooking, "decompose", lambda vertices, faces: [vertices])
    lidless = px.Shape("mesh", vertices=box.vertices, faces=box.faces[:-2])
    with pytest.warns(UserWarning, match=r"open.*close it"):
        cook(px.Shape("mesh", vertices=box.vertices, faces=box.faces[:-2], approximation="convex_decomposition"))
    with pytest.raises(LoadError, match="cannot move freely as a triangle mesh"):
        px.World().add_rigid_object(lidless, approximation="triangle_mesh")
    made = px.World().add_rigid_object(lidless, approximation="convex_hull", mass=1.0)
    assert made.model.bodies[0].mass == 1.0


def test_a_hull_of_100000_vertices_is_cooked_down() -> None:
    points = np.random.default_rng(0).normal(size=(100_000, 3))
    points /= np.linalg.norm(points, axis=1)[:, None]
    (piece,) = cook(px.Shape("mesh", vertices=points, faces=np.zeros((0, 3), int), approximation="convex_hull"))
    assert isinstance(piece.geometry, Hull) and len(piece.geometry.vertices) <= 64
    np.testing.assert_allclose(np.linalg.norm(piece.geometry.vertices, axis=1), 1.0, atol=0.02)
    assert piece.geometry.offsets.min() > 0.85


@pytest.mark.parametrize("mass", [-1.0, 0.0, float("nan"), float("inf")])
def test_masses_that_are_none(mass: float) -> None:
    with pytest.raises(ValueError, match="must be a positive, finite number"):
        px.World().add_rigid_object(px.Shape("sphere", (0.1,)), mass=mass)
    world = px.World()
    ball = world.add_rigid_object(px.Shape("sphere", (0.1,)), mass=1.0)
    world.build()
    with pytest.raises(ValueError, match=r"mass|finite"):
        ball.set_mass(mass)
    assert host(ball.mass)[0] == 1.0


@pytest.mark.parametrize("longest_list", [collision.LONGEST_LIST, 0], ids=["listed", "sorted"])
def test_an_environment_without_numbers_stops_and_the_others_go_on(
    longest_list: int, device: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Poses and velocities of one body are no numbers, in one environment each; bodies touch each other and a mesh."""
    for module in (collision, layout):
        monkeypatch.setattr(module, "LONGEST_LIST", longest_list)
    broken = (1, 3)

    def run(spoil: bool) -> np.ndarray:
        world = px.World(num_envs=5, device=device, dt=1 / 120)
        world.add_ground()
        world.add_rigid_object(sheet([[0, 1, 2], [0, 2, 3]]), "floor", kind="static", position=(0, 0, 0.1))
        shapes = (px.Shape("box", (0.1, 0.1, 0.1)), px.Shape("sphere", (0.1,)), px.Shape("capsule", (0.05, 0.1)))
        objects = [
            world.add_rigid_object(shape, f"o{k}", position=(0.05 * k, 0.02, 0.25 + 0.25 * k))
            for k, shape in enumerate(shapes)
        ]
        world.step(20)
        if spoil:
            with pytest.raises(ValueError, match="not a number"):
                objects[0].set_root_state(np.full(7, np.nan))
            world[Coordinate].value[0, broken[0]] = np.nan
            world[DofState].velocity[2, broken[1]] = np.inf
            world.touch_state()
            with pytest.warns(px.SimulationWarning, match=r"2 of 5 environments diverged.*1, 3; use a smaller dt"):
                world.step(40)
                world.check()
            assert world.diverged.tolist() == list(broken)
        else:
            world.step(40)
        world.step(60)
        found = np.array([host(each.root_pose) for each in objects])
        if spoil:
            world.reset(list(broken))
            world.step(120)
            assert not len(world.diverged)
            again = np.array([host(each.root_pose) for each in objects])
            fresh = [e for e in range(5) if e in broken]
            np.testing.assert_array_equal(again[:, fresh], np.broadcast_to(found[:, :1], again[:, fresh].shape))
        return found

    others = [e for e in range(5) if e not in broken]
    np.testing.assert_array_equal(run(True)[:, others], run(False)[:, others])
