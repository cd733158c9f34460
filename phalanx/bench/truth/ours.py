"""A scene of known motion here: its poses, and what its steps cost."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np

from phalanx.bench.build import Setup, set_up
from phalanx.bench.truth.scenes import SAMPLE, TruthScene


def start(truth: TruthScene, rate: int, num_envs: int, dtype: str) -> Setup:
    """The scene at its start, at so many steps a second."""
    setup = set_up(replace(truth.scene, dt=1 / rate), num_envs, "cpu", dtype)
    for name, (linear, angular) in truth.motions.items():
        setup.world.objects[name].set_root_state(vel=np.array([*linear, *angular]))
    return setup


def controls(truth: TruthScene, setup: Setup, now: float) -> np.ndarray:
    """(actuators,) for the steps of the next sample."""
    middle = np.array([actuator.middle for actuator in setup.actuators])
    if truth.targets is None:
        return middle
    robot = setup.world.robots[setup.actuators[0].robot]
    names = [robot.joint_names[actuator.joint] for actuator in setup.actuators]
    return truth.targets(names, middle, now)


def _samples(truth: TruthScene, setup: Setup, rate: int, poses: np.ndarray | None) -> None:
    world = setup.world
    for n in range(len(truth.times)):
        if setup.actuators:
            setup.apply(np.tile(controls(truth, setup, n * SAMPLE), (setup.num_envs, 1)))
        world.step(round(SAMPLE * rate))
        for k, body in enumerate(truth.watch if poses is not None else ()):
            actor, _, name = body.partition("/")
            found = np.asarray(world.actors[actor].body_pose)
            assert poses is not None
            poses[n, k] = found[0, world.actors[actor].body_index(name)]


def poses(truth: TruthScene, rate: int, dtype: str) -> np.ndarray:
    """(times, bodies, 7): where the watched bodies are."""
    found = np.zeros((len(truth.times), len(truth.watch), 7))
    setup = start(truth, rate, 1, dtype)
    _samples(truth, setup, rate, found)
    return found


def cost(truth: TruthScene, rate: int, dtype: str, num_envs: int) -> float:
    """Seconds of processors for a simulated second of an environment, among so many; the least of three runs."""
    setup = start(truth, rate, num_envs, dtype)
    setup.world.step()  # compiles
    spent = []
    for _ in range(3):
        setup.world.reset()
        for name, (linear, angular) in truth.motions.items():
            setup.world.objects[name].set_root_state(vel=np.array([*linear, *angular]))
        begin = time.process_time()
        _samples(truth, setup, rate, None)
        spent.append(time.process_time() - begin)
    return min(spent) / (num_envs * truth.seconds)
