"""What all actuator models have in common: joints, gains and limits, and how configurations say what these are."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from phalanx.facade.arrays import api_of
from phalanx.facade.isaaclab.utils.dict import is_missing
from phalanx.facade.isaaclab.utils.string import resolve_matching_names_values
from phalanx.facade.isaaclab.utils.types import ArticulationActions
from phalanx.facade.namespaces import array, as_like, copy, full, namespace, zeros

if TYPE_CHECKING:
    from phalanx.facade.isaaclab.actuators.actuator_base_cfg import ActuatorBaseCfg

UNLIMITED_IN_SIMULATION = 1.0e9
"""The effort limit that the simulation has for joints of explicit models, which cut efforts themselves."""


class ActuatorBase(ABC):
    """A model of the actuators of a group of joints: what is asked of them becomes what they do.

    Gains, limits and efforts are arrays of the user's API, (num_envs, num_joints), float32. A parameter is what the
    configuration says, as a number for all joints or as numbers by regular expression; or, where that is ``None``, what
    the asset's file says, which comes by the argument of that name. Gains, armature and friction of joints that no
    expression matches are zero; limits have to be there for all.
    """

    is_implicit_model: ClassVar[bool] = False
    """Whether the simulation computes the efforts."""

    _DEFAULT_MAX_EFFORT_SIM: ClassVar[float] = UNLIMITED_IN_SIMULATION

    cfg: ActuatorBaseCfg
    """The configuration."""

    computed_effort: Any
    """Efforts before limits, (num_envs, num_joints), N m or N."""

    applied_effort: Any
    """Efforts within limits, (num_envs, num_joints), N m or N."""

    effort_limit: Any
    """Limits of the model's efforts, (num_envs, num_joints), N m or N."""

    effort_limit_sim: Any
    """Limits of efforts for the simulation, (num_envs, num_joints), N m or N."""

    velocity_limit: Any
    """Limits of speeds for the model, (num_envs, num_joints), rad/s or m/s."""

    velocity_limit_sim: Any
    """Limits of speeds for the simulation, (num_envs, num_joints), rad/s or m/s."""

    stiffness: Any
    """Proportional gains, (num_envs, num_joints), N m/rad or N/m."""

    damping: Any
    """Derivative gains, (num_envs, num_joints), N m s/rad or N s/m."""

    armature: Any
    """Inertia of motors at the joints, (num_envs, num_joints), kg m² or kg."""

    friction: Any
    """Coefficients of static friction of joints, (num_envs, num_joints)."""

    dynamic_friction: Any
    """Coefficients of dynamic friction of joints, (num_envs, num_joints)."""

    viscous_friction: Any
    """Coefficients of viscous friction of joints, (num_envs, num_joints)."""

    def __init__(
        self,
        cfg: ActuatorBaseCfg,
        joint_names: list[str],
        joint_ids: Any,
        num_envs: int,
        device: str,
        stiffness: Any = 0.0,
        damping: Any = 0.0,
        armature: Any = 0.0,
        friction: Any = 0.0,
        effort_limit: Any = math.inf,
        velocity_limit: Any = math.inf,
        *,
        dynamic_friction: Any = 0.0,
        viscous_friction: Any = 0.0,
    ) -> None:
        """Resolve the parameters of a group of joints.

        Args:
            cfg: the configuration.
            joint_names: names of the joints of the group.
            joint_ids: their indices in the articulation, an array or a list; ``slice(None)``: all.
            num_envs: number of environments.
            device: where arrays live.
            stiffness, damping, armature, friction, effort_limit, velocity_limit: what the asset's file says: numbers,
                or arrays (num_envs, num_joints).
            dynamic_friction, viscous_friction: likewise.

        Raises:
            TypeError: a parameter is neither a number nor numbers by expression nor ``None``.
            ValueError: an expression matches no joint, two match the same one, a limit is missing for a joint, or
                an array has another shape.
        """
        self.cfg = cfg
        self._joint_names, self._joint_indices = list(joint_names), joint_ids
        self._num_envs, self._device = num_envs, device
        shape = (num_envs, self.num_joints)
        self.computed_effort, self.applied_effort = zeros(shape, device), zeros(shape, device)
        self.stiffness = self._resolve("stiffness", cfg.stiffness, stiffness)
        self.damping = self._resolve("damping", cfg.damping, damping)
        self.armature = self._resolve("armature", cfg.armature, armature)
        self.friction = self._resolve("friction", cfg.friction, friction)
        self.dynamic_friction = self._resolve("dynamic_friction", cfg.dynamic_friction, dynamic_friction)
        self.viscous_friction = self._resolve("viscous_friction", cfg.viscous_friction, viscous_friction)
        self._resolve_limits(effort_limit, velocity_limit)

    def _resolve_limits(self, effort: Any, velocity: Any) -> None:
        """Limits from the configuration and the asset's file. An explicit model keeps its limits to itself."""
        cfg = self.cfg
        self.effort_limit = self._resolve("effort_limit", cfg.effort_limit, effort, limit=True)
        sim = self._DEFAULT_MAX_EFFORT_SIM if cfg.effort_limit_sim is None else cfg.effort_limit_sim
        self.effort_limit_sim = self._resolve("effort_limit_sim", sim, effort, limit=True)
        self.velocity_limit_sim = self._resolve("velocity_limit_sim", cfg.velocity_limit_sim, velocity, limit=True)
        self.velocity_limit = self._resolve("velocity_limit", cfg.velocity_limit, self.velocity_limit_sim, limit=True)

    def __str__(self) -> str:
        ids = self._joint_indices
        joints = f"joints {ids if isinstance(ids, slice) else [int(one) for one in ids]}"
        joints = "all joints" if isinstance(ids, slice) and ids == slice(None) else joints
        return f"<class {type(self).__name__}> of {self.num_joints} joints ({joints}): {', '.join(self._joint_names)}"

    @property
    def num_joints(self) -> int:
        """Number of joints of the group."""
        return len(self._joint_names)

    @property
    def joint_names(self) -> list[str]:
        """Names of the joints of the group."""
        return self._joint_names

    @property
    def joint_indices(self) -> Any:
        """Indices of the group's joints in the articulation; ``slice(None)``: it has all joints, in their order.

        Of a group that an articulation made, an array of the user's API, (num_joints,), int64.
        """
        return self._joint_indices

    @abstractmethod
    def reset(self, env_ids: Sequence[int]) -> None:
        """Forget what came before in some environments: indices, ``slice(None)``, or ``None`` for all."""

    @abstractmethod
    def compute(self, control_action: ArticulationActions, joint_pos: Any, joint_vel: Any) -> ArticulationActions:
        """What the simulation is to do for what is asked.

        Args:
            control_action: what is asked: positions, velocities and efforts, each (num_envs, num_joints) or ``None``.
            joint_pos: positions of the joints, (num_envs, num_joints), rad or m.
            joint_vel: velocities of the joints, (num_envs, num_joints), rad/s or m/s.

        Returns:
            ``control_action``, with what the simulation is to do; ``None``: it has no drive for that.

        Raises:
            ValueError: something has another shape.
        """

    # -- for models --------------------------------------------------------------------------------------------------

    def _resolve(self, name: str, configured: Any, default: Any, limit: bool = False) -> Any:
        """A parameter as a new array, (num_envs, num_joints)."""
        shape = (self._num_envs, self.num_joints)
        value: Any = default if configured is None else configured
        if is_missing(value):
            raise TypeError(f"{name} of {self._who()} is MISSING: set it, or None for what the asset's file says")
        if isinstance(value, dict):
            indices, names, numbers = resolve_matching_names_values(value, self._joint_names)
            if limit and (missing := [joint for joint in self._joint_names if joint not in names]):
                raise ValueError(f"{name} of {self._who()}: there is none for {', '.join(missing)}")
            found = zeros(shape, self._device)
            found[:, indices] = array([float(number) for number in numbers], self._device)
            return found
        if isinstance(value, bool) or (api_of(value) is None and not isinstance(value, int | float)):
            raise TypeError(
                f"{name} of {self._who()}: must be a number, or a dictionary of numbers by regular expression, "
                f"not {type(value).__name__}"
            )
        if isinstance(value, int | float):
            return full(shape, float(value), self._device)
        if tuple(value.shape) not in (shape, ()):
            raise ValueError(f"{name} of {self._who()}: shape {tuple(value.shape)} must be {shape}")
        return copy(zeros(shape, self._device) + array(value, self._device, "float32"))

    def _who(self) -> str:
        """The model and its joints, for messages."""
        return f"{type(self).__name__} on joints {', '.join(self._joint_names) or '(none)'}"

    def _given(self, *values: Any, names: Sequence[str]) -> tuple[Any, ...]:
        """The module of the model's arrays, and values of (num_envs, num_joints) as its arrays.

        Raises:
            ValueError: one has another shape.
        """
        found = [value if value is None else as_like(self.stiffness, value) for value in values]
        shape = (self._num_envs, self.num_joints)
        for name, value in zip(names, found, strict=True):
            if value is not None and tuple(value.shape) != shape:
                raise ValueError(f"{name} for {self._who()}: shape {tuple(value.shape)} must be {shape}")
        return namespace(self.stiffness), *found

    def _pd_effort(self, action: ArticulationActions, joint_pos: Any, joint_vel: Any) -> Any:
        """Kp (q* - q) + Kd (q̇* - q̇) + τ*, (num_envs, num_joints); a target that is ``None`` takes its term along."""
        names = ("joint_positions", "joint_velocities", "joint_efforts", "joint_pos", "joint_vel")
        wanted = (action.joint_positions, action.joint_velocities, action.joint_efforts)
        xp, pos, vel, effort, joint_pos, joint_vel = self._given(*wanted, joint_pos, joint_vel, names=names)
        found = xp.zeros_like(joint_pos) if effort is None else 1.0 * effort
        if pos is not None:
            found = found + self.stiffness * (pos - joint_pos)
        return found if vel is None else found + self.damping * (vel - joint_vel)

    def _clip_effort(self, effort: Any) -> Any:
        """Efforts within :attr:`effort_limit`."""
        xp = namespace(effort)
        return xp.maximum(xp.minimum(effort, self.effort_limit), -self.effort_limit)
