"""Lights, as our cameras see them."""

from __future__ import annotations

from typing import Any

from phalanx.facade.isaacsim.core.experimental.objects.typed import Typed, instances
from phalanx.facade.isaacsim.core.experimental.prims.prim import require
from phalanx.io.formats.usd.bindings import Sdf, UsdLux

FORMATS = ("automatic", "latlong", "mirroredBall", "angular", "cubeMapVerticalCross")
"""How pictures of the sky are laid around."""


class Light(Typed):
    """What lights have in common; see :class:`.typed.Typed`."""

    family = UsdLux

    @property
    def lights(self) -> list[Any]:
        """The prims as the schema of their kind, such as ``UsdLux.SphereLight``."""
        return self._made

    @classmethod
    def are_of_type(cls, paths: Any) -> Any:
        """(N,), bool: whether prims, or those at paths, are lights of this kind."""
        return cls._are(paths)

    @staticmethod
    def fetch_instances(paths: Any) -> list[Any]:
        """A wrapper of each of some prims, or those at paths; ``None`` where a prim is no light."""
        return instances((CylinderLight, DiskLight, DistantLight, DomeLight, RectLight, SphereLight), paths)

    def _set(self, name: str, values: Any, indices: Any, kind: str = "Float", width: int = 1) -> None:
        self._set_attribute(f"inputs:{name}", kind, values, indices, width)

    def _get(self, name: str, default: Any, indices: Any, width: int = 1) -> Any:
        return self._get_attribute(f"inputs:{name}", default, indices, width)

    def set_intensities(self, intensities: Any, *, indices: Any = None) -> None:
        """Set intensities, (M, 1)."""
        self._set("intensity", intensities, indices)

    def get_intensities(self, *, indices: Any = None) -> Any:
        """Intensities, (M, 1)."""
        return self._get("intensity", 1.0, indices)

    def set_exposures(self, exposures: Any, *, indices: Any = None) -> None:
        """Set exposures, (M, 1): intensities are times two to the power of them."""
        self._set("exposure", exposures, indices)

    def get_exposures(self, *, indices: Any = None) -> Any:
        """Exposures, (M, 1)."""
        return self._get("exposure", 0.0, indices)

    def set_multipliers(
        self, diffuse_multipliers: Any = None, specular_multipliers: Any = None, *, indices: Any = None
    ) -> None:
        """Set by what light is multiplied on matt and on glossy surfaces, (M, 1) each; what is ``None`` stays."""
        given = diffuse_multipliers is not None or specular_multipliers is not None
        require(given, "diffuse_multipliers and specular_multipliers are both None")
        if diffuse_multipliers is not None:
            self._set("diffuse", diffuse_multipliers, indices)
        if specular_multipliers is not None:
            self._set("specular", specular_multipliers, indices)

    def get_multipliers(self, *, indices: Any = None) -> tuple[Any, Any]:
        """By what light is multiplied on matt and on glossy surfaces, (M, 1) each."""
        return self._get("diffuse", 1.0, indices), self._get("specular", 1.0, indices)

    def set_enabled_normalizations(self, enabled: Any, *, indices: Any = None) -> None:
        """Set whether intensities are for the whole surface, whatever its size, (M, 1)."""
        self._set("normalize", enabled, indices, "Bool")

    def get_enabled_normalizations(self, *, indices: Any = None) -> Any:
        """Whether intensities are for the whole surface, (M, 1), bool."""
        return self._get("normalize", False, indices)

    def set_enabled_color_temperatures(self, enabled: Any, *, indices: Any = None) -> None:
        """Set whether colour temperatures count, (M, 1)."""
        self._set("enableColorTemperature", enabled, indices, "Bool")

    def get_enabled_color_temperatures(self, *, indices: Any = None) -> Any:
        """Whether colour temperatures count, (M, 1), bool."""
        return self._get("enableColorTemperature", False, indices)

    def set_color_temperatures(self, color_temperatures: Any, *, indices: Any = None) -> None:
        """Set colour temperatures, (M, 1), K."""
        self._set("colorTemperature", color_temperatures, indices)

    def get_color_temperatures(self, *, indices: Any = None) -> Any:
        """Colour temperatures, (M, 1), K."""
        return self._get("colorTemperature", 6500.0, indices)

    def set_colors(self, colors: Any, *, indices: Any = None) -> None:
        """Set red, green and blue, (M, 3)."""
        self._set("color", colors, indices, "Color3f", 3)

    def get_colors(self, *, indices: Any = None) -> Any:
        """Red, green and blue, (M, 3)."""
        return self._get("color", (1.0, 1.0, 1.0), indices, 3)

    def _set_given(self, **given: Any) -> None:
        """Call ``set_<name>`` for what is not ``None``."""
        for name, values in given.items():
            if values is not None:
                getattr(self, f"set_{name}")(values)


class _Round(Light):
    """Lights with a radius."""

    def set_radii(self, radii: Any, *, indices: Any = None) -> None:
        """Set radii, (M, 1)."""
        self._set("radius", radii, indices)

    def get_radii(self, *, indices: Any = None) -> Any:
        """Radii, (M, 1)."""
        return self._get("radius", 0.5, indices)


class _Pictured(Light):
    """Lights that shine through a picture."""

    def set_texture_files(self, texture_files: str | list[str], *, indices: Any = None) -> None:
        """Set pictures: a path, or one for each."""
        given = [texture_files] if isinstance(texture_files, str) else list(texture_files)
        count = self._size(indices)
        require(len(given) in (1, count), f"there are {len(given)} texture_files for {count} lights")
        self._check_valid()
        for n, i in enumerate(self._chosen(indices)):
            self.lights[i].CreateTextureFileAttr().Set(Sdf.AssetPath(given[0 if len(given) == 1 else n]))

    def get_texture_files(self, *, indices: Any = None) -> list[str | None]:
        """Pictures, (M,) paths; ``None`` where there is none."""
        self._check_valid()
        found = [self.lights[i].GetTextureFileAttr().Get() for i in self._chosen(indices)]
        return [None if each is None else each.path for each in found]


class SphereLight(_Round):
    """Spheres of light.

    Args:
        paths: see :class:`.typed.Typed`.
        radii: (N, 1).
        placed: ``positions``, ``translations``, ``orientations``, ``scales``, ``reset_xform_op_properties``.
    """

    schema = "SphereLight"

    def __init__(self, paths: str | list[str], *, radii: Any = None, **placed: Any) -> None:
        super().__init__(paths, **placed)
        self._set_given(radii=radii)

    def set_enabled_treat_as_points(self, enabled: Any, *, indices: Any = None) -> None:
        """Set whether they are points, (M, 1)."""
        self._set_attribute("treatAsPoint", "Bool", enabled, indices)

    def get_enabled_treat_as_points(self, *, indices: Any = None) -> Any:
        """Whether they are points, (M, 1), bool."""
        return self._get_attribute("treatAsPoint", False, indices)


class DiskLight(_Round):
    """Disks of light; see :class:`SphereLight`."""

    schema = "DiskLight"

    def __init__(self, paths: str | list[str], *, radii: Any = None, **placed: Any) -> None:
        super().__init__(paths, **placed)
        self._set_given(radii=radii)


class CylinderLight(_Round):
    """Tubes of light; see :class:`SphereLight`, and ``lengths``, (N, 1)."""

    schema = "CylinderLight"

    def __init__(self, paths: str | list[str], *, radii: Any = None, lengths: Any = None, **placed: Any) -> None:
        super().__init__(paths, **placed)
        self._set_given(radii=radii, lengths=lengths)

    def set_lengths(self, lengths: Any, *, indices: Any = None) -> None:
        """Set lengths, (M, 1)."""
        self._set("length", lengths, indices)

    def get_lengths(self, *, indices: Any = None) -> Any:
        """Lengths, (M, 1)."""
        return self._get("length", 1.0, indices)

    def set_enabled_treat_as_lines(self, enabled: Any, *, indices: Any = None) -> None:
        """Set whether they are lines, (M, 1)."""
        self._set_attribute("treatAsLine", "Bool", enabled, indices)

    def get_enabled_treat_as_lines(self, *, indices: Any = None) -> Any:
        """Whether they are lines, (M, 1), bool."""
        return self._get_attribute("treatAsLine", False, indices)


class RectLight(_Pictured):
    """Rectangles of light.

    Args:
        paths: see :class:`.typed.Typed`.
        widths, heights: (N, 1) each.
        texture_files: pictures that they shine through, a path or one for each.
        placed: ``positions``, ``translations``, ``orientations``, ``scales``, ``reset_xform_op_properties``.
    """

    schema = "RectLight"

    def __init__(
        self,
        paths: str | list[str],
        *,
        widths: Any = None,
        heights: Any = None,
        texture_files: Any = None,
        **placed: Any,
    ) -> None:
        super().__init__(paths, **placed)
        self._set_given(widths=widths, heights=heights, texture_files=texture_files)

    def set_widths(self, widths: Any, *, indices: Any = None) -> None:
        """Set widths, (M, 1)."""
        self._set("width", widths, indices)

    def get_widths(self, *, indices: Any = None) -> Any:
        """Widths, (M, 1)."""
        return self._get("width", 1.0, indices)

    def set_heights(self, heights: Any, *, indices: Any = None) -> None:
        """Set heights, (M, 1)."""
        self._set("height", heights, indices)

    def get_heights(self, *, indices: Any = None) -> Any:
        """Heights, (M, 1)."""
        return self._get("height", 1.0, indices)


class DistantLight(Light):
    """Suns: light from far away along their own -z.

    Args:
        paths: see :class:`.typed.Typed`.
        angles: how large they are seen, (N, 1), degrees.
        placed: ``positions``, ``translations``, ``orientations``, ``scales``, ``reset_xform_op_properties``.
    """

    schema = "DistantLight"

    def __init__(self, paths: str | list[str], *, angles: Any = None, **placed: Any) -> None:
        super().__init__(paths, **placed)
        self._set_given(angles=angles)

    def set_angles(self, angles: Any, *, indices: Any = None) -> None:
        """Set how large they are seen, (M, 1), degrees."""
        self._set("angle", angles, indices)

    def get_angles(self, *, indices: Any = None) -> Any:
        """How large they are seen, (M, 1), degrees."""
        return self._get("angle", 0.53, indices)


class DomeLight(_Pictured):
    """Skies.

    Args:
        paths: see :class:`.typed.Typed`.
        radii: of the guides that editors draw, (N, 1).
        texture_files: pictures of the sky, a path or one for each.
        texture_formats: how they are laid around, one of :data:`FORMATS` or one for each.
        placed: ``positions``, ``translations``, ``orientations``, ``scales``, ``reset_xform_op_properties``.
    """

    schema = "DomeLight"

    def __init__(
        self,
        paths: str | list[str],
        *,
        radii: Any = None,
        texture_files: Any = None,
        texture_formats: Any = None,
        **placed: Any,
    ) -> None:
        super().__init__(paths, **placed)
        self._set_given(guide_radii=radii, texture_files=texture_files, texture_formats=texture_formats)

    def set_guide_radii(self, radii: Any, *, indices: Any = None) -> None:
        """Set radii of guides, (M, 1)."""
        self._set_attribute("guideRadius", "Float", radii, indices)

    def get_guide_radii(self, *, indices: Any = None) -> Any:
        """Radii of guides, (M, 1)."""
        return self._get_attribute("guideRadius", 1e5, indices)

    def set_texture_formats(self, texture_formats: str | list[str], *, indices: Any = None) -> None:
        """Set how pictures are laid around: a word, or one for each."""
        self._set_words("inputs:texture:format", "Token", texture_formats, indices, FORMATS)

    def get_texture_formats(self, *, indices: Any = None) -> list[str]:
        """How pictures are laid around, (M,) words."""
        return self._get_words("inputs:texture:format", "automatic", indices)
