"""All configurations of actuators, under the module's name that older scripts import."""

from phalanx.facade.isaaclab.actuators.actuator_base_cfg import ActuatorBaseCfg
from phalanx.facade.isaaclab.actuators.actuator_net_cfg import ActuatorNetLSTMCfg, ActuatorNetMLPCfg
from phalanx.facade.isaaclab.actuators.actuator_pd_cfg import (
    DCMotorCfg,
    DelayedPDActuatorCfg,
    IdealPDActuatorCfg,
    ImplicitActuatorCfg,
    RemotizedPDActuatorCfg,
)

__all__ = [
    "ActuatorBaseCfg",
    "ActuatorNetLSTMCfg",
    "ActuatorNetMLPCfg",
    "DCMotorCfg",
    "DelayedPDActuatorCfg",
    "IdealPDActuatorCfg",
    "ImplicitActuatorCfg",
    "RemotizedPDActuatorCfg",
]
