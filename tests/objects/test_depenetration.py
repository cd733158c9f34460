"""How fast contacts push actors out of what they penetrate: each actor's cap, by environment, the smaller of two."""

from __future__ import annotations

import numpy as np
import pytest
from oracles import host

import phalanx as px

DT = 1 / 240
WORLD = 3.0
CAPS = np.array([0.25, 1.0, 6.0])
DEPTH = 0.08


@pytest.fixture(scope="module")
def world(device: str) -> px.World:
    """Cubes of 0.2 m in the ground, in a static block, and two in each other, without gravity to hinder them."""
    world = px.World(len(CAPS), device, dt=DT, gravity=(0, 0, 0), max_depenetration_velocity=WORLD)
    world.add_ground()
    cube = px.Shape("box", (0.1, 0.1, 0.1))
    world.add_rigid_object(cube, "slow", position=(0, 0, 0.1 - DEPTH), max_depenetration_velocity=0.5)
    world.add_rigid_object(cube, "plain", position=(2, 0, 0.1 - DEPTH))
    world.add_rigid_object(cube, "changed", position=(4, 0, 0.1 - DEPTH))
    world.add_rigid_object(cube, "block", kind="static", position=(6, 0, 1))
    world.add_rigid_object(cube, "above", position=(6, 0, 1.2 - DEPTH), max_depenetration_velocity=6.0)
    for x, name, cap in ((8, "pair", 6.0), (10, "mixed", None)):
        world.add_rigid_object(cube, f"{name} low", position=(x, 0, 1), max_depenetration_velocity=6.0)
        world.add_rigid_object(cube, f"{name} high", position=(x, 0, 1.2 - DEPTH), max_depenetration_velocity=cap)
    world.build()
    world.objects["changed"].set_max_depenetration_velocity(CAPS)
    world.objects["pair high"].set_max_depenetration_velocity(CAPS)
    return world


def speeds(world: px.World, a: str, b: str | None = None) -> np.ndarray:
    """(n,): how fast a rose (off b) in each of three steps at most, m/s."""
    names = (a,) if b is None else (a, b)
    fastest = np.zeros(len(CAPS))
    before = [host(world.objects[name].root_pose)[:, 2] for name in names]
    for _ in range(3):
        world.step()
        now = [host(world.objects[name].root_pose)[:, 2] for name in names]
        moved = (now[0] - before[0]) - (now[1] - before[1] if b is not None else 0.0)
        fastest, before = np.maximum(fastest, moved / DT), now
    return fastest


@pytest.mark.parametrize(
    "names, expected",
    [
        (("slow",), [0.5] * 3),
        (("plain",), [WORLD] * 3),
        (("changed",), CAPS),
        (("above",), [6.0] * 3),
        (("pair high", "pair low"), CAPS),
        (("mixed high", "mixed low"), [WORLD] * 3),
    ],
)
def test_smaller_cap_holds(world: px.World, names: tuple[str, ...], expected: np.ndarray) -> None:
    """A deep overlap opens at the cap, to 1 %, and no speed is left behind."""
    world.reset()
    np.testing.assert_allclose(speeds(world, *names), expected, rtol=0.01)
    assert all(np.abs(host(world.objects[name].root_vel)).max() < 1e-5 for name in names)


def test_caps_are_read_saved_and_checked(world: px.World) -> None:
    read = {name: host(made.max_depenetration_velocity) for name, made in world.objects.items()}
    np.testing.assert_allclose(read["slow"], 0.5)
    np.testing.assert_allclose(read["plain"], WORLD)
    np.testing.assert_allclose(read["changed"], CAPS)
    assert np.isnan(read["block"]).all()
    again = px.World.from_description(world.describe())
    again.build()
    np.testing.assert_allclose(host(again.objects["slow"].max_depenetration_velocity), 0.5)
    with pytest.raises(ValueError, match="'plain': cap on the depenetration velocity must be above 0"):
        world.objects["plain"].set_max_depenetration_velocity(0.0)
    with pytest.raises(ValueError, match="'block' cannot move"):
        world.objects["block"].set_max_depenetration_velocity(1.0)
    with pytest.raises(ValueError, match=r"max_depenetration_velocity=-1\.0: must be finite and above 0"):
        px.World().add_rigid_object(px.Shape("sphere", (0.1,)), max_depenetration_velocity=-1.0)
