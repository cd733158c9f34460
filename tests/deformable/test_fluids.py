"""Fluids: momentum, hydrostatic pressure on floor and walls, the volume that they keep, drops and what they wet."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import pytest
from deformable.scenes import momentum, world
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import phalanx as px
from phalanx import components as c
from phalanx.systems.deformable.fluids import behind_wall
from phalanx.world.layout.particles import lattice_sums

G = 9.81


@pytest.mark.parametrize(("viscosity", "tension"), [(0.0, 0.0), (0.5, 0.0), (5.0, 0.0), (0.0, 0.5), (1.0, 0.5)])
def test_two_drops_that_meet_keep_their_momentum(viscosity: float, tension: float) -> None:
    """Linear and angular to rounding, with viscosity and surface tension, and they do meet.

    Before 2026-11-29 angular momentum was off by 3e-5: what moves the too dense apart was made up for to first order,
    and of what viscosity makes a millionth stayed.
    """
    made = world(gravity=(0, 0, 0))
    one = px.PointSet.grid((4, 4, 4), 0.01, jitter=1e-3).nodes
    both = np.concatenate([one - [0.03, 0, 0], one + [0.03, 0.01, 0]])
    drops = made.add_particles(both, radius=0.005, fluid=True, viscosity=viscosity, surface_tension=tension)
    made.build()
    assert drops.surface_tension == pytest.approx(tension)
    speed = np.zeros((1, 128, 3))
    speed[:, :64, 0], speed[:, 64:, 0] = 1.0, -1.0
    drops.set_node_state(vel=speed)
    _, start, turn = momentum(drops)
    made.step(10)
    _, end, turned = momentum(drops)
    size = 0.064 * 2
    np.testing.assert_allclose(end, start, atol=1e-12 * size)
    np.testing.assert_allclose(turned, turn, rtol=0, atol=1e-10 * np.abs(turn).max())
    assert 0.5 * np.abs(drops.node_vel[..., 0]).mean() < 0.3  # most of the motion along x is gone


def test_a_column_presses_as_its_weight_says() -> None:
    """On the floor with all of it; on walls with rho g h^2 / 2 for each metre of width; and it keeps its volume."""
    side, layers = 0.05, 10
    made = world()
    made.add_ground(friction=0.0)
    for normal in ((1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0)):
        made.add_ground(height=-side / 2, normal=normal, friction=0.0)
    points = px.PointSet.grid((5, 5, layers), 0.01, jitter=2e-3)
    water = made.add_particles(
        points, radius=0.005, fluid=True, viscosity=0.2, position=(0, 0, 0.055), friction=0.0, friction_combine="min"
    )
    made.step(100)
    floor, walls, heights = [], [], []
    view = made.engine.store.view
    for _ in range(30):
        made.step(2)
        on = view(c.NodeContactState.pair)[:, 0] >= 0
        push = view(c.NodeContactState.impulse)[..., 0][on] / made.dt
        floor.append(push[:, 2].sum())
        walls.append(np.abs(push[:, :2]).sum() / 4)
        heights.append(2 * water.node_pos[0, :, 2].mean())
    weight, height = float(water.node_mass.sum()) * G, np.mean(heights)
    assert np.mean(floor) == pytest.approx(weight, rel=0.01)
    assert np.mean(walls) == pytest.approx(0.5 * weight * height / side, rel=0.045)
    assert height / (0.01 * layers) == pytest.approx(1, abs=0.015)
    assert view(c.ParticleFluid.dense)[:, 0].max() < 0.03


def test_what_is_behind_a_wall_is_half_of_a_lattice() -> None:
    """Less the layer of the particle itself: by how much a particle at a wall lacks neighbours, and its slope."""
    behind = cast("Any", behind_wall)
    spacing, reach = 0.01, 0.017
    steps = spacing * np.arange(-2, 3)
    x, y, z = (a.ravel() for a in np.meshgrid(steps, steps, steps, indexing="ij"))
    r = np.sqrt(x**2 + y**2 + z**2)
    lacks = (np.maximum(1 - r[z < -1e-9] / reach, 0) ** 3).sum()
    assert behind(0.0, spacing, reach)[0] == pytest.approx(lacks, rel=0.03)
    change = (behind(0.001 - 1e-6, spacing, reach)[0] - behind(0.001 + 1e-6, spacing, reach)[0]) / 2e-6
    assert behind(0.001, spacing, reach)[1] == pytest.approx(change, rel=1e-5)
    assert behind(0.0071, spacing, reach) == (0.0, 0.0)


def test_the_laplacian_is_exact_on_a_lattice() -> None:
    """Of x^2, and the sum that density is measured by is that of the lattice."""
    spacing, reach = 0.01, 0.017
    total, weight = lattice_sums(spacing, reach)
    steps = spacing * np.arange(-2, 3)
    x, y, z = (a.ravel() for a in np.meshgrid(steps, steps, steps, indexing="ij"))
    r = np.sqrt(x**2 + y**2 + z**2)
    near = (r > 0) & (r < reach)
    t = 1 - r[near] / reach
    assert total == pytest.approx((t**3).sum())
    assert weight * (t**2 / r[near] * x[near] ** 2).sum() == pytest.approx(2)


def test_a_long_drop_becomes_round() -> None:
    """One that is twice as long as wide; without surface tension it stays as it is. It keeps its place and volume."""
    made = world(gravity=(0, 0, 0))
    points = px.PointSet.grid((3, 3, 6), 0.01, jitter=1e-3)
    given: dict[str, Any] = {"radius": 0.005, "fluid": True, "viscosity": 1.0, "reach": 0.02}
    drop = made.add_particles(points, "drop", surface_tension=0.5, **given)
    made.add_particles(points, "left alone", position=(0.3, 0, 0), **given)
    start, _, _ = momentum(drop)
    made.step(150)
    longer = []
    for one in made.particles.values():
        pos = one.node_pos[0]
        size = np.linalg.eigvalsh(np.cov(pos.T))
        longer.append(size[2] / size[0])
    assert longer[0] < 1.35 and longer[1] > 3
    end, speed, _ = momentum(drop)
    np.testing.assert_allclose(end, start, atol=1e-9)
    np.testing.assert_allclose(speed, 0, atol=1e-12)
    pos = drop.node_pos[0]
    square = ((pos - pos.mean(axis=0)) ** 2).sum(axis=1).mean() + 0.01**2 / 4  # each is a cube, too
    radius = np.sqrt(5 / 3 * square)
    assert radius == pytest.approx((3 * 54 * 1e-6 / 4 / np.pi) ** (1 / 3), rel=0.06)


def test_a_drop_sticks_to_a_slope_by_adhesion() -> None:
    """Friction bears on adhesion, too: the drop stays where one without slides down as a block would."""
    angle, friction = np.radians(40), 0.4
    made = world()
    normal = np.array([np.sin(angle), 0.0, np.cos(angle)])
    made.add_ground(normal=tuple(normal), friction=friction)
    points = px.PointSet.grid((3, 3, 2), 0.01, jitter=5e-4)
    drops = []
    for k, weights in enumerate((0.0, 12.0)):
        drops.append(
            made.add_particles(
                points, f"drop {k}", radius=0.005, fluid=True, viscosity=1.0, surface_tension=1.0, friction=friction,
                adhesion=weights * 1e-3 * G, adhesion_reach=2e-3,
                position=tuple(0.011 * normal + [0, 0.2 * k, 0]),
                orientation=(np.cos(angle / 2), 0, np.sin(angle / 2), 0),
            )
        )  # fmt: skip
    made.step(40)
    down = np.array([np.cos(angle), 0.0, -np.sin(angle)])
    first = [one.node_pos[0].mean(axis=0) @ down for one in drops]
    begin = [one.node_vel[0].mean(axis=0) @ down for one in drops]
    made.step(20)
    way = [one.node_pos[0].mean(axis=0) @ down - before for one, before in zip(drops, first, strict=True)]
    assert abs(way[1]) < 1e-3
    gains = drops[0].node_vel[0].mean(axis=0) @ down - begin[0]
    assert way[0] > 0.02
    assert gains == pytest.approx(0.2 * G * (np.sin(angle) - friction * np.cos(angle)), rel=0.03)


def young_laplace(volume: float, length: float, contact_angle: float) -> float:
    """Height of the centre of a drop that lies on a plane, by its capillary length, integrated down from its top."""

    def drop(top: float) -> np.ndarray:
        def change(_: float, y: np.ndarray) -> list[float]:
            r, z, phi, _, _ = y
            bend = 2 / top + z / length**2 - (np.sin(phi) / r if r > 1e-9 else 1 / top)
            disk = np.pi * r**2 * np.sin(phi)
            return [np.cos(phi), np.sin(phi), bend, disk, disk * z]

        def wall(_: float, y: np.ndarray) -> float:
            return y[2] - contact_angle + 1e-6

        wall.terminal = True  # pyright: ignore[reportFunctionMemberAccess]
        found = solve_ivp(change, (0, 50 * top), [1e-9, 0, 0, 0, 0], events=wall, rtol=1e-8, atol=1e-14)
        return found.y[:, -1]

    size = volume ** (1 / 3)
    top = brentq(lambda r: drop(r)[3] - volume, 0.2 * size, 20 * size)
    _, height, _, whole, moment = drop(cast("float", top))
    return height - moment / whole


@pytest.mark.slow
@pytest.mark.parametrize(("degrees", "within"), [(180, 0.03), (120, 0.08)])
def test_a_drop_lies_as_young_and_laplace_say(degrees: int, within: float) -> None:
    """Of 343 bits, with a capillary length of 3.2 of them.

    Adhesion that pulls from a layer over a short way wets the plane by the work that it does (Young and Dupre).
    """
    spacing, tension, reach = 0.01, 1.0, 2.5e-3
    made = world(gravity=(0, 0, -1.0))
    made.add_ground(friction=0.0)
    work = tension * (1 + np.cos(np.radians(degrees)))
    drop = made.add_particles(
        px.PointSet.grid((7, 7, 7), spacing, jitter=1e-3), radius=spacing / 2, fluid=True, viscosity=0.5,
        surface_tension=tension, adhesion=work * spacing**2 / reach, adhesion_reach=reach, friction=0.0,
        friction_combine="min", position=(0, 0, 3.5 * spacing),
    )  # fmt: skip
    made.step(250)
    height = young_laplace(343 * spacing**3, np.sqrt(tension / 1000.0), np.radians(degrees))
    assert float(drop.node_pos[0, :, 2].mean()) == pytest.approx(height, rel=within)


@pytest.mark.slow
def test_a_column_collapses_as_water_does() -> None:
    """A column twice as high as wide runs out in front, sinks behind, and leaves nothing on the wall behind it.

    The front of water goes at 1.37 sqrt(2 g a) (Martin and Moyce, 1952), the shallow flow of Ritter at twice the root.
    """
    width, count, depth = 0.1, 8, 4
    spacing = width / count
    made = px.World(dt=0.005)
    made.add_ground(friction=0.0)
    for normal, height in (((1, 0, 0), 0.0), ((0, 1, 0), -depth * spacing / 2), ((0, -1, 0), -depth * spacing / 2)):
        made.add_ground(height=height, normal=normal, friction=0.0)
    gate = made.add_rigid_object(
        px.Shape("box", (0.05, 0.2, 0.5)), "gate", kind="kinematic", position=(width + 0.05, 0, 0.4), friction=0.0
    )
    water = made.add_particles(
        px.PointSet.grid((count, depth, 2 * count), spacing, jitter=0.05 * spacing),
        radius=spacing / 2,
        fluid=True,
        friction=0.0,
        friction_combine="min",
        position=(width / 2, 0, width),
    )
    made.step(60)
    gate.set_root_state(pose=np.array([[5.0, 0.0, 5.0, 1.0, 0.0, 0.0, 0.0]]))
    times, fronts = [], []
    for step in range(1, 41):
        made.step()
        times.append(step * made.dt * np.sqrt(2 * G / width))
        fronts.append(np.sort(water.node_pos[0, :, 0])[-depth] / width)
    late = np.array(times) > 1.5
    speed = np.polyfit(np.array(times)[late], np.array(fronts)[late], 1)[0]
    assert 1.2 < speed < 1.45
    pos = water.node_pos[0]
    first, second = (pos[(pos[:, 0] > k * width / 4) & (pos[:, 0] <= (k + 1) * width / 4)] for k in (0, 1))
    assert len(first) < 1.25 * len(second) and first[:, 2].max() < 0.65 * 2 * width
