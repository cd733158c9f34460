"""What scripts import as ``omni.kit.commands``: commands by their names; there are few."""

from __future__ import annotations

import importlib
from typing import Any

MODULES = ("phalanx.facade.isaacsim.sensors.physx.commands",)
"""Modules that have commands, as ``COMMANDS``."""


def execute(name: str, **kwargs: Any) -> tuple[bool, Any]:
    """Run a command.

    Returns:
        Whether it worked, which is always so, and what it gives.

    Raises:
        NotImplementedError: there is no such command here.
    """
    known: dict[str, Any] = {}
    for module in MODULES:
        known |= importlib.import_module(module).COMMANDS
    if name not in known:
        raise NotImplementedError(
            f"omni.kit.commands.execute({name!r}): there is no such command here; there are {', '.join(known)}; "
            "edit the stage by pxr.Usd or isaaclab.sim.utils"
        )
    return True, known[name](**kwargs)


__all__ = ["execute"]
