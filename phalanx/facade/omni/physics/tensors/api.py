"""Tensor views of the simulation that there is, by paths of prims."""

from __future__ import annotations

from phalanx.facade import simulation
from phalanx.facade.physx import (
    ArticulationMetatype,
    ArticulationView,
    DofDriveType,
    DofMotion,
    DofType,
    JointType,
    RigidBodyView,
    RigidContactView,
    SimulationView,
)


def create_simulation_view(frontend_name: str = "torch", stage_id: int = -1) -> SimulationView:
    """What makes views of the world that is simulated.

    Args:
        frontend_name: which arrays are wanted; they are those of :func:`phalanx.facade.set_array_api` in any case.
        stage_id: no meaning: the stage is that of the simulation.

    Raises:
        RuntimeError: no simulation has been reset.
    """
    found = simulation.current().view
    if found is None:
        raise RuntimeError("create_simulation_view: there is no simulation yet: call sim.reset() first")
    return found


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
    "create_simulation_view",
]
