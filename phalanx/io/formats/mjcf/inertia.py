"""What resists a joint's effort, in the pose in which the file shows the bodies."""

from __future__ import annotations

import numpy as np

from phalanx.io.formats.mjcf.bodies import Solid
from phalanx.io.formats.mjcf.tree import JointNode, Node
from phalanx.maths.arrays import matrix, rotate


def resistance(node: Node, joint: JointNode, solids: dict[str, Solid]) -> float:
    """Effort per acceleration of a hinge or slide while all others are free to move, kg·m² or kg.

    It is what the diagonal entry of the inverse mass matrix is the inverse of.
    """
    known = solids[node.root.name].resistances
    if not known:
        matrix, dofs = mass_matrix(node.root, solids)
        inverse = np.diag(np.linalg.pinv(matrix, hermitian=True))
        known |= {name: 1.0 / float(inverse[dof]) if inverse[dof] > 0.0 else 0.0 for name, dof in dofs.items()}
    return known[joint.name]


def mass_matrix(root: Node, solids: dict[str, Solid]) -> tuple[np.ndarray, dict[str, int]]:
    """Mass matrix (n, n) of a tree with armatures, and the first dof of each joint.

    Sums each body's inertia over the velocities that unit speeds of the joints above it give it.
    """
    dofs: dict[str, int] = {}
    motions: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []  # (turning about, moving along, through)
    above: dict[int, list[int]] = {}
    armature: list[float] = []
    for node in root.walk():
        position, orientation = node.world_pose()
        mine = list(above.get(id(node.parent), []))
        for joint in node.joints:
            dofs[joint.name] = len(motions)
            anchor = position + rotate(orientation, joint.anchor)
            own = _motions(joint, orientation, anchor)
            mine += range(len(motions), len(motions) + len(own))
            motions += own
            weight = 0.0 if joint.kind == "free" else joint.values.number("armature", 0.0)
            armature += [weight] * len(own)
        above[id(node)] = mine
    found = np.diag(np.array(armature, float))
    for node in root.walk():
        solid = solids[node.name]
        position, orientation = node.world_pose()
        turned = matrix(orientation)
        centre = position + turned @ solid.com
        inertia = turned @ solid.inertia @ turned.T
        mine = above[id(node)]
        angular = np.array([motions[d][0] for d in mine]).reshape(-1, 3)
        linear = np.array([motions[d][1] + np.cross(motions[d][0], centre - motions[d][2]) for d in mine]).reshape(
            -1, 3
        )
        found[np.ix_(mine, mine)] += angular @ inertia @ angular.T + solid.mass * linear @ linear.T
    return found, dofs


def _motions(
    joint: JointNode, orientation: np.ndarray, anchor: np.ndarray
) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    none, axes = np.zeros(3), list(np.eye(3))
    turns, moves = [(axis, none, anchor) for axis in axes], [(none, axis, anchor) for axis in axes]
    axis = rotate(orientation, joint.axis)
    return {
        "revolute": [(axis, none, anchor)],
        "prismatic": [(none, axis, anchor)],
        "spherical": turns,
        "free": moves + turns,
    }[joint.kind]
