"""Changing prims."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from phalanx.io.formats.usd.bindings import Prim, UsdShade

ROTATION = "texture_rotate"
"""An input that pictures do not honour yet; it is kept on the stage."""


def attribute(prims: Sequence[Prim], name: str, values: Any) -> None:
    """Set an attribute of prims, of materials an input of their shader.

    Args:
        prims: whose.
        name: of the attribute or input.
        values: (n, ...), one for each prim.

    Raises:
        ValueError: there are not as many values as prims, or a prim has no such attribute.
    """
    if len(values) != len(prims):
        raise ValueError(f"modify.attribute: {len(values)} values of {name} for {len(prims)} prims")
    for prim, value in zip(prims, values, strict=True):
        found = _attribute(prim, name)
        if not found:
            raise ValueError(f"modify.attribute: <{prim.GetPath()}> has no {name}")
        found.Set(_usd(value))


def _attribute(prim: Prim, name: str) -> Any:
    if not prim.IsA(UsdShade.Material):
        return prim.GetAttribute(name)
    from phalanx.io.formats.usd.bindings import Sdf

    for child in prim.GetChildren():
        if child.IsA(UsdShade.Shader):
            shader = UsdShade.Shader(child)
            known = shader.GetInput(name)
            if not known and name == ROTATION:
                known = shader.CreateInput(name, Sdf.ValueTypeNames.Float)
            return known.GetAttr() if known else None
    return None


def _usd(value: Any) -> Any:
    """As USD takes it."""
    if isinstance(value, np.ndarray):
        return tuple(value.tolist())
    return value.item() if isinstance(value, np.generic) else value
