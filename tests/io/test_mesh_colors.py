"""Colours of mesh files: of materials, face by face in the order in which meshes are loaded."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import trimesh
from trimesh.visual import TextureVisuals
from trimesh.visual.material import PBRMaterial

import phalanx as px
from phalanx.images.pictures.picture import Camera, render_world
from phalanx.models.meshes.colors import face_colors
from phalanx.models.meshes.mesh_files import load_mesh

URDF = """<robot name="r"><link name="a"><visual><geometry><mesh filename="{}"/></geometry>{}</visual></link></robot>"""
MATERIAL = """<material name="m"><color rgba="{} 1"/></material>"""


def two_boxes(path: Path) -> Path:
    """A red box to the left (y < 0), a green one to the right, and one without a colour behind them."""
    scene = trimesh.Scene()
    for n, (y, x, color) in enumerate(((-0.3, 0.0, (230, 10, 10)), (0.3, 0.0, (10, 200, 10)), (0.0, -2.0, None))):
        box = trimesh.creation.box((0.4, 0.4, 0.4))
        box.apply_translation((x, y, 0.0))
        if color is not None:
            box.visual = TextureVisuals(material=PBRMaterial(baseColorFactor=[*color, 255]))
        scene.add_geometry(box, geom_name=f"box{n}")
    scene.export(path)
    return path


def test_colors_are_in_the_order_of_faces(tmp_path):
    path = two_boxes(tmp_path / "two.glb")
    vertices, faces = load_mesh(path)
    colors = face_colors(path, len(faces))
    assert colors is not None and colors.shape == (len(faces), 3)
    middle = vertices[faces].mean(axis=1)
    left, right = (middle[:, 1] < -0.05) & (middle[:, 0] > -1), (middle[:, 1] > 0.05) & (middle[:, 0] > -1)
    np.testing.assert_allclose(colors[left], np.tile([230, 10, 10], (left.sum(), 1)) / 255, atol=0.01)
    np.testing.assert_allclose(colors[right], np.tile([10, 200, 10], (right.sum(), 1)) / 255, atol=0.01)
    assert np.isnan(colors[middle[:, 0] < -1]).all()


def test_where_there_are_none(tmp_path):
    path = two_boxes(tmp_path / "two.glb")
    assert face_colors(path, 7) is None, "of another mesh"
    assert face_colors(tmp_path / "gone.dae", 12) is None
    trimesh.creation.box().export(tmp_path / "box.stl")
    assert face_colors(tmp_path / "box.stl", 12) is None
    (tmp_path / "broken.dae").write_text("<COLLADA><library_images>")
    assert face_colors(tmp_path / "broken.dae", 12) is None


@pytest.mark.parametrize(("material", "red_and_green"), [("", True), ("1 1 1", True), ("0.1 0.1 0.9", False)])
def test_a_robot_is_drawn_in_them(tmp_path, material, red_and_green):
    """Unless its file has a colour of its own; white is none."""
    two_boxes(tmp_path / "two.glb")
    robot = tmp_path / "robot.urdf"
    robot.write_text(URDF.format("two.glb", MATERIAL.format(material) if material else ""))
    world = px.World()
    world.add_robot(robot, visuals=True, fixed_base=True)
    camera = Camera(eye=(4.0, 0.0, 0.0), target=(0.0, 0.0, 0.0), angle=20.0)
    left, right = render_world(world, size=(60, 40), camera=camera)[20, [17, 42]].astype(int)
    assert bool(left[0] > left[1] + 60 and right[1] > right[0] + 60) is red_and_green
    assert red_and_green or (left[2] > left[0] + 60 and right[2] > right[0] + 60)
