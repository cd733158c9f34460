"""Angles of loop joints and their limits: checked, put into tables, and measured."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from phalanx import components as c
from phalanx.components.loop_limit import SWING_LIMIT, TURN_LIMIT, TWIST_LIMIT
from phalanx.ecs import Store
from phalanx.world import checking
from phalanx.world.layout.columns import Columns

TURN = 2 * math.pi


@dataclass(frozen=True)
class AngleLimits:
    """Limits of one joint, rad: of the turn or twist, and of the swing about y and z; infinite: none.

    All throw back with ``restitution`` of the speed, or give way by ``stiffness`` (N·m/rad) and ``damping``
    (N·m·s/rad).
    """

    lower: float = -math.inf
    upper: float = math.inf
    swing: tuple[float, float] = (math.inf, math.inf)
    restitution: float = 0.0
    stiffness: float = 0.0
    damping: float = 0.0

    @classmethod
    def checked(
        cls,
        who: str,
        kind: str,
        lower: float | None,
        upper: float | None,
        swing: float | Sequence[float | None] | None,
        restitution: float = 0.0,
        stiffness: float = 0.0,
        damping: float = 0.0,
    ) -> AngleLimits:
        """From arguments of :meth:`phalanx.World.add_joint`.

        Raises:
            TypeError: a limit is no number.
            ValueError: a limit is out of its range, or the joint has no such angle.
        """
        if kind not in ("revolute", "spherical") and not (lower is None and upper is None):
            raise ValueError(f"{who} is {kind}: only revolute and spherical joints have lower and upper limits")
        if kind != "spherical" and swing is not None:
            raise ValueError(f"{who} is {kind}: only spherical joints have a swing_limit")
        low, high = -math.inf, math.inf
        if lower is not None:
            low = checking.number(f"{who}: lower", lower, least=-math.inf, infinite=True)
        if upper is not None:
            high = checking.number(f"{who}: upper", upper, least=-math.inf, infinite=True)
        if low > high or low == math.inf or high == -math.inf:
            raise ValueError(f"{who}: lower={low:g} is above upper={high:g}" if low > high else f"{who}: no angle fits")
        widest = max(abs(angle) for angle in (low, high, 0.0) if math.isfinite(angle))
        if kind == "spherical" and widest > math.pi:
            raise ValueError(f"{who}: twist limits {low:g} to {high:g} must be from -pi to pi; leave one out for none")
        given = np.asarray(swing, object)
        pair: list[Any] = given.tolist() if given.ndim else [swing, swing]
        if len(pair) != 2:
            raise ValueError(f"{who}: swing_limit={swing!r}: must be one angle, or two: about y and about z")
        widths = [math.inf if w is None else checking.number(f"{who}: swing_limit", w, above=0) for w in pair]
        if any(math.pi < width < math.inf for width in widths):
            raise ValueError(f"{who}: swing_limit={swing!r}: must be above 0, at most pi; leave it out for none")
        springs = {"restitution": restitution, "stiffness": stiffness, "damping": damping}
        values = {name: checking.number(f"{who}: limit_{name}", value) for name, value in springs.items()}
        found = cls(low, high, (widths[0], widths[1]), **values)
        if found.restitution > 1:
            raise ValueError(f"{who}: limit_restitution={restitution!r}: must be at most 1")
        if any(values.values()) and not (found.turns or found.swings):
            raise ValueError(f"{who} has no limits that could throw back or give way: pass lower, upper or swing_limit")
        if found.restitution and (found.stiffness or found.damping):
            raise ValueError(f"{who}: a limit throws back or gives way: limit_restitution goes without the others")
        return found

    @property
    def turns(self) -> bool:
        """Whether a turn or twist is limited."""
        return not math.isinf(self.lower) or not math.isinf(self.upper)

    @property
    def swings(self) -> bool:
        """Whether the swing is limited."""
        return not all(math.isinf(width) for width in self.swing)

    def rows(self, kind: str) -> list[int]:
        """Kinds of the rows of a joint of a kind."""
        found = [SWING_LIMIT] if self.swings else []
        return found + ([TURN_LIMIT if kind == "revolute" else TWIST_LIMIT] if self.turns else [])

    def to_dict(self) -> dict[str, Any]:
        """Arguments of :meth:`phalanx.World.add_joint`, JSON-ready."""

        def finite(value: float) -> float | None:
            return None if math.isinf(value) else value

        widths = [finite(width) for width in self.swing]
        return {
            "lower": finite(self.lower),
            "upper": finite(self.upper),
            "swing_limit": widths if self.swings else None,
            "limit_restitution": self.restitution,
            "limit_stiffness": self.stiffness,
            "limit_damping": self.damping,
        }


def cone(widths: Any, xp: Any = np) -> Any:
    """LoopLimitModel.cone for greatest angles about y and z; what has no limit is limited at pi."""
    return 1.0 / xp.tan(xp.minimum(xp.asarray(widths), math.pi) / 4) ** 2


def place_angle_limits(store: Store, kinds: list[str], limits: list[AngleLimits]) -> None:
    """Fill the tables of limits, once those of loop joints are."""
    host = store.device.to_host
    topology = c.LoopTopology
    dof_a, dof_b, line, count = (
        host(store.view(field))[:, 0] for field in (topology.dof_a, topology.dof_b, topology.line, topology.count)
    )
    first, end = (host(store.view(f))[:, 0] for f in (c.DofTopology.tree_first, c.DofTopology.tree_end))
    trees = [{(int(first[d]), int(end[d])) for d in (a, b) if d >= 0} for a, b in zip(dof_a, dof_b, strict=True)]
    columns = Columns()
    entries = shares = 0
    for j, limit in enumerate(limits):
        rows = limit.rows(kinds[j])
        if not rows:
            continue
        group, joints = connected(trees, j)
        dofs = min(low for low, _ in group), max(high for _, high in group)
        lines = min(int(line[i]) for i in joints), max(int(line[i] + count[i]) for i in joints)
        start = columns.count(c.LoopLimitTopology.loop)
        for n, kind in enumerate(rows):
            columns.add(
                {
                    c.LoopLimitTopology.kind: kind,
                    c.LoopLimitTopology.loop: j,
                    c.LoopLimitTopology.leads: int(n == 0),
                    c.LoopLimitTopology.next: start + len(rows),
                    c.LoopLimitTopology.first_dof: dofs[0],
                    c.LoopLimitTopology.end_dof: dofs[1],
                    c.LoopLimitTopology.entry: entries,
                    c.LoopLimitTopology.first_line: lines[0],
                    c.LoopLimitTopology.end_line: lines[1],
                    c.LoopLimitTopology.share: shares,
                    c.LoopLimitModel.lower: limit.lower,
                    c.LoopLimitModel.upper: limit.upper,
                    c.LoopLimitModel.cone: cone(limit.swing),
                    c.LoopLimitModel.restitution: limit.restitution,
                    c.LoopLimitModel.stiffness: limit.stiffness,
                    c.LoopLimitModel.damping: limit.damping,
                }
            )
            entries += dofs[1] - dofs[0]
            shares += lines[1] - lines[0]
    store.set_rows(c.LoopLimit, columns.count(c.LoopLimitTopology.loop))
    store.set_rows(c.LoopLimitDof, entries)
    store.set_rows(c.LoopLimitLine, shares)
    columns.write(store)


def connected(trees: list[set[tuple[int, int]]], joint: int) -> tuple[set[tuple[int, int]], list[int]]:
    """The trees that joints connect with those of one joint, and the joints that do."""
    group, size = set(trees[joint]), 0
    while len(group) > size:
        size = len(group)
        for other in trees:
            group |= other if other & group else set()
    return group, [n for n, other in enumerate(trees) if other & group]


def swing_and_twist(turn: Any, xp: Any) -> tuple[Any, Any]:
    """Of rotations (n, 4), w x y z: how far they swing the x axis, about y and z (n, 2), and the twist about x (n,).

    First twist, then swing by a rotation vector without a component along x; from -pi to pi, rad.
    """
    turn = xp.where(turn[:, :1] < 0, -turn, turn)
    w, x, y, z = turn.T
    sine, cosine = xp.sqrt(y * y + z * z), xp.sqrt(w * w + x * x)
    about = xp.stack([y * w - z * x, y * x + z * w], axis=1)
    length = xp.sqrt((about * about).sum(axis=1, keepdims=True))
    about = xp.where(length > 1e-12, about / xp.maximum(length, 1e-30), 0.0)
    return 2 * xp.arctan2(sine, cosine)[:, None] * about, 2 * xp.arctan2(x, w)


def nearest_turn(raw: Any, last: Any, xp: Any) -> Any:
    """The angles that differ from ``raw`` by whole turns and are nearest to ``last``."""
    return raw + TURN * xp.floor((last - raw) / TURN + 0.5)
