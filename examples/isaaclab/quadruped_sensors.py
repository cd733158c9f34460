"""Quadrupeds with contact sensors, an IMU and a frame transformer: a script for Isaac Lab, run by Phalanx.

    phalanx exec examples/isaaclab/quadruped_sensors.py --device cpu --num_envs 16

They are dropped from a hand's breadth above the ground and stand. The robot is a URDF file that comes with Phalanx; all
else is as anywhere. It runs with torch, and without it on NumPy's arrays.
"""

import argparse

from isaaclab.app import AppLauncher

parser = argparse.ArgumentParser(description="What the sensors of a standing quadruped say.")
parser.add_argument("--num_envs", type=int, default=2, help="Number of environments.")
parser.add_argument("--steps", type=int, default=400, help="Steps to simulate.")
AppLauncher.add_app_launcher_args(parser)
args_cli = parser.parse_args()

app_launcher = AppLauncher(args_cli)
simulation_app = app_launcher.app

# The rest is imported when the application runs.

import isaaclab.sim as sim_utils  # noqa: E402
from isaaclab.actuators import ImplicitActuatorCfg  # noqa: E402
from isaaclab.assets import Articulation, ArticulationCfg, AssetBaseCfg  # noqa: E402
from isaaclab.scene import InteractiveScene, InteractiveSceneCfg  # noqa: E402
from isaaclab.sensors import ContactSensorCfg, FrameTransformerCfg, ImuCfg, OffsetCfg  # noqa: E402
from isaaclab.utils import configclass  # noqa: E402

from phalanx.io.formats.library import path as shipped_robot  # noqa: E402

QUADRUPED_CFG = ArticulationCfg(
    spawn=sim_utils.UrdfFileCfg(
        asset_path=str(shipped_robot("quadruped")),
        fix_base=False,
        merge_fixed_joints=False,  # else feet are parts of the calves
        joint_drive=sim_utils.UrdfConverterCfg.JointDriveCfg(
            target_type="position",
            gains=sim_utils.UrdfConverterCfg.JointDriveCfg.PDGainsCfg(stiffness=0.0, damping=0.0),
        ),
        activate_contact_sensors=True,
    ),
    init_state=ArticulationCfg.InitialStateCfg(
        pos=(0.0, 0.0, 0.45), joint_pos={".*hip.*": 0.0, ".*thigh.*": 0.8, ".*calf.*": -1.6}
    ),
    actuators={
        "legs": ImplicitActuatorCfg(joint_names_expr=[".*"], effort_limit_sim=40.0, stiffness=80.0, damping=2.0),
    },
)


@configclass
class SensorsSceneCfg(InteractiveSceneCfg):
    """A ground, and in each environment a quadruped with sensors."""

    ground = AssetBaseCfg(prim_path="/World/defaultGroundPlane", spawn=sim_utils.GroundPlaneCfg())
    robot: ArticulationCfg = QUADRUPED_CFG.replace(prim_path="{ENV_REGEX_NS}/Robot")
    feet = ContactSensorCfg(
        prim_path="{ENV_REGEX_NS}/Robot/.*_foot",
        history_length=3,
        track_air_time=True,
        filter_prim_paths_expr=["/World/defaultGroundPlane"],
    )
    imu = ImuCfg(prim_path="{ENV_REGEX_NS}/Robot/base", offset=ImuCfg.OffsetCfg(pos=(0.1, 0.0, 0.05)))
    frames = FrameTransformerCfg(
        prim_path="{ENV_REGEX_NS}/Robot/base",
        target_frames=[
            FrameTransformerCfg.FrameCfg(prim_path="{ENV_REGEX_NS}/Robot/.*_foot"),
            FrameTransformerCfg.FrameCfg(
                prim_path="{ENV_REGEX_NS}/Robot/base", name="nose", offset=OffsetCfg(pos=(0.3, 0.0, 0.0))
            ),
        ],
    )


def run_simulator(sim: sim_utils.SimulationContext, scene: InteractiveScene) -> None:
    """The loop: hold, step, update, look."""
    robot: Articulation = scene["robot"]
    sim_dt = sim.get_physics_dt()
    root_state = 1.0 * robot.data.default_root_state  # a copy
    root_state[:, :3] += scene.env_origins
    robot.write_root_pose_to_sim(root_state[:, :7])
    robot.write_root_velocity_to_sim(root_state[:, 7:])
    robot.write_joint_state_to_sim(robot.data.default_joint_pos, robot.data.default_joint_vel)
    scene.reset()
    landings = count = 0
    while simulation_app.is_running() and count < args_cli.steps:
        robot.set_joint_position_target(robot.data.default_joint_pos)
        scene.write_data_to_sim()
        sim.step()
        count += 1
        scene.update(sim_dt)
        landings += int(scene["feet"].compute_first_contact(sim_dt).sum())

    feet, imu, frames = scene["feet"], scene["imu"].data, scene["frames"].data
    print(scene["feet"], scene["imu"], scene["frames"], sep="\n")
    print(f"Feet {feet.body_names} have landed {landings} times, and carry, in N:\n{feet.data.net_forces_w[..., 2]}")
    print(f"Of that by the ground:\n{feet.data.force_matrix_w[:, :, 0, 2]}")
    print(f"They have stood for, in s:\n{feet.data.current_contact_time}")
    print(f"Frames {frames.target_frame_names} are seen from the base at, in m:\n{frames.target_pos_source}")
    weights = ", ".join(f"{float(w):.2f}" for w in feet.data.net_forces_w[..., 2].sum(-1))
    felt = ", ".join(f"{float(a):.3f}" for a in imu.lin_acc_b[:, 2])
    print(f"The quadrupeds weigh {weights} N and feel {felt} m/s^2.")


def main() -> None:
    """Make the simulation, what is in it, and run it."""
    sim = sim_utils.SimulationContext(sim_utils.SimulationCfg(device=args_cli.device, dt=0.005))
    scene = InteractiveScene(SensorsSceneCfg(num_envs=args_cli.num_envs, env_spacing=2.0))
    sim.reset()
    print("[INFO]: Setup complete...")
    run_simulator(sim, scene)


if __name__ == "__main__":
    main()
    simulation_app.close()
