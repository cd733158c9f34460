"""Environments in a grid on the stage."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from phalanx.facade.isaaclab.sim.utils import standardize_xform_ops
from phalanx.facade.isaaclab.sim.utils.edits import copy_prim
from phalanx.io.formats.usd.bindings import Gf, Sdf, Stage

TRANSLATE = "xformOp:translate"


def grid_origins(count: int, spacing: float) -> np.ndarray:
    """(count, 3): origins of environments in a grid about the world's origin, m.

    There are at most as many columns as rows. Rows follow each other against x, the environments of a row along y.
    """
    rows = math.ceil(count / math.isqrt(count))
    columns = math.ceil(count / rows)
    row, column = np.divmod(np.arange(count), columns)
    x, y = (rows - 1) / 2 - row, column - (columns - 1) / 2
    return np.stack([x * spacing, y * spacing, np.zeros(count)], axis=1)


def make_environments(stage: Stage, paths: Sequence[str], origins: np.ndarray, copy_from_source: bool) -> None:
    """Make all environments copies of the first, each at its origin.

    Args:
        stage: of the prims.
        paths: of the environments; the prim of the first must be there.
        origins: (n, 3), m, in the frame of the prim above them.
        copy_from_source: whether to write copies of all prims; else environments inherit from the first, if they have
            nothing of their own.
    """
    layer = stage.GetEditTarget().GetLayer()
    standardize_xform_ops(stage.GetPrimAtPath(paths[0]), origins[0].tolist())
    if copy_from_source:
        copy_prim(stage, paths[0], paths[1:])
    with Sdf.ChangeBlock():
        for path, origin in zip(paths[1:], origins[1:].tolist(), strict=True):
            spec = Sdf.CreatePrimInLayer(layer, path)
            if not copy_from_source:
                spec.specifier, spec.typeName = Sdf.SpecifierDef, "Xform"
                if not spec.nameChildren:
                    spec.inheritPathList.prependedItems = [Sdf.Path(paths[0])]
            place = spec.properties.get(TRANSLATE)
            if place is None:
                place = Sdf.AttributeSpec(spec, TRANSLATE, Sdf.ValueTypeNames.Double3)
            place.default = Gf.Vec3d(*origin)
