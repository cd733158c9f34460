"""A Franka takes a cube from one place to another.

    phalanx assets build franka-sim     # a stand-in for NVIDIA's file; needs: pip install example-robot-data
    phalanx exec examples/isaacsim/franka_pick_place.py

The controller moves the arm by inverse kinematics where Isaac Sim does it by RMPflow.
"""

from isaacsim import SimulationApp

simulation_app = SimulationApp({"headless": True})

import numpy as np  # noqa: E402
from isaacsim.core.api import World  # noqa: E402
from isaacsim.robot.manipulators.examples.franka.controllers.pick_place_controller import (  # noqa: E402
    PickPlaceController,
)
from isaacsim.robot.manipulators.examples.franka.tasks import PickPlace  # noqa: E402

world = World(stage_units_in_meters=1.0)
world.add_task(PickPlace(name="pick_place", target_position=np.array([0.3, -0.3, 0.0515 / 2])))
world.reset()
names = world.get_task("pick_place").get_params()
franka = world.scene.get_object(names["robot_name"]["value"])
cube = names["cube_name"]["value"]
controller = PickPlaceController("controller", gripper=franka.gripper, robot_articulation=franka)
phase = -1
for _ in range(1500):
    world.step(render=False)
    seen = world.get_observations()
    if controller.get_current_event() != phase:
        phase = controller.get_current_event()
        print(f"{world.current_time:.2f} s, phase {phase}: the cube is {seen[cube]['position'][2]:.3f} m high")
    if controller.is_done():
        break
    actions = controller.forward(
        picking_position=seen[cube]["position"],
        placing_position=seen[cube]["target_position"],
        current_joint_positions=seen[franka.name]["joint_positions"],
    )
    franka.apply_action(actions)
off = np.linalg.norm((seen[cube]["position"] - seen[cube]["target_position"])[:2])
print(f"The cube is {1000 * off:.1f} mm from its target.")
simulation_app.close()
