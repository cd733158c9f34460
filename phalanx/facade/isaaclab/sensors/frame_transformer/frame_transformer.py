"""Frame transformers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from phalanx.facade.isaaclab.assets import frames
from phalanx.facade.isaaclab.sensors.buffers import put
from phalanx.facade.isaaclab.sensors.frame_transformer.frame_transformer_data import FrameTransformerData
from phalanx.facade.isaaclab.sensors.markers import ShownByMarkers
from phalanx.facade.isaaclab.sensors.prims import is_expression, is_rigid_body, of_instances, shared_rigid_body_view
from phalanx.facade.isaaclab.sensors.sensor_base import SensorBase
from phalanx.facade.isaaclab.sim import utils
from phalanx.facade.isaaclab.utils.math import combine_frame_transforms, subtract_frame_transforms
from phalanx.facade.isaaclab.utils.string import resolve_matching_names
from phalanx.facade.namespaces import array, namespace, zeros


class FrameTransformer(ShownByMarkers, SensorBase):
    """Poses of target frames as a source frame sees them, all on rigid bodies, of whatever assets.

    Args:
        cfg: a ``FrameTransformerCfg``.
    """

    cfg: Any

    @property
    def data(self) -> FrameTransformerData:
        """What was measured; measured anew if it is outdated."""
        self._check_initialized()
        self._update_outdated_buffers()
        return self._data

    @property
    def num_bodies(self) -> int:
        """How many bodies of an environment have target frames."""
        return len(self.body_names)

    @property
    def body_names(self) -> list[str]:
        """Names of the bodies that have target frames, each once."""
        self._check_initialized()
        return list(self._body_names)

    def find_bodies(self, name_keys: str | Sequence[str], preserve_order: bool = False) -> tuple[list[int], list[str]]:
        """Positions and names of the target frames that expressions match.

        Raises:
            ValueError: one matches none.
        """
        self._check_initialized()
        return resolve_matching_names(name_keys, self._data.target_frame_names, preserve_order)

    # -- inside ----------------------------------------------------------------------------------------------

    def _initialize_impl(self) -> None:
        super()._initialize_impl()
        self._find_own()
        parents = [str(one.GetPath()).rstrip("/") for one in self._parent_prims]
        sources = of_instances(self._who, self.cfg.prim_path, parents, self.cfg.prim_path)
        if len(sources[0]) != 1:
            raise ValueError(
                f"{self._who}: the source must be one prim in each environment; it stands for {len(sources[0])}"
            )
        if not is_rigid_body(sources[0][0]):
            raise ValueError(f"{self._who}: <{sources[0][0]}> is no rigid body; frames are on rigid bodies")
        bodies, names, offsets = sources, [], [_pose(self._who, self.cfg.source_frame_offset)]
        for frame in self.cfg.target_frames:
            found = self._targets(parents, frame.prim_path)
            bodies = [[*own, *more] for own, more in zip(bodies, found, strict=True)]
            names += [path.rpartition("/")[2] if frame.name is None else frame.name for path in found[0]]
            offsets += [_pose(f"{self._who}, frame {frame.prim_path!r}", frame.offset)] * len(found[0])
        self._body_names = [path.rpartition("/")[2] for path in dict.fromkeys(bodies[0][1:])]
        self._view, table = shared_rigid_body_view(self._who, self._simulation().stage_world, bodies)
        n, m = self._num_envs, len(names)
        self._in_order = np.array_equal(table.ravel(), np.arange(self._view.count))
        self._table = array(table, self._device)
        self._offsets = array(np.array(offsets, "float32")[None], self._device)
        sizes = {"target_pos": (n, m, 3), "target_quat": (n, m, 4)}
        self._data = FrameTransformerData(
            target_frame_names=names,
            **{
                f"{name}_{seen}": zeros(shape, self._device)
                for name, shape in sizes.items()
                for seen in ("source", "w")
            },
            source_pos_w=zeros((n, 3), self._device),
            source_quat_w=zeros((n, 4), self._device),
        )

    def _targets(self, parents: Sequence[str], expression: str) -> list[list[str]]:
        """Of each environment the bodies that an expression stands for."""
        if not utils.find_matching_prims(expression):
            raise ValueError(f"{self._who}: target_frames has {expression!r}, and there is no such prim")
        found = of_instances(self._who, self.cfg.prim_path, parents, expression)
        rigid = [is_rigid_body(path) for path in found[0]]
        if not any(rigid) or not (all(rigid) or is_expression(expression.rpartition("/")[2])):
            wrong = next(path for path, is_one in zip(found[0], rigid, strict=True) if not is_one)
            raise ValueError(
                f"{self._who}: target_frames has {expression!r}, and <{wrong}> is no rigid body; frames are on rigid "
                "bodies: name the body, and use offset"
            )
        return [[path for path, is_one in zip(own, rigid, strict=True) if is_one] for own in found]

    def _update_buffers_impl(self, env_ids: Any) -> None:
        chosen = self._chosen(env_ids)
        pose = frames.to_wxyz(self._view.get_transforms())
        pose = pose.reshape(*self._table.shape, 7) if self._in_order else pose[self._table]
        offset = self._offsets
        place, turn = combine_frame_transforms(pose[..., :3], pose[..., 3:], offset[..., :3], offset[..., 3:])
        source, targets = (place[:, :1], turn[:, :1]), (place[:, 1:], turn[:, 1:])
        seen = subtract_frame_transforms(*source, *targets)
        for name, value in (
            ("source_pos_w", source[0][:, 0]),
            ("source_quat_w", source[1][:, 0]),
            ("target_pos_w", targets[0]),
            ("target_quat_w", targets[1]),
            ("target_pos_source", seen[0]),
            ("target_quat_source", seen[1]),
        ):
            put(self._data, name, value, chosen)

    def _marked(self) -> dict[str, Any]:
        """A marker at the source and at each target."""
        data = self.data
        xp = namespace(data.source_pos_w)
        places, turns = (
            xp.concatenate([getattr(data, f"source_{what}_w")[:, None], getattr(data, f"target_{what}_w")], 1)
            for what in ("pos", "quat")
        )
        return {"translations": places.reshape(-1, 3), "orientations": turns.reshape(-1, 4)}


def _pose(who: str, offset: Any) -> list[float]:
    """(7,): an offset with a unit quaternion; scripts give rows of one, too."""
    place, turn = np.asarray(offset.pos, float).ravel(), np.asarray(offset.rot, float).ravel()
    if place.shape != (3,) or turn.shape != (4,):
        raise ValueError(f"{who}: an offset has pos={offset.pos} and rot={offset.rot}; they must be 3 and 4 numbers")
    if not np.linalg.norm(turn) > 0.0:
        raise ValueError(f"{who}: an offset's rot={offset.rot} is no quaternion of a rotation")
    return [*place.tolist(), *(turn / np.linalg.norm(turn)).tolist()]
