"""Materials like NVIDIA's OmniPBR."""

from __future__ import annotations

from typing import Any

import numpy as np

from phalanx.facade.isaacsim.core.api.materials.visual_material import (
    VisualMaterial,
    as_mdl,
    check_kind,
    wrapped,
)

_INPUTS = {
    "diffuse_color_constant": "Color3f",
    "reflection_roughness_constant": "Float",
    "metallic_constant": "Float",
    "diffuse_texture": "Asset",
    "project_uvw": "Bool",
    "texture_scale": "Float2",
    "texture_translate": "Float2",
}


class OmniPBR(VisualMaterial):
    """A shader with the inputs of ``OmniPBR.mdl``. Where there is a material already, only what is given changes.

    Args:
        prim_path: where it is.
        name: what it is called.
        shader: its ``UsdShade.Shader``; that below its prim, or a new one, by default.
        texture_path: a picture.
        texture_scale: how often it is repeated, (2,).
        texture_translate: by what it is moved, (2,).
        color: red, green and blue, (3,), 0 to 1.

    Raises:
        ValueError: the prim is no material, or its shader is another one.
    """

    def __init__(
        self,
        prim_path: str,
        name: str = "omni_pbr",
        shader: Any = None,
        texture_path: str | None = None,
        texture_scale: Any = None,
        texture_translate: Any = None,
        color: Any = None,
    ) -> None:
        from phalanx.io.formats.usd.bindings import Sdf

        prim, material, shader = wrapped(prim_path, shader)
        check_kind(shader, "OmniPBR")
        super().__init__(name, prim_path, prim, [shader], material)
        is_new = not shader.GetInput("project_uvw")
        for each, kind in _INPUTS.items():
            shader.CreateInput(each, getattr(Sdf.ValueTypeNames, kind))
        as_mdl(material, shader, "OmniPBR")
        if color is not None:
            self.set_color(color)
        if texture_path is not None:
            self.set_texture(texture_path)
        if texture_scale is not None:
            self.set_texture_scale(*texture_scale)
        if texture_translate is not None:
            self.set_texture_translate(*texture_translate)
        if is_new:
            self.set_project_uvw(True)
            self.set_reflection_roughness(0.5)

    def set_color(self, color: Any) -> None:
        """Set red, green and blue, (3,)."""
        self._write("diffuse_color_constant", "Color3f", color)

    def get_color(self) -> np.ndarray | None:
        """Red, green and blue, (3,); ``None``, with a warning, if they were never set."""
        return self._read("diffuse_color_constant", "color")

    def set_texture(self, path: str) -> None:
        """Let it show a picture."""
        self._write("diffuse_texture", "Asset", path)

    def get_texture(self) -> str | None:
        """The path of its picture; ``None``, with a warning, if it has none."""
        found = self._read("diffuse_texture", "texture")
        return None if found is None else str(found.path)

    def set_texture_scale(self, x: float, y: float) -> None:
        """Set how often its picture is repeated."""
        self._write("texture_scale", "Float2", (x, y))

    def get_texture_scale(self) -> np.ndarray | None:
        """How often its picture is repeated, (2,); ``None``, with a warning, if it was never set."""
        return self._read("texture_scale", "texture scale")

    def set_texture_translate(self, x: float, y: float) -> None:
        """Set by what its picture is moved."""
        self._write("texture_translate", "Float2", (x, y))

    def get_texture_translate(self) -> np.ndarray | None:
        """By what its picture is moved, (2,); ``None``, with a warning, if it was never set."""
        return self._read("texture_translate", "texture translation")

    def set_project_uvw(self, flag: bool) -> None:
        """Set whether pictures are laid over shapes from outside, rather than by coordinates of their own."""
        self._write("project_uvw", "Bool", flag)

    def get_project_uvw(self) -> bool | None:
        """Whether pictures are laid over shapes; ``None``, with a warning, if it was never set."""
        return self._read("project_uvw", "projection of textures")

    def set_reflection_roughness(self, amount: float) -> None:
        """Set how rough it is, 0 to 1."""
        self._write("reflection_roughness_constant", "Float", amount)

    def get_reflection_roughness(self) -> float | None:
        """How rough it is; ``None``, with a warning, if it was never set."""
        return self._read("reflection_roughness_constant", "roughness")

    def set_metallic_constant(self, amount: float) -> None:
        """Set how metallic it is, 0 to 1."""
        self._write("metallic_constant", "Float", amount)

    def get_metallic_constant(self) -> float | None:
        """How metallic it is; ``None``, with a warning, if it was never set."""
        return self._read("metallic_constant", "metallic part")


__all__ = ["OmniPBR"]
