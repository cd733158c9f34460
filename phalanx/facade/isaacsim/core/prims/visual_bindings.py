"""Materials that prims of a view are seen in."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

from phalanx.io.formats.usd.bindings import Prim as UsdPrim
from phalanx.io.formats.usd.bindings import UsdShade

log = logging.getLogger("phalanx.facade")


class VisualBindings:
    """The part of a view that binds materials to be seen to its prims, and knows them again."""

    _prims: list[UsdPrim]
    _applied_visual_materials: dict[int, Any] | None = None

    def _chosen(self, indices: Any) -> list[int]:
        raise NotImplementedError(f"{type(self).__name__} has no _chosen(); define it in the class")

    def _check_valid(self) -> None:
        raise NotImplementedError(f"{type(self).__name__} has no _check_valid(); define it in the class")

    def apply_visual_materials(
        self,
        visual_materials: Any,
        weaker_than_descendants: bool | Sequence[bool] | None = None,
        indices: Any = None,
    ) -> None:
        """Let prims be seen in materials.

        Args:
            visual_materials: one for all, or a list with one for each.
            weaker_than_descendants: whether materials of prims below count rather than this one; a flag, or a list with
                one for each. They do not by default.
            indices: of prims, (M,).

        Raises:
            ValueError: a list has another length than M.
        """
        self._check_valid()
        chosen = self._chosen(indices)
        materials = each("visual materials", visual_materials, len(chosen))
        weaker = each(
            "weaker_than_descendants",
            bool(weaker_than_descendants)
            if not isinstance(weaker_than_descendants, list | tuple)
            else weaker_than_descendants,
            len(chosen),
        )
        known = self._known_visual_materials()
        for i, material, weak in zip(chosen, materials, weaker, strict=True):
            bind(self._prims[i], material.material, weak)
            known[i] = material

    def _known_visual_materials(self) -> dict[int, Any]:
        if self._applied_visual_materials is None:
            self._applied_visual_materials = {}
        return self._applied_visual_materials

    def get_applied_visual_materials(self, indices: Any = None) -> list[Any]:
        """The materials that prims are bound to themselves, (M,): those that were applied, or objects made for them.

        ``None`` for a prim without one, and, with a warning, for one whose material has another shader than the classes
        of materials know.
        """
        self._check_valid()
        known = self._known_visual_materials()
        found = []
        for i in self._chosen(indices):
            path = bound(self._prims[i])
            if not path:
                known.pop(i, None)
            elif i not in known or known[i].prim_path != path:
                known[i] = _made(self._prims[i].GetStage().GetPrimAtPath(path))
            found.append(known.get(i) if path else None)
        return found

    def is_visual_material_applied(self, indices: Any = None) -> list[bool]:
        """Whether prims are bound to materials themselves, (M,)."""
        self._check_valid()
        return [bool(bound(self._prims[i])) for i in self._chosen(indices)]


def each(what: str, value: Any, count: int) -> list[Any]:
    """A value for each of some prims, from one for all or a list.

    Raises:
        ValueError: a list has another length.
    """
    if not isinstance(value, list | tuple):
        return [value] * count
    if len(value) != count:
        raise ValueError(f"there are {len(value)} {what} for {count} prims")
    return list(value)


def bind(prim: UsdPrim, material: Any, weaker_than_descendants: bool, purpose: str = "") -> None:
    """Bind a ``UsdShade.Material`` to a prim."""
    tokens = UsdShade.Tokens
    strength = tokens.weakerThanDescendants if weaker_than_descendants else tokens.strongerThanDescendants
    api = UsdShade.MaterialBindingAPI
    found = api(prim) if prim.HasAPI(api) else api.Apply(prim)
    found.Bind(material, strength, purpose or tokens.allPurpose)


def bound(prim: UsdPrim, purpose: str = "") -> str:
    """The path of the material that is bound to a prim itself; empty if there is none."""
    api = UsdShade.MaterialBindingAPI(prim)
    return str(api.GetDirectBinding(purpose or UsdShade.Tokens.allPurpose).GetMaterialPath())


def _made(prim: UsdPrim) -> Any:
    """An object for a material on the stage."""
    from phalanx.facade.isaacsim.core.api.materials import known_visual_material

    found = known_visual_material(prim)
    if found is None:
        log.warning("the shader of %s is none that there is a class of materials for", prim.GetPath())
    return found
