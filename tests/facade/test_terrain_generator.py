"""Generated terrains: seeds, curricula, origins, borders, flat patches, files that are kept, wrong configurations."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh
from oracles import host

from phalanx.facade.isaaclab import terrains as t
from phalanx.facade.isaaclab.terrains.config import ROUGH_TERRAINS_CFG
from phalanx.facade.isaaclab.terrains.surface import Surface
from phalanx.facade.isaaclab.utils import configclass

SUBS = {
    "stairs": t.MeshPyramidStairsTerrainCfg(
        proportion=1.0, step_height_range=(0.1, 0.3), step_width=0.5, platform_width=1.0, border_width=0.5
    ),
    "noise": t.HfRandomUniformTerrainCfg(proportion=3.0, noise_range=(0.0, 0.1), noise_step=0.01),
}


def cfg(**more: Any) -> t.TerrainGeneratorCfg:
    given: dict[str, Any] = {"size": (4.0, 5.0), "num_rows": 3, "num_cols": 4, "sub_terrains": SUBS, "seed": 5}
    return t.TerrainGeneratorCfg(**{**given, **more})


def heights(made: t.TerrainGenerator, places: Any) -> np.ndarray:
    return Surface(made.terrain_mesh.vertices, made.terrain_mesh.faces).heights(np.asarray(places, float))


def colors_of(mesh: Any) -> np.ndarray:
    return np.asarray(mesh.visual.vertex_colors)


def test_a_seed_makes_a_terrain_and_nothing_else_changes() -> None:
    np.random.seed(11)
    state = np.random.get_state()[1]  # pyright: ignore[reportArgumentType]
    first, again = t.TerrainGenerator(cfg()), t.TerrainGenerator(cfg())
    np.testing.assert_array_equal(state, np.random.get_state()[1])  # pyright: ignore[reportArgumentType]
    np.testing.assert_array_equal(first.terrain_mesh.vertices, again.terrain_mesh.vertices)
    np.testing.assert_array_equal(first.terrain_mesh.faces, again.terrain_mesh.faces)
    np.testing.assert_array_equal(first.terrain_origins, again.terrain_origins)
    other = t.TerrainGenerator(cfg(seed=6))
    assert (first.terrain_origins != other.terrain_origins).any()
    unseeded = t.TerrainGenerator(cfg(seed=None))
    np.random.seed(11)
    np.testing.assert_array_equal(
        unseeded.terrain_mesh.vertices, t.TerrainGenerator(cfg(seed=None)).terrain_mesh.vertices
    )
    assert "noise" in str(first) and len(first.terrain_meshes) == 12


def test_functions_of_scripts_may_make_one_mesh() -> None:
    def floor(difficulty: float, cfg: Any) -> tuple[trimesh.Trimesh, np.ndarray]:
        made = trimesh.creation.box((*cfg.size, 0.2))
        made.apply_translation((cfg.size[0] / 2, cfg.size[1] / 2, 0.2))
        return made, np.array([2.0, 2.5, 0.3])

    own = t.MeshPlaneTerrainCfg(function=floor, proportion=1.0)
    made = t.TerrainGenerator(cfg(sub_terrains={"own": own}))
    np.testing.assert_allclose(heights(made, [[0.0, 0.0], [3.0, -4.0]]), 0.3)


@pytest.mark.parametrize("curriculum", [False, True])
def test_origins_are_on_the_terrain(curriculum: bool) -> None:
    """In the middle of each of 3 x 4 sub-terrains of 4 x 5 m about the world's origin, on stairs up there."""
    made = t.TerrainGenerator(cfg(curriculum=curriculum))
    origins = made.terrain_origins
    assert origins.shape == (3, 4, 3)
    np.testing.assert_allclose(origins[:, 0, 0], [-4.0, 0.0, 4.0])
    np.testing.assert_allclose(origins[0, :, 1], [-7.5, -2.5, 2.5, 7.5])
    np.testing.assert_allclose(made.terrain_mesh.bounds[:, :2], [[-6.0, -10.0], [6.0, 10.0]], atol=1e-9)
    stairs = origins[..., 2] > 0.15
    if curriculum:  # the first quarter of the columns
        np.testing.assert_array_equal(stairs, [[True, False, False, False]] * 3)
        # 3 m between borders: two steps of 0.5 m leave the platform 1 m, and a third leads up to it.
        step = origins[:, 0, 2] / 3
        share = (step - 0.1) / 0.2
        assert (share >= [0.0, 1 / 3, 2 / 3]).all() and (share <= [1 / 3, 2 / 3, 1.0]).all()
        np.testing.assert_allclose(heights(made, origins[:, 0, :2] + 0.2), origins[:, 0, 2], atol=1e-9)
    else:
        assert 0 < stairs.sum() < 12


def test_difficulties_and_shares() -> None:
    """A function of a script's own is called with what the configuration says."""
    calls: dict[str, list[float]] = {"a": [], "b": []}

    def noted(name: str) -> Any:
        def function(difficulty: float, given: Any) -> Any:
            calls[name].append(difficulty)
            assert given.size == (2.0, 2.0) and given.seed >= 0
            return [trimesh.creation.box((2.0, 2.0, 0.1))], np.array([1.0, 1.0, np.random.uniform()])

        return function

    subs = {
        "a": t.SubTerrainBaseCfg(function=noted("a"), proportion=0.2),
        "b": t.SubTerrainBaseCfg(function=noted("b"), proportion=0.6),
    }
    common: dict[str, Any] = {"size": (2.0, 2.0), "num_rows": 20, "num_cols": 20, "sub_terrains": subs, "seed": 0}
    first = t.TerrainGenerator(t.TerrainGeneratorCfg(**common, difficulty_range=(0.4, 0.6)))
    assert len(calls["a"]) == pytest.approx(100, abs=40) and len(calls["a"]) + len(calls["b"]) == 400
    drawn = np.array(calls["a"] + calls["b"])
    assert 0.4 <= drawn.min() < 0.41 and 0.59 < drawn.max() <= 0.6
    again = t.TerrainGenerator(t.TerrainGeneratorCfg(**common, difficulty_range=(0.4, 0.6)))
    np.testing.assert_array_equal(first.terrain_origins, again.terrain_origins)  # its random numbers follow the seed
    assert len(np.unique(first.terrain_origins[..., 2])) == 400
    calls["a"].clear()
    t.TerrainGenerator(t.TerrainGeneratorCfg(**common, curriculum=True, difficulty_range=(0.4, 0.6)))
    assert len(calls["a"]) == 100
    by_row = np.array(calls["a"]).reshape(5, 20)
    assert ((by_row - 0.4) / 0.2 * 20).astype(int).tolist() == [list(range(20))] * 5


def test_borders_and_colours() -> None:
    plain = {"plane": t.MeshPlaneTerrainCfg()}
    made = t.TerrainGenerator(cfg(sub_terrains=plain, border_width=3.0, color_scheme="random"))
    np.testing.assert_allclose(made.terrain_mesh.bounds, [[-9, -13, 0], [9, 13, 0]], atol=1e-9)
    assert (heights(made, np.random.default_rng(0).uniform(-8.9, 8.9, (300, 2))) == 0.0).all()
    colors = colors_of(made.terrain_mesh)
    assert len(colors) == len(made.terrain_mesh.vertices) and len(np.unique(colors, axis=0)) > 10
    again = t.TerrainGenerator(cfg(sub_terrains=plain, border_width=3.0, color_scheme="random"))
    np.testing.assert_array_equal(colors, colors_of(again.terrain_mesh))
    wall = t.TerrainGenerator(cfg(sub_terrains=plain, border_width=3.0, border_height=-2.0))
    np.testing.assert_allclose(heights(wall, [[0.1, 0.1], [7.0, 0.1], [0.1, -12.0]]), [0.0, 2.0, 2.0], atol=1e-9)
    high = t.TerrainGenerator(cfg(color_scheme="height")).terrain_mesh
    low, top = high.vertices[:, 2].argmin(), high.vertices[:, 2].argmax()
    assert colors_of(high)[low].tolist() == [48, 18, 59, 255] and colors_of(high)[top].tolist() == [122, 4, 3, 255]


@configclass
class BumpsCfg(t.HfDiscreteObstaclesTerrainCfg):
    """Obstacles without a platform."""

    platform_width: float = 0.0
    obstacle_width_range: tuple[float, float] = (0.8, 1.6)
    obstacle_height_range: tuple[float, float] = (0.1, 0.4)
    num_obstacles: int = 12


def test_flat_patches_are_flat(api: str) -> None:
    """No place of a patch is higher or lower than allowed, looked at on points that were not compared."""
    sampling = {
        "target": t.FlatPatchSamplingCfg(num_patches=9, patch_radius=[0.1, 0.3], max_height_diff=0.02),
        "start": t.FlatPatchSamplingCfg(
            num_patches=4,
            patch_radius=0.2,
            max_height_diff=0.05,
            x_range=(-1.0, 0.5),
            y_range=(0.0, 2.0),
            z_range=(-0.5, 0.3),
        ),
    }
    subs = {
        "bumps": BumpsCfg(flat_patch_sampling=sampling),
        "noise": t.HfRandomUniformTerrainCfg(noise_range=(0.0, 0.05), noise_step=0.01),
    }
    made = t.TerrainGenerator(cfg(sub_terrains=subs, curriculum=True, size=(6.0, 6.0)))
    assert {name: tuple(found.shape) for name, found in made.flat_patches.items()} == {
        "target": (3, 4, 9, 3),
        "start": (3, 4, 4, 3),
    }
    rng = np.random.default_rng(0)
    for name, radius, most in (("target", 0.3, 0.02), ("start", 0.2, 0.05)):
        found = host(made.flat_patches[name])
        # Of sub-terrains without patches of the name there is the origin.
        np.testing.assert_allclose(
            found[:, 2:], np.broadcast_to(made.terrain_origins[:, 2:, None], found[:, 2:].shape), rtol=1e-6
        )
        patches = found[:, :2].reshape(-1, 3).astype(float)
        assert len(np.unique(patches, axis=0)) == len(patches)
        np.testing.assert_allclose(heights(made, patches[:, :2]), patches[:, 2], atol=2e-3)
        offsets = rng.uniform(-0.6 * radius, 0.6 * radius, (40, 2))
        around = heights(made, (patches[:, None, :2] + offsets).reshape(-1, 2)).reshape(len(patches), -1)
        assert np.ptp(around, axis=1).max() < most + 0.01  # corners of obstacles between points of circles
    relative = host(made.flat_patches["start"])[:, :2] - made.terrain_origins[:, :2, None]
    assert relative.min(axis=(0, 1, 2))[0] >= -1.0 and relative.max(axis=(0, 1, 2))[0] <= 0.5
    assert relative.min(axis=(0, 1, 2))[1] >= 0.0 and relative.max(axis=(0, 1, 2))[1] <= 2.0
    assert relative[..., 2].max() <= 0.3
    plane = trimesh.Trimesh([[0, 0, 1], [4, 0, 1], [4, 4, 1], [0, 4, 1]], [[0, 1, 2], [0, 2, 3]])
    wide = (-1e6, 1e6)
    found = host(t.find_flat_patches(plane, 50, 0.5, [1.0, 1.0, 1.0], wide, wide, wide, 0.0))
    np.testing.assert_allclose(found[:, 2], 0.0, atol=1e-7)
    assert found[:, :2].min() >= -0.5 and found[:, :2].max() <= 2.5


def test_kept_files(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A second terrain comes from files, and is the same; other seeds have files of their own."""
    calls = []

    def noted(difficulty: float, given: Any) -> Any:
        calls.append(difficulty)
        return t.MeshRandomGridTerrainCfg(size=given.size, grid_width=0.3, grid_height_range=(0.1, 0.2)).function(
            difficulty, t.MeshRandomGridTerrainCfg(size=given.size, grid_width=0.3, grid_height_range=(0.1, 0.2))
        )

    patches = {"flat": t.FlatPatchSamplingCfg(num_patches=3, patch_radius=0.05, max_height_diff=0.01)}
    kept: dict[str, Any] = {
        "sub_terrains": {"own": t.SubTerrainBaseCfg(function=noted, flat_patch_sampling=patches)},
        "size": (4.0, 4.0),
        "num_rows": 2,
        "num_cols": 1,
        "use_cache": True,
        "cache_dir": str(tmp_path),
    }
    first = t.TerrainGenerator(cfg(**kept))
    assert len(calls) == 2 and len(list(tmp_path.glob("*/cfg.yaml"))) == 2
    again = t.TerrainGenerator(cfg(**kept))
    assert len(calls) == 2
    np.testing.assert_array_equal(first.terrain_mesh.vertices, again.terrain_mesh.vertices)
    np.testing.assert_array_equal(first.terrain_origins, again.terrain_origins)
    np.testing.assert_array_equal(host(first.flat_patches["flat"]), host(again.flat_patches["flat"]))
    t.TerrainGenerator(cfg(**kept, seed=6))
    assert len(calls) == 4
    for file, damage in zip(sorted(tmp_path.glob("*/mesh.npz")), (b"", b"PK\x03\x04", b"x", None), strict=True):
        file.unlink() if damage is None else file.write_bytes(damage)
    with caplog.at_level(logging.WARNING, "phalanx.facade"):
        mended = t.TerrainGenerator(cfg(**kept))
    assert len(calls) == 6 and "is damaged" in caplog.text
    np.testing.assert_array_equal(first.terrain_mesh.vertices, mended.terrain_mesh.vertices)
    with caplog.at_level(logging.WARNING, "phalanx.facade"):
        t.TerrainGenerator(cfg(**kept, seed=None))
    assert "use_cache without a seed" in caplog.text


def test_the_rough_terrain() -> None:
    """Isaac Lab's own: 200 sub-terrains of six kinds, from 0 to a metre and a half up and down, in one mesh."""
    rough: Any = ROUGH_TERRAINS_CFG
    before = rough.to_dict()
    made = t.TerrainGenerator(rough.replace(num_rows=5, num_cols=10, curriculum=True, seed=2))
    assert rough.to_dict() == before
    assert made.terrain_origins.shape == (5, 10, 3)
    np.testing.assert_allclose(made.terrain_mesh.bounds[:, :2], [[-40, -60], [40, 60]], atol=1e-9)
    z = made.terrain_origins[..., 2]
    assert (np.diff(z[:, 0]) > 0.0).all() and (np.diff(z[:, 2]) < 0.0).all()  # stairs up and down get steeper
    assert np.isfinite(heights(made, np.random.default_rng(0).uniform((-40, -60), (40, 60), (2000, 2)))).all()


@pytest.mark.parametrize(
    ("more", "error", "words"),
    [
        ({"sub_terrains": {}}, ValueError, "sub_terrains is empty"),
        ({"num_rows": 0}, ValueError, "num_rows=0 and num_cols=4 must be at least 1"),
        ({"size": (0.0, 1.0)}, ValueError, r"size=\(0.0, 1.0\) m positive"),
        ({"color_scheme": "rainbow"}, ValueError, "Invalid color scheme: 'rainbow'"),
        ({"sub_terrains": {"a": t.MeshPlaneTerrainCfg(proportion=0.0)}}, ValueError, "nor all of them zero"),
        ({"sub_terrains": {"a": t.MeshPitTerrainCfg()}}, TypeError, r"sub_terrains.a.pit_depth_range"),
    ],
)
def test_wrong_configurations(more: dict[str, Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        t.TerrainGenerator(cfg(**more))


def test_patches_that_are_nowhere() -> None:
    one = t.FlatPatchSamplingCfg(num_patches=3, patch_radius=0.3, max_height_diff=0.001)
    noise = t.HfRandomUniformTerrainCfg(noise_range=(0.0, 0.1), noise_step=0.01, flat_patch_sampling={"flat": one})
    with pytest.raises(RuntimeError, match=r"Of 3 patches of radius 0.3 m, 3 were not found"):
        t.TerrainGenerator(cfg(sub_terrains={"noise": noise}))
    one.patch_radius = 9.0
    noise.flat_patch_sampling = {"flat": one}
    with pytest.raises(RuntimeError, match=r"radius 9.0 m have no place on a mesh"):
        t.TerrainGenerator(cfg(sub_terrains={"noise": noise}))
