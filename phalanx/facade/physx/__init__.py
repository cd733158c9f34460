"""Tensor views of a world, with the method names and layouts of the PhysX tensor API.

Scripts written for Isaac Lab reach them through ``root_physx_view`` and the like. Rows of a view are robots or bodies
in environments; quaternions are (x, y, z, w).
"""

from phalanx.facade.physx.articulation_view import ArticulationView
from phalanx.facade.physx.common import DofDriveType, DofMotion, DofType, JointType
from phalanx.facade.physx.contact_view import RigidContactView
from phalanx.facade.physx.metatype import ArticulationMetatype
from phalanx.facade.physx.rigid_body_view import RigidBodyView
from phalanx.facade.physx.simulation_view import SimulationView

__all__ = [
    "ArticulationMetatype",
    "ArticulationView",
    "DofDriveType",
    "DofMotion",
    "DofType",
    "JointType",
    "RigidBodyView",
    "RigidContactView",
    "SimulationView",
]
