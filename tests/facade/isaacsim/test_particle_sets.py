"""Sets of particles of a stage are simulated with what their particle system and its material say."""

from __future__ import annotations

import numpy as np
from facade.isaacsim.core_scenes import host

from phalanx.facade import simulation, stage
from phalanx.facade.isaaclab.sim.schemas.authoring import apply_schema
from phalanx.facade.isaacsim.core.api.materials import ParticleMaterial, ParticleMaterialView
from phalanx.facade.isaacsim.core.prims import SingleParticleSystem
from phalanx.io.formats.usd.bindings import Sdf, UsdGeom


def grains(path: str, heights: list[float], velocities: list[tuple[float, float, float]]) -> None:
    """Points above each other, 0.5 m from the next."""
    made = UsdGeom.Points.Define(stage.get_stage(), path)
    made.CreatePointsAttr([(0.5 * i, 0.0, height) for i, height in enumerate(heights)])
    made.CreateVelocitiesAttr(velocities)
    prim = made.GetPrim()
    apply_schema(prim, "PhysxParticleSetAPI")
    prim.CreateRelationship("physxParticle:particleSystem").SetTargets([Sdf.Path("/World/system")])


def test_grains_fall_slide_and_rest_as_the_stage_says(world):
    """They rest at the rest offset, friction stops them after v^2 / (2 mu g), and a reset starts them again."""
    world.scene.add_default_ground_plane(static_friction=0.3, dynamic_friction=0.3)
    felt = ParticleMaterial("/World/felt", friction=0.3, damping=0.0)
    system = SingleParticleSystem("/World/system", contact_offset=0.03, rest_offset=0.02, solid_rest_offset=0.02)
    system.apply_particle_material(felt)
    grains("/World/sand", [0.02, 1.0], [(1.0, 0.0, 0.0), (0.0, 0.0, 0.0)])
    world.reset()
    made = simulation.stage_world()
    assert made is not None
    (sand,) = made.world.particles.values()
    start = host(sand.node_pos).copy()
    np.testing.assert_allclose(host(sand.node_vel)[0], [[1, 0, 0], [0, 0, 0]], atol=1e-6)
    began = world.current_time
    for _ in range(12):
        world.step(render=False)
    time = world.current_time - began
    np.testing.assert_allclose(host(sand.node_vel)[0, 1, 2], -9.81 * time, rtol=1e-4)
    for _ in range(60):
        world.step(render=False)
    place = host(sand.node_pos)
    np.testing.assert_allclose(place[0, :, 2], 0.02, atol=1e-4)
    np.testing.assert_allclose(place[0, 0, 0] - start[0, 0, 0], 1 / (2 * 0.3 * 9.81), rtol=0.03)
    felt.set_friction(0.6)  # from now on, while it plays
    felt.set_particle_friction_scale(0.5)
    felt.set_damping(0.25)
    ParticleMaterialView("/World/felt").set_gravity_scales(np.array([-0.5]))
    felt.set_adhesion(2.0)
    felt.set_particle_adhesion_scale(0.25)
    weight = 9.80665 * float(host(sand.node_mass)[0, 0])
    np.testing.assert_allclose([host(sand.adhesion)[0], host(sand.cohesion)[0]], [2 * weight, weight / 2], rtol=1e-5)
    assert [float(host(each)[0]) for each in (sand.damping, sand.gravity_scale)] == [0.25, -0.5]
    np.testing.assert_allclose([host(sand.friction)[0], host(sand.particle_friction)[0]], [0.6, 0.3], rtol=1e-6)
    world.reset()
    made = simulation.stage_world()
    assert made is not None
    (sand,) = made.world.particles.values()
    np.testing.assert_allclose(host(sand.node_pos), start, atol=1e-6)
