"""``phalanx view``: robots, scenes and recordings in the browser."""

from __future__ import annotations

import contextlib
import sys
import webbrowser
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from phalanx.commands.common import COMPILING, UserError, check_output, patience, progress_bar, user_mistakes
from phalanx.commands.loading import load
from phalanx.commands.run import RunOptions, set_gains

if TYPE_CHECKING:
    from phalanx.viewer.display import Display
    from phalanx.viewer.recorded import RecordingViewer
    from phalanx.viewer.viewer import Viewer


@dataclass
class ViewOptions:
    """The options of ``phalanx view``."""

    subject: str
    run: RunOptions
    host: str
    port: int
    token: str | None
    speed: float | None
    paused: bool
    no_browser: bool
    export: Path | None
    envs: tuple[int, ...]
    fps: float


def view(o: ViewOptions) -> int:
    """Show what was asked for until Ctrl-C, or write it as a page."""
    recorded = Path(o.subject).is_dir() or Path(o.subject).suffix == ".zarr"
    if o.export is not None and not recorded:
        raise UserError(f"--export is for recordings; {o.subject} is none. Record it first: phalanx run --record.")
    with viewer_mistakes():
        if o.export is not None:
            return _export(o)
        return _recording(o) if recorded else _world(o)


@contextlib.contextmanager
def viewer_mistakes() -> Iterator[None]:
    """Turn what keeps a viewer from starting into a mistake of the user's."""
    from phalanx.viewer.gate import ViewerError

    with user_mistakes(ValueError):
        try:
            yield
        except ViewerError as error:
            raise UserError(f"{error}.") from error


def announce(viewer: Display, open_browser: bool = False) -> None:
    """Say where to look."""
    print(f"viewer       {viewer.url}", flush=True)
    if open_browser and sys.stdout.isatty():
        webbrowser.open(viewer.url)


def _recording(o: ViewOptions) -> int:
    from phalanx.io.recordings.replay import open_recording
    from phalanx.viewer.recorded import RecordingViewer

    recording = open_recording(Path(o.subject))
    with patience(COMPILING):
        viewer = RecordingViewer(
            recording, o.host, o.port, token=o.token, fps=o.fps, playing=not o.paused, speed=o.speed or 1.0
        )
    with viewer:
        _choose(viewer, o)
        announce(viewer, not o.no_browser)
        _until_interrupted(viewer)
    return 0


def _world(o: ViewOptions) -> int:
    from phalanx.commands.controllers import controller
    from phalanx.viewer.viewer import Viewer

    loaded = load(o.run)
    world = loaded.world
    with patience(COMPILING):
        for robot in loaded.robots:
            set_gains(loaded, robot, o.run)
        loaded.start()
        viewer = Viewer(world, o.host, o.port, token=o.token, fps=o.fps, playing=not o.paused, speed=o.speed)
    every = range(world.num_envs)
    made = [(robot, *controller(o.run.controller, robot, every, world.num_envs, o.run.seed)) for robot in loaded.robots]
    driven = [(robot, targets, period) for robot, targets, period in made if targets is not None and robot.num_dof]

    def control(_: Any) -> None:
        for robot, targets, period in driven:
            if world.step_count % max(1, round(period / world.dt)) == 0:
                robot.set_targets(pos=targets(world.time))

    with viewer:
        _choose(viewer, o)
        announce(viewer, not o.no_browser)
        with contextlib.suppress(KeyboardInterrupt):
            viewer.run(control=control if driven else None)
    return 0


def _choose(viewer: Viewer | RecordingViewer, o: ViewOptions) -> None:
    """See the environments that were asked for."""
    from phalanx.viewer.selection import ONE, SOME

    for env in o.envs:
        if not 0 <= env < viewer.num_envs:
            raise UserError(f"--env must be between 0 and {viewer.num_envs - 1}, not {env}.")
    envs = list(o.envs)
    if envs:
        chosen = viewer.selection
        chosen.mode, chosen.env, chosen.some = SOME if len(envs) > 1 else ONE, envs[0], tuple(envs)
        viewer.place_camera()


def _until_interrupted(viewer: RecordingViewer) -> None:
    with contextlib.suppress(KeyboardInterrupt):
        while True:
            viewer.pace.wait(3600.0)


def _export(o: ViewOptions) -> int:
    from phalanx.commands.common import folder_size
    from phalanx.io.recordings.replay import open_recording
    from phalanx.viewer.recorded import export_html

    assert o.export is not None
    check_output(o.export)
    recording = open_recording(Path(o.subject))
    total = max(1, round((float(recording.time[-1]) - float(recording.time[0])) * o.fps))
    with patience("Writing the page ..."), progress_bar(total, " frames", "writing") as bar:
        frames = export_html(recording, o.export, o.envs or None, fps=o.fps, progress=bar.update)
    print(f"page         {o.export}: {frames} frames, {frames / o.fps:.3g} s, {folder_size(o.export)}")
    contacts = recording.contacts is not None and "contact_point" in recording.contacts
    drawn = "contact points and forces are drawn; its scene tree shows normals" if contacts else "no contacts recorded"
    print(f"             {drawn}; plots are not in pages: phalanx view {o.subject}")
    return 0
