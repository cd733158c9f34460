"""Cones that are dropped at four places, and put back now and then: a script for Isaac Lab, run by Phalanx.

    phalanx exec examples/isaaclab/rigid_objects.py --device cpu

Nothing in it is Phalanx's. It runs with torch, and without it on NumPy's arrays.
"""

import argparse

from isaaclab.app import AppLauncher

parser = argparse.ArgumentParser(description="Drop cones, and put them back now and then.")
parser.add_argument("--steps", type=int, default=500, help="Steps to simulate.")
parser.add_argument("--reset_every", type=int, default=250, help="Steps between resets.")
AppLauncher.add_app_launcher_args(parser)
args_cli = parser.parse_args()

app_launcher = AppLauncher(args_cli)
simulation_app = app_launcher.app

# The rest is imported when the application runs.

import isaaclab.sim as sim_utils  # noqa: E402
import isaaclab.utils.math as math_utils  # noqa: E402
import isaacsim.core.utils.prims as prim_utils  # noqa: E402
from isaaclab.assets import RigidObject, RigidObjectCfg  # noqa: E402
from isaaclab.sim import SimulationContext  # noqa: E402
from isaaclab.sim.views import XformPrimView  # noqa: E402

ORIGINS = [(0.25, 0.25, 0.0), (-0.25, 0.25, 0.0), (0.25, -0.25, 0.0), (-0.25, -0.25, 0.0)]


def design_scene() -> RigidObject:
    """A ground, a light, and a cone at each of the places."""
    ground_cfg = sim_utils.GroundPlaneCfg()
    ground_cfg.func("/World/defaultGroundPlane", ground_cfg)
    light_cfg = sim_utils.DomeLightCfg(intensity=2000.0, color=(0.8, 0.8, 0.8))
    light_cfg.func("/World/Light", light_cfg)

    for i, origin in enumerate(ORIGINS):
        prim_utils.create_prim(f"/World/Origin{i}", "Xform", translation=origin)
    cone_cfg = RigidObjectCfg(
        prim_path="/World/Origin.*/Cone",
        spawn=sim_utils.ConeCfg(
            radius=0.1,
            height=0.2,
            rigid_props=sim_utils.RigidBodyPropertiesCfg(),
            mass_props=sim_utils.MassPropertiesCfg(mass=1.0),
            collision_props=sim_utils.CollisionPropertiesCfg(),
            visual_material=sim_utils.PreviewSurfaceCfg(diffuse_color=(0.0, 1.0, 0.0), metallic=0.2),
        ),
        init_state=RigidObjectCfg.InitialStateCfg(),
    )
    return RigidObject(cfg=cone_cfg)


def run_simulator(sim: SimulationContext, cones: RigidObject) -> None:
    """The loop: reset, write, step, update."""
    sim_dt = sim.get_physics_dt()
    origins, _ = XformPrimView("/World/Origin.*", device=sim.device).get_world_poses()
    count = 0
    while simulation_app.is_running() and count < args_cli.steps:
        if count % args_cli.reset_every == 0:
            root_state = 1.0 * cones.data.default_root_state  # a copy
            root_state[:, :3] += origins
            root_state[:, :3] += math_utils.sample_cylinder(
                radius=0.1, h_range=(0.25, 0.5), size=(cones.num_instances,), device=cones.device
            )
            cones.write_root_pose_to_sim(root_state[:, :7])
            cones.write_root_velocity_to_sim(root_state[:, 7:])
            cones.reset()
            print("[INFO]: Resetting object state...")
        cones.write_data_to_sim()
        sim.step()
        count += 1
        cones.update(sim_dt)
        if count % 50 == 0:
            print(f"Root position (in world): {cones.data.root_pos_w}")

    heights = ", ".join(f"{float(z):.3f}" for z in cones.data.root_pos_w[:, 2])
    print(f"After {count} steps the cones' middles are {heights} m above the ground.")


def main() -> None:
    """Make the simulation, what is in it, and run it."""
    sim = SimulationContext(sim_utils.SimulationCfg(device=args_cli.device))
    sim.set_camera_view(eye=[1.5, 0.0, 1.0], target=[0.0, 0.0, 0.0])
    cones = design_scene()
    sim.reset()
    print("[INFO]: Setup complete...")
    run_simulator(sim, cones)


if __name__ == "__main__":
    main()
    simulation_app.close()
