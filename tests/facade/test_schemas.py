"""Physics that is written onto prims is what the reader of stages makes of them."""

from __future__ import annotations

import importlib
import logging
import math
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("pxr", reason="usd-core is not installed (pip install usd-core)")

import phalanx.facade.isaaclab.sim as sim_utils
from phalanx.facade.isaaclab.sim import schemas
from phalanx.facade.stage import make_stage, use_stage
from phalanx.io.formats.usd import Scene, read_stage
from phalanx.io.formats.usd.bindings import Sdf, Usd, UsdGeom, UsdPhysics

BALL = "/World/ball"


@pytest.fixture
def stage() -> Iterator[Any]:
    """An empty stage, current during the test."""
    made = make_stage()
    with use_stage(made):
        yield made


@pytest.fixture
def ball(stage: Any) -> Any:
    """A sphere of 0.1 m that is neither a body nor a collider."""
    sphere = UsdGeom.Sphere.Define(stage, BALL)
    sphere.CreateRadiusAttr(0.1)
    return sphere.GetPrim()


@pytest.fixture
def arm(stage: Any) -> Any:
    """A robot at (1, 2, 3): a base that nothing holds, a link on a revolute joint about y, and a slider on that."""
    root = UsdGeom.Xform.Define(stage, "/World/arm")
    root.AddTranslateOp().Set((1.0, 2.0, 3.0))
    UsdPhysics.ArticulationRootAPI.Apply(root.GetPrim())
    for n, name in enumerate(("base", "link", "slider")):
        body = UsdGeom.Sphere.Define(stage, f"/World/arm/{name}")
        body.CreateRadiusAttr(0.1)
        body.AddTranslateOp().Set((0.5 * n, 0.0, 0.0))
        UsdPhysics.RigidBodyAPI.Apply(body.GetPrim())
        UsdPhysics.CollisionAPI.Apply(body.GetPrim())
    for kind, name, ends in (("Revolute", "hinge", ("base", "link")), ("Prismatic", "rail", ("link", "slider"))):
        joint = getattr(UsdPhysics, f"{kind}Joint").Define(stage, f"/World/arm/{name}")
        joint.CreateBody0Rel().SetTargets([f"/World/arm/{ends[0]}"])
        joint.CreateBody1Rel().SetTargets([f"/World/arm/{ends[1]}"])
        joint.CreateLocalPos0Attr().Set((0.5, 0.0, 0.0))
        joint.CreateAxisAttr("Y" if kind == "Revolute" else "X")
    return root.GetPrim()


def the_one(scene: Scene) -> Any:
    """The only actor of a scene."""
    (actor,) = scene.actors.values()
    return actor


def authored(prim: Any) -> dict[str, Any]:
    """Attributes of physics that have been written on a prim."""
    names = [name for name in prim.GetAuthoredPropertyNames() if name.startswith("phys")]
    return {name: prim.GetAttribute(name).Get() for name in names}


def applied(prim: Any) -> list[str]:
    """Schemas that are applied to a prim."""
    return [str(name) for name in prim.GetPrimTypeInfo().GetAppliedAPISchemas()]


def test_a_body_is_read_back_with_all_that_was_said_of_it(stage, ball):
    sim_utils.define_rigid_body_properties(
        BALL,
        sim_utils.RigidBodyPropertiesCfg(
            rigid_body_enabled=True, kinematic_enabled=False, disable_gravity=True, linear_damping=0.25,
            angular_damping=0.5, max_linear_velocity=20, max_angular_velocity=720.0, max_depenetration_velocity=2.0,
            enable_gyroscopic_forces=False, retain_accelerations=True, solver_position_iteration_count=6,
            solver_velocity_iteration_count=3, sleep_threshold=0.01, stabilization_threshold=0.02,
        ),
    )  # fmt: skip
    sim_utils.define_collision_properties(
        BALL,
        sim_utils.CollisionPropertiesCfg(
            contact_offset=0.02, rest_offset=0.01, torsional_patch_radius=0.05, min_torsional_patch_radius=0.04
        ),
    )
    sim_utils.define_mass_properties(BALL, sim_utils.MassPropertiesCfg(mass=2.5))
    scene = read_stage(stage)
    assert scene.warnings == []
    actor = the_one(scene)
    options = actor.model.options
    assert actor.kind == "dynamic"
    assert options.pop("max_angular_velocity") == pytest.approx(4 * math.pi)
    assert options == pytest.approx(
        {
            "linear_damping": 0.25, "angular_damping": 0.5, "max_linear_velocity": 20.0,
            "max_depenetration_velocity": 2.0, "gyroscopic_forces": False, "position_iterations": 6,
            "velocity_iterations": 3, "sleep_threshold": 0.01, "stabilization_threshold": 0.02,
        }, rel=1e-6,
    )  # fmt: skip
    (body,) = actor.model.bodies
    assert (body.mass, body.gravity_scale) == (2.5, 0.0)
    (shape,) = body.collisions
    assert (shape.contact_offset, shape.rest_offset) == pytest.approx((0.02, 0.01))
    assert shape.material["torsional_patch_radius"] == pytest.approx(0.05)
    assert shape.material["min_torsional_patch_radius"] == pytest.approx(0.04)


def test_what_is_none_writes_nothing(ball):
    sim_utils.define_rigid_body_properties(BALL, sim_utils.RigidBodyPropertiesCfg())
    sim_utils.define_collision_properties(BALL, sim_utils.CollisionPropertiesCfg())
    sim_utils.define_mass_properties(BALL, sim_utils.MassPropertiesCfg())
    sim_utils.define_articulation_root_properties(BALL, sim_utils.ArticulationRootPropertiesCfg())
    assert authored(ball) == {}
    assert {"PhysicsRigidBodyAPI", "PhysxRigidBodyAPI", "PhysxCollisionAPI", "PhysicsMassAPI"} <= set(applied(ball))


def test_changing_one_property_leaves_the_others(stage, ball):
    first = sim_utils.RigidBodyPropertiesCfg(linear_damping=0.25, disable_gravity=True, kinematic_enabled=False)
    sim_utils.define_rigid_body_properties(BALL, first)
    sim_utils.define_mass_properties(BALL, sim_utils.MassPropertiesCfg(density=500.0))
    assert sim_utils.modify_rigid_body_properties(BALL, sim_utils.RigidBodyPropertiesCfg(linear_damping=0.5))
    assert authored(ball) == {
        "physics:kinematicEnabled": False,
        "physics:density": 500.0,
        "physxRigidBody:disableGravity": True,
        "physxRigidBody:linearDamping": 0.5,
    }
    assert applied(ball).count("PhysxRigidBodyAPI") == 1
    sim_utils.modify_rigid_body_properties(BALL, sim_utils.RigidBodyPropertiesCfg(kinematic_enabled=True))
    assert the_one(read_stage(stage)).kind == "kinematic"


def test_numbers_have_the_types_of_physx(ball):
    cfg = sim_utils.RigidBodyPropertiesCfg(max_linear_velocity=20, solver_position_iteration_count=4)
    sim_utils.define_rigid_body_properties(BALL, cfg)
    types = Sdf.ValueTypeNames
    assert ball.GetAttribute("physxRigidBody:maxLinearVelocity").GetTypeName() == types.Float
    assert ball.GetAttribute("physxRigidBody:solverPositionIterationCount").GetTypeName() == types.Int
    wrong: Any = 2.5
    with pytest.raises(TypeError, match=r"solverVelocityIterationCount = 2.5"):
        sim_utils.modify_rigid_body_properties(
            BALL, sim_utils.RigidBodyPropertiesCfg(solver_velocity_iteration_count=wrong)
        )
    wrong = "much"
    with pytest.raises(TypeError, match="linearDamping = 'much'"):
        sim_utils.modify_rigid_body_properties(BALL, sim_utils.RigidBodyPropertiesCfg(linear_damping=wrong))


def test_properties_go_to_all_prims_below_a_path_that_take_them(stage, arm):
    sim_utils.modify_rigid_body_properties("/World/arm", sim_utils.RigidBodyPropertiesCfg(linear_damping=0.125))
    sim_utils.modify_collision_properties("/World", sim_utils.CollisionPropertiesCfg(contact_offset=0.03))
    for name in ("base", "link", "slider"):
        prim = stage.GetPrimAtPath(f"/World/arm/{name}")
        assert prim.GetAttribute("physxRigidBody:linearDamping").Get() == 0.125
        assert prim.GetAttribute("physxCollision:contactOffset").Get() == pytest.approx(0.03)
    assert authored(arm) == {}


def test_what_applies_to_nothing_is_told_and_wrong_paths_are_errors(stage, ball, caplog):
    with caplog.at_level(logging.WARNING, "phalanx.facade"):
        assert not sim_utils.modify_mass_properties(BALL, sim_utils.MassPropertiesCfg(mass=1.0))
    assert "modify_mass_properties" in caplog.text and authored(ball) == {}
    cases: list[tuple[Any, Any]] = [
        (schemas.define_rigid_body_properties, sim_utils.RigidBodyPropertiesCfg()),
        (schemas.define_collision_properties, sim_utils.CollisionPropertiesCfg()),
        (schemas.define_mass_properties, sim_utils.MassPropertiesCfg()),
        (schemas.define_articulation_root_properties, sim_utils.ArticulationRootPropertiesCfg()),
        (schemas.modify_joint_drive_properties, sim_utils.JointDrivePropertiesCfg()),
        (schemas.modify_fixed_tendon_properties, sim_utils.FixedTendonPropertiesCfg()),
        (schemas.modify_spatial_tendon_properties, sim_utils.SpatialTendonPropertiesCfg()),
        (schemas.define_mesh_collision_properties, sim_utils.ConvexHullPropertiesCfg()),
    ]
    for function, cfg in cases:
        with pytest.raises(ValueError, match="/World/nothing"):
            function("/World/nothing", cfg)
    with pytest.raises(ValueError, match="one mesh at or below it that becomes deformable; found none"):
        schemas.define_deformable_body_properties(BALL, sim_utils.DeformableBodyPropertiesCfg())
    assert not schemas.modify_deformable_body_properties(BALL, sim_utils.DeformableBodyPropertiesCfg())


def test_another_stage_than_the_current_one(ball):
    other = make_stage()
    UsdGeom.Cube.Define(other, "/cube")
    sim_utils.define_mass_properties("/cube", sim_utils.MassPropertiesCfg(mass=3.0), other)
    assert authored(other.GetPrimAtPath("/cube")) == {"physics:mass": 3.0} and authored(ball) == {}


def test_drives_are_per_rad_in_configurations_and_per_degree_on_the_stage(stage, arm):
    cfg = sim_utils.JointDrivePropertiesCfg(
        drive_type="force", max_effort=40.0, max_velocity=3.0, stiffness=100.0, damping=5.0
    )
    assert sim_utils.modify_joint_drive_properties("/World/arm", cfg)
    hinge, rail = (stage.GetPrimAtPath(f"/World/arm/{name}") for name in ("hinge", "rail"))
    assert hinge.GetAttribute("drive:angular:physics:stiffness").Get() == pytest.approx(math.radians(100.0))
    assert hinge.GetAttribute("physxJoint:maxJointVelocity").Get() == pytest.approx(math.degrees(3.0))
    assert rail.GetAttribute("drive:linear:physics:damping").Get() == 5.0
    assert rail.GetAttribute("physxJoint:maxJointVelocity").Get() == 3.0
    model = the_one(read_stage(stage)).model
    for joint in model.joints:
        drive = model.drives[joint.name]
        assert (drive.stiffness, drive.damping, drive.effort_limit) == pytest.approx((100.0, 5.0, 40.0), rel=1e-6)
        assert joint.velocity_limit == pytest.approx(3.0, rel=1e-6)
    sim_utils.modify_joint_drive_properties("/World/arm", sim_utils.JointDrivePropertiesCfg(damping=7.0))
    model = the_one(read_stage(stage)).model
    for joint in model.joints:
        drive = model.drives[joint.name]
        assert (drive.stiffness, drive.damping, drive.effort_limit) == pytest.approx((100.0, 7.0, 40.0), rel=1e-6)


def test_speeds_that_are_said_of_a_joints_axis_change_too(stage, arm):
    hinge = stage.GetPrimAtPath("/World/arm/hinge")
    hinge.AddAppliedSchema("PhysxJointAxisAPI:angular")
    hinge.CreateAttribute("physxJointAxis:angular:maxJointVelocity", Sdf.ValueTypeNames.Float).Set(10.0)
    sim_utils.modify_joint_drive_properties("/World/arm", sim_utils.JointDrivePropertiesCfg(max_velocity=2.0))
    limits = {joint.name: joint.velocity_limit for joint in the_one(read_stage(stage)).model.joints}
    assert limits["hinge"] == pytest.approx(2.0, rel=1e-6)


def test_articulations(stage, arm):
    cfg = sim_utils.ArticulationRootPropertiesCfg(
        articulation_enabled=True, enabled_self_collisions=False, solver_position_iteration_count=5,
        solver_velocity_iteration_count=2, sleep_threshold=0.005, stabilization_threshold=0.001,
    )  # fmt: skip
    sim_utils.modify_articulation_root_properties("/World", cfg)
    model = the_one(read_stage(stage)).model
    assert not model.fixed_base and not model.self_collision
    options = {name: model.options[name] for name in ("position_iterations", "velocity_iterations", "sleep_threshold")}
    assert options == pytest.approx({"position_iterations": 5, "velocity_iterations": 2, "sleep_threshold": 0.005})
    assert authored(arm)["physxArticulation:stabilizationThreshold"] == pytest.approx(0.001)


@pytest.mark.parametrize("marker", ["/World/arm", "/World/arm/base", "/World/arm/hinge"])
def test_a_root_is_welded_where_it_stands_and_let_go(stage, arm, marker):
    arm.RemoveAPI(UsdPhysics.ArticulationRootAPI)
    sim_utils.define_articulation_root_properties(marker, sim_utils.ArticulationRootPropertiesCfg(fix_root_link=True))
    model = the_one(read_stage(stage)).model
    assert model.fixed_base and model.position == pytest.approx((1.0, 2.0, 3.0))
    assert [joint.name for joint in model.joints] == ["hinge", "rail"] and read_stage(stage).warnings == []
    weld = sim_utils.find_global_fixed_joint_prim("/World/arm")
    assert weld is not None
    assert tuple(weld.GetLocalPos0Attr().Get()) == pytest.approx((1.0, 2.0, 3.0))
    sim_utils.modify_articulation_root_properties(marker, sim_utils.ArticulationRootPropertiesCfg(fix_root_link=False))
    assert not the_one(read_stage(stage)).model.fixed_base
    sim_utils.modify_articulation_root_properties(marker, sim_utils.ArticulationRootPropertiesCfg(fix_root_link=True))
    assert the_one(read_stage(stage)).model.fixed_base
    assert sum(prim.IsA(UsdPhysics.FixedJoint) for prim in Usd.PrimRange(arm)) == 1


def test_nothing_to_weld(stage):
    UsdGeom.Xform.Define(stage, "/World/empty")
    with pytest.raises(ValueError, match="no rigid body at or below </World/empty>"):
        sim_utils.define_articulation_root_properties(
            "/World/empty", sim_utils.ArticulationRootPropertiesCfg(fix_root_link=True)
        )
    # Bodies may come later: there is no weld to switch off.
    sim_utils.define_articulation_root_properties(
        "/World/empty", sim_utils.ArticulationRootPropertiesCfg(fix_root_link=False)
    )
    assert stage.GetPrimAtPath("/World/empty").HasAPI(UsdPhysics.ArticulationRootAPI)


def test_fixed_and_spatial_tendons(stage, arm):
    names = ("hinge", "rail", "base", "slider")
    hinge, rail, base, slider = (stage.GetPrimAtPath(f"/World/arm/{name}") for name in names)
    hinge.AddAppliedSchema("PhysxTendonAxisRootAPI:grip")
    rail.AddAppliedSchema("PhysxTendonAxisAPI:grip")
    base.AddAppliedSchema("PhysxTendonAttachmentRootAPI:start")
    slider.AddAppliedSchema("PhysxTendonAttachmentLeafAPI:end")
    slider.CreateRelationship("physxTendon:end:parentLink").SetTargets([base.GetPath()])
    slider.CreateAttribute("physxTendon:end:parentAttachment", Sdf.ValueTypeNames.Token).Set("start")
    fixed = sim_utils.FixedTendonPropertiesCfg(
        tendon_enabled=True, stiffness=30.0, damping=2.0, limit_stiffness=7.0, offset=0.25, rest_length=0.5
    )
    spatial = sim_utils.SpatialTendonPropertiesCfg(stiffness=40.0, damping=3.0, limit_stiffness=8.0, offset=0.125)
    assert sim_utils.modify_fixed_tendon_properties("/World/arm", fixed)
    assert sim_utils.modify_spatial_tendon_properties("/World/arm", spatial)
    model = the_one(read_stage(stage)).model
    (one,), (two,) = model.fixed_tendons, model.spatial_tendons
    assert (one.stiffness, one.damping, one.limit_stiffness, one.offset, one.rest_length) == (30.0, 2.0, 7.0, 0.25, 0.5)
    assert (two.stiffness, two.damping, two.limit_stiffness, two.offset) == (40.0, 3.0, 8.0, 0.125)
    sim_utils.modify_fixed_tendon_properties("/World/arm", sim_utils.FixedTendonPropertiesCfg(tendon_enabled=False))
    assert the_one(read_stage(stage)).model.fixed_tendons == []


@pytest.mark.parametrize(
    ("cfg", "stands"),
    [
        (sim_utils.ConvexHullPropertiesCfg(hull_vertex_limit=32, min_thickness=0.002), "convex_hull"),
        (sim_utils.ConvexDecompositionPropertiesCfg(max_convex_hulls=8, shrink_wrap=True), "convex_decomposition"),
        (sim_utils.BoundingCubePropertiesCfg(), "bounding_cube"),
        (sim_utils.BoundingSpherePropertiesCfg(), "bounding_sphere"),
        (sim_utils.TriangleMeshPropertiesCfg(weld_tolerance=0.0), "triangle_mesh"),
        (sim_utils.TriangleMeshSimplificationPropertiesCfg(simplification_metric=0.5), "triangle_mesh"),
        (sim_utils.SDFMeshPropertiesCfg(sdf_resolution=64, sdf_margin=0.02), "sdf"),
    ],
)
def test_what_stands_for_a_mesh(stage, cfg, stands):
    mesh = UsdGeom.Mesh.Define(stage, "/World/group/mesh")
    mesh.CreatePointsAttr([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)])
    mesh.CreateFaceVertexCountsAttr([3, 3, 3, 3])
    mesh.CreateFaceVertexIndicesAttr([0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3])
    sim_utils.define_collision_properties("/World/group/mesh", sim_utils.CollisionPropertiesCfg())
    sim_utils.define_mesh_collision_properties("/World/group", cfg)
    ((shape,),) = [body.collisions for body in the_one(read_stage(stage)).model.bodies]
    assert shape.approximation == stands
    if stands == "sdf":
        assert (shape.sdf.resolution, shape.sdf.margin) == pytest.approx((64, 0.02))
    if isinstance(cfg, sim_utils.ConvexHullPropertiesCfg):
        limit = mesh.GetPrim().GetAttribute("physxConvexHullCollision:hullVertexLimit")
        assert limit.Get() == 32 and limit.GetTypeName() == Sdf.ValueTypeNames.Int
    UsdGeom.Sphere.Define(stage, "/World/ball")
    with pytest.raises(ValueError, match="no mesh at or below </World/ball>"):
        sim_utils.define_mesh_collision_properties("/World/ball", cfg)


def test_contact_sensors(stage, arm, ball):
    sim_utils.activate_contact_sensors("/World/arm", threshold=1.5)
    for name in ("base", "link", "slider"):
        prim = stage.GetPrimAtPath(f"/World/arm/{name}")
        assert "PhysxContactReportAPI" in applied(prim)
        assert prim.GetAttribute("physxContactReport:threshold").Get() == 1.5
        assert prim.GetAttribute("physxRigidBody:sleepThreshold").Get() == 0.0
    with pytest.raises(ValueError, match="no rigid body at or below </World/ball>"):
        sim_utils.activate_contact_sensors(BALL)


def test_prims_take_physx_schemas_as_they_take_their_own(stage):
    """``prim.HasAPI(PhysxSchema...)``, which usd-core alone cannot know."""
    PhysxSchema: Any = importlib.import_module("phalanx.facade.pxr.PhysxSchema")

    prim = sim_utils.create_prim("/World/thing", "Cube")
    assert not prim.HasAPI(PhysxSchema.PhysxContactReportAPI) and not prim.HasAPI(UsdPhysics.RigidBodyAPI)
    assert prim.ApplyAPI(PhysxSchema.PhysxContactReportAPI) and prim.ApplyAPI(UsdPhysics.RigidBodyAPI)
    assert prim.HasAPI(PhysxSchema.PhysxContactReportAPI) and prim.HasAPI(UsdPhysics.RigidBodyAPI)
    assert list(prim.GetAppliedSchemas()) == ["PhysicsRigidBodyAPI"]
    found = PhysxSchema.PhysxContactReportAPI.Get(prim.GetStage(), prim.GetPath())
    found.CreateThresholdAttr(0.5)
    assert found and found.GetThresholdAttr().Get() == 0.5
    assert prim.RemoveAPI(PhysxSchema.PhysxContactReportAPI) and not prim.HasAPI(PhysxSchema.PhysxContactReportAPI)
    assert prim.RemoveAPI(UsdPhysics.RigidBodyAPI) and not prim.HasAPI(UsdPhysics.RigidBodyAPI)
    assert prim.CanApplyAPI(PhysxSchema.PhysxLimitAPI, "rotX") and not prim.CanApplyAPI(PhysxSchema.PhysxLimitAPI)
    assert prim.ApplyAPI(PhysxSchema.PhysxLimitAPI, "rotX") and prim.HasAPI(PhysxSchema.PhysxLimitAPI)
    assert prim.HasAPI(PhysxSchema.PhysxLimitAPI, "rotX") and not prim.HasAPI(PhysxSchema.PhysxLimitAPI, "rotY")
