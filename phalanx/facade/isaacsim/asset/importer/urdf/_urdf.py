"""The importer of URDF files: its configuration and its interface."""

from __future__ import annotations

import copy
import logging
import math
import os
import tempfile
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from phalanx.facade.asset_root import existing_file
from phalanx.facade.isaaclab.sim.converters.urdf_converter import changed_model, set_drive_types
from phalanx.facade.isaaclab.sim.converters.urdf_converter_cfg import UrdfConverterCfg
from phalanx.facade.isaacsim.asset.importer.places import articulation_root, check_metres, put
from phalanx.facade.isaacsim.asset.importer.settings import Settings
from phalanx.facade.isaacsim.asset.importer.urdf.robot import (
    UrdfDynamics,
    UrdfJoint,
    UrdfJointDrive,
    UrdfJointDriveType,
    UrdfJointMimic,
    UrdfJointTargetType,
    UrdfJointType,
    UrdfLimit,
    UrdfLink,
    UrdfRobot,
    robot_of,
)
from phalanx.io.formats.urdf import NOT_SHOWN, load_urdf
from phalanx.io.formats.usd.bindings import Stage
from phalanx.io.formats.usd.drives import moved_inertia
from phalanx.io.formats.usd.writer import Written, write_robot
from phalanx.models.checks import ONE_DOF
from phalanx.models.robot_model import Joint, JointDrive, RobotModel

logger = logging.getLogger("phalanx.facade")

_ACCELERATION, _FORCE = UrdfJointDriveType.JOINT_DRIVE_ACCELERATION, UrdfJointDriveType.JOINT_DRIVE_FORCE
_POSITION, _VELOCITY = UrdfJointTargetType.JOINT_DRIVE_POSITION, UrdfJointTargetType.JOINT_DRIVE_VELOCITY
_KINDS = {_ACCELERATION: "acceleration", _FORCE: "force"}


@dataclass
class ImportConfig(Settings):
    """How a URDF file becomes USD.

    ``default_position_drive_damping`` and ``subdivision_scheme`` are kept and have no effect.
    """

    merge_fixed_joints: bool = True
    """Whether links that fixed joints connect become one."""
    replace_cylinders_with_capsules: bool = False
    """Whether cylinders that collide become capsules."""
    convex_decomp: bool = False
    """Whether meshes that collide are decomposed into convex parts; else each is its convex hull."""
    import_inertia_tensor: bool = True
    """Whether inertias are as in the file; else those of links with shapes follow from their mass and shapes."""
    fix_base: bool = True
    """Whether the root is welded to the world."""
    self_collision: bool = False
    """Whether links of the robot collide with each other."""
    density: float = 0.0
    """kg/m^3 of links that have shapes and no ``<inertial>``; 0: 1000."""
    default_drive_type: int = _POSITION
    """What drives follow, one of ``UrdfJointTargetType``."""
    default_drive_strength: float = 1000.0
    """Of drives that follow velocities, with ``override_joint_dynamics``; in USD's units."""
    default_position_drive_damping: float = 100.0
    distance_scale: float = 1.0
    """Must be 1: metres."""
    up_vector: Any = (0.0, 0.0, 1.0)
    """Must be z."""
    create_physics_scene: bool = False
    """Whether a stage without a physics scene gets one."""
    make_default_prim: bool = False
    """Whether the robot becomes the stage's default prim."""
    subdivision_scheme: int = 1
    collision_from_visuals: bool = False
    """Whether links without shapes for collisions take those that are drawn."""
    parse_mimic: bool = True
    """Whether joints that follow others do; else they are joints like all others."""
    override_joint_dynamics: bool = False
    """Whether damping and strength of drives are the defaults, whatever the file says."""

    def set_up_vector(self, x: float, y: float, z: float) -> None:
        """Set ``up_vector``."""
        self.up_vector = (x, y, z)


class Urdf:
    """Reads URDF files, and puts robots on stages."""

    def parse_urdf(self, assetRoot: str, assetName: str, importConfig: ImportConfig | None = None) -> UrdfRobot:
        """The robot of a file, with drives as the configuration says, to be changed or put on a stage.

        Drives have the stiffness of an oscillator of 25 rad/s, as Isaac Sim's: 625 in USD's units, for an inertia of 1.
        Their damping is the file's.

        Args:
            assetRoot: folder of the file.
            assetName: its name.
            importConfig: how.

        Raises:
            FileNotFoundError: there is no such file.
            LoadError: the file cannot be used.
        """
        config = ImportConfig() if importConfig is None else importConfig
        file = existing_file(os.path.join(assetRoot, assetName), "URDF file")
        model = load_urdf(file, fix_inertias=True, need_visuals=config.collision_from_visuals)
        for text in model.warnings:
            logger.log(logging.WARNING if text.startswith(NOT_SHOWN) else logging.INFO, "%s: %s", file, text)
        model = _changed(model, file, config)
        robot = robot_of(model, moved_inertia(replace(model, joint_pos={})))
        for joint in robot.joints.values():
            _give_drive(joint, config)
        return robot

    def parse_string_urdf(self, urdfString: str, importConfig: ImportConfig | None = None) -> UrdfRobot:
        """As :meth:`parse_urdf`, of the text of a file. Meshes need absolute paths."""
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "robot.urdf"), "w", encoding="utf-8") as file:
                file.write(urdfString)
            return self.parse_urdf(folder, "robot.urdf", importConfig)

    def import_robot(
        self,
        assetRoot: str,
        assetName: str,
        robot: UrdfRobot | None,
        importConfig: ImportConfig | None = None,
        stage: str = "",
        getArticulationRoot: bool = False,
    ) -> str:
        """Put a robot on the open stage, or in a USD file.

        Args:
            assetRoot: folder of the robot's file.
            assetName: the file's name.
            robot: what :meth:`parse_urdf` read, with what has been changed; ``None``: the file is read.
            importConfig: how.
            stage: a USD file that is made or replaced, instead of the open stage.
            getArticulationRoot: whether the path of the articulation's root is handed back, not that of the robot.

        Returns:
            A path on the stage or in the file.

        Raises:
            FileNotFoundError: there is no such file.
            ValueError: distances are scaled, up is not z, or the open stage is not in metres, kilograms and z up.
        """
        config = ImportConfig() if importConfig is None else importConfig
        check_metres(config.distance_scale)
        up = config.up_vector
        if [getattr(up, name, None) for name in "xyz"] != [0, 0, 1] and tuple(up) != (0.0, 0.0, 1.0):
            raise ValueError(f"import_config.up_vector is {up}; robots are written with z up, (0, 0, 1)")
        robot = self.parse_urdf(assetRoot, assetName, config) if robot is None else robot
        model, kinds = _driven(robot)

        def write(target: Stage, path: str) -> Written:
            written = write_robot(model, target, path, fixed_base=config.fix_base, density=config.density, alike=False)
            set_drive_types(target, written, kinds)
            return written

        target, written = put(
            write,
            robot.name,
            model.source or robot.name,
            dest_path=stage,
            default_prim=config.make_default_prim,
            physics_scene=config.create_physics_scene,
        )
        return articulation_root(target, written.path) if getArticulationRoot else written.path


def _changed(model: RobotModel, file: str, config: ImportConfig) -> RobotModel:
    """A model with the links, shapes and joints that a configuration asks for."""
    model = changed_model(
        model,
        UrdfConverterCfg(
            asset_path=file,
            fix_base=config.fix_base,
            merge_fixed_joints=config.merge_fixed_joints,
            convert_mimic_joints_to_normal_joints=not config.parse_mimic,
            collision_from_visuals=config.collision_from_visuals,
            collider_type="convex_decomposition" if config.convex_decomp else "convex_hull",
            self_collision=config.self_collision,
            replace_cylinders_with_capsules=config.replace_cylinders_with_capsules,
        ),
    )
    if not config.import_inertia_tensor:
        # Without inertias in USD they follow from mass and shapes where it is simulated.
        model.bodies = [replace(one, inertia=np.zeros((3, 3))) if one.collisions else one for one in model.bodies]
    return model


def _give_drive(joint: UrdfJoint, config: ImportConfig) -> None:
    """Give a joint the drive that a configuration asks for."""
    drive, override = joint.drive, config.override_joint_dynamics
    drive.target_type = UrdfJointTargetType(config.default_drive_type)
    if drive.target_type == _POSITION:
        inertia = joint.joint_inertia if drive.drive_type == _FORCE else 1.0
        drive.strength = inertia * drive.natural_frequency**2
        damping = 2.0 * drive.damping_ratio * drive.natural_frequency * joint.joint_inertia
        drive.damping = damping if override else joint.dynamics.damping
    elif drive.target_type == _VELOCITY and override:
        drive.strength = config.default_drive_strength


def _driven(robot: UrdfRobot) -> tuple[RobotModel, dict[str, str]]:
    """The model of a robot with what scripts have set, and the types of drives by joint."""
    model = replace(robot.model, joints=[copy.copy(joint) for joint in robot.model.joints])
    model.drives = dict(model.drives)
    kinds = {}
    for joint in model.joints:
        said = robot.joints.get(joint.name)
        if said is None or joint.type not in ONE_DOF:
            continue
        joint.lower, joint.upper = said.limit.lower, said.limit.upper
        joint.effort_limit, joint.velocity_limit = said.limit.effort, said.limit.velocity
        joint.friction = said.dynamics.friction
        if joint.mimic is not None:
            joint.damping = said.dynamics.damping
            continue
        joint.damping = 0.0  # it is the drive's, where users expect to change it
        model.drives[joint.name] = _drive(joint, said)
        kinds[joint.name] = _KINDS[UrdfJointDriveType(said.drive.drive_type)]
    return model, kinds


def _drive(joint: Joint, said: UrdfJoint) -> JointDrive:
    """The drive of a joint, per rad where it turns."""
    degrees = joint.type in ("revolute", "continuous")
    gain, angle = (180.0 / math.pi, math.pi / 180.0) if degrees else (1.0, 1.0)
    drive = said.drive
    if drive.target_type == _POSITION:
        found = JointDrive(drive.strength * gain, drive.damping * gain, position=drive.target * angle)
    elif drive.target_type == _VELOCITY:
        found = JointDrive(0.0, drive.strength * gain, velocity=drive.target * angle)
    else:
        found = JointDrive(said.dynamics.stiffness * gain, said.dynamics.damping * gain)
    found.effort_limit = said.limit.effort
    return found


def acquire_urdf_interface() -> Urdf:
    """The importer."""
    return Urdf()


def release_urdf_interface(interface: Urdf) -> None:
    """Nothing: the importer holds nothing."""


JOINT_DRIVE_NONE, JOINT_DRIVE_POSITION, JOINT_DRIVE_VELOCITY = UrdfJointTargetType
JOINT_DRIVE_ACCELERATION, JOINT_DRIVE_FORCE = UrdfJointDriveType

__all__ = [
    "JOINT_DRIVE_ACCELERATION",
    "JOINT_DRIVE_FORCE",
    "JOINT_DRIVE_NONE",
    "JOINT_DRIVE_POSITION",
    "JOINT_DRIVE_VELOCITY",
    "ImportConfig",
    "Urdf",
    "UrdfDynamics",
    "UrdfJoint",
    "UrdfJointDrive",
    "UrdfJointDriveType",
    "UrdfJointMimic",
    "UrdfJointTargetType",
    "UrdfJointType",
    "UrdfLimit",
    "UrdfLink",
    "UrdfRobot",
    "acquire_urdf_interface",
    "release_urdf_interface",
]
