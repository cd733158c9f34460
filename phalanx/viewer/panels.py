"""The viewer's panels: running and looking."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from phalanx.viewer.meshes import GEOMETRIES
from phalanx.viewer.scene import view_presets
from phalanx.viewer.selection import GRID, MODES, ONE, SOME, parse_envs

if TYPE_CHECKING:
    from phalanx.viewer.steered import Steered
    from phalanx.world.snapshots import Snapshot

REFRESH = 0.2
"""s between changes of texts."""

SPEEDS: dict[str, float | None] = {
    **{f"1/{2**k}": 2.0**-k for k in range(6, 0, -1)},
    **{f"{2**k}": 2.0**k for k in range(7)},
    "max": None,
}
"""Times real time."""

SHOWN, ALL = "Shown", "All"
NOTHING = "Nothing"


class RunPanel:
    """Play, pause, single steps, speed, reset, and which environments are seen."""

    def __init__(self, viewer: Steered, tabs: Any) -> None:
        self._viewer, gui = viewer, viewer.server.gui
        self._shown = 0.0
        with tabs.add_tab("Run"):
            self.status = gui.add_markdown("")
            self.play = gui.add_button(self._play_label())
            self.step = gui.add_button("Step")
            self.speed = gui.add_dropdown("Speed", tuple(SPEEDS), initial_value=speed_label(viewer.pace.speed))
            self.pace = gui.add_button_group("Pace", ("Slower", "Faster"))
            self.reset = gui.add_button("Reset")
            self.which = gui.add_dropdown("Reset which", (SHOWN, ALL), initial_value=ALL)
            count = viewer.world.num_envs
            many = count > 1
            self.mode = gui.add_dropdown("Environments", MODES, initial_value=ONE, visible=many)
            self.env = gui.add_slider("Environment", 0, max(1, count - 1), 1, 0, visible=many)
            self.count = gui.add_slider("How many", 1, max(2, count), 1, min(count, 16), visible=False)
            self.some = gui.add_text("Which", "0", visible=False)
            self.spacing = gui.add_number("Spacing (m)", viewer.selection.spacing, min=0.0, visible=False)
        self.play.on_click(lambda _: self.toggle())
        self.step.on_click(lambda _: self._then(viewer.pace.step))
        self.pace.on_click(
            lambda event: self._then(viewer.pace.slower if event.target.value == "Slower" else viewer.pace.faster)
        )
        self.speed.on_update(lambda event: event.client and self._set_speed())
        self.reset.on_click(lambda _: self._reset())
        for widget in (self.mode, self.env, self.count, self.some, self.spacing):
            widget.on_update(lambda event: event.client and self.select())
        self.show(None)

    def toggle(self) -> None:
        """Play if it waits, and pause if it plays."""
        self._then(self._viewer.pace.pause if self._viewer.pace.playing else self._viewer.pace.play)

    def select(self) -> None:
        """Show the environments that the widgets name."""
        viewer, chosen = self._viewer, self._viewer.selection
        if self.mode.value == SOME:
            try:
                chosen.some = parse_envs(self.some.value, viewer.world.num_envs)
            except ValueError as error:
                viewer.tell(str(error), "Which environments?")
        chosen.mode, chosen.env = self.mode.value, int(self.env.value)
        chosen.count, chosen.spacing = int(self.count.value), float(self.spacing.value)
        self.env.visible = self.mode.value != SOME
        self.count.visible = self.mode.value == GRID
        self.some.visible = self.mode.value == SOME
        self.spacing.visible = self.mode.value != ONE

    def show(self, snapshot: Snapshot | None) -> None:
        """Renew texts, a few times a second."""
        now = time.perf_counter()
        if snapshot is not None and now - self._shown < REFRESH:
            return
        self._shown = now
        viewer, world = self._viewer, self._viewer.world
        step, simulated = (world.step_count, world.time) if snapshot is None else (snapshot.step, snapshot.time)
        rate = viewer.steps_per_second
        lines = [
            f"**{'Playing' if viewer.pace.playing else 'Paused'}** · {simulated:.3f} s · step {step:,}",
            f"{rate:,.0f} steps/s · {rate * world.num_envs:,.0f} env-steps/s · {rate * world.dt:.2f} × real time",
            f"{world.num_envs:,} environments on {world.device}",
        ]
        text = "<br>".join(lines)
        if text != self.status.content:
            self.status.content = text
        self._labels()

    def _labels(self) -> None:
        label = self._play_label()
        if self.play.label != label:
            self.play.label = label
        speed = speed_label(self._viewer.pace.speed)
        if self.speed.value != speed:
            self.speed.value = speed

    def _play_label(self) -> str:
        return "Pause" if self._viewer.pace.playing else "Play"

    def _then(self, action: Any) -> None:
        action()
        self._labels()

    def _set_speed(self) -> None:
        self._viewer.pace.speed = SPEEDS[self.speed.value]

    def _reset(self) -> None:
        envs = None if self.which.value == ALL else self._viewer.selection.envs()
        self._viewer.do(lambda world: world.reset(envs))


class ViewPanel:
    """What of the environments is shown, and from where."""

    def __init__(self, viewer: Steered, tabs: Any) -> None:
        self._viewer, gui = viewer, viewer.server.gui
        self._presets = view_presets(viewer.center, viewer.radius)
        with tabs.add_tab("View"):
            self.views = gui.add_button_group("Look from", tuple(self._presets))
            self.follow = gui.add_dropdown("Follow", (NOTHING, *viewer.body_names), initial_value=NOTHING)
            self.geometry = gui.add_dropdown("Geometry", tuple(name.capitalize() for name in GEOMETRIES))
            self.ground = gui.add_checkbox("Ground", True, visible=bool(viewer.world.grounds))
            self.frames = gui.add_checkbox("Frames", False)
            self.points = gui.add_checkbox("Contact points", False)
            self.normals = gui.add_checkbox("Contact normals", False)
            self.forces = gui.add_checkbox("Contact forces", False)
            scale = 1000.0 * viewer.scene.force_scale
            self.force_scale = gui.add_number("Force scale (mm/N)", round(scale, 3), min=0.0)
            self.name = gui.add_text("Clicked body", "", disabled=True)
        self.views.on_click(lambda event: self.look(event.target.value, event.client))
        self.follow.on_update(lambda event: event.client and self._follow())
        self.geometry.on_update(lambda event: event.client and self._geometry())
        self.ground.on_update(lambda event: event.client and self._ground())
        for name in ("frames", "points", "normals", "forces"):
            getattr(self, name).on_update(lambda event: event.client and self._shown())
        self.force_scale.on_update(lambda event: event.client and self._shown())

    def look(self, preset: str, client: Any) -> None:
        """Move the camera of a client to a preset view."""
        position, target = self._presets[preset]
        count = len(self._viewer.selection.envs())
        far = 1.0 + 0.6 * (count**0.5 - 1.0) * self._viewer.selection.spacing / max(self._viewer.radius, 1e-6) / 2.4
        with client.atomic():
            client.camera.position = target + far * (position - target)
            client.camera.look_at = target

    def picked(self, body: str, env: int) -> None:
        """Say which body someone clicked on."""
        self.name.value = f"{body} in environment {env}"

    def _follow(self) -> None:
        self._viewer.follow(None if self.follow.value == NOTHING else self.follow.value)

    def _geometry(self) -> None:
        self._viewer.scene.set_geometry(self.geometry.value.lower())

    def _ground(self) -> None:
        self._viewer.scene.ground_visible = self.ground.value

    def _shown(self) -> None:
        names = ("frames", "points", "normals", "forces")
        self._viewer.scene.shown = {name for name in names if getattr(self, name).value}
        self._viewer.scene.force_scale = float(self.force_scale.value) / 1000.0
        self._viewer.scene.again()


def speed_label(speed: float | None) -> str:
    """The nearest of :data:`SPEEDS`."""
    if speed is None:
        return "max"
    return min((abs(value - speed), name) for name, value in SPEEDS.items() if value is not None)[1]
