"""A square with a picture on it, in files of all formats that can have one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import trimesh
from PIL import Image
from trimesh.visual import TextureVisuals
from trimesh.visual.material import PBRMaterial

CORNERS = np.array([[0, -0.5, 0], [0, 0.5, 0], [0, 0.5, 1], [0, -0.5, 1]])
"""m; seen from +x, y goes to the right."""

FACES = np.array([[0, 1, 2], [0, 2, 3]])
UV = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
QUARTERS = {
    "upper left": (230, 0, 0),
    "upper right": (0, 200, 0),
    "lower left": (0, 0, 230),
    "lower right": (230, 230, 0),
}


def picture(side: int = 64) -> Image.Image:
    """Four quarters, each of its colour."""
    pixels = np.zeros((side, side, 3), np.uint8)
    half = side // 2
    for name, color in QUARTERS.items():
        rows = slice(half) if name.startswith("upper") else slice(half, None)
        pixels[rows, slice(half) if name.endswith("left") else slice(half, None)] = color
    return Image.fromarray(pixels)


def write(folder: Path, kind: str, image: str = "p.png") -> Path:
    """A file of the square; what it calls its picture counts for OBJ and DAE."""
    path = folder / f"square.{kind}"
    if kind == "glb":
        look = TextureVisuals(uv=UV, material=PBRMaterial(baseColorTexture=picture()))
        trimesh.Trimesh(CORNERS, FACES, visual=look, process=False).export(path)
        return path
    picture().save(folder / "p.png")
    if kind == "obj":
        points = [f"v {x:g} {y:g} {z:g}" for x, y, z in CORNERS] + [f"vt {u:g} {v:g}" for u, v in UV]
        faces = ["f " + " ".join(f"{i + 1}/{i + 1}" for i in face) for face in FACES]
        path.write_text("\n".join(["mtllib square.mtl", *points, "usemtl m", *faces, ""]))
        (folder / "square.mtl").write_text(f"newmtl m\nKd 1 1 1\nmap_Kd {image}\n")
        return path
    path.write_text(_collada(image))
    return path


def _collada(image: str) -> str:
    def source(name: str, values: np.ndarray, axes: str) -> str:
        names = "".join(f'<param name="{axis}" type="float"/>' for axis in axes)
        return (
            f'<source id="{name}"><float_array id="{name}-a" count="{values.size}">'
            f"{' '.join(f'{v:g}' for v in values.flat)}</float_array><technique_common>"
            f'<accessor source="#{name}-a" count="{len(values)}" stride="{len(axes)}">{names}</accessor>'
            "</technique_common></source>"
        )

    return (
        '<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1"><asset/>'
        f'<library_images><image id="i"><init_from>{image}</init_from></image></library_images>'
        '<library_effects><effect id="e"><profile_COMMON>'
        '<newparam sid="s"><surface type="2D"><init_from>i</init_from></surface></newparam>'
        '<newparam sid="t"><sampler2D><source>s</source></sampler2D></newparam>'
        '<technique sid="c"><lambert><diffuse><texture texture="t" texcoord="UV"/></diffuse></lambert></technique>'
        "</profile_COMMON></effect></library_effects>"
        '<library_materials><material id="m"><instance_effect url="#e"/></material></library_materials>'
        f'<library_geometries><geometry id="g"><mesh>{source("p", CORNERS, "XYZ")}{source("u", UV, "ST")}'
        '<vertices id="v"><input semantic="POSITION" source="#p"/></vertices><triangles count="2" material="look">'
        '<input semantic="VERTEX" source="#v" offset="0"/><input semantic="TEXCOORD" source="#u" offset="1" set="0"/>'
        f"<p>{' '.join(f'{i} {i}' for i in FACES.flat)}</p></triangles></mesh></geometry></library_geometries>"
        '<library_visual_scenes><visual_scene id="w"><node id="n"><instance_geometry url="#g"><bind_material>'
        '<technique_common><instance_material symbol="look" target="#m">'
        '<bind_vertex_input semantic="UV" input_semantic="TEXCOORD" input_set="0"/></instance_material>'
        "</technique_common></bind_material></instance_geometry></node></visual_scene></library_visual_scenes>"
        '<scene><instance_visual_scene url="#w"/></scene></COLLADA>'
    )
