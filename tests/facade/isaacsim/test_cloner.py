"""Copies of prims, and the worlds that they become."""

from __future__ import annotations

import numpy as np
import pytest
from facade.isaacsim.core_scenes import boxes, host, like, xforms

from phalanx.facade import simulation, stage
from phalanx.facade.isaacsim.core.cloner import Cloner, GridCloner
from phalanx.facade.isaacsim.core.prims import RigidPrim, SingleXFormPrim, XFormPrim
from phalanx.io.formats.usd.bindings import UsdGeom


def source() -> None:
    """A box at /World/envs/env_0/box, 1 m high."""
    xforms("/World/envs/env_0")
    boxes(1, "/World/envs/env_0/box")


def num_envs() -> int:
    world = simulation.get().world
    assert world is not None
    return len(world.origins)


def test_a_grid(world, backend):
    source()
    cloner = GridCloner(spacing=2.0)
    cloner.define_base_env("/World/envs")
    paths = cloner.generate_paths("/World/envs/env", 6)
    assert paths[0] == "/World/envs/env_0" and len(paths) == 6
    places = cloner.clone("/World/envs/env_0", paths, position_offsets=like(backend, np.full((6, 3), 0.5)))
    found = XFormPrim("/World/envs/env_.*").get_world_poses()[0]
    np.testing.assert_allclose(host(found), places, atol=1e-6)
    # two in a row, three rows: rows against x, the copies of a row along y
    np.testing.assert_allclose(host(found) - 0.5, [[x, y, 0] for x in (2, 0, -2) for y in (-1, 1)], atol=1e-6)
    view = RigidPrim("/World/envs/.*/box")
    world.reset()
    assert num_envs() == 6 and view.count == 6
    np.testing.assert_allclose(host(view.get_world_poses()[0]), np.array(places) + [0, 0, 1], atol=1e-5)
    view.set_world_poses(like(backend, [[9, 9, 9]]), indices=[4])
    world.step(render=False)
    np.testing.assert_allclose(host(view.get_world_poses()[0])[4, :2], [9, 9], atol=1e-5)


@pytest.mark.parametrize("copied", [False, True])
def test_copies_follow_what_they_are_copies_of_or_not(world, copied):
    source()
    cloner = Cloner()
    cloner.clone(
        "/World/envs/env_0",
        ["/World/envs/env_0", "/World/envs/env_1"],
        positions=np.array([[0.0, 0, 0], [3.0, 0, 0]]),
        orientations=np.array([[1.0, 0, 0, 0], [0.0, 0, 0, 1.0]]),
        copy_from_source=copied,
    )
    UsdGeom.Cube(stage.get_stage().GetPrimAtPath("/World/envs/env_0/box")).GetSizeAttr().Set(0.4)
    sizes = [
        UsdGeom.Cube(stage.get_stage().GetPrimAtPath(f"/World/envs/env_{i}/box")).GetSizeAttr().Get() for i in (0, 1)
    ]
    assert sizes == [0.4, 0.2 if copied else 0.4]
    place, turn = SingleXFormPrim("/World/envs/env_1").get_world_pose()
    np.testing.assert_allclose(place, [3, 0, 0])
    np.testing.assert_allclose(turn, [0, 0, 0, 1], atol=1e-7)
    world.reset()
    assert num_envs() == 1  # one of them is turned


def two(*offset: float) -> Cloner:
    """Two boxes that overlap at first, the second one that far from the first."""
    source()
    cloner = Cloner()
    places = np.array([np.zeros(3), offset])
    cloner.clone("/World/envs/env_0", ["/World/envs/env_0", "/World/envs/env_1"], positions=places)
    return cloner


@pytest.mark.parametrize("offset", [(0.0, 0.0, 0.15), (0.15, 0.0, 0.0)])
def test_copies_that_meet_collide(world, offset):
    two(*offset)
    world.scene.add_ground_plane()
    view = RigidPrim("/World/envs/.*/box")
    world.reset()
    assert num_envs() == 1
    for _ in range(120):
        world.step(render=False)
    apart = np.abs(np.diff(view.get_world_poses()[0], axis=0)).max()
    assert apart > 0.19  # boxes of 0.2 m do not overlap any more


@pytest.mark.parametrize(("offset", "count"), [((0.15, 0.0, 0.0), 2), ((0.0, 0.0, 0.15), 1)])
def test_copies_whose_collisions_are_filtered_do_not(world, offset, count):
    """They are environments, unless the ground is at other heights below them."""
    cloner = two(*offset)
    world.scene.add_ground_plane(prim_path="/World/ground")
    cloner.filter_collisions(
        "/physicsScene", "/World/groups", ["/World/envs/env_0", "/World/envs/env_1"], ["/World/ground"]
    )
    view = RigidPrim("/World/envs/.*/box")
    world.reset()
    assert num_envs() == count
    for _ in range(120):
        world.step(render=False)
    np.testing.assert_allclose(view.get_world_poses()[0], [[0, 0, 0.1], [offset[0], 0, 0.1]], atol=2e-3)


def test_what_moves_outside_of_copies_makes_one_environment(world):
    source()
    GridCloner(2.0).clone("/World/envs/env_0", ["/World/envs/env_0", "/World/envs/env_1"])
    boxes(1, "/World/free", spread=0.0)
    world.reset()
    assert num_envs() == 1


def test_a_copy_that_is_written_to_stays_an_environment(world):
    source()
    GridCloner(2.0).clone("/World/envs/env_0", [f"/World/envs/env_{i}" for i in range(3)])
    RigidPrim("/World/envs/.*/box", masses=np.full(3, 0.5))
    world.reset()
    assert num_envs() == 3
    world.stop()
    RigidPrim("/World/envs/.*/box", masses=np.array([0.5, 0.5, 0.7]))
    view = RigidPrim("/World/envs/.*/box")
    world.reset()
    assert num_envs() == 3
    np.testing.assert_allclose(view.get_masses(), [0.5, 0.5, 0.7], rtol=1e-6)


def test_what_goes_wrong(world):
    source()
    cloner = GridCloner(2.0)
    paths = cloner.generate_paths("/World/envs/env", 3)
    with pytest.raises(ValueError, match="Source prim does not exist: /World/nothing"):
        cloner.clone("/World/nothing", paths)
    with pytest.raises(ValueError, match="between position_offsets and prim_paths: 2 for 3"):
        cloner.clone("/World/envs/env_0", paths, position_offsets=np.zeros((2, 3)))
    with pytest.raises(ValueError, match="base_env_path needs to be specified"):
        cloner.clone("/World/envs/env_0", paths, replicate_physics=True)
    with pytest.raises(ValueError, match="no physics scene at /none"):
        cloner.filter_collisions("/none", "/World/groups", paths)
