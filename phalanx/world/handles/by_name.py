"""Values by joint: dicts of name patterns, as users give gains, made into arrays of all joints."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from phalanx.world.handle import Handle


def by_joint(robot: Handle, what: str, value: Any, env_ids: Any, now: Callable[[], Any], *, finite: bool = True) -> Any:
    """A user's value for the joints of a robot: what it is, or if it is a dict of patterns, an array.

    A key is a joint's name, or a regular expression that matches the whole of it; its value broadcasts to (n, joints
    that match). Joints that no key matches keep what they have, which is read back from the device.

    Args:
        robot: has ``joint_names``.
        what: what messages call the values.
        value: anything; only dicts are looked at.
        env_ids: the environments that it is for.
        now: reads what all joints have, (num_envs, num_dof).
        finite: whether infinite numbers are refused.

    Returns:
        ``value``, or (n, num_dof) on the host; (1, num_dof) where the environments have the same.

    Raises:
        ValueError: a key matches no joint, or is no regular expression, or two keys match the same joint.
    """
    if not isinstance(value, Mapping):
        return value
    names: list[str] = robot.joint_names  # type: ignore[attr-defined]
    columns = [(key, _matching(robot, what, key, names)) for key in value]
    owner: dict[int, Any] = {}
    for key, found in columns:
        for column in found:
            if column in owner:
                raise ValueError(f"{robot}: {what}: {owner[column]!r} and {key!r} both match joint {names[column]!r}")
            owner[column] = key
    device = robot.engine.device
    numbers = {
        key: device.to_host(robot._input(f"{what} of {key!r}", value[key], len(found), env_ids, finite=finite)[0])
        for key, found in columns
    }
    envs = robot.engine.env_indices(env_ids)
    values = device.to_host(now()).astype(float)[envs]
    for key, found in columns:
        values[:, found] = numbers[key]
    return values[:1] if len(values) and (values == values[:1]).all() else values  # one for all stays shared


def _matching(robot: Handle, what: str, key: Any, names: list[str]) -> list[int]:
    """Columns of the joints that a key means."""
    if not isinstance(key, str):
        raise TypeError(f"{robot}: {what}: keys must be names of joints or patterns, not {key!r}")
    if key in names:
        return [names.index(key)]
    try:
        found = [column for column, name in enumerate(names) if re.fullmatch(key, name)]
    except re.error as error:
        raise ValueError(f"{robot}: {what}: {key!r} is not a regular expression: {error}") from None
    if not found:
        raise ValueError(f"{robot}: {what}: no joint matches {key!r}; there are {', '.join(names) or 'none'}")
    return found
