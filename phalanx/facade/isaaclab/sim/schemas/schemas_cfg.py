"""What can be said about the physics of prims. Fields that are ``None`` leave what is on the stage as it is."""

from __future__ import annotations

from typing import Literal

from phalanx.facade.isaaclab.sim.schemas.mesh_collision_cfg import (
    BoundingCubePropertiesCfg,
    BoundingSpherePropertiesCfg,
    ConvexDecompositionPropertiesCfg,
    ConvexHullPropertiesCfg,
    MeshCollisionPropertiesCfg,
    SDFMeshPropertiesCfg,
    TriangleMeshPropertiesCfg,
    TriangleMeshSimplificationPropertiesCfg,
)
from phalanx.facade.isaaclab.utils.configclass import configclass


@configclass
class ArticulationRootPropertiesCfg:
    """Of an articulation."""

    articulation_enabled: bool | None = None
    """Whether bodies that joints connect are an articulation."""

    enabled_self_collisions: bool | None = None
    """Whether its bodies collide with each other."""

    solver_position_iteration_count: int | None = None
    """Iterations of the solver for positions."""

    solver_velocity_iteration_count: int | None = None
    """Iterations of the solver for velocities."""

    sleep_threshold: float | None = None
    """Kinetic energy per mass below which it may fall asleep, m^2/s^2."""

    stabilization_threshold: float | None = None
    """Kinetic energy per mass below which it is calmed, m^2/s^2."""

    fix_root_link: bool | None = None
    """Whether the root is welded to the world where it stands.

    ``None`` leaves it as it is. A weld that is there is switched on or off; where there is none and this is ``True``,
    one is made.
    """


@configclass
class RigidBodyPropertiesCfg:
    """Of a rigid body."""

    rigid_body_enabled: bool | None = None
    """Whether it is one; else its colliders are static."""

    kinematic_enabled: bool | None = None
    """Whether it goes where it is told, and forces do not move it."""

    disable_gravity: bool | None = None
    """Whether gravity does not act on it."""

    linear_damping: float | None = None
    """1/s."""

    angular_damping: float | None = None
    """1/s."""

    max_linear_velocity: float | None = None
    """The greatest linear velocity, m/s."""

    max_angular_velocity: float | None = None
    """The greatest angular velocity, degrees/s."""

    max_depenetration_velocity: float | None = None
    """How fast contacts push it out of what it penetrates at most, m/s."""

    max_contact_impulse: float | None = None
    """The greatest impulse of a contact, N s. It is not simulated: building a world tells of it."""

    enable_gyroscopic_forces: bool | None = None
    """Whether gyroscopic forces act."""

    retain_accelerations: bool | None = None
    """Whether forces outlast a substep. It makes no difference here."""

    solver_position_iteration_count: int | None = None
    """Iterations of the solver for positions."""

    solver_velocity_iteration_count: int | None = None
    """Iterations of the solver for velocities."""

    sleep_threshold: float | None = None
    """Kinetic energy per mass below which it may fall asleep, m^2/s^2."""

    stabilization_threshold: float | None = None
    """Kinetic energy per mass below which it is calmed, m^2/s^2."""


@configclass
class CollisionPropertiesCfg:
    """Of a collider."""

    collision_enabled: bool | None = None
    """Whether it collides."""

    contact_offset: float | None = None
    """Distance at which contacts begin, m; above the rest offset."""

    rest_offset: float | None = None
    """Distance at which it comes to rest, m."""

    torsional_patch_radius: float | None = None
    """Radius of the patch by which a touch at one point resists turning about its normal, m."""

    min_torsional_patch_radius: float | None = None
    """Its least radius, m."""


@configclass
class MassPropertiesCfg:
    """Of the mass of a rigid body or a collider."""

    mass: float | None = None
    """kg; 0 is "by the density"."""

    density: float | None = None
    """kg/m^3; without effect where there is a mass."""


@configclass
class JointDrivePropertiesCfg:
    """Of the drives of joints: an effort stiffness (target - position) + damping (target velocity - velocity)."""

    drive_type: Literal["force", "acceleration"] | None = None
    """Whether the law gives an effort, or an acceleration."""

    max_effort: float | None = None
    """The greatest effort, N m or N."""

    max_velocity: float | None = None
    """The greatest speed of the joint, rad/s or m/s."""

    stiffness: float | None = None
    """N m/rad or N/m."""

    damping: float | None = None
    """N m s/rad or N s/m."""


@configclass
class FixedTendonPropertiesCfg:
    """Of fixed tendons, which couple joints."""

    tendon_enabled: bool | None = None
    """Whether it acts."""

    stiffness: float | None = None
    """Of its spring."""

    damping: float | None = None
    """Of its length and of its limits."""

    limit_stiffness: float | None = None
    """Of its limits."""

    offset: float | None = None
    """What is added to its length."""

    rest_length: float | None = None
    """The length at which its spring has no force."""


@configclass
class SpatialTendonPropertiesCfg:
    """Of spatial tendons, which run through points of bodies."""

    tendon_enabled: bool | None = None
    """Whether it acts."""

    stiffness: float | None = None
    """Of its spring, N/m."""

    damping: float | None = None
    """Of its length and of its limits, N s/m."""

    limit_stiffness: float | None = None
    """Of its limits, N/m."""

    offset: float | None = None
    """What is added to its length, m."""


@configclass
class DeformableBodyPropertiesCfg:
    """Of deformable bodies. ``None`` leaves what the prim has.

    Simulated are ``deformable_enabled``, ``kinematic_enabled``, ``vertex_velocity_damping``, the two offsets and
    ``simulation_hexahedral_resolution``; the others are kept on the stage. Bodies with ``self_collision``
    touch themselves, and each other.
    """

    deformable_enabled: bool | None = None
    """Whether it is one."""

    kinematic_enabled: bool = False
    """Whether it goes where it is told."""

    self_collision: bool | None = None
    """Whether it collides with itself."""

    self_collision_filter_distance: float | None = None
    """Distance at rest within which it does not, m."""

    settling_threshold: float | None = None
    """Speed below which sleep damping acts, m/s."""

    sleep_damping: float | None = None
    """1/s."""

    sleep_threshold: float | None = None
    """Speed below which it may fall asleep, m/s."""

    solver_position_iteration_count: int | None = None
    """Iterations of the solver for positions."""

    vertex_velocity_damping: float | None = None
    """1/s."""

    simulation_hexahedral_resolution: int = 10
    """Cells along the longest side of the mesh that is simulated."""

    collision_simplification: bool = True
    """Whether the mesh that collides is simplified."""

    collision_simplification_remeshing: bool = True
    """Whether it gets new triangles before."""

    collision_simplification_remeshing_resolution: int = 0
    """How fine those are; 0 is "as needed"."""

    collision_simplification_target_triangle_count: int = 0
    """How many are left; 0 is "as needed"."""

    collision_simplification_force_conforming: bool = True
    """Whether tetrahedra follow the surface."""

    contact_offset: float | None = None
    """Distance at which contacts begin, m."""

    rest_offset: float | None = None
    """Distance at which it comes to rest, m."""

    max_depenetration_velocity: float | None = None
    """How fast contacts push it out of what it penetrates at most, m/s."""


__all__ = [
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
]
