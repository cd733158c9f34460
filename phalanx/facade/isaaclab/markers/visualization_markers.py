"""Markers on the stage: a ``UsdGeom.PointInstancer`` with a prototype for each sort."""

from __future__ import annotations

from typing import Any

import numpy as np

from phalanx.facade.arrays import accept
from phalanx.facade.isaaclab.markers.visualization_markers_cfg import VisualizationMarkersCfg
from phalanx.facade.isaaclab.sim.utils import get_current_stage, make_uninstanceable
from phalanx.facade.isaaclab.sim.utils.edits import prim_at
from phalanx.facade.isaaclab.sim.utils.legacy import get_next_free_path
from phalanx.io.formats.usd.bindings import Prim, Sdf, Usd, UsdGeom, UsdPhysics, Vt

MADE: list[Any] = []
"""Point instancers of all markers, for viewers; they stay on the stage when the object that made them is gone."""


class VisualizationMarkers:
    """Copies of a few shapes, placed anew by each call of :meth:`visualize`.

    They are prims of the stage: whoever draws it sees them. The simulation does not.

    Args:
        cfg: what they look like, and where they are put. At first there is one of each sort, at the origin.

    Raises:
        ValueError: there is no sort, or a name or the path cannot be a prim's.
    """

    def __init__(self, cfg: VisualizationMarkersCfg) -> None:
        cfg.validate()  # pyright: ignore[reportAttributeAccessIssue]
        if not cfg.markers:
            raise ValueError(f"VisualizationMarkersCfg {cfg.prim_path!r}: markers has no sort of marker")
        for name in cfg.markers:
            if not Sdf.Path.IsValidIdentifier(name):
                raise ValueError(f"VisualizationMarkersCfg {cfg.prim_path!r}: {name!r} cannot be the name of a prim")
        self.cfg: Any = cfg.copy()  # pyright: ignore[reportAttributeAccessIssue]
        self.prim_path = get_next_free_path(self.cfg.prim_path)
        self._instancer = UsdGeom.PointInstancer.Define(get_current_stage(), self.prim_path)
        self._count = len(self.cfg.markers)
        for name, marker in self.cfg.markers.items():
            path = f"{self.prim_path}/{name}"
            marker.func(path, marker)
            _only_to_be_seen(path)
        self._instancer.GetPrototypesRel().SetTargets([f"{self.prim_path}/{name}" for name in self.cfg.markers])
        self._write(np.zeros((self._count, 3)), None, None, np.arange(self._count))
        MADE[:] = [one for one in MADE if one.GetPrim()]
        MADE.append(self._instancer)

    def __str__(self) -> str:
        """Its path, how many markers there are, and their sorts."""
        lines = [f"{type(self).__name__} {self.prim_path!r}: {self._count} markers of {self.num_prototypes} sorts"]
        lines += [f"  {i}: {name}, {type(one).__name__}" for i, (name, one) in enumerate(self.cfg.markers.items())]
        return "\n".join(lines)

    @property
    def num_prototypes(self) -> int:
        """How many sorts there are."""
        return len(self.cfg.markers)

    @property
    def count(self) -> int:
        """How many markers there are."""
        return self._count

    def set_visibility(self, visible: bool) -> None:
        """Show all markers, or hide them."""
        image = UsdGeom.Imageable(self._instancer.GetPrim())
        image.MakeVisible() if visible else image.MakeInvisible()

    def is_visible(self) -> bool:
        """Whether they are shown."""
        return self._instancer.GetVisibilityAttr().Get() != UsdGeom.Tokens.invisible

    def visualize(
        self,
        translations: Any = None,
        orientations: Any = None,
        scales: Any = None,
        marker_indices: Any = None,
    ) -> None:
        """Place markers. Nothing happens while they are hidden.

        What is not given stays as it is. If the number of markers changes, it is instead: at the origin, not turned, as
        large as the sort is, and of the first sort.

        Args:
            translations: (n, 3), m, in the frame of the prim above the markers: usually the world's.
            orientations: quaternions (w, x, y, z), (n, 4).
            scales: along the markers' own axes, (n, 3); they multiply the sort's own scale.
            marker_indices: number of the sort of each marker, (n,), in the order of the configuration.

        Raises:
            ValueError: nothing is given, shapes do not fit, or there is no such sort.
        """
        if not self.is_visible():
            return
        given = {
            "translations": _checked("translations", translations, 3),
            "orientations": _checked("orientations", orientations, 4),
            "scales": _checked("scales", scales, 3),
            "marker_indices": _checked("marker_indices", marker_indices, None),
        }
        sizes = {name: len(value) for name, value in given.items() if value is not None}
        if not sizes:
            raise ValueError(f"{self.prim_path!r}: visualize() needs one of {', '.join(given)}")
        if len(set(sizes.values())) != 1:
            raise ValueError(f"{self.prim_path!r}: these are of different numbers of markers: {sizes}")
        sorts = given["marker_indices"]
        if sorts is not None and len(sorts) and not (sorts.min() >= 0 and sorts.max() < self.num_prototypes):
            raise ValueError(f"{self.prim_path!r}: marker_indices must be from 0 to {self.num_prototypes - 1}")
        count = next(iter(sizes.values()))
        if count != self._count:
            self._count = count
            self._instancer.GetOrientationsAttr().Clear()
            self._instancer.GetScalesAttr().Clear()
            given["translations"] = np.zeros((count, 3)) if translations is None else given["translations"]
            given["marker_indices"] = np.zeros(count, np.int32) if sorts is None else sorts
        self._write(*given.values())

    def _write(self, places: Any, turns: Any, scales: Any, sorts: Any) -> None:
        """Set what is not ``None``, as one change of the stage."""
        with Sdf.ChangeBlock():
            if places is not None:
                self._instancer.GetPositionsAttr().Set(Vt.Vec3fArray.FromNumpy(places.astype(np.float32)))
            if turns is not None:  # USD keeps x, y, z, w
                turns = np.ascontiguousarray(turns[:, [1, 2, 3, 0]].astype(np.float16))
                self._instancer.GetOrientationsAttr().Set(Vt.QuathArray.FromNumpy(turns))
            if scales is not None:
                self._instancer.GetScalesAttr().Set(Vt.Vec3fArray.FromNumpy(scales.astype(np.float32)))
            if sorts is not None:
                self._instancer.GetProtoIndicesAttr().Set(Vt.IntArray.FromNumpy(sorts.astype(np.int32)))


def _checked(name: str, value: Any, width: int | None) -> np.ndarray | None:
    """(n, width), or (n,) if that is ``None``, on the host."""
    if value is None:
        return None
    found = np.asarray(accept(value, "cpu"))
    shape = "(n,)" if width is None else f"(n, {width})"
    if found.ndim != (1 if width is None else 2) or (width is not None and found.shape[1] != width):
        raise ValueError(f"{name} has shape {shape}, not {found.shape}")
    return np.ascontiguousarray(found)


def _only_to_be_seen(path: str) -> None:
    """Take all physics from a prim and what is below it, and let it cast no reflections."""
    make_uninstanceable(path)
    root: Prim = prim_at(path)
    for prim in list(Usd.PrimRange(root)):
        if prim.IsA(UsdPhysics.Joint):
            prim.SetActive(False)
            continue
        for schema in prim.GetAppliedSchemas():
            if schema.startswith(("Physics", "Physx")):
                prim.RemoveAppliedSchema(schema)
        if prim.IsA(UsdGeom.Gprim):
            name = "primvars:invisibleToSecondaryRays"
            prim.CreateAttribute(name, Sdf.ValueTypeNames.Bool, False).Set(True)


__all__ = ["VisualizationMarkers"]
