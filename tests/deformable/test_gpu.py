"""Soft bodies, cloth and ropes on a GPU: as on the CPU, the same again, and the same alone as among others."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import trimesh
from deformable.scenes import cube, spread, world
from deformable.test_ties import joined
from oracles import host

import phalanx as px

pytestmark = pytest.mark.gpu


def flying(device: str, num_envs: int = 3, **options: Any) -> np.ndarray:
    """Nodes of a wobbling cube after 50 steps without contact."""
    made = world(num_envs=num_envs, device=device, dtype="float32", dt=0.005)
    body = cube(made, resolution=3, height=1.0, youngs_modulus=3e4, **options)
    made.build()
    speeds = np.random.default_rng(0).normal(size=(64, body.num_nodes, 3))[:num_envs]
    body.set_node_state(vel=0.2 * speeds)
    made.step(50)
    return host(body.node_pos)


def busy(device: str, num_envs: int) -> tuple[np.ndarray, np.ndarray]:
    """A cube that lands on the ground, and a ball that lands on it."""
    made = world(num_envs=num_envs, device=device, dtype="float32")
    made.add_ground()
    body = cube(made, half=0.04, height=0.01, resolution=3, youngs_modulus=3e4)
    ball = made.add_rigid_object(px.Shape("sphere", (0.03,)), "ball", mass=0.3, position=(0.01, 0, 0.14))
    made.build()
    body.set_node_state(vel=0.2 * np.random.default_rng(3).normal(size=(200, 1, 3))[:num_envs])
    made.step(80)
    return host(body.node_pos), host(ball.root_pose)


@pytest.mark.parametrize("elasticity", ["neo-hookean", "corotational"])
def test_without_contact_it_is_as_on_the_cpu(gpu: str, elasticity: str) -> None:
    here, there = flying("cpu", elasticity=elasticity), flying(gpu, elasticity=elasticity)
    np.testing.assert_allclose(there, here, atol=2e-5)
    assert spread(here - here.mean(axis=1, keepdims=True)) < 0.12


def test_it_is_the_same_again_and_alone(gpu: str) -> None:
    """In a few environments threads of a block share out nodes, in many they do not: the bits are the same."""
    many = busy(gpu, 200)
    for count in (200, 40, 1):
        for found, expected in zip(busy(gpu, count), many, strict=True):
            np.testing.assert_array_equal(found, expected[:count])
    assert many[0][..., 2].min() > -2e-3 and (many[1][:, 2] > 0.0).all()


def tied(device: str, num_envs: int, steps: int) -> np.ndarray:
    """Nodes of a rope, a sheet and a cube that are tied to each other, and fall on the ground."""
    made = joined(num_envs, device=device, dtype="float32")
    made.add_ground()
    made.build()
    made.deformables["cube"].set_node_state(vel=0.2 * np.random.default_rng(3).normal(size=(200, 1, 3))[:num_envs])
    made.step(steps)
    return np.concatenate([host(body.node_pos) for body in made.all_deformables.values()], axis=1)


def test_ties_are_the_same_again_and_alone(gpu: str) -> None:
    """Beside the CPU for 10 steps: at 40, in contact, float32 and float64 on a CPU are 64 mm apart (0.2 at 10)."""
    many = tied(gpu, 200, 40)
    for count in (200, 1):
        np.testing.assert_array_equal(tied(gpu, count, 40), many[:count])
    np.testing.assert_allclose(tied(gpu, 2, 10), tied("cpu", 2, 10), atol=1e-3)


def roped(device: str, num_envs: int) -> np.ndarray:
    """Nodes of a rope tied to the world and to a ball, that falls on the ground."""
    made = world(num_envs=num_envs, device=device, dtype="float32")
    made.add_ground()
    rope = made.add_rope(np.linspace((0, 0, 0.1), (0.3, 0, 0.1), 13), "rope")
    made.add_rigid_object(px.Shape("sphere", (0.03,)), "ball", mass=0.2, position=(0.33, 0, 0.1))
    made.attach_nodes(rope, [0])
    made.attach_nodes(rope, [12], "ball")
    made.build()
    rope.set_node_state(vel=0.3 * np.random.default_rng(3).normal(size=(200, 1, 3))[:num_envs])
    made.step(40)
    return host(rope.node_pos)


def test_ropes_are_the_same_again_and_alone(gpu: str) -> None:
    many = roped(gpu, 200)
    for count in (200, 40, 1):
        np.testing.assert_array_equal(roped(gpu, count), many[:count])
    np.testing.assert_allclose(many[:4], roped("cpu", 4), atol=0.02)


def hung(device: str, num_envs: int, touched: bool) -> tuple[np.ndarray, np.ndarray]:
    """A sheet tied to the world by an edge, and to a plate by the other, and a balloon; on the ground if asked for."""
    made = world(num_envs=num_envs, device=device, dtype="float32", dt=0.005)
    if touched:
        made.add_ground()
    mesh = px.ClothMesh.grid(0.2, 0.2, 4, 4)
    sheet = made.add_cloth(mesh, "sheet", position=(0, 0, 0.06))
    made.add_rigid_object(px.Shape("box", (0.02, 0.1, 0.01)), "plate", mass=0.2, position=(0.12, 0, 0.06))
    made.attach_nodes(sheet, mesh.nodes[:, 0] < -0.0999)
    made.attach_nodes(sheet, mesh.nodes[:, 0] > 0.0999, "plate")
    hull = trimesh.creation.icosphere(subdivisions=1, radius=0.05)
    ball = made.add_cloth(px.ClothMesh(hull.vertices, hull.faces), "ball", pressure=500.0, position=(0, 0.5, 0.06))
    made.build()
    sheet.set_node_state(vel=0.2 * np.random.default_rng(3).normal(size=(200, 1, 3))[:num_envs])
    made.step(60 if touched else 30)
    return np.concatenate([host(sheet.node_pos), host(ball.node_pos)], axis=1), host(made.objects["plate"].root_pose)


def test_cloth_that_is_tied_is_as_on_the_cpu(gpu: str) -> None:
    """There is no ground, and sheet and plate hang apart."""
    here, there = hung("cpu", 3, False), hung(gpu, 3, False)
    for found, expected in zip(there, here, strict=True):
        np.testing.assert_allclose(found, expected, atol=1e-4)


def test_cloth_is_the_same_again_and_alone(gpu: str) -> None:
    many = hung(gpu, 200, True)
    for count in (200, 40, 1):
        for found, expected in zip(hung(gpu, count, True), many, strict=True):
            np.testing.assert_array_equal(found, expected[:count])
    assert many[0][..., 2].min() > -2e-3 and np.ptp(many[0], axis=0).max() > 1e-3


def test_what_is_read_and_written(gpu: str) -> None:
    made = world(num_envs=3, device=gpu, dtype="float32")
    body = cube(made, resolution=2, height=0.5)
    made.build()
    np.testing.assert_allclose(host(body.node_pos), np.stack([body.default_node_pos] * 3), atol=1e-6)
    gradients, turns = host(body.deformation_gradients), host(body.element_rotations)
    np.testing.assert_allclose(gradients, np.broadcast_to(np.eye(3), gradients.shape), atol=1e-5)
    np.testing.assert_allclose(turns, np.broadcast_to([1.0, 0, 0, 0], turns.shape), atol=1e-5)
    top = body.default_node_pos[:, 2] > 0.59
    body.set_node_targets(body.default_node_pos + (0, 0, 0.01), top)
    body.set_elasticity(2e5, env_ids=[1])
    made.step(10)
    place = host(body.node_pos)
    np.testing.assert_allclose(place[:, top], np.stack([body.default_node_pos[top] + (0, 0, 0.01)] * 3), atol=1e-5)
    assert spread(place[1] - place[0]) > 1e-6
    np.testing.assert_allclose(host(body.youngs_modulus), [1e5, 2e5, 1e5])
    assert np.isfinite(host(body.element_stresses)).all()
    made.reset([2])
    np.testing.assert_allclose(host(body.node_pos)[2], body.default_node_pos, atol=1e-6)


def fallen(device: str, num_envs: int) -> list[np.ndarray]:
    """A sheet that falls into folds over a box, and a heap of grains that falls apart."""
    made = world(num_envs=num_envs, device=device, dtype="float32")
    made.add_ground()
    made.add_rigid_object(px.Shape("box", (0.1, 0.1, 0.1)), "box", kind="static", position=(0, 0, 0.1))
    sheet = px.ClothMesh.grid(0.5, 0.5, 24, 24)
    cloth = made.add_cloth(sheet, thickness=2e-3, touches_cloth=True, position=(0.05, 0.0, 0.25))
    grains = px.PointSet.grid((8, 8, 8), 0.0202, jitter=5e-4)
    heap = made.add_particles(grains, radius=0.01, position=(1.0, 0.0, 0.1))
    made.build()
    cloth.set_node_state(vel=0.3 * np.random.default_rng(1).normal(size=(64, 1, 3))[:num_envs])
    made.step(60)
    return [host(cloth.node_pos), host(heap.node_pos)]


def test_large_scenes_are_the_same_again_and_alone(gpu: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """In few environments threads of a warp share out rows of large tables, here of any, and rows lie closer.

    Groups of nodes are added up by sections.
    """
    monkeypatch.setattr("phalanx.world.layout.deformable.SECTION", 2)
    many = fallen(gpu, 40)
    monkeypatch.setattr("phalanx.ecs.store.MANY_ROWS", 1)
    for count in (1, 5, 20):
        for found, expected in zip(fallen(gpu, count), many, strict=True):
            np.testing.assert_array_equal(found, expected[:count])
    assert many[0][..., 2].max() > 0.19 and many[0][..., 2].min() < 0.1
