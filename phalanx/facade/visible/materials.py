"""What prims look like, by the materials that are bound to them."""

from __future__ import annotations

import io
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from phalanx.facade.once import tell_once
from phalanx.facade.visible.geometry import Piece
from phalanx.io.formats.usd.bindings import Ar, Prim, UsdPhysics, UsdShade
from phalanx.io.reading import limits
from phalanx.io.reading.errors import LoadError

if TYPE_CHECKING:
    from phalanx.images.looks import Look, Texture

GRAY = (0.5, 0.5, 0.5)
"""Of what says nothing else."""

GLASS = 0.3
"""Opacity of a surface of glass, which is clear and does not bend light."""

GRID = 1.0
"""m: distance of the lines on grounds without a material."""

_MDL = {
    "color": ("diffuse_color_constant", "diffuse_color", "base_color", "albedo_color", "glass_color", "diffuse_tint"),
    "texture": ("diffuse_texture", "base_color_texture", "albedo_texture"),
    "roughness": ("reflection_roughness_constant", "roughness", "frosting_roughness"),
    "metallic": ("metallic_constant", "metallic"),
    "emission": ("emissive_color",),
}
"""What inputs of MDL's materials are called, the likeliest first."""


class Materials:
    """Looks of prims; each material and each file is read once.

    Args:
        textures: by address, ``None`` where nothing could be read: those that are known, to which others are added.
    """

    def __init__(self, textures: dict[str, Texture | None]) -> None:
        self._looks: dict[Any, Look] = {}
        self._textures = textures

    def look(self, prim: Prim, piece: Piece) -> Look:
        """The look of a part of a prim."""
        from phalanx.images.looks import Look

        if piece.opacity <= 0.0:
            return Look(opacity=0.0)
        material = self._material(piece.subset) if piece.subset is not None else None
        material = self._material(prim) if material is None else material
        if material is None:
            return self._plain(prim, piece)  # display colours and opacities are of what has no material
        key = str(material.GetPath()), piece.corners
        if key not in self._looks:
            self._looks[key] = self._made(material, piece)
        return self._looks[key]

    def _material(self, prim: Prim) -> Any:
        found = UsdShade.MaterialBindingAPI(prim).ComputeBoundMaterial()[0]
        return found if found and _shader(found) is not None else None

    def _plain(self, prim: Prim, piece: Piece) -> Look:
        """Of what has no material: its own colour, with lines on grounds."""
        from phalanx.images.looks import Look

        color = ((1.0,) * 3 if piece.corners else GRAY) if piece.color is None else piece.color
        ground = str(prim.GetTypeName()) == "Plane" and prim.HasAPI(UsdPhysics.CollisionAPI)
        key, opacity = (color, ground, piece.opacity), _unit(piece.opacity)
        if key not in self._looks:
            self._looks[key] = (
                Look((1.0, 1.0, 1.0), opacity, roughness=0.8, texture=grid(color))
                if ground
                else Look(tuple(map(_unit, color)), opacity)
            )
        return self._looks[key]

    def _made(self, material: Any, piece: Piece) -> Look:
        from phalanx.images.looks import Look

        shader = _shader(material)
        values = self._preview(shader) if shader.GetShaderId() == "UsdPreviewSurface" else self._mdl(shader)
        texture = values.get("texture")
        if piece.corners and texture is None:
            values["color"] = (1.0, 1.0, 1.0)
        values["color"] = tuple(map(_unit, values["color"]))
        values["emission"] = tuple(max(float(part), 0.0) for part in values["emission"])
        for name in ("roughness", "metallic", "opacity"):
            values[name] = _unit(values[name])
        return Look(**values)

    def _preview(self, shader: Any) -> dict[str, Any]:
        """Of a ``UsdPreviewSurface``."""
        color, texture = self._color(shader, "diffuseColor", (0.18, 0.18, 0.18))
        emission, _ = self._color(shader, "emissiveColor", (0.0, 0.0, 0.0))
        found = {"roughness": 0.5, "metallic": 0.0, "opacity": 1.0}
        for name, default in found.items():
            value = _value(shader, name)
            found[name] = default if value is None else float(value)
        found["opacity"] = _cut(found["opacity"], _value(shader, "opacityThreshold"))
        return {"color": color, "texture": texture, "emission": emission, **found}

    def _mdl(self, shader: Any) -> dict[str, Any]:
        """Of a shader of any other kind: what its inputs are called tells what they are."""

        def first(what: str) -> Any:
            return next((v for name in _MDL[what] if (v := _value(shader, name)) is not None), None)

        color, image = first("color"), first("texture")
        texture = self._texture(image) if image is not None and str(getattr(image, "path", "")) else None
        brightness = _value(shader, "albedo_brightness")
        color = (1.0, 1.0, 1.0) if texture is not None else GRAY if color is None else tuple(color)[:3]
        color = tuple(float(part) * (1.0 if brightness is None else float(brightness)) for part in color)
        emits = _value(shader, "enable_emission")
        emission = first("emission") if emits else None
        opacity = _value(shader, "opacity_constant") if _value(shader, "enable_opacity") else None
        glass = _value(shader, "glass_color") is not None and opacity is None
        clear = GLASS if glass else 1.0
        return {
            "color": color,
            "texture": texture,
            "emission": (0.0, 0.0, 0.0) if emission is None else tuple(emission)[:3],
            "roughness": 0.5 if (value := first("roughness")) is None else float(value),
            "metallic": 0.0 if (value := first("metallic")) is None else float(value),
            "opacity": clear if opacity is None else _cut(float(opacity), _value(shader, "opacity_threshold")),
        }

    def _color(self, shader: Any, name: str, default: tuple[float, ...]) -> tuple[tuple[float, ...], Texture | None]:
        """Colour and texture of an input."""
        given = shader.GetInput(name)
        if not given:
            return default, None
        for attribute in given.GetValueProducingAttributes():
            node = UsdShade.Shader(attribute.GetPrim())
            if not node or attribute.GetPrim() == shader.GetPrim() or node.GetShaderId() != "UsdUVTexture":
                continue
            image = _value(node, "file")
            texture = None if image is None else self._texture(image)
            if texture is not None:
                scale = _value(node, "scale")
                return (1.0, 1.0, 1.0) if scale is None else tuple(scale)[:3], texture
            fallback = _value(node, "fallback")
            return GRAY if fallback is None else tuple(fallback)[:3], None
        value = _value(shader, name)
        return (default if value is None else tuple(float(part) for part in value)), None

    def _texture(self, image: Any) -> Texture | None:
        """The picture of an address, ``None`` if there is none that can be read."""
        path = str(getattr(image, "resolvedPath", "") or getattr(image, "path", image))
        path = path.replace("<UDIM>", "1001")
        if path not in self._textures:
            self._textures[path] = _opened(path)
        return self._textures[path]


def grid(color: Sequence[float]) -> Texture:
    """The picture of a ground: lines that are lighter than its colour."""
    from phalanx.images.looks import Texture, encoded

    pixels, width = 64, 1
    base = np.array([_unit(part) for part in color])
    line = 0.75 * base + 0.25 * np.array([0.6, 0.62, 0.66])
    base = 0.92 * base + 0.08 * np.array([0.2, 0.21, 0.23])
    picture = np.broadcast_to(base, (pixels, pixels, 3)).copy()
    picture[:width], picture[:, :width], picture[-width:], picture[:, -width:] = line, line, line, line
    return Texture(encoded(picture), size=(GRID, GRID))


def _unit(value: Any) -> float:
    return min(max(float(value), 0.0), 1.0)


def _cut(opacity: float, threshold: Any) -> float:
    """An opacity after a threshold: 0 below it and 1 from there on, if it is positive."""
    if threshold is None or float(threshold) <= 0.0:
        return opacity
    return 1.0 if opacity >= float(threshold) else 0.0


def _shader(material: Any) -> Any:
    """The shader of a material's surface; ``None`` if it has none."""
    for context in (UsdShade.Tokens.universalRenderContext, "mdl"):
        found = material.ComputeSurfaceSource(context)[0]
        if found:
            return found
    return None


def _value(shader: Any, name: str) -> Any:
    """The value of an input, ``None`` if it has none."""
    given = shader.GetInput(name)
    if not given:
        return None
    attributes = given.GetValueProducingAttributes()
    return attributes[0].Get() if attributes else given.Get()


def _opened(path: str) -> Texture | None:
    from PIL import Image

    from phalanx.images.looks import Texture

    try:
        asset = Ar.GetResolver().OpenAsset(Ar.ResolvedPath(path))  # also what is in a package
        if asset is None:
            raise FileNotFoundError("there is no such file")
        with Image.open(io.BytesIO(asset.GetBuffer()), formats=limits.PICTURES) as picture:
            limits.check("pixels", picture.width * picture.height, LoadError)
            return Texture(np.asarray(picture.convert("RGB")))
    except (OSError, ValueError, Image.DecompressionBombError) as error:
        tell_once(f"the texture {os.path.basename(path)} cannot be read, and is not seen: {error}")
        return None
