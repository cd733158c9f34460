"""Batches of meshes: what is drawn of bodies, against shapes and poses taken one by one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import phalanx as px
from phalanx.maths.arrays import matrix, unit
from phalanx.models.meshes.tessellate import surface
from phalanx.models.visible import visible_shapes
from phalanx.viewer.meshes import Instances, batches


@pytest.fixture(scope="module")
def world():
    world = px.World(num_envs=2)
    world.add_robot("quadruped")
    world.add_robot("arm", name="arm")
    kinds = {
        "sphere": (0.1,),
        "box": (0.1, 0.2, 0.3),
        "capsule": (0.1, 0.2),
        "cylinder": (0.1, 0.3),
        "cone": (0.2, 0.1),
    }
    for name, size in kinds.items():
        world.add_rigid_object(px.Shape(name, size, color=(1.0, 0.0, 0.0, 0.5)), name)
    world.add_rigid_object(
        px.Shape("mesh", vertices=np.eye(4, 3), faces=np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])), "mesh"
    )
    return world.build()


def drawn(made, poses):
    """Corners of all triangles of an environment, by body, as a browser puts them."""
    found = {}
    for batch in made:
        position, orientation = batch.poses(poses[None])
        for i, body in enumerate(batch.bodies):
            corners = batch.vertices[batch.faces].reshape(-1, 3) * batch.scales[i]
            found.setdefault(int(body), []).append(corners @ matrix(orientation[i]).T + position[i])
    return {body: np.concatenate(parts) for body, parts in found.items()}


@settings(max_examples=10)
@given(arrays.arrays(np.float32, (40, 7), elements=st.floats(-1, 1, width=32)))
def test_every_shape_is_drawn_where_its_body_is(world, values):
    bodies = sum(actor.num_bodies for actor in world.actors.values())
    poses = values[:bodies].copy()
    poses[:, 3:] = unit(poses[:, 3:] + np.array([2.0, 0, 0, 0], np.float32))
    made = drawn(batches(world), poses)
    body = 0
    for number, actor in enumerate(world.actors.values()):
        for _, shapes in visible_shapes(actor.model, number):
            if shapes:
                turn, place = matrix(poses[body, 3:]), poses[body, :3]
                expected = np.concatenate([surface(s).corners.reshape(-1, 3) for s, _ in shapes]) @ turn.T + place
                assert len(made[body]) == len(expected)
                for axis in np.eye(3):
                    assert np.allclose(np.sort(made[body] @ axis), np.sort(expected @ axis), atol=2e-5)
            else:
                assert body not in made
            body += 1
    assert body == bodies


def test_equal_shapes_share_a_mesh(world):
    made = batches(world)
    assert len(made) < 12
    instances = sum(len(batch.bodies) for batch in made)
    shapes = sum(len(s) for n, a in enumerate(world.actors.values()) for _, s in visible_shapes(a.model, n))
    assert instances == shapes > 2 * len(made)


def test_colours_and_opacity(world):
    seen = [batch for batch in batches(world) if batch.opacity == 0.5]
    assert sum(len(batch.bodies) for batch in seen) == 5
    assert all((batch.colors == (255, 0, 0)).all() for batch in seen)


def test_edges_of_a_box_stay_sharp():
    world = px.World()
    world.add_rigid_object(px.Shape("box", (1.0, 1.0, 1.0)), "box")
    world.add_rigid_object(px.Shape("sphere", (1.0,)), "ball")
    box, ball = batches(world)
    assert len(box.vertices) == 24 and len(box.faces) == 12
    assert len(ball.vertices) < 1.1 * len(ball.faces) / 2 + 10  # each vertex belongs to about six faces


def test_collision_shapes(world):
    made = batches(world, "collision")
    count = sum(len(body.collisions) for actor in world.actors.values() for body in actor.model.bodies)
    assert sum(len(batch.bodies) for batch in made) == count
    with pytest.raises(ValueError, match="visual, collision"):
        batches(world, "both")


def test_all_instances_at_once_are_those_of_each_batch(device):
    world = px.World(device=device)
    world.add_robot("quadruped", visuals=True)
    world.add_rigid_object(px.Shape("capsule", (0.1, 0.2), position=(0.1, 0, 0), orientation=(0.5, 0.5, 0.5, 0.5)), "a")
    world.build()
    made, rng = batches(world), np.random.default_rng(1)
    poses = rng.normal(size=(5, 1 + max(int(batch.bodies.max()) for batch in made), 7))
    poses[..., 3:] /= np.linalg.norm(poses[..., 3:], axis=-1, keepdims=True)
    for batch, (position, orientation) in zip(made, Instances(made).poses(poses), strict=True):
        expected = batch.poses(poses)
        np.testing.assert_allclose(position, expected[0], atol=1e-6)
        np.testing.assert_allclose(orientation, expected[1], atol=1e-6)


def test_large_height_fields_share_vertices():
    """One at each sample; the triangles are those that small ones have, whose edges have vertices of their own."""
    heights = np.random.default_rng(0).normal(size=(320, 330)).astype(np.float32)
    world = px.World()
    world.add_rigid_object(px.Shape("height_field", (0.1, 0.2), heights=heights), "large", kind="static")
    (batch,) = batches(world)
    assert batch.vertices.shape == (heights.size, 3) and batch.vertices.dtype == np.float32
    expected = surface(px.Shape("height_field", (0.1, 0.2), heights=heights)).corners
    np.testing.assert_allclose(batch.vertices[batch.faces], expected, atol=1e-5)
