"""Materials that are felt."""

from __future__ import annotations

from typing import Any

from phalanx.facade import stage as stages
from phalanx.facade.isaaclab.sim.schemas.authoring import applied_schemas
from phalanx.facade.isaacsim.core.experimental.prims.prim import Prim, require
from phalanx.facade.isaacsim.core.experimental.utils.ops import place
from phalanx.io.formats.usd.bindings import UsdPhysics, UsdShade

COMBINE_MODES = ("average", "max", "min", "multiply")


class PhysicsMaterial(Prim):
    """What materials that are felt have in common.

    Args:
        paths: a path or several, or expressions for paths of materials that are there.

    Raises:
        AssertionError: a prim is no material.
        ValueError: some paths have prims and others none, or an expression matches none.
    """

    def __init__(self, paths: str | list[str], *, resolve_paths: bool = True) -> None:
        existing, missing = self.resolve_paths(paths) if resolve_paths else ([], list(paths))
        stage = stages.get_stage()
        for path in missing:
            UsdShade.Material.Define(stage, path)
        for path in existing:
            require(stage.GetPrimAtPath(path).IsA(UsdShade.Material), f"the prim at {path} is no Material")
        super().__init__(existing or missing, resolve_paths=False)

    @property
    def materials(self) -> list[Any]:
        """The prims as ``UsdShade.Material``."""
        return [UsdShade.Material(prim) for prim in self.prims]

    @staticmethod
    def are_of_type(paths: Any) -> Any:
        """(N, 1), bool: whether prims, or those at paths, are materials of this kind."""
        raise NotImplementedError("PhysicsMaterial.are_of_type: ask a class that derives from it")

    @staticmethod
    def fetch_instances(paths: Any) -> list[Any]:
        """A wrapper of each of some prims, or those at paths; ``None`` where a prim is no such material."""
        given = paths if isinstance(paths, list | tuple) else [paths]
        return [RigidBodyMaterial(str(_prim(each).GetPath())) if _is_rigid(_prim(each)) else None for each in given]


class RigidBodyMaterial(PhysicsMaterial):
    """Materials of rigid bodies. What is set counts from the next start of the simulation on.

    Args:
        paths: see :class:`PhysicsMaterial`.
        static_frictions, dynamic_frictions: coefficients at rest and in motion, (N, 1) each.
        restitutions: 0: nothing bounces; 1: all of it, (N, 1).
        densities: kg/m^3, (N, 1).
    """

    def __init__(
        self,
        paths: str | list[str],
        *,
        static_frictions: Any = None,
        dynamic_frictions: Any = None,
        restitutions: Any = None,
        densities: Any = None,
    ) -> None:
        super().__init__(paths)
        Prim.ensure_api(self.prims, UsdPhysics.MaterialAPI)
        for prim in self.prims:
            prim.AddAppliedSchema("PhysxMaterialAPI")
        if static_frictions is not None or dynamic_frictions is not None:
            self.set_friction_coefficients(static_frictions, dynamic_frictions)
        if restitutions is not None:
            self.set_restitution_coefficients(restitutions)
        if densities is not None:
            self.set_densities(densities)

    @staticmethod
    def are_of_type(paths: Any) -> Any:
        """(N, 1), bool: whether prims, or those at paths, are materials of rigid bodies."""
        given = paths if isinstance(paths, list | tuple) else [paths]
        return place([[_is_rigid(_prim(each))] for each in given], dtype=bool, device="cpu")

    def set_friction_coefficients(
        self, static_frictions: Any = None, dynamic_frictions: Any = None, *, indices: Any = None
    ) -> None:
        """Set coefficients of friction at rest and in motion, (M, 1) each; what is ``None`` stays."""
        given = static_frictions is not None or dynamic_frictions is not None
        require(given, "static_frictions and dynamic_frictions are both None")
        if static_frictions is not None:
            self._set_attribute("physics:staticFriction", "Float", static_frictions, indices)
        if dynamic_frictions is not None:
            self._set_attribute("physics:dynamicFriction", "Float", dynamic_frictions, indices)

    def get_friction_coefficients(self, *, indices: Any = None) -> tuple[Any, Any]:
        """Coefficients of friction at rest and in motion, (M, 1) each."""
        names = ("physics:staticFriction", "physics:dynamicFriction")
        return self._get_attribute(names[0], 0.0, indices), self._get_attribute(names[1], 0.0, indices)

    def set_restitution_coefficients(self, restitutions: Any, *, indices: Any = None) -> None:
        """Set how much bounces, (M, 1), 0 to 1."""
        self._set_attribute("physics:restitution", "Float", restitutions, indices)

    def get_restitution_coefficients(self, *, indices: Any = None) -> Any:
        """How much bounces, (M, 1)."""
        return self._get_attribute("physics:restitution", 0.0, indices)

    def set_densities(self, densities: Any, *, indices: Any = None) -> None:
        """Set densities, (M, 1), kg/m^3."""
        self._set_attribute("physics:density", "Float", densities, indices)

    def get_densities(self, *, indices: Any = None) -> Any:
        """Densities, (M, 1), kg/m^3; 0: none."""
        return self._get_attribute("physics:density", 0.0, indices)

    def set_combine_modes(
        self, frictions: Any = None, restitutions: Any = None, dampings: Any = None, *, indices: Any = None
    ) -> None:
        """Set how two materials that touch are combined, words of :data:`COMBINE_MODES`; what is ``None`` stays."""
        given = {"friction": frictions, "restitution": restitutions, "damping": dampings}
        require(any(each is not None for each in given.values()), "all modes are None")
        for name, words in given.items():
            if words is not None:
                self._set_words(f"physxMaterial:{name}CombineMode", "Token", words, indices, COMBINE_MODES)

    def get_combine_modes(self, *, indices: Any = None) -> tuple[list[str], list[str], list[str]]:
        """How friction, restitution and damping of two materials that touch are combined, (M,) words each."""
        names = ("friction", "restitution", "damping")
        found = [self._get_words(f"physxMaterial:{name}CombineMode", "average", indices) for name in names]
        return found[0], found[1], found[2]

    def set_enabled_compliant_contacts(self, enabled: Any, *, indices: Any = None) -> None:
        """Let gains of contacts that give way be accelerations rather than forces, (M, 1)."""
        self._set_attribute("physxMaterial:compliantContactAccelerationSpring", "Bool", enabled, indices)

    def get_enabled_compliant_contacts(self, *, indices: Any = None) -> Any:
        """Whether gains of contacts that give way are accelerations, (M, 1), bool."""
        return self._get_attribute("physxMaterial:compliantContactAccelerationSpring", False, indices)

    def set_compliant_contact_gains(
        self, stiffnesses: Any = None, dampings: Any = None, *, indices: Any = None
    ) -> None:
        """Let contacts give way as springs and dampers, (M, 1) each; 0: they do not. What is ``None`` stays."""
        require(stiffnesses is not None or dampings is not None, "stiffnesses and dampings are both None")
        if stiffnesses is not None:
            self._set_attribute("physxMaterial:compliantContactStiffness", "Float", stiffnesses, indices)
        if dampings is not None:
            self._set_attribute("physxMaterial:compliantContactDamping", "Float", dampings, indices)

    def get_compliant_contact_gains(self, *, indices: Any = None) -> tuple[Any, Any]:
        """Stiffnesses and dampings of contacts that give way, (M, 1) each."""
        names = ("physxMaterial:compliantContactStiffness", "physxMaterial:compliantContactDamping")
        return self._get_attribute(names[0], 0.0, indices), self._get_attribute(names[1], 0.0, indices)


def _prim(each: Any) -> Any:
    return stages.get_stage().GetPrimAtPath(each) if isinstance(each, str) else each


def _is_rigid(prim: Any) -> bool:
    names = {"PhysicsMaterialAPI", "PhysxMaterialAPI"}
    return bool(prim) and prim.IsA(UsdShade.Material) and bool(names & set(applied_schemas(prim)))
