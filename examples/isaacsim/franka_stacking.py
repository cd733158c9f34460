"""A Franka stacks two cubes.

phalanx assets build franka-sim
phalanx exec examples/isaacsim/franka_stacking.py
"""

from isaacsim import SimulationApp

simulation_app = SimulationApp({"headless": True})

import numpy as np  # noqa: E402
from isaacsim.core.api import World  # noqa: E402
from isaacsim.robot.manipulators.examples.franka.controllers.stacking_controller import (  # noqa: E402
    StackingController,
)
from isaacsim.robot.manipulators.examples.franka.tasks import Stacking  # noqa: E402

world = World(stage_units_in_meters=1.0)
world.add_task(Stacking(name="stacking", target_position=np.array([0.5, 0.0, 0.0])))
world.reset()
task = world.get_task("stacking")
franka = world.scene.get_object(task.get_params()["robot_name"]["value"])
cubes = task.get_cube_names()
controller = StackingController(
    "stacking",
    gripper=franka.gripper,
    robot_articulation=franka,
    picking_order_cube_names=cubes,
    robot_observation_name=franka.name,
)
for _ in range(3000):
    world.step(render=False)
    seen = world.get_observations()
    if controller.is_done():
        break
    franka.apply_action(controller.forward(seen))
print(f"Done after {world.current_time:.1f} s: {controller.is_done()}")
print("Heights:", " ".join(f"{seen[name]['position'][2]:.3f}" for name in cubes))
simulation_app.close()
