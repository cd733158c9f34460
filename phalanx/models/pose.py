"""Where the bodies of a model are, for a given pose of its joints: small, on the host, for pictures and start poses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from phalanx.maths.arrays import about, matrix
from phalanx.models.meshes.height_fields import grid_triangles
from phalanx.models.primitives import PRIMITIVES
from phalanx.models.robot_model import Joint, RobotModel, Shape


def bodies_in_order(model: RobotModel) -> list[str]:
    """Names of all bodies, breadth first from the root, children in the file's order: the order of ``body_pose``."""
    hidden = {body.name for body in model.bodies if body.hidden}
    children = {name: [joint.child for joint in joints] for name, joints in model.outgoing().items()}
    order = [model.root]
    for name in order:
        for child in children[name]:
            while child in hidden:
                (child,) = children[child]
            order.append(child)
    return order


def body_frames(
    model: RobotModel,
    joint_pos: Mapping[str, float],
    position: Sequence[float] = (0.0, 0.0, 0.0),
    orientation: Sequence[float] = (1.0, 0.0, 0.0, 0.0),
) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """World frame of every body: name -> (rotation (3, 3), origin (3,) in m).

    ``joint_pos`` gives revolute, continuous and prismatic joints their position by name (rad or m); joints that it
    leaves out, and joints of other types, stand at zero; mimicking ones follow. Position and orientation are those of
    the root body.
    """
    frames = {model.root: (matrix(orientation), np.asarray(position, float))}
    outgoing = model.outgoing()
    waiting = [model.root]
    while waiting:
        parent = waiting.pop()
        rotation, origin = frames[parent]
        for joint in outgoing[parent]:
            child_rotation = rotation @ matrix(joint.orientation)
            child_origin = origin + rotation @ np.asarray(joint.position, float)
            q = _position(joint, joint_pos)
            if joint.type in ("revolute", "continuous"):
                child_rotation = child_rotation @ matrix(about(joint.axis, q))
            elif joint.type == "prismatic":
                child_origin = child_origin + child_rotation @ (np.asarray(joint.axis, float) * q)
            child_rotation = child_rotation @ matrix(joint.child_orientation).T
            child_origin = child_origin - child_rotation @ np.asarray(joint.child_position, float)
            frames[joint.child] = (child_rotation, child_origin)
            waiting.append(joint.child)
    return frames


def _position(joint: Joint, joint_pos: Mapping[str, float]) -> float:
    if joint.name not in joint_pos and joint.mimic is not None:
        return joint.mimic.multiplier * joint_pos.get(joint.mimic.joint, 0.0) + joint.mimic.offset
    return float(joint_pos.get(joint.name, 0.0))


def lowest_point(model: RobotModel, joint_pos: Mapping[str, float], orientation: Sequence[float]) -> float | None:
    """Height in m of the lowest point of all collision shapes, the root's frame being at height 0.

    None when nothing can collide.
    """
    frames = body_frames(model, joint_pos, orientation=orientation)
    lowest = [
        frames[body.name][1][2] + _lowest_of(shape, frames[body.name][0])
        for body in model.bodies
        for shape in body.collisions
    ]
    return min(lowest, default=None)


def _lowest_of(shape: Shape, rotation: np.ndarray) -> float:
    """Lowest point of a shape relative to the origin of its body, whose axes are the columns of ``rotation``."""
    centre = float(rotation[2] @ np.asarray(shape.position, float))
    down = rotation[2] @ matrix(shape.orientation)  # world's z in the axes of the shape
    if shape.kind in PRIMITIVES:
        return PRIMITIVES[shape.kind].lowest(shape.size, down, centre)
    if shape.kind == "mesh":
        return centre + float((np.asarray(shape.vertices) @ down).min())
    if shape.kind == "height_field" and shape.heights is not None:
        return centre + float((grid_triangles(shape.heights, shape.size)[0] @ down).min())
    return -np.inf  # a plane
