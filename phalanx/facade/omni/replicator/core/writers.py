"""Files of what cameras see, as replicator's basic writer names them."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from phalanx.ecs.whole_files import replacing

ARRAYS = ("distance_to_camera", "distance_to_image_plane", "motion_vectors", "occlusion")
SEGMENTATIONS = {
    "semantic_segmentation": {"labels": "idToLabels"},
    "instance_id_segmentation": {"mapping": "idToLabels"},
    "instance_segmentation": {"mapping": "idToLabels", "semantics_mapping": "idToSemantics"},
}
"""What is written beside their pictures: ends of files' names, and which information they have."""
BOXES = ("bounding_box_2d_tight", "bounding_box_2d_loose", "bounding_box_3d")
POINTS = {"rgb": "pointRgb", "normals": "pointNormals", "semantic": "pointSemantic", "instance": "pointInstance"}
NOT_WRITTEN = ("camera", "resolution")


class BasicWriter:
    """Writes what a script hands to :meth:`write` below a folder.

    Names are ``<what>_<count>_<frame>.<suffix>``: ``rgb`` and ``normals`` are pictures; segmentations are pictures with
    JSON files of what their numbers or colours mean; distances, motion, boxes and points are NumPy's files, boxes with
    JSON files of labels and paths. ``<count>_`` is that of the trigger ``on_time``, if there is one; frames of a count
    begin at 0.

    Args:
        output_dir: the folder; it is made if it is not there.
        image_output_format: suffix of the pictures of ``rgb``.
        colorize_semantic_segmentation, colorize_instance_id_segmentation, colorize_instance_segmentation: whether data
            are colours, (H, W, 4) uint8, or numbers, which become pictures of 16 bits.
        frame_padding: digits that a frame's number has at least.
        use_common_output_dir: of several render products, put names before files instead of into folders.
        others: flags of annotators that :meth:`attach` would make, and what else replicator's own takes: no meaning.

    Raises:
        ValueError: there is no folder.
    """

    def __init__(
        self,
        output_dir: str | None = None,
        *,
        image_output_format: str = "png",
        colorize_semantic_segmentation: bool = True,
        colorize_instance_id_segmentation: bool = True,
        colorize_instance_segmentation: bool = True,
        frame_padding: int = 4,
        use_common_output_dir: bool = False,
        **others: Any,
    ) -> None:
        if not output_dir:
            raise ValueError("BasicWriter: output_dir must be the path of a folder")
        self._folder = Path(output_dir)
        self._suffix, self._padding, self._common = image_output_format, int(frame_padding), use_common_output_dir
        self._colors = {
            "semantic_segmentation": colorize_semantic_segmentation,
            "instance_id_segmentation": colorize_instance_id_segmentation,
            "instance_segmentation": colorize_instance_segmentation,
        }
        self._frame, self._sequence = 0, ""

    def attach(self, render_products: Any, trigger: Any = None) -> None:
        """Not built: nothing draws render products by itself."""
        raise NotImplementedError(
            "BasicWriter.attach: nothing draws render products by itself; call write() with what cameras give"
        )

    def write(self, data: Mapping[str, Any]) -> None:
        """Write a frame.

        Args:
            data: ``"trigger_outputs"``: counts by the names of triggers; ``"annotators"``: by their names, with or
                without ``_fast``, dictionaries of what each render product has, ``"data"`` and what explains it.

        Raises:
            KeyError: something that belongs to it is not there.
            ValueError: an annotator is unknown, or numbers are too large for a picture.
        """
        counts = [f"{count}" for name, count in data["trigger_outputs"].items() if "on_time" in name]
        sequence = "".join(f"{count}_" for count in reversed(counts))
        if sequence != self._sequence:
            self._frame, self._sequence = 0, sequence
        for name, products in data["annotators"].items():
            short = name.removesuffix("_fast")
            for product, found in products.items():
                if len(products) == 1:
                    before = ""
                else:
                    before = f"{short}/{product}_" if self._common else f"{product}/{short}/"
                self._write_one(short, found, before)
        self._frame += 1

    def _write_one(self, name: str, found: Mapping[str, Any], before: str) -> None:
        if name == "rgb":
            self._image(f"{before}rgb", np.asarray(found["data"]), self._suffix)
        elif name == "normals":
            normals = np.asarray(found["data"], float)[..., :3]
            self._image(f"{before}normals", np.clip((0.5 * normals + 0.5) * 255.0, 0, 255).astype(np.uint8))
        elif name in SEGMENTATIONS:
            self._segmentation(name, found, before)
        elif name in ARRAYS:
            self._array(f"{before}{name}", found["data"])
        elif name in BOXES:
            self._array(f"{before}{name}", found["data"])
            self._json(f"{before}{name}_labels", found["idToLabels"])
            self._json(f"{before}{name}_prim_paths", list(found["primPaths"]))
        elif name == "pointcloud":
            self._array(f"{before}{name}", found["data"])
            for end, key in POINTS.items():
                values = np.asarray(found[key])
                self._array(f"{before}{name}_{end}", values.reshape(-1, 4) if end in ("rgb", "normals") else values)
        elif name == "camera_params":
            plain = {key: value.tolist() if isinstance(value, np.ndarray) else value for key, value in found.items()}
            self._json(f"{before}{name}", plain)
        elif name not in NOT_WRITTEN:
            known = ("rgb", "normals", *SEGMENTATIONS, *ARRAYS, *BOXES, "pointcloud", "camera_params")
            raise ValueError(f"BasicWriter.write: unknown annotator {name!r}; there are {', '.join(known)}")

    def _segmentation(self, name: str, found: Mapping[str, Any], before: str) -> None:
        data = np.ascontiguousarray(found["data"])
        height, width = data.shape[:2]
        if self._colors[name]:
            self._image(f"{before}{name}", data.view(np.uint8).reshape(height, width, -1))
        else:
            numbers = data.view(np.uint32).reshape(height, width)
            if numbers.size and numbers.max() > 0xFFFF:
                raise ValueError(f"BasicWriter.write: {name} has the number {numbers.max()}, pictures have up to 65535")
            self._image(f"{before}{name}", numbers.astype(np.uint16))
        for end, key in SEGMENTATIONS[name].items():
            self._json(f"{before}{name}_{end}", {str(number): value for number, value in found[key].items()})

    # -- files -----------------------------------------------------------------------------------------------

    def _path(self, name: str, suffix: str) -> Path:
        path = self._folder / f"{name}_{self._sequence}{self._frame:0{self._padding}d}.{suffix}"
        os.makedirs(path.parent, exist_ok=True)
        return path

    def _image(self, name: str, data: np.ndarray, suffix: str = "png") -> None:
        from PIL import Image

        with replacing(self._path(name, suffix)) as made:
            Image.fromarray(data).save(made)

    def _array(self, name: str, data: Any) -> None:
        with replacing(self._path(name, "npy")) as made:
            np.save(made, np.asarray(data))

    def _json(self, name: str, data: Mapping[str, Any] | Sequence[Any]) -> None:
        with replacing(self._path(name, "json")) as made:
            Path(made).write_text(json.dumps(data), encoding="utf-8")


__all__ = ["BasicWriter"]
