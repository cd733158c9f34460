"""What scripts import as ``omni.kit.app``: the application, which here is the script itself, without a window.

An update is a frame: a playing simulation makes the steps that fit into it, and who listens is told.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Any

from phalanx.facade import coroutines, simulation
from phalanx.facade.carb.eventdispatcher import get_eventdispatcher
from phalanx.facade.carb.events import IEventStream
from phalanx.facade.omni.ext import ExtensionManager

log = logging.getLogger("phalanx.facade")

GLOBAL_EVENT_PRE_UPDATE = "omni.kit.app.GLOBAL_EVENT_PRE_UPDATE"
GLOBAL_EVENT_UPDATE = "omni.kit.app.GLOBAL_EVENT_UPDATE"
GLOBAL_EVENT_POST_UPDATE = "omni.kit.app.GLOBAL_EVENT_POST_UPDATE"
GLOBAL_EVENT_POST_QUIT = "omni.kit.app.GLOBAL_EVENT_POST_QUIT"
GLOBAL_EVENT_PRE_SHUTDOWN = "omni.kit.app.GLOBAL_EVENT_PRE_SHUTDOWN"


class App:
    """The application: it has no window and no loop of its own; scripts let frames pass."""

    def __init__(self) -> None:
        self._running = True
        self._frames = 0
        self._frames_left: int | None = None
        self._extensions = ExtensionManager()
        self._before = IEventStream("pre update")
        self._update = IEventStream("update")
        self._after = IEventStream("post update")
        self._messages = IEventStream("messages")
        self._shutdown = IEventStream("shutdown")
        self._listener = simulation.get().frame.subscribe(self._tell, order=10)

    def is_running(self) -> bool:
        """Whether it runs: as long as the script, if that does not close its ``SimulationApp``."""
        return self._running

    def start(self) -> None:
        """Run, from now on; ``SimulationApp`` does that."""
        self._running = True

    def shutdown(self) -> None:
        """Run no more. The script goes on."""
        if self._running:
            self._running = False
            self._shutdown.push()
            get_eventdispatcher().dispatch_event(GLOBAL_EVENT_PRE_SHUTDOWN)

    def post_quit(self, return_code: int = 0) -> None:
        """Run no more, so that loops over ``is_running()`` end."""
        self.shutdown()

    def end_after(self, frames: int | None) -> None:
        """Quit after so many frames from now on; ``None``: never by itself."""
        self._frames_left = frames

    def update(self) -> None:
        """A frame: a simulation that plays makes its steps, then who listens is told.

        While there is an ``isaaclab.sim.SimulationContext``, that steps and renders its world itself.
        """
        found = simulation.current()
        if found is not simulation.get():
            self.push_update(found.rendering_dt)
            return
        dt = found.rendering_dt
        if self._before or get_eventdispatcher().has_observers(GLOBAL_EVENT_PRE_UPDATE):
            self._before.push(payload={"dt": dt})
            get_eventdispatcher().dispatch_event(GLOBAL_EVENT_PRE_UPDATE, {"dt": dt})
        simulation.get().advance()
        if self._after or get_eventdispatcher().has_observers(GLOBAL_EVENT_POST_UPDATE):
            self._after.push(payload={"dt": dt})
            get_eventdispatcher().dispatch_event(GLOBAL_EVENT_POST_UPDATE, {"dt": dt})
        coroutines.turn()

    def push_update(self, dt: float) -> None:
        """Tell who listens that a frame passed that somebody else has made; ``dt`` is the time since the last, s."""
        self._before.push(payload={"dt": dt})
        self._tell(dt)
        self._after.push(payload={"dt": dt})
        coroutines.turn()

    def _tell(self, dt: float) -> None:
        self._frames += 1
        if self._frames_left is not None:
            self._frames_left -= 1
            if self._frames_left < 0:
                self.post_quit()
        if self._update:
            self._update.push(payload={"dt": dt})
        get_eventdispatcher().dispatch_event(GLOBAL_EVENT_UPDATE, {"dt": dt})

    async def next_update_async(self) -> float:
        """Let a frame pass, and other tasks run; the time between frames, s.

        Where a script makes frames by :meth:`update`, tasks wait for the next of them, however many they are. In a loop
        of the script's own, such as that of ``asyncio.run``, nobody makes frames: there this makes one.
        """
        if not coroutines.in_turn():
            self.update()
        await asyncio.sleep(0)
        return simulation.get().rendering_dt

    pre_update_async = post_update_async = next_pre_update_async = next_post_update_async = next_update_async

    def get_update_number(self) -> int:
        """Frames that have passed."""
        return self._frames

    def get_update_event_stream(self) -> IEventStream:
        """Told the time between frames, ``event.payload["dt"]``, at each of them, after its steps."""
        return self._update

    def get_pre_update_event_stream(self) -> IEventStream:
        """The same, before its steps."""
        return self._before

    def get_post_update_event_stream(self) -> IEventStream:
        """The same, after all else."""
        return self._after

    def get_message_bus_event_stream(self) -> IEventStream:
        """Messages between those who know each other's types."""
        return self._messages

    def get_shutdown_event_stream(self) -> IEventStream:
        """Told when it closes."""
        return self._shutdown

    def get_extension_manager(self) -> ExtensionManager:
        """What knows extensions, which here are modules."""
        return self._extensions

    def print_and_log(self, message: str) -> None:
        """Print a message, and log it."""
        print(message)
        log.info("%s", message)

    def get_app_name(self) -> str:
        """What it is called."""
        return "Phalanx"

    def get_app_version(self) -> str:
        """Of Phalanx."""
        from phalanx import __version__

        return __version__

    get_build_version = get_kit_version = get_app_version

    def get_kernel_version(self) -> str:
        """Of Phalanx."""
        return self.get_app_version()

    def get_time_since_start_s(self) -> float:
        """Seconds since the process was started."""
        import time

        return time.process_time()

    def is_app_ready(self) -> bool:
        """Whether it can be used; it can."""
        return True


IApp = App
_apps: list[App] = []


def get_app() -> App:
    """The application."""
    if not _apps:
        _apps.append(App())
    return _apps[0]


def get_app_interface(*unheard: Any) -> App:
    """See :func:`get_app`."""
    return get_app()


def __getattr__(name: str) -> Any:
    raise AttributeError(f"omni.kit.app has no {name!r} here (docs/isaaclab.md lists what there is)")


__all__ = ["App", "ExtensionManager", "IApp", "get_app", "get_app_interface"]
