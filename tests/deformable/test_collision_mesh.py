"""Soft bodies that collide with a mesh of their own, whose vertices the tetrahedra carry."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh
from deformable.scenes import crossings, momentum, world
from oracles import host
from scipy.spatial import KDTree

import phalanx as px
from phalanx import components as c
from phalanx.io.recordings.replay import verify
from phalanx.models.meshes.collision_mesh import CollisionMesh
from phalanx.models.meshes.tet_shapes import tet_shape
from phalanx.world.deformables.soft_body import SoftBody

RADIUS = 0.05
G = 9.81


def ball(subdivisions: int = 2, radius: float = RADIUS) -> px.Shape:
    made = trimesh.creation.icosphere(subdivisions=subdivisions, radius=radius)
    return px.Shape("mesh", vertices=made.vertices, faces=made.faces)


def caged(made: px.World, name: str, position: tuple[float, float, float], **options: Any) -> SoftBody:
    """A ball in a cage of 8 cells that is as wide as it is."""
    given = {"youngs_modulus": 1e6, "density": 300.0, "collision": ball(1), **options}
    return made.add_soft_body(tet_shape(px.Shape("box", (RADIUS,) * 3), 2), name, position=position, **given)


def middle(body: SoftBody) -> np.ndarray:
    """Where the centre of the sphere is: it is the middle of the cage."""
    return host(body.node_pos)[0, np.linalg.norm(body.mesh.nodes, axis=1).argmin()]


def test_vertices_go_with_the_tetrahedra() -> None:
    """Their places, velocities and tetrahedra are those of an even strain, whatever the weights."""
    mesh = tet_shape(px.Shape("box", (0.1, 0.1, 0.1)), 3)
    inner = tet_shape(px.Shape("sphere", (0.1,)), 4)
    made = world()
    body = made.add_soft_body(mesh, "it", position=(1.0, 0.0, 2.0), collision=inner, youngs_modulus=1e5)
    strain = np.array([[1.2, 0.3, 0.0], [0.0, 0.8, -0.1], [0.1, 0.0, 1.1]])
    made.build()
    body.set_node_state(pos=(mesh.nodes @ strain)[None], vel=(mesh.nodes @ strain)[None])
    np.testing.assert_allclose(host(body.collision_pos)[0], inner.nodes @ strain, atol=1e-12)
    np.testing.assert_allclose(host(body.collision_vel)[0], inner.nodes @ strain, atol=1e-12)
    count = len(inner.tets)
    np.testing.assert_allclose(host(body.collision_gradients)[0], np.tile(strain.T, (count, 1, 1)), atol=1e-9)
    np.testing.assert_allclose(host(body.collision_stresses)[0, 0], host(body.element_stresses)[0, 0], rtol=1e-9)
    rotation = host(body.element_rotations)[0, 0]
    np.testing.assert_allclose(host(body.collision_rotations)[0], np.tile(rotation, (count, 1)), atol=1e-9)


def test_the_surface_that_is_simulated_makes_no_difference() -> None:
    """A soft ball lands on ground with friction and rolls, with its own surface as its collision mesh and without."""
    found = []
    for own in (False, True):
        made = world()
        made.add_ground()
        mesh = tet_shape(px.Shape("sphere", (RADIUS,)), 4)
        shape = px.Shape("mesh", vertices=mesh.nodes, faces=mesh.surface) if own else None
        body = made.add_soft_body(mesh, "it", position=(0, 0, 0.08), youngs_modulus=1e5, collision=shape)
        made.build()
        body.set_node_state(vel=np.tile((0.3, 0.0, 0.0), (1, body.num_nodes, 1)))
        made.step(40)
        found.append(host(body.node_pos))
    np.testing.assert_allclose(*found, atol=1e-13)
    assert -1e-3 < found[0][0, :, 2].min() < 2e-3, "it has landed"


def test_a_ball_in_a_cage_rests_at_its_radius() -> None:
    """On a plate that lies on the ground, which it pushes with its weight."""
    made = world()
    made.add_ground(height=-0.02)
    plate = made.add_rigid_object(px.Shape("box", (0.1, 0.1, 0.01)), "plate", mass=0.2, position=(0, 0, -0.01))
    body = caged(made, "it", (0.0, 0.0, RADIUS + 5e-3), collision=ball(2))
    made.step(120)
    assert middle(body)[2] == pytest.approx(RADIUS, rel=0.01)
    assert abs(host(body.collision_pos)[0, :, 2].min()) < 2e-5
    # what the ball pushes with is among the contact forces of the plate: all of them together carry its own weight
    np.testing.assert_allclose(host(plate.net_contact_force)[0, 0], [0.0, 0.0, 0.2 * G], atol=0.01 * G * 0.3)
    push = host(made.engine.store.view(c.CoupledLinkMotion.impulse))[0, 2, 0] / made.dt
    assert push == pytest.approx(-G * float(body.node_mass.sum()), rel=0.01)


@pytest.mark.parametrize("kind", ["field", "mesh"])
def test_it_rests_on_height_fields_and_meshes(kind: str) -> None:
    made = world()
    shape = px.Shape("height_field", (0.1, 0.1), heights=np.zeros((5, 5)))
    if kind == "mesh":
        corners = np.array([(-0.2, -0.2, 0), (0.2, -0.2, 0), (0.2, 0.2, 0), (-0.2, 0.2, 0)])
        shape = px.Shape("mesh", vertices=corners, faces=np.array([(0, 1, 2), (0, 2, 3)]), approximation="none")
    made.add_rigid_object(shape, "floor", kind="static")
    body = caged(made, "it", (0.0, 0.0, RADIUS + 5e-3), collision=ball(2))
    made.step(120)
    assert middle(body)[2] == pytest.approx(RADIUS, rel=0.01)
    assert abs(host(body.collision_pos)[0, :, 2].min()) < 2e-5


def test_momentum_of_two_that_meet_in_flight() -> None:
    """They bounce off each other askew where the balls are, not the cages; nothing crosses."""
    made = world(gravity=(0.0, 0.0, 0.0), dt=0.005)
    left = caged(made, "left", (0.0, 0.0, 0.0), touches_cloth=True)
    right = caged(made, "right", (0.115, 0.0, 0.03), touches_cloth=True)
    made.build()
    left.set_node_state(vel=np.tile((1.0, 0.0, 0.0), (1, left.num_nodes, 1)))
    start = [sum(momentum(body)[k] for body in (left, right)) for k in (1, 2)]
    nearest = np.inf
    for _ in range(8):
        made.step(7)
        assert crossings([left, right]) == 0
        near = [KDTree(host(body.collision_pos)[0]) for body in (left, right)]
        nearest = min(nearest, near[0].query(near[1].data)[0].min())
    for k, (before, size) in enumerate(zip(start, (0.24, 0.24 * RADIUS), strict=True)):
        after = sum(momentum(body)[1 + k] for body in (left, right))
        np.testing.assert_allclose(after, before, atol=1e-10 * size)
    assert nearest < 0.01, "they have met"
    speeds = [host(body.node_vel)[0].mean(axis=0) for body in (left, right)]
    assert speeds[1][0] - speeds[0][0] > 0.2 and speeds[1][2] > 0.05, "the upper one goes up"


def busy(num_envs: int) -> px.World:
    """Two balls in cages and a rigid one that fall on each other; environments begin apart."""
    made = world(num_envs=num_envs, dtype="float32", dt=1 / 60)
    made.add_ground()
    low = caged(made, "low", (0.0, 0.0, 0.055), touches_cloth=True, youngs_modulus=5e4)
    caged(made, "high", (0.02, 0.0, 0.17), touches_cloth=True, collision=tet_shape(px.Shape("sphere", (RADIUS,)), 2))
    made.add_rigid_object(px.Shape("sphere", (0.03,)), "stone", mass=0.1, position=(0.0, 0.02, 0.28))
    made.build()
    speeds = np.random.default_rng(1).normal(size=(3, 1, 3))[:num_envs]
    low.set_node_state(vel=np.broadcast_to(0.1 * speeds, (num_envs, low.num_nodes, 3)))
    return made


def bits(made: px.World, env: int = 0) -> list[bytes]:
    return [host(body.node_offset)[env].tobytes() for body in made.deformables.values()]


@pytest.mark.slow
def test_bits_alone_among_others_saved_and_replayed(tmp_path: Path) -> None:
    many, alone = busy(3), busy(1)
    with px.Recorder(many, tmp_path / "run.zarr", fields=("node_offset", "node_vel", "root_pose"), every=5):
        for _ in range(20):
            many.step()
    alone.step(20)
    assert bits(many) == bits(alone)
    assert bits(many) != bits(many, 1)
    result = verify(px.open_recording(tmp_path / "run.zarr"))
    assert result.ok and result.values > 0
    many.save(tmp_path / "world.npz")
    again = px.World.load(tmp_path / "world.npz")
    for one in (many, again):
        one.step(15)
    assert [bits(many, env) for env in range(3)] == [bits(again, env) for env in range(3)]
    stone = host(many.objects["stone"].root_pose)[0, :3]
    assert np.linalg.norm(host(many.deformables["high"].collision_pos)[0] - stone, axis=1).min() > 0.9 * 0.03


def test_masses_of_nodes_are_those_of_points() -> None:
    """What contacts of points are as stiff as follows the masses that nodes are given, environment by environment."""
    made = world(num_envs=2)
    body = caged(made, "it", (0.0, 0.0, 1.0))
    made.build()
    mesh = body.collision_mesh
    assert mesh is not None
    mass = host(body.node_mass)[0]
    body.set_node_mass(3.0 * mass[None], env_ids=[1])
    found = host(made.engine.store.view(c.NodeModel.mass))[body.rows.points].T
    expected = (np.maximum(mesh.weights, 0.0) * mass[mesh.nodes]).sum(axis=1)[mesh.points]
    np.testing.assert_allclose(found, [expected, 3.0 * expected])
    made.step(5)
    np.testing.assert_allclose(momentum(body)[1][:, 2], -G * 0.05 * np.array([1, 3]) * mass.sum(), rtol=1e-9)


def test_what_cannot_collide_is_told() -> None:
    made = world()
    with pytest.raises(px.LoadError, match=r"soft body 'it': collision is a box; what touches must be a mesh"):
        caged(made, "it", (0, 0, 0), collision=px.Shape("box", (0.1, 0.1, 0.1)))
    with pytest.raises(px.LoadError, match=r"vertex \d+ is .* heights of the nearest tetrahedron outside"):
        caged(made, "it", (0, 0, 0), collision=ball(1, 3 * RADIUS))
    flat = px.Shape("mesh", vertices=np.array([(0, 0, 0), (0.01, 0, 0), (0.02, 0, 0)]), faces=np.array([[0, 1, 2]]))
    with pytest.raises(px.LoadError, match=r"collision: triangle 0, \[0, 1, 2\], has no area"):
        caged(made, "it", (0, 0, 0), collision=flat)
    with pytest.raises(ValueError, match=r"touch_offset=0\.02: the lowest triangle"):
        caged(made, "it", (0, 0, 0), touches_cloth=True, touch_offset=0.02)
    assert CollisionMesh(ball(), tet_shape(px.Shape("box", (RADIUS,) * 3), 2), "it").tets.shape == (0, 4)
