"""Materials that are felt: friction and restitution."""

from __future__ import annotations

import logging
from typing import Any

from phalanx.facade import stage as stages
from phalanx.io.formats.usd.bindings import Prim, UsdPhysics, UsdShade

log = logging.getLogger("phalanx.facade")


class PhysicsMaterial:
    """A material with ``UsdPhysics.MaterialAPI``. Where there is one already, only what is given changes.

    Args:
        prim_path: where it is.
        name: what it is called.
        static_friction: coefficient of friction at rest.
        dynamic_friction: coefficient of friction in motion. PhysX, and the engine, raise that at rest to it.
        restitution: 0: nothing bounces; 1: all of it.

    Raises:
        ValueError: there is a prim of another type at the path.
    """

    def __init__(
        self,
        prim_path: str,
        name: str = "physics_material",
        static_friction: float | None = None,
        dynamic_friction: float | None = None,
        restitution: float | None = None,
    ) -> None:
        stage = stages.get_stage()
        prim = stage.GetPrimAtPath(prim_path)
        if prim and prim.GetTypeName() not in ("Material", ""):
            raise ValueError(f"the prim at {prim_path} is a {prim.GetTypeName()}, and no material")
        is_new = not prim or not prim.IsA(UsdShade.Material)
        self._material = UsdShade.Material.Define(stage, prim_path) if is_new else UsdShade.Material(prim)
        self._name, self._prim_path, self._prim = name, prim_path, self._material.GetPrim()
        api = UsdPhysics.MaterialAPI
        self._api = api(self._prim) if self._prim.HasAPI(api) else api.Apply(self._prim)
        if static_friction is not None:
            self.set_static_friction(static_friction)
        if dynamic_friction is not None:
            self.set_dynamic_friction(dynamic_friction)
        if restitution is not None:
            self.set_restitution(restitution)

    @property
    def prim_path(self) -> str:
        """Where it is."""
        return self._prim_path

    @property
    def prim(self) -> Prim:
        """Its prim."""
        return self._prim

    @property
    def name(self) -> str:
        """What it is called."""
        return self._name

    @property
    def material(self) -> Any:
        """The ``UsdShade.Material``."""
        return self._material

    def __repr__(self) -> str:
        return f"<PhysicsMaterial {self._prim_path}>"

    def set_dynamic_friction(self, friction: float) -> None:
        """Set the coefficient of friction in motion."""
        self._api.CreateDynamicFrictionAttr().Set(float(friction))

    def get_dynamic_friction(self) -> float | None:
        """The coefficient of friction in motion; ``None``, with a warning, if it was never set."""
        return self._read(self._api.GetDynamicFrictionAttr(), "dynamic friction")

    def set_static_friction(self, friction: float) -> None:
        """Set the coefficient of friction at rest."""
        self._api.CreateStaticFrictionAttr().Set(float(friction))

    def get_static_friction(self) -> float | None:
        """The coefficient of friction at rest; ``None``, with a warning, if it was never set."""
        return self._read(self._api.GetStaticFrictionAttr(), "static friction")

    def set_restitution(self, restitution: float) -> None:
        """Set how much bounces, 0 to 1."""
        self._api.CreateRestitutionAttr().Set(float(restitution))

    def get_restitution(self) -> float | None:
        """How much bounces; ``None``, with a warning, if it was never set."""
        return self._read(self._api.GetRestitutionAttr(), "restitution")

    def _read(self, attribute: Any, what: str) -> float | None:
        if not attribute.HasAuthoredValue():
            log.warning("the %s of %s was never set", what, self._prim_path)
            return None
        return float(attribute.Get())


__all__ = ["PhysicsMaterial"]
