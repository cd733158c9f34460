"""Commands that make, change and remove prims."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from phalanx.facade import stage as stages
from phalanx.facade.isaaclab.sim.utils.attributes import change_prim_property, set_value
from phalanx.facade.isaaclab.sim.utils.creation import add_usd_reference, move_prim
from phalanx.facade.isaaclab.sim.utils.edits import copy_prim, current, prim_at, remove_prims
from phalanx.facade.isaaclab.sim.utils.transforms import standardize_xform_ops
from phalanx.facade.isaacsim.core.prims import SingleXFormPrim
from phalanx.facade.omni.kit.commands.meshes import mesh_of
from phalanx.facade.omni.usd import get_stage_next_free_path
from phalanx.io.formats.usd.bindings import Gf, Prim, Stage, UsdGeom


def _free_path(stage: Stage, path: str | None, kind: str, prepend_default_prim: bool) -> str:
    return get_stage_next_free_path(stage, str(path) if path else f"/{kind}", prepend_default_prim or not path)


def create_prim(
    prim_type: str,
    prim_path: str | None = None,
    select_new_prim: bool = True,
    attributes: dict[str, Any] | None = None,
    create_default_xform: bool = True,
    stage: Stage | None = None,
) -> None:
    """The commands ``CreatePrim`` and ``CreatePrimWithDefaultXform``: a prim of a type of USD, at a path that is free.

    Without a path it is below the stage's default prim. Nothing is selected: there is no window.
    """
    there = current(stage)
    prim = there.DefinePrim(_free_path(there, prim_path, prim_type, False), prim_type)
    if create_default_xform and prim.IsA(UsdGeom.Xformable):
        standardize_xform_ops(prim, (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0), (1.0, 1.0, 1.0))
    for name, value in (attributes or {}).items():
        set_value(prim.GetAttribute(str(name)), value)


def create_mesh_prim(
    prim_type: str,
    prim_path: str | None = None,
    u_patches: int = 1,
    v_patches: int = 1,
    w_patches: int = 1,
    u_verts_scale: int = 1,
    v_verts_scale: int = 1,
    w_verts_scale: int = 1,
    half_scale: float | None = None,
    object_origin: Any = None,
    select_new_prim: bool = True,
    prepend_default_prim: bool = True,
    stage: Stage | None = None,
) -> str:
    """The commands ``CreateMeshPrim`` and ``CreateMeshPrimWithDefaultXform``: a mesh, at a path that is free.

    Args:
        prim_type: "Cube", "Sphere", "Cylinder", "Cone", "Plane", "Disk" or "Torus".
        prim_path: where; by default its type's name.
        u_patches: of no effect, as are all other numbers of patches and vertices: triangles are as fine as needed.
        v_patches: see there.
        w_patches: see there.
        u_verts_scale: see there.
        v_verts_scale: see there.
        w_verts_scale: see there.
        half_scale: half the size, in stage units; by default half a metre.
        object_origin: where its middle is in its own frame.
        select_new_prim: of no effect: there is no window.
        prepend_default_prim: whether the path is below the stage's default prim.
        stage: by default the open one.

    Returns:
        The mesh's path.

    Raises:
        ValueError: there is no such mesh.
    """
    stage = current(stage)
    half = 0.5 / UsdGeom.GetStageMetersPerUnit(stage) if half_scale is None else float(half_scale)
    middle = (0.0, 0.0, 0.0) if object_origin is None else tuple(object_origin)
    points, triangles = mesh_of(prim_type, half, middle)
    path = _free_path(stage, prim_path, prim_type, prepend_default_prim)
    mesh = UsdGeom.Mesh.Define(stage, path)
    mesh.CreatePointsAttr([Gf.Vec3f(*map(float, point)) for point in points])
    mesh.CreateFaceVertexIndicesAttr([int(index) for index in triangles.ravel()])
    mesh.CreateFaceVertexCountsAttr([3] * len(triangles))
    mesh.CreateSubdivisionSchemeAttr(UsdGeom.Tokens.none)
    mesh.CreateExtentAttr(UsdGeom.PointBased.ComputeExtent(mesh.GetPointsAttr().Get()))
    standardize_xform_ops(mesh.GetPrim(), (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0), (1.0, 1.0, 1.0))
    return path


def delete_prims(paths: Sequence[Any], destructive: bool = True, stage: Stage | None = None) -> None:
    """The command ``DeletePrims``: remove prims, and what is below them.

    What a reference brings cannot be removed: it is made inactive, with a warning.
    """
    paths = [paths] if isinstance(paths, str) else list(paths)
    remove_prims(current(stage), paths)


def move(
    path_from: Any,
    path_to: Any,
    keep_world_transform: bool = True,
    destructive: bool = True,
    stage_or_context: Stage | None = None,
) -> None:
    """The command ``MovePrim``: give a prim another path."""
    move_prim(str(path_from), str(path_to), keep_world_transform, stage_or_context)


def copy_to(
    path_from: Any, path_to: Any = None, exclusive_select: bool = True, copy_to_introducing_layer: bool = False
) -> str:
    """The command ``CopyPrim``: a copy of a prim at another path, by default at the next that is free."""
    stage = stages.get_stage()
    prim_at(path_from)
    path = str(path_to) if path_to else get_stage_next_free_path(stage, str(path_from), False)
    copy_prim(stage, str(path_from), [path])
    return path


def change_property(
    prop_path: Any, value: Any, prev: Any = None, type_to_create_if_not_exist: Any = None, **unheard: Any
) -> None:
    """The command ``ChangeProperty``: set an attribute, by its path: ``/World/Cube.size``.

    Raises:
        ValueError: the prim has no such attribute, and no type to make one of is given.
    """
    if not change_prim_property(prop_path, value, None, type_to_create_if_not_exist):
        raise ValueError(
            f"ChangeProperty: there is no attribute {prop_path}; give type_to_create_if_not_exist to make one"
        )


def create_reference(
    path_to: Any, asset_path: str, usd_context: Any = None, prim_path: Any = None, instanceable: bool = False, **_: Any
) -> None:
    """The command ``CreateReference``: a prim that refers to a file."""
    prim = add_usd_reference(str(path_to), asset_path)
    if instanceable:
        prim.SetInstanceable(True)


def transform(path: Any, new_transform_matrix: Any = None, **unheard: Any) -> None:
    """The command ``TransformPrim``: place a prim in the frame of the prim above, by a matrix of USD's kind."""
    turned = Gf.Transform(Gf.Matrix4d(new_transform_matrix))
    rotation = turned.GetRotation().GetQuat()
    quaternion = (rotation.GetReal(), *rotation.GetImaginary())
    standardize_xform_ops(prim_at(path), tuple(turned.GetTranslation()), quaternion, tuple(turned.GetScale()))


# -- Isaac Sim's own ---------------------------------------------------------------------------------------------


def spawn(
    usd_path: str, prim_path: str, translation: Any = (0.0, 0.0, 0.0), rotation: Any = (0.0, 0.0, 0.0, 1.0)
) -> bool:
    """The command ``IsaacSimSpawnPrim``: a prim that refers to a file, placed in the world.

    Args:
        usd_path: the file.
        prim_path: of the prim.
        translation: its position in the world.
        rotation: its orientation in the world, a quaternion (x, y, z, w).
    """
    add_usd_reference(prim_path, usd_path)
    return teleport(prim_path, translation, rotation)


def teleport(prim_path: str, translation: Any = (0.0, 0.0, 0.0), rotation: Any = (0.0, 0.0, 0.0, 1.0)) -> bool:
    """The command ``IsaacSimTeleportPrim``: put a prim to a place in the world; ``rotation`` is (x, y, z, w)."""
    prim_at(prim_path)
    if translation is not None and rotation is not None:
        x, y, z, w = (float(value) for value in rotation)
        place = SingleXFormPrim(prim_path, name=prim_path, reset_xform_properties=False)
        standardize_xform_ops(place.prim)
        place.set_world_pose([float(value) for value in translation], [w, x, y, z])
    return True


def scale_prim(prim_path: str, scale: Any = (0.0, 0.0, 0.0)) -> bool:
    """The command ``IsaacSimScalePrim``: scale a prim along its own axes."""
    prim: Prim = prim_at(prim_path)
    if scale is not None:
        standardize_xform_ops(prim, None, None, tuple(float(value) for value in scale))
    return True


def destroy(prim_path: str) -> None:
    """The command ``IsaacSimDestroyPrim``: remove a prim, and what is below it."""
    delete_prims([prim_path])


COMMANDS = {
    "CreatePrim": create_prim,
    "CreatePrimWithDefaultXform": create_prim,
    "CreateMeshPrim": create_mesh_prim,
    "CreateMeshPrimWithDefaultXform": create_mesh_prim,
    "DeletePrims": delete_prims,
    "MovePrim": move,
    "CopyPrim": copy_to,
    "ChangeProperty": change_property,
    "CreateReference": create_reference,
    "TransformPrim": transform,
    "IsaacSimSpawnPrim": spawn,
    "IsaacSimTeleportPrim": teleport,
    "IsaacSimScalePrim": scale_prim,
    "IsaacSimDestroyPrim": destroy,
}
"""Functions by the names of commands."""

__all__ = [
    "COMMANDS",
    "change_property",
    "copy_to",
    "create_mesh_prim",
    "create_prim",
    "create_reference",
    "delete_prims",
    "destroy",
    "move",
    "scale_prim",
    "spawn",
    "teleport",
    "transform",
]
