"""Bricks of other mass and friction in each environment, which slide until they stop: a script for Isaac Lab.

    phalanx exec examples/isaaclab/randomised_materials.py --device cpu --num_envs 16

How far a brick slides depends on its friction and not on its mass, v^2 / (2 mu g), less what steps of dt make of
it, v dt / 2. Nothing in it is Phalanx's. It runs with torch, and without it on NumPy's arrays.
"""

import argparse

from isaaclab.app import AppLauncher

parser = argparse.ArgumentParser(description="Let bricks of random mass and friction slide.")
parser.add_argument("--num_envs", type=int, default=8, help="Number of environments.")
parser.add_argument("--steps", type=int, default=300, help="Steps to simulate.")
AppLauncher.add_app_launcher_args(parser)
args_cli = parser.parse_args()

app_launcher = AppLauncher(args_cli)
simulation_app = app_launcher.app

# The rest is imported when the application runs.

import isaaclab.sim as sim_utils  # noqa: E402
import isaaclab.utils.math as math_utils  # noqa: E402
from isaaclab.assets import AssetBaseCfg, RigidObject, RigidObjectCfg  # noqa: E402
from isaaclab.scene import InteractiveScene, InteractiveSceneCfg  # noqa: E402
from isaaclab.utils import configclass  # noqa: E402

SPEED, GRAVITY = 2.0, 9.81  # m/s, m/s^2


@configclass
class BrickSceneCfg(InteractiveSceneCfg):
    """A ground whose friction is 1 and is multiplied by the other's, a light, and a brick in each environment."""

    ground = AssetBaseCfg(
        prim_path="/World/defaultGroundPlane",
        spawn=sim_utils.GroundPlaneCfg(
            physics_material=sim_utils.RigidBodyMaterialCfg(
                static_friction=1.0, dynamic_friction=1.0, friction_combine_mode="multiply"
            )
        ),
    )
    dome_light = AssetBaseCfg(
        prim_path="/World/Light", spawn=sim_utils.DomeLightCfg(intensity=3000.0, color=(0.75, 0.75, 0.75))
    )
    brick = RigidObjectCfg(
        prim_path="{ENV_REGEX_NS}/Brick",
        spawn=sim_utils.CuboidCfg(
            size=(0.4, 0.2, 0.1),
            rigid_props=sim_utils.RigidBodyPropertiesCfg(linear_damping=0.0, angular_damping=0.0),
            mass_props=sim_utils.MassPropertiesCfg(mass=1.0),
            collision_props=sim_utils.CollisionPropertiesCfg(),
            physics_material=sim_utils.RigidBodyMaterialCfg(),
        ),
        init_state=RigidObjectCfg.InitialStateCfg(pos=(0.0, 0.0, 0.05), lin_vel=(SPEED, 0.0, 0.0)),
    )


def randomise(brick: RigidObject):
    """Give each brick a mass, 0.5 to 8 times its own with the inertia that goes with it, and a friction; both (n,)."""
    view = brick.root_physx_view
    everyone = range(view.count)
    scale = math_utils.sample_log_uniform(0.5, 8.0, (view.count, 1), "cpu")  # where views keep properties of bodies
    view.set_masses(view.get_masses() * scale, everyone)
    view.set_inertias(view.get_inertias() * scale, everyone)
    materials = 1.0 * view.get_material_properties()  # static friction, dynamic friction, restitution of each shape
    friction = math_utils.sample_uniform(0.2, 0.8, (view.count, 1), brick.device)
    materials[..., 0] = friction
    materials[..., 1] = friction
    view.set_material_properties(materials, everyone)
    return view.get_masses()[:, 0], friction[:, 0]


def run_simulator(sim: sim_utils.SimulationContext, scene: InteractiveScene) -> None:
    """The loop: step, update; then compare with the formula."""
    brick: RigidObject = scene["brick"]
    sim_dt = sim.get_physics_dt()
    masses, friction = randomise(brick)
    state = 1.0 * brick.data.default_root_state  # a copy
    state[:, :3] += scene.env_origins
    brick.write_root_pose_to_sim(state[:, :7])
    brick.write_root_velocity_to_sim(state[:, 7:])
    scene.reset()
    count = 0
    while simulation_app.is_running() and count < args_cli.steps:
        scene.write_data_to_sim()
        sim.step()
        count += 1
        scene.update(sim_dt)

    slid = (brick.data.root_pos_w - scene.env_origins)[:, 0]
    expected = SPEED**2 / (2.0 * friction * GRAVITY) - 0.5 * SPEED * sim_dt
    for mass, mu, went, should in zip(masses, friction, slid, expected, strict=True):
        print(
            f"{float(mass):.2f} kg, friction {float(mu):.3f}: slid {float(went):.3f} m, formula {float(should):.3f} m"
        )
    print(f"The greatest difference is {1000.0 * float(abs(slid - expected).max()):.1f} mm.")


def main() -> None:
    """Make the simulation, what is in it, and run it."""
    sim = sim_utils.SimulationContext(sim_utils.SimulationCfg(device=args_cli.device, dt=0.005))
    sim.set_camera_view([3.0, 3.0, 2.0], [0.0, 0.0, 0.0])
    scene = InteractiveScene(BrickSceneCfg(num_envs=args_cli.num_envs, env_spacing=3.0))
    sim.reset()
    print("[INFO]: Setup complete...")
    run_simulator(sim, scene)


if __name__ == "__main__":
    main()
    simulation_app.close()
