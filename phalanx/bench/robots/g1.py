"""A humanoid of 33 kg with 29 joints and point contacts under its feet: Unitree's G1 in its 29-dof version.

Positions of joints, ranges, efforts and masses are the maker's published figures, rounded; inertias are those of the
links, without products. Only the feet collide: four small spheres under each, as in the maker's model.
"""

from __future__ import annotations

from phalanx.bench.robots.segments import Quaternion, Segment, Turn, Vector, assemble
from phalanx.maths.arrays import from_euler
from phalanx.models.robot_model import RobotModel, Shape

ARMATURE = 0.01
FOOT = tuple((x, y, -0.03) for x, y in ((-0.05, 0.025), (-0.05, -0.025), (0.12, 0.03), (0.12, -0.03)))
FOOT_RADIUS = 0.005

START = {
    f"{side}_{joint}_joint": value
    for side in ("left", "right")
    for joint, value in (("hip_pitch", -0.3), ("knee", 0.6), ("ankle_pitch", -0.3), ("elbow", 0.8))
}
"""rad, of the joints that are not at zero: slightly bent knees."""

GAINS = (
    ("*hip_*", 200.0, 5.0),
    ("*knee*", 300.0, 6.0),
    ("*ankle*", 200.0, 4.0),
    ("waist*", 300.0, 6.0),
    ("*shoulder*", 60.0, 2.0),
    ("*elbow*", 60.0, 2.0),
    ("*", 20.0, 0.5),
)
"""Pattern of joint names, stiffness, damping."""


def g1() -> RobotModel:
    """The model; its root is the pelvis."""
    pelvis = Segment("pelvis", mass=3.814, com=(0.0, 0.0, -0.076), inertia=(0.01056, 0.00932, 0.00792, 0, 0, 0))
    legs = [segment for side, sign in (("left", 1.0), ("right", -1.0)) for segment in _leg(side, sign)]
    arms = [segment for side, sign in (("left", 1.0), ("right", -1.0)) for segment in _arm(side, sign)]
    return assemble("g1", [pelvis, *legs, *_waist(), *arms])


def _link(
    name: str,
    parent: str,
    position: Vector,
    axis: str,
    limits: tuple[float, float],
    effort: float,
    mass: float,
    com: Vector,
    inertia: Vector,
    orientation: Quaternion = (1.0, 0.0, 0.0, 0.0),
    shapes: tuple[Shape, ...] = (),
) -> Segment:
    """A link with the one joint that carries it, ``name_joint``."""
    x, y, z = (1.0 if letter == axis else 0.0 for letter in "xyz")
    turn = Turn(f"{name}_joint", (x, y, z), *limits, armature=ARMATURE, effort_limit=effort)
    return Segment(name, parent, position, orientation, (turn,), shapes, mass, com, (*inertia, 0.0, 0.0, 0.0))


def _about(axis: str, angle: float) -> Quaternion:
    w, x, y, z = from_euler((angle,), axis).tolist()
    return w, x, y, z


def _mirrored(limits: tuple[float, float], sign: float) -> tuple[float, float]:
    """Limits of a joint about x or z on the other side."""
    return limits if sign > 0 else (-limits[1], -limits[0])


def _leg(side: str, s: float) -> list[Segment]:
    """``s``: sign of y, +1 on the left."""
    tilt = 0.17488  # the hip's pitch axis is tilted by it, and the knee's tilted back, rad
    pitch, roll, yaw = f"{side}_hip_pitch", f"{side}_hip_roll", f"{side}_hip_yaw"
    knee, ankle, foot = f"{side}_knee", f"{side}_ankle_pitch", f"{side}_ankle_roll"
    spheres = tuple(Shape("sphere", (FOOT_RADIUS,), point) for point in FOOT)
    inertias = {
        pitch: (0.00181, 0.00142, 0.00128),
        roll: (0.00238, 0.00241, 0.00166),
        yaw: (0.00578, 0.00761, 0.00315),
        knee: (0.01133, 0.01128, 0.00152),
        ankle: (8.4e-6, 1.9e-5, 1.3e-5),
        foot: (0.00022, 0.00162, 0.00167),
    }
    return [
        _link(pitch, "pelvis", (0.0, 0.06445 * s, -0.1027), "y", (-2.5307, 2.8798), 88.0, 1.35,
              (0.0027, 0.0478 * s, -0.0261), inertias[pitch]),
        _link(roll, pitch, (0.0, 0.052 * s, -0.03046), "x", _mirrored((-0.5236, 2.9671), s), 139.0, 1.52,
              (0.0298, -0.001 * s, -0.0879), inertias[roll], _about("y", -tilt)),
        _link(yaw, roll, (0.025, 0.0, -0.12412), "z", (-2.7576, 2.7576), 88.0, 1.702,
              (-0.0577, -0.011 * s, -0.1508), inertias[yaw]),
        _link(knee, yaw, (-0.07827, 0.00215 * s, -0.17734), "y", (-0.0873, 2.8798), 139.0, 1.932,
              (0.0055, 0.004 * s, -0.1207), inertias[knee], _about("y", tilt)),
        _link(ankle, knee, (0.0, 0.0, -0.30001), "y", (-0.8727, 0.5236), 35.0, 0.074,
              (-0.0073, 0.0, 0.0111), inertias[ankle]),
        _link(foot, ankle, (0.0, 0.0, -0.01756), "x", (-0.2618, 0.2618), 35.0, 0.608,
              (0.0265, 0.0, -0.0164), inertias[foot], shapes=spheres),
    ]  # fmt: skip


def _waist() -> list[Segment]:
    return [
        _link("waist_yaw", "pelvis", (0.0, 0.0, 0.0), "z", (-2.618, 2.618), 88.0, 0.214,
              (0.0035, 0.0, 0.018), (1.07e-4, 1.04e-4, 1.62e-4)),
        _link("waist_roll", "waist_yaw", (-0.004, 0.0, 0.044), "x", (-0.52, 0.52), 35.0, 0.086,
              (0.0, 0.0, 0.0), (7e-6, 6e-6, 8e-6)),
        _link("waist_pitch", "waist_roll", (0.0, 0.0, 0.0), "y", (-0.52, 0.52), 35.0, 7.817,
              (0.002, 0.0, 0.1846), (0.1216, 0.1098, 0.0275)),
    ]  # fmt: skip


def _arm(side: str, s: float) -> list[Segment]:
    tilt = 0.2793  # of the shoulder's pitch axis, rad
    shoulder, elbow, wrist = f"{side}_shoulder", f"{side}_elbow", f"{side}_wrist"
    return [
        _link(f"{shoulder}_pitch", "waist_pitch", (0.004, 0.1002 * s, 0.2478), "y", (-3.0892, 2.6704), 25.0, 0.718,
              (0.0, 0.0359 * s, -0.0116), (4.3e-4, 4.5e-4, 4.2e-4), _about("x", tilt * s)),
        _link(f"{shoulder}_roll", f"{shoulder}_pitch", (0.0, 0.038 * s, -0.0138), "x", _mirrored((-1.5882, 2.2515), s),
              25.0, 0.643, (0.0, 0.0073 * s, -0.0632), (6.2e-4, 6.9e-4, 3.9e-4), _about("x", -tilt * s)),
        _link(f"{shoulder}_yaw", f"{shoulder}_roll", (0.0, 0.0062 * s, -0.1032), "z", (-2.618, 2.618), 25.0, 0.734,
              (0.0108, -0.003 * s, -0.072), (1e-3, 1.06e-3, 4.4e-4)),
        _link(elbow, f"{shoulder}_yaw", (0.0158, 0.0, -0.0805), "y", (-1.0472, 2.0944), 25.0, 0.6,
              (0.065, 0.0044 * s, -0.01), (2.9e-4, 4.2e-4, 4.2e-4)),
        _link(f"{wrist}_roll", elbow, (0.1, 0.0019 * s, -0.01), "x", (-1.9722, 1.9722), 25.0, 0.0854,
              (0.0171, 0.0, 0.0), (4.8e-5, 3.7e-5, 5.5e-5)),
        _link(f"{wrist}_pitch", f"{wrist}_roll", (0.038, 0.0, 0.0), "y", (-1.6144, 1.6144), 5.0, 0.484,
              (0.023, 0.0, -0.0011), (1.7e-4, 4.3e-4, 4.3e-4)),
        _link(f"{wrist}_yaw", f"{wrist}_pitch", (0.046, 0.0, 0.0), "z", (-1.6144, 1.6144), 5.0, 0.2546,
              (0.0708, 0.0, 0.0016), (1.5e-4, 6.4e-4, 5.6e-4)),
    ]  # fmt: skip
