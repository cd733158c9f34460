"""What annotators of a camera make of its pictures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from phalanx.facade import live_poses
from phalanx.facade import stage as stages
from phalanx.facade.backends import Backend
from phalanx.facade.isaacsim.sensors.camera import distortions
from phalanx.facade.isaacsim.sensors.camera.pictures import Pictures
from phalanx.io.formats.usd.bindings import Usd, UsdGeom
from phalanx.maths.arrays import matrix

BOX_2D = np.dtype(
    [
        ("semanticId", "<u4"),
        ("x_min", "<i4"),
        ("y_min", "<i4"),
        ("x_max", "<i4"),
        ("y_max", "<i4"),
        ("occlusionRatio", "<f4"),
    ]
)
"""A labelled prim's box in the picture, pixels; the greatest ones are in it. Nothing measures the last: NaN."""

BOX_3D = np.dtype(
    [
        ("semanticId", "<u4"),
        *((f"{axis}_{end}", "<f4") for end in ("min", "max") for axis in "xyz"),
        ("transform", "<f4", (4, 4)),
        ("occlusionRatio", "<f4"),
    ]
)
"""A labelled prim's box in its own frame, and the transform from there to the world, which turns rows."""

_EDGES = [(i, i | bit) for bit in (1, 2, 4) for i in range(8) if not i & bit]


class Annotator:
    """Something that a camera tells of its pictures.

    Args:
        pictures: of the camera, which is the only one.
        name: one of :data:`NAMES`.
        options: ``colorize`` and ``semanticTypes`` (kinds of labels that count) of segmentations and boxes,
            ``includeUnlabelled`` of point clouds; others have no meaning.

    Attributes:
        types: what must be drawn for it.

    Raises:
        ValueError: there is none of the name.
        NotImplementedError: it is known elsewhere, and not made.
    """

    def __init__(self, pictures: Pictures, name: str, options: Mapping[str, Any]) -> None:
        if name == "occlusion":
            raise NotImplementedError(
                "the annotator 'occlusion' is not made: each object would have to be drawn alone; compare "
                "'bounding_box_2d_tight', of what is seen, with 'bounding_box_2d_loose', of whole objects"
            )
        if name not in NAMES:
            raise ValueError(f"there is no annotator {name!r}; there are {', '.join(NAMES)}")
        self.name, self._pictures, self._options = name, pictures, dict(options)
        self.types = frozenset(_TABLE[name][0])
        self._make = _TABLE[name][1]

    @property
    def _kinds(self) -> Sequence[str] | None:
        found = self._options.get("semanticTypes")
        return [found] if isinstance(found, str) else found

    def data(self, arrays: Backend) -> Any:
        """What it tells of the last picture, as arrays of a backend in memory of their own."""
        return self._make(self, arrays)

    # -- pictures --------------------------------------------------------------------------------------------

    def _plain(self, arrays: Backend) -> Any:
        """(height, width) or (height, width, 4)."""
        name = {"rgb": "rgba"}.get(self.name, self.name)
        found = self._pictures.output(name)[0]
        if found.ndim == 2 or found.shape[2] == 4:
            return arrays.give(found.copy())
        with self._pictures.scene.scene.device.active():
            wide = self._pictures.scene.scene.device.xp.zeros((*found.shape[:2], 4), found.dtype)
            wide[..., : found.shape[2]] = found
        return arrays.give(wide)

    def _segmentation(self, arrays: Backend) -> dict[str, Any]:
        """``"data"``: (height, width) uint32, or (height, width, 4) uint8 of colours; ``"info"``: what they mean."""
        kind = self.name if self.name == "semantic_segmentation" else f"{self.name}_fast"
        colorize = bool(self._options.get("colorize", False))
        found, told = self._pictures.numbers(kind, self._kinds, colorize)
        data = found[0] if colorize else found[0].astype(np.uint32)
        return {"data": arrays.give(data.copy()), "info": told[0]}

    # -- boxes -----------------------------------------------------------------------------------------------

    def _owners(self) -> tuple[np.ndarray, list[tuple[int, str, dict[str, str]]]]:
        """(height, width): which labelled prim pixels show, and of each its number, its path and its labels."""
        found, told = self._pictures.numbers("instance_segmentation_fast", self._kinds, False)
        paths, labels = told[0]["idToLabels"], told[0]["idToSemantics"]
        return found[0], [(int(key), path, labels[key]) for key, path in paths.items() if int(key) >= 2]

    def _boxes(self, rows: list[tuple[str, dict[str, str], tuple[Any, ...]]], kind: np.dtype) -> dict[str, Any]:
        ids: dict[str, int] = {}
        data = np.zeros(len(rows), kind)
        for i, (_, labels, numbers) in enumerate(rows):
            data[i] = (ids.setdefault(repr(labels), len(ids)), *numbers, np.nan)
        known = {str(ids[repr(labels)]): labels for _, labels, _ in rows}
        return {
            "data": data,
            "info": {
                "bboxIds": np.arange(len(rows), dtype=np.uint32),
                "idToLabels": known,
                "primPaths": [path for path, _, _ in rows],
            },
        }

    def _tight(self, arrays: Backend) -> dict[str, Any]:
        """Of what is seen of each labelled prim."""
        shown, owners = self._owners()
        rows = []
        for number, path, labels in owners:
            v, u = np.nonzero(shown == number)
            if len(u):
                rows.append((path, labels, (u.min(), v.min(), u.max(), v.max())))
        return self._boxes(rows, BOX_2D)

    def _loose(self, arrays: Backend) -> dict[str, Any]:
        """Of all of each labelled prim that is in the picture at least in part, whatever is before it."""
        width, height = self._pictures.resolution
        prim = self._pictures.prims[0]
        if distortions.lens_rays(prim, height, width) is not None:
            raise NotImplementedError(
                "bounding_box_2d_loose is made for pinhole cameras only; use bounding_box_2d_tight"
            )
        near = float(UsdGeom.Camera(prim).GetClippingRangeAttr().Get()[0])
        inverse = np.linalg.inv(pose_matrix(*self._pictures.poses()))
        intrinsic = distortions.pinhole(prim, height, width)
        rows = []
        for path, labels, box, transform in self._bounds():
            points = _in_front(_corners(box) @ (inverse @ transform)[:3, :3].T + (inverse @ transform)[:3, 3], near)
            if not len(points):
                continue
            u, v = (points @ intrinsic.T)[:, :2].T / points[:, 2]
            if u.max() < 0.0 or v.max() < 0.0 or u.min() > width or v.min() > height:
                continue
            low = np.floor([u.min(), v.min()]).clip(0, [width - 1, height - 1])
            high = np.floor([u.max(), v.max()]).clip(0, [width - 1, height - 1])
            rows.append((path, labels, (*low, *high)))
        return self._boxes(rows, BOX_2D)

    def _solid(self, arrays: Backend) -> dict[str, Any]:
        """Of each labelled prim of which something is seen, in its own frame."""
        shown, owners = self._owners()
        seen = {path for number, path, _ in owners if (shown == number).any()}
        rows = [
            (path, labels, (*box.reshape(-1), transform.T))
            for path, labels, box, transform in self._bounds()
            if path in seen
        ]
        return self._boxes(rows, BOX_3D)

    def _bounds(self) -> list[tuple[str, dict[str, str], np.ndarray, np.ndarray]]:
        """Labelled prims: paths, labels, boxes (2, 3) in their frames, and transforms (4, 4) to the world."""
        stage = stages.get_stage()
        cache = UsdGeom.BBoxCache(Usd.TimeCode.Default(), [UsdGeom.Tokens.default_, UsdGeom.Tokens.render])
        found = []
        for _, path, labels in self._owners()[1]:
            prim = stage.GetPrimAtPath(path)
            extent = cache.ComputeUntransformedBound(prim).ComputeAlignedRange() if prim else None
            if extent is None or extent.IsEmpty():
                continue
            transform = live_poses.transforms([prim], live_poses.of([path]))[0]
            found.append((path, labels, np.array([extent.GetMin(), extent.GetMax()]), transform))
        return found

    # -- points ----------------------------------------------------------------------------------------------

    def _points(self, arrays: Backend) -> dict[str, Any]:
        """``"data"``: (points, 3), world; a point for each pixel that sees something."""
        pictures = self._pictures
        host = pictures.scene.scene.device.to_host
        distance = host(pictures.output("distance_to_camera")[0]).reshape(-1)
        semantic = pictures.numbers("semantic_segmentation", self._kinds, False)[0][0].reshape(-1)
        instance = pictures.numbers("instance_segmentation_fast", self._kinds, False)[0][0].reshape(-1)
        kept = np.isfinite(distance)
        if not self._options.get("includeUnlabelled", True):
            kept &= semantic >= 2
        ways, origins = pictures.rays(0)
        ways = ways[kept].astype(float)
        length = np.linalg.norm(ways, axis=-1, keepdims=True)
        local = ways / np.where(length > 0.0, length, 1.0) * distance[kept, None]
        if origins is not None:
            local += origins[kept]
        frame = pose_matrix(*pictures.poses())
        normals = np.zeros((int(kept.sum()), 4), np.float32)
        normals[:, :3] = host(pictures.output("normals")[0]).reshape(-1, 3)[kept]
        give = arrays.give
        return {
            "data": give((local @ frame[:3, :3].T + frame[:3, 3]).astype(np.float32)),
            "info": {
                "pointRgb": give(host(pictures.output("rgba")[0]).reshape(-1, 4)[kept].copy()),
                "pointNormals": give(normals),
                "pointSemantic": give(semantic[kept].astype(np.uint32)),
                "pointInstance": give(instance[kept].astype(np.uint32)),
            },
        }


_TABLE: dict[str, tuple[tuple[str, ...], Callable[[Annotator, Backend], Any]]] = {
    "rgb": (("rgba",), Annotator._plain),
    "normals": (("normals",), Annotator._plain),
    "motion_vectors": (("motion_vectors",), Annotator._plain),
    "distance_to_image_plane": (("distance_to_image_plane",), Annotator._plain),
    "distance_to_camera": (("distance_to_camera",), Annotator._plain),
    "bounding_box_2d_tight": (("ids",), Annotator._tight),
    "bounding_box_2d_loose": (("ids",), Annotator._loose),
    "bounding_box_3d": (("ids",), Annotator._solid),
    "semantic_segmentation": (("ids",), Annotator._segmentation),
    "instance_id_segmentation": (("ids",), Annotator._segmentation),
    "instance_segmentation": (("ids",), Annotator._segmentation),
    "pointcloud": (("distance_to_camera", "rgba", "normals", "ids"), Annotator._points),
}

NAMES = tuple(_TABLE)
"""Annotators that there are."""


def pose_matrix(places: np.ndarray, turns: np.ndarray) -> np.ndarray:
    """(4, 4): from the frame of the first of some poses to the world."""
    found = np.eye(4)
    found[:3, :3], found[:3, 3] = matrix(turns)[0], places[0]
    return found


def _corners(box: np.ndarray) -> np.ndarray:
    """(8, 3): corner i is at the greater end of axis k where bit k of i is set."""
    return np.array([[box[i >> axis & 1, axis] for axis in range(3)] for i in range(8)])


def _in_front(points: np.ndarray, near: float) -> np.ndarray:
    """The corners of a box that are not nearer than a plane, and where its edges go through that plane."""
    near = max(near, 1e-6)
    found = [points[points[:, 2] >= near]]
    for i, j in _EDGES:
        a, b = points[i], points[j]
        if (a[2] - near) * (b[2] - near) < 0.0:
            found.append((a + (b - a) * (near - a[2]) / (b[2] - a[2]))[None])
    return np.concatenate(found)


__all__ = ["BOX_2D", "BOX_3D", "NAMES", "Annotator", "pose_matrix"]
