"""The older place of ``isaacsim.core.api.articulations.ArticulationGripper``."""

from phalanx.facade.isaacsim.core.api.articulations.articulation_gripper import ArticulationGripper

__all__ = ["ArticulationGripper"]
