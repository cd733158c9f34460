"""What scripts import as ``omni.physxcommands``, so that PhysX's commands are known to :mod:`omni.kit.commands`."""

from __future__ import annotations

from phalanx.facade.omni.kit.commands.materials import COMMANDS

__all__ = ["COMMANDS"]
