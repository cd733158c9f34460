"""Edits of a stage by prims' paths, in all its layers: looking prims up, removing and copying them."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from typing import Any

from phalanx.facade import stage as stages
from phalanx.io.formats.usd.bindings import Prim, Sdf, Stage

logger = logging.getLogger("phalanx.facade")

PrimPath = Any
"""A prim's path: text, or an ``Sdf.Path``."""


def current(stage: Stage | None) -> Stage:
    """A stage, or the current one for ``None``."""
    return stages.get_stage() if stage is None else stage


def checked_path(path: object) -> str:
    """A prim's path as text.

    Raises:
        ValueError: it does not begin with a slash, or cannot be a prim's.
    """
    path = str(path)
    if not path.startswith("/"):
        raise ValueError(f"Prim path '{path}' is not global: it must begin with '/', such as '/World/Robot'")
    if not Sdf.Path.IsValidPathString(path) or not Sdf.Path(path).IsAbsoluteRootOrPrimPath():
        raise ValueError(
            f"'{path}' is no path of a prim: names consist of letters, digits and '_' and do not begin with a digit"
        )
    return path


def prim_at(path: object, stage: Stage | None = None) -> Prim:
    """The prim at a path.

    Raises:
        ValueError: there is none, or the path cannot be a prim's.
    """
    path, here = checked_path(path), current(stage)
    prim = here.GetPrimAtPath(path)
    if prim.IsValid():
        return prim
    above = Sdf.Path(path).GetParentPath()
    while not here.GetPrimAtPath(above).IsValid():
        above = above.GetParentPath()
    names = [str(name) for name in here.GetPrimAtPath(above).GetAllChildrenNames()]
    some = ", ".join(names[:5]) + (", ..." if len(names) > 5 else "")
    raise ValueError(f"Prim at path '{path}' is not valid: there is none; '{above}' has {some or 'no children'}")


def is_ancestral(prim: Prim) -> bool:
    """Whether a prim comes with a reference, payload or the like of a prim above it, so that it cannot be removed."""
    if prim.IsInstanceProxy() or prim.IsInPrototype():
        return True
    nodes = list(prim.GetPrimIndex().rootNode.children)
    for node in nodes:
        if node.IsDueToAncestor():
            return True
        nodes.extend(node.children)
    return False


def remove_prims(stage: Stage, paths: Iterable[object]) -> bool:
    """Remove prims and all below them from every layer of a stage.

    Prims that cannot be removed, because a reference above brings them, or because their metadata say ``no_delete``,
    stay, and are told.

    Returns:
        Whether all could be removed.
    """
    removable, complete = [], True
    for path in Sdf.Path.RemoveDescendentPaths([Sdf.Path(str(path)) for path in paths]):
        prim = stage.GetPrimAtPath(path)
        if why := _why_not_removable(prim, path):
            logger.warning("%s cannot be deleted: %s", path, why)
            complete = False
        else:
            removable.append(path)
    with Sdf.ChangeBlock():
        for layer in stage.GetLayerStack():
            for path in removable:
                spec = layer.GetPrimAtPath(path)
                if spec is not None:
                    above = layer.GetPrimAtPath(path.GetParentPath()) or layer.pseudoRoot
                    del above.nameChildren[spec.name]
    return complete


def _why_not_removable(prim: Prim, path: object) -> str:
    if not prim.IsValid():
        return "there is no such prim"
    if prim.IsPseudoRoot():
        return "it is the root of the stage"
    if prim.GetMetadata("no_delete"):
        return "its metadata say no_delete"
    return "a reference of a prim above brings it; deactivate it instead: prim.SetActive(False)" * is_ancestral(prim)


def copy_prim(stage: Stage, source: str, targets: Sequence[str], inherit: bool = False) -> None:
    """Copy a prim and all below it to other paths, replacing what is written there.

    Within the copies, relationships and connections that lead to prims of the source lead to their copies.

    Args:
        stage: of the prims.
        source: path of the prim.
        targets: paths of its copies, none of them below it; prims above them that are missing become ``over``.
        inherit: whether copies inherit from the source, so that what is changed there changes them, too.

    Raises:
        ValueError: the source is not written in the layers of the stage itself, a target lies below it or above it, or
            a path cannot be a prim's.
    """
    path = Sdf.Path(checked_path(source))
    for target in targets:  # USD ends the process at a relative one
        if path.HasPrefix(Sdf.Path(checked_path(target))):
            raise ValueError(f"'{source}' cannot be copied to '{target}', where it is itself, or which it lies in")
    layers = [layer for layer in stage.GetLayerStack() if layer.GetPrimAtPath(path) is not None]
    if not layers:
        prim_at(source, stage)
        raise ValueError(f"'{source}' cannot be copied: only a reference of a prim above has it; copy that one")
    if wrong := [target for target in targets if Sdf.Path(target).HasPrefix(path)]:
        raise ValueError(f"'{source}' cannot be copied to '{wrong[0]}', which lies in it")
    if inherit:
        layers = [stage.GetEditTarget().GetLayer()]
    with Sdf.ChangeBlock():
        for layer in layers:
            for target in targets:
                spec = Sdf.CreatePrimInLayer(layer, target)
                if inherit:
                    spec.inheritPathList.Prepend(path)
                else:
                    Sdf.CopySpec(layer, path, layer, Sdf.Path(target))
