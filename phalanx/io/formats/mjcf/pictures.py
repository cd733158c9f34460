"""Textures of materials, on geoms that are seen."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from phalanx.io.formats.mjcf.geoms import Geom
from phalanx.io.formats.mjcf.source import MeshAsset, Source
from phalanx.io.formats.mjcf.values import Values
from phalanx.io.reading.errors import LoadError
from phalanx.models.meshes.pictured import pictured
from phalanx.models.meshes.textures import TEXTURED
from phalanx.models.picture import Picture, check_picture
from phalanx.models.robot_model import Shape

SIX = ("fileright", "fileleft", "fileup", "filedown", "filefront", "fileback")
"""Attributes of a cube of six pictures."""

NOT_SHOWN = (
    'it is not shown: "2d" textures are shown on meshes with texture coordinates (of OBJ files, or texcoord), and '
    '"cube" textures of one picture on boxes.'
)


def looked_at(geom: Geom) -> Shape:
    """A geom's shape with the picture of its material, if that has a file; what cannot be had is told.

    "2d" textures are shown on meshes with texture coordinates, "cube" textures on boxes, all of the picture on each
    side.
    """
    placed, shape = geom.placed, geom.shape
    if placed is None or not placed.values.has("material"):
        return shape
    values, source = placed.values, placed.context.source
    material = source.asset("material", values.word("material"), values.givers("material")[-1])
    texture = _texture(material, source)
    if texture is None or texture.word("type", "cube") == "skybox":
        return shape
    element, kind = texture.element, texture.word("type", "cube")
    if not texture.has("file"):
        if any(texture.has(name) for name in SIX):
            source.notes.add(element, NOT_SHOWN)
        return shape
    uv = _mesh(values, source).uv if geom.type == "mesh" else None
    coordinates = uv is not None or (geom.type == "mesh" and Path(shape.mesh_file).suffix[1:].lower() in TEXTURED)
    whole = texture.word("gridsize", "1 1").split() == ["1", "1"]
    if not (whole and kind == "cube" and shape.kind == "box") and not (kind == "2d" and coordinates):
        source.notes.add(element, NOT_SHOWN)
        return shape
    try:
        path = source.texture_file(texture)
        check_picture(path)
    except LoadError as error:
        source.notes.add(element, f"it is not shown: {error}")
        return shape
    made = pictured(shape, str(path))
    assert made is not None
    return made if uv is None else replace(made, picture=Picture(str(path), uv))


def _mesh(values: Values, source: Source) -> MeshAsset:
    return source.asset("mesh", values.word("mesh"), values.element)


def _texture(material: Values, source: Source) -> Values | None:
    """The texture of colours that a material names."""
    name, giver = material.word("texture", ""), material.element
    if not name:
        layers = [layer for layer in giver.all("layer") if layer.attributes.get("role", "") in ("rgb", "rgba")]
        if not layers:
            return None
        giver = layers[0]
        name = giver.attributes.get("texture", "")
    if ("texture", name) not in source.assets:
        source.notes.add(giver, f'the texture "{name}" is not among the assets, and not shown.')
        return None
    return source.asset("texture", name, giver)
