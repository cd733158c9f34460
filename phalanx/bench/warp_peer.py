# pyright: reportMissingImports=false, reportAttributeAccessIssue=false
"""A scene in MuJoCo Warp: one step captured as a CUDA graph and replayed, without waiting in between.

Kernels are compiled, and the graph is captured, before anything is timed, and the state is put back to the start. On
Warp's CPU device, where there are no graphs, every step is launched: only good for seeing that it works.
"""

from __future__ import annotations

import importlib.metadata
import time
from typing import Any

import numpy as np

from phalanx.bench import mujoco_peer
from phalanx.bench.build import Setup
from phalanx.bench.measure import NEAR, Run

NAME = "mujoco_warp"
ROOM = 1.5
"""Contacts and rows that there is room for, as a multiple of what MuJoCo's C engine needs at most."""

TRIES = 4
"""Times that a scene is begun at most, each with twice the room of what did not fit the time before."""

STATE = ("qpos", "qvel", "act", "qacc_warmstart", "time", "ctrl")
IN_CONTACTS, IN_ROWS = ("BROADPHASE", "NARROWPHASE", "CCD"), ("NEFC", "NJMAX_NNZ")
"""MuJoCo Warp's names for what did not fit into the room for contacts, where pairs that may touch need to fit too,
and into that for rows.
"""


def rooms(setup: Setup, compiled: Any, data: Any, frames: int) -> tuple[int, int]:
    """(nconmax, njmax): room for contacts and constraint rows of an environment, from the scene or by trying."""
    import mujoco

    options = setup.scene.mujoco
    if options.nconmax is not None and options.njmax is not None:
        return options.nconmax, options.njmax
    contacts, rows = data.ncon, data.nefc
    for frame in range(frames):
        data.ctrl[:] = setup.controls(frame)[0]
        for _ in range(setup.scene.hold):
            mujoco.mj_step(compiled, data)
            contacts, rows = max(contacts, data.ncon), max(rows, data.nefc)
    mujoco.mj_resetDataKeyframe(compiled, data, 0)
    mujoco.mj_forward(compiled, data)
    return int(ROOM * contacts) + 8, int(ROOM * rows) + 16


def measure(setup: Setup, frames: int, repeats: int = 3) -> Run:
    """Step all environments through the scene's controls on the world's device.

    If contacts or rows did not fit, it begins anew with more room: an engine that leaves some out has less to do.
    """
    import warp

    warp.config.log_level = warp.LOG_WARNING  # or its news stand in the middle of our table
    warp.init()
    with warp.ScopedDevice(setup.world.device):
        begin = time.perf_counter()
        compiled, data = mujoco_peer.model(setup)
        room = rooms(setup, compiled, data, frames)
        run = Run(NAME, importlib.metadata.version("mujoco-warp"), setup.world.device, setup.num_envs, setup.scene.hold)
        mujoco_peer.describe(run, compiled)
        stage = _Stage(setup, compiled, data, room)
        run.build_seconds = time.perf_counter() - begin
        run.first_step_seconds = stage.prepare()
        first = _first(run, stage, frames)
        for _ in range(TRIES - 1):
            larger = _larger(room, set(stage.flags()))
            if larger == room:
                break
            room = larger
            stage = _Stage(setup, compiled, data, room)
            stage.prepare()
            first = _first(run, stage, frames)
        run.bytes_per_env = stage.bytes_per_env
        run.seconds = [first]
        for _ in range(repeats - 1):
            stage.reset()
            run.seconds.append([stage.stretch(frame) for frame in range(frames)])
        _warn(run, stage, room)
    return run


class _Stage:
    """A scene on Warp's current device, with room for so many contacts and rows."""

    def __init__(self, setup: Setup, compiled: Any, data: Any, room: tuple[int, int]) -> None:
        import mujoco_warp
        import warp

        self.setup, self.engine, self.warp, self.graph = setup, mujoco_warp, warp, None
        used = self._used()
        self.model = mujoco_warp.put_model(compiled)
        self.model.opt.warn_overflow = 0  # thousands of environments would print it, in each step; see flags()
        self.state = mujoco_warp.put_data(compiled, data, nworld=setup.num_envs, nconmax=room[0], njmax=room[1])
        self.start = {name: warp.clone(getattr(self.state, name)) for name in STATE if getattr(self.state, name).size}
        warp.synchronize()
        self.bytes_per_env = None if used is None else (self._used() - used) / setup.num_envs
        self.watched = [compiled.body(name).id for name in setup.scene.watch]
        self.is_driven = compiled.nu > 0

    def _used(self) -> Any:
        """Bytes taken of the device's memory, which freed arrays do not count in."""
        device = self.warp.get_device()
        return self.warp.get_mempool_used_mem_current(device) if device.is_mempool_enabled else None

    def prepare(self) -> float:
        """Compile, by a step, and capture; seconds of the former."""
        begin = time.perf_counter()
        self.engine.step(self.model, self.state)
        self.warp.synchronize()
        seconds = time.perf_counter() - begin
        if self.warp.get_device().is_cuda:
            with self.warp.ScopedCapture() as capture:
                self.engine.step(self.model, self.state)
            self.graph = capture.graph
        self.reset()
        return seconds

    def reset(self) -> None:
        """Back to the start."""
        for name, values in self.start.items():
            self.warp.copy(getattr(self.state, name), values)

    def stretch(self, frame: int) -> float:
        """Make the steps of one stretch of constant controls; seconds, setting the controls not counted."""
        if self.is_driven:
            self.state.ctrl.assign(self.setup.controls(frame))
        self.warp.synchronize()
        begin = time.perf_counter()
        for _ in range(self.setup.scene.hold):
            if self.graph is None:
                self.engine.step(self.model, self.state)
            else:
                self.warp.capture_launch(self.graph)
        self.warp.synchronize()
        return time.perf_counter() - begin

    def flags(self) -> dict[str, int]:
        """What went wrong in any step so far, by MuJoCo Warp's names, and in how many environments."""
        raised = self.state.overflow.numpy()
        kinds = {kind.name: int(kind) for kind in self.engine.OverflowType}
        counts = {name: int(((raised & bit) != 0).sum()) for name, bit in kinds.items()}
        return {name: count for name, count in counts.items() if count}


def _larger(room: tuple[int, int], flags: set[str]) -> tuple[int, int]:
    contacts, rows = room
    return contacts * (2 if flags.intersection(IN_CONTACTS) else 1), rows * (2 if flags.intersection(IN_ROWS) else 1)


def _first(run: Run, stage: _Stage, frames: int) -> list[float]:
    """The repetition in which contacts and heights are looked at after each stretch; seconds of the stretches."""
    run.contacts, run.touching, run.heights, seconds = [], [], [], []
    for frame in range(frames):
        seconds.append(stage.stretch(frame))
        _look(run, stage)
    return seconds


def _look(run: Run, stage: _Stage) -> None:
    stage.engine.kinematics(stage.model, stage.state)  # a step leaves the poses of its start
    count = int(stage.state.nacon.numpy()[0])
    distance = stage.state.contact.dist.numpy()[:count]
    run.contacts.append(count / run.num_envs)
    run.touching.append(float((distance <= NEAR).sum()) / run.num_envs)
    run.heights.append(float(stage.state.xpos.numpy()[:, stage.watched, 2].mean()))


def _warn(run: Run, stage: _Stage, room: tuple[int, int]) -> None:
    """Say what did not fit and what is no longer finite: such a figure is not worth comparing with."""
    flags = stage.flags()
    if _larger(room, set(flags)) != room:
        run.notes.append(f"room for {room[0]} contacts and {room[1]} rows an environment was not enough")
    for name, count in flags.items():
        if name not in (*IN_CONTACTS, *IN_ROWS):
            run.notes.append(f"{name} (what MuJoCo Warp calls it) in {count} of {run.num_envs} environments")
    lost = int((~np.isfinite(stage.state.qpos.numpy()).all(axis=1)).sum())
    if lost:
        run.notes.append(f"{lost} of {run.num_envs} environments diverged")
