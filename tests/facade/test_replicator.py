"""Colours of materials by Replicator, as Isaac Lab's randomisations set them; and lines to be looked at."""

from __future__ import annotations

import re

import numpy as np
import pytest

pytest.importorskip("pxr", reason="usd-core is not installed (pip install usd-core)")

from phalanx.facade import physics_events, stage
from phalanx.facade.carb.settings import get_settings
from phalanx.facade.isaaclab import sim as sim_utils
from phalanx.facade.isaaclab.sim import SimulationCfg, SimulationContext
from phalanx.facade.isaacsim.util.debug_draw import _debug_draw
from phalanx.facade.omni.replicator import core as rep
from phalanx.facade.stage import make_stage, use_stage
from phalanx.io.formats.usd.bindings import UsdGeom, UsdShade


class TestMaterials:
    def test_colours_of_prims(self) -> None:
        """What ``mdp.randomize_visual_color`` does, call by call."""
        version = re.match(r"^(\d+\.\d+\.\d+)", rep.__file__.split("/")[-5][21:])
        assert version is not None and version.group(1) == "1.12.27"
        with use_stage(make_stage()) as stage:
            for n in range(3):
                sim_utils.create_prim(f"/World/envs/env_{n}/cube", "Cube")
            prims = rep.functional.get.prims(path_pattern="/World/envs/env_.*/cube", stage=stage)
            assert [str(prim.GetPath()) for prim in prims] == [f"/World/envs/env_{n}/cube" for n in range(3)]
            sim_utils.create_prim("/World/envs/env_0/cube/mesh", "Mesh")
            below = rep.functional.get.prims(path_pattern="/World/envs/env_.*/cube/", stage=stage)
            assert [str(prim.GetPath()) for prim in below] == ["/World/envs/env_0/cube/mesh"]
            with pytest.raises(ValueError, match="is no regular expression"):
                rep.functional.get.prims("(")
            made = rep.functional.create_batch.material(mdl="OmniPBR.mdl", bind_prims=prims, count=3, project_uvw=True)
            rep.set_global_seed(5)
            colors = rep.rng.ReplicatorRNG().generator.uniform([0.0] * 3, [1.0] * 3, size=(3, 3))
            np.testing.assert_array_equal(colors, np.random.default_rng(5).uniform(size=(3, 3)))
            rep.functional.modify.attribute(made, "diffuse_color_constant", colors)
            for prim, material, color in zip(prims, made, colors, strict=True):
                bound, _ = UsdShade.MaterialBindingAPI(prim).ComputeBoundMaterial()
                assert bound.GetPath() == material.GetPath()
                shader = UsdShade.Shader(next(one for one in material.GetChildren() if one.IsA(UsdShade.Shader)))
                np.testing.assert_allclose(shader.GetInput("diffuse_color_constant").Get(), color, rtol=1e-6)
            again = rep.functional.create_batch.material(mdl="OmniPBR.mdl", count=1)
            assert again[0].GetPath() not in [one.GetPath() for one in made]
            rep.functional.modify.attribute(made, "texture_rotate", np.array([1.0, 2.0, 3.0]))

    def test_wrong_use(self) -> None:
        with use_stage(make_stage()):
            prim = sim_utils.create_prim("/World/cube", "Cube")
            with pytest.raises(NotImplementedError, match=r"mdl='Glass\.mdl'; there is OmniPBR"):
                rep.functional.create_batch.material(mdl="Glass.mdl", count=1)
            with pytest.raises(ValueError, match="1 prims and 0 materials"):
                rep.functional.create_batch.material(mdl="OmniPBR.mdl", bind_prims=[prim], count=0)
            with pytest.raises(ValueError, match="2 values of size for 1 prims"):
                rep.functional.modify.attribute([prim], "size", [1.0, 2.0])
            with pytest.raises(ValueError, match="</World/cube> has no hue"):
                rep.functional.modify.attribute([prim], "hue", [1.0])


class TestCameras:
    def test_they_look_where_they_are_told(self) -> None:
        with use_stage(make_stage()):
            made = rep.create.camera(position=(1.0, 2.0, 3.0), look_at=(4.0, 2.0, -1.0), clipping_range=(0.1, 50.0))
            (prim,) = made.get_output_prims()["prims"]
            assert str(prim.GetPath()) == "/Replicator/Camera_Xform/Camera"
            camera = UsdGeom.Camera(prim)
            assert (camera.GetFocalLengthAttr().Get(), tuple(camera.GetClippingRangeAttr().Get())) == (
                24.0,
                pytest.approx((0.1, 50.0)),
            )
            pose = camera.ComputeLocalToWorldTransform(0.0)
            np.testing.assert_allclose(pose.ExtractTranslation(), [1, 2, 3], atol=1e-6)
            np.testing.assert_allclose(pose.TransformDir((0.0, 0.0, -1.0)), [0.6, 0.0, -0.8], atol=1e-6)
            assert pose.TransformDir((0.0, 1.0, 0.0))[2] > 0.0  # upright
            sim_utils.create_prim("/World/thing", "Xform", translation=(1.0, 2.0, -5.0))
            again = rep.create.camera(position=(1.0, 2.0, 3.0), look_at="/World/thing", count=2)
            prims = again.get_output_prims()["prims"]
            paths = [str(one.GetPath()) for one in prims]
            assert paths == [f"/Replicator/Camera_Xform_{number}/Camera" for number in ("01", "02")]
            below = UsdGeom.Camera(prims[1]).ComputeLocalToWorldTransform(0.0)
            np.testing.assert_allclose(below.TransformDir((0.0, 0.0, -1.0)), [0, 0, -1], atol=1e-6)
            turned = rep.create.camera(rotation=(90.0, 0.0, 0.0), name="Front", parent="/World")
            (prim,) = turned.get_output_prims()["prims"]
            assert str(prim.GetPath()) == "/World/Front_Xform/Camera"
            pose = UsdGeom.Camera(prim).ComputeLocalToWorldTransform(0.0)
            np.testing.assert_allclose(pose.TransformDir((0.0, 0.0, -1.0)), [0, 1, 0], atol=1e-6)

    def test_wrong_use(self) -> None:
        with use_stage(make_stage()):
            with pytest.raises(ValueError, match="rotation or look_at"):
                rep.create.camera(rotation=(0.0, 0.0, 0.0), look_at=(0.0, 0.0, 1.0))
            with pytest.raises(ValueError, match="no prim at '/World/none'"):
                rep.create.camera(look_at="/World/none")
            with pytest.raises(NotImplementedError, match="projection_type='fisheye_spherical'"):
                rep.create.camera(projection_type="fisheye_spherical")
        with pytest.raises(
            AttributeError, match=r"create has no 'cube' here: only cameras and their render products are made; define"
        ):
            _ = rep.create.cube
        with pytest.raises(
            AttributeError, match=r"core has no 'WriterRegistry' here: nothing draws by itself; make a Basic"
        ):
            _ = rep.WriterRegistry


class TestDebugDraw:
    def test_lines_and_points_until_they_are_cleared(self) -> None:
        draw = _debug_draw.acquire_debug_draw_interface()
        assert draw is _debug_draw.acquire_debug_draw_interface()
        color = [1.0, 1.0, 0.0, 1.0]
        draw.draw_lines([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]], [[0.0, 0.0, 1.0]] * 2, [color] * 2, [5.0, 6.0])
        draw.draw_lines_spline([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0]], color, 2.0, closed=True)
        draw.draw_points([[0.0, 0.0, 2.0]], [color], [4.0])
        assert (draw.get_num_lines(), draw.get_num_points()) == (5, 1)
        assert draw.lines[4][0].tolist() == [1.0, 1.0, 0.0] and draw.lines[4][1].tolist() == [0.0, 0.0, 0.0]
        with pytest.raises(ValueError, match="as many of each are needed: 1 points, 2 colors, 1 sizes"):
            draw.draw_points([[0.0, 0.0, 2.0]], [color] * 2, [4.0])
        with pytest.raises(ValueError, match=r"points have shape \(1, 2\)"):
            draw.draw_points([[0.0, 0.0]], [color], [4.0])
        draw.clear_lines()
        assert (draw.get_num_lines(), draw.get_num_points()) == (0, 1)
        _debug_draw.release_debug_draw_interface(draw)
        assert _debug_draw.acquire_debug_draw_interface().get_num_points() == 0


class TestPictures:
    def test_of_what_a_window_would_show(self, device: str) -> None:
        """Render products and annotators as environments of Isaac Lab use them for videos, on distances by geometry."""
        stage.new_stage()
        get_settings().set("/isaaclab/render/offscreen", True)
        try:
            sim = SimulationContext(SimulationCfg(device=device, dt=0.01))
            assert sim.render_mode == sim.RenderMode.PARTIAL_RENDERING
            cube = sim_utils.CuboidCfg(
                size=(1.0, 1.0, 1.0),
                collision_props=sim_utils.CollisionPropertiesCfg(),
                rigid_props=sim_utils.RigidBodyPropertiesCfg(kinematic_enabled=True),
            )
            cube.func("/World/cube", cube)
            sim.set_camera_view((0.0, 0.0, 5.0), (0.0, 0.0, 0.0))
            product = rep.create.render_product("/OmniverseKit_Persp", (32, 24))
            rgb = rep.AnnotatorRegistry.get_annotator("rgb", device="cpu")
            depth = rep.AnnotatorRegistry.get_annotator("distance_to_image_plane")
            with pytest.raises(RuntimeError, match="'rgb' is attached to no render product"):
                rgb.get_data()
            rgb.attach([product])
            assert rgb.get_data().size == 0  # nothing plays
            sim.reset()
            sim.render()
            picture = rgb.get_data()
            assert picture.shape == (24, 32, 4) and picture.dtype == np.uint8
            depth.attach([product])
            found = depth.get_data()
            assert found.shape == (24, 32) and found[12, 16] == pytest.approx(4.5, abs=1e-5)
            # 60 degrees across 32 pixels: the upper face, 4.5 m away, is 32 / (2 * 4.5 * tan(30 deg)) = 6.2 pixels wide
            assert (found[12] < 5.0).sum() == 6
            sim.set_camera_view((0.0, 0.0, 3.0), (0.0, 0.0, 0.0))
            assert depth.get_data()[12, 16] == pytest.approx(4.5, abs=1e-5)  # no frame has passed
            sim.render()
            assert depth.get_data()[12, 16] == pytest.approx(2.5, abs=1e-5)
            rep.vp_manager.destroy_hydra_textures("Replicator")
            product.destroy()
            assert not sim.stage.GetPrimAtPath(product.path)
            with pytest.raises(ValueError, match="there is no camera at '/World/cube'"):
                rep.create.render_product("/World/cube", (32, 24))
            with pytest.raises(ValueError, match="there is no annotator 'red'"):
                rep.AnnotatorRegistry.get_annotator("red").attach(
                    rep.create.render_product("/OmniverseKit_Persp", (8, 8))
                )
        finally:
            get_settings().set("/isaaclab/render/offscreen", False)
            SimulationContext.clear_instance()
            physics_events.clear()
