"""The application as scripts start it, before they import anything else."""

from __future__ import annotations

import logging
import signal
import sys
import threading
from collections.abc import Mapping
from types import FrameType
from typing import Any

from phalanx.facade.omni.kit.app import App, get_app

log = logging.getLogger("phalanx.facade")

MEANT = frozenset({"headless"})
"""Settings that hold here whatever their value is told to be: there is no window."""


class SimulationApp:
    """The application: here the script itself, without a window.

    Ctrl-C closes it, and raises ``KeyboardInterrupt`` as ever.

    Args:
        launch_config: settings; ``headless`` is so in any case, others have no meaning, and are told in a log line.
        experience: no meaning.
    """

    def __init__(self, launch_config: Mapping[str, Any] | None = None, experience: str = "") -> None:
        self.config = {"headless": True, **(launch_config or {})}
        """The settings that it was given."""
        ignored = sorted(set(self.config) - MEANT) + ["experience"] * bool(experience)
        if not self.config["headless"]:
            ignored.insert(0, "headless=False")
        if ignored:
            log.info(
                "SimulationApp: there is no window and no renderer, so these have no effect: %s", ", ".join(ignored)
            )
        self._app = get_app()
        self._app.start()
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

    def is_running(self) -> bool:
        """Whether it was neither closed nor interrupted."""
        return self._app.is_running()

    def is_exiting(self) -> bool:
        """Whether it was closed or interrupted."""
        return not self._app.is_running()

    def update(self) -> None:
        """Nothing: there is no window; step the simulation instead."""
        self._app.update()

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
        module = sys.modules.get("phalanx.facade.isaaclab.sim.simulation_context")
        if module is not None and not skip_cleanup:
            module.SimulationContext.clear_instance()

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        """Ctrl-C. What the script holds is left to it: a step may be under way."""
        self.close(skip_cleanup=True)
        raise KeyboardInterrupt


__all__ = ["SimulationApp"]
