"""Dense rows of dofs and velocities of links for islands on a GPU, against the inverse of the factor."""

from __future__ import annotations

import numpy as np
import pytest
from oracles import host

import phalanx as px
from phalanx import components as c
from phalanx.components.island import LINK, ROW
from phalanx.systems.solver.islands import stand_ins as island_solver


def whole(array: object) -> np.ndarray:
    """On the host, as whole numbers."""
    return host(array).astype(int)


def world_of(device: str, *robots: str) -> px.World:
    world = px.World(num_envs=3, dt=1 / 200, device=device, dtype="float32")
    world.add_ground()
    for k, name in enumerate(robots):
        world.add_robot(name, f"robot{k}", position=(2.0 * k, 0.0, 0.5))
    world.add_rigid_object(px.Shape("box", (0.1, 0.1, 0.1)), "box", mass=1.0, position=(0.0, 3.0, 0.3))
    world.build()
    rng = np.random.default_rng(1)
    for name, actor in world.actors.items():
        if isinstance(actor, px.Robot):
            actor.set_joint_state(vel=rng.normal(0.0, 0.5, (3, len(actor.joint_names))))
            if name == "robot0":
                actor.set_drive(stiffness=20.0, damping=1.0)
    world.step(3)
    return world


def laid_out(world: px.World, name: str) -> np.ndarray:
    """What a system leaves of dofs: (environment, dof, number)."""
    store = world.engine.store
    made = [*island_solver.SUBSTITUTE.replaced.values(), *island_solver.prepare(store.rows)]
    first, *more = [s for s in made if s.name in (name, "inverse_factor")]
    assert first.name == "inverse_factor" and len(more) == 1
    store.program([first, *more]).run()
    with store.active():  # what runs on the world's stream is waited for
        array = host(store.array(c.IslandDofNumbers.value))
    return array.reshape(array.shape[-1], store.rows(c.Dof), -1)[: world.num_envs].astype(float)


@pytest.mark.parametrize("robots", [("quadruped",), ("quadruped", "arm", "quadruped"), ("arm",)])
def test_rows_of_dofs_and_velocities_of_links(robots: tuple[str, ...], gpu: str) -> None:
    """L^-1 of the factor as it is after a step, and velocities of links at their roots, all in float64."""
    world = world_of(gpu, *robots)
    store = world.engine.store
    nv, width = store.rows(c.Dof), 20 if "quadruped" in robots else 12  # whole fours of 18 and of 9 dofs
    found = laid_out(world, "lay_out_inverse")
    assert found.shape == (3, nv, width + ROW)
    with store.active():
        numbers = host(store.array(c.IslandLinkNumbers.value))
    numbers = numbers.reshape(numbers.shape[-1], -1, LINK + 6 * width)[:3]
    place, parent = whole(world[c.IslandDof].place)[:, 0], whole(world[c.DofTopology].parent)[:, 0]
    known = np.flatnonzero(place >= 0)
    assert sorted(place[known]) == list(range(numbers.shape[1]))
    assert set(whole(world[c.ShapeTopology].dof)[:, 0]) <= {-1, *known.tolist()}
    chain, depth = whole(world[c.DofTopology].chain)[:, 0], whole(world[c.DofTopology].depth)[:, 0]
    column, factor = whole(world[c.MassTopology].column)[:, 0], host(world[c.MassFactor].value).astype(float)
    first, end = whole(world[c.DofTopology].tree_first)[:, 0], whole(world[c.DofTopology].tree_end)[:, 0]
    mobility, qd = host(world[c.DofSolve].inverse_pivot), host(world[c.DofState].velocity)
    groups = numbers[..., 6].astype(np.float32).view(np.int32)  # bits in the place of a number
    response = host(world[c.DofRow].response)
    link, offset = whole(world[c.DofTopology].link)[:, 0], host(world[c.LinkPose].offset)
    axis, angular = host(world[c.DofMotion].axis), whole(world[c.DofTopology].angular)[:, 0]
    for e in range(3):
        lower = np.eye(nv)
        for d in range(nv):
            slots = range(chain[d] + 1, chain[d] + depth[d])
            lower[d, [column[s] for s in slots]] = [factor[s, e] for s in slots]
        inverse = np.linalg.inv(lower)
        velocities = np.zeros((nv, 6, nv))  # of the link after each dof, per generalised velocity
        for d in range(nv):
            wanted = np.zeros(width)
            wanted[: end[d] - first[d]] = inverse[d, first[d] : end[d]]
            np.testing.assert_allclose(found[e, d, :width], wanted, rtol=0, atol=1e-5 * np.abs(wanted).max())
            np.testing.assert_allclose(response[d, e], inverse[d] ** 2 @ mobility[:, e], rtol=1e-4)
            turn, at = axis[d, :, e], offset[link[d], :, e]
            velocities[d] = velocities[parent[d]] if parent[d] >= 0 else 0.0
            velocities[d, :, d] = (*turn, *np.cross(at, turn)) if angular[d] else (0.0, 0.0, 0.0, *turn)
        for d in known:
            one, own = numbers[e, place[d]], slice(first[d], end[d])
            wanted = velocities[d] @ qd[:, e]
            np.testing.assert_allclose(one[:6], wanted, rtol=0, atol=1e-5 * max(1.0, np.abs(wanted).max()))
            moving = {k // 4 for k in np.flatnonzero(velocities[d, :, own].any(axis=0))}
            assert groups[e, place[d]] == sum(1 << g for g in moving)
            wanted = np.zeros((6, width))
            wanted[:, : end[d] - first[d]] = (velocities[d] @ inverse)[:, own]
            there = one[LINK:].reshape(-1, 6, 4).transpose(1, 0, 2).reshape(6, width)
            np.testing.assert_allclose(there, wanted, rtol=0, atol=1e-5 * np.abs(wanted).max())


def test_what_is_known_of_dofs(gpu: str) -> None:
    """Of each drive that has a row: its response and softness, limits, and the impulses to begin with."""
    world = world_of(gpu, "quadruped")
    store = world.engine.store
    found = laid_out(world, "lay_out_dofs")[..., -ROW:]
    scalar, coord = whole(world[c.DofTopology].scalar)[:, 0], whole(world[c.DofTopology].coord)[:, 0]
    rows = np.flatnonzero(scalar)
    assert len(rows) == 12
    active = whole(world[c.DofRow].active)[rows] == 1
    for at, field in ((0, c.DofRow.response), (6, c.DofState.velocity), (20, c.DofRow.friction), (21, c.DofRow.drive)):
        there = host(store.view(field))[rows]
        np.testing.assert_array_equal(found[:, rows, at].T[active], there[active], err_msg=field.key)
    q = host(world[c.Coordinate].value)[coord[rows]]
    np.testing.assert_array_equal(found[:, rows, 5].T, q)
    np.testing.assert_array_equal(found[:, rows, 18], np.broadcast_to(0.0, (3, 12)))
    np.testing.assert_allclose(found[:, rows, 1].T[active], 1 / found[:, rows, 0].T[active], rtol=1e-6)
    low = np.broadcast_to(host(world[c.DofLimit].lower)[rows], q.shape)
    np.testing.assert_array_equal(found[:, rows, 7].T, low.astype(np.float32))
