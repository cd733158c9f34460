"""Many cameras, whose pictures are drawn together."""

from __future__ import annotations

import math
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from phalanx.facade import simulation
from phalanx.facade.arrays import accept, hand_out
from phalanx.facade.backends import Backend, on_host
from phalanx.facade.isaacsim.core.prims.xform_prim import Poses, XFormPrim
from phalanx.facade.isaacsim.sensors.camera.camera_axes import from_usd, to_usd
from phalanx.facade.isaacsim.sensors.camera.camera_lens import CameraLens
from phalanx.facade.isaacsim.sensors.camera.pictures import Pictures, render_product

ANNOTATORS = {
    "rgb": ("rgb", 3, "uint8"),
    "rgba": ("rgba", 4, "uint8"),
    "depth": ("distance_to_image_plane", 1, "float32"),
    "distance_to_image_plane": ("distance_to_image_plane", 1, "float32"),
    "distance_to_camera": ("distance_to_camera", 1, "float32"),
    "normals": ("normals", 4, "float32"),
    "motion_vectors": ("motion_vectors", 4, "float32"),
    "semantic_segmentation": ("ids", 1, "uint32"),
    "instance_segmentation_fast": ("ids", 1, "int32"),
    "instance_id_segmentation_fast": ("ids", 1, "int32"),
}
"""What there is: what is drawn for it, channels and type."""


def _lens_reader(name: str, about: str) -> Callable[..., list[Any]]:
    read = getattr(CameraLens, f"get_{name}")

    def get(self: CameraView, indices: Any = None) -> list[Any]:
        return self._read_lenses(read, indices)

    get.__doc__ = f"The {name.replace('_', ' ')} of each camera: {about}."
    return get


def _lens_writer(name: str, about: str) -> Callable[..., None]:
    write = getattr(CameraLens, f"set_{name}")

    def set_(self: CameraView, values: Sequence[Any], indices: Any = None) -> None:
        self._write_lenses(write, values, indices)

    set_.__doc__ = f"Set the {name.replace('_', ' ')} of each camera: {about}."
    return set_


_LENGTH, _KEPT, _NAME = "units of the stage", "kept, without effect", "a name, see :class:`.Camera`"


class CameraView(XFormPrim):
    """Cameras of one size: poses, lenses and pictures of all of them at once; see :class:`.Camera`.

    Args:
        prim_paths_expr: expressions whose matches must be cameras.
        name: for scenes and messages.
        camera_resolution: width and height of each picture, pixels.
        output_annotators: of ``"rgb"``, ``"rgba"``, ``"depth"``, ``"distance_to_image_plane"``,
            ``"distance_to_camera"``, ``"normals"``, ``"motion_vectors"``, ``"semantic_segmentation"``,
            ``"instance_segmentation_fast"`` and ``"instance_id_segmentation_fast"``.
        positions, translations, orientations, scales, visibilities, reset_xform_properties: see ``XFormPrim``;
            orientations are of the axes ``"world"``.

    Raises:
        ValueError: there is no such annotator, or a prim is no camera.
    """

    def __init__(
        self,
        prim_paths_expr: Any = None,
        name: str = "camera_prim_view",
        camera_resolution: tuple[int, int] = (256, 256),
        output_annotators: Sequence[str] | None = ("rgb", "depth"),
        positions: Any = None,
        translations: Any = None,
        orientations: Any = None,
        scales: Any = None,
        visibilities: Any = None,
        reset_xform_properties: bool = True,
    ) -> None:
        super().__init__(
            prim_paths_expr, name, positions, translations, orientations, scales, visibilities, reset_xform_properties
        )
        wrong = [each for each in output_annotators or () if each not in ANNOTATORS]
        if wrong:
            raise ValueError(f"{name}: there is no annotator {wrong[0]!r}; there are {', '.join(ANNOTATORS)}")
        for prim in self.prims:
            if str(prim.GetTypeName()) != "Camera":
                raise ValueError(f"{name}: <{prim.GetPath()}> is of type {str(prim.GetTypeName())!r}, not a Camera")
        self._wanted = list(output_annotators or ())
        self._pictures = Pictures(self, camera_resolution)
        self._pictures.types = frozenset(ANNOTATORS[each][0] for each in self._wanted)
        self._lenses = [_Lens(prim, self) for prim in self.prims]
        self._pending = False
        me = weakref.ref(self)

        def on_frame(dt: float) -> None:
            if (view := me()) is not None:
                view._pending = True
                if "motion_vectors" in view._wanted:
                    view._draw()

        self._frames = simulation.get().frame.subscribe(on_frame, order=20)
        self._render_product_path = render_product(f"{name}_tiled_sensor", self.prim_paths[0], self.tiled_resolution)

    # -- sizes -----------------------------------------------------------------------------------------------

    @property
    def camera_resolution(self) -> tuple[int, int]:
        """Width and height of each picture, pixels."""
        return self._pictures.resolution

    @property
    def tiled_resolution(self) -> tuple[int, int]:
        """Width and height of all pictures side by side, pixels."""
        columns, rows = self._tiles()
        return columns * self.camera_resolution[0], rows * self.camera_resolution[1]

    def _tiles(self) -> tuple[int, int]:
        rows = round(math.sqrt(self.count))
        return -(-self.count // rows), rows

    def get_render_product_path(self) -> str:
        """The path of the prim that says what is rendered."""
        return self._render_product_path

    def set_resolutions(self, resolution: tuple[int, int]) -> None:
        """Let all pictures have another width and height, pixels."""
        self._pictures.resolution = resolution
        self._pending = True

    def get_resolutions(self) -> tuple[int, int]:
        """Width and height of each picture, pixels."""
        return self.camera_resolution

    def get_aspect_ratios(self) -> float:
        """Width of pictures by their height."""
        width, height = self.camera_resolution
        return width / height

    def destroy(self) -> None:
        """Let go of what draws."""
        self._frames.unsubscribe()
        self._pictures = Pictures(self, self.camera_resolution)

    # -- poses -----------------------------------------------------------------------------------------------

    def get_world_poses(self, indices: Any = None, camera_axes: str = "world", usd: bool = True) -> Poses:
        """Positions (M, 3) and orientations (M, 4) in the world; see :class:`.Camera` for the axes."""
        return self._told(super().get_world_poses(indices, usd), camera_axes)

    def set_world_poses(
        self,
        positions: Any = None,
        orientations: Any = None,
        indices: Any = None,
        camera_axes: str = "world",
        usd: bool = True,
    ) -> None:
        """Put cameras somewhere in the world, (M, 3) and (M, 4), at once; what is ``None`` stays."""
        super().set_world_poses(positions, _to_usd(orientations, camera_axes), indices, usd)

    def get_local_poses(self, indices: Any = None, camera_axes: str = "world") -> Poses:
        """Translations (M, 3) and orientations (M, 4) in the frames of the prims above."""
        return self._told(super().get_local_poses(indices), camera_axes)

    def set_local_poses(
        self, translations: Any = None, orientations: Any = None, indices: Any = None, camera_axes: str = "world"
    ) -> None:
        """Put cameras somewhere in the frames of the prims above, (M, 3) and (M, 4), at once; ``None`` stays."""
        super().set_local_poses(translations, _to_usd(orientations, camera_axes), indices)

    def _told(self, poses: Poses, axes: str) -> Poses:
        return poses[0], self._backend.give(from_usd(on_host(poses[1], float), axes))

    # -- pictures --------------------------------------------------------------------------------------------

    def _draw(self) -> bool:
        if self._pending and self._pictures.capture():
            self._pending = False
        return self._pictures.has_any

    def get_data(self, annotator_type: str, *, tiled: bool = False, out: Any = None) -> tuple[Any, dict[str, Any]]:
        """The pictures of the last frame.

        Args:
            annotator_type: one of those that were asked for.
            tiled: (rows * height, columns * width, channels), side by side; else (N, height, width, channels).
            out: an array to put them into, which is what is given back then.

        Returns:
            An array of Warp's on the world's device, and what numbers mean. Empty before the first frame.

        Raises:
            ValueError: it was not asked for, or ``out`` has another shape.
        """
        if annotator_type not in self._wanted:
            raise ValueError(f"{self.name}: {annotator_type!r} was not asked for; there are {', '.join(self._wanted)}")
        arrays = Backend("warp", simulation.arrays().device)
        if not self._draw():
            return arrays.give(np.zeros(0, ANNOTATORS[annotator_type][2])), {}
        found, info = self._picture(annotator_type)
        if tiled:
            found = self._side_by_side(found)
        if out is not None:
            _copy(found, out, self.name or "")
            return out, info
        return arrays.give(found), info

    def _picture(self, kind: str) -> tuple[Any, dict[str, Any]]:
        """(N, height, width, channels), in memory of its own, and what numbers mean."""
        drawn, channels, dtype = ANNOTATORS[kind]
        device = self._pictures.scene.scene.device
        if drawn == "ids":
            numbers, told = self._pictures.numbers(kind, None, False)
            with device.active():
                return device.xp.asarray(numbers.astype(dtype))[..., None], told[0]
        found = self._pictures.output(drawn)
        if found.ndim == 3:
            found = found[..., None]
        if found.shape[-1] == channels:
            return found.copy(), {}
        with device.active():
            wide = device.xp.zeros((*found.shape[:3], channels), found.dtype)
            wide[..., : found.shape[-1]] = found
        return wide, {}

    def _side_by_side(self, found: Any) -> Any:
        """(rows * height, columns * width, channels)."""
        columns, rows = self._tiles()
        (height, width, channels), device = found.shape[1:], self._pictures.scene.scene.device
        with device.active():
            tiles = device.xp.zeros((rows * columns, height, width, channels), found.dtype)
            tiles[: self.count] = found
        tiles = tiles.reshape(rows, columns, height, width, channels).transpose(0, 2, 1, 3, 4)
        return device.xp.ascontiguousarray(tiles.reshape(rows * height, columns * width, channels))

    def get_rgb_tiled(self, out: Any = None, device: str = "cpu") -> Any:
        """(rows * height, columns * width, 3) uint8; NumPy's for ``"cpu"``, else torch's."""
        return self._of_kind("rgb", True, out, device)

    def get_depth_tiled(self, out: Any = None, device: str = "cpu") -> Any:
        """(rows * height, columns * width, 1) float32, m; NumPy's for ``"cpu"``, else torch's."""
        return self._of_kind("depth", True, out, device)

    def get_rgb(self, out: Any = None) -> Any:
        """(N, height, width, 3) uint8, torch's."""
        return self._of_kind("rgb", False, out, "cuda")

    def get_depth(self, out: Any = None) -> Any:
        """(N, height, width, 1) float32, m, torch's."""
        return self._of_kind("depth", False, out, "cuda")

    def _of_kind(self, kind: str, tiled: bool, out: Any, device: str) -> Any:
        kind = next((each for each in self._wanted if each in _SAME[kind]), kind)
        if kind not in self._wanted:
            raise ValueError(f"{self.name}: {kind!r} was not asked for; there are {', '.join(self._wanted)}")
        if not self._draw():
            raise RuntimeError(f"{self.name}: there is no picture yet: let a frame pass while the world plays")
        found, _ = self._picture(kind)
        if kind in ("rgb", "rgba"):
            found = found[..., :3]
        if tiled:
            found = self._side_by_side(found)
        if out is not None:
            _copy(found, out, self.name or "")
            return out
        return accept(found, "cpu") if device == "cpu" else hand_out(found, "torch")

    # -- lenses ----------------------------------------------------------------------------------------------

    def _read_lenses(self, read: Callable[[_Lens], Any], indices: Any) -> list[Any]:
        return [read(self._lenses[i]) for i in self._chosen(indices)]

    def _write_lenses(self, write: Callable[[_Lens, Any], None], values: Sequence[Any], indices: Any) -> None:
        chosen = self._chosen(indices)
        if len(values) != len(chosen):
            raise ValueError(f"{self.name}: {len(values)} values for {len(chosen)} cameras; there must be one for each")
        for i, value in zip(chosen, values, strict=True):
            write(self._lenses[i], value)

    get_focal_lengths, set_focal_lengths = _lens_reader("focal_length", _LENGTH), _lens_writer("focal_length", _LENGTH)
    get_focus_distances, set_focus_distances = (
        _lens_reader("focus_distance", _KEPT),
        _lens_writer("focus_distance", _KEPT),
    )
    get_lens_apertures, set_lens_apertures = _lens_reader("lens_aperture", _KEPT), _lens_writer("lens_aperture", _KEPT)
    get_horizontal_apertures, set_horizontal_apertures = (
        _lens_reader("horizontal_aperture", _LENGTH),
        _lens_writer("horizontal_aperture", _LENGTH),
    )
    get_vertical_apertures, set_vertical_apertures = (
        _lens_reader("vertical_aperture", _LENGTH),
        _lens_writer("vertical_aperture", _LENGTH),
    )
    get_projection_types, set_projection_types = (
        _lens_reader("projection_type", _NAME),
        _lens_writer("projection_type", _NAME),
    )
    get_projection_modes, set_projection_modes = (
        _lens_reader("projection_mode", _NAME),
        _lens_writer("projection_mode", _NAME),
    )
    get_stereo_roles, set_stereo_roles = _lens_reader("stereo_role", _NAME), _lens_writer("stereo_role", _NAME)

    def get_shutter_properties(self, indices: Any = None) -> list[tuple[float, float]]:
        """When shutters open and close."""
        return self._read_lenses(CameraLens.get_shutter_properties, indices)

    def set_shutter_properties(self, values: Sequence[tuple[float, float]], indices: Any = None) -> None:
        """Keep that; nothing is blurred by motion."""
        self._write_lenses(lambda lens, value: lens.set_shutter_properties(*value), values, indices)


_SAME = {"rgb": ("rgb", "rgba"), "depth": ("depth", "distance_to_image_plane")}


class _Lens(CameraLens):
    """The lens of one of the cameras."""

    def __init__(self, prim: Any, view: CameraView) -> None:
        self.prim, self._view = prim, weakref.ref(view)

    def get_resolution(self) -> tuple[int, int]:
        view = self._view()
        assert view is not None
        return view.camera_resolution


def _to_usd(orientations: Any, axes: str) -> Any:
    return None if orientations is None else to_usd(on_host(orientations, float), axes)


def _copy(found: Any, out: Any, who: str) -> None:
    """Put pictures into an array of any package, whose type may be another one."""
    if tuple(out.shape) != tuple(found.shape) and tuple(out.shape) != tuple(found.shape[:-1]):
        raise ValueError(f"{who}: out has shape {tuple(out.shape)}; it must be {tuple(found.shape)}")
    found = found.reshape(tuple(out.shape))
    if hasattr(out, "copy_"):
        out.copy_(hand_out(found, "torch"))
    elif isinstance(out, np.ndarray):
        out[...] = accept(found, "cpu")
    else:
        out.assign(accept(found, "cpu"))


__all__ = ["CameraView"]
