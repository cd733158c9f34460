"""Wrappers of rigid bodies."""

from __future__ import annotations

from typing import Any

import numpy as np

from phalanx.facade.backends import on_host
from phalanx.facade.isaacsim.core.experimental.prims import views
from phalanx.facade.isaacsim.core.experimental.prims.prim import NOT_SIMULATED, require
from phalanx.facade.isaacsim.core.experimental.prims.xform_prim import WAYS, XformPrim


class RigidPrim(XformPrim):
    """Rigid bodies. Prims that are none become such.

    While a simulation runs, poses, velocities, masses and so on are its own; else they are those on the stage.

    Args:
        paths, resolve_paths, positions, translations, orientations, scales, reset_xform_op_properties: see
            :class:`XformPrim`.
        masses: kg, (N, 1).
        densities: kg/m^3, (N, 1); masses take precedence.
    """

    _ways = ("tensor", *WAYS)

    def __init__(
        self,
        paths: str | list[str],
        *,
        resolve_paths: bool = True,
        positions: Any = None,
        translations: Any = None,
        orientations: Any = None,
        scales: Any = None,
        reset_xform_op_properties: bool = False,
        masses: Any = None,
        densities: Any = None,
    ) -> None:
        super().__init__(
            paths,
            resolve_paths=resolve_paths,
            positions=positions,
            translations=translations,
            orientations=orientations,
            scales=scales,
            reset_xform_op_properties=reset_xform_op_properties,
        )
        if masses is not None:
            self.set_masses(masses)
        if densities is not None:
            self.set_densities(densities)

    def _make_view(self, paths: list[str]) -> Any:
        return views.Bodies(paths, reset_xform_properties=False, prepare_contact_sensors=False)

    @property
    def num_shapes(self) -> int:
        """Most collision shapes of a body.

        Raises:
            AssertionError: nothing is simulated.
        """
        self._check_simulated()
        return self._view.num_shapes

    def is_physics_tensor_entity_valid(self) -> bool:
        """Whether a simulation runs that has these bodies."""
        return self._view.simulated is not None

    def _check_simulated(self) -> None:
        self._check_valid()
        require(self._view.simulated is not None, f"{self!r}: {NOT_SIMULATED}")

    # -- velocities ------------------------------------------------------------------------------------------

    def get_velocities(self, *, indices: Any = None) -> tuple[Any, Any]:
        """Linear and angular velocities, (M, 3) each, in units of the stage per second and rad/s."""
        self._check_valid()
        self._check_backend("tensor", "usd")
        found = self._view.get_velocities(indices)
        return self._given(found[:, :3]), self._given(found[:, 3:])

    def set_velocities(
        self, linear_velocities: Any = None, angular_velocities: Any = None, *, indices: Any = None
    ) -> None:
        """Set linear and angular velocities, (M, 3) each; what is ``None`` stays."""
        given = linear_velocities is not None or angular_velocities is not None
        require(given, "linear_velocities and angular_velocities are both None")
        self._check_valid()
        self._check_backend("tensor", "usd")
        count = self._size(indices)
        if linear_velocities is not None:
            self._view.set_linear_velocities(self._taken(linear_velocities, count, 3), indices)
        if angular_velocities is not None:
            self._view.set_angular_velocities(self._taken(angular_velocities, count, 3), indices)

    # -- forces ----------------------------------------------------------------------------------------------

    def apply_forces(self, forces: Any, *, indices: Any = None, local_frame: bool = False) -> None:
        """Push bodies at their centres of mass during the next step, (M, 3).

        Args:
            forces: in kg, units of the stage and s.
            indices: of bodies.
            local_frame: forces are in the bodies' own axes; else in the world's.
        """
        self._check_simulated()
        self._view.apply_forces(self._taken(forces, self._size(indices), 3), indices, not local_frame)

    def apply_forces_and_torques_at_pos(
        self,
        forces: Any = None,
        torques: Any = None,
        *,
        positions: Any = None,
        indices: Any = None,
        local_frame: bool = False,
    ) -> None:
        """Push and turn bodies during the next step, (M, 3) each.

        Args:
            forces: in kg, units of the stage and s.
            torques: the same.
            positions: where forces act; at the origins of the bodies' frames by default.
            indices: of bodies.
            local_frame: all is in the bodies' own frames; else in the world's.
        """
        require(forces is not None or torques is not None, "forces and torques are both None")
        self._check_simulated()
        count = self._size(indices)
        given = [None if each is None else self._taken(each, count, 3) for each in (forces, torques, positions)]
        self._view.apply_forces_and_torques_at_pos(*given, indices, not local_frame)

    # -- masses ----------------------------------------------------------------------------------------------

    def get_masses(self, *, indices: Any = None, inverse: bool = False) -> Any:
        """(M, 1), kg, or their inverses; on the stage 0 where none is written."""
        self._check_valid()
        self._check_backend("tensor", "usd")
        if self._view.simulated is not None:
            return self._given((self._view.get_inv_masses if inverse else self._view.get_masses)(indices), -1, 1)
        found = on_host(self._view.get_masses(indices)).reshape(-1, 1)
        return self._given(1.0 / (found + 1e-8) if inverse else found)

    def set_masses(self, masses: Any, *, indices: Any = None) -> None:
        """Set masses, (M, 1), kg; inertias stay."""
        self._check_valid()
        self._check_backend("tensor", "usd")
        self._view.set_masses(self._taken(masses, self._size(indices), 1), indices)

    def get_coms(self, *, indices: Any = None) -> tuple[Any, Any]:
        """Centres of mass (M, 3) in the bodies' frames, and their axes (M, 4)."""
        self._check_simulated()
        places, turns = self._view.get_coms(indices)
        return self._given(places, -1, 3), self._given(turns, -1, 4)

    def set_coms(self, positions: Any = None, orientations: Any = None, *, indices: Any = None) -> None:
        """Set centres of mass in the bodies' frames, (M, 3), and their axes, (M, 4); what is ``None`` stays."""
        require(positions is not None or orientations is not None, "positions and orientations are both None")
        self._check_simulated()
        self._view.set_coms(*self._poses(positions, orientations, indices), indices)

    def get_inertias(self, *, indices: Any = None, inverse: bool = False) -> Any:
        """(M, 9): about the centres of mass, in the bodies' axes, row by row; or their inverses."""
        self._check_simulated()
        return self._given((self._view.get_inv_inertias if inverse else self._view.get_inertias)(indices), -1, 9)

    def set_inertias(self, inertias: Any, *, indices: Any = None) -> None:
        """Set inertias, (M, 9)."""
        self._check_simulated()
        self._view.set_inertias(self._taken(inertias, self._size(indices), 9), indices)

    def get_densities(self, *, indices: Any = None) -> Any:
        """(M, 1), kg/m^3, as the stage says; 0 where it does not."""
        self._check_valid()
        return self._given(self._view.get_densities(indices), -1, 1)

    def set_densities(self, densities: Any, *, indices: Any = None) -> None:
        """Set densities on the stage, (M, 1), from the next start on; a mass that is not 0 takes precedence."""
        self._check_valid()
        self._view.set_densities(self._taken(densities, self._size(indices), 1), indices)

    # -- sleep, gravity, bodies that do not move ---------------------------------------------------------------

    def get_sleep_thresholds(self, *, indices: Any = None) -> Any:
        """(M, 1): kinetic energies per mass, below which bodies may go to sleep."""
        self._check_valid()
        return self._given(self._view.get_sleep_thresholds(indices), -1, 1)

    def set_sleep_thresholds(self, thresholds: Any, *, indices: Any = None) -> None:
        """Set kinetic energies per mass, below which bodies may go to sleep, (M, 1); from the next start on."""
        self._check_valid()
        self._view.set_sleep_thresholds(self._taken(thresholds, self._size(indices), 1), indices)

    def get_enabled_rigid_bodies(self, *, indices: Any = None) -> Any:
        """(M, 1), bool: whether bodies move."""
        self._check_valid()
        self._check_backend("tensor", "usd")
        return self._get_attribute("physics:rigidBodyEnabled", True, indices)

    def set_enabled_rigid_bodies(self, enabled: Any, *, indices: Any = None) -> None:
        """Let bodies move, or stand still as parts of the ground do, (M, 1).

        What stood still when the simulation began moves from the next start on.
        """
        self._check_valid()
        self._check_backend("tensor", "usd")
        chosen = self._chosen(indices)
        flags = self._on_host(enabled, len(chosen), 1)[:, 0].astype(bool)
        self._view.enable_rigid_body_physics(np.array(chosen, int)[flags])
        self._view.disable_rigid_body_physics(np.array(chosen, int)[~flags])

    def get_enabled_gravities(self, *, indices: Any = None) -> Any:
        """(M, 1), bool: whether gravity acts on bodies."""
        self._check_valid()
        self._check_backend("tensor", "usd")
        view = self._view.simulated
        if view is not None:
            rows = self._view.arrays.rows(indices, len(self))
            found = view.get_disable_gravities()
            return self._given((found if rows is None else found[rows]) == 0, -1, 1)
        off = on_host(self._get_attribute("physxRigidBody:disableGravity", False, indices))
        return self._given(off == 0, -1, 1)

    def set_enabled_gravities(self, enabled: Any, *, indices: Any = None) -> None:
        """Let gravity act on bodies or not, (M, 1), at once."""
        self._check_valid()
        self._check_backend("tensor", "usd")
        chosen = self._chosen(indices)
        flags = self._on_host(enabled, len(chosen), 1)[:, 0].astype(bool)
        self._view.enable_gravities(np.array(chosen, int)[flags])
        self._view.disable_gravities(np.array(chosen, int)[~flags])

    # -- default state ---------------------------------------------------------------------------------------

    def get_default_state(self, *, indices: Any = None) -> tuple[Any, ...]:
        """Positions (M, 3), orientations (M, 4), linear and angular velocities (M, 3) that were set as default."""
        places = super().get_default_state(indices=indices)
        return *places, *(self._kept(name, indices) for name in ("linear_velocities", "angular_velocities"))

    def set_default_state(
        self,
        positions: Any = None,
        orientations: Any = None,
        linear_velocities: Any = None,
        angular_velocities: Any = None,
        *,
        indices: Any = None,
    ) -> None:
        """Set what :meth:`reset_to_default_state` goes back to; what is ``None`` stays."""
        self._check_valid()
        self._check_root()
        if positions is not None or orientations is not None:
            super().set_default_state(positions, orientations, indices=indices)
        self._keep("linear_velocities", linear_velocities, indices, None, 3)
        self._keep("angular_velocities", angular_velocities, indices, None, 3)

    def reset_to_default_state(self, *, warn_on_non_default_state: bool = False) -> None:
        """Put bodies where they are by default, with their default velocities; what was never set stays."""
        super().reset_to_default_state(warn_on_non_default_state=warn_on_non_default_state)
        if not self.is_non_root_articulation_link:
            names = ("linear_velocities", "angular_velocities")
            self._restore(warn_on_non_default_state, self.set_velocities, *names)
