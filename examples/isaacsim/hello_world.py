"""A cube falls on the ground: the first script of Isaac Sim's core, run by Phalanx.

    phalanx exec examples/isaacsim/hello_world.py

Nothing in it is Phalanx's.
"""

from isaacsim import SimulationApp

simulation_app = SimulationApp({"headless": True})

# The rest is imported when the application runs.

import numpy as np  # noqa: E402
from isaacsim.core.api import World  # noqa: E402
from isaacsim.core.api.objects import DynamicCuboid  # noqa: E402

world = World(stage_units_in_meters=1.0)
world.scene.add_default_ground_plane()
cube = world.scene.add(
    DynamicCuboid(
        prim_path="/World/cube",
        name="cube",
        position=np.array([0.0, 0.0, 1.0]),
        scale=np.array([0.5, 0.5, 0.5]),
        color=np.array([0.0, 0.0, 1.0]),
    )
)
world.reset()
for step in range(120):
    if step % 30 == 0:
        position, _ = cube.get_world_pose()
        print(f"{world.current_time:.2f} s: {position[2]:.3f} m high, {cube.get_linear_velocity()[2]:.3f} m/s")
    world.step(render=False)
print(f"It lies at {cube.get_world_pose()[0][2]:.3f} m.")
simulation_app.close()
