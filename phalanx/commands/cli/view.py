"""What ``phalanx view`` takes."""

from __future__ import annotations

from typing import Literal

from phalanx.commands.cli.options import Counts, Device, Dt, Flag, Height, Key, Pace, Page, Viewed
from phalanx.commands.common import UserError


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
