# pyright: reportAttributeAccessIssue=false
"""The same in MuJoCo's C engine, with each of its integrators, on the model that is written from the same world."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy as np

import phalanx as px
from phalanx.bench import mjcf
from phalanx.bench.build import Setup
from phalanx.bench.truth import ours
from phalanx.bench.truth.scenes import SAMPLE, TruthScene

INTEGRATORS = ("Euler", "implicitfast", "RK4")


def start(truth: TruthScene, rate: int, integrator: str) -> tuple[Setup, Any, Any]:
    """The scene's setup here, MuJoCo's model of it, and its data at the start."""
    import mujoco  # pyright: ignore[reportMissingImports]

    options = replace(truth.scene.mujoco, integrator=integrator)
    setup = ours.start(replace(truth, scene=replace(truth.scene, mujoco=options)), rate, 1, "float64")
    model = mujoco.MjModel.from_xml_string(mjcf.write(setup))
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    for name, (linear, angular) in truth.motions.items():
        dof = model.joint(f"{name}/root").dofadr[0]
        data.qvel[dof : dof + 6] = [*linear, *angular]  # bodies start unturned: their axes are the world's
    mujoco.mj_forward(model, data)
    return setup, model, data


def poses(truth: TruthScene, rate: int, integrator: str) -> np.ndarray:
    """(times, bodies, 7): where the watched bodies are."""
    import mujoco  # pyright: ignore[reportMissingImports]

    setup, model, data = start(truth, rate, integrator)
    found = np.zeros((len(truth.times), len(truth.watch), 7))
    for n in range(len(truth.times)):
        if setup.actuators:
            data.ctrl[:] = ours.controls(truth, setup, n * SAMPLE)
        mujoco.mj_step(model, data, round(SAMPLE * rate))
        mujoco.mj_kinematics(model, data)
        for k, body in enumerate(truth.watch):
            found[n, k] = [*data.body(body).xpos, *data.body(body).xquat]
    return found


def cost(truth: TruthScene, rate: int, integrator: str, num_envs: int) -> float:
    """Seconds of processors for a simulated second of an environment, in ``mujoco.rollout`` on as many threads as
    ours.
    """
    import mujoco  # pyright: ignore[reportMissingImports]
    from mujoco import rollout  # pyright: ignore[reportMissingImports]

    setup, model, data = start(truth, rate, integrator)
    steps = round(SAMPLE * rate)
    control = np.repeat([ours.controls(truth, setup, n * SAMPLE) for n in range(len(truth.times))], steps, axis=0)
    control = np.tile(control[None], (num_envs, 1, 1)) if setup.actuators else None
    kind = mujoco.mjtState.mjSTATE_FULLPHYSICS
    state = np.zeros(mujoco.mj_stateSize(model, kind))
    mujoco.mj_getState(model, data, state, kind)
    threads = px.num_threads()
    datas = [mujoco.MjData(model) for _ in range(threads)]
    spent = []
    with rollout.Rollout(nthread=threads) as pool:
        for _ in range(3):
            begin = time.process_time()
            pool.rollout(
                [model] * num_envs, datas, np.tile(state, (num_envs, 1)), control, nstep=steps * len(truth.times)
            )
            spent.append(time.process_time() - begin)
    return min(spent) / (num_envs * truth.seconds)
