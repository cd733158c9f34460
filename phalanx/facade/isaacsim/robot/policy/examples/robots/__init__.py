"""What scripts import as ``isaacsim.robot.policy.examples.robots``: robots that NVIDIA's networks control.

The networks are NVIDIA's, and are not part of Phalanx: they are looked for below the folder of assets, where Isaac
Sim's server has them, with the configuration of the environment that each was trained in.
"""

from phalanx.facade.isaacsim.robot.policy.examples.robots.anymal import AnymalFlatTerrainPolicy
from phalanx.facade.isaacsim.robot.policy.examples.robots.franka import FrankaOpenDrawerPolicy
from phalanx.facade.isaacsim.robot.policy.examples.robots.h1 import H1FlatTerrainPolicy
from phalanx.facade.isaacsim.robot.policy.examples.robots.spot import SpotFlatTerrainPolicy

__all__ = ["AnymalFlatTerrainPolicy", "FrankaOpenDrawerPolicy", "H1FlatTerrainPolicy", "SpotFlatTerrainPolicy"]
