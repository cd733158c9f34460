"""The modules of ``pxr``, which only those who read USD need to have installed.

They have no types that a checker could see, so they are ``Any`` here, and so are prims and stages elsewhere.
"""

from __future__ import annotations

import importlib
from typing import Any

Prim = Any
"""A ``Usd.Prim``."""

Stage = Any
"""A ``Usd.Stage``."""


def _module(name: str) -> Any:
    try:
        return importlib.import_module(f"pxr.{name}")
    except ImportError as error:
        raise ImportError(
            f"reading USD needs the package usd-core ({error}); install it with pip install 'phalanx[isaac]'"
        ) from error


Ar: Any = _module("Ar")
Gf: Any = _module("Gf")
Kind: Any = _module("Kind")
Sdf: Any = _module("Sdf")
Tf: Any = _module("Tf")
Usd: Any = _module("Usd")
UsdGeom: Any = _module("UsdGeom")
UsdPhysics: Any = _module("UsdPhysics")
UsdShade: Any = _module("UsdShade")
UsdUtils: Any = _module("UsdUtils")
Vt: Any = _module("Vt")
