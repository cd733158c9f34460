"""Prims without mass that scripts look for on robots: where sensors sit, and what is drawn under another name."""

from __future__ import annotations

from phalanx.io.formats.usd.bindings import Gf, Sdf, Stage, UsdGeom, UsdPhysics

LIDAR_CAGE = (-0.364, 0.0, 0.0735)
"""m, in the base of ANYmal C, as its description has it."""

MOUNT = ((0.05, 0.09, 0.03), (-0.01, 0.0, -0.11))
"""Edges and middle of what holds the Allegro Hand, m, in the palm's frame."""


def add_lidar_cage(stage: Stage) -> None:
    """Give the base of ANYmal C the frame on which its lidar sits."""
    base = stage.GetDefaultPrim().GetPath().AppendChild("base")
    cage = UsdGeom.Xform.Define(stage, base.AppendChild("lidar_cage"))
    cage.AddTranslateOp().Set(Gf.Vec3d(*LIDAR_CAGE))


def name_visuals_of_hand(stage: Stage) -> None:
    """Let what is drawn of the Allegro Hand's links be below ``visuals_xform``, and give it a mount that is drawn."""
    root = stage.GetDefaultPrim()
    edit = Sdf.BatchNamespaceEdit()
    for prim in root.GetChildren():
        if prim.HasAPI(UsdPhysics.RigidBodyAPI) and prim.GetChild("visuals"):
            edit.Add(prim.GetPath().AppendChild("visuals"), prim.GetPath().AppendChild("visuals_xform"))
    assert stage.GetRootLayer().Apply(edit)
    place = root.GetPath().AppendChild("allegro_mount")
    UsdGeom.Xform.Define(stage, place)
    drawn = UsdGeom.Xform.Define(stage, place.AppendChild("visuals_xform"))
    cube = UsdGeom.Cube.Define(stage, drawn.GetPath().AppendChild("box"))
    edges, middle = MOUNT
    cube.CreateSizeAttr(1.0)
    cube.CreateExtentAttr([(-0.5, -0.5, -0.5), (0.5, 0.5, 0.5)])
    cube.AddTranslateOp().Set(Gf.Vec3d(*middle))
    cube.AddScaleOp().Set(Gf.Vec3f(*edges))


def put_below_root(stage: Stage) -> None:
    """Put the default prim below a new one, ``/Root``, which becomes the default prim."""
    layer, body = stage.GetRootLayer(), stage.GetDefaultPrim().GetPath()
    root = UsdGeom.Xform.Define(stage, "/Root").GetPrim()
    Sdf.CopySpec(layer, body, layer, root.GetPath().AppendChild(body.name))
    stage.RemovePrim(body)
    stage.SetDefaultPrim(root)


def fill_evenly(stage: Stage) -> None:
    """Say nothing but a mass of the default prim, so that its inertia is that of its shapes as a task scales them."""
    for name in ("centerOfMass", "diagonalInertia", "principalAxes"):
        stage.GetDefaultPrim().RemoveProperty(f"physics:{name}")
