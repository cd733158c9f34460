"""The solver of islands, run by threads of Python in float64, against the systems that it stands in for."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from contact.overlaps import chain
from ecs.team_emulator import run_team_system
from oracles import host

import phalanx as px
from phalanx import components as c
from phalanx.ecs.sequences.stand_ins import substituted
from phalanx.systems import STEP, SUBSTITUTES
from phalanx.systems.solver.islands.sweeps import ITEMS

BALL = px.Shape("sphere", (0.1,))
LITTLE = 24
"""Numbers of rows that have room where there is little: those of one or two contacts."""


def quadruped() -> px.World:
    """On its feet, turning, with drives that have rows."""
    world = px.World(num_envs=2, dt=1 / 100, device="cpu", dtype="float64")
    world.add_ground()
    robot = world.add_robot("quadruped", "robot", position=(0.0, 0.0, 0.32))
    world.build()
    robot.set_drive(stiffness=20.0, damping=0.5, effort_limit=8.0)
    pose = np.tile([0.0, 0.0, 0.3, 1.0, 0.0, 0.0, 0.0], (2, 1))
    robot.set_root_state(pose=pose, vel=np.array([[0.2, 0.1, -0.5, 0.3, 0.2, 0.4], [0.0, -0.3, -0.2, 0.0, 0.5, 0.0]]))
    return world


def humanoid_on_conveyor() -> px.World:
    """Parts of one robot on each other and on something that moves and cannot be moved."""
    world = px.World(num_envs=1, dt=1 / 100, device="cpu", dtype="float64")
    world.add_ground()
    robot = world.add_robot("humanoid", "robot", position=(0.0, 0.0, 0.35), self_collision=True)
    slab = world.add_rigid_object(px.Shape("box", (2.0, 2.0, 0.05)), "slab", position=(0.0, 0.0, 0.1), kind="kinematic")
    world.build()
    half = np.sqrt(0.5)
    robot.set_root_state(pose=np.array([[0.0, 0.0, 0.3, half, 0.0, half, 0.0]]), vel=np.full((1, 6), -0.2))
    slab.set_root_state(vel=np.array([[0.3, 0.0, 0.1, 0.0, 0.0, 0.2]]))
    return world


def bouncing_arms() -> px.World:
    """Robots and balls that touch: islands of several trees, which bounce."""
    material = px.Material(restitution=0.8)
    world = px.World(num_envs=2, dt=1 / 100, device="cpu", dtype="float64")
    world.add_ground(material=material)
    world.add_robot("cartpole", "cart", position=(0.0, 3.0, 2.0))
    for k in range(3):
        position = (0.1 * k, 0.0, 0.1 + 0.18 * k)
        world.add_rigid_object(BALL, f"ball{k}", mass=1.0 + k, position=position, material=material)
    world.build()
    for k in range(3):
        world.actors[f"ball{k}"].set_root_state(vel=np.tile([0.1 * k, 0.0, -2.0, 0.0, 3.0, 1.0], (2, 1)))
    return world


def resting_boxes() -> px.World:
    """Boxes that may go to sleep: there are loads to look for, and rows of dofs are known after those of contacts."""
    world = px.World(num_envs=2, dt=1 / 100, device="cpu", dtype="float64")
    world.add_ground()
    cube = px.Shape("box", (0.1, 0.1, 0.1))
    for k in range(2):
        world.add_rigid_object(
            cube, f"box{k}", mass=1.0 + k, position=(0.02 * k, 0.0, 0.1 + 0.2 * k), sleep_threshold=5e-5
        )
    world.build()
    world.actors["box1"].set_root_state(
        vel=np.array([[0.1, 0.0, -0.3, 0.0, 0.2, 1.0], [0.0, -0.2, -0.1, 0.0, 0.0, 0.0]])
    )
    return world


def soft_boxes() -> px.World:
    """Boxes of which one gives way, one of which sinks in already; they neither bounce nor are pushed out."""
    world = px.World(num_envs=2, dt=1 / 100, device="cpu", dtype="float64")
    world.add_ground()
    cube = px.Shape("box", (0.1, 0.1, 0.1))
    for k in range(2):
        world.add_rigid_object(
            cube, f"box{k}", mass=1.0 + k, position=(0.02 * k, 0.0, 0.095 + 0.2 * k), restitution=0.6 * k,
            contact_stiffness=5e3 * (1 - k), contact_damping=20.0,
        )  # fmt: skip
    world.build()
    world.actors["box1"].set_root_state(vel=np.tile([0.1, 0.0, -0.5, 0.0, 0.2, 1.0], (2, 1)))
    return world


def arms_in_each_other() -> px.World:
    """Arms that overlap deeply, with drives: pushes and warm starts that are eased, and others."""
    world = px.World(num_envs=2, dt=1 / 100, device="cpu", dtype="float64", gravity=(0.0, 0.0, 0.0))
    for k in range(2):
        world.add_robot(chain("arm", px.Shape("capsule", (0.06, 0.1))), f"arm{k}", fixed_base=True)
    world.build()
    for robot in world.robots.values():
        robot.set_drive(stiffness=1e3, damping=50.0)
    poses = [[0.05, 0.03, 0.02, 1.0, 0.0, 0.0, 0.0], [0.01, 0.04, 0.0, 1.0, 0.0, 0.0, 0.0]]
    world.actors["arm1"].set_root_state(pose=np.array(poses))
    return world


def step_by_islands(world: px.World, much: bool) -> set[str]:
    """A step as on a GPU, with much or little of a block's memory for each island; which systems of teams ran."""
    store = world.engine.store
    tables = ((s, (s.over, s.needs, s.teams_of)) for s in world.engine.run_by(STEP))
    wanted = [s for s, needed in tables if all(t is None or store.rows(t) > 0 for t in needed)]
    world.build()
    world.engine.refresh()
    for substitute in SUBSTITUTES:
        wanted = substituted(wanted, substitute, store.rows)
    ran = set()
    for system in wanted:
        if system.is_native:
            most = int(host(world[c.IslandTree].contacts).max())
            run_team_system(system, store, system.room[1] if much else -(-most * ITEMS // 4) * 4 + LITTLE)
            ran.add(system.name)
        elif c.IslandRest.left in system.reads:  # for what is too large, which nothing is
            assert host(world[c.IslandRest].left).max() == 0
        else:
            store.program([system]).run()
    return ran


@pytest.mark.parametrize(
    ("make", "large"),
    [(quadruped, False), (humanoid_on_conveyor, True), (bouncing_arms, False), (resting_boxes, False),
     (soft_boxes, False), (arms_in_each_other, False)],
    ids=["quadruped", "humanoid", "balls", "boxes", "soft boxes", "arms"],
)  # fmt: skip
def test_islands_go_as_all_together_do(make: Callable[[], px.World], large: bool) -> None:
    """Velocities, impulses and what goes into them, after two steps: to rounding in float64."""
    found = []
    for apart in (True, False):
        world = make()
        for much in (True, False):
            if apart:
                ran = step_by_islands(world, much)
                assert ("sweep_large_island" in ran) == large
            else:
                world.step()
        fields = (
            c.Coordinate.value, c.DofState.velocity, c.ContactImpulse.value, c.ContactImpulse.last,
            c.ContactMotion.approach, c.ContactMotion.slip, c.ContactMotion.rebound, c.DofRow.drive, c.DofRow.stop,
        )  # fmt: skip
        found.append([host(world.engine.store.view(field)).copy() for field in fields])
        count = host(world[c.ContactCount].current)
        assert count.min() > 2 and host(world[c.ContactImpulse].value)[:, 0].max() > 0.0
        if apart:
            assert host(world[c.IslandRest].left).max() == 0
            assert (host(world[c.IslandTree].sort) == (2 if large else 1)).any()
        if make is soft_boxes:
            assert host(world[c.ContactMotion].rebound).min() < -0.01
        if make is arms_in_each_other and not apart:
            gap = host(world[c.ContactBlock].gap) - host(world[c.ContactMotion].gap)
            assert {False, True} == set((gap[np.arange(len(gap))[:, None] < count] != 0.0).tolist())
        if make is bouncing_arms:
            assert host(world[c.ContactMotion].rebound).max() > 0.1
    for field, one, other in zip(fields, *found, strict=True):
        size = max(1.0, float(np.abs(other).max(initial=0.0)))
        np.testing.assert_allclose(one, other, rtol=0, atol=1e-9 * size, err_msg=field.key)


def test_memory_of_the_block_changes_nothing() -> None:
    """The same bits wherever rows are: as many environments as there are say how many stay there."""
    found = []
    for much in (True, False):
        world = bouncing_arms()
        step_by_islands(world, much)
        elsewhere = host(world.engine.store.array(c.IslandRows.value)).any()
        assert elsewhere != much, "little room is for some rows, not for all"
        fields = (c.DofState.velocity, c.Coordinate.value, c.ContactImpulse.value, c.ContactMotion.slip)
        found.append([host(world.engine.store.view(field)) for field in fields])
    for one, other in zip(*found, strict=True):
        np.testing.assert_array_equal(one, other)
