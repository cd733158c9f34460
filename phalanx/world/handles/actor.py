"""What robots and rigid objects have in common: the user's handle on an actor's rows in the engine's tables."""

from __future__ import annotations

from typing import Any

import numpy as np

from phalanx import components as c
from phalanx.models.actor_spec import Part
from phalanx.models.robot_model import RobotModel
from phalanx.world.engine.engine import Engine
from phalanx.world.engine.optional_systems import MOVING_SURFACES, need
from phalanx.world.handle import on_device
from phalanx.world.handles.live import Live
from phalanx.world.handles.sleeping import Sleeping
from phalanx.world.layout.fill import Rows
from phalanx.world.options import ITERATIONS, iterations


class Actor(Sleeping):
    """A robot or a rigid object in every environment.

    Arrays are environment-first, on the world's device (NumPy or CuPy), and yours: they do not change when the world
    steps.
    """

    KIND = "actor"

    def __init__(self, engine: Engine, name: str, model: RobotModel, part: Part, pose: np.ndarray) -> None:
        super().__init__(engine, name)
        self.model, self.part = model, part
        self.body_names = [frame.name for frame in part.articulation.frames]
        self.fixed_base = part.articulation.fixed_base
        self.num_bodies = len(self.body_names)
        self.num_velocities = part.articulation.num_velocities
        self.default_root_pose = pose
        self.num_shapes = len(part.articulation.collisions)
        self.shape_bodies = [self.body_names[shape.body] for shape in part.articulation.collisions]
        """The body that each collision shape belongs to."""
        self._rows: Rows | None = None
        self._iterations = {name: getattr(part, name) for name in ITERATIONS}

    def body_index(self, name: str) -> int:
        """Position of a body in :attr:`body_names`."""
        if name not in self.body_names:
            raise KeyError(f"{self} has no body {name!r}; it has {', '.join(self.body_names)}")
        return self.body_names.index(name)

    def bind(self, rows: Rows) -> None:
        """Called by the world once its tables are filled."""
        self._rows = rows

    @property
    def solver_iterations(self) -> tuple[int | None, int | None]:
        """Position and velocity iterations that it asks for; ``None``: what the world has."""
        position, velocity = (self._iterations[name] for name in ITERATIONS)
        return position, velocity

    def set_solver_iterations(self, position: int | None = None, velocity: int | None = None) -> None:
        """Ask for numbers of position and velocity iterations, at any time; what is not given stays.

        The world runs the greatest of all numbers asked for, its own included, for everything and in all environments:
        :attr:`phalanx.World.solver_iterations`.
        """
        asked = {
            name: iterations(str(self), name, value)
            for name, value in zip(ITERATIONS, (position, velocity), strict=True)
            if value is not None
        }
        self._iterations.update(asked)
        self.world.share_iterations(self.name, asked)

    @property
    def live(self) -> Live:
        """Its state and inputs as the engine's own memory, to read and write without copies."""
        return Live(self)

    def write_defaults(self, envs: np.ndarray | None) -> None:
        """Default pose; called by the world's reset."""
        count = self.engine.num_envs if envs is None else len(envs)
        self._write(c.Coordinate.value, self._root_coords, np.broadcast_to(self.default_root_pose, (count, 7)), envs)

    @property
    def _bound(self) -> Rows:
        if self._rows is None:
            self.engine.build()
            assert self._rows is not None
        return self._rows

    @property
    def _root_coords(self) -> slice:
        return slice(self._bound.coords.start, self._bound.coords.start + 7)

    @property
    def _root_dofs(self) -> slice:
        """Dofs of a free root."""
        return slice(self._bound.dofs.start, self._bound.dofs.start + 6)

    # -- writing -----------------------------------------------------------------------------------------

    @on_device
    def set_root_state(self, pose: Any = None, vel: Any = None, env_ids: Any = None) -> None:
        """Set the root link's pose [x y z qw qx qy qz] and velocity [lin, ang], (n, 7) and (n, 6), world frame.

        Quaternions are normalised. A fixed base takes a pose, but no velocity.
        """
        if vel is not None and self.fixed_base:
            raise ValueError(f"{self} has a fixed base: its root cannot be given a velocity")
        velocities = None if vel is None else self._input("root velocity", vel, 6, env_ids)
        if pose is not None:
            values, envs = self._pose("root pose", pose, env_ids)
            self._write(c.Coordinate.value, self._root_coords, values, envs)
        if velocities is not None:
            self._write(c.DofState.velocity, self._root_dofs, *velocities)
        self.engine.touch_state()

    def _pose(self, what: str, pose: Any, env_ids: Any) -> tuple[Any, np.ndarray | None]:
        """A user's poses, (n, 7), checked and with unit quaternions."""
        values, envs = self._input(what, pose, 7, env_ids, poses=True)
        return self._unit(values), envs

    @on_device
    def set_external_wrench(
        self, force: Any = None, torque: Any = None, body: str | None = None, env_ids: Any = None
    ) -> None:
        """Push a body until told otherwise, (n, 3) each, world frame.

        ``force`` (N) acts at the centre of mass of the body's link, ``torque`` (N·m) on the link. A body that is
        fixed to another shares its link; the root's by default.
        """
        link = 0 if body is None else self.part.articulation.frames[self.body_index(body)].link
        row = self._bound.links.start + link
        checked = [
            (field, self._input(what, value, 3, env_ids))
            for what, field, value in (
                ("force", c.ExternalWrench.force, force),
                ("torque", c.ExternalWrench.torque, torque),
            )
            if value is not None
        ]
        for field, (values, envs) in checked:
            self._write(field, slice(row, row + 1), values[:, None, :], envs)
        self.engine.touch_inputs()

    @on_device
    def set_surface_velocity(self, linear: Any = 0.0, angular: Any = 0.0, env_ids: Any = None) -> None:
        """Let the surfaces of all shapes run like a conveyor belt, (n, 3) each: m/s and rad/s, link axes.

        Friction takes along what touches them; the shapes themselves stay where they are.
        """
        rows = np.array(self._bound.shapes, np.int64)
        linear, envs = self._input("linear surface velocity", linear, 3, env_ids)
        angular, _ = self._input("angular surface velocity", angular, 3, env_ids)
        both = self._xp.concatenate((linear, angular), axis=1)[:, None]
        need(self.engine, MOVING_SURFACES)
        self._write(c.ShapeMaterial.surface_velocity, rows, self._xp.repeat(both, len(rows), axis=1), envs)
        self.engine.touch_state()

    # -- reading -----------------------------------------------------------------------------------------

    @property
    @on_device
    def root_pose(self) -> Any:
        """(n, 7): [x y z qw qx qy qz] of the root link's frame, world."""
        return self._read(c.Coordinate.value, self._root_coords)

    @property
    @on_device
    def root_vel(self) -> Any:
        """(n, 6): [linear, angular] velocity of the root link's frame, world; zero for a fixed base."""
        if self.fixed_base:
            return self._xp.zeros((self.engine.num_envs, 6), self.engine.dtype)
        return self._read(c.DofState.velocity, self._root_dofs)

    @property
    @on_device
    def body_pose(self) -> Any:
        """(n, num_bodies, 7): [x y z qw qx qy qz] of each body's frame, world."""
        self.engine.compute("query_bodies")
        return self._read(c.BodyState.pose, self._bound.bodies)

    @property
    @on_device
    def body_vel(self) -> Any:
        """(n, num_bodies, 6): [linear, angular] velocity of each body's frame, world."""
        self.engine.compute("query_bodies")
        return self._read(c.BodyState.velocity, self._bound.bodies)

    @property
    @on_device
    def net_contact_force(self) -> Any:
        """(n, num_bodies, 3): sum of contact forces on each body over the last substep, N, world."""
        self.engine.compute("query_contacts")
        return self._read(c.BodyContact.force, self._bound.bodies)

    @property
    @on_device
    def net_normal_contact_force(self) -> Any:
        """(n, num_bodies, 3): sum of the normal parts of contact forces over the last substep, N, world."""
        self.engine.compute("query_contact_wrenches")
        return self._read(c.BodyContact.normal_force, self._bound.bodies)
