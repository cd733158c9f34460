"""What scripts import as ``omni.kit.app``: the application, which here is the script itself.

It has no window and no loop of its own. Its update events come when the simulation renders, before and after, and when
the script calls ``update()``.
"""

from __future__ import annotations

from typing import Any

from phalanx.facade.event_streams import EventStream
from phalanx.facade.once import tell_once


class ExtensionManager:
    """Which extensions of Kit there are: modules of the facade by their names."""

    def is_extension_enabled(self, name: str) -> bool:
        """Whether the facade has a module of the name."""
        from phalanx.facade.isaacsim.core.utils import extensions

        return bool(extensions.get_extension_id(name))

    def set_extension_enabled_immediate(self, name: str, enabled: bool) -> bool:
        """Whether the facade has a module of the name, if it is to be enabled; nothing is loaded or unloaded."""
        from phalanx.facade.isaacsim.core.utils import extensions

        return extensions.enable_extension(name) if enabled else extensions.disable_extension(name)

    set_extension_enabled = set_extension_enabled_immediate

    def get_enabled_extension_id(self, name: str) -> str:
        """Name and version of an extension; empty if the facade has no module of the name."""
        from phalanx.facade.isaacsim.core.utils import extensions

        return extensions.get_extension_id(name)

    def get_extension_path(self, ext_id: str) -> str:
        """The folder of an extension's module; ValueError if there is none."""
        from phalanx.facade.isaacsim.core.utils import extensions

        return extensions.get_extension_path(ext_id)


class App:
    """The application."""

    def __init__(self) -> None:
        self._running = True
        self._number = 0
        self._streams = {name: EventStream(f"omni.kit.app {name}") for name in ("pre", "update", "post", "shutdown")}
        self._bus = EventStream("omni.kit.app message bus")
        self._extensions = ExtensionManager()

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
            self._streams["shutdown"].push()

    def update(self) -> None:
        """Tell who subscribed to updates; worlds are stepped by those who hold them."""
        tell_once("omni.kit.app: update() steps nothing: there is no window; step the simulation instead")
        self.push_update(0.0)

    async def next_update_async(self) -> None:
        """See :meth:`update`."""
        self.update()

    def push_update(self, dt: float) -> None:
        """Events of one update; ``dt`` is the time since the last one, s."""
        self._number += 1
        for name in ("pre", "update", "post"):
            self._streams[name].push(payload={"dt": dt})

    def get_update_number(self) -> int:
        """How many updates there were."""
        return self._number

    def get_pre_update_event_stream(self) -> EventStream:
        """Events before updates."""
        return self._streams["pre"]

    def get_update_event_stream(self) -> EventStream:
        """Events of updates."""
        return self._streams["update"]

    def get_post_update_event_stream(self) -> EventStream:
        """Events after updates: after a simulation has rendered."""
        return self._streams["post"]

    def get_shutdown_event_stream(self) -> EventStream:
        """The event when it is closed."""
        return self._streams["shutdown"]

    def get_message_bus_event_stream(self) -> EventStream:
        """Events that scripts send to each other."""
        return self._bus

    def get_extension_manager(self) -> ExtensionManager:
        """Which extensions there are."""
        return self._extensions

    def get_app_name(self) -> str:
        """``"phalanx"``."""
        return "phalanx"

    def get_app_version(self) -> str:
        """Phalanx's version."""
        from phalanx import __version__

        return __version__


_app = App()


def get_app() -> App:
    """The application."""
    return _app


def get_app_interface(*unheard: Any) -> App:
    """See :func:`get_app`."""
    return _app


__all__ = ["App", "ExtensionManager", "get_app", "get_app_interface"]
