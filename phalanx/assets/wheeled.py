"""Robots on wheels."""

from __future__ import annotations

from phalanx.assets.articulation_roots import root_at_default_prim
from phalanx.assets.parts import ball, body, box, joint, robot, rod, turn
from phalanx.io.formats.usd.bindings import Gf, Sdf, Stage, UsdGeom
from phalanx.models.robot_model import JointDrive, RobotModel

JETBOT_RADIUS, JETBOT_BASE = 0.03, 0.1125
"""m: of the wheels, and between them, as scripts for Isaac Sim give them."""


def jetbot() -> RobotModel:
    """A Jetbot of 1 kg: two driven wheels, and a ball behind that slides without friction."""
    half, radius = JETBOT_BASE / 2.0, JETBOT_RADIUS
    caster = ball(0.012, (-0.06, 0.0, -radius + 0.012))
    caster.material = {"static_friction": 0.0, "dynamic_friction": 0.0, "friction_combine": "multiply"}
    chassis = body("chassis", 0.9, box((0.13, 0.08, 0.06), (-0.015, 0.0, 0.025)), caster)
    bodies, joints = [chassis], []
    for side, y in (("left", half), ("right", -half)):
        wheel = rod((0.0, -0.012, 0.0), (0.0, 0.012, 0.0), radius, "cylinder")
        # A ball touches the ground in the middle of the wheel: wheels are as far apart as they are said to be.
        bodies.append(body(f"{side}_wheel", 0.05, ball(radius), drawn=[wheel]))
        joints.append(joint(f"{side}_wheel_joint", "chassis", f"{side}_wheel", "y", at=(0.0, y, 0.0), effort=1.0))
    made = robot("jetbot", bodies, joints)
    made.drives = {each.name: JointDrive(damping=0.2) for each in joints}
    return made


KAYA_WHEELS = ((-0.0980432, 0.000636773), (0.0493475, -0.084525), (0.0495291, 0.0856937))
"""m: where Kaya's wheels are from its middle, as Isaac Sim's documents give them."""

KAYA_RADIUS, KAYA_TURNS = 0.04, (180.0, -60.0, 60.0)
"""m; degrees: which way wheels' axes point."""

ROLLERS, ROLLER_RADIUS, ROLLER_HALF = 8, 0.012, 0.008
"""On the rim of each wheel, and half the length of a roller without its caps, m."""

KAYA_HEIGHT, KAYA_MIDDLE = 0.02, 0.070501
"""m: of the wheels' middles, and of the point that is controlled, above the origin."""


def kaya() -> RobotModel:
    """A Kaya of 2 kg: three driven wheels with eight free rollers each."""
    base = body("base_link", 1.7, rod((0.0, 0.0, 0.05), (0.0, 0.0, 0.11), 0.09, "cylinder"))
    bodies, joints, drives = [base], [], {}
    rim = KAYA_RADIUS - ROLLER_RADIUS
    for n, ((x, y), heading) in enumerate(zip(KAYA_WHEELS, KAYA_TURNS, strict=True)):
        wheel, axle = f"axle_{n}_link", f"axle_{n}_joint"
        drawn = [rod((-0.008, 0.0, 0.0), (0.008, 0.0, 0.0), 0.7 * rim, "cylinder")]
        bodies.append(body(wheel, 0.06, com=(0.0, 0.0, 0.0), inertia=(3e-5, 2e-5, 2e-5), drawn=drawn))
        place = (x, y, KAYA_HEIGHT)
        joints.append(joint(axle, "base_link", wheel, "x", at=place, orientation=turn("z", heading), effort=0.5))
        drives[axle] = JointDrive(damping=0.2)
        for k in range(ROLLERS):
            angle = 360.0 * k / ROLLERS
            name, (w, i, _, _) = f"roller_{n}_{k}", turn("x", angle)
            up = (0.0, -2.0 * w * i * rim, (w * w - i * i) * rim)
            roller = rod((0.0, -ROLLER_HALF, 0.0), (0.0, ROLLER_HALF, 0.0), ROLLER_RADIUS)
            bodies.append(body(f"{name}_link", 0.005, roller))
            joints.append(joint(f"{name}_joint", wheel, f"{name}_link", "y", at=up, orientation=turn("x", angle)))
    made = robot("kaya", bodies, joints)
    made.drives = drives
    return made


def mark_kaya(stage: Stage) -> None:
    """Let the stage say what the wheels are, as Isaac Sim's own file does, and which point is controlled."""
    root = stage.GetDefaultPrim()
    for prim in stage.Traverse():
        if prim.GetName().startswith("axle_") and prim.GetName().endswith("_joint"):
            for name, value in (("angle", 90.0), ("radius", KAYA_RADIUS)):
                prim.CreateAttribute(f"isaacmecanumwheel:{name}", Sdf.ValueTypeNames.Float).Set(value)
    root_at_default_prim(stage)  # scripts look for the wheels below the articulation's root
    middle = UsdGeom.Xform.Define(stage, root.GetPath().AppendPath("base_link/control_offset"))
    middle.AddTranslateOp().Set(Gf.Vec3d(0.0, 0.0, KAYA_MIDDLE))
