"""What robots and rigid objects have in common: the user's handle on an actor's rows in the engine's tables."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from phalanx import components as c
from phalanx.models.actor_spec import DYNAMIC, STATIC, Part
from phalanx.models.robot_model import RobotModel
from phalanx.world import checking
from phalanx.world.engine.engine import Engine
from phalanx.world.engine.optional_systems import MOVING_SURFACES, SLEEP, SOFT_CONTACTS, TORSION, need
from phalanx.world.handle import Handle, on_device
from phalanx.world.handles import sleeping, surfaces
from phalanx.world.handles.body_masses import BodyMasses
from phalanx.world.handles.declared import Owners, assign
from phalanx.world.handles.live import Live
from phalanx.world.handles.surfaces import Modes
from phalanx.world.layout.fill import Rows
from phalanx.world.options import ITERATIONS, iterations


class Actor(Handle):
    """A robot or a rigid object in every environment.

    Arrays are environment-first, on the world's device (NumPy or CuPy), and yours: they do not change when the world
    steps.

    Values that setters take broadcast to the shapes that they name. Environments may differ; from then on the world
    keeps a value for each, and the kernels that read it are compiled once more.
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
        """Position of a body in :attr:`body_names`.

        Raises:
            KeyError: there is no body of that name; the message lists those that there are.
        """
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
    def link_names(self) -> list[str]:
        """The bodies that joints carry, each with what is fixed to it."""
        frames, links = self.part.articulation.frames, self.part.articulation.links
        return [next(frame.name for frame in frames if frame.link == i) for i in range(len(links))]

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

    _of_bodies = Owners("num_bodies", lambda actor: actor._bound.bodies)
    _of_shapes = Owners("num_shapes", lambda actor: slice(actor._bound.shapes.start, actor._bound.shapes.stop))
    _of_links = Owners("num_links", lambda actor: actor._bound.links)
    _of_all_links = Owners("", lambda actor: actor._bound.links)
    _of_all_dofs = Owners("", lambda actor: actor._bound.dofs)
    _of_it = Owners("", lambda actor: slice(actor._bound.tree, actor._bound.tree + 1))
    _of_root = Owners("7", lambda actor: actor._root_coords)

    @property
    def _root_coords(self) -> slice:
        return slice(self._bound.coords.start, self._bound.coords.start + 7)

    @property
    def _root_dofs(self) -> slice:
        """Dofs of a free root."""
        return slice(self._bound.dofs.start, self._bound.dofs.start + 6)

    # -- state ---------------------------------------------------------------------------------------------

    root_pose = _of_root(c.Coordinate.value)
    """(n, 7): [x y z qw qx qy qz] of the root link's frame, m, world."""

    @property
    @on_device
    def root_vel(self) -> Any:
        """(n, 6): [linear, angular] velocity of the root link's frame, world; zero for a fixed base."""
        if self.fixed_base:
            return self._xp.zeros((self.engine.num_envs, 6), self.engine.dtype)
        return self._read(c.DofState.velocity, self._root_dofs)

    body_pose = _of_bodies(c.BodyState.pose, after=("query_bodies",))
    """(n, num_bodies, 7): [x y z qw qx qy qz] of each body's frame, m, world."""

    body_vel = _of_bodies(c.BodyState.velocity, after=("query_bodies",))
    """(n, num_bodies, 6): [linear, angular] velocity of each body's frame, m/s and rad/s, world."""

    net_contact_force = _of_bodies(c.BodyContact.force, after=("query_contacts",))
    """(n, num_bodies, 3): sum of contact forces, of deformable bodies too, over the last substep, N, world."""

    net_normal_contact_force = _of_bodies(c.BodyContact.normal_force, after=("query_contact_wrenches",))
    """(n, num_bodies, 3): sum of the normal parts of contact forces over the last substep, N, world.

    Those of nodes of deformable bodies count along the normals that they have at its end; after a load or a new state
    from the next step on.
    """

    @on_device
    def set_root_state(self, pose: Any = None, vel: Any = None, env_ids: Any = None) -> None:
        """Set the root link's pose [x y z qw qx qy qz] and velocity [lin, ang], (n, 7) and (n, 6), world frame.

        Quaternions are normalised. A fixed base takes a pose, but no velocity.

        Raises:
            ValueError: shapes are wrong, numbers are not finite, or a fixed base is given a velocity.
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

    # -- surfaces ------------------------------------------------------------------------------------------

    material = _of_shapes(
        c.ShapeMaterial.static_friction, c.ShapeMaterial.dynamic_friction, c.ShapeMaterial.restitution
    )
    """(n, num_shapes, 3): static friction, dynamic friction and restitution of each collision shape."""

    torsional_patch_radius = _of_shapes(c.ShapeMaterial.torsional_patch_radius, negative=False, needs=TORSION)
    """(n, num_shapes), m: see :class:`phalanx.Material`."""

    min_torsional_patch_radius = _of_shapes(
        c.ShapeMaterial.min_torsional_patch_radius, what="least torsional patch radius", negative=False, needs=TORSION
    )
    """(n, num_shapes), m: see :class:`phalanx.Material`."""

    contact_stiffness = _of_shapes(c.ShapeMaterial.contact_stiffness, negative=False, needs=SOFT_CONTACTS)
    """(n, num_shapes), N/m: see :class:`phalanx.Material`."""

    contact_damping = _of_shapes(c.ShapeMaterial.contact_damping, negative=False)
    """(n, num_shapes), N·s/m: see :class:`phalanx.Material`."""

    contact_offset = _of_shapes(c.ShapeGeometry.contact_offset, negative=False)
    """(n, num_shapes), m: contacts exist where surfaces are closer than the sum of two shapes'."""

    rest_offset = _of_shapes(c.ShapeGeometry.rest_offset)
    """(n, num_shapes), m: surfaces come to rest at the sum of two shapes'."""

    _static_friction = _of_shapes(c.ShapeMaterial.static_friction, what="static friction", negative=False)
    _dynamic_friction = _of_shapes(c.ShapeMaterial.dynamic_friction, what="dynamic friction", negative=False)
    _restitution = _of_shapes(c.ShapeMaterial.restitution, what="restitution", negative=False)
    _friction_mode = _of_shapes(c.ShapeMaterial.friction_mode)
    _restitution_mode = _of_shapes(c.ShapeMaterial.restitution_mode)

    @on_device
    def set_material(
        self,
        static_friction: Any = None,
        dynamic_friction: Any = None,
        restitution: Any = None,
        env_ids: Any = None,
        body_names: Sequence[str] | None = None,
        *,
        shape_ids: Sequence[int] | None = None,
        friction_combine: Modes | None = None,
        restitution_combine: Modes | None = None,
        torsional_patch_radius: Any = None,
        min_torsional_patch_radius: Any = None,
        contact_stiffness: Any = None,
        contact_damping: Any = None,
    ) -> None:
        """Set coefficients of the actor's collision shapes, (n, num_shapes), or (n, k) of the chosen ones.

        Args:
            static_friction, dynamic_friction, restitution: not negative; restitution at most 1.
            env_ids: some environments.
            body_names: only the shapes of these bodies.
            shape_ids: only these shapes, from 0 to :attr:`num_shapes`, in this order.
            friction_combine, restitution_combine: how the coefficients of two surfaces become one, see
                :class:`phalanx.Material`; of two different modes the one later in its list holds.
            torsional_patch_radius, min_torsional_patch_radius: m, see :class:`phalanx.Material`.
            contact_stiffness, contact_damping: N/m, N s/m, of contacts that give way, see :class:`phalanx.Material`.

        Raises:
            ValueError: shapes are wrong, restitution is not in 0..1, or dynamic friction is above static friction.
        """
        bodies = None if body_names is None else {self.body_index(name) for name in body_names}
        carriers = [shape.body for shape in self.part.articulation.collisions]
        chosen = surfaces.columns_of_shapes(self, carriers, bodies, shape_ids)
        given = {
            "_static_friction": static_friction,
            "_dynamic_friction": dynamic_friction,
            "_restitution": restitution,
            "torsional_patch_radius": torsional_patch_radius,
            "min_torsional_patch_radius": min_torsional_patch_radius,
            "contact_stiffness": contact_stiffness,
            "contact_damping": contact_damping,
        }
        modes = {"friction_combine": friction_combine, "restitution_combine": restitution_combine}
        surfaces.set_material(self, given, modes, env_ids, chosen)

    @on_device
    def set_offsets(
        self,
        contact_offset: Any = None,
        rest_offset: Any = None,
        env_ids: Any = None,
        *,
        shape_ids: Sequence[int] | None = None,
    ) -> None:
        """Set how far off contacts begin and surfaces rest, (n, num_shapes) or (n, k), m; rest below contact.

        Raises:
            ValueError: shapes are wrong, numbers are not finite, or a rest offset is not below its contact offset
                (seen on the CPU only).
        """
        chosen = surfaces.columns_of_shapes(self, range(self.num_shapes), None, shape_ids)
        surfaces.set_offsets(self, {"contact_offset": contact_offset, "rest_offset": rest_offset}, env_ids, chosen)

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

    # -- mass ----------------------------------------------------------------------------------------------

    @cached_property
    def _masses(self) -> BodyMasses:
        return BodyMasses(self.engine, self._bound, self.part.articulation)

    @property
    @on_device
    def body_mass(self) -> Any:
        """(n, num_bodies), kg: of each body alone."""
        return self._masses.mass

    @property
    @on_device
    def body_com(self) -> Any:
        """(n, num_bodies, 3), m: centre of mass of each body alone, in its own frame."""
        return self._masses.com

    @property
    @on_device
    def body_inertia(self) -> Any:
        """(n, num_bodies, 3, 3), kg·m^2: of each body alone about its centre of mass, in its own axes."""
        return self._masses.inertia

    @on_device
    def set_body_mass_properties(
        self, mass: Any = None, com: Any = None, inertia: Any = None, env_ids: Any = None
    ) -> None:
        """Set masses, kg, centres of mass, m, and inertias, kg·m^2, of bodies; links become what their bodies make.

        What is not given stays. Environments may differ; from then on the world keeps a value for each, and the kernels
        that read it are compiled once more. A body's frame keeps its velocity.

        Args:
            mass: (n, num_bodies), above 0; 0 is allowed where it is 0 already.
            com: (n, num_bodies, 3), in the bodies' own frames.
            inertia: (n, num_bodies, 3, 3), symmetric, about the centres of mass in the bodies' own axes.
            env_ids: some environments.

        Raises:
            ValueError: shapes are wrong, numbers are not finite, or masses and inertias are of no real body.
        """
        bodies = self.num_bodies
        given = {
            name: self._input(f"body {name}", value, shape, env_ids, negative=name != "mass")
            for name, value, shape in (
                ("mass", mass, (bodies,)),
                ("com", com, (bodies, 3)),
                ("inertia", inertia, (bodies, 3, 3)),
            )
            if value is not None
        }
        if given:
            envs = next(iter(given.values()))[1]
            try:
                self._masses.set({name: values for name, (values, _) in given.items()}, envs)
            except ValueError as error:
                raise ValueError(f"{self}: {error}") from None
            self.engine.touch_state()

    link_mass = _of_links(c.LinkInertia.mass)
    """(n, num_links), kg: in the order of :attr:`link_names`, bodies that are fixed to a link included."""

    @on_device
    def set_link_mass(
        self, mass: Any, env_ids: Any = None, link_names: Sequence[str] | None = None, *, scale_inertia: bool = True
    ) -> None:
        """Set masses of links, (n, num_links) or (n, k) of those named, kg; inertias change in proportion, or stay.

        The bodies of a link keep their shares of its mass.

        Raises:
            ValueError: a name is unknown or twice, the shape is wrong, or a mass is not above 0.
        """
        checking.boolean("scale_inertia", scale_inertia)
        names = self.link_names
        chosen = names if link_names is None else list(link_names)
        unknown = [name for name in chosen if name not in names]
        if unknown or len(set(chosen)) < len(chosen):
            raise ValueError(f"{self}: link_names={chosen!r} must be different ones of {', '.join(names)}")
        values, envs = self._input("link mass", mass, len(chosen), env_ids)
        self._above_zero("link mass", mass)
        self._masses.scale_links([names.index(name) for name in chosen], values, envs, scale_inertia=scale_inertia)
        self.engine.touch_state()

    # -- motion --------------------------------------------------------------------------------------------

    _linear_damping = _of_all_links(c.LinkDynamics.linear_damping, what="linear damping", negative=False)
    _angular_damping = _of_all_links(c.LinkDynamics.angular_damping, what="angular damping", negative=False)
    _gravity = _of_all_links(c.LinkDynamics.gravity_scale, what="gravity", negative=False)
    _linear_cap = _of_it(
        c.TreeLimits.linear_velocity, what="cap on the linear velocity", finite=False, negative=False, above_zero=True
    )
    _angular_cap = _of_it(
        c.TreeLimits.angular_velocity, what="cap on the angular velocity", finite=False, negative=False, above_zero=True
    )
    _depenetration_cap = _of_all_dofs(
        c.DofModel.max_depenetration_velocity,
        what="cap on the depenetration velocity",
        negative=False,
        above_zero=True,
    )

    def set_damping(self, linear: Any = None, angular: Any = None, env_ids: Any = None) -> None:
        """Set the damping of all of its links, (n,), 1/s: a step keeps 1 / (1 + damping dt) of a velocity."""
        assign(self, {"_linear_damping": linear, "_angular_damping": angular}, env_ids)

    def set_gravity(self, enabled: Any, env_ids: Any = None) -> None:
        """Switch gravity on or off, (n,) of booleans.

        Raises:
            TypeError: ``enabled`` is neither a boolean nor an array of booleans.
        """
        on = self.engine.device.accept(enabled)
        if on.dtype.kind != "b":
            raise TypeError(f"{self}: set_gravity() takes True or False, or an array of them, not {enabled!r}")
        assign(self, {"_gravity": on}, env_ids)

    def set_max_velocity(self, linear: Any = None, angular: Any = None, env_ids: Any = None) -> None:
        """Set caps on the speed of the root's centre of mass (m/s) and its rotation (rad/s), (n,); inf for none.

        Raises:
            ValueError: its root cannot move, or a cap is negative.
        """
        if self.part.kind == STATIC or self.part.articulation.fixed_base:
            raise ValueError(f"{self} cannot move: set_max_velocity() has no use for it")
        assign(self, {"_linear_cap": linear, "_angular_cap": angular}, env_ids)

    @property
    @on_device
    def max_depenetration_velocity(self) -> Any:
        """(n,), m/s: how fast contacts may push it out of what it penetrates; NaN for a fixed base without joints."""
        dofs = self._bound.dofs
        if dofs.start == dofs.stop:
            return self._xp.full(self.engine.num_envs, self._xp.nan, self.engine.dtype)
        own = self._depenetration_cap
        world = self._read(c.Settings.max_depenetration_velocity, slice(0, 1))[:, 0]
        return self._xp.where(own < 0, world, own)

    def set_max_depenetration_velocity(self, velocity: Any, env_ids: Any = None) -> None:
        """Set how fast contacts may push it out of what it penetrates, (n,), m/s, above 0.

        Of two actors the smaller cap holds for both; grounds and what cannot move have none.

        Raises:
            ValueError: it cannot move, or a velocity is not above 0.
        """
        dofs = self._bound.dofs
        if dofs.start == dofs.stop:
            raise ValueError(f"{self} cannot move: set_max_depenetration_velocity() has no use for it")
        assign(self, {"_depenetration_cap": velocity}, env_ids)

    # -- sleep ---------------------------------------------------------------------------------------------

    sleep_threshold = _of_it(c.TreeSleep.threshold, negative=False, needs=SLEEP)
    """(n,), m^2/s^2: kinetic energy per mass of each of its links below which it may go to sleep; 0: never."""

    stabilization_threshold = _of_it(c.TreeSleep.stabilization_threshold, negative=False, needs=SLEEP)
    """(n,), m^2/s^2: kinetic energy per mass of each of its links below which it is damped; 0: never."""

    def _can_sleep(self, what: str) -> None:
        if self.part.kind != DYNAMIC or self.part.articulation.num_velocities == 0:
            raise ValueError(f"{self} is not moved by forces: {what}() has no use for it")

    def set_sleep_threshold(self, threshold: Any, env_ids: Any = None) -> None:
        """Set the kinetic energy per mass of each link below which it may go to sleep, (n,), m^2/s^2; 0: never.

        It sleeps once it, and all that it touches or is joined to, has been below for 0.4 s. What sleeps already goes
        on sleeping.
        """
        self._can_sleep("set_sleep_threshold")
        assign(self, {"sleep_threshold": threshold}, env_ids)

    def set_stabilization_threshold(self, threshold: Any, env_ids: Any = None) -> None:
        """Set the kinetic energy per mass of each link below which it is damped, (n,), m^2/s^2; 0: never.

        Only while it touches anything: so towers that rock come to rest.
        """
        self._can_sleep("set_stabilization_threshold")
        assign(self, {"stabilization_threshold": threshold}, env_ids)

    @property
    @on_device
    def is_sleeping(self) -> Any:
        """(n,) of booleans: whether it slept in the last step. What wakes it shows after the next one."""
        return sleeping.is_sleeping(self.engine, self._bound)

    @on_device
    def wake_up(self, env_ids: Any = None) -> None:
        """Wake it and, as the next step begins, all that it touches or is joined to; for 0.4 s at least."""
        self._can_sleep("wake_up")
        if SLEEP in self.engine.features:
            sleeping.set_sleep(self.engine, self._bound, 0, env_ids)

    @on_device
    def put_to_sleep(self, env_ids: Any = None) -> None:
        """Take its velocity away and let it sleep until something wakes it, as what is awake and touches it does."""
        self._can_sleep("put_to_sleep")
        sleeping.put_to_sleep(self.engine, self._bound, env_ids)
