"""Cloth, particles and deformable bodies: the stage keeps what is set, a simulation says that it leaves them out."""

from __future__ import annotations

import logging

import numpy as np
import pytest
from facade.isaacsim.core_scenes import host, like, xforms

from phalanx.facade import once, stage
from phalanx.facade.isaaclab.sim.schemas.authoring import applied_schemas
from phalanx.facade.isaacsim.core.api.materials import DeformableMaterial, ParticleMaterial
from phalanx.facade.isaacsim.core.prims import (
    ClothPrim,
    DeformablePrim,
    ParticleSystem,
    SdfShapePrim,
    SingleClothPrim,
    SingleDeformablePrim,
    SingleParticleSystem,
)
from phalanx.io.formats.usd.bindings import UsdGeom


def sheet(path: str) -> None:
    mesh = UsdGeom.Mesh.Define(stage.get_stage(), path)
    mesh.CreatePointsAttr([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)])
    mesh.CreateFaceVertexCountsAttr([3, 3])
    mesh.CreateFaceVertexIndicesAttr([0, 1, 2, 0, 2, 3])


def test_cloth(world, backend):
    system = SingleParticleSystem("/World/system", contact_offset=0.05, wind=[0.0, 1.0, 0.0], max_velocity=50.0)
    material = ParticleMaterial("/World/felt", drag=0.1)
    for i in range(2):
        sheet(f"/World/cloth_{i}")
        cloth = SingleClothPrim(
            f"/World/cloth_{i}", system, material, stretch_stiffness=1e4, spring_damping=0.2, pressure=1.5
        )
    assert cloth.get_cloth_stretch_stiffness() == 1e4 and cloth.get_cloth_damping() == pytest.approx(0.2)
    assert cloth.get_pressure() == 1.5 and cloth.get_particle_group() == 0 and cloth.get_self_collision() is True
    cloth.set_cloth_bend_stiffness(5.0)
    cloth.set_stretch_stiffness(like(backend, [1, 2, 3]))
    np.testing.assert_allclose(host(cloth.get_stretch_stiffness()), [1, 2, 3])
    with pytest.raises(ValueError, match="has no physxParticle:springDampings"):
        cloth.get_spring_damping()
    view = world.scene.add(ClothPrim("/World/cloth_.*", name="cloths"))
    assert view.max_particles_per_cloth == 4 and view.max_springs_per_cloth == 3
    np.testing.assert_allclose(host(view.get_cloths_bend_stiffnesses()), [0, 5])
    np.testing.assert_allclose(host(view.get_particle_masses()), 0.01, rtol=1e-5)
    assert view.get_world_positions().shape == (2, 4, 3)
    view.set_world_positions(like(backend, np.ones((1, 4, 3))), indices=[1])
    np.testing.assert_allclose(host(view.get_world_positions(indices=[1])), 1.0)
    view.set_particle_groups(like(backend, [1, 2], "int32"))
    assert host(view.get_particle_groups()).tolist() == [1, 2]
    with pytest.raises(ValueError, match="must be at least 0"):
        view.set_cloths_stretch_stiffnesses(like(backend, [-1, 0]))
    assert system.get_applied_particle_material() is material
    prim = stage.get_stage().GetPrimAtPath("/World/cloth_0")
    assert str(prim.GetRelationship("physxParticle:particleSystem").GetTargets()[0]) == "/World/system"
    assert "PhysxAutoParticleClothAPI" in applied_schemas(prim)


def test_particle_systems(world, backend):
    for i in range(2):
        SingleParticleSystem(f"/World/s_{i}", solver_position_iteration_count=4 + i, enable_ccd=True)
    view = ParticleSystem("/World/s_.*")
    assert host(view.get_solver_position_iteration_counts()).tolist() == [4, 5]
    view.set_winds(like(backend, [[1, 2, 3]]), indices=[1])
    np.testing.assert_allclose(host(view.get_winds()), [[0, 0, 0], [1, 2, 3]])
    view.set_simulation_owners(["/physicsScene"], indices=[0])
    assert view.get_simulation_owners() == ["/physicsScene", None]
    view.set_contact_offsets(like(backend, [0.1, 0.2]))
    np.testing.assert_allclose(host(view.get_contact_offsets()), [0.1, 0.2], rtol=1e-6)
    one = SingleParticleSystem("/World/s_1")
    assert one.get_wind() == [1, 2, 3] and one.get_enable_ccd() is True
    one.set_max_neighborhood(32)
    assert one.get_max_neighborhood() == 32 and one.is_valid()
    one.apply_particle_smoothing()
    one.apply_particle_isotropy()
    assert {"PhysxParticleSmoothingAPI", "PhysxParticleAnisotropyAPI"} <= set(applied_schemas(one.prim))


def test_deformable_bodies(world, backend):
    material = DeformableMaterial("/World/rubber", youngs_modulus=1e5)
    for i in range(2):
        sheet(f"/World/d_{i}")
        body = SingleDeformablePrim(
            f"/World/d_{i}",
            material,
            vertex_velocity_damping=0.1,
            simulation_rest_points=np.eye(4)[:, :3],
            simulation_indices=[0, 1, 2, 3],
        )
    assert body.get_vertex_velocity_damping() == pytest.approx(0.1) and body.get_self_collision() is True
    assert body.get_applied_deformable_material() is material
    assert host(body.get_simulation_mesh_indices()).tolist() == [[0, 1, 2, 3]]
    np.testing.assert_allclose(host(body.get_simulation_mesh_rest_points()), np.eye(4)[:, :3])
    body.set_solver_position_iteration_count(20)
    view = DeformablePrim("/World/d_.*")
    assert host(view.get_solver_position_iteration_counts()).tolist() == [16, 20]
    assert view.max_simulation_mesh_elements_per_body == 1 and view.max_simulation_mesh_vertices_per_body == 4
    view.set_simulation_mesh_nodal_positions(like(backend, np.ones((2, 4, 3))))
    np.testing.assert_allclose(host(view.get_simulation_mesh_nodal_positions()), 1.0)
    assert view.get_collision_mesh_element_stresses() is None
    xforms("/World/nothing")
    with pytest.raises(ValueError, match="is no mesh"):
        SingleDeformablePrim("/World/nothing")


def test_a_simulation_says_that_it_leaves_them_out(world, caplog):
    sheet("/World/d")
    body = world.scene.add(SingleDeformablePrim("/World/d", name="body"))
    once._told.clear()
    with caplog.at_level(logging.WARNING):
        world.reset()
        world.step(render=False)
    assert (
        "deformable bodies are not simulated yet" in caplog.text
        and not body._deformable_prim_view.is_physics_handle_valid()
    )


def test_meshes_with_distance_fields(world, caplog):
    sheet("/World/m")
    view = SdfShapePrim("/World/m", num_query_points=10)
    assert view.num_query_points == 10 and view.get_collision_approximations() == ["sdf"]
    view.set_sdf_margins([0.02])
    view.set_sdf_resolution([128])
    np.testing.assert_allclose(view.get_sdf_margins(), [0.02])
    assert view.get_sdf_resolution().tolist() == [128] and view.get_sdf_subgrid_resolution().tolist() == [6]
    assert view.get_sdf_and_gradients(np.zeros((1, 10, 3))) is None and "does not hand out" in caplog.text
