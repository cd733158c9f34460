"""Poses and velocities of a body's frame (its link's) from those of its centre of mass, and the other way round.

Poses are [x y z qw qx qy qz], velocities [linear, angular] in the world's axes; any number of leading dimensions.
"""

from __future__ import annotations

from typing import Any

from phalanx.facade.isaaclab.utils.math import (
    combine_frame_transforms,
    quat_apply,
    quat_apply_inverse,
    quat_conjugate,
)
from phalanx.facade.isaaclab.utils.math.general import cross
from phalanx.facade.namespaces import columns, common


def to_wxyz(pose: Any) -> Any:
    """[x y z qx qy qz qw], as tensor views have it, as [x y z qw qx qy qz]."""
    return columns(pose, (0, 1, 2, 6, 3, 4, 5))


def to_xyzw(pose: Any) -> Any:
    """The other way round."""
    return columns(pose, (0, 1, 2, 4, 5, 6, 3))


def com_pose(link_pose: Any, com_in_link: Any) -> Any:
    """Pose of the centre of mass."""
    xp, link, com = common(link_pose, com_in_link)
    return xp.concatenate(combine_frame_transforms(link[..., :3], link[..., 3:], com[..., :3], com[..., 3:]), -1)


def link_pose(com_pose: Any, com_in_link: Any) -> Any:
    """Pose of the frame whose centre of mass is there."""
    xp, pose, com = common(com_pose, com_in_link)
    back = quat_conjugate(com[..., 3:])
    inward = -quat_apply(back, com[..., :3])
    return xp.concatenate(combine_frame_transforms(pose[..., :3], pose[..., 3:], inward, back), -1)


def link_velocity(com_velocity: Any, link_quat: Any, com_in_link: Any) -> Any:
    """Velocity of the frame's origin: v - omega x R c."""
    return _moved(com_velocity, link_quat, com_in_link, -1.0)


def com_velocity(link_velocity: Any, link_quat: Any, com_in_link: Any) -> Any:
    """Velocity of the centre of mass: v + omega x R c."""
    return _moved(link_velocity, link_quat, com_in_link, 1.0)


def _moved(velocity: Any, quat: Any, com: Any, sign: float) -> Any:
    xp, v, q, c = common(velocity, quat, com)
    arm = quat_apply(q, c[..., :3])
    return xp.concatenate([v[..., :3] + sign * cross(v[..., 3:], arm), v[..., 3:]], -1)


def in_frame(quat: Any, vector: Any) -> Any:
    """A vector of the world's axes in those of a frame."""
    return quat_apply_inverse(quat, vector)
