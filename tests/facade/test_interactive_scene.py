"""Scenes: what is in them, where environments are, copies that fall alike, states that come back, wrong use."""

from __future__ import annotations

import gc
import logging
import weakref
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from oracles import host

from phalanx.facade import physics_events, stage
from phalanx.facade.isaaclab import sim as sim_utils
from phalanx.facade.isaaclab.actuators import ImplicitActuatorCfg
from phalanx.facade.isaaclab.assets import (
    Articulation,
    ArticulationCfg,
    AssetBaseCfg,
    RigidObject,
    RigidObjectCfg,
    RigidObjectCollection,
    RigidObjectCollectionCfg,
)
from phalanx.facade.isaaclab.scene import InteractiveScene, InteractiveSceneCfg
from phalanx.facade.isaaclab.scene.grid import grid_origins
from phalanx.facade.isaaclab.sensors import SensorBaseCfg
from phalanx.facade.isaaclab.sim import SimulationCfg, SimulationContext
from phalanx.facade.isaaclab.terrains import TerrainImporter, TerrainImporterCfg
from phalanx.facade.isaaclab.utils import configclass
from phalanx.io.formats import library
from phalanx.io.formats.usd import write_robot


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The library's cart-pole as USD."""
    path = tmp_path_factory.mktemp("usd") / "cartpole.usd"
    write_robot(library.load_robot("cartpole", visuals=False, warn=False), path)
    return str(path)


@pytest.fixture
def sim(device: str, api: str) -> Iterator[SimulationContext]:
    stage.new_stage()
    yield SimulationContext(SimulationCfg(device=device, dt=0.01))
    SimulationContext.clear_instance()
    physics_events.clear()


def box(path: str = "{ENV_REGEX_NS}/Box", height: float = 3.0) -> RigidObjectCfg:
    spawner = sim_utils.CuboidCfg(
        size=(0.2, 0.2, 0.2),
        rigid_props=sim_utils.RigidBodyPropertiesCfg(),
        mass_props=sim_utils.MassPropertiesCfg(mass=1.0),
        collision_props=sim_utils.CollisionPropertiesCfg(),
    )
    return RigidObjectCfg(
        prim_path=path, spawn=spawner, init_state=RigidObjectCfg.InitialStateCfg(pos=(1.0, 0.0, height))
    )


def scene_cfg(file: str, num_envs: int = 5, **more: Any) -> InteractiveSceneCfg:
    @configclass
    class SceneCfg(InteractiveSceneCfg):
        ground = AssetBaseCfg(prim_path="/World/ground", spawn=sim_utils.GroundPlaneCfg())
        light = AssetBaseCfg(prim_path="{ENV_REGEX_NS}/Light", spawn=sim_utils.SphereLightCfg())
        cart = ArticulationCfg(
            prim_path="{ENV_REGEX_NS}/Cart",
            spawn=sim_utils.UsdFileCfg(usd_path=file),
            init_state=ArticulationCfg.InitialStateCfg(pos=(0.0, 0.0, 2.0)),
            actuators={"all": ImplicitActuatorCfg(joint_names_expr=[".*"], stiffness=0.0, damping=0.0)},
        )
        box = box()
        nothing = None

    return SceneCfg(num_envs=num_envs, env_spacing=4.0, **more)


@pytest.mark.parametrize("count", [1, 2, 5, 9, 12, 30])
def test_grid(count: int) -> None:
    """Rows against x, columns along y, about the origin; of 12, four rows of three."""
    found = grid_origins(count, 2.0)
    rows, columns = np.unique(found[:, 0]), np.unique(found[:, 1])
    assert found.shape == (count, 3) and (found[:, 2] == 0).all() and len(np.unique(found, axis=0)) == count
    for lines in (rows, columns):
        np.testing.assert_allclose(np.diff(lines), 2.0)
        assert lines.sum() == pytest.approx(0.0)
    assert len(rows) * len(columns) >= count and len(columns) <= len(rows) <= len(columns) + 2
    assert found[0].tolist() == [rows[-1], columns[0], 0.0]
    if count == 12:
        assert (len(rows), len(columns)) == (4, 3) and found[4].tolist() == [1.0, 0.0, 0.0]


@pytest.mark.parametrize("replicated", [True, False])
def test_what_is_in_it(sim: SimulationContext, file: str, replicated: bool) -> None:
    scene = InteractiveScene(scene_cfg(file, replicate_physics=replicated))
    assert scene.keys() == ["terrain", "cart", "box", "ground", "light"]
    assert isinstance(scene["cart"], Articulation) and isinstance(scene["box"], RigidObject)
    assert scene["cart"] is scene.articulations["cart"] and scene["box"] is scene.rigid_objects["box"]
    assert "box" in scene and "sphere" not in scene and scene["terrain"] is scene.terrain is None
    assert not (scene.rigid_object_collections or scene.deformable_objects or scene.sensors)
    assert set(scene.extras) == {"ground", "light"} and scene["light"].count == 5
    assert scene.env_prim_paths == [f"/World/envs/env_{i}" for i in range(5)]
    assert (scene.num_envs, scene.env_ns, scene.env_regex_ns) == (5, "/World/envs", "/World/envs/env_.*")
    assert (scene.device, scene.physics_dt, scene.stage) == (sim.device, 0.01, sim.stage)
    assert scene.physics_scene_path == sim.cfg.physics_prim_path
    with pytest.raises(KeyError, match=r"no 'sphere'; it has terrain, cart, box, ground, light"):
        scene["sphere"]
    origins = host(scene.env_origins)
    np.testing.assert_array_equal(origins, grid_origins(5, 4.0))
    np.testing.assert_allclose(host(scene["light"].get_world_poses()[0]), origins)
    sim.reset()
    assert sim.stage_world.env_paths == scene.env_prim_paths and scene["cart"].num_instances == 5
    np.testing.assert_allclose(host(scene["box"].data.root_pos_w), origins + [1.0, 0.0, 3.0], atol=1e-6)


def test_state_comes_back(sim: SimulationContext, file: str) -> None:
    """Into the same place, and into others by what is relative; other environments stay as they are."""
    scene = InteractiveScene(scene_cfg(file))
    sim.reset()
    carts, some = scene["cart"], [1, 3]
    rng = np.random.default_rng(0)
    for _ in range(20):
        carts.set_joint_effort_target(rng.uniform(-2, 2, (5, carts.num_joints)))
        scene.write_data_to_sim()
        sim.step()
        scene.update(scene.physics_dt)
    fallen = 3.0 - 9.81 * 0.01**2 * 210
    np.testing.assert_allclose(host(scene["box"].data.root_pos_w)[:, 2], fallen, atol=1e-5)
    before, relative = scene.get_state(), scene.get_state(is_relative=True)
    assert set(before) == {"articulation", "rigid_object", "deformable_object"}
    assert set(before["articulation"]["cart"]) == {"root_pose", "root_velocity", "joint_position", "joint_velocity"}
    away = host(before["rigid_object"]["box"]["root_pose"]) - host(relative["rigid_object"]["box"]["root_pose"])
    np.testing.assert_allclose(away[:, :3], grid_origins(5, 4.0), atol=1e-6)
    for _ in range(10):
        sim.step()
        scene.update(scene.physics_dt)
    assert abs(host(scene["box"].data.root_pos_w)[:, 2] - fallen).min() > 0.1

    def chosen(state: Any) -> Any:
        return {
            kind: {name: {key: value[some] for key, value in one.items()} for name, one in family.items()}
            for kind, family in state.items()
        }

    later = scene.state
    scene.reset_to(chosen(relative), some, is_relative=True)
    others = [0, 2, 4]
    for scene_state in (scene.state, scene.get_state()):
        for kind, family in scene_state.items():
            for name, one in family.items():
                for key, value in one.items():
                    np.testing.assert_allclose(
                        host(value)[some], host(before[kind][name][key])[some], rtol=1e-5, atol=1e-5, err_msg=key
                    )
                    np.testing.assert_array_equal(host(value)[others], host(later[kind][name][key])[others], key)
        scene.update(0.0)
    scene.reset_to(before)
    np.testing.assert_allclose(
        host(scene["box"].data.root_pos_w), host(before["rigid_object"]["box"]["root_pose"])[:, :3]
    )
    now = scene.get_state()
    with pytest.raises(KeyError, match=r"\['rigid_object'\]\['box'\]\['root_pose'\]"):
        scene.reset_to({"articulation": before["articulation"]})
    np.testing.assert_array_equal(
        host(scene.state["articulation"]["cart"]["joint_position"]), host(now["articulation"]["cart"]["joint_position"])
    )


@pytest.mark.parametrize("copied", [False, True])
def test_a_script_fills_it(sim: SimulationContext, copied: bool, caplog: Any) -> None:
    """What is spawned later is copied; numbers may be each one's own; other bodies make one, which is told."""
    scene = InteractiveScene(InteractiveSceneCfg(num_envs=3, env_spacing=2.0))
    one = RigidObject(box(f"{scene.env_regex_ns}/Box"))
    scene.clone_environments(copy_from_source=copied)
    scene.rigid_objects["box"] = one
    scene.filter_collisions(["/World/ground"])
    other = RigidObject(box(f"{scene.env_regex_ns}/Later", 5.0))
    sim.reset()
    assert sim.stage_world.env_paths == scene.env_prim_paths and one.num_instances == other.num_instances == 3
    np.testing.assert_allclose(host(scene.state["rigid_object"]["box"]["root_pose"])[:, 2], 3.0)
    mass = sim.stage.GetPrimAtPath("/World/envs/env_1/Box").GetAttribute("physics:mass")
    mass.Set(2.0)
    sim.reset()
    assert sim.stage_world.env_paths == scene.env_prim_paths
    assert host(one.root_physx_view.get_masses()).reshape(-1).tolist() == [1.0, 2.0, 1.0]
    _more = RigidObject(box("/World/envs/env_1/More"))
    with caplog.at_level(logging.WARNING, "phalanx.facade"):
        sim.reset()
    assert not sim.stage_world.env_paths and "they do collide with each other" in caplog.text
    assert host(one.root_physx_view.get_masses()).reshape(-1).tolist() == [1.0, 2.0, 1.0]


def test_scripts_move_origins(sim: SimulationContext) -> None:
    """By the name that Isaac Lab's own has: curricula put environments before other obstacles."""
    scene = InteractiveScene(InteractiveSceneCfg(num_envs=3, env_spacing=2.0))
    scene._default_env_origins[1, 1] = 7.0
    expected = grid_origins(3, 2.0)
    expected[1, 1] = 7.0
    np.testing.assert_array_equal(host(scene.env_origins), expected)


def test_terrain_and_collection(sim: SimulationContext) -> None:
    """Environments stand on a plane; a collection's state comes back, relative to other environments' origins."""

    @configclass
    class SceneCfg(InteractiveSceneCfg):
        terrain = TerrainImporterCfg(prim_path="/World/ground", terrain_type="plane")
        boxes = RigidObjectCollectionCfg(
            rigid_objects={"low": box("{ENV_REGEX_NS}/Low", 1.0), "high": box("{ENV_REGEX_NS}/High", 2.0)}
        )

    scene = InteractiveScene(SceneCfg(num_envs=3, env_spacing=2.0))
    assert isinstance(scene["terrain"], TerrainImporter) and scene.terrain.terrain_names == ["terrain"]
    origins = grid_origins(3, 2.0)
    np.testing.assert_array_equal(host(scene.env_origins), origins)
    np.testing.assert_array_equal(host(scene.terrain.env_origins), origins)
    boxes = scene["boxes"]
    assert isinstance(boxes, RigidObjectCollection) and scene.rigid_object_collections == {"boxes": boxes}
    sim.reset()
    assert sim.stage_world.env_paths == scene.env_prim_paths
    start = origins[:, None] + [[1.0, 0.0, 1.0], [1.0, 0.0, 2.0]]
    np.testing.assert_allclose(host(boxes.data.object_link_pos_w), start, atol=1e-6)
    state = scene.get_state(is_relative=True)
    sim.step()
    scene.update(0.01)
    first = {"boxes": {key: value[:1] for key, value in state["rigid_object_collection"]["boxes"].items()}}
    scene.reset_to({"rigid_object_collection": first}, [2], is_relative=True)
    found = host(boxes.data.object_link_pos_w)
    np.testing.assert_allclose(found[2], start[2], atol=1e-6)
    np.testing.assert_allclose(found[:2, :, 2], start[:2, :, 2] - 9.81 * 0.01**2, atol=1e-6)


@pytest.mark.parametrize("replicated", [True, False])
def test_assets_in_turn(sim: SimulationContext, replicated: bool, caplog: pytest.LogCaptureFixture) -> None:
    """Environments that differ are one, unless all are what the first is, which is told."""
    chosen = box()
    chosen.spawn = sim_utils.MultiAssetSpawnerCfg(
        assets_cfg=[box().spawn, box().spawn.replace(size=(0.3, 0.3, 0.3))],
        random_choice=False,
    )

    @configclass
    class SceneCfg(InteractiveSceneCfg):
        box = chosen

    with caplog.at_level(logging.WARNING, "phalanx.facade"):
        scene = InteractiveScene(SceneCfg(num_envs=3, env_spacing=2.0, replicate_physics=replicated))
    assert ("the one of assets_cfg that the first has" in caplog.text) == replicated
    sizes = []
    for path in scene.env_prim_paths:
        shape = next(p for p in sim_utils.get_all_matching_child_prims(path) if p.GetTypeName() == "Cube")
        sizes.append(round(max(sim_utils.resolve_prim_scale(shape)) * shape.GetAttribute("size").Get(), 6))
    assert sizes == ([0.2] * 3 if replicated else [0.2, 0.3, 0.2])


def test_wrong_use(sim: SimulationContext) -> None:
    @configclass
    class Wrong(InteractiveSceneCfg):
        thing = 5

    with pytest.raises(ValueError, match=r"InteractiveSceneCfg.thing is 5"):
        InteractiveScene(Wrong(num_envs=2, env_spacing=1.0))
    with pytest.raises(TypeError, match="env_spacing"):
        InteractiveScene(InteractiveSceneCfg(num_envs=2))
    with pytest.raises(ValueError, match="num_envs=0"):
        InteractiveScene(InteractiveSceneCfg(num_envs=0, env_spacing=1.0))

    @configclass
    class Soft(InteractiveSceneCfg):
        box = box()
        sponge = SensorBaseCfg(prim_path="{ENV_REGEX_NS}/Box")

    soft: Any = Soft(num_envs=2, env_spacing=1.0)
    with pytest.raises(TypeError, match=r"sponge\.class_type"):
        InteractiveScene(soft)
    assert not sim.stage.GetPrimAtPath("/World/envs/env_0/Box"), "nothing was made"
    SimulationContext.clear_instance()
    with pytest.raises(RuntimeError, match="no SimulationContext"):
        InteractiveScene(InteractiveSceneCfg(num_envs=2, env_spacing=1.0))


def test_nothing_keeps_it_alive(sim: SimulationContext, file: str) -> None:
    scene = InteractiveScene(scene_cfg(file, 2))
    gone = [weakref.ref(scene), weakref.ref(scene["box"])]
    del scene
    gc.collect()
    assert [one() for one in gone] == [None, None]
