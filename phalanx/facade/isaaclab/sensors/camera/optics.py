"""Optics of cameras on the stage: intrinsic matrices, and rays of pixels through lenses that are no pinholes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from phalanx.facade.isaaclab.sensors.camera import lenses
from phalanx.io.formats.usd.bindings import Prim, UsdGeom

DEFAULTS = {"fthetaWidth": 1936.0, "fthetaHeight": 1216.0, "fthetaCx": 970.94244, "fthetaCy": 600.37482}
DEFAULTS |= {"fthetaMaxFov": 200.0, "fthetaPolyB": 0.00245}
"""Of fisheye cameras where nothing is written."""

RADIAL: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "fisheyeEquidistant": lenses.equidistant,
    "fisheyeEquisolid": lenses.equisolid,
    "fisheyeOrthographic": lenses.orthographic,
}
"""Fisheyes without coefficients: distances from the optical centre, in focal lengths, of angles."""

LENSES = (
    "pinhole",
    "orthographic",
    "fisheyePolynomial",
    "fisheyeSpherical",
    *RADIAL,
    "fisheyeKannalaBrandtK3",
    "fisheyeRadTanThinPrism",
    "omniDirectionalStereo",
)
"""Projections that are drawn."""

PUPILS = 0.064
"""m between two eyes, where nothing is written."""


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


def lens_rays(prim: Prim, height: int, width: int, square: bool) -> tuple[np.ndarray, np.ndarray | None] | None:
    """Where the pixels of a camera look, and from where; ``None`` for pinholes.

    Fisheyes have their optical centre in pixels of a picture of the nominal size. Of ``fisheyePolynomial`` the angle
    off the axis is a polynomial of the distance from there, in those pixels. The other fisheyes have the camera's focal
    length and aperture, as pinholes have; ``fisheyeKannalaBrandtK3`` has the coefficients k0 to k3 in fthetaPolyA to D,
    ``fisheyeRadTanThinPrism`` k0 to k5 in fthetaPolyA to F, and p0, p1, s0 to s3. ``fisheyeSpherical`` is a picture of
    all around, and so is ``omniDirectionalStereo``, as one eye sees it (``isLeftEye``, or else ``stereoRole``; without
    either it is seen from between the eyes), ``interpupillaryDistance`` from the other.

    Args:
        prim: the camera.
        height, width: of the picture, pixels.
        square: whether pixels are, whatever height the aperture has.

    Returns:
        (height * width, 3), x right, y down, z forward: directions, 0 of pixels that see nothing; and, unless all rays
        come from one place, where they begin, in the same frame, units of the stage.

    Raises:
        NotImplementedError: the projection is none of these.
        ValueError: lengths are not positive, numbers not finite, or coefficients fold the picture.
    """
    kind = projection(prim)
    if kind == "pinhole":
        return None
    if kind not in LENSES:
        raise NotImplementedError(
            f"<{prim.GetPath()}>: projection {kind!r} is not built; there are {', '.join(LENSES)}"
        )
    if kind in ("fisheyeSpherical", "omniDirectionalStereo"):
        offset = _eye_offset(prim) if kind == "omniDirectionalStereo" else 0.0
        origins = lenses.stereo_origins(height, width, offset).astype(np.float32) if offset else None
        return lenses.spherical(height, width).astype(np.float32), origins
    if kind == "orthographic":
        return _parallel(prim, height, width, square)
    try:
        return _fisheye(prim, kind, height, width, square).astype(np.float32), None
    except ValueError as error:
        raise ValueError(f"<{prim.GetPath()}>: {kind}: {error}") from None


def _fisheye(prim: Prim, kind: str, height: int, width: int, square: bool) -> np.ndarray:
    v, u = (axis.reshape(-1) + 0.5 for axis in np.mgrid[:height, :width])
    nominal = _positive(prim, "fthetaWidth"), _positive(prim, "fthetaHeight")
    centre = _number(prim, "fthetaCx"), _number(prim, "fthetaCy")
    widest = min(np.deg2rad(0.5 * _positive(prim, "fthetaMaxFov")), np.pi)
    polynomial = [_number(prim, f"fthetaPoly{letter}") for letter in "ABCDEF"]
    x, y = u * nominal[0] / width - centre[0], v * nominal[1] / height - centre[1]
    if kind == "fisheyePolynomial":
        return lenses.by_angle(x, y, np.polynomial.polynomial.polyval(np.hypot(x, y), polynomial), widest)
    f_x, f_y = _focal_pixels(prim, height, width, square)
    x, y = x * width / nominal[0] / f_x, y * height / nominal[1] / f_y
    if kind in RADIAL:
        widest = min(widest, 0.5 * np.pi) if kind == "fisheyeOrthographic" else widest
        return lenses.fisheye(x, y, RADIAL[kind], widest)
    if kind == "fisheyeKannalaBrandtK3":
        return lenses.fisheye(x, y, lenses.odd_polynomial(polynomial[:4]), widest)
    tangential, prism = ([_number(prim, name) for name in names] for names in (("p0", "p1"), ("s0", "s1", "s2", "s3")))
    return lenses.prism_fisheye(x, y, polynomial, tangential, prism, widest)


def _parallel(prim: Prim, height: int, width: int, square: bool) -> tuple[np.ndarray, np.ndarray]:
    """Rays that all go forward, from an aperture whose sides are in tenths of the stage's unit."""
    camera = UsdGeom.Camera(prim)
    across = 0.1 * float(camera.GetHorizontalApertureAttr().Get())
    up = across * height / width if square else 0.1 * float(camera.GetVerticalApertureAttr().Get())
    if not (across > 0.0 and up > 0.0 and np.isfinite(across + up)):
        raise ValueError(f"<{prim.GetPath()}>: apertures of an orthographic camera must be positive")
    v, u = (axis.reshape(-1) + 0.5 for axis in np.mgrid[:height, :width])
    x = (u / width - 0.5) * across + 0.1 * float(camera.GetHorizontalApertureOffsetAttr().Get())
    y = (v / height - 0.5) * up - 0.1 * float(camera.GetVerticalApertureOffsetAttr().Get())
    origins = np.stack([x, y, np.zeros_like(x)], -1)
    return np.tile(np.array([0.0, 0.0, 1.0], np.float32), (height * width, 1)), origins.astype(np.float32)


def _focal_pixels(prim: Prim, height: int, width: int, square: bool) -> tuple[float, float]:
    """Focal lengths in pixels, as pinholes have them."""
    matrix = intrinsic_matrices([prim], height, width, square)[0]
    f_x, f_y = float(matrix[0, 0]), float(matrix[1, 1])
    if not (f_x > 0.0 and f_y > 0.0 and np.isfinite(f_x + f_y)):
        raise ValueError("focalLength and apertures must be positive")
    return f_x, f_y


def _eye_offset(prim: Prim) -> float:
    """How far an eye is to the right of the middle, in units of the stage."""
    left = prim.GetAttribute("isLeftEye")
    if left and left.Get() is not None:
        side = -0.5 if left.Get() else 0.5
    else:
        role = str(UsdGeom.Camera(prim).GetStereoRoleAttr().Get())
        side = {"left": -0.5, "right": 0.5}.get(role, 0.0)
    apart = prim.GetAttribute("interpupillaryDistance")
    if apart and apart.Get() is not None:
        distance = float(apart.Get())
    else:
        distance = PUPILS / UsdGeom.GetStageMetersPerUnit(prim.GetStage())
    if not (distance >= 0.0 and np.isfinite(distance)):
        raise ValueError(f"<{prim.GetPath()}>: interpupillaryDistance={distance} must be finite, and not below 0")
    return side * distance


def clipping_range(prim: Prim) -> tuple[float, float]:
    """The least and the greatest distance that a camera sees, m."""
    near, far = UsdGeom.Camera(prim).GetClippingRangeAttr().Get()
    return float(near), float(far)


def _number(prim: Prim, name: str) -> float:
    attribute = prim.GetAttribute(name)
    value: Any = attribute.Get() if attribute else None
    number = DEFAULTS.get(name, 0.0) if value is None else float(value)
    if not np.isfinite(number):
        raise ValueError(f"{name}={number} must be finite")
    return number


def _positive(prim: Prim, name: str) -> float:
    number = _number(prim, name)
    if number <= 0.0:
        raise ValueError(f"{name}={number:g} must be positive")
    return number
