"""Rigid bodies of the stage, and steps of the simulation."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from phalanx.facade.isaaclab.sim.utils.edits import prim_at

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
    """Step the simulation ``seconds * steps_per_sec`` times, and let other tasks run between steps.

    Args:
        seconds: to simulate.
        steps_per_sec: steps in one of them. The length of a step is the simulation's own, whatever this says.
        callback: called after each step, without arguments.

    Raises:
        RuntimeError: there is no simulation, or it is stopped.
    """
    from phalanx.facade.isaaclab.sim import SimulationContext

    sim = SimulationContext.instance()
    if sim is None:
        raise RuntimeError("there is no simulation: make a SimulationContext and call its reset() first")
    for _ in range(int(seconds * steps_per_sec)):
        sim.step(render=False)
        if callback is not None:
            callback()
        await asyncio.sleep(0)


__all__ = ["get_rigid_body_enabled", "set_rigid_body_enabled", "simulate_async"]
