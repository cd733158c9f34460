"""Cameras: pictures, distances and labels of falling cubes, saved as pictures, and a point found in them.

phalanx exec examples/isaacsim/camera.py --save cubes
"""

from isaacsim import SimulationApp

simulation_app = SimulationApp({"headless": True})

import argparse  # noqa: E402

import numpy as np  # noqa: E402
from isaacsim.core.api import World  # noqa: E402
from isaacsim.core.api.objects import DynamicCuboid  # noqa: E402
from isaacsim.core.utils.numpy.rotations import euler_angles_to_quats  # noqa: E402
from isaacsim.core.utils.semantics import add_labels  # noqa: E402
from isaacsim.sensors.camera import Camera  # noqa: E402
from PIL import Image  # noqa: E402

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--frames", type=int, default=90)
parser.add_argument("--save", default="", help="beginning of the names of pictures; none are saved without it")
args, _ = parser.parse_known_args()

world = World(stage_units_in_meters=1.0)
world.scene.add_default_ground_plane()
COLORS = ([0.85, 0.2, 0.15], [0.2, 0.6, 0.3], [0.15, 0.35, 0.8])
cubes = [
    world.scene.add(
        DynamicCuboid(
            f"/World/cube_{i}",
            f"cube_{i}",
            position=np.array([0.35 * i, 0.1 * i, 0.6 + 0.5 * i]),
            orientation=euler_angles_to_quats(np.array([0.3 * i, 0.2, 0.4 * i])),
            size=0.4,
            color=np.array(color),
        )
    )
    for i, color in enumerate(COLORS)
]
for i, cube in enumerate(cubes):
    add_labels(cube.prim, [f"cube_{i}"])

# A camera looks along x of its axes "world": it is turned by 25 degrees downward, and toward the cubes.
camera = world.scene.add(
    Camera(
        "/World/camera",
        "camera",
        resolution=(320, 240),
        position=np.array([-3.0, -1.2, 2.0]),
        orientation=euler_angles_to_quats(np.array([0.0, 25.0, 22.0]), degrees=True),
    )
)
camera.set_focal_length(2.4)
world.reset()
camera.add_distance_to_image_plane_to_frame()
camera.add_semantic_segmentation_to_frame(init_params={"colorize": True})
camera.add_bounding_box_2d_tight_to_frame()

for _ in range(args.frames):
    world.step(render=True)

frame = camera.get_current_frame()
boxes = frame["bounding_box_2d_tight"]
for row, path in zip(boxes["data"], boxes["info"]["primPaths"], strict=True):
    print(f"{path}: columns {row['x_min']} to {row['x_max']}, rows {row['y_min']} to {row['y_max']}")

pixel = camera.get_image_coords_from_world_points(np.array([cubes[0].get_world_pose()[0]]))
column, row = pixel[0].astype(int)
surface = camera.get_world_points_from_image_coords(pixel, camera.get_depth()[row, column][None])
print(f"the middle of the first cube is at {pixel[0].round(1)}, where its surface is at {surface[0].round(2)}")

if args.save:
    Image.fromarray(camera.get_rgb()).save(f"{args.save}_rgb.png")
    depth = np.clip(camera.get_depth() / 8.0, 0.0, 1.0)
    Image.fromarray((255 * (1.0 - depth)).astype(np.uint8)).save(f"{args.save}_depth.png")
    Image.fromarray(frame["semantic_segmentation"]["data"]).save(f"{args.save}_labels.png")

simulation_app.close()
