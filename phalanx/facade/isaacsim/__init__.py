"""What scripts import as ``isaacsim``. In progress: docs/decisions/0019-facade.md says what is there."""

from phalanx.facade.isaacsim.simulation_app import SimulationApp

__all__ = ["SimulationApp"]
