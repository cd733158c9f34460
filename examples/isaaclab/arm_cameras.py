"""Arms over objects, seen by a camera beside each and by one in its hand: a script for Isaac Lab, run by Phalanx.

    phalanx exec examples/isaaclab/arm_cameras.py --device cpu --num_envs 16 --save pictures

Objects lie elsewhere in each environment, and have labels: pictures tell which pixel shows which. A cloud of points
from the depth that a camera sees shows how high the objects are. The robot is a URDF file that comes with Phalanx, a
Panda; all else is as anywhere. It runs with torch, and without it on NumPy's arrays.
"""

import argparse

from isaaclab.app import AppLauncher

parser = argparse.ArgumentParser(description="What cameras see of arms and objects.")
parser.add_argument("--num_envs", type=int, default=4, help="Number of environments.")
parser.add_argument("--steps", type=int, default=60, help="Steps to simulate.")
parser.add_argument("--size", type=int, default=96, help="Height of pictures, pixels.")
parser.add_argument("--save", default=None, help="Folder for pictures.")
AppLauncher.add_app_launcher_args(parser)
args_cli = parser.parse_args()
args_cli.enable_cameras = True

app_launcher = AppLauncher(args_cli)
simulation_app = app_launcher.app

# The rest is imported when the application runs.

import math  # noqa: E402
import os  # noqa: E402

import isaaclab.sim as sim_utils  # noqa: E402
from isaaclab.actuators import ImplicitActuatorCfg  # noqa: E402
from isaaclab.assets import Articulation, ArticulationCfg, AssetBaseCfg, RigidObjectCfg  # noqa: E402
from isaaclab.scene import InteractiveScene, InteractiveSceneCfg  # noqa: E402
from isaaclab.sensors import CameraCfg, TiledCameraCfg  # noqa: E402
from isaaclab.sensors.camera.utils import create_pointcloud_from_depth, save_images_to_file  # noqa: E402
from isaaclab.utils import configclass  # noqa: E402

from phalanx.io.formats.library import path as shipped_robot  # noqa: E402

ARM_CFG = ArticulationCfg(
    spawn=sim_utils.UrdfFileCfg(
        asset_path=str(shipped_robot("arm")),
        fix_base=True,
        merge_fixed_joints=False,  # else the tool is a part of the last link
        joint_drive=sim_utils.UrdfConverterCfg.JointDriveCfg(
            target_type="position",
            gains=sim_utils.UrdfConverterCfg.JointDriveCfg.PDGainsCfg(stiffness=0.0, damping=0.0),
        ),
        rigid_props=sim_utils.RigidBodyPropertiesCfg(disable_gravity=True),
        semantic_tags=[("class", "robot")],
    ),
    init_state=ArticulationCfg.InitialStateCfg(
        joint_pos={
            "joint[1357]": 0.0,
            "joint2": -0.3,
            "joint4": -2.4,
            "joint6": 2.1,
            ".*finger_joint": 0.04,
        },
    ),
    actuators={
        "arm": ImplicitActuatorCfg(joint_names_expr=["joint[1-7]"], stiffness=400.0, damping=80.0),
        "hand": ImplicitActuatorCfg(joint_names_expr=[".*finger_joint"], stiffness=2000.0, damping=100.0),
    },
)

HEIGHTS = {"cube": 0.06, "ball": 0.07, "can": 0.12}
"""m, of the objects."""


def an_object(name: str, cfg_class: type, color: tuple[float, float, float], y: float, **sizes) -> RigidObjectCfg:
    """Something on the table that has a label."""
    return RigidObjectCfg(
        prim_path=f"{{ENV_REGEX_NS}}/{name}",
        spawn=cfg_class(
            **sizes,
            rigid_props=sim_utils.RigidBodyPropertiesCfg(linear_damping=0.5, angular_damping=0.5),
            mass_props=sim_utils.MassPropertiesCfg(mass=0.2),
            collision_props=sim_utils.CollisionPropertiesCfg(),
            visual_material=sim_utils.PreviewSurfaceCfg(diffuse_color=color, roughness=0.4),
            semantic_tags=[("class", name)],
        ),
        init_state=RigidObjectCfg.InitialStateCfg(pos=(0.55, y, 0.5 * HEIGHTS[name] + 0.001)),
    )


@configclass
class ObjectsSceneCfg(InteractiveSceneCfg):
    """A floor to look at, lights, and in each environment an arm on a table with objects, and cameras."""

    floor = AssetBaseCfg(
        prim_path="/World/Floor",
        spawn=sim_utils.MeshCuboidCfg(
            size=(200.0, 200.0, 0.1),
            visual_material=sim_utils.PreviewSurfaceCfg(diffuse_color=(0.32, 0.36, 0.38), roughness=0.9),
        ),
        init_state=AssetBaseCfg.InitialStateCfg(pos=(0.0, 0.0, -0.8)),
    )
    sky = AssetBaseCfg(prim_path="/World/Sky", spawn=sim_utils.DomeLightCfg(intensity=1200.0, color=(0.9, 0.95, 1.0)))
    lamp = AssetBaseCfg(
        prim_path="/World/Lamp",
        spawn=sim_utils.DistantLightCfg(intensity=4000.0, color=(1.0, 0.95, 0.88)),
        init_state=AssetBaseCfg.InitialStateCfg(rot=(0.92, 0.25, 0.3, 0.0)),
    )
    table = AssetBaseCfg(
        prim_path="{ENV_REGEX_NS}/Table",
        spawn=sim_utils.CuboidCfg(
            size=(1.3, 1.3, 0.75),
            collision_props=sim_utils.CollisionPropertiesCfg(),
            visual_material=sim_utils.PreviewSurfaceCfg(diffuse_color=(0.45, 0.29, 0.16), roughness=0.8),
            semantic_tags=[("class", "table")],
        ),
        init_state=AssetBaseCfg.InitialStateCfg(pos=(0.35, 0.0, -0.375)),
    )
    robot: ArticulationCfg = ARM_CFG.replace(prim_path="{ENV_REGEX_NS}/Robot")
    cube = an_object("cube", sim_utils.CuboidCfg, (0.75, 0.08, 0.06), -0.25, size=(0.06, 0.06, 0.06))
    ball = an_object("ball", sim_utils.SphereCfg, (0.9, 0.6, 0.05), 0.0, radius=0.035)
    can = an_object("can", sim_utils.CylinderCfg, (0.05, 0.35, 0.65), 0.25, radius=0.033, height=0.12)
    view = TiledCameraCfg(
        prim_path="{ENV_REGEX_NS}/view",
        width=4 * args_cli.size // 3,
        height=args_cli.size,
        data_types=["rgb", "depth", "normals", "semantic_segmentation"],
        spawn=sim_utils.PinholeCameraCfg(clipping_range=(0.05, 30.0)),
        semantic_segmentation_mapping={
            "class:robot": (61, 178, 255, 255),
            "class:table": (255, 237, 218, 255),
            "class:cube": (255, 36, 66, 255),
            "class:ball": (255, 184, 48, 255),
            "class:can": (55, 255, 139, 255),
        },
    )
    hand = CameraCfg(
        prim_path="{ENV_REGEX_NS}/Robot/hand/camera",
        width=args_cli.size,
        height=args_cli.size,
        data_types=["rgb", "depth"],
        spawn=sim_utils.PinholeCameraCfg(focal_length=15.0, clipping_range=(0.03, 30.0)),
        offset=CameraCfg.OffsetCfg(pos=(0.06, 0.0, 0.0), rot=(0.7071, 0.0, 0.0, 0.7071), convention="ros"),
        update_latest_camera_pose=True,
    )


def run_simulator(sim: sim_utils.SimulationContext, scene: InteractiveScene) -> None:
    """The loop: hold, step, update; then look."""
    robot: Articulation = scene["robot"]
    sim_dt = sim.get_physics_dt()
    robot.write_joint_state_to_sim(robot.data.default_joint_pos, robot.data.default_joint_vel)
    for k, name in enumerate(HEIGHTS):
        state = 1.0 * scene[name].data.default_root_state  # a copy
        state[:, :3] += scene.env_origins
        for i in range(scene.num_envs):  # somewhere else in each
            state[i, 0] += 0.09 * math.sin(7.0 * i + 2.0 * k)
            state[i, 1] += 0.09 * math.cos(4.0 * i + 3.0 * k)
        scene[name].write_root_pose_to_sim(state[:, :7])
        scene[name].write_root_velocity_to_sim(state[:, 7:])
    target = scene.env_origins + 0.0  # a copy
    target[:, 0] += 0.35
    target[:, 2] += 0.3
    eyes = 1.0 * target
    eyes[:, 0] += 1.6
    eyes[:, 1] += 1.3
    eyes[:, 2] += 0.85
    scene["view"].set_world_poses_from_view(eyes, target)
    scene.reset()
    count = 0
    while simulation_app.is_running() and count < args_cli.steps:
        robot.set_joint_position_target(robot.data.default_joint_pos)
        scene.write_data_to_sim()
        sim.step()
        count += 1
        scene.update(sim_dt)

    view, hand = scene["view"], scene["hand"]
    output = view.data.output
    print(view, hand, sep="\n")
    heights = []
    for name in HEIGHTS:
        color = next(
            key
            for key, label in view.data.info[0]["semantic_segmentation"]["idToLabels"].items()
            if label["class"] == name
        )
        red, green, blue = (int(part) for part in color.strip("()").split(",")[:3])
        seen = output["semantic_segmentation"][0]
        mask = (seen[..., 0] == red) & (seen[..., 1] == green) & (seen[..., 2] == blue)
        points = create_pointcloud_from_depth(
            view.data.intrinsic_matrices[0],
            output["depth"][0, ..., 0],
            keep_invalid=True,
            position=view.data.pos_w[0],
            orientation=view.data.quat_w_ros[0],
        )
        heights.append(float(points[mask.swapaxes(0, 1).reshape(-1)][:, 2].max()))
    if args_cli.save:
        os.makedirs(args_cli.save, exist_ok=True)
        pictures = {"view": output["rgb"], "labels": output["semantic_segmentation"], "hand": hand.data.output["rgb"]}
        for name, picture in pictures.items():
            save_images_to_file(picture[..., :3] / 255.0, os.path.join(args_cli.save, f"{name}_tiles.png"))
            save_images_to_file(picture[:1, ..., :3] / 255.0, os.path.join(args_cli.save, f"{name}.png"))
    print(f"Of the first arm's objects, {' and '.join(HEIGHTS)} are {', '.join(f'{h:.3f}' for h in heights)} m high.")


def main() -> None:
    """Make the simulation, what is in it, and run it."""
    sim = sim_utils.SimulationContext(sim_utils.SimulationCfg(device=args_cli.device, dt=0.01))
    scene = InteractiveScene(ObjectsSceneCfg(num_envs=args_cli.num_envs, env_spacing=3.0))
    sim.reset()
    print("[INFO]: Setup complete...")
    run_simulator(sim, scene)


if __name__ == "__main__":
    main()
    simulation_app.close()
