"""The command line: ``phalanx info | run | view | replay | export | bench | warmup | exec | tasks | assets | train |
play | farm | doctor | completion``.

Exit codes: 0 success; 1 a verification that found a difference; 2 a mistake of the user's, said in one line; 3 a
simulation of which environments diverged; 130 Ctrl-C. A traceback is a bug of ours; but ``exec`` ends as the script
does that it runs, whose traceback it prints.
"""

from __future__ import annotations

import contextlib
import functools
import io
import os
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import tyro

from phalanx._version import __version__
from phalanx.commands.common import Interrupted, UserError

Robot = Annotated[tyro.conf.Positional[str], tyro.conf.arg(metavar="ROBOT")]
Recording = Annotated[tyro.conf.Positional[Path], tyro.conf.arg(metavar="FILE.zarr")]
Zarr = Annotated[Path | None, tyro.conf.arg(metavar="OUT.zarr", help_behavior_hint="")]
Png = Annotated[Path | None, tyro.conf.arg(metavar="OUT.png", help_behavior_hint="")]
Video = Annotated[Path | None, tyro.conf.arg(metavar="OUT.mp4|OUT.gif", help_behavior_hint="")]
Readings = Annotated[Path | None, tyro.conf.arg(metavar="OUT.zarr|OUT.csv", help_behavior_hint="")]
Sensors = Annotated[tuple[str, ...], tyro.conf.arg(metavar="SENSOR [SENSOR ...]", help_behavior_hint="")]
Envs = Annotated[tuple[int | Literal["all"], ...], tyro.conf.arg(metavar="all|N [N ...]", help_behavior_hint="")]
Place = Annotated[tuple[float, float, float] | None, tyro.conf.arg(metavar="X Y Z", help_behavior_hint="")]
Size = Annotated[tuple[int, int] | None, tyro.conf.arg(metavar="WIDTH HEIGHT", help_behavior_hint="")]
Target = Annotated[Path | None, tyro.conf.arg(metavar="OUT", help_behavior_hint="")]
Signals = Annotated[tuple[str, ...], tyro.conf.arg(metavar="ACTOR/FIELD [...]", help_behavior_hint="")]
Json = Annotated[Path | None, tyro.conf.arg(metavar="OUT.json", help_behavior_hint="")]
Report = Annotated[Path | None, tyro.conf.arg(metavar="OUT.json|-", help_behavior_hint="")]
Gain = Annotated[float | None, tyro.conf.arg(metavar="X", help_behavior_hint="")]
Dt = Annotated[float | Literal["auto"], tyro.conf.arg(metavar="auto|S")]
Followed = Annotated[str | None, tyro.conf.arg(metavar="ROBOT|OBJECT|BODY|none", help_behavior_hint="")]
Key = Annotated[str | None, tyro.conf.arg(metavar="NAME|none", help_behavior_hint="")]
Pace = Annotated[float | Literal["max"], tyro.conf.arg(metavar="X|max")]
Viewed = Annotated[tyro.conf.Positional[str], tyro.conf.arg(metavar="ROBOT|SCENE|FILE.zarr")]
Page = Annotated[Path | None, tyro.conf.arg(metavar="OUT.html", help_behavior_hint="")]
Height = Annotated[float | Literal["auto"], tyro.conf.arg(metavar="auto|Z")]
Flag = Annotated[bool, tyro.conf.arg(help_behavior_hint="")]
Device = Annotated[str, tyro.conf.arg(metavar="auto|cpu|cuda:N")]
Names = Annotated[tyro.conf.Positional[tuple[str, ...]], tyro.conf.arg(metavar="[NAME ...]", help_behavior_hint="")]
Warmed = Annotated[
    tyro.conf.Positional[tuple[str, ...]], tyro.conf.arg(metavar="[SCENE|ROBOT ...]", help_behavior_hint="")
]
Script = Annotated[tyro.conf.Positional[str], tyro.conf.arg(metavar="SCRIPT.py")]
Arguments = Annotated[
    tyro.conf.Positional[tuple[str, ...]], tyro.conf.arg(metavar="[ARGUMENT ...]", help_behavior_hint="")
]
Counts = Annotated[tuple[int, ...], tyro.conf.arg(metavar="N [N ...]", help_behavior_hint="")]
Action = Annotated[tyro.conf.Positional[Literal["list", "build", "fetch"]], tyro.conf.arg(metavar="list|build|fetch")]
Task = Annotated[tyro.conf.Positional[str], tyro.conf.arg(metavar="TASK")]
SpecFile = Annotated[tyro.conf.Positional[Path], tyro.conf.arg(metavar="SPEC.yaml")]
Checkpoint = Annotated[tyro.conf.Positional[Path], tyro.conf.arg(metavar="CHECKPOINT")]
Resume = Annotated[Path | None, tyro.conf.arg(metavar="CHECKPOINT", help_behavior_hint="")]
Steps = Annotated[int | None, tyro.conf.arg(metavar="N", help_behavior_hint="")]
Gpus = Annotated[int | Literal["all"] | None, tyro.conf.arg(metavar="N|all", help_behavior_hint="")]
Shell = Annotated[tyro.conf.Positional[Literal["bash", "zsh"]], tyro.conf.arg(metavar="bash|zsh")]
Folder = Annotated[Path | None, tyro.conf.arg(metavar="FOLDER", help_behavior_hint="")]


def info(robot: Robot, fix_inertias: Flag = False, step: Flag = False, json: Report = None) -> int:
    """Describe a robot: the tree of its links and joints with types, limits, masses and shapes, and what is odd.

    Args:
        robot: a URDF, MJCF or USD file, or the name of a robot that Phalanx ships; or a mesh file, seen as a rigid
            object.
        fix_inertias: replace inertias that no body can have by the nearest that one can have.
        step: instead, print what a step of it is made of: systems by phase, what they read and write, and their times.
        json: write it as JSON to this file too; - prints nothing else.
    """
    from phalanx.commands.info import info
    from phalanx.commands.step_table import show_step

    (show_step if step else info)(robot, fix_inertias, json)
    return 0


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
        picture=picture,
        video=video,
        seen=Seen(_environments(env), size, eye, target, follow, fps),
        json=json,
        keyframe=keyframe,
        fix_inertias=fix_inertias,
        view=view,
        host=host,
        port=port,
    )
    return run(options) if count == 1 else run_ranks(options, count)


def view(
    what: Viewed,
    num_envs: int = 1,
    env: Counts = (),
    speed: Pace = 1.0,
    paused: Flag = False,
    dt: Dt = "auto",
    device: Device = "auto",
    fixed_base: Flag = False,
    free_base: Flag = False,
    no_ground: Flag = False,
    height: Height = "auto",
    keyframe: Key = None,
    controller: Literal["auto", "hold", "sine", "random", "none"] = "auto",
    seed: int = 0,
    host: str = "127.0.0.1",
    port: int = 8080,
    token: Key = None,
    no_browser: Flag = False,
    fps: float = 30.0,
    export: Page = None,
) -> int:
    """Show a robot, a scene or a recording in the browser; needs the extra viewer.

    Args:
        what: a URDF, MJCF or USD file, the name of a robot that Phalanx ships, or a recording.
        num_envs: number of environments, which are stepped together; a recording has its own.
        env: environments to show at first.
        speed: simulated seconds a second, or max: as fast as possible.
        paused: wait until someone presses Play.
        dt: length of a step in seconds; auto is that of the file, or 0.005.
        device: where to simulate; auto is the first GPU, or else the CPU.
        fixed_base: hold the root link where it is.
        free_base: let it move; without either, arms of URDF files are fixed, others are free.
        no_ground: leave out the ground.
        height: height of the root link at the start, in metres, or auto.
        keyframe: of an MJCF file, to start in; none for the pose that is drawn.
        controller: what drives do; see phalanx run.
        seed: of the random controller.
        host: address to listen on; on others than this machine's own browsers need a token.
        port: where to listen; 0 is any port that is free.
        token: what other machines have to know; made at random by default.
        no_browser: do not open a browser.
        fps: frames a second, at most.
        export: write a recording to this page instead, which opens without Phalanx and without a network.
    """
    from phalanx.commands.run import RunOptions
    from phalanx.commands.view import ViewOptions, view

    if fixed_base and free_base:
        raise UserError("--fixed-base and --free-base: give one of them.")
    options = RunOptions(
        robot=what,
        num_envs=num_envs,
        steps=1,
        dt=None if dt == "auto" else float(dt),
        device=device,
        dtype="float32",
        base="fixed" if fixed_base else "free" if free_base else "auto",
        ground=not no_ground,
        height=None if height == "auto" else float(height),
        controller=controller,
        stiffness=None,
        damping=None,
        seed=seed,
        record=None,
        record_every=1,
        picture=None,
        keyframe=keyframe,
        view=True,
    )
    pace = None if speed == "max" else float(speed)
    return view(ViewOptions(what, options, host, port, token, pace, paused, no_browser, export, env, fps))


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

    envs = _environments(env)
    shown = Shown(envs, picture, video, tuple(dict.fromkeys(sensor)), show, eye, target, size, fps, out, follow)
    return replay(file, shown, verify, repair=repair, json=json)


def _environments(env: tuple[int | str, ...]) -> tuple[int, ...]:
    """Numbers of environments; none stands for all."""
    if not env or ("all" in env and len(env) > 1):
        raise UserError("--env must be numbers of environments, or all.")
    return () if "all" in env else tuple(int(one) for one in env)


def export(
    file: Recording,
    to: Literal["csv", "parquet", "hdf5", "robomimic", "minari", "lerobot"],
    out: Target = None,
    observations: Signals = (),
    actions: Signals = (),
    env: Counts = (),
) -> int:
    """Write a recording as a dataset: episodes of observations and actions, cut where environments were reset.

    Args:
        file: a folder that `phalanx run --record` or phalanx.Recorder wrote.
        to: csv and parquet are flat tables, a row a step; hdf5 is as Isaac Lab writes it; minari and lerobot (version
            3) are folders. All but csv need the extra export.
        out: the file or folder; by default beside the recording, under its name.
        observations: signals, such as robot/joint_pos; by default positions and velocities of everything.
        actions: likewise; by default the targets of drives.
        env: environments, all by default.
    """
    from phalanx.commands.export import export

    return export(file, to, out, observations, actions, env)


def bench(
    name: Names = (),
    device: Device = "auto",
    num_envs: Counts = (),
    steps: Steps = None,
    repeats: int = 3,
    dtype: Literal["float32", "float64"] = "float32",
    peers: Flag = False,
    recording: Flag = False,
    first_step: Flag = False,
    truth: Flag = False,
    json: Json = None,
    export: Folder = None,
    list: Flag = False,
) -> int:
    """Run benchmarks and print a table.

    Args:
        name: which scenes or families; all but the families by default.
        device: where to simulate; auto is the first GPU, or else the CPU.
        num_envs: numbers of environments instead of each scene's own.
        steps: steps of each run instead of each scene's own number.
        repeats: runs of each case; the median counts.
        dtype: precision.
        peers: run MuJoCo's C engine (CPU) or MuJoCo Warp (GPU) on the same scenes, and print the ratios.
        recording: measure what it costs to record every step, too.
        first_step: time the first step of new processes too, with an empty and with a warm cache of kernels.
        truth: run six scenes of known motion instead, at steps of 1/60 to 1/1000 s, and print how far off they are and
            what they cost, beside MuJoCo's integrators; on the CPU.
        json: write the figures to this file too.
        export: run nothing; write the scenes as MJCF files into this folder.
        list: run nothing; say what there is.
    """
    from phalanx.commands.bench import BenchOptions, bench

    bench(
        BenchOptions(
            [*name],
            device=device,
            json=json,
            num_envs=num_envs,
            steps=steps,
            repeats=repeats,
            dtype=dtype,
            peers=peers,
            recording=recording,
            first_step=first_step,
            truth=truth,
            export=export,
            show=list,
        )
    )
    return 0


def warmup(
    name: Warmed = (),
    device: Device = "auto",
    dtype: Literal["float32", "float64"] = "float32",
    num_envs: int = 2,
    check: Flag = False,
) -> int:
    """Compile the kernels of scenes and robots into the cache, in parallel, so that later runs start at once.

    Args:
        name: benchmark scenes, robots that Phalanx ships, or robot files; all that come with it by default.
        device: for which device; auto is the first GPU, or else the CPU.
        dtype: for which precision.
        num_envs: for how many environments; GPUs have kernels of their own for each number from about 1,000 on.
        check: only say which kernels are missing and which files of the cache are damaged; exit code 1 if any are.
    """
    from phalanx.commands.warmup import warmup

    return warmup([*name], device, dtype, num_envs, check)


def execute(script: Script, args: Arguments = (), view: Flag = False, host: str = "127.0.0.1", port: int = 8080) -> int:
    """Run a script written for Isaac Lab, as `python SCRIPT ...` would, with the modules that it imports.

    Args:
        script: a Python file.
        args: what the script is given; all that follows its name. Options of this command come before it.
        view: show its worlds in the browser, in real time; it starts when someone looks. Needs the extra viewer.
        host: address at which the viewer listens; on others than this machine's own it asks for a token.
        port: where the viewer listens; 0 is any port that is free.
    """
    from phalanx.commands.execute import execute
    from phalanx.commands.watching import Watch

    return execute(script, args, Watch(host, port) if view else None)


def assets(
    action: Action,
    name: Names = (),
    folder: Folder = None,
    replace: Flag = False,
) -> int:
    """Make stand-ins for the robots' files that Isaac Lab looks for on NVIDIA's servers, or fetch those.

    Args:
        action: list says what there is; build writes stand-ins from published descriptions; fetch asks NVIDIA's server.
        name: which, such as anymal-c or "anymal-*"; all by default, but for fetch.
        folder: where they go; by default PHALANX_ASSET_ROOT, else the user's folder of data.
        replace: build: write over files that are no stand-ins.
    """
    from phalanx.commands.assets import assets

    assets(action, [*name], folder, replace)
    return 0


def tasks(
    name: Names = (),
    try_: Annotated[Flag, tyro.conf.arg(name="try")] = False,
    num_envs: int = 4,
    steps: int = 1000,
    device: str = "cpu",
    seconds: float = 900.0,
    json: Json = None,
    profile: Flag = False,
) -> int:
    """List Isaac Lab's tasks, or step each of them with random actions, unmodified, in a process of its own.

    Args:
        name: which; names, patterns such as "*Anymal-C*", or "sample": 24 of all kinds; all by default.
        try_: step them, and say what came of it; exit code 1 if one fails.
        num_envs: environments of each task.
        steps: steps of each task.
        device: cpu or cuda:N.
        seconds: how long a task may take.
        json: write what came of it to this file too.
        profile: step them, then once more with a clock, and say what each manager and each of its terms costs.
    """
    from phalanx.commands.tasks import tasks

    return tasks([*name], try_, num_envs, steps, device, seconds, json, profile)


def train(
    task: Task,
    num_envs: Steps = None,
    iterations: Steps = None,
    device: Device = "auto",
    seed: int = 0,
    out: Folder = None,
    resume: Resume = None,
    video: Flag = False,
    gpus: Gpus = None,
    ranks: Steps = None,
    trainer: Literal["rsl_rl", "skrl", "sb3"] = "rsl_rl",
    view: Flag = False,
    host: str = "127.0.0.1",
    port: int = 8080,
) -> int:
    """Train a policy by PPO, for a native task or one of Isaac Lab's own.

    Native tasks are cartpole, ant, quadruped-flat, quadruped-rough, arm-reach and cube-lift; `phalanx tasks` lists
    Isaac Lab's. Checkpoints, the learning curve as JSON, and TensorBoard's files go into a folder.

    Args:
        task: what to learn.
        num_envs: environments that are stepped together; by default as the task's recipe has it.
        iterations: rounds of stepping and learning, those of a checkpoint included; by default likewise.
        device: where to simulate and to learn; auto is the first GPU, or else the CPU.
        seed: of everything random.
        out: the folder; by default runs/TASK/DATE_TIME.
        resume: go on from a checkpoint.
        video: film the first environments whenever a checkpoint is written; .mp4 with the extra video, else .gif.
        gpus: as many processes, each with a GPU of its own.
        ranks: as many processes, which share processors, or the GPU that --device names.
        trainer: whose PPO: rsl-rl's, skrl's or Stable-Baselines3's.
        view: show it in the browser while it trains, with a plot of the reward; of one process. Needs the extra viewer.
        host: address at which the viewer listens; on others than this machine's own it asks for a token.
        port: where the viewer listens; 0 is any port that is free.
    """
    from phalanx.commands.train import TrainOptions, train
    from phalanx.commands.watching import Watch

    watch = Watch(host, port) if view else None
    return train(
        TrainOptions(task, num_envs, iterations, device, seed, out, resume, video, gpus, ranks, trainer, watch)
    )


def play(
    task: Task,
    checkpoint: Checkpoint,
    num_envs: int = 16,
    seconds: float = 20.0,
    device: Device = "auto",
    seed: int = 0,
    video: Video = None,
) -> int:
    """Run a trained policy without noise, and say how it does.

    Args:
        task: what it learnt.
        checkpoint: a file model_N.pt, or .zip of sb3, that training wrote with any trainer, on whatever device.
        num_envs: environments.
        seconds: simulated time.
        device: where to simulate; auto is the first GPU, or else the CPU.
        seed: of the environments' random numbers.
        video: film the first environments to this file.
    """
    from phalanx.commands.train import play

    return play(task, checkpoint, num_envs, seconds, device, seed, video)


def farm(
    spec: SpecFile,
    out: Annotated[str, tyro.conf.arg(metavar="FOLDER|URL")],
    workers: Steps = None,
    gpus: Gpus = None,
    cores: int = 1,
    engine: Literal["ray", "processes"] = "ray",
    address: Annotated[str | None, tyro.conf.arg(metavar="HOST:PORT|auto", help_behavior_hint="")] = None,
    resume: Flag = False,
    estimate: Flag = False,
    verify: Flag = False,
    sweep: Annotated[Path | None, tyro.conf.arg(metavar="SWEEP.yaml", help_behavior_hint="")] = None,
) -> int:
    """Simulate many episodes by many processes, and write them as one dataset (docs/farm.md).

    Workers that are killed are replaced; what was committed is kept, and nothing is there twice. The dataset is read by
    `phalanx.farm.open_dataset`.

    Args:
        spec: a file that says what to simulate, in YAML.
        out: folder of the dataset, or a URL that fsspec knows, such as s3://bucket/name.
        workers: processes; by default one for each GPU, or for each group of --cores processors.
        gpus: GPUs in all, which workers share; on CPUs without it.
        cores: processors of each worker.
        engine: workers are actors of Ray, or processes of this machine, for which nothing has to be installed.
        address: of a Ray cluster; by default Ray is started here.
        resume: go on with what was committed.
        estimate: only say what it will take.
        verify: at the end read all of it again.
        sweep: instead, try the spec with the values that this file lists, by Ray Tune, and write what came of each to
            sweep.json in the folder.
    """
    from phalanx.commands.farm import FarmOptions, farm

    return farm(FarmOptions(spec, out, workers, gpus, cores, engine, address, resume, estimate, verify, sweep))


def doctor() -> int:
    """Say what is installed, what is missing, and which version of Isaac Lab is spoken."""
    from phalanx.commands.doctor import doctor

    return doctor()


def completion(shell: Shell) -> int:
    """Print a script by which a shell completes this command line: `source <(phalanx completion bash)`.

    Args:
        shell: bash or zsh.
    """
    from phalanx.commands.completion import script

    print(script(shell, COMMANDS), end="")
    return 0


COMMANDS = {
    "info": info,
    "run": run,
    "view": view,
    "replay": replay,
    "export": export,
    "bench": bench,
    "warmup": warmup,
    "exec": execute,
    "tasks": tasks,
    "assets": assets,
    "train": train,
    "play": play,
    "farm": farm,
    "doctor": doctor,
    "completion": completion,
}
DESCRIPTION = (
    "Steps thousands of robots in lockstep. `phalanx COMMAND --help` lists its options, `phalanx --version` says "
    "which one this is."
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    try:
        code = _dispatch(arguments)
        sys.stdout.flush()
        return code
    except UserError as error:
        print(f"phalanx: {error}", file=sys.stderr)
        return 2
    except Interrupted as error:
        print(f"\nphalanx: {error}", file=sys.stderr)
        return 130
    except KeyboardInterrupt:
        print("\nphalanx: Interrupted.", file=sys.stderr)
        return 130
    except BrokenPipeError:  # `phalanx info x | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141


def _dispatch(arguments: list[str]) -> int:
    if arguments[:1] == ["exec"] and len(arguments) > 1 and arguments[1] not in ("-h", "--help"):
        from phalanx.commands import execute as scripts
        from phalanx.commands.watching import split

        watch, rest = split(arguments[1:])
        if rest:  # all that follows is the script's
            return scripts.execute(rest[0], rest[1:], watch)
    if arguments in (["--version"], ["-V"]):
        print(f"phalanx {__version__}")
        return 0
    said = io.StringIO()
    try:
        with contextlib.redirect_stderr(said):
            command = tyro.extras.subcommand_cli_from_dict(
                {name: _later(function) for name, function in COMMANDS.items()},
                prog="phalanx",
                description=DESCRIPTION,
                args=arguments,
                config=(tyro.conf.FlagCreatePairsOff,),
            )
    except SystemExit as end:
        if end.code:
            raise UserError(_one_line(said.getvalue(), arguments)) from None
        return 0
    return command()


def _later(function: Callable[..., int]) -> Callable[..., Callable[[], int]]:
    """Same signature and help, but only remembers the arguments: parsing and running fail differently."""

    @functools.wraps(function)
    def remember(*values: Any, **named: Any) -> Callable[[], int]:
        return functools.partial(function, *values, **named)

    return remember


def _one_line(message: str, arguments: list[str]) -> str:
    """What tyro says in a box, in one line."""
    plain = re.sub(r"\x1b\[[0-9;]*m", "", message)
    lines = [line.strip(" │|") for line in plain.splitlines()]
    rule = re.compile(r"[─━\-╭╮╰╯┄═ ]*")
    parts: list[list[str]] = [[]]
    for line in lines[1:]:
        if not line or rule.fullmatch(line):
            parts.append([])
        elif not parts[-1] or not parts[-1][0].startswith("Missing from") or len(parts[-1]) < 2:  # or else its help
            parts[-1].append(re.sub(r" \(applied to [^)]*\)", "", line))
    body = next((part for part in parts if part), lines[:1])
    command = f" {arguments[0]}" if arguments and arguments[0] in COMMANDS else ""
    text = " ".join(body).rstrip(".")
    everything = " ".join(lines)
    for pattern, words in (
        (r"Perhaps you meant:[^-]*(--[\w-]+)", "; perhaps you meant "),
        (r"Available subcommands: ([\w, ]+\w)", "; there are "),
    ):
        if (hint := re.search(pattern, everything)) and hint[1] not in arguments:
            text += words + hint[1]
    return f"{text}. See phalanx{command} --help."
