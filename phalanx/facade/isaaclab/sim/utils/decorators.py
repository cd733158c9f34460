"""Decorators of functions that take a prim's path: for all prims below it, and for all paths that it matches."""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable
from typing import Any

from phalanx.facade.isaaclab.sim.utils.creation import set_prim_visibility
from phalanx.facade.isaaclab.sim.utils.edits import PrimPath, checked_path, copy_prim
from phalanx.facade.isaaclab.sim.utils.nested import apply_nested
from phalanx.facade.isaaclab.sim.utils.queries import PLAIN_NAME, find_matching_prim_paths
from phalanx.facade.isaaclab.sim.utils.semantics import add_labels
from phalanx.facade.stage import get_stage
from phalanx.io.formats.usd.bindings import Prim, UsdGeom

logger = logging.getLogger("phalanx.facade")


def clone(func: Callable[..., Prim]) -> Callable[..., Prim]:
    """Let a spawner, a function of a prim's path and a configuration, spawn below all prims that the path matches.

    In all but its last part, the path may have regular expressions: ``"/World/envs/env_.*/Robot"``. The function is
    called once, for the first prim that matches, and what it makes is copied to all the others.

    Of the configuration, these fields are taken into account if it has them: ``visible``, ``semantic_tags`` (pairs of
    kind and label), ``activate_contact_sensors``, and ``copy_from_source``, which is false for copies that inherit
    from the first, so that edits of the first change them, too.

    Returns:
        The spawner; it returns the first prim.

    Raises:
        ValueError: when called, the path is not global, or its last part is no name.
        RuntimeError: when called, no prim matches what is above the last part.
    """

    @functools.wraps(func)
    def wrapper(prim_path: PrimPath, cfg: Any, *args: Any, **kwargs: Any) -> Prim:
        paths = _paths_to_spawn(str(prim_path))
        prim = func(paths[0], cfg, *args, **kwargs)
        if hasattr(cfg, "visible") and prim.IsA(UsdGeom.Imageable):
            set_prim_visibility(prim, cfg.visible)
        for kind, label in getattr(cfg, "semantic_tags", None) or ():
            add_labels(prim, [label], kind, overwrite=False)
        if getattr(cfg, "activate_contact_sensors", False):
            from phalanx.facade.isaaclab.sim.schemas import activate_contact_sensors

            activate_contact_sensors(paths[0])
        if len(paths) > 1:
            inherit = not getattr(cfg, "copy_from_source", True)
            copy_prim(get_stage(), paths[0], paths[1:], inherit)
        return prim

    return wrapper


def _paths_to_spawn(prim_path: str) -> list[str]:
    if not prim_path.startswith("/"):
        raise ValueError(f"Prim path '{prim_path}' is not global. It must start with '/'.")
    above, name = prim_path.rsplit("/", 1)
    if not PLAIN_NAME.fullmatch(name):
        raise ValueError(
            f"'{name}' in prim path '{prim_path}' is not the name of a prim: only what is above may have expressions"
        )
    if all(PLAIN_NAME.fullmatch(part) for part in above.split("/")[1:]):
        return [checked_path(prim_path)]
    found = find_matching_prim_paths(above)
    if not found:
        raise RuntimeError(f"Unable to find source prim path: '{above}'. Please create the prim before spawning.")
    return [f"{path}/{name}" for path in found]


__all__ = ["apply_nested", "clone"]
