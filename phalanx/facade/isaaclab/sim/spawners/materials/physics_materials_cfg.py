"""Physics materials: friction, restitution and how two of them combine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING
from typing import Any, Literal

from phalanx.facade.isaaclab.sim.spawners.materials import physics_materials
from phalanx.facade.isaaclab.utils.configclass import configclass


@configclass
class PhysicsMaterialCfg:
    """What all physics materials have in common."""

    func: Callable[..., Any] = MISSING  # pyright: ignore[reportAssignmentType]
    """The function that makes the prim and returns it."""


@configclass
class RigidBodyMaterialCfg(PhysicsMaterialCfg):
    """Of rigid bodies."""

    func: Callable[..., Any] = physics_materials.spawn_rigid_body_material

    static_friction: float = 0.5
    """Coefficient of friction at rest."""

    dynamic_friction: float = 0.5
    """Coefficient of friction while sliding."""

    restitution: float = 0.0
    """How much of the speed a bounce gives back, 0 to 1."""

    improve_patch_friction: bool = True
    """Of PhysX; the engine's friction needs no such thing."""

    friction_combine_mode: Literal["average", "min", "multiply", "max"] = "average"
    """How the friction of two surfaces combines; of two modes the later one in this list holds."""

    restitution_combine_mode: Literal["average", "min", "multiply", "max"] = "average"
    """How their restitution does."""

    compliant_contact_stiffness: float = 0.0
    """Of contacts that give way, N/m; 0 is rigid."""

    compliant_contact_damping: float = 0.0
    """Of contacts that give way, N s/m; of no use where the stiffness is 0."""


@configclass
class DeformableBodyMaterialCfg(PhysicsMaterialCfg):
    """Of deformable bodies. Elastic motion is damped by ``elasticity_damping``, s, times ``damping_scale``, 0 to 1."""

    func: Callable[..., Any] = physics_materials.spawn_deformable_body_material

    density: float | None = None
    """kg/m^3."""

    dynamic_friction: float = 0.25
    """Coefficient of friction."""

    youngs_modulus: float = 50000000.0
    """Pa."""

    poissons_ratio: float = 0.45
    """Below 0.5."""

    elasticity_damping: float = 0.005
    """Of its deformation."""

    damping_scale: float = 1.0
    """How much of it acts, 0 to 1."""
