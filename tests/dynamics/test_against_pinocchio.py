"""Mass matrix, bias forces, Jacobians and forward dynamics of real robots, against Pinocchio, in random states."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracles import PinOracle, State, host, random_state, relative_error
from real_robots import bare_copy, robot_path

import phalanx as px

ROBOTS = ["a1", "allegro", "anymal_c", "bolt", "g1", "go2", "hyq", "panda", "solo12", "talos", "tiago", "ur5"]
CASES = [
    pytest.param(name, fixed, dtype, id=f"{name}-{'fixed' if fixed else 'free'}-{dtype}")
    for name in ROBOTS
    for fixed in (True, False)
    for dtype in ("float64", "float32")
]
TOLERANCE = {"float64": 1e-9, "float32": 1e-4}
ENVIRONMENTS = 3
DT = 1e-3

cases = pytest.mark.parametrize(("name", "fixed_base", "dtype"), CASES)


@dataclass
class Scene:
    """A robot in a few environments, and the same states for the oracle, one per environment."""

    world: Any
    robot: Any
    oracle: PinOracle
    states: list[State]
    tau: np.ndarray  # (environments, nv), nothing on a free root

    def reset(self) -> None:
        """Puts every environment into its state, with no drives and no efforts."""
        self.robot.set_drive(stiffness=0.0, damping=0.0)
        self.robot.set_targets(pos=0.0, vel=0.0, effort=0.0)
        if not self.oracle.fixed_base:
            self.robot.set_root_state(
                pose=np.array([s.root_pose for s in self.states]), vel=np.array([s.root_vel for s in self.states])
            )
        self.robot.set_joint_state(pos=np.array([s.q for s in self.states]), vel=np.array([s.qd for s in self.states]))

    def moving(self, env: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        state = self.states[env]
        return state.root_pose, state.root_vel, state.q, state.qd


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the bare copies of the robots go."""
    return tmp_path_factory.mktemp("bare")


@pytest.fixture
def scene(name: str, fixed_base: bool, dtype: str, device: str, tmp_path_factory: pytest.TempPathFactory) -> Scene:
    made = _scene(name, fixed_base, dtype, device, tmp_path_factory.getbasetemp() / "bare")
    made.reset()
    return made


@cache
def _scene(name: str, fixed_base: bool, dtype: str, device: str, folder: Path, dt: float = DT) -> Scene:
    urdf = robot_path(name)
    rng = np.random.default_rng(11)
    states = [_rounded(random_state(urdf, rng, fixed_base), dtype) for _ in range(ENVIRONMENTS)]
    if fixed_base:  # one placement for all environments
        states = [State(states[0].root_pose, s.root_vel, s.q, s.qd) for s in states]
    world = px.World(num_envs=ENVIRONMENTS, device=device, dtype=dtype, dt=dt)
    placement = states[0].root_pose
    robot = world.add_robot(
        str(bare_copy(urdf, folder / name)),
        fixed_base=fixed_base,
        position=tuple(placement[:3]),
        orientation=tuple(placement[3:]),
    )
    world.build()
    oracle = PinOracle(urdf, fixed_base, robot.joint_names)
    tau = np.array([_effort(oracle, state, rng) for state in states])
    return Scene(world, robot, oracle, states, _round(tau, dtype))


def _effort(oracle: PinOracle, state: State, rng: np.random.Generator) -> np.ndarray:
    """Joint efforts (nv,) of a lively motion, none on a free root. Plain noise would throw light fingers about."""
    mass = oracle.mass_matrix(state.root_pose, state.q)
    bias = oracle.bias_force(state.root_pose, state.root_vel, state.q, state.qd)
    tau = mass @ (5 * rng.normal(size=oracle.nv)) + bias
    tau[: 0 if oracle.fixed_base else 6] = 0
    return tau


@cases
def test_mass_matrix(scene: Scene, dtype: str) -> None:
    mass = host(scene.robot.mass_matrix())
    for env, state in enumerate(scene.states):
        expected = scene.oracle.mass_matrix(state.root_pose, state.q)
        assert relative_error(mass[env], expected) < TOLERANCE[dtype], env
        np.testing.assert_array_equal(mass[env], mass[env].T)


@cases
def test_bias_force(scene: Scene, dtype: str) -> None:
    bias = host(scene.robot.bias_force())
    for env in range(ENVIRONMENTS):
        assert relative_error(bias[env], scene.oracle.bias_force(*scene.moving(env))) < TOLERANCE[dtype], env


@cases
def test_gravity_force(scene: Scene, dtype: str) -> None:
    gravity = host(scene.robot.gravity_force())
    for env, state in enumerate(scene.states):
        expected = scene.oracle.gravity_force(state.root_pose, state.q)
        assert relative_error(gravity[env], expected) < TOLERANCE[dtype], env


@cases
def test_jacobian(scene: Scene, dtype: str) -> None:
    jacobian = host(scene.robot.jacobian())
    assert jacobian.shape == (ENVIRONMENTS, scene.robot.num_bodies, 6, scene.oracle.nv)
    for env, state in enumerate(scene.states):
        for index, body in enumerate(scene.robot.body_names):
            expected = scene.oracle.jacobian(state.root_pose, state.q, body)
            assert relative_error(jacobian[env, index], expected) < TOLERANCE[dtype], (env, body)


@cases
def test_body_poses_and_velocities(scene: Scene, dtype: str) -> None:
    poses, velocities = host(scene.robot.body_pose), host(scene.robot.body_vel)
    for env, state in enumerate(scene.states):
        for index, body in enumerate(scene.robot.body_names):
            pose = scene.oracle.body_pose(state.root_pose, state.q, body)
            sign = np.sign(pose[3:] @ poses[env, index, 3:])  # q and -q are one orientation
            actual = np.concatenate([poses[env, index, :3], sign * poses[env, index, 3:]])
            assert relative_error(actual, pose) < TOLERANCE[dtype], (env, body)
            velocity = scene.oracle.body_velocity(*scene.moving(env), body)
            assert relative_error(velocities[env, index], velocity, floor=0.1) < TOLERANCE[dtype], (env, body)


@cases
def test_forward_dynamics(name: str, fixed_base: bool, dtype: str, device: str, folder: Path) -> None:
    """A step's change of velocity over dt is the acceleration at its start, as dt goes to zero.

    On a fixed base it is so at any dt. How a free root's velocity is carried over to its new orientation is the
    integrator's choice, which costs O(dt): there the limit is extrapolated from a few small steps.
    """
    steps = [DT] if fixed_base else [2e-3, 1e-3, 5e-4] if dtype == "float32" else [1e-4, 5e-5, 2.5e-5]
    scenes = [_scene(name, fixed_base, dtype, device, folder, dt) for dt in steps]
    accelerations = [first_acceleration(scene, dt) for scene, dt in zip(scenes, steps, strict=True)]
    acceleration = extrapolate(accelerations)
    scene = scenes[0]
    for env in range(ENVIRONMENTS):
        expected = scene.oracle.forward_dynamics(*scene.moving(env), scene.tau[env])
        # tiago, one of twelve, is measured at 1.1e-4 in float32: light casters under a heavy base.
        least = 1.5e-4 if name == "tiago" and dtype == "float32" else TOLERANCE[dtype]
        tolerance = max(least, 10 * sensitivity(scene, env, dtype))
        assert relative_error(acceleration[env], expected) < tolerance, env


def first_acceleration(scene: Scene, dt: float) -> np.ndarray:
    """Change of the generalised velocity over the first step, divided by dt (environments, nv)."""
    scene.reset()
    free = 0 if scene.oracle.fixed_base else 6
    scene.robot.set_targets(effort=scene.tau[:, free:])
    before = velocity(scene.robot, free)
    scene.world.step()
    return (velocity(scene.robot, free) - before) / dt


def extrapolate(values: list[np.ndarray]) -> np.ndarray:
    """Richardson's limit of values at h, h/2, h/4, ... whose error is a power series in h."""
    order = 1
    while len(values) > 1:
        values = [(2**order * fine - coarse) / (2**order - 1) for coarse, fine in pairwise(values)]
        order += 1
    return values[0]


def sensitivity(scene: Scene, env: int, dtype: str) -> float:
    """How far the acceleration moves when nothing but the exact M and b are rounded to ``dtype``.

    No solver can promise less. It is below 1e-6 in float32 for most robots, but panda's fingers on a free base
    reach 6e-5.
    """
    state, tau = scene.states[env], scene.tau[env]
    mass = scene.oracle.mass_matrix(state.root_pose, state.q)
    force = tau - scene.oracle.bias_force(*scene.moving(env))
    rounded = np.linalg.solve(_round(mass, dtype), _round(force, dtype))
    return relative_error(rounded, np.linalg.solve(mass, force))


def velocity(robot: Any, free: int) -> np.ndarray:
    """Generalised velocity (environments, nv)."""
    return np.concatenate([host(robot.root_vel)[:, :free], host(robot.joint_vel)], axis=1)


def _round(array: np.ndarray, dtype: str) -> np.ndarray:
    return array.astype(dtype).astype(np.float64)


def _rounded(state: State, dtype: str) -> State:
    """The state as the engine can hold it, so that only the engine's arithmetic is compared."""
    return State(*(_round(field, dtype) for field in (state.root_pose, state.root_vel, state.q, state.qd)))
