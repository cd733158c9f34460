"""Quadrotors. Figures of the Crazyflie: those that have been measured for it and published with its mass of 27 g."""

from __future__ import annotations

from phalanx.assets.parts import body, box, joint, robot, rod
from phalanx.models.robot_model import Body, Joint, RobotModel

CRAZYFLIE_MASS, CRAZYFLIE_INERTIA = 0.027, (1.4e-5, 1.4e-5, 2.17e-5)
"""kg and kg m^2, propellers included."""

CRAZYFLIE_ARM = 0.046
"""From the middle to each motor, m."""

PROPELLER = 1e-4
"""kg."""


def crazyflie() -> RobotModel:
    """A Crazyflie 2, whose propellers turn about z; the first is ahead to the right, the others follow clockwise."""
    reach = CRAZYFLIE_ARM / 2.0**0.5
    places = [(reach, -reach), (-reach, -reach), (-reach, reach), (reach, reach)]
    arms = [rod((0.0, 0.0, 0.0), (x, y, 0.0), 0.004) for x, y in places]
    hull = body("body", CRAZYFLIE_MASS - 4.0 * PROPELLER, box((0.04, 0.04, 0.03)), drawn=arms, com=(0.0, 0.0, 0.0),
                inertia=CRAZYFLIE_INERTIA)  # fmt: skip
    hull.visuals = [*hull.collisions, *arms]
    return _rotors("cf2x", hull, {f"m{n + 1}": (x, y, 0.02) for n, (x, y) in enumerate(places)}, PROPELLER, 0.023)


def arl_robot() -> RobotModel:
    """A quadrotor of 1.2 kg with arms of 0.18 m; its figures are not published, these are of its size and thrust."""
    reach = 0.13
    places = {
        "back_left": (-reach, reach, 0.03),
        "back_right": (-reach, -reach, 0.03),
        "front_left": (reach, reach, 0.03),
        "front_right": (reach, -reach, 0.03),
    }
    hull = body("base_link", 1.16, box((0.22, 0.22, 0.06)))
    made = _rotors("arl_robot_1", hull, places, 0.01, 0.09)
    for one in made.joints:
        one.type = "fixed"
    return made


def _rotors(
    name: str, hull: Body, places: dict[str, tuple[float, float, float]], mass: float, radius: float
) -> RobotModel:
    bodies: list[Body] = [hull]
    joints: list[Joint] = []
    for key, place in places.items():
        disk = rod((0.0, 0.0, -0.002), (0.0, 0.0, 0.002), radius, "cylinder")
        bodies.append(body(f"{key}_prop", mass, drawn=[disk]))
        joints.append(joint(f"{key}_joint", hull.name, f"{key}_prop", "z", at=place))
    return robot(name, bodies, joints)
