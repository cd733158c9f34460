"""What scripts import as ``omni.kit.commands``: commands by their names. Isaac Lab's headless code runs none."""

from __future__ import annotations

from typing import Any


def execute(name: str, **kwargs: Any) -> tuple[bool, Any]:
    """Run a command.

    Raises:
        NotImplementedError: in any case; there are no commands here yet.
    """
    raise NotImplementedError(
        f"omni.kit.commands.execute({name!r}): there are no commands of Kit here; "
        "edit the stage by pxr.Usd or isaaclab.sim.utils"
    )


__all__ = ["execute"]
