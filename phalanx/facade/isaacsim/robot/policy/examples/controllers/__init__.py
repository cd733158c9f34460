"""What scripts import as ``isaacsim.robot.policy.examples.controllers``: a robot and a network for it."""

from phalanx.facade.isaacsim.robot.policy.examples.controllers.config_loader import (
    get_action,
    get_articulation_props,
    get_observations,
    get_physics_properties,
    get_physx_settings,
    get_robot_joint_properties,
    parse_env_config,
)
from phalanx.facade.isaacsim.robot.policy.examples.controllers.policy_controller import PolicyController

__all__ = [
    "PolicyController",
    "get_action",
    "get_articulation_props",
    "get_observations",
    "get_physics_properties",
    "get_physx_settings",
    "get_robot_joint_properties",
    "parse_env_config",
]
