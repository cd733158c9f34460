"""A Jetbot drives straight, turns on the spot, and drives in a circle.

phalanx assets build jetbot     # a stand-in for NVIDIA's file
phalanx exec examples/isaacsim/jetbot_drive.py
"""

from isaacsim import SimulationApp

simulation_app = SimulationApp({"headless": True})

import numpy as np  # noqa: E402
from isaacsim.core.api import World  # noqa: E402
from isaacsim.core.utils.rotations import quat_to_euler_angles  # noqa: E402
from isaacsim.robot.wheeled_robots.controllers import DifferentialController  # noqa: E402
from isaacsim.robot.wheeled_robots.robots import WheeledRobot  # noqa: E402
from isaacsim.storage.native import get_assets_root_path  # noqa: E402

root = get_assets_root_path()
if root is None:
    raise SystemExit("There is no folder of assets: phalanx assets build jetbot")

world = World(stage_units_in_meters=1.0)
world.scene.add_default_ground_plane()
jetbot = world.scene.add(
    WheeledRobot(
        prim_path="/World/Jetbot",
        name="jetbot",
        wheel_dof_names=["left_wheel_joint", "right_wheel_joint"],
        create_robot=True,
        usd_path=f"{root}/Isaac/Robots/NVIDIA/Jetbot/jetbot.usd",
        position=np.array([0.0, 0.0, 0.05]),
    )
)
controller = DifferentialController("drive", wheel_radius=0.03, wheel_base=0.1125)
world.reset()
for name, command in (("straight", [0.1, 0.0]), ("on the spot", [0.0, np.pi / 4]), ("in a circle", [0.1, 0.5])):
    for _ in range(120):
        jetbot.apply_wheel_actions(controller.forward(command))
        world.step(render=False)
    position, orientation = jetbot.get_world_pose()
    heading = np.degrees(quat_to_euler_angles(orientation)[2])
    print(f"{name}: at {position[0]:.3f} {position[1]:.3f} m, heading {heading:.1f} degrees")
simulation_app.close()
