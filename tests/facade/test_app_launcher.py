"""Starting the application: arguments, what is told, closing, Ctrl-C, and the timeline."""

from __future__ import annotations

import argparse
import logging
import os
import signal
from collections.abc import Iterator

import pytest

from phalanx.facade import physics_events, stage
from phalanx.facade.carb.settings import get_settings
from phalanx.facade.isaaclab.app import AppLauncher, app_launcher
from phalanx.facade.isaaclab.sim import SimulationCfg, SimulationContext
from phalanx.facade.isaacsim import SimulationApp
from phalanx.facade.omni.kit.app import get_app
from phalanx.facade.omni.timeline import get_timeline_interface


@pytest.fixture(autouse=True)
def clean() -> Iterator[None]:
    log = logging.getLogger("phalanx.facade")
    level, handlers = log.level, logging.getLogger().handlers[:]
    yield
    SimulationApp().close()
    log.setLevel(level)
    logging.getLogger().handlers[:] = handlers
    physics_events.clear()


def parse(*words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--num_envs", type=int, default=2)
    AppLauncher.add_app_launcher_args(parser)
    return parser.parse_args(words)


def test_arguments_are_those_of_isaac_lab() -> None:
    assert vars(parse()) == {
        "num_envs": 2,
        "headless": False,
        "enable_cameras": False,
        "xr": False,
        "verbose": False,
        "info": False,
        "anim_recording_enabled": False,
        "livestream": -1,
        "device": "cuda:0",
        "experience": "",
        "rendering_mode": None,
        "kit_args": "",
        "anim_recording_start_time": 0.0,
        "anim_recording_stop_time": 10.0,
    }
    parser = argparse.ArgumentParser()
    parser.add_argument("--device")
    with pytest.raises(ValueError, match="already has device"):
        AppLauncher.add_app_launcher_args(parser)


def test_what_has_no_meaning_is_told_in_one_line(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "phalanx.facade"):
        AppLauncher(parse("--headless", "--device", "cpu"))
        assert not caplog.records
        AppLauncher(
            parse("--device", "cpu", "--enable_cameras", "--xr", "--livestream", "2", "--rendering_mode", "quality")
        )
    (told,) = caplog.messages
    assert all(words in told for words in ("xr=True", "livestream=2", "rendering_mode='quality'"))
    caplog.clear()
    with caplog.at_level(logging.INFO, "phalanx.facade"):
        SimulationApp({"headless": False, "width": 1280})
    (told,) = caplog.messages
    assert told.endswith("headless=False, width")


def test_it_runs_until_it_is_closed(device: str) -> None:
    launcher = AppLauncher(headless=True)
    app = launcher.app
    assert app.is_running() and get_app().is_running() and not app.is_exiting()
    app.update()
    stage.new_stage()
    SimulationContext(SimulationCfg(device=device))
    app.close()
    app.close()
    assert not app.is_running() and app.is_exiting() and not get_app().is_running()
    assert SimulationContext.instance() is None
    assert AppLauncher({"headless": True}).app.is_running(), "another one"


def test_control_c_ends_it() -> None:
    before = signal.getsignal(signal.SIGINT)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        app = SimulationApp()
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
        assert not app.is_running() and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)


def test_devices(monkeypatch: pytest.MonkeyPatch) -> None:
    assert AppLauncher({"device": "cuda:3"}).device_id == 3
    assert AppLauncher({"device": "cpu"}).device_id == 0
    monkeypatch.setenv("LOCAL_RANK", "1")
    monkeypatch.setenv("RANK", "5")
    monkeypatch.setattr(app_launcher, "cuda_available", lambda: True)
    arguments = parse()
    assert AppLauncher(arguments).local_rank == 0 and arguments.device == "cuda:0"
    launcher = AppLauncher(arguments, distributed=True)
    assert (launcher.local_rank, launcher.global_rank, launcher.device_id, arguments.device) == (1, 5, 1, "cuda:1")
    with pytest.raises(ValueError, match="device='gpu'"):
        AppLauncher(device="gpu")
    with pytest.raises(ValueError, match="both in launcher_args and by keyword: device"):
        AppLauncher(arguments, device="cpu")


def test_without_a_gpu_scripts_are_handed_the_cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app_launcher, "cuda_available", lambda: False)
    arguments = parse()
    assert AppLauncher(arguments).device_id == 0 and arguments.device == "cpu"


def test_the_timeline_is_the_simulations(device: str) -> None:
    timeline = get_timeline_interface()
    timeline.stop()
    timeline.play()
    assert timeline.is_playing(), "without a simulation it is what scripts say"
    stage.new_stage()
    sim = SimulationContext(SimulationCfg(device=device))
    assert timeline.is_stopped() and not timeline.is_playing()
    sim.reset()
    assert timeline.is_playing()
    timeline.pause()
    assert not sim.is_playing() and not sim.is_stopped() and not timeline.is_stopped()
    timeline.play()
    assert sim.is_playing()
    timeline.stop()
    assert sim.is_stopped() and timeline.is_stopped()


def test_cameras_are_enabled_by_argument_or_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    def offscreen() -> object:
        return get_settings().get("/isaaclab/render/offscreen")

    AppLauncher(headless=True, enable_cameras=True)
    assert offscreen() is True
    AppLauncher(headless=True)
    assert offscreen() is False
    monkeypatch.setenv("ENABLE_CAMERAS", "1")
    AppLauncher(headless=True)
    assert offscreen() is True
    monkeypatch.setenv("ENABLE_CAMERAS", "yes")
    with pytest.raises(ValueError, match="ENABLE_CAMERAS='yes' must be 0 or 1"):
        AppLauncher(headless=True)
    get_settings().set("/isaaclab/render/offscreen", False)
