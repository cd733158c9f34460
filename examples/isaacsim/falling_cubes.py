"""Cubes are added one by one while the simulation runs, fall on each other, and are looked at all at once by a view.

phalanx exec examples/isaacsim/falling_cubes.py
"""

from isaacsim import SimulationApp

simulation_app = SimulationApp({"headless": True})

import numpy as np  # noqa: E402
from isaacsim.core.api import World  # noqa: E402
from isaacsim.core.api.objects import DynamicCuboid  # noqa: E402
from isaacsim.core.prims import RigidPrim  # noqa: E402

SIZE, COUNT = 0.2, 6

world = World(stage_units_in_meters=1.0)
world.scene.add_default_ground_plane()
world.reset()
rng = np.random.default_rng(0)
for i in range(COUNT):
    world.scene.add(
        DynamicCuboid(
            f"/World/Cube_{i}",
            f"cube_{i}",
            position=np.array([*rng.uniform(-0.02, 0.02, 2), 0.3 + SIZE * i]),
            size=SIZE,
            color=rng.uniform(0.2, 1.0, 3),
            mass=1.0,
        )
    )
    for _ in range(60):
        world.step(render=False)
cubes = RigidPrim("/World/Cube_.*", "cubes")
world.scene.add(cubes)
for _ in range(120):
    world.step(render=False)
print("Heights:", " ".join(f"{height:.3f}" for height in np.sort(cubes.get_world_poses()[0][:, 2])))

world.scene.remove_object("cubes", registry_only=True)
world.scene.remove_object("cube_0")
left = [f"cube_{i}" for i in range(COUNT) if world.scene.object_exists(f"cube_{i}")]
for _ in range(120):
    world.step(render=False)
heights = [world.scene.get_object(name).get_world_pose()[0][2] for name in left]
print(f"After the lowest is removed, {len(left)} are left:", " ".join(f"{height:.3f}" for height in sorted(heights)))
simulation_app.close()
