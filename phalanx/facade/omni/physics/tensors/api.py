"""Tensor views of the simulation that there is, by paths of prims."""

from __future__ import annotations

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
    """What makes views of the world that the ``SimulationContext`` has.

    Args:
        frontend_name: which arrays are wanted; they are those of :func:`phalanx.facade.set_array_api` in any case.
        stage_id: no meaning: the stage is that of the simulation.

    Raises:
        RuntimeError: no simulation has been reset.
    """
    from phalanx.facade.isaaclab.sim.simulation_context import SimulationContext

    simulation = SimulationContext.instance()
    found = None if simulation is None else simulation.physics_sim_view
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
