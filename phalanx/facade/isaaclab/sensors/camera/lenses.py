"""Where pixels look through lenses that are no pinholes: published models of projection, inverted.

Directions are in the camera's frame: x right, y down, z forward. Where a model has no closed form of its inverse it is
found by Newton's method in float64, for each pixel, once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

KNOTS = 4097
"""Of the table of angles from which Newton's method starts."""

STEPS = 30
"""Of Newton's method, at most."""

Radius = Callable[[np.ndarray], np.ndarray]


def spherical(height: int, width: int) -> np.ndarray:
    """(height * width, 3): all around, by longitude (columns) and latitude (rows); the middle looks forward."""
    v, u = np.mgrid[:height, :width] + 0.5
    longitude, latitude = (u / width - 0.5) * 2.0 * np.pi, (v / height - 0.5) * np.pi
    flat = np.cos(latitude)
    return np.stack([flat * np.sin(longitude), np.sin(latitude), flat * np.cos(longitude)], -1).reshape(-1, 3)


def stereo_origins(height: int, width: int, offset: float) -> np.ndarray:
    """(height * width, 3): where the rays of :func:`spherical` begin, of one eye of an omnidirectional stereo pair.

    The eye looks out along tangents of a circle about the vertical axis (Google, "Rendering Omni-directional Stereo
    Content", 2015; Peleg, Ben-Ezra and Pritch 2001, "Omnistereo").

    Args:
        offset: of the eye to the right of the middle, which is the circle's radius; negative of the left eye.
    """
    longitude = ((np.arange(width) + 0.5) / width - 0.5) * 2.0 * np.pi
    row = offset * np.stack([np.cos(longitude), np.zeros(width), -np.sin(longitude)], -1)
    return np.ascontiguousarray(np.broadcast_to(row, (height, width, 3))).reshape(-1, 3)


def by_angle(x: np.ndarray, y: np.ndarray, angle: np.ndarray, widest: float) -> np.ndarray:
    """(n, 3): directions at angles off the axis toward x, y; 0 where the angle is not within 0..widest."""
    radius = np.hypot(x, y)
    across = np.sin(angle) / np.where(radius > 0.0, radius, 1.0)
    found = np.stack([across * x, across * y, np.cos(angle)], -1)
    return np.where(((angle >= 0.0) & (angle <= widest))[..., None], found, 0.0)


def equidistant(angle: np.ndarray) -> np.ndarray:
    """Distance from the middle, in focal lengths, of what is at an angle off the axis: r = angle."""
    return angle


def equisolid(angle: np.ndarray) -> np.ndarray:
    """r = 2 sin(angle / 2): equal areas of the picture are equal solid angles."""
    return 2.0 * np.sin(0.5 * angle)


def orthographic(angle: np.ndarray) -> np.ndarray:
    """r = sin(angle), of angles up to 90 degrees."""
    return np.where(angle <= 0.5 * np.pi, np.sin(angle), 1.0)


def odd_polynomial(coefficients: Sequence[float]) -> Radius:
    """r = angle (1 + k0 angle^2 + k1 angle^4 + ...).

    With four coefficients this is the model of Kannala and Brandt (2006), "A Generic Camera Model and Calibration
    Method for Conventional, Wide-Angle, and Fish-Eye Lenses", with the focal length as the first of theirs, as in
    OpenCV's fisheye cameras and in Project Aria's KannalaBrandtK3.
    """

    def radius(angle: np.ndarray) -> np.ndarray:
        square = angle * angle
        return angle * np.polynomial.polynomial.polyval(square, [1.0, *coefficients])

    return radius


def fisheye(x: np.ndarray, y: np.ndarray, radius: Radius, widest: float) -> np.ndarray:
    """(n, 3): directions of pixels of a lens whose distances from the middle depend on the angle off the axis alone.

    Args:
        x, y: of pixels from the optical centre, in focal lengths.
        radius: distance from the middle of an angle, in focal lengths.
        widest: greatest angle that is seen, rad; at most pi.

    Raises:
        ValueError: the distance stops growing before that, within the picture.
    """
    return by_angle(x, y, _angles(np.hypot(x, y), radius, widest), widest)


def prism_fisheye(
    x: np.ndarray,
    y: np.ndarray,
    radial: Sequence[float],
    tangential: Sequence[float],
    prism: Sequence[float],
    widest: float,
) -> np.ndarray:
    """(n, 3): directions of a fisheye with radial, tangential and thin prism distortion.

    The model is FisheyeRadTanThinPrism (Fisheye624) of Project Aria's documents ("Camera Intrinsic Models for Project
    Aria Devices", Meta): with q the place that :func:`odd_polynomial` gives and r its distance from the middle, the
    pixel is q + 2 (q . p) q + r^2 p + (s0 r^2 + s1 r^4, s2 r^2 + s3 r^4). Angles beyond 90 degrees are seen, too.

    Args:
        x, y, widest: see :func:`fisheye`.
        radial: six coefficients, k0 to k5.
        tangential: p0, p1.
        prism: s0 to s3.

    Raises:
        ValueError: coefficients are so large that a pixel has no direction, or several.
    """
    radius = odd_polynomial(radial)
    ideal, good = _undistorted(np.stack([x, y], -1), np.asarray(tangential, float), np.asarray(prism, float))
    far = np.hypot(x, y) > 1.5 * float(radius(np.array(widest)))  # not seen in any case
    if not (good | far).all():
        raise ValueError(
            f"tangential coefficients {tuple(map(float, tangential))} and prism coefficients "
            f"{tuple(map(float, prism))} fold the picture: {int((~(good | far)).sum())} pixels have no direction, or "
            "several"
        )
    ideal = np.where(good[..., None], ideal, 1e9)
    return fisheye(ideal[..., 0], ideal[..., 1], radius, widest)


def _angles(distance: np.ndarray, radius: Radius, widest: float) -> np.ndarray:
    """Angles of distances from the middle; more than any of those beyond the one of the widest."""
    knots = np.linspace(0.0, widest, KNOTS)
    values = radius(knots)
    turns = np.flatnonzero(np.diff(values) <= 0.0)
    last = int(turns[0]) if turns.size else KNOTS - 1
    if turns.size and (last == 0 or (distance > values[last]).any()):
        raise ValueError(
            f"the distance from the optical centre stops growing {np.rad2deg(knots[last]):.1f} degrees off the axis, "
            f"within the picture: mend the coefficients, or let the field of view be at most "
            f"{2.0 * np.rad2deg(knots[last]):.1f} degrees"
        )
    seen = distance <= values[last]
    wanted = np.where(seen, distance, 0.0)
    cell = np.clip(np.searchsorted(values[: last + 1], wanted, "right") - 1, 0, last - 1)
    low, high = knots[cell], knots[cell + 1]
    angle = np.interp(wanted, values[: last + 1], knots[: last + 1])
    small = 1e-4 * (knots[1] - knots[0])
    for _ in range(4):  # from within a cell of the table: digits double
        slope = (radius(angle + small) - radius(angle - small)) / (2.0 * small)
        angle = np.clip(angle + (wanted - radius(angle)) / np.where(slope > 0.0, slope, np.inf), low, high)
    return np.where(seen, angle, 2.0 * np.pi)


def _undistorted(wanted: np.ndarray, p: np.ndarray, s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Places (n, 2) that tangential and prism distortion bring to where they are wanted; where there is one."""
    found = wanted.copy()
    good = np.ones(len(wanted), bool)
    if not p.any() and not s.any():
        return found, good
    with np.errstate(all="ignore"):
        for _ in range(STEPS):
            a, b = found[:, 0], found[:, 1]
            square, along = a * a + b * b, 2.0 * (a * p[0] + b * p[1])
            moved = np.stack([along * a, along * b], -1) + square[:, None] * p
            moved += np.stack([s[0] * square + s[1] * square**2, s[2] * square + s[3] * square**2], -1)
            rate = np.stack([s[0] + 2.0 * s[1] * square, s[2] + 2.0 * s[3] * square], -1) + p
            jxx = 1.0 + along + 2.0 * a * p[0] + 2.0 * a * rate[:, 0]
            jxy = 2.0 * a * p[1] + 2.0 * b * rate[:, 0]
            jyx = 2.0 * b * p[0] + 2.0 * a * rate[:, 1]
            jyy = 1.0 + along + 2.0 * b * p[1] + 2.0 * b * rate[:, 1]
            area = jxx * jyy - jxy * jyx
            off = wanted - found - moved
            good = (np.abs(off).max(axis=-1) <= 1e-12 * (1.0 + np.abs(wanted).max(axis=-1))) & (area > 0.0)
            if good.all():
                break
            step = np.stack([jyy * off[:, 0] - jxy * off[:, 1], jxx * off[:, 1] - jyx * off[:, 0]], -1) / area[:, None]
            found = np.where(good[:, None], found, found + step)
    return found, good
