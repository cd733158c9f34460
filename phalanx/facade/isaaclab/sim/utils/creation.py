"""Creating, changing, moving and deleting prims, and referring to files."""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping, Sequence
from typing import Any

from phalanx.ecs.whole_files import refuse_links
from phalanx.facade.asset_root import existing_file, is_remote
from phalanx.facade.isaaclab.sim.utils.attributes import Numbers, set_value
from phalanx.facade.isaaclab.sim.utils.edits import PrimPath, checked_path, current, prim_at, remove_prims
from phalanx.facade.isaaclab.sim.utils.semantics import add_labels
from phalanx.facade.isaaclab.sim.utils.transforms import (
    convert_world_pose_to_local,
    resolve_prim_pose,
    resolve_prim_scale,
    standardize_xform_ops,
)
from phalanx.facade.served_files import find_served
from phalanx.facade.stage import move_asset_paths
from phalanx.io.formats.usd.bindings import Prim, Sdf, Stage, Usd, UsdGeom, UsdPhysics

logger = logging.getLogger("phalanx.facade")


def create_prim(
    prim_path: str,
    prim_type: str = "Xform",
    position: Numbers | None = None,
    translation: Numbers | None = None,
    orientation: Numbers | None = None,
    scale: Numbers | None = None,
    usd_path: str | None = None,
    semantic_label: str | None = None,
    semantic_type: str = "class",
    attributes: Mapping[str, Any] | None = None,
    stage: Stage | None = None,
) -> Prim:
    """Create a prim.

    Args:
        prim_path: where. Prims above it that are missing are created with no type.
        prim_type: its type, such as ``"Xform"``, ``"Cube"`` or ``"Scope"``.
        position: in the world; then the orientation is in the world, too.
        translation: in the frame of the prim above, as is the orientation then; instead of the position.
        orientation: quaternion (w, x, y, z).
        scale: along its own axes.
        usd_path: a file to refer to.
        semantic_label: a label.
        semantic_type: the kind of label.
        attributes: values of attributes by name.
        stage: the current one by default.

    Returns:
        The prim.

    Raises:
        ValueError: the path cannot be a prim's, there is a prim already, it has no such attribute, or both a position
            and a translation are given.
        FileNotFoundError: there is no such file.
    """
    here, path = current(stage), checked_path(prim_path)
    if position is not None and translation is not None:
        raise ValueError(f"'{path}': give either position= (in the world) or translation= (from the prim above)")
    if here.GetPrimAtPath(path).IsValid():
        raise ValueError(f"A prim already exists at prim path '{path}'; delete_prim('{path}') first, or use another")
    prim = here.DefinePrim(path, prim_type)
    try:
        if usd_path is not None:
            add_usd_reference(path, usd_path, prim_type, here)
        for name, value in (attributes or {}).items():
            attribute = prim.GetAttribute(name)
            if not attribute:
                raise ValueError(f"'{path}' of type '{prim.GetTypeName()}' has no attribute '{name}'")
            set_value(attribute, value)
        if semantic_label is not None:
            add_labels(prim, [semantic_label], semantic_type)
        if position is not None:
            translation, orientation = convert_world_pose_to_local(position, orientation, prim.GetParent())
        if prim.IsA(UsdGeom.Xformable):
            standardize_xform_ops(prim, translation, orientation, scale)
        elif not (translation is orientation is scale is None):
            logger.warning("%s of type %r has no place: its pose and scale are ignored", path, prim_type)
    except Exception:
        remove_prims(here, [path])  # not half of it
        raise
    return prim


def delete_prim(prim_path: str | Sequence[str], stage: Stage | None = None) -> bool:
    """Delete prims and all below them; what cannot be deleted stays, and is told.

    Returns:
        Whether all are gone.
    """
    paths = [prim_path] if isinstance(prim_path, str | Sdf.Path) else list(prim_path)
    return remove_prims(current(stage), paths)


def move_prim(path_from: str, path_to: str, keep_world_transform: bool = True, stage: Stage | None = None) -> None:
    """Give a prim another path. Relationships and connections that lead to it follow.

    Args:
        path_from: where it is.
        path_to: where it is then; the prim above must be there.
        keep_world_transform: whether it stays where it is in the world, instead of below the prim above.
        stage: the current one by default.

    Raises:
        ValueError: there is no such prim, or it cannot be moved there.
    """
    here = current(stage)
    prim = prim_at(path_from, here)
    path_to = checked_path(path_to)
    prim_at(Sdf.Path(path_to).GetParentPath(), here)
    keeps = keep_world_transform and prim.IsA(UsdGeom.Xformable)
    pose, scale = resolve_prim_pose(prim), resolve_prim_scale(prim)
    editor = Usd.NamespaceEditor(here)
    editor.MovePrimAtPath(path_from, path_to)
    possible = editor.CanApplyEdits()
    if not possible:
        raise ValueError(f"'{path_from}' cannot become '{path_to}': {possible.whyNot or 'there is a prim already'}")
    editor.ApplyEdits()
    moved = here.GetPrimAtPath(path_to)
    if keeps and (resolve_prim_pose(moved), resolve_prim_scale(moved)) != (pose, scale):
        translation, orientation = convert_world_pose_to_local(*pose, moved.GetParent())
        above = resolve_prim_scale(moved.GetParent())
        standardize_xform_ops(
            moved, translation, orientation, [mine / its for mine, its in zip(scale, above, strict=True)]
        )


def set_prim_visibility(prim: Prim, visible: bool) -> None:
    """Show a prim, or hide it, with all below it. Hidden prims take part in the simulation.

    Raises:
        ValueError: the prim cannot be seen, such as a material.
    """
    if not prim.IsA(UsdGeom.Imageable):
        raise ValueError(f"'{prim.GetPath()}' of type '{prim.GetTypeName()}' has no visibility")
    imageable = UsdGeom.Imageable(prim)
    imageable.MakeVisible() if visible else imageable.MakeInvisible()


def make_uninstanceable(prim_path: PrimPath, stage: Stage | None = None) -> None:
    """Let a prim and all below it be no instances, so that what they refer to can be edited.

    Raises:
        ValueError: there is no such prim.
    """
    queue = [prim_at(prim_path, stage)]
    while queue:
        prim = queue.pop()
        if prim.IsInstance():
            prim.SetInstanceable(False)
        queue.extend(prim.GetFilteredChildren(Usd.TraverseInstanceProxies()))


def add_usd_reference(prim_path: str, usd_path: str, prim_type: str = "Xform", stage: Stage | None = None) -> Prim:
    """Let a prim refer to a file; the prim is created if need be.

    Args:
        prim_path: of the prim.
        usd_path: of the file: its default prim is what the prim becomes.
        prim_type: type of the prim if it must be created.
        stage: the current one by default.

    Returns:
        The prim.

    Raises:
        FileNotFoundError: there is no such file, or it is no USD.
    """
    here, path = current(stage), checked_path(prim_path)
    file = existing_file(usd_path, "USD file") if is_remote(usd_path) else os.fspath(usd_path)
    layer = Sdf.Layer.FindOrOpen(file) if Usd.Stage.IsSupportedFile(file) else None
    if layer is None:
        existing_file(usd_path, "USD file")  # says where to put it, or how to get a stand-in
        raise FileNotFoundError(f"'{usd_path}' is no USD file (for '{path}')")
    if not layer.defaultPrim:
        logger.warning("%s has no default prim: '%s' gets nothing from it; set it in the file", usd_path, path)
    root, unit = layer.pseudoRoot, UsdGeom.GetStageMetersPerUnit(here)
    theirs = root.GetInfo("metersPerUnit") if root.HasInfo("metersPerUnit") else UsdGeom.LinearUnits.centimeters
    if theirs != unit:
        message = "%s has metersPerUnit %g, the stage %g: scale '%s' by %g"
        logger.warning(message, usd_path, theirs, unit, path, theirs / unit)
    prim = here.GetPrimAtPath(path)
    prim = prim if prim.IsValid() else here.DefinePrim(path, prim_type)
    find_served(layer)
    prim.GetReferences().AddReference(file)
    return prim


def get_usd_references(prim_path: str, stage: Stage | None = None) -> list[str]:
    """The files that a prim refers to, as written.

    Raises:
        ValueError: there is no such prim.
    """
    found: list[str] = []
    for spec in prim_at(prim_path, stage).GetPrimStack():
        found.extend(reference.assetPath for reference in spec.referenceList.GetAppliedItems() if reference.assetPath)
    return found


def select_usd_variants(prim_path: str, variants: object | Mapping[str, str], stage: Stage | None = None) -> None:
    """Choose variants of a prim. Sets and variants that it does not have are passed over, and told.

    Args:
        prim_path: of the prim.
        variants: the variant of each set, as a dictionary or as a configuration with a field of the set's name.
        stage: the current one by default.

    Raises:
        ValueError: there is no such prim.
    """
    sets = prim_at(prim_path, stage).GetVariantSets()
    chosen = variants if isinstance(variants, Mapping) else vars(variants)
    known = list(sets.GetNames())
    for name, variant in chosen.items():
        if name not in known:
            logger.warning("%s has no variant set %r, only %s", prim_path, name, ", ".join(known) or "none")
            continue
        offered = list(sets.GetVariantSet(name).GetVariantNames())
        if variant not in offered:
            logger.warning("%s: variant set %r has no %r, only %s", prim_path, name, variant, ", ".join(offered))
            continue
        sets.SetSelection(name, variant)


def export_prim_to_file(
    path: str | os.PathLike[str],
    source_prim_path: PrimPath,
    target_prim_path: PrimPath | None = None,
    stage: Stage | None = None,
) -> None:
    """Write a prim, as composed from the layers of its stage, to a USD file, of which it is the default prim.

    References stay references; relative addresses of assets are made relative to the file.

    Args:
        path: of the file, which is overwritten.
        source_prim_path: of the prim.
        target_prim_path: of the prim in the file; the same by default.
        stage: the current one by default.

    Raises:
        ValueError: there is no such prim, or a path cannot be a prim's.
    """
    here, file = current(stage), os.fspath(path)
    source = Sdf.Path(checked_path(source_prim_path))
    prim_at(source, here)
    target = Sdf.Path(checked_path(source if target_prim_path is None else target_prim_path))
    os.makedirs(os.path.dirname(os.path.abspath(file)), exist_ok=True)
    refuse_links(file)
    layer = Sdf.Layer.Find(file) or Sdf.Layer.CreateNew(file)
    layer.Clear()
    layers = [each for each in here.GetLayerStack() if each.GetPrimAtPath(source) is not None]
    if len(layers) != 1:  # written in several layers, or only by a reference of a prim above
        layers = [here.Flatten()]
    Sdf.CreatePrimInLayer(layer, target).specifier = Sdf.SpecifierDef
    Sdf.CopySpec(layers[0], source, layer, target)
    written = Usd.Stage.Open(layer)
    UsdGeom.SetStageUpAxis(written, UsdGeom.GetStageUpAxis(here))
    UsdGeom.SetStageMetersPerUnit(written, UsdGeom.GetStageMetersPerUnit(here))
    UsdPhysics.SetStageKilogramsPerUnit(written, UsdPhysics.GetStageKilogramsPerUnit(here))
    layer.defaultPrim = target.pathString if target.pathElementCount > 1 else target.name
    move_asset_paths(layers[0], layer)
    layer.Save(force=True)


__all__ = [
    "add_usd_reference",
    "create_prim",
    "delete_prim",
    "export_prim_to_file",
    "get_usd_references",
    "make_uninstanceable",
    "move_prim",
    "select_usd_variants",
    "set_prim_visibility",
]
