"""Cameras that cast rays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Literal

import numpy as np

from phalanx.facade.arrays import hand_out
from phalanx.facade.isaaclab.sensors.buffers import merged, put
from phalanx.facade.isaaclab.sensors.camera.camera_data import CameraData
from phalanx.facade.isaaclab.sensors.ray_caster.ray_caster import RayCaster
from phalanx.facade.isaaclab.sim import utils
from phalanx.facade.isaaclab.utils.math import (
    combine_frame_transforms,
    convert_camera_frame_orientation_convention,
    create_rotation_matrix_from_view,
    quat_from_matrix,
    subtract_frame_transforms,
)
from phalanx.facade.namespaces import array, cast, common, copy, full, rows, zeros
from phalanx.io.usd.bindings import UsdGeom

CHANNELS = {"distance_to_image_plane": 1, "distance_to_camera": 1, "normals": 3}
CLIPPING = ("max", "zero", "none")


class RayCasterCamera(RayCaster):
    """A pinhole camera on each prim that the path stands for, which sees distances and normals of what stands still.

    Args:
        cfg: a ``RayCasterCameraCfg``.

    Raises:
        ValueError: a type of picture is none that it makes, or the picture has no pixels.
    """

    cfg: Any
    UNSUPPORTED_TYPES: ClassVar[set[str]] = {
        "rgb",
        "instance_id_segmentation",
        "instance_id_segmentation_fast",
        "instance_segmentation",
        "instance_segmentation_fast",
        "semantic_segmentation",
        "skeleton_data",
        "motion_vectors",
        "bounding_box_2d_tight",
        "bounding_box_2d_tight_fast",
        "bounding_box_2d_loose",
        "bounding_box_2d_loose_fast",
        "bounding_box_3d",
        "bounding_box_3d_fast",
    }
    """Types of pictures that other cameras may make, and this one does not."""

    def __init__(self, cfg: Any) -> None:
        wrong = [name for name in cfg.data_types if name not in CHANNELS]
        if wrong:
            raise ValueError(
                f"{type(self).__name__}: data_types has {', '.join(map(repr, wrong))}; there are {', '.join(CHANNELS)}"
            )
        if cfg.depth_clipping_behavior not in CLIPPING:
            raise ValueError(
                f"{type(self).__name__}: depth_clipping_behavior={cfg.depth_clipping_behavior!r}: must be one of "
                f"{', '.join(CLIPPING)}"
            )
        super().__init__(cfg)
        pattern = self.cfg.pattern_cfg
        if pattern.width < 1 or pattern.height < 1:
            raise ValueError(f"{self._who}: a picture of {pattern.width} by {pattern.height} pixels has none")

    # -- what it is ------------------------------------------------------------------------------------------

    @property
    def data(self) -> CameraData:  # pyright: ignore[reportIncompatibleMethodOverride]
        """What was measured; measured anew if it is outdated."""
        self._check_initialized()
        self._update_outdated_buffers()
        return self._pictures

    @property
    def image_shape(self) -> tuple[int, int]:
        """Height and width of pictures, pixels."""
        return self.cfg.pattern_cfg.height, self.cfg.pattern_cfg.width

    @property
    def frame(self) -> Any:
        """(N,): pictures since the last reset, int64."""
        self._check_initialized()
        return self._frame

    # -- from step to step -----------------------------------------------------------------------------------

    def reset(self, env_ids: Sequence[int] | None = None) -> None:
        """Count pictures of some cameras anew, or of all."""
        super().reset(env_ids)
        self._frame = copy(self._frame)
        self._frame[rows(env_ids)] = 0

    def set_intrinsic_matrices(
        self, matrices: Any, focal_length: float = 1.0, env_ids: Sequence[int] | None = None
    ) -> None:
        """Let cameras have other intrinsic matrices.

        Args:
            matrices: (n, 3, 3), [[fx, 0, cx], [0, fy, cy], [0, 0, 1]], pixels.
            focal_length: cm; kept, and without effect, since the matrices say it all.
            env_ids: which cameras; all by default.

        Raises:
            ValueError: the shape is another one.
        """
        self._check_initialized()
        given = array(matrices, self._device, "float32")
        own = copy(self._pictures.intrinsic_matrices)
        if tuple(given.shape) != tuple(own[rows(env_ids)].shape):
            raise ValueError(
                f"{self._who}: matrices have shape {tuple(given.shape)}; it must be {tuple(own[rows(env_ids)].shape)}"
            )
        own[rows(env_ids)] = given
        self._pictures.intrinsic_matrices, self._focal_length = own, focal_length
        _, ahead = self.cfg.pattern_cfg.func(self.cfg.pattern_cfg, own, self._device)
        self._ahead = self._engines(ahead)
        self._outdate(env_ids)

    def set_world_poses(
        self,
        positions: Any = None,
        orientations: Any = None,
        env_ids: Sequence[int] | None = None,
        convention: Literal["opengl", "ros", "world"] = "ros",
    ) -> None:
        """Put cameras somewhere else; from there on they move with their prims.

        Args:
            positions: (n, 3), m; they stay where they are by default.
            orientations: (n, 4), (w, x, y, z); as they are by default.
            env_ids: which cameras; all by default.
            convention: of which axes ``orientations`` are; see ``RayCasterCameraCfg.OffsetCfg``.

        Raises:
            RuntimeError: the simulation does not play.
            ValueError: shapes are others, or the convention is unknown.
        """
        self._check_initialized()
        chosen = rows(env_ids)
        base, pose = self._carried.poses(), [copy(one) for one in self._camera_poses()]
        turns = orientations
        if turns is not None:
            turns = array(turns, self._device, "float32")
            turns = convert_camera_frame_orientation_convention(turns, origin=convention, target="world")
        for i, value in ((0, positions), (1, turns)):
            if value is None:
                continue
            value = array(value, self._device, "float32")
            wanted = tuple(pose[i][chosen].shape)
            if tuple(value.shape) != wanted:
                what = ("positions", "orientations")[i]
                raise ValueError(f"{self._who}: {what} have shape {tuple(value.shape)}; it must be {wanted}")
            pose[i][chosen] = value
        own = subtract_frame_transforms(*base, *pose)
        for name, value in zip(("_place", "_turn"), own, strict=True):
            put(self, name, value, chosen)
        put(self._pictures, "pos_w", pose[0], chosen)
        put(self._pictures, "quat_w_world", pose[1], chosen)
        self._outdate(env_ids)

    def set_world_poses_from_view(self, eyes: Any, targets: Any, env_ids: Sequence[int] | None = None) -> None:
        """Put cameras somewhere, and let them look at something, upright.

        Args:
            eyes: (n, 3), where cameras are, m.
            targets: (n, 3), where they look, m.
            env_ids: which cameras; all by default.

        Raises:
            RuntimeError: the simulation does not play.
            NotImplementedError: neither y nor z is up on the stage.
        """
        self._check_initialized()
        up = str(UsdGeom.GetStageUpAxis(utils.get_current_stage()))
        if up not in ("Y", "Z"):
            raise NotImplementedError(f"{self._who}: the stage's up axis is {up!r}; it must be Y or Z")
        eyes, targets = (array(one, self._device, "float32") for one in (eyes, targets))
        frames = create_rotation_matrix_from_view(eyes, targets, "Y" if up == "Y" else "Z", self._device)
        self.set_world_poses(eyes, quat_from_matrix(frames), env_ids, convention="opengl")

    # -- inside ----------------------------------------------------------------------------------------------

    def _make_rays(self) -> None:
        cfg, n = self.cfg.pattern_cfg, self._num_envs
        self._num_rays = cfg.height * cfg.width
        height = cfg.vertical_aperture
        if height is None:
            height = cfg.horizontal_aperture * cfg.height / cfg.width
        f_x, f_y = cfg.width * cfg.focal_length / cfg.horizontal_aperture, cfg.height * cfg.focal_length / height
        c_x = 0.5 * cfg.width + cfg.horizontal_aperture_offset * f_x
        c_y = 0.5 * cfg.height + cfg.vertical_aperture_offset * f_y
        matrix = np.array([[f_x, 0.0, c_x], [0.0, f_y, c_y], [0.0, 0.0, 1.0]], "float32")
        matrices = array(np.tile(matrix, (n, 1, 1)), self._device)
        self._focal_length = cfg.focal_length
        _, ahead = cfg.func(cfg, matrices[:1], self._device)
        self._ahead = self._engines(ahead[0])  # the same for all
        position, turn = self._offset()
        turn = convert_camera_frame_orientation_convention(turn, origin=self.cfg.offset.convention, target="world")
        self._place = array(np.tile([0.0] * 3, (n, 1)).astype("float32"), self._device) + position
        self._turn = zeros((n, 4), self._device) + turn
        self._frame = zeros(n, self._device, "int64")
        self._make_arrays(normal="normals" in self.cfg.data_types)
        place, turn = self._camera_poses()
        output = {name: zeros((n, *self.image_shape, CHANNELS[name]), self._device) for name in self.cfg.data_types}
        info: list[dict[str, Any]] = [dict.fromkeys(self.cfg.data_types) for _ in range(n)]
        self._pictures = CameraData(place, turn, self.image_shape, matrices, output, info)

    def _camera_poses(self) -> tuple[Any, Any]:
        return combine_frame_transforms(*self._carried.poses(), self._place, self._turn)

    def _update_buffers_impl(self, env_ids: Any) -> None:
        chosen, types, data = self._chosen(env_ids), self.cfg.data_types, self._pictures
        place, turn = self._camera_poses()
        if self._is_visualizing and self._found.position is None:
            self._make_arrays(position=True, normal="normals" in types)
        at, found = self._placed(place, turn), self._found
        self._scene.cast_pattern(self._ahead, *at, found, width=self.cfg.pattern_cfg.width)
        distance = hand_out(found.distance)
        new: dict[str, Any] = {}
        if "distance_to_camera" in types:
            new["distance_to_camera"] = self._clipped(distance, float("inf"))
        if "distance_to_image_plane" in types:
            _, distance, ahead = common(distance, hand_out(self._ahead[..., 0]))
            new["distance_to_image_plane"] = self._clipped(distance * ahead, float("nan"))
        if "normals" in types:
            new["normals"] = hand_out(found.normal.copy())
        for name, value in new.items():
            shape = (self._num_envs, *self.image_shape, CHANNELS[name])
            data.output[name] = merged(data.output[name], value.reshape(shape), chosen)
        put(data, "pos_w", place, chosen)
        put(data, "quat_w_world", turn, chosen)
        put(self, "_frame", self._frame + 1, chosen)

    def _clipped(self, distance: Any, none: float) -> Any:
        """Distances, and what is beyond the greatest one replaced."""
        most = float(self.cfg.max_distance)
        beyond = {"max": most, "zero": 0.0, "none": none}[self.cfg.depth_clipping_behavior]
        xp, distance = common(distance)
        return cast(xp.where(distance <= most, distance, full((), beyond, self._device)), "float32")

    def _outdate(self, env_ids: Any) -> None:
        self._is_outdated[self._host_ids(env_ids)] = True

    def _marked(self) -> dict[str, Any]:
        self._is_outdated |= self._found.position is None
        self._update_outdated_buffers()
        xp, hits = common(hand_out(self._found.position).reshape(-1, 3))
        return {"translations": hits[xp.isfinite(hits).all(-1)]}
