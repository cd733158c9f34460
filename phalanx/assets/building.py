"""Writes stand-ins."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from phalanx.assets.catalogue import Made, StandIn
from phalanx.assets.classic import Turns
from phalanx.assets.places import folder
from phalanx.ecs.whole_files import write_text
from phalanx.io.formats.usd import Written, write_robot
from phalanx.io.formats.usd.bindings import Prim, Sdf, Stage, Usd, UsdGeom, UsdPhysics
from phalanx.io.formats.usd.writer import save_stage
from phalanx.models.robot_model import Body, RobotModel, Shape

MARK = "phalanx"
"""Under which a file's own data say that it is a stand-in."""

DEGREES = 180.0 / math.pi


def build(stand_in: StandIn, root: Path | None = None, replace: bool = False) -> list[Path]:
    """Write a stand-in to all its places.

    Args:
        stand_in: which one.
        root: the folder of assets; :func:`folder` by default.
        replace: whether files that are there, and are no stand-ins, are replaced.

    Returns:
        The files that were written.

    Raises:
        MissingPackageError: what it is made from is not installed.
        OSError: a file cannot be written.
    """
    root = folder() if root is None else root
    written = []
    for name in stand_in.files:
        path = root / name
        if path.exists() and not replace and not is_stand_in(path):
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        if stand_in.write is not None:
            stand_in.write(path)
            write_text(_sidecar(path), f"{stand_in.origin}\n")
        else:
            assert stand_in.make is not None
            save_stage(_stage(stand_in.make(), stand_in), path)
        written.append(path)
    return written


def is_stand_in(path: Path) -> bool:
    """Whether a file was written by :func:`build`."""
    return stand_in_origin(path) is not None


def stand_in_origin(path: Path) -> str | None:
    """What a stand-in was made from, in words; ``None`` if the file is none."""
    if _sidecar(path).is_file():
        return _sidecar(path).read_text().strip()
    if path.suffix not in (".usd", ".usda", ".usdc"):
        return None
    from phalanx.io.formats.usd.bindings import Tf

    try:
        layer = Sdf.Layer.OpenAsAnonymous(str(path), metadataOnly=True)
    except Tf.ErrorException:
        return None
    data = layer.customLayerData.get(MARK, {})
    return data.get("standInMadeFrom") if isinstance(data, dict) else None


def _sidecar(path: Path) -> Path:
    return path.with_name(f"{path.name}.stand-in")


def _stage(made: Made, stand_in: StandIn) -> Stage:
    stage = Usd.Stage.CreateInMemory()
    if not isinstance(made, RobotModel):
        written = write_robot(_fixture(stand_in.name, made), stage, alike=False)
        held = stage.GetPrimAtPath(written.bodies["geometry"])
        _take_off(held, UsdPhysics.RigidBodyAPI, UsdPhysics.MassAPI, UsdPhysics.ArticulationRootAPI)
    else:
        written = write_robot(made, stage, alike=False)
        for turns in stand_in.turns:
            _turn_about(stage.GetPrimAtPath(written.joints[turns.joint]), turns)
        _add_drives(stage, made, written)
        if made.drives:
            _sweep_often(stage)
        if not made.joints:
            _take_off(stage.GetPrimAtPath(written.bodies[made.root]), UsdPhysics.ArticulationRootAPI)
    stage.SetDefaultPrim(stage.GetPrimAtPath(written.path))
    if isinstance(made, RobotModel) and not made.joints:
        stage = _body_alone(stage, written.bodies[made.root])
    if stand_in.dress is not None:
        stand_in.dress(stage)
    stage.GetRootLayer().customLayerData = {MARK: {"standIn": stand_in.name, "standInMadeFrom": stand_in.origin}}
    return stage


def _body_alone(stage: Stage, path: str) -> Stage:
    """A stage whose default prim is the body of another one: tasks look for it there, and not below."""
    alone = Usd.Stage.CreateInMemory()
    target = f"/{path.rpartition('/')[2]}"
    Sdf.CopySpec(stage.GetRootLayer(), path, alone.GetRootLayer(), target)
    UsdGeom.SetStageUpAxis(alone, UsdGeom.Tokens.z)
    UsdGeom.SetStageMetersPerUnit(alone, 1.0)
    UsdPhysics.SetStageKilogramsPerUnit(alone, 1.0)
    alone.SetDefaultPrim(alone.GetPrimAtPath(target))
    return alone


def _add_drives(stage: Stage, made: RobotModel, written: Written) -> None:
    """Drives for all joints that move, without gains: tasks change those of drives that are there."""
    for joint in made.joints:
        prim = stage.GetPrimAtPath(written.joints[joint.name])
        if joint.type in ("revolute", "continuous", "prismatic"):
            kind = "linear" if joint.type == "prismatic" else "angular"
            _drive(prim, kind, joint.effort_limit)


SWEEPS = 32
"""Of the solver for robots with drives of their own, as PhysX has it for articulations that say nothing."""


def _sweep_often(stage: Stage) -> None:
    """Let the solver sweep often enough for stiff fingers that hold light things."""
    root = next(prim for prim in stage.Traverse() if prim.HasAPI(UsdPhysics.ArticulationRootAPI))
    if "PhysxArticulationAPI" not in map(str, root.GetPrimTypeInfo().GetAppliedAPISchemas()):
        root.AddAppliedSchema("PhysxArticulationAPI")
    root.CreateAttribute("physxArticulation:solverPositionIterationCount", Sdf.ValueTypeNames.Int).Set(SWEEPS)


def _drive(prim: Prim, kind: str, effort: float) -> None:
    if prim.HasAPI(UsdPhysics.DriveAPI, kind):
        return
    drive = UsdPhysics.DriveAPI.Apply(prim, kind)
    drive.CreateTypeAttr("force")
    drive.CreateStiffnessAttr(0.0)
    drive.CreateDampingAttr(0.0)
    if not math.isinf(effort):
        drive.CreateMaxForceAttr(effort)


def _turn_about(prim: Prim, turns: Turns) -> None:
    """Make a ball joint one that turns about some axes of its frame, within limits."""
    prim.SetTypeName("PhysicsJoint")
    for axis in ("transX", "transY", "transZ", "rotX", "rotY", "rotZ"):
        limit = UsdPhysics.LimitAPI.Apply(prim, axis)
        low, high = turns.limits.get(axis, (1.0 / DEGREES, -1.0 / DEGREES))  # low above high: locked
        limit.CreateLowAttr(low * DEGREES)
        limit.CreateHighAttr(high * DEGREES)
        if axis in turns.limits:
            _drive(prim, axis, math.inf)


def _fixture(name: str, shapes: list[Shape]) -> RobotModel:
    geometry = Body("geometry", 1.0, collisions=list(shapes), visuals=list(shapes))
    return RobotModel(name.replace("-", "_"), [geometry], [])


def _take_off(prim: Prim, *schemas: Any) -> None:
    """Let a prim no longer be what schemas make of it, and forget what PhysX is told about that."""
    gone = ["PhysxArticulationAPI", *(["PhysxRigidBodyAPI"] if UsdPhysics.RigidBodyAPI in schemas else [])]
    gone_too = [Usd.SchemaRegistry.GetSchemaTypeName(schema) for schema in schemas]
    left = [one for one in prim.GetPrimTypeInfo().GetAppliedAPISchemas() if str(one) not in {*gone, *gone_too}]
    prim.ClearMetadata("apiSchemas")
    for one in left:
        prim.AddAppliedSchema(one)
    spaces = tuple(f"p{name[1:].removesuffix('API')}:" for name in gone)
    spaces += ("physics:",) if UsdPhysics.RigidBodyAPI in schemas else ()
    for name in [each.GetName() for each in prim.GetProperties() if each.GetName().startswith(spaces)]:
        prim.RemoveProperty(name)
