"""Typed access to the attributes and relationships of prims, which names file and prim when something is wrong."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from phalanx.io.formats.usd.bindings import Prim, Stage, Usd, UsdGeom, UsdPhysics
from phalanx.io.formats.usd.frames import Units
from phalanx.io.formats.usd.notes import Notes
from phalanx.io.reading.errors import LoadError
from phalanx.models.checks import Inertias, nearest

HUGE = 1e12
"""Units or scales that no scene has."""


@dataclass
class Reading:
    """A stage that is being read: its units, what is told about it, and access to its values.

    Values are those of the earliest time, where there are any, or the default ones.
    """

    stage: Stage
    units: Units
    notes: Notes
    visuals: bool = False
    skip: frozenset[str] = frozenset()
    """Paths of prims that are left out with all below them."""
    inertias: Inertias = "refuse"
    loose_ends: bool = False
    """Whether joints that name prims which do not exist are left out, not refused."""
    _transforms: Any = field(default_factory=lambda: UsdGeom.XformCache(Usd.TimeCode.EarliestTime()))

    @cached_property
    def scenes(self) -> list[Prim]:
        """Physics scenes of the whole stage."""
        return [prim for prim in self._stagewide if prim.IsA(UsdPhysics.Scene)]

    @cached_property
    def groups(self) -> list[Prim]:
        """Collision groups of the whole stage."""
        return [prim for prim in self._stagewide if prim.IsA(UsdPhysics.CollisionGroup)]

    @cached_property
    def _stagewide(self) -> list[Prim]:
        """Prims that count wherever they are; types are compared since that is quick in stages of many prims."""
        names = ("PhysicsScene", "PhysicsCollisionGroup")
        return [prim for prim in self.walk(Usd.PrimRange.Stage(self.stage)) if prim.GetTypeName() in names]

    def walk(self, prims: Any) -> Iterator[Prim]:
        """The prims of a ``Usd.PrimRange`` without what is left out."""
        around = iter(prims)
        for prim in around:
            if self.skip and str(prim.GetPath()) in self.skip:
                around.PruneChildren()
            else:
                yield prim

    def place(self, prim: Prim) -> str:
        """File and path of a prim, as messages begin with."""
        return f"{self.notes.file}: <{prim.GetPath()}>"

    def error(self, prim: Prim, text: str) -> LoadError:
        """An error about a prim."""
        return LoadError(f"{self.place(prim)}: {text}")

    def transform(self, prim: Prim) -> np.ndarray:
        """(4, 4): from a prim's frame, scale and all, to our world, in metres."""
        local = np.array(self._transforms.GetLocalToWorldTransform(prim)).T
        if not (np.abs(local) < HUGE).all() or np.linalg.norm(local[:3, :3], axis=0).min() < 1.0 / HUGE:
            raise self.error(prim, "its transform is not finite, or scales an axis to 0; mend its xformOps.")
        return self.units.world @ local

    # -- values ------------------------------------------------------------------------------------------------

    def authored(self, prim: Prim, name: str) -> bool:
        """Whether an attribute has a value that somebody wrote."""
        attribute = prim.GetAttribute(name)
        return bool(attribute) and attribute.HasAuthoredValue()

    def value(self, prim: Prim, name: str) -> Any:
        """Of an attribute, ``None`` if it has none. Attributes of schemas that are not installed count if written."""
        attribute = prim.GetAttribute(name)
        return attribute.Get(Usd.TimeCode.EarliestTime()) if attribute else None

    def number(
        self, prim: Prim, name: str, default: float, *, infinite: bool = False, least: float = -math.inf
    ) -> float:
        """A number; infinities only where they are allowed."""
        given = self.value(prim, name)
        if given is None:
            return default
        if isinstance(given, bool) or not isinstance(given, int | float):
            raise self.error(prim, f"{name} = {given!r} must be a number.")
        if math.isnan(given) or (math.isinf(given) and not infinite):
            raise self.error(prim, f"{name} = {given} must be {'a number' if infinite else 'finite'}.")
        if given < least:
            raise self.error(prim, f"{name} = {given:g} must not be below {least:g}.")
        return float(given)

    def optional(self, prim: Prim, name: str, least: float = -math.inf) -> float | None:
        """A finite number, or nothing where it is not written or infinite, which stands for "as you like"."""
        found = self.number(prim, name, math.inf, infinite=True)
        if math.isinf(found) or not self.authored(prim, name):
            return None
        return self.number(prim, name, found, least=least)

    def vector(self, prim: Prim, name: str, default: tuple[float, float, float], infinite: bool = False) -> np.ndarray:
        """(3,)."""
        given = self.value(prim, name)
        if given is None:
            return np.array(default)
        found = np.array(given, float) if np.size(given) == 3 else np.zeros(0)
        if found.shape != (3,) or np.isnan(found).any() or not (infinite or np.isfinite(found).all()):
            raise self.error(prim, f"{name} = {given} must be 3 {'numbers' if infinite else 'finite numbers'}.")
        return found

    def quaternion(self, prim: Prim, name: str) -> np.ndarray:
        """(4,) w x y z as written; zeros where it is not."""
        given = self.value(prim, name)
        if given is None:
            return np.zeros(4)
        try:
            found = np.array([given.GetReal(), *given.GetImaginary()], float)
        except AttributeError:
            raise self.error(prim, f"{name} = {given!r} must be a quaternion.") from None
        if not np.isfinite(found).all():
            raise self.error(prim, f"{name} = {given} must be finite.")
        return found

    def flag(self, prim: Prim, name: str, default: bool) -> bool:
        """A switch."""
        given = self.value(prim, name)
        return default if given is None else bool(given)

    def token(self, prim: Prim, name: str, default: str, known: tuple[str, ...]) -> str:
        """One of some words."""
        given = self.value(prim, name)
        found = default if given in (None, "") else str(given)
        if found not in known:
            raise self.error(prim, f'{name} = "{found}" is not known{nearest(found, known)} Known: {", ".join(known)}.')
        return found

    def numbers(self, prim: Prim, name: str) -> np.ndarray:
        """(n,): a list of numbers, empty where there is none."""
        given = self.value(prim, name)
        try:
            return np.zeros(0) if given is None else np.array(given, float).reshape(-1)
        except (TypeError, ValueError):
            raise self.error(prim, f"{name} must be numbers.") from None

    def targets(self, prim: Prim, name: str) -> list[Any]:
        """Paths that a relationship points to."""
        relationship = prim.GetRelationship(name)
        return list(relationship.GetForwardedTargets()) if relationship else []

    def applied(self, prim: Prim, schema: str) -> list[str]:
        """Names of the instances of a schema that prims can have several of; installed or not."""
        listed = [str(name) for name in prim.GetPrimTypeInfo().GetAppliedAPISchemas()]
        return [name.partition(":")[2] for name in listed if name.partition(":")[0] == schema]

    def has(self, prim: Prim, schema: str) -> bool:
        """Whether a schema is applied to a prim, be it installed or not."""
        return schema in prim.GetPrimTypeInfo().GetAppliedAPISchemas()
