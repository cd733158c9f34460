"""Arms that reach joint targets, new ones now and then: a script for Isaac Lab, run by Phalanx.

    phalanx exec examples/isaaclab/arm_reach.py --device cpu --num_envs 16

The robot is a URDF file that comes with Phalanx, a Panda; all else is as anywhere. It runs with torch, and without it
on NumPy's arrays.
"""

import argparse

from isaaclab.app import AppLauncher

parser = argparse.ArgumentParser(description="Let arms reach joint targets.")
parser.add_argument("--num_envs", type=int, default=4, help="Number of environments.")
parser.add_argument("--steps", type=int, default=600, help="Steps to simulate.")
parser.add_argument("--target_every", type=int, default=200, help="Steps between targets.")
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
        articulation_props=sim_utils.ArticulationRootPropertiesCfg(enabled_self_collisions=False),
    ),
    init_state=ArticulationCfg.InitialStateCfg(
        joint_pos={
            "joint[1357]": 0.0,
            "joint2": -0.6,
            "joint4": -2.6,
            "joint6": 2.8,
            ".*finger_joint": 0.02,
        },
    ),
    actuators={
        "shoulder": ImplicitActuatorCfg(
            joint_names_expr=["joint[1-4]"], effort_limit_sim=87.0, stiffness=400.0, damping=80.0
        ),
        "forearm": ImplicitActuatorCfg(
            joint_names_expr=["joint[5-7]"], effort_limit_sim=12.0, stiffness=400.0, damping=80.0
        ),
        "hand": ImplicitActuatorCfg(
            joint_names_expr=[".*finger_joint"], effort_limit_sim=200.0, stiffness=2000.0, damping=100.0
        ),
    },
    soft_joint_pos_limit_factor=0.95,
)


@configclass
class ArmSceneCfg(InteractiveSceneCfg):
    """A ground, a light, and an arm in each environment."""

    ground = AssetBaseCfg(
        prim_path="/World/defaultGroundPlane",
        spawn=sim_utils.GroundPlaneCfg(),
        init_state=AssetBaseCfg.InitialStateCfg(pos=(0.0, 0.0, -1.05)),
    )
    dome_light = AssetBaseCfg(
        prim_path="/World/Light", spawn=sim_utils.DomeLightCfg(intensity=3000.0, color=(0.75, 0.75, 0.75))
    )
    arm: ArticulationCfg = ARM_CFG.replace(prim_path="{ENV_REGEX_NS}/Robot")


def run_simulator(sim: sim_utils.SimulationContext, scene: InteractiveScene) -> None:
    """The loop: choose targets, step, update, see how far off the joints are."""
    arm: Articulation = scene["arm"]
    sim_dt = sim.get_physics_dt()
    joints, names = arm.find_joints("joint[1-7]")
    (tool,), _ = arm.find_bodies("tool")
    arm.write_joint_state_to_sim(arm.data.default_joint_pos, arm.data.default_joint_vel)
    target = 1.0 * arm.data.default_joint_pos  # a copy
    count = 0
    while simulation_app.is_running() and count < args_cli.steps:
        if count % args_cli.target_every == 0:
            near = arm.data.default_joint_pos[:, joints]
            drawn = near + math_utils.sample_uniform(-0.4, 0.4, near.shape, arm.device)
            limits = arm.data.soft_joint_pos_limits[:, joints]
            target[:, joints] = math_utils.saturate(drawn, limits[..., 0], limits[..., 1])
            print(f"[INFO]: New targets: {[float(round(float(x), 3)) for x in target[0, joints]]} for the first arm")
        arm.set_joint_position_target(target)
        scene.write_data_to_sim()
        sim.step()
        count += 1
        scene.update(sim_dt)

    position, _ = math_utils.subtract_frame_transforms(
        arm.data.root_pos_w, arm.data.root_quat_w, arm.data.body_pos_w[:, tool], arm.data.body_quat_w[:, tool]
    )
    print(f"After {count} steps the tools are, from the arms' bases, at:\n{position}")
    off = abs(arm.data.joint_pos - target)[:, joints]
    worst = ", ".join(f"{1000.0 * float(row.max()):.2f}" for row in off)
    print(f"Of the joints {names} the one that is farthest from its target is off by {worst} mrad.")


def main() -> None:
    """Make the simulation, what is in it, and run it."""
    sim = sim_utils.SimulationContext(sim_utils.SimulationCfg(device=args_cli.device, dt=0.01))
    sim.set_camera_view([2.5, 2.5, 2.5], [0.0, 0.0, 0.0])
    scene = InteractiveScene(ArmSceneCfg(num_envs=args_cli.num_envs, env_spacing=2.0))
    sim.reset()
    print("[INFO]: Setup complete...")
    run_simulator(sim, scene)


if __name__ == "__main__":
    main()
    simulation_app.close()
