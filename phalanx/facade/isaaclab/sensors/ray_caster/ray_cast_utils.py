"""Where the prims are that carry sensors or targets of rays."""

from __future__ import annotations

from typing import Any

from phalanx.facade.isaaclab.assets.frames import to_wxyz
from phalanx.facade.namespaces import copy


def obtain_world_pose_from_view(physx_view: Any, env_ids: Any, clone: bool = False) -> tuple[Any, Any]:
    """Poses of prims in the world.

    Args:
        physx_view: what carries a sensor (``_view`` of ray casters), a view of prims, or a tensor view of bodies or
            articulations, of which roots count.
        env_ids: which of its rows; ``None``: all.
        clone: no effect: what is handed out is always the caller's own.

    Returns:
        (n, 3), m, and (n, 4), (w, x, y, z).

    Raises:
        NotImplementedError: it is none of these.
    """
    if hasattr(physx_view, "get_world_poses"):
        return physx_view.get_world_poses(env_ids)
    read = getattr(physx_view, "get_root_transforms", None) or getattr(physx_view, "get_transforms", None)
    if read is None:
        raise NotImplementedError(f"a {type(physx_view).__name__} tells no poses in the world")
    pose = to_wxyz(read())[slice(None) if env_ids is None else env_ids]
    return copy(pose[..., :3]), copy(pose[..., 3:])
