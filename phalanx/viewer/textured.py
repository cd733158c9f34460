"""Meshes with pictures on them, as browsers take them: files of glTF, in memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from phalanx.models.meshes.tessellate import Surface, corner_normals
from phalanx.models.meshes.textures import FaceTextures
from phalanx.models.robot_model import Shape

SIDE = 2048
"""Pixels: larger pictures are made smaller, since every browser that looks is sent them."""

ROUGHNESS = 0.9


@dataclass
class TexturedMesh(Surface):
    """Triangles, and the same with their picture as a file of glTF."""

    texture: bytes


def textured(shape: Shape, textures: FaceTextures, number: int) -> TexturedMesh:
    """The triangles of a mesh that have one of its pictures.

    Args:
        shape: a mesh, in a frame of its own.
        textures: of its faces.
        number: of the picture.
    """
    import trimesh
    from trimesh.visual import TextureVisuals
    from trimesh.visual.material import PBRMaterial

    vertices, faces = np.asarray(shape.vertices, float), np.asarray(shape.faces, np.int64)
    chosen = textures.image == number
    normals = corner_normals(vertices, faces)[chosen].reshape(-1, 3)
    corners = vertices[faces[chosen]].reshape(-1, 3)
    image = textures.images[number]
    image = image.convert("RGBA" if "A" in image.getbands() or "transparency" in image.info else "RGB")
    image.thumbnail((SIDE, SIDE))
    clear = "A" in image.getbands()
    look = PBRMaterial(
        baseColorTexture=image, metallicFactor=0.0, roughnessFactor=ROUGHNESS, alphaMode="BLEND" if clear else None
    )
    mesh = trimesh.Trimesh(
        corners,
        np.arange(len(corners)).reshape(-1, 3),
        vertex_normals=normals,
        visual=TextureVisuals(uv=textures.uv[chosen].reshape(-1, 2), material=look),
        process=False,
    )
    data: Any = mesh.export(file_type="glb", include_normals=True)
    three = corners.reshape(-1, 3, 3).astype(np.float32), normals.reshape(-1, 3, 3)
    return TexturedMesh(*three, data)
