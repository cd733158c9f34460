"""Plays policies in another engine: the same task, with MuJoCo in place of our physics, on a model of our world.

    python -m benchmarks.transfer cartpole quadruped-flat --checkpoint quadruped-flat=FILE --back --json out.json

Observations, rewards, ends of episodes and random numbers are those of ``phalanx.learn``, so both engines get the same
starts, commands and shoves; what is read of the robot comes from MuJoCo. A task without a checkpoint is trained first,
by its recipe. ``--back`` trains the first task in MuJoCo, too, and plays that policy here. Speed limits of joints have
no counterpart in MuJoCo; its timestep is ours, divided by ``--substeps``.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import torch

from phalanx import components as c
from phalanx import learn
from phalanx.bench import mjcf
from phalanx.bench.build import Actuator, Setup
from phalanx.bench.declare import Drives, MujocoOptions, Scene
from phalanx.bench.machine import machine
from phalanx.learn.environment import Environment
from phalanx.learn.live import Live, RobotState
from phalanx.learn.recipes import recipe
from phalanx.learn.trainer import Trainer
from phalanx.world.handles.robot import Robot

mj: Any = mujoco  # its type information does not cover what it binds
WITHIN = 0.1
"""How far the return may be off."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tasks", nargs="+", choices=list(learn.TASKS), metavar="TASK")
    parser.add_argument("--checkpoint", action="append", default=[], metavar="TASK=FILE", help="of rsl-rl's trainer")
    parser.add_argument("--num-envs", type=int, default=64)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--substeps", type=int, default=1, help="of MuJoCo in one of ours")
    parser.add_argument("--back", action="store_true", help="train the first task in MuJoCo, too")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    files = dict(text.split("=", 1) for text in options.checkpoint)
    results: dict[str, Any] = {"machine": machine(), "torch": torch.__version__, "within": WITHIN, "cases": []}
    with tempfile.TemporaryDirectory() as folder:
        for task in options.tasks:
            path = Path(files[task]) if task in files else _trained(task, Path(folder), options, in_mujoco=False)
            results["cases"].append(_case(task, path, "phalanx", options))
        if options.back:
            path = _trained(options.tasks[0], Path(folder), options, in_mujoco=True)
            results["cases"].append(_case(options.tasks[0], path, "mujoco", options))
    if options.json is not None:
        options.json.write_text(json.dumps(results, indent=1) + "\n")
    return 0 if all(one["ok"] for one in results["cases"]) else 1


def _trained(task: str, folder: Path, options: argparse.Namespace, in_mujoco: bool) -> Path:
    found = recipe(task, "cpu")
    made = in_mujoco_class(task, options.substeps) if in_mujoco else learn.task_class(task)
    env = made(found.num_envs, "cpu", seed=options.seed, infos=False)
    trainer = Trainer(env, found.settings(), None, task, options.seed)
    print(f"{task}: training in {'MuJoCo' if in_mujoco else 'Phalanx'}, {found.iterations} rounds", flush=True)
    trainer.learn(found.iterations, found.stagger)
    path = folder / f"{task}-{in_mujoco}.pt"
    trainer.save(path)
    return path


def _case(task: str, path: Path, trained_in: str, options: argparse.Namespace) -> dict[str, Any]:
    kinds = {"phalanx": learn.task_class(task), "mujoco": in_mujoco_class(task, options.substeps)}
    ends = {name: played(kind, task, path, options.num_envs, options.seed + 1) for name, kind in kinds.items()}
    there = "mujoco" if trained_in == "phalanx" else "phalanx"
    change = ends[there]["return"] / ends[trained_in]["return"] - 1.0
    infos = torch.load(path, map_location="cpu", weights_only=True)["infos"]
    trained = {"in": trained_in, "rounds": len(infos["curve"]), "steps": infos["curve"][-1]["steps"]}
    trained |= {"sha256": hashlib.sha256(path.read_bytes()).hexdigest()}
    result = {"task": task, "trained": trained, "num_envs": options.num_envs, "substeps": options.substeps, **ends}
    result |= {"change": change, "ok": abs(change) <= WITHIN}
    print(json.dumps(result), flush=True)
    return result


def played(kind: type[Environment], task: str, path: Path, num_envs: int, seed: int) -> dict[str, Any]:
    """A policy's first episodes without noise: mean return with its standard error, mean length."""
    env = kind(num_envs, "cpu", seed=seed, noise=False, infos=False)
    trainer = Trainer(env, recipe(task, "cpu").settings(), None, task, seed)
    trainer.load(path)
    env.reset(seed=seed)
    policy, observations = trainer.policy(), trainer.env.get_observations()
    returns, lengths, going = torch.zeros(num_envs), torch.zeros(num_envs), torch.ones(num_envs)
    start = time.perf_counter()
    with torch.inference_mode():
        for _ in range(env.max_episode_length):
            observations, rewards, dones, _ = trainer.env.step(policy(observations))
            returns += going * rewards
            lengths += going
            going *= ~dones
    found = {"return": float(returns.mean()), "error": float(returns.std() / num_envs**0.5)}
    found |= {"length": float(lengths.mean()), "longest": env.max_episode_length}
    found["seconds"] = time.perf_counter() - start
    physics = getattr(env, "physics", None)
    return found | ({} if physics is None else {"warnings": physics.warnings()})


def geom_bodies(model: Any, robot: Robot) -> np.ndarray:
    """For each geom of a model that was written from a robot's world the number of our body, -1 for the ground."""
    found = np.full(model.ngeom, -1)
    articulation = robot.part.articulation
    for number, link in enumerate(articulation.links):
        geoms = np.flatnonzero(model.geom_bodyid == model.body(f"{robot.name}/{link.name}").id)
        shapes = [shape for shape in articulation.collisions if shape.link == number]
        for geom, shape in zip(geoms, shapes, strict=True):
            found[geom] = shape.body
    return found


class MujocoPhysics:
    """Environments of one robot in MuJoCo, (num_envs, ...) as torch tensors in the order of our joints and bodies."""

    def __init__(self, env: Environment, robot: Robot, live: Live, substeps: int) -> None:
        gains = {one: live.field(field, robot.joint_rows)[0].double().numpy() for one, field in _GAINS.items()}
        count = robot.num_dof
        driven = gains["stiffness"] > 0.0
        actuators = [Actuator(robot.name, joint, not driven[joint], 0.0, 0.0) for joint in range(count)]
        drives = {robot.name: Drives(gains["stiffness"], gains["damping"], *(np.zeros(count) for _ in range(3)))}
        self.dt, self.steps = env.dt / substeps, env.decimation * substeps
        scene = Scene(type(env).__name__, "", dt=self.dt, mujoco=MujocoOptions())
        self.model = mj.MjModel.from_xml_string(mjcf.write(Setup(scene, env.world, drives, actuators)))
        self.datas = [mj.MjData(self.model) for _ in range(env.num_envs)]
        joints = [self.model.joint(f"{robot.name}/{name}") for name in robot.joint_names]
        self._q, self._v = [int(one.qposadr[0]) for one in joints], [int(one.dofadr[0]) for one in joints]
        self._driven, self._free = driven, not robot.fixed_base
        self._bodies = geom_bodies(self.model, robot)
        n = env.num_envs
        self.root_pose, self.root_vel = torch.zeros(n, 7), torch.zeros(n, 6)
        names = ("pos", "vel", "acc", "effort", "pos_target", "vel_target", "effort_target")
        self.joints = {name: torch.zeros(n, count) for name in names}
        self.contact_force = torch.zeros(n, len(robot.body_names), 3)
        self._start = torch.as_tensor(np.array(robot.default_root_pose), dtype=torch.float32)
        self._default = torch.as_tensor(np.array(robot.default_joint_pos), dtype=torch.float32)
        self._held: tuple[torch.Tensor, ...] = ()
        self.restore(torch.ones(n, dtype=torch.bool))

    def restore(self, chosen: torch.Tensor) -> None:
        """Put chosen environments back to where the robot starts, at rest."""
        self.root_pose[chosen] = self._start
        for name, values in self.joints.items():
            values[chosen] = self._default if name in ("pos", "pos_target") else 0.0
        self.root_vel[chosen] = 0.0
        self.contact_force[chosen] = 0.0

    def _state(self) -> tuple[torch.Tensor, ...]:
        return (self.root_pose, self.root_vel, self.joints["pos"], self.joints["vel"])

    def step(self) -> None:
        """What was written into the state counts; then the steps of one of the environment."""
        state = self._state()
        if self._held:
            moved = torch.stack([(a != b).any(dim=1) for a, b in zip(state, self._held, strict=True)]).any(dim=0)
        else:
            moved = torch.ones(len(self.datas), dtype=torch.bool)
        for n in moved.nonzero()[:, 0].tolist():
            self._push(n)
        position, effort = (self.joints[name].double().numpy() for name in ("pos_target", "effort_target"))
        controls = np.where(self._driven, position, effort)
        force = np.zeros(6)
        for n, data in enumerate(self.datas):
            data.ctrl[:] = controls[n]
            for _ in range(self.steps):
                before = data.qvel[self._v]
                mj.mj_step(self.model, data)
            self._pull(n, data, before, force)
        self._held = tuple(one.clone() for one in state)

    def _push(self, n: int) -> None:
        data = self.datas[n]
        mj.mj_resetData(self.model, data)
        if self._free:
            pose, velocity = self.root_pose[n].double().numpy(), self.root_vel[n].double().numpy()
            data.qpos[:7] = pose
            data.qvel[:3] = velocity[:3]
            mj.mju_rotVecQuat(data.qvel[3:6], velocity[3:], _conjugate(pose[3:]))
        data.qpos[self._q] = self.joints["pos"][n].double().numpy()
        data.qvel[self._v] = self.joints["vel"][n].double().numpy()

    def _pull(self, n: int, data: Any, before: np.ndarray, force: np.ndarray) -> None:
        if self._free:
            self.root_pose[n] = torch.as_tensor(data.qpos[:7])
            turning = np.zeros(3)
            mj.mju_rotVecQuat(turning, data.qvel[3:6], data.qpos[3:7])
            self.root_vel[n] = torch.as_tensor(np.concatenate((data.qvel[:3], turning)))
        self.joints["pos"][n] = torch.as_tensor(data.qpos[self._q])
        self.joints["vel"][n] = torch.as_tensor(data.qvel[self._v])
        self.joints["acc"][n] = torch.as_tensor((data.qvel[self._v] - before) / self.dt)
        self.joints["effort"][n] = torch.as_tensor(data.actuator_force)
        total = np.zeros(self.contact_force.shape[1:])
        for number in range(data.ncon):
            contact = data.contact[number]
            mj.mj_contactForce(self.model, data, number, force)
            world = contact.frame.reshape(3, 3).T @ force[:3]
            for geom, sign in zip(contact.geom, (-1.0, 1.0), strict=True):
                if self._bodies[geom] >= 0:
                    total[self._bodies[geom]] += sign * world
        self.contact_force[n] = torch.as_tensor(total)

    def warnings(self) -> int:
        """How often MuJoCo warned, of states that are no numbers for example."""
        return sum(int(one.number) for data in self.datas for one in data.warning)


_GAINS = {"stiffness": c.Drive.stiffness, "damping": c.Drive.damping}


def _conjugate(quaternion: np.ndarray) -> np.ndarray:
    return quaternion * np.array((1.0, -1.0, -1.0, -1.0))


class MujocoState(RobotState):
    """Reads of a robot that is in MuJoCo; what it does not have, such as poses of bodies, is an error."""

    def __init__(self, live: Live, robot: Robot, physics: MujocoPhysics) -> None:
        super().__init__(live, robot)
        self._physics = physics

    root_pose = property(lambda self: self._physics.root_pose)
    root_vel = property(lambda self: self._physics.root_vel)
    joint_pos = property(lambda self: self._physics.joints["pos"])
    joint_vel = property(lambda self: self._physics.joints["vel"])
    joint_acc = property(lambda self: self._physics.joints["acc"])
    applied_effort = property(lambda self: self._physics.joints["effort"])
    pos_target = property(lambda self: self._physics.joints["pos_target"])
    vel_target = property(lambda self: self._physics.joints["vel_target"])
    effort_target = property(lambda self: self._physics.joints["effort_target"])
    contact_force = property(lambda self: self._physics.contact_force)

    def _missing(self) -> torch.Tensor:
        raise NotImplementedError("Poses and velocities of bodies are not read from MuJoCo.")

    body_pose = property(_missing)
    body_vel = property(_missing)


def in_mujoco_class(task: str, substeps: int = 1) -> type[Environment]:
    """A native task with MuJoCo's physics; tasks of one robot, without objects."""
    base: Any = learn.task_class(task)

    class InMujoco(base):
        def robot_state(self, robot: Robot) -> RobotState:
            if len(self.world.actors) != 1:
                raise NotImplementedError(f"{task} has more than one actor.")
            self.physics = MujocoPhysics(self, robot, self.live, substeps)  # type: ignore[arg-type]
            return MujocoState(self.live, robot, self.physics)

        def simulate(self) -> None:
            self.physics.step()

        def restore(self, chosen: torch.Tensor) -> None:
            super().restore(chosen)
            self.physics.restore(chosen)

    InMujoco.__name__ = f"{base.__name__}InMujoco"
    return InMujoco


if __name__ == "__main__":
    sys.exit(main())
