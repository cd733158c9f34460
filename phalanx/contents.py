"""What is in a world: grounds, robots, rows and systems of the user's own, and how all of it is built."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from phalanx import checking
from phalanx import components as c
from phalanx.actor import Actor
from phalanx.ecs import Schedule, Store, System, Table
from phalanx.io.articulation import flatten
from phalanx.io.model import RobotModel
from phalanx.layout import fill
from phalanx.part import DEFAULT_FRICTION, Ground, Material, Part
from phalanx.robot import Robot
from phalanx.systems import systems

if TYPE_CHECKING:
    from phalanx.world import World


class Contents:
    """The part of a world that says what is in it."""

    num_envs: int
    dt: float
    substeps: int
    gravity: tuple[float, ...]
    _settings: dict[str, Any]
    _store: Store

    def __init__(self, schedule: Schedule) -> None:
        self.schedule = schedule
        self.robots: dict[str, Robot] = {}
        self.actors: dict[str, Actor] = {}
        """Everything with a pose of its own, by name, in the order in which it was added."""
        self.built = False
        self.input_revision = 0
        self.state_revision = 0
        self._grounds: list[Ground] = []
        self._placements: list[dict[str, Any]] = []
        self._tables: dict[Table, int] = {}
        self._extra_systems: list[System] = []

    def add_ground(
        self,
        height: float = 0.0,
        normal: Sequence[float] = (0.0, 0.0, 1.0),
        *,
        friction: float | None = None,
        static_friction: float = DEFAULT_FRICTION,
        dynamic_friction: float = DEFAULT_FRICTION,
        restitution: float = 0.0,
    ) -> None:
        """Add a static plane in every environment, through (0, 0, height); ``friction`` sets both coefficients.

        Of a vertical plane, ``height`` is the distance from the origin along the normal. Coefficients of the two
        surfaces in contact are averaged.
        """
        self._not_built("add_ground")
        if friction is not None:
            static_friction = dynamic_friction = friction
        values = (height, static_friction, dynamic_friction, restitution, *normal)
        if not all(map(math.isfinite, values)) or not any(normal) or len(normal) != 3:
            raise ValueError("add_ground: height, friction, restitution and a non-zero normal of 3 must be finite")
        if min(static_friction, dynamic_friction, restitution) < 0 or dynamic_friction > static_friction:
            raise ValueError("add_ground: coefficients must not be negative, nor dynamic friction above static")
        x, y, z = map(float, normal)
        material = Material(static_friction, dynamic_friction, restitution)
        self._grounds.append(Ground(float(height), (x, y, z), material))

    def add_robot(
        self,
        source: str | os.PathLike[str] | RobotModel,
        name: str = "robot",
        fixed_base: bool | None = None,
        position: Sequence[float] | None = None,
        orientation: Sequence[float] = (1.0, 0.0, 0.0, 0.0),
        *,
        joint_pos: dict[str, float] | Sequence[float] | None = None,
        friction: float | None = None,
        static_friction: float = DEFAULT_FRICTION,
        dynamic_friction: float = DEFAULT_FRICTION,
        restitution: float = 0.0,
        visuals: bool = False,
    ) -> Robot:
        """Add a robot to every environment.

        Args:
            source: a URDF file, the name of a robot that ships with the package, or a model.
            name: unique in the world.
            fixed_base: whether the root cannot move; ``None``: no, or as a shipped robot prefers.
            position, orientation: initial pose of the root link's frame (orientation w x y z, normalised for you);
                a shipped robot without a position stands on z = 0.
            joint_pos: initial joint positions by name or in order; 0, or the limit nearest to it, or the nominal pose
                of a shipped robot, by default.
            friction: both friction coefficients of all of its shapes.
            visuals: also load the visual meshes, for pictures.

        Raises:
            LoadError: the file cannot be used.
        """
        self._not_built("add_robot")
        if name in self.robots or not name:
            raise ValueError(f"add_robot: there is already a robot named {name!r}; pass another name=")
        model, shipped = _load(source, visuals)
        if fixed_base is None:
            fixed_base = bool(shipped and shipped.fixed_base)
        if position is None:
            position = (0.0, 0.0, shipped.base_height if shipped else 0.0)
        if joint_pos is None and shipped is not None:
            joint_pos = dict(shipped.joint_pos)
        if friction is not None:
            static_friction = dynamic_friction = friction
        if min(static_friction, dynamic_friction, restitution) < 0 or dynamic_friction > static_friction:
            raise ValueError("add_robot: coefficients must not be negative, nor dynamic friction above static")
        pose = checking.pose("add_robot", position, orientation)
        articulation = flatten(model, fixed_base)
        part = Part(articulation, Material(static_friction, dynamic_friction, restitution))
        robot = Robot(cast("World", self), name, model, part, pose, joint_pos)
        self.robots[name] = self.actors[name] = robot
        self._placements.append(
            {
                "name": name,
                "fixed_base": fixed_base,
                "pose": pose.tolist(),
                "joint_pos": robot.default_joint_pos.tolist(),
                "static_friction": static_friction,
                "dynamic_friction": dynamic_friction,
                "restitution": restitution,
                "model": model.to_dict(),
            }
        )
        return robot

    def add_rows(self, table: Table, count: int) -> None:
        """Give a table of your own its number of rows per environment."""
        self._not_built("add_rows")
        self._tables[table] = count

    def add_system(self, system: System) -> None:
        """Add a system of your own to the schedule, in the phase that it names."""
        self._not_built("add_system")
        self.schedule.add(system)
        self._extra_systems.append(system)

    def build(self) -> World:
        """Allocate and initialise everything; done by the first step if you do not."""
        world = cast("World", self)
        if self.built:
            return world
        if not self.robots and not self._extra_systems:
            raise ValueError("this world is empty: call add_robot() before build() or step()")
        store = self._store
        for table, count in self._tables.items():
            store.set_rows(table, count)
        actors = list(self.actors.values())
        ranges = fill(store, [actor.part for actor in actors], self._grounds, self._settings["max_contacts"])
        settings = store[c.Settings]
        settings.timestep = [[self.dt / self.substeps]]
        settings.gravity = np.array(self.gravity)[None, :, None]
        for name in ("position_iterations", "velocity_iterations"):
            setattr(settings, name, [[self._settings[name]]])
        for name in ("contact_offset", "max_depenetration_velocity", "bounce_threshold"):
            setattr(settings, name, [[self._settings[name]]])
        for system in systems(contacts=store.rows(c.PlanePoint) > 0):
            self.schedule.add(system)
        self.schedule.systems()  # refuses clashes now, not at the first step
        for system in self.schedule.systems():
            for access in system.field_arguments.values():
                store.array(access.target)
        self.built = True
        for actor, rows in zip(actors, ranges, strict=True):
            actor.bind(rows)
        world._write_defaults(None)
        self.input_revision = self.state_revision = 0
        return world

    def _not_built(self, what: str) -> None:
        if self.built:
            raise RuntimeError(f"{what}() must come before build() and the first step()")


def _load(source: Any, visuals: bool) -> tuple[RobotModel, Any]:
    if isinstance(source, RobotModel):
        return source, None
    from phalanx.io import library
    from phalanx.io.urdf import load_urdf

    path = library.resolve(source)
    shipped = library.defaults(str(source)) if str(source) in library.names() else None
    return load_urdf(path, visuals=visuals), shipped
