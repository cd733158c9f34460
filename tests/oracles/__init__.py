"""Reference computations by other engines, in Phalanx's conventions, to check Phalanx against.

The two oracles read the URDF with code that Phalanx does not share, and have the same methods:

* :class:`PinOracle`: Pinocchio's parser and algorithms;
* :class:`MujocoOracle`: MuJoCo's algorithms on a model built from the URDF's elements, and its trajectories.

Each engine is imported when a test asks for its oracle; where it is not installed, tests of that module are skipped.
``tests/test_oracles.py`` checks one against the other. :func:`random_state` draws a state of a robot.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oracles.base import Oracle, State, host, joint_names, random_state, relative_error
from oracles.needed import package

if TYPE_CHECKING:
    from oracles.mujoco_oracle import MujocoOracle
    from oracles.pin_oracle import PinOracle

__all__ = ["MujocoOracle", "Oracle", "PinOracle", "State", "host", "joint_names", "random_state", "relative_error"]


def __getattr__(name: str) -> Any:
    if name == "MujocoOracle":
        package("mujoco")
        from oracles.mujoco_oracle import MujocoOracle

        return MujocoOracle
    if name == "PinOracle":
        package("pinocchio", "pin")
        from oracles.pin_oracle import PinOracle

        return PinOracle
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
