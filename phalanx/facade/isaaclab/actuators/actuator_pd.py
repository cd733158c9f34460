"""Actuators with a proportional-derivative law: in the simulation, ideal, as a DC motor, delayed, and by linkages."""

from __future__ import annotations

import inspect
import logging
import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from phalanx.facade.isaaclab.actuators.actuator_base import ActuatorBase
from phalanx.facade.isaaclab.utils.buffers import DelayBuffer
from phalanx.facade.isaaclab.utils.interpolation import LinearInterpolation
from phalanx.facade.isaaclab.utils.types import ArticulationActions
from phalanx.facade.namespaces import array, integers, namespace, rows, zeros

if TYPE_CHECKING:
    from phalanx.facade.isaaclab.actuators import actuator_pd_cfg as configurations

logger = logging.getLogger(__name__)

F = TypeVar("F", bound=Callable[..., None])


def _takes_what_the_base_does(init: F) -> F:
    """Show the base's parameters as those of a method that hands them on."""
    init.__signature__ = inspect.signature(ActuatorBase.__init__)  # pyright: ignore[reportFunctionMemberAccess]
    return init


class ImplicitActuator(ActuatorBase):
    """The simulation's own drives, which integrate the law with the motion and are stable for stiff gains.

    Actions are handed on as they are. The efforts that the same law gives explicitly are an estimate of the drive's.
    """

    is_implicit_model: ClassVar[bool] = True

    cfg: configurations.ImplicitActuatorCfg
    """The configuration."""

    def _resolve_limits(self, effort: Any, velocity: Any) -> None:
        """Limits: those of the simulation are the model's, so a configuration may name either, and then tells both.

        Raises:
            ValueError: both limits of efforts, or of speeds, are configured, and differ.
        """
        cfg = self.cfg
        for kind in ("effort_limit", "velocity_limit"):
            own, sim = getattr(cfg, kind), getattr(cfg, f"{kind}_sim")
            if own is not None and sim is not None and own != sim:
                raise ValueError(
                    f"{self._who()} has both {kind}={own} and {kind}_sim={sim}, which differ; "
                    f"the simulation has one: set {kind}_sim only"
                )
        if cfg.velocity_limit is not None and cfg.velocity_limit_sim is None:
            logger.warning(
                "%s: velocity_limit has no effect in an implicit model; velocity_limit_sim limits the simulation",
                self._who(),
            )
            cfg.velocity_limit = None
        if cfg.effort_limit_sim is None:
            cfg.effort_limit_sim = cfg.effort_limit
        cfg.effort_limit, cfg.velocity_limit = cfg.effort_limit_sim, cfg.velocity_limit_sim
        self.effort_limit_sim = self._resolve("effort_limit_sim", cfg.effort_limit_sim, effort, limit=True)
        self.effort_limit = self._resolve("effort_limit", self.effort_limit_sim, effort)
        self.velocity_limit_sim = self._resolve("velocity_limit_sim", cfg.velocity_limit_sim, velocity, limit=True)
        self.velocity_limit = self._resolve("velocity_limit", cfg.velocity_limit, self.velocity_limit_sim, limit=True)

    def reset(self, *args: Any, **kwargs: Any) -> None:
        """Nothing to forget."""

    def compute(self, control_action: ArticulationActions, joint_pos: Any, joint_vel: Any) -> ArticulationActions:
        """Hand on the action as it is; see :meth:`ActuatorBase.compute`."""
        self.computed_effort = self._pd_effort(control_action, joint_pos, joint_vel)
        self.applied_effort = self._clip_effort(self.computed_effort)
        return control_action


class IdealPDActuator(ActuatorBase):
    """τ = Kp (q* - q) + Kd (q̇* - q̇) + τ*, cut to the effort limit."""

    cfg: configurations.IdealPDActuatorCfg
    """The configuration."""

    def reset(self, env_ids: Sequence[int]) -> None:
        """Nothing to forget."""

    def compute(self, control_action: ArticulationActions, joint_pos: Any, joint_vel: Any) -> ArticulationActions:
        """Turn targets into efforts; see :meth:`ActuatorBase.compute`."""
        self.computed_effort = self._pd_effort(control_action, joint_pos, joint_vel)
        self.applied_effort = self._clip_effort(self.computed_effort)
        return efforts_only(control_action, self.applied_effort)


class DCMotor(IdealPDActuator):
    """An ideal actuator whose torque falls with speed, as a direct-current motor's at a constant voltage.

    With the saturation effort s, the effort limit l and the velocity limit v, efforts are cut to
    [clip(s (-1 - q̇/v), -l, l), clip(s (1 - q̇/v), -l, l)]. So a motor that is turned faster than v brakes, by no more
    than l.
    """

    cfg: configurations.DCMotorCfg
    """The configuration."""

    @_takes_what_the_base_does
    def __init__(self, cfg: configurations.DCMotorCfg, *args: Any, **kwargs: Any) -> None:
        """Resolve the parameters; see :class:`ActuatorBase`.

        Raises:
            ValueError: there is no velocity limit in the configuration.
        """
        super().__init__(cfg, *args, **kwargs)
        if cfg.velocity_limit is None:
            raise ValueError(f"The velocity limit must be provided for the DC motor actuator model: {self._who()}")
        saturation = math.inf if cfg.saturation_effort is None else cfg.saturation_effort
        self._saturation_effort = self._resolve("saturation_effort", saturation, None, limit=True)
        self._limited_by_speed = saturation != math.inf
        self._joint_vel = zeros((self._num_envs, self.num_joints), self._device)

    def compute(self, control_action: ArticulationActions, joint_pos: Any, joint_vel: Any) -> ArticulationActions:
        """Turn targets into efforts; see :meth:`ActuatorBase.compute`."""
        _, self._joint_vel = self._given(joint_vel, names=("joint_vel",))
        return super().compute(control_action, joint_pos, joint_vel)

    def _clip_effort(self, effort: Any) -> Any:
        """Efforts that the motor has at the joints' speeds."""
        if not self._limited_by_speed:
            return super()._clip_effort(effort)
        xp, fraction = namespace(effort), self._joint_vel / self.velocity_limit
        most = self.effort_limit
        highest = xp.minimum(xp.maximum(self._saturation_effort * (1.0 - fraction), -most), most)
        lowest = xp.maximum(xp.minimum(self._saturation_effort * (-1.0 - fraction), most), -most)
        return xp.maximum(xp.minimum(effort, highest), lowest)


class DelayedPDActuator(IdealPDActuator):
    """An ideal actuator that gets its targets some physics steps late, as many as an environment drew at its reset.

    Delays are uniform in [min_delay, max_delay]. As long as no target is old enough, the first since the reset counts.
    """

    cfg: configurations.DelayedPDActuatorCfg
    """The configuration."""

    @_takes_what_the_base_does
    def __init__(self, cfg: configurations.DelayedPDActuatorCfg, *args: Any, **kwargs: Any) -> None:
        """Resolve the parameters, see :class:`ActuatorBase`, and draw delays.

        Raises:
            ValueError: delays are negative, or the least is greater than the greatest.
        """
        super().__init__(cfg, *args, **kwargs)
        if not 0 <= cfg.min_delay <= cfg.max_delay:
            raise ValueError(
                f"{self._who()}: min_delay={cfg.min_delay} and max_delay={cfg.max_delay} must be 0 <= min <= max"
            )
        history = (cfg.max_delay, self._num_envs, self._device)
        self.positions_delay_buffer = DelayBuffer(*history)
        self.velocities_delay_buffer = DelayBuffer(*history)
        self.efforts_delay_buffer = DelayBuffer(*history)
        self.reset(slice(None))  # pyright: ignore[reportArgumentType]

    def reset(self, env_ids: Sequence[int]) -> None:
        """Draw new delays for some environments and forget their targets; see :meth:`ActuatorBase.reset`."""
        which = rows(env_ids)
        count = int(self.positions_delay_buffer.time_lags[which].shape[0])
        if count == 0:
            return
        lags = integers(self.cfg.min_delay, self.cfg.max_delay + 1, count, self._device)
        for buffer in (self.positions_delay_buffer, self.velocities_delay_buffer, self.efforts_delay_buffer):
            buffer.set_time_lag(lags, which)
            buffer.reset(which)

    def compute(self, control_action: ArticulationActions, joint_pos: Any, joint_vel: Any) -> ArticulationActions:
        """Turn earlier targets into efforts; see :meth:`ActuatorBase.compute`."""
        wanted = (control_action.joint_positions, control_action.joint_velocities, control_action.joint_efforts)
        names = ("joint_positions", "joint_velocities", "joint_efforts")
        _, pos, vel, effort = self._given(*wanted, names=names)
        control_action.joint_positions = None if pos is None else self.positions_delay_buffer.compute(pos)
        control_action.joint_velocities = None if vel is None else self.velocities_delay_buffer.compute(vel)
        control_action.joint_efforts = None if effort is None else self.efforts_delay_buffer.compute(effort)
        return super().compute(control_action, joint_pos, joint_vel)


class RemotizedPDActuator(DelayedPDActuator):
    """A delayed actuator that moves its joint by a linkage: the limit of its effort depends on the joint's angle.

    The limit is interpolated in a table and replaces limits of effort and speed in the configuration. A table that is
    not (num_lookup_points, 3), or whose angles do not increase, is a ValueError.
    """

    cfg: configurations.RemotizedPDActuatorCfg
    """The configuration."""

    def _resolve_limits(self, effort: Any, velocity: Any) -> None:
        """The table's limits instead of those of the configuration and the asset, which stand for no linkage."""
        cfg = self.cfg
        self.cfg = cfg.replace(effort_limit=math.inf, velocity_limit=math.inf)  # pyright: ignore[reportAttributeAccessIssue]
        super()._resolve_limits(effort, velocity)
        self.cfg = cfg
        self._table = array(cfg.joint_parameter_lookup, self._device, "float32")
        if self._table.ndim != 2 or self._table.shape[1] != 3:
            raise ValueError(
                f"joint_parameter_lookup of {self._who()}: shape {tuple(self._table.shape)} must be "
                "(num_lookup_points, 3): angle, transmission ratio, torque"
            )
        self._torque_limit = LinearInterpolation(self.angle_samples, self.max_torque_samples, self._device)

    @property
    def angle_samples(self) -> Any:
        """Angles of the table, (num_lookup_points,), rad."""
        return self._table[:, 0]

    @property
    def transmission_ratio_samples(self) -> Any:
        """Transmission ratios of the table, in/out, (num_lookup_points,)."""
        return self._table[:, 1]

    @property
    def max_torque_samples(self) -> Any:
        """Limits of the torque of the table, (num_lookup_points,), N m."""
        return self._table[:, 2]

    def compute(self, control_action: ArticulationActions, joint_pos: Any, joint_vel: Any) -> ArticulationActions:
        """Turn earlier targets into efforts; see :meth:`ActuatorBase.compute`."""
        xp, joint_pos, joint_vel = self._given(joint_pos, joint_vel, names=("joint_pos", "joint_vel"))
        super().compute(control_action, joint_pos, joint_vel)
        limit = self._torque_limit.compute(joint_pos)
        self.applied_effort = xp.maximum(xp.minimum(self.applied_effort, limit), -limit)
        return efforts_only(control_action, self.applied_effort)


def efforts_only(action: ArticulationActions, effort: Any) -> ArticulationActions:
    """The action with efforts, and no targets for the simulation's drives."""
    action.joint_efforts, action.joint_positions, action.joint_velocities = effort, None, None
    return action
