"""Articulations: their properties, and whether their root is welded to the world."""

from __future__ import annotations

from typing import Any

from phalanx.facade.isaaclab.sim.schemas.authoring import apply_schema, write_all
from phalanx.facade.isaaclab.sim.schemas.schemas_cfg import ArticulationRootPropertiesCfg
from phalanx.facade.isaaclab.sim.utils.edits import prim_at
from phalanx.facade.isaaclab.sim.utils.nested import apply_nested
from phalanx.facade.isaaclab.utils.dict import class_to_dict
from phalanx.io.formats.usd.bindings import Gf, Prim, Stage, Usd, UsdGeom, UsdPhysics


def define_articulation_root_properties(
    prim_path: str, cfg: ArticulationRootPropertiesCfg, stage: Stage | None = None
) -> None:
    """Let an articulation begin with a prim or below it, with the properties that are given.

    Args:
        prim_path: of the prim.
        cfg: the properties.
        stage: the current one by default.

    Raises:
        ValueError: there is no such prim.
    """
    prim = prim_at(prim_path, stage)
    UsdPhysics.ArticulationRootAPI.Apply(prim)
    modify_articulation_root_properties(prim_path, cfg, stage)


@apply_nested
def modify_articulation_root_properties(
    prim_path: str, cfg: ArticulationRootPropertiesCfg, stage: Stage | None = None
) -> bool:
    """Change properties of articulations at and below a path; ``None`` leaves one as it is.

    With ``fix_root_link`` the root is welded where it stands; the prim that says where the articulation begins stays
    the same.

    Returns:
        Whether an articulation begins with the prim.

    Raises:
        ValueError: the root is to be welded, and there is no rigid body that could be it.
    """
    prim = prim_at(prim_path, stage)
    if not prim.HasAPI(UsdPhysics.ArticulationRootAPI):
        return False
    values = class_to_dict(cfg)
    fix = values.pop("fix_root_link")
    apply_schema(prim, "PhysxArticulationAPI")
    write_all(prim, "physxArticulation", values)
    if fix is not None:
        _fix(prim, fix)
    return True


def _fix(prim: Prim, fix: bool) -> None:
    """Switch welds to the world of an articulation's root on or off, or make one."""
    if not fix and not any(
        one.HasAPI(UsdPhysics.RigidBodyAPI) or one.IsA(UsdPhysics.Joint) for one in Usd.PrimRange(prim)
    ):
        return  # bodies may come later: there is no weld to switch off
    root = _root(prim)
    scope = prim if prim.GetParent().IsPseudoRoot() else prim.GetParent()
    welds = [one for one in Usd.PrimRange(scope) if one.IsA(UsdPhysics.FixedJoint) and _ends(one) == [root.GetPath()]]
    for weld in welds:
        UsdPhysics.Joint(weld).CreateJointEnabledAttr().Set(fix)
    if fix and not welds:
        place = Gf.Transform(UsdGeom.XformCache(Usd.TimeCode.EarliestTime()).GetLocalToWorldTransform(root))
        weld = UsdPhysics.FixedJoint.Define(prim.GetStage(), root.GetPath().AppendChild("FixedJoint"))
        weld.CreateBody1Rel().SetTargets([root.GetPath()])
        weld.CreateLocalPos0Attr().Set(Gf.Vec3f(place.GetTranslation()))
        weld.CreateLocalRot0Attr().Set(Gf.Quatf(place.GetRotation().GetQuat()))


def _ends(joint: Prim) -> list[Any]:
    """Paths of the prims that a joint connects, first one first; one that is not named is the world."""
    ends = UsdPhysics.Joint(joint)
    return [path for one in (ends.GetBody0Rel(), ends.GetBody1Rel()) for path in one.GetTargets()]


def _root(prim: Prim) -> Prim:
    """The body that an articulation begins with: the prim itself, or the first one below that hangs on no other.

    Of a joint that says that the articulation begins there: the first of its bodies.
    """
    if prim.IsA(UsdPhysics.Joint) and _ends(prim):
        prim = prim.GetStage().GetPrimAtPath(_ends(prim)[0])
    if prim.HasAPI(UsdPhysics.RigidBodyAPI):
        return prim
    joints = [one for one in Usd.PrimRange(prim) if one.IsA(UsdPhysics.Joint)]
    seconds = [_ends(one)[1] for one in joints if len(_ends(one)) == 2]
    bodies = [one for one in Usd.PrimRange(prim) if one.HasAPI(UsdPhysics.RigidBodyAPI)]
    if not bodies:
        raise ValueError(f"fix_root_link: there is no rigid body at or below <{prim.GetPath()}> to be the root link")
    return next((one for one in bodies if one.GetPath() not in seconds), bodies[0])


__all__ = ["define_articulation_root_properties", "modify_articulation_root_properties"]
