"""Worlds for the tests of tensor views, and arithmetic of rigid bodies to compare with."""

from __future__ import annotations

from typing import Any

import numpy as np

import phalanx as px
from phalanx.facade.arrays import accept
from phalanx.maths.arrays import matrix, unit
from phalanx.models.robot_model import Body, Joint, RobotModel, Shape

G = 9.81
DT = 1 / 200


def floats(value: Any) -> np.ndarray:
    """An array of any API as float64."""
    return np.asarray(accept(value, "cpu")).astype(float)


def turned(quaternions: np.ndarray) -> np.ndarray:
    """(..., 3, 3): rotation matrices of quaternions (x, y, z, w)."""
    return matrix(np.asarray(quaternions, float)[..., [3, 0, 1, 2]])


def transforms(rng: np.random.Generator, *shape: int, height: float = 10.0) -> np.ndarray:
    """Random poses (..., 7), quaternions (x, y, z, w), far above the ground."""
    poses = rng.normal(size=(*shape, 7))
    poses[..., 3:] = unit(poses[..., 3:])
    poses[..., 2] += height
    return poses


def crane() -> RobotModel:
    """A base, two hinged links and a slider; a sensor is fixed to the second link. Masses are off the joints, and the
    elbow has a frame of its own on the link that it carries.
    """
    inertia = np.array([[0.03, 0.002, -0.001], [0.002, 0.02, 0.003], [-0.001, 0.003, 0.025]])
    bodies = [
        Body("base", 3.0, (0.1, 0.0, 0.05), inertia, [Shape("box", (0.1, 0.1, 0.05))]),
        Body("upper", 2.0, (0.0, 0.05, 0.2), inertia),
        Body("lower", 1.0, (0.02, 0.0, 0.1), inertia, [Shape("sphere", (0.05,)), Shape("sphere", (0.02,))]),
        Body("sensor", 0.3, (0.0, 0.01, 0.02), inertia),
        Body("hand", 0.7, (0.05, 0.03, 0.1), inertia),
    ]
    own = {"child_position": (0.1, -0.05, 0.02), "child_orientation": (0.8, 0.0, 0.6, 0.0)}
    joints = [
        Joint("shoulder", "revolute", "base", "upper", (0.0, 0.0, 0.1), axis=(0.0, 1.0, 0.0), lower=-2.0, upper=2.0),
        Joint("elbow", "revolute", "upper", "lower", (0.0, 0.0, 0.4), axis=(1.0, 0.0, 0.0), **own),
        Joint("weld", "fixed", "lower", "sensor", (0.0, 0.1, 0.2), (0.8, 0.0, 0.6, 0.0)),
        Joint("slide", "prismatic", "lower", "hand", (0.0, 0.0, 0.3), axis=(0.0, 0.6, 0.8), lower=-0.2, upper=0.2),
    ]
    return RobotModel("crane", bodies, joints)


def objects_world(num_envs: int, device: str) -> px.World:
    """Boxes, a compound, a kinematic platform and a static wall."""
    world = px.World(num_envs, device, dt=DT)
    world.add_ground()
    bar = [px.Shape("box", (0.2, 0.1, 0.05), (0.1, 0.0, 0.0)), px.Shape("sphere", (0.08,), (-0.1, 0.05, 0.02))]
    things = {
        "box": {"source": px.Shape("box", (0.1, 0.1, 0.1)), "position": (0.0, 0.0, 0.1)},
        "bar": {"source": bar, "position": (0.0, 2.0, 3.0)},
        "ball": {"source": px.Shape("sphere", (0.1,)), "position": (0.0, -2.0, 3.0)},
    }
    world.add_rigid_objects(things, "things", mass=2.0)
    world.add_rigid_object(px.Shape("box", (0.3, 0.3, 0.05)), "platform", kind="kinematic", position=(3.0, 0.0, 1.0))
    world.add_rigid_object(px.Shape("box", (0.1, 1.0, 1.0)), "wall", kind="static", position=(-3.0, 0.0, 1.0))
    return world
