"""Materials of particles."""

from __future__ import annotations

from phalanx.facade.isaacsim.core.api.materials import pbd_attributes as pbd
from phalanx.facade.isaacsim.core.api.materials.accessors import single
from phalanx.facade.isaacsim.core.api.materials.acting_particles import following
from phalanx.facade.isaacsim.core.api.materials.body_material import BodyMaterial


class ParticleMaterial(BodyMaterial):
    """A material of position-based particles: of cloth, grains and fluids.

    Friction and its scale, damping, viscosity, surface tension, adhesion with its scale and offset, and the scale of
    gravity are simulated, also from when they are set while a world plays. Viscosity is taken in Pa s, surface tension
    in N/m, and adhesion as a multiple of a particle's weight. Cohesion, vorticity confinement, lift and drag are kept
    on the stage; a world that is made of a stage tells which it does not simulate.

    Args:
        prim_path: where it is; where there is a material already, only what is given changes.
        name: what it is called.
        friction: coefficient of friction with rigid and deformable bodies.
        particle_friction_scale: what it is scaled by between solid particles.
        damping: how fast velocities decay, 1/s.
        viscosity: of fluids.
        vorticity_confinement: how much fluids are kept from losing their vortices.
        surface_tension: of fluids.
        cohesion: of fluids.
        adhesion: to rigid bodies.
        particle_adhesion_scale: what it is scaled by between solid particles.
        adhesion_offset_scale: the offset within which adhesion acts, of the rest offset.
        gravity_scale: what gravity is scaled by.
        lift: of cloth in the wind.
        drag: of cloth in the wind.

    Raises:
        ValueError: there is a prim of another type at the path.
    """

    def __init__(
        self,
        prim_path: str,
        name: str = "particle_material",
        friction: float | None = None,
        particle_friction_scale: float | None = None,
        damping: float | None = None,
        viscosity: float | None = None,
        vorticity_confinement: float | None = None,
        surface_tension: float | None = None,
        cohesion: float | None = None,
        adhesion: float | None = None,
        particle_adhesion_scale: float | None = None,
        adhesion_offset_scale: float | None = None,
        gravity_scale: float | None = None,
        lift: float | None = None,
        drag: float | None = None,
    ) -> None:
        super().__init__(prim_path, name, pbd.SCHEMA)
        given = {
            "friction": friction,
            "particle_friction_scale": particle_friction_scale,
            "damping": damping,
            "viscosity": viscosity,
            "vorticity_confinement": vorticity_confinement,
            "surface_tension": surface_tension,
            "cohesion": cohesion,
            "adhesion": adhesion,
            "particle_adhesion_scale": particle_adhesion_scale,
            "adhesion_offset_scale": adhesion_offset_scale,
            "gravity_scale": gravity_scale,
            "lift": lift,
            "drag": drag,
        }
        for key, value in given.items():
            if value is not None:
                getattr(self, f"set_{key}")(value)

    set_friction, get_friction = following(single(*pbd.FRICTION))
    set_particle_friction_scale, get_particle_friction_scale = following(single(*pbd.PARTICLE_FRICTION_SCALE))
    set_damping, get_damping = following(single(*pbd.DAMPING))
    set_viscosity, get_viscosity = following(single(*pbd.VISCOSITY))
    set_vorticity_confinement, get_vorticity_confinement = single(*pbd.VORTICITY)
    set_surface_tension, get_surface_tension = following(single(*pbd.TENSION))
    set_cohesion, get_cohesion = single(*pbd.COHESION)
    set_adhesion, get_adhesion = following(single(*pbd.ADHESION))
    set_particle_adhesion_scale, get_particle_adhesion_scale = following(single(*pbd.PARTICLE_ADHESION_SCALE))
    set_adhesion_offset_scale, get_adhesion_offset_scale = following(single(*pbd.ADHESION_OFFSET_SCALE))
    set_gravity_scale, get_gravity_scale = following(single(*pbd.GRAVITY_SCALE))
    set_lift, get_lift = single(*pbd.LIFT)
    set_drag, get_drag = single(*pbd.DRAG)


__all__ = ["ParticleMaterial"]
