"""What controllers, views and data loggers pass around."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from phalanx.facade.arrays import api_of
from phalanx.io.formats.usd.bindings import Prim

_KINDS = ("joint_positions", "joint_velocities", "joint_efforts")


@dataclass(eq=False)
class ArticulationAction:
    """What the joints of one articulation are to do.

    Args:
        joint_positions: targets, (K,), rad or m; ``None``: none are set. So for the others.
        joint_velocities: targets, (K,), rad/s or m/s.
        joint_efforts: (K,), N m or N.
        joint_indices: which joints, (K,); ``None``: all.
    """

    joint_positions: Any = None
    joint_velocities: Any = None
    joint_efforts: Any = None
    joint_indices: Any = None

    def get_dof_action(self, index: int) -> dict[str, Any]:
        """What one joint is to do: by ``"position"``, ``"velocity"`` and ``"effort"`` what is set.

        Args:
            index: of the joint, among all of the articulation.
        """
        if self.joint_indices is not None:
            places = [i for i, joint in enumerate(_plain(self.joint_indices)) if joint == index]
            if not places:
                return {}
            index = places[0]
        values = ((name, getattr(self, f"joint_{plural}")) for name, plural in _NAMES)
        return {name: each for name, value in values if value is not None and (each := value[index]) is not None}

    def get_dict(self) -> dict[str, Any]:
        """The targets as lists, by the names of the arguments but ``joint_indices``; ``None`` where none are set."""
        return {name: None if (value := getattr(self, name)) is None else _plain(value) for name in _KINDS}

    def __str__(self) -> str:
        """What :meth:`get_dict` gives, as text."""
        return str(self.get_dict())

    def get_length(self) -> int | None:
        """Number of joints that something is set for; ``None`` if nothing is."""
        sizes = [len(value) for name in _KINDS if (value := getattr(self, name)) is not None]
        return sizes[0] if sizes else None


_NAMES = (("position", "positions"), ("velocity", "velocities"), ("effort", "efforts"))


def _plain(value: Any) -> list[Any]:
    return value.tolist() if api_of(value) is not None else list(value)


@dataclass(eq=False)
class ArticulationActions:
    """What the joints of several articulations are to do.

    Args:
        joint_positions: targets, (M, K), rad or m; ``None``: none are set. So for the others.
        joint_velocities: targets, (M, K), rad/s or m/s.
        joint_efforts: (M, K), N m or N.
        joint_indices: which joints, (K,); ``None``: all.
        joint_names: the same by name.
    """

    joint_positions: Any = None
    joint_velocities: Any = None
    joint_efforts: Any = None
    joint_indices: Any = None
    joint_names: Any = None


@dataclass(eq=False)
class DOFInfo:
    """One degree of freedom: the path of its joint's prim, a number that stands for it, the prim, and its index."""

    prim_path: str
    handle: int
    prim: Prim
    index: int


@dataclass(eq=False)
class DataFrame:
    """What was recorded at one time step: its number, its time in s, and values by name."""

    current_time_step: int
    current_time: float
    data: dict[str, Any]

    def get_dict(self) -> dict[str, Any]:
        """Number of the step, time and values, by these names."""
        return {"current_time": self.current_time, "current_time_step": self.current_time_step, "data": self.data}

    def __str__(self) -> str:
        """What :meth:`get_dict` gives, as text."""
        return str(self.get_dict())

    @classmethod
    def init_from_dict(cls, dict_representation: dict[str, Any]) -> DataFrame:
        """The frame that :meth:`get_dict` told of."""
        return cls(**{name: dict_representation[name] for name in ("current_time_step", "current_time", "data")})


@dataclass(eq=False)
class XFormPrimState:
    """Where a prim is: (3,) in m, and a quaternion (w, x, y, z)."""

    position: Any
    orientation: Any


@dataclass(eq=False)
class XFormPrimViewState:
    """Where prims are: (N, 3) in m, and quaternions (w, x, y, z), (N, 4)."""

    positions: Any
    orientations: Any


@dataclass(eq=False)
class DynamicState:
    """Where a body is and how it moves: (3,) in m, a quaternion (w, x, y, z), (3,) in m/s, (3,) in rad/s."""

    position: Any
    orientation: Any
    linear_velocity: Any
    angular_velocity: Any


@dataclass(eq=False)
class DynamicsViewState:
    """Where bodies are and how they move: :class:`DynamicState` with N rows."""

    positions: Any
    orientations: Any
    linear_velocities: Any
    angular_velocities: Any


@dataclass(eq=False)
class JointsState:
    """Positions (rad or m), velocities (rad/s or m/s) and efforts (N m or N) of joints."""

    positions: Any
    velocities: Any
    efforts: Any


__all__ = [
    "ArticulationAction",
    "ArticulationActions",
    "DOFInfo",
    "DataFrame",
    "DynamicState",
    "DynamicsViewState",
    "JointsState",
    "XFormPrimState",
    "XFormPrimViewState",
]
