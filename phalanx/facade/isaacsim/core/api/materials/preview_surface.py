"""Materials of USD's own."""

from __future__ import annotations

from typing import Any

import numpy as np

from phalanx.facade.isaacsim.core.api.materials.visual_material import VisualMaterial, check_kind, wrapped


class PreviewSurface(VisualMaterial):
    """A ``UsdPreviewSurface``. Where there is a material already, only what is given changes.

    Args:
        prim_path: where it is.
        name: what it is called.
        shader: its ``UsdShade.Shader``; that below its prim, or a new one, by default.
        color: red, green and blue, (3,), 0 to 1; numbers beyond are kept as they are.
        roughness: 0 to 1.
        metallic: 0 to 1.

    Raises:
        ValueError: the prim is no material, or its shader is another one.
    """

    def __init__(
        self,
        prim_path: str,
        name: str = "preview_surface",
        shader: Any = None,
        color: Any = None,
        roughness: float | None = None,
        metallic: float | None = None,
    ) -> None:
        prim, material, shader = wrapped(prim_path, shader)
        check_kind(shader, "UsdPreviewSurface")
        super().__init__(name, prim_path, prim, [shader], material)
        shader.CreateIdAttr("UsdPreviewSurface")
        if color is not None:
            self.set_color(color)
        if roughness is not None:
            self.set_roughness(roughness)
        if metallic is not None:
            self.set_metallic(metallic)
        material.CreateSurfaceOutput().ConnectToSource(shader.ConnectableAPI(), "surface")

    def set_color(self, color: Any) -> None:
        """Set red, green and blue, (3,)."""
        self._write("diffuseColor", "Color3f", color)

    def get_color(self) -> np.ndarray | None:
        """Red, green and blue, (3,); ``None``, with a warning, if they were never set."""
        return self._read("diffuseColor", "color")

    def set_roughness(self, roughness: float) -> None:
        """Set how rough it is, 0 to 1."""
        self._write("roughness", "Float", roughness)

    def get_roughness(self) -> float | None:
        """How rough it is; ``None``, with a warning, if it was never set."""
        return self._read("roughness", "roughness")

    def set_metallic(self, metallic: float) -> None:
        """Set how metallic it is, 0 to 1."""
        self._write("metallic", "Float", metallic)

    def get_metallic(self) -> float | None:
        """How metallic it is; ``None``, with a warning, if it was never set."""
        return self._read("metallic", "metallic part")


__all__ = ["PreviewSurface"]
