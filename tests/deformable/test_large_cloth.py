"""What large sheets need: nodes are coloured, and triangles found that are near each other, without looking at all."""

from __future__ import annotations

import numpy as np
import pytest
from deformable.scenes import world
from oracles import host

import phalanx as px
from phalanx import components as c
from phalanx.components.cloth_contact import NEAR
from phalanx.models.meshes.cloth_bending import bending_matrix
from phalanx.world.layout.colours import colours


def edges_of(mesh: px.ClothMesh) -> np.ndarray:
    """Pairs of nodes that see each other."""
    rows, others, _ = bending_matrix(mesh, 0.3)
    return np.unique(np.concatenate([mesh.edges, np.stack([rows, others], axis=1)[rows < others]]), axis=0)


@pytest.mark.parametrize("seed", [0, 1])
def test_colours_are_those_of_one_node_after_the_other(seed: int) -> None:
    """Those of most neighbours first: of a sheet, and of pairs at random."""
    rng = np.random.default_rng(seed)
    some = np.sort(rng.integers(0, 200, (900, 2)), axis=1)
    edges = edges_of(px.ClothMesh.grid(1.0, 1.0, 12, 9)) if seed else np.unique(some[some[:, 0] < some[:, 1]], axis=0)
    count = int(edges.max()) + 1
    near: list[list[int]] = [[] for _ in range(count)]
    for a, b in edges.tolist():
        near[a].append(b)
        near[b].append(a)
    wanted = np.full(count, -1)
    for v in sorted(range(count), key=lambda v: (-len(near[v]), v)):
        used = {wanted[o] for o in near[v]}
        wanted[v] = next(k for k in range(count) if k not in used)
    np.testing.assert_array_equal(colours(count, edges), wanted)


def test_near_triangles_are_all_that_are_near() -> None:
    """Of a crumpled sheet of more triangles than a region has, and of one that lies on it: in their order."""
    made = world(num_envs=2)
    for k in range(2):
        mesh = px.ClothMesh.grid(0.3, 0.3, 24 - 14 * k, 24 - 14 * k)
        made.add_cloth(mesh, f"sheet{k}", touches_cloth=True, position=(0.0, 0.0, 0.02 * k))
    made.build()
    for k in range(2):
        sheet = made.cloths[f"sheet{k}"]
        place = host(sheet.node_pos)
        place[..., 2] += 0.02 * np.sin(40 * place[..., 0] + k) * np.arange(1, 3)[:, None]
        sheet.set_node_state(pos=place)
    made.step()
    store = made.engine.store
    assert store.rows(c.ClothRegion) == 3
    low, high = host(store.view(c.ClothTriangleBounds.low)), host(store.view(c.ClothTriangleBounds.high))
    near = host(store.view(c.ClothTriangleBounds.near))
    triangle = host(store.view(c.ClothNearTriangle.triangle)).reshape(len(low), NEAR, 2)
    for e in range(2):
        overlap = np.asarray((low[:, None, :, e] <= high[None, :, :, e]).all(axis=2))
        overlap &= overlap.T
        np.fill_diagonal(overlap, False)
        np.testing.assert_array_equal(near[:, e], overlap.sum(axis=1))
        for t in range(0, len(low), 7):
            wanted = np.flatnonzero(overlap[t])[:NEAR]
            np.testing.assert_array_equal(triangle[t, : len(wanted), e], wanted)
    assert (near[:, 0] != near[:, 1]).any()


def heap_of_all(section: int, monkeypatch: pytest.MonkeyPatch) -> px.World:
    """Two sheets, a cube and grains that have landed on the ground and each other; sections of so many groups."""
    monkeypatch.setattr("phalanx.world.layout.deformable.SECTION", section)
    made = world(num_envs=2)
    made.add_ground()
    for k in range(2):
        mesh = px.ClothMesh.grid(0.3, 0.3, 14 - k, 14 - k)
        made.add_cloth(mesh, f"sheet{k}", touches_cloth=True, position=(0.0, 0.0, 0.003 + 0.0025 * k))
    box = px.Shape("box", (0.05, 0.05, 0.05))
    made.add_soft_body(box, "cube", resolution=4, youngs_modulus=1e5, position=(0.5, 0.0, 0.0501))
    made.add_particles(px.PointSet.grid((6, 6, 4), 0.0202), "grains", radius=0.01, position=(1.0, 0.0, 0.041))
    made.build()
    for number, body in enumerate(made.all_deformables.values()):
        along = 0.2 * np.random.default_rng(number).normal(size=(2, 1, 3)) * (1, 1, 0)
        body.set_node_state(vel=np.broadcast_to(along - (0, 0, 0.2 * number), (2, body.num_nodes, 3)))
    made.step(6)
    return made


def test_sections_add_up_what_groups_do(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bounds, momentum, rigid motion, and who touches whom: to rounding what they are without sections."""
    without, having = heap_of_all(64, monkeypatch), heap_of_all(2, monkeypatch)
    assert not without.engine.store.rows(c.NodeSection) and having.engine.store.rows(c.NodeSection) == 4 + 4 + 2 + 3
    for name, body in without.all_deformables.items():
        np.testing.assert_allclose(having.all_deformables[name].node_pos, body.node_pos, atol=1e-9)
        np.testing.assert_allclose(having.all_deformables[name].node_vel, body.node_vel, atol=1e-6)
    for field in (
        c.DeformableBounds.low,
        c.DeformableMomentum.linear,
        c.DeformableMomentum.inertia,
        c.DeformableModes.move,
        c.ClothCluster.met,
        c.ClothCluster.first,
    ):
        wanted = host(without.engine.store.view(field))
        np.testing.assert_allclose(host(having.engine.store.view(field)), wanted, rtol=1e-6, atol=1e-9)
    assert host(having.engine.store.view(c.ClothCluster.size)).max(axis=0).tolist() == [2, 2], "the sheets touch"
