"""What materials of particles and of deformable bodies have in common, one and many."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from phalanx.facade import simulation
from phalanx.facade import stage as stages
from phalanx.facade.expressions import matching_prims
from phalanx.io.formats.usd.bindings import Prim, UsdShade


class BodyMaterial:
    """A material with attributes of PhysX. Where there is one already, only what is given changes.

    Args:
        prim_path: where it is.
        name: what it is called.
        schema: the schema of PhysX that its prim gets.

    Raises:
        ValueError: there is a prim of another type at the path.
    """

    def __init__(self, prim_path: str, name: str, schema: str) -> None:
        stage = stages.get_stage()
        prim = stage.GetPrimAtPath(prim_path)
        if prim and not prim.IsA(UsdShade.Material):
            raise ValueError(f"the prim at {prim_path} is a {prim.GetTypeName() or 'prim without type'}, no material")
        self._material = UsdShade.Material(prim) if prim else UsdShade.Material.Define(stage, prim_path)
        self._name, self._prim_path, self._prim = name, prim_path, self._material.GetPrim()
        self._prim.AddAppliedSchema(schema)

    @property
    def prim_path(self) -> str:
        """Where it is."""
        return self._prim_path

    @property
    def prim(self) -> Prim:
        """Its prim."""
        return self._prim

    @property
    def material(self) -> Any:
        """The ``UsdShade.Material``."""
        return self._material

    @property
    def name(self) -> str | None:
        """What it is called."""
        return self._name

    def is_valid(self) -> bool:
        """Whether its prim is still there."""
        return bool(self._prim) and self._prim.IsValid()

    def initialize(self, physics_sim_view: Any = None) -> None:
        """Nothing: its numbers are attributes of its prim."""

    def post_reset(self) -> None:
        """Nothing: its numbers stay."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._prim_path}>"


class BodyMaterialView:
    """Materials whose paths an expression matches. Arrays are (M,), of the backend of the world.

    Args:
        prim_paths_expr: an expression for paths, or several in a list.
        name: for scenes and messages.
        schema: the schema of PhysX that their prims get.
        given: values by the names of methods without ``set_``; those that are not ``None`` are set.

    Raises:
        ValueError: no prim matches.
    """

    def __init__(self, prim_paths_expr: str | Sequence[str], name: str, schema: str, **given: Any) -> None:
        expressions = [prim_paths_expr] if isinstance(prim_paths_expr, str) else list(prim_paths_expr)
        stage = stages.get_stage()
        self._prims = [prim for expression in expressions for prim in matching_prims(stage, expression)]
        if not self._prims:
            raise ValueError(f"Prim path expression {expressions} is invalid: there is no such material")
        self._name, self._backend = name, simulation.arrays()
        for prim in self._prims:
            prim.AddAppliedSchema(schema)
        for key, values in given.items():
            if values is not None:
                getattr(self, f"set_{key}")(values)

    @property
    def count(self) -> int:
        """Number of materials."""
        return len(self._prims)

    @property
    def name(self) -> str:
        """What it was called."""
        return self._name

    @property
    def prims(self) -> list[Prim]:
        """The prims."""
        return self._prims

    def is_valid(self, indices: Any = None) -> bool:
        """Whether the prims are still there."""
        return all(self._prims[i].IsValid() for i in self._chosen(indices))

    def is_physics_handle_valid(self) -> bool:
        """Whether the simulation has them: their numbers are attributes of prims, which simulations read."""
        return False

    def initialize(self, physics_sim_view: Any = None) -> None:
        """Hand out arrays of the world's backend from now on."""
        self._backend = simulation.arrays()

    def post_reset(self) -> None:
        """Nothing: their numbers stay."""

    def _chosen(self, indices: Any) -> list[int]:
        return self._backend.host(indices, self.count).tolist()
