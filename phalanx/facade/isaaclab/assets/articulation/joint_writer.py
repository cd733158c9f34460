"""Setting joints: their state, their properties in the simulation, and what is asked of them."""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable, Sequence
from typing import Any

from phalanx.facade.isaaclab.assets.buffers import set_part
from phalanx.facade.namespaces import array, common, copy, is_floating

log = logging.getLogger("phalanx.facade")

Ids = Sequence[int] | slice | None

_FRICTIONS = ("joint_friction_coeff", "joint_dynamic_friction_coeff", "joint_viscous_friction_coeff")
"""Buffers, in the order of the tensor view."""


def _chooses(value: Any) -> bool:
    """Whether something says which joints: a slice or several whole numbers."""
    if isinstance(value, list | tuple | range):
        return len(value) > 0 and all(isinstance(one, int) for one in value)
    if isinstance(value, slice):
        return True
    return len(getattr(value, "shape", ())) > 0 and not is_floating(value)


def in_either_order(method: Callable[..., None]) -> Callable[..., None]:
    """Let a method take ids and coefficients in the order of either version of Isaac Lab.

    Up to 2.2, ``joint_ids`` and ``env_ids`` follow the static friction; from 2.3 on, the other coefficients do. Ids are
    a slice or whole numbers, which no coefficients are.
    """

    @functools.wraps(method)
    def taken(self: Any, joint_friction_coeff: Any, *given: Any, **named: Any) -> None:
        ids, others = ("joint_ids", "env_ids"), ("joint_dynamic_friction_coeff", "joint_viscous_friction_coeff")
        names = ids + others if any(_chooses(one) for one in given[:2]) else others + ids
        if len(given) > len(names):
            raise TypeError(f"{method.__name__} takes up to {len(names) + 1} arguments, not {len(given) + 1}")
        for name, one in zip(names, given, strict=False):
            if name in named:
                raise TypeError(f"{method.__name__} is given {name} twice")
            named[name] = one
        method(self, joint_friction_coeff, **named)

    return taken


class JointWriter:
    """The part of an articulation that sets joints.

    Values are (chosen instances, chosen joints), or a number for all; limits of positions have (..., 2). ``env_ids``
    and ``joint_ids`` say which; all by default. What is written is seen in ``data`` at once.

    Raises:
        ValueError: a value has another shape, or is one that the simulation cannot take.
        IndexError: there is no such instance or joint.
    """

    cfg: Any
    data: Any
    root_physx_view: Any
    joint_names: list[str]

    # -- state -----------------------------------------------------------------------------------------------

    def write_joint_state_to_sim(
        self, position: Any, velocity: Any, joint_ids: Ids = None, env_ids: Ids = None
    ) -> None:
        """Set positions and velocities of joints."""
        self.write_joint_position_to_sim(position, joint_ids, env_ids)
        self.write_joint_velocity_to_sim(velocity, joint_ids, env_ids)

    def write_joint_position_to_sim(self, position: Any, joint_ids: Ids = None, env_ids: Ids = None) -> None:
        """Set positions of joints; links follow at once."""
        whole = self._with("joint positions", self.data.joint_pos, position, joint_ids, env_ids)
        self.root_physx_view.set_dof_positions(whole, self._indices(env_ids))
        self.data.joint_position_was_written(whole, env_ids)

    def write_joint_velocity_to_sim(self, velocity: Any, joint_ids: Ids = None, env_ids: Ids = None) -> None:
        """Set velocities of joints; links follow at once."""
        whole = self._with("joint velocities", self.data.joint_vel, velocity, joint_ids, env_ids)
        self.root_physx_view.set_dof_velocities(whole, self._indices(env_ids))
        self.data.joint_velocity_was_written(whole, env_ids)

    # -- properties ------------------------------------------------------------------------------------------

    def write_joint_stiffness_to_sim(self, stiffness: Any, joint_ids: Ids = None, env_ids: Ids = None) -> None:
        """Set position gains of the simulation's drives, N m/rad or N/m."""
        self._write_joints("stiffness", "joint_stiffness", "set_dof_stiffnesses", stiffness, joint_ids, env_ids)

    def write_joint_damping_to_sim(self, damping: Any, joint_ids: Ids = None, env_ids: Ids = None) -> None:
        """Set velocity gains of the simulation's drives, N m s/rad or N s/m."""
        self._write_joints("damping", "joint_damping", "set_dof_dampings", damping, joint_ids, env_ids)

    def write_joint_position_limit_to_sim(
        self, limits: Any, joint_ids: Ids = None, env_ids: Ids = None, warn_limit_violation: bool = True
    ) -> None:
        """Set lower and upper limits of positions, rad or m; soft limits follow, default positions are brought within.

        Args:
            limits: (chosen instances, chosen joints, 2).
            joint_ids, env_ids: which.
            warn_limit_violation: whether default positions outside of them are logged as a warning.
        """
        self._write_joints("position limits", "joint_pos_limits", "set_dof_limits", limits, joint_ids, env_ids)
        self._soften()
        xp, default, bounds = common(self.data.default_joint_pos, self.data.joint_pos_limits)
        inside = xp.minimum(xp.maximum(default, bounds[..., 0]), bounds[..., 1])
        if bool((inside != default).any()):
            level = logging.WARNING if warn_limit_violation else logging.INFO
            log.log(level, "%s: default joint positions outside of the new limits are put at them", self._who)
            self.data.default_joint_pos = inside

    def write_joint_limits_to_sim(
        self, limits: Any, joint_ids: Ids = None, env_ids: Ids = None, warn_limit_violation: bool = True
    ) -> None:
        """Same as :meth:`write_joint_position_limit_to_sim`."""
        self.write_joint_position_limit_to_sim(limits, joint_ids, env_ids, warn_limit_violation)

    def write_joint_velocity_limit_to_sim(self, limits: Any, joint_ids: Ids = None, env_ids: Ids = None) -> None:
        """Set limits of speeds in the simulation, rad/s or m/s."""
        self._write_joints("velocity limits", "joint_vel_limits", "set_dof_max_velocities", limits, joint_ids, env_ids)

    def write_joint_effort_limit_to_sim(self, limits: Any, joint_ids: Ids = None, env_ids: Ids = None) -> None:
        """Set limits of efforts in the simulation, N m or N."""
        self._write_joints("effort limits", "joint_effort_limits", "set_dof_max_forces", limits, joint_ids, env_ids)

    def write_joint_armature_to_sim(self, armature: Any, joint_ids: Ids = None, env_ids: Ids = None) -> None:
        """Set inertias of motors at the joints, kg m^2 or kg."""
        self._write_joints("armature", "joint_armature", "set_dof_armatures", armature, joint_ids, env_ids)

    @in_either_order
    def write_joint_friction_coefficient_to_sim(
        self,
        joint_friction_coeff: Any,
        joint_ids: Ids = None,
        env_ids: Ids = None,
        joint_dynamic_friction_coeff: Any = None,
        joint_viscous_friction_coeff: Any = None,
    ) -> None:
        """Set static friction of joints, N m or N here: it does not grow with the load that a joint carries.

        Isaac Lab 2.3 moved ``joint_ids`` and ``env_ids`` to the end. Both orders are taken: what follows
        ``joint_friction_coeff`` are ids if it is a slice or whole numbers, or else coefficients and then ids.

        Args:
            joint_friction_coeff: a number for all, or (n, k), k being the number of chosen joints.
            joint_ids: which joints; all by default.
            env_ids: which instances; all by default.
            joint_dynamic_friction_coeff: in motion, likewise, N m or N; as it is by default.
            joint_viscous_friction_coeff: N m s/rad or N s/m, likewise; as it is by default.
        """
        values = (joint_friction_coeff, joint_dynamic_friction_coeff, joint_viscous_friction_coeff)
        self._write_frictions(values, joint_ids, env_ids)

    def write_joint_dynamic_friction_coefficient_to_sim(
        self, joint_dynamic_friction_coeff: Any, joint_ids: Ids = None, env_ids: Ids = None
    ) -> None:
        """Set friction of joints in motion, N m or N."""
        self._write_frictions((None, joint_dynamic_friction_coeff, None), joint_ids, env_ids)

    def write_joint_viscous_friction_coefficient_to_sim(
        self, joint_viscous_friction_coeff: Any, joint_ids: Ids = None, env_ids: Ids = None
    ) -> None:
        """Set viscous friction of joints, N m s/rad or N s/m."""
        self._write_frictions((None, None, joint_viscous_friction_coeff), joint_ids, env_ids)

    def write_joint_friction_to_sim(self, joint_friction: Any, joint_ids: Ids = None, env_ids: Ids = None) -> None:
        """Same as :meth:`write_joint_friction_coefficient_to_sim`."""
        self.write_joint_friction_coefficient_to_sim(joint_friction, joint_ids=joint_ids, env_ids=env_ids)

    # -- what is asked ---------------------------------------------------------------------------------------

    def set_joint_position_target(self, target: Any, joint_ids: Ids = None, env_ids: Ids = None) -> None:
        """Ask for positions, rad or m, from the next :meth:`write_data_to_sim` on."""
        set_part(self._who, "position targets", self.data.joint_pos_target, target, env_ids, joint_ids)

    def set_joint_velocity_target(self, target: Any, joint_ids: Ids = None, env_ids: Ids = None) -> None:
        """Ask for velocities, rad/s or m/s, from the next :meth:`write_data_to_sim` on."""
        set_part(self._who, "velocity targets", self.data.joint_vel_target, target, env_ids, joint_ids)

    def set_joint_effort_target(self, target: Any, joint_ids: Ids = None, env_ids: Ids = None) -> None:
        """Ask for efforts, N m or N, from the next :meth:`write_data_to_sim` on."""
        set_part(self._who, "effort targets", self.data.joint_effort_target, target, env_ids, joint_ids)

    # -- inside ----------------------------------------------------------------------------------------------

    _who: str

    _indices: Callable[[Any], Any]

    def _with(self, what: str, present: Any, value: Any, joint_ids: Ids, env_ids: Ids) -> Any:
        """A copy of a buffer with some of it exchanged."""
        found = copy(present)
        set_part(self._who, what, found, value, env_ids, joint_ids)
        return found

    def _write_joints(self, what: str, name: str, setter: str, value: Any, joint_ids: Ids, env_ids: Ids) -> None:
        """Write a property, and keep it once the simulation has taken it."""
        whole = self._with(what, getattr(self.data, name), value, joint_ids, env_ids)
        getattr(self.root_physx_view, setter)(whole, self._indices(env_ids))
        setattr(self.data, name, whole)

    def _write_frictions(self, values: Sequence[Any], joint_ids: Ids, env_ids: Ids) -> None:
        """Set static, dynamic and viscous friction at once; what is ``None`` stays."""
        wholes: dict[str, Any] = {}
        for name, value in zip(_FRICTIONS, values, strict=True):
            present = getattr(self.data, name)
            wholes[name] = present if value is None else self._with(name, present, value, joint_ids, env_ids)
        xp, *stacked = common(*wholes.values())
        self.root_physx_view.set_dof_friction_properties(xp.stack(stacked, -1), self._indices(env_ids))
        for name, whole in wholes.items():
            setattr(self.data, name, whole)

    def _soften(self) -> None:
        """Soft limits are a share of the ranges about their middle."""
        limits = self.data.joint_pos_limits
        middle = 0.5 * limits[..., 0] + 0.5 * limits[..., 1]
        half = self.cfg.soft_joint_pos_limit_factor * (0.5 * limits[..., 1] - 0.5 * limits[..., 0])
        xp, low, high = common(middle - half, middle + half)
        self.data.soft_joint_pos_limits = xp.stack([low, high], -1)

    def _read_joints(self, data: Any, device: str) -> None:
        """Fill buffers with what the simulation has."""
        view = self.root_physx_view
        friction = view.get_dof_friction_properties()
        found = {
            "joint_stiffness": view.get_dof_stiffnesses(),
            "joint_damping": view.get_dof_dampings(),
            "joint_armature": view.get_dof_armatures(),
            "joint_friction_coeff": friction[..., 0],
            "joint_dynamic_friction_coeff": friction[..., 1],
            "joint_viscous_friction_coeff": friction[..., 2],
            "joint_pos_limits": view.get_dof_limits(),
        }
        for name, values in found.items():
            setattr(data, name, copy(array(values, device)))
            setattr(data, f"default_{name}", copy(array(values, device)))
        data.joint_vel_limits = copy(array(view.get_dof_max_velocities(), device))
        data.joint_effort_limits = copy(array(view.get_dof_max_forces(), device))
