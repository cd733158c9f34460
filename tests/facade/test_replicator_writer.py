"""Files of the basic writer: names, contents, frames of a trigger, and what it refuses."""

from __future__ import annotations

import json

import numpy as np
import pytest
from PIL import Image

from phalanx.facade.omni.replicator.core import BasicWriter

RNG = np.random.default_rng(3)
PICTURE = RNG.integers(0, 256, (4, 6, 3), dtype=np.uint8)


def frame(count: int | None, **annotators):
    given = {name: {"render_product": {"data": data, **more}} for name, (data, more) in annotators.items()}
    return {"annotators": given, "trigger_outputs": {} if count is None else {"on_time": count}}


def names(folder) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def test_pictures_arrays_and_json(tmp_path):
    writer = BasicWriter(output_dir=str(tmp_path / "out"), frame_padding=0, rgb=True)
    colors = RNG.integers(0, 256, (4, 6, 4), dtype=np.uint8)
    depth = RNG.random((4, 6, 1), np.float32)
    normals = np.tile(np.array([0.0, 0.0, 1.0], np.float32), (4, 6, 1))
    labels = {(1, 2, 3, 255): {"class": "cube"}}
    writer.write(
        frame(
            7,
            rgb=(PICTURE, {}),
            distance_to_image_plane=(depth, {}),
            normals=(normals, {}),
            semantic_segmentation=(colors, {"idToLabels": labels}),
            instance_segmentation_fast=(colors, {"idToLabels": {"1": "/World/a"}, "idToSemantics": {"1": "cube"}}),
        )
    )
    out = tmp_path / "out"
    assert names(out) == {
        "rgb_7_0.png", "distance_to_image_plane_7_0.npy", "normals_7_0.png", "semantic_segmentation_7_0.png",
        "semantic_segmentation_labels_7_0.json", "instance_segmentation_7_0.png",
        "instance_segmentation_mapping_7_0.json", "instance_segmentation_semantics_mapping_7_0.json",
    }  # fmt: skip
    np.testing.assert_array_equal(np.asarray(Image.open(out / "rgb_7_0.png")), PICTURE)
    np.testing.assert_array_equal(np.asarray(Image.open(out / "semantic_segmentation_7_0.png")), colors)
    np.testing.assert_array_equal(np.load(out / "distance_to_image_plane_7_0.npy"), depth)
    assert np.asarray(Image.open(out / "normals_7_0.png"))[0, 0].tolist() == [127, 127, 255]
    assert json.loads((out / "semantic_segmentation_labels_7_0.json").read_text()) == {
        "(1, 2, 3, 255)": {"class": "cube"}
    }


def test_numbers_of_frames_begin_anew_with_each_count(tmp_path):
    writer = BasicWriter(output_dir=str(tmp_path), frame_padding=3)
    torch = pytest.importorskip("torch")
    for count in (None, None, 1, torch.tensor(1), 2):  # scripts of Isaac Lab count by tensors
        writer.write(frame(count, rgb=(PICTURE, {})))
    assert names(tmp_path) == {
        "rgb_000.png", "rgb_001.png", "rgb_1_000.png", "rgb_1_001.png", "rgb_2_000.png"
    }  # fmt: skip


def test_numbers_boxes_and_several_products(tmp_path):
    writer = BasicWriter(output_dir=str(tmp_path), colorize_instance_id_segmentation=False)
    ids = np.array([[[1], [300]]], np.int32)
    boxes = np.zeros(2, [("semanticId", "u4"), ("x_min", "i4")])
    writer.write(
        frame(
            None,
            instance_id_segmentation_fast=(ids, {"idToLabels": {1: "/World/a"}}),
            bounding_box_2d_tight=(boxes, {"idToLabels": {"0": {"class": "a"}}, "primPaths": ["/World/a", "/World/b"]}),
        )
    )
    assert np.asarray(Image.open(tmp_path / "instance_id_segmentation_0000.png")).tolist() == [[1, 300]]
    np.testing.assert_array_equal(np.load(tmp_path / "bounding_box_2d_tight_0000.npy"), boxes)
    assert json.loads((tmp_path / "bounding_box_2d_tight_prim_paths_0000.json").read_text()) == ["/World/a", "/World/b"]
    two = {"annotators": {"rgb": {"left": {"data": PICTURE}, "right": {"data": PICTURE}}}, "trigger_outputs": {}}
    for common in (False, True):
        BasicWriter(output_dir=str(tmp_path / str(common)), use_common_output_dir=common).write(two)
    assert names(tmp_path / "False") == {"left/rgb/rgb_0000.png", "right/rgb/rgb_0000.png"}
    assert names(tmp_path / "True") == {"rgb/left_rgb_0000.png", "rgb/right_rgb_0000.png"}


def test_what_is_refused(tmp_path):
    with pytest.raises(ValueError, match="output_dir must be"):
        BasicWriter()
    writer = BasicWriter(output_dir=str(tmp_path), colorize_semantic_segmentation=False)
    with pytest.raises(ValueError, match="unknown annotator 'smell'; there are rgb, normals"):
        writer.write(frame(None, smell=(PICTURE, {})))
    with pytest.raises(ValueError, match="has the number 70000"):
        writer.write(frame(None, semantic_segmentation=(np.full((1, 1, 1), 70000, np.int32), {"idToLabels": {}})))
    with pytest.raises(NotImplementedError, match=r"call write\(\)"):
        writer.attach([])
