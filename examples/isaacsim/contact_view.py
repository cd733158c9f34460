"""Forces between stacked boxes: what each bears, and on what.

phalanx exec examples/isaacsim/contact_view.py
"""

from isaacsim import SimulationApp

simulation_app = SimulationApp({"headless": True})

import numpy as np  # noqa: E402
from isaacsim.core.api import World  # noqa: E402
from isaacsim.core.api.objects import DynamicCuboid  # noqa: E402
from isaacsim.core.prims import RigidPrim  # noqa: E402

MASSES = (3.0, 2.0, 1.0)

world = World(stage_units_in_meters=1.0, physics_dt=1.0 / 120.0)
world.scene.add_default_ground_plane()
for i, mass in enumerate(MASSES):
    world.scene.add(
        DynamicCuboid(f"/World/Box_{i}", f"box_{i}", position=np.array([0.0, 0.0, 0.1 + 0.2 * i]), size=0.2, mass=mass)
    )
lowest = world.scene.add(
    RigidPrim(
        "/World/Box_0",
        "lowest",
        track_contact_forces=True,
        contact_filter_prim_paths_expr=["/World/defaultGroundPlane/GroundPlane/CollisionPlane", "/World/Box_1"],
    )
)
world.reset()
for _ in range(240):
    world.step(render=False)
dt = world.get_physics_dt()
net = lowest.get_net_contact_forces(dt=dt)[0]
ground, above = lowest.get_contact_force_matrix(dt=dt)[0]
print(f"The lowest box weighs {9.81 * MASSES[0]:.2f} N; contacts push it by {net[2]:.2f} N.")
print(f"The ground pushes it by {ground[2]:.2f} N, the box above by {above[2]:.2f} N.")
simulation_app.close()
