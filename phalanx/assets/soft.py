"""Soft objects that scripts put into scenes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import trimesh

from phalanx.ecs.whole_files import replacing
from phalanx.io.formats.usd.bindings import Gf, Sdf, Usd, UsdGeom, UsdShade
from phalanx.models.meshes.fill import fill_surface

_TRUNK = np.array([4.2, 5.2, 3.5])
"""Half of its width, height and depth, cm."""

_LIMBS = (
    ((0.0, 1.0, 0.0), 5.0, 0.15),  # head
    *(((s * 0.4, 1.0, 0.0), 2.0, 0.012) for s in (-1.0, 1.0)),  # ears
    ((0.0, 0.9, 0.45), 0.8, 0.03),  # snout
    *(((s, 0.4, 0.12), 8.5, 0.065) for s in (-1.0, 1.0)),  # arms, by which Isaac Lab's script takes it
    *(((s * 0.22, -1.0, 0.0), 5.5, 0.02) for s in (-1.0, 1.0)),  # legs
)
"""Direction from the middle, by how much it sticks out, cm, and how wide it is, in 1 - cosine."""

_SHOULDER = 3.0
"""cm from the middle: from here on outwards, arms hang down by 45 degrees."""

_COARSE, _FINE = 14, 32
"""Cells along it, of what is simulated and of what collides: a Franka's fingers are 18 mm wide."""

_MATERIAL = {"youngsModulus": 5e4, "poissonsRatio": 0.3, "density": 12.0, "dynamicFriction": 1.5}
"""Light and rough, since the script closes fingers with less than 1 N."""


def teddy_bear() -> tuple[np.ndarray, np.ndarray]:
    """A bear that lies on its back, head along y, arms along (+-1, -1): points (n, 3), cm, and triangles (m, 3).

    The script turns it by 90 degrees, takes it at (0.02, -0.08) m from its middle, which is (-0.08, -0.02) of its own,
    and closes fingers along (1, -1) of its own: across an arm.
    """
    ball = trimesh.creation.icosphere(subdivisions=4)
    out = np.asarray(ball.vertices) / np.linalg.norm(ball.vertices, axis=1, keepdims=True)
    far = 1.0 / np.linalg.norm(out / _TRUNK, axis=1)
    for along, length, wide in _LIMBS:
        far += length * np.exp(-np.square((1.0 - out @ (np.array(along) / np.linalg.norm(along))) / wide))
    points = far[:, None] * out
    points[:, 1] -= np.logaddexp(0.0, np.abs(points[:, 0]) - _SHOULDER)  # a shear, smooth: nothing comes to overlap
    return points, np.asarray(ball.faces)


def write_teddy_bear(path: Path) -> None:
    """Write it as a deformable body of PhysX, a hundred times as large as it is: tasks scale it by 0.01."""
    points, faces = teddy_bear()
    stage = Usd.Stage.CreateInMemory()
    UsdGeom.SetStageUpAxis(stage, UsdGeom.Tokens.z)
    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    stage.SetDefaultPrim(UsdGeom.Xform.Define(stage, "/teddy_bear").GetPrim())
    mesh = UsdGeom.Mesh.Define(stage, "/teddy_bear/mesh")
    mesh.CreatePointsAttr([Gf.Vec3f(*each) for each in points.tolist()])
    mesh.CreateFaceVertexCountsAttr([3] * len(faces))
    mesh.CreateFaceVertexIndicesAttr(faces.ravel().tolist())
    mesh.CreateDisplayColorAttr([Gf.Vec3f(0.45, 0.3, 0.18)])
    prim = mesh.GetPrim()
    prim.AddAppliedSchema("PhysxDeformableBodyAPI")
    prim.CreateAttribute("physxDeformable:simulationHexahedralResolution", Sdf.ValueTypeNames.UInt).Set(_COARSE)
    fine = fill_surface(points, faces, _FINE, "teddy_bear")
    rest = prim.CreateAttribute("physxDeformable:collisionRestPoints", Sdf.ValueTypeNames.Point3fArray)
    rest.Set([Gf.Vec3f(*each) for each in fine.nodes.tolist()])
    prim.CreateAttribute("physxDeformable:collisionIndices", Sdf.ValueTypeNames.IntArray).Set(
        fine.tets.ravel().tolist()
    )
    material = UsdShade.Material.Define(stage, "/teddy_bear/material")
    material.GetPrim().AddAppliedSchema("PhysxDeformableBodyMaterialAPI")
    for name, value in _MATERIAL.items():
        attribute = material.GetPrim().CreateAttribute(f"physxDeformableBodyMaterial:{name}", Sdf.ValueTypeNames.Float)
        attribute.Set(value)
    UsdShade.MaterialBindingAPI.Apply(prim).Bind(material, UsdShade.Tokens.weakerThanDescendants, "physics")
    with replacing(path) as made:
        stage.GetRootLayer().Export(str(made))
