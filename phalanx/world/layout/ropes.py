"""Fill the tables of ropes."""

from __future__ import annotations

import numpy as np

from phalanx import components as c
from phalanx.world.layout.columns import Columns
from phalanx.world.layout.parts import RopePart

FIXED = 500.0
"""How much stiffer attachments to what does not move are than contacts, by the mass of the node."""

YIELDING = 2.5e-3
"""The mass for which attachments to a link are stiff, at most, by the mass of the link."""

SLOWLY = 0.4
"""How quickly loads of attachments to links follow, by the mass of their spring and that of the link: well below 20,
beyond which they would swing up, as environments may have heavier links.
"""

LEARNING = 1e-2
"""Share of what the spring of an attachment holds that its load takes over in a small step, at most."""


class Ropes:
    """Ropes, node by node from one end to the other."""

    def __init__(self) -> None:
        self.nodes = 0
        """Nodes so far."""
        self.count = 0
        """Ropes so far."""

    def add(self, columns: Columns, part: RopePart, body: int, first_node: int) -> None:
        """Append one.

        Args:
            body: its row among deformable bodies.
            first_node: the row of its first node.
        """
        count = len(part.mesh.nodes)
        number = np.arange(count)
        columns.extend(
            {
                c.RopeNodeTopology.node: first_node + number,
                c.RopeNodeTopology.rope: np.full(count, self.count),
                c.RopeNodeTopology.body: np.full(count, body),
                c.RopeNodeTopology.before: number,
                c.RopeNodeTopology.after: count - 1 - number,
                c.RopeShape.length: np.append(part.mesh.lengths, 1.0),
                c.RopeShape.bend: part.mesh.bending(),
                c.RopeShape.curvature: part.mesh.curvature(part.curved_at_rest),
            }
        )
        columns.add(
            {
                c.RopeTopology.first: self.nodes,
                c.RopeTopology.end: self.nodes + count,
                c.RopeTopology.framed: int(part.framed),
            }
        )
        if part.framed:
            columns.add({c.FramedRopeTopology.rope: self.count})
        self.nodes += count
        self.count += 1


def tie_of_rope(part: RopePart, nodes: np.ndarray, link_mass: float | None) -> tuple[np.ndarray, float]:
    """Mass that gives springs of attachments their stiffness, (k,) in kg, and the share that loads take over.

    A stiff rope that is held by two nodes next to each other is a long lever. On springs for the mass of a node it
    swings slowly, and loads that follow quickly feed that. What does not move can hold by much stiffer springs: the
    rope is solved as a whole. A link gives way to them small step by small step, and is moved on anew at the end of the
    substep: springs that are stiff beside its own inertia would jerk it.

    Args:
        link_mass: of the link, kg; ``None``: it does not move.
    """
    if link_mass is None:
        return FIXED * part.masses()[nodes], LEARNING
    mass = min(part.masses().sum(), YIELDING * link_mass)
    return np.full(len(nodes), mass), min(LEARNING, SLOWLY * mass / link_mass)
