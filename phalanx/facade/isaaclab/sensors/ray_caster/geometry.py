"""Geometry on the stage that rays can hit, as it stands when the simulation begins to play."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias
from weakref import WeakKeyDictionary

import numpy as np

from phalanx.facade.isaaclab.sim import utils
from phalanx.facade.isaaclab.utils.mesh import (
    PRIMITIVE_MESH_TYPES,
    create_trimesh_from_geom_mesh,
    create_trimesh_from_geom_shape,
)
from phalanx.facade.stage_world import StageWorld
from phalanx.io.formats.usd.bindings import Usd, UsdGeom
from phalanx.maths.arrays import between, matrix

if TYPE_CHECKING:
    from phalanx.rays import RayGeometry, RayScene

Pieces: TypeAlias = "list[tuple[RayGeometry, dict[str, Any]]]"

_known: WeakKeyDictionary[StageWorld, dict[tuple[str, ...], Pieces]] = WeakKeyDictionary()


def add_static(who: str, stage_world: StageWorld, scene: RayScene, paths: Sequence[str], number: int = 0) -> None:
    """Add what is at and below prims to a scene of rays, in the world, where it stands now.

    Where there are planes, they are all that counts, and have no end; else meshes and shapes count as they are drawn.
    Sensors that meet the same prims share them.

    Args:
        who: for messages.
        stage_world: whose stage it is.
        scene: to add to.
        paths: of the prims, expressions segment by segment.
        number: that hits on it report.

    Raises:
        RuntimeError: there is no such prim, or nothing at or below it that rays could hit.
    """
    pieces = _known.setdefault(stage_world, {})
    key = tuple(paths)
    if key not in pieces:
        pieces[key] = [piece for path in paths for piece in _pieces(who, path)]
    for geometry, place in pieces[key]:
        scene.add(geometry, object=number, **place)


def met_paths() -> dict[str, str]:
    """Paths, as sensors name them, of what stands still and rays of a sensor meet, and the device of its world."""
    found = {}
    for stage_world, pieces in list(_known.items()):
        for paths in pieces:
            found.update(dict.fromkeys(paths, stage_world.world.engine.device.name))
    return found


def triangles(who: str, path: str, reach: float) -> tuple[np.ndarray, np.ndarray]:
    """Vertices (n, 3) and faces (m, 3) of what is at and below prims, in the world, as it stands on the stage now.

    Args:
        who: for messages.
        path: of the prims, an expression segment by segment.
        reach: m: half the side of the squares that stand for planes, which have no end.

    Raises:
        RuntimeError: there is no such prim, or nothing that rays could hit.
    """
    planes, mesh = _found(who, path, _roots(who, path))
    if mesh is not None:
        return mesh
    square = reach * np.array([[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [1.0, 1.0, 0.0], [-1.0, 1.0, 0.0]])
    vertices = [square @ matrix(np.array(at["orientation"])).T + np.array(at["position"]) for _, at in planes]
    corners = np.array([[0, 1, 2], [0, 2, 3]])
    return np.concatenate(vertices), np.concatenate([corners + 4 * one for one in range(len(planes))])


def carried_geometry(who: str, path: str) -> RayGeometry:
    """What is at and below a prim, in the frame of the prim, without scale.

    Raises:
        RuntimeError: there is nothing that rays could hit, or it is a plane, which has no end.
    """
    from phalanx.rays import mesh_geometry

    planes, mesh = _found(who, path, [path])
    if planes or mesh is None:
        raise RuntimeError(f"{who}: mesh_prim_paths has <{path}>, which is a plane, and planes cannot be carried")
    position, turn = utils.resolve_prim_pose(utils.get_current_stage().GetPrimAtPath(path))
    vertices, faces = mesh
    return mesh_geometry((vertices - np.array(position)) @ matrix(np.array(turn)), faces)


def _pieces(who: str, path: str) -> Pieces:
    from phalanx.rays import mesh_geometry

    planes, mesh = _found(who, path, _roots(who, path))
    return planes if mesh is None else [(mesh_geometry(*mesh), {})]


def _roots(who: str, path: str) -> list[str]:
    roots = utils.find_matching_prim_paths(path)
    if not roots:
        raise RuntimeError(f"{who}: mesh_prim_paths has {path!r}, and there is no such prim")
    return roots


def _found(who: str, path: str, roots: Sequence[str]) -> tuple[Pieces, tuple[np.ndarray, np.ndarray] | None]:
    """Planes at and below prims, or if there are none the triangles of all else, in the world."""
    from phalanx.rays import primitive_geometry

    cache = UsdGeom.XformCache(Usd.TimeCode.EarliestTime())
    planes: Pieces = []
    vertices: list[np.ndarray] = []
    faces: list[np.ndarray] = []
    for prim in (one for root in roots for one in utils.get_all_matching_child_prims(root)):
        kind = str(prim.GetTypeName())
        if kind != "Mesh" and kind not in PRIMITIVE_MESH_TYPES:
            continue
        frame = np.array(cache.GetLocalToWorldTransform(prim))  # of rows: point @ frame
        if kind == "Plane":
            axis = "XYZ".index(str(prim.GetAttribute("axis").Get() or "Z"))
            normal = frame[axis, :3] / np.linalg.norm(frame[axis, :3])
            place = {"position": frame[3, :3].tolist(), "orientation": between(np.array([0.0, 0.0, 1.0]), normal)}
            planes.append((primitive_geometry("plane"), place))
            continue
        made = create_trimesh_from_geom_mesh(prim) if kind == "Mesh" else create_trimesh_from_geom_shape(prim)
        mirrored = np.linalg.det(frame[:3, :3]) < 0.0
        own = np.asarray(made.faces)
        faces.append((own[:, ::-1] if mirrored else own) + sum(map(len, vertices)))
        vertices.append(np.asarray(made.vertices) @ frame[:3, :3] + frame[3, :3])
    if planes:
        return planes, None
    if not sum(map(len, faces)):
        raise RuntimeError(f"{who}: mesh_prim_paths has {path!r}, and there is no mesh, shape or plane at or below it")
    return [], (np.concatenate(vertices), np.concatenate(faces))
