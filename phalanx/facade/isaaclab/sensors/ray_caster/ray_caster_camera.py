"""Cameras that cast rays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from phalanx.facade.arrays import hand_out
from phalanx.facade.isaaclab.sensors.buffers import merged, put
from phalanx.facade.isaaclab.sensors.camera.camera_data import CameraData
from phalanx.facade.isaaclab.sensors.camera.placed_camera import PlacedCamera
from phalanx.facade.isaaclab.sensors.ray_caster.patterns import pinhole_camera_pattern
from phalanx.facade.isaaclab.sensors.ray_caster.ray_caster import RayCaster
from phalanx.facade.isaaclab.utils.math import (
    convert_camera_frame_orientation_convention,
)
from phalanx.facade.namespaces import array, cast, common, full, zeros

CHANNELS = {"distance_to_image_plane": 1, "distance_to_camera": 1, "normals": 3}
CLIPPING = ("max", "zero", "none")

REACH = 1e6
"""m: how far rays go, whatever is clipped."""


class RayCasterCamera(PlacedCamera, RayCaster):
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
    def image_shape(self) -> tuple[int, int]:
        """Height and width of pictures, pixels."""
        return self.cfg.pattern_cfg.height, self.cfg.pattern_cfg.width

    # -- from step to step -----------------------------------------------------------------------------------

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
        _, own = self._given_matrices(matrices, env_ids)
        self._data.intrinsic_matrices, self._focal_length = own, focal_length
        starts, ahead = self.cfg.pattern_cfg.func(self.cfg.pattern_cfg, own, self._device)
        self._starts, self._ahead = self._own_starts(starts), self._engines(ahead)
        self._outdate(env_ids)

    @property
    def ray_hits_w(self) -> Any:
        """(num_instances, num_rays, 3): where rays of the last pictures hit, m, world; infinite where they do not.

        Rays have a row of the picture after the other. Zero before the first picture. Once somebody has asked, hits are
        kept with each picture.
        """
        self._check_initialized()
        if self._hits is None:
            self._hits = self._make_hits()
        return self._hits

    # -- inside ----------------------------------------------------------------------------------------------

    def _initialize_rays_impl(self) -> None:
        cfg, n = self.cfg.pattern_cfg, self._num_envs
        self._num_rays = cfg.height * cfg.width
        position, turn = self._offset()
        turn = convert_camera_frame_orientation_convention(turn, origin=self.cfg.offset.convention, target="world")
        self._offset_pos, self._offset_quat = zeros((n, 3), self._device) + position, zeros((n, 4), self._device) + turn
        self._frame = zeros(n, self._device, "int64")
        self._make_arrays(normal="normals" in self.cfg.data_types)
        self._create_buffers()
        self._compute_intrinsic_matrices()
        starts, ahead = cfg.func(cfg, self._data.intrinsic_matrices[:1], self._device)
        starts = self._own_starts(starts)
        self._starts, self._ahead = None if starts is None else starts[0], self._engines(ahead[0])  # the same for all

    def _create_buffers(self) -> None:
        """Make what pictures are kept in."""
        types, n = self.cfg.data_types, self._num_envs
        output = {name: zeros((n, *self.image_shape, CHANNELS[name]), self._device) for name in types}
        info: list[dict[str, Any]] = [dict.fromkeys(types) for _ in range(n)]
        matrices = zeros((n, 3, 3), self._device)
        self._data = CameraData(*self._camera_poses(), self.image_shape, matrices, output, info)
        self._hits: Any = None
        self._has_cast = False

    def _compute_intrinsic_matrices(self) -> None:
        """Matrices of the configuration's lens."""
        cfg = self.cfg.pattern_cfg
        height = cfg.vertical_aperture
        if height is None:
            height = cfg.horizontal_aperture * cfg.height / cfg.width
        f_x, f_y = cfg.width * cfg.focal_length / cfg.horizontal_aperture, cfg.height * cfg.focal_length / height
        c_x = 0.5 * cfg.width + cfg.horizontal_aperture_offset * f_x
        c_y = 0.5 * cfg.height + cfg.vertical_aperture_offset * f_y
        matrix = np.array([[f_x, 0.0, c_x], [0.0, f_y, c_y], [0.0, 0.0, 1.0]], "float32")
        self._data.intrinsic_matrices = array(np.tile(matrix, (self._num_envs, 1, 1)), self._device)
        self._focal_length = cfg.focal_length

    def _own_starts(self, starts: Any) -> Any:
        """Where a pattern's rays start; none if that is the camera's place, which casts need not read then."""
        return None if self.cfg.pattern_cfg.func is pinhole_camera_pattern else self._engines(starts)

    def _update_buffers_impl(self, env_ids: Any) -> None:
        chosen, types, data = self._chosen(env_ids), self.cfg.data_types, self._data
        place, turn = self._camera_poses()
        if self._hits is not None and self._found.position is None:
            self._make_arrays(position=True, normal="normals" in types)
        self._place_targets()
        at, found = self._placed(place, turn), self._found
        self._scene.cast_pattern(self._ahead, *at, found, starts=self._starts, width=self.cfg.pattern_cfg.width)
        self._has_cast = True
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
        if self._hits is not None:
            put(self, "_hits", hand_out(found.position.copy()), chosen)
        put(data, "pos_w", place, chosen)
        put(data, "quat_w_world", turn, chosen)
        put(self, "_frame", self._frame + 1, chosen)

    def _make_hits(self) -> Any:
        """(n, rays, 3): hits of the last cast, which has kept distances only."""
        if not self._has_cast:
            return zeros((self._num_envs, self._num_rays, 3), self._device)
        xp, starts, ahead, far = common(*self._rays_w(), hand_out(self._found.distance)[..., None])
        unit = ahead / xp.sqrt((ahead * ahead).sum(-1))[..., None]
        return xp.where(xp.isfinite(far), starts + unit * far, full((), float("inf"), self._device))

    def _clipped(self, distance: Any, none: float) -> Any:
        """Distances, and what is too far, or hits nothing, replaced; if nothing is clipped, the latter alone."""
        most = float(self.cfg.max_distance)
        beyond = {"max": most, "zero": 0.0, "none": none}[self.cfg.depth_clipping_behavior]
        xp, distance = common(distance)
        if self.cfg.depth_clipping_behavior == "none":
            most = REACH
        return cast(xp.where(distance <= most, distance, full((), beyond, self._device)), "float32")

    def _marked(self) -> dict[str, Any]:
        self._update_outdated_buffers()
        xp, hits = common(self.ray_hits_w.reshape(-1, 3))
        return {"translations": hits[xp.isfinite(hits).all(-1)]}
