"""What scripts import as ``isaacsim.robot.policy.examples.utils``: networks that stand for actuators."""

from phalanx.facade.isaacsim.robot.policy.examples.utils.actuator_network import LstmSeaNetwork, SeaNetwork

__all__ = ["LstmSeaNetwork", "SeaNetwork"]
