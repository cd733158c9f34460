"""Cameras: prims of the stage, whose pictures are made by ray casting."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar
from weakref import WeakSet

import numpy as np

from phalanx.facade.arrays import accept, hand_out
from phalanx.facade.carb.settings import get_settings
from phalanx.facade.isaaclab.sensors.attachment import Attachment
from phalanx.facade.isaaclab.sensors.buffers import merged, put
from phalanx.facade.isaaclab.sensors.camera.camera_data import CameraData
from phalanx.facade.isaaclab.sensors.camera.optics import clipping_range, intrinsic_matrices, lens_rays
from phalanx.facade.isaaclab.sensors.camera.placed_camera import PlacedCamera
from phalanx.facade.isaaclab.sensors.camera.segmentation import TYPES as SEGMENTATIONS
from phalanx.facade.isaaclab.sensors.camera.segmentation import Segmentation
from phalanx.facade.isaaclab.sensors.camera.semantic_filter import SemanticFilter
from phalanx.facade.isaaclab.sensors.prims import is_expression
from phalanx.facade.isaaclab.sim import utils
from phalanx.facade.isaaclab.utils.math import convert_camera_frame_orientation_convention
from phalanx.facade.namespaces import array, zeros
from phalanx.facade.visible import PRODUCTS
from phalanx.io.formats.usd.bindings import Gf, Sdf, UsdGeom

CHANNELS = {
    "rgb": (3, "uint8"),
    "rgba": (4, "uint8"),
    "depth": (1, "float32"),
    "distance_to_camera": (1, "float32"),
    "distance_to_image_plane": (1, "float32"),
    "normals": (3, "float32"),
    "motion_vectors": (2, "float32"),
}
"""Types of pictures that are not of labels or prims, with their channels."""

DISTANCES = ("depth", "distance_to_camera", "distance_to_image_plane")
CLIPPING = ("max", "zero", "none")


MADE: WeakSet[Camera] = WeakSet()
"""Those that have been initialized, for viewers."""


class Camera(PlacedCamera):
    """A camera at each prim that the path stands for, one of which is put on the stage if the configuration says so.

    Of environments that hold the same, a camera in one of them sees that one and what is outside of all of them; other
    cameras see everything. ``data.output`` has these pictures, (N, height, width, channels), by name:

    * ``"rgb"``, ``"rgba"``: uint8; alpha is 0 where there is nothing.
    * ``"distance_to_camera"``, ``"distance_to_image_plane"`` and ``"depth"``, its other name: one channel, float32, m.
    * ``"normals"``: float32, in the world; 0 where there is nothing.
    * ``"motion_vectors"``: float32, by how many pixels what is seen was farther to the right, and down, in the last
      picture.
    * ``"semantic_segmentation"``: by labels; ``"instance_segmentation_fast"``: by prims with labels;
      ``"instance_id_segmentation_fast"``: by prims with geometry. Four channels, uint8, or one, int32.

    ``data.info`` has for the last three of each camera what colours or numbers stand for.

    Args:
        cfg: a ``CameraCfg``.

    Raises:
        RuntimeError: no prim matches the path, or its last part is an expression.
        ValueError: a type of picture is none that it makes, or the picture has no pixels.
    """

    cfg: Any
    """A ``CameraCfg``."""
    UNSUPPORTED_TYPES: ClassVar[set[str]] = {
        "instance_id_segmentation",
        "instance_segmentation",
        "bounding_box_2d_tight",
        "bounding_box_2d_loose",
        "bounding_box_2d_tight_fast",
        "bounding_box_2d_loose_fast",
        "bounding_box_3d",
        "bounding_box_3d_fast",
    }
    """Types of pictures that are known elsewhere, and not made."""

    def __init__(self, cfg: Any) -> None:
        self._check(cfg)
        super().__init__(cfg)
        path, spawn = self.cfg.prim_path, self.cfg.spawn
        if spawn is not None:
            if spawn.vertical_aperture is None:
                spawn.vertical_aperture = spawn.horizontal_aperture * self.cfg.height / self.cfg.width
            turn = array(np.asarray(self.cfg.offset.rot, "float32")[None], "cpu")
            turn = convert_camera_frame_orientation_convention(turn, self.cfg.offset.convention, "opengl")[0]
            place = tuple(float(part) for part in self.cfg.offset.pos)
            spawn.func(path, spawn, translation=place, orientation=tuple(float(part) for part in turn))
        get_settings().set("/isaaclab/render/rtx_sensors", True)  # environments render while they step, then
        if not utils.find_matching_prim_paths(path):
            raise RuntimeError(
                f"{type(self).__name__}: could not find prim with path {path!r}: let the configuration spawn one, or "
                "mend prim_path"
            )

    # -- what it is ------------------------------------------------------------------------------------------

    @property
    def image_shape(self) -> tuple[int, int]:
        """Height and width of pictures, pixels."""
        return self.cfg.height, self.cfg.width

    @property
    def render_product_paths(self) -> list[str]:
        """Paths of the prims on the stage that say what each camera renders."""
        self._check_initialized()
        return self._products

    # -- from step to step -----------------------------------------------------------------------------------

    def reset(self, env_ids: Sequence[int] | None = None) -> None:
        """Count pictures of some cameras anew, or of all, and have data know where they are."""
        super().reset(env_ids)
        self._note_poses(self._host_ids(env_ids))
        self._engine.forget(None if env_ids is None else accept(self._host_ids(env_ids), self._device))

    def set_intrinsic_matrices(
        self, matrices: Any, focal_length: float | None = None, env_ids: Sequence[int] | None = None
    ) -> None:
        """Let cameras have other intrinsic matrices, which stay when the simulation is reset.

        Pixels need not be square.

        Args:
            matrices: (n, 3, 3), [[fx, 0, cx], [0, fy, cy], [0, 0, 1]], pixels.
            focal_length: cm; without effect, since the matrices say it all.
            env_ids: which cameras; all by default.

        Raises:
            ValueError: the shape is another one, or focal lengths are not positive.
            RuntimeError: the camera is no pinhole.
        """
        self._check_initialized()
        if self._rays is not None:
            raise RuntimeError(f"{self._who} has a fisheye lens, which no matrix can tell; spawn a PinholeCameraCfg")
        given, own = self._given_matrices(matrices, env_ids)
        if not bool((given[:, 0, 0] > 0.0).all()) or not bool((given[:, 1, 1] > 0.0).all()):
            raise ValueError(f"{self._who}: focal lengths in the matrices must be positive")
        self._data.intrinsic_matrices = self._matrices = own
        self._set_optics()
        self._outdate(env_ids)

    # -- inside ----------------------------------------------------------------------------------------------

    def _check(self, cfg: Any) -> None:
        who, known = type(self).__name__, [*CHANNELS, *SEGMENTATIONS]
        wrong = [name for name in cfg.data_types if name not in known]
        if wrong:
            raise ValueError(
                f"{who}: data_types has {', '.join(map(repr, wrong))}, which cameras do not make; there are "
                f"{', '.join(known)}"
            )
        if cfg.depth_clipping_behavior not in CLIPPING:
            raise ValueError(
                f"{who}: depth_clipping_behavior={cfg.depth_clipping_behavior!r}: must be one of {', '.join(CLIPPING)}"
            )
        if isinstance(cfg.width, int) and isinstance(cfg.height, int) and (cfg.width < 1 or cfg.height < 1):
            raise ValueError(f"{who}: a picture of {cfg.width} by {cfg.height} pixels has none")
        if is_expression(str(cfg.prim_path).rpartition("/")[2]):
            raise RuntimeError(f"{who} {cfg.prim_path!r}: the last part of prim_path must be a name, no expression")
        SemanticFilter(cfg.semantic_filter)

    def _count(self) -> int:
        return len(utils.find_matching_prims(self.cfg.prim_path))

    def _initialize_impl(self) -> None:
        super()._initialize_impl()
        prims, n = self._find_own(), self._num_envs
        for prim in prims:
            if not prim.IsA(UsdGeom.Camera):
                raise RuntimeError(f"{self._who}: <{prim.GetPath()}> is of type {prim.GetTypeName()!r}, not a Camera")
        self._sensor_prims = [UsdGeom.Camera(prim) for prim in prims]
        stage_world, paths = self._simulation().stage_world, [str(prim.GetPath()) for prim in prims]
        self._clip = clipping_range(prims[0])
        if not 0.0 <= self._clip[0] < self._clip[1]:
            raise ValueError(f"{self._who}: clipping_range={self._clip} must be two distances, the first the less")
        self._carried = Attachment(self._who, stage_world, paths, self._device)
        if len(getattr(self, "_offset_pos", ())) != n:  # else it has been reset, and is where it was put
            self._offset_pos = zeros((n, 3), self._device)
            turn = np.tile(np.array([1.0, 0.0, 0.0, 0.0], "float32"), (n, 1))
            self._offset_quat = convert_camera_frame_orientation_convention(
                array(turn, self._device), "opengl", "world"
            )
        self._rays = lens_rays(prims[0], *self.image_shape, self.cfg.spawn is None)
        matrices = getattr(self, "_matrices", None)  # that were set
        if matrices is None or len(matrices) != n:
            matrices = array(intrinsic_matrices(prims, *self.image_shape, self.cfg.spawn is None), self._device)
        self._frame = zeros(n, self._device, "int64")
        output = {name: self._empty_picture(name) for name in self.cfg.data_types}
        info: list[dict[str, Any]] = self._infos([dict.fromkeys(self.cfg.data_types) for _ in range(n)])
        self._data = CameraData(None, None, self.image_shape, matrices, output, info)
        self._data.pos_w, self._data.quat_w_world = self._camera_poses()
        self._products = self._render_products(paths)
        self._make_engine(stage_world, paths)

    def _infos(self, infos: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """What users get for them."""
        return infos

    def _make_engine(self, stage_world: Any, paths: Sequence[str]) -> None:
        """What makes the pictures."""
        places = [stage_world.prototype(path)[1] for path in paths] if stage_world.env_paths else [None]
        envs = None if None in places else [int(env) for env in places if env is not None]
        from phalanx.facade.visible.scene import VisibleScene

        stage = utils.get_current_stage()
        self._seen_world = stage_world
        MADE.add(self)
        self._scene = VisibleScene.of(stage_world, stage, envs, len(paths))
        xp = self._scene.scene.device.xp
        with self._scene.scene.device.active():
            self._at, self._turned = xp.zeros((len(paths), 3), "float32"), xp.zeros((len(paths), 4), "float32")
        self._renew()

    def _empty_picture(self, name: str) -> Any:
        """(N, height, width, channels) of a type."""
        if name in SEGMENTATIONS:
            channels, dtype = (4, "uint8") if getattr(self.cfg, SEGMENTATIONS[name]) else (1, "int32")
        else:
            channels, dtype = CHANNELS[name]
        return zeros((self._num_envs, *self.image_shape, channels), self._device, dtype)

    def _renew(self) -> None:
        """Make pictures of the scene as it is now, which is another one than before."""
        from phalanx.images import ImageSensor

        seen, types = self._scene, self.cfg.data_types
        drawn = [name for name in types if name in CHANNELS]
        labelled = any(name in SEGMENTATIONS for name in types)
        self._engine = ImageSensor(
            seen.scene,
            *self.image_shape,
            types=(*drawn, *(("ids",) if labelled else ())),
            looks=seen.looks,
            lights=seen.lights,
            near=self._clip[0],
            far=self._clip[1],
        )
        self._version, self._lights = seen.version, seen.lights
        self._set_optics()
        if labelled:
            made = Segmentation(seen, self.cfg)
            with seen.scene.device.active():
                self._tables = {name: seen.scene.device.xp.asarray(table) for name, table in made.tables.items()}
            self._data.info = self._infos(
                [dict.fromkeys(types) | made.info(camera) for camera in range(self._num_envs)]
            )

    def _set_optics(self) -> None:
        if self._rays is not None:
            self._engine.set_directions(*self._rays)
            return
        matrices = accept(self._data.intrinsic_matrices, self._device)
        self._engine.set_pinhole(matrices[:, 0, 0], matrices[:, 1, 1], matrices[:, 0, 2], matrices[:, 1, 2])

    def _note_poses(self, chosen: Any) -> None:
        """Have data know where cameras are."""
        place, turn = self._camera_poses()
        put(self._data, "pos_w", place, chosen)
        put(self._data, "quat_w_world", turn, chosen)

    def _update_buffers_impl(self, env_ids: Any) -> None:
        chosen, seen = self._chosen(env_ids), self._scene
        seen.update()
        if seen.version != self._version:
            self._renew()
        elif seen.lights is not self._lights:
            self._engine.set_lights(seen.lights)
            self._lights = seen.lights
        place, turn = self._camera_poses()
        if self.cfg.update_latest_camera_pose:
            put(self._data, "pos_w", place, chosen)
            put(self._data, "quat_w_world", turn, chosen)
        turn = convert_camera_frame_orientation_convention(turn, "world", "ros")
        self._at[...], self._turned[...] = accept(place, self._device), accept(turn, self._device)
        some = None if isinstance(chosen, slice) else accept(env_ids, self._device).astype("int32")
        self._engine.capture(self._at, self._turned, some)
        with seen.scene.device.active():
            drawn = {name: hand_out(self._picture(name)) for name in self.cfg.data_types}
        # Outside, on the user's stream; all at once, since memory of a picture that is freed serves for the next one.
        for name, picture in drawn.items():
            self._data.output[name] = merged(self._data.output[name], picture, chosen)
        put(self, "_frame", self._frame + 1, chosen)

    def _picture(self, name: str) -> Any:
        """(N, height, width, channels): what was drawn, in memory of its own."""
        if name in SEGMENTATIONS:
            return self._tables[name][self._engine.output["ids"][..., 1] + 1]
        found = self._engine.output[name]
        if name not in DISTANCES:
            return found.copy()
        xp = self._scene.scene.device.xp
        beyond = {"max": self._clip[1], "zero": 0.0, "none": np.inf}[self.cfg.depth_clipping_behavior]
        return xp.where(found <= self._clip[1], found, xp.float32(beyond))[..., None]

    def _render_products(self, paths: Sequence[str]) -> list[str]:
        """Prims that say what is rendered, and their paths."""
        layer = utils.get_current_stage().GetEditTarget().GetLayer()
        found = []
        with Sdf.ChangeBlock():
            scope = Sdf.CreatePrimInLayer(layer, PRODUCTS)
            scope.specifier, scope.typeName = Sdf.SpecifierDef, "Scope"
            for path in paths:
                at = f"{PRODUCTS}/{type(self).__name__}{path.replace('/', '_')}"
                found.append(at)
                spec = Sdf.CreatePrimInLayer(layer, at)
                spec.specifier, spec.typeName = Sdf.SpecifierDef, "RenderProduct"
                if "resolution" not in spec.properties:
                    Sdf.RelationshipSpec(spec, "camera", False)
                    Sdf.AttributeSpec(spec, "resolution", Sdf.ValueTypeNames.Int2)
                spec.properties["camera"].targetPathList.explicitItems = [Sdf.Path(path)]
                spec.properties["resolution"].default = Gf.Vec2i(self.cfg.width, self.cfg.height)
        return found
