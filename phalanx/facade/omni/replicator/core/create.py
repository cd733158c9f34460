"""Making cameras at once, on the stage as it is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from phalanx.facade.isaaclab.sim.utils.stage import get_current_stage
from phalanx.facade.isaacsim.core.utils.viewports import set_camera_view
from phalanx.facade.omni.replicator.core.render_products import create as render_product
from phalanx.facade.unbuilt import refuse
from phalanx.io.formats.usd.bindings import Gf, Prim, Sdf, Stage, Usd, UsdGeom

ROOT = "/Replicator"
"""Below which prims are put."""


class Item:
    """Prims that were made together."""

    def __init__(self, prims: Sequence[Prim]) -> None:
        self._prims = list(prims)

    def get_output_prims(self) -> dict[str, list[Prim]]:
        """``{"prims": the prims}``."""
        return {"prims": list(self._prims)}


def camera(
    position: Any = None,
    rotation: Any = None,
    look_at: Any = None,
    focal_length: float = 24.0,
    focus_distance: float = 400.0,
    f_stop: float = 0.0,
    horizontal_aperture: float = 20.955,
    horizontal_aperture_offset: float = 0.0,
    vertical_aperture_offset: float = 0.0,
    clipping_range: tuple[float, float] = (1.0, 1000000.0),
    projection_type: str = "pinhole",
    name: str | None = None,
    parent: Any = None,
    count: int = 1,
) -> Item:
    """Make cameras, at ``/Replicator/Camera_Xform/Camera``, ``Camera_Xform_01/Camera`` and so on.

    Args:
        position: of each, (3,), in units of the stage; the origin by default.
        rotation: turns about x, y and z, in this order, degrees; without it, or ``look_at``, cameras look down -z.
        look_at: a point, (3,), or a prim or its path, whose place is looked at.
        focal_length, horizontal_aperture, horizontal_aperture_offset, vertical_aperture_offset: tenths of units.
        focus_distance: in units of the stage.
        f_stop: 0: all is sharp. Cameras here draw all sharply.
        clipping_range: nearest and farthest that is seen, in units of the stage.
        projection_type: ``"pinhole"``.
        name: of the prim above each, instead of ``Camera``.
        parent: a prim or its path below which they are put, instead of ``/Replicator``.
        count: how many, all alike.

    Raises:
        NotImplementedError: the projection is another one.
        ValueError: both ``rotation`` and ``look_at`` are given, or a prim is not there.
    """
    if projection_type != "pinhole":
        raise NotImplementedError(
            f"create.camera: projection_type={projection_type!r}: there is 'pinhole'; isaacsim.sensors.camera.Camera "
            "sets models of lenses"
        )
    if rotation is not None and look_at is not None:
        raise ValueError("create.camera: give rotation or look_at, not both")
    stage = get_current_stage()
    above = ROOT if parent is None else str(_prim(stage, parent).GetPath())
    made = []
    for _ in range(count):
        path = _free(stage, f"{above}/{name or 'Camera'}_Xform")
        if not stage.GetPrimAtPath(above):
            UsdGeom.Scope.Define(stage, above)
        holder = UsdGeom.Xform.Define(stage, path)
        eye = np.zeros(3) if position is None else np.asarray(position, float)
        if look_at is None:
            holder.AddTranslateOp().Set(Gf.Vec3d(*eye.tolist()))
            holder.AddRotateXYZOp().Set(Gf.Vec3f(*np.asarray((0, 0, 0) if rotation is None else rotation, float)))
        prim = UsdGeom.Camera.Define(stage, f"{path}/Camera")
        prim.CreateFocalLengthAttr(float(focal_length))
        prim.CreateFocusDistanceAttr(float(focus_distance))
        prim.CreateFStopAttr(float(f_stop))
        prim.CreateHorizontalApertureAttr(float(horizontal_aperture))
        prim.CreateHorizontalApertureOffsetAttr(float(horizontal_aperture_offset))
        prim.CreateVerticalApertureOffsetAttr(float(vertical_aperture_offset))
        prim.CreateClippingRangeAttr(Gf.Vec2f(*map(float, clipping_range)))
        if look_at is not None:
            set_camera_view(eye, _place(stage, look_at), f"{path}/Camera")
        made.append(prim.GetPrim())
    return Item(made)


def _free(stage: Stage, path: str) -> str:
    """The path, or with a number of two digits behind it, where nothing is."""
    if not stage.GetPrimAtPath(path):
        return path
    number = 1
    while stage.GetPrimAtPath(f"{path}_{number:02d}"):
        number += 1
    return f"{path}_{number:02d}"


def _prim(stage: Stage, value: Any) -> Prim:
    found = value if isinstance(value, Usd.Prim) else stage.GetPrimAtPath(Sdf.Path(str(value)))
    if not found:
        raise ValueError(f"create.camera: there is no prim at {value!r}")
    return found


def _place(stage: Stage, value: Any) -> np.ndarray:
    if isinstance(value, str | Usd.Prim):
        prim = _prim(stage, value)
        return np.array(UsdGeom.Xformable(prim).ComputeLocalToWorldTransform(0.0).ExtractTranslation())
    return np.asarray(value, float)


def __getattr__(name: str) -> Any:
    raise refuse("omni.replicator.core.create", name)


__all__ = ["Item", "camera", "render_product"]
