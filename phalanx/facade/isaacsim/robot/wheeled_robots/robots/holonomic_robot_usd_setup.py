"""What the prims of a robot with Mecanum or omni wheels say for its controller."""

from __future__ import annotations

from typing import Any

import numpy as np

from phalanx.facade import stage as stages
from phalanx.facade.live_poses import poses, rigid, transforms
from phalanx.io.formats.usd.bindings import Gf, Usd, UsdGeom, UsdPhysics

ANGLE, RADIUS = "isaacmecanumwheel:angle", "isaacmecanumwheel:radius"
"""Attributes of the wheels' joints: degrees, and units of the stage."""

AXES = {"X": np.array([1, 0, 0]), "Y": np.array([0, 1, 0]), "Z": np.array([0, 0, 1])}


class HolonomicRobotUsdSetup:
    """Wheels of a robot: joints that have an attribute ``isaacmecanumwheel:angle``, where the stage has them.

    Args:
        robot_prim_path: of the robot.
        com_prim_path: of the prim that is controlled, where the centre of mass is; the robot itself if it is empty.

    Raises:
        ValueError: there is no such prim, or no joint of a wheel.
    """

    def __init__(self, robot_prim_path: str, com_prim_path: str) -> None:
        self._robot_prim_path, self._com_prim_path = robot_prim_path, com_prim_path
        self.from_usd(robot_prim_path, com_prim_path)

    def from_usd(self, robot_prim_path: str, com_prim_path: str) -> None:
        """Read the stage anew."""
        stage = stages.get_stage()
        robot = stage.GetPrimAtPath(robot_prim_path)
        middle = stage.GetPrimAtPath(com_prim_path) if com_prim_path else robot
        for path, prim in ((robot_prim_path, robot), (com_prim_path, middle)):
            if not prim:
                raise ValueError(f"there is no prim at {path!r}")
        below = Usd.PrimRange(robot, Usd.TraverseInstanceProxies())
        joints = [prim for prim in below if prim.HasAttribute(ANGLE)]
        if not joints:
            raise ValueError(f"no joint below {robot_prim_path!r} has an attribute {ANGLE}")
        self._wheel_radius = [prim.GetAttribute(RADIUS).Get() for prim in joints]
        self._mecanum_angles = [prim.GetAttribute(ANGLE).Get() for prim in joints]
        self._wheel_dof_names = [prim.GetName() for prim in joints]
        frames = np.array([_frame(prim) for prim in joints])
        base = rigid(transforms([middle], None))[0]
        self._wheel_positions = frames[:, :3, 3] - base[:3, 3]
        turned = frames.copy()
        turned[:, :3, :3] = base[:3, :3].T @ frames[:, :3, :3]
        self._wheel_orientations = poses(turned)[1]
        self._up_axis = AXES[str(UsdGeom.GetStageUpAxis(stage))]
        self._wheel_axis = AXES[str(UsdPhysics.RevoluteJoint(joints[-1]).GetAxisAttr().Get())]

    def get_holonomic_controller_params(self) -> tuple[Any, ...]:
        """Radii, positions, orientations, angles of rollers, wheels' axis and upward axis, as properties have them."""
        return (
            self.wheel_radius,
            self.wheel_positions,
            self.wheel_orientations,
            self.mecanum_angles,
            self.wheel_axis,
            self.up_axis,
        )

    def get_articulation_controller_params(self) -> list[str]:
        """Names of the wheels' joints."""
        return self._wheel_dof_names

    @property
    def wheel_radius(self) -> list[float]:
        """Of each wheel, units of the stage."""
        return self._wheel_radius

    @property
    def wheel_positions(self) -> np.ndarray:
        """(wheels, 3): from the controlled prim, in the world's axes, units of the stage."""
        return self._wheel_positions

    @property
    def wheel_orientations(self) -> np.ndarray:
        """(wheels, 4): of the joints in the controlled prim's axes, (w, x, y, z)."""
        return self._wheel_orientations

    @property
    def mecanum_angles(self) -> list[float]:
        """Between each wheel's axis and that of its rollers, degrees."""
        return self._mecanum_angles

    @property
    def wheel_dof_names(self) -> list[str]:
        """Names of the wheels' joints."""
        return self._wheel_dof_names

    @property
    def wheel_axis(self) -> np.ndarray:
        """(3,): about which wheels turn, in the frames of their joints."""
        return self._wheel_axis

    @property
    def up_axis(self) -> np.ndarray:
        """(3,): the stage's upward axis."""
        return self._up_axis


def _frame(prim: Any) -> np.ndarray:
    """(4, 4): of a joint, in the world."""
    joint = UsdPhysics.Joint(prim)
    body = prim.GetStage().GetPrimAtPath(joint.GetBody0Rel().GetTargets()[0])
    place, turn = joint.GetLocalPos0Attr().Get(), joint.GetLocalRot0Attr().Get()
    local = np.array(Gf.Matrix4d(Gf.Rotation(Gf.Quatd(turn)), Gf.Vec3d(place))).T
    above = transforms([body], None)
    place = above[0] @ [*local[:3, 3], 1.0]
    found = rigid(above)[0] @ local
    found[:3, 3] = place[:3]
    return found


__all__ = ["HolonomicRobotUsdSetup"]
