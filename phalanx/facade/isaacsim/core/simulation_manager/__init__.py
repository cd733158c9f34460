"""What scripts import as ``isaacsim.core.simulation_manager``: the simulation that the timeline plays."""

from phalanx.facade.isaacsim.core.simulation_manager.isaac_events import IsaacEvents
from phalanx.facade.isaacsim.core.simulation_manager.simulation_manager import SimulationManager

__all__ = ["IsaacEvents", "SimulationManager"]
