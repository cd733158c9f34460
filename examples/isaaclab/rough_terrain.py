"""Quadrupeds on rough terrain, on harder ground the longer they stay up: a script for Isaac Lab, run by Phalanx.

    phalanx exec examples/isaaclab/rough_terrain.py --device cpu --num_envs 64

They are pushed when they are put down. Who is still up at the end of an episode starts the next one on the next level,
who has fallen one level lower. The robot is a URDF file that comes with Phalanx; all else is as anywhere. It runs with
torch, and without it on NumPy's arrays.
"""

import argparse

from isaaclab.app import AppLauncher

parser = argparse.ArgumentParser(description="Let quadrupeds stand on rough terrain.")
parser.add_argument("--num_envs", type=int, default=64, help="Number of environments.")
parser.add_argument("--steps", type=int, default=600, help="Steps to simulate.")
parser.add_argument("--episode", type=int, default=200, help="Steps of an episode.")
parser.add_argument("--rows", type=int, default=10, help="Levels of the terrain.")
parser.add_argument("--columns", type=int, default=20, help="Columns of the terrain.")
AppLauncher.add_app_launcher_args(parser)
args_cli = parser.parse_args()

app_launcher = AppLauncher(args_cli)
simulation_app = app_launcher.app

# The rest is imported when the application runs.

import isaaclab.sim as sim_utils  # noqa: E402
import isaaclab.utils.math as math_utils  # noqa: E402
from isaaclab.actuators import DCMotorCfg  # noqa: E402
from isaaclab.assets import Articulation, ArticulationCfg, AssetBaseCfg  # noqa: E402
from isaaclab.scene import InteractiveScene, InteractiveSceneCfg  # noqa: E402
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
class RoughSceneCfg(InteractiveSceneCfg):
    """A terrain, a light, and a quadruped in each environment."""

    terrain = TerrainImporterCfg(
        prim_path="/World/ground",
        terrain_type="generator",
        terrain_generator=ROUGH_TERRAINS_CFG.replace(
            seed=0, curriculum=True, num_rows=args_cli.rows, num_cols=args_cli.columns
        ),
        max_init_terrain_level=2,
        physics_material=sim_utils.RigidBodyMaterialCfg(
            friction_combine_mode="multiply", static_friction=1.0, dynamic_friction=1.0
        ),
    )
    dome_light = AssetBaseCfg(
        prim_path="/World/Light", spawn=sim_utils.DomeLightCfg(intensity=3000.0, color=(0.75, 0.75, 0.75))
    )
    robot: ArticulationCfg = QUADRUPED_CFG.replace(prim_path="{ENV_REGEX_NS}/Robot")


def start(scene: InteractiveScene) -> None:
    """Put all robots on their sub-terrains, and push them."""
    robot: Articulation = scene["robot"]
    state = 1.0 * robot.data.default_root_state  # a copy
    state[:, :3] += scene.env_origins
    state[:, 7:9] = math_utils.sample_uniform(-0.5, 0.5, state[:, 7:9].shape, robot.device)
    robot.write_root_pose_to_sim(state[:, :7])
    robot.write_root_velocity_to_sim(state[:, 7:])
    robot.write_joint_state_to_sim(robot.data.default_joint_pos, robot.data.default_joint_vel)
    scene.reset()


def run_simulator(sim: sim_utils.SimulationContext, scene: InteractiveScene) -> None:
    """The loop: hold, step, update; at the end of an episode, change levels."""
    robot: Articulation = scene["robot"]
    terrain = scene.terrain
    sim_dt = sim.get_physics_dt()
    count = 0
    start(scene)
    while simulation_app.is_running() and count < args_cli.steps:
        robot.set_joint_position_target(robot.data.default_joint_pos)
        scene.write_data_to_sim()
        sim.step()
        count += 1
        scene.update(sim_dt)
        if count % args_cli.episode == 0:
            upright = robot.data.projected_gravity_b[:, 2] < -0.7
            height = robot.data.root_pos_w[:, 2] - scene.env_origins[:, 2]
            standing = upright & (height > 0.15)
            levels = ", ".join(str(int((terrain.terrain_levels == i).sum())) for i in range(terrain.max_terrain_level))
            print(f"Robots by level: {levels}; of {scene.num_envs} stand {int(standing.sum())}.")
            if count < args_cli.steps:
                terrain.update_env_origins(range(scene.num_envs), standing, ~standing)
                start(scene)

    print(f"The lowest base is {float(height.min()):.3f} m above its origin, the highest {float(height.max()):.3f} m.")


def main() -> None:
    """Make the simulation, what is in it, and run it."""
    if args_cli.steps < args_cli.episode:
        parser.error("--steps must be at least --episode")
    sim = sim_utils.SimulationContext(sim_utils.SimulationCfg(device=args_cli.device, dt=0.005))
    sim.set_camera_view([10.0, 10.0, 10.0], [0.0, 0.0, 0.0])
    scene = InteractiveScene(RoughSceneCfg(num_envs=args_cli.num_envs, env_spacing=2.5))
    sim.reset()
    print("[INFO]: Setup complete...")
    run_simulator(sim, scene)


if __name__ == "__main__":
    main()
    simulation_app.close()
