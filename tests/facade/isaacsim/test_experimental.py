"""The newer names of Isaac Sim 5.1: wrappers of prims, shapes, materials, utilities, on the stage and simulated."""

from __future__ import annotations

import asyncio
from typing import Any

import numpy as np
import pytest
from facade.isaacsim.core_scenes import add_robots, boxes, xforms

from phalanx.facade import simulation, stage
from phalanx.facade.backends import on_host
from phalanx.facade.isaacsim.core.experimental.materials import (
    OmniPbrMaterial,
    PreviewSurfaceMaterial,
    RigidBodyMaterial,
    VisualMaterial,
)
from phalanx.facade.isaacsim.core.experimental.objects import (
    Capsule,
    Cube,
    DistantLight,
    GroundPlane,
    Light,
    Mesh,
    Plane,
    Shape,
    Sphere,
)
from phalanx.facade.isaacsim.core.experimental.prims import Articulation, GeomPrim, Prim, RigidPrim, XformPrim
from phalanx.facade.isaacsim.core.experimental.utils import backend, foundation, ops, prim, transform
from phalanx.facade.isaacsim.core.experimental.utils import stage as stage_utils
from phalanx.facade.omni.kit import stage_templates
from phalanx.facade.omni.kit.commands import execute
from phalanx.io.formats.usd.bindings import Sdf, UsdGeom, UsdPhysics
from phalanx.maths.arrays import matrix

DT = 1 / 60


def read(*arrays: Any) -> list[Any]:
    return [on_host(each).tolist() for each in arrays]


# -- utilities -------------------------------------------------------------------------------------------------------


def test_arrays_are_placed_and_broadcast():
    assert on_host(ops.place(2.5)).tolist() == [2.5] and on_host(ops.place([1, 2])).dtype == np.int64
    assert on_host(ops.place([True, False])).dtype == bool
    assert on_host(ops.place(np.ones((2, 3), np.float32), dtype=np.int32)).dtype == np.int32
    assert on_host(ops.resolve_indices(None, count=3)).tolist() == [0, 1, 2]
    assert on_host(ops.resolve_indices(np.array([[2], [0]]))).tolist() == [2, 0]
    assert on_host(ops.broadcast_to([1.0, 2.0], shape=(3, 2))).tolist() == [[1.0, 2.0]] * 3
    with pytest.raises(ValueError, match="cannot be broadcast"):
        ops.broadcast_to([1.0, 2.0], shape=(3, 3))
    with pytest.raises(TypeError, match="str is no array"):
        ops.place("text")
    with pytest.raises(ValueError, match="x or count"):
        ops.resolve_indices(None)


def test_rotations():
    turn = on_host(transform.euler_angles_to_quaternion([[0.0, 0.0, 90.0], [90.0, 0.0, 0.0]], degrees=True))
    half = np.sqrt(0.5)
    np.testing.assert_allclose(turn, [[half, 0, 0, half], [half, half, 0, 0]], atol=1e-7)
    np.testing.assert_allclose(on_host(transform.quaternion_to_rotation_matrix(turn)), matrix(turn), atol=1e-7)
    both = on_host(transform.quaternion_multiplication(turn[0], turn[1]))
    np.testing.assert_allclose(matrix(both), matrix(turn[0]) @ matrix(turn[1]), atol=1e-7)
    back = transform.rotation_matrix_to_quaternion(transform.euler_angles_to_rotation_matrix([0.0, 0.0, np.pi / 2]))
    np.testing.assert_allclose(on_host(back), turn[0], atol=1e-7)
    assert on_host(transform.quaternion_conjugate([0.5, 0.5, -0.5, 0.5])).tolist() == [0.5, -0.5, 0.5, -0.5]
    with pytest.raises(ValueError, match=r"must be \(\.\.\., 4\)"):
        transform.quaternion_conjugate([1.0, 0.0, 0.0])


def test_backends():
    assert backend.get_current_backend(["usd", "fabric"]) == "usd" and not backend.is_backend_set()
    with backend.use_backend("tensor", raise_on_unsupported=True):
        assert backend.get_current_backend(["usd", "tensor"]) == "tensor"
        with pytest.raises(RuntimeError, match="'tensor' is not supported"):
            backend.get_current_backend(["usd"])
        with backend.use_backend("fabric"):
            assert backend.get_current_backend(["usd"]) == "usd" and not backend.should_raise_on_unsupported()
        assert backend.should_raise_on_unsupported()
    assert not backend.is_backend_set()
    with pytest.raises(ValueError, match="must be one of"), backend.use_backend("nothing"):
        pass


def test_stages_and_prims():
    made = stage_utils.create_new_stage(template="sunlight")
    assert made is stage.get_stage() and prim.get_prim_at_path("/Environment/defaultLight").IsValid()
    assert stage_templates.register_template("mine", lambda on: UsdGeom.Xform.Define(on, "/mine"))
    assert asyncio.run(stage_utils.create_new_stage_async(template="mine")).GetPrimAtPath("/mine")
    assert stage_templates.unregister_template("mine")
    with pytest.raises(ValueError, match="must be one of empty"):
        stage_utils.create_new_stage(template="mine")
    stage_utils.create_new_stage()
    stage_utils.define_prim("/World/a/b", "Cube")
    with pytest.raises(RuntimeError, match="already, of type 'Cube'"):
        stage_utils.define_prim("/World/a/b", "Sphere")
    with pytest.raises(ValueError, match="no absolute path"):
        stage_utils.define_prim("World")
    assert [prim.get_prim_path(each) for each in prim.get_all_matching_child_prims("/", predicate=lambda _, path: True)]
    found: Any = prim.get_first_matching_child_prim("/World", predicate=lambda each, _: each.IsA(UsdGeom.Cube))
    assert prim.get_prim_path(found) == "/World/a/b"
    above: Any = prim.get_first_matching_parent_prim(found, predicate=lambda _, path: path.endswith("d"))
    assert prim.get_prim_path(above) == "/World"
    made_one = prim.create_prim_attribute(found, name="mine", type_name="Float")
    assert made_one.GetTypeName() == Sdf.ValueTypeNames.Float and foundation.value_type_name_to_str("float") == "Float"
    with pytest.raises(ValueError, match="is a float, and no int"):
        prim.create_prim_attribute(found, name="mine", type_name="int")
    assert not prim.has_api(found, "PhysicsRigidBodyAPI") and prim.has_api(found, UsdPhysics.MassAPI, test="none")
    stage_utils.set_stage_units(meters_per_unit=0.01)
    assert stage_utils.get_stage_units() == (0.01, 1.0) and stage_utils.get_stage_up_axis() == "Z"
    assert stage_utils.generate_next_free_path("/World/a") == "/World/a_01"


def test_variants():
    sets = stage_utils.define_prim("/World").GetVariantSets().AddVariantSet("Mesh")
    sets.AddVariant("Fine")
    prim.set_prim_variants("/World", variants=[("Mesh", "Fine")])
    assert prim.get_prim_variants("/World") == [("Mesh", "Fine")]
    assert prim.get_prim_variant_collection("/World") == {"Mesh": ["Fine"]}
    with pytest.raises(ValueError, match="no variant 'Rough'"):
        prim.set_prim_variants("/World", variants=[("Mesh", "Rough")])


# -- on the stage ----------------------------------------------------------------------------------------------------


def test_paths_and_places():
    xforms("/World/A_0", "/World/A_1")
    assert Prim.resolve_paths("/World/A_.*") == (["/World/A_0", "/World/A_1"], [])
    with pytest.raises(ValueError, match="there are no prims at /World/B"):
        Prim.resolve_paths(["/World/A_0", "/World/B"])
    with pytest.raises(AssertionError, match="no prims at /World/B"):
        XformPrim("/World/B")
    both = XformPrim("/World/A_.*", positions=[1.0, 2.0, 3.0], scales=2.0)
    assert len(both) == 2 and both.valid and both.paths == ["/World/A_0", "/World/A_1"]
    both.set_world_poses(orientations=[[0.0, 1.0, 0.0, 0.0]], indices=[1])
    places, turns = read(*both.get_world_poses())
    assert places == [[1.0, 2.0, 3.0]] * 2
    np.testing.assert_allclose(turns, [[1, 0, 0, 0], [0, 1, 0, 0]], atol=1e-7)
    assert read(both.get_local_scales()) == [[[2.0] * 3] * 2]
    for wrong, words in (([[1.0, 2.0, 3.0], [1.0]], "rows differ in length"), ([1.0, 2.0], "cannot be broadcast")):
        with pytest.raises(ValueError, match=words):
            both.set_world_poses(positions=wrong)
    with pytest.raises(ValueError, match=r"values of shape \(3,\) do not fit; give \(2, 1\)"):
        both.set_visibilities([True, False, True])
    with pytest.raises(TypeError, match="'red' is no material"):
        both.apply_visual_materials("red")
    both.set_visibilities([False, True])
    assert read(both.get_visibilities()) == [[[False], [True]]]
    assert both.get_default_state() == (None, None)
    both.set_default_state(positions=[0.0, 0.0, 5.0], indices=[1])
    both.reset_to_default_state()
    assert read(*both.get_world_poses())[0] == [[0, 0, 0], [0, 0, 5]]
    with pytest.raises(AssertionError, match="both None"):
        both.set_world_poses()
    stage.get_stage().RemovePrim("/World/A_1")
    assert not both.valid
    with pytest.raises(AssertionError, match="deleted from the stage"):
        both.get_world_poses()


def test_a_prim_of_an_older_stage_is_not_valid():
    xforms("/World/A")
    one = XformPrim("/World/A")
    stage.new_stage()
    assert not one.valid


def test_shapes_meshes_lights_and_grounds():
    balls = Sphere(["/World/a", "/World/b"], radii=[0.1, 0.2], translations=[0, 0, 1])
    np.testing.assert_allclose(on_host(balls.get_radii()), [[0.1], [0.2]], atol=1e-7)
    assert tuple(balls.geoms[0].GetExtentAttr().Get()[1]) == pytest.approx((0.1,) * 3)
    pill = Capsule("/World/c", radii=0.5, heights=2.0, axes="X")
    assert tuple(pill.geoms[0].GetExtentAttr().Get()[1]) == (1.5, 0.5, 0.5) and pill.get_axes() == ["X"]
    assert [type(each) for each in Shape.fetch_instances(["/World/a", "/World/c", "/World"])] == [
        Sphere,
        Capsule,
        type(None),
    ]
    assert read(Cube.are_of_type("/World/a")) == [[False]]
    with pytest.raises(AssertionError, match="is a Sphere, and no Cube"):
        Cube("/World/a")
    net = Mesh("/World/mesh", primitives="Plane")
    assert net.num_faces == [2] and on_host(net.get_points()[0]).shape == (4, 3)
    with pytest.raises(AssertionError, match="must be one of Cone"):
        Mesh("/World/other", primitives="Ring")
    sun = DistantLight("/World/sun", angles=2.0)
    sun.set_intensities([3000.0])
    sun.set_colors([1.0, 0.5, 0.25])
    assert read(sun.get_angles(), sun.get_intensities(), sun.get_colors()) == [[[2.0]], [[3000.0]], [[1.0, 0.5, 0.25]]]
    assert isinstance(Light.fetch_instances("/World/sun")[0], DistantLight)
    ground = GroundPlane("/World/ground", sizes=4.0, positions=[0, 0, -1])
    assert isinstance(ground.planes, Plane) and read(ground.get_enabled_collisions()) == [[[True]]]
    assert read(ground.planes.get_world_poses()[0]) == [[[0, 0, -1]]]


def test_materials():
    red = PreviewSurfaceMaterial("/Looks/red")
    red.set_input_values("diffuseColor", [1.0, 0.0, 0.0])
    assert read(red.get_input_values("diffuseColor")) == [[[1, 0, 0]]]
    with pytest.raises(ValueError, match="no input of PreviewSurfaceMaterial"):
        red.set_input_values("colour", 1.0)
    with pytest.raises(RuntimeError, match="never set"):
        red.get_input_values("ior")
    execute(
        "CreateAndBindMdlMaterialFromLibrary", mdl_name="OmniPBR.mdl", mtl_name="shiny", mtl_created_list=(made := [])
    )
    assert isinstance(VisualMaterial.fetch_instances(made)[0], OmniPbrMaterial)
    with pytest.raises(NotImplementedError, match="there is no material 'Wood'"):
        execute("CreateMdlMaterialPrim", mtl_url="Wood.mdl", mtl_name="Wood", mtl_path="/Looks/wood")
    with pytest.raises(AssertionError, match="no material of the kind PreviewSurface"):
        PreviewSurfaceMaterial(made)
    cubes = GeomPrim(Cube(["/World/a", "/World/b"]).paths, apply_collision_apis=True)
    cubes.apply_visual_materials(red, indices=[1])
    execute("BindMaterial", prim_path="/World/a", material_path=made[0])
    found = cubes.get_applied_visual_materials()
    assert [type(each) for each in found] == [OmniPbrMaterial, PreviewSurfaceMaterial]
    execute("AddRigidBodyMaterial", stage=stage.get_stage(), path="/rubber", staticFriction=0.9)
    rubber = RigidBodyMaterial("/rubber", dynamic_frictions=0.8)
    np.testing.assert_allclose(read(*rubber.get_friction_coefficients()), [[[0.9]], [[0.8]]], rtol=1e-6)
    rubber.set_combine_modes(frictions="max")
    assert rubber.get_combine_modes() == (["max"], ["average"], ["average"])
    cubes.apply_physics_materials(rubber, indices=[0])
    assert [each and each.paths for each in cubes.get_applied_physics_materials()] == [["/rubber"], None]
    cubes.set_offsets(contact_offsets=[0.02], rest_offsets=[[0.0], [0.01]])
    np.testing.assert_allclose(read(*cubes.get_offsets()), [[[0.02], [0.02]], [[0.0], [0.01]]], atol=1e-7)
    cubes.set_enabled_collisions([True, False])
    assert read(cubes.get_enabled_collisions()) == [[[True], [False]]]


# -- simulated -------------------------------------------------------------------------------------------------------


def test_rigid_bodies(world):
    boxes(3)
    view = RigidPrim("/World/Box_.*")
    with backend.use_backend("tensor", raise_on_fallback=True), pytest.raises(RuntimeError, match="play first"):
        view.get_velocities()
    with pytest.raises(AssertionError, match="play first"):
        view.get_inertias()
    assert read(view.get_masses(), view.get_enabled_gravities()) == [[[2.0]] * 3, [[True]] * 3]
    world.reset()
    assert view.is_physics_tensor_entity_valid()
    np.testing.assert_allclose(read(view.get_masses(inverse=True)), [[[0.5]] * 3], rtol=1e-6)
    np.testing.assert_allclose(on_host(view.get_inertias())[0, [0, 4, 8]], 2.0 * 0.2**2 / 6, rtol=1e-5)
    view.set_enabled_gravities(False, indices=[1])
    view.set_velocities(linear_velocities=[1.0, 0.0, 0.0], indices=[2])
    view.apply_forces([0.0, 6.0, 0.0], indices=[1])
    world.step(render=False)
    linear, angular = (on_host(each) for each in view.get_velocities())
    fall = -9.81 * DT
    np.testing.assert_allclose(linear, [[0, 0, fall], [0, 6.0 / 2.0 * DT, 0], [1, 0, fall]], atol=2e-4)
    np.testing.assert_allclose(angular, 0.0, atol=1e-6)
    view.set_default_state(positions=[[0, 0, 3], [1, 0, 3], [2, 0, 3]], linear_velocities=0.0)
    view.reset_to_default_state()
    places, _ = view.get_world_poses()
    np.testing.assert_allclose(on_host(places), [[0, 0, 3], [1, 0, 3], [2, 0, 3]], atol=1e-6)
    np.testing.assert_allclose(on_host(view.get_velocities()[0]), 0.0, atol=1e-7)
    simulation.get().stop()
    assert not view.is_physics_tensor_entity_valid()


def test_articulations_on_the_stage():
    add_robots("arm", 2)
    arms = Articulation("/World/Robot_.*")
    assert (len(arms), arms.num_dofs, arms.num_links, arms.num_joints) == (2, 9, 10, 9)
    assert read(arms.get_link_indices(["link2", "base"]), arms.get_dof_indices("joint3")) == [[2, 0], [2]]
    with pytest.raises(KeyError, match="no link 'nothing'"):
        arms.get_link_indices("nothing")
    assert arms.dof_paths[1][2].startswith("/World/Robot_1/") and arms.dof_paths[1][2].endswith("/joint3")
    assert arms.link_paths[1][2].startswith("/World/Robot_1/") and arms.link_paths[1][2].endswith("/link2")
    assert [int(each) for each in arms.dof_types] == [0] * 7 + [1] * 2
    arms.set_dof_gains(stiffnesses=100.0, indices=[1], dof_indices=[0, 6])
    stiffnesses, _ = (on_host(each) for each in arms.get_dof_gains(dof_indices=[0, 6]))
    np.testing.assert_allclose(stiffnesses, [[400.0, 400.0], [100.0, 100.0]], rtol=1e-6)
    drive = UsdPhysics.DriveAPI(prim.get_prim_at_path(arms.dof_paths[1][0]), "angular")
    assert drive.GetStiffnessAttr().Get() == pytest.approx(np.deg2rad(100.0))
    arms.set_dof_position_targets([0.5], dof_indices=[1])
    assert UsdPhysics.DriveAPI(
        prim.get_prim_at_path(arms.dof_paths[0][1]), "angular"
    ).GetTargetPositionAttr().Get() == pytest.approx(np.rad2deg(0.5))
    arms.set_dof_friction_properties(static_frictions=0.3, viscous_frictions=0.2)
    frictions = [on_host(each)[1, 3] for each in arms.get_dof_friction_properties()]
    assert frictions == pytest.approx([0.3, 0.0, 0.2])
    with pytest.raises(AssertionError, match="play first"):
        arms.get_dof_positions()


def test_articulations_simulated(world):
    add_robots("arm", 2)
    arms = Articulation("/World/Robot_.*")
    pose = np.array([0.1, -0.4, 0.0, -1.2, 0.0, 1.0, 0.3, 0.02, 0.02])
    arms.set_default_state(dof_positions=pose)
    world.reset()
    arms.reset_to_default_state()
    np.testing.assert_allclose(on_host(arms.get_dof_positions()), [pose, pose], atol=1e-6)
    np.testing.assert_allclose(on_host(arms.get_dof_position_targets()), [pose, pose], atol=1e-6)
    arms.set_dof_position_targets([0.2, -0.5], indices=[1], dof_indices=[0, 1])
    np.testing.assert_allclose(on_host(arms.get_dof_position_targets())[1, :2], [0.2, -0.5], atol=1e-6)
    jacobians = on_host(arms.get_jacobian_matrices())
    assert jacobians.shape == (2, *arms.jacobian_matrix_shape) and arms.mass_matrix_shape == (9, 9)
    # the Jacobian of the hand against finite differences of where its centre of mass is
    hand = RigidPrim([each.replace("/base", "/link7") for each in [arms.link_paths[0][7]]])
    step, columns = 1e-3, []
    for dof in range(7):
        ends = []
        for sign in (1.0, -1.0):
            arms.set_dof_positions(pose + sign * step * np.eye(9)[dof], indices=[0])
            place, turn = (on_host(each)[0] for each in hand.get_world_poses())
            ends.append(place + matrix(turn) @ on_host(hand.get_coms()[0])[0])
        columns.append((ends[0] - ends[1]) / (2 * step))
    np.testing.assert_allclose(np.transpose(columns), jacobians[0, 6, :3, :7], atol=2e-3)
    arms.set_dof_positions(pose)
    arms.switch_dof_control_mode("effort", dof_indices=[0])
    assert read(*arms.get_dof_gains(dof_indices=[0]))[0] == [[0.0], [0.0]]
    arms.switch_dof_control_mode("position", dof_indices=[0])
    np.testing.assert_allclose(on_host(arms.get_dof_gains(dof_indices=[0])[0]), 400.0, rtol=1e-6)
    arms.set_dof_limits(lower=-0.5, upper=0.5, indices=[0], dof_indices=[2])
    np.testing.assert_allclose(read(*arms.get_dof_limits(indices=[0], dof_indices=[2])), [[[-0.5]], [[0.5]]], atol=1e-6)
    arms.set_link_masses([3.0], link_indices=[4])
    np.testing.assert_allclose(on_host(arms.get_link_masses(link_indices=[4])), 3.0, rtol=1e-6)
    with pytest.raises(NotImplementedError, match="residuals"):
        Articulation("/World/Robot_0", enable_residual_reports=True).get_solver_residual_reports()


def test_what_is_not_there_says_why():
    from phalanx.facade.isaacsim.core.experimental import materials, prims

    with pytest.raises(AttributeError, match="DeformablePrim"):
        prims.DeformablePrim  # noqa: B018
    with pytest.raises(AttributeError, match="beta schemas"):
        materials.VolumeDeformableMaterial  # noqa: B018
