"""What older scripts import as ``omni.isaac.core.articulations``: articulations of ``isaacsim.core``."""

from phalanx.facade.omni.isaac.core.articulations.articulation import Articulation
from phalanx.facade.omni.isaac.core.articulations.articulation_gripper import ArticulationGripper
from phalanx.facade.omni.isaac.core.articulations.articulation_subset import ArticulationSubset
from phalanx.facade.omni.isaac.core.articulations.articulation_view import ArticulationView

__all__ = ["Articulation", "ArticulationGripper", "ArticulationSubset", "ArticulationView"]
