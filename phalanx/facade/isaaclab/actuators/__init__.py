"""Models of actuators: how targets of joints become efforts, or are left to the simulation's drives."""

from phalanx.facade.isaaclab.actuators.actuator_base import ActuatorBase
from phalanx.facade.isaaclab.actuators.actuator_base_cfg import ActuatorBaseCfg
from phalanx.facade.isaaclab.actuators.actuator_net import ActuatorNetLSTM, ActuatorNetMLP
from phalanx.facade.isaaclab.actuators.actuator_net_cfg import ActuatorNetLSTMCfg, ActuatorNetMLPCfg
from phalanx.facade.isaaclab.actuators.actuator_pd import (
    DCMotor,
    DelayedPDActuator,
    IdealPDActuator,
    ImplicitActuator,
    RemotizedPDActuator,
)
from phalanx.facade.isaaclab.actuators.actuator_pd_cfg import (
    DCMotorCfg,
    DelayedPDActuatorCfg,
    IdealPDActuatorCfg,
    ImplicitActuatorCfg,
    RemotizedPDActuatorCfg,
)

__all__ = [
    "ActuatorBase",
    "ActuatorBaseCfg",
    "ActuatorNetLSTM",
    "ActuatorNetLSTMCfg",
    "ActuatorNetMLP",
    "ActuatorNetMLPCfg",
    "DCMotor",
    "DCMotorCfg",
    "DelayedPDActuator",
    "DelayedPDActuatorCfg",
    "IdealPDActuator",
    "IdealPDActuatorCfg",
    "ImplicitActuator",
    "ImplicitActuatorCfg",
    "RemotizedPDActuator",
    "RemotizedPDActuatorCfg",
]
