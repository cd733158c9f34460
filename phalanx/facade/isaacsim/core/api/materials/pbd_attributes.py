"""Attributes of materials of particles."""

PREFIX = "physxPBDMaterial"
SCHEMA = "PhysxPBDMaterialAPI"

FRICTION = (f"{PREFIX}:friction", "the coefficient of friction of particles with rigid and deformable bodies", 0.2)
PARTICLE_FRICTION_SCALE = (f"{PREFIX}:particleFrictionScale", "what friction between solid particles is scaled by", 1.0)
DAMPING = (f"{PREFIX}:damping", "how fast velocities of particles decay, 1/s", 0.0)
VISCOSITY = (f"{PREFIX}:viscosity", "the viscosity of fluids", 0.0)
VORTICITY = (f"{PREFIX}:vorticityConfinement", "how much fluids are kept from losing their vortices", 0.0)
TENSION = (f"{PREFIX}:surfaceTension", "the surface tension of fluids", 0.0)
COHESION = (f"{PREFIX}:cohesion", "the cohesion of fluids", 0.0)
ADHESION = (f"{PREFIX}:adhesion", "the adhesion of particles to rigid and deformable bodies", 0.0)
PARTICLE_ADHESION_SCALE = (f"{PREFIX}:particleAdhesionScale", "what adhesion between solid particles is scaled by", 1.0)
ADHESION_OFFSET_SCALE = (
    f"{PREFIX}:adhesionOffsetScale",
    "the offset within which adhesion acts, of the rest offset",
    0.0,
)
GRAVITY_SCALE = (f"{PREFIX}:gravityScale", "what gravity is scaled by; it may be negative", 1.0)
LIFT = (f"{PREFIX}:lift", "the lift of cloth in the wind", 0.0)
DRAG = (f"{PREFIX}:drag", "the drag of cloth in the wind", 0.0)
