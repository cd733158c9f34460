"""Optics of cameras on the stage: intrinsic matrices, and directions of pixels through lenses that are no pinholes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from phalanx.io.usd.bindings import Prim, UsdGeom

DEFAULTS = {"fthetaWidth": 1936.0, "fthetaHeight": 1216.0, "fthetaCx": 970.94244, "fthetaCy": 600.37482}
DEFAULTS |= {"fthetaMaxFov": 200.0, "fthetaPolyB": 0.00245}
"""Of fisheye cameras where nothing is written."""

LENSES = ("pinhole", "fisheyePolynomial", "fisheyeSpherical")
"""Projections that are drawn."""


def projection(prim: Prim) -> str:
    """How a camera projects."""
    if UsdGeom.Camera(prim).GetProjectionAttr().Get() == UsdGeom.Tokens.orthographic:
        return "orthographic"
    attribute = prim.GetAttribute("cameraProjectionType")
    return str(attribute.Get() or "pinhole") if attribute else "pinhole"


def intrinsic_matrices(prims: Sequence[Prim], height: int, width: int, square: bool) -> np.ndarray:
    """(n, 3, 3), pixels, of cameras on the stage.

    Args:
        prims: of type Camera.
        height, width: of pictures, pixels.
        square: whether pixels are, whatever height the aperture has.
    """
    found = np.zeros((len(prims), 3, 3), np.float32)
    for i, prim in enumerate(prims):
        camera = UsdGeom.Camera(prim)
        focal, across = float(camera.GetFocalLengthAttr().Get()), float(camera.GetHorizontalApertureAttr().Get())
        f_x = width * focal / across
        f_y = f_x if square else height * focal / float(camera.GetVerticalApertureAttr().Get())
        c_x = 0.5 * width + float(camera.GetHorizontalApertureOffsetAttr().Get()) * f_x
        c_y = 0.5 * height + float(camera.GetVerticalApertureOffsetAttr().Get()) * f_y
        found[i] = [[f_x, 0.0, c_x], [0.0, f_y, c_y], [0.0, 0.0, 1.0]]
    return found


def lens_directions(prim: Prim, height: int, width: int) -> np.ndarray | None:
    """(height * width, 3): where the pixels of a camera look, x right, y down, z forward; 0 of those that see nothing.

    ``None`` for pinholes. Of ``fisheyePolynomial`` the angle off the axis is a polynomial of the distance in pixels
    from the optical centre, of a picture of the nominal size; ``fisheyeSpherical`` are pictures by longitude and
    latitude of all around.

    Raises:
        NotImplementedError: the projection is another one.
    """
    kind = projection(prim)
    if kind == "pinhole":
        return None
    if kind not in LENSES:
        raise NotImplementedError(
            f"<{prim.GetPath()}>: projection {kind!r} is not built; there are {', '.join(LENSES)}"
        )
    v, u = np.mgrid[:height, :width] + 0.5
    if kind == "fisheyeSpherical":
        longitude, latitude = (u / width - 0.5) * 2.0 * np.pi, (v / height - 0.5) * np.pi
        flat = np.cos(latitude)
        found = np.stack([flat * np.sin(longitude), np.sin(latitude), flat * np.cos(longitude)], -1)
    else:
        x = u * _number(prim, "fthetaWidth") / width - _number(prim, "fthetaCx")
        y = v * _number(prim, "fthetaHeight") / height - _number(prim, "fthetaCy")
        r = np.hypot(x, y)
        angle = np.polynomial.polynomial.polyval(r, [_number(prim, f"fthetaPoly{letter}") for letter in "ABCDEF"])
        across = np.sin(angle) / np.where(r > 0.0, r, 1.0)
        found = np.stack([across * x, across * y, np.cos(angle)], -1)
        seen = (angle >= 0.0) & (angle <= min(np.deg2rad(0.5 * _number(prim, "fthetaMaxFov")), np.pi))
        found = np.where(seen[..., None], found, 0.0)
    return found.reshape(-1, 3).astype(np.float32)


def clipping_range(prim: Prim) -> tuple[float, float]:
    """The least and the greatest distance that a camera sees, m."""
    near, far = UsdGeom.Camera(prim).GetClippingRangeAttr().Get()
    return float(near), float(far)


def _number(prim: Prim, name: str) -> float:
    attribute = prim.GetAttribute(name)
    value: Any = attribute.Get() if attribute else None
    return DEFAULTS.get(name, 0.0) if value is None else float(value)
