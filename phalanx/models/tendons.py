"""Tendons of robots, as data: what runs over which joints, or through which points."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass
class FixedTendon:
    """A length that is a sum of joint positions, each times a coefficient (m/rad or 1), plus ``offset``.

    A spring draws the length to ``rest_length`` with ``stiffness`` (N/m), a damper acts on its change with ``damping``
    (N·s/m). Below ``lower`` and above ``upper`` another spring of ``limit_stiffness`` adds to them; with 0 there are no
    limits, and with infinity they are hard. A joint gets coefficient times force, so the tendon's work is its joints'.

    Args:
        name: unique among the robot's fixed tendons.
        joints: for each joint of one dof its coefficient.
        rest_length: ``None``: the length in the robot's default state.
    """

    name: str
    joints: dict[str, float]
    stiffness: float = 0.0
    damping: float = 0.0
    limit_stiffness: float = 0.0
    rest_length: float | None = None
    offset: float = 0.0
    lower: float = -math.inf
    upper: float = math.inf


@dataclass
class Attachment:
    """A point of a body that a spatial tendon passes through, without friction, or ends at.

    The way to it from ``parent``, the number of another attachment in the list of the tendon (-1: it is the root),
    counts ``coefficient`` times. ``rest_length``, ``lower`` and ``upper`` (m) hold for the whole way from the root to a
    leaf, an attachment that is nobody's parent; ``rest_length`` is that in the default state where it is ``None``.
    """

    body: str
    position: tuple[float, float, float] = (0.0, 0.0, 0.0)
    coefficient: float = 1.0
    parent: int = -1
    rest_length: float | None = None
    lower: float = -math.inf
    upper: float = math.inf


@dataclass
class SpatialTendon:
    """A tree of attachments; the way from its root to each leaf is a tendon of its own, all with the same properties.

    Spring, damper, limits and ``offset`` as in :class:`FixedTendon`. The force acts along the whole way, at every point
    that it bends round, as of a cable over pulleys.
    """

    name: str
    attachments: list[Attachment] = field(default_factory=list)
    stiffness: float = 0.0
    damping: float = 0.0
    limit_stiffness: float = 0.0
    offset: float = 0.0

    def leaves(self) -> list[int]:
        """Numbers of the attachments that are nobody's parent."""
        parents = {attachment.parent for attachment in self.attachments}
        return [n for n in range(len(self.attachments)) if n not in parents]

    def path(self, leaf: int) -> list[int]:
        """Numbers of the attachments from the root to a leaf."""
        found = [leaf]
        while self.attachments[found[-1]].parent >= 0:
            found.append(self.attachments[found[-1]].parent)
        return found[::-1]


def check(who: str, tendons: list[FixedTendon | SpatialTendon], joints: Mapping[str, bool], bodies: list[str]) -> None:
    """Refuse tendons that a robot cannot have.

    Args:
        joints: names of its joints, and whether they have one dof.

    Raises:
        ValueError: a name is taken or unknown, a number is out of its range, or the attachments are no tree.
    """
    for kind in (FixedTendon, SpatialTendon):
        names = [tendon.name for tendon in tendons if isinstance(tendon, kind)]
        for name in {name for name in names if names.count(name) > 1 or not name}:
            raise ValueError(f"{who}: each tendon of a kind needs a name of its own; {name!r} is not")
    for tendon in tendons:
        mine = f"{who}: tendon {tendon.name!r}"
        for key in ("stiffness", "damping", "limit_stiffness"):
            value = getattr(tendon, key)
            if not value >= 0 or (math.isinf(value) and key != "limit_stiffness"):
                raise ValueError(f"{mine}: {key}={value!r}: must not be negative{_FINITE.get(key, ', and finite')}")
        if isinstance(tendon, FixedTendon):
            _check_limits(mine, tendon)
            if not tendon.joints:
                raise ValueError(f"{mine}: needs at least one joint")
            for joint, coefficient in tendon.joints.items():
                if joint not in joints:
                    raise ValueError(f"{mine}: there is no joint {joint!r}; there are {', '.join(joints)}")
                if not joints[joint]:
                    raise ValueError(f"{mine}: joint {joint!r} has more than one dof; fixed tendons need joints of one")
                if not math.isfinite(coefficient):
                    raise ValueError(f"{mine}: the coefficient of {joint!r} is {coefficient}; it must be finite")
            continue
        if len(tendon.attachments) < 2:
            raise ValueError(f"{mine}: needs at least two attachments, a root and a leaf")
        for n, attachment in enumerate(tendon.attachments):
            _check_limits(f"{mine}, attachment {n}", attachment)
            if attachment.body not in bodies:
                raise ValueError(f"{mine}: there is no body {attachment.body!r}; there are {', '.join(bodies)}")
            if (attachment.parent < 0) != (n == 0) or attachment.parent >= n:
                raise ValueError(f"{mine}: attachment {n} must come after its parent; only the first is a root")
            if not all(map(math.isfinite, (*attachment.position, attachment.coefficient))):
                raise ValueError(f"{mine}: attachment {n} must have a finite position and coefficient")


_FINITE = {"limit_stiffness": ""}


def _check_limits(who: str, tendon: Any) -> None:
    if math.isnan(tendon.lower) or math.isnan(tendon.upper) or tendon.lower > tendon.upper:
        raise ValueError(f"{who}: lower={tendon.lower} must not be above upper={tendon.upper}")
    if tendon.rest_length is not None and not math.isfinite(tendon.rest_length):
        raise ValueError(f"{who}: rest_length={tendon.rest_length}: must be finite")
