"""Rays of pixels through the lenses that ``omni:lensdistortion:model`` names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from phalanx.facade.isaaclab.sensors.camera import lenses, optics
from phalanx.io.formats.usd.bindings import Prim, UsdGeom

MODEL = "omni:lensdistortion:model"

COEFFICIENTS = {
    "ftheta": ("k0", "k1", "k2", "k3", "k4"),
    "kannalaBrandtK3": ("k0", "k1", "k2", "k3"),
    "radTanThinPrism": ("k0", "k1", "k2", "k3", "k4", "k5", "p0", "p1", "s0", "s1", "s2", "s3"),
    "opencvPinhole": ("k1", "k2", "p1", "p2", "k3", "k4", "k5", "k6", "s1", "s2", "s3", "s4"),
    "opencvFisheye": ("k1", "k2", "k3", "k4"),
    "lut": (),
}
"""Names of the coefficients of models, in their order."""

STEPS = 50

Rays = tuple[np.ndarray, np.ndarray | None]
"""(height * width, 3): directions, x right, y down, z forward, and where rays begin; ``None``: all in one place."""


def model(prim: Prim) -> str:
    """The model of a camera's lens; ``"pinhole"`` where none is written."""
    attribute = prim.GetAttribute(MODEL)
    return str(attribute.Get() or "pinhole") if attribute else "pinhole"


def lens_rays(prim: Prim, height: int, width: int) -> Rays | None:
    """Where the pixels of a camera look; ``None`` for pinholes, see :func:`pinhole`.

    Args:
        prim: the camera.
        height, width: of the picture, pixels.

    Raises:
        NotImplementedError: the model is not drawn.
        ValueError: numbers fold the picture, or are not positive where they must be.
    """
    name = model(prim)
    if name == "pinhole":
        return optics.lens_rays(prim, height, width, True)
    if name not in _MODELS:
        raise NotImplementedError(
            f"<{prim.GetPath()}>: the lens model {name!r} is not drawn; there are pinhole, {', '.join(_MODELS)}: "
            "fit the numbers of one of them"
        )
    v, u = (axis.reshape(-1) + 0.5 for axis in np.mgrid[:height, :width])
    try:
        return _MODELS[name](prim, u, v, height, width).astype(np.float32), None
    except ValueError as error:
        raise ValueError(f"<{prim.GetPath()}>: {name}: {error}") from None


def pinhole(prim: Prim, height: int, width: int) -> np.ndarray:
    """(3, 3): [[fx, 0, cx], [0, fy, cy], [0, 0, 1]], pixels; the centre is the middle of the picture.

    Raises:
        ValueError: the focal length or an aperture is not positive.
    """
    camera = UsdGeom.Camera(prim)
    focal = float(camera.GetFocalLengthAttr().Get())
    across, up = float(camera.GetHorizontalApertureAttr().Get()), float(camera.GetVerticalApertureAttr().Get())
    if not (focal > 0.0 and across > 0.0 and up > 0.0):
        raise ValueError(f"<{prim.GetPath()}>: focalLength={focal:g} and apertures {across:g}, {up:g} must be positive")
    f_x, f_y = width * focal / across, height * focal / up
    return np.array([[f_x, 0.0, 0.5 * width], [0.0, f_y, 0.5 * height], [0.0, 0.0, 1.0]])


def pinhole_rays(matrix: np.ndarray, height: int, width: int) -> np.ndarray:
    """(height * width, 3): directions of a pinhole's pixels."""
    v, u = (axis.reshape(-1) + 0.5 for axis in np.mgrid[:height, :width])
    x, y = (u - matrix[0, 2]) / matrix[0, 0], (v - matrix[1, 2]) / matrix[1, 1]
    return np.stack([x, y, np.ones_like(x)], -1).astype(np.float32)


# -- models ----------------------------------------------------------------------------------------------------------


def _value(prim: Prim, name: str) -> Any:
    attribute = prim.GetAttribute(f"omni:lensdistortion:{model(prim)}:{name}")
    return attribute.Get() if attribute else None


def _coefficients(prim: Prim) -> list[float]:
    return [float(_value(prim, name) or 0.0) for name in COEFFICIENTS[model(prim)]]


def _from_centre(prim: Prim, u: np.ndarray, v: np.ndarray, height: int, width: int) -> tuple[np.ndarray, np.ndarray]:
    """Pixels of a picture of the nominal size from the optical centre."""
    sizes = float(_value(prim, "nominalWidth") or width), float(_value(prim, "nominalHeight") or height)
    if not min(sizes) > 0.0:
        raise ValueError(f"nominal size {sizes} must be positive")
    centre = _value(prim, "opticalCenter") or (0.5 * sizes[0], 0.5 * sizes[1])
    return u * sizes[0] / width - float(centre[0]), v * sizes[1] / height - float(centre[1])


def _widest(prim: Prim) -> float:
    whole = _value(prim, "maxFov")
    return np.pi if whole is None else min(np.deg2rad(0.5 * float(whole)), np.pi)


def _ftheta(prim: Prim, u: np.ndarray, v: np.ndarray, height: int, width: int) -> np.ndarray:
    x, y = _from_centre(prim, u, v, height, width)
    angles = np.polynomial.polynomial.polyval(np.hypot(x, y), _coefficients(prim))
    return lenses.by_angle(x, y, angles, _widest(prim))


def _focal(prim: Prim, u: np.ndarray, v: np.ndarray, height: int, width: int) -> tuple[np.ndarray, np.ndarray]:
    """Pixels from the optical centre, in the camera's focal lengths."""
    x, y = _from_centre(prim, u, v, height, width)
    matrix = pinhole(prim, height, width)
    sizes = float(_value(prim, "nominalWidth") or width), float(_value(prim, "nominalHeight") or height)
    return x * width / sizes[0] / matrix[0, 0], y * height / sizes[1] / matrix[1, 1]


def _kannala_brandt(prim: Prim, u: np.ndarray, v: np.ndarray, height: int, width: int) -> np.ndarray:
    x, y = _focal(prim, u, v, height, width)
    return lenses.fisheye(x, y, lenses.odd_polynomial(_coefficients(prim)), _widest(prim))


def _thin_prism(prim: Prim, u: np.ndarray, v: np.ndarray, height: int, width: int) -> np.ndarray:
    x, y = _focal(prim, u, v, height, width)
    k = _coefficients(prim)
    return lenses.prism_fisheye(x, y, k[:6], k[6:8], k[8:], _widest(prim))


def _calibrated(prim: Prim, u: np.ndarray, v: np.ndarray, height: int, width: int) -> tuple[np.ndarray, np.ndarray]:
    """Pixels from the optical centre, in focal lengths that the model tells itself."""
    size = _value(prim, "imageSize") or (width, height)
    across, up = width / float(size[0]), height / float(size[1])
    plain = pinhole(prim, height, width)
    f_x, f_y = (_value(prim, name) for name in ("fx", "fy"))
    c_x, c_y = (_value(prim, name) for name in ("cx", "cy"))
    f_x = plain[0, 0] if f_x is None else float(f_x) * across
    f_y = plain[1, 1] if f_y is None else float(f_y) * up
    if not (f_x > 0.0 and f_y > 0.0):
        raise ValueError(f"focal lengths fx={f_x:g}, fy={f_y:g} must be positive")
    c_x = plain[0, 2] if c_x is None else float(c_x) * across
    c_y = plain[1, 2] if c_y is None else float(c_y) * up
    return (u - c_x) / f_x, (v - c_y) / f_y


def _opencv_fisheye(prim: Prim, u: np.ndarray, v: np.ndarray, height: int, width: int) -> np.ndarray:
    x, y = _calibrated(prim, u, v, height, width)
    radius = lenses.odd_polynomial(_coefficients(prim))
    angles = np.linspace(0.0, np.pi, 4096)
    falls = np.flatnonzero(np.diff(radius(angles)) <= 0.0)
    # Coefficients hold for what was calibrated: beyond, where the picture would fold, nothing is seen.
    widest = angles[max(falls[0] - 1, 1)] if falls.size else np.pi
    return lenses.fisheye(x, y, radius, float(widest))


def _opencv_pinhole(prim: Prim, u: np.ndarray, v: np.ndarray, height: int, width: int) -> np.ndarray:
    x, y = undistorted(*_calibrated(prim, u, v, height, width), _coefficients(prim))
    seen = np.isfinite(x)
    return np.where(seen[:, None], np.stack([np.where(seen, x, 0.0), np.where(seen, y, 0.0), np.ones_like(x)], -1), 0.0)


_MODELS: dict[str, Callable[[Prim, np.ndarray, np.ndarray, int, int], np.ndarray]] = {
    "ftheta": _ftheta,
    "kannalaBrandtK3": _kannala_brandt,
    "radTanThinPrism": _thin_prism,
    "opencvPinhole": _opencv_pinhole,
    "opencvFisheye": _opencv_fisheye,
}


def distorted(x: np.ndarray, y: np.ndarray, k: Sequence[float]) -> tuple[np.ndarray, np.ndarray]:
    """Where a lens of OpenCV's pinhole model shows what a plain pinhole shows at x, y, both in focal lengths.

    Args:
        x, y: any shape.
        k: k1, k2, p1, p2, k3, k4, k5, k6, s1, s2, s3, s4: the rational model with tangential and thin prism terms of
            OpenCV's "Camera Calibration and 3D Reconstruction".
    """
    k1, k2, p1, p2, k3, k4, k5, k6, s1, s2, s3, s4 = k
    r2 = x * x + y * y
    ratio = (1.0 + r2 * (k1 + r2 * (k2 + r2 * k3))) / (1.0 + r2 * (k4 + r2 * (k5 + r2 * k6)))
    return (
        x * ratio + 2.0 * p1 * x * y + p2 * (r2 + 2.0 * x * x) + r2 * (s1 + r2 * s2),
        y * ratio + 2.0 * p2 * x * y + p1 * (r2 + 2.0 * y * y) + r2 * (s3 + r2 * s4),
    )


def undistorted(u: np.ndarray, v: np.ndarray, k: Sequence[float]) -> tuple[np.ndarray, np.ndarray]:
    """The inverse of :func:`distorted`, by Newton's method; NaN where there is none."""
    x, y = u.copy(), v.copy()
    small = 1e-6
    with np.errstate(all="ignore"):
        for _ in range(STEPS):
            a, b = distorted(x, y, k)
            off_x, off_y = u - a, v - b
            right, left = distorted(x + small, y, k), distorted(x - small, y, k)
            lower, upper = distorted(x, y + small, k), distorted(x, y - small, k)
            xx, yx = ((p - q) / (2.0 * small) for p, q in zip(right, left, strict=True))
            xy, yy = ((p - q) / (2.0 * small) for p, q in zip(lower, upper, strict=True))
            area = xx * yy - xy * yx
            good = (np.abs(off_x) + np.abs(off_y) < 1e-10 * (1.0 + np.abs(u) + np.abs(v))) & (area > 0.0)
            if good.all():
                break
            x = np.where(good, x, x + (yy * off_x - xy * off_y) / area)
            y = np.where(good, y, y + (xx * off_y - yx * off_x) / area)
    return np.where(good, x, np.nan), np.where(good, y, np.nan)
