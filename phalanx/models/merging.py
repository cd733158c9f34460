"""Models with fewer bodies: those that fixed joints connect become one."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any

import numpy as np

from phalanx.maths.arrays import IDENTITY, matrix, product, rotate
from phalanx.models.articulation import child_frame, steiner
from phalanx.models.robot_model import Body, Joint, RobotModel, Shape

Frame = tuple[np.ndarray, np.ndarray]
"""Position (3,) and quaternion w x y z (4,)."""


def merge_fixed_joints(model: RobotModel, keep: Collection[str] = ()) -> RobotModel:
    """The same robot with bodies that fixed joints connect made one, by the name of the one nearest to the root.

    Masses are summed; shapes, joints, tendons and pairs of bodies go to the body that is left, and so does the share of
    gravity, weighted by mass. The given model stays as it is. Bodies to ``keep`` stay bodies by themselves, and so do
    those whose joint says so.
    """
    outgoing = model.outgoing()
    bodies = {body.name: body for body in model.bodies}
    home: dict[str, tuple[str, Frame]] = {model.root: (model.root, (np.zeros(3), IDENTITY))}
    waiting = [model.root]
    for name in waiting:
        carrier, (at, facing) = home[name]
        for joint in outgoing[name]:
            waiting.append(joint.child)
            home[joint.child] = (joint.child, (np.zeros(3), IDENTITY))
            apart = joint.keeps_bodies_apart or bodies[joint.child].hidden or joint.child in keep
            if joint.type == "fixed" and not apart:
                place = at + rotate(facing, np.array(joint.position, float))
                turned = product(facing, np.array(joint.orientation, float))
                offset, back = child_frame(joint)
                home[joint.child] = (carrier, (place + rotate(turned, offset), product(turned, back)))
    kept = {name: replace(body, collisions=[], visuals=[]) for name, body in bodies.items() if home[name][0] == name}
    for body in model.bodies:
        carrier, frame = home[body.name]
        if carrier != body.name:
            _add(kept[carrier], body, frame)
        kept[carrier].collisions += [_moved(shape, frame) for shape in body.collisions]
        kept[carrier].visuals += [_moved(shape, frame) for shape in body.visuals]
    return replace(
        model,
        bodies=list(kept.values()),
        joints=[_carried(joint, *home[joint.parent]) for joint in model.joints if home[joint.child][0] == joint.child],
        spatial_tendons=[
            replace(tendon, attachments=[_point(one, *home[one.body]) for one in tendon.attachments])
            for tendon in model.spatial_tendons
        ],
        disabled_pairs=[pair for a, b in model.disabled_pairs if len(set(pair := (home[a][0], home[b][0]))) == 2],
        warnings=list(model.warnings),
    )


def _add(body: Body, other: Body, frame: Frame) -> None:
    """Add the mass of a body that has that frame in another one."""
    turned = matrix(frame[1])
    com = frame[0] + turned @ np.array(other.com, float)
    inertia = turned @ np.asarray(other.inertia, float) @ turned.T
    total = body.mass + other.mass
    if total > 0.0:
        middle = (body.mass * np.array(body.com, float) + other.mass * com) / total
        inertia = inertia + steiner(body.mass, np.array(body.com, float) - middle) + steiner(other.mass, com - middle)
        body.gravity_scale = (body.mass * body.gravity_scale + other.mass * other.gravity_scale) / total
        body.com = _three(middle)
    body.medium = body.medium or other.medium
    body.mass, body.inertia = total, np.asarray(body.inertia, float) + inertia


def _moved(shape: Shape, frame: Frame) -> Shape:
    if frame[1] is IDENTITY and not frame[0].any():
        return shape
    return replace(shape, **_placed(shape.position, shape.orientation, frame))


def _carried(joint: Joint, parent: str, frame: Frame) -> Joint:
    if parent == joint.parent:
        return joint
    return replace(joint, parent=parent, **_placed(joint.position, joint.orientation, frame))


def _point(attachment: Any, body: str, frame: Frame) -> Any:
    if body == attachment.body:
        return attachment
    position = frame[0] + rotate(frame[1], np.array(attachment.position, float))
    return replace(attachment, body=body, position=_three(position))


def _placed(position: Any, orientation: Any, frame: Frame) -> dict[str, Any]:
    """Position and orientation in a frame, seen from where that is."""
    w, x, y, z = product(frame[1], np.array(orientation, float)).tolist()
    return {
        "position": _three(frame[0] + rotate(frame[1], np.array(position, float))),
        "orientation": (w, x, y, z),
    }


def _three(values: np.ndarray) -> tuple[float, float, float]:
    x, y, z = values.tolist()
    return x, y, z
