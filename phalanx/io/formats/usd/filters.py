"""What does not collide with what: collision groups and filtered pairs.

Colliders of the same groups make a class; each class has a bit of its own, and lets in those of the classes that it
meets, and bit 0, which things from elsewhere have. Pairs of bodies are left to the engine's list of those; where a pair
names a single collider, or the ground, that collider is a class of its own.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations_with_replacement

from phalanx.io.formats.scene_file import Ground
from phalanx.io.formats.usd.bindings import Prim, Usd, UsdPhysics
from phalanx.io.formats.usd.collision_groups import CollisionGroups
from phalanx.io.formats.usd.models import ActorModel
from phalanx.io.formats.usd.values import Reading
from phalanx.models.robot_model import Shape

Pair = tuple[tuple[str, str], tuple[str, str]]
"""Two bodies, (actor, body) each."""

Class = tuple[frozenset[str], str]
"""Groups, and the path of a collider that some pair names."""

MOST = 62
"""Bits for classes: those of a signed number, less the one of things from elsewhere."""


@dataclass
class Filters:
    """Keeps what does not collide apart.

    Args:
        colliders: shapes or grounds by the path of their prim.
        owners: (actor, body) by the path of a body.
    """

    reading: Reading
    actors: dict[str, ActorModel]
    colliders: dict[str, Shape | Ground]
    owners: dict[str, tuple[str, str]]
    separated: list[Pair] = field(default_factory=list)

    def apply(self, prims: list[Prim]) -> list[Pair]:
        """Set the bits of all colliders and the pairs of robots; hands back pairs of bodies of different actors."""
        barred: set[frozenset[str]] = set()
        for prim in prims:
            if prim.HasAPI(UsdPhysics.FilteredPairsAPI):
                for target in self.reading.targets(prim, "physics:filteredPairs"):
                    barred |= self._pair(prim, str(target))
        groups = self._groups()
        if groups or barred:
            self._bits(groups, barred)
        return self.separated

    # -- pairs -------------------------------------------------------------------------------------------------

    def _pair(self, prim: Prim, target: str) -> set[frozenset[str]]:
        """Pairs of colliders that a filtered pair bars; those of bodies are noted down."""
        ends = [self._bodies(path) for path in (str(prim.GetPath()), target)]
        if ends[0] and ends[1]:
            for a in ends[0]:
                for b in ends[1]:
                    self._separate(a, b)
            return set()
        solids = [self._solids(path) for path in (str(prim.GetPath()), target)]
        if not solids[0] or not solids[1]:
            missing = target if solids[0] else str(prim.GetPath())
            text = f"its filtered pair names <{missing}>, which is no body, collider or articulation that is read."
            self.reading.notes.add(prim, text)
        return {frozenset((a, b)) for a in solids[0] for b in solids[1]}

    def _bodies(self, path: str) -> list[tuple[str, str]]:
        """The bodies that a path stands for: itself, or all of an articulation."""
        if path in self.owners and path not in self.colliders:
            return [self.owners[path]]
        for actor in self.actors.values():
            if actor.kind == "robot" and actor.path == path:
                return [(actor.name, body) for body in actor.bodies.values()]
        return []

    def _solids(self, path: str) -> list[str]:
        """The colliders that a path stands for: itself, or those below."""
        below = path.rstrip("/") + "/"
        return [one for one in self.colliders if one == path or one.startswith(below)]

    def _separate(self, a: tuple[str, str], b: tuple[str, str]) -> None:
        if a == b:
            return
        if a[0] != b[0]:
            self.separated.append((a, b))
        else:
            self.actors[a[0]].model.disabled_pairs.append((a[1], b[1]))

    # -- groups ------------------------------------------------------------------------------------------------

    def _groups(self) -> dict[str, frozenset[str]]:
        """Collision groups of each collider that has any."""
        found: dict[str, set[str]] = {}
        for prim in self.reading.groups:
            members = Usd.CollectionAPI.Get(prim, "colliders").ComputeMembershipQuery()
            for path in self.colliders:
                if members.IsPathIncluded(path):
                    found.setdefault(path, set()).add(str(prim.GetPath()))
        return {path: frozenset(groups) for path, groups in found.items()}

    def _bits(self, groups: dict[str, frozenset[str]], barred: set[frozenset[str]]) -> None:
        named = {path for pair in barred for path in pair}
        classes: dict[Class, list[str]] = {}
        for path in self.colliders:
            key = (groups.get(path, frozenset()), path if path in named else "")
            classes.setdefault(key, []).append(path)
        table = CollisionGroups(self.reading, {one for mine, _ in classes for one in mine})
        keys = list(classes)
        if len(keys) > MOST:
            raise self.reading.error(
                self.reading.stage.GetPrimAtPath(next(iter(self.colliders))),
                f"collision groups and filtered pairs set {len(keys)} sorts of colliders apart, more than {MOST}; "
                "filter bodies instead of colliders, or merge groups.",
            )
        affinity = dict.fromkeys(range(len(keys)), 1)
        for i, j in combinations_with_replacement(range(len(keys)), 2):
            (mine, a), (theirs, b) = keys[i], keys[j]
            apart = any(not table.collide(one, other) for one in mine for other in theirs)
            if not apart and not (a and b and frozenset((a, b)) in barred):
                affinity[i] |= 2 << j
                affinity[j] |= 2 << i
        for i, key in enumerate(keys):
            for path in classes[key]:
                one = self.colliders[path]
                one.contact_type, one.contact_affinity = 2 << i, affinity[i]
