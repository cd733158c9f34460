"""Joints of a stage: which bodies they connect, where, and what moves in them."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from phalanx.io.formats.usd.bindings import Prim, UsdPhysics
from phalanx.io.formats.usd.bodies import Found, RigidBody
from phalanx.io.formats.usd.frames import inverse, pose, rigid
from phalanx.io.formats.usd.values import Reading

AXES = ("transX", "transY", "transZ", "rotX", "rotY", "rotZ")
"""What can move in a joint; a generic joint has them all that no limit locks."""

RADIANS = math.pi / 180.0

NARROWEST = 1e-3
"""rad: least limit of a swing."""


@dataclass
class JointPrim:
    """A joint between two bodies; ``None`` is the world.

    ``kind``: "fixed", "revolute", "prismatic", "spherical", "distance" or "generic". ``free`` has the axes that can
    move with their limits, rad or m, and frames are (4, 4) in those of the bodies. ``swing`` are the greatest angles of
    a spherical joint's axis towards the next two axes, and ``distance`` the least and the greatest one.
    """

    prim: Prim
    kind: str
    bodies: tuple[RigidBody | None, RigidBody | None]
    frames: tuple[np.ndarray, np.ndarray]
    free: dict[str, tuple[float, float]] = field(default_factory=dict)
    axis: int = 0
    swing: tuple[float, float] = (math.inf, math.inf)
    distance: tuple[float | None, float | None] = (None, None)
    excluded: bool = False
    collide: bool = False
    break_force: float = math.inf
    break_torque: float = math.inf

    @property
    def path(self) -> str:
        """Of its prim."""
        return str(self.prim.GetPath())

    @property
    def uneven(self) -> list[str]:
        """The axes about which a spherical joint may swing further to one side than to the other."""
        swings = ("rotZ", "rotY") if self.kind == "spherical" else ()
        return [axis for axis in swings if self.free[axis][0] != -self.free[axis][1]]

    @property
    def name(self) -> str:
        """Of its prim."""
        return str(self.prim.GetName())

    def instance(self, axis: str) -> str:
        """What drives and the like of an axis are called: "angular" and "linear" where there is only one."""
        if self.prim.IsA(UsdPhysics.RevoluteJoint):
            return "angular"
        return "linear" if self.prim.IsA(UsdPhysics.PrismaticJoint) else axis


def read(reading: Reading, found: Found, prim: Prim) -> JointPrim | None:
    """A joint; ``None`` if it is switched off, connects nothing that is read, or is of a kind that is not simulated."""
    if not prim.IsA(UsdPhysics.Joint):
        reading.notes.add(prim, f"joints of type {prim.GetTypeName()} are not simulated; it is left out.")
        return None
    if not reading.flag(prim, "physics:jointEnabled", True):
        return None
    if reading.has(prim, "IsaacAttachmentPointAPI"):  # says where a gripper holds; holds nothing by itself
        return None
    ends = [_end(reading, found, prim, n) for n in (0, 1)]
    if any(end is None for end in ends):
        return None
    (a, frame_a), (b, frame_b) = (end for end in ends if end is not None)
    if a is b:
        what = "the world" if a is None else f"<{a.path}>"
        raise reading.error(prim, f"both its ends are on {what}; name two bodies in physics:body0 and physics:body1.")
    kind, free = _kind(reading, prim)
    made = JointPrim(prim, kind, (a, b), (frame_a, frame_b), free)
    made.excluded = reading.flag(prim, "physics:excludeFromArticulation", False)
    made.collide = reading.flag(prim, "physics:collisionEnabled", False)
    units = reading.units
    made.break_force = reading.number(prim, "physics:breakForce", math.inf, infinite=True, least=0.0) * units.force
    made.break_torque = reading.number(prim, "physics:breakTorque", math.inf, infinite=True, least=0.0) * units.torque
    _details(reading, made)
    return made


def _end(reading: Reading, found: Found, prim: Prim, n: int) -> tuple[RigidBody | None, np.ndarray] | None:
    """Body and frame of one end; ``None`` if it is on something that is not read."""
    targets = reading.targets(prim, f"physics:body{n}")
    if len(targets) > 1:
        raise reading.error(prim, f"physics:body{n} names {len(targets)} prims; a joint has one on each side.")
    local = pose(
        reading.vector(prim, f"physics:localPos{n}", (0.0, 0.0, 0.0)),
        _unit(reading.quaternion(prim, f"physics:localRot{n}")),
    )
    if not targets:
        return None, _placed(reading.units.world, local)
    target = reading.stage.GetPrimAtPath(targets[0])
    if not target and reading.loose_ends:
        reading.notes.add(prim, f"physics:body{n} names <{targets[0]}>, which does not exist; the joint is left out.")
        return None
    if not target:
        raise reading.error(prim, f"physics:body{n} names <{targets[0]}>, which does not exist.")
    body = found.owner(targets[0])
    if body is None and _is_body(reading, target):
        reading.notes.add(prim, f"it connects to <{targets[0]}>, which is not read; the joint is left out.")
        return None
    transform = _placed(reading.transform(target), local)
    return body, transform if body is None else inverse(body.pose) @ transform


def _is_body(reading: Reading, prim: Prim) -> bool:
    """Whether a prim is an enabled rigid body or part of one."""
    while prim and not prim.IsPseudoRoot():
        if prim.HasAPI(UsdPhysics.RigidBodyAPI) and reading.flag(prim, "physics:rigidBodyEnabled", True):
            return True
        prim = prim.GetParent()
    return False


def _placed(transform: np.ndarray, local: np.ndarray) -> np.ndarray:
    """A frame within a prim's: scale moves it, but does not bend it."""
    found = rigid(transform) @ local
    found[:3, 3] = (transform @ local[:, 3])[:3]
    return found


def _unit(quaternion: np.ndarray) -> np.ndarray:
    return quaternion if quaternion.any() else np.array([1.0, 0.0, 0.0, 0.0])


def _kind(reading: Reading, prim: Prim) -> tuple[str, dict[str, tuple[float, float]]]:
    if prim.IsA(UsdPhysics.FixedJoint):
        return "fixed", {}
    if prim.IsA(UsdPhysics.RevoluteJoint):
        return "revolute", {f"rot{_axis(reading, prim)}": _bounds(reading, prim, "physics:", "Limit", RADIANS)}
    if prim.IsA(UsdPhysics.PrismaticJoint):
        return "prismatic", {
            f"trans{_axis(reading, prim)}": _bounds(reading, prim, "physics:", "Limit", reading.units.length)
        }
    if prim.IsA(UsdPhysics.SphericalJoint):
        return "spherical", dict.fromkeys(AXES[3:], (-math.inf, math.inf))
    if prim.IsA(UsdPhysics.DistanceJoint):
        return "distance", dict.fromkeys(AXES, (-math.inf, math.inf))
    free: dict[str, tuple[float, float]] = {}
    limited = reading.applied(prim, "PhysicsLimitAPI")
    for axis in AXES:
        scale = RADIANS if axis.startswith("rot") else reading.units.length
        prefix = f"limit:{axis}:physics:"
        low, high = (reading.number(prim, prefix + end, s * math.inf, infinite=True) * scale for end, s in _ENDS)
        if axis not in limited:
            free[axis] = (-math.inf, math.inf)
        elif low <= high:
            _check_bounds(reading, prim, axis, low, high)
            free[axis] = (low, high)  # else it is locked
    if "distance" in limited:
        reading.notes.add(prim, "limits of the distance in generic joints are not simulated; it has none.")
    turning = [axis for axis in free if axis.startswith("rot")]
    kinds = {(0, 0): "fixed", (0, 1): "revolute", (1, 0): "prismatic", (0, 3): "spherical"}
    return kinds.get((len(free) - len(turning), len(turning)), "generic"), free


_ENDS = (("low", -1.0), ("high", 1.0))


def _axis(reading: Reading, prim: Prim) -> str:
    return reading.token(prim, "physics:axis", "X", ("X", "Y", "Z"))


def _bounds(reading: Reading, prim: Prim, before: str, after: str, scale: float) -> tuple[float, float]:
    low = reading.number(prim, f"{before}lower{after}", -math.inf, infinite=True) * scale
    high = reading.number(prim, f"{before}upper{after}", math.inf, infinite=True) * scale
    if low > high:
        raise reading.error(prim, f"{before}lower{after} is above the upper one; swap them.")
    _check_bounds(reading, prim, f"{before}lower{after} and the upper one", low, high)
    return low, high


def _check_bounds(reading: Reading, prim: Prim, what: str, low: float, high: float) -> None:
    if low == math.inf or high == -math.inf:
        raise reading.error(prim, f"{what}: no position is between {low} and {high}.")


def _details(reading: Reading, made: JointPrim) -> None:
    prim = made.prim
    if made.kind == "distance":
        found: list[float | None] = []
        for name in ("physics:minDistance", "physics:maxDistance"):
            value = reading.number(prim, name, -1.0, infinite=True)
            found.append(value * reading.units.length if 0.0 <= value < math.inf else None)
        made.distance = (found[0], found[1])
        if found[0] is not None and found[1] is not None and found[0] > found[1]:
            raise reading.error(prim, "physics:minDistance is above physics:maxDistance; swap them.")
    elif prim.IsA(UsdPhysics.SphericalJoint):
        made.axis = "XYZ".index(_axis(reading, prim))
        cones = [reading.number(prim, f"physics:coneAngle{n}Limit", -1.0, infinite=True) * RADIANS for n in (0, 1)]
        made.swing = (_cone(reading, prim, cones[0]), _cone(reading, prim, cones[1]))
    elif made.kind == "spherical":
        widths = []
        for axis in ("rotZ", "rotY"):  # the axis, x, swings towards y about z
            low, high = made.free[axis]
            widths.append(_cone(reading, prim, max(abs(low), abs(high))))
        made.swing = (widths[0], widths[1])


def _cone(reading: Reading, prim: Prim, angle: float) -> float:
    """A greatest angle of swing; negative is none."""
    if 0.0 <= angle < NARROWEST:
        reading.notes.add(prim, "its cone is too narrow; it may swing by a milliradian.")
        return NARROWEST
    return angle if 0.0 <= angle < math.pi else math.inf


def connected(joint: JointPrim) -> list[RigidBody]:
    """Its bodies that forces move."""
    return [body for body in joint.bodies if body is not None and not body.kinematic]


def drawn(joint: JointPrim) -> np.ndarray:
    """(4, 4): the frame on its second body in that on its first, as the stage shows them."""
    ends: list[Any] = [
        frame if body is None else body.pose @ frame for body, frame in zip(joint.bodies, joint.frames, strict=True)
    ]
    return inverse(ends[0]) @ ends[1]
