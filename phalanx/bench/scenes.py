"""The benchmark scenes."""

from __future__ import annotations

import math
from functools import partial

from phalanx.bench.declare import (
    ClothItem,
    MujocoOptions,
    ObjectItem,
    ParticlesItem,
    RobotItem,
    RopeItem,
    Scene,
    SoftItem,
)
from phalanx.bench.robots import humanoid as man
from phalanx.bench.robots.g1 import GAINS as G1_GAINS
from phalanx.bench.robots.g1 import START as G1_START
from phalanx.bench.robots.g1 import g1
from phalanx.bench.robots.panda import GAINS as PANDA_GAINS
from phalanx.bench.robots.panda import panda
from phalanx.bench.robots.simple import chain, gripper
from phalanx.maths.arrays import about
from phalanx.models.robot_model import Shape

SOFTNESS = {"solref": (0.015, 1.0), "solimp": (0.9, 0.99, 0.003), "solimplimit": (0.0, 0.99, 0.01)}
"""MuJoCo's parameters of contacts and limits of the humanoid, as published with it."""

CONTROL_NOISE = 0.01
"""Of the full control, as in MuJoCo Warp's benchmarks."""

CHAINS = (2, 4, 8, 16, 32, 64)
BODIES = (1, 2, 4, 8, 16, 32, 64)
STACKED = (4, 8, 16, 32, 64)
HALF = 0.1
BALL, CUBE = Shape("sphere", (HALF,)), Shape("box", (HALF, HALF, HALF))
"""What is at rest in the families whose scenes differ in the number of contacts, m."""


def _humanoid(name: str = "humanoid", place: tuple[float, float, float, float] | None = None) -> RobotItem:
    """Crouching at the origin, or upright at ``place``: x, y, z in m and the angle about z in degrees."""
    position, orientation, joints = (0.0, 0.0, man.START_HEIGHT), man.START_ORIENTATION, man.START
    if place is not None:
        w, x, y, z = about((0.0, 0.0, 1.0), math.radians(place[3])).tolist()
        position, orientation, joints = place[:3], (w, x, y, z), {}
    return RobotItem(
        man.humanoid,
        name,
        position,
        orientation,
        fixed_base=False,
        joint_pos=joints,
        gears=man.GEARS,
        noise=CONTROL_NOISE,
        self_collision=True,
        friction=0.0,  # between its own bodies; with the ground the greater coefficient counts
    )


def _boxes(side: int = 4, half: float = 0.05, wall: float = 0.32) -> tuple[ObjectItem, ...]:
    """A cube of ``side``³ boxes above a bin of four walls, each layer turned against the one below."""
    gap, items = 0.13, []
    for layer in range(side):
        angle = 0.5 * math.radians(7.0 + 11.0 * layer)
        for row in range(side):
            for column in range(side):
                items.append(
                    ObjectItem(
                        Shape("box", (half, half, half)),
                        f"box{len(items)}",
                        (gap * (column - 0.5 * (side - 1)), gap * (row - 0.5 * (side - 1)), 0.15 + 0.16 * layer),
                        (math.cos(angle), 0.0, 0.0, math.sin(angle)),
                    )
                )
    thick, tall = 0.02, 0.25
    for name, x, y in (("east", 1, 0), ("west", -1, 0), ("north", 0, 1), ("south", 0, -1)):
        size = (thick if x else wall + 2 * thick, thick if y else wall + 2 * thick, tall)
        items.append(
            ObjectItem(Shape("box", size), name, (x * (wall + thick), y * (wall + thick), tall), kind="static")
        )
    return tuple(items)


def _basin(long: float, wide: float, tall: float, thick: float = 0.02) -> tuple[ObjectItem, ...]:
    """Four walls about the origin; half sides inside, m."""
    items = []
    for name, x, y in (("east", 1, 0), ("west", -1, 0), ("north", 0, 1), ("south", 0, -1)):
        size = (thick if x else long + 2 * thick, thick if y else wide + 2 * thick, tall)
        place = (x * (long + thick), y * (wide + thick), tall)
        items.append(ObjectItem(Shape("box", size), name, place, kind="static", friction=0.0))
    return tuple(items)


def _chain(links: int) -> Scene:
    return Scene(
        f"chain_{links}",
        f"hanging chain of {links} hinges, no contact",
        (RobotItem(partial(chain, links), "chain", (0.0, 0.0, 0.0), fixed_base=True, gears=(("*", 0.1),), noise=1.0),),
        ground=False,
        cuda_envs=(4096,),
        cpu_envs=(256,),
        watch=(f"chain/link{links - 1}",),
        mujoco=MujocoOptions("Euler"),
        family="chains",
    )


def _at_rest(family: str, count: int, what: str, shape: Shape, high: int = 1) -> Scene:
    """Bodies at rest on the ground, in columns of ``high``."""
    objects = []
    for n in range(count):
        column, level = divmod(n, high)
        place = (0.5 * (column % 8), 0.5 * (column // 8), HALF + 2.0 * HALF * level)
        objects.append(ObjectItem(shape, f"{shape.kind}{n}", place))
    return Scene(
        f"{family}_{count}",
        what,
        objects=tuple(objects),
        steps=300,
        cpu_work=40_000,
        cuda_envs=(1024,),
        cpu_envs=(64,),
        watch=tuple(f"{item.name}/{item.name}" for item in objects),
        family=family,
    )


_ALL = (
    Scene(
        "humanoid",
        "27-dof humanoid of capsules, crouching on the ground and falling over, touching itself too",
        (_humanoid(),),
        ground_friction=1.0,
        max_contacts=40,
        watch=("humanoid/torso",),
        mujoco=MujocoOptions("Euler", eulerdamp=False, **SOFTNESS, nconmax=24, njmax=64),
    ),
    Scene(
        "three_humanoids",
        "three of them, 81 dofs: one crouching, two upright",
        (
            _humanoid("humanoid0"),
            _humanoid("humanoid1", (1.12668, -3.83805, 1.282, 16.36)),
            _humanoid("humanoid2", (2.16212, -3.36528, 1.282, 32.72)),
        ),
        ground_friction=1.0,
        max_contacts=120,
        watch=("humanoid0/torso", "humanoid1/torso", "humanoid2/torso"),
        mujoco=MujocoOptions("Euler", **SOFTNESS, nconmax=100, njmax=192),
        cuda_envs=(1, 256, 4096, 8192),
        cpu_envs=(1, 256),
        cpu_work=100_000,
    ),
    Scene(
        "panda",
        "9-dof arm with a gripper, free motion above the ground",
        (
            RobotItem(
                panda,
                "panda",
                (0.0, 0.0, 0.0),
                fixed_base=True,
                gains=PANDA_GAINS,
                jitter=0.03,
                friction=1.0,
            ),
        ),
        ground_friction=1.0,
        watch=("panda/link7",),
        mujoco=MujocoOptions("implicitfast", eulerdamp=False, nconmax=1, njmax=5),
    ),
    Scene(
        "quadruped",
        "12-dof quadruped standing on its feet",
        (RobotItem("quadruped", "quadruped", jitter=0.02),),
        watch=("quadruped/base",),
    ),
    Scene(
        "g1",
        "29-dof humanoid standing on the corners of its feet",
        (
            RobotItem(
                g1,
                "g1",
                (0.0, 0.0, 0.7665),
                fixed_base=False,
                joint_pos=G1_START,
                gains=G1_GAINS,
                jitter=0.01,
            ),
        ),
        watch=("g1/pelvis",),
    ),
    Scene(
        "cartpole",
        "a pole on a cart that is pushed about, no contact",
        (RobotItem("cartpole", "cartpole", gears=(("slider", 1.0),), noise=5.0),),
        ground=False,
        watch=("cartpole/pole",),
        mujoco=MujocoOptions("Euler"),
    ),
    Scene(
        "arm",
        "7-dof arm with a gripper, no contact",
        (RobotItem("arm", "arm", jitter=0.1),),
        ground=False,
        watch=("arm/link7",),
    ),
    Scene(
        "boxes",
        "64 boxes that fall into a bin",
        objects=_boxes(),
        steps=300,
        cpu_work=6_400,
        cpu_envs=(1, 64),
        cuda_envs=(1, 256, 1024),
        watch=tuple(f"box{n}/box{n}" for n in range(64)),
    ),
    Scene(
        "gripper",
        "a gripper that closes on a cube and lifts it",
        (
            RobotItem(
                gripper,
                "gripper",
                (0.0, 0.0, 0.05),
                fixed_base=True,
                gains=(("lift", 2000.0, 200.0), ("close_*", 0.0, 5.0)),
                torques=(("close_*", 8.0),),
                travel=(("lift", 0.04),),
                friction=1.0,
            ),
        ),
        (ObjectItem(Shape("box", (0.03, 0.03, 0.03)), "cube", (0.0, 0.0, 0.0305), mass=0.2, friction=1.0),),
        ground_friction=1.0,
        watch=("cube/cube",),
    ),
    Scene(
        "soft_cube",
        "a soft cube of 1,080 tetrahedra at rest on the ground",
        soft=(SoftItem(Shape("box", (0.05, 0.05, 0.05)), "cube", (0.0, 0.0, 0.0505), mass=1.0),),
        steps=300,
        cpu_work=6_400,
        cpu_envs=(1, 64),
        cuda_envs=(1, 256, 1024, 8192),
        watch=("cube",),
        family="soft",
    ),
    Scene(
        "soft_lift",
        "a gripper that closes on a soft cube of 1,080 tetrahedra and lifts it",
        (
            RobotItem(
                gripper,
                "gripper",
                (0.0, 0.0, 0.05),
                fixed_base=True,
                gains=(("lift", 2000.0, 200.0), ("close_*", 0.0, 5.0)),
                torques=(("close_*", 8.0),),
                travel=(("lift", 0.04),),
                friction=1.0,
            ),
        ),
        soft=(SoftItem(Shape("box", (0.03, 0.03, 0.03)), "cube", (0.0, 0.0, 0.0305), friction=1.0),),
        steps=300,
        ground_friction=1.0,
        cpu_work=6_400,
        cpu_envs=(1, 64),
        cuda_envs=(1, 256, 1024, 8192),
        watch=("cube",),
        family="soft",
    ),
    Scene(
        "cloth_drape",
        "a cloth of 902 nodes, 2,706 dofs, that falls on a box",
        objects=(ObjectItem(Shape("box", (0.1, 0.1, 0.1)), "box", (0.0, 0.0, 0.1), kind="static"),),
        cloth=(ClothItem((0.8, 0.42), (40, 21), "cloth", (0.0, 0.0, 0.25)),),
        steps=200,
        cpu_work=640,
        cpu_envs=(1, 32),
        cuda_envs=(1, 32, 1024),
        watch=("cloth",),
        family="cloth",
    ),
    Scene(
        "cloth_folds",
        "the same cloth, which falls over a wall into folds and touches itself",
        objects=(ObjectItem(Shape("box", (0.02, 0.3, 0.1)), "box", (0.0, 0.0, 0.1), kind="static"),),
        cloth=(ClothItem((0.8, 0.42), (40, 21), "cloth", (0.0, 0.0, 0.25), touches_cloth=True),),
        steps=200,
        cpu_work=200,
        cpu_envs=(1,),
        cuda_envs=(1, 32, 1024),
        watch=("cloth",),
        family="cloth",
    ),
    Scene(
        "rope_drape",
        "a rope of 100 segments that falls across a box",
        objects=(ObjectItem(Shape("box", (0.1, 0.1, 0.1)), "box", (0.0, 0.0, 0.1), kind="static"),),
        ropes=(RopeItem(1.0, 100, "rope", (-0.4, 0.0, 0.23)),),
        steps=300,
        cpu_work=6_400,
        cpu_envs=(1, 64),
        cuda_envs=(1, 256, 1024, 8192),
        watch=("rope",),
        family="ropes",
    ),
    Scene(
        "grains_heap",
        "a block of 1,000 grains that roll, which falls into a heap",
        particles=(ParticlesItem((10, 10, 10), "grains", (0.0, 0.0, 0.053), rolling_friction=0.1),),
        steps=200,
        cpu_work=800,
        cpu_envs=(1, 16),
        cuda_envs=(1, 32, 256, 1024),
        watch=("grains",),
        family="grains",
    ),
    Scene(
        "fluid_dam",
        "a block of 1,152 bits of a fluid that breaks in a basin",
        objects=_basin(0.2, 0.046, 0.15),
        particles=(ParticlesItem((12, 8, 12), "fluid", (-0.139, 0.0, 0.062), fluid=True, friction=0.0),),
        steps=200,
        cpu_work=800,
        cpu_envs=(1, 16),
        cuda_envs=(1, 32, 256, 1024),
        watch=("fluid",),
        family="fluid",
    ),
    Scene(
        "cloth_250k",
        "one cloth of 250,000 nodes that touches itself and falls on a box",
        objects=(ObjectItem(Shape("box", (0.5, 0.5, 0.5)), "box", (0.0, 0.0, 0.5), kind="static"),),
        cloth=(ClothItem((2.0, 2.0), (499, 499), "cloth", (0.0, 0.0, 1.01), thickness=1e-3, touches_cloth=True),),
        steps=100,
        hold=10,
        cpu_work=1,
        cpu_envs=(1,),
        cuda_envs=(1,),
        watch=("cloth",),
        family="large",
    ),
    Scene(
        "grains_1m",
        "a block of 1,000,000 grains that roll",
        particles=(ParticlesItem((100, 100, 100), "grains", (0.0, 0.0, 0.508), rolling_friction=0.1),),
        steps=100,
        hold=10,
        cpu_work=1,
        cpu_envs=(1,),
        cuda_envs=(1,),
        watch=("grains",),
        family="large",
    ),
    *(_chain(links) for links in CHAINS),
    *(_at_rest("spheres", n, f"spheres at rest on the ground, a contact each: {n}", BALL) for n in BODIES),
    *(_at_rest("boxes_apart", n, f"boxes at rest on the ground, four contacts each: {n}", CUBE) for n in BODIES),
    *(_at_rest("stacks", n, f"boxes in stacks of four, sixteen contacts a stack: {n}", CUBE, 4) for n in STACKED),
)

SCENES = {scene.name: scene for scene in _ALL}
FAMILIES = {
    family: tuple(s.name for s in _ALL if s.family == family)
    for family in dict.fromkeys(s.family for s in _ALL if s.family)
}
DEFAULT = tuple(scene.name for scene in _ALL if not scene.family)
"""Scenes that are run when none is named."""
