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

from phalanx import _ctrl_c  # noqa: F401 first of all, for what follows takes a second

# isort: split
from typing import TYPE_CHECKING, Any

from phalanx._version import __version__ as __version__
from phalanx.ecs.errors import CapacityError, DeviceError
from phalanx.io.reading.errors import LoadError
from phalanx.models.meshes.cloth_mesh import ClothMesh
from phalanx.models.meshes.point_set import PointSet
from phalanx.models.meshes.rope_line import RopeLine
from phalanx.models.meshes.tet_mesh import TetMesh
from phalanx.models.robot_model import RobotModel, Shape
from phalanx.models.sdf_options import SdfOptions
from phalanx.models.surface import Material
from phalanx.models.tendons import Attachment, FixedTendon, SpatialTendon
from phalanx.world.deformables.cloth import Cloth
from phalanx.world.deformables.particles import Particles
from phalanx.world.deformables.rope import Rope
from phalanx.world.deformables.soft_body import SoftBody
from phalanx.world.handles.contact_view import ContactData, ContactView, FrictionData
from phalanx.world.handles.loop_joint import LoopJoint
from phalanx.world.handles.rigid_collection import RigidObjectCollection
from phalanx.world.handles.rigid_object import RigidObject
from phalanx.world.handles.robot import Robot
from phalanx.world.world import SimulationWarning, World

if TYPE_CHECKING:
    from phalanx.io.formats.element_files import read_elements
    from phalanx.io.recordings.folder import RecordingError
    from phalanx.io.recordings.recorder import Recorder
    from phalanx.io.recordings.replay import open_recording
    from phalanx.viewer.viewer import Viewer

_LAZY = {
    "Recorder": "phalanx.io.recordings.recorder",
    "RecordingError": "phalanx.io.recordings.folder",
    "Viewer": "phalanx.viewer.viewer",
    "open_recording": "phalanx.io.recordings.replay",
    "read_elements": "phalanx.io.formats.element_files",
}


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        import importlib

        return getattr(importlib.import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'phalanx' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]


def num_threads() -> int:
    """Threads used for stepping on the CPU."""
    from phalanx.ecs.cpu import threads

    return threads.num_threads()


def set_num_threads(count: int | None) -> None:
    """Set the number of threads for stepping on the CPU; ``None`` returns to the default. Results do not depend on
    it.
    """
    from phalanx.ecs.cpu import threads

    threads.set_num_threads(count)


__all__ = [
    "Attachment",
    "CapacityError",
    "Cloth",
    "ClothMesh",
    "ContactData",
    "ContactView",
    "DeviceError",
    "FixedTendon",
    "FrictionData",
    "LoadError",
    "LoopJoint",
    "Material",
    "Particles",
    "PointSet",
    "Recorder",
    "RecordingError",
    "RigidObject",
    "RigidObjectCollection",
    "Robot",
    "RobotModel",
    "Rope",
    "RopeLine",
    "SdfOptions",
    "Shape",
    "SimulationWarning",
    "SoftBody",
    "SpatialTendon",
    "TetMesh",
    "Viewer",
    "World",
    "num_threads",
    "open_recording",
    "read_elements",
    "set_num_threads",
]
