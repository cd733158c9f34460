"""A camera of the stage, whose pictures are made by ray casting."""

from __future__ import annotations

import copy
import logging
import weakref
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from phalanx.facade import simulation
from phalanx.facade import stage as stages
from phalanx.facade.backends import Backend, on_host
from phalanx.facade.carb.settings import get_settings
from phalanx.facade.isaacsim.core.api.sensors.base_sensor import BaseSensor
from phalanx.facade.isaacsim.core.utils.render_product import set_camera_prim_path, set_resolution
from phalanx.facade.isaacsim.sensors.camera.annotators import NAMES, Annotator
from phalanx.facade.isaacsim.sensors.camera.camera_axes import check, from_usd, to_usd
from phalanx.facade.isaacsim.sensors.camera.camera_points import CameraPoints
from phalanx.facade.isaacsim.sensors.camera.pictures import Pictures, render_product
from phalanx.facade.once import tell_once
from phalanx.facade.signals import Listener
from phalanx.io.formats.usd.bindings import UsdGeom

log = logging.getLogger("phalanx.facade")

RATE = "/app/runLoops/main/rateLimitFrequency"
"""The setting of frames per second."""

JUST_DUE = 1e-6
"""s: what is due that much later is due."""


def _adder(name: str) -> Callable[..., None]:
    def add(self: Camera, init_params: Mapping[str, Any] | None = None) -> None:
        self.attach_annotator(name, **(init_params or {}))

    add.__name__ = f"add_{name}_to_frame"
    add.__doc__ = f"Let frames have what the annotator ``{name!r}`` tells; see :class:`.annotators.Annotator`."
    return add


def _remover(name: str) -> Callable[..., None]:
    def remove(self: Camera) -> None:
        self.detach_annotator(name)

    remove.__name__ = f"remove_{name}_from_frame"
    remove.__doc__ = f"Let frames have what the annotator ``{name!r}`` tells no more."
    return remove


class Camera(CameraPoints):
    """A camera, whose prim is made if there is none: it looks along x then, and z is up.

    There is a new picture at each frame (``world.step(render=True)``, ``world.render()``) while the world plays. It is
    drawn when somebody looks at it. Once :meth:`get_current_frame` has been called, or if motion vectors are wanted,
    each is drawn at once.

    Orientations are told in ``camera_axes``: ``"world"`` (looking along x, z up), ``"ros"`` (looking along z, y down)
    or ``"usd"`` (looking along -z, y up).

    Args:
        prim_path: of the camera.
        name: for scenes and messages.
        frequency: how often :meth:`get_current_frame` has something new, 1/s: frames per second divided by a whole
            number; each frame by default.
        dt: the same as a time, s; only one of the two.
        resolution: width and height, pixels; (128, 128) by default.
        position, orientation: in the world, (3,) and (4,), of the axes ``"world"``.
        translation: in the frame of the prim above, (3,), as the orientation is then; instead of a position.
        render_product_path: of a render product that is there, to be the camera's.
        annotator_device: ``"cuda"``: arrays are Warp's, on the world's device; NumPy's otherwise.

    Raises:
        ValueError: ``frequency`` and ``dt`` are given, frames are no multiple of it, the resolution has no pixels, or
            there is a prim that is no camera.
    """

    def __init__(
        self,
        prim_path: str,
        name: str = "camera",
        frequency: int | None = None,
        dt: float | None = None,
        resolution: tuple[int, int] | None = None,
        position: Any = None,
        orientation: Any = None,
        translation: Any = None,
        render_product_path: str | None = None,
        annotator_device: str | None = None,
    ) -> None:
        if frequency is not None and dt is not None:
            raise ValueError(f"{name}: frequency and dt cannot both be given")
        self._frequency = float(_frame_rate() or -1)
        if frequency is not None or dt is not None:
            self.set_frequency(round(1.0 / dt) if frequency is None and dt else frequency or 0)
        stage = stages.get_stage()
        prim = stage.GetPrimAtPath(prim_path)
        if prim and str(prim.GetTypeName()) != "Camera":
            raise ValueError(f"{name}: {prim_path} is of type {str(prim.GetTypeName())!r}, not a Camera")
        if not prim:
            UsdGeom.Camera.Define(stage, prim_path)
            orientation = [1.0, 0.0, 0.0, 0.0] if orientation is None else orientation
        turn = None if orientation is None else to_usd(on_host(orientation, float), "world")
        BaseSensor.__init__(self, prim_path, name, position, translation, None)
        if turn is not None:
            if position is not None:
                BaseSensor.set_world_pose(self, position, turn)
            else:
                BaseSensor.set_local_pose(self, translation, turn)
        state = self._prim_view.get_world_poses()
        self._prim_view.set_default_state(*state)
        self._resolution = (128, 128) if resolution is None else (int(resolution[0]), int(resolution[1]))
        self._pictures = Pictures(self._prim_view, self._resolution)
        self._render_product_path = render_product_path
        self._annotator_device = annotator_device
        self._annotators: dict[str, Annotator] = {}
        self._current_frame: dict[str, Any] = {"rendering_time": 0, "rendering_frame": 0}
        self._listeners: list[Listener] = []
        self._paused = True
        self._frames = 0
        self._begin()
        self._make_pixels_square("horizontal")

    def _begin(self) -> None:
        """Count time anew."""
        self._elapsed, self._previous = 0.0, None
        self._pending = self._due = self._is_held = False

    # -- what it is ------------------------------------------------------------------------------------------

    @property
    def supported_annotators(self) -> list[str]:
        """What :meth:`attach_annotator` knows."""
        return list(NAMES)

    def get_render_product_path(self) -> str | None:
        """The path of the prim that says what is rendered; ``None`` before :meth:`initialize`."""
        return self._render_product_path

    def get_resolution(self) -> tuple[int, int]:
        """Width and height of pictures, pixels."""
        return self._resolution

    def set_resolution(self, value: tuple[int, int], maintain_square_pixels: bool = True) -> None:
        """Let pictures have another width and height, pixels; the sensor gets their proportions by default.

        Raises:
            ValueError: they have no pixels.
        """
        self._pictures.resolution = value
        self._resolution = self._pictures.resolution
        if self._render_product_path is not None:
            set_resolution(self._render_product_path, self._resolution)
        if maintain_square_pixels:
            self._make_pixels_square("horizontal")

    def set_frequency(self, value: int) -> None:
        """Set how often :meth:`get_current_frame` has something new, 1/s.

        Raises:
            ValueError: frames per second are no multiple of it.
        """
        rate = _frame_rate()
        if rate is None:
            self._frequency = -1.0
        elif value <= 0 or rate % value:
            raise ValueError(f"frequency={value}: there are {rate} frames per second, which must be a multiple of it")
        else:
            self._frequency = float(value)

    def get_frequency(self) -> float:
        """How often :meth:`get_current_frame` has something new, 1/s; -1: at each frame."""
        return self._frequency

    def set_dt(self, value: float) -> None:
        """Set the same as a time, s.

        Raises:
            ValueError: it is no multiple of the time between frames.
        """
        rate = _frame_rate()
        if rate is None:
            self._frequency = -1.0
            return
        frames = value * rate
        if frames < 0.5 or abs(frames - round(frames)) > 1e-6 * frames:
            raise ValueError(f"dt={value}: it must be a multiple of the time between frames, 1/{rate} s")
        self._frequency = 1.0 / value

    def get_dt(self) -> float:
        """The time between two of what :meth:`get_current_frame` has, s."""
        return 1.0 / self._frequency

    # -- place -----------------------------------------------------------------------------------------------

    def get_world_pose(self, camera_axes: str = "world") -> tuple[Any, Any]:
        """Position (3,) and orientation (4,) in the world; see the class for the axes."""
        return self._told(BaseSensor.get_world_pose(self), camera_axes)

    def set_world_pose(self, position: Any = None, orientation: Any = None, camera_axes: str = "world") -> None:
        """Put it somewhere in the world, (3,) and (4,), at once; what is ``None`` stays."""
        BaseSensor.set_world_pose(self, position, _to_usd(orientation, camera_axes))

    def get_local_pose(self, camera_axes: str = "world") -> tuple[Any, Any]:
        """Translation (3,) and orientation (4,) in the frame of the prim above; see the class for the axes."""
        return self._told(BaseSensor.get_local_pose(self), camera_axes)

    def set_local_pose(self, translation: Any = None, orientation: Any = None, camera_axes: str = "world") -> None:
        """Put it somewhere in the frame of the prim above, (3,) and (4,), at once; what is ``None`` stays."""
        BaseSensor.set_local_pose(self, translation, _to_usd(orientation, camera_axes))

    def _told(self, pose: tuple[Any, Any], axes: str) -> tuple[Any, Any]:
        turn = from_usd(on_host(pose[1], float), axes)
        return pose[0], self._prim_view._backend.give(turn)

    # -- from frame to frame ---------------------------------------------------------------------------------

    def initialize(self, physics_sim_view: Any = None, attach_rgb_annotator: bool = True) -> None:
        """Have pictures from now on; after a reset of the world.

        Args:
            physics_sim_view: no meaning.
            attach_rgb_annotator: whether frames have ``"rgb"``.
        """
        super().initialize(physics_sim_view)
        if self._render_product_path is None:
            name = f"Camera{self.prim_path.replace('/', '_')}"
            self._render_product_path = render_product(name, self.prim_path, self._resolution)
        else:
            set_resolution(self._render_product_path, self._resolution)
            set_camera_prim_path(self._render_product_path, self.prim_path)
        if attach_rgb_annotator and "rgb" not in self._annotators:
            self.attach_annotator("rgb")
        me, found = weakref.ref(self), simulation.get()

        def on_frame(dt: float) -> None:
            if (camera := me()) is not None:
                camera._on_frame()

        def on_timeline(what: str) -> None:
            if (camera := me()) is not None and what in ("play", "stop"):
                camera._paused = what == "stop"

        self._listeners = [found.frame.subscribe(on_frame, order=20), found.timeline.subscribe(on_timeline)]
        self._paused = False
        self._current_frame |= {"rendering_time": 0, "rendering_frame": 0}

    def post_reset(self) -> None:
        """Go back to the default state, and count time anew."""
        super().post_reset()
        held = self._is_held
        self._begin()
        self._is_held = held
        self._pictures.forget()

    def resume(self) -> None:
        """Have pictures again."""
        self._paused = False

    def pause(self) -> None:
        """Have no new pictures."""
        self._paused = True

    def is_paused(self) -> bool:
        """Whether it has no new pictures."""
        return self._paused

    def destroy(self) -> None:
        """Let go of what draws; :meth:`initialize` makes it anew."""
        for name in list(self._annotators):
            self.detach_annotator(name)
        self._listeners = []
        self._paused = True
        self._pictures = Pictures(self._prim_view, self._resolution)

    def _on_frame(self) -> None:
        """A frame: there is a new picture, which may be due for :meth:`get_current_frame`."""
        now = simulation.get()
        if self._paused or now.world is None or not self.is_valid():
            return
        self._frames += 1
        self._pending = True
        if self._previous is not None:
            self._elapsed += now.time - self._previous
        self._previous = now.time
        if self._frequency < 0 or self._elapsed + JUST_DUE >= self.get_dt():
            self._elapsed = 0.0
            rate = _frame_rate() or 1
            self._current_frame["rendering_frame"] = {
                "referenceTimeNumerator": self._frames,
                "referenceTimeDenominator": rate,
            }
            self._current_frame["rendering_time"] = now.time
            self._due = True
        if self._is_held or "motion_vectors" in self._annotators:
            self._fill()

    def _draw(self) -> bool:
        """Have the picture of the last frame; whether there is one."""
        if self._pending:
            self._pictures.types = frozenset().union(*(each.types for each in self._annotators.values()))
            if not self._pictures.capture():
                return False
            self._pending = False
        return self._pictures.has_any

    def _fill(self) -> None:
        """Let the current frame have what is due."""
        if self._due and self._draw():
            for name, annotator in self._annotators.items():
                self._current_frame[name] = annotator.data(self._arrays(None))
            self._due = False

    def get_current_frame(self, clone: bool = False) -> dict[str, Any]:
        """What annotators told when the last picture was due, by their names; ``None`` before there was one.

        Args:
            clone: a copy. Otherwise it is the same dictionary all the time, which frames change.

        Returns:
            Also ``"rendering_time"``, s, and ``"rendering_frame"``.
        """
        self._fill()
        if clone:
            return copy.deepcopy(self._current_frame)
        self._is_held = True
        return self._current_frame

    # -- annotators ------------------------------------------------------------------------------------------

    def attach_annotator(self, annotator_name: str, **kwargs: Any) -> None:
        """Let frames have what an annotator tells; see :class:`.annotators.Annotator`.

        Raises:
            ValueError: there is none of the name.
            NotImplementedError: it is not made.
        """
        if annotator_name in self._annotators:
            log.warning("%s: the annotator %r is attached already", self.prim_path, annotator_name)
            return
        self._annotators[annotator_name] = Annotator(self._pictures, annotator_name, kwargs)
        self._current_frame[annotator_name] = None
        self._pending = self._pending or self._pictures.has_any

    def detach_annotator(self, annotator_name: str) -> None:
        """Let frames have that no more."""
        if annotator_name not in self._annotators:
            log.warning("%s: the annotator %r is not attached", self.prim_path, annotator_name)
            return
        del self._annotators[annotator_name]
        del self._current_frame[annotator_name]

    def add_pointcloud_to_frame(
        self, include_unlabelled: bool = True, init_params: Mapping[str, Any] | None = None
    ) -> None:
        """Let frames have points where rays of pixels end; see :class:`.annotators.Annotator`."""
        self.attach_annotator("pointcloud", **{"includeUnlabelled": include_unlabelled, **(init_params or {})})

    def remove_pointcloud_from_frame(self) -> None:
        """Let frames have that no more."""
        self.detach_annotator("pointcloud")

    add_rgb_to_frame, remove_rgb_from_frame = _adder("rgb"), _remover("rgb")
    add_normals_to_frame, remove_normals_from_frame = _adder("normals"), _remover("normals")
    add_motion_vectors_to_frame, remove_motion_vectors_from_frame = _adder("motion_vectors"), _remover("motion_vectors")
    add_occlusion_to_frame, remove_occlusion_from_frame = _adder("occlusion"), _remover("occlusion")
    add_distance_to_image_plane_to_frame, remove_distance_to_image_plane_from_frame = (
        _adder("distance_to_image_plane"),
        _remover("distance_to_image_plane"),
    )
    add_distance_to_camera_to_frame, remove_distance_to_camera_from_frame = (
        _adder("distance_to_camera"),
        _remover("distance_to_camera"),
    )
    add_bounding_box_2d_tight_to_frame, remove_bounding_box_2d_tight_from_frame = (
        _adder("bounding_box_2d_tight"),
        _remover("bounding_box_2d_tight"),
    )
    add_bounding_box_2d_loose_to_frame, remove_bounding_box_2d_loose_from_frame = (
        _adder("bounding_box_2d_loose"),
        _remover("bounding_box_2d_loose"),
    )
    add_bounding_box_3d_to_frame, remove_bounding_box_3d_from_frame = (
        _adder("bounding_box_3d"),
        _remover("bounding_box_3d"),
    )
    add_semantic_segmentation_to_frame, remove_semantic_segmentation_from_frame = (
        _adder("semantic_segmentation"),
        _remover("semantic_segmentation"),
    )
    add_instance_id_segmentation_to_frame, remove_instance_id_segmentation_from_frame = (
        _adder("instance_id_segmentation"),
        _remover("instance_id_segmentation"),
    )
    add_instance_segmentation_to_frame, remove_instance_segmentation_from_frame = (
        _adder("instance_segmentation"),
        _remover("instance_segmentation"),
    )

    # -- the last picture ------------------------------------------------------------------------------------

    def _arrays(self, device: str | None) -> Backend:
        asked = str(self._annotator_device if device is None else device)
        found = simulation.arrays().device
        if asked.startswith("cuda") and found == "cpu":
            tell_once("the world is on the CPU, and so are the pictures of its cameras", logging.WARNING)
        return Backend("warp" if asked.startswith("cuda") else "numpy", found)

    def _last(self, name: str, device: str | None) -> Any:
        if name not in self._annotators:
            log.warning("%s: the annotator %r is not attached", self.prim_path, name)
            return None
        return self._annotators[name].data(self._arrays(device)) if self._draw() else np.zeros(0, np.float32)

    def get_rgba(self, device: str | None = None) -> Any:
        """(height, width, 4) uint8; alpha is 0 where there is nothing. Empty before the first frame."""
        return self._last("rgb", device)

    def get_rgb(self, device: str | None = None) -> Any:
        """(height, width, 3) uint8; ``None`` before the first frame."""
        found = self._last("rgb", device)
        return None if found is None or not found.shape[0] else found[:, :, :3]

    def get_depth(self, device: str | None = None) -> Any:
        """(height, width) float32: distances to the plane of the picture, m; inf where there is nothing."""
        return self._last("distance_to_image_plane", device)

    def get_pointcloud(self, device: str | None = None, world_frame: bool = True) -> Any:
        """(points, 3) float32: where rays of pixels end.

        From the annotator ``"pointcloud"`` if it is attached, else from ``"distance_to_image_plane"``, then a point for
        each pixel of a pinhole, whose numbers are not finite where there is nothing. Empty if neither is there.

        Args:
            device: see the class.
            world_frame: in the world; else in the camera's frame, x right, y down, z forward.
        """
        arrays = self._arrays(device)
        if "pointcloud" in self._annotators:
            found = self._last("pointcloud", device)
            if not isinstance(found, dict):
                return np.zeros((0, 3), np.float32)
            if world_frame:
                return found["data"]
            points = on_host(found["data"], float)
            inverse = np.linalg.inv(self._frame())
            return arrays.give((points @ inverse[:3, :3].T + inverse[:3, 3]).astype(np.float32))
        depth = self.get_depth(device)
        if depth is None or not depth.shape[0]:
            return np.zeros((0, 3), np.float32)
        width, height = self._resolution
        v, u = (axis.reshape(-1) + 0.5 for axis in np.mgrid[:height, :width])
        points = self._points(np.stack([u, v], -1), on_host(depth, float).reshape(-1), world_frame)
        return arrays.give(points.astype(np.float32))


def _to_usd(orientation: Any, axes: str) -> Any:
    check(axes)
    return None if orientation is None else to_usd(on_host(orientation, float), axes)


def _frame_rate() -> int | None:
    """Frames per second, as the setting or the simulation says; ``None`` if frames let no time pass."""
    found = get_settings().get(RATE)
    if found is not None:
        return int(found)
    dt = simulation.get().rendering_dt
    return round(1.0 / dt) if dt else None


def get_all_camera_objects(root_prim: str = "/") -> list[Camera]:
    """A :class:`Camera` for each camera at or below a prim, named by its prim, or by its path where names repeat."""
    from phalanx.facade.isaacsim.core.utils.prims import get_all_matching_child_prims

    prims = get_all_matching_child_prims(root_prim, lambda path: _is_camera(path))
    names = [prim.GetName() for prim in prims]
    unique = len(set(names)) == len(names)
    return [
        Camera(str(prim.GetPath()), name if unique else str(prim.GetPath()))
        for prim, name in zip(prims, names, strict=True)
    ]


def _is_camera(path: str) -> bool:
    return str(stages.get_stage().GetPrimAtPath(path).GetTypeName()) == "Camera"


__all__ = ["Camera", "get_all_camera_objects"]
