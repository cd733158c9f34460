"""The older place of ``isaacsim.core.api.articulations.ArticulationSubset``."""

from phalanx.facade.isaacsim.core.api.articulations.articulation_subset import ArticulationSubset

__all__ = ["ArticulationSubset"]
