"""A world whose arrays are Warp's, or torch's or NumPy's: the same numbers from each.

    phalanx exec examples/isaacsim/warp_backend.py

Without the package warp-lang the backend "warp" hands out the engine's own arrays.
"""

from isaacsim import SimulationApp

simulation_app = SimulationApp({"headless": True})

import importlib.util  # noqa: E402

import numpy as np  # noqa: E402
from isaacsim.core.api import World  # noqa: E402
from isaacsim.core.api.objects import DynamicCuboid  # noqa: E402
from isaacsim.core.prims import RigidPrim  # noqa: E402
from isaacsim.core.utils.stage import create_new_stage  # noqa: E402

backends = ["numpy", "warp"] + ["torch"] * (importlib.util.find_spec("torch") is not None)
found = {}
for backend in backends:
    create_new_stage()
    world = World(stage_units_in_meters=1.0, backend=backend, device="cpu")
    world.scene.add_default_ground_plane()
    for i in range(4):
        DynamicCuboid(f"/World/Cube_{i}", position=np.array([0.5 * i, 0.0, 0.5 + 0.3 * i]), size=0.2)
    view = world.scene.add(RigidPrim("/World/Cube_.*", "cubes"))
    world.reset()
    utils = world.backend_utils
    view.set_velocities(utils.convert(np.tile([0.1, 0, 0, 0, 0, 1.0], (4, 1)), device="cpu"))
    for _ in range(60):
        world.step(render=False)
    positions, _ = view.get_world_poses()
    found[backend] = utils.to_numpy(positions)
    print(f"{backend}: arrays are {type(positions).__module__.partition('.')[0]}'s")
    World.clear_instance()
same = all(np.array_equal(found["numpy"], each) for each in found.values())
print(f"The same to the bit: {same}; heights {' '.join(f'{height:.3f}' for height in found['numpy'][:, 2])}")
simulation_app.close()
