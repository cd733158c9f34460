"""Windows that nobody sees: what is put in them is there, and what widgets are told can be read back."""

from __future__ import annotations

import subprocess
import sys

import pytest

from phalanx.facade import wheel
from phalanx.facade.omni import ui


def test_containers_hold_what_is_made_in_them() -> None:
    window = ui.Window("Instruction", width=400, height=500, dock_preference=ui.DockPreference.RIGHT_TOP)
    with window.frame:
        stack = ui.VStack(spacing=5, height=0)
    with stack:
        label = ui.Label("Recorded 0", word_wrap=True)
        with ui.HStack():
            button = ui.Button("Reset", width=ui.Fraction(2))
        field = ui.StringField()
    assert window.frame.children == [stack] and stack.children[0] is label and stack.children[2] is field
    assert stack.children[1].children == [button]  # type: ignore[attr-defined]
    assert (stack.spacing, label.word_wrap, float(button.width)) == (5, True, 2.0)  # type: ignore[attr-defined]
    label.text = "Recorded 1"
    assert stack.children[0].text == "Recorded 1" and window.visible  # type: ignore[attr-defined]
    outside = ui.Label("outside")
    assert outside not in stack.children
    with stack:
        other = ui.Window("Other")
    assert len(stack.children) == 3 and other.frame.children == []
    with window.frame:  # a frame holds one widget
        ui.Label("instead")
    assert [one.text for one in window.frame.children] == ["instead"]  # type: ignore[attr-defined]
    assert stack.children == []
    for one in (window, other):
        one.destroy()


def test_a_block_that_fails_is_closed() -> None:
    stack = ui.VStack()
    with pytest.raises(ZeroDivisionError), stack:
        raise ZeroDivisionError
    ui.Label("after")
    assert stack.children == []


def test_windows_are_found_by_title() -> None:
    seen: list[bool] = []
    window = ui.Window("One", visibility_changed_fn=seen.append)
    assert ui.Workspace.get_window("One") is window and ui.Workspace.get_window("Property") is None
    assert window in ui.Workspace.get_windows()
    assert ui.Workspace.show_window("One", False) and not window.visible and not ui.Workspace.show_window("Two")
    window.visible = False
    assert seen == [False]
    window.dock_in(ui.Window("Two"), ui.DockPosition.SAME, 1.0)
    window.focus()
    assert window.docked and window.focused
    for title in ("One", "Two"):
        found = ui.Workspace.get_window(title)
        assert found is not None
        found.destroy()
    assert ui.Workspace.get_window("One") is None


def test_buttons_are_clicked_by_scripts() -> None:
    clicked: list[str] = []
    button = ui.Button("Go", clicked_fn=lambda: clicked.append("go"))
    button.call_clicked_fn()
    button.set_clicked_fn(lambda: clicked.append("else"))
    button.call_clicked_fn()
    assert clicked == ["go", "else"] and button.has_clicked_fn()
    button.destroy()
    button.call_clicked_fn()
    assert len(clicked) == 2 and not button.has_clicked_fn()


@pytest.mark.parametrize(
    ("field", "given", "kept"),
    [
        (ui.CheckBox, 3, True),
        (ui.IntField, 2.7, 2),
        (ui.FloatDrag, 2, 2.0),
        (ui.StringField, 5, "5"),
    ],
)
def test_fields_keep_values_and_tell_of_changes(field: type, given: object, kept: object) -> None:
    heard: list[object] = []
    model = field().model
    number = model.add_value_changed_fn(lambda m: heard.append(m.get_value_as_string()))
    model.set_value(given)
    model.set_value(given)  # no change
    assert heard == [str(kept)] and model._value == kept and type(model._value) is type(kept)
    assert (model.as_bool, model.as_string) == (bool(kept), str(kept))
    assert model.as_float == pytest.approx(float(kept))  # type: ignore[arg-type]
    model.remove_value_changed_fn(number)
    model.set_value(0)
    assert len(heard) == 1
    assert field(model).model is model


def test_text_that_is_no_number_is_zero() -> None:
    assert ui.SimpleStringModel("seven").as_float == 0.0 and ui.SimpleStringModel("7").as_int == 7


def test_frames_are_filled_when_they_are_told() -> None:
    built: list[int] = []

    def build() -> None:
        built.append(len(built))
        ui.Label(f"{len(built)}")

    frame = ui.ScrollingFrame(build_fn=build)
    assert built == [] and frame.children == []
    frame.rebuild()
    frame.rebuild()
    assert [one.text for one in frame.children] == ["2"]  # type: ignore[attr-defined]


def test_what_is_not_there_says_so() -> None:
    with pytest.raises(AttributeError, match=r"omni.ui has no 'Plot' here: windows, frames, .* nothing is drawn"):
        _ = ui.Plot  # type: ignore[attr-defined]


WINDOW = """
from phalanx import facade

facade.install()
from isaaclab.app import AppLauncher

app = AppLauncher(headless=True).app
import omni.ui as ui
from isaaclab.envs.ui import EmptyWindow
from isaaclab.sim import SimulationContext
from isaaclab_mimic.ui.instruction_display import InstructionDisplay

class Env:
    sim = SimulationContext()

window, shown = EmptyWindow(Env(), "Instruction"), InstructionDisplay(False)
with window.ui_window_elements["main_vstack"]:
    demo, task = ui.Label("Recorded 0"), ui.Label("")
shown.set_labels(task, demo)
shown.show_demo("Recorded 1")
shown.show_subtask("Lift")
for _ in range(10):
    app.update()
print([one.text for one in window.ui_window.frame.children[0].children])
found = ui.Workspace.get_window("Instruction") is window.ui_window
del window
print(found, ui.Workspace.get_window("Instruction"))
"""


def test_the_window_of_isaac_labs_recording_of_demonstrations() -> None:
    """Isaac Lab's own window and display, unmodified, as ``scripts/tools/record_demos.py`` uses them."""
    if wheel.source() is None:
        pytest.skip("Isaac Lab's wheel is not installed: make isaaclab")
    for package, extra in (("torch", "torch"), ("gymnasium", "isaaclab"), ("pxr", "isaac")):
        pytest.importorskip(package, reason=f"{package} is not installed: extra {extra}")
    done = subprocess.run([sys.executable, "-c", WINDOW], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.splitlines()[-2:] == ["['Recorded 1', 'Lift']", "True None"]
