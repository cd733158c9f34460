"""What spawners put on the stage is what the reader of stages makes of it: shapes, masses, poses, materials."""

from __future__ import annotations

import importlib
import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

pytest.importorskip("pxr", reason="usd-core is not installed (pip install usd-core)")

import phalanx.facade.isaaclab.sim as sim_utils
from phalanx.facade.isaaclab.sim.schemas.authoring import applied_schemas
from phalanx.facade.stage import make_stage, use_stage
from phalanx.io.formats.usd import read_stage
from phalanx.io.formats.usd.bindings import Usd, UsdGeom, UsdPhysics, UsdShade
from phalanx.models.meshes.tet_mesh import TetMesh
from phalanx.world.usd_scenes import add_scene
from phalanx.world.world import World

PATH = "/World/thing"
TURNED = (math.cos(0.4), 0.0, math.sin(0.4), 0.0)
"""By 0.8 rad about y."""


@pytest.fixture(autouse=True)
def stage() -> Iterator[Any]:
    """An empty stage, current during the test."""
    made = make_stage()
    with use_stage(made):
        yield made


def physics(mass: float | None = 2.0) -> dict[str, Any]:
    """Arguments that make a rigid body that collides."""
    return {
        "rigid_props": sim_utils.RigidBodyPropertiesCfg(),
        "collision_props": sim_utils.CollisionPropertiesCfg(),
        "mass_props": sim_utils.MassPropertiesCfg(mass=mass),
    }


def the_body(stage: Any) -> tuple[Any, Any]:
    """The only actor of a stage, and the only shape of its body."""
    scene = read_stage(stage)
    (actor,) = scene.actors.values()
    (body,) = actor.model.bodies
    (shape,) = body.collisions
    assert scene.warnings == []
    return actor, shape


LONG: dict[str, Any] = {"radius": 0.1, "height": 0.6}
SHAPES = [
    (sim_utils.SphereCfg, {"radius": 0.3}, "Sphere", "sphere", (0.3,)),
    (sim_utils.CuboidCfg, {"size": (0.2, 0.4, 0.1)}, "Cube", "box", (0.1, 0.2, 0.05)),
    (sim_utils.CylinderCfg, LONG, "Cylinder", "cylinder", (0.1, 0.3)),
    (sim_utils.CapsuleCfg, LONG, "Capsule", "capsule", (0.1, 0.3)),
    (sim_utils.ConeCfg, LONG, "Cone", "cone", (0.1, 0.3)),
]


@pytest.mark.parametrize(("kind", "sizes", "prim_type", "name", "size"), SHAPES)
def test_shapes(stage, kind, sizes, prim_type, name, size):
    cfg = kind(**sizes, **physics(2.0))
    prim = cfg.func(PATH, cfg, translation=(1.0, 2.0, 3.0), orientation=TURNED)
    assert str(prim.GetPath()) == PATH and prim.GetTypeName() == "Xform" and prim.HasAPI(UsdPhysics.RigidBodyAPI)
    assert stage.GetPrimAtPath(f"{PATH}/geometry/mesh").GetTypeName() == prim_type
    actor, shape = the_body(stage)
    assert actor.kind == "dynamic" and actor.path == PATH and actor.model.bodies[0].mass == 2.0
    assert actor.model.position == pytest.approx((1.0, 2.0, 3.0))
    assert actor.model.orientation == pytest.approx(TURNED, abs=1e-6)
    assert shape.kind == name and shape.size == pytest.approx(size, rel=1e-6)
    assert shape.position == pytest.approx((0.0, 0.0, 0.0)) and shape.orientation == pytest.approx((1, 0, 0, 0))
    with pytest.raises(ValueError, match=f"A prim already exists at path: '{PATH}'"):
        cfg.func(PATH, cfg)


@pytest.mark.parametrize("kind", [sim_utils.CylinderCfg, sim_utils.CapsuleCfg, sim_utils.ConeCfg])
@pytest.mark.parametrize("axis", ["X", "Y"])
def test_shapes_along_other_axes(stage, kind, axis):
    cfg = kind(**LONG, axis=axis, **physics())
    cfg.func(PATH, cfg)
    w, x, y, z = the_body(stage)[1].orientation
    along = (2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y))  # where local z points
    assert along == pytest.approx(np.eye(3)["XYZ".index(axis)], abs=1e-6)
    wrong = kind(**LONG, axis="W")
    with pytest.raises(ValueError, match="axis='W'"):
        wrong.func("/World/wrong", wrong)


MESHES = [
    (sim_utils.MeshSphereCfg, {"radius": 0.3}, "bounding_sphere", (0.3, 0.3, 0.3), 0.0),
    (sim_utils.MeshCuboidCfg, {"size": (0.2, 0.4, 0.1)}, "bounding_cube", (0.1, 0.2, 0.05), 0.0),
    (sim_utils.MeshCylinderCfg, LONG, "convex_hull", (0.1, 0.1, 0.3), 0.0),
    (sim_utils.MeshCapsuleCfg, LONG, "convex_hull", (0.1, 0.1, 0.4), 0.0),
    (sim_utils.MeshConeCfg, LONG, "convex_hull", (0.1, 0.1, 0.3), 0.3),
]


@pytest.mark.parametrize(("kind", "sizes", "stands", "half", "middle"), MESHES)
@pytest.mark.parametrize("axis", ["Z", "X"])
def test_meshes(stage, kind, sizes, stands, half, middle, axis):
    turns = "height" in sizes
    cfg = kind(**sizes, **({"axis": axis} if turns else {}), **physics(None))
    cfg.func(PATH, cfg, translation=(0.0, 0.0, 1.0))
    actor, shape = the_body(stage)
    assert shape.kind == "mesh" and shape.approximation == stands and actor.model.position == (0.0, 0.0, 1.0)
    low, high = shape.vertices.min(axis=0), shape.vertices.max(axis=0)
    centre = np.array([0.0, 0.0, middle])
    expected = np.array(half)
    if turns and axis == "X":
        centre, expected = np.roll(centre, 1), np.roll(expected, 1)
    assert high == pytest.approx(centre + expected, abs=2e-3) and low == pytest.approx(centre - expected, abs=2e-3)
    volume = {
        sim_utils.MeshSphereCfg: 4 / 3 * math.pi * 0.3**3,
        sim_utils.MeshCuboidCfg: 0.008,
        sim_utils.MeshCylinderCfg: math.pi * 0.01 * 0.6,
        sim_utils.MeshCapsuleCfg: math.pi * 0.01 * 0.6 + 4 / 3 * math.pi * 0.001,
        sim_utils.MeshConeCfg: math.pi * 0.01 * 0.2,
    }[kind]
    assert actor.model.bodies[0].mass == pytest.approx(1000.0 * volume, rel=0.08)  # facets cut something off
    with pytest.raises(ValueError, match="A prim already exists"):
        cfg.func(PATH, cfg)


def test_meshes_that_deform(stage):
    props = sim_utils.DeformableBodyPropertiesCfg(contact_offset=0.01, vertex_velocity_damping=0.3)
    soft = sim_utils.MeshCuboidCfg(size=(1, 1, 1), deformable_props=props)
    for change, message in (
        ({"rigid_props": sim_utils.RigidBodyPropertiesCfg()}, "deformable or rigid, not both"),
        ({"collision_props": sim_utils.CollisionPropertiesCfg()}, "deformable or rigid, not both"),
        ({"physics_material": sim_utils.RigidBodyMaterialCfg()}, "need a deformable physics material"),
    ):
        wrong = soft.replace(**change)  # pyright: ignore[reportAttributeAccessIssue]
        with pytest.raises(ValueError, match=message):
            wrong.func(PATH, wrong)
        assert not stage.GetPrimAtPath(PATH).IsValid()
    soft.mass_props = sim_utils.MassPropertiesCfg(mass=3.0)
    soft.physics_material = sim_utils.DeformableBodyMaterialCfg(youngs_modulus=1e5)
    soft.func(PATH, soft)
    mesh = stage.GetPrimAtPath(f"{PATH}/geometry/mesh")
    assert {"PhysxDeformableBodyAPI", "PhysxCollisionAPI"} <= set(applied_schemas(mesh))
    assert mesh.GetAttribute("physxCollision:contactOffset").Get() == pytest.approx(0.01)
    assert mesh.GetAttribute("physxDeformable:vertexVelocityDamping").Get() == pytest.approx(0.3)
    resolution, enabled = (
        mesh.GetAttribute(f"physxDeformable:{one}") for one in ("simulationHexahedralResolution", "deformableEnabled")
    )
    assert resolution.Get() == 10 and type(resolution.Get()) is int
    assert enabled.Get() is True  # as PhysX's schema has it where nothing is said
    props.deformable_enabled = False
    assert sim_utils.modify_deformable_body_properties(str(mesh.GetPath()), props) and enabled.Get() is False
    assert not read_stage(stage).deformables
    props.deformable_enabled = None  # leaves what the prim has
    sim_utils.define_deformable_body_properties(PATH, props)
    assert enabled.Get() is False
    enabled.Set(True)
    (made,) = read_stage(stage).deformables
    assert made.path == str(mesh.GetPath())
    assert isinstance(made.mesh, TetMesh) and made.mesh.volumes.sum() == pytest.approx(1.0)
    assert made.arguments["mass"] == 3.0 and made.arguments["youngs_modulus"] == pytest.approx(1e5)
    assert made.arguments["damping"] == pytest.approx(0.3) and made.arguments["poissons_ratio"] == pytest.approx(0.45)


def test_what_is_not_given_is_not_there(stage):
    look = sim_utils.SphereCfg(radius=0.1, visible=False, semantic_tags=[("class", "ball")])
    prim = look.func(PATH, look)
    scene = read_stage(stage)
    assert scene.actors == {} and scene.warnings == []
    assert UsdGeom.Imageable(prim).ComputeVisibility() == "invisible"
    assert sim_utils.get_labels(prim) == {"class": ["ball"]}
    still = sim_utils.CuboidCfg(size=(1.0, 1.0, 1.0), collision_props=sim_utils.CollisionPropertiesCfg())
    still.func("/World/wall", still, translation=(3.0, 0.0, 0.0))
    actor, _ = the_body(stage)
    assert actor.kind == "static" and actor.model.position == pytest.approx((3.0, 0.0, 0.0))
    for size in ((1.0, 0.0, 1.0), (-1.0, 1.0, 1.0)):
        flat = sim_utils.CuboidCfg(size=size)
        with pytest.raises(ValueError, match="must be positive"):
            flat.func("/World/flat", flat)


def test_materials_are_bound_and_may_be_shared(stage):
    rubber = sim_utils.RigidBodyMaterialCfg(
        static_friction=1.2, dynamic_friction=1.0, restitution=0.3, friction_combine_mode="multiply",
        restitution_combine_mode="max",
    )  # fmt: skip
    blue = sim_utils.PreviewSurfaceCfg(diffuse_color=(0.0, 0.0, 1.0), metallic=0.25)
    cfg = sim_utils.SphereCfg(radius=0.1, physics_material=rubber, visual_material=blue, **physics())
    cfg.func(PATH, cfg)
    _, shape = the_body(stage)
    expected = {"static_friction": 1.2, "dynamic_friction": 1.0, "restitution": 0.3}
    assert {name: shape.material[name] for name in expected} == pytest.approx(expected)
    assert (shape.material["friction_combine"], shape.material["restitution_combine"]) == ("multiply", "max")
    mesh = stage.GetPrimAtPath(f"{PATH}/geometry/mesh")
    for purpose in ("", "physics"):
        found = UsdShade.MaterialBindingAPI(mesh).ComputeBoundMaterial(purpose or UsdShade.Tokens.allPurpose)[0]
        assert str(found.GetPath()) == f"{PATH}/geometry/material"
    surface = UsdShade.Material(stage.GetPrimAtPath(f"{PATH}/geometry/material")).ComputeSurfaceSource()[0]
    assert surface.GetIdAttr().Get() == "UsdPreviewSurface"
    assert tuple(surface.GetInput("diffuseColor").Get()) == (0.0, 0.0, 1.0)
    assert surface.GetInput("metallic").Get() == 0.25

    shared = cfg.replace(  # pyright: ignore[reportAttributeAccessIssue]
        visual_material=None, physics_material_path="/World/Materials/rubber"
    )
    shared.func("/World/a", shared, translation=(1.0, 0.0, 0.0))
    shared.func("/World/b", shared, translation=(2.0, 0.0, 0.0))
    materials = [prim for prim in stage.Traverse() if prim.IsA(UsdShade.Material)]
    assert len(materials) == 2
    frictions = [actor.model.bodies[0].collisions[0].material for actor in read_stage(stage).actors.values()]
    assert [one["static_friction"] for one in frictions if one is not None] == pytest.approx([1.2, 1.2, 1.2])


def test_materials_that_cannot_be(stage):
    stage.DefinePrim("/World/cube", "Cube")
    good = sim_utils.RigidBodyMaterialCfg()
    with pytest.raises(ValueError, match="'/World/cube', and it is no material"):
        good.func("/World/cube", good)
    wrong: Any = "least"
    bad = sim_utils.RigidBodyMaterialCfg(friction_combine_mode=wrong)
    with pytest.raises(ValueError, match="'least'"):
        bad.func("/World/bad", bad)
    for kind, sizes in ((sim_utils.SphereCfg, {"radius": 1.0}), (sim_utils.MeshSphereCfg, {"radius": 1.0})):
        cfg = kind(**sizes, physics_material=bad, **physics())
        with pytest.raises(ValueError, match="'least'"):
            cfg.func(PATH, cfg)
    ground = sim_utils.GroundPlaneCfg(physics_material=bad)
    with pytest.raises(ValueError, match="'least'"):
        ground.func(PATH, ground)
    assert not stage.GetPrimAtPath(PATH).IsValid()  # nothing is left behind
    for look in (sim_utils.PreviewSurfaceCfg(), sim_utils.GlassMdlCfg()):
        with pytest.raises(ValueError, match="A prim already exists"):
            look.func("/World/cube", look)


def test_materials_by_mdl_are_named(stage):
    cfg = sim_utils.GlassMdlCfg(glass_color=(0.5, 1.0, 0.5), glass_ior=2)
    shader = cfg.func("/World/Looks/glass", cfg)
    asset: Any = UsdShade.Shader(shader).GetSourceAsset("mdl")
    assert asset.path == "OmniGlass.mdl"
    assert shader.GetAttribute("inputs:glass_ior").Get() == 2.0
    assert tuple(shader.GetAttribute("inputs:glass_color").Get()) == (0.5, 1.0, 0.5)
    source = UsdShade.Material(stage.GetPrimAtPath("/World/Looks/glass")).ComputeSurfaceSource("mdl")[0]
    assert source.GetPrim() == shader


def test_lights(stage):
    cases = {
        "DiskLight": (sim_utils.DiskLightCfg(radius=0.25), {"inputs:radius": 0.25}),
        "DistantLight": (sim_utils.DistantLightCfg(angle=1), {"inputs:angle": 1.0}),
        "DomeLight": (
            sim_utils.DomeLightCfg(texture_format="latlong", visible_in_primary_ray=False),
            {"inputs:texture:format": "latlong", "visibleInPrimaryRay": False},
        ),
        "CylinderLight": (
            sim_utils.CylinderLightCfg(length=2.0, treat_as_line=True),
            {"inputs:length": 2.0, "treatAsLine": True, "inputs:treatAsLine": True},
        ),
        "SphereLight": (
            sim_utils.SphereLightCfg(treat_as_point=True),
            {"treatAsPoint": True, "inputs:treatAsPoint": True},
        ),
    }  # fmt: skip
    for kind, (cfg, expected) in cases.items():
        cfg = cfg.replace(intensity=500, color=(1.0, 0.5, 0.25), exposure=2.0)
        prim = cfg.func(f"/World/{kind}", cfg, translation=(0.0, 0.0, 5.0))
        assert prim.GetTypeName() == kind
        expected |= {"inputs:intensity": 500.0, "inputs:exposure": 2.0, "inputs:normalize": False}
        assert {name: prim.GetAttribute(name).Get() for name in expected} == expected
        assert tuple(prim.GetAttribute("inputs:color").Get()) == (1.0, 0.5, 0.25)
        assert sim_utils.resolve_prim_pose(prim)[0] == (0.0, 0.0, 5.0)
        assert not any(name.partition(":")[0] in ("primType", "func") for name in prim.GetAuthoredPropertyNames())
        with pytest.raises(ValueError, match="already exists"):
            cfg.func(f"/World/{kind}", cfg)
    assert read_stage(stage).actors == {}


def test_cameras(stage):
    cfg = sim_utils.PinholeCameraCfg(focal_length=18, clipping_range=(0.1, 50.0), vertical_aperture=15.0)
    prim = cfg.func("/World/camera", cfg, translation=(1.0, 0.0, 0.0), orientation=TURNED)
    camera = UsdGeom.Camera(prim)
    assert camera.GetFocalLengthAttr().Get() == 18.0 and camera.GetVerticalApertureAttr().Get() == 15.0
    assert tuple(camera.GetClippingRangeAttr().Get()) == pytest.approx((0.1, 50.0))
    assert prim.GetAttribute("cameraProjectionType").Get() == "pinhole"
    wide = sim_utils.FisheyeCameraCfg(fisheye_max_fov=180)
    prim = wide.func("/World/wide", wide)
    assert prim.GetAttribute("fthetaMaxFov").Get() == 180.0
    assert prim.GetAttribute("fthetaPolyB").Get() == pytest.approx(0.00245)
    assert prim.GetAttribute("cameraProjectionType").Get() == "fisheyePolynomial"


def test_a_camera_by_its_intrinsic_matrix():
    matrix = [600.0, 0.0, 330.0, 0.0, 600.0, 235.0, 0.0, 0.0, 1.0]
    for focal_length in (None, 24.0):
        cfg = sim_utils.PinholeCameraCfg.from_intrinsic_matrix(matrix, 640, 480, focal_length=focal_length)
        assert cfg.vertical_aperture is not None
        # The matrix again, as the sensor computes it.
        f_x = cfg.focal_length / cfg.horizontal_aperture * 640
        f_y = cfg.focal_length / cfg.vertical_aperture * 480
        assert (f_x, f_y) == pytest.approx((600.0, 600.0))
        assert 320.0 + cfg.horizontal_aperture_offset * f_x == pytest.approx(330.0)
        assert 240.0 + cfg.vertical_aperture_offset * f_y == pytest.approx(235.0)
    assert isinstance(sim_utils.FisheyeCameraCfg.from_intrinsic_matrix(matrix, 640, 480), sim_utils.FisheyeCameraCfg)
    with pytest.raises(ValueError, match="must have 9"):
        sim_utils.PinholeCameraCfg.from_intrinsic_matrix(matrix[:8], 640, 480)


def test_the_ground(stage):
    cfg = sim_utils.GroundPlaneCfg(
        size=(20.0, 10.0), color=(0.5, 0.5, 0.5), physics_material=sim_utils.RigidBodyMaterialCfg(static_friction=0.75)
    )
    prim = cfg.func("/World/ground", cfg, translation=(0.0, 0.0, -0.5))
    scene = read_stage(stage)
    (ground,) = scene.grounds
    assert scene.actors == {} and scene.warnings == []
    assert ground.normal == pytest.approx((0.0, 0.0, 1.0)) and ground.distance == pytest.approx(-0.5)
    assert ground.material["static_friction"] == 0.75
    plane = next(one for one in Usd.PrimRange(prim) if one.IsA(UsdGeom.Plane))
    assert (UsdGeom.Plane(plane).GetWidthAttr().Get(), UsdGeom.Plane(plane).GetLengthAttr().Get()) == (20.0, 10.0)
    with pytest.raises(ValueError, match="A prim already exists"):
        cfg.func("/World/ground", cfg)
    slope = sim_utils.GroundPlaneCfg()
    slope.func("/World/slope", slope, orientation=TURNED)
    normal = read_stage(stage).grounds[1].normal
    assert normal == pytest.approx((math.sin(0.8), 0.0, math.cos(0.8)), abs=1e-6)


def test_usds_own_validators_find_nothing(stage):
    looks: dict[str, Any] = {"visual_material": sim_utils.PreviewSurfaceCfg()}
    looks["physics_material"] = sim_utils.RigidBodyMaterialCfg()
    sim_utils.create_prim("/World")
    stage.SetDefaultPrim(stage.GetPrimAtPath("/World"))
    cases: list[Any] = [kind(**sizes, **looks, **physics()) for kind, sizes, *_ in [*SHAPES, *MESHES]]
    cases += [sim_utils.GroundPlaneCfg(), sim_utils.DomeLightCfg(), sim_utils.FisheyeCameraCfg()]
    for n, cfg in enumerate(cases):
        cfg.func(f"/World/thing_{n}", cfg)
    validation: Any = importlib.import_module("pxr.UsdValidation")
    context = validation.ValidationContext(validation.ValidationRegistry().GetOrLoadAllValidators())
    assert [error.GetMessage() for error in context.Validate(stage)] == []


def test_below_many_parents(stage):
    for n in range(4):
        sim_utils.create_prim(f"/World/envs/env_{n}", translation=(2.0 * n, 0.0, 0.0))
    cfg = sim_utils.CuboidCfg(
        size=(0.2, 0.2, 0.2), activate_contact_sensors=True, physics_material=sim_utils.RigidBodyMaterialCfg(),
        **physics(),
    )  # fmt: skip
    prim = cfg.func("/World/envs/env_.*/box", cfg, translation=(0.0, 0.0, 1.0))
    assert str(prim.GetPath()) == "/World/envs/env_0/box"
    actors = {actor.path: actor.model for actor in read_stage(stage).actors.values()}
    assert list(actors) == [f"/World/envs/env_{n}/box" for n in range(4)]
    for n, model in enumerate(actors.values()):
        assert model.position == pytest.approx((2.0 * n, 0.0, 1.0))
        mesh = stage.GetPrimAtPath(f"/World/envs/env_{n}/box/geometry/mesh")
        material = UsdShade.MaterialBindingAPI(mesh).ComputeBoundMaterial("physics")[0]
        assert str(material.GetPath()) == f"/World/envs/env_{n}/box/geometry/material"
        schemas = stage.GetPrimAtPath(f"/World/envs/env_{n}/box").GetPrimTypeInfo().GetAppliedAPISchemas()
        assert "PhysxContactReportAPI" in schemas
    with pytest.raises(RuntimeError, match="Unable to find source prim path"):
        cfg.func("/World/nowhere_.*/box", cfg)


def test_a_cuboid_falls_and_comes_to_rest(stage):
    ground = sim_utils.GroundPlaneCfg()
    ground.func("/World/ground", ground)
    cfg = sim_utils.CuboidCfg(size=(0.2, 0.4, 0.6), **physics(3.0))
    cfg.func("/World/box", cfg, translation=(0.5, 0.0, 0.8))
    world = World(num_envs=1, dt=1.0 / 120.0)
    add_scene(read_stage(stage), world)
    world.build()
    box = world.actors["box"]
    world.step(24)
    fallen = 0.8 - float(box.root_pose[0, 2])
    assert fallen == pytest.approx(0.5 * 9.81 * 0.2**2, rel=0.05)
    world.step(96)
    assert np.asarray(box.root_pose[0]) == pytest.approx([0.5, 0.0, 0.3, 1.0, 0.0, 0.0, 0.0], abs=2e-3)
