"""Options of robots and rigid objects from the attributes of bodies and articulation roots."""

from __future__ import annotations

import math
from typing import Any

from phalanx.io.formats.usd.bindings import Prim
from phalanx.io.formats.usd.bodies import RigidBody
from phalanx.io.formats.usd.joints import RADIANS
from phalanx.io.formats.usd.values import Reading

ANGULAR_DAMPING = 0.05
"""1/s, of bodies that do not say, as in PhysX."""

MAX_ANGULAR_VELOCITY = 100.0
"""rad/s, likewise."""


def of_body(reading: Reading, body: RigidBody) -> dict[str, Any]:
    """Options of a body's own."""
    prim, length = body.prim, reading.units.length
    found: dict[str, Any] = {
        "linear_damping": reading.number(prim, "physxRigidBody:linearDamping", 0.0, least=0.0),
        "angular_damping": reading.number(prim, "physxRigidBody:angularDamping", ANGULAR_DAMPING, least=0.0),
    }
    caps = {
        "max_linear_velocity": ("physxRigidBody:maxLinearVelocity", length, math.inf),
        "max_angular_velocity": ("physxRigidBody:maxAngularVelocity", RADIANS, MAX_ANGULAR_VELOCITY),
        "max_depenetration_velocity": ("physxRigidBody:maxDepenetrationVelocity", length, math.inf),
    }
    for ours, (theirs, scale, default) in caps.items():
        value = default
        if reading.authored(prim, theirs):
            value = reading.number(prim, theirs, default, infinite=True, least=0.0) * scale
        if 0.0 < value < 1e15:
            found[ours] = value
    if not reading.flag(prim, "physxRigidBody:enableGyroscopicForces", True):
        found["gyroscopic_forces"] = False
    return {**found, **_solver(reading, prim, "physxRigidBody")}


def of_robot(reading: Reading, bodies: list[RigidBody], marker: Prim | None) -> dict[str, Any]:
    """Options of a robot, whose first body is its root: those of the root, and of the articulation itself."""
    found = of_body(reading, bodies[0])
    for body in bodies[1:]:
        other = of_body(reading, body)
        for name in ("linear_damping", "angular_damping", "gyroscopic_forces", "max_depenetration_velocity"):
            if other.get(name) != found.get(name):
                what = name.replace("_", " ")
                reading.notes.add(body.prim, f"the {what} of all bodies of a robot is that of its root here.")
        for name in ("max_linear_velocity", "max_angular_velocity"):
            if other.get(name) != found.get(name):
                reading.notes.add(body.prim, "caps on velocity hold for the root of a robot only.")
    return found if marker is None else {**found, **_solver(reading, marker, "physxArticulation")}


def _solver(reading: Reading, prim: Prim, prefix: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    square = reading.units.length**2
    for ours, theirs in (("sleep_threshold", "sleepThreshold"), ("stabilization_threshold", "stabilizationThreshold")):
        value = reading.optional(prim, f"{prefix}:{theirs}", least=0.0)
        if value is not None:
            found[ours] = value * square
    for ours, theirs, least in (
        ("position_iterations", "solverPositionIterationCount", 1),
        ("velocity_iterations", "solverVelocityIterationCount", 0),
    ):
        value = reading.optional(prim, f"{prefix}:{theirs}", least=0.0)
        if value is not None:
            found[ours] = max(least, int(value))
    return found


def locked_axes(reading: Reading, prim: Prim) -> tuple[bool, ...]:
    """Six flags: the axes of the world along and about which a body does not move."""
    bits = [int(reading.number(prim, f"physxRigidBody:{name}", 0.0)) for name in ("lockedPosAxis", "lockedRotAxis")]
    flags = [bool(mask >> n & 1) for mask in bits for n in range(3)]
    if not any(flags) or (reading.units.upright == [[1, 0, 0], [0, 1, 0], [0, 0, 1]]).all():
        return tuple(flags)
    return tuple(flags[3 * part + n] for part in (0, 1) for n in (0, 2, 1))  # y up becomes z up, z becomes -y
