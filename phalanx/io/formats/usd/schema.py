"""Which attributes of PhysX and its like are read, which change nothing here, and which are missed.

Attributes are known by their names, whether their schemas are installed or not. ``*`` stands for an instance's name.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from phalanx.io.formats.usd import particle_sets
from phalanx.io.formats.usd.bindings import Prim
from phalanx.io.formats.usd.values import Reading


def _names(prefix: str, words: str) -> set[str]:
    return {prefix + word for word in words.split()}


READ = (
    _names(
        "physxRigidBody:",
        "linearDamping angularDamping maxLinearVelocity maxAngularVelocity maxDepenetrationVelocity disableGravity "
        "enableGyroscopicForces sleepThreshold stabilizationThreshold solverPositionIterationCount "
        "solverVelocityIterationCount lockedPosAxis lockedRotAxis",
    )
    | _names(
        "physxArticulation:",
        "articulationEnabled enabledSelfCollisions sleepThreshold stabilizationThreshold solverPositionIterationCount "
        "solverVelocityIterationCount",
    )
    | _names(
        "physxDeformable:",
        "deformableEnabled kinematicEnabled disableGravity simulationHexahedralResolution vertexVelocityDamping "
        "selfCollision",
    )
    | _names("physxAutoParticleCloth:", "springStretchStiffness springBendStiffness springShearStiffness springDamping")
    | _names(
        "physxParticle:",
        "particleEnabled particleSystem pressure selfCollision springStiffnesses springDampings particleGroup "
        "selfCollisionFilter fluid",
    )
    | _names(
        "physxPBDMaterial:",
        "friction damping gravityScale density viscosity particleFrictionScale surfaceTension adhesion "
        "particleAdhesionScale adhesionOffsetScale",
    )
    | _names("physxDeformableBodyMaterial:", "youngsModulus poissonsRatio density dynamicFriction")
    | _names("physxCollision:", "contactOffset restOffset torsionalPatchRadius minTorsionalPatchRadius")
    | _names(
        "physxMaterial:", "frictionCombineMode restitutionCombineMode compliantContactStiffness compliantContactDamping"
    )
    | _names("physxJoint:", "armature maxJointVelocity jointFriction")
    | _names(
        "physxJointAxis:*:",
        "armature maxJointVelocity dynamicFrictionEffort staticFrictionEffort viscousFrictionCoefficient",
    )
    | _names("physxLimit:*:", "stiffness damping restitution")
    | _names("physxMimicJoint:*:", "gearing offset referenceJointAxis naturalFrequency dampingRatio")
    | _names(
        "physxTendon:*:",
        "tendonEnabled stiffness damping limitStiffness offset restLength lowerLimit upperLimit gearing "
        "forceCoefficient jointAxis localPos parentAttachment",
    )
    | _names("physxSDFMeshCollision:", "sdfResolution sdfMargin")
    | _names("physxPhysicsDistanceJoint:", "springEnabled springStiffness springDamping")
    | _names(
        "newton:",
        "armature damping friction velocityLimit inertia selfCollisionEnabled timeStepsPerSecond mimicEnabled "
        "mimicCoef0 mimicCoef1 jointsAddMobility",
    )
)
"""Those that are simulated, or told of where they are read."""

MISSED: dict[str, Any] = {
    "physxRigidBody:solveContact": True,
    "physxRigidBody:maxContactImpulse": np.inf,
    "physxMaterial:compliantContactAccelerationSpring": False,
    "physxForce:force": 0.0,
    "physxForce:torque": 0.0,
    "physxTrigger:enterScriptType": "",
    "physxDeformableBodyMaterial:elasticityDamping": 0.005,
    "newton:limitStiffness": -np.inf,
    "newton:limitDamping": -np.inf,
    "newton:contactMargin": 0.0,
    "newton:contactStiffness": -np.inf,
    "newton:contactDamping": -np.inf,
    "newton:contactAdhesion": -np.inf,
    "newton:rollingFriction": 0.0,
    "newton:torsionalFriction": 0.0,
    "newton:massModel": "solid",
    "newton:gravityEnabled": True,
    "newton:hydroelasticEnabled": False,
}
"""Those that would change the motion, with the value that switches them off."""

IDLE = _names(
    "physxRigidBody:", "enableCCD enableSpeculativeCCD cfmScale contactSlopCoefficient retainAccelerations"
) | {
    "physxJoint:enableProjection",
    "physxLimit:*:bounceThreshold",
    "physxMaterial:improvePatchFriction",
    "physxMaterial:dampingCombineMode",
    "physxForce:forceEnabled",
    "physxForce:mode",
    "physxForce:worldFrameEnabled",
    "physxDeformableBodyMaterial:dampingScale",
}
"""Those that are about how PhysX solves things."""

IDLE_SPACES = (
    "physxScene",
    "physxSDFMeshCollision",
    "physxConvexHullCollision",
    "physxConvexDecompositionCollision",
    "physxTriangleMeshCollision",
    "physxTriangleMeshSimplificationCollision",
    "physxSphereFillCollision",
    "physxCookedData",
    "physxContactReport",
    "physxResidualReporting",
    "physxDeformable",
    "newton",
)
"""Spaces of names of which all others are idle, too."""

SCHEMAS = _names(
    "Physx",
    "RigidBodyAPI ArticulationAPI CollisionAPI MaterialAPI JointAPI JointAxisAPI LimitAPI MimicJointAPI TendonAxisAPI "
    "TendonAxisRootAPI TendonAttachmentAPI TendonAttachmentRootAPI TendonAttachmentLeafAPI SDFMeshCollisionAPI "
    "ConvexHullCollisionAPI ConvexDecompositionCollisionAPI TriangleMeshCollisionAPI SphereFillCollisionAPI "
    "TriangleMeshSimplificationCollisionAPI CookedDataAPI ContactReportAPI ResidualReportingAPI SceneAPI "
    "PhysicsDistanceJointAPI JointStateAPI ForceAPI DeformableAPI DeformableBodyAPI DeformableBodyMaterialAPI "
    "ParticleAPI ParticleClothAPI AutoParticleClothAPI PBDMaterialAPI MeshMergeCollisionAPI",
)
"""Schemas of PhysX whose attributes say all that matters."""


def check(reading: Reading, prims: list[Prim]) -> None:
    """Tell of what is written and not simulated."""
    mujoco: dict[str, Prim] = {}
    for prim in prims:
        if str(prim.GetTypeName()).startswith("Mjc"):
            mujoco.setdefault(str(prim.GetTypeName()), prim)
        elif str(prim.GetTypeName()).startswith("Physx") and not _known(reading, prim, prims):
            reading.notes.add(prim, f"prims of type {prim.GetTypeName()} are not simulated; it is left out.")
        for applied in prim.GetPrimTypeInfo().GetAppliedAPISchemas():
            schema = str(applied).partition(":")[0]
            if schema == particle_sets.SCHEMA and str(prim.GetTypeName()) in particle_sets.TYPES:
                continue
            if schema.startswith("Physx") and schema not in SCHEMAS:
                reading.notes.add(prim, f"{schema} is not simulated.")
        for name in prim.GetAuthoredPropertyNames():
            space = name.partition(":")[0]
            if space == "mjc":
                mujoco.setdefault(name, prim)
            elif (space.startswith("physx") or space == "newton") and ":" in name:
                _check(reading, prim, name, space)
    if mujoco:
        named = ", ".join(sorted(mujoco))
        text = f"what is MuJoCo's own is not read ({named}); load the MJCF file instead if it matters."
        reading.notes.add(next(iter(mujoco.values())), text)


def _known(reading: Reading, prim: Prim, prims: list[Prim]) -> bool:
    """Whether a prim of a type of PhysX is read: joints, and particle systems of cloth and particles."""
    if str(prim.GetTypeName()) != "PhysxParticleSystem":
        return str(prim.GetTypeName()).endswith("Joint")
    return any(prim.GetPath() in reading.targets(one, "physxParticle:particleSystem") for one in prims)


def _check(reading: Reading, prim: Prim, name: str, space: str) -> None:
    parts = name.split(":")
    general = ":".join([parts[0], "*", *parts[2:]]) if len(parts) > 2 else name
    if general in READ or general in IDLE or not prim.GetAttribute(name):
        return
    if general in MISSED:
        if reading.authored(prim, name) and not _off(reading.value(prim, name), MISSED[general]):
            reading.notes.attribute(prim, name)
    elif space not in IDLE_SPACES:
        reading.notes.attribute(prim, name)


def _off(value: Any, off: Any) -> bool:
    """Whether a value is as good as the one that switches its attribute off."""
    if isinstance(off, bool | str):
        return value == off
    numbers = np.array(value, float)
    return bool((numbers == off).all() or (np.isinf(off) and (np.sign(off) * numbers > 1e15).all()))
