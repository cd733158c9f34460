"""What scripts import as ``omni.kit.app``: the application, which here is the script itself."""

from __future__ import annotations

from phalanx.facade.once import tell_once


class App:
    """The application: it has no window and no loop of its own, so that there is nothing to update."""

    def __init__(self) -> None:
        self._running = True

    def is_running(self) -> bool:
        """Whether it runs: as long as the script, if that does not close its ``SimulationApp``."""
        return self._running

    def start(self) -> None:
        """Run, from now on; ``SimulationApp`` does that."""
        self._running = True

    def shutdown(self) -> None:
        """Run no more. The script goes on."""
        self._running = False

    def update(self) -> None:
        """Nothing; worlds are stepped by those who hold them."""
        tell_once("omni.kit.app: update() does nothing: there is no window; step the simulation instead")

    async def next_update_async(self) -> None:
        """Nothing; see :meth:`update`."""
        self.update()


_app = App()


def get_app() -> App:
    """The application."""
    return _app


def get_app_interface() -> App:
    """See :func:`get_app`."""
    return _app


__all__ = ["App", "get_app", "get_app_interface"]
