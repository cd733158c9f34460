"""Meshes that are seen in place of soft bodies, and what descriptions of deformable bodies keep."""

from __future__ import annotations

import dataclasses
import json

import numpy as np
import pytest
import trimesh
from deformable.scenes import world

import phalanx as px
from phalanx.models.meshes.embedded import EmbeddedMesh
from phalanx.models.meshes.tet_shapes import tet_shape
from phalanx.world.deformables.surfaces import surface_faces, surface_vertices


def ball(radius: float, **options: object) -> px.Shape:
    made = trimesh.creation.icosphere(subdivisions=2, radius=radius)
    return px.Shape("mesh", vertices=made.vertices, faces=made.faces, **options)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("radius", [0.08, 0.14])
def test_vertices_go_with_the_tetrahedra_that_they_lie_in(radius: float) -> None:
    """Where the tetrahedra are strained evenly, so is the mesh, within them and beyond; else those outside are near."""
    mesh = tet_shape(px.Shape("box", (0.1, 0.1, 0.1)), 6)
    seen = EmbeddedMesh(ball(radius, position=(0.01, 0.0, 0.0)), mesh, "it")
    np.testing.assert_allclose(seen.at(mesh.nodes[None])[0], seen.vertices, atol=1e-15)
    assert (seen.weights.min() >= -1e-12) == (radius < 0.09)
    strain = np.array([[1.2, 0.3, 0.0], [0.0, 0.8, -0.1], [0.1, 0.0, 1.1]])
    np.testing.assert_allclose(seen.at((mesh.nodes @ strain)[None])[0], seen.vertices @ strain, atol=1e-14)
    away = np.linalg.norm(mesh.nodes[seen.nodes].mean(axis=1) - np.clip(seen.vertices, -0.1, 0.1), axis=1)
    assert away.max() < 0.04, "its tetrahedron is where the vertex is"


def test_what_is_no_mesh_is_told() -> None:
    made = world()
    cube = px.Shape("box", (0.1, 0.1, 0.1))
    with pytest.raises(px.LoadError, match=r"soft body 'jelly': visual is a box; what is seen must be a mesh"):
        made.add_soft_body(cube, "jelly", resolution=1, visual=cube)
    bad = px.Shape("mesh", vertices=np.eye(3), faces=np.array([[0, 1, 3]]))
    with pytest.raises(px.LoadError, match=r"triangle 0 names the vertices \[0, 1, 3\]; there are 3"):
        made.add_soft_body(cube, "jelly", resolution=1, visual=bad)


def test_descriptions_have_all_that_bodies_are_made_of() -> None:
    """A world that is made of the description of another has the same deformable bodies, field by field."""
    made = world()
    cube, rope = px.Shape("box", (0.1, 0.1, 0.1)), px.RopeLine.straight(1.0, 4)
    made.add_soft_body(
        cube,
        "jelly",
        resolution=2,
        visual=ball(0.12, color=(1.0, 0.5, 0.0, 1.0)),
        elasticity_damping=3e-3,
        density=700.0,
    )
    made.add_soft_body(cube, "plain", resolution=1, touches_cloth=True, touch_offset=2e-3, damping=0.1, kinematic=True)
    made.add_cloth(px.ClothMesh.grid(1.0, 1.0, 3, 3), "towel", thickness=2e-3, shear_modulus=1e5, touches_cloth=True)
    made.add_rope(rope, "cable", radius=4e-3, twisting_stiffness=1e-3, curved_at_rest=True, disable_gravity=True)
    points = px.PointSet.grid((2, 2, 2), 0.03)
    made.add_particles(points, "sand", radius=0.01, rolling_friction=0.05, cohesion=0.1, particle_friction=(0.5, 0.4))
    made.add_particles(points, "dust", radius=0.01, max_velocity=3.0)
    made.add_particles(points, "water", radius=0.01, fluid=True, viscosity=0.1, reach=0.03, surface_tension=0.07)
    made.add_particles(points, "honey", radius=0.01, adhesion=0.2, adhesion_reach=4e-3, gravity_scale=-0.5)
    again = px.World.from_description(json.loads(json.dumps(made.describe())))
    assert list(again.all_deformables) == list(made.all_deformables)
    for name, body in made.all_deformables.items():
        other = again.all_deformables[name].part
        for field in dataclasses.fields(body.part):
            mine, theirs = getattr(body.part, field.name), getattr(other, field.name)
            if hasattr(mine, "to_dict"):
                mine, theirs = mine.to_dict(), theirs.to_dict()
            if isinstance(mine, float):
                mine, theirs = pytest.approx(mine, rel=1e-12), theirs
            assert mine == theirs, (name, field.name)
        nodes = body.default_node_pos[None]
        np.testing.assert_array_equal(surface_faces(body.part), surface_faces(other))
        np.testing.assert_array_equal(surface_vertices(body.part, nodes), surface_vertices(other, nodes))
