"""Rigid bodies of the stage, and steps of the simulation."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from phalanx.facade.isaaclab.sim.utils.edits import prim_at
from phalanx.facade.omni.kit.app import get_app

_ENABLED = "physics:rigidBodyEnabled"


def get_rigid_body_enabled(prim_path: str) -> bool | None:
    """Whether a prim of the current stage is a rigid body that moves; ``None`` if it is no rigid body.

    Raises:
        ValueError: there is no such prim.
    """
    attribute = prim_at(prim_path).GetAttribute(_ENABLED)
    return attribute.Get() if attribute else None


def set_rigid_body_enabled(_value: bool, prim_path: str) -> None:
    """Let a rigid body of the current stage move, or be static, from the next reset on; nothing if it is none.

    Raises:
        ValueError: there is no such prim.
    """
    attribute = prim_at(prim_path).GetAttribute(_ENABLED)
    if attribute:
        attribute.Set(_value)


async def simulate_async(seconds: float, steps_per_sec: int = 60, callback: Callable[..., Any] | None = None) -> None:
    """Let ``seconds * steps_per_sec`` frames pass, and let other tasks run between them.

    A simulation that plays is stepped in each, by the time between frames that it has; an
    ``isaaclab.sim.SimulationContext`` is by one step. Where none plays time stands still, and frames pass all the same.

    Args:
        seconds: how long, with frames of ``1 / steps_per_sec`` s.
        steps_per_sec: frames in one of them. How long a frame is to the simulation is its own, whatever this says.
        callback: called after each frame, without arguments.
    """
    from phalanx.facade.isaaclab.sim import SimulationContext

    context = SimulationContext.instance()
    for _ in range(int(seconds * steps_per_sec)):
        if context is None:
            await get_app().next_update_async()
        else:  # it steps by itself, not with the application
            context.step(render=False)
            await asyncio.sleep(0)
        if callback is not None:
            callback()


__all__ = ["get_rigid_body_enabled", "set_rigid_body_enabled", "simulate_async"]
