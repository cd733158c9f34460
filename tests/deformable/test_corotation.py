"""Corotational soft bodies, against the energy they are made from, linear finite elements and analytic stresses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from deformable.scenes import cube, momentum, spread, volumes, world

import phalanx as px
from phalanx.models.meshes.tet_shapes import tet_shape
from phalanx.systems.deformable.corotation import next_to, turned_gradient
from phalanx.systems.deformable.elasticity import corner_force


def nearest_rotation(matrix: np.ndarray) -> np.ndarray:
    """By singular values, proper also where the determinant is negative."""
    left, _, right = np.linalg.svd(matrix)
    return left @ np.diag([1.0, 1.0, np.linalg.det(left @ right)]) @ right


def energy(points: np.ndarray, rest: np.ndarray, mu: float, first: float) -> float:
    """Of one tetrahedron: mu |F - R|^2 + lambda / 2 (J - 1)^2 times its volume."""
    before, after = (rest[1:] - rest[0]).T, (points[1:] - points[0]).T
    gradient = after @ np.linalg.inv(before)
    strain = ((gradient - nearest_rotation(gradient)) ** 2).sum()
    return np.linalg.det(before) / 6 * (mu * strain + first / 2 * (np.linalg.det(gradient) - 1) ** 2)


def test_rotations_are_those_of_the_polar_decomposition() -> None:
    random = np.random.default_rng(0)
    for size in (0.0, 0.05, 0.3):
        for _ in range(50):
            turn = nearest_rotation(random.normal(size=(3, 3)))
            matrix = turn @ (np.eye(3) + size * random.normal(size=(3, 3)))
            if np.linalg.det(matrix) > 0.1:
                found = np.reshape(next_to(*matrix.ravel()), (3, 3))
                np.testing.assert_allclose(found, nearest_rotation(matrix), atol=1e-12)
    shapes = [np.diag(d) for d in ((0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0), (1, 1, -1), (-1, -1, -1), (2, 1, -3))]
    for matrix in [*shapes, *random.normal(size=(50, 3, 3))]:  # flat and turned over: still rotations
        found = np.reshape(next_to(*np.asarray(matrix, float).ravel()), (3, 3))
        np.testing.assert_allclose(found @ found.T, np.eye(3), atol=1e-12)
        assert np.linalg.det(found) > 0


@pytest.mark.parametrize("seed", range(10))
def test_forces_are_what_the_energy_says(seed: int) -> None:
    """And the quadratic that a node goes to the minimum of is nowhere below the energy."""
    random = np.random.default_rng(seed)
    rest = random.normal(size=(4, 3))
    if np.linalg.det(rest[1:] - rest[0]) < 0:
        rest = rest[[0, 2, 1, 3]]
    edges = rest[1:] - rest[0]
    turn = nearest_rotation(random.normal(size=(3, 3)))
    points = rest @ (turn @ (np.eye(3) + 0.2 * random.normal(size=(3, 3)))).T
    mu, first = random.uniform(0.1, 2, 2)
    volume = float(np.linalg.det(edges)) / 6
    inverse = np.linalg.inv(edges)
    gradients = np.concatenate([-inverse.sum(axis=1, keepdims=True), inverse], axis=1)
    weights = volume * gradients.T @ gradients
    for corner, others in enumerate(([1, 3, 2], [0, 2, 3], [0, 3, 1], [0, 1, 2])):
        seen = (points[others] - points[corner]).ravel()
        moduli = (1 / (36 * volume), 6 * volume, 2 * mu, first, 1.0)
        *plain, even, nx, ny, nz, stiff = corner_force(*[*seen, *weights[corner, others], *moduli])
        shape = np.linalg.inv((rest[others] - rest[corner]).T).ravel()
        force = np.array(plain) + 2 * mu * volume * np.array(turned_gradient(*[*seen, *shape]))

        def at(way: np.ndarray, corner: int = corner) -> float:
            moved = points.copy()
            moved[corner] += way
            return energy(moved, rest, mu, first)

        slope = [(at(1e-5 * axis) - at(-1e-5 * axis)) / 2e-5 for axis in np.eye(3)]
        np.testing.assert_allclose(force, np.negative(slope), atol=1e-6 * (1 + spread(force)))
        curvature = even * np.eye(3) + stiff * np.outer((nx, ny, nz), (nx, ny, nz))
        for way in 0.3 * random.normal(size=(10, 3)):
            assert at(way) <= at(np.zeros(3)) - force @ way + way @ curvature @ way / 2 + 1e-9


def test_a_cantilever_hangs_as_linear_elements_say() -> None:
    skfem: Any = pytest.importorskip("skfem", reason="scikit-fem is not installed")
    models: Any = pytest.importorskip("skfem.models.elasticity", reason="scikit-fem is not installed")
    mesh = tet_shape(px.Shape("box", (0.2, 0.1, 0.1)), 4)
    elements = skfem.MeshTet(mesh.nodes.T.copy(), mesh.tets.T.copy())
    basis = skfem.Basis(elements, skfem.ElementVector(skfem.ElementTetP1()))
    matrix = models.linear_elasticity(*models.lame_parameters(1e6, 0.3)).assemble(basis)
    weight = skfem.LinearForm(lambda v, w: -1000.0 * v[2]).assemble(basis)
    held = basis.get_dofs(lambda x: np.isclose(x[0], -0.2)).all()
    linear = skfem.solve(*skfem.condense(matrix, weight, D=held))[np.asarray(basis.nodal_dofs)].T
    made = world(gravity=(0, 0, -1.0), deformable_steps=10)
    beam = made.add_soft_body(mesh, youngs_modulus=1e6, poissons_ratio=0.3, damping=60.0, elasticity="corotational")
    made.build()
    beam.set_node_targets(beam.default_node_pos, mesh.nodes[:, 0] < -0.2 + 1e-9)
    made.step(60)
    assert spread(beam.node_vel) < 1e-4
    assert spread(beam.node_pos[0] - mesh.nodes - linear) < 0.004 * spread(linear)


def test_stretched_it_has_linear_stresses_and_turned_it_has_none() -> None:
    """At 1.3 times its length, without contraction across, the stress is E times the strain (Neo-Hookean: 0.43 E).

    The environments differ in Young's modulus, and are turned.
    """
    made = world(num_envs=2, gravity=(0, 0, 0))
    block = cube(made, resolution=2, poissons_ratio=0.0, damping=30.0, elasticity="corotational")
    made.build()
    block.set_elasticity([1e5, 3e4])
    turns = np.array([np.eye(3), nearest_rotation(np.random.default_rng(1).normal(size=(3, 3)))])
    start = block.mesh.nodes @ turns.swapaxes(1, 2)
    block.set_node_state(start, vel=0.0)
    made.step(5)
    assert spread(block.node_vel) < 1e-10 and spread(block.element_stresses) < 1e-6
    ends = np.abs(block.mesh.nodes[:, 2]) > 0.05 - 1e-9
    block.set_node_targets((block.mesh.nodes * (1, 1, 1.3)) @ turns.swapaxes(1, 2), ends)
    made.step(60)
    expected = np.zeros((2, 1, 3, 3))
    expected[:, 0, 2, 2] = (0.3e5, 0.9e4)
    expected = turns[:, None] @ expected @ turns[:, None].swapaxes(2, 3)
    np.testing.assert_allclose(block.element_stresses, np.tile(expected, (1, len(block.mesh.tets), 1, 1)), atol=3.0)
    assert block.elasticity == "corotational"


def test_stresses_under_any_stretch() -> None:
    """Principal ones, with Lame's parameters: 2 mu (s - 1) s / J + lambda (J - 1)."""
    made = world(gravity=(0, 0, 0))
    block = cube(made, resolution=1, poissons_ratio=0.3, elasticity="corotational")
    made.build()
    stretch, mu = np.array([1.2, 0.9, 1.1]), 1e5 / 2.6
    block.set_node_state(block.mesh.nodes * stretch)
    volume = stretch.prod()
    expected = 2 * mu * (stretch - 1) * stretch / volume + 1.5 * mu * (volume - 1)
    np.testing.assert_allclose(block.element_stresses[0], np.tile(np.diag(expected), (5, 1, 1)), atol=1e-6 * mu)


def test_in_free_flight_gravity_alone_changes_momentum() -> None:
    made = world(num_envs=2, dt=0.005, deformable_sweeps=1)
    bar = made.add_soft_body(
        px.Shape("box", (0.05, 0.05, 0.1)), resolution=2, youngs_modulus=2e4, elasticity="corotational"
    )
    made.build()
    arm = bar.default_node_pos - bar.default_node_pos.mean(axis=0)
    vel = np.cross((3.0, -5.0, 8.0), arm) + (1.0, 0.5, 2.0) + 0.3 * np.random.default_rng(0).normal(size=arm.shape)
    bar.set_node_state(vel=np.stack([vel, 0.2 * vel]))
    place, linear, angular = momentum(bar)
    spin = angular - np.cross(place, linear)
    made.step(60)
    now, later, turned = momentum(bar)
    weight = bar.node_mass.sum(axis=1)[:, None] * (0, 0, -9.81)
    np.testing.assert_allclose(later, linear + weight * made.time, rtol=1e-12)
    np.testing.assert_allclose(turned - np.cross(now, later), spin, atol=1e-8 * spread(spin))


@pytest.mark.slow
@pytest.mark.parametrize("flat", [True, False])
def test_a_cube_recovers(flat: bool) -> None:
    """Pressed flat, or turned inside out like a glove, it takes its shape again."""
    made = world(num_envs=2, gravity=(0, 0, 0), deformable_steps=40)
    body = cube(made, resolution=3, damping=1.0, elasticity="corotational")
    made.build()
    body.set_elasticity([5e4, 1e5])
    pos = body.node_pos
    middle = pos.mean(axis=1, keepdims=True)
    body.set_node_state((pos - middle) * (1, 1, 0 if flat else -1) + middle)
    made.step(200)
    rest = body.mesh.nodes - body.mesh.nodes.mean(axis=0)
    for pos in body.node_pos:
        pos = pos - pos.mean(axis=0)
        assert spread(pos - rest @ nearest_rotation(pos.T @ rest).T) < 1e-3
    assert (volumes(body) > 0).all()


def test_beside_others_saved_and_damped(tmp_path: Path) -> None:
    """A Neo-Hookean cube moves to the bit as it does without a corotational one far off; damping slows both alike."""

    def fallen(corotational: bool) -> px.World:
        made = world(dtype="float32")
        made.add_ground()
        cube(made, height=0.02, resolution=2, name="plain", elasticity_damping=0.004)
        if corotational:
            cube(made, resolution=2, name="turning", position=(1.0, 0, 0.07), elasticity="corotational",
                 elasticity_damping=0.004)  # fmt: skip
        made.step(20)
        return made

    one, both = fallen(False), fallen(True)
    plain = both.deformables["plain"].node_pos
    np.testing.assert_array_equal(one.deformables["plain"].node_pos, plain)
    turning = both.deformables["turning"]
    np.testing.assert_allclose(turning.node_pos - (1.0, 0, 0), plain, atol=1e-3)
    both.save(tmp_path / "world.npz")
    again = px.World.load(tmp_path / "world.npz")
    assert again.deformables["turning"].elasticity == "corotational"
    for made in (both, again):
        made.step(10)
    np.testing.assert_array_equal(again.deformables["turning"].node_pos, turning.node_pos)


def test_there_is_no_other_elasticity() -> None:
    with pytest.raises(ValueError, match="elasticity='linear': must be 'neo-hookean' or 'corotational'"):
        cube(world(), elasticity="linear")
