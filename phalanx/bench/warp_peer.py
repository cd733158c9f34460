# pyright: reportMissingImports=false, reportAttributeAccessIssue=false
"""A scene in MuJoCo Warp: one step captured as a CUDA graph and replayed, without waiting in between.

Kernels are compiled, and the graph is captured, before anything is timed, and the state is put back to the start. On
Warp's CPU device, where there are no graphs, every step is launched: only good for seeing that it works.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from phalanx.bench import mujoco_peer
from phalanx.bench.build import Setup
from phalanx.bench.measure import NEAR, Run

NAME = "mujoco_warp"
ROOM = 1.5
"""Contacts and rows that there is room for, as a multiple of what MuJoCo's C engine needs at most."""

STATE = ("qpos", "qvel", "act", "qacc_warmstart", "time", "ctrl")


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
    """Step all environments through the scene's controls on the world's device."""
    import importlib.metadata

    import warp

    warp.config.log_level = warp.LOG_WARNING  # or its news stand in the middle of our table
    warp.init()
    import mujoco_warp as engine

    device = setup.world.device
    scene, num_envs = setup.scene, setup.num_envs
    with warp.ScopedDevice(device):
        begin = time.perf_counter()
        compiled, data = mujoco_peer.model(setup)
        run = Run(NAME, importlib.metadata.version("mujoco-warp"), device, num_envs, scene.hold)
        mujoco_peer.describe(run, compiled)
        contact_room, row_room = rooms(setup, compiled, data, frames)
        is_cuda = warp.get_device().is_cuda
        free = warp.get_device().free_memory if is_cuda else 0
        model = engine.put_model(compiled)
        state = engine.put_data(compiled, data, nworld=num_envs, nconmax=contact_room, njmax=row_room)
        start = {name: warp.clone(getattr(state, name)) for name in STATE if getattr(state, name).size}
        warp.synchronize()
        if is_cuda:
            run.bytes_per_env = (free - warp.get_device().free_memory) / num_envs
        built = time.perf_counter()
        run.build_seconds = built - begin
        engine.step(model, state)
        warp.synchronize()
        run.first_step_seconds = time.perf_counter() - built
        graph = None
        if is_cuda:
            with warp.ScopedCapture() as capture:
                engine.step(model, state)
            graph = capture.graph
        for repeat in range(repeats):
            for name, values in start.items():
                warp.copy(getattr(state, name), values)
            row = []
            for frame in range(frames):
                if compiled.nu:
                    state.ctrl.assign(setup.controls(frame))
                warp.synchronize()
                begin = time.perf_counter()
                for _ in range(scene.hold):
                    if graph is None:
                        engine.step(model, state)
                    else:
                        warp.capture_launch(graph)
                warp.synchronize()
                row.append(time.perf_counter() - begin)
                if repeat == 0:
                    _look(setup, run, engine, compiled, model, state)
            run.seconds.append(row)
        _warn(run, state, contact_room, row_room)
    return run


def _look(setup: Setup, run: Run, engine: Any, compiled: Any, model: Any, state: Any) -> None:
    engine.kinematics(model, state)  # a step leaves the poses of its start
    count = int(state.nacon.numpy()[0])
    distance = state.contact.dist.numpy()[:count]
    run.contacts.append(count / setup.num_envs)
    run.touching.append(float((distance <= NEAR).sum()) / setup.num_envs)
    bodies = [compiled.body(name).id for name in setup.scene.watch]
    run.heights.append(float(state.xpos.numpy()[:, bodies, 2].mean()))


def _warn(run: Run, state: Any, contact_room: int, row_room: int) -> None:
    """Say what did not fit and what is no longer finite: such a figure is not worth comparing with."""
    rows = int(np.max(state.nefc.numpy()))
    if int(state.nacon.numpy()[0]) >= contact_room * run.num_envs or rows > row_room:
        run.notes.append(f"room for {contact_room} contacts and {row_room} rows an environment was not enough")
    lost = int((~np.isfinite(state.qpos.numpy()).all(axis=1)).sum())
    if lost:
        run.notes.append(f"{lost} of {run.num_envs} environments diverged")
