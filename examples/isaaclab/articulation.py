"""Cart-poles that are pushed at random, in a scene of many environments: a script for Isaac Lab, run by Phalanx.

    phalanx exec examples/isaaclab/articulation.py --device cpu --num_envs 16

The robot is a URDF file that comes with Phalanx; all else is as anywhere. It runs with torch, and without it on NumPy's
arrays.
"""

import argparse

from isaaclab.app import AppLauncher

parser = argparse.ArgumentParser(description="Push cart-poles at random.")
parser.add_argument("--num_envs", type=int, default=4, help="Number of environments.")
parser.add_argument("--steps", type=int, default=600, help="Steps to simulate.")
parser.add_argument("--reset_every", type=int, default=300, help="Steps between resets.")
AppLauncher.add_app_launcher_args(parser)
args_cli = parser.parse_args()

app_launcher = AppLauncher(args_cli)
simulation_app = app_launcher.app

# The rest is imported when the application runs.

import isaaclab.sim as sim_utils  # noqa: E402
import isaaclab.utils.math as math_utils  # noqa: E402
from isaaclab.actuators import ImplicitActuatorCfg  # noqa: E402
from isaaclab.assets import Articulation, ArticulationCfg, AssetBaseCfg  # noqa: E402
from isaaclab.scene import InteractiveScene, InteractiveSceneCfg  # noqa: E402
from isaaclab.utils import configclass  # noqa: E402

from phalanx.io.formats.library import path as shipped_robot  # noqa: E402

CARTPOLE_CFG = ArticulationCfg(
    spawn=sim_utils.UrdfFileCfg(
        asset_path=str(shipped_robot("cartpole")),
        fix_base=True,
        joint_drive=sim_utils.UrdfConverterCfg.JointDriveCfg(
            target_type="none", gains=sim_utils.UrdfConverterCfg.JointDriveCfg.PDGainsCfg(stiffness=0.0, damping=0.0)
        ),
        rigid_props=sim_utils.RigidBodyPropertiesCfg(max_depenetration_velocity=10.0),
        articulation_props=sim_utils.ArticulationRootPropertiesCfg(enabled_self_collisions=False),
    ),
    init_state=ArticulationCfg.InitialStateCfg(pos=(0.0, 0.0, 2.0)),
    actuators={
        "all": ImplicitActuatorCfg(joint_names_expr=[".*"], effort_limit_sim=400.0, stiffness=0.0, damping=0.5),
    },
)


@configclass
class CartpoleSceneCfg(InteractiveSceneCfg):
    """A ground, a light, and a cart-pole in each environment."""

    ground = AssetBaseCfg(prim_path="/World/defaultGroundPlane", spawn=sim_utils.GroundPlaneCfg())
    dome_light = AssetBaseCfg(
        prim_path="/World/Light", spawn=sim_utils.DomeLightCfg(intensity=3000.0, color=(0.75, 0.75, 0.75))
    )
    cartpole: ArticulationCfg = CARTPOLE_CFG.replace(prim_path="{ENV_REGEX_NS}/Robot")


def run_simulator(sim: sim_utils.SimulationContext, scene: InteractiveScene) -> None:
    """The loop: reset, act, step, update."""
    robot: Articulation = scene["cartpole"]
    sim_dt = sim.get_physics_dt()
    count = 0
    while simulation_app.is_running() and count < args_cli.steps:
        if count % args_cli.reset_every == 0:
            root_state = 1.0 * robot.data.default_root_state  # a copy
            root_state[:, :3] += scene.env_origins
            robot.write_root_pose_to_sim(root_state[:, :7])
            robot.write_root_velocity_to_sim(root_state[:, 7:])
            joint_pos = robot.data.default_joint_pos + math_utils.sample_uniform(
                -0.1, 0.1, robot.data.default_joint_pos.shape, robot.device
            )
            robot.write_joint_state_to_sim(joint_pos, robot.data.default_joint_vel)
            scene.reset()
            print("[INFO]: Resetting robot state...")
        efforts = math_utils.sample_uniform(-5.0, 5.0, robot.data.joint_pos.shape, robot.device)
        robot.set_joint_effort_target(efforts)
        scene.write_data_to_sim()
        sim.step()
        count += 1
        scene.update(sim_dt)

    moved = ", ".join(f"{float(x):.3f}" for x in robot.data.joint_pos[:, 0])
    print(f"After {count} steps the joints {robot.joint_names} are at:\n{robot.data.joint_pos}")
    print(f"The carts are at {moved} m.")


def main() -> None:
    """Make the simulation, what is in it, and run it."""
    sim = sim_utils.SimulationContext(sim_utils.SimulationCfg(device=args_cli.device))
    sim.set_camera_view([2.5, 0.0, 4.0], [0.0, 0.0, 2.0])
    scene = InteractiveScene(CartpoleSceneCfg(num_envs=args_cli.num_envs, env_spacing=2.0))
    sim.reset()
    print("[INFO]: Setup complete...")
    run_simulator(sim, scene)


if __name__ == "__main__":
    main()
    simulation_app.close()
