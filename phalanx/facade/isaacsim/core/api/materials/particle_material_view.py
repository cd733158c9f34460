"""Materials of particles, many at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from phalanx.facade.isaacsim.core.api.materials import pbd_attributes as pbd
from phalanx.facade.isaacsim.core.api.materials.accessors import several
from phalanx.facade.isaacsim.core.api.materials.acting_particles import following_all
from phalanx.facade.isaacsim.core.api.materials.body_material import BodyMaterialView


class ParticleMaterialView(BodyMaterialView):
    """Materials of particles whose paths an expression matches; see :class:`ParticleMaterial` for what numbers mean.

    Args:
        prim_paths_expr: an expression for paths, or several in a list.
        name: for scenes and messages.
        others: (N,) each; those that are not ``None`` are set.

    Raises:
        ValueError: no prim matches.
    """

    def __init__(
        self,
        prim_paths_expr: str | Sequence[str],
        name: str = "particle_material_view",
        frictions: Any = None,
        particle_friction_scales: Any = None,
        dampings: Any = None,
        viscosities: Any = None,
        vorticity_confinements: Any = None,
        surface_tensions: Any = None,
        cohesions: Any = None,
        adhesions: Any = None,
        particle_adhesion_scales: Any = None,
        adhesion_offset_scales: Any = None,
        gravity_scales: Any = None,
        lifts: Any = None,
        drags: Any = None,
    ) -> None:
        super().__init__(
            prim_paths_expr,
            name,
            pbd.SCHEMA,
            frictions=frictions,
            particle_friction_scales=particle_friction_scales,
            dampings=dampings,
            viscosities=viscosities,
            vorticity_confinements=vorticity_confinements,
            surface_tensions=surface_tensions,
            cohesions=cohesions,
            adhesions=adhesions,
            particle_adhesion_scales=particle_adhesion_scales,
            adhesion_offset_scales=adhesion_offset_scales,
            gravity_scales=gravity_scales,
            lifts=lifts,
            drags=drags,
        )

    set_frictions, get_frictions = following_all(several(*pbd.FRICTION, column=True))
    set_particle_friction_scales, get_particle_friction_scales = following_all(several(*pbd.PARTICLE_FRICTION_SCALE))
    set_dampings, get_dampings = following_all(several(*pbd.DAMPING, column=True))
    set_viscosities, get_viscosities = following_all(several(*pbd.VISCOSITY))
    set_vorticity_confinements, get_vorticity_confinements = several(*pbd.VORTICITY)
    set_surface_tensions, get_surface_tensions = following_all(several(*pbd.TENSION))
    set_cohesions, get_cohesions = several(*pbd.COHESION)
    set_adhesions, get_adhesions = following_all(several(*pbd.ADHESION))
    set_particle_adhesion_scales, get_particle_adhesion_scales = following_all(several(*pbd.PARTICLE_ADHESION_SCALE))
    set_adhesion_offset_scales, get_adhesion_offset_scales = following_all(several(*pbd.ADHESION_OFFSET_SCALE))
    set_gravity_scales, get_gravity_scales = following_all(several(*pbd.GRAVITY_SCALE, column=True))
    set_lifts, get_lifts = several(*pbd.LIFT, column=True)
    set_drags, get_drags = several(*pbd.DRAG, column=True)


__all__ = ["ParticleMaterialView"]
