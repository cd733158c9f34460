"""The files that are mutated, as they are before: each loads, and holds something of all that its format can say."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import hostile_files as files
import numpy as np

import phalanx as px

FACES = "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
CORNERS = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"
HFIELD = '<asset><hfield name="h" file="h.png" size="1 1 1 1"/></asset>'

STL = files.stl(
    [
        [[0, 0, 0], [0, 1, 0], [1, 0, 0]],
        [[0, 0, 0], [1, 0, 0], [0, 0, 1]],
        [[0, 0, 0], [0, 0, 1], [0, 1, 0]],
        [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
    ]
)

MSH_NODES = "1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 1\n"
MSH_22 = (
    f"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n5\n{MSH_NODES}$EndNodes\n"
    "$Elements\n3\n1 2 2 0 1 1 2 3\n2 4 2 0 1 1 2 3 4\n3 4 2 0 1 2 3 4 5\n$EndElements\n"
)
MSH_41 = (
    "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 5 1 5\n3 1 0 5\n1\n2\n3\n4\n5\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n1 1 1\n"
    "$EndNodes\n$Elements\n1 2 1 2\n3 1 4 2\n1 1 2 3 4\n2 2 3 4 5\n$EndElements\n"
)
VTK = (
    "# vtk DataFile Version {version}\ntwo tetrahedra\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 5 float\n"
    "0 0 0 1 0 0 0 1 0\n0 0 1 1 1 1\n{cells}\nCELL_TYPES 2\n10 10\n"
)
VTK_OLD = VTK.format(version="3.0", cells="CELLS 2 10\n4 0 1 2 3\n4 1 2 3 4")
VTK_NEW = VTK.format(
    version="5.1", cells="CELLS 3 8\nOFFSETS vtktypeint64\n0 4 8\nCONNECTIVITY vtktypeint64\n0 1 2 3 1 2 3 4"
)

FLEX = """
<body name="b" pos="0 0 1" quat="0.9 0.1 0.2 0.3"><geom size="0.01"/>
<flexcomp name="cloth" type="grid" dim="2" count="3 2 1" spacing="0.1 0.2 0.1" mass="0.2" radius="0.004" pos="0.5 0 0">
<elasticity young="3e4" poisson="0.2" thickness="2e-3" elastic2d="both"/>
<contact selfcollide="none" friction="0.3"/><pin id="0" gridrange="1 1 2 1"/></flexcomp></body>
<flexcomp name="jelly" type="grid" dim="3" count="2 2 2" spacing="0.05 0.06 0.07" mass="0.5" euler="10 20 30">
<elasticity young="5e4" poisson="0.3"/><contact selfcollide="none"/><pin grid="0 0 0 1 1 1"/></flexcomp>
<flexcomp name="string" type="grid" dim="1" count="3 1 1" spacing="0.05 1 1" mass="0.05" radius="0.01">
<pin range="0 1"/></flexcomp>
<flexcomp name="pair" type="direct" dim="3" mass="0.1" pos="2 0 1" scale="0.1 0.1 0.1"
point="0 0 0  1 0 0  0 1 0  0 0 1  1 1 1" element="0 1 2 3  1 2 3 4"><contact selfcollide="none"/></flexcomp>
<flexcomp name="part" type="gmsh" dim="3" mass="1" file="part.msh"><contact selfcollide="none"/></flexcomp>
"""

SPEC = """robot: arm
world:
  dt: 0.002
  gravity: [0, 0, -9.81]
stiffness: 100.0
damping: 10
fixed_base: true
episodes: 10
episodes_per_shard: 4
steps: 20
every: 5
seed: 3
signals: [joint_pos, root_pose]
randomise: &ranges
  joint_pos: [-0.1, 0.2]
  mass: [0.8, 1.2]
policy: random
swing: 0.2
"""
SWEEP = """over:
  stiffness: [25.0, 400.0]
  damping: {low: 1.0, high: 20.0, log: true}
  world.dt: [0.001, 2e-3]
measure: joint_pos
goal: min
samples: 2
seed: 4
"""


def _mjcf(folder: Path) -> Path:
    body = '<body name="a" pos="0 0 1"><joint name="j" type="hinge" axis="0 1 0" range="-1 1"/><geom size=".1 .2"'
    inner = ' type="capsule"/><site name="s"/></body><replicate count="3" offset="1 0 0"><geom size=".1"/></replicate>'
    rest = '<option timestep="0.002"/><actuator><position joint="j" kp="10"/></actuator>'
    return files.mjcf(folder, body + inner, rest)


def _png(folder: Path) -> Path:
    files.write(folder, "h.png", files.png(8, 8))
    return files.mjcf(folder, files.HFIELD, HFIELD)


def _usd(folder: Path) -> Path:
    ball = 'def Sphere "s" (prepend apiSchemas = ["PhysicsCollisionAPI"]) {\ndouble radius = 0.1\n}\n'
    return files.usd(folder, f'def Xform "a0" {files.BODY} {{\nfloat physics:mass = 2\n{ball}}}\n')


def _flexcomp(folder: Path) -> Path:
    files.write(folder, "part.msh", MSH_22)
    return files.mjcf(folder, FLEX)


def _world(folder: Path) -> Path:
    world = px.World(2)
    world.add_rigid_object(px.Shape("sphere", (0.1,)), "ball")
    world.save(folder / "a.npz")
    return folder / "a.npz"


def add_deformables(world: px.World) -> None:
    """A soft body, a cloth, a rope, and grains, with two ties."""
    jelly = world.add_soft_body(px.Shape("box", (0.1, 0.1, 0.1)), "jelly", resolution=1, position=(2.0, 0.0, 1.0))
    corners = np.array([[0.0, 0.0, 0.0], [0.1, 0.0, 0.0], [0.0, 0.1, 0.0], [0.1, 0.1, 0.0]])
    world.add_cloth(px.ClothMesh(corners, np.array([[0, 1, 2], [1, 3, 2]])), "sheet", position=(3.0, 0.0, 1.0))
    line = np.linspace((4.0, 0.0, 1.0), (4.3, 0.0, 1.0), 4)
    rope = world.add_rope(line, "rope", twisting_stiffness=1e-3)
    world.add_particles(np.array([[5.0, 0.0, 1.0], [5.02, 0.0, 1.0]]), "grains", rolling_friction=0.1)
    world.attach_nodes(jelly, [0])
    world.attach_nodes(rope, [0], points=[line[0]])


@cache
def _saved_deformables() -> bytes:
    import tempfile

    world = px.World(2)
    add_deformables(world)
    with tempfile.TemporaryDirectory() as folder:
        world.save(Path(folder) / "a.npz")
        return (Path(folder) / "a.npz").read_bytes()


GOOD: dict[str, tuple[Callable[[Path], Path], str]] = {
    "urdf": (files.urdf, "robot.urdf"),
    "mjcf": (_mjcf, "model.xml"),
    "usd": (_usd, "scene.usda"),
    "stl": (lambda folder: files.mesh(folder, "x.stl", STL), "x.stl"),
    "obj": (lambda folder: files.mesh(folder, "x.obj", CORNERS + FACES), "x.obj"),
    "ply": (lambda folder: files.mesh(folder, "x.ply", files.ply(3, "3 0 1 2\n")), "x.ply"),
    "dae": (lambda folder: files.mesh(folder, "x.dae", files.dae()), "x.dae"),
    "glb": (lambda folder: files.mesh(folder, "x.glb", files.glb([{"mesh": 0}], [0])), "x.glb"),
    "png": (_png, "h.png"),
    "saved world": (_world, "a.npz"),
    "gmsh 2.2": (lambda folder: files.write(folder, "a.msh", MSH_22), "a.msh"),
    "gmsh 4.1": (lambda folder: files.write(folder, "a.msh", MSH_41), "a.msh"),
    "vtk 3.0": (lambda folder: files.write(folder, "a.vtk", VTK_OLD), "a.vtk"),
    "vtk 5.1": (lambda folder: files.write(folder, "a.vtk", VTK_NEW), "a.vtk"),
    "flexcomp": (_flexcomp, "model.xml"),
    "flexcomp's file": (_flexcomp, "part.msh"),
    "saved deformables": (lambda folder: files.write(folder, "a.npz", _saved_deformables()), "a.npz"),
    "farm spec": (lambda folder: files.write(folder, "farm.yaml", SPEC), "farm.yaml"),
    "sweep": (lambda folder: files.write(folder, "sweep.yaml", SWEEP), "sweep.yaml"),
}
"""By name of the kind: what makes the good file in a folder, and the one that is mutated."""
