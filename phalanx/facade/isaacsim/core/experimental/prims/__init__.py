"""Wrappers of prims whose arrays are Warp's, over the views of :mod:`phalanx.facade.isaacsim.core.prims`.

One class wraps one prim or many. Arrays that are given may be lists, NumPy's, torch's or Warp's, and are broadcast to
the shape that is wanted; arrays that are handed out are Warp's where ``warp-lang`` is installed, else the engine's own,
NumPy's or CuPy's. ``indices`` are numbers of prims, and M is how many are chosen: all of them by default. Quaternions
are (w, x, y, z).
"""

from __future__ import annotations

from typing import Any

from phalanx.facade.isaacsim.core.experimental.prims.articulation import Articulation
from phalanx.facade.isaacsim.core.experimental.prims.geom_prim import GeomPrim
from phalanx.facade.isaacsim.core.experimental.prims.prim import Prim
from phalanx.facade.isaacsim.core.experimental.prims.rigid_prim import RigidPrim
from phalanx.facade.isaacsim.core.experimental.prims.xform_prim import XformPrim
from phalanx.facade.unbuilt import refuse

__all__ = ["Articulation", "GeomPrim", "Prim", "RigidPrim", "XformPrim"]


def __getattr__(name: str) -> Any:
    raise refuse("isaacsim.core.experimental.prims", name)
