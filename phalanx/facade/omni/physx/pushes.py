"""Forces and torques on one body at a time, which add up until the next step."""

from __future__ import annotations

from typing import Any
from weakref import ReferenceType, ref

import numpy as np

from phalanx.facade import simulation
from phalanx.facade.omni.physx.scene_query import triple
from phalanx.facade.physx.rigid_body_view import RigidBodyView
from phalanx.facade.pxr.PhysicsSchemaTools import intToSdfPath
from phalanx.facade.stage_world import StageWorld

MODES = ("Force", "Impulse", "Acceleration", "VelocityChange")

_pending: dict[str, np.ndarray] = {}
_before: tuple[ReferenceType[StageWorld] | None, int] = (None, -1)


def push(body_path: int, force: Any, torque: Any, position: Any, mode: str) -> None:
    """Push a body during the next step, besides what pushes it already.

    Args:
        body_path: number of the path of its prim.
        force, torque: world axes; ``None`` for none. ``mode`` says what the force is.
        position: where the force acts, in the world, m; ``None``: at the centre of mass.
        mode: one of :data:`MODES`.

    Raises:
        ValueError: the prim is no rigid body that is simulated, or there is no such mode.
    """
    global _before
    found = simulation.current()
    world, path = found.world, str(intToSdfPath(body_path))
    if world is None or not world.has_body(path):
        raise ValueError(f"<{path}> is no rigid body that is simulated, so it cannot be pushed")
    if str(mode) not in MODES:
        raise ValueError(f"mode {mode!r}: it must be one of {', '.join(MODES)}")
    if _before[0] is None or _before[0]() is not world or _before[1] != found.steps:
        _pending.clear()
        _before = (ref(world), found.steps)
    place = world.place(path)
    view = RigidBodyView(world.world, [((place.actor, place.body), place.env or 0)], [path], world.origins)
    view.raw = True
    both = _pending.setdefault(path, np.zeros(6))
    if force is not None:
        pushed = triple(force) * _scale(view, str(mode), found.physics_dt)
        both[:3] += pushed
        if position is not None:
            both[3:] += np.cross(triple(position) - _centre(view), pushed)
    if torque is not None:
        both[3:] += triple(torque)
    view.apply_forces_and_torques_at_position(
        both[None, None, :3].astype("float32"), both[None, None, 3:].astype("float32"), None, None, True
    )


def _scale(view: RigidBodyView, mode: str, dt: float) -> float:
    mass = float(_host(view.get_masses()).reshape(-1)[0]) if mode in ("Acceleration", "VelocityChange") else 1.0
    return mass / dt if mode in ("Impulse", "VelocityChange") else mass


def _centre(view: RigidBodyView) -> np.ndarray:
    """(3,): the centre of mass in the world, m."""
    pose, com = _host(view.get_transforms()).reshape(7), _host(view.get_coms()).reshape(-1)[:3]
    x, y, z, w = pose[3:]
    axis = np.array([x, y, z])
    turned = com + 2.0 * np.cross(axis, np.cross(axis, com) + w * com)
    return pose[:3] + turned


def _host(values: Any) -> np.ndarray:
    return np.asarray(values.get() if hasattr(values, "get") else values)
