"""A quadruped whose hips, thighs and calves have actuators of other kinds: a script for Isaac Lab, run by Phalanx.

    phalanx exec examples/isaaclab/mixed_actuators.py --device cpu --num_envs 16

It does knee bends, and sways. Hips have DC motors, thighs ideal actuators that hear of their targets late, calves
drives of the simulation. The robot is a URDF file that comes with Phalanx; all else is as anywhere. It runs with torch,
and without it on NumPy's arrays.
"""

import argparse
import math

from isaaclab.app import AppLauncher

parser = argparse.ArgumentParser(description="Knee bends with actuators of several kinds.")
parser.add_argument("--num_envs", type=int, default=4, help="Number of environments.")
parser.add_argument("--steps", type=int, default=800, help="Steps to simulate.")
AppLauncher.add_app_launcher_args(parser)
args_cli = parser.parse_args()

app_launcher = AppLauncher(args_cli)
simulation_app = app_launcher.app

# The rest is imported when the application runs.

import isaaclab.sim as sim_utils  # noqa: E402
from isaaclab.actuators import DCMotorCfg, DelayedPDActuatorCfg, ImplicitActuatorCfg  # noqa: E402
from isaaclab.assets import Articulation, ArticulationCfg, AssetBaseCfg  # noqa: E402
from isaaclab.scene import InteractiveScene, InteractiveSceneCfg  # noqa: E402
from isaaclab.utils import configclass  # noqa: E402

from phalanx.io.formats.library import path as shipped_robot  # noqa: E402

PERIOD = 1.0  # s, of a knee bend

QUADRUPED_CFG = ArticulationCfg(
    spawn=sim_utils.UrdfFileCfg(
        asset_path=str(shipped_robot("quadruped")),
        fix_base=False,
        joint_drive=sim_utils.UrdfConverterCfg.JointDriveCfg(
            target_type="position",
            gains=sim_utils.UrdfConverterCfg.JointDriveCfg.PDGainsCfg(stiffness=0.0, damping=0.0),
        ),
    ),
    init_state=ArticulationCfg.InitialStateCfg(
        pos=(0.0, 0.0, 0.36), joint_pos={".*hip.*": 0.0, ".*thigh.*": 0.8, ".*calf.*": -1.6}
    ),
    actuators={
        "hips": DCMotorCfg(
            joint_names_expr=[".*_hip_joint"],
            effort_limit=20.0,
            saturation_effort=24.0,
            velocity_limit=30.0,
            stiffness=40.0,
            damping=1.0,
        ),
        "thighs": DelayedPDActuatorCfg(
            joint_names_expr=[".*_thigh_joint"],
            effort_limit=24.0,
            velocity_limit=30.0,
            stiffness={"F.*": 60.0, "R.*": 80.0},
            damping=1.5,
            min_delay=1,
            max_delay=4,
        ),
        "calves": ImplicitActuatorCfg(
            joint_names_expr=[".*_calf_joint"], effort_limit_sim=35.0, stiffness=80.0, damping=2.0
        ),
    },
)


@configclass
class BendsSceneCfg(InteractiveSceneCfg):
    """A ground, a light, and a quadruped in each environment."""

    ground = AssetBaseCfg(prim_path="/World/defaultGroundPlane", spawn=sim_utils.GroundPlaneCfg())
    dome_light = AssetBaseCfg(
        prim_path="/World/Light", spawn=sim_utils.DomeLightCfg(intensity=3000.0, color=(0.75, 0.75, 0.75))
    )
    robot: ArticulationCfg = QUADRUPED_CFG.replace(prim_path="{ENV_REGEX_NS}/Robot")


def run_simulator(sim: sim_utils.SimulationContext, scene: InteractiveScene) -> None:
    """The loop: bend, step, update, note what is greatest."""
    robot: Articulation = scene["robot"]
    sim_dt = sim.get_physics_dt()
    state = 1.0 * robot.data.default_root_state  # a copy
    state[:, :3] += scene.env_origins
    robot.write_root_pose_to_sim(state[:, :7])
    robot.write_root_velocity_to_sim(state[:, 7:])
    robot.write_joint_state_to_sim(robot.data.default_joint_pos, robot.data.default_joint_vel)
    scene.reset()
    hips, _ = robot.find_joints(".*_hip_joint")
    thighs, _ = robot.find_joints(".*_thigh_joint")
    calves, _ = robot.find_joints(".*_calf_joint")
    effort = {name: 0.0 for name in robot.actuators}
    low, high = math.inf, 0.0
    count = 0
    while simulation_app.is_running() and count < args_cli.steps:
        phase = 2.0 * math.pi * count * sim_dt / PERIOD
        bend = 0.15 * (1.0 - math.cos(phase))
        target = 1.0 * robot.data.default_joint_pos
        target[:, hips] += 0.1 * math.sin(phase)
        target[:, thighs] += bend
        target[:, calves] -= 2.0 * bend
        robot.set_joint_position_target(target)
        scene.write_data_to_sim()
        sim.step()
        count += 1
        scene.update(sim_dt)
        for name, actuator in robot.actuators.items():
            applied = robot.data.applied_torque[:, actuator.joint_indices]
            effort[name] = max(effort[name], float(abs(applied).max()))
        if count * sim_dt > PERIOD:
            height = robot.data.root_pos_w[:, 2]
            low, high = min(low, float(height.min())), max(high, float(height.max()))

    for name, actuator in robot.actuators.items():
        kind = type(actuator).__name__
        print(f"{name}: {kind} at {actuator.joint_names}, at most {effort[name]:.1f} N m")
    upright = ", ".join(f"{-float(z):.3f}" for z in robot.data.projected_gravity_b[:, 2])
    print(f"After {count} steps the cosines of the bodies' tilts are {upright}.")
    if low <= high:
        print(f"The bodies go up and down between {low:.3f} and {high:.3f} m.")
    else:
        print(f"They go up and down once in {PERIOD} s, for which --steps were too few.")


def main() -> None:
    """Make the simulation, what is in it, and run it."""
    sim = sim_utils.SimulationContext(sim_utils.SimulationCfg(device=args_cli.device, dt=0.005))
    sim.set_camera_view([2.5, 0.0, 2.0], [0.0, 0.0, 0.3])
    scene = InteractiveScene(BendsSceneCfg(num_envs=args_cli.num_envs, env_spacing=2.0))
    sim.reset()
    print("[INFO]: Setup complete...")
    run_simulator(sim, scene)


if __name__ == "__main__":
    main()
    simulation_app.close()
