"""Collections of objects that are piled up anew now and then: a script for Isaac Lab, run by Phalanx.

    phalanx exec examples/isaaclab/object_collection.py --device cpu --num_envs 16

Nothing in it is Phalanx's. It runs with torch, and without it on NumPy's arrays.
"""

import argparse

from isaaclab.app import AppLauncher

parser = argparse.ArgumentParser(description="Pile up collections of objects.")
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
from isaaclab.assets import (  # noqa: E402
    AssetBaseCfg,
    RigidObjectCfg,
    RigidObjectCollection,
    RigidObjectCollectionCfg,
)
from isaaclab.scene import InteractiveScene, InteractiveSceneCfg  # noqa: E402
from isaaclab.utils import configclass  # noqa: E402

SIZES = {"plinth": 0.5, "block": 0.4, "brick": 0.3, "cap": 0.2}  # of cubes, m, from below
MASSES = {"plinth": 4.0, "block": 2.0, "brick": 1.0, "cap": 0.5}  # kg


def cube(name: str) -> RigidObjectCfg:
    """A cube that stands on those below it."""
    names = list(SIZES)
    below = sum(SIZES[each] for each in names[: names.index(name)])
    return RigidObjectCfg(
        prim_path="{ENV_REGEX_NS}/" + name.capitalize(),
        spawn=sim_utils.CuboidCfg(
            size=(SIZES[name],) * 3,
            rigid_props=sim_utils.RigidBodyPropertiesCfg(solver_position_iteration_count=8),
            mass_props=sim_utils.MassPropertiesCfg(mass=MASSES[name]),
            collision_props=sim_utils.CollisionPropertiesCfg(),
            physics_material=sim_utils.RigidBodyMaterialCfg(static_friction=0.8, dynamic_friction=0.8),
            visual_material=sim_utils.PreviewSurfaceCfg(diffuse_color=(SIZES[name], 0.2, 0.6)),
        ),
        init_state=RigidObjectCfg.InitialStateCfg(pos=(0.0, 0.0, below + 0.5 * SIZES[name])),
    )


@configclass
class PileSceneCfg(InteractiveSceneCfg):
    """A ground, a light, and four cubes in each environment."""

    ground = AssetBaseCfg(prim_path="/World/defaultGroundPlane", spawn=sim_utils.GroundPlaneCfg())
    dome_light = AssetBaseCfg(
        prim_path="/World/Light", spawn=sim_utils.DomeLightCfg(intensity=3000.0, color=(0.75, 0.75, 0.75))
    )
    cubes = RigidObjectCollectionCfg(rigid_objects={name: cube(name) for name in SIZES})


def run_simulator(sim: sim_utils.SimulationContext, scene: InteractiveScene) -> None:
    """The loop: pile up, step, update."""
    cubes: RigidObjectCollection = scene["cubes"]
    sim_dt = sim.get_physics_dt()
    count = 0
    while simulation_app.is_running() and count < args_cli.steps:
        if count % args_cli.reset_every == 0:
            state = 1.0 * cubes.data.default_object_state  # a copy: (environments, objects, 13)
            state[..., :3] += scene.env_origins[:, None]
            state[..., :2] += math_utils.sample_uniform(-0.02, 0.02, state[..., :2].shape, cubes.device)
            turned = math_utils.sample_uniform(-0.5, 0.5, state.shape[:2], cubes.device)
            state[..., 3:7] = math_utils.quat_from_euler_xyz(0.0 * turned, 0.0 * turned, turned)
            cubes.write_object_state_to_sim(state)
            cubes.reset()
            print("[INFO]: Piling up...")
        scene.write_data_to_sim()
        sim.step()
        count += 1
        scene.update(sim_dt)

    height, speed = cubes.data.object_pos_w[..., 2], cubes.data.object_lin_vel_w
    print(f"After {count} steps the middles of {cubes.object_names} are, above the ground, at:\n{height}")
    print(f"No cube is faster than {1000.0 * float(abs(speed).max()):.3f} mm/s.")
    tops = ", ".join(f"{float(z):.4f}" for z in height[:, -1])
    print(f"The caps are at {tops} m.")


def main() -> None:
    """Make the simulation, what is in it, and run it."""
    sim = sim_utils.SimulationContext(sim_utils.SimulationCfg(device=args_cli.device, dt=1.0 / 120.0))
    sim.set_camera_view([3.0, 0.0, 3.0], [0.0, 0.0, 0.5])
    scene = InteractiveScene(PileSceneCfg(num_envs=args_cli.num_envs, env_spacing=2.0))
    sim.reset()
    print("[INFO]: Setup complete...")
    run_simulator(sim, scene)


if __name__ == "__main__":
    main()
    simulation_app.close()
