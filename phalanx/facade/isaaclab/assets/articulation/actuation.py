"""Actuators of an articulation: which joints they drive, and what becomes of targets."""

from __future__ import annotations

import logging
from typing import Any

from phalanx.facade.isaaclab.actuators import ActuatorBase
from phalanx.facade.isaaclab.assets.articulation.articulation_data import ArticulationData
from phalanx.facade.isaaclab.assets.articulation.joint_driver import JointDriver, drives
from phalanx.facade.isaaclab.utils.types import ArticulationActions
from phalanx.facade.namespaces import array, copy, rows, zeros

log = logging.getLogger("phalanx.facade")


class Actuation:
    """The part of an articulation that makes actuators, and lets them work before a step."""

    cfg: Any
    actuators: dict[str, ActuatorBase]
    _driver: JointDriver | None
    _data: ArticulationData
    _who: str

    def _make_actuators(self, device: str) -> None:
        """Make actuators as configured, and hand their gains and limits to the simulation.

        Raises:
            ValueError: one drives no joint. Of two that drive the same joint the later one counts, which is told.
        """
        self.actuators = {}
        data, view, driven, shared = self._data, self.root_physx_view, {}, False
        for name, cfg in self.cfg.actuators.items():
            ids, names = self.find_joints(cfg.joint_names_expr)
            if not ids:
                raise ValueError(f"{self._who}: actuator {name!r} drives no joint: {cfg.joint_names_expr} match none")
            if twice := [joint for joint in names if joint in driven]:
                log.warning(
                    "%s: actuators %r and %r both drive %s: what %r says counts",
                    *(self._who, driven[twice[0]], name, ", ".join(twice), name),
                )
                shared = True
            driven |= dict.fromkeys(names, name)
            # An array, as terms that randomise gains of some joints expect.
            chosen = slice(None) if ids == list(range(len(self.joint_names))) else array(ids, device, "int64")
            actuator: ActuatorBase = cfg.class_type(
                cfg=cfg,
                joint_names=names,
                joint_ids=chosen,
                num_envs=view.count,
                device=device,
                stiffness=data.default_joint_stiffness[:, chosen],
                damping=data.default_joint_damping[:, chosen],
                armature=data.default_joint_armature[:, chosen],
                friction=data.default_joint_friction_coeff[:, chosen],
                dynamic_friction=data.default_joint_dynamic_friction_coeff[:, chosen],
                viscous_friction=data.default_joint_viscous_friction_coeff[:, chosen],
                effort_limit=data.joint_effort_limits[:, chosen],
                velocity_limit=data.joint_vel_limits[:, chosen],
            )
            self.actuators[name] = actuator
            self._adopt(actuator, chosen)
            if self.cfg.actuator_value_resolution_debug_print:
                log.info("%s: %s: %s", self._who, name, actuator)
        idle = [joint for joint in self.joint_names if joint not in driven]
        if idle:
            log.warning("%s: no actuator drives %s", self._who, ", ".join(idle))
        self._has_implicit = any(actuator.is_implicit_model for actuator in self.actuators.values())
        models = list(self.actuators.values())
        # Where two drive a joint, models compute one after the other, and the last one's efforts are what is left.
        self._driver = JointDriver(view, models, data) if not shared and drives(view, models) else None

    def _adopt(self, actuator: ActuatorBase, chosen: Any) -> None:
        """Write an actuator's parameters to the simulation; explicit ones leave it no gains."""
        data, share = self._data, float(actuator.is_implicit_model)
        self.write_joint_stiffness_to_sim(actuator.stiffness * share, chosen)
        self.write_joint_damping_to_sim(actuator.damping * share, chosen)
        self.write_joint_effort_limit_to_sim(actuator.effort_limit_sim, chosen)
        self.write_joint_velocity_limit_to_sim(actuator.velocity_limit_sim, chosen)
        self.write_joint_armature_to_sim(actuator.armature, chosen)
        self.write_joint_friction_coefficient_to_sim(actuator.friction, joint_ids=chosen)
        self.write_joint_dynamic_friction_coefficient_to_sim(actuator.dynamic_friction, chosen)
        self.write_joint_viscous_friction_coefficient_to_sim(actuator.viscous_friction, chosen)
        for name, values in (
            ("default_joint_stiffness", actuator.stiffness),
            ("default_joint_damping", actuator.damping),
            ("default_joint_armature", actuator.armature),
            ("default_joint_friction_coeff", actuator.friction),
            ("default_joint_dynamic_friction_coeff", actuator.dynamic_friction),
            ("default_joint_viscous_friction_coeff", actuator.viscous_friction),
            ("soft_joint_vel_limits", actuator.velocity_limit),
        ):
            getattr(data, name)[:, chosen] = values
        if hasattr(actuator, "gear_ratio"):
            data.gear_ratio[:, chosen] = actuator.gear_ratio  # pyright: ignore[reportAttributeAccessIssue]

    def _apply_actuators(self) -> None:
        """What is asked of the joints becomes targets and efforts in the simulation."""
        if self._driver is not None:
            self._driver.run()
        else:
            self._let_actuators_compute()

    def _let_actuators_compute(self) -> None:
        """The same model by model, for those that have laws of their own."""
        data, view = self._data, self.root_physx_view
        targets = {"joint_positions": data.joint_pos_target, "joint_velocities": data.joint_vel_target}
        asked = {name: copy(buffer) for name, buffer in targets.items()} if self._has_implicit else {}
        asked["joint_efforts"] = zeros(data.joint_effort_target.shape, data.device)
        for actuator in self.actuators.values():
            chosen = rows(actuator.joint_indices)
            action = actuator.compute(
                ArticulationActions(
                    joint_positions=data.joint_pos_target[:, chosen],
                    joint_velocities=data.joint_vel_target[:, chosen],
                    joint_efforts=data.joint_effort_target[:, chosen],
                    joint_indices=actuator.joint_indices,
                ),
                joint_pos=data.joint_pos[:, chosen],
                joint_vel=data.joint_vel[:, chosen],
            )
            for name, buffer in asked.items():
                values = getattr(action, name)
                if values is not None:
                    buffer[:, chosen] = values
            data.computed_torque[:, chosen] = actuator.computed_effort
            data.applied_torque[:, chosen] = actuator.applied_effort
        view.set_dof_actuation_forces(asked["joint_efforts"])
        if self._has_implicit:
            view.set_dof_position_targets(asked["joint_positions"])
            view.set_dof_velocity_targets(asked["joint_velocities"])

    # Other parts of an articulation.
    joint_names: list[str]
    root_physx_view: Any
    find_joints: Any
    write_joint_stiffness_to_sim: Any
    write_joint_damping_to_sim: Any
    write_joint_effort_limit_to_sim: Any
    write_joint_velocity_limit_to_sim: Any
    write_joint_armature_to_sim: Any
    write_joint_friction_coefficient_to_sim: Any
    write_joint_dynamic_friction_coefficient_to_sim: Any
    write_joint_viscous_friction_coefficient_to_sim: Any
