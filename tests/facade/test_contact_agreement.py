"""Contact forces of the facade and of the engine's own views are the same, and right where they were hard to find."""

from __future__ import annotations

import numpy as np
import pytest
from facade.physx_scenes import G, floats
from facade.sensor_scenes import environments
from oracles import host

import phalanx as px
from phalanx.facade import physics_events, stage
from phalanx.facade.isaaclab import sim as sim_utils
from phalanx.facade.isaaclab.assets import RigidObject, RigidObjectCfg
from phalanx.facade.isaaclab.sensors import ContactSensor, ContactSensorCfg
from phalanx.facade.isaaclab.sim import SimulationCfg, SimulationContext
from phalanx.facade.physx import RigidContactView

ACCELERATION = 2.0
CUBE = px.Shape("box", (0.1, 0.1, 0.1))


@pytest.mark.parametrize("rate", [60, 200, 1000])
def test_elevator_table_and_plates(rate: int, api: str, device: str) -> None:
    """A table in an elevator, a cube held by two plates, a ball on a spring: every view has the same forces."""
    world = px.World(3, device, dt=1 / rate)
    lift = world.add_rigid_object(px.Shape("box", (1.0, 1.0, 0.1)), "lift", kind="kinematic", position=(0, 0, -0.1))
    legs = [px.Shape("box", (0.02, 0.02, 0.2), position=(x, y, 0.2)) for x in (-0.4, 0.4) for y in (-0.3, 0.3)]
    world.add_rigid_object([px.Shape("box", (0.5, 0.4, 0.02), position=(0, 0, 0.42)), *legs], "table", mass=10.0)
    for name, x in (("left", 2.80025), ("right", 3.19975)):
        world.add_rigid_object(CUBE, name, kind="kinematic", position=(x, 0, 1))
    world.add_rigid_object(CUBE, "held", mass=1.0, position=(3, 0, 1))
    world.add_rigid_object(CUBE, "block", kind="static", position=(5, 0, -0.1))
    world.add_rigid_object(
        px.Shape("sphere", (0.1,)), "ball", mass=1.0, position=(5, 0, 0.1), contact_stiffness=1e3, contact_damping=60.0
    )
    against = {"table": "lift", "held": ["left", "right"], "ball": "block"}
    views = {name: world.contact_view(name, filters=other) for name, other in against.items()}
    facade = {name: RigidContactView(world, name, list(np.atleast_1d(other))) for name, other in against.items()}
    for i in range(rate):
        place = host(lift.root_pose)
        place[:, 2] = -0.1 + 0.5 * ACCELERATION * ((i + 1) / rate) ** 2
        lift.set_kinematic_target(place)
        world.step()
    up = {"table": 10.0 * (G + ACCELERATION), "held": G, "ball": G}
    for name, view in views.items():
        matrix = floats(facade[name].get_contact_force_matrix(rate**-1)).reshape(3, -1, 3)
        own = host(view.force_matrix(normal_only=True))[:, 0]  # PhysX has no friction there
        np.testing.assert_allclose(matrix, own, rtol=1e-5, atol=1e-4)
        net = host(world.objects[name].net_contact_force)[:, 0]
        np.testing.assert_allclose(net[:, 2], up[name], rtol=0.01)
        data = view.contact_data()
        normal = host(data.normal_forces)
        listed = floats(facade[name].get_contact_data(rate**-1)[0])[: len(normal), 0]
        np.testing.assert_allclose(np.sort(listed), np.sort(normal), rtol=1e-5, atol=1e-4)
    force = floats(facade["held"].get_contact_force_matrix(rate**-1)).reshape(3, 2, 3)
    np.testing.assert_allclose(force[:, :, 0], [[0.3e-3 / 0.004**2, -0.3e-3 / 0.004**2]] * 3, rtol=0.02)


def test_compliant_material_of_isaac_lab(api: str, device: str) -> None:
    """RigidBodyMaterialCfg's stiffness and damping act: cubes sink in by m g / (4 k), sensors have their weight."""
    stage.new_stage()
    sim = SimulationContext(SimulationCfg(device=device, dt=1 / 200))
    try:
        environments(2)
        plane = sim_utils.GroundPlaneCfg()
        plane.func("/World/ground", plane)
        cubes = {}
        for name, stiffness in (("soft", 1000.0), ("firm", 4000.0), ("rigid", 0.0)):
            material = sim_utils.RigidBodyMaterialCfg(
                compliant_contact_stiffness=stiffness, compliant_contact_damping=100.0
            )
            spawn = sim_utils.CuboidCfg(
                size=(0.2, 0.2, 0.2),
                rigid_props=sim_utils.RigidBodyPropertiesCfg(linear_damping=0.0, angular_damping=0.0),
                mass_props=sim_utils.MassPropertiesCfg(mass=2.0),
                collision_props=sim_utils.CollisionPropertiesCfg(),
                physics_material=material,
                activate_contact_sensors=True,
            )
            start = RigidObjectCfg.InitialStateCfg(pos=(0.5 * len(cubes), 0.0, 0.1))
            cubes[name] = RigidObject(
                RigidObjectCfg(prim_path=f"/World/envs/env_.*/{name}", spawn=spawn, init_state=start)
            )
        sensors = {name: ContactSensor(ContactSensorCfg(prim_path=f"/World/envs/env_.*/{name}")) for name in cubes}
        sim.reset()
        for _ in range(400):
            sim.step()
            for each in (*cubes.values(), *sensors.values()):
                each.update(1 / 200)
        for name, depth in (("soft", 2.0 * G / 4000), ("firm", 2.0 * G / 16000), ("rigid", 0.0)):
            heights = host(cubes[name].data.root_pos_w)[:, 2]
            np.testing.assert_allclose(heights, 0.1 - depth, atol=2e-5 if depth else 2e-4)
            np.testing.assert_allclose(host(sensors[name].data.net_forces_w)[:, 0, 2], 2.0 * G, rtol=2e-3)
    finally:
        SimulationContext.clear_instance()
        physics_events.clear()
