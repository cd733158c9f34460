"""References to USD files."""

from __future__ import annotations

import os
from typing import Any

from phalanx.facade.asset_root import existing_file
from phalanx.facade.isaaclab.sim.spawners.geometry import Pose
from phalanx.facade.isaaclab.sim.utils import get_current_stage, standardize_xform_ops
from phalanx.facade.served_files import find_served
from phalanx.io.formats.usd.bindings import Prim, Sdf, Tf, UsdGeom


def check_file(usd_path: str) -> None:
    """Raise ``FileNotFoundError`` if there is no such USD file; see :mod:`phalanx.facade.asset_root` for addresses."""
    existing_file(usd_path, "USD file")


def refer(prim_path: str, usd_path: str, translation: Pose, orientation: Pose, scale: Pose) -> Prim:
    """Make a prim that refers to a file's default prim, or to its only root.

    Where the file has other units of length or another axis upwards than the stage, its contents are scaled and turned.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: the file cannot be read, or has no such prim.
    """
    file = os.path.abspath(existing_file(usd_path, "USD file"))
    try:
        layer = Sdf.Layer.FindOrOpen(file)
    except Tf.ErrorException as error:
        text = " ".join(str(error).split())
        raise ValueError(f"'{usd_path}' is not a readable USD file: {text.partition(' : ')[2] or text}") from error
    roots = [] if not layer else [str(prim.path) for prim in layer.rootPrims]
    default = layer.defaultPrim if layer else ""
    if not default and len(roots) != 1:
        raise ValueError(f"'{usd_path}' has no default prim and {len(roots)} roots; set its defaultPrim")
    if layer:
        find_served(layer)
    prim = get_current_stage().DefinePrim(prim_path)
    prim.GetReferences().AddReference(*[file] if default else [file, roots[0]])
    if not prim.GetTypeName():
        prim.SetTypeName("Xform")
    if not (translation is None and orientation is None and scale is None):
        standardize_xform_ops(prim, translation, orientation, scale)
    _resolve_units(prim, layer)
    return prim


def _resolve_units(prim: Prim, layer: Any) -> None:
    """Scale and turn what comes from a layer with other units than the stage's."""
    stage = get_current_stage()
    metadata = layer.pseudoRoot
    unit = metadata.GetInfo("metersPerUnit") if metadata.HasInfo("metersPerUnit") else 0.01
    up = metadata.GetInfo("upAxis") if metadata.HasInfo("upAxis") else UsdGeom.GetFallbackUpAxis()
    ratio = unit / UsdGeom.GetStageMetersPerUnit(stage)
    xformable = UsdGeom.Xformable(prim)
    if str(up) != str(UsdGeom.GetStageUpAxis(stage)):
        angle = 90.0 if str(up) == "Y" else -90.0
        xformable.AddRotateXOp(UsdGeom.XformOp.PrecisionDouble, "unitsResolve").Set(angle)
    if abs(ratio - 1.0) > 1e-6:
        xformable.AddScaleOp(UsdGeom.XformOp.PrecisionDouble, "unitsResolve").Set((ratio,) * 3)
