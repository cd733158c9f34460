"""Pictures on meshes: read from files of all formats that have them, nothing else opened, and seen in the viewer."""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import hostile_files
import numpy as np
import pytest
from meshes import textured_files
from oracles import host
from viewer.browsers import chromium, pixels
from viewer_client import until

import phalanx as px
from phalanx.images.looks import Light
from phalanx.images.world_camera import WorldCamera
from phalanx.io.reading.beside import Beside
from phalanx.models.meshes.mesh_files import load_mesh
from phalanx.models.meshes.textures import face_textures
from phalanx.viewer.meshes import batches

KINDS = ("glb", "obj", "dae")


def robot(folder: Path, kind: str, material: str = "", scale: str = "1 1 1") -> Path:
    """A link that shows the square, beside which it lies."""
    path = folder / "robot.urdf"
    path.write_text(
        f'<robot name="r"><link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" '
        f'iyz="0"/></inertial><visual><geometry><mesh filename="square.{kind}" scale="{scale}"/></geometry>{material}'
        "</visual></link></robot>"
    )
    return path


def colors_at(image: object, uv: np.ndarray) -> list[tuple[int, ...]]:
    """Of a picture at places, (n, 2), from its lower left."""
    pixels = np.asarray(image.convert("RGB"))  # type: ignore[attr-defined]
    rows = ((1.0 - uv[:, 1]) * len(pixels)).astype(int)
    columns = (uv[:, 0] * pixels.shape[1]).astype(int)
    return [tuple(map(int, color)) for color in pixels[rows, columns]]


@pytest.mark.parametrize("kind", KINDS)
def test_corners_are_where_the_file_has_them(kind: str, tmp_path: Path) -> None:
    """Points of the square, mixed of corners of its triangles, have the colour of their quarter."""
    path = textured_files.write(tmp_path, kind)
    vertices, faces = load_mesh(path)
    found = face_textures(path, faces)
    assert found is not None and found.image.tolist() == [0, 0]
    shares = np.random.default_rng(0).dirichlet((1.0, 1.0, 1.0), (2, 40))
    places = np.einsum("fnc,fcx->fnx", shares, vertices[faces]).reshape(-1, 3)
    uv = np.einsum("fnc,fcx->fnx", shares, found.uv).reshape(-1, 2)
    names = [f"{'upper' if z > 0.5 else 'lower'} {'right' if y > 0 else 'left'}" for _, y, z in places]
    assert colors_at(found.images[0], uv) == [textured_files.QUARTERS[name] for name in names]
    mirrored = face_textures(path, faces[:, ::-1])
    assert mirrored is not None and np.array_equal(mirrored.uv, found.uv[:, ::-1])
    assert face_textures(path, faces[::-1]) is None, "another mesh"
    path.unlink()
    assert face_textures(path, faces) is None


@pytest.mark.parametrize("kind", KINDS)
def test_cameras_see_the_picture(kind: str, tmp_path: Path, device: str) -> None:
    """Under a sky that is white all around, each quarter has the colour that it has in the picture."""
    textured_files.write(tmp_path, kind)
    world = px.World(device=device)
    world.add_robot(robot(tmp_path, kind), "r", fixed_base=True, visuals=True)
    white = [Light.dome(ground=1.0)]
    camera = WorldCamera(world, 40, 40, eye=(2.0, 0.0, 0.5), target=(0.0, 0.0, 0.5), angle=40.0, lights=white)
    image = host(camera.capture()["rgb"])[0, ..., :3]
    for name, color in textured_files.QUARTERS.items():
        row, column = 13 if "upper" in name else 26, 26 if "right" in name else 13
        np.testing.assert_allclose(image[row, column], color, atol=2, err_msg=name)


@pytest.mark.parametrize("kind", ["obj", "dae"])
@pytest.mark.parametrize(
    "name", ["../../p.png", "/etc/passwd", "../secret.txt", "link.png", "gone.png", "pipe.png", "bomb.png"]
)
def test_a_mesh_opens_nothing_else(kind: str, name: str, tmp_path: Path) -> None:
    """Only pictures and materials below the folder above it; the mesh itself loads."""
    folder = tmp_path / "robot" / "meshes"
    folder.mkdir(parents=True)
    path = textured_files.write(folder, kind, name)
    textured_files.picture().save(tmp_path / "p.png")
    (tmp_path / "robot" / "secret.txt").write_bytes((tmp_path / "p.png").read_bytes())
    (folder / "link.png").symlink_to(tmp_path / "p.png")
    os.mkfifo(folder / "pipe.png")
    (folder / "bomb.png").write_bytes(hostile_files.png(60_000, 60_000))
    assert face_textures(path, load_mesh(path)[1]) is None
    if name != "bomb.png":  # which is read, and refused for the pixels that it promises
        with pytest.raises(OSError):
            Beside(path).get(name)


@pytest.mark.parametrize("kind", ["obj", "dae"])
@pytest.mark.parametrize("name", ["p.png", "../materials/p.png", "sub\\p.png", "file://p.png"])
def test_pictures_near_it_are_found(kind: str, name: str, tmp_path: Path) -> None:
    folder = tmp_path / "robot" / "meshes"
    for each in (folder / "sub", tmp_path / "robot" / "materials"):
        each.mkdir(parents=True)
        textured_files.picture().save(each / "p.png")
    path = textured_files.write(folder, kind, name)
    assert face_textures(path, load_mesh(path)[1]) is not None


@pytest.mark.parametrize("kind", KINDS)
def test_browsers_are_sent_the_picture(kind: str, tmp_path: Path) -> None:
    """As glTF, on the same triangles; a colour of the robot's file comes first, white is none."""
    textured_files.write(tmp_path, kind)
    for material, has in (("", True), ("1 1 1", True), ("0.1 0.1 0.9", False)):
        text = material and f'<material name="m"><color rgba="{material} 1"/></material>'
        world = px.World(num_envs=2)
        world.add_robot(robot(tmp_path, kind, text), visuals=True)
        (batch,) = batches(world)
        expected = textured_files.CORNERS[textured_files.FACES].reshape(-1, 3)
        corners = batch.vertices[batch.faces].reshape(-1, 3)
        np.testing.assert_allclose(np.sort(corners, axis=0), np.sort(expected, axis=0))
        assert bool(batch.texture) is has
        if has:
            (size,) = struct.unpack_from("<I", batch.texture, 12)
            document = json.loads(batch.texture[20 : 20 + size])
            assert len(document["images"]) == 1 and len(document["meshes"]) == 1


def test_a_mesh_of_several_parts_is_cut(tmp_path: Path) -> None:
    """The part with a picture is one batch, that with a colour another."""
    import trimesh
    from trimesh.visual import TextureVisuals
    from trimesh.visual.material import PBRMaterial

    look = PBRMaterial(baseColorTexture=textured_files.picture())
    square = trimesh.Trimesh(
        textured_files.CORNERS,
        textured_files.FACES,
        visual=TextureVisuals(uv=textured_files.UV, material=look),
        process=False,
    )
    box = trimesh.creation.box((0.4, 0.4, 0.4))
    box.apply_translation((2.0, 0.0, 0.0))
    box.visual = TextureVisuals(material=PBRMaterial(baseColorFactor=[10, 200, 10, 255]))
    scene = trimesh.Scene()
    scene.add_geometry(box, geom_name="box")
    scene.add_geometry(square, geom_name="square")
    scene.export(tmp_path / "square.glb")
    world = px.World()
    world.add_robot(robot(tmp_path, "glb"), visuals=True)
    made = {bool(batch.texture): batch for batch in batches(world)}
    assert len(made[True].faces) == 2 and np.ptp(made[True].vertices[:, 0]) == 0.0
    assert len(made[False].faces) == 12 and made[False].vertices[:, 0].min() > 1.5
    assert made[False].colors.tolist() == [[17, 204, 17]]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    yield from chromium()


def hues(page: Any) -> dict[str, list[bool]]:
    """Of each quarter of what is colourful, which of its red, green and blue are above their mean."""
    seen = pixels(page, x=100, y=140, width=296, height=240).astype(float)
    strong = np.ptp(seen, axis=-1) > 60  # neither ground nor sky
    rows, columns = np.nonzero(strong)
    if len(rows) < 2000:
        return {}
    up = rows < (rows.min() + rows.max()) / 2
    left = columns < (columns.min() + columns.max()) / 2
    parts = {"upper left": up & left, "upper right": up & ~left, "lower left": ~up & left, "lower right": ~up & ~left}
    medians = {name: np.median(seen[strong][part], axis=0) for name, part in parts.items() if part.any()}
    return {name: (color > color.mean()).tolist() for name, color in medians.items()}


@pytest.mark.slow
def test_pictures_are_seen_upright(browser: Any, tmp_path: Path) -> None:
    """In Chromium: each quarter of the square has the hue that it has in the picture."""
    pytest.importorskip("viser", reason="viser is not installed (pip install 'phalanx[viewer]')")
    textured_files.write(tmp_path, "obj")
    world = px.World(num_envs=2)
    world.add_robot(robot(tmp_path, "obj"), visuals=True, fixed_base=True)
    expected = {name: (np.array(rgb) > np.mean(rgb)).tolist() for name, rgb in textured_files.QUARTERS.items()}
    with px.Viewer(world, port=0) as viewer:
        page = browser.new_page(viewport={"width": 720, "height": 480})
        page.set_default_timeout(90_000)
        page.goto(viewer.url)
        page.get_by_role("tab", name="View", exact=True).click()
        page.get_by_role("button", name="Front", exact=True).click()
        until(lambda: hues(page) == expected, 90)
        page.close()
