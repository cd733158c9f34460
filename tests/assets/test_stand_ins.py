"""Stand-ins for robots' files: joints and bodies by the names that Isaac Lab's tasks use, masses, and where they go."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.spatial import ConvexHull

pytest.importorskip("pxr", reason="USD is not installed: extra isaac")

from phalanx.assets import building, catalogue, descriptions
from phalanx.assets.building import build, stand_in_origin
from phalanx.assets.catalogue import STAND_INS, StandIn, chosen, standing_in_for
from phalanx.io.formats.usd import load_robot, load_scene
from phalanx.io.formats.usd.bindings import Gf, Usd, UsdGeom, UsdPhysics
from phalanx.io.formats.usd.scene import read_stage
from phalanx.maths.arrays import matrix
from phalanx.models.robot_model import RobotModel
from phalanx.world.world import World

LEGS = [f"{side}{end}_{joint}" for joint in ("HAA", "HFE", "KFE") for side in "LR" for end in "FH"]
UNITREE = [f"{side}_{joint}_joint" for side in ("FL", "FR", "RL", "RR") for joint in ("hip", "thigh", "calf")]
JOINTS = {
    "cartpole": ["slider_to_cart", "cart_to_pole"],
    "cart-double-pendulum": ["slider_to_cart", "cart_to_pole", "pole_to_pendulum"],
    "anymal-b": LEGS, "anymal-c": LEGS, "anymal-d": LEGS,
    "a1": UNITREE, "go1": UNITREE, "go2": UNITREE,
    "franka": [*(f"panda_joint{n}" for n in range(1, 8)), "panda_finger_joint1", "panda_finger_joint2"],
    "ur10": ["shoulder_pan_joint", "shoulder_lift_joint", "elbow_joint", *(f"wrist_{n}_joint" for n in (1, 2, 3))],
    "allegro-hand": [f"{digit}_joint_{n}" for digit in ("index", "middle", "ring", "thumb") for n in range(4)],
    "shadow-hand": [
        "robot0_WRJ0", "robot0_WRJ1", "robot0_LFJ4", "robot0_THJ4",
        *(f"robot0_{digit}J{n}" for digit in ("FF", "MF", "RF", "LF", "TH") for n in range(4)),
    ],
    "crazyflie": [f"m{n}_joint" for n in (1, 2, 3, 4)],
    "cassie": [
        f"{joint}_{side}" for side in ("left", "right")
        for joint in ("hip_abduction", "hip_rotation", "hip_flexion", "thigh_joint", "ankle_joint", "toe_joint")
    ],
    "h1": [
        "torso",
        *(f"{side}_{joint}" for side in ("left", "right") for joint in (
            "hip_yaw", "hip_roll", "hip_pitch", "knee", "ankle",
            "shoulder_pitch", "shoulder_roll", "shoulder_yaw", "elbow",
        )),
    ],
    "spot": [f"{leg}_{joint}" for leg in ("fl", "fr", "hl", "hr") for joint in ("hx", "hy", "kn")],
    "jaco-7": [
        *(f"j2n7s300_joint_{n}" for n in range(1, 8)),
        *(f"j2n7s300_joint_{part}_{n}" for part in ("finger", "finger_tip") for n in (1, 2, 3)),
    ],
    "jaco-6": [
        *(f"j2n6s300_joint_{n}" for n in range(1, 7)),
        *(f"j2n6s300_joint_{part}_{n}" for part in ("finger", "finger_tip") for n in (1, 2, 3)),
    ],
    "gen3": [f"joint_{n}" for n in range(1, 8)],
    "sawyer": ["head_pan", *(f"right_j{n}" for n in range(7))],
    "gantry": ["x_axis", "y_axis", "z_axis"],
    "jetbot": ["left_wheel_joint", "right_wheel_joint"],
    "nova-carter": [
        "joint_caster_base", "joint_wheel_left", "joint_wheel_right", "joint_swing_left", "joint_swing_right",
        "joint_caster_left", "joint_caster_right",
    ],
    "carter-v1": ["left_wheel", "right_wheel", "rear_pivot", "rear_axle"],
    "kaya": [*(f"axle_{n}_joint" for n in range(3)), *(f"roller_{n}_{k}_joint" for n in range(3) for k in range(8))],
    "cabinet": ["door_left_joint", "door_right_joint", "drawer_bottom_joint", "drawer_top_joint"],
}  # fmt: skip
"""Of robots with these joints and no others, in no order."""

MASSES = {
    "anymal-c": 52.13,
    "anymal-b": 30.48,
    "go2": 16.09,
    "ur10": 32.7,
    "crazyflie": 0.027,
    "gen3": 8.2,
    "spot": 50.34,
    "jetbot": 1.0,
    "kaya": 2.0,
    "nova-carter": 50.0,
    "carter-v1": 30.0,
    "allegro-hand": 0.9549,
    "shadow-hand": 5.011,
}
"""kg, as the descriptions and publications sum up."""

BODIES = {
    "anymal-c": ["base", "LF_FOOT", "RH_SHANK"],
    "a1": ["trunk", "FL_foot", "RR_calf"],
    "franka": ["panda_link0", "panda_link7", "panda_hand", "panda_leftfinger", "panda_rightfinger"],
    "ur10": ["base_link", "ee_link", "wrist_3_link"],
    "g1": ["pelvis", "torso_link", "left_ankle_roll_link", "right_elbow_roll_link", "left_zero_link"],
    "humanoid": ["torso", "left_foot", "right_foot", "right_hand"],
    "ant": ["torso", "front_left_foot", "right_back_foot"],
    "cabinet": ["sektion", "drawer_handle_top", "drawer_handle_bottom"],
    "shadow-hand": ["robot0_palm", *(f"robot0_{digit}distal" for digit in ("ff", "mf", "rf", "lf", "th"))],
    "allegro-hand": ["palm_link", "index_link_3", "thumb_link_3"],
    "arl-robot-1": ["base_link", "back_left_prop", "front_right_prop"],
}


def made(name: str, folder) -> RobotModel:
    (one,) = chosen([name])
    try:
        return load_robot(build(one, folder)[0])
    except descriptions.MissingPackageError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("assets")


@pytest.mark.parametrize("name", JOINTS)
def test_joints_have_the_names_that_tasks_use(name, folder):
    model = made(name, folder)
    assert sorted(one.name for one in model.joints if one.type != "fixed") == sorted(JOINTS[name])


@pytest.mark.parametrize("name", BODIES)
def test_bodies_have_the_names_that_tasks_use(name, folder):
    assert set(BODIES[name]) <= {one.name for one in made(name, folder).bodies}


@pytest.mark.parametrize("name", MASSES)
def test_masses_are_those_of_the_real_ones(name, folder):
    assert sum(one.mass for one in made(name, folder).bodies) == pytest.approx(MASSES[name], rel=2e-3)


@pytest.mark.parametrize("one", STAND_INS, ids=lambda one: one.name)
def test_all_can_be_built_and_read(one: StandIn, folder):
    if one.write is not None:
        pytest.importorskip("torch", reason="torch is not installed")
    try:
        files = build(one, folder)
    except descriptions.MissingPackageError as error:
        pytest.skip(str(error))
    assert [str(path.relative_to(folder)) for path in files] == list(one.files)
    assert all(stand_in_origin(path) == one.origin for path in files)
    assert standing_in_for(one.files[0]) is one
    if one.write is not None:
        return
    scene = load_scene(files[0])
    for actor in scene.actors.values():
        for body in actor.model.bodies:
            if body.hidden or actor.kind == "static":
                continue
            own = np.linalg.eigvalsh(body.inertia)
            assert body.mass > 0.0 and own[0] > 0.0 and own[2] <= (own[0] + own[1]) * (1.0 + 1e-4), body.name


def test_the_humanoid_has_21_dofs_that_turn_within_their_own_limits(folder):
    model = made("humanoid", folder)
    moving = {one.name: one for one in model.joints if one.type != "fixed"}
    assert len(moving) == 21
    hip = moving["right_thigh:rotY"]
    assert (math.degrees(hip.lower), math.degrees(hip.upper)) == pytest.approx((-110.0, 20.0), abs=1e-3)
    left = moving["left_thigh:rotX"]
    assert (math.degrees(left.lower), math.degrees(left.upper)) == pytest.approx((-5.0, 25.0), abs=1e-3)


def test_the_shadow_hand_lies_on_its_back_and_bends_its_fingers_upwards(folder):
    """Isaac Lab's tasks put what the hand is to turn 0.39 m along -y and 0.1 m above the base."""
    world = World()
    hand = world.add_robot(made("shadow-hand", folder), "hand")
    tip = hand.body_names.index("robot0_ffdistal")
    at = hand.body_pose[0, tip, :3]
    assert at[1] == pytest.approx(-0.465, abs=5e-3) and abs(at[2]) < 5e-3
    position = np.zeros(hand.num_dof)
    position[[hand.joint_names.index(f"robot0_FFJ{n}") for n in (0, 1, 2)]] = 0.5
    hand.set_joint_state(pos=position)
    assert hand.body_pose[0, tip, 2] > 0.03
    assert [one.name for one in made("shadow-hand", folder).fixed_tendons] == [
        f"robot0_T_{finger}J1c" for finger in ("FF", "MF", "RF", "LF")
    ]


def test_policies_ask_for_the_default_pose(tmp_path):
    """One for observations of the robot alone, and one for those that heights of the ground follow."""
    torch = pytest.importorskip("torch", reason="torch is not installed")
    files = build(chosen(["anymal-c-policy"])[0], tmp_path)
    assert [file.parent.name for file in files] == ["Blind", "HeightScan"]
    for file, observed in zip(files, (48, 48 + 17 * 11), strict=True):
        actions = torch.jit.load(str(file))(torch.randn(7, observed))
        assert actions.shape == (7, 12) and not actions.any()


def test_single_bodies_are_the_files_own_prim(folder):
    (one,) = chosen(["dex-cube"])
    stage = Usd.Stage.Open(str(build(one, folder)[0]))
    prim = stage.GetDefaultPrim()
    assert prim.HasAPI(UsdPhysics.RigidBodyAPI) and not prim.HasAPI(UsdPhysics.ArticulationRootAPI)
    (block,) = chosen(["basic-block"])  # but for this one, which Isaac Sim's scripts look for below it
    stage = Usd.Stage.Open(str(build(block, folder)[0]))
    assert stage.GetDefaultPrim().GetChild("Cube").HasAPI(UsdPhysics.RigidBodyAPI)
    (table,) = chosen(["table"])
    stage = Usd.Stage.Open(str(build(table, folder)[0]))
    prims = list(stage.Traverse())
    assert any(prim.HasAPI(UsdPhysics.CollisionAPI) for prim in prims)
    assert not any(prim.HasAPI(UsdPhysics.RigidBodyAPI) for prim in prims)


def test_a_scaled_cube_for_hands_weighs_what_isaac_sim_reports(folder):
    """0.216 kg whatever the scale, and at 0.8 a moment of 8.3e-5 kg m^2, as measured there by others."""
    (one,) = chosen(["dex-cube"])
    stage = Usd.Stage.CreateInMemory()
    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    prim = stage.DefinePrim("/cube", "Xform")
    prim.GetReferences().AddReference(str(build(one, folder)[0]))
    UsdGeom.Xformable(prim).AddScaleOp(UsdGeom.XformOp.PrecisionDouble).Set(Gf.Vec3d(0.8))
    (actor,) = read_stage(stage).actors.values()
    (cube,) = actor.model.bodies
    assert cube.mass == pytest.approx(0.216, rel=1e-6)
    np.testing.assert_allclose(cube.inertia, 0.216 * 0.048**2 / 6.0 * np.eye(3), rtol=1e-5, atol=1e-9)


def test_fingers_of_the_franka_are_filled_up_to_the_hand(folder):
    """The description's boxes leave a gap above the tip, which is 18 mm high; the mesh reaches from 0 to 54 mm."""
    robot = made("franka", folder)
    for finger, inwards in (("panda_leftfinger", -1.0), ("panda_rightfinger", 1.0)):
        body = next(one for one in robot.bodies if one.name == finger)
        (shape,) = body.collisions
        assert shape.kind == "mesh" and shape.approximation == "convex_hull"
        assert body.mass == pytest.approx(0.0216)
        hull = ConvexHull(np.asarray(shape.vertices) @ matrix(shape.orientation).T + shape.position)
        for height in (0.005, 0.02, 0.035, 0.05):  # m, from where the finger slides on the hand
            inner, outer = ([0.0, -inwards * depth, height] for depth in (0.0027, -0.0003))
            inside = [bool((hull.equations @ [*point, 1.0] < 0.0).all()) for point in (inner, outer)]
            assert inside == [True, False], height


def test_files_of_users_are_kept(tmp_path):
    (one,) = chosen(["cartpole"])
    path = tmp_path / one.files[0]
    path.parent.mkdir(parents=True)
    stage = Usd.Stage.CreateInMemory()
    stage.GetRootLayer().Export(str(path))
    assert build(one, tmp_path) == [] and stand_in_origin(path) is None
    assert build(one, tmp_path, replace=True) == [path] and stand_in_origin(path) == one.origin
    assert build(one, tmp_path) == [path]  # stand-ins are written anew


def test_names(tmp_path):
    assert [one.name for one in chosen(["ANYmal_C", "go*"])] == ["anymal-c", "go1", "go2", "go1-network"]
    assert chosen([]) == list(STAND_INS) and len({one.name for one in STAND_INS}) == len(STAND_INS)
    with pytest.raises(KeyError, match="no stand-in 'unicorn'; there are cartpole, "):
        chosen(["unicorn"])
    assert standing_in_for("Isaac/nothing.usd") is None


def test_a_missing_package_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(descriptions.sys, "path", [str(tmp_path)])
    with pytest.raises(descriptions.MissingPackageError, match="pip install example-robot-data"):
        build(chosen(["a1"])[0], tmp_path)
    assert not list(tmp_path.rglob("*.usd"))


def test_networks_give_what_a_plain_controller_gives(tmp_path):
    torch = pytest.importorskip("torch", reason="torch is not installed")
    lstm, mlp = (build(one, tmp_path)[0] for one in chosen(["anydrive-network", "go1-network"]))
    drive = torch.jit.load(str(lstm))
    state = tuple(torch.zeros(2, 4, 8) for _ in range(2))
    efforts, _ = drive(torch.tensor([[[0.1, 2.0]]]).repeat(4, 1, 1), state)
    torch.testing.assert_close(efforts, torch.full((4, 1), 86.0 * 0.1 - 5.0 * 2.0))
    assert drive.lstm.state_dict()["weight_hh_l0"].shape[1] == 8
    inputs = torch.tensor([[-0.1, 0.3, 0.3, 2.0, 1.0, 1.0]])  # Isaac Lab negates position errors for this network
    torch.testing.assert_close(torch.jit.load(str(mlp))(inputs), torch.tensor([[20.0 * 0.1 - 0.5 * 2.0]]))


def test_catalogue_and_builder_agree_on_what_is_a_file():
    assert building.MARK and all((one.make is None) != (one.write is None) for one in catalogue.STAND_INS)
    assert all(one.files[0].endswith((".usd", ".usda")) for one in catalogue.STAND_INS if one.make is not None)


@pytest.mark.parametrize("name", ["franka-sim", "ur10-sim", "jetbot"])
def test_robots_of_isaac_sim_have_drives(name, folder):
    """Scripts of Isaac Sim take the gains that are in its files."""
    model = made(name, folder)
    moving = [one.name for one in model.joints if one.type != "fixed"]
    assert set(model.drives) == set(moving) and all(model.drives[one].damping > 0.0 for one in moving)
    if name == "franka-sim":
        arm = [f"panda_link{n}" for n in range(9)]
        assert [one.name for one in model.bodies] == [*arm, "panda_hand", "panda_leftfinger", "panda_rightfinger"]
        assert model.joint_pos["panda_joint4"] == pytest.approx(-2.81, abs=1e-5)
        assert model.drives["panda_joint4"].position == pytest.approx(-2.81, abs=1e-5)


def test_the_teddy_bear_is_a_soft_body(folder):
    """Lying down, as large and as light as one, with an arm where fingers close that Isaac Lab's script moves."""
    (one,) = chosen(["teddy-bear"])
    (path,) = build(one, folder)
    world = World(dtype="float64")
    world.add_usd(path)
    world.build()
    (bear,) = world.deformables.values()
    points = bear.node_pos[0] / 100  # tasks scale it
    size = np.ptp(points, axis=0)
    assert 0.18 < size[0] < 0.26 and 0.18 < size[1] < 0.26 and size[2] < 0.1
    assert 0.005 < bear.node_mass.sum() / 100**3 < 0.3
    # the script turns it by 90 degrees and goes (0.02, -0.08) from the middle: (-0.08, -0.02) of its own; fingers 18 mm
    # wide and 80 mm apart come down there, and close along (1, -1)
    arm = points - points.mean(axis=0) - (-0.08, -0.02, 0.0)
    along, across = (arm @ (np.array(one) / np.sqrt(2)) for one in ((1, 1, 0), (1, -1, 0)))
    there = (np.abs(along) < 0.012) & (np.abs(arm[:, 2]) < 0.015)
    held = across[there & (np.abs(across) < 0.035)]
    assert held.min() < -0.01 and held.max() > 0.01 and np.ptp(held) < 0.05
    assert not (there & (np.abs(across) > 0.035) & (np.abs(across) < 0.05)).any()  # where fingers come down
