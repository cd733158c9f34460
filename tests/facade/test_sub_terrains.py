"""Sub-terrains: heights from formulas, and surfaces that are whole, whatever the kind."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
import trimesh

from phalanx.facade.isaaclab import terrains as t
from phalanx.facade.isaaclab.terrains.height_field.utils import convert_height_field_to_mesh
from phalanx.facade.isaaclab.terrains.surface import Surface
from phalanx.facade.isaaclab.terrains.trimesh.utils import join, make_border, make_cone
from phalanx.models.meshes.triangle_mesh import disagreeing_edges, triangle_mesh

SIZE = (8.0, 8.0)
OBJECTS = {
    "object_params_start": {"num_objects": 10, "height": 0.2},
    "object_params_end": {"num_objects": 40, "height": 0.6},
}


def repeated(kind: Any, start: dict[str, Any], end: dict[str, Any]) -> Any:
    first, last = OBJECTS["object_params_start"], OBJECTS["object_params_end"]
    return kind(object_params_start=kind.ObjectCfg(**first, **start), object_params_end=kind.ObjectCfg(**last, **end))


STAIRS = {"step_height_range": (0.1, 0.2), "step_width": 0.3, "platform_width": 3.0, "border_width": 1.0}
KINDS: dict[str, Any] = {
    "plane": t.MeshPlaneTerrainCfg(),
    "stairs": t.MeshPyramidStairsTerrainCfg(**STAIRS),
    "stairs down": t.MeshInvertedPyramidStairsTerrainCfg(**STAIRS),
    "stairs in a cross": t.MeshPyramidStairsTerrainCfg(**STAIRS, holes=True),
    "stairs down in a cross": t.MeshInvertedPyramidStairsTerrainCfg(**{**STAIRS, "border_width": 0.0}, holes=True),
    "grid": t.MeshRandomGridTerrainCfg(grid_width=0.45, grid_height_range=(0.05, 0.2), platform_width=2.0),
    "grid in a cross": t.MeshRandomGridTerrainCfg(grid_width=0.45, grid_height_range=(0.05, 0.2), holes=True),
    "rails": t.MeshRailsTerrainCfg(rail_thickness_range=(0.1, 0.2), rail_height_range=(0.05, 0.3), platform_width=2.0),
    "pit": t.MeshPitTerrainCfg(pit_depth_range=(0.2, 0.6), platform_width=2.0),
    "double pit": t.MeshPitTerrainCfg(pit_depth_range=(0.2, 0.6), platform_width=2.0, double_pit=True),
    "box": t.MeshBoxTerrainCfg(box_height_range=(0.2, 0.6), platform_width=2.0),
    "double box": t.MeshBoxTerrainCfg(box_height_range=(0.2, 0.6), platform_width=2.0, double_box=True),
    "gap": t.MeshGapTerrainCfg(gap_width_range=(0.2, 0.8), platform_width=2.0),
    "ring": t.MeshFloatingRingTerrainCfg(
        ring_width_range=(0.5, 1.0), ring_height_range=(0.4, 0.6), ring_thickness=0.1, platform_width=2.0
    ),
    "star": t.MeshStarTerrainCfg(
        num_bars=5, bar_width_range=(0.2, 0.4), bar_height_range=(0.5, 1.0), platform_width=2.0
    ),
    "boxes": repeated(t.MeshRepeatedBoxesTerrainCfg, {"size": (0.5, 0.3)}, {"size": (0.2, 0.1), "max_yx_angle": 20.0}),
    "cylinders": repeated(t.MeshRepeatedCylindersTerrainCfg, {"radius": 0.2}, {"radius": 0.4}),
    "pyramids": repeated(t.MeshRepeatedPyramidsTerrainCfg, {"radius": 0.2}, {"radius": 0.4, "max_yx_angle": 10.0}),
    "noise": t.HfRandomUniformTerrainCfg(noise_range=(-0.1, 0.1), noise_step=0.02, downsampled_scale=0.2),
    "slope": t.HfPyramidSlopedTerrainCfg(slope_range=(0.1, 0.4), platform_width=2.0, border_width=0.5),
    "slope down": t.HfInvertedPyramidSlopedTerrainCfg(slope_range=(0.1, 0.4), platform_width=2.0),
    "steps": t.HfPyramidStairsTerrainCfg(step_height_range=(0.1, 0.2), step_width=0.5, slope_threshold=0.75),
    "steps down": t.HfInvertedPyramidStairsTerrainCfg(
        step_height_range=(0.1, 0.2), step_width=0.5, slope_threshold=0.75
    ),
    "obstacles": t.HfDiscreteObstaclesTerrainCfg(
        obstacle_width_range=(0.5, 1.5), obstacle_height_range=(0.1, 0.3), num_obstacles=20, slope_threshold=0.75
    ),
    "wave": t.HfWaveTerrainCfg(amplitude_range=(0.1, 0.4), num_waves=3),
    "stones": t.HfSteppingStonesTerrainCfg(
        stone_height_max=0.1, stone_width_range=(0.3, 0.9), stone_distance_range=(0.1, 0.4), holes_depth=-2.0
    ),
}


def make(kind: str | Any, difficulty: float = 0.5, seed: int = 1) -> tuple[trimesh.Trimesh, np.ndarray, Any]:
    cfg = (KINDS[kind] if isinstance(kind, str) else kind).replace(size=SIZE)
    np.random.seed(seed)
    meshes, origin = cfg.function(difficulty, cfg)
    return join(meshes), np.asarray(origin), cfg


def seen(mesh: trimesh.Trimesh, places: Any) -> np.ndarray:
    return Surface(mesh.vertices, mesh.faces).heights(np.asarray(places, float))


def scattered(count: int = 2000) -> np.ndarray:
    return np.random.default_rng(3).uniform(0.01, 7.99, (count, 2))


def rings(places: np.ndarray) -> np.ndarray:
    """Distances of places from the middle, along x or y, whichever is greater."""
    return np.abs(places - 4.0).max(axis=1)


def test_heights_of_a_mesh_are_those_of_all_its_triangles() -> None:
    """The grid finds what a look at each triangle finds: plane equations, and sides of edges by signs of areas."""
    rng = np.random.default_rng(0)
    corners = rng.uniform(-1.0, 1.0, (60, 3, 3)) * [1.0, 1.0, 0.3] + rng.uniform(-3.0, 3.0, (60, 1, 3))
    places = rng.uniform(-4.0, 4.0, (500, 2))
    expected = np.full(500, -np.inf)
    for a, b, c in corners:
        normal = np.cross(b - a, c - a)
        z = a[2] - ((places - a[:2]) @ normal[:2]) / normal[2]
        signs = [
            np.sign((q - p)[0] * (places - p[:2])[:, 1] - (q - p)[1] * (places - p[:2])[:, 0])
            for p, q in ((a, b), (b, c), (c, a))
        ]
        expected = np.where(np.abs(np.sum(signs, axis=0)) == 3, np.maximum(expected, z), expected)
    found = Surface(corners.reshape(-1, 3), np.arange(180).reshape(-1, 3)).heights(places)
    assert 50 < np.isfinite(expected).sum() < 450
    np.testing.assert_allclose(found, expected, atol=1e-9)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("difficulty", [0.0, 1.0])
def test_all_kinds(kind: str, difficulty: float) -> None:
    """On the size that was asked for, the origin in the middle and on the surface, fronts outward, edges that agree."""
    mesh, origin, cfg = make(kind, difficulty)
    assert cfg.size == SIZE
    if "cross" not in kind and kind not in ("boxes", "cylinders", "pyramids"):  # objects may stick out
        np.testing.assert_allclose(mesh.bounds[:, :2], [[0.0, 0.0], SIZE], atol=1e-9)
    np.testing.assert_allclose(origin[:2], [4.0, 4.0], atol=1e-9)
    # The origin of a height field is as high as the highest point nearby.
    if isinstance(cfg, t.HfTerrainBaseCfg):
        around = 4.0 + np.stack(np.meshgrid(*[np.arange(-1.0, 1.0, 0.1)] * 2), -1).reshape(-1, 2)
        assert origin[2] == pytest.approx(seen(mesh, around).max(), abs=1e-9)
    else:
        assert origin[2] == pytest.approx(seen(mesh, [[4.01, 4.02]])[0], abs=1e-9)
    again, same, _ = make(kind, difficulty)
    np.testing.assert_array_equal(mesh.vertices, again.vertices)
    np.testing.assert_array_equal(origin, same)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cooked = triangle_mesh(mesh.vertices, mesh.faces)
    assert cooked.dropped == 0 and disagreeing_edges(cooked.triangles) == 0
    upper = seen(mesh, scattered(200))
    if "cross" not in kind and kind != "gap":
        assert np.isfinite(upper).all()
    # What is seen from above is a front: of the triangles above any place, the highest faces up.
    facing = mesh.face_normals[:, 2]
    centres = mesh.triangles_center
    highest = np.abs(centres[:, 2] - seen(mesh, centres[:, :2])) < 1e-9
    assert (facing[highest & (np.abs(facing) > 1e-9)] > 0.0).all()


@pytest.mark.parametrize(("kind", "sign"), [("stairs", 1.0), ("stairs down", -1.0)])
def test_stairs(kind: str, sign: float) -> None:
    """A step more than leave the platform 3 m of the 6 m between borders: seven of 0.3 m, the last up to it."""
    mesh, origin, _ = make(kind, 0.25)
    places = scattered()
    places = places[np.abs((3.0 - rings(places)) / 0.3 % 1.0 - 0.5) < 0.49]
    step = np.clip(np.floor((3.0 - rings(places)) / 0.3) + 1.0, 0.0, 7.0)
    np.testing.assert_allclose(seen(mesh, places), sign * 0.125 * step, atol=1e-9)
    assert origin[2] == pytest.approx(sign * 0.125 * 7) and len(mesh.faces) < 150


def test_stairs_in_a_cross() -> None:
    """There is nothing where steps would be on no middle line."""
    mesh, _, _ = make("stairs in a cross", 1.0)
    found = seen(mesh, [[4.0, 4.0], [4.0, 1.1], [1.1, 4.0], [1.5, 1.5], [4.0, 0.5]])
    np.testing.assert_allclose(found, [1.4, 0.2, 0.2, -np.inf, -np.inf], atol=1e-9)


def test_boxes_pits_rails() -> None:
    along = np.column_stack([4.0 + np.array([0.9, 1.1, 1.4, 1.6, 3.9]), np.full(5, 4.3)])
    for kind, expected in {
        "box": [0.4, 0, 0, 0, 0],
        "double box": [0.4, 0.2, 0.2, 0, 0],
        "pit": [-0.4, 0, 0, 0, 0],
        "double pit": [-0.4, -0.2, -0.2, 0, 0],
        "gap": [0, -np.inf, -np.inf, 0, 0],
    }.items():
        np.testing.assert_allclose(seen(make(kind)[0], along), expected, atol=1e-9, err_msg=kind)
    # Rails as high as 0.3 m - 0.5 * 0.25 m: the inner one 0.1 m thick from 1 m on, the outer 0.2 m, from
    # 1 m + 0.6 * 3 m on.
    mesh, _, _ = make("rails")
    along[:, 0] = 4.0 + np.array([0.99, 1.01, 1.09, 1.11, 2.81])
    np.testing.assert_allclose(seen(mesh, along), [0, 0.175, 0.175, 0, 0.175], atol=1e-9)
    assert seen(mesh, [[7.01, 4.0]])[0] == 0.0


def test_ring_star_and_grid() -> None:
    mesh, _, _ = make("ring")
    found = seen(mesh, [[4.0, 4.0], [5.01, 4.0], [5.74, 4.0], [5.76, 4.0]])
    np.testing.assert_allclose(found, [0, 0.6, 0.6, 0], atol=1e-9)  # 0.5 m high, 0.1 m thick
    assert mesh.bounds[0, 2] == 0.0 and 0.5 in np.round(mesh.vertices[:, 2], 9)
    mesh, _, _ = make("star", 1.0)
    turned = [np.pi * k / 5 + shift for k in range(5) for shift in (0.0, np.pi / 10)]
    places = 4.0 + 3.0 * np.column_stack([np.cos(turned), np.sin(turned)])
    np.testing.assert_allclose(seen(mesh, places), [0.0, -1.0] * 5, atol=1e-9)
    mesh, origin, _ = make("grid", 1.0)
    cells = 0.5 * (8.0 - 17 * 0.45) + 0.45 * (np.arange(17) + 0.5)
    places = np.stack(np.meshgrid(cells, cells, indexing="ij"), -1).reshape(-1, 2)
    middle, corner = seen(mesh, places), seen(mesh, places + 0.2)
    outside = rings(places) > 1.3
    np.testing.assert_allclose(middle[outside], corner[outside], atol=1e-9)
    assert np.abs(middle).max() <= 0.2 + 1e-9 and middle[outside].std() == pytest.approx(0.2 / 3**0.5, rel=0.1)
    assert origin[2] == pytest.approx(0.2) and (middle[rings(places) < 0.8] == pytest.approx(0.2))
    assert len(np.unique(middle[outside])) == outside.sum()


def test_objects_are_outside_of_the_platform() -> None:
    mesh, origin, cfg = make("cylinders", 1.0)
    places = scattered()
    found, inside = seen(mesh, places), rings(places) < 0.5
    np.testing.assert_allclose(found[inside], 0.3, atol=1e-9)  # half as high as the objects, as far as they are seen
    assert origin[2] == pytest.approx(0.3)
    tops = found[~inside & (found > 1e-6)]
    np.testing.assert_allclose(tops, 0.3, atol=1e-9)
    assert 0.05 < len(tops) / (~inside).sum() < 0.4
    cfg.abs_height_noise, cfg.platform_height = (-0.2, 0.2), 0.7
    mesh, origin, _ = make(cfg)
    assert origin[2] == 0.7 and len(np.unique(np.round(mesh.vertices[:, 2], 6))) > 20
    low, high = make_cone(0.3, 0.5, (1.0, 2.0, 0.0)).bounds
    assert low[2] == pytest.approx(0.0) and high[2] == pytest.approx(0.5)


def test_slopes_waves_and_steps_of_height_fields() -> None:
    """At points of the grid; the outermost ring of points is the border. 79 points are within: 39 to the middle."""
    number = np.arange(1, 80)
    places = 0.1 * np.stack(np.meshgrid(number, number, indexing="ij"), -1)
    rise = 1.0 - np.abs(np.arange(79) - 39) / 39
    found = seen(make(KINDS["slope"].replace(border_width=0.0), 1.0)[0], places.reshape(-1, 2)).reshape(79, 79)
    top = 0.4 * 0.5 * 7.9
    platform = top * rise[29] ** 2
    np.testing.assert_allclose(found, np.minimum(top * np.outer(rise, rise), platform), atol=0.00251)
    wave = seen(make("wave", 1.0)[0], places.reshape(-1, 2)).reshape(79, 79)
    phase = 2.0 * np.pi * 3 * np.arange(79) / 79
    np.testing.assert_allclose(wave, 0.2 * np.add.outer(np.sin(phase), np.cos(phase)), atol=0.00251)
    steps = seen(make("steps", 1.0)[0], places.reshape(-1, 2) + 1e-4).reshape(79, 79)
    # 5 points a step, and so many that at most 10 points are left: 7; walls are where the higher point is.
    assert steps[39, 39] == pytest.approx(7 * 0.2)
    expected = 0.2 * np.minimum(np.minimum(np.arange(79), np.arange(79)[::-1]) // 5, 7)
    np.testing.assert_allclose(steps[:39, 39], expected[:39], atol=1e-6)


def test_noise_stays_in_its_range() -> None:
    cfg: Any = t.HfRandomUniformTerrainCfg(noise_range=(-0.06, 0.1), noise_step=0.02)
    mesh, _, _ = make(cfg)
    number = np.arange(1, 80)
    places = 0.1 * np.stack(np.meshgrid(number, number, indexing="ij"), -1).reshape(-1, 2)
    found = np.round(seen(mesh, places) / 0.02, 6)
    values, counts = np.unique(found, return_counts=True)
    assert values.tolist() == list(range(-3, 6)) and counts.min() > 0.8 * counts.mean()
    mesh, _, _ = make("noise")
    assert np.abs(mesh.vertices[:, 2]).max() == pytest.approx(0.1)
    with pytest.raises(
        ValueError, match=r"Downsampled scale must be larger than or equal to the horizontal scale: 0.05"
    ):
        make(cfg.replace(downsampled_scale=0.05))


def test_stones_and_obstacles() -> None:
    mesh, _, _ = make("stones", 0.5)
    found = seen(mesh, scattered())
    stones = (found >= -0.1 - 1e-9).mean()
    assert 0.35 < stones < 0.75 and found.min() == pytest.approx(-2.0)  # (0.6 / 0.85) ** 2, sides of stones besides
    assert seen(mesh, [[4.0, 4.0]])[0] == 0.0
    fixed, many = {"obstacle_height_mode": "fixed"}, {"num_obstacles": 40}
    for changes, expected in ((fixed, [0.0, 0.3]), (many, [-0.3, -0.15, 0.0, 0.15, 0.3])):
        cfg = KINDS["obstacles"].replace(**changes)
        found = np.round(seen(make(cfg, 1.0)[0], scattered()), 6)
        levels = [level for level in np.unique(found) if (found == level).mean() > 0.01]
        assert levels == expected
        assert np.isin(found, expected).mean() > 0.95  # all but where steep places meet


def test_steep_slopes_become_walls() -> None:
    heights = np.zeros((8, 8))
    heights[3:6, 3:6] = 100.0
    vertices, faces = convert_height_field_to_mesh(heights, 0.1, 0.005, 0.75)
    mesh = trimesh.Trimesh(vertices, faces, process=False)
    assert set(np.round(np.abs(mesh.face_normals[:, 2]), 6)) == {0.0, 1.0}
    np.testing.assert_allclose(
        seen(mesh, [[0.29, 0.4], [0.31, 0.4], [0.49, 0.4], [0.51, 0.4]]), [0, 0.5, 0.5, 0], atol=1e-9
    )
    sloped, _ = convert_height_field_to_mesh(heights, 0.1, 0.005)
    assert len(sloped) == 64 and seen(trimesh.Trimesh(sloped, faces), [[0.25, 0.4]])[0] == pytest.approx(0.25)


def test_a_border_is_a_frame() -> None:
    (frame,) = make_border((4.0, 3.0), (2.0, 1.0), 0.5, (1.0, 1.0, 0.25))
    assert frame.is_watertight and frame.volume == pytest.approx((12.0 - 2.0) * 0.5)
    np.testing.assert_allclose(frame.bounds, [[-1.0, -0.5, 0.0], [3.0, 2.5, 0.5]], atol=1e-12)


@pytest.mark.parametrize(
    ("cfg", "words"),
    [
        (KINDS["grid"].replace(grid_width=0.5), r"Border width must be greater than 0! Adjust .*grid_width"),
        (KINDS["star"].replace(num_bars=1), r"number of bars in the star must be greater than 2. Received: 1"),
        (KINDS["stairs"].replace(platform_width=7.0), r"do not fit on \(8.0, 8.0\) m"),
        (KINDS["slope"].replace(border_width=0.05), r"border width \(0.05\) must be greater than or equal to the"),
        (KINDS["slope"].replace(border_width=4.0), r"leaves nothing of \(8.0, 8.0\) m"),
        (KINDS["wave"].replace(num_waves=0), r"Number of waves must be a positive integer. Got: 0"),
        (KINDS["steps"].replace(step_width=0.05), r"step_width=0.05 m is less than horizontal_scale=0.1 m"),
        (KINDS["obstacles"].replace(obstacle_height_mode="any"), r"Unknown obstacle height mode 'any'"),
        (KINDS["boxes"].replace(object_type="torus"), r"object type 'torus' is not available: use one of box, cyl"),
        (KINDS["boxes"].replace(platform_width=9.0), r"platform_width=9.0 m leaves no place"),
    ],
)
def test_what_cannot_be_made_is_told(cfg: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        make(cfg)
    oblong = KINDS["grid"].replace(size=(8.0, 4.0))
    with pytest.raises(ValueError, match=r"must be square. Received size: \(8.0, 4.0\)"):
        oblong.function(0.5, oblong)
