"""What scripts import as ``isaacsim.core.api.simulation_context``."""

from phalanx.facade.isaacsim.core.api.simulation_context.simulation_context import SimulationContext

__all__ = ["SimulationContext"]
