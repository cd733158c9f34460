"""A decorator of functions that take a prim's path: for the prim and all below it."""

from __future__ import annotations

import functools
import inspect
import logging
from collections.abc import Callable
from typing import Any

from phalanx.facade.isaaclab.sim.utils.edits import PrimPath, prim_at

logger = logging.getLogger("phalanx.facade")


def apply_nested(func: Callable[..., bool]) -> Callable[..., bool]:
    """Let a function of a prim's path be called for the prim and all below it.

    Where it returns ``True``, prims below are left alone, since physics does not nest; so are prims below instances,
    which cannot be edited. The function must take the path first; its argument ``stage``, if any, says where.

    Returns:
        The function, which then returns whether it was successful anywhere; if not, a warning is logged.

    Raises:
        ValueError: when called, there is no prim at the path.
    """
    signature = inspect.signature(func)

    @functools.wraps(func)
    def wrapper(prim_path: PrimPath, *args: Any, **kwargs: Any) -> bool:
        stage = signature.bind(prim_path, *args, **kwargs).arguments.get("stage")
        queue = [prim_at(prim_path, stage)]
        instances, count = [], 0
        while queue:
            prim = queue.pop()
            if prim.IsInstance():
                instances.append(str(prim.GetPath()))
            elif func(str(prim.GetPath()), *args, **kwargs):
                count += 1
            else:
                queue.extend(reversed(prim.GetChildren()))
        if not count:
            why = f"; instances cannot be edited: {', '.join(instances[:5])}" if instances else ""
            logger.warning("%s was not applicable to any prim of '%s'%s", func.__name__, prim_path, why)
        return count > 0

    return wrapper
