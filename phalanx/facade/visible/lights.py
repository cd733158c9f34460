"""Lights of a stage as renderers take them.

USD's intensities are luminances, of which renderers expose a picture. Here one exposure holds for all stages, and if
the lights of one would together be too bright, they are dimmed alike, as a camera's automatic exposure does.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from phalanx.facade.visible.drawn_prims import DrawnPrim
from phalanx.io.formats.usd.bindings import Prim

if TYPE_CHECKING:
    from phalanx.images.looks import Light

EXPOSURE = 1.0 / 2500.0
"""Brightness of a white surface in the light of a dome of intensity 1."""

SUN = 1.0 / math.pi
"""The same for a distant light, whose intensity is an irradiance, relative to a dome's."""

BRIGHTEST = 1.15
"""Sum of the brightness of domes and distant lights above which all lights are dimmed."""

FAR = 3.0
"""m from the stage's origin or below it where lamps are for their part of that sum."""


def lights_of(prims: Sequence[DrawnPrim]) -> list[Light]:
    """Lights for prims of lights; those of no brightness are left out. Daylight if there are no prims at all."""
    from phalanx.images.looks import DAYLIGHT

    if not prims:
        return list(DAYLIGHT)
    found = [(one, _watts(one.prim)) for one in prims]
    whole = sum(_share(one, watts) for one, watts in found)
    dim = EXPOSURE * (BRIGHTEST / (whole * EXPOSURE) if whole * EXPOSURE > BRIGHTEST else 1.0)
    lights = (_light(one, [part * dim for part in watts]) for one, watts in found)
    return [light for light in lights if light is not None]


def _light(one: DrawnPrim, color: Sequence[float]) -> Light | None:
    from phalanx.images.looks import Light

    kind = str(one.prim.GetTypeName())
    if max(color) <= 0.0:
        return None
    turned, place = one.transform[:3, :3], one.transform[:3, 3]
    if kind.startswith("DomeLight"):
        return Light.dome(color)
    if kind == "DistantLight":
        return Light.distant((-turned[:, 2]).tolist(), [part * SUN for part in color])
    strength = _strength(one.prim, turned)
    return Light.point(place.tolist(), [part * strength for part in color], radius=_radius(one.prim, turned))


def _share(one: DrawnPrim, watts: Sequence[float]) -> float:
    kind = str(one.prim.GetTypeName())
    if kind.startswith("DomeLight"):
        return max(watts)
    if kind == "DistantLight":
        return max(watts) * SUN
    distance = max(float(np.linalg.norm(one.transform[:3, 3])), FAR)
    return max(watts) * _strength(one.prim, one.transform[:3, :3]) / distance**2


def _watts(prim: Prim) -> list[float]:
    """Red, green and blue: intensity, exposure and colour together."""
    power = _number(prim, "intensity", 1.0) * 2.0 ** _number(prim, "exposure", 0.0)
    color = _input(prim, "color")
    color = (1.0, 1.0, 1.0) if color is None else color
    warm = (
        _blackbody(_number(prim, "colorTemperature", 6500.0)) if _input(prim, "enableColorTemperature") else (1.0,) * 3
    )
    return [max(power * float(part) * heat, 0.0) for part, heat in zip(color, warm, strict=True)]


def _strength(prim: Prim, turned: np.ndarray) -> float:
    """Of a lamp, what it gives at 1 m relative to a dome of its luminance: the solid angle it fills, over pi.

    Those that are normalised are as strong as if their area were 1.
    """
    kind, scale = str(prim.GetTypeName()), np.linalg.norm(turned, axis=0)
    radius = _radius(prim, turned)
    if kind == "CylinderLight":
        seen = 2.0 * radius * _number(prim, "length", 1.0) * float(scale[0])
        area = math.pi * seen
    elif kind == "RectLight":
        seen = area = _number(prim, "width", 1.0) * float(scale[0]) * _number(prim, "height", 1.0) * float(scale[1])
    else:
        seen = math.pi * radius**2
        area = seen if kind == "DiskLight" else 4.0 * seen
    if _input(prim, "normalize") and area > 0.0:
        seen /= area
    return seen / math.pi


def _radius(prim: Prim, turned: np.ndarray) -> float:
    return (
        0.0
        if str(prim.GetTypeName()) == "RectLight"
        else _number(prim, "radius", 0.5) * float(np.linalg.norm(turned, axis=0).max())
    )


def _blackbody(kelvin: float) -> tuple[float, float, float]:
    """Colour of what glows at a temperature, of mean brightness 1.

    Planck's law at 600, 550 and 450 nm, relative to 6500 K.
    """

    def power(wavelength: float, t: float) -> float:
        return 1.0 / math.expm1(0.014388 / (wavelength * t))

    t = min(max(kelvin, 1000.0), 20000.0)
    r, g, b = (power(w, t) / power(w, 6500.0) for w in (600e-9, 550e-9, 450e-9))
    mean = (r + g + b) / 3.0
    return r / mean, g / mean, b / mean


def _input(prim: Prim, name: str) -> Any:
    """An attribute by its present name, or by that of before USD 21."""
    for each in (f"inputs:{name}", name):
        attribute = prim.GetAttribute(each)
        if attribute and attribute.HasAuthoredValue():
            return attribute.Get()
    return None


def _number(prim: Prim, name: str, default: float) -> float:
    value = _input(prim, name)
    return default if value is None else float(value)
