"""Thousands of Jetbots by the cloner: environments of one world, steered all at once by a view.

phalanx assets build jetbot
phalanx exec examples/isaacsim/many_jetbots.py --count 4096
"""

import argparse
import time

from isaacsim import SimulationApp

parser = argparse.ArgumentParser()
parser.add_argument("--count", type=int, default=1024)
parser.add_argument("--steps", type=int, default=120)
arguments, _ = parser.parse_known_args()
simulation_app = SimulationApp({"headless": True})

import numpy as np  # noqa: E402
from isaacsim.core.api import World  # noqa: E402
from isaacsim.core.cloner import GridCloner  # noqa: E402
from isaacsim.core.prims import Articulation  # noqa: E402
from isaacsim.core.utils.prims import define_prim  # noqa: E402
from isaacsim.core.utils.stage import add_reference_to_stage  # noqa: E402
from isaacsim.core.utils.types import ArticulationActions  # noqa: E402
from isaacsim.storage.native import get_assets_root_path  # noqa: E402

root = get_assets_root_path()
if root is None:
    raise SystemExit("There is no folder of assets: phalanx assets build jetbot")

start = time.perf_counter()
world = World(stage_units_in_meters=1.0)
world.scene.add_default_ground_plane()
cloner = GridCloner(spacing=1.0)
cloner.define_base_env("/World/envs")
define_prim("/World/envs/env_0")
jetbot = "/World/envs/env_0/jetbot"
add_reference_to_stage(f"{root}/Isaac/Robots/NVIDIA/Jetbot/jetbot.usd", jetbot)
paths = cloner.generate_paths("/World/envs/env", arguments.count)
cloner.clone("/World/envs/env_0", paths, position_offsets=np.tile([0.0, 0.0, 0.03], (arguments.count, 1)))
cloner.filter_collisions("/physicsScene", "/World/groups", paths, ["/World/defaultGroundPlane"])
jetbots = world.scene.add(Articulation("/World/envs/.*/jetbot", "jetbots"))
world.reset()
print(f"{jetbots.count} Jetbots are ready after {time.perf_counter() - start:.1f} s.")

speeds = np.linspace(0.5, 5.0, arguments.count)
targets = np.repeat(speeds[:, None], 2, axis=1)
begin = jetbots.get_world_poses()[0].copy()
jetbots.switch_control_mode("velocity")
start = time.perf_counter()
for _ in range(arguments.steps):
    jetbots.apply_action(ArticulationActions(joint_velocities=targets))
    world.step(render=False)
print(f"{arguments.count * arguments.steps / (time.perf_counter() - start):.0f} steps of one robot per second")
ways = np.linalg.norm(jetbots.get_world_poses()[0] - begin, axis=1)
print(f"The slowest went {ways[0]:.3f} m, the quickest {ways[-1]:.3f} m.")
simulation_app.close()
