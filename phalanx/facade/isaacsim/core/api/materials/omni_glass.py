"""Materials like NVIDIA's OmniGlass."""

from __future__ import annotations

from typing import Any

import numpy as np

from phalanx.facade.isaacsim.core.api.materials.visual_material import (
    VisualMaterial,
    as_mdl,
    check_kind,
    wrapped,
)


class OmniGlass(VisualMaterial):
    """A shader with the inputs of ``OmniGlass.mdl``. Where there is a material already, only what is given changes.

    Args:
        prim_path: where it is.
        name: what it is called.
        shader: its ``UsdShade.Shader``; that below its prim, or a new one, by default.
        color: red, green and blue, (3,), 0 to 1.
        ior: index of refraction.
        depth: how far light goes into it.
        thin_walled: whether it is a pane, which does not bend light.

    Raises:
        ValueError: the prim is no material, or its shader is another one.
    """

    def __init__(
        self,
        prim_path: str,
        name: str = "omni_glass",
        shader: Any = None,
        color: Any = None,
        ior: float | None = None,
        depth: float | None = None,
        thin_walled: bool | None = None,
    ) -> None:
        prim, material, shader = wrapped(prim_path, shader)
        check_kind(shader, "OmniGlass")
        super().__init__(name, prim_path, prim, [shader], material)
        as_mdl(material, shader, "OmniGlass")
        if color is not None:
            self.set_color(color)
        if ior is not None:
            self.set_ior(ior)
        if depth is not None:
            self.set_depth(depth)
        if thin_walled is not None:
            self.set_thin_walled(thin_walled)

    def set_color(self, color: Any) -> None:
        """Set red, green and blue, (3,)."""
        self._write("glass_color", "Color3f", color)

    def get_color(self) -> np.ndarray | None:
        """Red, green and blue, (3,); ``None``, with a warning, if they were never set."""
        return self._read("glass_color", "color")

    def set_ior(self, ior: float) -> None:
        """Set the index of refraction."""
        self._write("glass_ior", "Float", ior)

    def get_ior(self) -> float | None:
        """The index of refraction; ``None``, with a warning, if it was never set."""
        return self._read("glass_ior", "index of refraction")

    def set_depth(self, depth: float) -> None:
        """Set how far light goes into it."""
        self._write("depth", "Float", depth)

    def get_depth(self) -> float | None:
        """How far light goes into it; ``None``, with a warning, if it was never set."""
        return self._read("depth", "depth")

    def set_thin_walled(self, thin_walled: bool) -> None:
        """Set whether it is a pane."""
        self._write("thin_walled", "Bool", thin_walled)

    def get_thin_walled(self) -> bool | None:
        """Whether it is a pane; ``None``, with a warning, if it was never set."""
        return self._read("thin_walled", "kind of wall")


__all__ = ["OmniGlass"]
