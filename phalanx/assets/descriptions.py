"""Robots from the descriptions that the package ``example-robot-data`` brings, by the names in Isaac Lab's files."""

from __future__ import annotations

import copy
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from phalanx.io.formats.urdf import load_urdf
from phalanx.models.merging import merge_fixed_joints
from phalanx.models.meshes import mass_properties
from phalanx.models.meshes.mesh_files import load_mesh
from phalanx.models.robot_model import JointDrive, RobotModel, Shape

PACKAGE = "example-robot-data"
"""On PyPI; 400 MB, BSD and MIT licences, robot by robot."""

REMEDY = f"pip install {PACKAGE}"


class MissingPackageError(RuntimeError):
    """The package with the descriptions is not installed."""


def file(path: str) -> Path:
    """A file of the package.

    Raises:
        MissingPackageError: it is not installed, or has no such file.
    """
    for place in sys.path:
        found = Path(place) / "cmeel.prefix" / "share" / "example-robot-data" / "robots" / path
        if found.is_file():
            return found
    raise MissingPackageError(f"the description {path} comes with the package {PACKAGE}: {REMEDY}")


@dataclass(frozen=True)
class Description:
    """How a description becomes a robot as tasks know it.

    Attributes:
        path: of the URDF file in the package.
        kept: expressions for bodies that stay although fixed joints carry them; all other such bodies become part of
            the one that carries them.
        stiff: expressions for joints that do not move.
        joints, bodies: other names, by the old ones.
        root: the root body, if the file has others above it.
        fixed_base: whether the root cannot move.
        only: expressions for bodies that collide; all by default.
        finish: changes the model at the end.
    """

    path: str
    kept: tuple[str, ...] = ()
    stiff: tuple[str, ...] = ()
    joints: Mapping[str, str] = field(default_factory=dict)
    bodies: Mapping[str, str] = field(default_factory=dict)
    root: str = ""
    fixed_base: bool = False
    only: tuple[str, ...] = (".*",)
    finish: Callable[[RobotModel], None] | None = None

    def model(self) -> RobotModel:
        """The robot; MissingPackageError if the package is not installed."""
        model = load_urdf(file(self.path))
        if self.root:
            _cut_above(model, self.root)
        model = replace(model, joints=[copy.copy(joint) for joint in model.joints], fixed_base=self.fixed_base)
        for joint in model.joints:
            if _any(self.stiff, joint.name):
                joint.type = "fixed"
        fixed = {joint.child for joint in model.joints if joint.type == "fixed"}
        model = merge_fixed_joints(model, keep=[name for name in fixed if _any(self.kept, name)])
        for one in model.bodies:
            one.name = self.bodies.get(one.name, one.name)
            if not _any(self.only, one.name):
                one.collisions = []
        for joint in model.joints:
            joint.parent, joint.child = (self.bodies.get(name, name) for name in (joint.parent, joint.child))
            joint.name = self.joints.get(joint.name, joint.name)
            if joint.mimic is not None and joint.mimic.joint in self.joints:
                joint.mimic = replace(joint.mimic, joint=self.joints[joint.mimic.joint])
        if self.finish is not None:
            self.finish(model)
        return model


def _any(expressions: tuple[str, ...], name: str) -> bool:
    return any(re.fullmatch(one, name) for one in expressions)


def _cut_above(model: RobotModel, root: str) -> None:
    """Leave out what a body hangs on."""
    gone = {joint.parent for joint in model.joints if joint.child == root}
    model.bodies = [one for one in model.bodies if one.name not in gone]
    model.joints = [joint for joint in model.joints if joint.parent not in gone]


def _without_mimics(model: RobotModel) -> None:
    """Joints that follow others are driven by themselves, as tasks do it."""
    for joint in model.joints:
        joint.mimic = None


# -- quadrupeds ------------------------------------------------------------------------------------------------------

ANYMAL_B = Description("anymal_b_simple_description/robots/anymal.urdf", kept=(".*_FOOT",))
ANYMAL_C = Description("anymal_c_simple_description/urdf/anymal.urdf", kept=(".*_FOOT",))
A1 = Description("a1_description/urdf/a1.urdf", kept=(".*_foot",), root="trunk")
GO1 = Description("go1_description/urdf/go1.urdf", kept=(".*_foot",), root="trunk")
GO2 = Description("go2_description/urdf/go2.urdf", kept=(".*_foot",))

# -- a humanoid ------------------------------------------------------------------------------------------------------

_SIDES = ("left", "right")
_FINGERS = {"thumb_0": "zero", "thumb_1": "one", "thumb_2": "two"}
_FINGERS |= {"middle_0": "three", "middle_1": "four", "index_0": "five", "index_1": "six"}
_G1_JOINTS = {"waist_yaw_joint": "torso_joint"}
_G1_BODIES = {"waist_yaw_link": "torso_link"}
for _side in _SIDES:
    _G1_JOINTS |= {f"{_side}_elbow_joint": f"{_side}_elbow_pitch_joint"}
    _G1_JOINTS |= {f"{_side}_wrist_roll_joint": f"{_side}_elbow_roll_joint"}
    _G1_JOINTS |= {f"{_side}_hand_{old}_joint": f"{_side}_{new}_joint" for old, new in _FINGERS.items()}
    _G1_BODIES |= {f"{_side}_elbow_link": f"{_side}_elbow_pitch_link"}
    _G1_BODIES |= {f"{_side}_wrist_roll_link": f"{_side}_elbow_roll_link"}
    _G1_BODIES |= {f"{_side}_hand_{old}_link": f"{_side}_{new}_link" for old, new in _FINGERS.items()}

G1 = Description(
    "g1_description/urdf/g1_29dof_with_hand_rev_1_0.urdf",
    stiff=("waist_roll_joint", "waist_pitch_joint", ".*_wrist_pitch_joint", ".*_wrist_yaw_joint"),
    joints=_G1_JOINTS,
    bodies=_G1_BODIES,
)
"""With one joint in the waist, two in each elbow, and hands, as Isaac Lab's own file has it."""

G1_MINIMAL = replace(G1, only=(".*_ankle_roll_link",))
"""Only the feet collide."""

G1_29 = Description("g1_description/urdf/g1_29dof_with_hand_rev_1_0.urdf", kept=(".*_hand_palm_link", "imu_in_.*"))
"""With all joints of the newer revision."""

# -- arms and hands --------------------------------------------------------------------------------------------------

FINGER_MESH = "panda_description/meshes/collision/finger.stl"
"""What a finger is in collisions, which the description leaves out for four boxes."""

FINGER_MASS = 0.0216
"""kg: what Isaac Sim reports of a Franka's fingers. Filled with water, the hull of the mesh would weigh 0.022 kg."""


def _panda_of_isaac_lab(model: RobotModel) -> None:
    """Fingers of Isaac Lab's file collide as hulls of their meshes, as their mass tells: flat from the tip to the top.

    Between the boxes is a gap above the tip, so that they hold a cube by 18 mm of its 48 mm.
    """
    _without_mimics(model)
    vertices, faces = load_mesh(file(FINGER_MESH))
    for finger in model.bodies:
        if finger.name.endswith("finger"):
            (drawn,) = finger.visuals
            finger.collisions = [Shape("mesh", (), drawn.position, drawn.orientation, vertices, faces)]
            filled = mass_properties.of(finger.collisions, mass=FINGER_MASS)
            finger.mass, finger.inertia = FINGER_MASS, filled.inertia
            x, y, z = filled.com.tolist()
            finger.com = x, y, z


PANDA = Description(
    "panda_description/urdf/panda.urdf", kept=("panda_hand",), fixed_base=True, finish=_panda_of_isaac_lab
)
UR10 = Description("ur_description/urdf/ur10_robot.urdf", kept=("ee_link",), root="base_link", fixed_base=True)


FINGER_EFFORT = 70.0
"""N: with which the Franka Hand holds on."""


def _with_drives(model: RobotModel, gains: tuple[float, float], fingers: tuple[float, float]) -> None:
    """Stiffness and damping of joints that turn and of fingers; no gravity, as in Isaac Sim's files of arms."""
    _without_mimics(model)
    for one in model.bodies:
        one.gravity_scale = 0.0
    for joint in model.joints:
        if joint.type != "fixed":
            stiffness, damping = fingers if joint.type == "prismatic" else gains
            if joint.type == "prismatic":  # fingers that press with all they have would give way to the sides
                joint.effort_limit = FINGER_EFFORT
            model.drives[joint.name] = JointDrive(stiffness=stiffness, damping=damping)


PANDA_READY = (0.012, -0.57, 0.0, -2.81, 0.0, 3.037, 0.741)
"""rad: joints of the arm where Isaac Sim's scripts begin."""


FLANGE_MASS = 0.1
"""kg: what forces of joints say that the flange of Isaac Sim's Franka weighs. The description gives it none."""

FLANGE_RADIUS = 0.03
"""m: of the ball that has the flange's inertia."""


def _panda_of_isaac_sim(model: RobotModel) -> None:
    flange = next(one for one in model.bodies if one.name == "panda_link8")
    flange.mass, flange.inertia = FLANGE_MASS, 0.4 * FLANGE_MASS * FLANGE_RADIUS**2 * np.eye(3)
    _with_drives(model, (4000.0, 400.0), (800.0, 30.0))
    model.joint_pos = {f"panda_joint{n}": angle for n, angle in enumerate(PANDA_READY, 1)}
    model.joint_pos |= {f"panda_finger_joint{n}": 0.04 for n in (1, 2)}
    for name, position in model.joint_pos.items():
        model.drives[name] = replace(model.drives[name], position=position)


def _ur10_of_isaac_sim(model: RobotModel) -> None:
    _with_drives(model, (4000.0, 400.0), (800.0, 30.0))


PANDA_SIM = replace(PANDA, kept=("panda_link8", "panda_hand"), finish=_panda_of_isaac_sim)
"""With drives and a flange, in the posture in which Isaac Sim's own file has it."""

UR10_SIM = replace(UR10, finish=_ur10_of_isaac_sim)
"""With drives."""

_DIGITS = ("index", "middle", "ring", "thumb")
ALLEGRO = Description(
    "allegro_hand_description/urdf/allegro_right_hand.urdf",
    joints={f"joint_{4 * d + n}.0": f"{digit}_joint_{n}" for d, digit in enumerate(_DIGITS) for n in range(4)},
    bodies={f"link_{4 * d + n}.0": f"{digit}_link_{n}" for d, digit in enumerate(_DIGITS) for n in range(4)},
    fixed_base=True,
)
