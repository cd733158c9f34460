"""The current stage of the process, and the modules by which scripts know it."""

from __future__ import annotations

import asyncio
import importlib
import logging
import threading
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("pxr", reason="usd-core is not installed (pip install 'phalanx[isaac]')")

from phalanx.facade import carb
from phalanx.facade import stage as stages
from phalanx.facade.carb.settings import Settings
from phalanx.facade.isaaclab.sim import utils
from phalanx.facade.isaacsim.core.utils import carb as carb_utils
from phalanx.facade.isaacsim.core.utils import stage as sim_stage
from phalanx.facade.omni import log, timeline, usd
from phalanx.facade.omni.kit import app
from phalanx.io.formats.usd.bindings import Sdf, Stage, Usd, UsdGeom, UsdUtils


@pytest.fixture(autouse=True)
def stage() -> Iterator[Stage]:
    """A new stage; afterwards the process is as if there had never been one."""
    yield utils.create_new_stage()
    utils.close_stage()
    stages._process.closed = False


def test_a_stage_is_there_when_asked_for():
    utils.close_stage()
    with pytest.raises(RuntimeError, match=r"create_new_stage\(\) or open_stage"):
        utils.get_current_stage()
    assert usd.get_context().get_stage() is None and usd.get_context().get_stage_id() == -1
    assert not utils.close_stage() and not usd.get_context().can_close_stage()
    stages._process.closed = False  # as in a new process
    stage = utils.get_current_stage()
    assert stage is utils.get_current_stage() and stage is usd.get_context().get_stage()
    assert UsdGeom.GetStageUpAxis(stage) == "Z" == utils.get_stage_up_axis()
    assert UsdGeom.GetStageMetersPerUnit(stage) == 1.0 == sim_stage.get_stage_units()
    assert [prim.GetPath() for prim in utils.traverse_stage()] == []
    assert not utils.is_stage_loading() and usd.get_context().is_new_stage()


def test_threads_can_use_other_stages(stage):
    other, third = utils.create_new_stage_in_memory(), utils.create_new_stage_in_memory()
    seen = []
    with utils.use_stage(other):
        assert utils.get_current_stage() is other and utils.is_current_stage_in_memory()
        assert usd.get_context().get_stage() is stage
        with pytest.raises(KeyError), utils.use_stage(third):
            assert utils.get_current_stage() is third
            raise KeyError
        assert utils.get_current_stage() is other
        thread = threading.Thread(target=lambda: seen.append(utils.get_current_stage()))
        thread.start()
        thread.join()
        utils.create_prim("/Here")
    assert seen == [stage] and utils.get_current_stage() is stage and not utils.is_current_stage_in_memory()
    assert other.GetPrimAtPath("/Here").IsValid() and not stage.GetPrimAtPath("/Here").IsValid()
    with utils.use_stage(other):
        utils.attach_stage_to_usd_context()
        assert not utils.is_current_stage_in_memory()
    assert utils.get_current_stage() is other
    with pytest.raises(TypeError, match="not str"), utils.use_stage("/World"):  # pyright: ignore[reportArgumentType]
        pass


def test_stages_have_a_number(stage):
    number = utils.get_current_stage_id()
    assert (
        number == utils.get_current_stage_id() == usd.get_context().get_stage_id() == sim_stage.get_current_stage_id()
    )
    cache = UsdUtils.StageCache.Get()
    assert cache.Find(Usd.StageCache.Id.FromLongInt(number)) == stage
    other = utils.create_new_stage_in_memory()
    assert not cache.Contains(stage) or utils.get_current_stage() is stage
    other_id = stages.stage_id(other)
    assert usd.get_context().attach_stage_with_callback(other_id) and utils.get_current_stage() == other
    assert not cache.Contains(stage), "a stage that is no longer current is kept alive"
    assert not usd.get_context().attach_stage_with_callback(10**6)


def test_saving_and_opening(stage, tmp_path, caplog):
    utils.create_prim("/World/Cube", "Cube", attributes={"size": 0.5})
    file = str(tmp_path / "new" / "scene.usda")
    assert utils.save_stage(file, save_and_reload_in_place=False) and utils.get_current_stage() is stage
    assert utils.save_stage(file) and utils.get_current_stage() is not stage
    opened = utils.get_current_stage()
    assert usd.get_context().get_stage_url() == file and not usd.get_context().is_new_stage()
    opened.GetPrimAtPath("/World/Cube").GetAttribute("size").Set(0.25)
    assert utils.open_stage(file), "opening again reads the file again"
    assert utils.get_current_stage().GetPrimAtPath("/World/Cube").GetAttribute("size").Get() == 0.5
    utils.get_current_stage().GetPrimAtPath("/World/Cube").GetAttribute("size").Set(0.75)
    assert utils.save_stage(file)
    assert Sdf.Layer.OpenAsAnonymous(file).GetAttributeAtPath("/World/Cube.size").default == 0.75

    for function in (utils.open_stage, utils.save_stage):
        with pytest.raises(ValueError, match=r"scene\.txt' is not supported: its name must end"):
            function("scene.txt")
    with caplog.at_level(logging.ERROR):
        assert not utils.open_stage(str(tmp_path / "missing.usda"))
    assert "missing.usda" in caplog.text and utils.get_current_stage().GetPrimAtPath("/World/Cube").IsValid()
    (tmp_path / "broken.usda").write_text("#usda 1.0\ndef {")
    assert not utils.open_stage(str(tmp_path / "broken.usda"))
    assert utils.save_stage(str(tmp_path / "broken.usda")) and utils.open_stage(str(tmp_path / "broken.usda"))


def test_references_still_hold_where_a_stage_is_saved(tmp_path):
    (tmp_path / "assets").mkdir()
    part = Usd.Stage.CreateNew(str(tmp_path / "assets" / "part.usda"))
    part.SetDefaultPrim(UsdGeom.Sphere.Define(part, "/Part").GetPrim())
    part.Save()
    utils.open_stage(_scene_with(tmp_path / "assets" / "scene.usda", "./part.usda"))
    assert utils.save_stage(str(tmp_path / "elsewhere" / "copy.usda"))
    stage = utils.get_current_stage()
    assert stage.GetPrimAtPath("/World/Part").GetTypeName() == "Sphere"
    assert utils.get_usd_references("/World/Part") == ["../assets/part.usda"]
    utils.export_prim_to_file(str(tmp_path / "one.usda"), "/World/Part", "/Alone")
    exported = Usd.Stage.Open(str(tmp_path / "one.usda"))
    assert exported.GetDefaultPrim().GetPath() == "/Alone" and exported.GetDefaultPrim().GetTypeName() == "Sphere"
    assert UsdGeom.GetStageUpAxis(exported) == UsdGeom.GetStageUpAxis(stage)
    utils.export_prim_to_file(tmp_path / "two.usda", "/World/Part")
    assert Usd.Stage.Open(str(tmp_path / "two.usda")).GetPrimAtPath("/World/Part").GetTypeName() == "Sphere"
    with pytest.raises(ValueError, match="'/World' has Part"):
        utils.export_prim_to_file(tmp_path / "three.usda", "/World/Parts")


def _scene_with(file, reference: str) -> str:
    scene = Usd.Stage.CreateNew(str(file))
    scene.DefinePrim("/World/Part").GetReferences().AddReference(reference)
    scene.Save()
    return str(file)


def test_clearing(stage):
    for name in ("Cube", "Cube_01", "Ball"):
        utils.create_prim(f"/World/{name}", "Sphere" if name == "Ball" else "Cube")
    utils.create_prim("/Keep")
    stage.GetPrimAtPath("/Keep").SetMetadata("no_delete", True)
    utils.clear_stage(lambda prim: prim.GetTypeName() == "Cube")
    assert [str(prim.GetPath()) for prim in utils.traverse_stage()] == ["/World", "/World/Ball", "/Keep"]
    sim_stage.clear_stage(lambda path: path.endswith("Ball"))
    assert not stage.GetPrimAtPath("/World/Ball").IsValid()
    with Usd.EditContext(stage, stage.GetSessionLayer()):
        utils.create_prim("/World/Only", "Cube")
    utils.clear_stage()
    assert [str(prim.GetPath()) for prim in utils.traverse_stage()] == ["/Keep"]


def test_names_of_isaac_sim(stage, tmp_path, capsys, caplog):
    asyncio.run(sim_stage.create_new_stage_async())
    assert sim_stage.get_current_stage() is not stage
    sim_stage.set_stage_units(0.01)
    sim_stage.set_stage_up_axis("y")
    assert (sim_stage.get_stage_units(), sim_stage.get_stage_up_axis()) == (0.01, "Y")
    with pytest.raises(ValueError, match='must be "y" or "z"'):
        sim_stage.set_stage_up_axis("x")
    with pytest.raises(ValueError, match="greater than zero"):
        sim_stage.set_stage_units(0.0)
    utils.create_prim("/World/Cube", "Cube")
    assert sim_stage.get_next_free_path("/World/Cube") == "/World/Cube_01"
    utils.create_prim("/World/Cube_01", "Cube")
    assert sim_stage.get_next_free_path("/World/Cube") == "/World/Cube_02"
    assert sim_stage.get_next_free_path("/World/Cube_01") == "/World/Cube_02"
    assert sim_stage.get_next_free_path("Ball", "/World") == "/World/Ball"
    sim_stage.print_stage_prim_paths()
    assert capsys.readouterr().out == "/World\n/World/Cube\n/World/Cube_01\n"
    file = str(tmp_path / "a.usda")
    assert sim_stage.save_stage(file) and asyncio.run(sim_stage.open_stage_async(file)) == (True, 0)
    assert not sim_stage.set_livesync_stage(file, True) and "no Nucleus server" in caplog.text
    told = []
    assert sim_stage.close_stage(lambda *answer: told.append(answer[0])) and told == [True]


def test_context(stage, tmp_path):
    context, told = usd.get_context(), []
    assert context.new_stage(lambda *answer: told.append(answer)) and told == [(True, "")]
    prim = utils.create_prim("/World/Cube", "Cube", translation=(1, 2, 3))
    assert usd.get_prim_at_path("/World/Cube") == prim and not usd.check_ancestral(prim)
    assert usd.get_world_transform_matrix(prim) == usd.get_local_transform_matrix(prim)
    assert usd.get_world_transform_matrix(prim).ExtractTranslation() == (1, 2, 3)
    here: Any = context.get_stage()
    assert usd.get_stage_next_free_path(here, "/Cube", True) == "/Cube"
    here.SetDefaultPrim(here.GetPrimAtPath("/World"))
    assert usd.get_stage_next_free_path(here, "/Cube", True) == "/World/Cube_01"
    assert usd.get_stage_next_free_path(here, "/World/Cube", True) == "/World/Cube_01"
    assert usd.get_stage_next_free_path(here, "/Cube", False) == "/Cube"
    assert context.save_as_stage(str(tmp_path / "a.usda")) and context.open_stage(str(tmp_path / "a.usda"))
    assert context.close_stage() and not context.close_stage()
    with pytest.raises(ValueError, match="no USD context 'second'"):
        usd.get_context("second")


def test_older_names_are_the_same_modules():
    for name in ("prims", "stage", "xforms", "semantics", "carb", "warp"):
        older = importlib.import_module(f"phalanx.facade.omni.isaac.core.utils.{name}")
        assert older is importlib.import_module(f"phalanx.facade.isaacsim.core.utils.{name}")


def test_settings():
    settings = Settings()
    settings.set("/physics/updateToUsd", True)
    settings.set_int("physics/threads", 8)
    settings.set("/app", {"window": {"width": 640, "title": "0.5"}, "list": (1, 2)})
    assert settings.get("/physics") == {"updateToUsd": True, "threads": 8}
    assert settings.get("/app/window/width") == 640 and settings.get("/app/list") == [1, 2]
    assert settings.get("/missing") is None and settings.get("/app/win") is None
    assert settings.get_as_bool("/physics/updateToUsd") and settings.get_as_int("/physics/threads") == 8
    assert settings.get_as_float("/app/window/title") == 0.5 and settings.get_as_string("/physics/threads") == "8"
    assert (settings.get_as_int("/missing"), settings.get_as_string("/missing")) == (0, "")
    settings.set_default("/physics/threads", 4)
    settings.set_default_int("/physics/steps", 2)
    assert settings.get("/physics/threads") == 8 and settings.get("/physics/steps") == 2
    settings.set("/physics", 1.0)
    assert settings.get("/physics") == 1.0 and settings.get("/physics/threads") is None
    settings.destroy_item("/app/window")
    assert settings.get("/app") == {"list": [1, 2]}
    with pytest.raises(TypeError, match=r"'/a' = .* not object"):
        settings.set("/a", object())
    with pytest.raises(ValueError, match="has no name"):
        settings.get("/")
    assert carb.settings.get_settings() is carb.settings.acquire_settings_interface()
    carb_utils.set_carb_setting(settings, "/b", 2)
    assert carb_utils.get_carb_setting(settings, "/b") == 2


def test_messages_and_states(caplog):
    app.get_app().start()  # another test may have closed it
    with caplog.at_level(logging.DEBUG):
        carb.log_verbose("a")
        carb.log_warn("100 %s")
        carb.log_error("c")
        log.warn("d", channel="x.y")
        log.fatal("e")
        app.get_app().update()
    found = [(r.name, r.levelname, r.getMessage()) for r in caplog.records if r.name.split(".")[0] in ("carb", "omni")]
    assert found == [
        ("carb", "DEBUG", "a"),
        ("carb", "WARNING", "100 %s"),
        ("carb", "ERROR", "c"),
        ("omni.x.y", "WARNING", "d"),
        ("omni", "CRITICAL", "e"),
    ]
    assert {record.filename for record in caplog.records if record.name == "carb"} == {"test_stage.py"}
    assert app.get_app() is app.get_app_interface() and app.get_app().is_running()
    line = timeline.Timeline()
    line.pause()
    assert line.is_stopped() and not line.is_playing()
    line.play()
    assert line.is_playing()
    line.pause()
    assert not line.is_playing() and not line.is_stopped()
    line.stop()
    assert line.is_stopped() and timeline.get_timeline_interface() is timeline.get_timeline_interface()
