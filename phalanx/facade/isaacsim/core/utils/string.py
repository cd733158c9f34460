"""Names of prims."""

from __future__ import annotations

from phalanx.facade.isaaclab.utils.string import find_unique_string_name

_SPECIAL = set("[]*|^")
"""Letters by which a name in a path is known to be an expression."""


def find_root_prim_path_from_regex(prim_path_regex: str) -> tuple[str | None, int | None]:
    """The prim above the first expression in a path, and at which level of the stage the expression is.

    Returns:
        For ``"/World/envs/env_.*/Robot"``: ``("/World/envs", 3)``. ``(None, None)`` for a path without expressions.
    """
    names = str(prim_path_regex).split("/")
    level = next((i for i, name in enumerate(names) if _SPECIAL & set(name)), None)
    return (None, None) if level is None else ("/".join(names[:level]), level)


__all__ = ["find_root_prim_path_from_regex", "find_unique_string_name"]
