"""What is in a world: grounds, robots, rows and systems of the user's own, and how all of it is built."""

from __future__ import annotations

import copy
import os
import warnings
from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Self, Unpack, cast

import numpy as np

from phalanx import components as c
from phalanx.ecs import System, Table
from phalanx.io.formats import library
from phalanx.io.formats.rigid_body import Source, rigid_model
from phalanx.models.actor_spec import DYNAMIC, KINDS, KINEMATIC, STATIC, Part
from phalanx.models.articulation import flatten
from phalanx.models.robot_model import RobotModel, with_tendons
from phalanx.models.sdf_options import SdfOptions
from phalanx.models.standing import standing_pose
from phalanx.models.tendons import FixedTendon, SpatialTendon
from phalanx.systems import STEP, systems
from phalanx.systems.dynamics.kinematic_targets import follow_targets
from phalanx.world import checking, memory, options
from phalanx.world import settings as checked
from phalanx.world.collisions import Collisions
from phalanx.world.deformables.adding import Deformables
from phalanx.world.deformables.cloth import Cloth
from phalanx.world.deformables.node_attachment import NodeAttachment
from phalanx.world.deformables.particles import Particles
from phalanx.world.deformables.rope import Rope
from phalanx.world.deformables.soft_body import SoftBody
from phalanx.world.engine import optional_systems
from phalanx.world.engine.engine import Engine
from phalanx.world.handles.actor import Actor
from phalanx.world.handles.contact_view import ContactView, Patterns, Scene
from phalanx.world.handles.loop_joint import LoopJoint, place_loops
from phalanx.world.handles.rigid_collection import RigidObjectCollection
from phalanx.world.handles.rigid_object import RigidObject
from phalanx.world.handles.robot import Robot
from phalanx.world.layout.fill import fill, grow_slots
from phalanx.world.options import ActorOptions
from phalanx.world.tendon_layout import place_tendons


class Contents(Collisions, Deformables):
    """The part of a world that says what is in it."""

    _gravity: tuple[float, float, float]
    _settings: dict[str, Any]

    def __init__(self, engine: Engine) -> None:
        super().__init__(engine)
        self.robots: dict[str, Robot] = {}
        self.objects: dict[str, RigidObject] = {}
        self.collections: dict[str, RigidObjectCollection] = {}
        self.actors: dict[str, Actor] = {}
        """Everything with a pose of its own, by name, in the order in which it was added."""
        self.deformables: dict[str, SoftBody] = {}
        self.cloths: dict[str, Cloth] = {}
        self.ropes: dict[str, Rope] = {}
        self.particles: dict[str, Particles] = {}
        self.attachments: list[NodeAttachment] = []
        self.joints: dict[str, LoopJoint] = {}
        self.contact_views: list[ContactView] = []
        self._has_tendons = False
        self._placements: dict[str, dict[str, Any]] = {}
        self._tables: dict[Table, int] = {}
        self._extra_systems: list[System] = []

    @property
    def gravity(self) -> tuple[float, float, float]:
        """m/s^2, world frame, as it was last set for all environments; ``world[Settings].gravity`` has that of each.

        Raises:
            ValueError: when set to anything but three finite numbers that the dtype has.
        """
        return self._gravity

    @gravity.setter
    def gravity(self, value: Sequence[float]) -> None:
        self._gravity = checked.gravity(value, self.dtype)
        if self.built:
            self.engine.store[c.Settings].gravity = np.array(self._gravity)[None, :, None]

    def add_robot(
        self,
        source: str | os.PathLike[str] | RobotModel,
        name: str = "robot",
        fixed_base: bool | None = None,
        position: Sequence[float] | np.ndarray | None = None,
        orientation: Sequence[float] | np.ndarray | None = None,
        *,
        joint_pos: dict[str, float] | Sequence[float] | None = None,
        self_collision: bool | None = None,
        disable_collisions: Iterable[tuple[str, str]] = (),
        tendons: Iterable[FixedTendon | SpatialTendon] = (),
        visuals: bool = False,
        fix_inertias: bool = False,
        **actor_options: Unpack[ActorOptions],
    ) -> Robot:
        """Add a robot to every environment.

        Args:
            source: a URDF, MJCF or USD file, the name of a robot that ships with the package, or a model. Of MJCF and
                USD files it takes the one robot; :meth:`add_mjcf` and :meth:`add_usd` take whole scenes.
            name: unique in the world.
            fixed_base: whether the root cannot move; by default as such a file says or a shipped robot prefers, or no.
            position, orientation: initial pose of the root link's frame: (3,), m, and (4,), w x y z, normalised for
                you; by default that of such a file, or where a shipped robot or one with legs stands on z = 0, else
                the origin.
            joint_pos: initial joint positions by name or in order; 0, or the limit nearest to it, or the nominal pose
                of a shipped robot, by default. A robot of a URDF file with a free base, of which neither this nor its
                pose is given, stands by the rule of :mod:`phalanx.models.standing`, which a warning says.
            self_collision: whether its bodies collide with each other, by default as in such a file, or no; those that
                a joint connects never do.
            disable_collisions: pairs of bodies, by name, that do not collide all the same.
            tendons: besides those of a model.
            visuals: also load the visual meshes, for pictures.
            fix_inertias: of a file: replace inertias that no body can have by the nearest that one can have.
            actor_options: its surface, collision group, damping and so on, see
            :class:`phalanx.world.options.ActorOptions`;
                by default as a USD file says.

        Raises:
            LoadError: the file cannot be used.
            ValueError: a name is taken, an option is unknown, or a value is not possible.
        """
        self._free_name("add_robot", name)
        model = with_tendons(library.load_robot(source, visuals, warn=True, fix_inertias=fix_inertias), tendons)
        actor_options = cast("ActorOptions", {**model.options, **actor_options})
        fixed_base = bool(model.fixed_base if fixed_base is None else fixed_base)
        places = (position, orientation, joint_pos, model.position, model.joint_pos or None)
        if all(place is None for place in places) and not fixed_base and not isinstance(source, RobotModel):
            position, joint_pos = _stand(name, model)
        position = (model.position or (0.0, 0.0, 0.0)) if position is None else position
        orientation = (model.orientation or (1.0, 0.0, 0.0, 0.0)) if orientation is None else orientation
        joint_pos = model.joint_pos if joint_pos is None else joint_pos
        self_collision = model.self_collision if self_collision is None else bool(self_collision)
        pose = checking.pose("add_robot", position, orientation)
        fields = options.part_fields("add_robot", actor_options)
        articulation = flatten(model, fixed_base)
        pairs = list(dict.fromkeys((str(a), str(b)) for a, b in [*model.disabled_pairs, *disable_collisions]))
        names = [frame.name for frame in articulation.frames]
        for body in {name for pair in pairs for name in pair} - set(names):
            raise ValueError(f"add_robot: disable_collisions: there is no body {body!r}; there are {', '.join(names)}")
        fields["disabled_bodies"] = tuple((names.index(a), names.index(b)) for a, b in pairs)
        fields["base_collision"] = model.base_collision
        part = Part(articulation, self_collision=self_collision, **fields)
        robot = Robot(self.engine, name, model, part, pose, joint_pos)
        self.robots[name] = self.actors[name] = robot
        self._placements[name] = {
            "fixed_base": fixed_base,
            "pose": pose.tolist(),
            "joint_pos": robot.default_joint_pos.tolist(),
            "self_collision": self_collision,
            "disable_collisions": pairs,
            **options.plain(actor_options, part),
            "model": copy.deepcopy(model),  # as it is now; saving writes it out
        }
        return robot

    def add_rigid_object(
        self,
        source: Source,
        name: str = "object",
        *,
        kind: str = DYNAMIC,
        mass: float | None = None,
        density: float | None = None,
        position: Sequence[float] | np.ndarray = (0.0, 0.0, 0.0),
        orientation: Sequence[float] | np.ndarray = (1.0, 0.0, 0.0, 0.0),
        approximation: str | SdfOptions | None = None,
        locked_axes: str | Sequence[str] | Sequence[bool] = (),
        visuals: bool = False,
        fix_inertias: bool = False,
        **actor_options: Unpack[ActorOptions],
    ) -> RigidObject:
        """Add a rigid object to every environment.

        Args:
            source: a :class:`phalanx.Shape`, a list of them (a compound), a mesh file, or a URDF, MJCF or USD file or
                model of one body.
            name: unique in the world.
            kind: ``"dynamic"`` (moved by forces), ``"kinematic"`` (moved by the user, whatever it meets) or
                ``"static"`` (not moved). What two that do not give way hold between them, d too close for it, is
                pressed with N = m d / (4 ms)^2, and held by the friction of that
                (:mod:`phalanx.systems.solver.squeezes`).
            mass, density: kg, or kg/m^3 of its shapes, instead of what a file says; where neither says anything, the
                density is 1000.
            position, orientation: initial pose of the body's frame: (3,), m, and (4,), w x y z, normalised for you.
            approximation: what stands for meshes in collisions: ``"convex_hull"``, ``"convex_decomposition"``,
                ``"bounding_cube"``, ``"bounding_sphere"``, ``"sdf"`` or :class:`phalanx.SdfOptions` (a signed distance
                field), ``"triangle_mesh"`` (not if dynamic). By default the convex hull of a mesh file if dynamic, else
                its triangles; other sources say it themselves.
            locked_axes: axes of the world along (``"x"``, ``"y"``, ``"z"``) and about (``"rx"``, ``"ry"``, ``"rz"``)
                which a dynamic object's frame does not move, or six flags.
            visuals: also load the visual meshes of a URDF file, for pictures.
            fix_inertias: of a file: replace inertias that no body can have by the nearest that one can have.
            actor_options: its surface, collision group, damping and so on, see
            :class:`phalanx.world.options.ActorOptions`.

        Raises:
            LoadError: the source is no rigid object, or one that is dynamic has neither mass nor volume.
            ValueError: a name is taken, an option is unknown, or a value is not possible.
        """
        self._free_name("add_rigid_object", name)
        who = f"rigid object {name!r}"
        if kind not in KINDS:
            raise ValueError(f"{who}: kind={kind!r}: must be one of {', '.join(KINDS)}")
        pose = checking.pose(who, position, orientation)
        options.part_fields(who, actor_options)  # refuses what is wrong before anything is read
        if any(locked_axes) and kind != DYNAMIC:
            raise ValueError(f"{who}: locked_axes are for dynamic objects; this one is {kind}")
        model = rigid_model(
            source,
            name,
            dynamic=kind == DYNAMIC,
            static=kind == STATIC,
            mass=mass,
            density=density,
            approximation=approximation,
            visuals=visuals,
            fix_inertias=fix_inertias,
        )
        actor_options = cast("ActorOptions", {**model.options, **actor_options})
        fields = options.part_fields(who, actor_options)
        if any(locked_axes):
            fields["locked_axes"] = options.locked(who, locked_axes)
        part = Part(flatten(model, kind == STATIC, kind == DYNAMIC), kind=kind, **fields)
        made = RigidObject(self.engine, name, model, part, pose)
        self.objects[name] = self.actors[name] = made
        if kind == KINEMATIC:
            optional_systems.need(self.engine, optional_systems.SQUEEZES)
        self._placements[name] = {
            "kind": kind,
            "pose": pose.tolist(),
            **options.plain(actor_options, part),
            **({"locked_axes": list(part.locked_axes)} if any(part.locked_axes) else {}),
            "model": copy.deepcopy(model),  # as it is now; saving writes it out
        }
        return made

    def add_rigid_objects(
        self, sources: Mapping[str, Source | Mapping[str, Any]], name: str = "objects", **common: Any
    ) -> RigidObjectCollection:
        """Add several rigid objects to every environment, which are then also read and written together.

        Args:
            sources: for each name a source, or a mapping with a ``source`` and arguments of its own.
            name: of the collection, unique among :attr:`collections`.
            common: arguments of :meth:`add_rigid_object` for all that do not say otherwise.

        Raises:
            ValueError: a name is taken, there is no object, or one has no source.
            RuntimeError: the world is built.
        """
        self._not_built("add_rigid_objects")
        if name in self.collections or not name:
            raise ValueError(f"add_rigid_objects: there is already a collection named {name!r}; pass another name=")
        if not sources:
            raise ValueError(f"add_rigid_objects: collection {name!r} needs at least one object")
        taken = [each for each in sources if each in self.actors]
        if taken:
            raise ValueError(f"add_rigid_objects: there is already an actor named {taken[0]!r}; rename it")
        for each, given in sources.items():
            own: dict[str, Any] = dict(given) if isinstance(given, Mapping) else {"source": given}
            if "source" not in own:
                raise ValueError(f"add_rigid_objects: {each!r} has no source")
            arguments: dict[str, Any] = {**common, **own, "name": each}
            self.add_rigid_object(**arguments)
        return self._collect(name, list(sources))

    def _collect(self, name: str, members: Sequence[str]) -> RigidObjectCollection:
        made = RigidObjectCollection(self.engine, name, [self.objects[member] for member in members])
        self.collections[name] = made
        return made

    def contact_view(
        self,
        bodies: Patterns,
        filters: Patterns | Mapping[str, Patterns] = (),
        *,
        name: str = "contacts",
        max_contacts: int | None = None,
    ) -> ContactView:
        """Report contact forces on some bodies; before or after the world is built.

        Args:
            bodies: regular expressions, each for the whole of ``actor/body``, or of an actor's name for all its bodies:
                ``"robot/.*_foot"``, ``"cube"``.
            filters: with which other bodies pairs are reported, chosen likewise, or ``"ground/0"`` for the first
                ground, ``"ground"`` for all. Each body is a column of its own; in a mapping, each entry is a column.
            name: what messages call it.
            max_contacts: rows for contacts of pairs, per environment; by default enough for all.
        """
        made = ContactView(
            self.engine, name, Scene(self.actors, self._grounds, self.contact_views), bodies, filters, max_contacts
        )
        made.resolve()
        if self.built:
            made.bind()
        self.contact_views.append(made)
        return made

    def _free_name(self, what: str, name: str) -> None:
        self._not_built(what)
        if not isinstance(name, str) or not name:
            raise ValueError(f"{what}: name={name!r}: must be text, not empty")
        if name in self.actors or name in self.all_deformables:
            raise ValueError(f"{what}: there is already an actor named {name!r}; pass another name=")

    def add_rows(self, table: Table, count: int) -> None:
        """Give a table of your own its number of rows per environment."""
        self._not_built("add_rows")
        self._tables[table] = count

    def add_system(self, system: System) -> None:
        """Add a system of your own to the schedule, in the phase that it names."""
        self._not_built("add_system")
        self.schedule.add(system)
        self._extra_systems.append(system)

    def build(self) -> Self:
        """Allocate and initialise everything; done by the first step if you do not.

        Raises:
            ValueError: nothing is in the world, or what is in it does not go together.
        """
        if self.engine.built:
            return self
        if not self.actors and not self.all_deformables and not self._extra_systems:
            raise ValueError("this world is empty: call add_robot() or add_rigid_object() before build() or step()")
        engine, store = self.engine, self.engine.store
        for table, count in self._tables.items():
            store.set_rows(table, count)
        actors = list(self.actors.values())
        moved = [actor for actor in self.objects.values() if actor.kind == KINEMATIC]
        store.set_rows(c.Kinematic, len(moved))
        flat = [actor.part.articulation for actor in actors]
        links, shapes = sum(len(one.links) for one in flat), sum(len(one.collisions) for one in flat)
        memory.check_plan(store.device, store.num_envs, links, shapes)
        layout = fill(
            store,
            [actor.part for actor in actors],
            self._grounds,
            contact_offset=self._settings["contact_offset"],
            max_contacts=self._settings["max_contacts"],
            few_slots=self._settings["when_full"] == "nearest",
            disabled_parts=sorted(self._disabled),
            disabled_links=self._apart(),
            disabled_bodies=self._separated_bodies(),
        )
        settings = store[c.Settings]
        settings.timestep = [[self.dt / self.substeps]]
        settings.gravity = np.array(self.gravity)[None, :, None]
        self._set_iterations()
        for name in ("max_depenetration_velocity", "bounce_threshold", "speculative"):
            setattr(settings, name, [[self._settings[name]]])
        settings.projected = [[self._settings["solver"] == "pgs"]]
        planes = store.rows(c.PlanePoint) > 0
        for actor, rows in zip(actors, layout.rows, strict=True):
            actor.bind(rows)
        self._has_tendons = place_tendons(store, list(self.robots.values())) > 0
        if self.joints:
            place_loops(store, [joint.plan for joint in self.joints.values()], actors)
        engine.one_tree = layout.moving_trees <= 1
        chosen = systems(
            planes,
            layout.kind_pairs,
            engine.one_tree,
            not layout.many_pairs,
            optional=False,
            joints=bool(self.joints) or any(robot.num_dof > 0 for robot in self.robots.values()),
            loops=bool(self.joints),
            tendons=self._has_tendons,
            spring=any(joint.stiffness > 0 for robot in self.robots.values() for joint in robot.model.joints),
            limits=self._limited_joints,
            spherical=store.rows(c.Pivot) > 0,
            seams=layout.pieces,
            single=layout.single,
            walls=layout.walls,
            free=layout.free,
            keep_nearest=self._settings["when_full"] == "nearest",
        )
        for system in chosen:
            if moved or system is not follow_targets:
                engine.schedule.add(system)
        optional_systems.schedule_all(engine)
        self._place_deformables([actor.part for actor in actors], layout)
        accesses = [
            a for system in engine.schedule.systems() for a in system.field_arguments.values()
        ]  # refuses clashes
        fields = [*c.Status.fields(), *(access.target for access in accesses), *store.fields_of(engine.sequence(STEP))]
        memory.check_arrays(store, fields, self._settings["max_memory"])
        for field in fields:
            store.array(field)
        for system in self._extra_systems:  # what they write differs from environment to environment
            for access in system.field_arguments.values():
                if access.writes and access.target.shared and not access.target.constant:
                    store.widen(access.target)
        if self._settings["when_full"] == "nearest":
            numbers = memory.slots_within(
                store, *layout.most_slots, self._settings["max_contacts"], self._settings["max_memory"]
            )
            for table, number in zip((c.Candidate, c.Contact), numbers, strict=True):
                if number > store.rows(table):
                    grow_slots(store, table, number)
        engine.built = True
        first_limit = 0
        for row, joint in enumerate(self.joints.values()):
            first_limit = joint.bind(row, first_limit)
        for collection in self.collections.values():
            collection.bind()
        for view in self.contact_views:
            view.bind()
        for row, actor in enumerate(moved):
            actor.bind_target(row)
        if moved:
            topology = store[c.KinematicTopology]
            topology.first_dof = [[actor._bound.dofs.start] for actor in moved]
            topology.coord = [[actor._bound.coords.start] for actor in moved]
            topology.substeps = [[self.substeps]]
        self._write_defaults(None)
        store.decide(engine.sequence(STEP))
        store.kernels(engine.sequence(STEP))  # allocates what systems of the GPU have of their own, too
        engine.input_revision = engine.state_revision = 0
        return self

    def share_iterations(self, name: str, asked: dict[str, int]) -> None:
        """Take up the numbers of sweeps that an actor asks for from now on."""
        self._placements[name].update(asked)
        if self.engine.built:
            self._set_iterations()

    def _set_iterations(self) -> None:
        """Give the solver the greatest numbers of sweeps that the world or anything in it asks for."""
        for n, name in enumerate(options.ITERATIONS):
            asked = [count for actor in self.actors.values() if (count := actor.solver_iterations[n]) is not None]
            setattr(self.engine.store[c.Settings], name, [[max([self._settings[name], *asked])]])

    @abstractmethod
    def state(self) -> dict[str, np.ndarray]:
        """All that is needed to continue exactly."""

    @abstractmethod
    def set_state(self, state: dict[str, np.ndarray]) -> None:
        """Continue from what :meth:`state` returned."""

    @abstractmethod
    def _write_defaults(self, envs: np.ndarray | None) -> None:
        """Put environments, all for ``None``, into the state that things have by default."""


def _stand(name: str, model: RobotModel) -> tuple[tuple[float, float, float] | None, dict[str, float] | None]:
    """Position and joint positions in which a robot stands that is not told where to start; ``None``: it does not."""
    found = standing_pose(model)
    if found is None:
        return None, None
    warnings.warn(
        f"robot {name!r}: its file does not say where it starts, so it starts {found}; pass position= and joint_pos= "
        "for another start",
        stacklevel=4,
    )
    return (0.0, 0.0, found.height), found.joint_pos
