"""What scripts import as ``omni.kit.commands``: commands by their names, with or without ``Command`` at the end.

Nothing is kept to be undone.
"""

from __future__ import annotations

import importlib
import inspect
import sys
from typing import Any

MODULES = (
    "phalanx.facade.omni.kit.commands.prims",
    "phalanx.facade.omni.kit.commands.materials",
    "phalanx.facade.isaacsim.asset.importer.mjcf.commands",
    "phalanx.facade.isaacsim.asset.importer.urdf.commands",
    "phalanx.facade.isaacsim.robot.surface_gripper.commands",
    "phalanx.facade.isaacsim.sensors.physics.commands",
    "phalanx.facade.isaacsim.sensors.physx.commands",
)
"""Modules that have commands, as ``COMMANDS``."""

_registered: dict[str, type[Command]] = {}


class Command:
    """What commands of users derive from: ``do()`` does it, with what the constructor was given."""

    def do(self) -> Any:
        """Do it; what this returns is the command's result.

        Raises:
            NotImplementedError: a command does not say what it does.
        """
        raise NotImplementedError(f"{type(self).__name__} has no do()")


def _short(name: str) -> str:
    return name.removesuffix("Command") or name


def register(command: type[Command]) -> None:
    """Let a class be executed by its name."""
    _registered[_short(command.__name__)] = command


def unregister(command: type[Command]) -> None:
    """Forget a class that was registered."""
    _registered.pop(_short(command.__name__), None)


def register_all_commands_in_module(module: str) -> None:
    """Register the classes of a module, by the module's name, that derive from :class:`Command`."""
    for found in vars(sys.modules[module]).values():
        if inspect.isclass(found) and issubclass(found, Command) and found is not Command:
            register(found)


def execute(name: str, **kwargs: Any) -> tuple[bool, Any]:
    """Run a command.

    Returns:
        Whether it worked, which is always so, and what it gives.

    Raises:
        NotImplementedError: there is no such command here.
        TypeError: it takes no such argument, or an argument is of a type that does not fit.
    """
    short = _short(name)
    if short in _registered:
        return True, _registered[short](**kwargs).do()
    known: dict[str, Any] = {}
    for module in MODULES:
        known |= importlib.import_module(module).COMMANDS
    if short not in known:
        raise NotImplementedError(
            f"omni.kit.commands.execute({name!r}): there is no such command here; there are "
            f"{', '.join(sorted([*known, *_registered]))}; edit the stage by pxr.Usd or isaaclab.sim.utils"
        )
    try:
        return True, known[short](**kwargs)
    except (TypeError, AttributeError) as error:
        what = str(error).strip().partition("\n")[0]
        takes = ", ".join(inspect.signature(known[short]).parameters)
        raise TypeError(
            f"omni.kit.commands.execute({name!r}): an argument does not fit ({what}); it takes {takes}"
        ) from error


__all__ = ["Command", "execute", "register", "register_all_commands_in_module", "unregister"]
