"""Focal lengths, apertures and lens models of a camera prim."""

from __future__ import annotations

import logging
import math
from collections.abc import Sequence
from typing import Any

from phalanx.facade.isaacsim.sensors.camera.distortions import COEFFICIENTS, MODEL
from phalanx.io.formats.usd.bindings import Gf, Prim, Sdf

log = logging.getLogger("phalanx.facade")

TENTHS = 10.0
"""Attributes of lengths on the sensor are in tenths of the stage's unit."""

APIS = {
    "OmniLensDistortionFthetaAPI": "ftheta",
    "OmniLensDistortionKannalaBrandtK3API": "kannalaBrandtK3",
    "OmniLensDistortionRadTanThinPrismAPI": "radTanThinPrism",
    "OmniLensDistortionLutAPI": "lut",
    "OmniLensDistortionOpenCvFisheyeAPI": "opencvFisheye",
    "OmniLensDistortionOpenCvPinholeAPI": "opencvPinhole",
}
"""Schemas of lens models, and the models' names."""

_SCHEMAS = {name: api for api, name in APIS.items()}
_COMMON = ("nominalHeight", "nominalWidth", "opticalCenter", "maxFov")
_TYPES = {"opticalCenter": "Float2", "imageSize": "Int2"}


class CameraLens:
    """What a camera prim says of its lens. Lengths are in units of the stage."""

    prim: Prim
    """The camera."""

    def get_resolution(self) -> tuple[int, int]:
        """Width and height of pictures, pixels."""
        raise NotImplementedError(f"{type(self).__name__} has no get_resolution(); define it in the class")

    def _get(self, name: str) -> Any:
        return self.prim.GetAttribute(name).Get()

    def _set(self, name: str, value: Any) -> None:
        self.prim.GetAttribute(name).Set(value)

    # -- lengths ---------------------------------------------------------------------------------------------

    def get_focal_length(self) -> float:
        """Units of the stage; the longer, the narrower is what is seen."""
        return self._get("focalLength") / TENTHS

    def set_focal_length(self, value: float) -> None:
        """Set that, units of the stage."""
        self._set("focalLength", value * TENTHS)

    def get_focus_distance(self) -> float:
        """Distance of what is sharp, units of the stage; everything is."""
        return self._get("focusDistance")

    def set_focus_distance(self, value: float) -> None:
        """Keep that; everything is sharp."""
        self._set("focusDistance", value)

    def get_lens_aperture(self) -> float:
        """The f-number; 0: everything is sharp, as it is here in any case."""
        return self._get("fStop")

    def set_lens_aperture(self, value: float) -> None:
        """Keep that; everything is sharp."""
        self._set("fStop", value)

    def get_horizontal_aperture(self) -> float:
        """Width of the sensor, units of the stage."""
        return self._get("horizontalAperture") / TENTHS

    def set_horizontal_aperture(self, value: float, maintain_square_pixels: bool = True) -> None:
        """Set that, units of the stage, and the height with it unless pixels need not be square."""
        self._set("horizontalAperture", value * TENTHS)
        if maintain_square_pixels:
            self._make_pixels_square("horizontal")

    def get_vertical_aperture(self) -> float:
        """Height of the sensor, units of the stage."""
        return self._get("verticalAperture") / TENTHS

    def set_vertical_aperture(self, value: float, maintain_square_pixels: bool = True) -> None:
        """Set that, units of the stage, and the width with it unless pixels need not be square."""
        self._set("verticalAperture", value * TENTHS)
        if maintain_square_pixels:
            self._make_pixels_square("vertical")

    def _make_pixels_square(self, kept: str) -> None:
        """Let the sensor have the proportions of pictures."""
        other = {"horizontal": "vertical", "vertical": "horizontal"}[kept]
        aspect = self.get_aspect_ratio()
        wanted = self._get(f"{kept}Aperture") * (aspect if kept == "vertical" else 1.0 / aspect)
        found = self._get(f"{other}Aperture")
        if not math.isclose(found, wanted, rel_tol=1e-5, abs_tol=1e-8):
            log.info(
                "%s: %sAperture is %g now, not %g, so that pixels are square", self.prim.GetPath(), other, wanted, found
            )
            self._set(f"{other}Aperture", wanted)

    def get_aspect_ratio(self) -> float:
        """Width of pictures by their height."""
        width, height = self.get_resolution()
        return width / float(height)

    def get_horizontal_fov(self) -> float:
        """What a pinhole sees from left to right, rad."""
        return 2.0 * math.atan(self.get_horizontal_aperture() / (2.0 * self.get_focal_length()))

    def get_vertical_fov(self) -> float:
        """The same times height by width of pictures, rad, as Isaac Sim has it."""
        width, height = self.get_resolution()
        return self.get_horizontal_fov() * (height / float(width))

    def get_clipping_range(self) -> tuple[float, float]:
        """The least and the greatest distance that is seen, units of the stage."""
        near, far = self._get("clippingRange")
        return float(near), float(far)

    def set_clipping_range(self, near_distance: float | None = None, far_distance: float | None = None) -> None:
        """Set these, units of the stage; what is ``None`` stays."""
        near, far = self.get_clipping_range()
        self._set("clippingRange", Gf.Vec2f(near_distance or near, far_distance or far))

    def set_shutter_properties(self, delay_open: float | None = None, delay_close: float | None = None) -> None:
        """Keep when the shutter opens and closes; nothing is blurred by motion."""
        for name, value in (("shutter:open", delay_open), ("shutter:close", delay_close)):
            if value:
                self._set(name, value)

    def get_shutter_properties(self) -> tuple[float, float]:
        """When the shutter opens and closes."""
        return self._get("shutter:open"), self._get("shutter:close")

    # -- projection ------------------------------------------------------------------------------------------

    def get_projection_mode(self) -> str:
        """``"perspective"`` or ``"orthographic"``."""
        return self._get("projection")

    def set_projection_mode(self, value: str) -> None:
        """Set that; others are told by a warning, and have no effect."""
        self._set_one_of("projection", value, ("perspective", "orthographic"))

    def get_stereo_role(self) -> str:
        """``"mono"``, ``"left"`` or ``"right"``."""
        return self._get("stereoRole")

    def set_stereo_role(self, value: str) -> None:
        """Set that; others are told by a warning, and have no effect."""
        self._set_one_of("stereoRole", value, ("mono", "left", "right"))

    def _set_one_of(self, name: str, value: str, known: Sequence[str]) -> None:
        if value not in known:
            log.warning("%s: %s cannot be %r; it can be %s", self.prim.GetPath(), name, value, ", ".join(known))
            return
        self._set(name, value)

    def get_projection_type(self) -> str:
        """The older way to name a lens; ``"pinhole"`` if none is named."""
        attribute = self.prim.GetAttribute("cameraProjectionType")
        return (attribute.Get() if attribute else None) or "pinhole"

    def set_projection_type(self, value: str) -> None:
        """Name a lens the older way: ``"pinhole"``, ``"fisheyePolynomial"`` and others.

        Isaac Sim 5.1 draws ``"fisheyePolynomial"`` by its newer model; here pictures follow this name.
        """
        if value == "pinhole":
            self.set_lens_distortion_model(value)
        self.prim.CreateAttribute("cameraProjectionType", Sdf.ValueTypeNames.String, False).Set(value)

    def set_fisheye_polynomial_properties(
        self,
        nominal_width: float | None,
        nominal_height: float | None,
        optical_centre_x: float | None,
        optical_centre_y: float | None,
        max_fov: float | None,
        polynomial: Sequence[float] | None,
    ) -> None:
        """Describe a lens of the type ``"fisheyePolynomial"``.

        Args:
            nominal_width, nominal_height: of the picture that the rest is about, pixels.
            optical_centre_x, optical_centre_y: where the axis is in it, pixels.
            max_fov: greatest angle between two things that are seen, degrees.
            polynomial: (5,), from a pixel's distance from there to its angle off the axis, rad.

        Raises:
            ValueError: the lens is no fisheye.
        """
        self._check_fisheye()
        values = {
            "fthetaWidth": nominal_width,
            "fthetaHeight": nominal_height,
            "fthetaCx": optical_centre_x,
            "fthetaCy": optical_centre_y,
            "fthetaMaxFov": max_fov,
        }
        values |= {f"fthetaPoly{letter}": number for letter, number in zip("ABCDE", polynomial or (), strict=False)}
        for name, value in values.items():
            if value:
                self.prim.CreateAttribute(name, Sdf.ValueTypeNames.Float, False).Set(float(value))

    def get_fisheye_polynomial_properties(self) -> tuple[Any, Any, Any, Any, Any, list[Any]]:
        """Width, height, optical centre x and y, greatest angle and polynomial; ``None`` for what is not written.

        Raises:
            ValueError: the lens is no fisheye.
        """
        self._check_fisheye()
        names = ("Width", "Height", "Cx", "Cy", "MaxFov", *(f"Poly{letter}" for letter in "ABCDE"))
        found = [self._get_if_there(f"ftheta{name}") for name in names]
        return found[0], found[1], found[2], found[3], found[4], found[5:]

    def _check_fisheye(self) -> None:
        if "fisheye" not in (kind := self.get_projection_type()):
            raise ValueError(f"{self.prim.GetPath()}: the projection type is {kind!r}, no fisheye; set that first")

    def _get_if_there(self, name: str) -> Any:
        attribute = self.prim.GetAttribute(name)
        return attribute.Get() if attribute else None

    # -- lens models -----------------------------------------------------------------------------------------

    def get_lens_distortion_model(self) -> str:
        """The model by which pictures are distorted, such as ``"opencvFisheye"``; ``"pinhole"`` if none is named."""
        return self._get_if_there(MODEL) or "pinhole"

    def set_lens_distortion_model(self, value: str) -> None:
        """Choose a model by the name of its schema, such as ``"OmniLensDistortionFthetaAPI"``, or ``"pinhole"``.

        Others are told by a warning, and have no effect.
        """
        if value == "pinhole":
            for schema in self.prim.GetAppliedSchemas():
                if schema in APIS:
                    self.prim.RemoveAppliedSchema(schema)
            self.prim.RemoveProperty(MODEL)
        elif value in APIS:
            self._choose(APIS[value])
        else:
            log.warning("%s: there is no lens model %r; there are %s", self.prim.GetPath(), value, ", ".join(APIS))

    def _choose(self, name: str) -> None:
        self.prim.AddAppliedSchema(_SCHEMAS[name])
        self.prim.CreateAttribute(MODEL, Sdf.ValueTypeNames.Token, False).Set(name)

    def _describe(self, name: str, coefficients: Sequence[float] | None, **values: Any) -> None:
        """Choose a model, and write what it needs."""
        self._choose(name)
        numbers: dict[str, Any] = dict(zip(COEFFICIENTS[name], coefficients or (), strict=False))
        for key, value in (values | numbers).items():
            if value is None:
                continue
            kind = getattr(Sdf.ValueTypeNames, _TYPES.get(key, "Asset" if "Texture" in key else "Float"))
            made: Any = {"opticalCenter": Gf.Vec2f, "imageSize": Gf.Vec2i}.get(key)
            given = made(*value) if made else value
            self.prim.CreateAttribute(f"omni:lensdistortion:{name}:{key}", kind, False).Set(given)

    def _described(self, name: str, keys: Sequence[str], with_coefficients: bool = True) -> tuple[Any, ...] | None:
        """What is written for a model; ``None``, which is told, if the camera has another one."""
        if self.get_lens_distortion_model() != name:
            log.error("%s: the lens model is %r, not %r", self.prim.GetPath(), self.get_lens_distortion_model(), name)
            return None
        found = [self._get_if_there(f"omni:lensdistortion:{name}:{key}") for key in keys]
        found = [each.path if isinstance(each, Sdf.AssetPath) else each for each in found]
        if with_coefficients:
            keys = [f"omni:lensdistortion:{name}:{key}" for key in COEFFICIENTS[name]]
            found.append([self._get_if_there(key) or 0.0 for key in keys])
        return tuple(found)

    def set_ftheta_properties(
        self,
        nominal_height: float | None = None,
        nominal_width: float | None = None,
        optical_center: tuple[float, float] | None = None,
        max_fov: float | None = None,
        distortion_coefficients: Sequence[float] | None = None,
    ) -> None:
        """Let pictures be those of a lens whose angles off the axis are a polynomial of distances in the picture.

        Args:
            nominal_height, nominal_width: of the picture that the rest is about, pixels.
            optical_center: where the axis is in it, pixels.
            max_fov: greatest angle between two things that are seen, degrees.
            distortion_coefficients: k0 to k4, rad per powers of pixels; those that are missing are 0.
        """
        values = dict(zip(_COMMON, (nominal_height, nominal_width, optical_center, max_fov), strict=True))
        self._describe("ftheta", distortion_coefficients, **values)

    def get_ftheta_properties(self) -> tuple[Any, ...] | None:
        """Height, width, optical centre, greatest angle, and coefficients; ``None`` if the model is another one."""
        return self._described("ftheta", _COMMON)

    def set_kannala_brandt_k3_properties(
        self,
        nominal_height: float | None = None,
        nominal_width: float | None = None,
        optical_center: tuple[float, float] | None = None,
        max_fov: float | None = None,
        distortion_coefficients: Sequence[float] | None = None,
    ) -> None:
        """The same for a fisheye of Kannala and Brandt, with k0 to k3."""
        values = dict(zip(_COMMON, (nominal_height, nominal_width, optical_center, max_fov), strict=True))
        self._describe("kannalaBrandtK3", distortion_coefficients, **values)

    def get_kannala_brandt_k3_properties(self) -> tuple[Any, ...] | None:
        """See :meth:`get_ftheta_properties`."""
        return self._described("kannalaBrandtK3", _COMMON)

    def set_rad_tan_thin_prism_properties(
        self,
        nominal_height: float | None = None,
        nominal_width: float | None = None,
        optical_center: tuple[float, float] | None = None,
        max_fov: float | None = None,
        distortion_coefficients: Sequence[float] | None = None,
    ) -> None:
        """The same for a fisheye with tangential and thin prism terms: k0 to k5, p0, p1, s0 to s3."""
        values = dict(zip(_COMMON, (nominal_height, nominal_width, optical_center, max_fov), strict=True))
        self._describe("radTanThinPrism", distortion_coefficients, **values)

    def get_rad_tan_thin_prism_properties(self) -> tuple[Any, ...] | None:
        """See :meth:`get_ftheta_properties`."""
        return self._described("radTanThinPrism", _COMMON)

    def set_lut_properties(
        self,
        nominal_height: float | None = None,
        nominal_width: float | None = None,
        optical_center: tuple[float, float] | None = None,
        ray_enter_direction_texture: str | None = None,
        ray_exit_position_texture: str | None = None,
    ) -> None:
        """Keep textures of rays; such lenses are not drawn, which the next picture raises."""
        values = dict(zip(_COMMON, (nominal_height, nominal_width, optical_center, None), strict=True))
        textures = {"rayEnterDirectionTexture": ray_enter_direction_texture}
        textures["rayExitPositionTexture"] = ray_exit_position_texture
        self._describe("lut", None, **values, **textures)

    def get_lut_properties(self) -> tuple[Any, ...] | None:
        """Height, width, optical centre, and both textures; ``None`` if the model is another one."""
        names = (*_COMMON[:3], "rayEnterDirectionTexture", "rayExitPositionTexture")
        return self._described("lut", names, with_coefficients=False)

    def set_opencv_pinhole_properties(
        self,
        cx: float | None = None,
        cy: float | None = None,
        fx: float | None = None,
        fy: float | None = None,
        pinhole: Sequence[float] | None = None,
    ) -> None:
        """Let pictures be those of OpenCV's pinhole model.

        Args:
            cx, cy: the optical centre, pixels.
            fx, fy: focal lengths, pixels.
            pinhole: k1, k2, p1, p2, k3, k4, k5, k6, s1, s2, s3, s4; those that are missing are 0.
        """
        self._describe("opencvPinhole", pinhole, cx=cx, cy=cy, fx=fx, fy=fy, imageSize=self.get_resolution())

    def get_opencv_pinhole_properties(self) -> tuple[Any, ...] | None:
        """cx, cy, fx, fy and coefficients; ``None`` if the model is another one."""
        return self._described("opencvPinhole", ("cx", "cy", "fx", "fy"))

    def set_opencv_fisheye_properties(
        self,
        cx: float | None = None,
        cy: float | None = None,
        fx: float | None = None,
        fy: float | None = None,
        fisheye: Sequence[float] | None = None,
    ) -> None:
        """The same for OpenCV's fisheye model, with k1 to k4."""
        self._describe("opencvFisheye", fisheye, cx=cx, cy=cy, fx=fx, fy=fy, imageSize=self.get_resolution())

    def get_opencv_fisheye_properties(self) -> tuple[Any, ...] | None:
        """cx, cy, fx, fy and coefficients; ``None`` if the model is another one."""
        return self._described("opencvFisheye", ("cx", "cy", "fx", "fy"))

    def set_rational_polynomial_properties(
        self,
        nominal_width: float,
        nominal_height: float,
        optical_centre_x: float,
        optical_centre_y: float,
        max_fov: float | None,
        distortion_model: Sequence[float],
    ) -> None:
        """The older way to :meth:`set_opencv_pinhole_properties`; fewer than 8 coefficients have no effect."""
        if len(distortion_model) < 8:
            log.warning("%s: the rational model has at least 8 coefficients", self.prim.GetPath())
            return
        f_x, f_y = self._focal_pixels(nominal_width, nominal_height)
        self.set_opencv_pinhole_properties(optical_centre_x, optical_centre_y, f_x, f_y, distortion_model)

    def set_kannala_brandt_properties(
        self,
        nominal_width: float,
        nominal_height: float,
        optical_centre_x: float,
        optical_centre_y: float,
        max_fov: float | None,
        distortion_model: Sequence[float],
    ) -> None:
        """The older way to :meth:`set_opencv_fisheye_properties`; fewer than 4 coefficients have no effect."""
        if len(distortion_model) < 4:
            log.warning("%s: the fisheye model has 4 coefficients", self.prim.GetPath())
            return
        f_x, f_y = self._focal_pixels(nominal_width, nominal_height)
        self.set_opencv_fisheye_properties(optical_centre_x, optical_centre_y, f_x, f_y, distortion_model)

    def _focal_pixels(self, width: float, height: float) -> tuple[float, float]:
        focal = self.get_focal_length()
        return width * focal / self.get_horizontal_aperture(), height * focal / self.get_vertical_aperture()


__all__ = ["CameraLens"]
