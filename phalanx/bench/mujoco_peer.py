# pyright: reportAttributeAccessIssue=false
"""The same scene in MuJoCo's C engine, stepped by ``mujoco.rollout`` on as many threads."""

from __future__ import annotations

import time
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from typing import Any

import numpy as np

from phalanx.bench.scenes import Scene
from phalanx.io import library


@dataclass(frozen=True)
class Result:
    """Rate and what the scene looked like at the end."""

    steps_per_second: float
    contacts: float
    height: float
    version: str


def available() -> bool:
    """Whether MuJoCo with ``rollout`` is installed."""
    try:
        import mujoco.rollout  # noqa: F401  # pyright: ignore[reportMissingImports]
    except ImportError:
        return False
    return True


def model(scene: Scene, joint_names: list[str], default: np.ndarray) -> tuple[Any, Any]:
    """The scene as a MuJoCo model and its start state.

    Position actuators with the same gains and effort limits, implicitfast integration (which, like Phalanx, takes the
    gains' damping implicitly), friction 0.8, and contacts between robot and ground only; everything else is MuJoCo's
    default.
    """
    import mujoco  # pyright: ignore[reportMissingImports]

    shipped = library.defaults(scene.robot)
    tree = ElementTree.parse(library.path(scene.robot))
    root = tree.getroot()
    ElementTree.SubElement(ElementTree.SubElement(root, "mujoco"), "compiler", discardvisual="true", fusestatic="true")
    spec = mujoco.MjSpec.from_string(ElementTree.tostring(root, encoding="unicode"))
    spec.option.timestep = scene.dt
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    for geom in spec.geoms:
        geom.contype, geom.conaffinity = 1, 2
        geom.friction[0] = 0.8
    if scene.ground:
        spec.worldbody.add_geom(
            type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1], contype=2, conaffinity=1, friction=[0.8, 0.005, 0.0001]
        )
    if not shipped.fixed_base:
        spec.worldbody.first_body().add_freejoint()
        spec.worldbody.first_body().pos = [0, 0, shipped.base_height]
    limits = {joint.name: joint.actfrcrange[1] for joint in spec.joints}
    stiffness, damping = shipped.gains(joint_names)
    for name, kp, kd in zip(joint_names, stiffness, damping, strict=True):
        actuator = spec.add_actuator(name=name, target=name, trntype=mujoco.mjtTrn.mjTRN_JOINT)
        actuator.set_to_position(kp=kp, kv=kd)
        if limits[name] > 0:
            actuator.forcerange = [-limits[name], limits[name]]
            actuator.forcelimited = 1
    compiled = spec.compile()
    data = mujoco.MjData(compiled)
    for name, value in zip(joint_names, default, strict=True):
        data.joint(name).qpos[0] = value
    mujoco.mj_forward(compiled, data)
    return compiled, data


def measure(
    scene: Scene, joint_names: list[str], targets: np.ndarray, default: np.ndarray, steps: int, threads: int
) -> Result:
    """Step all environments through ``targets`` (frames, envs, dofs), ``steps`` steps a frame; the first frame is
    warm-up.
    """
    import mujoco  # pyright: ignore[reportMissingImports]
    from mujoco import rollout  # pyright: ignore[reportMissingImports]

    compiled, data = model(scene, joint_names, default)
    order = [compiled.actuator(name).id for name in joint_names]
    num_envs = targets.shape[1]
    size = mujoco.mj_stateSize(compiled, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    start = np.zeros(size)
    mujoco.mj_getState(compiled, data, start, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    state = np.repeat(start[None], num_envs, axis=0)
    datas = [mujoco.MjData(compiled) for _ in range(threads)]
    elapsed = []
    with rollout.Rollout(nthread=threads) as pool:
        for frame in targets:
            control = np.zeros((num_envs, steps, compiled.nu))
            control[:, :, order] = frame[:, None]
            begin = time.perf_counter()
            found: Any = pool.rollout([compiled] * num_envs, datas, state, control, nstep=steps)
            elapsed.append(time.perf_counter() - begin)
            state = np.ascontiguousarray(found[0][:, -1])
    contacts, heights = [], []
    for row in state[: min(num_envs, 32)]:
        mujoco.mj_setState(compiled, data, row, mujoco.mjtState.mjSTATE_FULLPHYSICS)
        mujoco.mj_forward(compiled, data)
        contacts.append(data.ncon)
        heights.append(data.xpos[1, 2])
    rate = num_envs * steps / float(np.median(elapsed[1:]))
    return Result(rate, float(np.mean(contacts)), float(np.mean(heights)), mujoco.__version__)
