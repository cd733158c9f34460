"""Nodes of deformable bodies that are tied to other deformable bodies: where they are, what holds, what both get."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from deformable.scenes import cube, momentum, spread, world

import phalanx as px
from phalanx.io.recordings.replay import verify
from phalanx.models.meshes.carried_points import carried_points
from phalanx.models.meshes.tet_shapes import tet_shape
from phalanx.world.deformables.body import DeformableBody


def joined(num_envs: int = 2, **settings: Any) -> px.World:
    """A rope that hangs from the world, by its end a sheet, and a soft cube on the middle of the sheet."""
    made = world(num_envs=num_envs, **settings)
    rope = made.add_rope(np.linspace((0.1, 0.1, 0.3), (0.1, 0.1, 0.0), 9), "rope")
    sheet = made.add_cloth(px.ClothMesh.grid(0.2, 0.2, 4, 4), "sheet", youngs_modulus=1e5)
    body = cube(made, height=-0.1, resolution=2, name="cube", mass=0.1)
    made.attach_nodes(rope, [0])
    made.attach_nodes(rope, [8], "sheet")
    made.attach_nodes(sheet, [12], body, points=[[0.01, 0.0, 0.05]])
    return made


def total(bodies: list[DeformableBody]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Centre of mass, momentum, and angular momentum about the world's origin, of all together."""
    mass = np.stack([body.node_mass.astype(float).sum(axis=1) for body in bodies])[..., None]
    middle, linear, angular = (np.stack(each) for each in zip(*map(momentum, bodies), strict=True))
    return (mass * middle).sum(axis=0) / mass.sum(axis=0), linear.sum(axis=0), angular.sum(axis=0)


def gaps(made: px.World, tie: px.NodeAttachment, points: np.ndarray) -> np.ndarray:
    """Of tied nodes from their points, which are given in the other body's frame."""
    assert isinstance(tie.to, str)
    known = made.all_deformables
    nodes, weights = carried_points(points, known[tie.to].part.mesh)  # type: ignore[arg-type]
    where = np.einsum("kc,nkci->nki", weights, known[tie.to].node_pos[:, nodes])
    return known[tie.body_name].node_pos[:, tie.nodes] - where


def test_momentum_is_exchanged() -> None:
    """Of a rope, a sheet and a cube in flight, that spin and wobble: what one gains the others lose.

    In the second environment gravity acts, and in the third the cube is let go: it keeps its own.
    """
    made = joined(3, dt=0.005)
    made.build()
    scale = np.array([0.0, 1.0, 0.0])
    bodies: list[DeformableBody] = list(made.all_deformables.values())
    made.attachments[0].release()
    made.attachments[2].release([2])
    rng = np.random.default_rng(0)
    for body in bodies:
        body.set_gravity_scale(scale)
        vel = np.cross((1.0, 2.0, -1.0), body.default_node_pos) + 0.2 * rng.normal(size=body.default_node_pos.shape)
        body.set_node_state(vel=vel)
    centre, linear, angular = total(bodies)
    own = momentum(made.ropes["rope"])[1]
    alone = momentum(made.deformables["cube"])
    mass = np.sum([body.node_mass.sum(axis=1) for body in bodies], axis=0)
    push = (made.dt * mass * scale)[:, None] * (0.0, 0.0, -9.81)
    turned, later = angular.copy(), linear
    for _ in range(60):
        before = centre
        made.step()
        centre, later, found = total(bodies)
        turned += np.cross(before + 7 / 16 * (centre - before), push)  # where gravity acts, of eight small steps
        np.testing.assert_allclose(found, turned, atol=1e-8 * spread(angular))
    np.testing.assert_allclose(later, linear + 60 * push, atol=1e-12 * spread(later))
    assert spread(momentum(made.ropes["rope"])[1] - own) > 0.1 * spread(linear)
    np.testing.assert_allclose(momentum(made.deformables["cube"])[1][2], alone[1][2], atol=1e-12)
    assert spread(momentum(made.deformables["cube"])[1][0] - alone[1][0]) > 1e-2 * spread(alone[1])
    assert spread(gaps(made, made.attachments[2], np.array([[0.01, 0.0, 0.05]]))[0]) < 1e-3


def test_what_hangs_is_carried() -> None:
    """A heavier cube by its upper face on a lighter one, whose meshes differ: forces are weights, and nothing gapes."""
    made = world()
    top = cube(made, height=1.0, resolution=3, name="top", damping=4.0, youngs_modulus=5e4)
    low = cube(made, height=0.9, resolution=2, name="low", damping=4.0, youngs_modulus=5e4, mass=2.0)
    made.attach_nodes(top, top.mesh.nodes[:, 2] > 0.0499)
    tie = made.attach_nodes(low, low.mesh.nodes[:, 2] > 0.0499, "top")
    made.step(200)
    np.testing.assert_allclose(tie.force[0].sum(axis=0), (0, 0, 2 * 9.81), atol=0.02 * 2 * 9.81)
    np.testing.assert_allclose(made.attachments[0].force[0].sum(axis=0), (0, 0, 3 * 9.81), atol=0.02 * 3 * 9.81)
    below = low.default_node_pos[tie.nodes] - top.default_pose[:3]
    assert spread(gaps(made, tie, below)) < 1e-5
    assert spread(low.node_vel) < 5e-3


@pytest.mark.slow
@pytest.mark.parametrize("mass", [0.05, 1.0, 20.0])
@pytest.mark.parametrize(("dtype", "dt"), [("float64", 0.01), ("float32", 1 / 60)])
def test_a_light_sheet_on_ropes_carries_any_cube(mass: float, dtype: str, dt: float) -> None:
    """A sheet of 15 g by its corners on four ropes of 3 g, and a cube tied below it: it gains no energy."""
    made = world(dtype=dtype, dt=dt)
    sheet = made.add_cloth(px.ClothMesh.grid(0.3, 0.3, 6, 6), "sheet", position=(0, 0, 1.0), youngs_modulus=1e6)
    for n, corner in enumerate([0, 6, 42, 48]):
        x, y = sheet.mesh.nodes[corner, :2]
        rope = made.add_rope(np.linspace((x, y, 1.4), (x, y, 1.0), 9), f"rope {n}", radius=3e-3, youngs_modulus=1e8)
        made.attach_nodes(rope, [0])
        made.attach_nodes(rope, [8], sheet)
    body = cube(made, height=0.9, resolution=3, damping=1.0, mass=mass)
    tie = made.attach_nodes(body, body.mesh.nodes[:, 2] > 0.0499, "sheet")
    most, below = 0.0, body.default_node_pos[tie.nodes] - (0, 0, 1.0)
    for _ in range(30):
        made.step(10)
        most = max(most, float(body.node_pos[..., 2].max()))
    assert not made.diverged.size
    assert most < 1.5 and spread(gaps(made, tie, below)) < 2e-3
    if mass < 20.0:
        assert spread(body.node_vel) < 0.3


def test_bits_reset_and_files(tmp_path: Path) -> None:
    """Alone or among others, run to run, saved and loaded, recorded and run again, with changes on the way."""
    made, again, alone = joined(3, dtype="float32"), joined(3, dtype="float32"), joined(1, dtype="float32")

    def run(one: px.World) -> None:
        one.build()
        for n in range(20):
            if n == 8 and one.num_envs > 1:
                one.attachments[1].release([1])
                one.reset([2])
            if n == 14 and one.num_envs > 1:
                one.attachments[1].attach([1])
            one.step()

    made.build()
    with px.Recorder(made, tmp_path / "run.zarr", every=5):
        run(made)
    for one in (again, alone):
        run(one)
    for name, body in made.all_deformables.items():
        np.testing.assert_array_equal(body.node_pos, again.all_deformables[name].node_pos)
        np.testing.assert_array_equal(body.node_pos[:1], alone.all_deformables[name].node_pos)
    assert spread(made.cloths["sheet"].node_pos[1] - made.cloths["sheet"].node_pos[0]) > 1e-3
    assert verify(px.open_recording(tmp_path / "run.zarr")).ok
    made.save(tmp_path / "world.npz")
    other = px.World.load(tmp_path / "world.npz")
    assert [tie.to for tie in other.attachments] == [None, "sheet", "cube"]
    for one in (made, other):
        one.step(10)
    for name, body in made.all_deformables.items():
        np.testing.assert_array_equal(body.node_pos, other.all_deformables[name].node_pos)
    np.testing.assert_array_equal(made.attachments[2].force, other.attachments[2].force)
    assert made.attachments[2].attached.all() and spread(made.attachments[2].force) > 0


def test_points_are_carried_by_what_is_nearest() -> None:
    """Inside of tetrahedra, outside of them, on triangles and segments, beyond edges and ends."""
    grid = px.ClothMesh.grid(0.2, 0.2, 2, 2)
    line = px.RopeLine.straight(0.4, 4)
    box = tet_shape(px.Shape("box", (0.1, 0.1, 0.1)), 2)
    random = np.random.default_rng(0)
    for mesh, low, high in ((grid, (-0.1, -0.1, 0), (0.1, 0.1, 0)), (box, (-0.1,) * 3, (0.1,) * 3)):
        points = 0.3 * random.uniform(-1, 1, size=(40, 3))
        nodes, weights = carried_points(points, mesh)
        assert (weights >= 0).all()
        np.testing.assert_allclose(weights.sum(axis=1), 1.0)
        found = np.einsum("kc,kci->ki", weights, mesh.nodes[nodes])
        np.testing.assert_allclose(found, np.clip(points, low, high), atol=1e-12)
    ends = line.nodes[[0, -1]]
    nodes, weights = carried_points(np.array([ends[0] * 2, ends[1] + (0, 1, 0), ends.mean(axis=0) + 0.01]), line)
    found = np.einsum("kc,kci->ki", weights, line.nodes[nodes])
    away = (ends[1] - ends[0]) / np.linalg.norm(ends[1] - ends[0])
    along = ends.mean(axis=0) + away * (away @ np.full(3, 0.01))
    assert spread(found[1] - ends[1]) < 1e-12 and spread(found[2] - along) < 1e-12


def test_what_cannot_be_tied() -> None:
    made = world()
    rope = made.add_rope(np.linspace((0, 0, 0.3), (0, 0, 0), 4), "rope")
    sheet = made.add_cloth(px.ClothMesh.grid(0.2, 0.2, 2, 2), "sheet")
    grains = made.add_particles(px.PointSet(np.zeros((1, 3))), "grains")
    other = cube(world(), resolution=1, name="sheet")
    for to, message in (
        (rope, "a body cannot be tied to itself"),
        ("rope", "a body cannot be tied to itself"),
        (grains, "nothing can be tied to particles"),
        (other, "is in another world"),
    ):
        with pytest.raises(ValueError, match=message):
            made.attach_nodes(rope, [0], to)
    made.attach_nodes(sheet, [0])
    corner = sheet.mesh.nodes[:1]
    with pytest.raises(ValueError, match="node 0 of 'sheet' carries a node of 'rope' and is tied to the world"):
        made.attach_nodes(rope, [3], sheet, points=corner)
    made.attach_nodes(rope, [3], sheet, points=sheet.mesh.nodes[8:9])
    with pytest.raises(ValueError, match="node 8 of 'sheet' carries a node of 'rope' and is tied to the world"):
        made.attach_nodes(sheet, [8])
    with pytest.raises(ValueError, match="node 3 is in two attachments"):
        made.attach_nodes(rope, [3], sheet)
