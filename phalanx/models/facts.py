"""A robot's description as numbers and names, for programs: what :mod:`~phalanx.models.info` says in words."""

from __future__ import annotations

import math
from typing import Any

from phalanx.models.robot_model import Body, Joint, RobotModel


def facts(model: RobotModel) -> dict[str, Any]:
    """A robot's links, joints, totals and warnings, JSON-ready, in SI units; ``None`` stands for what is unlimited."""
    dofs = {"fixed": 0, "planar": 3, "spherical": 3, "free": 6}
    return {
        "name": model.name,
        "file": model.source or None,
        "root": model.root,
        "mass": float(sum(body.mass for body in model.bodies)),
        "num_dof": sum(dofs.get(joint.type, 1) for joint in model.joints),
        "links": [_link(body) for body in model.bodies],
        "joints": [_joint(joint) for joint in model.joints],
        "actuators": [actuator.name for actuator in model.actuators],
        "tendons": [tendon.name for tendon in (*model.fixed_tendons, *model.spatial_tendons)],
        "keyframes": [frame.name for frame in model.keyframes],
        "warnings": [" ".join(warning.split()) for warning in model.warnings],
    }


def _link(body: Body) -> dict[str, Any]:
    return {
        "name": body.name,
        "mass": float(body.mass),
        "com": [float(x) for x in body.com],
        "collisions": [shape.kind for shape in body.collisions],
        "visuals": [shape.kind for shape in body.visuals],
    }


def _joint(joint: Joint) -> dict[str, Any]:
    numbers = ("lower", "upper", "effort_limit", "velocity_limit", "stiffness", "damping", "friction", "armature")
    return {
        "name": joint.name,
        "type": joint.type,
        "parent": joint.parent,
        "child": joint.child,
        "axis": [float(x) for x in joint.axis],
        **{name: _finite(getattr(joint, name)) for name in numbers},
        "mimics": joint.mimic.joint if joint.mimic else None,
    }


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
