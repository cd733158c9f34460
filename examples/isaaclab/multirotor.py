"""Quadrotors that are thrown into the air, right themselves and climb: a script for Isaac Lab, run by Phalanx.

    phalanx exec examples/isaaclab/multirotor.py --device cpu --num_envs 16

The robot is a URDF file that comes with Phalanx, a Crazyflie 2; all else is as anywhere. It runs with torch, and
without it on NumPy's arrays.
"""

import argparse

from isaaclab.app import AppLauncher

parser = argparse.ArgumentParser(description="Throw quadrotors into the air.")
parser.add_argument("--num_envs", type=int, default=4, help="Number of environments.")
parser.add_argument("--steps", type=int, default=800, help="Steps to simulate.")
parser.add_argument("--reset_every", type=int, default=400, help="Steps between resets.")
AppLauncher.add_app_launcher_args(parser)
args_cli = parser.parse_args()

app_launcher = AppLauncher(args_cli)
simulation_app = app_launcher.app

# The rest is imported when the application runs.

import isaaclab.sim as sim_utils  # noqa: E402
import isaaclab.utils.math as math_utils  # noqa: E402
from isaaclab.assets import AssetBaseCfg  # noqa: E402
from isaaclab.scene import InteractiveScene, InteractiveSceneCfg  # noqa: E402
from isaaclab.utils import configclass  # noqa: E402
from isaaclab_contrib.actuators import ThrusterCfg  # noqa: E402
from isaaclab_contrib.assets import Multirotor, MultirotorCfg  # noqa: E402

from phalanx.io.formats.library import path as shipped_robot  # noqa: E402

MASS, INERTIA = 0.027, (1.657e-5, 1.666e-5, 2.926e-5)
ARM, DRAG = 0.032527, 0.006  # m along x and y; torque for thrust, m
THRUST_CONST = 1.7e-6  # N/(rev/s)²
HOVER_RPS = (MASS * 9.81 / 4 / THRUST_CONST) ** 0.5

QUADROTOR_CFG = MultirotorCfg(
    spawn=sim_utils.UrdfFileCfg(
        asset_path=str(shipped_robot("quadrotor")), fix_base=False, merge_fixed_joints=False, joint_drive=None
    ),
    init_state=MultirotorCfg.InitialStateCfg(pos=(0.0, 0.0, 1.0), rps={".*": HOVER_RPS}),
    actuators={
        "thrusters": ThrusterCfg(
            thruster_names_expr=["rotor[1-4]"],
            thrust_range=(0.0, 0.15),
            thrust_const_range=(THRUST_CONST, THRUST_CONST),
            rise_time_constant=0.02,
            fall_time_constant=0.03,
        ),
    },
    allocation_matrix=[  # front left, rear left, rear right, front right
        [0.0, 0.0, 0.0, 0.0],
        [0.0, 0.0, 0.0, 0.0],
        [1.0, 1.0, 1.0, 1.0],
        [ARM, ARM, -ARM, -ARM],
        [-ARM, ARM, ARM, -ARM],
        [DRAG, -DRAG, DRAG, -DRAG],
    ],
    rotor_directions=[-1, 1, -1, 1],
)


@configclass
class QuadrotorSceneCfg(InteractiveSceneCfg):
    """A ground, a light, and a quadrotor in each environment."""

    ground = AssetBaseCfg(prim_path="/World/defaultGroundPlane", spawn=sim_utils.GroundPlaneCfg())
    dome_light = AssetBaseCfg(
        prim_path="/World/Light", spawn=sim_utils.DomeLightCfg(intensity=3000.0, color=(0.75, 0.75, 0.75))
    )
    quadrotor: MultirotorCfg = QUADROTOR_CFG.replace(prim_path="{ENV_REGEX_NS}/Robot")


def control(robot: Multirotor, height):
    """Thrusts, (num_envs, 4), that level the body, stop its spin, and bring it to a height."""
    gravity, spin = robot.data.projected_gravity_b, robot.data.root_ang_vel_b
    climb = height - robot.data.root_pos_w[:, 2:3]
    lift = MASS * (9.81 + 9.0 * climb - 6.0 * robot.data.root_lin_vel_w[:, 2:3])
    roll = INERTIA[0] * (100.0 * gravity[:, 1:2] - 20.0 * spin[:, 0:1])
    pitch = INERTIA[1] * (-100.0 * gravity[:, 0:1] - 20.0 * spin[:, 1:2])
    yaw = INERTIA[2] * (-5.0 * spin[:, 2:3])
    rows = robot.allocation_matrix  # orthogonal, so that each row divided by its square inverts it
    return (
        lift * rows[2:3] / 4.0
        + (roll * rows[3:4] + pitch * rows[4:5]) / (4.0 * ARM**2)
        + yaw * rows[5:6] / (4.0 * DRAG**2)
    )


def run_simulator(sim: sim_utils.SimulationContext, scene: InteractiveScene) -> None:
    """The loop: reset, act, step, update."""
    robot: Multirotor = scene["quadrotor"]
    sim_dt = sim.get_physics_dt()
    count = 0
    height = math_utils.sample_uniform(1.5, 2.5, (scene.num_envs, 1), robot.device)
    while simulation_app.is_running() and count < args_cli.steps:
        if count % args_cli.reset_every == 0:
            scene.reset()  # multirotors go back to where they began by this
            velocity = 1.0 * robot.data.default_root_state[:, 7:]  # a copy
            velocity[:, 3:] = math_utils.sample_uniform(-5.0, 5.0, velocity[:, 3:].shape, robot.device)
            robot.write_root_velocity_to_sim(velocity)
            print("[INFO]: Resetting robot state...")
        robot.set_thrust_target(control(robot, height))
        scene.write_data_to_sim()
        sim.step()
        count += 1
        scene.update(sim_dt)

    off = ", ".join(f"{1000.0 * float(x):.2f}" for x in (robot.data.root_pos_w[:, 2:3] - height)[:, 0])
    print(f"After {count} steps the rotors {robot.thruster_names} push by, in N:\n{robot.data.applied_thrust}")
    print(f"From their heights they are away by {off} mm.")


def main() -> None:
    """Make the simulation, what is in it, and run it."""
    sim = sim_utils.SimulationContext(sim_utils.SimulationCfg(device=args_cli.device, dt=0.005))
    sim.set_camera_view([2.5, 0.0, 4.0], [0.0, 0.0, 2.0])
    scene = InteractiveScene(QuadrotorSceneCfg(num_envs=args_cli.num_envs, env_spacing=2.0))
    sim.reset()
    print("[INFO]: Setup complete...")
    run_simulator(sim, scene)


if __name__ == "__main__":
    main()
    simulation_app.close()
