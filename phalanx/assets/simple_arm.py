"""The arm of Isaac Sim's examples of sensors: a pivot, an arm that turns about it, and a slider on the arm.

Figures: those that the tests of Isaac Sim's effort sensor give: 2 kg in all, 1 m from the joint.
"""

from __future__ import annotations

from phalanx.assets.parts import body, box, joint, robot
from phalanx.io.formats.usd.bindings import Sdf, Stage
from phalanx.models.robot_model import JointDrive, RobotModel

REACH, HALF = 1.0, 1.0
"""m: from the pivot to the middle of the arm; kg: the arm's mass, and the slider's."""

PLACES = {"RevoluteJoint": "Arm", "PrismaticJoint": "Slider"}
"""Bodies below which scripts look for the joints."""


def simple_arm() -> RobotModel:
    """An arm of 1 kg that turns about z on a pivot, and a slider of 1 kg along it, stiffly driven to where they are."""
    pivot = body("CenterPivot", 1.0, drawn=[box((0.1, 0.1, 0.1))])
    arm = body("Arm", HALF, drawn=[box((1.8, 0.05, 0.05), (REACH, 0.0, 0.0))])
    slider = body("Slider", HALF, drawn=[box((0.1, 0.1, 0.1))])
    joints = [
        joint("RevoluteJoint", "CenterPivot", "Arm", "z"),
        joint("PrismaticJoint", "Arm", "Slider", "x", (-0.5, 0.5), at=(REACH, 0.0, 0.0), slides=True),
    ]
    made = robot("Articulation", [pivot, arm, slider], joints, fixed_base=True)
    made.drives = {each.name: JointDrive(stiffness=1e5, damping=1e4) for each in joints}
    return made


def revolute_arm() -> RobotModel:
    """An arm of 1 kg that turns about z on a pivot, and nothing else; its joint has no stiffness of its own."""
    pivot = body("CenterPivot", 1.0, drawn=[box((0.1, 0.1, 0.1))])
    arm = body("Arm", HALF, drawn=[box((1.8, 0.05, 0.05), (REACH, 0.0, 0.0))])
    return robot("Articulation", [pivot, arm], [joint("RevoluteJoint", "CenterPivot", "Arm", "z")], fixed_base=True)


def place_joints(stage: Stage) -> None:
    """Put joints below the bodies that they move, where scripts look for them."""
    layer, root = stage.GetRootLayer(), stage.GetDefaultPrim().GetPath()
    for name, below in PLACES.items():
        old = root.AppendPath(f"joints/{name}")
        Sdf.CopySpec(layer, old, layer, root.AppendPath(f"{below}/{name}"))
        stage.RemovePrim(old)
