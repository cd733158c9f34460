"""What cameras see of a stage: materials, textures, lights, what is hidden, instances, points, environments."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from facade.camera_scenes import ALL, ENV, HEIGHT, WIDTH, at, ball, basics, camera, looking
from facade.sensor_scenes import box, environments
from oracles import host

from phalanx.facade import once, physics_events, stage
from phalanx.facade.isaaclab import sim as sim_utils
from phalanx.facade.isaaclab.assets import RigidObjectCfg
from phalanx.facade.isaaclab.markers import VisualizationMarkers, VisualizationMarkersCfg
from phalanx.facade.isaaclab.scene import InteractiveScene, InteractiveSceneCfg
from phalanx.facade.isaaclab.sensors import TiledCameraCfg
from phalanx.facade.isaaclab.sim import SimulationCfg, SimulationContext
from phalanx.facade.isaaclab.utils import configclass
from phalanx.facade.visible.materials import GLASS
from phalanx.images.looks import encoded
from phalanx.io.formats.usd.bindings import Gf, Sdf, UsdGeom, UsdPhysics, UsdShade, Vt
from phalanx.maths.arrays import between


@pytest.fixture
def sim(device: str, api: str) -> Iterator[SimulationContext]:
    stage.new_stage()
    yield SimulationContext(SimulationCfg(device=device, dt=0.01, gravity=(0.0, 0.0, 0.0)))
    SimulationContext.clear_instance()
    physics_events.clear()


def down() -> Any:
    """Looks down, with x of the world to the right of the picture and y up in it."""
    return at((0.0, 0.0, 4.0), np.array([[0.0, -1.0, 0.0], [0.0, 0.0, 1.0], [-1.0, 0.0, 0.0]]))


def spot(picture: Any, x: float, y: float, env: int = 0, height: float = 0.0) -> np.ndarray:
    """The pixel of a picture from above, 4 m up, that shows a place."""
    f = WIDTH * 24.0 / 20.955
    u, v = int(WIDTH / 2 + f * x / (4.0 - height)), int(HEIGHT / 2 - f * y / (4.0 - height))
    return host(picture)[env, v, u]


def seen(one: Any, env: int = 0) -> set[str]:
    """Paths of the prims in a picture."""
    name = "instance_id_segmentation_fast"
    colors = {str(tuple(int(c) for c in pixel)) for pixel in host(one.data.output[name])[env].reshape(-1, 4)}
    return {path for key, path in one.data.info[env][name]["idToLabels"].items() if key in colors}


def plate(path: str, x: float, color: Any = None, **more: Any) -> Any:
    """A mesh of two squares, side by side along y, of 0.4 m each, on the ground at x."""
    mesh = UsdGeom.Mesh.Define(stage.get_stage(), path)
    points = [(x - 0.2, y, 0.01) for y in (-0.4, 0.0, 0.4)] + [(x + 0.2, y, 0.01) for y in (-0.4, 0.0, 0.4)]
    mesh.CreatePointsAttr([Gf.Vec3f(*p) for p in points])
    mesh.CreateFaceVertexCountsAttr([4, 4])
    mesh.CreateFaceVertexIndicesAttr([0, 3, 4, 1, 1, 4, 5, 2])
    if color is not None:
        mesh.CreateDisplayColorPrimvar(more.get("interpolation", "constant")).Set(Vt.Vec3fArray(color))
    return mesh


def bind(mesh: Any, name: str, **inputs: Any) -> Any:
    """Give a prim a new preview surface."""
    cfg = sim_utils.PreviewSurfaceCfg(**inputs)
    cfg.func(f"/World/looks/{name}", cfg)
    sim_utils.bind_visual_material(str(mesh.GetPath()), f"/World/looks/{name}")
    return stage.get_stage().GetPrimAtPath(f"/World/looks/{name}/Shader")


def test_colors_and_materials(sim: SimulationContext, tmp_path: Path) -> None:
    """In the light of a white dome, what faces up has its own colour, whatever says which that is."""
    basics()
    plate("/World/gray", -1.4)
    plate("/World/plain", -0.9, [(0.2, 0.5, 0.7)])
    plate("/World/faces", -0.4, [(0.7, 0.1, 0.1), (0.1, 0.1, 0.7)], interpolation="uniform")
    bind(plate("/World/bound", 0.1, [(1.0, 0.0, 0.0)]), "green", diffuse_color=(0.1, 0.6, 0.2), roughness=1.0)
    two = plate("/World/two", 0.6)
    for i, color in enumerate(((0.8, 0.8, 0.1), (0.1, 0.8, 0.8))):
        subset = UsdGeom.Subset.CreateGeomSubset(two, f"part_{i}", "face", Vt.IntArray([i]), "materialBind")
        bind(subset.GetPrim(), f"part_{i}", diffuse_color=color, roughness=1.0)
    from PIL import Image

    colors = np.array([[[200, 40, 60]], [[30, 90, 220]]], np.uint8)  # the upper row first
    Image.fromarray(np.repeat(np.repeat(colors, 8, 0), 8, 1)).save(tmp_path / "paint.png")
    papered = plate("/World/papered", 1.1)
    coordinates = UsdGeom.PrimvarsAPI(papered).CreatePrimvar("st", Sdf.ValueTypeNames.TexCoord2fArray, "vertex")
    coordinates.Set(Vt.Vec2fArray([(0, 0), (0, 0.5), (0, 1), (1, 0), (1, 0.5), (1, 1)]))
    shader = UsdShade.Shader(bind(papered, "paper", roughness=1.0))
    texture = UsdShade.Shader.Define(stage.get_stage(), "/World/looks/paper/Texture")
    texture.CreateIdAttr("UsdUVTexture")
    texture.CreateInput("file", Sdf.ValueTypeNames.Asset).Set(str(tmp_path / "paint.png"))
    shader.GetInput("diffuseColor").ConnectToSource(texture.CreateOutput("rgb", Sdf.ValueTypeNames.Float3))
    glows = plate("/World/glows", 1.6)
    bind(glows, "lamp", diffuse_color=(0.0, 0.0, 0.0), emissive_color=(0.3, 0.6, 0.0), roughness=1.0)
    one = camera("/World/eye", offset=down())
    sim.reset()
    rgb = one.data.output["rgb"]
    expected = {
        (-1.4, 0.2): encoded((0.5, 0.5, 0.5)),
        (-0.9, 0.2): encoded((0.2, 0.5, 0.7)),
        (-0.4, -0.2): encoded((0.7, 0.1, 0.1)),
        (-0.4, 0.2): encoded((0.1, 0.1, 0.7)),
        (0.1, 0.2): encoded((0.1, 0.6, 0.2)),
        (0.6, -0.2): encoded((0.8, 0.8, 0.1)),
        (0.6, 0.2): encoded((0.1, 0.8, 0.8)),
        (1.1, -0.25): colors[1, 0],
        (1.1, 0.25): colors[0, 0],
        (1.6, 0.2): encoded((0.3, 0.6, 0.0)),
    }
    for place, color in expected.items():
        np.testing.assert_allclose(spot(rgb, *place), color, atol=12, err_msg=str(place))
    (tmp_path / "paint.png").unlink()  # files are read once
    prim = stage.get_stage().GetPrimAtPath("/World/looks/green/Shader")
    prim.GetAttribute("inputs:diffuseColor").Set(Gf.Vec3f(0.9, 0.1, 0.1))  # painted while it plays
    one.update(0.01)
    expected[0.1, 0.2] = encoded((0.9, 0.1, 0.1))
    for place, color in expected.items():
        np.testing.assert_allclose(spot(one.data.output["rgb"], *place), color, atol=12, err_msg=str(place))


def test_transparency(sim: SimulationContext) -> None:
    """Materials and display opacities mix with what is behind them; thresholds cut; glass is clear."""
    basics()
    behind, front = (0.1, 0.2, 0.8), (0.8, 0.3, 0.1)
    shown = {"half": (-1.4, 0.5), "display": (-0.9, 0.4), "gone": (-0.4, 0.0), "cut": (0.1, 0.0), "whole": (0.6, 1.0)}
    shown |= {"glass": (1.1, GLASS), "plain": (1.6, 1.0)}
    for name, (x, _) in shown.items():
        bind(plate(f"/World/{name}_behind", x), f"{name}_behind", diffuse_color=behind, roughness=1.0)
        above = plate(f"/World/{name}", x, [front])
        UsdGeom.XformCommonAPI(above).SetTranslate((0.0, 0.0, 0.1))
        if name == "display":
            above.CreateDisplayOpacityPrimvar("constant").Set(Vt.FloatArray([0.4]))
        elif name == "glass":
            cfg = sim_utils.GlassMdlCfg(glass_color=front, frosting_roughness=1.0)
            cfg.func("/World/looks/glass", cfg)
            sim_utils.bind_visual_material("/World/glass", "/World/looks/glass")
        elif name != "plain":
            opacity = {"half": 0.5, "gone": 0.0, "cut": 0.3, "whole": 0.7}[name]
            shader = UsdShade.Shader(bind(above, name, diffuse_color=front, roughness=1.0, opacity=opacity))
            if name in ("cut", "whole"):
                shader.CreateInput("opacityThreshold", Sdf.ValueTypeNames.Float).Set(0.5)
    one = camera("/World/eye", offset=down())
    sim.reset()
    output = one.data.output
    for name, (x, opacity) in shown.items():
        color = encoded(opacity * np.array(front) + (1.0 - opacity) * np.array(behind))
        np.testing.assert_allclose(spot(output["rgb"], x, 0.2), color, atol=12, err_msg=name)
        height = 0.11 if opacity else 0.01  # of the first surface that is not wholly transparent
        np.testing.assert_allclose(spot(output["depth"], x, 0.2), 4.0 - height, atol=1e-3, err_msg=name)


def test_lights(sim: SimulationContext) -> None:
    """Distant lights shine by the cosine, lamps by the distance; what is off is dark."""
    basics(0.0)
    bind(plate("/World/plate", 0.0), "chalk", diffuse_color=(0.8, 0.8, 0.8), roughness=1.0)
    one = camera("/World/eye", offset=down())
    sim.reset()
    assert spot(one.data.output["rgb"], 0.0, 0.2).max() == 0
    brightness = []
    for i, angle in enumerate((0.0, 60.0)):
        turn = between(np.array([0.0, 0.0, 1.0]), np.array([np.sin(np.deg2rad(angle)), 0.0, np.cos(np.deg2rad(angle))]))
        cfg = sim_utils.DistantLightCfg(intensity=4000.0, color=(1.0, 1.0, 0.0))
        cfg.func(f"/World/sun_{i}", cfg, orientation=tuple(turn))
        one.update(0.01)
        color = spot(one.data.output["rgb"], 0.0, 0.2) / 255.0
        brightness.append(np.where(color <= 0.04045, color / 12.92, ((color + 0.055) / 1.055) ** 2.4))
        sim_utils.delete_prim(f"/World/sun_{i}")
    assert brightness[0][2] < 0.01 and brightness[0][0] > 0.2
    np.testing.assert_allclose(brightness[1][:2] / brightness[0][:2], 0.5, atol=0.06)
    cfg = sim_utils.SphereLightCfg(intensity=30000.0, radius=0.1)
    cfg.func("/World/lamp", cfg, translation=(-0.5, 0.0, 1.0))
    one.update(0.01)
    near, far = (spot(one.data.output["rgb"], x, 0.2).max() for x in (-0.1, 0.1))
    assert near > far > 5
    sim_utils.set_prim_visibility(stage.get_stage().GetPrimAtPath("/World/lamp"), False)
    one.update(0.01)
    assert host(one.data.output["rgb"])[0][HEIGHT // 2].max() == 0


def test_what_is_hidden(sim: SimulationContext) -> None:
    """Assets are hidden in some environments and shown again; guides, proxies and mere colliders are not drawn."""
    environments(3)
    basics()
    body = box("box", (0.0, 0.0, 0.2), size=0.4)
    for i in range(3):
        home = f"/World/envs/env_{i}/box"
        for name, purpose in (("guide", "guide"), ("proxy", "proxy"), ("render", "render"), ("collisions", "")):
            prim = UsdGeom.Sphere.Define(stage.get_stage(), f"{home}/{name}{'/part' * (not purpose)}")
            prim.CreateRadiusAttr(0.1)
            UsdGeom.XformCommonAPI(prim).SetTranslate(Gf.Vec3d(0.0, 0.0, 0.3))
            if purpose:
                prim.CreatePurposeAttr(purpose)
            else:
                UsdPhysics.CollisionAPI.Apply(prim.GetPrim())
    ball(f"{ENV}/ball", (0.8, 0.0, 0.3), 0.3)
    bar = sim_utils.CuboidCfg(size=(30.0, 0.2, 0.1))  # outside of the environments, and seen in all of them
    bar.func("/World/bar", bar, translation=(5.0, -0.2, 0.05))
    sphere = sim_utils.SphereCfg(radius=0.1, visible=False)
    sphere.func(f"{ENV}/unseen", sphere, translation=(-0.8, 0.0, 0.3))
    one = camera(f"{ENV}/eye", offset=down())
    sim.reset()

    def names(env: int) -> set[str]:
        return {path.removeprefix(f"/World/envs/env_{env}/") for path in seen(one, env)}

    floor, bar = "/World/ground/GroundPlane/CollisionPlane", "/World/bar/geometry/mesh"
    everything = {floor, bar, "box/geometry/mesh", "box/render", "ball/geometry/mesh"}
    assert [names(env) for env in range(3)] == [everything] * 3
    version = one._scene.version
    body.set_visibility(False, [1])
    one.update(0.01)
    assert names(1) == {floor, bar, "ball/geometry/mesh"} and names(0) == names(2) == everything
    body.set_visibility(True, [1])
    body.set_visibility(False, [0, 2])
    one.update(0.01)
    assert names(1) == everything and names(0) == names(2) == {floor, bar, "ball/geometry/mesh"}
    assert one._scene.version == version  # the same scene
    for path in ("/World/bar", "/World/envs/env_2/ball"):
        sim_utils.set_prim_visibility(stage.get_stage().GetPrimAtPath(path), False)
    one.update(0.01)
    assert names(2) == {floor} and names(0) == {floor, "ball/geometry/mesh"}
    for i in range(3):
        sim_utils.set_prim_visibility(stage.get_stage().GetPrimAtPath(f"/World/envs/env_{i}/unseen"), True)
    body.set_visibility(True)
    one.update(0.01)
    now = {floor, "unseen/geometry/mesh", "box/geometry/mesh", "box/render"}
    assert names(2) == now and names(1) == now | {"ball/geometry/mesh"}
    sim.reset()  # environments are still the same but for what is hidden
    assert len(sim.stage_world.env_paths) == 3
    assert names(2) == now and names(1) == now | {"ball/geometry/mesh"}


def test_what_cameras_of_some_and_all_environments_see(sim: SimulationContext) -> None:
    """A camera in an environment sees its own and what all share; one outside sees all; neighbours change nothing."""
    pictures = {}
    for count in (1, 3):
        stage.new_stage()
        SimulationContext.clear_instance()
        sim = SimulationContext(SimulationCfg(device=sim.device, dt=0.01))
        for i in range(count):
            sim_utils.create_prim(f"/World/envs/env_{i}", "Xform", translation=(0.75 * i, 0.0, 0.0))
        basics()
        body = box("box", (0.0, 0.0, 0.2), size=0.4)
        ball(f"{ENV}/ball", (0.0, 0.8, 0.3), 0.3)
        inside, outside = camera(f"{ENV}/eye", offset=down()), camera("/World/eye", offset=down())
        sim.reset()
        pictures[count] = {name: host(picture) for name, picture in inside.data.output.items()}
        for env in range(count):
            home = f"/World/envs/env_{env}"
            floor = "/World/ground/GroundPlane/CollisionPlane"
            assert seen(inside, env) == {floor, f"{home}/box/geometry/mesh", f"{home}/ball/geometry/mesh"}
    meshes = {f"/World/envs/env_{i}/{name}/geometry/mesh" for i in range(3) for name in ("box", "ball")}
    assert seen(outside) == {floor, *meshes}
    for name, picture in pictures[3].items():
        np.testing.assert_array_equal(picture[0], pictures[1][name][0], err_msg=name)
    pose = np.tile([0.0, 0.0, 0.2, 1.0, 0.0, 0.0, 0.0], (3, 1))
    pose[:, 0] = [0.0, 0.75, 1.2]
    body.write_root_pose_to_sim(pose)
    before = {name: host(picture).copy() for name, picture in outside.data.output.items()}
    for one in (inside, outside):
        one.update(0.01)
    moved = host(inside.data.output["depth"])
    np.testing.assert_array_equal(moved[:2], pictures[3]["depth"][:2])
    assert (moved[2] != pictures[3]["depth"][2]).any()
    changed = host(outside.data.output["depth"]) != before["depth"]
    assert changed.any() and not changed[0, :, : WIDTH // 2].any()


def test_instances_and_points(sim: SimulationContext) -> None:
    """Instanceable prims are seen in each place; markers are, where they are now, those of them that are shown."""
    basics()
    environments(1)
    prototype = stage.get_stage().CreateClassPrim("/thing")
    cube = UsdGeom.Cube.Define(stage.get_stage(), "/thing/cube")
    cube.CreateSizeAttr(0.3)
    cube.CreateDisplayColorAttr([(0.1, 0.2, 0.8)])
    plate("/thing/plate", 0.0, [(0.1, 0.4, 0.1)])
    for i, x in enumerate((-1.0, 1.0)):
        prim = UsdGeom.Xform.Define(stage.get_stage(), f"/World/thing_{i}")
        prim.GetPrim().GetReferences().AddInternalReference(prototype.GetPath())
        prim.GetPrim().SetInstanceable(True)
        prim.AddTranslateOp().Set(Gf.Vec3d(x, 0.0, 0.3))
        prim.AddScaleOp().Set(Gf.Vec3f(1.0, 2.0, 1.0))
    sorts: dict[str, Any] = {
        "ball": sim_utils.SphereCfg(radius=0.2, visual_material=sim_utils.PreviewSurfaceCfg(diffuse_color=(0.8, 0, 0))),
        "gone": sim_utils.SphereCfg(radius=0.2, visible=False),
    }
    markers = VisualizationMarkers(VisualizationMarkersCfg(prim_path="/Visuals/markers", markers=sorts))
    markers.visualize(np.array([[0.0, 0.5, 0.2], [0.0, -0.5, 0.2]]), marker_indices=np.array([0, 0]))
    one = camera("/World/eye", offset=down())
    sim.reset()

    def red() -> list[bool]:
        places = ((0.0, 0.5), (0.0, -0.5), (0.5, 0.5))
        return [spot(one.data.output["rgb"], *place, height=0.4)[0] > 120 for place in places]

    assert seen(one) >= {"/World/thing_0/cube", "/World/thing_1/cube"}
    plates = [shape for shape in one._scene._contents.shapes if shape.path.endswith("/plate")]
    assert len(plates) == 2 and len({id(shape.parts[0][0].geometry) for shape in plates}) == 1  # one tree for both
    rgb = one.data.output["rgb"]
    blue = [spot(rgb, x, y, height=0.45)[2] > 150 for x in (-1.0, 1.0) for y in (-0.25, 0.25, 0.4)]
    assert blue == [True, True, False] * 2
    assert red() == [True, True, False]
    markers.visualize(np.array([[0.5, 0.5, 0.2], [0.0, -0.5, 0.2]]))
    one.update(0.01)
    assert red() == [False, True, True]
    markers.visualize(np.array([[0.0, 0.5, 0.2], [0.0, -0.5, 0.2], [0.5, 0.5, 0.2]]), marker_indices=[0, 1, 1])
    one.update(0.01)
    assert red() == [True, False, False]
    scales = np.array([[1.0, 1.0, 1.0], [0.0, 1.0, 1.0]])  # as arrows of robots that are told to stand
    markers.visualize(np.array([[0.0, 0.5, 0.2], [0.0, -0.5, 0.2]]), scales=scales, marker_indices=[0, 0])
    one.update(0.01)
    assert red() == [True, False, False]
    markers.set_visibility(False)
    one.update(0.01)
    assert red() == [False, False, False] and "/Visuals/markers" not in seen(one)


def test_shapes_and_meshes_without_triangles(sim: SimulationContext, caplog: pytest.LogCaptureFixture) -> None:
    """Primitives are seen along their axes and under uneven scales; an empty mesh is told of, and is not seen."""
    basics()
    where = {"X": -1.2, "Y": 0.0, "Z": 1.2}
    for axis, x in where.items():
        rod = UsdGeom.Cylinder.Define(stage.get_stage(), f"/World/rod_{axis}")
        rod.CreateAxisAttr(axis)
        rod.CreateRadiusAttr(0.1)
        rod.CreateHeightAttr(0.8)
        UsdGeom.XformCommonAPI(rod).SetTranslate(Gf.Vec3d(x, 0.5, 0.0))
    egg = UsdGeom.Sphere.Define(stage.get_stage(), "/World/egg")
    egg.CreateRadiusAttr(0.2)
    UsdGeom.XformCommonAPI(egg).SetTranslate(Gf.Vec3d(0.0, -0.5, 0.0))
    UsdGeom.XformCommonAPI(egg).SetScale(Gf.Vec3f(3.0, 1.0, 1.5))
    UsdGeom.Mesh.Define(stage.get_stage(), "/World/empty")
    once._told.clear()
    one = camera("/World/eye", offset=down())
    with caplog.at_level(logging.INFO, "phalanx.facade"):
        sim.reset()
        depth = one.data.output["depth"]
    assert any("</World/empty> is a mesh with no triangles" in message for message in caplog.messages)
    heights = {
        (-1.2, 0.5): 0.1, (-1.5, 0.5): 0.1, (-1.2, 0.75): 0.0, (0.0, 0.5): 0.1, (0.0, 0.8): 0.1, (0.3, 0.5): 0.0,
        (1.2, 0.5): 0.4, (1.2, 0.75): 0.0, (0.0, -0.5): 0.3, (0.4, -0.5): 0.3 * np.sqrt(1 - 4 / 9), (0.0, -0.75): 0.0,
    }  # fmt: skip
    for (x, y), height in heights.items():
        np.testing.assert_allclose(4.0 - spot(depth, x, y, height=height)[0], height, atol=0.02, err_msg=str((x, y)))


@pytest.mark.parametrize("replicate", [True, False])
def test_in_a_scene(sim: SimulationContext, replicate: bool) -> None:
    """A scene makes cameras of its configuration, and updates them."""

    @configclass
    class SceneCfg(InteractiveSceneCfg):
        crate = RigidObjectCfg(
            prim_path="{ENV_REGEX_NS}/Crate",
            spawn=sim_utils.CuboidCfg(
                size=(0.4, 0.4, 0.4),
                rigid_props=sim_utils.RigidBodyPropertiesCfg(),
                mass_props=sim_utils.MassPropertiesCfg(mass=1.0),
                collision_props=sim_utils.CollisionPropertiesCfg(),
                semantic_tags=[("class", "crate")],
            ),
            init_state=RigidObjectCfg.InitialStateCfg(pos=(0.0, 0.0, 0.2)),
        )
        eye = TiledCameraCfg(
            prim_path="{ENV_REGEX_NS}/Crate/eye",
            width=WIDTH,
            height=HEIGHT,
            data_types=ALL,
            spawn=sim_utils.PinholeCameraCfg(),
            offset=at((-2.0, 0.0, 1.0), looking([2.0, 0.0, -1.0])),
        )

    basics()
    cfg = SceneCfg(num_envs=3, env_spacing=4.0, replicate_physics=replicate)
    scene = InteractiveScene(cfg)
    sim.reset()
    scene.reset()
    sim.step()
    scene.update(0.01)
    eye = scene["eye"]
    assert eye is scene.sensors["eye"] and eye.num_instances == 3
    for env in range(3):
        crate = f"/World/envs/env_{env}/Crate/geometry/mesh"
        assert seen(eye, env) >= {"/World/ground/GroundPlane/CollisionPlane", crate}
    depth = host(eye.data.output["depth"])[:, HEIGHT // 2, WIDTH // 2, 0]
    np.testing.assert_allclose(depth, np.sqrt(5.0) * 0.9, atol=0.05)


def test_strength_of_lamps() -> None:
    """Lamps give what a dome gives through the solid angle that they fill, seen from 1 m."""
    from phalanx.facade.visible.drawn_prims import DrawnPrim
    from phalanx.facade.visible.lights import EXPOSURE, lights_of

    new = stage.make_stage()
    lamps: dict[str, tuple[dict[str, Any], float]] = {
        "SphereLight": ({"radius": 0.2}, 0.04),
        "DiskLight": ({"radius": 0.1, "color": Gf.Vec3f(1.0, 0.5, 0.0)}, 0.01),
        "CylinderLight": ({"radius": 0.05, "length": 2.0}, 0.2 / np.pi),
        "RectLight": ({"width": 0.4, "height": 0.5, "exposure": 1.0}, 0.4 / np.pi),
        "DomeLight": ({}, 1.0),
        "DistantLight": ({}, 1.0 / np.pi),
    }
    types = {"color": Sdf.ValueTypeNames.Color3f}
    found = []
    for name, (inputs, expected) in lamps.items():
        prim = new.DefinePrim(f"/{name}", name)
        for key, value in (inputs | {"intensity": 300.0}).items():
            prim.CreateAttribute(f"inputs:{key}", types.get(key, Sdf.ValueTypeNames.Float)).Set(value)
        found.append((DrawnPrim(prim, f"/{name}", np.eye(4), None, False), expected))
    made = lights_of([one for one, _ in found])
    for light, (one, expected) in zip(made, found, strict=True):
        color = np.array(light.color) / (300.0 * EXPOSURE)
        np.testing.assert_allclose(color[0], expected, rtol=1e-5, err_msg=one.path)
        np.testing.assert_allclose(color / color[0], [1.0, 0.5, 0.0] if "Disk" in one.path else [1.0] * 3, atol=1e-6)
    bright = new.GetPrimAtPath("/DomeLight").GetAttribute("inputs:intensity")
    bright.Set(1e6)
    dimmed = lights_of([one for one, _ in found])
    assert max(dimmed[4].color) < 1.2 and max(dimmed[0].color) < 1e-3
    warm = new.GetPrimAtPath("/DomeLight")
    warm.CreateAttribute("inputs:enableColorTemperature", Sdf.ValueTypeNames.Bool).Set(True)
    warm.CreateAttribute("inputs:colorTemperature", Sdf.ValueTypeNames.Float).Set(3000.0)
    r, g, b = lights_of([found[4][0]])[0].color
    assert r > g > b and r > 2.0 * b
