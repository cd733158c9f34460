"""Starting the application from a script's arguments."""

from __future__ import annotations

import argparse
import logging
import os
from typing import Any, ClassVar

from phalanx.ecs.device import cuda_available
from phalanx.facade.carb.settings import get_settings
from phalanx.facade.isaacsim import SimulationApp
from phalanx.facade.once import tell_once

log = logging.getLogger("phalanx.facade")

_GROUP = "app_launcher arguments"

_FLAGS = {
    "headless": "No window. There is none in any case.",
    "enable_cameras": "Pictures of what a window would show; cameras on the stage need nothing that has to be enabled.",
    "xr": "XR mode. No meaning here: ignored.",
    "verbose": "Log everything, debugging messages included.",
    "info": "Log informational messages.",
    "anim_recording_enabled": "Recording of time-sampled animations. No meaning here: ignored.",
}
_VALUES: dict[str, dict[str, Any]] = {
    "livestream": {
        "type": int,
        "default": -1,
        "choices": [-1, 0, 1, 2],
        "help": "No stream: phalanx exec --view has a viewer in the browser.",
    },
    "device": {"type": str, "default": "cuda:0", "help": 'Where to simulate: "cpu", "cuda" or "cuda:N".'},
    "experience": {"type": str, "default": "", "help": "The experience file. No meaning here: ignored."},
    "rendering_mode": {
        "type": str,
        "default": None,
        "choices": ["performance", "balanced", "quality"],
        "help": "No meaning here: ignored.",
    },
    "kit_args": {"type": str, "default": "", "help": "Arguments of Omniverse Kit. No meaning here: ignored."},
    "anim_recording_start_time": {"type": float, "default": 0.0, "help": "No meaning here: ignored."},
    "anim_recording_stop_time": {"type": float, "default": 10.0, "help": "No meaning here: ignored."},
}
_UNHEARD = {
    "xr": False,
    "anim_recording_enabled": False,
    "livestream": -1,
    "experience": "",
    "rendering_mode": None,
    "kit_args": "",
    "anim_recording_start_time": 0.0,
    "anim_recording_stop_time": 10.0,
}
"""Arguments without effect, and the values with which they ask for nothing."""


class AppLauncher:
    """Starts the application.

    Args:
        launcher_args: a script's parsed arguments, or a dictionary; those of :meth:`add_app_launcher_args` count,
            others are the script's own. Without a GPU, ``device`` of parsed arguments becomes ``"cpu"``, and that is
            told.
        kwargs: more of them.

    Attributes:
        local_rank: number of this process on its machine if ``distributed`` is given (``LOCAL_RANK``), else 0.
        global_rank: number of this process among all (``RANK``), else 0.
        device_id: number of its GPU; 0 for the CPU.

    Raises:
        ValueError: an argument is given twice, ``device`` is not one, or the environment variable
            ``ENABLE_CAMERAS``, which stands for ``enable_cameras``, is neither 0 nor 1.
    """

    def __init__(self, launcher_args: argparse.Namespace | dict[str, Any] | None = None, **kwargs: Any) -> None:
        given = vars(launcher_args) if isinstance(launcher_args, argparse.Namespace) else (launcher_args or {})
        if twice := sorted(set(given) & set(kwargs)):
            raise ValueError(f"AppLauncher: given both in launcher_args and by keyword: {', '.join(twice)}")
        settings = {**given, **kwargs}
        self.local_rank = self.global_rank = 0
        device = str(settings.get("device", "cuda:0"))
        number = device.removeprefix("cuda").removeprefix(":")
        if device != "cpu" and not (device.startswith("cuda") and (device == "cuda" or number.isdigit())):
            raise ValueError(f'AppLauncher: device={device!r} must be "cpu", "cuda" or "cuda:N"')
        if settings.get("distributed") and device != "cpu":
            self.local_rank = int(os.environ.get("LOCAL_RANK", "0"))
            self.global_rank = int(os.environ.get("RANK", "0"))
            number, device = str(self.local_rank), f"cuda:{self.local_rank}"
            if isinstance(launcher_args, argparse.Namespace):
                launcher_args.device = device
        elif device != "cpu" and not cuda_available():
            tell_once(f"there is no GPU for {device}: the simulation runs on the CPU", logging.WARNING)
            if isinstance(launcher_args, argparse.Namespace):
                # scripts hand this on to their own tensors and environments, too
                number, launcher_args.device = "", "cpu"
        self.device_id = int(number) if number.isdigit() else 0
        cameras = bool(settings.get("enable_cameras")) or _switched_on("ENABLE_CAMERAS")
        for name, value in (("cameras_enabled", cameras), ("render/offscreen", cameras)):
            get_settings().set(f"/isaaclab/{name}", value)
        get_settings().set("/app/window/enabled", False)
        if settings.get("verbose") or settings.get("info"):
            logging.basicConfig(format="[%(levelname)s] %(name)s: %(message)s")
            log.setLevel(logging.DEBUG if settings.get("verbose") else logging.INFO)
        unheard = [f"{name}={settings[name]!r}" for name, rest in _UNHEARD.items() if settings.get(name, rest) != rest]
        if told := ", ".join(unheard):
            remedy = "; phalanx exec --view SCRIPT shows the scene in the browser" if "livestream" in told else ""
            log.warning("AppLauncher: these have no effect: %s%s", told, remedy)
        self._headless = bool(settings.get("headless", False))  # Isaac Lab's own tests ask for it
        self._app = SimulationApp({"headless": self._headless})

    _APPLAUNCHER_CFG_INFO: ClassVar[dict[str, tuple[list[type], Any]]] = {
        **dict.fromkeys(_FLAGS, ([bool], False)),
        **{name: ([options["type"]], options["default"]) for name, options in _VALUES.items()},
    }
    """Types and defaults of the arguments, by Isaac Lab's name inside."""

    @property
    def app(self) -> SimulationApp:
        """The application."""
        return self._app

    @staticmethod
    def add_app_launcher_args(parser: argparse.ArgumentParser) -> None:
        """Give a script's parser the arguments ``--headless``, ``--device``, ...

        Raises:
            ValueError: the parser has one of them already.
        """
        taken = {action.dest for action in parser._actions}
        if clash := sorted(taken & (set(_FLAGS) | set(_VALUES))):
            raise ValueError(
                f"the parser already has {', '.join(clash)}, which AppLauncher adds: name the script's own otherwise"
            )
        group = parser.add_argument_group(_GROUP, description="Arguments of AppLauncher.")
        for name, text in _FLAGS.items():
            group.add_argument(f"--{name}", action="store_true", default=False, help=text)
        for name, options in _VALUES.items():
            group.add_argument(f"--{name}", **options)


def _switched_on(variable: str) -> bool:
    """Whether an environment variable is 1.

    Raises:
        ValueError: it is neither 0 nor 1.
    """
    value = os.environ.get(variable, "0")
    if value not in ("0", "1"):
        raise ValueError(f"the environment variable {variable}={value!r} must be 0 or 1")
    return value == "1"


__all__ = ["AppLauncher"]
