"""Plays a policy of one of Isaac Lab's tasks in MuJoCo, on a model of our world, and in our engine.

    python -m benchmarks.transfer_isaaclab Isaac-Velocity-Flat-Anymal-C-v0 FILE --substeps 4 --json out.json
    python -m benchmarks.transfer_isaaclab Isaac-Lift-Cube-Franka-v0 FILE --substeps 50 --firm --json out.json

The environment is Isaac Lab's own, unmodified, in both cases: actuators, sensors, observations, rewards, ends of
episodes, pushes, masses and centres of mass drawn for each environment. In the second, each step of physics is
MuJoCo's: it gets targets and efforts of the drives, and its state and the forces of its contacts are what is read.
Tasks have one robot, rigid objects, and what does not move. MuJoCo has one coefficient of friction and gets the static
one. It has no limits of joints' speeds: impulses on joints keep them, which act on the rest of the robot, too.

What is gripped needs ``--firm`` and short steps. MuJoCo's contacts give way by default, the more the lighter the
fingers: a cube between two of 22 g that press with 48 N sinks in by millimetres and is pinched out, and friction slips
under any load.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import time
from copy import copy
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
from phalanx.models.actor_spec import DYNAMIC, STATIC
from phalanx.models.surface import COMBINE_MODES

mj: Any = mujoco  # its type information does not cover what it binds

SAME = 1e-6
"""Coefficients and speeds that differ by less are the same."""


def main() -> int:
    """0 if returns differ by no more than is allowed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("task")
    parser.add_argument("checkpoint", type=Path, help="of rsl-rl's trainer")
    parser.add_argument("--num-envs", type=int, default=32)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--substeps", type=int, default=1, help="of MuJoCo in one of ours")
    parser.add_argument("--firm", action="store_true", help="contacts of MuJoCo as stiff as its steps allow")
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
    result |= {"num_envs": options.num_envs, "substeps": options.substeps, "firm": options.firm}
    result |= {**ends, "change": change, "ok": abs(change) <= WITHIN}
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
    physics = MujocoPhysics(own, options.substeps, options.firm) if in_mujoco else None
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


def firm_contacts(dt: float) -> MujocoOptions:
    """Options with which things that are gripped are held as Coulomb's law says, at steps of ``dt`` (s).

    Errors are taken out within two steps, and MuJoCo allows no fewer; friction is ten times as stiff as normal forces,
    in a cone that is no pyramid. Steps have to be short beside the mass of a finger over the damping of its drive:
    contacts do not know of the damping, and a finger of 22 g at 100 N s/m loses a cube at 1.25 ms and not at 0.5 ms. A
    hand that jerks needs 0.2 ms.
    """
    return MujocoOptions(solref=(2.0 * dt, 1.0), cone="elliptic", impratio=10.0)


class MujocoPhysics:
    """Puts MuJoCo in the place of an environment's physics.

    Our world goes on stepping, so that clocks, sensors and caches do; afterwards it gets MuJoCo's state.

    Args:
        env: Isaac Lab's environment of one articulation, and of rigid objects that move freely or not at all.
        substeps: of MuJoCo in a step of ours.
        firm: contacts are those of :func:`firm_contacts`; MuJoCo's defaults otherwise.

    Raises:
        NotImplementedError: the world has what is not carried over.
    """

    def __init__(self, env: Any, substeps: int, firm: bool = False) -> None:
        (self.asset,) = env.scene.articulations.values()
        self.view = self.asset.root_physx_view
        world = self.view.world
        if len(world.robots) != 1:
            raise NotImplementedError(f"Tasks of one robot are played in MuJoCo; this one has {len(world.robots)}.")
        ((name, self.robot),) = world.robots.items()
        moved = [one.name for one in world.actors.values() if one.part.kind not in (DYNAMIC, STATIC)]
        if moved:
            raise NotImplementedError(f"What moves as it is told is not played in MuJoCo: {', '.join(moved)}.")
        self.free = [one for one in world.actors.values() if not one.fixed_base]
        self.steps, count = substeps, self.robot.num_dof
        dt = world.dt / substeps
        options = firm_contacts(dt) if firm else MujocoOptions()
        gains = [_shared(getattr(self.robot, f"joint_{one}"), f"joints' {one}") for one in ("stiffness", "damping")]
        drives = {name: Drives(*gains, *(np.zeros(count) for _ in range(3)))}
        actuators = [Actuator(name, joint, False, 0.0, 0.0) for joint in range(count)]
        text = mjcf.write(Setup(Scene(type(env).__name__, "", dt=dt, mujoco=options), world, drives, actuators))
        first = mj.MjModel.from_xml_string(text)
        most = _shared(self.robot.joint_effort_limit, "limits of joints' efforts")
        first.actuator_forcelimited[:], first.actuator_forcerange[:] = 1, np.stack((-most, most), axis=1)
        self._fastest = _shared(self.robot.joint_velocity_limit, "limits of joints' speeds")
        joints = [first.joint(f"{name}/{joint}") for joint in self.robot.joint_names]
        self._q, self._v = [int(one.qposadr[0]) for one in joints], [int(one.dofadr[0]) for one in joints]
        roots = [first.joint(f"{one.name}/root") for one in self.free]
        self._root_q, self._root_v = [int(one.qposadr[0]) for one in roots], [int(one.dofadr[0]) for one in roots]
        self.models = [copy(first) for _ in range(env.num_envs)]
        self.datas = [mj.MjData(model) for model in self.models]
        self._base = first.body(f"{name}/{self.robot.part.articulation.links[0].name}").id
        self._as_drawn()
        self._bodies = geom_bodies(first, self.robot)
        self._forces = torch.zeros(env.num_envs, len(self.robot.body_names), 3)
        for sensor in env.scene.sensors.values():
            if hasattr(sensor, "contact_physx_view"):
                columns = [self.robot.body_names.index(body) for body in sensor.body_names]
                sensor._net = None  # its kernel reads our contacts
                sensor.contact_physx_view.get_net_contact_forces = self._reader(columns)
        self._order = [self.robot.joint_names.index(joint) for joint in self.asset.joint_names]
        self._accelerations = torch.zeros(env.num_envs, count)
        self.view.get_dof_accelerations = lambda: self._accelerations
        self._held: list[np.ndarray] = []
        self._ours, world.step = world.step, self.step

    def _reader(self, columns: list[int]) -> Any:
        return lambda dt: self._forces[:, columns].reshape(-1, 3)

    def _as_drawn(self) -> None:
        """Friction, and masses, centres of mass and inertias of a free base, as each environment drew them."""
        for number, friction in enumerate(self._frictions()):
            self.models[number].geom_friction[:, 0] = friction
        for actor in self.view.world.actors.values():
            drawn = 1 if actor is self.robot and not self.robot.fixed_base else 0
            _shared(np.asarray(actor.body_mass)[:, drawn:], f"masses of {actor.name}")
        if self.robot.fixed_base:
            return
        masses, coms, inertias = (
            np.asarray(one, float) for one in (self.view.get_masses(), self.view.get_coms(), self.view.get_inertias())
        )
        for n, (model, data) in enumerate(zip(self.models, self.datas, strict=True)):
            moments, axes = np.linalg.eigh(inertias[n, 0].reshape(3, 3))
            if np.linalg.det(axes) < 0.0:
                axes[:, 0] *= -1.0
            model.body_mass[self._base], model.body_inertia[self._base] = masses[n, 0], moments
            model.body_ipos[self._base] = coms[n, 0, :3]
            mj.mju_mat2Quat(model.body_iquat[self._base], axes.ravel())
            mj.mj_setConst(model, data)

    def _frictions(self) -> np.ndarray:
        """(num_envs,): the coefficient between any two actors, or an actor and the ground, by the world's rules."""
        surfaces, movers = [], []
        for actor in self.view.world.actors.values():
            coefficients = np.asarray(actor.material, float)[:, :, 0]
            if np.ptp(coefficients, axis=1).max() > SAME:
                raise NotImplementedError(f"Shapes of {actor.name} have coefficients of friction that differ.")
            surfaces.append((coefficients[:, 0], np.asarray(actor._friction_mode)[:, 0]))
            movers.append(actor.part.kind == DYNAMIC)
        for ground in self.view.world.grounds:
            surfaces.append((ground.material.static_friction, ground.material.friction_mode))
            movers.append(False)
        pairs = [
            _combined(*surfaces[a], *surfaces[b])
            for a in range(len(surfaces))
            for b in range(a)
            if movers[a] or movers[b]
        ]
        if np.ptp(pairs, axis=0).max() > SAME:
            raise NotImplementedError("Pairs of actors have coefficients of friction that differ.")
        return pairs[0]

    def _state(self) -> list[np.ndarray]:
        """Positions and velocities of joints, poses and velocities of roots."""
        found = [self.robot.joint_pos, self.robot.joint_vel]
        for actor in self.free:
            found += [actor.root_pose, actor.root_vel]
        return [np.array(one, float) for one in found]

    def step(self) -> None:
        """What was written into the state counts; then a step of physics."""
        state = self._state()
        targets, efforts = np.asarray(self.robot.joint_pos_target), np.asarray(self.robot.joint_effort_target)
        if np.asarray(self.robot.joint_vel_target).any():
            raise NotImplementedError("Targets of joints' velocities are not given to MuJoCo.")
        self._ours()
        moved = np.ones(len(self.datas), bool)
        if self._held:
            moved = np.any([(a != b).any(axis=1) for a, b in zip(state, self._held, strict=True)], axis=0)
        found, force, total = [one.copy() for one in state], np.zeros(6), np.zeros(self._forces.shape)
        for n, (model, data) in enumerate(zip(self.models, self.datas, strict=True)):
            if moved[n]:
                self._push(n, [one[n] for one in state])
            data.ctrl[:], data.qfrc_applied[self._v] = targets[n], efforts[n]
            for _ in range(self.steps):
                mj.mj_step(model, data)
                keep_speeds(model, data, self._v, self._fastest)
            for one, value in zip(found, self._pulled(n), strict=True):
                one[n] = value
            for number in range(data.ncon):
                contact = data.contact[number]
                mj.mj_contactForce(model, data, number, force)
                world = contact.frame.reshape(3, 3).T @ force[:3]
                for geom, sign in zip(contact.geom, (-1.0, 1.0), strict=True):
                    if self._bodies[geom] >= 0:
                        total[n, self._bodies[geom]] += sign * world
        self._forces = torch.as_tensor(total, dtype=torch.float32)
        accelerations = (found[1] - state[1])[:, self._order] / self.view.world.dt
        self._accelerations = torch.as_tensor(accelerations, dtype=torch.float32)
        self.robot.set_joint_state(*found[:2])
        for number, actor in enumerate(self.free):
            actor.set_root_state(*found[2 + 2 * number : 4 + 2 * number])
        self._held = self._state()

    def _push(self, n: int, state: list[np.ndarray]) -> None:
        """The state of our world into MuJoCo; velocities of roots are those of their frames, in the world's axes."""
        model, data = self.models[n], self.datas[n]
        mj.mj_resetData(model, data)
        data.qpos[self._q], data.qvel[self._v] = state[:2]
        for number, (q, v) in enumerate(zip(self._root_q, self._root_v, strict=True)):
            pose, velocity = state[2 + 2 * number : 4 + 2 * number]
            data.qpos[q : q + 7], data.qvel[v : v + 3] = pose, velocity[:3]
            mj.mju_rotVecQuat(data.qvel[v + 3 : v + 6], velocity[3:], pose[3:] * (1.0, -1.0, -1.0, -1.0))

    def _pulled(self, n: int) -> list[np.ndarray]:
        data = self.datas[n]
        found = [data.qpos[self._q], data.qvel[self._v]]
        for q, v in zip(self._root_q, self._root_v, strict=True):
            turning = np.zeros(3)
            mj.mju_rotVecQuat(turning, data.qvel[v + 3 : v + 6], data.qpos[q + 3 : q + 7])
            found += [data.qpos[q : q + 7], np.concatenate((data.qvel[v : v + 3], turning))]
        return found

    def warnings(self) -> int:
        """How often MuJoCo warned, of states that are no numbers for example."""
        return sum(int(one.number) for data in self.datas for one in data.warning)


def keep_speeds(model: Any, data: Any, dofs: list[int], fastest: np.ndarray) -> None:
    """Take joints that a step has made too fast back to their limits, by impulses on these joints alone.

    The rest of the robot feels the impulses. To cut velocities one by one does as if it did not: an arm that is
    accelerated to its limits is then 40 mrad off after a tenth of a second.

    Args:
        model, data: of MuJoCo, just after a step of it.
        dofs: numbers (n,) of joints' velocities.
        fastest: their limits (n,), rad/s or m/s.
    """
    columns = np.array(dofs)
    now = data.qvel[columns]
    wanted = np.clip(now, -fastest, fastest)
    over = np.abs(wanted - now) > SAME
    if not over.any():
        return
    change = np.zeros(model.nv)
    for _ in range(len(columns)):  # others may become too fast by it
        kept = columns[over]
        unit, answer = np.zeros((len(kept), model.nv)), np.zeros((len(kept), model.nv))
        unit[np.arange(len(kept)), kept] = 1.0
        mj.mj_solveM(model, data, answer, unit)
        change = np.linalg.solve(answer[:, kept].T, (wanted - now)[over]) @ answer
        after = now + change[columns]
        more = np.abs(after) > fastest + SAME
        if not more.any():
            break
        wanted, over = np.where(more, np.clip(after, -fastest, fastest), wanted), over | more
    data.qvel += change
    mj.mj_integratePos(model, data.qpos, change, model.opt.timestep)


def _shared(values: Any, what: str) -> np.ndarray:
    """What all environments have, of values (num_envs, ...)."""
    found = np.asarray(values, float)
    if (found != found[:1]).any():
        raise NotImplementedError(f"Environments have {what} that differ, which is not played in MuJoCo.")
    return found[0]


def _combined(one: Any, its_mode: Any, other: Any, other_mode: Any) -> np.ndarray:
    """Coefficients of two surfaces together; of two rules the later one in the list holds."""
    rules = {
        COMBINE_MODES["average"]: lambda a, b: 0.5 * (a + b),
        COMBINE_MODES["min"]: np.minimum,
        COMBINE_MODES["multiply"]: np.multiply,
        COMBINE_MODES["max"]: np.maximum,
    }
    one, other, modes = np.broadcast_arrays(one, other, np.maximum(its_mode, other_mode))
    return np.array([rules[int(mode)](a, b) for a, b, mode in zip(one.flat, other.flat, modes.flat, strict=True)])


if __name__ == "__main__":
    sys.exit(main())
