"""Cameras: their optics, as attributes of the stage; pictures are made by ``isaaclab.sensors.Camera``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from phalanx.facade.isaaclab.sim.spawners.sensors import sensors
from phalanx.facade.isaaclab.sim.spawners.spawner_cfg import SpawnerCfg
from phalanx.facade.isaaclab.utils.configclass import configclass


@configclass
class PinholeCameraCfg(SpawnerCfg):
    """A camera with a pinhole. Lengths of its optics are in tenths of the stage's unit, as in USD."""

    func: Callable[..., Any] = sensors.spawn_camera

    projection_type: str = "pinhole"
    """How it projects."""

    clipping_range: tuple[float, float] = (0.01, 1e6)
    """The least and the greatest distance that it sees, m."""

    focal_length: float = 24.0
    """From the pinhole to the picture."""

    focus_distance: float = 400.0
    """Of what is sharp, m."""

    f_stop: float = 0.0
    """Aperture of the lens; 0 makes all sharp."""

    horizontal_aperture: float = 20.955
    """Width of the picture."""

    vertical_aperture: float | None = None
    """Its height; ``None`` follows from the width and the number of pixels."""

    horizontal_aperture_offset: float = 0.0
    """By how much the picture is off the axis to the right."""

    vertical_aperture_offset: float = 0.0
    """By how much it is off the axis upwards."""

    lock_camera: bool = True
    """Whether users of a viewport are kept from moving it."""

    @classmethod
    def from_intrinsic_matrix(
        cls,
        intrinsic_matrix: list[float],
        width: int,
        height: int,
        clipping_range: tuple[float, float] = (0.01, 1e6),
        focal_length: float | None = None,
        focus_distance: float = 400.0,
        f_stop: float = 0.0,
        projection_type: str = "pinhole",
        lock_camera: bool = True,
    ) -> PinholeCameraCfg:
        """A camera with an intrinsic matrix.

        Pixels are square, of the focal length over the mean of the matrix's two; offsets of the aperture are in units
        of the focal lengths, as :class:`isaaclab.sensors.Camera` reads them.

        Args:
            intrinsic_matrix: its nine numbers, row by row: [f_x, 0, c_x, 0, f_y, c_y, 0, 0, 1], in pixels.
            width: of the picture, pixels.
            height: of the picture, pixels.
            clipping_range: the least and the greatest distance that it sees, m.
            focal_length: which sets the size of a pixel; by default that is 1 over the width.
            focus_distance: of what is sharp, m.
            f_stop: aperture of the lens; 0 makes all sharp.
            projection_type: how it projects.
            lock_camera: whether users of a viewport are kept from moving it.

        Raises:
            ValueError: the matrix has not nine numbers, or its focal lengths are not positive.
        """
        if len(intrinsic_matrix) != 9:
            raise ValueError(f"intrinsic_matrix has {len(intrinsic_matrix)} numbers; it must have 9, row by row")
        f_x, _, c_x, _, f_y, c_y = (float(number) for number in intrinsic_matrix[:6])
        if not (f_x > 0.0 and f_y > 0.0):
            raise ValueError(f"intrinsic_matrix: focal lengths {f_x:g} and {f_y:g} must be positive")
        mean = 0.5 * (f_x + f_y)
        pixel = 1.0 / width if focal_length is None else focal_length / mean
        return cls(
            projection_type=projection_type,
            clipping_range=clipping_range,
            focal_length=pixel * mean,
            focus_distance=focus_distance,
            f_stop=f_stop,
            horizontal_aperture=pixel * width,
            vertical_aperture=pixel * height,
            horizontal_aperture_offset=(c_x - 0.5 * width) / f_x,
            vertical_aperture_offset=(c_y - 0.5 * height) / f_y,
            lock_camera=lock_camera,
        )


@configclass
class FisheyeCameraCfg(PinholeCameraCfg):
    """A camera with a wide lens, by default by a polynomial of the angle off the axis."""

    projection_type: Literal[  # pyright: ignore[reportIncompatibleVariableOverride]
        "fisheyePolynomial",
        "fisheyeSpherical",
        "fisheyeKannalaBrandtK3",
        "fisheyeRadTanThinPrism",
        "omniDirectionalStereo",
    ] = "fisheyePolynomial"
    """How it projects. ``fisheyeKannalaBrandtK3`` and ``fisheyeRadTanThinPrism`` have the focal length and aperture of
    a pinhole, and their radial coefficients in ``fisheye_polynomial_a`` and so on."""

    fisheye_nominal_width: float = 1936.0
    """Of the picture, pixels."""

    fisheye_nominal_height: float = 1216.0
    """Of the picture, pixels."""

    fisheye_optical_centre_x: float = 970.94244
    """Pixels."""

    fisheye_optical_centre_y: float = 600.37482
    """Pixels."""

    fisheye_max_fov: float = 200.0
    """The greatest field of view, degrees."""

    fisheye_polynomial_a: float = 0.0
    """Coefficient of degree 0."""

    fisheye_polynomial_b: float = 0.00245
    """Of degree 1."""

    fisheye_polynomial_c: float = 0.0
    """Of degree 2."""

    fisheye_polynomial_d: float = 0.0
    """Of degree 3."""

    fisheye_polynomial_e: float = 0.0
    """Of degree 4."""

    fisheye_polynomial_f: float = 0.0
    """Of degree 5."""
