"""Quadrupeds with cameras on rough terrain: a script for Isaac Lab, run by Phalanx.

    phalanx exec examples/isaaclab/quadruped_cameras.py --device cpu --num_envs 64 --save pictures

Each robot carries a camera that sees colours and depth, and another one beside it sees everything there is to see, with
labels. The pictures of all robots are made together. The robot is a URDF file that comes with Phalanx; all else is as
anywhere. It runs with torch, and without it on NumPy's arrays.
"""

import argparse

from isaaclab.app import AppLauncher

parser = argparse.ArgumentParser(description="What quadrupeds on rough terrain see, and how they look.")
parser.add_argument("--num_envs", type=int, default=16, help="Number of environments.")
parser.add_argument("--steps", type=int, default=100, help="Steps to simulate.")
parser.add_argument("--rows", type=int, default=3, help="Levels of the terrain.")
parser.add_argument("--columns", type=int, default=8, help="Columns of the terrain.")
parser.add_argument("--size", type=int, default=64, help="Height of the cameras' pictures beside the robots, pixels.")
parser.add_argument("--save", default=None, help="Folder for pictures.")
AppLauncher.add_app_launcher_args(parser)
args_cli = parser.parse_args()
args_cli.enable_cameras = True

app_launcher = AppLauncher(args_cli)
simulation_app = app_launcher.app

# The rest is imported when the application runs.

import os  # noqa: E402

import isaaclab.sim as sim_utils  # noqa: E402
import isaaclab.utils.math as math_utils  # noqa: E402
from isaaclab.actuators import DCMotorCfg  # noqa: E402
from isaaclab.assets import Articulation, ArticulationCfg, AssetBaseCfg  # noqa: E402
from isaaclab.scene import InteractiveScene, InteractiveSceneCfg  # noqa: E402
from isaaclab.sensors import TiledCamera, TiledCameraCfg  # noqa: E402
from isaaclab.sensors.camera.utils import save_images_to_file  # noqa: E402
from isaaclab.terrains import TerrainImporterCfg  # noqa: E402
from isaaclab.terrains.config.rough import ROUGH_TERRAINS_CFG  # noqa: E402
from isaaclab.utils import configclass  # noqa: E402

from phalanx.io.formats.library import path as shipped_robot  # noqa: E402

QUADRUPED_CFG = ArticulationCfg(
    spawn=sim_utils.UrdfFileCfg(
        asset_path=str(shipped_robot("quadruped")),
        fix_base=False,
        joint_drive=sim_utils.UrdfConverterCfg.JointDriveCfg(
            target_type="none", gains=sim_utils.UrdfConverterCfg.JointDriveCfg.PDGainsCfg(stiffness=0.0, damping=0.0)
        ),
        semantic_tags=[("class", "robot")],
    ),
    init_state=ArticulationCfg.InitialStateCfg(
        pos=(0.0, 0.0, 0.36), joint_pos={".*hip.*": 0.0, ".*thigh.*": 0.8, ".*calf.*": -1.6}
    ),
    actuators={
        "legs": DCMotorCfg(
            joint_names_expr=[".*"],
            effort_limit=24.0,
            saturation_effort=24.0,
            velocity_limit=30.0,
            stiffness=40.0,
            damping=1.0,
        ),
    },
)


@configclass
class CamerasSceneCfg(InteractiveSceneCfg):
    """A terrain, lights, and in each environment a quadruped with a camera, and a camera beside it."""

    terrain = TerrainImporterCfg(
        prim_path="/World/ground",
        terrain_type="generator",
        terrain_generator=ROUGH_TERRAINS_CFG.replace(
            seed=3, curriculum=True, num_rows=args_cli.rows, num_cols=args_cli.columns
        ),
        max_init_terrain_level=args_cli.rows - 1,
        visual_material=sim_utils.PreviewSurfaceCfg(diffuse_color=(0.42, 0.36, 0.28), roughness=1.0),
        physics_material=sim_utils.RigidBodyMaterialCfg(static_friction=1.0, dynamic_friction=1.0),
    )
    sky = AssetBaseCfg(prim_path="/World/Sky", spawn=sim_utils.DomeLightCfg(intensity=1000.0, color=(0.85, 0.92, 1.0)))
    sun = AssetBaseCfg(
        prim_path="/World/Sun",
        spawn=sim_utils.DistantLightCfg(intensity=4500.0, color=(1.0, 0.95, 0.85)),
        init_state=AssetBaseCfg.InitialStateCfg(rot=(0.87, 0.32, 0.35, 0.0)),
    )
    robot: ArticulationCfg = QUADRUPED_CFG.replace(prim_path="{ENV_REGEX_NS}/Robot")
    front = TiledCameraCfg(
        prim_path="{ENV_REGEX_NS}/Robot/base/front_cam",
        width=64,
        height=48,
        data_types=["rgb", "depth"],
        spawn=sim_utils.PinholeCameraCfg(focal_length=14.0, clipping_range=(0.05, 20.0)),
        offset=TiledCameraCfg.OffsetCfg(pos=(0.28, 0.0, 0.05), rot=(0.976, 0.0, 0.216, 0.0), convention="world"),
        depth_clipping_behavior="max",
    )
    beside = TiledCameraCfg(
        prim_path="{ENV_REGEX_NS}/beside",
        width=3 * args_cli.size // 2,
        height=args_cli.size,
        data_types=["rgb", "depth", "normals", "instance_id_segmentation_fast", "semantic_segmentation"],
        spawn=sim_utils.PinholeCameraCfg(),
        colorize_semantic_segmentation=False,
        update_latest_camera_pose=True,
    )


def save(folder: str, front: TiledCamera, beside: TiledCamera) -> None:
    """Write what was seen, one file for all environments of each kind, and for the first one alone."""
    os.makedirs(folder, exist_ok=True)
    seen = {f"front_{name}": picture for name, picture in front.data.output.items()}
    seen |= dict(beside.data.output)
    for name, picture in seen.items():
        if "semantic" in name:
            continue
        if "depth" in name:
            near, far = (0.0, 4.0) if name == "front_depth" else (0.9, 2.6)
            shown = ((far - picture) / (far - near)).clip(0.0, 1.0)
        else:
            shown = 0.5 * picture + 0.5 if name == "normals" else picture[..., :3] / 255.0
        save_images_to_file(shown, os.path.join(folder, f"{name}_tiles.png"))
        save_images_to_file(shown[:1], os.path.join(folder, f"{name}.png"))


def run_simulator(sim: sim_utils.SimulationContext, scene: InteractiveScene) -> None:
    """The loop: stand, step, update; then look."""
    robot: Articulation = scene["robot"]
    front, beside = scene["front"], scene["beside"]
    sim_dt = sim.get_physics_dt()
    root_state = 1.0 * robot.data.default_root_state  # a copy
    root_state[:, :3] += scene.env_origins
    yaw = math_utils.sample_uniform(-3.14, 3.14, (scene.num_envs,), robot.device)
    root_state[:, 3:7] = math_utils.quat_from_euler_xyz(0.0 * yaw, 0.0 * yaw, yaw)
    robot.write_root_pose_to_sim(root_state[:, :7])
    robot.write_root_velocity_to_sim(root_state[:, 7:])
    robot.write_joint_state_to_sim(robot.data.default_joint_pos, robot.data.default_joint_vel)
    scene.reset()
    count = 0
    while simulation_app.is_running() and count < args_cli.steps:
        robot.set_joint_position_target(robot.data.default_joint_pos)
        scene.write_data_to_sim()
        sim.step()
        count += 1
        scene.update(sim_dt)

    place = robot.data.root_pos_w
    aside = math_utils.quat_apply(root_state[:, 3:7], 0.0 * place + 1.0)  # to the left of it, ahead, and above
    eyes = place + 0.85 * aside
    beside.set_world_poses_from_view(eyes, place)
    labels = beside.data.info[0]["semantic_segmentation"]["idToLabels"]
    number = next(int(key) for key, label in labels.items() if label["class"] == "robot")
    share = (beside.data.output["semantic_segmentation"] == number).reshape(scene.num_envs, -1)
    print(f"Cameras: {front}, {beside}")
    print(f"{', '.join(beside.data.output)} have the shapes {[tuple(p.shape) for p in beside.data.output.values()]}")
    if args_cli.save:
        save(args_cli.save, front, beside)
    ahead = front.data.output["depth"][:, 24:].reshape(scene.num_envs, -1)
    nearest = [float(row.min()) for row in ahead]
    shares = [float(row.sum()) / row.shape[0] for row in share]
    print(
        f"Robots fill {min(shares):.3f} to {max(shares):.3f} of the pictures beside them; "
        f"the ground ahead of them is {min(nearest):.3f} m away or more."
    )


def main() -> None:
    """Make the simulation, what is in it, and run it."""
    sim = sim_utils.SimulationContext(sim_utils.SimulationCfg(device=args_cli.device, dt=0.005))
    scene = InteractiveScene(CamerasSceneCfg(num_envs=args_cli.num_envs, env_spacing=2.5))
    sim.reset()
    print("[INFO]: Setup complete...")
    run_simulator(sim, scene)


if __name__ == "__main__":
    main()
    simulation_app.close()
