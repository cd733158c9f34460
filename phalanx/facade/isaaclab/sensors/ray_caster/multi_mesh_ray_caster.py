"""Ray casters for many meshes, of which some move."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from phalanx.facade.arrays import accept, hand_out
from phalanx.facade.isaaclab.assets import frames
from phalanx.facade.isaaclab.sensors.attachment import carrier_depth, local_poses
from phalanx.facade.isaaclab.sensors.buffers import put
from phalanx.facade.isaaclab.sensors.prims import is_rigid_body, of_instances, shared_depth, shared_rigid_body_view
from phalanx.facade.isaaclab.sensors.ray_caster.geometry import add_static, carried_geometry
from phalanx.facade.isaaclab.sensors.ray_caster.multi_mesh_ray_caster_data import MultiMeshRayCasterData
from phalanx.facade.isaaclab.sensors.ray_caster.ray_caster import RayCaster
from phalanx.facade.isaaclab.sim import utils
from phalanx.facade.isaaclab.utils.math import combine_frame_transforms
from phalanx.facade.namespaces import array, common, zeros
from phalanx.facade.stage_world import StageWorld


class MultiMeshRayCaster(RayCaster):
    """Rays that meet many meshes, some of which move with bodies, and environments' own.

    All environments have what the first one has.

    Args:
        cfg: a ``MultiMeshRayCasterCfg``.
    """

    cfg: Any
    _data: MultiMeshRayCasterData

    @property
    def data(self) -> MultiMeshRayCasterData:
        """What was measured; measured anew if it is outdated."""
        self._check_initialized()
        self._update_outdated_buffers()
        return self._data

    # -- inside ----------------------------------------------------------------------------------------------

    def _add_targets(self, stage_world: StageWorld, paths: Sequence[str]) -> None:
        """Let the scene have what rays can hit: what all environments share, then what bodies carry, then the rest.

        A column is a prim of each environment, and a body of the scene.
        """
        parents = [path.rpartition("/")[0] for path in paths]
        carried: list[tuple[list[str], int]] = []  # columns, and what hits on them report
        standing: list[tuple[list[str], int]] = []
        for number, target in enumerate(self.cfg.mesh_prim_paths):
            text = target if isinstance(target, str) else target.prim_expr
            tracks = not isinstance(target, str) and target.track_mesh_transforms
            columns = self._columns(parents, text, tracks)
            if not columns:
                add_static(self._who, stage_world, self._scene, [text], number)
            for column in columns:
                (carried if tracks and carrier_depth(column[0]) else standing).append((column, number))
        bodies = [["/".join(path.split("/")[: carrier_depth(path)]) for path in column] for column, _ in carried]
        places = [local_poses(column, own) for (column, _), own in zip(carried, bodies, strict=True)]
        places += [local_poses(column, [None] * len(column)) for column, _ in standing]
        for body, (column, number) in enumerate([*carried, *standing]):
            self._scene.add(carried_geometry(self._who, column[0]), body=body, object=number)
        self._moving = len(carried)
        if carried:
            own = [list(row) for row in zip(*bodies, strict=True)]
            self._targets, table = shared_rigid_body_view(self._who, stage_world, own)
            self._table = array(table, self._device)
        if places:
            self._places = array(np.stack(places, axis=1), self._device)  # in the bodies' frames, or in the world

    def _columns(self, parents: Sequence[str], text: str, tracks: bool) -> list[list[str]]:
        """Columns of what an expression stands for; none if it stands still for all environments."""
        if shared_depth(self.cfg.prim_path, text):
            found = of_instances(self._who, self.cfg.prim_path, parents, text)
            if not found[0]:
                raise RuntimeError(f"{self._who}: mesh_prim_paths has {text!r}, and there is no such prim")
        else:
            every = utils.find_matching_prim_paths(text)
            if not (tracks and any(carrier_depth(path) for path in every)):
                return []
            found = [every] * len(parents)
        columns = [list(column) for column in zip(*found, strict=True)]
        for column in columns if tracks else ():
            _check_alone(self._who, column[0])
        return columns

    def _place_targets(self) -> None:
        if not self._scene.num_bodies:
            return
        place, turn = self._places[..., :3], self._places[..., 3:]
        if self._moving:
            pose = frames.to_wxyz(self._targets.get_transforms())[self._table]
            k = self._moving
            at, turned = combine_frame_transforms(pose[..., :3], pose[..., 3:], place[:, :k], turn[:, :k])
            xp, place, turn, at, turned = common(place, turn, at, turned)
            place, turn = xp.concatenate([at, place[:, k:]], 1), xp.concatenate([turned, turn[:, k:]], 1)
        self._spots[...], self._turns[...] = accept(place, self._device), accept(turn, self._device)
        self._scene.place(self._spots, self._turns)

    def _initialize_rays_impl(self) -> None:
        super()._initialize_rays_impl()
        self._make_spots()
        n = self._num_envs
        wants_ids = bool(self.cfg.update_mesh_ids)
        self._make_arrays(position=True, ids=wants_ids)
        ids = zeros((n, self._num_rays, 1), self._device, "int32") - 1 if wants_ids else None
        plain = self._data
        self._data = MultiMeshRayCasterData(plain.pos_w, plain.quat_w, plain.ray_hits_w, ids)

    def _make_spots(self) -> None:
        """Arrays for where targets are."""
        xp, n, bodies = self._scene.device.xp, self._num_envs, self._scene.num_bodies
        self._spots, self._turns = xp.empty((n, bodies, 3), "float32"), xp.empty((n, bodies, 4), "float32")

    def _update_buffers_impl(self, env_ids: Any) -> None:
        super()._update_buffers_impl(env_ids)
        if self._found.ids is not None:
            put(self._data, "ray_mesh_ids", hand_out(self._found.object[..., None].copy()), self._chosen(env_ids))


def _check_alone(who: str, path: str) -> None:
    """That nothing below a prim moves by itself."""
    for prim in utils.get_all_matching_child_prims(path):
        below = str(prim.GetPath())
        if below != path and is_rigid_body(below):
            raise RuntimeError(
                f"{who}: mesh_prim_paths has <{path}>, and below it <{below}> moves by itself; name each body"
            )
