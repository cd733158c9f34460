"""A suction cup on an arm's end, as a variant that scripts for Isaac Sim choose."""

from __future__ import annotations

from typing import Any

from phalanx.io.formats.usd.bindings import Gf, Sdf, Stage, UsdGeom, UsdPhysics

SET, NONE, SHORT = "Gripper", "None", "Short_Suction"
"""The variant set and its variants."""

LENGTH, RADIUS = 0.1567, 0.02
"""m: from the end's frame, along its x axis, to the cup's face, where Isaac Sim's description of the UR10 has it."""

REACH, PATIENCE = 0.01, 1.0
"""m and s: how far from its face it takes hold, and for how long it tries."""


def add_short_suction(stage: Stage) -> None:
    """Let the default prim, an arm with an ``ee_link``, have a suction cup when its variant is chosen."""
    root = stage.GetDefaultPrim()
    end = root.GetPath().AppendChild("ee_link")
    variants = root.GetVariantSets().AddVariantSet(SET)
    for name in (NONE, SHORT):
        variants.AddVariant(name)
    variants.SetVariantSelection(SHORT)
    with variants.GetVariantEditContext():
        cup = UsdGeom.Cylinder.Define(stage, end.AppendChild("suction_cup"))
        cup.CreateAxisAttr("X")
        cup.CreateRadiusAttr(RADIUS)
        cup.CreateHeightAttr(LENGTH)
        cup.CreateExtentAttr([(-0.5 * LENGTH, -RADIUS, -RADIUS), (0.5 * LENGTH, RADIUS, RADIUS)])
        cup.CreateDisplayColorAttr([Gf.Vec3f(0.1)])
        cup.AddTranslateOp().Set(Gf.Vec3d(0.5 * LENGTH, 0.0, 0.0))
        UsdPhysics.CollisionAPI.Apply(cup.GetPrim())
        _add_gripper(stage, end, (LENGTH, 0.0, 0.0))
    variants.SetVariantSelection(NONE)


def add_gantry_suction(stage: Stage) -> None:
    """Give the default prim's ``picker_head`` a gripper that looks down, at the head's lower end."""
    end = stage.GetDefaultPrim().GetPath().AppendChild("picker_head")
    _add_gripper(stage, end, (0.0, 0.0, 0.0), (0.5**0.5, 0.0, 0.5**0.5, 0.0))


def _add_gripper(
    stage: Stage, end: Any, place: tuple[float, float, float], turned: tuple[float, float, float, float] | None = None
) -> None:
    """A surface gripper on a body, with one attachment point that looks along its own x axis."""
    point = UsdPhysics.Joint.Define(stage, end.AppendChild("suction_joint"))
    point.CreateBody0Rel().SetTargets([end])
    point.CreateLocalPos0Attr().Set(Gf.Vec3f(*place))
    if turned is not None:
        point.CreateLocalRot0Attr().Set(Gf.Quatf(*turned))
    prim = point.GetPrim()
    prim.AddAppliedSchema("IsaacAttachmentPointAPI")
    prim.CreateAttribute("isaac:forwardAxis", Sdf.ValueTypeNames.Token).Set("X")
    gripper = stage.DefinePrim(end.AppendChild("SurfaceGripper"), "IsaacSurfaceGripper")
    gripper.CreateRelationship("isaac:attachmentPoints").SetTargets([prim.GetPath()])
    gripper.CreateAttribute("isaac:maxGripDistance", Sdf.ValueTypeNames.Float).Set(REACH)
    gripper.CreateAttribute("isaac:retryInterval", Sdf.ValueTypeNames.Float).Set(PATIENCE)
