"""Terrains on a stage: balls rest on them in every environment, levels go up and down, files, wrong use."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh
from oracles import host

from phalanx.components.mesh import MeshTriangleGeometry
from phalanx.facade import physics_events, stage
from phalanx.facade.isaaclab import sim as sim_utils
from phalanx.facade.isaaclab import terrains as t
from phalanx.facade.isaaclab.assets import RigidObjectCfg
from phalanx.facade.isaaclab.scene import InteractiveScene, InteractiveSceneCfg
from phalanx.facade.isaaclab.scene.grid import grid_origins
from phalanx.facade.isaaclab.sim import SimulationCfg, SimulationContext
from phalanx.facade.isaaclab.utils import configclass
from phalanx.facade.namespaces import array, module
from phalanx.io.formats.usd.bindings import Usd, UsdGeom, UsdPhysics, UsdShade

RADIUS = 0.1
STAIRS = {"step_height_range": (0.1, 0.2), "step_width": 0.3, "platform_width": 1.0, "border_width": 0.5}


def generator(**more: Any) -> t.TerrainGeneratorCfg:
    return t.TerrainGeneratorCfg(
        seed=3,
        size=(4.0, 4.0),
        num_rows=4,
        num_cols=5,
        curriculum=True,
        border_width=2.0,
        sub_terrains={
            "plane": t.MeshPlaneTerrainCfg(),
            "stairs": t.MeshPyramidStairsTerrainCfg(**STAIRS),
            "stairs down": t.MeshInvertedPyramidStairsTerrainCfg(**STAIRS),
            "grid": t.MeshRandomGridTerrainCfg(grid_width=0.45, grid_height_range=(0.05, 0.2)),
            "slope": t.HfPyramidSlopedTerrainCfg(slope_range=(0.1, 0.4), platform_width=3.0, border_width=0.2),
        },
        **more,
    )


@configclass
class SceneCfg(InteractiveSceneCfg):
    terrain: Any = t.TerrainImporterCfg(
        prim_path="/World/ground",
        terrain_generator=generator(color_scheme="height"),
        physics_material=sim_utils.RigidBodyMaterialCfg(static_friction=1.3),
    )
    ball = RigidObjectCfg(
        prim_path="{ENV_REGEX_NS}/Ball",
        spawn=sim_utils.SphereCfg(
            radius=RADIUS,
            rigid_props=sim_utils.RigidBodyPropertiesCfg(),
            mass_props=sim_utils.MassPropertiesCfg(mass=1.0),
            collision_props=sim_utils.CollisionPropertiesCfg(),
        ),
    )


def whole(values: Any) -> np.ndarray:
    return np.asarray(host(values)).astype(int)


@pytest.fixture
def sim(device: str, api: str) -> Iterator[SimulationContext]:
    stage.new_stage()
    yield SimulationContext(SimulationCfg(device=device, dt=0.005))
    SimulationContext.clear_instance()
    physics_events.clear()


def drop(scene: InteractiveScene, steps: int) -> np.ndarray:
    """Where balls are, from the environments' origins, some steps after they were 0.05 m above them, in m."""
    ball = scene["ball"]
    state = 1.0 * ball.data.default_root_state
    state[:, :3] += scene.env_origins
    state[:, 2] += RADIUS + 0.05
    ball.write_root_state_to_sim(state)
    for _ in range(steps):
        scene.sim.step(render=False)
        scene.update(0.005)
    return host(ball.data.root_pos_w - scene.env_origins)


def test_balls_rest_on_it(sim: SimulationContext) -> None:
    """Each environment's ball lies at the origin of its sub-terrain, which all share: it is on the stage once."""
    count = 40
    scene = InteractiveScene(SceneCfg(num_envs=count, env_spacing=2.5))
    terrain = scene.terrain
    assert terrain.terrain_names == ["terrain"] and terrain.terrain_prim_paths == ["/World/ground/terrain"]
    mesh = sim.stage.GetPrimAtPath("/World/ground/terrain/mesh")
    assert mesh.HasAPI(UsdPhysics.CollisionAPI)
    assert UsdPhysics.MeshCollisionAPI(mesh).GetApproximationAttr().Get() == "none"
    assert len(UsdGeom.Mesh(mesh).GetDisplayColorAttr().Get()) == len(UsdGeom.Mesh(mesh).GetPointsAttr().Get())
    for purpose, name in (("physics", "physicsMaterial"), ("", "visualMaterial")):
        bound = UsdShade.MaterialBindingAPI(mesh).GetDirectBinding(*([purpose] if purpose else []))
        assert str(bound.GetMaterialPath()) == f"/World/ground/terrain/{name}"
    levels, types = whole(terrain.terrain_levels), whole(terrain.terrain_types)
    assert types.tolist() == [i // 8 for i in range(count)] and terrain.max_terrain_level == 4
    assert set(levels.tolist()) == {0, 1, 2, 3}
    made = t.TerrainGenerator(generator())
    np.testing.assert_allclose(host(terrain.terrain_origins), made.terrain_origins, atol=1e-6)
    np.testing.assert_allclose(host(scene.env_origins), made.terrain_origins[levels, types], atol=1e-6)
    sim.reset()
    assert sim.stage_world.env_paths == scene.env_prim_paths
    triangles = sim.stage_world.world[MeshTriangleGeometry].vertex
    assert triangles.shape == (len(made.terrain_mesh.faces), 3, 1)  # for all environments
    placed = drop(scene, 120)
    np.testing.assert_allclose(placed[:, 2], RADIUS, atol=2e-4)
    np.testing.assert_allclose(placed[:, :2], 0.0, atol=1e-3)
    # To other levels, and they lie there.
    first = list(range(0, count, 8))
    before = levels.copy()
    yes, no = np.ones(5, bool), np.zeros(5, bool)
    terrain.update_env_origins(first, array(no, sim.device), array(yes, sim.device))
    levels = whole(terrain.terrain_levels)
    np.testing.assert_array_equal(levels[first], np.maximum(before[first] - 1, 0))
    rest = np.setdiff1d(np.arange(count), first)
    np.testing.assert_array_equal(levels[rest], before[rest])
    for _ in range(5):
        terrain.update_env_origins(array(first, sim.device, "int64"), array(yes, sim.device), array(no, sim.device))
        levels = whole(terrain.terrain_levels)
        assert levels.min() >= 0 and levels.max() <= 3
    origins = host(scene.env_origins)
    np.testing.assert_allclose(origins, made.terrain_origins[levels, types], atol=1e-6)
    placed = drop(scene, 120)
    np.testing.assert_allclose(placed[:, 2], RADIUS, atol=2e-4)
    state = scene.get_state(is_relative=True)["rigid_object"]["ball"]["root_pose"]
    np.testing.assert_allclose(host(state)[:, :3], placed, atol=1e-6)


def test_origins(sim: SimulationContext, api: str) -> None:
    """Up to the highest row that is allowed; a grid where it is wanted."""
    xp = module("numpy" if api == "cupy" else api)  # pyright: ignore[reportArgumentType]
    (xp.manual_seed if api == "torch" else xp.random.seed)(0)
    made = t.TerrainImporter(
        t.TerrainImporterCfg(prim_path="/World/a", num_envs=50, terrain_generator=generator(), max_init_terrain_level=1)
    )
    assert set(host(made.terrain_levels).tolist()) == {0, 1}
    assert np.bincount(whole(made.terrain_types)).tolist() == [10] * 5
    patched = generator()
    patched.sub_terrains["plane"].flat_patch_sampling = {
        "target": t.FlatPatchSamplingCfg(num_patches=2, patch_radius=0.2, max_height_diff=0.01)
    }
    made = t.TerrainImporter(
        t.TerrainImporterCfg(
            prim_path="/World/b",
            num_envs=5,
            terrain_generator=patched,
            use_terrain_origins=False,
            env_spacing=1.5,
        )
    )
    np.testing.assert_allclose(host(made.env_origins), grid_origins(5, 1.5))
    assert made.terrain_origins is None and tuple(made.flat_patches["target"].shape) == (4, 5, 2, 3)
    made.update_env_origins([0], [True], [False])
    np.testing.assert_allclose(host(made.env_origins), grid_origins(5, 1.5))
    made.import_ground_plane("plane")
    made.import_mesh("rock", trimesh.creation.icosphere(radius=0.5))
    assert made.terrain_names == ["terrain", "plane", "rock"]
    assert made.has_debug_vis_implementation and made.set_debug_vis(True) and made.set_debug_vis(False)
    shown = UsdGeom.PointInstancer(sim.stage.GetPrimAtPath("/Visuals/TerrainOrigin"))
    np.testing.assert_allclose(shown.GetPositionsAttr().Get(), grid_origins(5, 1.5), atol=1e-6)
    assert UsdGeom.Imageable(shown.GetPrim()).ComputeVisibility() == UsdGeom.Tokens.invisible
    with pytest.raises(ValueError, match="there is a terrain named 'rock' already"):
        made.import_mesh("rock", trimesh.creation.icosphere())
    with pytest.raises(ValueError, match=r"origins must be \(rows, columns, 3\), not \(4, 3\)"):
        made.configure_env_origins(np.zeros((4, 3)))


def test_terrain_from_a_file(sim: SimulationContext, tmp_path: Path) -> None:
    """A step 0.5 m high under half of the environments."""
    file = tmp_path / "step.usda"
    made = Usd.Stage.CreateNew(str(file))
    UsdGeom.SetStageMetersPerUnit(made, 1.0)
    UsdGeom.SetStageUpAxis(made, UsdGeom.Tokens.z)
    made.SetDefaultPrim(UsdGeom.Xform.Define(made, "/Ground").GetPrim())
    for name, x, height in (("low", -50.0, 0.0), ("high", 50.0, 0.5)):
        mesh = UsdGeom.Mesh.Define(made, f"/Ground/{name}")
        mesh.CreatePointsAttr(
            [(x - 50, -50, height), (x + 50, -50, height), (x + 50, 50, height), (x - 50, 50, height)]
        )
        mesh.CreateFaceVertexCountsAttr([4])
        mesh.CreateFaceVertexIndicesAttr([0, 1, 2, 3])
        UsdPhysics.CollisionAPI.Apply(mesh.GetPrim())
    made.Save()
    cfg = SceneCfg(num_envs=4, env_spacing=3.0)
    cfg.terrain = t.TerrainImporterCfg(prim_path="/World/ground", terrain_type="usd", usd_path=str(file))
    scene = InteractiveScene(cfg)
    np.testing.assert_allclose(host(scene.env_origins), grid_origins(4, 3.0))
    sim.reset()
    scene["ball"].write_root_pose_to_sim(
        array(
            np.column_stack([grid_origins(4, 3.0) + [0, 0, 0.65], np.tile([1.0, 0, 0, 0], (4, 1))]),
            sim.device,
            "float32",
        )
    )
    for _ in range(120):
        sim.step(render=False)
        scene.update(0.005)
    expected = np.where(grid_origins(4, 3.0)[:, 0] > 0.0, 0.5, 0.0) + RADIUS
    np.testing.assert_allclose(host(scene["ball"].data.root_pos_w)[:, 2], expected, atol=1e-3)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "'generator' but no value provided for 'terrain_generator'"),
        ({"terrain_type": "usd"}, "'usd' but no value provided for 'usd_path'"),
        ({"terrain_type": "moon"}, "Terrain type 'moon' not available"),
        ({"terrain_type": "plane"}, "env_spacing is None"),
        ({"terrain_generator": generator(), "use_terrain_origins": False}, "env_spacing is None"),
    ],
)
def test_wrong_use(sim: SimulationContext, given: dict[str, Any], words: str) -> None:
    before = [str(prim.GetPath()) for prim in sim.stage.Traverse()]
    with pytest.raises(ValueError, match=words):
        t.TerrainImporter(t.TerrainImporterCfg(prim_path="/World/ground", num_envs=2, **given))
    assert [str(prim.GetPath()) for prim in sim.stage.Traverse()] == before


def test_it_needs_a_simulation() -> None:
    with pytest.raises(RuntimeError, match="there is no SimulationContext; make one first"):
        t.TerrainImporter(t.TerrainImporterCfg(prim_path="/World/ground", terrain_type="plane", env_spacing=1.0))
