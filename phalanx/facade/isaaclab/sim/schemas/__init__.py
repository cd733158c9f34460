"""What is said about the physics of prims, with UsdPhysics and PhysX's attributes, from configurations."""

from phalanx.facade.isaaclab.sim.schemas.schemas import (
    activate_contact_sensors,
    define_articulation_root_properties,
    define_collision_properties,
    define_deformable_body_properties,
    define_mass_properties,
    define_mesh_collision_properties,
    define_rigid_body_properties,
    modify_articulation_root_properties,
    modify_collision_properties,
    modify_deformable_body_properties,
    modify_fixed_tendon_properties,
    modify_joint_drive_properties,
    modify_mass_properties,
    modify_mesh_collision_properties,
    modify_rigid_body_properties,
    modify_spatial_tendon_properties,
)
from phalanx.facade.isaaclab.sim.schemas.schemas_cfg import (
    ArticulationRootPropertiesCfg,
    BoundingCubePropertiesCfg,
    BoundingSpherePropertiesCfg,
    CollisionPropertiesCfg,
    ConvexDecompositionPropertiesCfg,
    ConvexHullPropertiesCfg,
    DeformableBodyPropertiesCfg,
    FixedTendonPropertiesCfg,
    JointDrivePropertiesCfg,
    MassPropertiesCfg,
    MeshCollisionPropertiesCfg,
    RigidBodyPropertiesCfg,
    SDFMeshPropertiesCfg,
    SpatialTendonPropertiesCfg,
    TriangleMeshPropertiesCfg,
    TriangleMeshSimplificationPropertiesCfg,
)

MESH_APPROXIMATION_TOKENS = {
    "boundingCube": "boundingCube",
    "boundingSphere": "boundingSphere",
    "convexDecomposition": "convexDecomposition",
    "convexHull": "convexHull",
    "none": "none",
    "meshSimplification": "meshSimplification",
    "sdf": "sdf",
}
"""What ``mesh_approximation_name`` may be, and what is written to the stage for it."""

PHYSX_MESH_COLLISION_CFGS = [
    ConvexDecompositionPropertiesCfg,
    ConvexHullPropertiesCfg,
    TriangleMeshPropertiesCfg,
    TriangleMeshSimplificationPropertiesCfg,
    SDFMeshPropertiesCfg,
]
"""Settings of meshes that PhysX has attributes for."""

USD_MESH_COLLISION_CFGS = [
    BoundingCubePropertiesCfg,
    BoundingSpherePropertiesCfg,
    ConvexDecompositionPropertiesCfg,
    ConvexHullPropertiesCfg,
    TriangleMeshSimplificationPropertiesCfg,
]
"""Settings of meshes that UsdPhysics has a word for."""

__all__ = [
    "MESH_APPROXIMATION_TOKENS",
    "PHYSX_MESH_COLLISION_CFGS",
    "USD_MESH_COLLISION_CFGS",
    "ArticulationRootPropertiesCfg",
    "BoundingCubePropertiesCfg",
    "BoundingSpherePropertiesCfg",
    "CollisionPropertiesCfg",
    "ConvexDecompositionPropertiesCfg",
    "ConvexHullPropertiesCfg",
    "DeformableBodyPropertiesCfg",
    "FixedTendonPropertiesCfg",
    "JointDrivePropertiesCfg",
    "MassPropertiesCfg",
    "MeshCollisionPropertiesCfg",
    "RigidBodyPropertiesCfg",
    "SDFMeshPropertiesCfg",
    "SpatialTendonPropertiesCfg",
    "TriangleMeshPropertiesCfg",
    "TriangleMeshSimplificationPropertiesCfg",
    "activate_contact_sensors",
    "define_articulation_root_properties",
    "define_collision_properties",
    "define_deformable_body_properties",
    "define_mass_properties",
    "define_mesh_collision_properties",
    "define_rigid_body_properties",
    "modify_articulation_root_properties",
    "modify_collision_properties",
    "modify_deformable_body_properties",
    "modify_fixed_tendon_properties",
    "modify_joint_drive_properties",
    "modify_mass_properties",
    "modify_mesh_collision_properties",
    "modify_rigid_body_properties",
    "modify_spatial_tendon_properties",
]
