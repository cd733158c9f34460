"""Soft objects that scripts put into scenes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import trimesh

from phalanx.ecs.whole_files import replacing
from phalanx.io.formats.usd.bindings import Gf, Sdf, Usd, UsdGeom, UsdShade
from phalanx.models.meshes.fill import fill_surface

_TRUNK = np.array([4.5, 6.0, 3.5])
"""Half of its width, height and depth, cm."""

_LIMBS = (
    ((0.0, 1.0, 0.0), 3.5, 0.2),  # head
    *(((s * 0.45, 1.0, 0.0), 1.5, 0.02) for s in (-1.0, 1.0)),  # ears
    ((0.0, 0.9, 0.45), 0.8, 0.03),  # snout
    *(((s, -0.6, 0.0), 6.5, 0.04) for s in (-1.0, 1.0)),  # arms, by which Isaac Lab's script takes it
    *(((s * 0.2, -1.0, 0.0), 9.0, 0.03) for s in (-1.0, 1.0)),  # legs
)
"""Direction from the middle, by how much it sticks out, cm, and how wide it is, in 1 - cosine."""

_COARSE, _FINE = 14, 32
"""Cells along it, of what is simulated and of what collides: a Franka's fingers are 18 mm wide."""

_MATERIAL = {"youngsModulus": 5e4, "poissonsRatio": 0.3, "density": 30.0, "dynamicFriction": 1.0}


def teddy_bear() -> tuple[np.ndarray, np.ndarray]:
    """A bear that lies on its back, head along y, arms along x: points (n, 3), cm, and triangles (m, 3)."""
    ball = trimesh.creation.icosphere(subdivisions=3)
    out = np.asarray(ball.vertices) / np.linalg.norm(ball.vertices, axis=1, keepdims=True)
    far = 1.0 / np.linalg.norm(out / _TRUNK, axis=1)
    for along, length, wide in _LIMBS:
        far += length * np.exp(-np.square((1.0 - out @ (np.array(along) / np.linalg.norm(along))) / wide))
    return far[:, None] * out, np.asarray(ball.faces)


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
