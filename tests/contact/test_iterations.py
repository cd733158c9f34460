"""Numbers of solver iterations: the greatest that anything asks for holds for all, from the start or later on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracles import host

import phalanx as px


def build(
    device: str, box: dict[str, Any] | None = None, robot: dict[str, Any] | None = None, **settings: Any
) -> px.World:
    """A pendulum on the ground beside two boxes on each other, let go askew."""
    world = px.World(2, device, **settings)
    world.add_ground()
    world.add_robot("double_pendulum", **options(robot))
    cube = px.Shape("box", (0.1, 0.1, 0.1))
    world.add_rigid_object(cube, "lower", position=(2, 0, 0.11), **options(box))
    world.add_rigid_object(cube, "upper", mass=20.0, position=(2.03, 0.02, 0.33))
    return world


def options(given: dict[str, Any] | None) -> Any:
    return given or {}


def states(world: px.World) -> dict[str, np.ndarray]:
    return {key: host(value) for key, value in world.state().items()}


def same(a: dict[str, np.ndarray], b: dict[str, np.ndarray]) -> None:
    assert a.keys() == b.keys()
    for key, value in a.items():
        np.testing.assert_array_equal(value, b[key], err_msg=key)


def test_the_greatest_holds_for_all(device: str) -> None:
    asked = build(device, {"position_iterations": 7}, {"position_iterations": 2, "velocity_iterations": 3})
    wanted = build(device, position_iterations=7, velocity_iterations=3)
    assert asked.solver_iterations == wanted.solver_iterations == (7, 3)
    assert asked.actors["lower"].solver_iterations == (7, None)
    for world in (asked, wanted):
        world.step(60)
    same(states(asked), states(wanted))


def test_asking_later(device: str, tmp_path: Path) -> None:
    """From then on every step is that of a world with these numbers; fewer again; saved and loaded, and replaced."""
    world = build(device)
    assert world.solver_iterations == (4, 1)
    world.step(20)
    before = world.state()
    world.actors["upper"].set_solver_iterations(position=9)
    world.actors["robot"].set_solver_iterations(velocity=2)
    assert world.solver_iterations == (9, 2)
    world.step(20)
    other = build(device, position_iterations=9, velocity_iterations=2)
    other.set_state({**before, **{k: v for k, v in other.state().items() if k.endswith("_iterations")}})
    other.step(20)
    same(states(world), states(other))

    world.save(tmp_path / "world")
    loaded = px.World.load(tmp_path / "world", device)
    assert loaded.solver_iterations == (9, 2)
    assert px.World.from_description(world.describe(), device=device).solver_iterations == (9, 2)
    world.actors["upper"].set_solver_iterations(position=1)
    assert world.solver_iterations == (4, 2)
    world.step(5)
    loaded.set_state(loaded.state() | {k: v for k, v in world.state().items() if k.endswith("_iterations")})
    loaded.step(5)
    same(states(world), states(loaded))


def test_what_is_no_number_of_iterations() -> None:
    world = px.World()
    wrong: list[tuple[Any, str]] = [
        ({"position_iterations": 0}, "position_iterations=0: must be a whole number, at least 1"),
        ({"velocity_iterations": -1}, "velocity_iterations=-1: must be a whole number, at least 0"),
        ({"position_iterations": 2.5}, "position_iterations=2.5: must be a whole number"),
    ]
    for given, message in wrong:
        with pytest.raises(ValueError, match=message):
            world.add_robot("cartpole", **given)
    robot = world.add_robot("cartpole")
    with pytest.raises(ValueError, match="robot 'robot': position_iterations=True: must be a whole number"):
        robot.set_solver_iterations(position=True)
    assert robot.solver_iterations == (None, None)
