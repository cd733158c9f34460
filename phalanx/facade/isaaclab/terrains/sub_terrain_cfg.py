"""What all kinds of sub-terrains are configured by."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING
from typing import Any

from phalanx.facade.isaaclab.utils.configclass import configclass

Range = tuple[float, float]
"""The least and the greatest value."""


@configclass
class FlatPatchSamplingCfg:
    """Places on a sub-terrain that are flat, to be found at random."""

    num_patches: int = MISSING  # pyright: ignore[reportAssignmentType]
    """How many."""

    patch_radius: float | list[float] = MISSING  # pyright: ignore[reportAssignmentType]
    """Heights are compared on circles of this radius, or these radii, and in their middle, m."""

    x_range: Range = (-1e6, 1e6)
    """Where middles may be along x, from the sub-terrain's origin, m."""

    y_range: Range = (-1e6, 1e6)
    """Where middles may be along y, from the sub-terrain's origin, m."""

    z_range: Range = (-1e6, 1e6)
    """How high they may be, from the sub-terrain's origin, m."""

    max_height_diff: float = MISSING  # pyright: ignore[reportAssignmentType]
    """Most difference of the heights, m."""


@configclass
class SubTerrainBaseCfg:
    """A sub-terrain: the function that makes it, and what that function needs."""

    function: Callable[[float, Any], tuple[list[Any], Any]] = MISSING  # pyright: ignore[reportAssignmentType]
    """Makes the sub-terrain from a difficulty, 0 to 1, and the configuration: a list of ``trimesh.Trimesh``, from the
    corner (0, 0) to ``size``, and the place (3,) on it that environments have as their origin, m."""

    proportion: float = 1.0
    """Its share of all sub-terrains; shares need not add up to 1."""

    size: tuple[float, float] = (10.0, 10.0)
    """Along x and y, m; generators set it to theirs."""

    flat_patch_sampling: dict[str, FlatPatchSamplingCfg] | None = None
    """Flat places to find on it, by name."""

    seed: int | None = None
    """Of the numbers that it was made with; generators set it."""


def between(limits: Range, difficulty: float) -> float:
    """The value that is a share, ``difficulty``, of the way from the first of two to the second."""
    return limits[0] + difficulty * (limits[1] - limits[0])


__all__ = ["FlatPatchSamplingCfg", "SubTerrainBaseCfg", "between"]
