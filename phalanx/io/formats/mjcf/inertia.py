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


def lever(node: Node, joint: JointNode, solids: dict[str, Solid]) -> float:
    """Effort of a hinge or slide per acceleration of gravity, at its worst, of what it carries: kg m or kg."""
    position, orientation = node.world_pose()
    axis, anchor = rotate(orientation, joint.axis), position + rotate(orientation, joint.anchor)
    total = np.zeros(3)
    for one in node.walk():
        at, turn = one.world_pose()
        centre = at + matrix(turn) @ solids[one.name].com
        total += solids[one.name].mass * (np.cross(axis, centre - anchor) if joint.kind == "revolute" else axis)
    return float(np.linalg.norm(total))


def carried(node: Node, solids: dict[str, Solid]) -> float:
    """Force per acceleration of a body's centre of mass while all joints are free to move, kg; mean of directions.

    The mean is that of accelerations per force. 0 for what cannot move. Bodies on the world's slides alone have their
    mass, as there: where they are no body's parent, slide along axes of their own frame, and that is the principal one.
    """
    if _slides_only(node, solids[node.name]):
        return solids[node.name].mass
    known = solids[node.root.name].carried
    if not known:
        matrix, _ = mass_matrix(node.root, solids)
        inverse = np.linalg.pinv(matrix, hermitian=True)
        for name, mine, _, linear in _velocities(node.root, solids)[2]:
            eased = float(np.einsum("di,dj,ij->d", linear.T, linear.T, inverse[np.ix_(mine, mine)]).mean())
            known[name] = 1.0 / eased if eased > 0.0 else 0.0
    return known[node.name]


def _slides_only(node: Node, solid: Solid) -> bool:
    alone = node.root is node and not node.children and len(node.joints) > 0
    alone = alone and all(joint.kind == "prismatic" and np.count_nonzero(joint.axis) == 1 for joint in node.joints)
    scale = max(float(np.abs(solid.inertia).max()), 1e-300)
    diagonal = np.abs(solid.inertia - np.diag(np.diag(solid.inertia))).max() < 1e-9 * scale
    return alone and bool(diagonal) and not np.any(solid.com)


def mass_matrix(root: Node, solids: dict[str, Solid]) -> tuple[np.ndarray, dict[str, int]]:
    """Mass matrix (n, n) of a tree with armatures, and the first dof of each joint.

    Sums each body's inertia over the velocities that unit speeds of the joints above it give it.
    """
    dofs, armature, moved = _velocities(root, solids)
    found = np.diag(np.array(armature, float))
    for name, mine, angular, linear in moved:
        solid = solids[name]
        turned = matrix(solid.node.world_pose()[1])
        inertia = turned @ solid.inertia @ turned.T
        found[np.ix_(mine, mine)] += angular @ inertia @ angular.T + solid.mass * linear @ linear.T
    return found, dofs


def _velocities(
    root: Node, solids: dict[str, Solid]
) -> tuple[dict[str, int], list[float], list[tuple[str, list[int], np.ndarray, np.ndarray]]]:
    """First dofs of joints, armatures of dofs, and of each body its dofs, and how they turn it and move its centre."""
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
    moved = []
    for node in root.walk():
        position, orientation = node.world_pose()
        centre = position + matrix(orientation) @ solids[node.name].com
        mine = above[id(node)]
        angular = np.array([motions[d][0] for d in mine]).reshape(-1, 3)
        linear = np.array([motions[d][1] + np.cross(motions[d][0], centre - motions[d][2]) for d in mine])
        moved.append((node.name, mine, angular, linear.reshape(-1, 3)))
    return dofs, armature, moved


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
