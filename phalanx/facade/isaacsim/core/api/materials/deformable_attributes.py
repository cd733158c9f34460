"""Attributes of materials of deformable bodies."""

PREFIX = "physxDeformableBodyMaterial"
SCHEMA = "PhysxDeformableBodyMaterialAPI"

DYNAMIC_FRICTION = (f"{PREFIX}:dynamicFriction", "the coefficient of friction", 0.25)
YOUNGS_MODULUS = (f"{PREFIX}:youngsModulus", "Young's modulus, Pa", 50000000.0)
POISSONS_RATIO = (f"{PREFIX}:poissonsRatio", "Poisson's ratio, below 0.5", 0.45)
ELASTICITY_DAMPING = (f"{PREFIX}:elasticityDamping", "how much elastic motion is damped, s", 0.005)
DAMPING_SCALE = (f"{PREFIX}:dampingScale", "what damping of elastic motion is scaled by, 0 to 1", 1.0)
