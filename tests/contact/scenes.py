"""Bodies to drop, and what to measure on robots that stand: from poses alone, not from the engine's contacts."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
from oracles import host
from oracles.base import Array, rotation

import phalanx as px
from phalanx.models.robot_model import Body, RobotModel, Shape

GRAVITY = 9.81


def rigid(shape: Shape, mass: float = 1.0, inertia: float | None = None) -> RobotModel:
    """A free body of one shape; the inertia is that of a solid one, or ``inertia`` about every axis."""
    if inertia is not None:
        moments = np.full(3, inertia)
    elif shape.kind == "sphere":
        moments = np.full(3, 0.4 * mass * shape.size[0] ** 2)
    elif shape.kind == "box":
        x, y, z = (2 * s for s in shape.size)
        moments = mass / 12 * np.array([y * y + z * z, x * x + z * z, x * x + y * y])
    else:
        raise ValueError(f"give the inertia of a {shape.kind}")
    return RobotModel(shape.kind, [Body("body", mass, inertia=np.diag(moments), collisions=[shape])], [])


def about(axis: Any, angle: float) -> tuple[float, float, float, float]:
    """Quaternion (w x y z) of a turn about an axis."""
    x, y, z = np.sin(angle / 2) * np.asarray(axis, float) / np.linalg.norm(axis)
    return (float(np.cos(angle / 2)), float(x), float(y), float(z))


def heights(model: RobotModel, body_names: list[str], body_pose: Array) -> Array:
    """(n,): height of the lowest collision point of a robot, from (n, num_bodies, 7) body poses."""
    shapes = {body.name: body.collisions for body in model.bodies}
    lowest = np.full(len(body_pose), np.inf)
    for column, name in enumerate(body_names):
        for shape in shapes[name]:
            for env, pose in enumerate(body_pose[:, column]):
                turned = rotation(pose[3:])
                at = pose[2] + turned[2] @ np.asarray(shape.position)
                down = turned[2] @ rotation(np.asarray(shape.orientation))  # world z in the shape's axes
                lowest[env] = min(lowest[env], at - _reach(shape, down))
    return lowest


def _reach(shape: Shape, down: Array) -> float:
    """How far a shape reaches along a direction of its own axes, from its origin (against it for a mesh)."""
    if shape.kind == "sphere":
        return shape.size[0]
    if shape.kind == "capsule":
        return shape.size[0] + shape.size[1] * abs(down[2])
    if shape.kind == "cylinder":
        return shape.size[1] * abs(down[2]) + shape.size[0] * float(np.hypot(down[0], down[1]))
    if shape.kind == "box":
        return float(np.abs(down) @ np.asarray(shape.size))
    assert shape.vertices is not None
    return -float((np.asarray(shape.vertices) @ down).min())


def lowest(robot: px.Robot) -> Array:
    """(n,): height of a robot's lowest collision point."""
    return heights(robot.model, robot.body_names, host(robot.body_pose))


def total_force(robot: px.Robot) -> Array:
    """(n, 3): sum of the contact forces on a robot, N."""
    return host(robot.net_contact_force).sum(axis=1)


def cube(half: float) -> Array:
    """(8, 3) corners of a cube."""
    return half * np.array(list(product((-1.0, 1.0), repeat=3)))


def prism(sides: int, radius: float, half: float) -> Array:
    """(2 sides, 3) corners of an upright prism on a regular polygon."""
    angle = 2 * np.pi * np.arange(sides) / sides
    ring = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)
    return np.array([[*corner, z] for corner in ring for z in (-half, half)])


def floor_mesh(length: float, width: float, cell: float) -> Shape:
    """A flat, open mesh of triangles in z = 0, facing up: squares of ``cell`` cut in two, centred at the origin."""
    rows, columns = round(length / cell), round(width / cell)
    x, y = (np.arange(rows + 1) - rows / 2) * cell, (np.arange(columns + 1) - columns / 2) * cell
    corners = np.array([[u, v, 0.0] for u in x for v in y])
    first = (np.arange(rows)[:, None] * (columns + 1) + np.arange(columns)).ravel()
    across = first + columns + 1
    faces = np.concatenate([np.stack([first, across, across + 1], 1), np.stack([first, across + 1, first + 1], 1)])
    return Shape("mesh", vertices=corners, faces=faces, approximation="triangle_mesh")
