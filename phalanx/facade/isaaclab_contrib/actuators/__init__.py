"""Models of thrusters: how targets of rotors become thrusts."""

from phalanx.facade.isaaclab_contrib.actuators.thruster import Thruster
from phalanx.facade.isaaclab_contrib.actuators.thruster_cfg import ThrusterCfg

__all__ = ["Thruster", "ThrusterCfg"]
