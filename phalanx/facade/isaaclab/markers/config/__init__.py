"""Markers that are ready to be used: copy one, and say where it is put: ``SPHERE_MARKER_CFG.replace(prim_path=...)``.

Arrows and frames are of files that come with Phalanx, 1 m long before they are scaled.
"""

from __future__ import annotations

from pathlib import Path

from phalanx.facade.isaaclab import sim as sim_utils
from phalanx.facade.isaaclab.markers.visualization_markers_cfg import VisualizationMarkersCfg

_SHAPES = Path(__file__).parents[1] / "shapes"

_RED, _GREEN, _BLUE = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


def _sphere(radius: float, color: tuple[float, float, float], visible: bool = True) -> sim_utils.SphereCfg:
    look = sim_utils.PreviewSurfaceCfg(diffuse_color=color)
    return sim_utils.SphereCfg(radius=radius, visual_material=look, visible=visible)


def _arrow(color: tuple[float, float, float]) -> VisualizationMarkersCfg:
    look = sim_utils.PreviewSurfaceCfg(diffuse_color=color)
    file = str(_SHAPES / "arrow_x.usda")
    arrow = sim_utils.UsdFileCfg(usd_path=file, scale=(1.0, 0.1, 0.1), visual_material=look)
    return VisualizationMarkersCfg(markers={"arrow": arrow})


# -- of sensors and objects ----------------------------------------------------------------------------------------

RAY_CASTER_MARKER_CFG = VisualizationMarkersCfg(markers={"hit": _sphere(0.02, _RED)})
"""Where rays hit."""

CONTACT_SENSOR_MARKER_CFG = VisualizationMarkersCfg(
    markers={"contact": _sphere(0.02, _RED), "no_contact": _sphere(0.02, _GREEN, visible=False)}
)
"""Bodies that touch something, and bodies that do not."""

DEFORMABLE_TARGET_MARKER_CFG = VisualizationMarkersCfg(markers={"target": _sphere(0.02, (1.0, 0.75, 0.8))})
"""Targets of nodes of deformable objects."""

VISUO_TACTILE_SENSOR_MARKER_CFG = VisualizationMarkersCfg(markers={"tacsl_pts": _sphere(0.0002, _BLUE)})
"""Points of visuo-tactile sensors."""

# -- frames and arrows ---------------------------------------------------------------------------------------------

FRAME_MARKER_CFG = VisualizationMarkersCfg(
    markers={
        "frame": sim_utils.UsdFileCfg(usd_path=str(_SHAPES / "frame_prim.usda"), scale=(0.5, 0.5, 0.5)),
        "connecting_line": sim_utils.CylinderCfg(
            radius=0.002,
            height=1.0,
            visual_material=sim_utils.PreviewSurfaceCfg(diffuse_color=(1.0, 1.0, 0.0), roughness=1.0),
        ),
    }
)
"""Axes of frames, and lines from one to another: along z, 1 m long, with the origin in the middle."""

RED_ARROW_X_MARKER_CFG = _arrow(_RED)
"""Arrows from the origin along x."""

BLUE_ARROW_X_MARKER_CFG = _arrow(_BLUE)
"""Arrows from the origin along x."""

GREEN_ARROW_X_MARKER_CFG = _arrow(_GREEN)
"""Arrows from the origin along x."""

# -- shapes --------------------------------------------------------------------------------------------------------

CUBOID_MARKER_CFG = VisualizationMarkersCfg(
    markers={
        "cuboid": sim_utils.CuboidCfg(
            size=(0.1, 0.1, 0.1), visual_material=sim_utils.PreviewSurfaceCfg(diffuse_color=_RED)
        )
    }
)
"""Cubes."""

SPHERE_MARKER_CFG = VisualizationMarkersCfg(markers={"sphere": _sphere(0.05, _RED)})
"""Balls."""

POSITION_GOAL_MARKER_CFG = VisualizationMarkersCfg(
    markers={
        "target_far": _sphere(0.01, _RED),
        "target_near": _sphere(0.01, _GREEN),
        "target_invisible": _sphere(0.01, _BLUE, visible=False),
    }
)
"""Goals that are far, near, or not to be seen."""

__all__ = [
    "BLUE_ARROW_X_MARKER_CFG",
    "CONTACT_SENSOR_MARKER_CFG",
    "CUBOID_MARKER_CFG",
    "DEFORMABLE_TARGET_MARKER_CFG",
    "FRAME_MARKER_CFG",
    "GREEN_ARROW_X_MARKER_CFG",
    "POSITION_GOAL_MARKER_CFG",
    "RAY_CASTER_MARKER_CFG",
    "RED_ARROW_X_MARKER_CFG",
    "SPHERE_MARKER_CFG",
    "VISUO_TACTILE_SENSOR_MARKER_CFG",
]
