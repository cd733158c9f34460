"""Deep grains, whose impulses grow together: the coarse problem and what solves it, weight, rest, momentum, bits."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest
from deformable.scenes import momentum, spread, world
from oracles import host
from scipy.optimize import lsq_linear
from scipy.spatial import KDTree

import phalanx as px
from phalanx import components as c
from phalanx.components.node_contact import SLOTS
from phalanx.components.particle import BLOCK
from phalanx.ecs import Field
from phalanx.systems.deformable.coarse_loads import MOST
from phalanx.systems.deformable.particle_near import REACH
from phalanx.systems.step import STEP
from phalanx.world.deformables.particles import Particles

G, RADIUS = 9.81, 5e-3


def silo(made: px.World, side: int, layers: int, drop: float = 0.0, **options: Any) -> Particles:
    """A column on a square of grains between four smooth walls, on a plate that the ground holds."""
    made.add_ground()
    half = 1.01 * side * RADIUS
    tall = 2 * layers * RADIUS + drop
    for k, (x, y) in enumerate([(1, 0), (-1, 0), (0, 1), (0, -1)]):
        size = (0.02 if x else half + 0.04, 0.02 if y else half + 0.04, tall)
        spot = (x * (half + 0.02), y * (half + 0.02), tall + 0.01)
        made.add_rigid_object(px.Shape("box", size), f"wall{k}", kind="static", position=spot)
    made.add_rigid_object(px.Shape("box", (half - 1e-3,) * 2 + (5e-3,)), "plate", mass=0.5, position=(0, 0, 5e-3))
    column = px.PointSet.grid((side, side, layers), 2.02 * RADIUS, jitter=0.05 * RADIUS)
    given: dict[str, Any] = {"particle_friction": 0.5, "rolling_friction": 0.1, "friction_combine": "min", **options}
    place = (0, 0, 0.01 + 1.01 * layers * RADIUS + drop)
    return made.add_particles(column, radius=RADIUS, friction=0.0, position=place, **given)


def rounds(made: px.World) -> int:
    """Rounds of the search before each sweep; 0: grains are not deep."""
    steps = made.engine.soft_steps
    assert steps is not None
    return steps[-1]


def overlaps(grains: Particles) -> np.ndarray:
    """Of all pairs that overlap, in radii."""
    place = host(grains.node_pos)[0].astype(float)
    pairs = KDTree(place).query_pairs(2 * grains.radius, output_type="ndarray")
    apart = np.linalg.norm(place[pairs[:, 0]] - place[pairs[:, 1]], axis=1)
    return (2 * grains.radius - apart) / grains.radius


def energy(grains: Particles) -> float:
    """Kinetic and potential by mass, without that of spins, J/kg."""
    pos, vel = host(grains.node_pos)[0].astype(float), host(grains.node_vel)[0].astype(float)
    return float((0.5 * (vel**2).sum(axis=1) + G * pos[:, 2]).mean())


def test_a_deep_column_lands_without_a_rebound_and_weighs_what_it_weighs() -> None:
    """60 layers fall 0.1 m. By sweeps alone they come back up at 1.0 m/s, as on springs, and again and again."""
    made = world(dtype="float32")
    grains = silo(made, 3, 60, drop=0.1)
    made.build()
    assert rounds(made) > 0
    speeds, before = [], energy(grains)
    for _ in range(60):
        made.step()
        now = energy(grains)
        assert now < before + 2e-3  # overlaps are moved apart, which lifts
        before = now
        speeds.append(host(grains.node_vel)[0, :, 2].mean())
    assert min(speeds) < -1.2 and max(speeds) < 0.1 and spread(np.array(speeds[-10:])) < 0.02
    assert overlaps(grains).mean() < 0.12
    forces = []
    for _ in range(10):
        made.step(2)
        forces.append(host(made.engine.store.view(c.CoupledLinkMotion.impulse))[0, 2, 0] / made.dt)
    np.testing.assert_allclose(np.mean(forces), -float(host(grains.node_mass).sum()) * G, rtol=0.01)


@pytest.mark.parametrize(("drop", "within", "most"), [(0.0, 0.02, 0.03), (0.3, 0.1, 0.13)])
def test_it_is_as_with_smaller_steps(drop: float, within: float, most: float) -> None:
    """Mean height of 30 layers that fell, beside 48 small steps, and overlaps; by sweeps alone they still swing."""

    def after(small_steps: int) -> tuple[float, float, float]:
        made = world(dtype="float32", deformable_steps=small_steps)
        grains = silo(made, 3, 30, drop=drop)
        made.step(60)
        place, vel = host(grains.node_pos)[0, :, 2], host(grains.node_vel)[0, :, 2]
        return float(place.mean()), float(overlaps(grains).mean()), float(vel.mean())

    height, deep, speed = after(20)
    assert abs(speed) < 0.02 and deep < most
    np.testing.assert_allclose(height, after(48)[0], rtol=within)


@pytest.mark.parametrize("rolling", [None, 0.1])
def test_momentum_stays(rolling: float | None) -> None:
    """A tall block that bursts in free fall: its momentum is that of a stone, and its angular momentum stays."""
    made = world(gravity=(0, 0, -G))
    points = px.PointSet.grid((3, 3, 60), 1.9 * RADIUS, jitter=0.1 * RADIUS)
    grains = made.add_particles(points, radius=RADIUS, rolling_friction=rolling, friction=0.0, cohesion=0.01)
    made.build()
    assert rounds(made) > 0
    vel = np.random.default_rng(0).normal(size=host(grains.node_pos).shape) * [0.1, 0.1, 0.3]
    vel[..., 2] -= 2.0 * host(grains.node_pos)[..., 2]  # its ends meet
    grains.set_node_state(vel=vel)
    turning = 0.0 if rolling is None else 0.4 * RADIUS**2

    def sums() -> tuple[np.ndarray, np.ndarray]:
        middle, push, turn = momentum(grains)
        mass = grains.node_mass[0, :, None]
        spin = turning * (mass * grains.spin[0]).sum(axis=0)
        return push[0], turn[0] - np.cross(middle[0], push[0]) + spin

    (push, turn), total = sums(), float(grains.node_mass.sum())
    scale = float((grains.node_mass[0] * np.linalg.norm(vel[0], axis=1)).sum())
    made.step(10)
    pushed, turned = sums()
    grown = host(made.engine.store.view(c.ParticleLevel.factor))
    assert np.abs(grown).max() > 0.1, "impulses did grow and shrink"
    np.testing.assert_allclose(pushed, push - [0, 0, 0.1 * G * total], rtol=0, atol=1e-12 * scale)
    if rolling is not None:  # grains that do not turn have nowhere to leave the torque of friction
        np.testing.assert_allclose(turned, turn, rtol=0, atol=1e-11 * 0.3 * scale)


def stopped(until: str) -> tuple[px.World, Particles]:
    """A column that has been falling for a while, in the middle of a small step, before a system runs; 64 rounds."""
    made = world()
    grains = silo(made, 3, 50)
    made.build()
    steps = made.engine.soft_steps
    assert steps is not None
    made.engine.soft_steps = (*steps[:-1], 64)
    made.step(12)
    store = made.engine.store
    sequence = made.engine.sequence(STEP)
    end = next(n for n, system in enumerate(sequence) if system.name == until)
    with store.active():
        store.program(sequence[:end]).run()
    return made, grains


def coarse_problem(made: px.World) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Second derivatives of the kinetic energy by factors at corners, its slope with the sign turned, and factors."""
    fields = (c.ParticleBlockCorner.row, c.ParticleBlockCorner.fall, c.ParticleBlockCorner.factor)
    row, fall, factor = (host(made.engine.store.view(field))[..., 0] for field in fields)
    up, over = (int(host(made.engine.store.view(f))[0, 0]) for f in (c.ParticleSettings.up, c.ParticleSettings.over))
    around = [i + up * j + over * k for k in (-1, 0, 1) for j in (-1, 0, 1) for i in (-1, 0, 1)]
    matrix = np.zeros((len(fall), len(fall)))
    for n, shift in enumerate(around):
        matrix[np.arange(len(fall)), (np.arange(len(fall)) + shift) % len(fall)] += row[:, n]
    return matrix, fall, factor


def test_blocks_know_how_kinetic_energy_depends_on_factors() -> None:
    """Beside sums over pairs and particles in NumPy, whose pairs grow by the mean of what the factor is at both.

    The slope is that of what normal impulses do, to the digit; second derivatives hold where factors are linear around
    a particle, as far as it touches others.
    """
    made, grains = stopped("better_factors")
    store = made.engine.store

    def column(field: Field) -> np.ndarray:
        return host(store.view(field))[..., 0]

    count = grains.num_nodes
    near, other = column(c.ParticleMotion.near).astype(int), column(c.ParticlePair.other).astype(int)
    load, rub, normal = column(c.ParticlePair.load), column(c.ParticlePair.rub), column(c.ParticlePair.normal)
    gap, velocity = column(c.ParticlePair.gap), column(c.ParticleMotion.velocity)
    mass, free, start = host(grains.node_mass)[0], column(c.ParticleMotion.free), column(c.NodeStep.start)[:count]
    touches, shape_normal = column(c.NodeContactState.pair) >= 0, column(c.NodeContactPoint.normal)
    anchor, away = column(c.NodeContactPoint.anchor), column(c.NodeContactPoint.gap)
    block, spot = column(c.ParticleLevel.block).astype(int), column(c.ParticleLevel.spot)
    matrix, fall, _ = coarse_problem(made)
    np.testing.assert_allclose(matrix, matrix.T, atol=1e-12 * np.abs(matrix).max())
    assert np.count_nonzero(np.diag(matrix)) > 30
    blocks = len(fall)
    up, over = (int(column(field)[0]) for field in (c.ParticleSettings.up, c.ParticleSettings.over))
    step = made.dt / host(store[c.DeformableSettings].small_steps).item()

    def gained(factors: np.ndarray) -> tuple[float, float]:
        """What normal impulses do at first order, and the kinetic energy of what changes."""
        at = np.zeros(count)
        for n in range(8):
            i, j, k = n & 1, n >> 1 & 1, n >> 2
            w = np.where([i, j, k], spot, 1 - spot).prod(axis=1)
            at += w * factors[(block + i + up * j + over * k) % blocks]
        change, work = np.zeros((count, 3)), 0.0
        for p in range(count):
            for slot in range(near[p]):
                q = slot * count + p
                grows = 0.5 * (at[p] + at[other[q]])
                change[p] += grows * (load[q] * normal[q] + rub[q]) / mass[p]
                opens = normal[q] @ (velocity[p] - velocity[other[q]]) + max(gap[q], 0.0) / step
                work -= 0.5 * grows * load[q] * opens
            for slot in range(SLOTS * p, SLOTS * (p + 1)):  # what the shapes that it is pressed on take up
                n = shape_normal[slot]
                if touches[slot] and n @ (start[p] + step * free[p] - anchor[slot]) < min(away[slot], 0.0):
                    change[p] -= (n @ change[p]) * n
        return work, float(0.5 * (mass * (change**2).sum(axis=1)).sum())

    height, middle = np.zeros(blocks), column(c.DeformableMotion.origin)[0, 2]
    for n in range(8):
        at = (block + (n & 1) + up * (n >> 1 & 1) + over * (n >> 2)) % blocks
        height[at] = np.floor((middle + start[:, 2]) / (BLOCK * 2 * REACH * RADIUS)) + (n >> 2)
    for factors, near_enough in ((1.0 + 0 * height, 1e-9), (height, 0.02), (np.sin(height), 0.2)):
        work, more = gained(factors)
        np.testing.assert_allclose(fall @ factors, work, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(0.5 * factors @ matrix @ factors, more, rtol=near_enough)


def test_the_search_comes_close_to_the_best_factors() -> None:
    """64 rounds, beside SciPy's bounded least squares: nine tenths of what can be gained, within the bounds."""
    made, _ = stopped("factors_of_particles")
    matrix, fall, found = coarse_problem(made)
    used = np.flatnonzero(np.diag(matrix) > 0)
    matrix, fall, found = matrix[np.ix_(used, used)], fall[used], found[used]
    values, vectors = np.linalg.eigh(matrix)
    root = np.sqrt(np.maximum(values, 1e-12 * values.max()))
    best = lsq_linear(root[:, None] * vectors.T, (vectors.T @ fall) / root, (-1.0, MOST), tol=1e-12).x

    def gained(factors: np.ndarray) -> float:
        return float(fall @ factors - 0.5 * factors @ matrix @ factors)

    assert found.min() >= -1.0 and found.max() <= MOST
    assert gained(found) > 0.9 * gained(best) > 0.0


def test_it_is_the_same_alone_and_with_any_number_of_threads() -> None:
    """To the bit."""

    def run(count: int, first: int = 0) -> np.ndarray:
        made = world(num_envs=count, dtype="float32")
        grains = silo(made, 3, 40)
        made.build()
        assert rounds(made) > 0
        speed = np.random.default_rng(1).normal(size=(3, grains.num_nodes, 3))[first : first + count]
        grains.set_node_state(vel=0.2 * speed)
        made.step(20)
        return host(grains.node_pos)

    many = run(3)
    for first in range(3):
        np.testing.assert_array_equal(run(1, first)[0], many[first])
    threads = numba.get_num_threads()
    px.set_num_threads(1 if threads > 1 else 2)
    try:
        np.testing.assert_array_equal(run(3), many)
    finally:
        px.set_num_threads(threads)


def test_fluids_go_without() -> None:
    """So they have no blocks."""
    made = world()
    made.add_particles(px.PointSet.grid((4, 4, 4), 0.0101), radius=RADIUS, fluid=True, position=(0, 0, 1))
    made.build()
    assert rounds(made) == 0 and made.engine.store.rows(c.ParticleBlock) == 0


def test_what_is_not_finite_is_frozen_alone() -> None:
    """A grain that is far too fast: its environment stands still until it is reset, and others go on to the bit."""

    def run(broken: bool) -> tuple[px.World, Particles]:
        made = world(num_envs=3, dtype="float32")
        grains = silo(made, 3, 12)
        made.step(10)
        if broken:
            vel = host(grains.node_vel)
            vel[1, 50] = 1e30
            grains.set_node_state(vel=vel)
        made.step(5)
        return made, grains

    with pytest.warns(px.SimulationWarning, match="diverged"):
        made, grains = run(True)
    place = host(grains.node_pos)
    assert host(made.diverged).tolist() == [1] and np.isfinite(place).all()
    np.testing.assert_array_equal(place[[0, 2]], host(run(False)[1].node_pos)[[0, 2]])
    made.reset([1])
    made.step(10)
    assert not made.diverged.size and np.isfinite(host(grains.node_pos)).all()
    assert spread(host(grains.node_vel)[1]) < 0.1
