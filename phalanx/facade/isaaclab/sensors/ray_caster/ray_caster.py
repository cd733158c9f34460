"""Ray casters."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from phalanx.facade.arrays import accept, hand_out
from phalanx.facade.isaaclab.sensors.attachment import Attachment
from phalanx.facade.isaaclab.sensors.buffers import put
from phalanx.facade.isaaclab.sensors.markers import ShownByMarkers
from phalanx.facade.isaaclab.sensors.prims import is_expression
from phalanx.facade.isaaclab.sensors.ray_caster.geometry import add_static
from phalanx.facade.isaaclab.sensors.ray_caster.ray_caster_data import RayCasterData
from phalanx.facade.isaaclab.sensors.ray_caster.warp_meshes import WarpMeshes
from phalanx.facade.isaaclab.sensors.sensor_base import SensorBase
from phalanx.facade.isaaclab.sim import utils
from phalanx.facade.isaaclab.utils.math import quat_apply, yaw_quat
from phalanx.facade.namespaces import array, common, copy, namespace, uniform, zeros
from phalanx.facade.once import tell_once
from phalanx.facade.stage_world import StageWorld

ALIGNMENTS = ("base", "yaw", "world")


class RayCaster(ShownByMarkers, SensorBase):
    """Rays from a pattern on each prim that the path stands for, and where they hit what stands still.

    A prim on a rigid body, or that is one, moves with it; the root of an articulation is where its first body is.

    Args:
        cfg: a ``RayCasterCfg``.

    Raises:
        RuntimeError: the last part of the path is an expression.
        ValueError: the alignment is unknown, or the greatest distance not positive.
    """

    cfg: Any
    meshes: ClassVar[WarpMeshes] = WarpMeshes()
    """What rays meet, as meshes of Warp, shared by all sensors; the engine's own casts do without."""

    def __init__(self, cfg: Any) -> None:
        if is_expression(str(cfg.prim_path).rpartition("/")[2]):
            raise RuntimeError(
                f"{type(self).__name__} {cfg.prim_path!r}: the last part of prim_path must be a name, no expression"
            )
        super().__init__(cfg)
        cfg = self.cfg
        if cfg.attach_yaw_only is not None:
            cfg.ray_alignment = "yaw" if cfg.attach_yaw_only else "base"
            text = f"RayCasterCfg.attach_yaw_only is deprecated: use ray_alignment={cfg.ray_alignment!r}"
            tell_once(text, logging.WARNING)
        if cfg.ray_alignment not in ALIGNMENTS:
            raise ValueError(
                f"{self._who}: ray_alignment={cfg.ray_alignment!r}: must be one of {', '.join(ALIGNMENTS)}"
            )
        if not cfg.max_distance > 0.0:
            raise ValueError(f"{self._who}: max_distance={cfg.max_distance} m must be positive")

    @property
    def data(self) -> RayCasterData:
        """What was measured; measured anew if it is outdated."""
        self._check_initialized()
        self._update_outdated_buffers()
        return self._data

    _view: Any = None
    """What carries sensors: ``count`` and ``get_world_poses(indices)``; subclasses may let go of it."""
    drift: Any
    """(num_instances, 3): what is added to sensors' positions, m, drawn at each reset; scripts may write to it."""
    ray_cast_drift: Any
    """(num_instances, 3): along x and y what moves rays, along z what moves hits, m, drawn at each reset."""

    @property
    def num_rays(self) -> int:
        """Rays of each sensor, once the simulation plays."""
        self._check_initialized()
        return self._num_rays

    @num_rays.setter
    def num_rays(self, value: int) -> None:
        self._num_rays = value

    @property
    def ray_starts(self) -> Any:
        """(num_instances, num_rays, 3): where rays start, in the sensors' frames, m; the memory that casts read."""
        return hand_out(self._each("_starts"))

    @ray_starts.setter
    def ray_starts(self, value: Any) -> None:
        self._set_each("_starts", value)

    @property
    def ray_directions(self) -> Any:
        """(num_instances, num_rays, 3): directions of rays, in the sensors' frames; the memory that casts read."""
        return hand_out(self._each("_ahead"))

    @ray_directions.setter
    def ray_directions(self, value: Any) -> None:
        self._set_each("_ahead", value)

    def reset(self, env_ids: Sequence[int] | None = None) -> None:
        """Draw drifts of some sensors anew, or of all."""
        super().reset(env_ids)
        ids = np.arange(self._num_envs)[self._host_ids(env_ids)]
        drawn = uniform((len(ids), 6), self._device)
        chosen = array(ids, self._device)
        for name, columns, ranges in (
            ("drift", slice(0, 3), [self.cfg.drift_range] * 3),
            ("ray_cast_drift", slice(3, 6), [self.cfg.ray_cast_drift_range.get(axis, (0.0, 0.0)) for axis in "xyz"]),
        ):
            low, high = (array([float(one[end]) for one in ranges], self._device) for end in (0, 1))
            getattr(self, name)[chosen] = low + (high - low) * drawn[:, columns]

    # -- inside ----------------------------------------------------------------------------------------------

    def _each(self, name: str) -> Any:
        """Starts or directions of the engine for each sensor, from now on for itself: (num_instances, num_rays, 3)."""
        self._check_initialized()
        xp = self._scene.device.xp
        if self._ahead.ndim == 2:  # a cast reads both for all sensors together, or both for each
            for one in ("_starts", "_ahead"):
                if getattr(self, one) is not None:
                    setattr(self, one, xp.ascontiguousarray(xp.stack([getattr(self, one)] * self._num_envs)))
        if self._starts is None and name == "_starts":
            self._starts = xp.zeros_like(self._ahead)
        return getattr(self, name)

    def _set_each(self, name: str, value: Any) -> None:
        now, given = self._each(name), accept(value, self._device)
        if tuple(given.shape) != tuple(now.shape):
            raise ValueError(f"{self._who}: rays of shape {tuple(given.shape)}: it must be {tuple(now.shape)}")
        now[...] = given

    def _count(self) -> int:
        return len(utils.find_matching_prims(self.cfg.prim_path))

    def _initialize_impl(self) -> None:
        from phalanx.rays import RayScene

        super()._initialize_impl()
        cfg, n, stage_world = self.cfg, self._num_envs, self._simulation().stage_world
        paths = [str(prim.GetPath()) for prim in self._find_own()]
        self._view = self._carried = Attachment(self._who, stage_world, paths, self._device)
        self._scene = RayScene(n, stage_world.world.engine.device)
        if not cfg.mesh_prim_paths:
            raise RuntimeError(f"{self._who}: mesh_prim_paths is empty: rays need something that they could hit")
        self._add_targets(stage_world, paths)
        self.drift, self.ray_cast_drift = zeros((n, 3), self._device), zeros((n, 3), self._device)
        self._initialize_rays_impl()

    def _add_targets(self, stage_world: StageWorld, paths: Sequence[str]) -> None:
        """Let the scene have what rays can hit; ``paths`` are of the sensor's prims."""
        add_static(self._who, stage_world, self._scene, self.cfg.mesh_prim_paths)

    def _place_targets(self) -> None:
        """Put what moves where it is now; nothing does."""

    def _initialize_rays_impl(self) -> None:
        """Starts and directions in the prim's frame, and buffers for what they hit."""
        starts, ahead = self.cfg.pattern_cfg.func(self.cfg.pattern_cfg, self._device)
        self._num_rays = len(starts)
        if not self._num_rays:
            raise ValueError(f"{self._who}: the pattern {type(self.cfg.pattern_cfg).__name__} has no rays")
        position, turn = self._offset()
        self._starts = self._engines(quat_apply(turn, starts) + position)
        self._ahead = self._engines(quat_apply(turn, ahead))
        self._make_arrays(position=True)
        n, self._data = self._num_envs, RayCasterData()
        for name, shape in (("pos_w", (n, 3)), ("quat_w", (n, 4)), ("ray_hits_w", (n, self._num_rays, 3))):
            setattr(self._data, name, zeros(shape, self._device))

    def _offset(self) -> tuple[Any, Any]:
        turn = np.asarray(self.cfg.offset.rot, float)
        if not np.linalg.norm(turn) > 0.0:
            raise ValueError(f"{self._who}: offset.rot={self.cfg.offset.rot} is no quaternion of a rotation")
        turn = (turn / np.linalg.norm(turn)).astype("float32")
        return array(np.asarray(self.cfg.offset.pos, "float32"), self._device), array(turn, self._device)

    def _update_buffers_impl(self, env_ids: Any) -> None:
        chosen = self._chosen(env_ids)
        place, turn = self._carried.poses()
        _, place, drift = common(place, self.drift)
        place = place + drift
        hits = self._cast(place, turn)
        for name, value in (("pos_w", place), ("quat_w", turn), ("ray_hits_w", hits)):
            put(self._data, name, value, chosen)

    @property
    def _ray_starts_w(self) -> Any:
        """(num_instances, num_rays, 3): where rays of the last cast started, m, world."""
        return self._rays_w()[0]

    @property
    def _ray_directions_w(self) -> Any:
        """(num_instances, num_rays, 3): directions of rays of the last cast, world."""
        return self._rays_w()[1]

    def _rays_w(self) -> tuple[Any, Any]:
        self._check_initialized()
        shape = (self._num_envs, self._num_rays, 3)
        place, turn, ahead = hand_out(self._at), hand_out(self._turned), hand_out(self._ahead)
        turn = turn[:, None]
        starts = place[:, None]
        if self._starts is not None:
            _, starts, moved = common(starts, quat_apply(turn, hand_out(self._starts)))
            starts = starts + moved
        return tuple(copy(namespace(one).broadcast_to(one, shape)) for one in (starts, quat_apply(turn, ahead)))

    def _cast(self, place: Any, turn: Any) -> Any:
        """(n, rays, 3): hits of rays from prims there."""
        xp, place, turn, drift = common(place, turn, self.ray_cast_drift)
        if self.cfg.ray_alignment == "yaw":
            turn = yaw_quat(turn)
        elif self.cfg.ray_alignment == "world":
            turn = xp.zeros_like(turn)
            turn[:, 0] = 1.0
        aside, lift = quat_apply(turn, drift), copy(drift)
        aside[:, 2], lift[:, :2] = 0.0, 0.0
        self._place_targets()
        at, found = self._placed(place + aside, turn), self._found
        self._scene.cast_pattern(self._ahead, *at, found, starts=self._starts, limit=self.cfg.max_distance)
        return hand_out(found.position + accept(lift, self._device)[:, None])

    def _placed(self, place: Any, turn: Any) -> tuple[Any, Any]:
        """Poses in the same arrays of the engine each time: on a GPU, casts that are alike are queued quicker."""
        self._at[...], self._turned[...] = accept(place, self._device), accept(turn, self._device)
        return self._at, self._turned

    def _make_arrays(self, **wanted: bool) -> None:
        """Arrays that casts read and write; see ``RayScene.hits``."""
        xp = self._scene.device.xp
        self._at, self._turned = xp.zeros((self._num_envs, 3), "float32"), xp.zeros((self._num_envs, 4), "float32")
        self._found = self._scene.hits(self._num_rays, **wanted)

    def _engines(self, values: Any) -> Any:
        """An array for the kernels: of the engine, contiguous."""
        return self._scene.device.xp.ascontiguousarray(accept(values, self._device))

    def _marked(self) -> dict[str, Any]:
        """A marker at each hit."""
        hits = self.data.ray_hits_w.reshape(-1, 3)
        xp = namespace(hits)
        return {"translations": hits[xp.isfinite(hits).all(-1)]}
