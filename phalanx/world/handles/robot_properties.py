"""Properties of a robot's joints, drives and tendons, declared, and their setters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from phalanx import components as c
from phalanx.world.handle import on_device
from phalanx.world.handles.actor import Actor
from phalanx.world.handles.declared import Owners, assign, check, commit


class RobotProperties(Actor):
    """What a robot's joints, drives and tendons are, in every environment, and how it is set.

    Setters of joints take anything that broadcasts to (n, num_dof), or dicts of names or patterns, see
    :meth:`set_drive`; what is not given stays. Once environments differ in a property of the model, the world keeps a
    value for each, and kernels are compiled once more. Setters of joints' own properties wake the robot.

    Fixed tendons are in the order of :attr:`fixed_tendon_names`, spatial ones in that of :attr:`spatial_tendon_names`.
    What belongs to a leaf of a spatial tendon is in the order of :attr:`spatial_tendon_leaves`: by tendon, then by
    attachment. Lengths are in m, forces in N, but for a fixed tendon in what its coefficients make of them.
    """

    joint_names: list[str]
    num_dof: int
    _joints: slice
    _scalar: np.ndarray
    _first_tendon = 0

    @property
    def joint_rows(self) -> slice:
        """Rows of its joints in the table :data:`phalanx.components.Dof`, in joint order."""
        assert self._bound is not None  # builds the world
        return self._joints

    def _scalar_joints(self) -> tuple[np.ndarray, np.ndarray]:
        columns = np.flatnonzero(self._scalar)
        return self.joint_rows.start + columns, columns

    # -- joints ----------------------------------------------------------------------------------------------

    _of_joints = Owners("num_dof", lambda robot: robot.joint_rows, by_name=True)
    _of_scalar_joints = Owners(
        "num_dof", lambda robot: robot.joint_rows, lambda robot: robot._scalar_joints(), by_name=True
    )

    joint_vel = _of_joints(c.DofState.velocity, what="joint velocity")
    """(n, num_dof), rad/s or m/s."""

    joint_acc = _of_joints(c.DofState.acceleration)
    """(n, num_dof): change of velocity over the last substep, rad/s^2 or m/s^2."""

    applied_effort = _of_joints(c.DriveEffort.applied)
    """(n, num_dof): what the drives gave in the last substep, limits applied, N·m or N."""

    joint_pos_target = _of_joints(c.DriveTarget.position, what="position target")
    """(n, num_dof), rad or m: position targets."""

    joint_vel_target = _of_joints(c.DriveTarget.velocity, what="velocity target")
    """(n, num_dof), rad/s or m/s: velocity targets."""

    joint_effort_target = _of_joints(c.DriveTarget.effort, what="effort target")
    """(n, num_dof), N·m or N: feed-forward efforts."""

    joint_stiffness = _of_joints(c.Drive.stiffness, what="stiffness", negative=False)
    """(n, num_dof), N·m/rad or N/m: position gains of the drives."""

    joint_damping = _of_joints(c.Drive.damping, what="damping", negative=False)
    """(n, num_dof), N·m·s/rad or N·s/m: velocity gains of the drives."""

    joint_effort_limit = _of_joints(c.Drive.effort_limit, what="effort limit", finite=False, negative=False)
    """(n, num_dof), N·m or N: bounds on the efforts of the drives, infinite where there are none."""

    _joint_explicit = _of_joints(c.Drive.explicit, what="explicit", negative=False)

    joint_dynamic_friction = _of_joints(c.DofModel.friction, what="joint friction", negative=False, wakes=True)
    """(n, num_dof), N·m or N: Coulomb friction of a joint that moves."""

    joint_static_friction = _of_joints(c.DofModel.static_friction, negative=False, wakes=True)
    """(n, num_dof), N·m or N: what holds a joint at rest, where it is more than its dynamic friction."""

    joint_viscous_friction = _of_joints(c.DofModel.damping, what="joint damping", negative=False, wakes=True)
    """(n, num_dof), N·m·s/rad or N·s/m: friction that grows with the speed; the damping of the robot's file."""

    joint_armature = _of_joints(c.DofModel.armature, negative=False, wakes=True)
    """(n, num_dof), kg·m^2 or kg: inertia of rotors, added to the joint's own."""

    joint_position_limits = _of_joints(c.DofLimit.lower, c.DofLimit.upper)
    """(n, num_dof, 2), rad or m: lower and upper limits, infinite where there are none; of single-dof joints."""

    _joint_lower = _of_scalar_joints(c.DofLimit.lower, what="joint lower", finite=False, wakes=True)
    _joint_upper = _of_scalar_joints(c.DofLimit.upper, what="joint upper", finite=False, wakes=True)

    joint_velocity_limit = _of_scalar_joints(
        c.DofLimit.velocity, what="joint velocity", finite=False, negative=False, wakes=True
    )
    """(n, num_dof), rad/s or m/s: speed limits, infinite where there are none; of single-dof joints."""

    joint_limit_restitution = _of_scalar_joints(
        c.DofLimit.restitution, what="joint restitution", negative=False, wakes=True
    )
    """(n, num_dof): share of the speed with which position limits throw back."""

    joint_limit_stiffness = _of_scalar_joints(c.DofLimit.stiffness, what="joint stiffness", negative=False, wakes=True)
    """(n, num_dof), N·m/rad or N/m: of position limits that are springs; hard where this and the damping are 0."""

    joint_limit_damping = _of_scalar_joints(c.DofLimit.damping, what="joint damping", negative=False, wakes=True)
    """(n, num_dof), N·m·s/rad or N·s/m: of position limits that are springs."""

    def set_drive(
        self,
        stiffness: Any = None,
        damping: Any = None,
        effort_limit: Any = None,
        env_ids: Any = None,
        *,
        explicit: Any = None,
    ) -> None:
        """Set gains (N·m/rad, N·m·s/rad) and effort limits (N·m) of the joint drives, (n, num_dof).

        Drives are implicit: stable for any gains. With ``explicit=True`` a joint gets the PD effort of the state at the
        start of each substep instead, as a real controller would give it.

        Each may be a dict of names or patterns (regular expressions that match whole names), such as ``{".*_hip_joint":
        40.0, ".*_knee_joint": 60.0}``; joints that are not named keep what they have.

        Raises:
            ValueError: shapes do not fit, numbers are negative, or a pattern matches no joint, or one that another
                matches.
        """
        gains = {"joint_stiffness": stiffness, "joint_damping": damping}
        assign(self, {**gains, "joint_effort_limit": effort_limit, "_joint_explicit": explicit}, env_ids)

    def set_targets(self, pos: Any = None, vel: Any = None, effort: Any = None, env_ids: Any = None) -> None:
        """Set position, velocity and feed-forward effort targets of the joint drives, (n, num_dof) or dicts by joint.

        They are in rad or m, rad/s or m/s, and N·m or N. Dicts are as in :meth:`set_drive`.
        """
        assign(self, {"joint_pos_target": pos, "joint_vel_target": vel, "joint_effort_target": effort}, env_ids)

    def set_joint_friction(
        self, dynamic: Any = None, static: Any = None, viscous: Any = None, env_ids: Any = None
    ) -> None:
        """Set friction, (n, num_dof): of moving joints and of those at rest, N·m (N), and viscous, N·m·s/rad (N·s/m).

        A joint at rest is held by the greater of the first two.
        """
        coulomb = {"joint_dynamic_friction": dynamic, "joint_static_friction": static}
        assign(self, {**coulomb, "joint_viscous_friction": viscous}, env_ids)

    def set_joint_armature(self, armature: Any, env_ids: Any = None) -> None:
        """Set the inertia of rotors, (n, num_dof), kg·m^2 or kg."""
        assign(self, {"joint_armature": armature}, env_ids)

    @on_device
    def set_joint_limits(
        self,
        lower: Any = None,
        upper: Any = None,
        velocity: Any = None,
        restitution: Any = None,
        stiffness: Any = None,
        damping: Any = None,
        env_ids: Any = None,
    ) -> None:
        """Set limits, (n, num_dof): of positions, rad (m), of speed, rad/s (m/s), and how those of positions act.

        They throw back with ``restitution`` of the speed, or are springs of ``stiffness``, N·m/rad (N/m), and
        ``damping``, N·m·s/rad (N·s/m); hard where both are 0. Joints of several dofs are left as they are.

        Raises:
            ValueError: lower limits are above upper ones, restitution is above 1, or a number is not in its range.
        """
        springs = {"joint_limit_stiffness": stiffness, "joint_limit_damping": damping}
        bounds = {"_joint_lower": lower, "_joint_upper": upper, "joint_velocity_limit": velocity}
        checked = check(self, {"joint_limit_restitution": restitution, **springs, **bounds}, env_ids)
        given = {name: values for name, (values, _) in checked.items()}
        envs = slice(None) if env_ids is None else self._xp.asarray(self.engine.env_indices(env_ids))
        low = given.get("_joint_lower", self._joint_lower[envs])
        high = given.get("_joint_upper", self._joint_upper[envs])
        ones = self._xp.ones_like(low)
        for wrong, verdict in (
            (low > high, "lower limits are above upper ones"),
            (given.get("joint_limit_restitution", ones) > 1, "limit restitution is above 1"),
            (given.get("joint_velocity_limit", ones) == 0, "velocity limits are 0"),
        ):
            if wrong.any():
                columns = self.engine.device.to_host(wrong).any(axis=0)
                names = [self.joint_names[i] for i in np.flatnonzero(columns)]
                raise ValueError(f"{self}: {verdict} at {', '.join(names)}")
        commit(self, checked, env_ids)

    # -- fixed tendons ---------------------------------------------------------------------------------------

    @property
    def fixed_tendon_names(self) -> list[str]:
        """Names of the fixed tendons."""
        return [tendon.name for tendon in self.model.fixed_tendons]

    @property
    def num_fixed_tendons(self) -> int:
        """Number of fixed tendons."""
        return len(self.model.fixed_tendons)

    @property
    def _fixed_tendons(self) -> slice:
        return slice(self._first_tendon, self._first_tendon + self.num_fixed_tendons)

    _of_fixed = Owners("num_fixed_tendons", lambda robot: robot._fixed_tendons)

    fixed_tendon_stiffness = _of_fixed(c.TendonModel.stiffness, negative=False)
    """(n, num_fixed_tendons): of the spring to the rest length."""

    fixed_tendon_damping = _of_fixed(c.TendonModel.damping, negative=False)
    """(n, num_fixed_tendons)."""

    fixed_tendon_limit_stiffness = _of_fixed(c.TendonModel.limit_stiffness, finite=False, negative=False)
    """(n, num_fixed_tendons): of the spring beyond limits; 0: none, infinite: hard limits."""

    fixed_tendon_rest_length = _of_fixed(c.TendonModel.rest_length)
    """(n, num_fixed_tendons): length without force."""

    fixed_tendon_offset = _of_fixed(c.TendonModel.offset)
    """(n, num_fixed_tendons): added to the length."""

    fixed_tendon_pos_limits = _of_fixed(c.TendonModel.lower, c.TendonModel.upper)
    """(n, num_fixed_tendons, 2): least and greatest length."""

    _fixed_lower = _of_fixed(c.TendonModel.lower)
    _fixed_upper = _of_fixed(c.TendonModel.upper)
    _fixed_length = _of_fixed(c.TendonLength.value)
    _fixed_impulse = _of_fixed(c.TendonState.impulse)

    @property
    @on_device
    def fixed_tendon_length(self) -> Any:
        """(n, num_fixed_tendons): sums of coefficients times joint positions, and offset."""
        self.engine.compute()
        return self._fixed_length + self.fixed_tendon_offset

    @property
    @on_device
    def fixed_tendon_force(self) -> Any:
        """(n, num_fixed_tendons): over the last substep, positive if it lengthens the tendon."""
        return self._fixed_impulse * (self.engine.substeps / self.engine.dt)

    @on_device
    def set_fixed_tendons(
        self,
        stiffness: Any = None,
        damping: Any = None,
        limit_stiffness: Any = None,
        rest_length: Any = None,
        offset: Any = None,
        pos_limits: Any = None,
        env_ids: Any = None,
    ) -> None:
        """Set properties of the fixed tendons, (n, num_fixed_tendons) each, in SI units, or what broadcasts to it.

        ``pos_limits`` is (n, num_fixed_tendons, 2). Environments may differ.
        """
        springs = {"stiffness": stiffness, "damping": damping, "limit_stiffness": limit_stiffness}
        given = {**springs, "rest_length": rest_length, "offset": offset}
        self._set_tendons("fixed", given, pos_limits, self.num_fixed_tendons, env_ids)

    # -- spatial tendons -------------------------------------------------------------------------------------

    @property
    def spatial_tendon_names(self) -> list[str]:
        """Names of the spatial tendons."""
        return [tendon.name for tendon in self.model.spatial_tendons]

    @property
    def spatial_tendon_leaves(self) -> list[tuple[str, int]]:
        """Of each path of a spatial tendon its name and the number of the attachment that it ends at."""
        return [(tendon.name, leaf) for tendon in self.model.spatial_tendons for leaf in tendon.leaves()]

    @property
    def num_spatial_tendons(self) -> int:
        """Number of spatial tendons."""
        return len(self.model.spatial_tendons)

    @property
    def _paths(self) -> slice:
        start = self._first_tendon + self.num_fixed_tendons
        return slice(start, start + len(self.spatial_tendon_leaves))

    @property
    def _path_owners(self) -> np.ndarray:
        """Of each path the number of its spatial tendon."""
        leaves = [len(tendon.leaves()) for tendon in self.model.spatial_tendons]
        return np.repeat(np.arange(len(leaves)), leaves)

    @property
    def _first_paths(self) -> np.ndarray:
        return self._paths.start + np.searchsorted(self._path_owners, np.arange(self.num_spatial_tendons))

    _of_spatial = Owners(
        "num_spatial_tendons", lambda robot: robot._first_paths, lambda robot: (robot._paths, robot._path_owners)
    )
    _of_leaves = Owners("leaves", lambda robot: robot._paths)

    spatial_tendon_stiffness = _of_spatial(c.TendonModel.stiffness, negative=False)
    """(n, num_spatial_tendons): of the spring to the rest length."""

    spatial_tendon_damping = _of_spatial(c.TendonModel.damping, negative=False)
    """(n, num_spatial_tendons)."""

    spatial_tendon_limit_stiffness = _of_spatial(c.TendonModel.limit_stiffness, finite=False, negative=False)
    """(n, num_spatial_tendons): of the spring beyond limits; 0: none, infinite: hard limits."""

    spatial_tendon_offset = _of_spatial(c.TendonModel.offset)
    """(n, num_spatial_tendons): added to the length."""

    spatial_tendon_rest_length = _of_leaves(c.TendonModel.rest_length)
    """(n, leaves): length without force from the root to each leaf."""

    spatial_tendon_pos_limits = _of_leaves(c.TendonModel.lower, c.TendonModel.upper)
    """(n, leaves, 2): least and greatest length from the root to each leaf."""

    _spatial_lower = _of_leaves(c.TendonModel.lower)
    _spatial_upper = _of_leaves(c.TendonModel.upper)
    _spatial_length = _of_leaves(c.TendonLength.value)
    _spatial_offset = _of_leaves(c.TendonModel.offset)
    _spatial_impulse = _of_leaves(c.TendonState.impulse)

    @property
    @on_device
    def spatial_tendon_length(self) -> Any:
        """(n, leaves): geared length from the root to each leaf, and offset."""
        self.engine.compute()
        return self._spatial_length + self._spatial_offset

    @property
    @on_device
    def spatial_tendon_force(self) -> Any:
        """(n, leaves): over the last substep, positive if it lengthens the tendon."""
        return self._spatial_impulse * (self.engine.substeps / self.engine.dt)

    @on_device
    def set_spatial_tendons(
        self,
        stiffness: Any = None,
        damping: Any = None,
        limit_stiffness: Any = None,
        rest_length: Any = None,
        offset: Any = None,
        pos_limits: Any = None,
        env_ids: Any = None,
    ) -> None:
        """Set properties of the spatial tendons, (n, num_spatial_tendons) each, in SI units, or what broadcasts to it.

        ``rest_length`` is (n, leaves), ``pos_limits`` (n, leaves, 2). Environments may differ.
        """
        springs = {"stiffness": stiffness, "damping": damping, "limit_stiffness": limit_stiffness}
        given = {**springs, "rest_length": rest_length, "offset": offset}
        self._set_tendons("spatial", given, pos_limits, len(self.spatial_tendon_leaves), env_ids)

    def _set_tendons(self, kind: str, given: Mapping[str, Any], pos_limits: Any, count: int, env_ids: Any) -> None:
        checked = check(self, {f"{kind}_tendon_{name}": value for name, value in given.items()}, env_ids)
        if pos_limits is not None:
            values, envs = self._input(f"{kind} tendon limits", pos_limits, (count, 2), env_ids, finite=False)
            if (values[..., 0] > values[..., 1]).any():
                raise ValueError(f"{self}: {kind} tendon limits: the lower one must not be above the upper")
            checked |= {f"_{kind}_lower": (values[..., 0], envs), f"_{kind}_upper": (values[..., 1], envs)}
        commit(self, checked, env_ids)
