"""Sub-terrains with objects in many places."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from phalanx.facade.isaaclab.terrains.trimesh import utils
from phalanx.facade.isaaclab.terrains.trimesh.utils import make_box, make_plane

if TYPE_CHECKING:
    import trimesh

    from phalanx.facade.isaaclab.terrains.trimesh import mesh_terrains_cfg

KINDS = ("box", "cylinder", "cone")


def repeated_objects_terrain(
    difficulty: float, cfg: mesh_terrains_cfg.MeshRepeatedObjectsTerrainCfg
) -> tuple[list[trimesh.Trimesh], np.ndarray]:
    """A plane with objects at random places outside of the platform.

    Number, height and measures of the objects are between those of ``object_params_start`` and ``object_params_end``.
    Boxes and cylinders have their middles at height 0, cones their bases.

    Args:
        difficulty: 0 to 1.
        cfg: what.

    Raises:
        ValueError: there is no such kind of objects, or a platform leaves no place for them.
    """
    make = _maker(cfg.object_type)
    start, end = cfg.object_params_start, cfg.object_params_end
    count = start.num_objects + int(difficulty * (end.num_objects - start.num_objects))
    height = start.height + difficulty * (end.height - start.height)
    platform = 0.5 * height if cfg.platform_height < 0.0 else cfg.platform_height
    measures = _measures(cfg.object_type, start, end, difficulty)
    places = _places(count, cfg.size, cfg.platform_width)
    heights = height * np.random.uniform(*cfg.rel_height_noise, count)
    heights += np.random.uniform(*_absolute(cfg), count)
    made = [
        make(center=(*place, 0.0), height=tall, **measures)
        for place, tall in zip(places.tolist(), heights.tolist(), strict=True)
        if tall > 0.0
    ]
    made.append(make_plane(cfg.size, 0.0, center_zero=False))
    middle = (0.5 * cfg.size[0], 0.5 * cfg.size[1])
    if platform > 0.0 and cfg.platform_width > 0.0:
        made.append(make_box(cfg.platform_width, cfg.platform_width, platform, (*middle, 0.5 * platform)))
    return made, np.array([*middle, platform])


def _maker(kind: Any) -> Any:
    if callable(kind):
        return kind
    if kind not in KINDS:
        raise ValueError(f"The object type '{kind}' is not available: use one of {', '.join(KINDS)}, or a function.")
    return getattr(utils, f"make_{kind}")


def _measures(kind: Any, start: Any, end: Any, difficulty: float) -> dict[str, Any]:
    """Arguments of what makes an object, besides its place and height."""
    found: dict[str, Any] = {}
    for name, first in vars(start).items():
        if name in ("num_objects", "height"):
            continue
        last = getattr(end, name)
        if isinstance(first, bool):
            found[name] = first
        elif isinstance(first, tuple | list):
            found[name] = tuple(a + difficulty * (b - a) for a, b in zip(first, last, strict=True))
        else:
            found[name] = first + difficulty * (last - first)
    if (kind == "box" or kind is make_box) and "size" in found:
        found["length"], found["width"] = found.pop("size")
    return found


def _absolute(cfg: mesh_terrains_cfg.MeshRepeatedObjectsTerrainCfg) -> tuple[float, float]:
    """What is added to heights at random; ``max_height_noise`` is its older name."""
    if cfg.max_height_noise:
        return -cfg.max_height_noise, cfg.max_height_noise
    return cfg.abs_height_noise


def _places(count: int, size: tuple[float, float], platform: float) -> np.ndarray:
    """(count, 2): places on the terrain with their middles outside of the platform."""
    if count and platform >= min(size):
        raise ValueError(f"platform_width={platform} m leaves no place for objects on {size} m: make it smaller.")
    found = np.empty((0, 2))
    while len(found) < count:
        drawn = np.random.uniform((0.0, 0.0), size, (4 * count, 2))
        found = np.concatenate([found, drawn[np.abs(drawn - 0.5 * np.array(size)).max(axis=1) > 0.5 * platform]])
    return found[:count]


__all__ = ["repeated_objects_terrain"]
