"""All functions that write physics onto prims."""

from phalanx.facade.isaaclab.sim.schemas.articulations import (
    define_articulation_root_properties,
    modify_articulation_root_properties,
)
from phalanx.facade.isaaclab.sim.schemas.bodies import (
    activate_contact_sensors,
    define_collision_properties,
    define_mass_properties,
    define_rigid_body_properties,
    modify_collision_properties,
    modify_mass_properties,
    modify_rigid_body_properties,
)
from phalanx.facade.isaaclab.sim.schemas.deformables import (
    define_deformable_body_properties,
    modify_deformable_body_properties,
)
from phalanx.facade.isaaclab.sim.schemas.joints import (
    modify_fixed_tendon_properties,
    modify_joint_drive_properties,
    modify_spatial_tendon_properties,
)
from phalanx.facade.isaaclab.sim.schemas.meshes import (
    define_mesh_collision_properties,
    modify_mesh_collision_properties,
)

__all__ = [
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
