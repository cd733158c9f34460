"""Configurations of sub-terrains of triangles; see :mod:`.mesh_terrains` for what they look like."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING
from typing import Any, Literal

from phalanx.facade.isaaclab.terrains.sub_terrain_cfg import Range, SubTerrainBaseCfg
from phalanx.facade.isaaclab.terrains.trimesh import mesh_terrains, utils
from phalanx.facade.isaaclab.utils.configclass import configclass

# pyright: reportAssignmentType=false


@configclass
class MeshPlaneTerrainCfg(SubTerrainBaseCfg):
    """A plane."""

    function: Callable[..., Any] = mesh_terrains.flat_terrain


@configclass
class MeshPyramidStairsTerrainCfg(SubTerrainBaseCfg):
    """Stairs up to a platform."""

    function: Callable[..., Any] = mesh_terrains.pyramid_stairs_terrain

    border_width: float = 0.0
    """Of the flat border, m."""

    step_height_range: Range = MISSING
    """Of a step, m."""

    step_width: float = MISSING
    """Of a step, m."""

    platform_width: float = 1.0
    """About that of the platform in the middle, m: the last step takes its width from it."""

    holes: bool = False
    """Whether there are only steps towards the four sides, as wide as the platform."""


@configclass
class MeshInvertedPyramidStairsTerrainCfg(MeshPyramidStairsTerrainCfg):
    """Stairs down to a platform."""

    function: Callable[..., Any] = mesh_terrains.inverted_pyramid_stairs_terrain


@configclass
class MeshRandomGridTerrainCfg(SubTerrainBaseCfg):
    """Square cells of random heights."""

    function: Callable[..., Any] = mesh_terrains.random_grid_terrain

    grid_width: float = MISSING
    """Of a cell, m. What is left of the size is the border, and something must be."""

    grid_height_range: Range = MISSING
    """Of the greatest height and depth of cells, m."""

    platform_width: float = 1.0
    """Of the platform in the middle, m."""

    holes: bool = False
    """Whether there are only cells towards the four sides, as wide as the platform."""


@configclass
class MeshRailsTerrainCfg(SubTerrainBaseCfg):
    """Two square rails on a plane."""

    function: Callable[..., Any] = mesh_terrains.rails_terrain

    rail_thickness_range: Range = MISSING
    """Of the inner and the outer rail, m."""

    rail_height_range: Range = MISSING
    """Of both, m; the lower, the more difficult."""

    platform_width: float = 1.0
    """Of the platform in the middle, m."""


@configclass
class MeshPitTerrainCfg(SubTerrainBaseCfg):
    """A pit to climb out of."""

    function: Callable[..., Any] = mesh_terrains.pit_terrain

    pit_depth_range: Range = MISSING
    """Of the floor, m."""

    platform_width: float = 1.0
    """Of the floor, m."""

    double_pit: bool = False
    """Whether there is a ledge half-way."""


@configclass
class MeshBoxTerrainCfg(SubTerrainBaseCfg):
    """A box to climb down from."""

    function: Callable[..., Any] = mesh_terrains.box_terrain

    box_height_range: Range = MISSING
    """Of the box, m."""

    platform_width: float = 1.0
    """Of its top, m."""

    double_box: bool = False
    """Whether there is a ledge half-way."""


@configclass
class MeshGapTerrainCfg(SubTerrainBaseCfg):
    """A gap around a platform."""

    function: Callable[..., Any] = mesh_terrains.gap_terrain

    gap_width_range: Range = MISSING
    """Of the gap, m."""

    platform_width: float = 1.0
    """Of the platform in the middle, m."""


@configclass
class MeshFloatingRingTerrainCfg(SubTerrainBaseCfg):
    """A square ring in the air."""

    function: Callable[..., Any] = mesh_terrains.floating_ring_terrain

    ring_width_range: Range = MISSING
    """Of the ring, m."""

    ring_height_range: Range = MISSING
    """Between the plane and the ring, m; the lower, the more difficult."""

    ring_thickness: float = MISSING
    """Of the ring, along z, m."""

    platform_width: float = 1.0
    """Of what the ring leaves in the middle, m."""


@configclass
class MeshStarTerrainCfg(SubTerrainBaseCfg):
    """Bars that cross in a platform."""

    function: Callable[..., Any] = mesh_terrains.star_terrain

    num_bars: int = MISSING
    """Number of bars from border to border, at least 2."""

    bar_width_range: Range = MISSING
    """Of a bar, m; the narrower, the more difficult."""

    bar_height_range: Range = MISSING
    """Of bars over the floor, m."""

    platform_width: float = 1.0
    """Diameter of the platform in the middle, m."""


@configclass
class MeshRepeatedObjectsTerrainCfg(SubTerrainBaseCfg):
    """Objects at random places on a plane."""

    @configclass
    class ObjectCfg:
        """Objects at one end of the range of difficulty."""

        num_objects: int = MISSING
        """How many."""

        height: float = MISSING
        """Of an object, m."""

    function: Callable[..., Any] = mesh_terrains.repeated_objects_terrain

    object_type: Literal["cylinder", "box", "cone"] | Callable[..., Any] = MISSING
    """What they are, or a function that makes one of ``center``, ``height`` and what ``ObjectCfg`` has besides."""

    object_params_start: ObjectCfg = MISSING
    """Of objects where the difficulty is 0."""

    object_params_end: ObjectCfg = MISSING
    """Of objects where the difficulty is 1."""

    max_height_noise: float = 0.0
    """Older name: heights differ by up to this, m, up or down; ``abs_height_noise`` says it better."""

    abs_height_noise: Range = (0.0, 0.0)
    """What is added to heights, m."""

    rel_height_noise: Range = (1.0, 1.0)
    """What heights are multiplied by, before that."""

    platform_width: float = 1.0
    """Of the platform in the middle, where there are none, m."""

    platform_height: float = -1.0
    """Of the platform, m; half of the objects' height if it is negative."""


@configclass
class MeshRepeatedPyramidsTerrainCfg(MeshRepeatedObjectsTerrainCfg):
    """Pyramids at random places on a plane."""

    @configclass
    class ObjectCfg(MeshRepeatedObjectsTerrainCfg.ObjectCfg):
        """Pyramids at one end of the range of difficulty."""

        radius: float = MISSING
        """Of the circle that the corners of the base are on, m."""

        max_yx_angle: float = 0.0
        """Most tilt about y and x."""

        degrees: bool = True
        """Whether that is in degrees, else in rad."""

    object_type: Any = utils.make_cone

    object_params_start: ObjectCfg = MISSING
    """Of pyramids where the difficulty is 0."""

    object_params_end: ObjectCfg = MISSING
    """Of pyramids where the difficulty is 1."""


@configclass
class MeshRepeatedBoxesTerrainCfg(MeshRepeatedObjectsTerrainCfg):
    """Boxes at random places on a plane."""

    @configclass
    class ObjectCfg(MeshRepeatedObjectsTerrainCfg.ObjectCfg):
        """Boxes at one end of the range of difficulty."""

        size: tuple[float, float] = MISSING
        """Along x and y, m."""

        max_yx_angle: float = 0.0
        """Most tilt about y and x."""

        degrees: bool = True
        """Whether that is in degrees, else in rad."""

    object_type: Any = utils.make_box

    object_params_start: ObjectCfg = MISSING
    """Of boxes where the difficulty is 0."""

    object_params_end: ObjectCfg = MISSING
    """Of boxes where the difficulty is 1."""


@configclass
class MeshRepeatedCylindersTerrainCfg(MeshRepeatedObjectsTerrainCfg):
    """Cylinders at random places on a plane."""

    @configclass
    class ObjectCfg(MeshRepeatedObjectsTerrainCfg.ObjectCfg):
        """Cylinders at one end of the range of difficulty."""

        radius: float = MISSING
        """m."""

        max_yx_angle: float = 0.0
        """Most tilt about y and x."""

        degrees: bool = True
        """Whether that is in degrees, else in rad."""

    object_type: Any = utils.make_cylinder

    object_params_start: ObjectCfg = MISSING
    """Of cylinders where the difficulty is 0."""

    object_params_end: ObjectCfg = MISSING
    """Of cylinders where the difficulty is 1."""


__all__ = [
    "MeshBoxTerrainCfg",
    "MeshFloatingRingTerrainCfg",
    "MeshGapTerrainCfg",
    "MeshInvertedPyramidStairsTerrainCfg",
    "MeshPitTerrainCfg",
    "MeshPlaneTerrainCfg",
    "MeshPyramidStairsTerrainCfg",
    "MeshRailsTerrainCfg",
    "MeshRandomGridTerrainCfg",
    "MeshRepeatedBoxesTerrainCfg",
    "MeshRepeatedCylindersTerrainCfg",
    "MeshRepeatedObjectsTerrainCfg",
    "MeshRepeatedPyramidsTerrainCfg",
    "MeshStarTerrainCfg",
    "SubTerrainBaseCfg",
]
