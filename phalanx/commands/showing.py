"""Pictures, videos and readings of sensors that ``phalanx replay`` makes of a recording."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from phalanx.commands.common import COMPILING, VIDEO_SIZE, UserError, check_output, patience, progress_bar

if TYPE_CHECKING:
    from phalanx.io.recordings.playback import Playback
    from phalanx.io.recordings.replay import Recording
    from phalanx.world.world import World

PICTURE_SIZE = (1280, 960)
SENSORS = "camera, camera:BODY, imu:BODY, scan:BODY, contact"
_CHUNK = 256  # frames whose poses are computed at a time


@dataclass(frozen=True)
class Seen:
    """What pictures and videos of a run show: environments (none: as many as fit), and how."""

    envs: tuple[int, ...] = (0,)
    size: tuple[int, int] | None = None
    eye: tuple[float, float, float] | None = None
    target: tuple[float, float, float] | None = None
    follow: str | None = None
    fps: float = 30.0

    def environments(self, most: int, num_envs: int) -> list[int]:
        """Which of so many are shown, at most."""
        return [*self.envs] or [*range(min(most, num_envs))]


@dataclass(frozen=True)
class Shown:
    """What is to be made of a recording; see ``phalanx replay --help``."""

    envs: tuple[int, ...]
    picture: Path | None = None
    video: Path | None = None
    sensors: tuple[str, ...] = ()
    show: str = "rgb"
    eye: tuple[float, float, float] | None = None
    target: tuple[float, float, float] | None = None
    size: tuple[int, int] | None = None
    fps: float = 30.0
    out: Path | None = None
    follow: str | None = None

    @property
    def camera(self) -> str | None:
        """The sensor that is a camera, if there is one."""
        return next((sensor for sensor in self.sensors if sensor.partition(":")[0] == "camera"), None)

    @property
    def others(self) -> list[str]:
        """Sensors besides it."""
        return [sensor for sensor in self.sensors if sensor != self.camera]

    def readings_file(self, recording: Path) -> Path:
        """Where readings go: beside the recording unless told otherwise."""
        return self.out or recording.parent / f"{recording.stem}.sensors.zarr"


def check(shown: Shown, file: Path) -> None:
    """Complain of options before anything is read.

    Raises:
        UserError: an option cannot be, or lacks another.
    """
    check_output(shown.picture, ".png")
    check_output(shown.video)
    for sensor in shown.sensors:
        kind, colon, body = sensor.partition(":")
        if kind not in ("camera", "imu", "scan", "contact") or (colon and not body) or (kind == "contact" and colon):
            raise UserError(f"--sensor {sensor}: there are {SENSORS}.")
        if kind in ("imu", "scan") and not body:
            raise UserError(f"--sensor {sensor}: say of which body, {kind}:BODY.")
    if sum(sensor.startswith("camera") for sensor in shown.sensors) > 1:
        raise UserError("--sensor: one camera at a time.")
    seen = shown.picture is not None or shown.video is not None
    if shown.camera is not None and not seen:
        raise UserError(f"--sensor {shown.camera} needs --video or --picture.")
    if not seen:
        show = None if shown.show == "rgb" else shown.show
        for flag, value in (("--eye", shown.eye), ("--target", shown.target), ("--size", shown.size), ("--show", show)):
            if value is not None:
                raise UserError(f"{flag} needs --video or --picture.")
    check_seen(shown, seen)
    if (shown.eye is None) != (shown.target is None) and ":" in (shown.camera or ""):
        raise UserError("--eye and --target: give both of a camera that a body carries, or neither.")
    if shown.follow is not None and ":" in (shown.camera or ""):
        raise UserError("--follow: a camera that a body carries goes along with that body.")
    if shown.out is not None and not shown.others:
        raise UserError("--out needs a --sensor that it is to hold: imu:BODY, scan:BODY or contact.")
    if shown.video is not None:
        from phalanx.images.pictures.video import check_video

        check_video(shown.video, shown.fps, shown.size or VIDEO_SIZE)
    if shown.others:
        from phalanx.io.recordings.sensor_files import check_sensor_file

        path = shown.readings_file(file)
        check_sensor_file(path)
        if not path.is_dir():
            check_output(path)


def check_seen(view: Shown | Seen, drawn: bool) -> None:
    """Complain of options of the camera; ``drawn`` says whether anything is drawn at all.

    Raises:
        UserError: an option cannot be, or lacks another.
    """
    if not drawn:
        for name in ("eye", "target", "size", "follow"):
            if getattr(view, name) is not None:
                raise UserError(f"--{name} needs --video or --picture.")
    if view.target is not None and view.eye is None:
        raise UserError("--target needs --eye.")
    if view.eye is not None and view.eye == view.target:
        raise UserError("--eye and --target must not be the same place.")
    if view.size is not None and not all(16 <= n <= 8192 for n in view.size):
        raise UserError(f"--size must be from 16 to 8192 pixels, not {view.size[0]} {view.size[1]}.")


def camera_options(world: World, view: Shown | Seen) -> dict[str, Any]:
    """What :func:`phalanx.images.pictures.film.framed_painter` takes of the camera's options.

    Raises:
        UserError: there is nothing of the name that is to be followed.
    """
    from phalanx.images.pictures.film import STILL, bodies_of

    follow: Any = None
    if view.follow is not None:
        try:
            follow = STILL if view.follow == "none" else bodies_of(world, view.follow)
        except ValueError as error:
            raise UserError(f"--follow {view.follow}: {error}.") from error
    return {"eye": view.eye, "target": view.target, "follow": follow}


def make(recording: Recording, shown: Shown) -> list[str]:
    """Make what was asked for; returns a line about each file."""
    from phalanx.io.recordings.playback import Playback

    lines = []
    playback = Playback(recording, shown.envs)
    _check_bodies(playback, shown)
    envs = f"environment{'s' if len(shown.envs) > 1 else ''} {', '.join(map(str, shown.envs[:8]))}"
    envs += ", ..." if len(shown.envs) > 8 else ""
    if shown.picture is not None:
        with patience("Drawing the picture ..."):
            _draw(playback, shown)
        lines.append(f"picture      {shown.picture}: {envs} at t = {recording.time[-1]:.6g} s")
    if shown.video is not None:
        frames = _film(playback, shown)
        lines.append(f"video        {shown.video}: {envs}, {frames} frames, {frames / shown.fps:.3g} s")
    if shown.others:
        path = shown.readings_file(recording.path)
        _read(playback, shown, path)
        lines.append(f"sensors      {path}: {', '.join(shown.others)} of {envs}")
    return lines


def _check_bodies(playback: Playback, shown: Shown) -> None:
    """Complain now and not after a video was drawn."""
    from phalanx.images.world_scene import body_row

    for sensor in shown.sensors:
        if body := sensor.partition(":")[2]:
            try:
                body_row(playback.world, body)
            except ValueError as error:
                raise UserError(f"--sensor {sensor}: {error}.") from error


def _draw(playback: Playback, shown: Shown) -> None:
    from phalanx.images.pictures.picture import save_png

    assert shown.picture is not None
    last = playback.recording.num_samples
    poses = playback.bodies(last - 1, last)
    nodes = playback.nodes_at(playback.time[-1:])
    painter, shifts = _painter(playback, shown, poses, nodes, shown.size or PICTURE_SIZE, still=True)
    save_png(painter.draw(poses[0], shifts[0], nodes[0] if nodes else None), shown.picture)


def _film(playback: Playback, shown: Shown) -> int:
    import numpy as np

    from phalanx.images.pictures.film import frame_times, write_film

    assert shown.video is not None
    times = frame_times(playback.time[0], playback.time[-1], shown.fps)
    poses = np.concatenate([playback.poses_at(times[i : i + _CHUNK]) for i in range(0, len(times), _CHUNK)])
    nodes = playback.nodes_at(times)
    painter, shifts = _painter(playback, shown, poses, nodes, shown.size or VIDEO_SIZE, still=False)
    with patience("Drawing the video ..."), progress_bar(len(poses), " frames", "filming") as bar:
        return write_film(shown.video, painter, poses, shifts, shown.fps, bar.update, nodes)


def _painter(
    playback: Playback, shown: Shown, poses: Any, nodes: Any, size: tuple[int, int], still: bool
) -> tuple[Any, Any]:
    """Who draws, and how far the camera is to move in each frame."""
    import numpy as np

    from phalanx.images.pictures.film import framed_painter
    from phalanx.images.pictures.tiles import CarriedPainter

    envs = range(len(playback.envs))
    body = (shown.camera or "").partition(":")[2]
    if body:
        painter = CarriedPainter(
            playback.world, body, envs, size=size, kind=shown.show, eye=shown.eye, target=shown.target
        )
        return painter, np.zeros((len(poses), 3))
    options = camera_options(playback.world, shown) | ({"passes": None} if still else {})
    return framed_painter(playback.world, poses, shown.fps, envs, size=size, kind=shown.show, nodes=nodes, **options)


def _read(playback: Playback, shown: Shown, path: Path) -> None:
    import numpy as np

    from phalanx.io.recordings.added_sensors import contact_forces, height_scan, inertial
    from phalanx.io.recordings.sensor_files import write_readings

    recording, readings = playback.recording, []
    for sensor in shown.others:
        kind, _, body = sensor.partition(":")
        if kind == "contact":
            total = int(np.abs(np.diff(recording.step)).sum()) * recording.num_envs
            with patience(COMPILING, 4.0), progress_bar(total, " env-steps", "simulating again") as bar:
                readings += contact_forces(playback, lambda steps, _, bar=bar: bar.update(steps * recording.num_envs))
        else:
            readings += {"imu": inertial, "scan": height_scan}[kind](playback, body)
    write_readings(path, readings, recording.time, playback.envs, str(recording.path))
