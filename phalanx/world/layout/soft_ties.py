"""Fill the tables of ties between deformable bodies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from phalanx import components as c
from phalanx.systems.deformable.contact_force import LEARNING
from phalanx.world.layout.columns import Columns
from phalanx.world.layout.parts import ClothPart, ParticlesPart, RopePart, SoftPart
from phalanx.world.layout.ropes import LEARNING as LEARNING_OF_ROPES

TWICE = 2.0
"""How much stiffer either end of a tie seems to be: both move at once."""


@dataclass(frozen=True)
class Tie:
    """Nodes of a body that are tied to a link, or to the world."""

    body: int
    nodes: np.ndarray
    """Numbers in the body."""
    link: int = -1
    """Row of the link, -1: the world."""
    dof: int = -1
    """The dof whose motion is the link's, -1: it does not move."""
    mass: float = 0.0
    """Of the link, kg."""
    other: int = -1
    """The deformable body that it is tied to in place of a link, -1: none."""
    carriers: np.ndarray | None = None
    """(k, 4): numbers in that body of the nodes that carry the points."""
    weights: np.ndarray | None = None
    """(k, 4): their weights."""


def place_soft_ties(
    columns: Columns,
    ties: Sequence[Tie],
    starts: Sequence[int],
    bodies: Sequence[SoftPart | ClothPart | RopePart | ParticlesPart],
    of_node: np.ndarray,
    done: int,
    found: list[np.ndarray],
) -> None:
    """Number the ties between deformable bodies, and give the nodes that they pull attachments.

    Args:
        starts: the row of the first node of each body.
        of_node: of each node its attachment; changed.
        done: attachments so far.
        found: of each of ``ties`` its rows; changed.
    """
    node, other, share, masses, learning = [], [], [], [], []
    count = 0
    for n, tie in enumerate(ties):
        if tie.other < 0 or tie.carriers is None or tie.weights is None:
            continue
        mine, theirs = bodies[tie.body], bodies[tie.other]
        found[n] = count + np.arange(len(tie.nodes))
        count += len(tie.nodes)
        node.append(starts[tie.body] + tie.nodes)
        other.append(starts[tie.other] + tie.carriers)
        share.append(tie.weights)
        give = 1 / mine.masses()[tie.nodes] + (tie.weights**2 / theirs.masses()[tie.carriers]).sum(axis=1)
        masses.append(1 / give)
        slow = isinstance(mine, RopePart) or isinstance(theirs, RopePart)
        learning.append(np.full(len(tie.nodes), LEARNING_OF_ROPES if slow else LEARNING))
    row = np.full(len(of_node), -1)
    if count:
        nodes, carriers, weights, mass = (np.concatenate(each) for each in (node, other, share, masses))
        columns.extend(
            {
                c.NodeTieTopology.node: nodes,
                c.NodeTieTopology.carriers: carriers,
                c.NodeTieTopology.weights: weights,
                c.NodeTieTopology.mass: mass,
                c.NodeTieTopology.learning: np.concatenate(learning),
            }
        )
        tie = np.concatenate([np.arange(count), np.repeat(np.arange(count), 4)])
        pulled = np.concatenate([nodes, carriers.ravel()])
        weight = np.concatenate([np.ones(count), -weights.ravel()])
        kept = np.flatnonzero(weight != 0)
        kept = kept[np.lexsort((tie[kept], pulled[kept]))]
        tie, pulled, weight = tie[kept], pulled[kept], weight[kept]
        first = np.flatnonzero(np.append(True, pulled[1:] != pulled[:-1]))
        own = pulled[first]
        row[own] = np.arange(len(own))
        of_node[own] = done + np.arange(len(own))
        none = np.full(len(own), -1)
        columns.extend(
            {
                c.TiedShareTopology.tie: tie,
                c.TiedShareTopology.weight: weight,
                c.TiedNodeTopology.node: own,
                c.TiedNodeTopology.attachment: of_node[own],
                c.TiedNodeTopology.first: first,
                c.TiedNodeTopology.end: np.append(first[1:], len(tie)),
                c.NodeAttachmentTopology.node: own,
                c.NodeAttachmentTopology.link: none,
                c.NodeAttachmentTopology.coupled: none,
                c.NodeAttachmentTopology.mass: TWICE * np.add.reduceat(np.abs(weight) * mass[tie], first),
                c.NodeAttachmentTopology.learning: np.zeros(len(own)),
            }
        )
    columns.extend({c.NodeTies.row: row})
