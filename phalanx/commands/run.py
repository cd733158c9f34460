"""``phalanx run``."""

from __future__ import annotations

import contextlib
import time
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from phalanx.commands.as_json import check_json, run_report, say, write_json
from phalanx.commands.common import (
    COMPILING,
    VIDEO_SIZE,
    Interrupted,
    UserError,
    check_output,
    folder_size,
    host,
    patience,
    progress_bar,
    user_mistakes,
)
from phalanx.commands.loading import Loaded, load
from phalanx.commands.showing import PICTURE_SIZE, Seen, camera_options, check_seen
from phalanx.world.checking import shorten

if TYPE_CHECKING:
    from phalanx.world.handles.robot import Robot
    from phalanx.world.world import World

SHOWN, FILMED = 64, 16  # environments in a picture and in a video, at most
ROBOTS = 8  # that are listed
WARNINGS = 12  # that are printed
DIVERGED = 3
"""Exit code: environments diverged."""


@dataclass
class RunOptions:
    """The options of ``phalanx run``."""

    robot: str
    num_envs: int
    steps: int
    dt: float | None  # None: what the file says, or loading.DT
    device: str
    dtype: str
    base: Literal["auto", "fixed", "free"]
    ground: bool
    height: float | None  # None: as the robot stands, or lowest collision point on the ground
    controller: str
    stiffness: float | None
    damping: float | None
    seed: int
    record: Path | None
    record_every: int
    picture: Path | None
    video: Path | None = None
    seen: Seen = field(default_factory=Seen)
    json: Path | None = None
    keyframe: str | None = None
    fix_inertias: bool = False
    record_contacts: bool = False
    view: bool = False
    host: str = "127.0.0.1"
    port: int = 8080
    first_env: int = 0  # its number among those of all processes
    all_envs: int | None = None  # of all processes; None: there is this one

    @property
    def shown(self) -> bool:
        """Whether what is only to be looked at is loaded."""
        return self.picture is not None or self.record is not None or self.video is not None or self.view


class _Takes:
    """Poses of bodies when frames of a video are due: its camera is made for all of them."""

    def __init__(self, world: World, o: RunOptions) -> None:
        from phalanx.images.pictures.film import frame_times

        self._world, self._shown = world, o.seen.environments(FILMED, o.num_envs)
        times = frame_times(0.0, o.steps * world.dt, o.seen.fps)
        self._steps = (times / world.dt).round().astype(int).tolist()  # the nearest
        self._next = 0
        self.poses: list[Any] = []
        self.nodes: list[tuple[Any, ...]] = []

    def until(self, done: int) -> int:
        """Steps until the next frame is due, after those that are due now were taken."""
        import numpy as np

        from phalanx import components as c
        from phalanx.world.snapshots import node_positions

        if self._next < len(self._steps) and self._steps[self._next] == done:
            self._world.compute("query_bodies")
            pose = host(self._world[c.BodyState].pose[..., self._shown]).transpose(2, 0, 1).astype("float32")
            nodes = node_positions(self._world, np.array(self._shown))
            while self._next < len(self._steps) and self._steps[self._next] == done:
                self.poses.append(pose)
                self.nodes.append(nodes)
                self._next += 1
        return self._steps[self._next] - done if self._next < len(self._steps) else 1 << 30


@dataclass
class _Clock:
    """Steps made, and their rate without the first call, which compiles."""

    done: int = 0
    first: int = 0
    started: float = 0.0
    ended: float = 0.0

    def count(self, steps: int) -> None:
        self.done += steps
        self.ended = time.perf_counter()
        if not self.first:
            self.first, self.started = self.done, self.ended

    @property
    def seconds(self) -> float:
        return self.ended - self.started

    @property
    def steps(self) -> int:
        return self.done - self.first


def run(options: RunOptions) -> int:
    """Simulate a robot or a scene, and record, draw and sum up what happened; returns the exit code."""
    check_options(options)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with user_mistakes(ValueError):
            loaded = load(options)
        world = loaded.world
        with user_mistakes(ValueError), patience(COMPILING):
            for robot in loaded.robots:
                set_gains(loaded, robot, options)
            loaded.start()
        clock = _Clock()
        takes = _Takes(world, options) if options.video is not None else None
        interrupted = False
        with user_mistakes(), _viewer(world, options), _recorder(world, options) as recorder:
            try:
                _simulate(loaded, options, clock, takes)
            except KeyboardInterrupt:
                interrupted = True
    samples = recorder.samples if recorder else 0
    if interrupted:
        kept = f" {options.record} keeps {samples} samples." if recorder else ""
        raise Interrupted(f"Interrupted after {world.step_count} of {options.steps} steps.{kept}")
    say(_summary(loaded, options, clock, samples), options.json)
    if options.picture is not None:
        with user_mistakes(ValueError):
            say(_draw(world, options), options.json)
    if takes is not None:
        with user_mistakes(ValueError):
            say(_film(world, takes, options), options.json)
    told = [*loaded.warnings, *(str(w.message) for w in caught if issubclass(w.category, UserWarning))]
    texts = list(dict.fromkeys(" ".join(text.split()) for text in told))
    for text in texts[:WARNINGS]:
        say(f"warning      {text}", options.json)
    if len(texts) > WARNINGS:
        say(f"warning      ... and {len(texts) - WARNINGS} more; see phalanx info", options.json)
    diverged = [int(env) for env in world.diverged]
    if diverged:
        say(f"diverged     {len(diverged)} of {options.num_envs} environments: {shorten(diverged)}", options.json)
    with user_mistakes():
        write_json(options.json, _report(loaded, options, clock, samples, texts))
    return DIVERGED if diverged else 0


def _report(loaded: Loaded, o: RunOptions, clock: _Clock, samples: int, warned: list[str]) -> dict[str, Any]:
    rate = clock.steps * o.num_envs / clock.seconds if clock.steps and clock.seconds > 0.0 else None
    found = run_report(loaded.world, loaded.robots, loaded.objects, rate)
    found["recording"] = None if o.record is None else {"file": o.record, "samples": samples}
    return found | {"picture": o.picture, "video": o.video, "warnings": warned}


def check_options(o: RunOptions) -> None:
    """Complain of options that cannot be, before anything is loaded."""
    for flag, value in (("--num-envs", o.num_envs), ("--steps", o.steps), ("--record-every", o.record_every)):
        if value < 1:
            raise UserError(f"{flag} must be at least 1, not {value}.")
    if o.dt is not None and not 0.0 < o.dt < float("inf"):
        raise UserError(f"--dt must be a positive number of seconds, not {o.dt}.")
    for flag, gain in (("--stiffness", o.stiffness), ("--damping", o.damping)):
        if gain is not None and not 0.0 <= gain < float("inf"):
            raise UserError(f"{flag} must be a number that is not negative, not {gain}.")
    if o.seed < 0:
        raise UserError(f"--seed must not be negative, not {o.seed}.")
    if o.height is not None and not abs(o.height) < float("inf"):
        raise UserError(f"--height must be a finite number of metres or auto, not {o.height}.")
    check_seen(o.seen, o.picture is not None or o.video is not None)
    for env in o.seen.envs if o.picture or o.video else ():
        if not 0 <= env < o.num_envs:
            raise UserError(f"--env must be between 0 and {o.num_envs - 1}, not {env}.")
    check_json(o.json)
    check_output(o.picture, ".png")
    check_output(o.video)
    if o.video is not None:
        from phalanx.images.pictures.video import check_video

        with user_mistakes():
            check_video(o.video, o.seen.fps, o.seen.size or VIDEO_SIZE)


def set_gains(loaded: Loaded, robot: Robot, o: RunOptions) -> None:
    """Give the drives of a robot the gains that were asked for, or those that suit it."""
    from phalanx.commands.controllers import gains
    from phalanx.io.formats import library

    given = o.stiffness is not None or o.damping is not None
    if not robot.num_dof or ((robot.num_actuators or _as_file(loaded, o)) and not given):
        return  # or its file has actuators, which are the drives
    if o.controller == "none":
        robot.set_drive(stiffness=0.0, damping=0.0)
        return
    if o.robot in library.names():
        stiffness, damping = library.defaults(o.robot).gains(robot.joint_names)
    else:
        stiffness, damping = gains(robot)
    robot.set_drive(
        stiffness=stiffness if o.stiffness is None else o.stiffness,
        damping=damping if o.damping is None else o.damping,
    )


def _as_file(loaded: Loaded, o: RunOptions) -> bool:
    """Whether joints are driven as a scene's file says, and not at all where it says nothing."""
    return o.controller == "auto" and loaded.scene is not None


@contextlib.contextmanager
def _recorder(world: World, o: RunOptions) -> Any:
    if o.record is None:
        yield None
        return
    from phalanx.io.recordings.recorder import Recorder

    with Recorder(world, o.record, every=o.record_every, contacts=o.record_contacts) as recorder:
        yield recorder


@contextlib.contextmanager
def _viewer(world: World, o: RunOptions) -> Any:
    """Show the world while it is stepped, from when someone looks."""
    if not o.view:
        yield
        return
    from phalanx.viewer.gate import ViewerError
    from phalanx.viewer.viewer import Viewer

    try:
        viewer = Viewer(world, o.host, o.port, speed=1.0)
    except ViewerError as error:
        raise UserError(f"{error}.") from error
    with viewer:
        print(f"viewer       {viewer.url}; the simulation starts when someone looks", flush=True)
        viewer.wait()
        yield


def _simulate(loaded: Loaded, o: RunOptions, clock: _Clock, takes: _Takes | None) -> None:
    from phalanx.commands.controllers import controller

    world = loaded.world
    envs = range(o.first_env, o.first_env + o.num_envs), o.all_envs or o.num_envs
    made = [(robot, *controller(o.controller, robot, *envs, o.seed)) for robot in loaded.robots if robot.num_dof]
    driven = [(robot, targets) for robot, targets, _ in made if targets is not None]
    between = max(1, round(min(period for _, _, period in made) / world.dt)) if driven else o.steps

    def advance(count: int) -> int:
        if clock.done % between == 0:
            for robot, targets in driven:
                robot.set_targets(pos=targets(clock.done * world.dt))
        count = min(count, o.steps - clock.done, between - clock.done % between)
        count = count if takes is None else min(count, takes.until(clock.done))
        world.step(count)
        world.synchronize()
        clock.count(count)
        return count

    with user_mistakes(ValueError), patience(COMPILING):
        advance(1)
    batch = 1
    with progress_bar((o.steps - 1) * o.num_envs, " env-steps", "simulating") as bar:
        while clock.done < o.steps:
            start = time.perf_counter()
            count = advance(batch)
            bar.update(count * o.num_envs)
            # About ten calls a second: the bar moves, and Python costs nothing.
            rate = count / max(time.perf_counter() - start, 1e-9)
            batch = max(1, min(round(0.1 * rate), 8 * batch))
    if takes is not None:
        takes.until(clock.done)


def _summary(loaded: Loaded, o: RunOptions, clock: _Clock, samples: int) -> str:
    import numpy as np

    world, lines = loaded.world, []
    for robot in loaded.robots[:ROBOTS]:
        base = "fixed base" if robot.fixed_base else "free base"
        lines.append(
            f"robot        {robot.model.name}: {robot.num_dof} degrees of freedom, {robot.mass:.4g} kg, {base}"
        )
    if len(loaded.robots) > ROBOTS:
        lines.append(f"             ... and {len(loaded.robots) - ROBOTS} more")
    if loaded.objects:
        more = ", ..." if len(loaded.objects) > ROBOTS else ""
        lines.append(f"objects      {len(loaded.objects)}: {', '.join(loaded.objects[:ROBOTS])}{more}")
    lines += loaded.notes
    lines.append(
        f"simulated    {o.num_envs} environments for {world.time:.6g} s ({clock.done} steps of {world.dt:g} s) on "
        f"{world.device}, {o.dtype}"
    )
    if clock.steps and clock.seconds > 0.0:
        rate = clock.steps * o.num_envs / clock.seconds
        lines.append(f"speed        {rate:,.0f} env-steps/s, {rate * world.dt:,.0f} times real time")
    for robot in loaded.robots[:ROBOTS]:
        height = np.asarray(host(robot.root_pose))[:, 2]
        whose = f" of {robot.name}" if len(loaded.robots) > 1 else ""
        if np.isfinite(height).any():
            lines.append(
                f"base height  {np.nanmean(height):.4f} m on average{whose}, from {np.nanmin(height):.4f} to "
                f"{np.nanmax(height):.4f} m"
            )
    if o.record is not None:
        lines.append(f"recording    {o.record}: {samples} samples, {folder_size(o.record)}")
    return "\n".join(lines)


def _draw(world: World, o: RunOptions) -> str:
    import numpy as np

    from phalanx import components as c
    from phalanx.images.pictures.film import framed_painter
    from phalanx.images.pictures.picture import save_png

    assert o.picture is not None
    envs = o.seen.environments(SHOWN, o.num_envs)
    world.compute("query_bodies")
    poses = np.asarray(host(world[c.BodyState].pose[..., envs])).transpose(2, 0, 1).astype("float32")[None]
    with patience("Drawing the picture ..."):
        painter, shifts = framed_painter(
            world,
            poses,
            o.seen.fps,
            envs,
            size=o.seen.size or PICTURE_SIZE,
            passes=None,
            soft=True,
            **camera_options(world, o.seen),
        )
        save_png(painter.draw(poses[0], shifts[0]), o.picture)
    return f"picture      {o.picture}{_of(envs, o)}"


def _film(world: World, takes: _Takes, o: RunOptions) -> str:
    import numpy as np

    from phalanx.images.pictures.film import framed_painter, write_film

    assert o.video is not None
    poses, fps = np.stack(takes.poses), o.seen.fps
    envs = o.seen.environments(FILMED, o.num_envs)
    painter, shifts = framed_painter(
        world, poses, fps, envs, size=o.seen.size or VIDEO_SIZE, nodes=takes.nodes, **camera_options(world, o.seen)
    )
    with patience("Drawing the video ..."), progress_bar(len(poses), " frames", "filming") as bar:
        write_film(o.video, painter, poses, shifts, fps, bar.update, takes.nodes)
    return f"video        {o.video}: {len(poses)} frames, {len(poses) / fps:.3g} s{_of(envs, o)}"


def _of(envs: list[int], o: RunOptions) -> str:
    if len(envs) == o.num_envs:
        return ""
    if not o.seen.envs:
        return f" (the first {len(envs)} environments)"
    return f" (environment{'s' if len(envs) > 1 else ''} {shorten(envs)})"
