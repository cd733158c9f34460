"""Legged robots that no package on PyPI describes with what tasks need: Cassie, Unitree H1, Spot.

Figures: the URDF files that Agility Robotics' users and Unitree have published, and the MuJoCo model of Spot; rods,
springs and covers are left out.
"""

from __future__ import annotations

from phalanx.assets.parts import ball, body, box, joint, robot, rod, turn
from phalanx.models.robot_model import Body, Joint, RobotModel

_SIDES = (("left", 1.0), ("right", -1.0))


# -- Cassie ----------------------------------------------------------------------------------------------------------


def cassie() -> RobotModel:
    """A biped of 33 kg, without the rods and springs of its legs; six joints in each leg."""
    pelvis = body("pelvis", 10.33, box((0.2, 0.26, 0.16), (0.03, 0.0, 0.08)))
    bodies, joints = [pelvis], []
    for side, sign in _SIDES:
        more, turns = _cassie_leg(side, sign)
        bodies += more
        joints += turns
    return robot("cassie", bodies, joints)


def _cassie_leg(side: str, sign: float) -> tuple[list[Body], list[Joint]]:
    def named(part: str) -> str:
        return f"{side}_{part}"

    def small(part: str, mass: float) -> Body:
        return body(named(part), mass, drawn=[ball(0.05)])

    bodies = [
        small("pelvis_abduction", 1.82),
        small("pelvis_rotation", 1.171),
        body(named("hip"), 5.677, rod((0.02, 0.0, -0.04 * sign), (0.12, 0.0, -0.04 * sign), 0.05)),
        small("thigh", 0.944),
        body(named("shin"), 0.577, rod((0.0, 0.0, 0.0), (0.4, 0.0, 0.0), 0.03)),
        body(named("tarsus"), 1.153, rod((0.04, -0.038, 0.0), (0.38, -0.038, 0.0), 0.025)),
        body(named("toe"), 0.15, rod((-0.058, 0.087, 0.0), (0.074, -0.005, 0.0), 0.02)),
    ]
    ends = (-0.262, 0.393) if sign > 0.0 else (-0.393, 0.262)
    side_on = (0.5, 0.5, 0.5, -0.5)
    rows = (
        ("hip_abduction", "pelvis", "pelvis_abduction", (0.021, 0.135 * sign, 0.0), turn("y", 90.0), ends),
        ("hip_rotation", "pelvis_abduction", "pelvis_rotation", (0.0, 0.0, -0.07), turn("y", -90.0), (-0.393, 0.393)),
        ("hip_flexion", "pelvis_rotation", "hip", (0.0, 0.0, -0.09), side_on, (-0.873, 1.396)),
        ("thigh_joint", "hip", "thigh", (0.12, 0.0, 0.0045 * sign), turn("z", 0.0), (-2.862, -0.646)),
        ("ankle_joint", "shin", "tarsus", (0.4348, 0.02, 0.0), turn("z", 0.0), (0.646, 2.862)),
        ("toe_joint", "tarsus", "toe", (0.408, -0.04, 0.0), turn("z", 0.0), (-2.444, -0.524)),
    )
    joints = [
        joint(f"{name}_{side}", parent if parent == "pelvis" else named(parent), named(child), "z", limits, at=at,
              orientation=turned)
        for name, parent, child, at, turned, limits in rows
    ]  # fmt: skip
    joints.append(joint(f"knee_joint_{side}", named("thigh"), named("shin"), "", at=(0.0607, 0.0474, 0.0)))
    return bodies, joints


# -- H1 --------------------------------------------------------------------------------------------------------------


def h1() -> RobotModel:
    """A humanoid of 1.8 m, 51 kg and 19 joints."""
    torso = [box((0.14, 0.2, 0.44), (0.0, 0.0, 0.25)), rod((0.05, 0.0, 0.6), (0.05, 0.0, 0.68), 0.06)]
    bodies = [body("pelvis", 5.39, ball(0.08)), body("torso_link", 17.789, *torso)]
    joints = [joint("torso", "pelvis", "torso_link", "z", (-2.35, 2.35))]
    for side, sign in _SIDES:
        for parts, turns in (_h1_leg(side, sign), _h1_arm(side, sign)):
            bodies += parts
            joints += turns
    return robot("h1", bodies, joints)


def h1_minimal() -> RobotModel:
    """The same, of which only feet, shins and trunk collide."""
    made = h1()
    for one in made.bodies:
        if not one.name.endswith(("ankle_link", "knee_link", "torso_link")):
            one.collisions = []
    return made


def _h1_leg(side: str, sign: float) -> tuple[list[Body], list[Joint]]:
    soles = [rod((-0.035, y, -0.053), (0.141, y, -0.053), 0.014) for y in (-0.03, 0.03)]
    bodies = [
        body(f"{side}_hip_yaw_link", 2.244, ball(0.05)),
        body(f"{side}_hip_roll_link", 2.232, ball(0.05)),
        body(f"{side}_hip_pitch_link", 4.152, rod((0.01, 0.0, -0.02), (0.01, 0.0, -0.36), 0.04)),
        body(f"{side}_knee_link", 1.721, rod((0.02, 0.0, -0.02), (0.02, 0.0, -0.37), 0.03)),
        body(f"{side}_ankle_link", 0.446, *soles),
    ]
    rows = (
        ("hip_yaw", "pelvis", "z", (0.0, 0.0875 * sign, -0.1742), (-0.43, 0.43)),
        ("hip_roll", f"{side}_hip_yaw_link", "x", (0.0395, 0.0, 0.0), (-0.43, 0.43)),
        ("hip_pitch", f"{side}_hip_roll_link", "y", (0.0, 0.1154 * sign, 0.0), (-1.57, 1.57)),
        ("knee", f"{side}_hip_pitch_link", "y", (0.0, 0.0, -0.4), (-0.26, 2.05)),
        ("ankle", f"{side}_knee_link", "y", (0.0, 0.0, -0.4), (-0.87, 0.52)),
    )
    return bodies, [joint(f"{side}_{n}", up, f"{side}_{n}_link", axis, ends, at=at) for n, up, axis, at, ends in rows]


def _h1_arm(side: str, sign: float) -> tuple[list[Body], list[Joint]]:
    bodies = [
        body(f"{side}_shoulder_pitch_link", 1.033, ball(0.03)),
        body(f"{side}_shoulder_roll_link", 0.793, ball(0.04)),
        body(f"{side}_shoulder_yaw_link", 0.839, rod((0.0, 0.0, -0.03), (0.0, 0.0, -0.16), 0.03)),
        body(f"{side}_elbow_link", 0.669, rod((0.03, 0.0, -0.008), (0.28, 0.0, -0.008), 0.03)),
    ]
    lean = turn("x", 25.0 * sign)
    back = turn("x", -25.0 * sign)
    upright = turn("z", 0.0)
    roll, yaw = ((-0.34, 3.11), (-1.3, 4.45)) if sign > 0.0 else ((-3.11, 0.34), (-4.45, 1.3))
    rows = (
        ("shoulder_pitch", "torso_link", "y", (0.0055, 0.1553 * sign, 0.43), lean, (-2.87, 2.87)),
        ("shoulder_roll", f"{side}_shoulder_pitch_link", "x", (-0.0055, 0.0565 * sign, -0.0165), back, roll),
        ("shoulder_yaw", f"{side}_shoulder_roll_link", "z", (0.0, 0.0, -0.1343), upright, yaw),
        ("elbow", f"{side}_shoulder_yaw_link", "y", (0.0185, 0.0, -0.198), upright, (-1.25, 2.61)),
    )
    return bodies, [
        joint(f"{side}_{name}", up, f"{side}_{name}_link", axis, ends, at=at, orientation=turned)
        for name, up, axis, at, turned, ends in rows
    ]


# -- Spot ------------------------------------------------------------------------------------------------------------


def spot() -> RobotModel:
    """A quadruped of 50 kg and 12 joints."""
    bodies, joints = [body("body", 32.86, box((0.83, 0.2, 0.16)))], []
    for end, ahead in (("f", 1.0), ("h", -1.0)):
        for letter, sign in (("l", 1.0), ("r", -1.0)):
            leg = f"{end}{letter}"
            bodies += [
                body(f"{leg}_hip", 1.68, ball(0.05)),
                body(f"{leg}_uleg", 2.34, rod((0.01, 0.0, -0.02), (0.01, 0.0, -0.28), 0.045)),
                body(f"{leg}_lleg", 0.33, rod((0.0, 0.0, -0.02), (0.0, 0.0, -0.29), 0.02)),
                body(f"{leg}_foot", 0.02, ball(0.036)),
            ]
            hip, hang = (0.2979 * ahead, 0.055 * sign, 0.0), (0.0, 0.1108 * sign, 0.0)
            joints += [
                joint(f"{leg}_hx", "body", f"{leg}_hip", "x", (-0.785, 0.785), at=hip),
                joint(f"{leg}_hy", f"{leg}_hip", f"{leg}_uleg", "y", (-0.899, 2.295), at=hang),
                joint(f"{leg}_kn", f"{leg}_uleg", f"{leg}_lleg", "y", (-2.793, -0.247), at=(0.025, 0.0, -0.32)),
                joint(f"{leg}_foot_joint", f"{leg}_lleg", f"{leg}_foot", "", at=(0.0, 0.0, -0.3365)),
            ]
    return robot("spot", bodies, joints)
