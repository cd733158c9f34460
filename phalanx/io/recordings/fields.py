"""What a recording can hold of robots, objects, collections and soft bodies: each field's dimensions, unit, meaning."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from phalanx.models.robot_model import RobotModel

POSE = ("x", "y", "z", "qw", "qx", "qy", "qz")
TWIST = ("vx", "vy", "vz", "wx", "wy", "wz")
AXIS = ("x", "y", "z")

DEFAULT_FIELDS = (
    *("joint_pos", "joint_vel", "root_pose", "root_vel", "joint_pos_target", "net_contact_force"),
    *("origin", "node_offset"),
)


@dataclass(frozen=True)
class Field:
    """A property of robots, and of what :data:`KINDS` says, env-first: (num_envs, *dims).

    ``units`` is a pair (rotary, linear) where joints decide.
    """

    name: str
    dims: tuple[str, ...]
    units: str | tuple[str, str]
    long_name: str
    description: str


FIELDS: dict[str, Field] = {
    field.name: field
    for field in (
        Field("joint_pos", ("joint",), ("rad", "m"), "joint position", "In joint order."),
        Field("joint_vel", ("joint",), ("rad/s", "m/s"), "joint velocity", "In joint order."),
        Field("joint_acc", ("joint",), ("rad/s^2", "m/s^2"), "joint acceleration", "Of the last step."),
        Field("joint_pos_target", ("joint",), ("rad", "m"), "joint position target", "What the drive aims at."),
        Field("joint_vel_target", ("joint",), ("rad/s", "m/s"), "joint velocity target", "What the drive aims at."),
        Field("joint_effort_target", ("joint",), ("N m", "N"), "joint effort target", "Added to the drive's effort."),
        Field(
            "root_pose",
            ("pose",),
            "m, quaternion",
            "pose of the root link",
            "Frame of the root link in the world, relative to the environment's origin; quaternion (w, x, y, z).",
        ),
        Field(
            "root_vel",
            ("twist",),
            "m/s, rad/s",
            "velocity of the root link",
            "Linear velocity of the root frame's origin, then angular velocity, in world axes.",
        ),
        Field(
            "body_pose",
            ("body", "pose"),
            "m, quaternion",
            "pose of every body",
            "Frames of the bodies in the world, relative to the environment's origin; quaternion (w, x, y, z).",
        ),
        Field(
            "body_vel",
            ("body", "twist"),
            "m/s, rad/s",
            "velocity of every body",
            "Linear velocity of the body frame's origin, then angular velocity, in world axes.",
        ),
        Field(
            "net_contact_force",
            ("body", "axis"),
            "N",
            "net contact force on every body",
            "Sum of the contact forces on the body during the last step, in world axes.",
        ),
        Field(
            "origin",
            ("axis",),
            "m",
            "origin of a soft body",
            "Where offsets of nodes start, in the world, relative to the environment's origin.",
        ),
        Field("node_offset", ("node", "axis"), "m", "offset of every node", "From the soft body's origin, world axes."),
        Field("node_vel", ("node", "axis"), "m/s", "velocity of every node", "In world axes."),
        Field(
            "contact_count",
            (),
            "1",
            "number of contacts",
            "Of the last substep, also those that there was no room for; none in the first sample.",
        ),
        Field(
            "contact_point",
            ("contact", "axis"),
            "m",
            "contact points",
            "Midway between the surfaces, where they met when the last substep began, in the world, relative to the "
            "environment's origin; 0 beyond the number of contacts.",
        ),
        Field("contact_normal", ("contact", "axis"), "1", "contact normals", "Unit vectors from body b to body a."),
        Field(
            "contact_force",
            ("contact", "axis"),
            "N",
            "contact forces",
            "On body a, normal part and friction, during the last substep, in world axes.",
        ),
        Field(
            "contact_separation",
            ("contact",),
            "m",
            "distances of surfaces that touch",
            "Less rest offsets; negative when they overlap.",
        ),
    )
}

_NODES = ("origin", "node_offset", "node_vel")

CONTACT_FIELDS = ("contact_count", "contact_point", "contact_normal", "contact_force", "contact_separation")
"""What is recorded of contacts."""

KINDS = {
    "robot": tuple(key for key in FIELDS if key not in (*_NODES, *CONTACT_FIELDS)),
    "object": ("root_pose", "root_vel", "body_pose", "body_vel", "net_contact_force"),
    "collection": ("root_pose", "root_vel", "net_contact_force"),
    "deformable": _NODES,
    "contact": CONTACT_FIELDS,
}
"""Fields by the kind of what is recorded."""


def dimensions(kind: str, field: str) -> tuple[str, ...]:
    """Dimensions of a field after the environment; a collection has one of objects, each with all of its bodies."""
    dims = FIELDS[field].dims
    return ("object", *(dim for dim in dims if dim != "body")) if kind == "collection" else dims


COMPONENTS = {"pose": POSE, "twist": TWIST, "axis": AXIS}


def field_attributes(field: Field, joint_names: list[str], model: RobotModel | None) -> dict[str, Any]:
    """Attributes of a field's array: ``units``, ``long_name``, ``description``; ``joint_units`` where they differ."""
    attributes: dict[str, Any] = {"long_name": field.long_name, "description": field.description}
    if isinstance(field.units, str) or model is None:
        return {"units": field.units, **attributes}
    rotary, linear = field.units
    types = {joint.name: joint.type for joint in model.joints}
    units = [linear if types.get(name) == "prismatic" else rotary for name in joint_names]
    if len(set(units)) == 1:
        return {"units": units[0], **attributes}
    return {"units": f"{rotary} or {linear}", "joint_units": units, **attributes}
