"""Degrees of freedom of articulations: state, targets, drives, limits, friction."""

from __future__ import annotations

from typing import Any

import numpy as np

from phalanx.facade.backends import on_host
from phalanx.facade.isaacsim.core.experimental.prims.prim import NOT_SIMULATED, require
from phalanx.facade.isaacsim.core.experimental.prims.stage_joints import StageJoints
from phalanx.facade.isaacsim.core.experimental.prims.xform_prim import WAYS, XformPrim

MODES = ("position", "velocity", "effort")


class ArticulationDofs(XformPrim):
    """The part of :class:`Articulation` that reads and writes what dofs have, (M, K) each.

    ``dof_indices`` are numbers of dofs, and K is how many are chosen: all of them by default. Angles are in rad. While
    nothing is simulated, what the stage says is read and written.
    """

    _ways = ("tensor", *WAYS)
    _joints: StageJoints
    _default_dof_stiffnesses: np.ndarray | None = None
    _default_dof_dampings: np.ndarray | None = None

    @property
    def num_dofs(self) -> int:
        """Degrees of freedom of an articulation."""
        return self._joints.metatype.dof_count

    # -- for those who derive from it ------------------------------------------------------------------------

    def _check_simulated(self) -> None:
        self._check_valid()
        require(self._view.simulated is not None, f"{self!r}: {NOT_SIMULATED}")

    def _places(self, indices: Any, dof_indices: Any) -> tuple[list[int], list[int]]:
        return self._chosen(indices), self._view.arrays.host(dof_indices, self.num_dofs).tolist()

    def _shape(self, indices: Any, columns: Any, width: int) -> tuple[int, int]:
        found = self._view.arrays.rows(columns, width)
        return self._size(indices), width if found is None else len(found)

    def _read(self, name: str, indices: Any, columns: Any, width: int) -> Any:
        """(M, K, ...) of the simulation."""
        self._check_simulated()
        return self._view.read(name, indices, columns, width)

    def _get(self, name: str, indices: Any, dof_indices: Any) -> Any:
        return self._given(self._read(f"dof_{name}", indices, dof_indices, self.num_dofs))

    def _set(self, name: str, values: Any, indices: Any, dof_indices: Any) -> None:
        self._check_simulated()
        given = self._taken(values, *self._shape(indices, dof_indices, self.num_dofs))
        self._view.write(f"dof_{name}", given, indices, dof_indices, self.num_dofs)

    def _get_both(self, name: str, indices: Any, dof_indices: Any, field: str = "", last: int | None = None) -> Any:
        """Of the simulation, or while there is none of the stage."""
        self._check_valid()
        self._check_backend("tensor", "usd")
        if self._view.simulated is not None:
            found = self._view.read(f"dof_{name}", indices, dof_indices, self.num_dofs)
            return self._given(found if last is None else found[..., last])
        return self._given(self._joints.read(field or name, *self._places(indices, dof_indices)))

    def _set_both(
        self, name: str, values: Any, indices: Any, dof_indices: Any, field: str = "", last: int | None = None
    ) -> None:
        if values is None:
            return
        self._check_valid()
        self._check_backend("tensor", "usd")
        given = self._taken(values, *self._shape(indices, dof_indices, self.num_dofs))
        if self._view.simulated is not None:
            self._view.write(f"dof_{name}", given, indices, dof_indices, self.num_dofs, last)
        else:
            self._joints.write(field or name, *self._places(indices, dof_indices), on_host(given, float))

    # -- state -----------------------------------------------------------------------------------------------

    def get_dof_positions(self, *, indices: Any = None, dof_indices: Any = None) -> Any:
        """Positions, rad or m."""
        return self._get("positions", indices, dof_indices)

    def set_dof_positions(self, positions: Any, *, indices: Any = None, dof_indices: Any = None) -> None:
        """Put dofs somewhere, at once; targets follow."""
        self._set("positions", positions, indices, dof_indices)
        self._set("position_targets", positions, indices, dof_indices)

    def get_dof_velocities(self, *, indices: Any = None, dof_indices: Any = None) -> Any:
        """Velocities, rad/s or m/s."""
        return self._get("velocities", indices, dof_indices)

    def set_dof_velocities(self, velocities: Any, *, indices: Any = None, dof_indices: Any = None) -> None:
        """Set velocities, at once; targets follow."""
        self._set("velocities", velocities, indices, dof_indices)
        self._set("velocity_targets", velocities, indices, dof_indices)

    def get_dof_efforts(self, *, indices: Any = None, dof_indices: Any = None) -> Any:
        """Efforts that were set, N m or N, besides those of drives."""
        return self._get("actuation_forces", indices, dof_indices)

    def set_dof_efforts(self, efforts: Any, *, indices: Any = None, dof_indices: Any = None) -> None:
        """Set efforts, which add to those of drives during the next step."""
        self._set("actuation_forces", efforts, indices, dof_indices)
        self._view.simulated.clear_efforts_after_step()

    def get_dof_projected_joint_forces(self, *, indices: Any = None, dof_indices: Any = None) -> Any:
        """What joints transmit along and about their axes, drives, friction and limits included."""
        return self._get("projected_joint_forces", indices, dof_indices)

    # -- targets ---------------------------------------------------------------------------------------------

    def get_dof_position_targets(self, *, indices: Any = None, dof_indices: Any = None) -> Any:
        """Position targets of drives."""
        return self._get_both("position_targets", indices, dof_indices)

    def set_dof_position_targets(self, positions: Any, *, indices: Any = None, dof_indices: Any = None) -> None:
        """Set position targets of drives."""
        self._set_both("position_targets", positions, indices, dof_indices)

    def get_dof_velocity_targets(self, *, indices: Any = None, dof_indices: Any = None) -> Any:
        """Velocity targets of drives."""
        return self._get_both("velocity_targets", indices, dof_indices)

    def set_dof_velocity_targets(self, velocities: Any, *, indices: Any = None, dof_indices: Any = None) -> None:
        """Set velocity targets of drives."""
        self._set_both("velocity_targets", velocities, indices, dof_indices)

    # -- drives ----------------------------------------------------------------------------------------------

    def get_dof_gains(self, *, indices: Any = None, dof_indices: Any = None) -> tuple[Any, Any]:
        """Stiffnesses and dampings of drives."""
        names = ("stiffnesses", "dampings")
        return tuple(self._get_both(name, indices, dof_indices) for name in names)  # type: ignore[return-value]

    def set_dof_gains(
        self,
        stiffnesses: Any = None,
        dampings: Any = None,
        *,
        indices: Any = None,
        dof_indices: Any = None,
        update_default_gains: bool = True,
    ) -> None:
        """Set stiffnesses and dampings of drives; what is ``None`` stays.

        Args:
            stiffnesses: N m/rad or N/m.
            dampings: N m s/rad or N s/m.
            indices, dof_indices: which.
            update_default_gains: whether :meth:`switch_dof_control_mode` takes them from then on.
        """
        require(stiffnesses is not None or dampings is not None, "stiffnesses and dampings are both None")
        self._set_both("stiffnesses", stiffnesses, indices, dof_indices)
        self._set_both("dampings", dampings, indices, dof_indices)
        if update_default_gains:
            self._keep_gains()

    def _keep_gains(self) -> tuple[np.ndarray, np.ndarray]:
        found = [on_host(each).copy() for each in self.get_dof_gains()]
        self._default_dof_stiffnesses, self._default_dof_dampings = found
        return found[0], found[1]

    def switch_dof_control_mode(self, mode: str, *, indices: Any = None, dof_indices: Any = None) -> None:
        """Control dofs by positions (both gains), velocities (the damping alone) or efforts (none).

        Raises:
            ValueError: there is no such mode.
        """
        if mode not in MODES:
            raise ValueError(f"mode={mode!r} must be one of {', '.join(MODES)}")
        self._check_valid()
        place = np.ix_(*self._places(indices, dof_indices))
        kept = self._default_dof_stiffnesses, self._default_dof_dampings
        known = self._keep_gains() if kept[0] is None or kept[1] is None else kept
        stiffnesses, dampings = (on_host(each)[place] for each in known)
        self.set_dof_gains(
            stiffnesses if mode == "position" else 0.0,
            0.0 if mode == "effort" else dampings,
            indices=indices,
            dof_indices=dof_indices,
            update_default_gains=False,
        )

    def get_dof_drive_types(self, *, indices: Any = None, dof_indices: Any = None) -> list[list[str]]:
        """Whether drives give forces or accelerations, (M, K) words; of joints without a drive, ``"none"``."""
        self._check_valid()
        self._check_backend("tensor", "usd")
        if self._view.simulated is None:
            return self._joints.read_types(*self._places(indices, dof_indices))
        words = ("none", "force", "acceleration")
        found = on_host(self._view.read("drive_types", indices, dof_indices, self.num_dofs))
        return [[words[kind] for kind in row] for row in found.tolist()]

    def set_dof_drive_types(
        self, types: str | list[list[str]], *, indices: Any = None, dof_indices: Any = None
    ) -> None:
        """Let drives give forces or accelerations, from the next start of the simulation on.

        Raises:
            ValueError: a word is neither ``"force"`` nor ``"acceleration"``.
        """
        self._check_valid()
        rows, dofs = self._places(indices, dof_indices)
        words = np.broadcast_to(np.array(types, dtype=object), (len(rows), len(dofs)))
        for word in set(words.reshape(-1).tolist()):
            if word not in ("force", "acceleration"):
                raise ValueError(f'types: {word!r} must be "force" or "acceleration"')
        for i, row in enumerate(rows):
            for j, dof in enumerate(dofs):
                self._joints.write_type(row, dof, words[i, j])

    def get_dof_max_efforts(self, *, indices: Any = None, dof_indices: Any = None) -> Any:
        """The greatest efforts of drives."""
        return self._get_both("max_forces", indices, dof_indices)

    def set_dof_max_efforts(self, max_efforts: Any, *, indices: Any = None, dof_indices: Any = None) -> None:
        """Set the greatest efforts of drives."""
        self._set_both("max_forces", max_efforts, indices, dof_indices)

    def get_dof_drive_model_properties(self, *, indices: Any = None, dof_indices: Any = None) -> tuple[Any, Any, Any]:
        """What limits efforts by speed: gradients of speed by effort, greatest speeds, resistances by speed."""
        fields = ("gradients", "velocities", "resistances")
        found = [
            self._get_both("drive_model_properties", indices, dof_indices, field, n) for n, field in enumerate(fields)
        ]
        return found[0], found[1], found[2]

    def set_dof_drive_model_properties(
        self,
        speed_effort_gradients: Any = None,
        maximum_actuator_velocities: Any = None,
        velocity_dependent_resistances: Any = None,
        *,
        indices: Any = None,
        dof_indices: Any = None,
    ) -> None:
        """Set what :meth:`get_dof_drive_model_properties` says; what is ``None`` stays."""
        given = (speed_effort_gradients, maximum_actuator_velocities, velocity_dependent_resistances)
        require(any(each is not None for each in given), "all properties are None")
        for n, (field, values) in enumerate(zip(("gradients", "velocities", "resistances"), given, strict=True)):
            self._set_both("drive_model_properties", values, indices, dof_indices, field, n)

    # -- what joints are -------------------------------------------------------------------------------------

    def get_dof_limits(self, *, indices: Any = None, dof_indices: Any = None) -> tuple[Any, Any]:
        """Lower and upper limits of positions; the greatest float32, or inf on the stage, where there are none."""
        return (
            self._get_both("limits", indices, dof_indices, "lower", 0),
            self._get_both("limits", indices, dof_indices, "upper", 1),
        )

    def set_dof_limits(
        self, lower: Any = None, upper: Any = None, *, indices: Any = None, dof_indices: Any = None
    ) -> None:
        """Set lower and upper limits of positions; what is ``None`` stays."""
        require(lower is not None or upper is not None, "lower and upper are both None")
        if self._view.simulated is not None and lower is not None and upper is not None:
            shape = self._shape(indices, dof_indices, self.num_dofs)
            both = np.stack([on_host(self._taken(each, *shape)) for each in (lower, upper)], axis=-1)
            self._check_valid()
            self._view.write("dof_limits", self._taken(both, *both.shape), indices, dof_indices, self.num_dofs)
            return
        self._set_both("limits", lower, indices, dof_indices, "lower", 0)
        self._set_both("limits", upper, indices, dof_indices, "upper", 1)

    def get_dof_max_velocities(self, *, indices: Any = None, dof_indices: Any = None) -> Any:
        """The greatest speeds."""
        return self._get_both("max_velocities", indices, dof_indices)

    def set_dof_max_velocities(self, max_velocities: Any, *, indices: Any = None, dof_indices: Any = None) -> None:
        """Set the greatest speeds."""
        self._set_both("max_velocities", max_velocities, indices, dof_indices)

    def get_dof_armatures(self, *, indices: Any = None, dof_indices: Any = None) -> Any:
        """Inertias of rotors, kg m^2 or kg."""
        return self._get_both("armatures", indices, dof_indices)

    def set_dof_armatures(self, armatures: Any, *, indices: Any = None, dof_indices: Any = None) -> None:
        """Set inertias of rotors."""
        self._set_both("armatures", armatures, indices, dof_indices)

    def get_dof_friction_properties(self, *, indices: Any = None, dof_indices: Any = None) -> tuple[Any, Any, Any]:
        """Efforts of friction at rest and in motion, and efforts by speed."""
        fields = ("static_frictions", "dynamic_frictions", "viscous_frictions")
        found = [
            self._get_both("friction_properties", indices, dof_indices, field, n) for n, field in enumerate(fields)
        ]
        return found[0], found[1], found[2]

    def set_dof_friction_properties(
        self,
        static_frictions: Any = None,
        dynamic_frictions: Any = None,
        viscous_frictions: Any = None,
        *,
        indices: Any = None,
        dof_indices: Any = None,
    ) -> None:
        """Set what :meth:`get_dof_friction_properties` says; what is ``None`` stays."""
        fields = ("static_frictions", "dynamic_frictions", "viscous_frictions")
        given = (static_frictions, dynamic_frictions, viscous_frictions)
        require(any(each is not None for each in given), "all frictions are None")
        for n, (field, values) in enumerate(zip(fields, given, strict=True)):
            self._set_both("friction_properties", values, indices, dof_indices, field, n)
