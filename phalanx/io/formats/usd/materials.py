"""Physics materials that are bound to colliders."""

from __future__ import annotations

from typing import Any

from phalanx.io.formats.usd.bindings import Prim, UsdPhysics, UsdShade
from phalanx.io.formats.usd.values import Reading

COMBINE = ("average", "min", "multiply", "max")

UNBOUND = {"static_friction": 0.5, "dynamic_friction": 0.5, "restitution": 0.0}
"""What PhysX gives colliders that no material is bound to."""


class Materials:
    """Materials by prim, each read once."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._read: dict[str, dict[str, Any]] = {}
        self._default = self._bound(reading.scenes[0]) if reading.scenes else None

    def prim_of(self, prim: Prim) -> Prim | None:
        """The physics material of a prim: bound to it or to what is above it, or to the scene."""
        found = self._bound(prim)
        return self._default if found is None else found

    def surface(self, prim: Prim, group: Prim | None = None) -> dict[str, Any]:
        """Fields of :class:`phalanx.Material` for a collider, and the prim above it that makes it one."""
        material = self.prim_of(prim)
        found = dict(UNBOUND) if material is None else dict(self._surface(material))
        for theirs, ours in (
            ("torsionalPatchRadius", "torsional_patch_radius"),
            ("minTorsionalPatchRadius", "min_torsional_patch_radius"),
        ):
            radius = self._reading.number(group or prim, f"physxCollision:{theirs}", 0.0, least=0.0)
            if radius:
                found[ours] = radius * self._reading.units.length
        return found

    def density(self, prim: Prim) -> float:
        """kg/m^3 of the material of a collider, 0 if it does not say."""
        material = self.prim_of(prim)
        if material is None:
            return 0.0
        return self._reading.number(material, "physics:density", 0.0, least=0.0) * self._reading.units.density

    def _bound(self, prim: Prim) -> Prim | None:
        material = UsdShade.MaterialBindingAPI(prim).ComputeBoundMaterial("physics")[0]
        if not material or not material.GetPrim().HasAPI(UsdPhysics.MaterialAPI):
            return None
        return material.GetPrim()

    def _surface(self, material: Prim) -> dict[str, Any]:
        path, reading = str(material.GetPath()), self._reading
        if path not in self._read:
            static = reading.number(material, "physics:staticFriction", 0.0, least=0.0)
            dynamic = reading.number(material, "physics:dynamicFriction", 0.0, least=0.0)
            if dynamic > static:
                reading.notes.add(material, "its dynamic friction is above the static one, which is raised to it.")
            restitution = reading.number(material, "physics:restitution", 0.0, least=0.0)
            if restitution > 1.0:
                raise reading.error(
                    material, f"physics:restitution = {restitution:g} is above 1 and would make energy."
                )
            found: dict[str, Any] = {
                "static_friction": max(static, dynamic),
                "dynamic_friction": dynamic,
                "restitution": restitution,
            }
            for name in ("friction", "restitution"):
                found[f"{name}_combine"] = reading.token(
                    material, f"physxMaterial:{name}CombineMode", "average", COMBINE
                )
            for name, ours in (("Stiffness", "contact_stiffness"), ("Damping", "contact_damping")):
                value = reading.number(material, f"physxMaterial:compliantContact{name}", 0.0, least=0.0)
                if value > 0.0:
                    found[ours] = value
            self._read[path] = found
        return self._read[path]
