"""Viewers of worlds that somebody else steps: training, and scripts."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from phalanx.commands.common import UserError

if TYPE_CHECKING:
    from phalanx.facade.stage_world import StageWorld
    from phalanx.viewer.viewer import Viewer
    from phalanx.world.world import World


@dataclass(frozen=True)
class Watch:
    """Where to show a world in the browser."""

    host: str = "127.0.0.1"
    port: int = 8080

    def open(self, world: World, speed: float | None = None) -> Viewer:
        """A viewer, once its address was printed.

        Args:
            speed: simulated seconds a second, while someone looks; by default as fast as possible.

        Raises:
            UserError: the port is taken, or the package viser is missing.
        """
        from phalanx.commands.view import announce, viewer_mistakes

        with viewer_mistakes():
            from phalanx.viewer.viewer import Viewer

            viewer = Viewer(world, self.host, self.port, speed=speed)
        announce(viewer)
        return viewer


def split(arguments: list[str]) -> tuple[Watch | None, list[str]]:
    """Options of ``phalanx exec`` before the script, and the script with all that follows it.

    Raises:
        UserError: an option is none, or what it needs is missing.
    """
    view, host, port, rest = False, Watch.host, Watch.port, list(arguments)
    while rest and rest[0].startswith("-"):
        flag = rest.pop(0)
        name, equals, value = flag.partition("=")
        if flag == "--view":
            view = True
            continue
        if name not in ("--host", "--port"):
            raise UserError(f"exec {flag}: before the script there are --view, --host and --port.")
        if not equals:
            if not rest:
                raise UserError(f"{name} needs a value.")
            value = rest.pop(0)
        if name == "--host":
            host = value
        elif value.isdigit():
            port = int(value)
        else:
            raise UserError(f"--port must be a whole number, not {value}.")
    return (Watch(host, port) if view else None), rest


@contextlib.contextmanager
def showing_stages(watch: Watch | None) -> Iterator[None]:
    """Show each world that the facade makes of a stage, the last one at a time, in real time.

    The first begins when someone looks.
    """
    if watch is None:
        yield
        return
    from phalanx.facade import stage_world
    from phalanx.facade.visible.shown import show_stage

    stage_world.read_visuals()
    viewers: list[Viewer] = []

    def show(made: StageWorld) -> None:
        first = not viewers
        for viewer in viewers:
            viewer.close()
        viewers[:] = [watch.open(made.world, speed=1.0)]
        show_stage(viewers[0], made)
        if first:
            viewers[0].wait()

    stage_world.MADE.append(show)
    try:
        yield
    finally:
        stage_world.MADE.remove(show)
        stage_world.read_visuals(False)
        for viewer in viewers:
            viewer.close()
