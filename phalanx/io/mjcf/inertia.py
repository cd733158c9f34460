"""What a joint moves, in the pose in which the file shows the bodies."""

from __future__ import annotations

import numpy as np

from phalanx.io.mjcf.bodies import Solid
from phalanx.io.mjcf.rotations import quaternion_matrix, turn
from phalanx.io.mjcf.tree import JointNode, Node


def moved_by(node: Node, joint: JointNode, solids: dict[str, Solid]) -> float:
    """Inertia about a hinge's axis, kg·m², or mass on a slide, kg; with armature, but without other joints' share.

    It is the diagonal entry of the mass matrix.
    """
    found = joint.values.number("armature", 0.0)
    position, orientation = node.world_pose()
    axis, anchor = turn(orientation, joint.axis), position + turn(orientation, joint.anchor)
    for one in node.walk():
        solid = solids[one.name]
        if joint.kind == "prismatic":
            found += solid.mass
            continue
        place, facing = one.world_pose()
        turned = quaternion_matrix(facing)
        arm = np.cross(axis, place + turned @ solid.com - anchor)
        found += float(axis @ turned @ solid.inertia @ turned.T @ axis) + solid.mass * float(arm @ arm)
    return found
