"""Multirotors."""

from __future__ import annotations

import logging
import math
from collections.abc import Sequence
from typing import Any, ClassVar

from phalanx.facade.isaaclab.assets.articulation import Articulation, ArticulationData
from phalanx.facade.isaaclab.assets.articulation.joint_writer import in_either_order
from phalanx.facade.isaaclab.assets.buffers import refuse_outside, set_part
from phalanx.facade.isaaclab.sim import utils
from phalanx.facade.isaaclab.utils.string import resolve_matching_names_values
from phalanx.facade.isaaclab_contrib.actuators import Thruster, ThrusterCfg
from phalanx.facade.isaaclab_contrib.assets.multirotor.multirotor_data import MultirotorData
from phalanx.facade.isaaclab_contrib.utils.types import MultiRotorActions
from phalanx.facade.namespaces import array, common, rows, zeros

log = logging.getLogger("phalanx.facade")


class Multirotor(Articulation):
    """An articulation whose root is pushed by thrusters, as a matrix says.

    Args:
        cfg: a ``MultirotorCfg``.

    Thrusters are bodies of the model by name only: their thrusts push the root. Joints have no actuators.

    Attributes:
        actuators: the groups of thrusters by name, once the simulation plays.
    """

    actuators: dict[str, Thruster]  # pyright: ignore[reportIncompatibleVariableOverride]
    _data_type: ClassVar[type[ArticulationData]] = MultirotorData
    _data: MultirotorData
    _internal_force_target_sim: Any
    _internal_torque_target_sim: Any

    # -- what it is ------------------------------------------------------------------------------------------

    @property
    def data(self) -> MultirotorData:  # pyright: ignore[reportIncompatibleVariableOverride]
        """What is known about it; RuntimeError unless the simulation plays."""
        self._check_initialized()
        return self._data

    @property
    def thruster_names(self) -> list[str]:
        """Names of thrusters, group by group; none before the simulation plays.

        Raises:
            ValueError: one of ``actuators`` has no thrusters.
        """
        names = []
        for key, actuator in getattr(self, "actuators", {}).items():
            if not isinstance(actuator, Thruster):
                raise ValueError(
                    f"{self._who}: actuator {key!r} is a {type(actuator).__name__}, and must be a Thruster"
                )
            names += actuator.thruster_names
        return names

    @property
    def num_thrusters(self) -> int:
        """Thrusters of an instance."""
        return len(self.thruster_names)

    @property
    def allocation_matrix(self) -> Any:
        """(6, thrusters) force and torque on the root for a thrust of 1 N; ``None`` if there is none."""
        self._check_initialized()
        return self._allocation

    # -- from step to step -----------------------------------------------------------------------------------

    def set_thrust_target(
        self,
        target: Any,
        thruster_ids: Sequence[int] | slice | None = None,
        env_ids: Sequence[int] | None = None,
    ) -> None:
        """Ask something of thrusters, from the next :meth:`write_data_to_sim` on.

        Args:
            target: (n, thrusters), or (n) for the same of all thrusters of an instance, N or rev/s (``target_unit``
                of the thrusters' configuration).
            thruster_ids: which thrusters; all by default.
            env_ids: which instances; all by default.

        Raises:
            ValueError: the target has another shape.
            IndexError: there is no such thruster or instance.
        """
        self._check_initialized()
        buffer = self._data.thrust_target
        refuse_outside(self._who, "instance", env_ids, self.num_instances)
        refuse_outside(self._who, "thruster", thruster_ids, self.num_thrusters)
        given = array(target, self.device, "float32")
        if len(given.shape) == 1:
            given = given.reshape(-1, 1)
        set_part(self._who, "target", buffer, given, env_ids, thruster_ids)

    def reset(self, env_ids: Sequence[int] | None = None) -> None:
        """Bring some instances, or all, back to where they began.

        The root gets ``data.default_root_state``, as seen from its environment, and joints theirs. Thrusters draw their
        parameters anew and turn at ``data.default_thruster_rps``, as targets ask. External wrenches are taken off.
        """
        super().reset(env_ids)
        chosen, data = rows(env_ids), self._data
        _, state, origin = common(data.default_root_state[chosen], self._origins[chosen])
        state = 1.0 * state
        state[:, :3] += origin
        self.write_root_state_to_sim(state, env_ids)
        if self.joint_names:
            self.write_joint_state_to_sim(
                data.default_joint_pos[chosen], data.default_joint_vel[chosen], env_ids=env_ids
            )
        self._thrust_as_default(env_ids)

    @in_either_order
    def write_joint_friction_coefficient_to_sim(
        self,
        joint_friction_coeff: Any,
        joint_dynamic_friction_coeff: Any = None,
        joint_viscous_friction_coeff: Any = None,
        joint_ids: Sequence[int] | slice | None = None,
        env_ids: Sequence[int] | None = None,
    ) -> None:
        """Set frictions of joints, as articulations do; documented in the order of Isaac Lab 2.3."""
        super().write_joint_friction_coefficient_to_sim(
            joint_friction_coeff,
            joint_ids=joint_ids,
            env_ids=env_ids,
            joint_dynamic_friction_coeff=joint_dynamic_friction_coeff,
            joint_viscous_friction_coeff=joint_viscous_friction_coeff,
        )

    def write_data_to_sim(self) -> None:
        """Let thrusters go on by a step, and them and external wrenches push in the next step."""
        self._check_initialized()
        data = self._data
        for actuator in self.actuators.values():
            chosen = rows(actuator.thruster_indices)
            asked = MultiRotorActions(data.thrust_target[:, chosen], actuator.thruster_indices)
            data.applied_thrust[:, chosen] = actuator.compute(asked).thrusts
            data.computed_thrust[:, chosen] = actuator.computed_thrust
        force, torque = self.permanent_wrench_composer.composed()
        if self.instantaneous_wrench_composer.active:
            _, force, torque, more, moment = common(force, torque, *self.instantaneous_wrench_composer.composed())
            force, torque = force + more, torque + moment
        if self._allocation is not None:
            self._thrust_target_sim = data.applied_thrust
            self._combine_thrusts()
            force[:, 0] += self._internal_force_target_sim[:, 0]
            torque[:, 0] += self._internal_torque_target_sim[:, 0]
        self._view.apply_forces_and_torques_at_position(force, torque, None, None, False)
        self.instantaneous_wrench_composer.reset()

    # -- inside ----------------------------------------------------------------------------------------------

    def _make_buffers(self, device: str, gravity: Any) -> None:
        super()._make_buffers(device, gravity)
        prims = utils.find_matching_prims(self.cfg.prim_path)
        self._origins = array([list(utils.resolve_prim_pose(one.GetParent())[0]) for one in prims], device, "float32")

    def _combine_thrusts(self) -> None:
        """Put what thrusts do to the root by the allocation matrix, which there must be, into the buffers for it.

        They are called as Isaac Lab's: ``_thrust_target_sim`` (n, thrusters), N, to ``_internal_wrench_target_sim``
        (n, 6), ``_internal_force_target_sim`` and ``_internal_torque_target_sim`` (n, bodies, 3), of which the root is
        the first body, N and N m in its axes.
        """
        _, thrust, matrix = common(self._thrust_target_sim, self.allocation_matrix)
        wrench = self._internal_wrench_target_sim = thrust @ matrix.T
        self._internal_force_target_sim[:, 0] = wrench[:, :3]
        self._internal_torque_target_sim[:, 0] = wrench[:, 3:]

    def _make_actuators(self, device: str) -> None:
        """Make thrusters as configured, and check what is said about them.

        Raises:
            ValueError: actuators are others, or name a body twice, or something has not one entry for each thruster.
        """
        cfg, data, count, step = self.cfg, self._data, self.num_instances, self._simulation().get_physics_dt()
        found: dict[str, list[str]] = {}
        for key, group in cfg.actuators.items():
            if not isinstance(group, ThrusterCfg):
                raise ValueError(
                    f"{self._who}: actuator {key!r} is a {type(group).__name__}, and must be a ThrusterCfg: "
                    "a multirotor's joints have no actuators"
                )
            found[key] = self.find_bodies(group.thruster_names_expr)[1]
        names = [name for group in found.values() for name in group]
        if twice := [name for name in names if names.count(name) > 1]:
            raise ValueError(f"{self._who}: {twice[0]!r} is a thruster twice; mend thruster_names_expr")
        self._allocation = self._checked_allocation(len(names), device)
        data.thruster_names = names
        shape = (count, len(names))
        for name in ("default_thruster_rps", "thrust_target", "computed_thrust", "applied_thrust"):
            setattr(data, name, zeros(shape, device))
        self._thrust_target_sim, self._internal_wrench_target_sim = data.applied_thrust, zeros((count, 6), device)
        for name in ("_internal_force_target_sim", "_internal_torque_target_sim"):
            setattr(self, name, zeros((count, self.num_bodies, 3), device))
        if names:
            ids, _, speeds = resolve_matching_names_values(cfg.init_state.rps, names)
            data.default_thruster_rps[:, ids] = array([float(speed) for speed in speeds], device)
        self.actuators, self._has_implicit, start = {}, False, 0
        for key, group in found.items():
            chosen = slice(None) if len(group) == len(names) else list(range(start, start + len(group)))
            start += len(group)
            one = cfg.actuators[key]
            one = one.replace(dt=step) if one.dt is None else one
            speeds = data.default_thruster_rps[:, chosen]
            self.actuators[key] = one.class_type(one, group, chosen, count, device, speeds)
        self._thrust_as_default(None)

    def _thrust_as_default(self, env_ids: Any) -> None:
        """Let targets and thrusts in ``data`` be those of the default speeds."""
        data, some = self._data, rows(env_ids)
        for actuator in self.actuators.values():
            chosen = rows(actuator.thruster_indices)
            thrust, in_rps = actuator.default_thrust, actuator.cfg.target_unit == "rps"
            asked = data.default_thruster_rps[:, chosen] if in_rps else thrust
            for name, values in (("thrust_target", asked), ("computed_thrust", thrust), ("applied_thrust", thrust)):
                set_part(self._who, name, getattr(data, name), values[some], env_ids, actuator.thruster_indices)

    def _checked_allocation(self, thrusters: int, device: str) -> Any:
        """The allocation matrix as an array; ValueError if its size, or that of directions, is another one."""
        cfg = self.cfg
        spins = cfg.rotor_directions
        if spins is not None and len(spins) != thrusters:
            raise ValueError(f"{self._who}: rotor_directions has {len(spins)} entries for {thrusters} thrusters")
        if spins is not None and any(spin not in (1, -1) for spin in spins):
            raise ValueError(f"{self._who}: rotor_directions={list(spins)}; must be 1 or -1 each")
        ahead = [float(x) for x in cfg.thruster_force_direction]
        if len(ahead) != 3 or not 0.0 < math.hypot(*ahead) < math.inf:
            raise ValueError(
                f"{self._who}: thruster_force_direction={cfg.thruster_force_direction}; must be a direction"
            )
        if cfg.allocation_matrix is None:
            return None
        matrix = [[float(x) for x in row] for row in cfg.allocation_matrix]
        widths = {len(row) for row in matrix}
        if len(matrix) != 6 or widths != {thrusters}:
            raise ValueError(
                f"{self._who}: allocation_matrix has {len(matrix)} rows of {sorted(widths)} entries; it must have 6, "
                f"Fx Fy Fz Tx Ty Tz, of {thrusters}, one for each thruster"
            )
        if not all(math.isfinite(x) for row in matrix for x in row):
            raise ValueError(f"{self._who}: allocation_matrix has numbers that are not finite")
        total = [sum(row) for row in matrix[:3]]
        if any(total) and sum(a * b for a, b in zip(total, ahead, strict=True)) <= 0.0:
            log.warning(
                "%s: by allocation_matrix all thrusters together push along (%g, %g, %g), by thruster_force_direction "
                "along (%g, %g, %g); rows are Fx Fy Fz Tx Ty Tz",
                self._who,
                *total,
                *ahead,
            )
        return array(matrix, device, "float32")
