"""What scripts import as ``omni.physics.tensors``: tensor views of the simulation that there is."""

from phalanx.facade.omni.physics.tensors.api import (
    ArticulationView,
    DofDriveType,
    DofMotion,
    DofType,
    JointType,
    RigidBodyView,
    RigidContactView,
    SimulationView,
    create_simulation_view,
)

__all__ = [
    "ArticulationView",
    "DofDriveType",
    "DofMotion",
    "DofType",
    "JointType",
    "RigidBodyView",
    "RigidContactView",
    "SimulationView",
    "create_simulation_view",
]
