"""Textures of what prims look like."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from phalanx.io.formats.usd.bindings import Prim, UsdGeom, UsdShade
from phalanx.io.formats.usd.meshes import fan_corners
from phalanx.io.formats.usd.values import Reading
from phalanx.io.reading.beside import Beside
from phalanx.io.reading.errors import LoadError
from phalanx.models.picture import Picture, check_picture


def picture_of(reading: Reading, prim: Prim, transform: np.ndarray) -> Picture | None:
    """The texture of the colour of a mesh's material, a ``UsdPreviewSurface``; what cannot be had is told.

    Args:
        reading: of the stage.
        prim: a mesh.
        transform: as of :func:`~.meshes.triangles`.
    """
    if not reading.visuals:
        return None
    material = UsdShade.MaterialBindingAPI(prim).ComputeBoundMaterial()[0]
    shader = material.ComputeSurfaceSource()[0] if material else None
    if not shader or shader.GetIdAttr().Get() != "UsdPreviewSurface":
        return None
    texture = _source(shader.GetInput("diffuseColor"))
    if texture is None or texture.GetIdAttr().Get() != "UsdUVTexture":
        return None
    attribute = _attribute(texture.GetInput("file"))
    asset = None if attribute is None else attribute.Get()
    if not asset or not asset.path:
        return None
    try:
        path = _found(attribute, asset)
        check_picture(path)
    except (OSError, LoadError) as error:
        reading.notes.add(texture.GetPrim(), f"the texture @{asset.path}@ is not shown: {error}")
        return None
    uv = _corners(reading, prim, transform, _variable(texture))
    if uv is None:
        reading.notes.add(prim, f"it has no texture coordinates, so that @{asset.path}@ is not shown on it.")
        return None
    return Picture(str(path), uv)


def _found(attribute: Any, asset: Any) -> Path:
    """The file of a texture, near the layer that names it; a stage in memory may name any.

    Raises:
        OSError: it is not there, or may not be opened.
    """
    layer = attribute.GetPropertyStack()[0].layer
    if "[" in (asset.resolvedPath or layer.realPath):
        raise FileNotFoundError("textures inside packages (.usdz) are not read; unpack it")
    return Beside(layer.realPath).path(asset.path) if layer.realPath else Path(asset.resolvedPath or asset.path)


def _corners(reading: Reading, prim: Prim, transform: np.ndarray, name: str) -> np.ndarray | None:
    """(faces, 3, 2) float32: places in the picture that a primvar gives."""
    primvar = UsdGeom.PrimvarsAPI(prim).FindPrimvarWithInheritance(name)
    values = primvar.ComputeFlattened() if primvar and primvar.HasValue() else None
    if values is None:
        return None
    uv = np.array(values, float)
    points, corners = fan_corners(reading, prim, transform)
    which = corners if primvar.GetInterpolation() == UsdGeom.Tokens.faceVarying else points
    if uv.ndim != 2 or uv.shape[1] != 2 or which.max() >= len(uv) or not np.isfinite(uv).all():
        return None
    return uv[which].astype(np.float32)


def _variable(texture: Any) -> str:
    """The primvar by which a texture is placed."""
    reader = _source(texture.GetInput("st"))
    attribute = None if reader is None else _attribute(reader.GetInput("varname"))
    given = None if attribute is None else attribute.Get()
    return str(given) if given else "st"


def _source(given: Any) -> Any:
    """The shader that an input is connected to, or ``None``."""
    attribute = _attribute(given)
    return None if attribute is None else UsdShade.Shader(attribute.GetPrim()) or None


def _attribute(given: Any) -> Any:
    """The attribute that an input has its value from, or ``None``."""
    found = given.GetValueProducingAttributes() if given else []
    return found[0] if found else None
