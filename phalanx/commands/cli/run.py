"""What ``phalanx run`` takes."""

from __future__ import annotations

from typing import Literal

from phalanx.commands.cli.options import (
    Device,
    Dt,
    Envs,
    Flag,
    Followed,
    Gain,
    Gpus,
    Height,
    Key,
    Place,
    Png,
    Report,
    Robot,
    Size,
    Steps,
    Video,
    Zarr,
    environments,
)
from phalanx.commands.common import UserError


def run(
    robot: Robot,
    num_envs: int = 64,
    steps: int = 1000,
    dt: Dt = "auto",
    device: Device = "auto",
    dtype: Literal["float32", "float64"] = "float32",
    fixed_base: Flag = False,
    free_base: Flag = False,
    no_ground: Flag = False,
    height: Height = "auto",
    keyframe: Key = None,
    fix_inertias: Flag = False,
    controller: Literal["auto", "hold", "sine", "random", "none"] = "auto",
    stiffness: Gain = None,
    damping: Gain = None,
    seed: int = 0,
    record: Zarr = None,
    record_every: int = 1,
    record_contacts: Flag = False,
    picture: Png = None,
    video: Video = None,
    env: Envs = (0,),
    size: Size = None,
    eye: Place = None,
    target: Place = None,
    follow: Followed = None,
    fps: float = 30.0,
    json: Report = None,
    view: Flag = False,
    host: str = "127.0.0.1",
    port: int = 8080,
    gpus: Gpus = None,
    ranks: Steps = None,
) -> int:
    """Simulate a robot, or a whole scene, in many environments and sum up what happened.

    Of MJCF and USD files all is simulated that they hold, with their time step and gravity, on their own ground.
    The exit code is 3 if an environment diverged.

    Args:
        robot: a URDF, MJCF or USD file, or the name of a robot that Phalanx ships.
        num_envs: number of environments, which are stepped together; of each process with --gpus or --ranks.
        steps: number of steps.
        dt: length of a step in seconds; auto is that of the file, or 0.005.
        device: where to simulate; auto is the first GPU, or else the CPU.
        dtype: precision; float64 is for validation.
        fixed_base: hold the root link where it is.
        free_base: let it move; without either, arms of URDF files are fixed, others are free.
        no_ground: leave out the ground.
        height: height of the root link at the start, in metres; auto lets legs stand on the ground, or puts the lowest
            collision point there.
        keyframe: of an MJCF file, to start in; "home" or the first by default, none for the pose that is drawn.
        fix_inertias: replace inertias that no body can have by the nearest that one can have.
        controller: drives hold the start pose, swing around it, go to random poses, or are off (none); auto holds
            robots of URDF files, and leaves those of scenes to their actuators and keyframe.
        stiffness: of every drive, N m/rad or N/m; by default as shipped, or full effort at 0.25 rad (2.5 cm).
        damping: of every drive, N m s/rad or N s/m; by default as shipped, or critical.
        seed: of the random controller.
        record: record to this folder (Zarr).
        record_every: record every so many steps.
        record_contacts: record contact points, normals and forces, too.
        picture: draw the end to this file.
        video: draw all of it to this file, in real time; .mp4 needs the extra video.
        env: environments in the picture and video, side by side; all shows as many as fit.
        size: of the picture or video, pixels; by default 1280 960 and 640 480.
        eye: where the camera is, m; by default so far away that all is seen.
        target: where it looks; by default at the middle of what is seen.
        follow: a robot, object or body that the camera goes along with and is made for; by default it goes along with
            everything, if that goes far; none: it stands.
        fps: frames a second of the video.
        json: write the summary as JSON to this file too; - prints nothing else.
        view: show it in the browser; it starts when someone looks. Needs the extra viewer.
        host: address at which the viewer listens; on others than this machine's own it asks for a token.
        port: where the viewer listens; 0 is any port that is free.
        gpus: as many processes, each with a GPU of its own. Environments are numbered through all of them, and each
            records to a file of its own, OUT-0.zarr and so on; pictures and videos are of the first one.
        ranks: as many processes, which share processors, or the GPU that --device names.
    """
    from phalanx.commands.run import RunOptions, run
    from phalanx.commands.run_ranks import rank_count, run_ranks
    from phalanx.commands.showing import Seen

    if fixed_base and free_base:
        raise UserError("--fixed-base and --free-base: give one of them.")
    count = rank_count(device, gpus, ranks)
    options = RunOptions(
        robot=robot,
        num_envs=num_envs,
        steps=steps,
        dt=None if dt == "auto" else float(dt),
        device=device,
        dtype=dtype,
        base="fixed" if fixed_base else "free" if free_base else "auto",
        ground=not no_ground,
        height=None if height == "auto" else float(height),
        controller=controller,
        stiffness=stiffness,
        damping=damping,
        seed=seed,
        record=record,
        record_every=record_every,
        record_contacts=record_contacts,
        picture=picture,
        video=video,
        seen=Seen(environments(env), size, eye, target, follow, fps),
        json=json,
        keyframe=keyframe,
        fix_inertias=fix_inertias,
        view=view,
        host=host,
        port=port,
    )
    return run(options) if count == 1 else run_ranks(options, count)
