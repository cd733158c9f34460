"""The viewer's panels: running and looking."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from phalanx.viewer.meshes import GEOMETRIES
from phalanx.viewer.scene import fitted
from phalanx.viewer.selection import GRID, MODES, ONE, SOME, parse_envs

if TYPE_CHECKING:
    from phalanx.viewer.drawings import Drawings
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


class EnvironmentWidgets:
    """Which environments are seen."""

    def __init__(self, viewer: Steered) -> None:
        self._viewer, gui, count = viewer, viewer.server.gui, viewer.num_envs
        many = count > 1
        self.mode = gui.add_dropdown("Environments", MODES, initial_value=ONE, visible=many)
        self.env = gui.add_slider("Environment", 0, max(1, count - 1), 1, 0, visible=many)
        self.count = gui.add_slider("How many", 1, max(2, count), 1, min(count, 16), visible=False)
        self.some = gui.add_text("Which", "0", visible=False)
        self.spacing = gui.add_number("Spacing (m)", viewer.selection.spacing, min=0.0, visible=False)
        for widget in (self.mode, self.env, self.count, self.some, self.spacing):
            widget.on_update(lambda event: event.client and self._select())
        self._said = self._chosen()

    def renew(self) -> None:
        """Let widgets say what is chosen, if a program has chosen something else since they did."""
        if self._said == self._chosen():
            return
        chosen = self._viewer.selection
        if not self._says(chosen.some):
            self.some.value = ", ".join(map(str, chosen.some))
        self.spacing.value = chosen.spacing
        self.show()

    def _chosen(self) -> tuple[Any, ...]:
        chosen = self._viewer.selection
        return chosen.mode, chosen.env, chosen.count, chosen.some, chosen.spacing

    def _select(self) -> None:
        viewer, chosen = self._viewer, self._viewer.selection
        if self.mode.value == SOME:
            try:
                chosen.some = parse_envs(self.some.value, viewer.num_envs)
            except ValueError as error:
                viewer.tell(str(error), "Which environments?")
        chosen.mode, chosen.env = self.mode.value, int(self.env.value)
        chosen.count, chosen.spacing = int(self.count.value), float(self.spacing.value)
        self.show()

    def show(self) -> None:
        """Let widgets say what is chosen."""
        chosen, self._said = self._viewer.selection, self._chosen()
        self.mode.value, self.env.value, self.count.value = chosen.mode, chosen.env, chosen.count
        self.env.visible = chosen.mode != SOME and self._viewer.num_envs > 1
        self.count.visible = chosen.mode == GRID
        self.some.visible = chosen.mode == SOME
        self.spacing.visible = chosen.mode != ONE

    def _says(self, some: tuple[int, ...]) -> bool:
        """Whether the text names these environments, in whatever way its user wrote them."""
        try:
            return parse_envs(self.some.value, self._viewer.num_envs) == tuple(some)
        except ValueError:
            return False


class PaceWidgets:
    """Play, pause, single steps and speed."""

    def __init__(self, viewer: Steered, step: Callable[[], object]) -> None:
        self._pace, gui = viewer.pace, viewer.server.gui
        self.play = gui.add_button(self._label())
        self.step = gui.add_button("Step")
        self.speed = gui.add_dropdown("Speed", tuple(SPEEDS), initial_value=speed_label(self._pace.speed))
        self.change = gui.add_button_group("Pace", ("Slower", "Faster"))
        self.play.on_click(lambda _: self._then(self._pace.pause if self._pace.playing else self._pace.play))
        self.step.on_click(lambda _: self._then(step))
        changes = {"Slower": self._pace.slower, "Faster": self._pace.faster}
        self.change.on_click(lambda event: self._then(changes[event.target.value]))
        self.speed.on_update(lambda event: event.client and self._set_speed())

    def show(self) -> None:
        """Let widgets say what holds."""
        if self.play.label != self._label():
            self.play.label = self._label()
        self.speed.value = speed_label(self._pace.speed)

    def _label(self) -> str:
        return "Pause" if self._pace.playing else "Play"

    def _then(self, action: Callable[[], object]) -> None:
        action()
        self.show()

    def _set_speed(self) -> None:
        self._pace.speed = SPEEDS[self.speed.value]


class RunPanel:
    """Play, pause, single steps, speed, reset, and which environments are seen."""

    def __init__(self, viewer: Steered, tabs: Any) -> None:
        self._viewer, gui = viewer, viewer.server.gui
        self._shown = 0.0
        with tabs.add_tab("Run"):
            self.status = gui.add_markdown("")
            self.pace = PaceWidgets(viewer, viewer.pace.step)
            self.reset = gui.add_button("Reset")
            self.which = gui.add_dropdown("Reset which", (SHOWN, ALL), initial_value=ALL)
            self.envs = EnvironmentWidgets(viewer)
        self.reset.on_click(lambda _: self._reset())

    def show(self, snapshot: Snapshot, steps_per_second: float) -> None:
        """Renew texts, a few times a second."""
        now = time.perf_counter()
        if now - self._shown < REFRESH:
            return
        self._shown = now
        world, rate = self._viewer.world, steps_per_second
        state = "Playing" if self._viewer.pace.playing else "Paused"
        lines = [
            f"**{state}** · {snapshot.time:.3f} s · step {snapshot.step:,}",
            f"{rate:,.0f} steps/s · {rate * world.num_envs:,.0f} env-steps/s · {rate * world.dt:.2f} × real time",
            f"{world.num_envs:,} environment{'s' if world.num_envs > 1 else ''} on {world.device}",
        ]
        text = "<br>".join(lines)
        if text != self.status.content:
            self.status.content = text
        self.pace.show()
        self.envs.renew()

    def _reset(self) -> None:
        envs = None if self.which.value == ALL else self._viewer.selection.envs()
        self._viewer.do(lambda world: world.reset(envs))


class ViewPanel:
    """What of the environments is shown, and from where."""

    def __init__(self, viewer: Steered, tabs: Any, contacts: bool = True) -> None:
        self._viewer, gui = viewer, viewer.server.gui
        self._tab = tabs.add_tab("View")
        self.drawings: dict[str, Any] = {}
        with self._tab:
            self.views = gui.add_button_group("Look from", tuple(viewer.views()))
            self.follow = gui.add_dropdown("Follow", (NOTHING, *viewer.body_names), initial_value=NOTHING)
            self.geometry = gui.add_dropdown("Geometry", tuple(name.capitalize() for name in GEOMETRIES))
            self.ground = gui.add_checkbox("Ground", True, visible=bool(viewer.world.grounds))
            self.names = gui.add_checkbox("Names", True, hint="of what the pointer is over")
            self.frames = gui.add_checkbox("Frames", False)
            self.points = gui.add_checkbox("Contact points", False, visible=contacts)
            self.normals = gui.add_checkbox("Contact normals", False, visible=contacts)
            self.forces = gui.add_checkbox("Contact forces", False, visible=contacts)
            scale = 1000.0 * viewer.scene.force_scale
            self.force_scale = gui.add_number("Force scale (mm/N)", float(f"{scale:.3g}"), min=0.0, visible=contacts)
            self.name = gui.add_text("Clicked body", "", disabled=True)
        self.views.on_click(lambda event: self.look(event.target.value, event.client))
        self.follow.on_update(lambda event: event.client and self._follow())
        self.geometry.on_update(lambda event: event.client and self._geometry())
        self.ground.on_update(lambda event: event.client and self._ground())
        self.names.on_update(lambda _: viewer.show_names(self.names.value))
        for name in ("frames", "points", "normals", "forces"):
            getattr(self, name).on_update(lambda event: event.client and self._shown())
        self.force_scale.on_update(lambda event: event.client and self._shown())

    def add_drawing(self, name: str, drawings: Drawings, shown: bool = True) -> None:
        """A box that hides something that is drawn."""
        if name in self.drawings:
            return
        if not shown:
            drawings.hidden.add(name)
        with self._tab:
            box = self.drawings[name] = self._viewer.server.gui.add_checkbox(name, shown)
        box.on_update(lambda _: (drawings.hidden.discard if box.value else drawings.hidden.add)(name))

    def look(self, preset: str, client: Any) -> None:
        """Move the camera of a client to a preset view, as its window has room for."""
        position, target = self._viewer.views()[preset]
        camera = client.camera
        size = camera.image_width, camera.image_height
        window = self._viewer.hover.widths.get(client.client_id)
        position, target = fitted(position, target, camera.fov, *size, window)
        with client.atomic():
            camera.position = position
            camera.look_at = target

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
