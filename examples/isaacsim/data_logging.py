"""What is seen at each step is logged to a file, read back, and played again.

phalanx exec examples/isaacsim/data_logging.py
"""

import tempfile
from pathlib import Path

from isaacsim import SimulationApp

simulation_app = SimulationApp({"headless": True})

import numpy as np  # noqa: E402
from isaacsim.core.api import World  # noqa: E402
from isaacsim.core.api.objects import DynamicSphere  # noqa: E402

world = World(stage_units_in_meters=1.0)
world.scene.add_default_ground_plane()
ball = world.scene.add(DynamicSphere("/World/ball", "ball", position=np.array([0.0, 0.0, 1.0]), radius=0.1))
world.reset()
ball.set_linear_velocity(np.array([0.5, 0.0, 0.0]))

logger = world.get_data_logger()
logger.add_data_frame_logging_func(
    lambda tasks, scene: {"position": scene.get_object("ball").get_world_pose()[0].tolist()}
)
logger.start()
for _ in range(60):
    world.step(render=False)
file = Path(tempfile.mkdtemp()) / "ball.json"
logger.save(log_path=str(file))
logger.reset()

logger.load(log_path=str(file))
frames = logger.get_num_of_data_frames()
worst = 0.0
for index in range(frames):
    frame = logger.get_data_frame(data_frame_index=index)
    ball.set_world_pose(position=np.array(frame.data["position"]))
    worst = max(worst, float(np.abs(ball.get_world_pose()[0] - frame.data["position"]).max()))
print(f"{frames} frames; the last at {logger.get_data_frame(data_frame_index=frames - 1).current_time:.3f} s")
print(f"Played back within {1e6 * worst:.3f} micrometres.")
simulation_app.close()
