"""What the oracles share: the conventions, states, and the one interface.

Conventions (Phalanx's own): generalised velocity ``v = [root lin (3), root ang (3), joint velocities]`` for a free
root, ``v = [joint velocities]`` for a fixed one. Root velocities are those of the root link's frame origin, in world
axes; accelerations and forces are their rates and their duals, so that ``M a + b = tau`` with ``a = dv/dt``
component by component. A pose is ``[x y z qw qx qy qz]``. Joints are breadth-first over the tree of links, children
in the order of the file, without the fixed ones; mimic joints are ordinary joints here.
"""

from __future__ import annotations

import abc
import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.floating[Any]]
Vector = Sequence[float] | Array

EARTH = (0.0, 0.0, -9.81)
IDENTITY_POSE = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])


@dataclass
class State:
    """One environment's state: ``root_pose`` (7,), ``root_vel`` (6,), ``q`` and ``qd`` (joints,)."""

    root_pose: Array
    root_vel: Array
    q: Array
    qd: Array


class Oracle(abc.ABC):
    """A robot in another engine. Methods are pure functions of the state; arrays are float64.

    A fixed root is welded to the world at ``root_pose``; ``root_vel`` does not matter then.
    """

    joint_names: list[str]
    fixed_base: bool

    @property
    def nv(self) -> int:
        """Number of generalised velocities."""
        return len(self.joint_names) + (0 if self.fixed_base else 6)

    @abc.abstractmethod
    def mass_matrix(self, root_pose: Array, q: Array) -> Array:
        """Joint-space inertia (nv, nv), armature included."""

    @abc.abstractmethod
    def bias_force(self, root_pose: Array, root_vel: Array, q: Array, qd: Array, gravity: Vector = EARTH) -> Array:
        """Coriolis, centrifugal and gravity forces (nv,): the ``b`` of ``M a + b = tau``."""

    def gravity_force(self, root_pose: Array, q: Array, gravity: Vector = EARTH) -> Array:
        """Bias force at rest (nv,)."""
        return self.bias_force(root_pose, np.zeros(6), q, np.zeros(len(self.joint_names)), gravity)

    @abc.abstractmethod
    def jacobian(self, root_pose: Array, q: Array, body: str) -> Array:
        """Jacobian (6, nv) of a body's frame, rows [lin, ang] of its origin in world axes."""

    @abc.abstractmethod
    def body_pose(self, root_pose: Array, q: Array, body: str) -> Array:
        """World pose (7,) of a body's frame, its quaternion's w not negative."""

    @abc.abstractmethod
    def body_velocity(self, root_pose: Array, root_vel: Array, q: Array, qd: Array, body: str) -> Array:
        """Velocity (6,), [lin, ang], of a body's frame origin in world axes."""

    @abc.abstractmethod
    def forward_dynamics(
        self,
        root_pose: Array,
        root_vel: Array,
        q: Array,
        qd: Array,
        tau: Array,
        gravity: Vector = EARTH,
    ) -> Array:
        """Generalised acceleration (nv,) under generalised forces ``tau`` (nv,)."""


def joint_names(urdf: str | Path) -> list[str]:
    """Moving joints of a URDF in Phalanx's order: breadth-first over all links, children in file order."""
    joints = [
        (element.get("name", ""), element.get("type"), _link(element, "parent"), _link(element, "child"))
        for element in ElementTree.parse(urdf).getroot().findall("joint")
    ]
    children = {child for *_, child in joints}
    queue = [parent for _, _, parent, _ in joints if parent not in children][:1]
    names = []
    for link in queue:  # grows while it is walked
        for name, kind, parent, child in joints:
            if parent == link:
                queue.append(child)
                if kind != "fixed":
                    names.append(name)
    return names


def random_state(urdf: str | Path, rng: np.random.Generator, fixed_base: bool, speed: float = 1.0) -> State:
    """A state that is nowhere special: any root orientation, joints within their limits (±π where there are none)."""
    elements = {e.get("name", ""): e for e in ElementTree.parse(urdf).getroot().findall("joint")}
    names = joint_names(urdf)
    ranges = np.array([_range(elements[name]) for name in names]).reshape(-1, 2)
    quat = rng.normal(size=4)
    root_vel = np.zeros(6) if fixed_base else speed * rng.normal(size=6)
    return State(
        root_pose=np.concatenate([rng.uniform(-1, 1, 3), quat / np.linalg.norm(quat)]),
        root_vel=root_vel,
        q=rng.uniform(ranges[:, 0], ranges[:, 1]),
        qd=speed * rng.normal(size=len(names)),
    )


def relative_error(actual: Array, expected: Array, floor: float = 1e-3) -> float:
    """Largest deviation over the largest expected magnitude, or over ``floor`` where nothing expected is larger.

    The floor (in SI units) keeps the rounding of a force that vanishes, like a balanced rotor's, from counting.
    NaN anywhere gives NaN, which no tolerance accepts.
    """
    actual, expected = np.asarray(actual, float), np.asarray(expected, float)
    if actual.shape != expected.shape:
        raise ValueError(f"shapes differ: {actual.shape} and {expected.shape}")
    if not actual.size:
        return 0.0
    return float(np.max(np.abs(actual - expected)) / max(np.max(np.abs(expected)), floor))


def host(array: Any) -> Array:
    """Float64 NumPy copy of an array that may live on any device, NumPy's, CuPy's or torch's."""
    if hasattr(array, "detach"):
        array = array.detach().cpu().numpy()  # NumPy 2 warns of a tensor that it converts itself
    return np.array(array.get() if hasattr(array, "get") else array, dtype=np.float64)


def rotation(quat: Array) -> Array:
    """Rotation matrix (3, 3) of a unit quaternion [w x y z]."""
    w, x, y, z = quat
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def positive(pose: Array) -> Array:
    """The same pose with the quaternion's w not negative."""
    return np.concatenate([pose[:3], -pose[3:] if pose[3] < 0 else pose[3:]])


def _link(joint: ElementTree.Element, role: str) -> str:
    element = joint.find(role)
    return "" if element is None else element.get("link", "")


def _range(joint: ElementTree.Element) -> tuple[float, float]:
    limit = joint.find("limit")
    if joint.get("type") == "continuous" or limit is None:
        return -np.pi, np.pi
    lower, upper = float(limit.get("lower", 0)), float(limit.get("upper", 0))
    return (lower, upper) if lower < upper and upper - lower < 100 else (-np.pi, np.pi)
