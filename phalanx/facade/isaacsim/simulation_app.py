"""The application as scripts start it, before they import anything else."""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
from collections.abc import Coroutine, Mapping
from types import FrameType
from typing import Any, ClassVar

from phalanx.facade import simulation
from phalanx.facade.carb.settings import get_settings
from phalanx.facade.coroutines import event_loop
from phalanx.facade.omni.kit.app import App, get_app

log = logging.getLogger("phalanx.facade")

MEANT = frozenset({"headless", "open_usd", "create_new_stage", "extra_args"})
"""Settings that count, or hold here whatever their value is told to be: there is no window."""

FRAMES = "PHALANX_APP_FRAMES"
"""The environment variable that says after how many frames the application closes by itself."""


class SimulationApp:
    """The application: here the script itself, without a window.

    Ctrl-C closes it, and raises ``KeyboardInterrupt`` as ever. With the environment variable ``PHALANX_APP_FRAMES`` it
    closes after so many frames, so that scripts that run until a window is closed end.

    Args:
        launch_config: settings. ``open_usd``: a file to open; ``create_new_stage``: whether there is a stage from the
            beginning; ``extra_args``: settings as ``"--/app/name=value"``. ``headless`` is so in any case, others have
            no meaning, and are told in a log line.
        experience: no meaning.
    """

    DEFAULT_LAUNCHER_CONFIG: ClassVar[dict[str, Any]] = {
        "headless": True,
        "create_new_stage": True,
        "width": 1280,
        "height": 720,
        "renderer": "RaytracedLighting",
        "physics_gpu": 0,
        "active_gpu": None,
        "multi_gpu": True,
        "sync_loads": True,
        "hide_ui": None,
        "open_usd": None,
        "extra_args": [],
    }

    def __init__(self, launch_config: Mapping[str, Any] | None = None, experience: str | None = "") -> None:
        self.config = {"headless": True, **(launch_config or {})}
        """The settings that it was given."""
        ignored = sorted(set(self.config) - MEANT) + ["experience"] * bool(experience)
        if not self.config["headless"]:
            ignored.insert(0, "headless=False")
        if ignored:
            log.info(
                "SimulationApp: there is no window and no renderer, so these have no effect: %s", ", ".join(ignored)
            )
        for text in self.config.get("extra_args") or ():
            name, _, value = str(text).partition("=")
            if name.startswith("--/") and value:
                get_settings().set(name[2:], _value(value))
        self._app = get_app()
        self._app.start()
        event_loop()
        frames = os.environ.get(FRAMES)
        self._app.end_after(int(frames) if frames else None)
        if self.config.get("open_usd"):
            from phalanx.facade.stage import open_stage

            open_stage(self.config["open_usd"])
        elif self.config.get("create_new_stage") is False:
            from phalanx.facade.stage import close_stage

            close_stage()
        self._before: Any = None
        if threading.current_thread() is threading.main_thread():
            handler = signal.getsignal(signal.SIGINT)
            if handler is signal.default_int_handler:
                self._before = handler
                signal.signal(signal.SIGINT, self._interrupt)

    @property
    def app(self) -> App:
        """The same application as ``omni.kit.app.get_app()``."""
        return self._app

    @property
    def context(self) -> Any:
        """The same context as ``omni.usd.get_context()``."""
        from phalanx.facade.omni.usd import get_context

        return get_context()

    def is_running(self) -> bool:
        """Whether it was neither closed nor interrupted."""
        return self._app.is_running()

    def is_exiting(self) -> bool:
        """Whether it was closed or interrupted."""
        return not self._app.is_running()

    def update(self) -> None:
        """A frame: a simulation that plays makes the steps that fit into it."""
        self._app.update()

    def set_setting(self, setting: str, value: Any) -> None:
        """Keep a setting, ``"/app/..."``; see :mod:`phalanx.facade.carb.settings`."""
        get_settings().set(setting, value)

    def reset_render_settings(self) -> None:
        """Nothing: there is no renderer."""

    def run_coroutine(self, coroutine: Coroutine[Any, Any, Any], run_until_complete: bool = True) -> Any:
        """Run a coroutine, which lets frames pass where it awaits them.

        Args:
            coroutine: what an ``async`` function gives.
            run_until_complete: whether to wait for it; else it goes on at each frame.

        Returns:
            What it returns, or its task.
        """
        loop = event_loop()
        if not run_until_complete:
            return loop.create_task(coroutine)
        if loop.is_running():
            raise RuntimeError("run_coroutine: a coroutine waits for another one by `await`")
        task = loop.create_task(coroutine)
        while not task.done():
            self._app.update()
        return task.result()

    def close(self, wait_for_replicator: bool = True, skip_cleanup: bool = False) -> None:
        """End it, and the simulation, if there is one; the script goes on. Twice does no harm.

        Args:
            wait_for_replicator: no meaning.
            skip_cleanup: leave the simulation as it is.
        """
        self._app.shutdown()
        if self._before is not None and threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, self._before)
            self._before = None
        if skip_cleanup:
            return
        for name in ("isaaclab.sim.simulation_context", "isaacsim.core.api.simulation_context.simulation_context"):
            module = sys.modules.get(f"phalanx.facade.{name}")
            if module is not None:
                module.SimulationContext.clear_instance()
        simulation.get().stop()

    def __enter__(self) -> SimulationApp:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        """Ctrl-C. What the script holds is left to it: a step may be under way."""
        self.close(skip_cleanup=True)
        raise KeyboardInterrupt


def _value(text: str) -> Any:
    """A setting from a command line."""
    if text in ("true", "false"):
        return text == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text.strip("\"'")


__all__ = ["SimulationApp"]
