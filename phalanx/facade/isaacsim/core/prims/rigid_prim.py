"""Views of rigid bodies."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

import numpy as np

from phalanx.facade import simulation
from phalanx.facade.backends import on_host, shaped
from phalanx.facade.isaacsim.core.api.materials.accessors import write
from phalanx.facade.isaacsim.core.prims.contacts import Contacts
from phalanx.facade.isaacsim.core.prims.rigid_properties import RigidProperties
from phalanx.facade.isaacsim.core.prims.xform_prim import Poses, XFormPrim
from phalanx.facade.isaacsim.core.utils.types import DynamicsViewState
from phalanx.facade.physx.rigid_body_view import RigidBodyView
from phalanx.io.formats.usd.bindings import Gf, UsdPhysics

log = logging.getLogger("phalanx.facade")


class RigidPrim(XFormPrim, Contacts, RigidProperties):
    """Rigid bodies; prims that are none become ones.

    See :class:`XFormPrim` for arrays, indices and places. Velocities are those of the centres of mass, in the world's
    axes, in units of the stage per second and rad/s.

    Args:
        prim_paths_expr: an expression for paths, or several in a list.
        name: for scenes and messages.
        positions, translations, orientations, scales, visibilities, reset_xform_properties: see :class:`XFormPrim`.
        masses: kg, (N,).
        densities: kg/m^3, (N,); a mass that is not 0 takes precedence.
        linear_velocities, angular_velocities: (N, 3).
        track_contact_forces: whether contacts are read.
        prepare_contact_sensors: whether bodies are kept from sleeping, as sleeping ones report no contacts in PhysX.
        disable_stablization: no meaning.
        contact_filter_prim_paths_expr: expressions for what contacts are told apart by; with some, they are read.
        max_contact_count: contacts that are reported one by one; 0: enough for all.

    Raises:
        ValueError: no prim matches, or an array has another shape.
    """

    _physics_view: RigidBodyView | None = None

    def __init__(
        self,
        prim_paths_expr: str | Sequence[str],
        name: str = "rigid_prim_view",
        positions: Any = None,
        translations: Any = None,
        orientations: Any = None,
        scales: Any = None,
        visibilities: Any = None,
        reset_xform_properties: bool = True,
        masses: Any = None,
        densities: Any = None,
        linear_velocities: Any = None,
        angular_velocities: Any = None,
        track_contact_forces: bool = False,
        prepare_contact_sensors: bool = True,
        disable_stablization: bool = True,
        contact_filter_prim_paths_expr: Sequence[Any] | None = (),
        max_contact_count: int = 0,
    ) -> None:
        self._prepare = prepare_contact_sensors or track_contact_forces or bool(contact_filter_prim_paths_expr)
        self._dynamics_default_state = DynamicsViewState(None, None, None, None)
        super().__init__(
            prim_paths_expr,
            name,
            positions,
            translations,
            orientations,
            scales,
            visibilities,
            reset_xform_properties,
        )
        if not self._non_root_link:
            if linear_velocities is not None:
                self.set_linear_velocities(linear_velocities)
            if angular_velocities is not None:
                self.set_angular_velocities(angular_velocities)
        if masses is not None:
            RigidPrim.set_masses(self, masses)
        if densities is not None:
            RigidPrim.set_densities(self, densities)
        self._track(
            prim_paths_expr,
            name,
            track_contact_forces,
            contact_filter_prim_paths_expr,
            prepare_contact_sensors,
            max_contact_count,
        )
        if simulation.stage_world() is not None:
            RigidPrim._on_physics_ready(self, None)

    def _before_poses(self) -> None:
        for prim in self._prims:
            if not prim.HasAPI(UsdPhysics.RigidBodyAPI):
                UsdPhysics.RigidBodyAPI.Apply(prim)
            if self._prepare:
                write(prim, "physxRigidBody:sleepThreshold", "Float", 0.0)

    @property
    def num_shapes(self) -> int | None:
        """Most collision shapes of a body; ``None`` before the simulation has begun."""
        return None if self._physics_view is None else self._physics_view.max_shapes

    # -- what happens ----------------------------------------------------------------------------------------

    def is_physics_handle_valid(self) -> bool:
        """Whether a simulation runs that it knows of."""
        return self._physics_view is not None

    def _on_stop(self) -> None:
        self._physics_view = None

    def _on_physics_ready(self, event: Any) -> None:
        super()._on_physics_ready(event)
        simulation.get().take_edits()  # bodies that scripts have made since
        world = simulation.stage_world()
        if world is None or self._physics_view is not None:
            return
        missing = [path for path in self._prim_paths if not world.has_body(path)]
        if missing:
            log.warning("%s is no rigid body of the simulation that runs: reset it", missing[0])
            return
        places = [world.place(path) for path in self._prim_paths]
        rows = [((place.actor, place.body), place.env or 0) for place in places]
        self._physics_view = RigidBodyView(world.world, rows, self._prim_paths, world.origins)
        self._physics_view.raw = True
        robots = world.world.robots
        if any(place.actor in robots and place.body != robots[place.actor].body_names[0] for place in places):
            self._non_root_link = True  # the stage shows it only where the articulation's root is above
        if not self._non_root_link:
            state = self._dynamics_default_state
            if state.linear_velocities is None:
                state.linear_velocities = self.get_linear_velocities()
            if state.angular_velocities is None:
                state.angular_velocities = self.get_angular_velocities()

    def _on_post_reset(self, event: Any) -> None:
        super()._on_post_reset(event)
        state = self._dynamics_default_state
        if self._non_root_link or state.linear_velocities is None or not self.is_valid():
            return
        linear, angular = on_host(state.linear_velocities), on_host(state.angular_velocities)
        self.set_velocities(np.concatenate((linear, angular), axis=-1))

    # -- poses -----------------------------------------------------------------------------------------------

    def get_world_poses(self, indices: Any = None, clone: bool = True, usd: bool = True) -> Poses:
        """Positions (M, 3) and orientations (M, 4) in the world: of the simulation, or of the stage without one."""
        view = self._physics_view
        if view is None:
            return super().get_world_poses(indices)
        self._check_valid()
        return self._poses_of(view.get_transforms(), indices)

    def set_world_poses(
        self, positions: Any = None, orientations: Any = None, indices: Any = None, usd: bool = True
    ) -> None:
        """Put bodies somewhere in the world, at once; what is ``None`` stays. Velocities stay as they are."""
        view = self._physics_view
        if view is None:
            super().set_world_poses(positions, orientations, indices)
            return
        self._check_valid()
        view.set_transforms(*self._with_poses(view.get_transforms(), positions, orientations, indices))

    # -- velocities ------------------------------------------------------------------------------------------

    def get_velocities(self, indices: Any = None, clone: bool = True) -> Any:
        """(M, 6): linear and angular velocities."""
        self._check_valid()
        view = self._physics_view
        if view is not None:
            found = self._rows_of(view.get_velocities(), indices)
            if (unit := self._unit) != 1.0:
                found[:, :3] /= unit
            return self._backend.give(found)
        found = np.zeros((len(chosen := self._chosen(indices)), 6))
        for n, i in enumerate(chosen):
            body = UsdPhysics.RigidBodyAPI(self._prims[i])
            found[n, :3] = body.GetVelocityAttr().Get() or (0.0, 0.0, 0.0)
            found[n, 3:] = np.deg2rad(body.GetAngularVelocityAttr().Get() or (0.0, 0.0, 0.0))
        return self._backend.give(found)

    def get_linear_velocities(self, indices: Any = None, clone: bool = True) -> Any:
        """(M, 3): linear velocities."""
        return self.get_velocities(indices)[:, :3]

    def get_angular_velocities(self, indices: Any = None, clone: bool = True) -> Any:
        """(M, 3): angular velocities."""
        return self.get_velocities(indices)[:, 3:]

    def set_velocities(self, velocities: Any, indices: Any = None) -> None:
        """Set linear and angular velocities, (M, 6)."""
        self._set_velocities("velocities", velocities, slice(0, 6), indices)

    def set_linear_velocities(self, velocities: Any, indices: Any = None) -> None:
        """Set linear velocities, (M, 3)."""
        self._set_velocities("linear velocities", velocities, slice(0, 3), indices)

    def set_angular_velocities(self, velocities: Any, indices: Any = None) -> None:
        """Set angular velocities, (M, 3)."""
        self._set_velocities("angular velocities", velocities, slice(3, 6), indices)

    def _set_velocities(self, what: str, velocities: Any, columns: slice, indices: Any) -> None:
        self._check_valid()
        view, width = self._physics_view, columns.stop - columns.start
        if view is not None:
            rows = self._backend.rows(indices, self.count)
            count = self.count if rows is None else len(rows)
            values = shaped(what, self._backend.take(velocities), (count, width))
            if columns.start == 0 and (unit := self._unit) != 1.0:
                values = values.copy()
                values[:, :3] *= unit
            data = view.get_velocities()
            data[slice(None) if rows is None else rows, columns] = values
            view.set_velocities(data, rows)
            return
        chosen = self._chosen(indices)
        values = shaped(what, on_host(velocities, float), (len(chosen), width))
        for n, i in enumerate(chosen):
            body = UsdPhysics.RigidBodyAPI(self._prims[i])
            if columns.start == 0:
                body.CreateVelocityAttr().Set(Gf.Vec3f(*values[n, :3].tolist()))
            if columns.stop == 6:
                body.CreateAngularVelocityAttr().Set(Gf.Vec3f(*np.rad2deg(values[n, -3:]).tolist()))

    # -- forces ----------------------------------------------------------------------------------------------

    def apply_forces(self, forces: Any, indices: Any = None, is_global: bool = True) -> None:
        """Push bodies at their centres of mass during the next step, (M, 3); the others are not pushed by this call.

        Args:
            forces: (M, 3), in kg, units of the stage and s.
            indices: of bodies.
            is_global: forces are in the world's axes; else in the bodies' own.
        """
        self._push("apply_forces", forces, None, None, indices, is_global)

    def apply_forces_and_torques_at_pos(
        self,
        forces: Any = None,
        torques: Any = None,
        positions: Any = None,
        indices: Any = None,
        is_global: bool = True,
    ) -> None:
        """Push bodies during the next step; the others are not pushed by this call.

        Args:
            forces: (M, 3), in kg, units of the stage and s.
            torques: (M, 3).
            positions: where forces act, (M, 3); at the origins of the bodies' frames by default. They mean nothing
                without forces.
            indices: of bodies.
            is_global: all is in the world's axes, positions from its origin; else in the bodies' own frames.
        """
        view = self._physics_view
        if view is not None and forces is not None and positions is None:
            rows = self._backend.rows(indices, self.count)
            count = self.count if rows is None else len(rows)
            positions = self._backend.xp.zeros((count, 3), "float32")
            if is_global:
                positions = self._rows_of(view.get_transforms(), indices)[:, :3] / self._unit
        self._push("apply_forces_and_torques_at_pos", forces, torques, positions, indices, is_global)

    def _push(self, what: str, forces: Any, torques: Any, positions: Any, indices: Any, is_global: bool) -> None:
        self._check_valid()
        view, unit = self._physics_view, self._unit
        if view is None:
            log.warning("%s: there is no simulation of %s yet", what, self._name)
            return
        rows = self._backend.rows(indices, self.count)
        pushes, turns, places = (
            None if values is None else self._all(name, values, rows, scale)
            for name, values, scale in (
                ("forces", forces, unit),
                ("torques", torques, unit**2),
                ("positions", None if forces is None else positions, unit),
            )
        )
        view.apply_forces_and_torques_at_position(pushes, turns, places, rows, is_global)

    def _all(self, what: str, values: Any, rows: Any, scale: float) -> Any:
        """(count of the view, 3) with the values of some rows, and zeros."""
        given = shaped(what, self._backend.take(values), (self.count if rows is None else len(rows), 3))
        found = self._backend.xp.zeros((self.count, 3), "float32")
        found[slice(None) if rows is None else rows] = given * scale if scale != 1.0 else given
        return found

    # -- default state ---------------------------------------------------------------------------------------

    def set_default_state(
        self,
        positions: Any = None,
        orientations: Any = None,
        linear_velocities: Any = None,
        angular_velocities: Any = None,
        indices: Any = None,
    ) -> None:
        """Set what :meth:`post_reset` goes back to, (M, 3), (M, 4), (M, 3) and (M, 3); what is ``None`` stays."""
        super().set_default_state(positions, orientations, indices)
        if self._non_root_link:
            return
        state, chosen = self._dynamics_default_state, self._chosen(indices)
        for name, values in (("linear_velocities", linear_velocities), ("angular_velocities", angular_velocities)):
            if values is not None:
                old = getattr(state, name)
                new = on_host(getattr(self, f"get_{name}")() if old is None else old, float).copy()
                new[chosen] = shaped(name, on_host(values, float), (len(chosen), 3))
                setattr(state, name, self._backend.give(new))

    def get_default_state(self) -> DynamicsViewState:  # pyright: ignore[reportIncompatibleMethodOverride]
        """What :meth:`post_reset` goes back to; velocities are ``None`` until the simulation has begun."""
        state, place = self._dynamics_default_state, self._default_state
        if place is not None:
            state.positions, state.orientations = place.positions, place.orientations
        return state

    def get_current_dynamic_state(self) -> DynamicsViewState:
        """Where bodies are, and how they move."""
        velocities = self.get_velocities()
        return DynamicsViewState(*self.get_world_poses(), velocities[:, :3], velocities[:, 3:])


__all__ = ["RigidPrim"]
