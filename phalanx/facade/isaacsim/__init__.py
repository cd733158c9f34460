"""What scripts import as ``isaacsim``. docs/isaaclab.md says what is there."""

from phalanx.facade.isaacsim.simulation_app import SimulationApp

__all__ = ["SimulationApp"]
