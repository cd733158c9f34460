"""The camera that a main window would look through; there is no window, but what it would show can be drawn."""

from __future__ import annotations

from phalanx.io.formats.usd.bindings import Gf, Prim, Stage, UsdGeom

PATH = "/OmniverseKit_Persp"
"""Where scripts look for it."""

FOCAL_LENGTH, APERTURE = 18.147562, 20.955
"""Tenths of units: a view of 60 degrees."""

EYE, TARGET = (5.0, 5.0, 5.0), (0.0, 0.0, 0.0)
"""Where it is and what it looks at before anything is said, m."""


def find_or_make(stage: Stage) -> Prim:
    """The prim of the camera on a stage."""
    found = stage.GetPrimAtPath(PATH)
    if found:
        return found
    from phalanx.facade.isaacsim.core.utils.viewports import set_camera_view

    camera = UsdGeom.Camera.Define(stage, PATH)
    camera.CreateFocalLengthAttr(FOCAL_LENGTH)
    camera.CreateHorizontalApertureAttr(APERTURE)
    camera.CreateClippingRangeAttr(Gf.Vec2f(0.01, 1e7))
    unit = UsdGeom.GetStageMetersPerUnit(stage)
    set_camera_view([each / unit for each in EYE], TARGET, PATH)
    return camera.GetPrim()
