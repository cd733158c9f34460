"""Reference computations by other engines, in Phalanx's conventions, to check Phalanx against.

The two oracles read the URDF with code that Phalanx does not share, and have the same methods:

* :class:`PinOracle`: Pinocchio's parser and algorithms;
* :class:`MujocoOracle`: MuJoCo's algorithms on a model built from the URDF's elements, and its trajectories.

``tests/test_oracles.py`` checks one against the other. :func:`random_state` draws a state of a robot.
"""

from oracles.base import Oracle, State, host, joint_names, random_state, relative_error
from oracles.mujoco_oracle import MujocoOracle
from oracles.pin_oracle import PinOracle

__all__ = ["MujocoOracle", "Oracle", "PinOracle", "State", "host", "joint_names", "random_state", "relative_error"]
