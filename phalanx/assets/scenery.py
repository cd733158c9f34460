"""What else scripts put into scenes: groceries, bins, mounts, rough ground, buildings, markers.

Figures: the YCB set's sizes and masses as its authors published them, small load carriers by VDA 4500; tables and
buildings are of about the size of the real ones.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from phalanx.assets.parts import GREY, body, box, robot, rod
from phalanx.ecs.whole_files import replacing
from phalanx.io.formats.usd.bindings import Sdf
from phalanx.models.robot_model import RobotModel, Shape

_SHAPES = Path(__file__).parents[1] / "facade" / "isaaclab" / "markers" / "shapes"
"""Files of markers, which come with this package."""

# -- objects ---------------------------------------------------------------------------------------------------------


def cracker_box() -> RobotModel:
    """Object 3 of the YCB set: 60 mm x 160 mm x 230 mm, 411 g."""
    return robot("cracker_box", [body("cracker_box", 0.411, box((0.06, 0.16, 0.23)))], [])


def sugar_box() -> RobotModel:
    """Object 4 of the YCB set: 38 mm x 89 mm x 175 mm, 514 g."""
    return robot("sugar_box", [body("sugar_box", 0.514, box((0.038, 0.089, 0.175)))], [])


def soup_can() -> RobotModel:
    """Object 5 of the YCB set: a cylinder of 66 mm x 101 mm, 349 g."""
    can = rod((0.0, 0.0, -0.0505), (0.0, 0.0, 0.0505), 0.033, "cylinder")
    return robot("tomato_soup_can", [body("tomato_soup_can", 0.349, can)], [])


def mustard_bottle() -> RobotModel:
    """Object 6 of the YCB set: 58 mm x 95 mm x 190 mm, 603 g, with a neck."""
    parts = [box((0.058, 0.095, 0.14), (0.0, 0.0, -0.025)), rod((0, 0, 0.045), (0, 0, 0.095), 0.016, "cylinder")]
    return robot("mustard_bottle", [body("mustard_bottle", 0.603, *parts)], [])


def load_carrier() -> RobotModel:
    """A small load carrier of 300 mm x 200 mm x 147 mm, open above, with its origin in the middle; 0.57 kg."""
    x, y, z, wall = 0.2, 0.3, 0.147, 0.005
    sides = [box((wall, y, z), (s * (x - wall) / 2.0, 0.0, 0.0)) for s in (-1.0, 1.0)]
    sides += [box((x, wall, z), (0.0, s * (y - wall) / 2.0, 0.0)) for s in (-1.0, 1.0)]
    floor = box((x, y, wall), (0.0, 0.0, (wall - z) / 2.0))
    return robot("small_KLT", [body("small_KLT", 0.57, floor, *sides)], [])


# -- what stands still -----------------------------------------------------------------------------------------------


def thorlabs_table() -> list[Shape]:
    """A breadboard table of 0.6 m x 0.9 m and 0.8 m height, with its top at z = 0."""
    legs = [box((0.06, 0.06, 0.74), (x, y, -0.43)) for x in (-0.25, 0.25) for y in (-0.4, 0.4)]
    return [box((0.6, 0.9, 0.06), (0.0, 0.0, -0.03)), *legs]


def rough_plane() -> list[Shape]:
    """Rough ground of 32 m x 32 m in steps of 0.25 m, up to 0.1 m high and deep, the same each time it is made."""
    cells, step, deep = 128, 0.25, 0.1
    rng = np.random.default_rng(0)
    heights = rng.uniform(-deep, deep, (cells + 1, cells + 1))
    grid = (np.arange(cells + 1) - cells / 2) * step
    x, y = np.meshgrid(grid, grid, indexing="ij")
    points = np.stack((x.ravel(), y.ravel(), heights.ravel()), axis=1)
    row, column = (index.ravel() for index in np.meshgrid(np.arange(cells), np.arange(cells), indexing="ij"))
    a = row * (cells + 1) + column
    b, c, d = a + cells + 1, a + cells + 2, a + 1
    faces = np.concatenate((np.stack((a, b, c), axis=1), np.stack((a, c, d), axis=1)))
    return [Shape("mesh", vertices=points, faces=faces, color=GREY, approximation="none")]


def warehouse() -> list[Shape]:
    """A hall of 30 m x 40 m and 8 m height, without a roof, with eight shelves."""
    shelves = [
        one
        for x in (-9.0, -3.0, 3.0, 9.0)
        for y in (-12.0, 12.0)
        for one in (*(box((1.0, 8.0, 0.05), (x, y, z)) for z in (0.5, 1.8, 3.1)), *_posts(x, y, 3.1))
    ]
    return [*_hall(30.0, 40.0, 8.0), *shelves]


def hospital() -> list[Shape]:
    """A floor of 30 m x 60 m with a corridor along y and six rooms on either side."""
    walls = [box((0.15, 60.0, 3.0), (x, 0.0, 1.5)) for x in (-2.0, 2.0)]
    walls += [box((12.8, 0.15, 3.0), (s * 8.6, y, 1.5)) for s in (-1.0, 1.0) for y in np.linspace(-20.0, 20.0, 5)]
    return [*_hall(30.0, 60.0, 3.0), *walls]


def _hall(x: float, y: float, z: float) -> list[Shape]:
    sides = [box((0.2, y, z), (s * x / 2.0, 0.0, z / 2.0)) for s in (-1.0, 1.0)]
    ends = [box((x, 0.2, z), (0.0, s * y / 2.0, z / 2.0)) for s in (-1.0, 1.0)]
    return [box((x, y, 0.2), (0.0, 0.0, -0.1)), *sides, *ends]


def _posts(x: float, y: float, top: float) -> list[Shape]:
    return [box((0.08, 0.08, top), (x + a, y + b, top / 2.0)) for a in (-0.45, 0.45) for b in (-3.9, 3.9)]


# -- markers ---------------------------------------------------------------------------------------------------------


def write_frame(path: Path) -> None:
    """Write the three axes of a frame, 1 m long."""
    _copy("frame_prim.usda", path)


def write_arrow(path: Path) -> None:
    """Write an arrow along x, 1 m long."""
    _copy("arrow_x.usda", path)


def _copy(name: str, path: Path) -> None:
    layer = Sdf.Layer.FindOrOpen(str(_SHAPES / name))
    assert layer is not None, f"{name} is part of this package"
    with replacing(path) as made:  # USD itself would follow a link
        layer.Export(str(made))
