"""A particle system and its material on the stage: they are written and read, and a simulation says what it leaves out.

phalanx exec examples/isaacsim/particles.py
"""

from isaacsim import SimulationApp

simulation_app = SimulationApp({"headless": True})

import numpy as np  # noqa: E402
from isaacsim.core.api import World  # noqa: E402
from isaacsim.core.api.materials import ParticleMaterial  # noqa: E402
from isaacsim.core.api.objects import DynamicSphere  # noqa: E402
from isaacsim.core.prims import SingleParticleSystem  # noqa: E402

world = World(stage_units_in_meters=1.0)
world.scene.add_default_ground_plane()
material = ParticleMaterial("/World/water", friction=0.1, cohesion=0.02, viscosity=0.001, surface_tension=0.07)
system = SingleParticleSystem(
    prim_path="/World/particles", name="particles", contact_offset=0.02, particle_contact_offset=0.015, wind=[0, 1, 0]
)
system.apply_particle_material(material)
ball = world.scene.add(DynamicSphere("/World/ball", "ball", position=np.array([0.0, 0.0, 0.5]), radius=0.1))
world.reset()
for _ in range(120):
    world.step(render=False)
print(f"Contact offset {system.get_contact_offset():.3f} m, viscosity {material.get_viscosity():.3f}")
print(f"The ball lies at {ball.get_world_pose()[0][2]:.3f} m.")
simulation_app.close()
