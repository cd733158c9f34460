"""Plays a policy of one of Isaac Lab's tasks in MuJoCo, on a model of our world, and in our engine.

    python -m benchmarks.transfer_isaaclab Isaac-Velocity-Flat-Anymal-C-v0 FILE --json out.json

The environment is Isaac Lab's own, unmodified, in both cases: actuators, sensors, observations, rewards, ends of
episodes, pushes, masses and centres of mass drawn for each environment. In the second, each step of physics is
MuJoCo's: it gets the efforts of the actuators, and its state and the forces of its contacts are what is read. Tasks
have one robot on level ground. MuJoCo has one coefficient of friction and gets the static one. It has no limits of
joints' speeds: its accelerations are cut to what they leave.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import time
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import torch

from benchmarks.transfer import WITHIN, geom_bodies
from phalanx.bench import mjcf
from phalanx.bench.build import Actuator, Setup
from phalanx.bench.declare import Drives, MujocoOptions, Scene
from phalanx.bench.machine import machine
from phalanx.commands import learning_tasks
from phalanx.learn import trainers
from phalanx.learn.ranks import Ranks

mj: Any = mujoco  # its type information does not cover what it binds


def main() -> int:
    """0 if returns differ by no more than is allowed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("task")
    parser.add_argument("checkpoint", type=Path, help="of rsl-rl's trainer")
    parser.add_argument("--num-envs", type=int, default=32)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--substeps", type=int, default=1, help="of MuJoCo in one of ours")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--engine", choices=("phalanx", "mujoco"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.engine:
        print(json.dumps(played(options, options.engine == "mujoco")))
        return 0
    ends = {engine: _alone(engine, sys.argv[1:]) for engine in ("phalanx", "mujoco")}
    change = ends["mujoco"]["return"] / ends["phalanx"]["return"] - 1.0
    digest = hashlib.sha256(options.checkpoint.read_bytes()).hexdigest()
    rounds = len(torch.load(options.checkpoint, map_location="cpu", weights_only=True)["infos"]["curve"])
    result = {"task": options.task, "trained": {"in": "phalanx", "rounds": rounds, "sha256": digest}}
    result |= {"num_envs": options.num_envs, "substeps": options.substeps, **ends}
    result |= {"change": change, "ok": abs(change) <= WITHIN}
    print(json.dumps(result))
    if options.json is not None:
        whole = {"machine": machine(), "torch": torch.__version__, "within": WITHIN, "cases": [result]}
        options.json.write_text(json.dumps(whole, indent=1) + "\n")
    return 0 if result["ok"] else 1


def _alone(engine: str, arguments: list[str]) -> dict[str, Any]:
    """What came of an engine in a process of its own, as Isaac Lab has one simulation in a process."""
    import subprocess

    command = [sys.executable, "-m", "benchmarks.transfer_isaaclab", *arguments, "--engine", engine]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def played(options: argparse.Namespace, in_mujoco: bool) -> dict[str, Any]:
    """A policy's first episodes: mean return with its standard error, mean length, mean of each reward."""
    torch.manual_seed(options.seed)
    made = learning_tasks.make(options.task, options.num_envs, "cpu", options.seed)
    trainer = trainers.make("rsl_rl", made.env, made.settings, None, options.task, options.seed, Ranks())
    trainer.load(options.checkpoint)
    own = made.env.unwrapped
    physics = MujocoPhysics(own, options.substeps) if in_mujoco else None
    own.reset(seed=options.seed)
    policy, observations = trainer.policy(), trainer.env.get_observations()
    count, steps = options.num_envs, own.max_episode_length
    returns, lengths, going = torch.zeros(count), torch.zeros(count), torch.ones(count)
    terms = torch.zeros(count, len(own.reward_manager.active_terms))
    start = time.perf_counter()
    with torch.inference_mode():
        for _ in range(steps):
            observations, rewards, dones, _ = trainer.env.step(policy(observations))
            returns += going * rewards
            terms += going[:, None] * own.reward_manager._step_reward * own.step_dt
            lengths += going
            going *= ~dones.bool()
    found: dict[str, Any] = {"return": float(returns.mean()), "error": float(returns.std() / count**0.5)}
    found |= {"length": float(lengths.mean()), "longest": int(steps), "seconds": time.perf_counter() - start}
    found["rewards"] = dict(zip(own.reward_manager.active_terms, terms.mean(dim=0).tolist(), strict=True))
    return found | ({} if physics is None else {"warnings": physics.warnings()})


class MujocoPhysics:
    """Puts MuJoCo in the place of an environment's physics.

    Our world goes on stepping, so that clocks, sensors and caches do; afterwards it gets MuJoCo's state.

    Args:
        env: Isaac Lab's environment of one articulation with a free base, whose joints have explicit actuators.
        substeps: of MuJoCo in a step of ours.
    """

    def __init__(self, env: Any, substeps: int) -> None:
        (self.asset,) = env.scene.articulations.values()
        self.view = self.asset.root_physx_view
        world = self.view.world
        ((name, robot),) = world.robots.items()
        if len(world.actors) != 1 or robot.fixed_base:
            raise NotImplementedError("Only tasks of one robot with a free base are played in MuJoCo.")
        if any(one.is_implicit_model for one in self.asset.actuators.values()):
            raise NotImplementedError("Implicit actuators are not played in MuJoCo.")
        self.steps, count = substeps, robot.num_dof
        drives = {name: Drives(*(np.zeros(count) for _ in range(5)))}
        actuators = [Actuator(name, joint, True, 0.0, 0.0) for joint in range(count)]
        scene = Scene(type(env).__name__, "", dt=world.dt / substeps, mujoco=MujocoOptions())
        text = mjcf.write(Setup(scene, world, drives, actuators))
        self.models = [mj.MjModel.from_xml_string(text) for _ in range(env.num_envs)]
        self.datas = [mj.MjData(model) for model in self.models]
        first = self.models[0]
        joints = [first.joint(f"{name}/{joint}") for joint in robot.joint_names]
        self._q, self._v = [int(one.qposadr[0]) for one in joints], [int(one.dofadr[0]) for one in joints]
        order = [robot.joint_names.index(joint) for joint in self.asset.joint_names]
        self._q, self._v = [self._q[n] for n in order], [self._v[n] for n in order]
        self._controls = order
        self._fastest = np.asarray(self.view.get_dof_max_velocities(), float)[0]
        self._base = first.body(f"{name}/{robot.part.articulation.links[0].name}").id
        self._as_drawn(robot)
        self._bodies = geom_bodies(first, robot)
        self._forces = torch.zeros(env.num_envs, len(robot.body_names), 3)
        for sensor in env.scene.sensors.values():
            if hasattr(sensor, "contact_physx_view"):
                columns = [robot.body_names.index(body) for body in sensor.body_names]
                sensor._net = None  # its kernel reads our contacts
                sensor.contact_physx_view.get_net_contact_forces = self._reader(columns)
        self._accelerations = torch.zeros(env.num_envs, count)
        self.view.get_dof_accelerations = lambda: self._accelerations
        self._held: tuple[torch.Tensor, ...] = ()
        self._ours, world.step = world.step, self.step

    def _reader(self, columns: list[int]) -> Any:
        return lambda dt: self._forces[:, columns].reshape(-1, 3)

    def _as_drawn(self, robot: Any) -> None:
        """Masses, centres of mass, inertias of the base and frictions as each environment drew them."""
        masses, coms, inertias = (
            np.asarray(one, float) for one in (self.view.get_masses(), self.view.get_coms(), self.view.get_inertias())
        )
        friction = np.asarray(self.view.get_material_properties(), float)[:, :, 0]
        for n, (model, data) in enumerate(zip(self.models, self.datas, strict=True)):
            moments, axes = np.linalg.eigh(inertias[n, 0].reshape(3, 3))
            if np.linalg.det(axes) < 0.0:
                axes[:, 0] *= -1.0
            model.body_mass[self._base], model.body_inertia[self._base] = masses[n, 0], moments
            model.body_ipos[self._base] = coms[n, 0, :3]
            mj.mju_mat2Quat(model.body_iquat[self._base], axes.ravel())
            model.geom_friction[:, 0] = friction[n].mean() * self._ground
            mj.mj_setConst(model, data)
        self._com = coms[:, 0, :3]

    @property
    def _ground(self) -> float:
        (ground,) = self.view.world.grounds
        return ground.material.static_friction

    def _state(self) -> tuple[torch.Tensor, ...]:
        view = self.view
        read = (
            view.get_root_transforms(),
            view.get_root_velocities(),
            view.get_dof_positions(),
            view.get_dof_velocities(),
        )
        return tuple(torch.as_tensor(one).clone() for one in read)

    def step(self) -> None:
        """What was written into the state counts; then a step of physics."""
        state = self._state()
        efforts = self.asset.data.applied_torque.double().numpy()
        self._ours()
        pose, velocity, q, v = (one.double().numpy() for one in state)
        moved = np.ones(len(self.datas), bool)
        if self._held:
            moved = np.any([(a != b).any(dim=1).numpy() for a, b in zip(state, self._held, strict=True)], axis=0)
        before, force, total = v.copy(), np.zeros(6), np.zeros(self._forces.shape)
        for n, (model, data) in enumerate(zip(self.models, self.datas, strict=True)):
            if moved[n]:
                self._push(n, pose[n], velocity[n], q[n], v[n])
            data.ctrl[self._controls] = efforts[n]
            for _ in range(self.steps):
                self._mj_step(model, data)
            pose[n], velocity[n], q[n], v[n] = self._pulled(n)
            for number in range(data.ncon):
                contact = data.contact[number]
                mj.mj_contactForce(model, data, number, force)
                world = contact.frame.reshape(3, 3).T @ force[:3]
                for geom, sign in zip(contact.geom, (-1.0, 1.0), strict=True):
                    if self._bodies[geom] >= 0:
                        total[n, self._bodies[geom]] += sign * world
        self._forces = torch.as_tensor(total, dtype=torch.float32)
        self._accelerations = torch.as_tensor((v - before) / self.view.world.dt, dtype=torch.float32)
        found = [torch.as_tensor(one, dtype=torch.float32) for one in (pose, velocity, q, v)]
        every, view = torch.arange(len(self.datas), dtype=torch.int32), self.view
        view.set_root_transforms(found[0], every)
        view.set_root_velocities(found[1], every)
        view.set_dof_positions(found[2], every)
        view.set_dof_velocities(found[3], every)
        self._held = self._state()

    def _mj_step(self, model: Any, data: Any) -> None:
        """A step of MuJoCo's, in which joints become no faster than they may, as in our engine.

        Without damping of joints or actuators its Euler step is the same as that of its implicit integrators.
        """
        mj.mj_forward(model, data)
        dt, now = model.opt.timestep, data.qvel[self._v]
        data.qacc[self._v] = (np.clip(now + dt * data.qacc[self._v], -self._fastest, self._fastest) - now) / dt
        mj.mj_Euler(model, data)

    def _push(self, n: int, pose: np.ndarray, velocity: np.ndarray, q: np.ndarray, v: np.ndarray) -> None:
        """Poses are xyzw; velocities are of the base's centre of mass, in the world's axes."""
        model, data = self.models[n], self.datas[n]
        mj.mj_resetData(model, data)
        data.qpos[:3], data.qpos[3:7] = pose[:3], pose[[6, 3, 4, 5]]
        arm = np.zeros(3)
        mj.mju_rotVecQuat(arm, self._com[n], data.qpos[3:7])
        data.qvel[:3] = velocity[:3] - np.cross(velocity[3:], arm)
        mj.mju_rotVecQuat(data.qvel[3:6], velocity[3:], data.qpos[3:7] * (1.0, -1.0, -1.0, -1.0))
        data.qpos[self._q], data.qvel[self._v] = q, v

    def _pulled(self, n: int) -> tuple[np.ndarray, ...]:
        data = self.datas[n]
        arm, turning = np.zeros(3), np.zeros(3)
        mj.mju_rotVecQuat(arm, self._com[n], data.qpos[3:7])
        mj.mju_rotVecQuat(turning, data.qvel[3:6], data.qpos[3:7])
        pose = np.concatenate((data.qpos[:3], data.qpos[[4, 5, 6, 3]]))
        velocity = np.concatenate((data.qvel[:3] + np.cross(turning, arm), turning))
        return pose, velocity, data.qpos[self._q], data.qvel[self._v]

    def warnings(self) -> int:
        """How often MuJoCo warned, of states that are no numbers for example."""
        return sum(int(one.number) for data in self.datas for one in data.warning)


if __name__ == "__main__":
    sys.exit(main())
