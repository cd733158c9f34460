"""What Isaac Lab writes beside a trained network: the configuration of its environment, ``params/env.yaml``."""

from __future__ import annotations

import logging
import re
import sys
from collections.abc import Sequence
from typing import Any

from phalanx.facade.asset_root import existing_file

log = logging.getLogger("phalanx.facade")

NO_LIMIT = float(sys.maxsize)


def parse_env_config(env_config_path: str = "env.yaml") -> dict[str, Any]:
    """The configuration in a file. Tuples are read; other objects of Python are ``None``, and nothing is executed.

    Raises:
        FileNotFoundError: there is no such file.
    """
    import yaml

    class Loader(yaml.SafeLoader):
        """Without objects of Python."""

    Loader.add_constructor(
        "tag:yaml.org,2002:python/tuple",
        lambda loader, node: tuple(loader.construct_sequence(node, deep=True)),  # pyright: ignore[reportArgumentType]
    )
    Loader.add_constructor(None, lambda loader, node: None)  # pyright: ignore[reportArgumentType]
    with open(existing_file(env_config_path, "configuration"), encoding="utf-8") as file:
        return yaml.load(file, Loader=Loader)  # a SafeLoader


def get_robot_joint_properties(
    data: dict[str, Any], joint_names: Sequence[str]
) -> tuple[list[float], list[float], list[float], list[float], list[float], list[float]]:
    """What a configuration says of a robot's joints.

    Args:
        data: of :func:`parse_env_config`.
        joint_names: in the order that is wanted. Expressions of the configuration must match whole names.

    Returns:
        Limits of effort and velocity, stiffnesses, dampings, and positions and velocities at the start, one number for
        each joint. Of joints that no actuator has, and of what is not said, they are 0, and a warning tells; without a
        limit it is :data:`NO_LIMIT`.
    """
    robot = data["scene"]["robot"]
    limits = {"effort_limit": NO_LIMIT, "velocity_limit": NO_LIMIT, "stiffness": 0.0, "damping": 0.0}
    tables: dict[str, dict[str, float]] = {name: {} for name in limits}
    for actuator in robot["actuators"].values():
        for name, missing in limits.items():
            value = actuator.get(name)
            value = actuator.get(f"{name}_sim") if value is None else value
            if not isinstance(value, dict):
                number = missing if value is None or float(value) == float("inf") else float(value)
                value = dict.fromkeys(actuator["joint_names_expr"], number)
            tables[name] |= value
    start = robot["init_state"]
    for name in ("joint_pos", "joint_vel"):
        value = start[name]
        tables[name] = value if isinstance(value, dict) else {".*": float(value)}
    names = (*limits, "joint_pos", "joint_vel")
    first, second, third, fourth, fifth, sixth = (
        [_of_joint(name, tables[name], joint) for joint in joint_names] for name in names
    )
    return first, second, third, fourth, fifth, sixth


def _of_joint(what: str, table: dict[str, float], joint: str) -> float:
    for expression, value in table.items():
        if re.fullmatch(expression, joint):
            return float(value)
    log.warning("the configuration has no %s of joint %s: taking 0", what, joint)
    return 0.0


def get_articulation_props(data: dict[str, Any]) -> dict[str, Any]:
    """Properties of the robot's articulation."""
    return data["scene"]["robot"]["spawn"]["articulation_props"]


def get_physics_properties(data: dict[str, Any]) -> tuple[int, float, int]:
    """Steps between actions, the length of a step, s, and steps between frames."""
    return data["decimation"], data["sim"]["dt"], data["sim"]["render_interval"]


def get_observations(data: dict[str, Any]) -> dict[str, Any]:
    """Terms of what the network sees."""
    return data["observations"]["policy"]


def get_action(data: dict[str, Any]) -> dict[str, Any]:
    """Terms of what it does."""
    return data["actions"]


def get_physx_settings(data: dict[str, Any]) -> dict[str, Any]:
    """Settings of PhysX."""
    return data["sim"]["physx"]


__all__ = [
    "get_action",
    "get_articulation_props",
    "get_observations",
    "get_physics_properties",
    "get_physx_settings",
    "get_robot_joint_properties",
    "parse_env_config",
]
