"""Elastic bodies against beam theory, linear finite elements (scikit-fem) and the energy they are made from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from deformable.scenes import spread, volumes, world

import phalanx as px
from phalanx.models.meshes.tet_mesh import TetMesh
from phalanx.models.meshes.tet_shapes import tet_shape
from phalanx.systems.deformable.elasticity import corner_force

skfem: Any = pytest.importorskip("skfem", reason="scikit-fem is not installed")
elasticity: Any = pytest.importorskip("skfem.models.elasticity", reason="scikit-fem is not installed")

LENGTH, SIDE, DENSITY = 0.4, 0.2, 1000.0


def stiffness(mesh: TetMesh, young: float, poisson: float) -> tuple[Any, Any, Any]:
    """Stiffness and lumped mass of linear elasticity on the same elements."""
    elements = skfem.MeshTet(mesh.nodes.T.copy(), mesh.tets.T.copy())
    basis = skfem.Basis(elements, skfem.ElementVector(skfem.ElementTetP1()))
    matrix = elasticity.linear_elasticity(*elasticity.lame_parameters(young, poisson)).assemble(basis)
    mass = np.zeros(len(mesh.nodes))
    np.add.at(mass, mesh.tets, (DENSITY / 4 * mesh.volumes)[:, None])
    return matrix, mass, basis


def sag(mesh: TetMesh, young: float, poisson: float, gravity: float, order: int = 1) -> np.ndarray:
    """Displacements of a beam that is held at its low end along x, (nodes, 3)."""
    elements = skfem.MeshTet(mesh.nodes.T.copy(), mesh.tets.T.copy())
    kind = skfem.ElementTetP1() if order == 1 else skfem.ElementTetP2()
    basis = skfem.Basis(elements, skfem.ElementVector(kind))
    matrix = elasticity.linear_elasticity(*elasticity.lame_parameters(young, poisson)).assemble(basis)
    weight = skfem.LinearForm(lambda v, w: -DENSITY * gravity * v[2]).assemble(basis)
    held = basis.get_dofs(lambda x: np.isclose(x[0], mesh.nodes[:, 0].min())).all()
    return skfem.solve(*skfem.condense(matrix, weight, D=held))[np.asarray(basis.nodal_dofs)].T


def hang(mesh: TetMesh, young: float, poisson: float, gravity: float, damping: float, speed: float) -> np.ndarray:
    """The same by stepping, from where nothing is strained until nothing is faster than ``speed``, m/s."""
    made = world(gravity=(0, 0, -gravity), deformable_steps=10)
    beam = made.add_soft_body(mesh, youngs_modulus=young, poissons_ratio=poisson, damping=damping)
    made.build()
    start = beam.default_node_pos
    beam.set_node_targets(start, start[:, 0] < start[:, 0].min() + 1e-9)
    made.step(10)
    while spread(beam.node_vel) > speed:
        assert made.time < 4.0
        made.step(10)
    return beam.node_pos[0] - start


def beam(thick: int, length: float = LENGTH) -> TetMesh:
    """A beam of so many elements across."""
    return tet_shape(px.Shape("box", (length / 2, SIDE / 2, SIDE / 2)), round(length / SIDE * thick))


def tip(mesh: TetMesh, moved: np.ndarray) -> float:
    return float(moved[mesh.nodes[:, 0] > mesh.nodes[:, 0].max() - 1e-9, 2].mean())


def test_a_cantilever_hangs_as_linear_elements_say() -> None:
    """The same elements, small strains: what is left is that the energy is not linear elasticity's."""
    errors = []
    exact = tip(beam(4), sag(beam(4), 1e6, 0.3, 1.0, order=2))
    for thick in (2, 4, 6):
        mesh = beam(thick)
        linear = sag(mesh, 1e6, 0.3, 1.0)
        moved = hang(mesh, 1e6, 0.3, 1.0, 60.0, 2e-5)
        assert spread(moved - linear) < 0.004 * spread(linear)
        errors.append(1 - tip(mesh, moved) / exact)
    assert errors[0] > errors[1] > errors[2] > 0
    assert errors[1] < 0.4 * errors[0] and errors[2] < 0.55 * errors[1]  # order 2, nearly


@pytest.mark.slow
def test_a_cantilever_converges_to_beam_theory() -> None:
    """Without contraction across the beam, so that the clamp is that of theory; Timoshenko's shear included."""
    young, gravity, length = 1e6, 0.5, 0.5
    load, area = DENSITY * SIDE**2 * gravity, SIDE**2
    theory = load * length**4 / (8 * young * SIDE**4 / 12) + load * length**2 / 2 / (5 / 6 * young / 2 * area)
    errors = []
    for thick in (3, 6, 12):
        mesh = beam(thick, length)
        errors.append(1 + tip(mesh, hang(mesh, young, 0.0, gravity, 36.0, 1e-5)) / theory)
    assert errors[0] > errors[1] > errors[2]
    assert abs(errors[2]) < 0.02


def test_a_free_bar_vibrates_at_its_frequency() -> None:
    """Along its length, without contraction across: c / (2 L); the clock of small steps is what damps it."""
    young = 1e5
    mesh = tet_shape(px.Shape("box", (0.5, 0.05, 0.05)), 20)
    made = world(dt=0.005, gravity=(0, 0, 0), deformable_steps=10)
    bar = made.add_soft_body(mesh, youngs_modulus=young, poissons_ratio=0.0, density=DENSITY)
    made.build()
    shape = np.sin(np.pi * mesh.nodes[:, 0])
    bar.set_node_state(vel=0.02 * np.stack([shape, 0 * shape, 0 * shape], axis=1))
    stretch = []
    for _ in range(60):
        made.step()
        stretch.append(float((shape * (bar.node_pos[0, :, 0] - mesh.nodes[:, 0])).sum()))
    signs = np.sign(stretch)
    crossed = np.flatnonzero(signs[1:] != signs[:-1])
    at = [i + stretch[i] / (stretch[i] - stretch[i + 1]) for i in crossed]
    frequency = 0.5 / (made.dt * np.diff(at).mean())
    assert frequency == pytest.approx(np.sqrt(young / DENSITY) / 2, rel=0.01)


def test_bending_vibrates_and_is_damped_as_linear_elements_say() -> None:
    """At the frequency of their first mode; with a damping of elasticity of t its amplitude decays at t w^2 / 2."""
    from scipy.sparse import diags
    from scipy.sparse.linalg import eigsh

    young, poisson, lags = 2e5, 0.3, np.array([0.0, 0.002, 0.005])
    mesh = tet_shape(px.Shape("box", (0.5, 0.1, 0.1)), 10)
    matrix, mass, basis = stiffness(mesh, young, poisson)
    weights = np.zeros(matrix.shape[0])
    weights[basis.nodal_dofs] = mass
    squares, modes = eigsh(matrix, k=8, M=diags(weights), sigma=-1.0)
    first = np.argsort(squares)[6]
    omega, shape = np.sqrt(squares[first]), modes[basis.nodal_dofs, first].T
    made = world(num_envs=3, dt=0.005, gravity=(0, 0, 0), deformable_steps=10)
    bar = made.add_soft_body(
        mesh, youngs_modulus=young, poissons_ratio=poisson, density=DENSITY, elasticity_damping=0.0
    )
    made.build()
    bar.set_elasticity_damping(lags)
    bar.set_node_state(vel=np.tile(0.05 * shape / spread(shape), (3, 1, 1)))
    seen, size = [], []
    for _ in range(100):
        made.step()
        way = (mass[:, None] * shape * (bar.node_pos - mesh.nodes)).sum(axis=(1, 2))
        speed = (mass[:, None] * shape * bar.node_vel).sum(axis=(1, 2))
        seen.append(way[0])
        size.append(np.log(np.hypot(way, speed / omega)))
    crossed = np.flatnonzero(np.diff(np.sign(seen)))
    at = [i + seen[i] / (seen[i] - seen[i + 1]) for i in crossed]
    assert 0.5 / (made.dt * np.diff(at).mean()) == pytest.approx(omega / (2 * np.pi), rel=0.02)
    decay = -np.polyfit(made.dt * np.arange(100), size, 1)[0]
    assert 0 < decay[0] < 0.005 * omega, "what the clock of small steps damps"
    np.testing.assert_allclose(decay[1:] - decay[0], lags[1:] * squares[first] / 2, rtol=0.1)


def test_what_does_not_damp_elasticity_cannot_be_told_to() -> None:
    body = world().add_soft_body(px.Shape("box", (0.1, 0.1, 0.1)), resolution=1)
    with pytest.raises(ValueError, match=r"does not damp elastic motion; give add_soft_body an elasticity_damping"):
        body.set_elasticity_damping(0.1)
    with pytest.raises(ValueError, match="elasticity_damping=-1"):
        world().add_soft_body(px.Shape("box", (0.1, 0.1, 0.1)), resolution=1, elasticity_damping=-1)


def test_what_hardly_changes_its_volume_keeps_it() -> None:
    """Pressed by a fifth between plates that it slips on; without the term it would lose a fifth."""
    made = world(gravity=(0, 0, 0))
    block = made.add_soft_body(
        px.Shape("box", (0.05, 0.05, 0.05)), resolution=6, youngs_modulus=1e5, poissons_ratio=0.49, damping=20.0
    )
    made.build()
    start = block.default_node_pos
    ends = np.abs(start[:, 2]) > 0.05 - 1e-9
    for press in np.linspace(0, 0.2, 40):
        target = start * (1 + 0.25 * press, 1 + 0.25 * press, 1 - press)
        block.set_node_targets(target, ends)
        made.step(2)
    made.step(60)
    assert np.ptp(block.node_pos[0, :, 2]) == pytest.approx(0.08)
    assert volumes(block).sum() == pytest.approx(block.mesh.volumes.sum(), rel=0.01)


def energy(points: np.ndarray, rest: np.ndarray, mu: float, bulk: float) -> float:
    """The energy of one tetrahedron, from its deformation gradient."""
    before, after = (rest[1:] - rest[0]).T, (points[1:] - points[0]).T
    gradient = after @ np.linalg.inv(before)
    volume = np.linalg.det(before) / 6
    change = np.linalg.det(gradient) - 1 - mu / bulk
    return volume * (mu / 2 * ((gradient**2).sum() - 3) + bulk / 2 * change**2)


def numbers(function: Callable[[np.ndarray], Any], at: np.ndarray, step: float = 1e-5) -> np.ndarray:
    """Central differences of a function of a vector."""
    found = []
    for k in range(len(at)):
        ahead, back = at.copy(), at.copy()
        ahead[k] += step
        back[k] -= step
        found.append((np.asarray(function(ahead)) - np.asarray(function(back))) / (2 * step))
    return np.array(found)


@pytest.mark.parametrize("seed", range(20))
def test_forces_are_what_the_energy_says(seed: int) -> None:
    """At any deformation, turned over too; and so is their derivative in the node's own place."""
    random = np.random.default_rng(seed)
    rest = random.normal(size=(4, 3))
    if np.linalg.det(rest[1:] - rest[0]) < 0:
        rest = rest[[0, 2, 1, 3]]
    points = rest + random.uniform(0, 2) * random.normal(size=(4, 3))
    mu, bulk = random.uniform(0.1, 2, 2)
    edges = rest[1:] - rest[0]
    volume = float(np.linalg.det(edges)) / 6
    inverse = np.linalg.inv(edges)
    gradients = np.concatenate([-inverse.sum(axis=1, keepdims=True), inverse], axis=1)
    weights = volume * gradients.T @ gradients
    others = ([1, 3, 2], [0, 2, 3], [0, 3, 1], [0, 1, 2])

    def force(corner: int, place: np.ndarray) -> np.ndarray:
        i = others[corner]
        moduli = (1 / (36 * volume), 6 * volume, mu, bulk, 1 + mu / bulk)
        seen = [*(points[i] - place).ravel(), *weights[corner, i], *moduli]
        return np.array(corner_force(*seen))

    def at(corner: int, place: np.ndarray) -> float:
        moved = points.copy()
        moved[corner] = place
        return energy(moved, rest, mu, bulk)

    for corner in range(4):
        found = force(corner, points[corner])
        scale = 1 + np.abs(found[:3]).max()
        expected = -numbers(lambda x, c=corner: at(c, x), points[corner])
        np.testing.assert_allclose(found[:3], expected, atol=1e-6 * scale)
        curvature = found[3] * np.eye(3) + found[7] * np.outer(found[4:7], found[4:7])
        slope = -numbers(lambda x, c=corner: force(c, x)[:3], points[corner])
        np.testing.assert_allclose(curvature, slope, atol=1e-6 * (1 + np.abs(curvature).max()))
