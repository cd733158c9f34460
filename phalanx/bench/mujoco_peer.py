# pyright: reportAttributeAccessIssue=false
"""A scene in MuJoCo's C engine, stepped by ``mujoco.rollout`` on as many threads as we use."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

import phalanx as px
from phalanx.bench import mjcf
from phalanx.bench.build import Setup
from phalanx.bench.measure import NEAR, Run

NAME = "mujoco.rollout"
LOOKED_AT = 32
"""Environments whose contacts and heights are looked at after each call."""

CALL = 20_000
"""Environment-steps that a call should have at least, so that starting its threads costs nothing that counts."""


def model(setup: Setup) -> tuple[Any, Any]:
    """The scene's MuJoCo model, and data at its start."""
    import mujoco  # pyright: ignore[reportMissingImports]

    compiled = mujoco.MjModel.from_xml_string(mjcf.write(setup))
    data = mujoco.MjData(compiled)
    mujoco.mj_resetDataKeyframe(compiled, data, 0)
    mujoco.mj_forward(compiled, data)
    return compiled, data


def describe(run: Run, compiled: Any) -> None:
    """What the model has, for comparison with ours."""
    run.dofs, run.shapes, run.mass = int(compiled.nv), int(compiled.ngeom), float(compiled.body_mass.sum())


def measure(setup: Setup, frames: int, repeats: int = 3) -> Run:
    """Step all environments through the scene's controls; several stretches in a call where few environments make them
    short.
    """
    import mujoco  # pyright: ignore[reportMissingImports]
    from mujoco import rollout  # pyright: ignore[reportMissingImports]

    begin = time.perf_counter()
    compiled, data = model(setup)
    threads, num_envs, hold = px.num_threads(), setup.num_envs, setup.scene.hold
    run = Run(NAME, mujoco.__version__, "cpu", num_envs, hold, threads=threads)
    describe(run, compiled)
    kind = mujoco.mjtState.mjSTATE_FULLPHYSICS
    start = np.zeros(mujoco.mj_stateSize(compiled, kind))
    mujoco.mj_getState(compiled, data, start, kind)
    datas = [mujoco.MjData(compiled) for _ in range(threads)]
    models = [compiled] * num_envs
    run.build_seconds = time.perf_counter() - begin
    together = max(1, min(frames, -(-CALL // (num_envs * hold))))
    batches = [range(first, min(first + together, frames)) for first in range(0, frames, together)]
    with rollout.Rollout(nthread=threads) as pool:

        def advance(state: np.ndarray, batch: range, steps: int) -> tuple[np.ndarray, float]:
            control = np.stack([setup.controls(frame) for frame in batch], axis=1).astype(float)
            control = np.repeat(control, steps, axis=1)
            begin = time.perf_counter()
            found: Any = pool.rollout(models, datas, state, control, nstep=steps * len(batch))
            return found[0], time.perf_counter() - begin

        everyone = np.repeat(start[None], num_envs, axis=0)
        _, run.first_step_seconds = advance(everyone, batches[0], 1)
        for repeat in range(repeats):
            state, row = everyone, []
            for batch in batches:
                states, seconds = advance(state, batch, hold)
                row += [seconds / len(batch)] * len(batch)
                state = np.ascontiguousarray(states[:, -1])
                if repeat == 0:
                    for k in range(len(batch)):
                        _look(setup, run, compiled, data, states[:LOOKED_AT, (k + 1) * hold - 1], kind)
            run.seconds.append(row)
            if repeat == 0:
                _warn(run, state, frames * hold * setup.scene.dt, setup.scene.dt)
    return run


def _look(setup: Setup, run: Run, compiled: Any, data: Any, states: np.ndarray, kind: Any) -> None:
    import mujoco  # pyright: ignore[reportMissingImports]

    contacts, touching, heights = [], [], []
    for row in states:
        mujoco.mj_setState(compiled, data, row, kind)
        mujoco.mj_forward(compiled, data)
        contacts.append(data.ncon)
        touching.append(int((data.contact.dist <= NEAR).sum()) if data.ncon else 0)
        heights.append(np.mean([data.body(name).xpos[2] for name in setup.scene.watch]))
    run.contacts.append(float(np.mean(contacts)))
    run.touching.append(float(np.mean(touching)))
    run.heights.append(float(np.mean(heights)))


def _warn(run: Run, states: np.ndarray, end: float, dt: float) -> None:
    """Say which environments diverged: a rollout resets them and makes no more steps of its call, so that their clocks
    (s, the first number of a state) are behind, and their states finite but for the very last step.
    """
    lost = int((~np.isfinite(states).all(axis=1) | ~(states[:, 0] > end - 0.5 * dt)).sum())
    if lost:
        run.notes.append(f"{lost} of {run.num_envs} environments diverged, were reset and made fewer steps")
