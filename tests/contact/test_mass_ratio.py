"""Light under heavy: what the solver carries at which iterations, and that nothing flies apart beyond that."""

from __future__ import annotations

import numpy as np
import pytest
from contact.scenes import GRAVITY
from oracles import host

import phalanx as px

RATIO = np.array([1.0, 10.0, 100.0, 1000.0])
HALF = 0.1


def squeezed(device: str, sweeps: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A box of 1 kg with one of ``RATIO`` kg on it, 3 s: the most that the upper one sank, (n,), m; both net forces."""
    world = px.World(len(RATIO), device, dt=1 / 120, position_iterations=sweeps)
    world.add_ground()
    cube = px.Shape("box", (HALF, HALF, HALF))
    light = world.add_rigid_object(cube, "light", mass=1.0, position=(0.0, 0.0, HALF))
    heavy = world.add_rigid_object(cube, "heavy", mass=1.0, position=(0.0, 0.0, 3 * HALF))
    heavy.set_mass(RATIO, scale_inertia=True)
    sank = np.zeros(len(RATIO))
    for _ in range(60):
        world.step(6)
        sank = np.maximum(sank, 3 * HALF - host(heavy.root_pose)[:, 2])
        for body in (light, heavy):
            assert np.abs(host(body.root_vel)[:, :3]).max() < 5.0  # nothing is shot away
            assert np.abs(host(body.root_pose)[:, :3]).max() < 2.0
    return sank, host(light.net_contact_force)[:, 0, 2], host(heavy.net_contact_force)[:, 0, 2]


@pytest.mark.parametrize(("sweeps", "carried"), [(4, 10.0), (16, 100.0)])
def test_light_box_carries_a_heavy_one(sweeps: int, carried: float, device: str) -> None:
    """It sinks by less than 5 %, and the light one bears the weight: 10 times its own by default, 100 with 16 sweeps.

    A sweep hands on about the light one's share of the heavy one's momentum, so more takes more sweeps; what is too
    much is squeezed out, without being shot away.
    """
    sank, below, above = squeezed(device, sweeps)
    fine = carried >= RATIO
    assert sank[fine].max() < 0.05 * 2 * HALF
    np.testing.assert_allclose(below[fine], GRAVITY, rtol=5e-3)
    np.testing.assert_allclose(above[fine], RATIO[fine] * GRAVITY, rtol=5e-3)


def test_heavy_box_carries_a_light_one(device: str) -> None:
    """The other way round is easy: 1000 under 1, default iterations, nothing sinks by 0.1 mm."""
    world = px.World(len(RATIO), device, dt=1 / 120)
    world.add_ground()
    cube = px.Shape("box", (HALF, HALF, HALF))
    heavy = world.add_rigid_object(cube, "heavy", mass=1.0, position=(0.0, 0.0, HALF))
    light = world.add_rigid_object(cube, "light", mass=1.0, position=(0.0, 0.0, 3 * HALF))
    heavy.set_mass(RATIO, scale_inertia=True)
    world.step(240)
    assert np.abs(host(heavy.root_pose)[:, 2] - HALF).max() < 1e-4
    assert np.abs(host(light.root_pose)[:, 2] - 3 * HALF).max() < 1e-4
    np.testing.assert_allclose(host(light.net_contact_force)[:, 0, 2], GRAVITY, rtol=5e-3)
    np.testing.assert_allclose(host(heavy.net_contact_force)[:, 0, 2], RATIO * GRAVITY, rtol=5e-3)
