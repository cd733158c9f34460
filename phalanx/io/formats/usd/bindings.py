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


class _Module:
    """A module of ``pxr``, imported when something of it is first asked for."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        """Something of the module, which stays here so that it is not looked up again."""
        try:
            module = importlib.import_module(f"pxr.{self._name}")
        except ImportError as error:
            raise ImportError(
                f"USD needs the package usd-core ({error}); install it with pip install 'phalanx[isaac]'"
            ) from error
        found = getattr(module, name)
        setattr(self, name, found)
        return found


Ar: Any = _Module("Ar")
Gf: Any = _Module("Gf")
Kind: Any = _Module("Kind")
Plug: Any = _Module("Plug")
Sdf: Any = _Module("Sdf")
Tf: Any = _Module("Tf")
Usd: Any = _Module("Usd")
UsdGeom: Any = _Module("UsdGeom")
UsdLux: Any = _Module("UsdLux")
UsdPhysics: Any = _Module("UsdPhysics")
UsdShade: Any = _Module("UsdShade")
UsdUtils: Any = _Module("UsdUtils")
Vt: Any = _Module("Vt")
