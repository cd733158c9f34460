"""Cloth and particles on the stage, and deformable bodies, which are simulated (cloth is in test_cloth_prims)."""

from __future__ import annotations

import numpy as np
import pytest
from facade.isaacsim.core_scenes import host, like, xforms

from phalanx.facade import simulation, stage
from phalanx.facade.isaaclab.sim.schemas.authoring import applied_schemas
from phalanx.facade.isaacsim.core.api.materials import DeformableMaterial, DeformableMaterialView, ParticleMaterial
from phalanx.facade.isaacsim.core.prims import (
    ClothPrim,
    DeformablePrim,
    ParticleSystem,
    SdfShapePrim,
    SingleClothPrim,
    SingleDeformablePrim,
    SingleParticleSystem,
)
from phalanx.facade.omni.physx.scripts.physicsUtils import create_mesh_cube
from phalanx.io.formats.usd.bindings import UsdGeom
from phalanx.io.reading.errors import LoadError
from phalanx.models.meshes.tet_shapes import tet_shape
from phalanx.models.robot_model import Shape


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
    assert cloth.get_cloth_stretch_stiffness() == 1e4 and float(cloth.get_cloth_damping()) == pytest.approx(0.2)
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
    assert view.get_solid_rest_offsets().shape == view.get_rest_offsets().shape == (2,)
    world.reset()  # from here on PhysX's views of particles have columns
    view.set_solid_rest_offsets(like(backend, [[0.01], [0.02]]))
    found = view.get_solid_rest_offsets()
    assert found.shape == view.get_fluid_rest_offsets().shape == (2, 1)
    np.testing.assert_allclose(host(found), [[0.01], [0.02]], rtol=1e-6)
    assert view.get_particle_contact_offsets([1]).shape == (1, 1) and view.get_rest_offsets().shape == (2,)
    one = SingleParticleSystem("/World/s_1")
    assert float(one.get_solid_rest_offset()) == pytest.approx(0.02)
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
    assert float(body.get_vertex_velocity_damping()) == pytest.approx(0.1) and body.get_self_collision() is True
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


def block(path: str, height: float) -> None:
    """A cube of 0.2 m, closed."""
    mesh = UsdGeom.Mesh.Define(stage.get_stage(), path)
    corners = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * 0.1
    mesh.CreatePointsAttr((corners + (0.0, 0.0, height)).tolist())
    mesh.CreateFaceVertexCountsAttr([4] * 6)
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    mesh.CreateFaceVertexIndicesAttr([corner for face in faces for corner in face])


def test_deformable_bodies_are_simulated(world, backend):
    """They fall as anything does, and go where their targets are."""
    for i in range(2):
        block(f"/World/b_{i}", 1.0 + i)
        SingleDeformablePrim(f"/World/b_{i}", simulation_hexahedral_resolution=2, vertex_velocity_damping=0.0)
    view = world.scene.add(DeformablePrim("/World/b_.*", name="blocks"))
    world.reset()
    assert view.is_physics_handle_valid()
    count = (view.max_simulation_mesh_vertices_per_body, view.max_simulation_mesh_elements_per_body)
    assert count == (27, 40) and view.max_collision_mesh_vertices_per_body == 27
    start = host(view.get_simulation_mesh_nodal_positions())
    np.testing.assert_allclose(start.mean(axis=1), [(0, 0, 1), (0, 0, 2)], atol=1e-5)
    corners = start[1][host(view.get_simulation_mesh_indices([1]))[0]]  # (40, 4, 3)
    volumes = np.abs(np.linalg.det(corners[:, 1:] - corners[:, :1])) / 6.0
    assert volumes.min() > 0.0 and volumes.sum() == pytest.approx(0.2**3, rel=1e-4)
    targets = host(view.get_simulation_mesh_kinematic_targets()).copy()
    assert (targets[..., 3] == 1.0).all()
    targets[1, :, 2] += 0.5
    targets[1, :, 3] = 0.0
    view.set_simulation_mesh_kinematic_targets(like(backend, targets[1:]), indices=[1])
    began = world.current_time
    for _ in range(10):
        world.step(render=False)
    time = world.current_time - began
    moved = host(view.get_simulation_mesh_nodal_positions()) - start
    np.testing.assert_allclose(moved[0, :, 2], -9.81 * time**2 / 2, rtol=0.15)
    np.testing.assert_allclose(moved[1], np.tile([0, 0, 0.5], (27, 1)), atol=1e-5)
    np.testing.assert_allclose(host(view.get_simulation_mesh_nodal_velocities())[0, :, 2], -9.81 * time, rtol=1e-3)
    np.testing.assert_allclose(host(view.get_collision_mesh_nodal_positions()) - start, moved, atol=1e-6)
    assert view.get_simulation_mesh_element_stresses().shape == (2, 40, 3, 3)
    gradients = host(view.get_collision_mesh_element_deformation_gradients(indices=[1]))
    np.testing.assert_allclose(gradients, np.tile(np.eye(3), (1, 40, 1, 1)), atol=1e-3)
    view.set_simulation_mesh_nodal_positions(like(backend, start[:1]), indices=[0])
    np.testing.assert_allclose(host(view.get_simulation_mesh_nodal_positions(indices=[0])), start[:1], atol=1e-5)


def test_a_collision_mesh_of_its_own(world, backend):
    """Its vertices and tetrahedra go with those that are simulated, and are not theirs."""
    inner = tet_shape(Shape("sphere", (0.08,)), 2)
    for i in range(2):
        block(f"/World/b_{i}", 1.0)
        given = {"collision_rest_points": inner.nodes + (0, 0, 1.0), "collision_indices": inner.tets.ravel()}
        SingleDeformablePrim(f"/World/b_{i}", simulation_hexahedral_resolution=2, **(given if i else {}))
    view = world.scene.add(DeformablePrim("/World/b_.*", name="blocks"))
    world.reset()
    count, tets = len(inner.nodes), len(inner.tets)
    assert view.max_collision_mesh_vertices_per_body == max(count, 27)
    assert view.max_collision_mesh_elements_per_body == max(tets, 40)
    places = host(view.get_simulation_mesh_nodal_positions())
    strain = np.array([[1.1, 0.2, 0.0], [0.0, 0.9, 0.0], [0.0, 0.0, 1.0]])
    view.set_simulation_mesh_nodal_positions(like(backend, places @ strain))
    touching = host(view.get_collision_mesh_nodal_positions())
    np.testing.assert_allclose(touching[0, :27], places[0] @ strain, atol=1e-5)
    np.testing.assert_allclose(touching[1, :count], (inner.nodes + (0, 0, 1.0)) @ strain, atol=1e-5)
    gradients = host(view.get_collision_mesh_element_deformation_gradients())
    np.testing.assert_allclose(gradients[1, :tets], np.tile(strain.T, (tets, 1, 1)), atol=1e-3)
    stresses = host(view.get_simulation_mesh_element_stresses())[1, 0]
    got = host(view.get_collision_mesh_element_stresses())[1, :tets]
    np.testing.assert_allclose(got, np.tile(stresses, (tets, 1, 1)), atol=1e-3 * np.abs(stresses).max())


def test_materials_act_while_the_world_plays(world):
    """On the bodies that have them, and on no others; the stage keeps them, too."""
    rubber, foam = (DeformableMaterial(f"/World/m_{i}", youngs_modulus=1e5, poissons_ratio=0.3) for i in range(2))
    for i, material in enumerate((rubber, foam)):
        block(f"/World/b_{i}", 1.0 + i)
        SingleDeformablePrim(f"/World/b_{i}", material, simulation_hexahedral_resolution=1)
    world.reset()
    playing = simulation.stage_world()
    assert playing is not None
    made = playing.world
    bodies = list(made.deformables.values())
    foam.set_youngs_modululs(2e4)
    foam.set_dynamic_friction(0.7)
    DeformableMaterialView("/World/m_.*").set_poissons_ratios(np.array([0.4, 0.5]))
    assert [float(host(body.youngs_modulus)[0]) for body in bodies] == [1e5, 2e4]
    np.testing.assert_allclose([host(body.poissons_ratio)[0] for body in bodies], [0.4, 0.4999], rtol=1e-5)
    np.testing.assert_allclose([host(body.friction)[0] for body in bodies], [0.25, 0.7], rtol=1e-6)
    assert foam.get_youngs_modululs() == 2e4
    rubber.set_elasticity_damping(0.1)
    DeformableMaterialView("/World/m_.*").set_damping_scales(np.array([0.5, 1.0]))
    np.testing.assert_allclose([host(body.elasticity_damping)[0] for body in bodies], [0.05, 0.005], rtol=1e-6)


def test_a_surface_that_is_open_cannot_be_filled(world):
    sheet("/World/d")
    SingleDeformablePrim("/World/d")
    with pytest.raises(LoadError, match=r"/World/d.*cannot be filled with tetrahedra"):
        world.reset()


def test_meshes_with_distance_fields(world, caplog):
    sheet("/World/m")
    view = SdfShapePrim("/World/m", num_query_points=10)
    assert view.num_query_points == 10 and view.get_collision_approximations() == ["sdf"]
    view.set_sdf_margins([0.02])
    view.set_sdf_resolution([128])
    np.testing.assert_allclose(view.get_sdf_margins(), [0.02])
    assert view.get_sdf_resolution().tolist() == [128] and view.get_sdf_subgrid_resolution().tolist() == [6]
    assert view.get_sdf_and_gradients(np.zeros((1, 10, 3))) is None and "nothing is simulated" in caplog.text


def test_distances_from_cubes(world, backend):
    """Against the distance from a box as a formula."""
    half = 0.5
    for name in "ab":
        create_mesh_cube(stage.get_stage(), f"/World/{name}", half)
    view = SdfShapePrim("/World/[ab]", num_query_points=64, positions=np.array([[0.0, 0, 0], [5.0, 0, 0]]))
    view.set_sdf_resolution([32, 32])
    world.reset()
    points = np.random.default_rng(3).uniform(-1.0, 1.0, (2, 64, 3)).astype(np.float32)
    found = host(view.get_sdf_and_gradients(points))
    far = np.abs(points) - half
    outside = np.linalg.norm(np.maximum(far, 0.0), axis=2)
    expected = outside + np.minimum(far.max(axis=2), 0.0)
    near = outside < 0.04  # within the grid
    np.testing.assert_allclose(found[..., 3][near], expected[near], atol=0.02)
    assert near.sum() > 10 and (expected[near] < -0.1).any() and (found[..., 3][~near] > 0.0).all()
    one_face = near & (np.sort(far, axis=2)[..., 1] < far.max(axis=2) - 0.1) & (np.abs(expected) > 0.05)
    normal = np.eye(3)[far.argmax(axis=2)] * np.sign(points)
    assert one_face.any()
    np.testing.assert_allclose(found[one_face][:, :3], normal[one_face], atol=1e-3)
    np.testing.assert_array_equal(host(view.get_sdf_and_gradients(points, [1])), found[1:])
    with pytest.raises(ValueError, match=r"points has shape"):
        view.get_sdf_and_gradients(points[:1])
