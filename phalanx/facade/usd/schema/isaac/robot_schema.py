"""Isaac Sim's schema of robots: names of what it adds to prims, and functions that add it.

Surface grippers are simulated as it says; what it says of links and joints is for tools, and changes no simulation.
"""

from __future__ import annotations

from enum import Enum
from typing import Any

from phalanx.io.formats.usd.bindings import Prim, Sdf, Stage


class Classes(Enum):
    """Schemas and types of prims."""

    ROBOT_API = "IsaacRobotAPI"
    LINK_API = "IsaacLinkAPI"
    REFERENCE_POINT_API = "IsaacReferencePointAPI"
    JOINT_API = "IsaacJointAPI"
    SURFACE_GRIPPER = "IsaacSurfaceGripper"
    ATTACHMENT_POINT_API = "IsaacAttachmentPointAPI"


class _Named(Enum):
    """Something of a prim: its ``name`` there, and how it is shown."""

    @property
    def name(self) -> str:
        """What it is called on prims."""
        return f"isaac:{self.value[0]}"

    @property
    def display_name(self) -> str:
        """What people call it."""
        return self.value[1]


class Attributes(_Named):
    """Attributes of prims, with the ``type`` of their values."""

    DESCRIPTION = ("description", "Description", "String")
    NAMESPACE = ("namespace", "Namespace", "String")
    ROBOT_TYPE = ("robotType", "Robot Type", "Token")
    LICENSE = ("license", "License", "Token")
    VERSION = ("version", "Version", "String")
    SOURCE = ("source", "Source", "String")
    CHANGELOG = ("changelog", "Changelog", "StringArray")
    INDEX = ("physics:index", "Index", "Int")
    NAME_OVERRIDE = ("nameOverride", "Name Override", "String")
    FORWARD_AXIS = ("forwardAxis", "Forward Axis", "Token")
    JOINT_INDEX = ("physics:index", "Joint Index", "Int")
    ROT_X_OFFSET = ("physics:Rot_X:DofOffset", "Rot X Offset", "Int")
    ROT_Y_OFFSET = ("physics:Rot_Y:DofOffset", "Rot Y Offset", "Int")
    ROT_Z_OFFSET = ("physics:Rot_Z:DofOffset", "Rot Z Offset", "Int")
    TR_X_OFFSET = ("physics:Tr_X:DofOffset", "Tr X Offset", "Int")
    TR_Y_OFFSET = ("physics:Tr_Y:DofOffset", "Tr Y Offset", "Int")
    TR_Z_OFFSET = ("physics:Tr_Z:DofOffset", "Tr Z Offset", "Int")
    RETRY_INTERVAL = ("retryInterval", "Retry Interval", "Float")
    ACCELERATION_LIMIT = ("physics:AccelerationLimit", "Acceleration Limit", "FloatArray")
    JERK_LIMIT = ("physics:JerkLimit", "Jerk Limit", "FloatArray")
    ACTUATOR = ("physics:Actuator", "Actuator", "BoolArray")
    STATUS = ("status", "Status", "Token")
    SHEAR_FORCE_LIMIT = ("shearForceLimit", "Shear Force Limit", "Float")
    COAXIAL_FORCE_LIMIT = ("coaxialForceLimit", "Coaxial Force Limit", "Float")
    MAX_GRIP_DISTANCE = ("maxGripDistance", "Max Grip Distance", "Float")
    CLEARANCE_OFFSET = ("clearanceOffset", "Clearance Offset", "Float")

    @property
    def type(self) -> Any:
        """The type of its values."""
        return getattr(Sdf.ValueTypeNames, self.value[2])


class Relations(_Named):
    """Relationships of prims."""

    ROBOT_LINKS = ("physics:robotLinks", "Robot Links")
    ROBOT_JOINTS = ("physics:robotJoints", "Robot Joints")
    ATTACHMENT_POINTS = ("attachmentPoints", "Attachment Points")
    GRIPPED_OBJECTS = ("grippedObjects", "Gripped Objects")


A, R = Attributes, Relations

_HAS: dict[Classes, tuple[_Named, ...]] = {
    Classes.ROBOT_API: (
        *(A.DESCRIPTION, A.NAMESPACE, A.ROBOT_TYPE, A.LICENSE, A.VERSION, A.SOURCE, A.CHANGELOG),
        *(R.ROBOT_LINKS, R.ROBOT_JOINTS),
    ),
    Classes.LINK_API: (A.NAME_OVERRIDE,),
    Classes.REFERENCE_POINT_API: (A.DESCRIPTION, A.FORWARD_AXIS),
    Classes.JOINT_API: (
        *(A.ROT_X_OFFSET, A.ROT_Y_OFFSET, A.ROT_Z_OFFSET, A.TR_X_OFFSET, A.TR_Y_OFFSET, A.TR_Z_OFFSET),
        *(A.NAME_OVERRIDE, A.ACCELERATION_LIMIT, A.JERK_LIMIT),
    ),
    Classes.SURFACE_GRIPPER: (
        *(A.STATUS, A.SHEAR_FORCE_LIMIT, A.COAXIAL_FORCE_LIMIT, A.MAX_GRIP_DISTANCE, A.RETRY_INTERVAL),
        *(R.ATTACHMENT_POINTS, R.GRIPPED_OBJECTS),
    ),
    Classes.ATTACHMENT_POINT_API: (A.FORWARD_AXIS, A.CLEARANCE_OFFSET),
}
"""What each has."""


def _add(prim: Prim, kind: Classes, custom: bool) -> None:
    for each in _HAS[kind]:
        if isinstance(each, Attributes):
            prim.CreateAttribute(each.name, each.type, custom)
        else:
            prim.CreateRelationship(each.name, custom)


def _apply(prim: Prim, kind: Classes, custom: bool = True) -> None:
    prim.AddAppliedSchema(kind.value)
    _add(prim, kind, custom)


def ApplyRobotAPI(prim: Prim) -> None:
    """Let a prim be a robot."""
    _apply(prim, Classes.ROBOT_API)


def ApplyLinkAPI(prim: Prim) -> None:
    """Let a prim be a link of a robot."""
    _apply(prim, Classes.LINK_API)


def ApplyReferencePointAPI(prim: Prim) -> None:
    """Let a prim be a point of reference on a link."""
    _apply(prim, Classes.REFERENCE_POINT_API)


def ApplyJointAPI(prim: Prim) -> None:
    """Let a prim be a joint of a robot."""
    _apply(prim, Classes.JOINT_API)


def ApplyAttachmentPointAPI(prim: Prim) -> None:
    """Let a joint be a point at which a surface gripper holds."""
    _apply(prim, Classes.ATTACHMENT_POINT_API, custom=False)


def CreateSurfaceGripper(stage: Stage, prim_path: str) -> Prim:
    """A surface gripper without attachment points: the relation ``Relations.ATTACHMENT_POINTS`` is to name joints."""
    prim = stage.DefinePrim(prim_path, Classes.SURFACE_GRIPPER.value)
    _add(prim, Classes.SURFACE_GRIPPER, custom=False)
    return prim
