"""A mesh that collides by its distance field is hit by rays and probes as its triangles are."""

from __future__ import annotations

import numpy as np
from queries.scenes import array, star

import phalanx as px


def test_a_field_answers_as_its_triangles(device: str) -> None:
    """The same mesh twice in the same place, asked one by one; the field's copy moves freely."""
    vertices, faces = star()
    world = px.World(num_envs=2, device=device, gravity=(0, 0, 0))
    for name, approximation in (("triangles", "triangle_mesh"), ("field", px.SdfOptions(resolution=24))):
        mesh = px.Shape("mesh", vertices=vertices, faces=faces)
        kind = "dynamic" if name == "field" else "static"
        world.add_rigid_object(mesh, name, kind=kind, approximation=approximation, position=(0.2, 0.1, 1.0), mass=1.0)
    rng = np.random.default_rng(1)
    origins = np.array([0.2, 0.1, 1.0]) + 2.0 * rng.normal(size=(2, 200, 3))
    directions = np.array([0.2, 0.1, 1.0]) + rng.uniform(-0.5, 0.5, (2, 200, 3)) - origins
    rays = [world.queries.raycast(origins, directions, only=name) for name in ("triangles", "field")]
    hit = array(rays[0].hit)
    assert 0.2 < hit.mean() < 0.99
    assert (array(rays[1].hit) == hit).mean() > 0.99  # but next to an edge, as the field's copy is about its middle
    both = hit & array(rays[1].hit)
    np.testing.assert_allclose(array(rays[1].distance)[both], array(rays[0].distance)[both], atol=1e-5)
    assert (array(rays[1].face)[both] == array(rays[0].face)[both]).mean() > 0.99
    places = np.array([0.2, 0.1, 1.0]) + 0.7 * rng.normal(size=(2, 100, 3))
    over = [array(world.queries.overlap_sphere(0.1, places, only=name).total) for name in ("triangles", "field")]
    np.testing.assert_array_equal(over[0], over[1])
    assert 0.1 < (over[0] > 0).mean() < 0.9
