"""Colours of terrains, terrains as prims, and flat places on them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from phalanx.facade.isaaclab.sim.spawners.geometry import all_or_nothing, refuse_existing
from phalanx.facade.isaaclab.sim.utils import (
    bind_physics_material,
    bind_visual_material,
    create_prim,
    get_current_stage,
)
from phalanx.facade.isaaclab.terrains.flat_patches import flat_places
from phalanx.facade.isaaclab.terrains.surface import Surface
from phalanx.facade.isaaclab.terrains.trimesh.utils import join
from phalanx.facade.namespaces import array
from phalanx.io.formats.usd.bindings import UsdGeom, UsdPhysics, Vt
from phalanx.io.formats.usd.writer.shapes import write_triangles

if TYPE_CHECKING:
    import trimesh

LEVEL_COLOR = (172, 216, 230, 255)
"""Red, green, blue and alpha of what has one height."""

RAINBOW = ((48, 18, 59), (65, 105, 225), (40, 200, 220), (120, 235, 90), (240, 200, 50), (240, 90, 20), (122, 4, 3))
"""Red, green and blue from low to high."""


def color_meshes_by_height(meshes: list[trimesh.Trimesh], **kwargs: Any) -> trimesh.Trimesh:
    """Join meshes, and colour vertices by their heights.

    Args:
        meshes: some.
        kwargs: ``color``, of what has one height everywhere (4,), 0 to 255; ``color_map``: ``"turbo"``, a
            rainbow, or what ``trimesh.visual.color.interpolate`` takes, such as ``"viridis"`` or a map of matplotlib.

    Raises:
        ValueError: there is no map of the name.
    """
    from trimesh.visual.color import interpolate

    mesh = join(meshes)
    heights = np.asarray(mesh.vertices)[:, 2]
    if np.allclose(heights, heights[0]):
        paint(mesh, np.tile(kwargs.pop("color", LEVEL_COLOR), (len(heights), 1)))
        return mesh
    name, share = kwargs.pop("color_map", "turbo"), (heights - heights.min()) / np.ptp(heights)
    paint(mesh, _rainbow(share) if name == "turbo" else interpolate(share, color_map=name))
    return mesh


def _rainbow(share: np.ndarray) -> np.ndarray:
    """(n, 4): colours from dark blue by green to dark red."""
    parts = [np.interp(share, np.linspace(0.0, 1.0, len(RAINBOW)), channel) for channel in np.array(RAINBOW).T]
    return np.rint(np.column_stack([*parts, np.full(len(share), 255.0)])).astype(np.uint8)


def paint(mesh: trimesh.Trimesh, colors: np.ndarray) -> None:
    """Give the vertices of a mesh colours (n, 4), 0 to 255."""
    from trimesh.visual import ColorVisuals

    mesh.visual = ColorVisuals(mesh, vertex_colors=np.asarray(colors, np.uint8))


def create_prim_from_mesh(prim_path: str, mesh: trimesh.Trimesh, **kwargs: Any) -> None:
    """Put a mesh on the stage that collides as its triangles: an Xform, with a ``UsdGeom.Mesh`` at ``mesh`` below it.

    Args:
        prim_path: of the Xform.
        mesh: vertices in m; its colours of vertices, if it has any, become the prim's.
        kwargs: ``translation`` (3,), m, and ``orientation`` (4,), w x y z, of the Xform; ``visual_material`` and
            ``physics_material``, configurations, which go to ``visualMaterial`` and ``physicsMaterial`` below it.

    Raises:
        ValueError: there is a prim at the path already.
    """
    from trimesh.visual import ColorVisuals

    refuse_existing(prim_path)
    with all_or_nothing(prim_path):
        place, turn = kwargs.get("translation"), kwargs.get("orientation")
        create_prim(prim_path, "Xform", translation=place, orientation=turn)
        made = UsdGeom.Mesh.Define(get_current_stage(), f"{prim_path}/mesh")
        write_triangles(made, np.asarray(mesh.vertices), np.asarray(mesh.faces))
        prim = made.GetPrim()
        UsdPhysics.CollisionAPI.Apply(prim)
        UsdPhysics.MeshCollisionAPI.Apply(prim).CreateApproximationAttr("none")
        if isinstance(mesh.visual, ColorVisuals) and mesh.visual.kind == "vertex":
            colors = np.asarray(mesh.visual.vertex_colors, np.float32)[:, :3] / 255.0
            primvar = made.CreateDisplayColorPrimvar(UsdGeom.Tokens.vertex)
            primvar.Set(Vt.Vec3fArray.FromNumpy(np.ascontiguousarray(colors)))
        for name, bind in (("visual_material", bind_visual_material), ("physics_material", bind_physics_material)):
            if (material := kwargs.get(name)) is not None:
                path = f"{prim_path}/{name.partition('_')[0]}Material"
                material.func(path, material)
                bind(f"{prim_path}/mesh", path)


def find_flat_patches(
    wp_mesh: Any,
    num_patches: int,
    patch_radius: float | list[float],
    origin: Any,
    x_range: tuple[float, float],
    y_range: tuple[float, float],
    z_range: tuple[float, float],
    max_height_diff: float,
) -> Any:
    """Places on a mesh that are flat, at random, as seen from above.

    A place is flat if heights on circles about it, and in its middle, differ by little; nothing of a circle may be off
    the mesh.

    Args:
        wp_mesh: the mesh, with ``vertices`` and ``faces``, as trimesh's, or ``points`` and ``indices``, as Warp's.
        num_patches: how many, n.
        patch_radius: of the circle, or radii of several, m.
        origin: (3,), m.
        x_range, y_range: where middles may be, from the origin, m.
        z_range: how high all of them may be, from the origin, m.
        max_height_diff: most difference of heights, m.

    Returns:
        (n, 3): the places, from the origin, m.

    Raises:
        RuntimeError: so many were not found.
    """
    place = np.asarray(_host(origin), float).reshape(3)
    found = flat_places(
        Surface(*_triangles(wp_mesh)), num_patches, patch_radius, place, x_range, y_range, z_range, max_height_diff
    )
    return array(found, getattr(wp_mesh, "device", "cpu"), "float32")


def _triangles(mesh: Any) -> tuple[np.ndarray, np.ndarray]:
    if hasattr(mesh, "faces"):
        return np.asarray(mesh.vertices, float), np.asarray(mesh.faces)
    return _host(mesh.points).astype(float), _host(mesh.indices).reshape(-1, 3)


def _host(values: Any) -> np.ndarray:
    """An array of any module's, or a sequence, as NumPy's."""
    for method in ("cpu", "numpy", "get"):
        if hasattr(values, method) and not isinstance(values, np.ndarray | Sequence):
            values = getattr(values, method)()
    return np.asarray(values)


__all__ = ["color_meshes_by_height", "create_prim_from_mesh", "find_flat_patches"]
