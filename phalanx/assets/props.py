"""Objects and furniture: blocks, tables, a cabinet with drawers.

Sizes are those that the tasks reckon with: a block's edge is the height at which one stands on another, tops of tables
are at the height of their own origin.
"""

from __future__ import annotations

from phalanx.assets.parts import body, box, joint, robot, rod, turn
from phalanx.models.robot_model import Body, RobotModel, Shape

BLOCK, DEX_CUBE = 0.0468, 0.06
"""Edges of blocks and of the cube for hands, m."""

BLOCK_DENSITY = 500.0
"""kg/m^3, about that of wood."""
DEX_CUBE_DENSITY = 1000.0
"""kg/m^3: Isaac Sim reports 0.216 kg of the cube for hands, also where a task scales it by 0.8."""


def block(color: str) -> RobotModel:
    """A cube to be stacked."""
    colors = {"red": (0.8, 0.1, 0.1), "green": (0.1, 0.6, 0.2), "blue": (0.1, 0.2, 0.8), "yellow": (0.9, 0.8, 0.1)}
    return _cube(f"{color}_block", BLOCK, (*colors[color], 1.0))


def basic_block() -> RobotModel:
    """A grey cube."""
    return _cube("Cube", BLOCK, (0.5, 0.5, 0.5, 1.0))


def dex_cube() -> RobotModel:
    """The cube that hands turn."""
    return _cube("dex_cube", DEX_CUBE, (0.9, 0.5, 0.1, 1.0), DEX_CUBE_DENSITY)


def _cube(
    name: str, edge: float, color: tuple[float, float, float, float], density: float = BLOCK_DENSITY
) -> RobotModel:
    shape = box((edge, edge, edge))
    shape.color = color
    return robot(name, [body(name, density * edge**3, shape)], [])


def table() -> list[Shape]:
    """A table of 0.8 m x 1.2 m and 1.05 m height, with its top at z = 0."""
    legs = [rod((x, y, -1.05), (x, y, -0.03), 0.03, "cylinder") for x in (-0.35, 0.35) for y in (-0.55, 0.55)]
    return [box((0.8, 1.2, 0.03), (0.0, 0.0, -0.015)), *legs]


def packing_table() -> list[Shape]:
    """A wide table with its top at z = 1 m."""
    legs = [rod((x, y, 0.0), (x, y, 0.96), 0.03, "cylinder") for x in (-0.8, 0.8) for y in (-0.35, 0.35)]
    return [box((1.8, 0.8, 0.04), (0.0, 0.0, 0.98)), *legs]


def stand() -> list[Shape]:
    """A stand for an arm, with its top at z = 0."""
    return [box((0.2, 0.2, 0.02), (0.0, 0.0, -0.01)), rod((0.0, 0.0, -0.8), (0.0, 0.0, -0.02), 0.06, "cylinder")]


def cabinet() -> RobotModel:
    """A cabinet of 0.8 m height that opens along +x: two drawers with handles, and two doors below them."""
    depth, width, height, wall = 0.6, 0.8, 0.8, 0.02
    back, side = -depth / 2.0, width / 2.0
    case = body(
        "sektion",
        30.0,
        box((wall, width, height), (back, 0.0, 0.0)),
        box((depth, wall, height), (0.0, side, 0.0)),
        box((depth, wall, height), (0.0, -side, 0.0)),
        box((depth, width, wall), (0.0, 0.0, height / 2.0)),
        box((depth, width, wall), (0.0, 0.0, -height / 2.0)),
        box((depth, width, wall), (0.0, 0.0, -0.06)),
    )
    bodies, joints = [case], []
    for name, z in (("top", 0.28), ("bottom", 0.07)):
        bodies += [_drawer(f"drawer_{name}"), _handle(f"drawer_handle_{name}")]
        joints += [
            joint(
                f"drawer_{name}_joint", "sektion", f"drawer_{name}", "x", (0.0, 0.4), at=(0.0, 0.0, z), slides=True,
                damping=0.1, speed=10.0,
            ),
            joint(f"drawer_handle_{name}_joint", f"drawer_{name}", f"drawer_handle_{name}", "", at=(0.305, 0.0, 0.0)),
        ]  # fmt: skip
    for name, s in (("left", 1.0), ("right", -1.0)):
        leaf = box((wall, 0.37, 0.3), (0.0, -0.185 * s, 0.0))
        bodies.append(body(f"door_{name}_link", 2.0, leaf))
        bounds = (0.0, 1.57) if s > 0.0 else (-1.57, 0.0)
        place = (0.3, 0.38 * s, -0.23)
        joints.append(joint(f"door_{name}_joint", "sektion", f"door_{name}_link", "z", bounds, at=place, damping=0.1))
    return robot("sektion_cabinet", bodies, joints, fixed_base=True)


def _drawer(name: str) -> Body:
    front = box((0.02, 0.74, 0.17), (0.29, 0.0, 0.0))
    floor = box((0.52, 0.7, 0.01), (0.02, 0.0, -0.07))
    walls = [box((0.52, 0.01, 0.12), (0.02, y, -0.01)) for y in (-0.345, 0.345)]
    return body(name, 3.0, front, floor, *walls, box((0.01, 0.7, 0.12), (-0.24, 0.0, -0.01)))


def _handle(name: str) -> Body:
    """A bar across, 4 cm in front of the drawer, on two posts."""
    bar = rod((0.04, -0.08, 0.0), (0.04, 0.08, 0.0), 0.008)
    posts = [rod((0.0, y, 0.0), (0.04, y, 0.0), 0.006) for y in (-0.08, 0.08)]
    return body(name, 0.1, bar, *posts)


def mug() -> RobotModel:
    """A mug: a cup of flat walls, open above, and a handle."""
    walls = [
        box((0.008, 0.034, 0.09), (0.036, 0.0, 0.045)), box((0.008, 0.034, 0.09), (-0.036, 0.0, 0.045)),
        box((0.034, 0.008, 0.09), (0.0, 0.036, 0.045)), box((0.034, 0.008, 0.09), (0.0, -0.036, 0.045)),
        *(box((0.034, 0.008, 0.09), (0.026 * x, 0.026 * y, 0.045), turn("z", -45.0 * x * y)) for x in (1, -1)
          for y in (1, -1)),
    ]  # fmt: skip
    handle = rod((0.06, 0.0, 0.025), (0.06, 0.0, 0.065), 0.006)
    bars = [rod((0.04, 0.0, z), (0.06, 0.0, z), 0.006) for z in (0.025, 0.065)]
    return robot(
        "mug", [body("mug", 0.25, rod((0, 0, 0.0), (0, 0, 0.008), 0.036, "cylinder"), *walls, handle, *bars)], []
    )


def open_box() -> RobotModel:
    """A box of 30 cm x 20 cm and 10 cm height, open above."""
    walls = [box((0.3, 0.005, 0.1), (0.0, y, 0.05)) for y in (-0.1, 0.1)]
    walls += [box((0.005, 0.2, 0.1), (x, 0.0, 0.05)) for x in (-0.15, 0.15)]
    return robot("box", [body("box", 0.3, box((0.3, 0.2, 0.005), (0.0, 0.0, 0.0025)), *walls)], [])


def toy_truck() -> RobotModel:
    """A toy truck: a bed, a cab and fixed wheels."""
    wheels = [
        rod((x, -0.03, 0.015), (x, 0.03, 0.015), 0.015, "cylinder") for x in (-0.045, 0.045)
    ]  # a pair as one roller
    parts = [box((0.14, 0.05, 0.025), (0.0, 0.0, 0.035)), box((0.04, 0.05, 0.04), (0.05, 0.0, 0.065))]
    return robot("toy_truck", [body("toy_truck", 0.15, *parts, *wheels)], [])
