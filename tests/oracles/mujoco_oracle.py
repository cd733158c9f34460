"""MuJoCo as an oracle: its mass matrix, bias forces, Jacobians, forward dynamics, and its trajectories.

The model is built element by element from the URDF (MuJoCo's own importer merges the root link into the world, wants
meshes, and refuses inertias that many real files have). Every link stays a body, without geometry, limits, friction
or constraints. MuJoCo's free joint has the velocity ``u = [lin, R' ang]`` in world and body axes respectively, so
with ``u = X v`` forces are ``X' f``, and ``du/dt = X dv/dt`` without further terms.
"""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from oracles.base import EARTH, Array, Oracle, State, Vector, positive, rotation
from oracles.base import joint_names as read_joint_names

mj: Any = mujoco  # its type information does not cover what it binds
JOINT_KINDS = {"revolute": "mjJNT_HINGE", "continuous": "mjJNT_HINGE", "prismatic": "mjJNT_SLIDE"}
LINK = "link "  # before every name: MuJoCo has a body "world" of its own, and so have many files
ROOT_JOINT = "the free root"


@dataclass
class Trajectory:
    """After each of n steps: ``time`` (n,), ``root_pose`` (n, 7), ``root_vel`` (n, 6), ``q`` and ``qd`` (n, joints)."""

    time: Array
    root_pose: Array
    root_vel: Array
    q: Array
    qd: Array


class MujocoOracle(Oracle):
    """A URDF robot in MuJoCo; ``armature`` and ``damping`` are numbers or one for each joint."""

    def __init__(
        self,
        urdf: str | Path,
        fixed_base: bool,
        joint_names: Sequence[str] | None = None,
        armature: float | Array = 0.0,
        damping: float | Array = 0.0,
    ) -> None:
        self.fixed_base = fixed_base
        self.joint_names = list(joint_names if joint_names is not None else read_joint_names(urdf))
        self.model, self.root = _build(urdf, fixed_base)
        self.data = mj.MjData(self.model)
        expected = len(self.joint_names) + (0 if fixed_base else 6)
        if expected != self.model.nv:
            raise ValueError(f"{urdf}: {len(self.joint_names)} joints named, but the file has {read_joint_names(urdf)}")
        joints = [self.model.joint(name) for name in self.joint_names]
        self._q = [int(joint.qposadr[0]) for joint in joints]
        self._v = [int(joint.dofadr[0]) for joint in joints]
        self._order = [*range(0 if fixed_base else 6), *self._v]  # ours -> MuJoCo's
        self.model.dof_armature[self._v] = armature
        self.model.dof_damping[self._v] = damping
        self.damped = bool(np.any(self.model.dof_damping))

    def mass_matrix(self, root_pose: Array, q: Array) -> Array:
        self._set(State(root_pose, np.zeros(6), q, np.zeros(len(q))))
        mj.mj_fwdPosition(self.model, self.data)
        full = np.zeros((self.nv, self.nv))
        mj.mj_fullM(self.model, self.data, full)
        x = self._velocity_map(root_pose)
        return x.T @ full @ x

    def bias_force(self, root_pose: Array, root_vel: Array, q: Array, qd: Array, gravity: Vector = EARTH) -> Array:
        self._set(State(root_pose, root_vel, q, qd), gravity)
        mj.mj_forward(self.model, self.data)
        return self._velocity_map(root_pose).T @ self.data.qfrc_bias

    def jacobian(self, root_pose: Array, q: Array, body: str) -> Array:
        self._set(State(root_pose, np.zeros(6), q, np.zeros(len(q))))
        mj.mj_fwdPosition(self.model, self.data)
        jacobian = np.zeros((6, self.nv))
        index = self.model.body(LINK + body).id
        mj.mj_jac(self.model, self.data, jacobian[:3], jacobian[3:], self.data.xpos[index], index)
        return jacobian @ self._velocity_map(root_pose)

    def body_pose(self, root_pose: Array, q: Array, body: str) -> Array:
        self._set(State(root_pose, np.zeros(6), q, np.zeros(len(q))))
        mj.mj_kinematics(self.model, self.data)
        index = self.model.body(LINK + body).id
        return positive(np.concatenate([self.data.xpos[index], self.data.xquat[index]]))

    def body_velocity(self, root_pose: Array, root_vel: Array, q: Array, qd: Array, body: str) -> Array:
        self._set(State(root_pose, root_vel, q, qd))
        mj.mj_forward(self.model, self.data)
        velocity = np.zeros(6)
        index = self.model.body(LINK + body).id
        mj.mj_objectVelocity(self.model, self.data, mj.mjtObj.mjOBJ_XBODY, index, velocity, 0)
        return np.concatenate([velocity[3:], velocity[:3]])

    def forward_dynamics(
        self,
        root_pose: Array,
        root_vel: Array,
        q: Array,
        qd: Array,
        tau: Array,
        gravity: Vector = EARTH,
    ) -> Array:
        """As :meth:`Oracle.forward_dynamics`; the oracle's damping acts too."""
        self._set(State(root_pose, root_vel, q, qd), gravity)
        x_inverse = self._velocity_map(root_pose).T  # a permutation and a rotation
        self.data.qfrc_applied[:] = x_inverse.T @ tau
        mj.mj_forward(self.model, self.data)
        return x_inverse @ self.data.qacc

    def trajectory(
        self,
        state: State,
        dt: float,
        steps: int,
        joint_effort: Array | None = None,
        gravity: Vector = EARTH,
    ) -> Trajectory:
        """Semi-implicit Euler from ``state`` under constant joint efforts (joints,), joint damping taken implicitly."""
        self._set(state, gravity)
        self.model.opt.timestep = dt
        self.model.opt.integrator = mj.mjtIntegrator.mjINT_EULER
        if joint_effort is not None:
            self.data.qfrc_applied[self._v] = joint_effort
        states = []
        for _ in range(steps):
            mj.mj_step(self.model, self.data)
            states.append(self._state(state.root_pose))
        return Trajectory(
            time=dt * np.arange(1, steps + 1),
            root_pose=np.array([s.root_pose for s in states]),
            root_vel=np.array([s.root_vel for s in states]),
            q=np.array([s.q for s in states]),
            qd=np.array([s.qd for s in states]),
        )

    def _set(self, state: State, gravity: Vector = EARTH) -> None:
        mj.mj_resetData(self.model, self.data)
        self.model.opt.gravity[:] = gravity
        if self.fixed_base:
            self.model.body_pos[self.root] = state.root_pose[:3]
            self.model.body_quat[self.root] = state.root_pose[3:]
        else:
            self.data.qpos[:7] = state.root_pose
            self.data.qvel[:3] = state.root_vel[:3]
            self.data.qvel[3:6] = rotation(state.root_pose[3:]).T @ state.root_vel[3:]
        self.data.qpos[self._q] = state.q
        self.data.qvel[self._v] = state.qd

    def _state(self, root_pose: Array) -> State:
        root_vel = np.zeros(6)
        if not self.fixed_base:
            root_pose = self.data.qpos[:7].copy()
            root_vel[:3] = self.data.qvel[:3]
            root_vel[3:] = rotation(root_pose[3:]) @ self.data.qvel[3:6]
        return State(root_pose, root_vel, self.data.qpos[self._q], self.data.qvel[self._v])

    def _velocity_map(self, root_pose: Array) -> Array:
        """The ``X`` (nv, nv) of ``u = X v``."""
        x = np.zeros((self.nv, self.nv))
        x[self._order, range(self.nv)] = 1
        if not self.fixed_base:
            x[3:6, 3:6] = rotation(root_pose[3:]).T
        return x


def _build(urdf: str | Path, fixed_base: bool) -> tuple[Any, int]:
    """Compiled model, and the index of the root's body."""
    robot = ElementTree.parse(urdf).getroot()
    links = {link.get("name", ""): link for link in robot.findall("link")}
    joints = robot.findall("joint")
    root = (links.keys() - {_name(joint, "child") for joint in joints}).pop()

    spec = mj.MjSpec()
    spec.compiler.degree = False
    spec.compiler.fusestatic = False
    spec.compiler.alignfree = False
    disabled = mj.mjtDisableBit.mjDSBL_CONSTRAINT | mj.mjtDisableBit.mjDSBL_CONTACT | mj.mjtDisableBit.mjDSBL_AUTORESET
    spec.option.disableflags = int(disabled)
    bodies = {root: _add_body(spec.worldbody, root)}
    if not fixed_base:
        bodies[root].add_joint(name=ROOT_JOINT, type=mj.mjtJoint.mjJNT_FREE)
    waiting = list(joints)
    while waiting:
        joint = next(joint for joint in waiting if _name(joint, "parent") in bodies)
        waiting.remove(joint)
        child, kind = _name(joint, "child"), joint.get("type", "")
        bodies[child] = body = _add_body(bodies[_name(joint, "parent")], child)
        body.pos, body.quat = _origin(joint)
        if kind != "fixed":
            axis = joint.find("axis")
            body.add_joint(
                name=joint.get("name"),
                type=getattr(mj.mjtJoint, JOINT_KINDS[kind]),
                axis=[1, 0, 0] if axis is None else _floats(axis, "xyz"),
            )
    model = spec.compile()
    for name, link in links.items():
        index = model.body(LINK + name).id
        mass, com, quat, inertia = _inertial(link)
        model.body_mass[index], model.body_ipos[index] = mass, com
        model.body_iquat[index], model.body_inertia[index] = quat, inertia
    mj.mj_setConst(model, mj.MjData(model))
    return model, model.body(LINK + root).id


def _add_body(parent: Any, name: str) -> Any:
    """A body with an inertia that is no special case, so that none is compiled in: the true one replaces it."""
    body = parent.add_body(name=LINK + name)
    body.explicitinertial = True
    body.mass = 1.0
    body.ipos = [0.1, 0.2, 0.3]
    body.iquat = [0.5, 0.1, 0.7, 0.2]
    body.inertia = [1.0, 1.1, 1.2]
    return body


def _inertial(link: ElementTree.Element) -> tuple[float, Array, Array, Array]:
    """Mass, centre of mass (3,), and the principal axes (quaternion) and moments (3,) of a link's inertia."""
    inertial = link.find("inertial")
    if inertial is None:
        return 0.0, np.zeros(3), np.array([1.0, 0, 0, 0]), np.zeros(3)
    mass, tensor = inertial.find("mass"), inertial.find("inertia")
    com, quat = _origin(inertial)
    ixx, ixy, ixz, iyy, iyz, izz = (
        float("0" if tensor is None else tensor.get(key, "0")) for key in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
    )
    turn = rotation(quat)
    moments, axes = np.linalg.eigh(turn @ np.array([[ixx, ixy, ixz], [ixy, iyy, iyz], [ixz, iyz, izz]]) @ turn.T)
    axes[:, 2] = np.cross(axes[:, 0], axes[:, 1])  # a rotation, not a reflection
    principal = np.zeros(4)
    mj.mju_mat2Quat(principal, axes.ravel())
    return float("0" if mass is None else mass.get("value", "0")), com, principal, moments


def _origin(element: ElementTree.Element) -> tuple[Array, Array]:
    """Position (3,) and quaternion [w x y z] of an element's ``origin``; the identity where it has none."""
    origin = element.find("origin")
    if origin is None:
        return np.zeros(3), np.array([1.0, 0, 0, 0])
    quat = np.array([1.0, 0, 0, 0])
    for axis, angle in zip(np.eye(3)[::-1], _floats(origin, "rpy")[::-1], strict=True):  # R = Rz(y) Ry(p) Rx(r)
        turn, product = np.zeros(4), np.zeros(4)
        mj.mju_axisAngle2Quat(turn, axis, angle)
        mj.mju_mulQuat(product, quat, turn)
        quat = product
    return _floats(origin, "xyz"), quat


def _floats(element: ElementTree.Element, key: str) -> Array:
    return np.array([float(number) for number in element.get(key, "0 0 0").split()])


def _name(joint: ElementTree.Element, role: str) -> str:
    element = joint.find(role)
    return "" if element is None else element.get("link", "")
