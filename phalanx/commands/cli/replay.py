"""What ``phalanx replay`` takes."""

from __future__ import annotations

from typing import Literal

from phalanx.commands.cli.options import (
    Envs,
    Flag,
    Followed,
    Place,
    Png,
    Readings,
    Recording,
    Report,
    Sensors,
    Size,
    Video,
    environments,
)


def replay(
    file: Recording,
    env: Envs = (0,),
    verify: Flag = False,
    repair: Flag = False,
    picture: Png = None,
    video: Video = None,
    sensor: Sensors = (),
    show: Literal["rgb", "depth", "normals", "segmentation"] = "rgb",
    eye: Place = None,
    target: Place = None,
    size: Size = None,
    follow: Followed = None,
    fps: float = 30.0,
    out: Readings = None,
    json: Report = None,
) -> int:
    """Show what a recording holds, also by sensors that it did not have; verify it by simulating it again.

    Args:
        file: a folder that `phalanx run --record` or phalanx.Recorder wrote.
        env: environments to show, side by side in pictures.
        verify: simulate again from the recorded start and inputs; exit code 1 if any bit differs, saying where, or if
            what the recording says of itself and its world was edited.
        repair: first cut a damaged recording to what is whole, in place.
        picture: draw the last sample to this file.
        video: draw all of it to this file, in real time; poses between samples are interpolated. .mp4 needs the extra
            video.
        sensor: camera (sees everything), camera:BODY (carried by a body), imu:BODY, scan:BODY (heights around it),
            contact (forces on all bodies).
        show: what the camera sees.
        eye: where the camera is, m: in the world, or on the body that carries it.
        target: where it looks, likewise; by default at the middle of what is seen.
        size: of the picture or video, pixels.
        follow: a robot, object or body that the camera goes along with and is made for; by default it goes along with
            everything, if that goes far; none: it stands.
        fps: frames a second of the video.
        out: where the other sensors' readings go; by default beside the recording, as FILE.sensors.zarr.
        json: write what the recording holds as JSON to this file too; - prints nothing else.
    """
    from phalanx.commands.replay import replay
    from phalanx.commands.showing import Shown

    envs = environments(env)
    shown = Shown(envs, picture, video, tuple(dict.fromkeys(sensor)), show, eye, target, size, fps, out, follow)
    return replay(file, shown, verify, repair=repair, json=json)
