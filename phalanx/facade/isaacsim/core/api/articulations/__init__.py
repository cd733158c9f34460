"""What scripts import as ``isaacsim.core.api.articulations``: parts of articulations."""

from phalanx.facade.isaacsim.core.api.articulations.articulation_gripper import ArticulationGripper
from phalanx.facade.isaacsim.core.api.articulations.articulation_subset import ArticulationSubset

__all__ = ["ArticulationGripper", "ArticulationSubset"]
