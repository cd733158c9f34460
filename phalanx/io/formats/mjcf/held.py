"""Bodies of a file that are held together."""

from __future__ import annotations

from dataclasses import dataclass

from phalanx.io.formats.mjcf.poses import Pose
from phalanx.io.formats.mjcf.tree import Node


@dataclass
class Held:
    """Two bodies held together, by poses in each; b may be the world.

    ``kind``: "spherical", "fixed", or "distance" with the least and greatest ``distances``, m.
    """

    kind: str
    name: str
    a: Node
    b: Node
    pose_a: Pose
    pose_b: Pose
    distances: tuple[float, float] | None = None
