"""Phalanx: steps thousands of robots in lockstep, on a laptop's CPU or an NVIDIA GPU.

>>> import phalanx as px
>>> world = px.World(num_envs=16)
>>> world.add_ground()
>>> robot = world.add_robot("quadruped")
>>> world.step(100)
>>> robot.joint_pos.shape
(16, 12)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from phalanx._version import __version__ as __version__
from phalanx.contact_view import ContactData, ContactView, FrictionData
from phalanx.ecs.errors import DeviceError
from phalanx.io.model import LoadError, RobotModel, Shape
from phalanx.io.sdf_options import SdfOptions
from phalanx.io.tendons import Attachment, FixedTendon, SpatialTendon
from phalanx.loop_joint import LoopJoint
from phalanx.models.surface import Material
from phalanx.rigid_collection import RigidObjectCollection
from phalanx.rigid_object import RigidObject
from phalanx.robot import Robot
from phalanx.world import SimulationWarning, World

if TYPE_CHECKING:
    from phalanx.io.recording import Recorder
    from phalanx.io.replay import open_recording

_LAZY = {"Recorder": "phalanx.io.recording", "open_recording": "phalanx.io.replay"}


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        import importlib

        return getattr(importlib.import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'phalanx' has no attribute {name!r}")


def num_threads() -> int:
    """Threads used for stepping on the CPU."""
    from phalanx.ecs import threads

    return threads.num_threads()


def set_num_threads(count: int | None) -> None:
    """Set the number of threads for stepping on the CPU; ``None`` returns to the default. Results do not depend on
    it.
    """
    from phalanx.ecs import threads

    threads.set_num_threads(count)


__all__ = [
    "Attachment",
    "ContactData",
    "ContactView",
    "DeviceError",
    "FixedTendon",
    "FrictionData",
    "LoadError",
    "LoopJoint",
    "Material",
    "Recorder",
    "RigidObject",
    "RigidObjectCollection",
    "Robot",
    "RobotModel",
    "SdfOptions",
    "Shape",
    "SimulationWarning",
    "SpatialTendon",
    "World",
    "num_threads",
    "open_recording",
    "set_num_threads",
]
