"""One rigid body."""

from __future__ import annotations

from typing import Any

from phalanx.facade.backends import on_host
from phalanx.facade.isaacsim.core.prims.rigid_prim import RigidPrim
from phalanx.facade.isaacsim.core.prims.single_xform_prim import SingleXFormPrim, first, one
from phalanx.facade.isaacsim.core.utils.types import DynamicState


class SingleRigidPrim(SingleXFormPrim):
    """A rigid body; a prim that is none becomes one. See :class:`RigidPrim`.

    Args:
        prim_path: of the prim, which must be there.
        name: for scenes and messages.
        position, translation, orientation, scale, visible: see :class:`SingleXFormPrim`.
        mass: kg.
        density: kg/m^3; a mass that is not 0 takes precedence.
        linear_velocity, angular_velocity: (3,), in the world's axes, in units of the stage per second and rad/s.
        reset_xform_properties: see :class:`SingleXFormPrim`.

    Raises:
        ValueError: there is no prim at the path, or an array has another shape.
    """

    _rigid_prim_view: RigidPrim

    def __init__(
        self,
        prim_path: str,
        name: str = "rigid_prim",
        position: Any = None,
        translation: Any = None,
        orientation: Any = None,
        scale: Any = None,
        visible: bool | None = None,
        mass: float | None = None,
        density: float | None = None,
        linear_velocity: Any = None,
        angular_velocity: Any = None,
        reset_xform_properties: bool = True,
    ) -> None:
        self._rigid_prim_view = RigidPrim(
            prim_path,
            name,
            one(position),
            one(translation),
            one(orientation),
            one(scale),
            None if visible is None else [visible],
            reset_xform_properties,
            None if mass is None else [mass],
            None if density is None else [density],
            one(linear_velocity),
            one(angular_velocity),
        )
        self._wrap(self._rigid_prim_view)

    # -- motion ----------------------------------------------------------------------------------------------

    def set_linear_velocity(self, velocity: Any) -> None:
        """Set the linear velocity, (3,)."""
        self._rigid_prim_view.set_linear_velocities(one(velocity))

    def get_linear_velocity(self) -> Any:
        """(3,): the linear velocity."""
        return first(self._rigid_prim_view.get_linear_velocities())[0]

    def set_angular_velocity(self, velocity: Any) -> None:
        """Set the angular velocity, (3,), rad/s."""
        self._rigid_prim_view.set_angular_velocities(one(velocity))

    def get_angular_velocity(self) -> Any:
        """(3,): the angular velocity, rad/s."""
        return first(self._rigid_prim_view.get_angular_velocities())[0]

    # -- mass ------------------------------------------------------------------------------------------------

    def set_mass(self, mass: float) -> None:
        """Set the mass, kg."""
        self._rigid_prim_view.set_masses([mass])

    def get_mass(self) -> float:
        """The mass, kg."""
        return float(on_host(self._rigid_prim_view.get_masses())[0])

    def set_com(self, position: Any, orientation: Any) -> None:
        """Set the centre of mass, (3,), and its axes, (4,); it must be simulated."""
        self._rigid_prim_view.set_coms(one(position), one(orientation))

    def get_com(self) -> Any:
        """The centre of mass, (3,), and its axes, (4,), (w, x, y, z); ``None``, with a warning, if not simulated."""
        found = self._rigid_prim_view.get_coms()
        return None if found is None else tuple(each[0] for each in first(*found))

    def set_density(self, density: float) -> None:
        """Set the density, kg/m^3, from the next reset on; a mass that is not 0 takes precedence."""
        self._rigid_prim_view.set_densities([density])

    def get_density(self) -> float:
        """The density as the stage says, kg/m^3."""
        return float(on_host(self._rigid_prim_view.get_densities())[0])

    def set_sleep_threshold(self, threshold: float) -> None:
        """Set the kinetic energy per mass below which it may go to sleep, from the next reset on."""
        self._rigid_prim_view.set_sleep_thresholds([threshold])

    def get_sleep_threshold(self) -> float:
        """The kinetic energy per mass below which it may go to sleep."""
        return float(on_host(self._rigid_prim_view.get_sleep_thresholds())[0])

    def enable_rigid_body_physics(self) -> None:
        """Let it take part in the simulation again; see :meth:`disable_rigid_body_physics`."""
        self._rigid_prim_view.enable_rigid_body_physics()

    def disable_rigid_body_physics(self) -> None:
        """Take it out of the simulation at once: it stands still, and nothing rigid touches it.

        Without a simulation it is a part of the ground from the next reset on.
        """
        self._rigid_prim_view.disable_rigid_body_physics()

    # -- default state ---------------------------------------------------------------------------------------

    def set_default_state(
        self,
        position: Any = None,
        orientation: Any = None,
        linear_velocity: Any = None,
        angular_velocity: Any = None,
    ) -> None:
        """Set what :meth:`post_reset` goes back to, (3,), (4,), (3,) and (3,); what is ``None`` stays."""
        self._rigid_prim_view.set_default_state(
            one(position), one(orientation), one(linear_velocity), one(angular_velocity)
        )

    def get_default_state(self) -> DynamicState:
        """What :meth:`post_reset` goes back to."""
        return _single(self._rigid_prim_view.get_default_state())

    def get_current_dynamic_state(self) -> DynamicState:
        """Where it is, and how it moves."""
        return _single(self._rigid_prim_view.get_current_dynamic_state())


def _single(state: Any) -> DynamicState:
    values = (state.positions, state.orientations, state.linear_velocities, state.angular_velocities)
    return DynamicState(*(None if each is None else first(each)[0] for each in values))


__all__ = ["SingleRigidPrim"]
