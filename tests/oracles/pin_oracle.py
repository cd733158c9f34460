"""Pinocchio as an oracle: its URDF parser, CRBA, RNEA, ABA and frame Jacobians.

Pinocchio's free root has the velocity of the root frame in the root's own axes, ``u = [R' lin, R' ang, qd]``. With
``u = X v``, forces are ``X' f`` and accelerations ``du/dt = X dv/dt - [R' (ang × lin), 0, 0]``, which is where the
velocity product in :meth:`PinOracle.bias_force` comes from.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio

from oracles.base import EARTH, Array, Oracle, Vector, positive, rotation
from oracles.base import joint_names as read_joint_names

pin: Any = pinocchio  # its type information does not cover what it binds


class PinOracle(Oracle):
    """A URDF robot in Pinocchio; ``armature`` is a number or one for each joint."""

    def __init__(
        self,
        urdf: str | Path,
        fixed_base: bool,
        joint_names: Sequence[str] | None = None,
        armature: float | Array = 0.0,
    ) -> None:
        self.fixed_base = fixed_base
        self.joint_names = list(joint_names if joint_names is not None else read_joint_names(urdf))
        root = () if fixed_base else (pin.JointModelFreeFlyer(),)
        self.model = pin.buildModelFromUrdf(str(urdf), *root)
        self.data = self.model.createData()
        joints = [self.model.joints[self.model.getJointId(name)] for name in self.joint_names]
        if len(self.joint_names) + (0 if fixed_base else 6) != self.model.nv:
            raise ValueError(
                f"{urdf}: {len(self.joint_names)} joints named, but Pinocchio has {list(self.model.names)}"
            )
        self._q = [(joint.idx_q, joint.nq) for joint in joints]
        self._order = [*range(0 if fixed_base else 6), *(joint.idx_v for joint in joints)]  # ours -> Pinocchio's
        values = np.zeros(self.model.nv)
        values[self._order[0 if fixed_base else 6 :]] = armature
        self.model.armature = values

    def mass_matrix(self, root_pose: Array, q: Array) -> Array:
        x = self._velocity_map(root_pose)
        upper = np.triu(pin.crba(self.model, self.data, self._position(root_pose, q)))
        return x.T @ (upper + np.triu(upper, 1).T) @ x

    def bias_force(self, root_pose: Array, root_vel: Array, q: Array, qd: Array, gravity: Vector = EARTH) -> Array:
        self._set_gravity(root_pose, gravity)
        x = self._velocity_map(root_pose)
        product = self._velocity_product(root_pose, root_vel)
        force = pin.rnea(self.model, self.data, self._position(root_pose, q), x @ self._v(root_vel, qd), -product)
        return x.T @ force

    def jacobian(self, root_pose: Array, q: Array, body: str) -> Array:
        frame = self._frame(body)
        columns = pin.computeFrameJacobian(
            self.model, self.data, self._position(root_pose, q), frame, pin.LOCAL_WORLD_ALIGNED
        )
        return self._in_world(root_pose) @ columns @ self._velocity_map(root_pose)

    def body_pose(self, root_pose: Array, q: Array, body: str) -> Array:
        pin.framesForwardKinematics(self.model, self.data, self._position(root_pose, q))
        pose = self.data.oMf[self._frame(body)]
        if self.fixed_base:
            pose = pin.SE3(rotation(root_pose[3:]), root_pose[:3]) * pose
        x, y, z, w = pin.Quaternion(pose.rotation).coeffs()
        return positive(np.array([*pose.translation, w, x, y, z]))

    def body_velocity(self, root_pose: Array, root_vel: Array, q: Array, qd: Array, body: str) -> Array:
        velocity = self._velocity_map(root_pose) @ self._v(root_vel, qd)
        pin.forwardKinematics(self.model, self.data, self._position(root_pose, q), velocity)
        motion = pin.getFrameVelocity(self.model, self.data, self._frame(body), pin.LOCAL_WORLD_ALIGNED)
        return self._in_world(root_pose) @ motion.vector

    def forward_dynamics(
        self,
        root_pose: Array,
        root_vel: Array,
        q: Array,
        qd: Array,
        tau: Array,
        gravity: Vector = EARTH,
    ) -> Array:
        self._set_gravity(root_pose, gravity)
        x = self._velocity_map(root_pose)
        x_inverse = x.T  # a permutation and rotations
        acceleration = pin.aba(
            self.model, self.data, self._position(root_pose, q), x @ self._v(root_vel, qd), x_inverse.T @ tau
        )
        return x_inverse @ (acceleration + self._velocity_product(root_pose, root_vel))

    def energy(self, root_pose: Array, root_vel: Array, q: Array, qd: Array, gravity: Vector = EARTH) -> float:
        """Kinetic and potential energy, in J; the latter is zero where the centre of mass is at the world's origin."""
        velocity = self._velocity_map(root_pose) @ self._v(root_vel, qd)
        position = self._position(root_pose, q)
        com = pin.centerOfMass(self.model, self.data, position).copy()
        kinetic = pin.computeKineticEnergy(self.model, self.data, position, velocity)
        if self.fixed_base:
            com = root_pose[:3] + rotation(root_pose[3:]) @ com
        return float(kinetic - pin.computeTotalMass(self.model) * np.dot(gravity, com))

    def _position(self, root_pose: Array, q: Array) -> Array:
        """Pinocchio's configuration vector."""
        position = np.zeros(self.model.nq)
        if not self.fixed_base:
            w, x, y, z = root_pose[3:]
            position[:7] = [*root_pose[:3], x, y, z, w]
        for (start, size), value in zip(self._q, q, strict=True):
            position[start : start + size] = (np.cos(value), np.sin(value)) if size == 2 else value
        return position

    def _v(self, root_vel: Array, qd: Array) -> Array:
        return np.asarray(qd, float) if self.fixed_base else np.concatenate([root_vel, qd])

    def _velocity_map(self, root_pose: Array) -> Array:
        """The ``X`` (nv, nv) of ``u = X v``."""
        x = np.zeros((self.nv, self.nv))
        x[self._order, range(self.nv)] = 1
        if not self.fixed_base:
            x[:3, :3] = x[3:6, 3:6] = rotation(root_pose[3:]).T
        return x

    def _velocity_product(self, root_pose: Array, root_vel: Array) -> Array:
        product = np.zeros(self.nv)
        if not self.fixed_base:
            product[:3] = rotation(root_pose[3:]).T @ np.cross(root_vel[3:], root_vel[:3])
        return product

    def _set_gravity(self, root_pose: Array, gravity: Vector) -> None:
        """A fixed root is at the origin of Pinocchio's world, so gravity turns instead."""
        turned = rotation(root_pose[3:]).T @ np.asarray(gravity) if self.fixed_base else np.asarray(gravity)
        self.model.gravity.linear = turned

    def _in_world(self, root_pose: Array) -> Array:
        """Turns a motion (6,) of Pinocchio's world into ours."""
        return np.kron(np.eye(2), rotation(root_pose[3:])) if self.fixed_base else np.eye(6)

    def _frame(self, body: str) -> int:
        if not self.model.existFrame(body, pin.BODY):
            raise KeyError(f"Pinocchio knows no body {body!r}")
        return self.model.getFrameId(body, pin.BODY)
