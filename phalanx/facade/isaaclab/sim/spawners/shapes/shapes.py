"""Puts primitive shapes on the stage."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from phalanx.facade.isaaclab.sim.spawners.geometry import Pose, add_physics, all_or_nothing, begin, refuse_existing
from phalanx.facade.isaaclab.sim.utils import clone, create_prim
from phalanx.io.formats.usd.bindings import Prim

if TYPE_CHECKING:
    from phalanx.facade.isaaclab.sim.spawners.shapes import shapes_cfg


@clone
def spawn_sphere(
    prim_path: str, cfg: shapes_cfg.SphereCfg, translation: Pose = None, orientation: Pose = None, **kwargs: Any
) -> Prim:
    """Put a sphere on the stage: an Xform at the path, with a ``UsdGeom.Sphere`` at ``geometry/mesh`` below it.

    Args:
        prim_path: where; the parent may be a regular expression, and then each parent that matches gets one.
        cfg: what.
        translation: (x, y, z) in the parent's frame, m; (0, 0, 0) by default.
        orientation: quaternion (w, x, y, z) in the parent's frame; (1, 0, 0, 0) by default.
        kwargs: what :func:`clone` takes.

    Returns:
        The prim, or the first of them.

    Raises:
        ValueError: there is a prim at the path already.
    """
    return _spawn(prim_path, cfg, "Sphere", {"radius": cfg.radius}, translation, orientation)


@clone
def spawn_cuboid(
    prim_path: str, cfg: shapes_cfg.CuboidCfg, translation: Pose = None, orientation: Pose = None, **kwargs: Any
) -> Prim:
    """Put a box on the stage: a ``UsdGeom.Cube`` that is scaled; else as :func:`spawn_sphere`."""
    edge = min(cfg.size)
    if not edge > 0.0:
        raise ValueError(f"size={cfg.size}: the edges of a cuboid must be positive")
    scale = tuple(length / edge for length in cfg.size)
    return _spawn(prim_path, cfg, "Cube", {"size": edge}, translation, orientation, scale)


@clone
def spawn_cylinder(
    prim_path: str, cfg: shapes_cfg.CylinderCfg, translation: Pose = None, orientation: Pose = None, **kwargs: Any
) -> Prim:
    """Put a cylinder on the stage: a ``UsdGeom.Cylinder``; else as :func:`spawn_sphere`."""
    return _spawn(prim_path, cfg, "Cylinder", _long(cfg), translation, orientation)


@clone
def spawn_capsule(
    prim_path: str, cfg: shapes_cfg.CapsuleCfg, translation: Pose = None, orientation: Pose = None, **kwargs: Any
) -> Prim:
    """Put a capsule on the stage: a ``UsdGeom.Capsule``; else as :func:`spawn_sphere`."""
    return _spawn(prim_path, cfg, "Capsule", _long(cfg), translation, orientation)


@clone
def spawn_cone(
    prim_path: str, cfg: shapes_cfg.ConeCfg, translation: Pose = None, orientation: Pose = None, **kwargs: Any
) -> Prim:
    """Put a cone on the stage: a ``UsdGeom.Cone``; else as :func:`spawn_sphere`."""
    return _spawn(prim_path, cfg, "Cone", _long(cfg), translation, orientation)


def _long(cfg: shapes_cfg.CylinderCfg | shapes_cfg.CapsuleCfg | shapes_cfg.ConeCfg) -> dict[str, Any]:
    """Attributes of what lies along an axis."""
    if cfg.axis.upper() not in ("X", "Y", "Z"):
        raise ValueError(f'axis={cfg.axis!r}: must be "X", "Y" or "Z"')
    return {"radius": cfg.radius, "height": cfg.height, "axis": cfg.axis.upper()}


def _spawn(
    prim_path: str,
    cfg: shapes_cfg.ShapeCfg,
    kind: str,
    attributes: dict[str, Any],
    translation: Pose,
    orientation: Pose,
    scale: tuple[float, ...] | None = None,
) -> Prim:
    """An Xform with a primitive below it, and the physics and materials that are given."""
    refuse_existing(prim_path)
    with all_or_nothing(prim_path):
        prim, geometry = begin(prim_path, translation, orientation)
        create_prim(f"{geometry}/mesh", kind, scale=scale, attributes=attributes)
        add_physics(prim_path, cfg)
    return prim
