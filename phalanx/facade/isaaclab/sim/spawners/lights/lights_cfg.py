"""Lights, by which cameras see. The simulation does not use them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING
from typing import Any, Literal

from phalanx.facade.isaaclab.sim.spawners.lights import lights
from phalanx.facade.isaaclab.sim.spawners.spawner_cfg import SpawnerCfg
from phalanx.facade.isaaclab.utils.configclass import configclass


@configclass
class LightCfg(SpawnerCfg):
    """What all lights have in common."""

    func: Callable[..., Any] = lights.spawn_light

    prim_type: str = MISSING  # pyright: ignore[reportAssignmentType]
    """The type of the prim, such as ``"SphereLight"``."""

    color: tuple[float, float, float] = (1.0, 1.0, 1.0)
    """Red, green and blue, 0 to 1."""

    enable_color_temperature: bool = False
    """Whether the colour temperature counts."""

    color_temperature: float = 6500.0
    """K."""

    normalize: bool = False
    """Whether its power is independent of its size."""

    exposure: float = 0.0
    """Its power is multiplied by 2 to this."""

    intensity: float = 1.0
    """Its power."""


@configclass
class DiskLightCfg(LightCfg):
    """A disk."""

    prim_type: str = "DiskLight"

    radius: float = 0.5
    """m."""


@configclass
class DistantLightCfg(LightCfg):
    """A light from far away, such as the sun."""

    prim_type: str = "DistantLight"

    angle: float = 0.53
    """Under which it is seen, degrees."""


@configclass
class DomeLightCfg(LightCfg):
    """Light from all around."""

    prim_type: str = "DomeLight"

    texture_file: str | None = None
    """A picture of the surroundings."""

    texture_format: Literal["automatic", "latlong", "mirroredBall", "angular", "cubeMapVerticalCross"] = "automatic"
    """How the picture shows them."""

    visible_in_primary_ray: bool | None = True
    """Whether it is seen itself."""


@configclass
class CylinderLightCfg(LightCfg):
    """A cylinder."""

    prim_type: str = "CylinderLight"

    length: float = 1.0
    """m."""

    radius: float = 0.5
    """m."""

    treat_as_line: bool = False
    """Whether it is thin."""


@configclass
class SphereLightCfg(LightCfg):
    """A sphere."""

    prim_type: str = "SphereLight"

    radius: float = 0.5
    """m."""

    treat_as_point: bool = False
    """Whether it is tiny."""
