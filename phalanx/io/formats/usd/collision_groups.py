"""Which collision groups of a stage collide with which.

As ``UsdPhysics.CollisionGroup.ComputeCollisionGroupTable`` has it, for the groups that are asked for only: that
function's table of all groups takes seconds where thousands of environments have one each. PhysX's attribute of the
scene that turns all filters round counts, too.
"""

from __future__ import annotations

from collections.abc import Iterable

from phalanx.io.formats.usd.bindings import Prim, UsdPhysics
from phalanx.io.formats.usd.values import Reading

INVERTED = "physxScene:invertCollisionGroupFilter"


class CollisionGroups:
    """Knows whether groups collide.

    Args:
        reading: of the stage.
        used: paths of the groups that will be asked for.
    """

    def __init__(self, reading: Reading, used: Iterable[str]) -> None:
        self._merged = {str(prim.GetPath()): _name(prim) for prim in reading.groups}
        names = {self._merged[path] for path in used}
        inverted = any(reading.flag(scene, INVERTED, False) for scene in reading.scenes[:1])
        self._apart: set[frozenset[str]] = set()
        for prim in reading.groups:
            mine = self._merged[str(prim.GetPath())]
            if mine not in names:
                continue
            group = UsdPhysics.CollisionGroup(prim)
            listed = map(str, group.GetFilteredGroupsRel().GetTargets())
            theirs = {self._merged[path] for path in listed if path in self._merged}
            if inverted or bool(group.GetInvertFilteredGroupsAttr().Get()):
                theirs = names - theirs
            self._apart |= {frozenset((mine, other)) for other in theirs}

    def collide(self, one: str, other: str) -> bool:
        """Whether two groups collide with each other, by their paths."""
        return frozenset((self._merged[one], self._merged[other])) not in self._apart


def _name(prim: Prim) -> str:
    """What groups that are merged have in common; of others their path."""
    merged = UsdPhysics.CollisionGroup(prim).GetMergeGroupNameAttr().Get()
    return f"merged {merged}" if merged else str(prim.GetPath())
