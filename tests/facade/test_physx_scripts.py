"""Functions that write physics on a stage, as ``omni.physx.scripts`` has them."""

from __future__ import annotations

import numpy as np
import pytest

from phalanx.facade import stage
from phalanx.facade.isaaclab.sim.schemas.authoring import applied_schemas
from phalanx.facade.isaacsim.core.utils import deformable_mesh_utils as meshes
from phalanx.facade.omni.physx.scripts import deformableUtils, particleUtils, physicsUtils, utils
from phalanx.io.formats.usd.bindings import Gf, Sdf, UsdGeom, UsdPhysics, UsdShade


@pytest.fixture
def here():
    stage.new_stage()
    return stage.get_stage()


def test_places(here):
    xform = UsdGeom.Xform.Define(here, "/A")
    xform.AddRotateXYZOp().Set(Gf.Vec3f(10.0, 20.0, 30.0))
    xform.AddTranslateOp().Set(Gf.Vec3d(1.0, 2.0, 3.0))
    before = np.array(xform.GetLocalTransformation())
    physicsUtils.setup_transform_as_scale_orient_translate(xform)
    np.testing.assert_allclose(np.array(xform.GetLocalTransformation()), before, atol=1e-6)
    kinds = [each.GetOpName() for each in xform.GetOrderedXformOps()]
    assert kinds == ["xformOp:translate", "xformOp:orient", "xformOp:scale"]
    physicsUtils.set_or_add_translate_op(xform, (4.0, 5.0, 6.0))
    physicsUtils.set_or_add_scale_op(xform, Gf.Vec3f(2.0))
    physicsUtils.set_or_add_orient_op(xform, Gf.Rotation(Gf.Vec3d(0, 0, 1), 90.0).GetQuat())
    moved = xform.GetLocalTransformation().Transform(Gf.Vec3d(1.0, 0.0, 0.0))
    np.testing.assert_allclose(moved, [4.0, 7.0, 6.0], atol=1e-6)
    other = UsdGeom.Xform.Define(here, "/B")
    assert physicsUtils.set_or_add_translate_op(other, Gf.Vec3f(1.0)).GetPrecision() == UsdGeom.XformOp.PrecisionFloat
    physicsUtils.copy_transform_as_scale_orient_translate(xform, other)
    np.testing.assert_allclose(np.array(other.GetLocalTransformation()), np.array(xform.GetLocalTransformation()))


def test_bodies_and_their_properties(here):
    box = physicsUtils.add_rigid_box(
        here, "/box", (1.0, 2.0, 3.0), (0.0, 0.0, 5.0), density=10.0, lin_velocity=(1.0, 0.0, 0.0)
    )
    bound = UsdGeom.BBoxCache(0.0, [UsdGeom.Tokens.default_]).ComputeWorldBound(box).ComputeAlignedRange()
    np.testing.assert_allclose([*bound.GetMin(), *bound.GetMax()], [-0.5, -1.0, 3.5, 0.5, 1.0, 6.5])
    assert box.HasAPI(UsdPhysics.RigidBodyAPI) and box.HasAPI(UsdPhysics.CollisionAPI)
    assert UsdPhysics.MassAPI(box).GetDensityAttr().Get() == 10.0
    assert UsdPhysics.RigidBodyAPI(box).GetVelocityAttr().Get() == Gf.Vec3f(1.0, 0.0, 0.0)
    for kind in ("capsule", "cylinder", "cone"):
        made = getattr(physicsUtils, f"add_rigid_{kind}")(here, f"/{kind}", 0.5, 2.0, "z")
        assert made.GetTypeName() == kind.capitalize() and made.GetAttribute("axis").Get() == "Z"
    assert physicsUtils.add_rigid_sphere(here, "/ball", 0.3).GetAttribute("radius").Get() == 0.3
    material = UsdShade.Material.Define(here, "/rubber")
    physicsUtils.add_physics_material_to_prim(here, box, "/rubber")
    assert UsdShade.MaterialBindingAPI(box).GetDirectBinding("physics").GetMaterialPath() == material.GetPath()
    with pytest.raises(ValueError, match="cannot have a physics material"):
        physicsUtils.add_physics_material_to_prim(here, UsdGeom.Xform.Define(here, "/X").GetPrim(), "/rubber")
    joint = physicsUtils.add_joint_fixed(
        here, "/joint", "/box", "/ball", Gf.Vec3f(0.0), Gf.Quatf(1.0), Gf.Vec3f(1.0), Gf.Quatf(1.0), 100.0
    )
    assert joint.GetBody1Rel().GetTargets() == [Sdf.Path("/ball")] and joint.GetBreakForceAttr().Get() == 100.0
    ground = physicsUtils.add_ground_plane(here, "/ground", "Z", 10.0, Gf.Vec3f(0.0), Gf.Vec3f(0.5))
    assert here.GetPrimAtPath(f"{ground}/CollisionPlane").HasAPI(UsdPhysics.CollisionAPI)
    square = UsdGeom.Mesh.Get(here, physicsUtils.add_quad_plane(here, "/quad", "X", 2.0, (1.0, 0.0, 0.0), (1, 0, 0)))
    np.testing.assert_array_equal(np.ptp(np.array(square.GetPointsAttr().Get()), axis=0), [0.0, 4.0, 4.0])
    with pytest.raises(ValueError, match="axis='W'"):
        physicsUtils.add_quad_plane(here, "/no", "W", 1.0, (0, 0, 0), (0, 0, 0))


def test_what_collides(here):
    robot = UsdGeom.Xform.Define(here, "/robot").GetPrim()
    mesh = physicsUtils.create_mesh_cube(here, "/robot/mesh", 0.5).GetPrim()
    ball = UsdGeom.Sphere.Define(here, "/robot/ball").GetPrim()
    utils.setRigidBody(robot, "convexHull", False)
    assert robot.HasAPI(UsdPhysics.RigidBodyAPI) and not UsdPhysics.RigidBodyAPI(robot).GetKinematicEnabledAttr().Get()
    assert UsdPhysics.MeshCollisionAPI(mesh).GetApproximationAttr().Get() == "convexHull"
    assert utils.hasSchema(mesh, "PhysxConvexHullCollisionAPI") and utils.hasSchema(ball, "PhysicsCollisionAPI")
    assert not ball.HasAPI(UsdPhysics.MeshCollisionAPI) and not robot.HasAPI(UsdPhysics.CollisionAPI)
    utils.addPairFilter(here, ["/robot/mesh", "/robot/ball"])
    assert UsdPhysics.FilteredPairsAPI(mesh).GetFilteredPairsRel().GetTargets() == [ball.GetPath()]
    utils.removePairFilter(here, ["/robot/mesh", "/robot/ball"])
    assert UsdPhysics.FilteredPairsAPI(mesh).GetFilteredPairsRel().GetTargets() == []
    utils.removeRigidBody(robot)
    assert not robot.HasAPI(UsdPhysics.RigidBodyAPI) and not utils.hasSchema(ball, "PhysicsCollisionAPI")
    assert not any("Collision" in name for name in applied_schemas(mesh))
    with pytest.raises(ValueError, match="approximationShape='round'"):
        utils.setCollider(mesh, "round")


def volume(points, triangles):
    corners = np.array([[list(points[i]) for i in row] for row in np.reshape(triangles, (-1, 3))])
    return float(np.linalg.det(corners).sum()) / 6.0


@pytest.mark.parametrize("cells", [1, 2, 3])
def test_meshes_of_tetrahedra_fill_a_cube(cells):
    points, numbers = meshes.createTetraVoxelBox(cells)
    volumes = [meshes.calculateTetraVolume(*(points[i] for i in row)) for row in np.reshape(numbers, (-1, 4))]
    assert min(volumes) > 0.0 and sum(volumes) == pytest.approx(1.0) and len(points) == (cells + 1) ** 3
    surface, triangles = meshes.createTriangleMeshCube(cells)
    assert volume(surface, triangles) == pytest.approx(1.0) and len(triangles) == 36 * cells**2
    edges = np.sort(np.reshape(triangles, (-1, 3))[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
    assert (np.unique(edges, axis=0, return_counts=True)[1] == 2).all(), "the surface is closed"
    swapped = np.reshape(numbers, (-1, 4))[:, [1, 0, 2, 3]].ravel().tolist()
    assert meshes.fixupTetraMeshVolumes(points, swapped) == numbers
    soup, faces = meshes.convertTetraToTriangleSoup(points, numbers)
    assert volume(soup, faces) == pytest.approx(1.0) and len(faces) == 3 * len(numbers)


def test_meshes_apart():
    ball, numbers = meshes.createTetraVoxelSphere(6)
    assert 0.3 < volume(*meshes.extractTriangleSurfaceFromTetra(ball, numbers)) < np.pi / 6 + 0.15
    points, each = meshes.explodeTetraMesh(ball, numbers, 2.0)
    middle = np.array(points).reshape(-1, 4, 3).mean(axis=1)
    np.testing.assert_allclose(middle, 2.0 * np.array(ball)[np.reshape(numbers, (-1, 4))].mean(axis=1), atol=1e-6)
    assert len(each) == len(numbers)
    square, triangles = deformableUtils.create_triangle_mesh_square(3, 2, 2.0)
    assert len(square) == 12 and len(triangles) == 36
    np.testing.assert_allclose([np.min(square, axis=0), np.max(square, axis=0)], [[-1, -1, 0], [1, 1, 0]])
    corners = np.array(square)[np.reshape(triangles, (-1, 3))]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    assert normals[:, 2].sum() / 2 == pytest.approx(4.0) and (normals[:, 2] > 0.0).all()


def test_deformable_bodies_and_particles(here, caplog):
    points, triangles = meshes.createTriangleMeshCube(2)
    mesh = physicsUtils.create_mesh(here, "/soft", points, [], triangles, [3] * (len(triangles) // 3))
    assert deformableUtils.add_physx_deformable_body(here, "/soft", simulation_hexahedral_resolution=4)
    assert mesh.GetPrim().GetAttribute("physxDeformable:simulationHexahedralResolution").Get() == 4
    assert not deformableUtils.add_physx_deformable_body(here, "/nothing")
    assert deformableUtils.add_deformable_body_material(here, "/jelly", youngs_modulus=1e4)
    assert here.GetPrimAtPath("/jelly").GetAttribute("physxDeformableBodyMaterial:youngsModulus").Get() == 1e4
    physicsUtils.add_physics_material_to_prim(here, mesh.GetPrim(), "/jelly")
    assert deformableUtils.remove_deformable_body(here, "/soft")
    assert not deformableUtils.remove_deformable_body(here, "/soft")

    system = particleUtils.add_physx_particle_system(
        here, "/sand", contact_offset=0.1, solver_position_iterations=8, simulation_owner="/scene", wind=(1, 0, 0)
    )
    assert system.GetTypeName() == "PhysxParticleSystem" and system.GetAttribute("wind").Get() == Gf.Vec3f(1, 0, 0)
    assert system.GetRelationship("simulationOwner").GetTargets() == [Sdf.Path("/scene")]
    assert particleUtils.add_pbd_particle_material(here, "/water", viscosity=0.1)
    physicsUtils.add_physics_material_to_prim(here, system, "/water")
    places, velocities = particleUtils.create_particles_grid(Gf.Vec3f(1.0, 0.0, 0.0), 0.5, 2, 3, 4, Gf.Vec3f(0, 0, 1))
    assert len(places) == 24 and places[1] == Gf.Vec3f(1.0, 0.0, 0.5) and velocities[5] == Gf.Vec3f(0, 0, 1)
    made = particleUtils.add_physx_particleset_points(
        here, "/grains", places, velocities, [0.1] * 24, "/sand", True, False, 0, 2.0
    )
    assert made.GetPrim().GetRelationship("physxParticle:particleSystem").GetTargets() == [system.GetPath()]
    assert UsdPhysics.MassAPI(made.GetPrim()).GetMassAttr().Get() == 2.0
    drops = particleUtils.add_physx_particleset_pointinstancer(
        here, "/drops", places, velocities, "/sand", True, True, 0, density=1000.0, num_prototypes=2
    )
    assert drops.GetPrim().GetAttribute("physxParticle:fluid").Get() and len(drops.GetPrototypesRel().GetTargets()) == 2
    particleUtils.add_physx_particle_cloth(here, "/soft", None, "/sand", 1e3, 10.0, self_collision=True)
    assert mesh.GetPrim().GetAttribute("physxAutoParticleCloth:springStretchStiffness").Get() == 1e3
    with caplog.at_level("WARNING", logger="phalanx.facade"):
        particleUtils.add_physx_particle_cloth(here, "/soft", "/other", "/sand")
    assert "dynamic_mesh_path has no effect" in caplog.text
    with pytest.raises(ValueError, match="</sand> is no mesh"):
        particleUtils.add_physx_particle_cloth(here, "/sand", None, "/sand")
