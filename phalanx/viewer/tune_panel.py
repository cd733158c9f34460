"""A tab with sliders for what can be tuned: gains of drives, gravity, friction and restitution."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from phalanx import components as c
from phalanx.models.actor_spec import DYNAMIC

if TYPE_CHECKING:
    from phalanx.viewer.steered import Steered
    from phalanx.world.handles.robot import Robot
    from phalanx.world.world import World

ALL = "All"


class TunePanel:
    """Gains and materials hold in the environments that are seen, gravity in all of them.

    Args:
        viewer: that it is part of.
        tabs: of its panel.
    """

    def __init__(self, viewer: Steered, tabs: Any) -> None:
        self._viewer, gui, world = viewer, viewer.server.gui, viewer.world
        self._robots: dict[str, Robot] = {name: r for name, r in world.robots.items() if r.num_dof}
        self._env = -1
        self._actors = {name: actor for name, actor in world.actors.items() if actor.num_shapes}
        names = tuple(self._robots)
        with tabs.add_tab("Tune"):
            self.gravity = gui.add_slider(
                "Gravity z (m/s²)", -30.0, 10.0, 0.01, float(np.clip(_gravity(world), -30, 10))
            )
            self.robot = gui.add_dropdown("Gains of", names or (ALL,), visible=len(names) > 1)
            self.joint = gui.add_dropdown("Joint", (ALL,), visible=bool(names))
            self.stiffness = gui.add_slider("Stiffness", 0.0, 100.0, 0.1, 0.0, visible=bool(names))
            self.damping = gui.add_slider("Damping", 0.0, 10.0, 0.01, 0.0, visible=bool(names))
            self.material = gui.add_dropdown("Material of", (ALL, *self._actors), visible=bool(self._actors))
            self.friction = gui.add_slider("Friction", 0.0, 2.0, 0.01, 0.5, visible=bool(self._actors))
            self.restitution = gui.add_slider("Restitution", 0.0, 1.0, 0.01, 0.0, visible=bool(self._actors))
        self.robot.on_update(lambda event: event.client and viewer.do(lambda _: self._offer_joints()))
        for widget in (self.joint, self.material):
            widget.on_update(lambda event: event.client and viewer.do(lambda _: self.show()))
        self._changes(self.gravity, self._set_gravity)
        for name in ("stiffness", "damping"):
            self._changes(getattr(self, name), lambda _, value, name=name: self._set_gain(name, value))
        for name in ("friction", "restitution"):
            self._changes(getattr(self, name), lambda _, value, name=name: self._set_material(name, value))
        self._offer_joints()

    def take(self, env: int) -> None:
        """Show what holds in an environment, once it is another; called where the world may be read."""
        if env != self._env:
            self.show()

    def show(self) -> None:
        """Move sliders to what holds in the first environment that is seen; called where the world may be read."""
        env = self._env = int(self._viewer.selection.envs()[0])
        if self._robots:
            robot, chosen = self._robots[self.robot.value], self._joints()
            for slider, field, unit in (
                (self.stiffness, "joint_stiffness", "N·m/rad"),
                (self.damping, "joint_damping", "N·m·s/rad"),
            ):
                gains = _host(getattr(robot, field)[env])
                most = float(gains.max(initial=0.0))
                value = float(gains[chosen].mean())
                least = 100.0 if field == "joint_stiffness" else 10.0
                slider.max = max(least, float(f"{3.0 * most:.2g}"))
                slider.step = slider.max / 1000.0
                slider.value = value
                slider.hint = unit
        for name in self._materials()[:1]:
            friction, _, restitution = _host(self._actors[name].material[env])[0]
            self.friction.value, self.restitution.value = min(float(friction), 2.0), float(restitution)

    def _offer_joints(self) -> None:
        if self._robots:
            self.joint.value = ALL  # before the names are offered: whoever chooses one at once keeps it
            self.joint.options = (ALL, *self._robots[self.robot.value].joint_names)
        self.show()

    def _joints(self) -> list[int]:
        robot = self._robots[self.robot.value]
        names = [*robot.joint_names]
        return [*range(len(names))] if self.joint.value == ALL else [names.index(self.joint.value)]

    def _materials(self) -> list[str]:
        return [*self._actors] if self.material.value == ALL else [self.material.value]

    def _changes(self, slider: Any, change: Callable[[World, float], object]) -> None:
        """Call ``change`` with the value that a slider had when someone moved it."""

        def moved(event: Any) -> None:
            if event.client:
                value = float(slider.value)
                self._viewer.do(lambda world: change(world, value))

        slider.on_update(moved)

    def _set_gravity(self, world: World, value: float) -> None:
        now = np.array(_host(world[c.Settings].gravity), float)
        now[:, 2] = value
        world[c.Settings].gravity = now
        for actor in world.actors.values():
            if actor.part.kind == DYNAMIC and actor.part.articulation.num_velocities:
                actor.wake_up()

    def _set_gain(self, name: str, value: float) -> None:
        robot, envs = self._robots[self.robot.value], self._viewer.selection.envs()
        gains = np.array(_host(getattr(robot, f"joint_{name}")[envs]))
        gains[:, self._joints()] = value
        robot.set_drive(**{name: gains}, env_ids=envs)

    def _set_material(self, name: str, value: float) -> None:
        envs = self._viewer.selection.envs()
        for actor in map(self._actors.__getitem__, self._materials()):
            if name == "restitution":
                actor.set_material(restitution=value, env_ids=envs)
            else:
                actor.set_material(static_friction=value, dynamic_friction=value, env_ids=envs)


def _gravity(world: World) -> float:
    return float(_host(world[c.Settings].gravity)[0, 2, 0])


def _host(value: Any) -> np.ndarray:
    return np.asarray(value.get() if hasattr(value, "get") else value)
