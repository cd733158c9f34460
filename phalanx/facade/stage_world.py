"""The world that a stage becomes, and where each body of the stage is in it.

Scripts put the same robots and objects below many prims: ``/World/envs/env_0``, ``/World/envs/env_1``, ... The engine
steps environments side by side, and reads one of them. Where all of them hold the same and nothing else on the stage
can move, a prim below the i-th is a body of environment i; what stands outside, grounds and terrain, is in all of them.
Where they differ in numbers and shapes only (:mod:`phalanx.facade.kinds`), each kind is read. Any other stage becomes
one environment with all that it holds, which is as right and slower.

The engine's coordinates are those of each environment's own origin, in which float32 keeps its digits however far away
that is; the stage's are those of the world. :attr:`StageWorld.origins` is the difference.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from phalanx.facade import environments, kinds, surface_grippers
from phalanx.facade.expressions import matching_paths
from phalanx.facade.kinds import DifferentKindsError
from phalanx.facade.once import tell_once
from phalanx.facade.physx.rigid_body_view import RigidBodyView
from phalanx.facade.physx.simulation_view import SimulationView
from phalanx.io.formats.usd import Scene, read_stage
from phalanx.io.formats.usd.bindings import Prim, Stage, UsdPhysics
from phalanx.io.formats.usd.cloths import SYSTEM, material_of_particles, target
from phalanx.io.formats.usd.deformables import DeformableModel, material_of
from phalanx.io.formats.usd.gaps import BETWEEN
from phalanx.io.formats.usd.models import START
from phalanx.world.carrying import carry_state
from phalanx.world.usd_scenes import add_scene
from phalanx.world.world import World

log = logging.getLogger("phalanx.facade")

MADE: list[Callable[[StageWorld], object]] = []
"""Called with each world that a stage has become, before its first step; not with empty ones."""

LEVEL = 1e-6
"""m: origins of environments that differ by less along a ground's normal stand on the same ground."""

_visuals = False
"""Whether worlds get shapes that are only seen."""


def read_visuals(on: bool = True) -> None:
    """Let worlds that are made from now on have the shapes that are only to be looked at, as films and viewers need.

    Others do without, since reading them takes time, and so do environments of several kinds. Cameras of the stage see
    them in any case.
    """
    global _visuals
    _visuals = on


MANY = 8
"""Environments that become one: so many are told as a warning, as that is slow."""


@dataclass(frozen=True)
class Place:
    """Where a prim's body is: an actor, one of its bodies, and the environment; ``None`` where it is in all of them."""

    actor: str
    body: str
    env: int | None


class StageWorld:
    """A world made from a stage.

    Args:
        stage: a ``pxr.Usd.Stage``.
        patterns: paths that assets are asked for by, regular expressions segment by segment: they say which prims may
            be environments.
        copies: prims that may be environments whatever the patterns are.
        before: a world that was made of the stage when it had other bodies; this one goes on from where it is.
        renewed: names of components that are not taken from there.
        settings: arguments of :class:`phalanx.World`.

    Attributes:
        stage: that it was made from.
        world: the engine's world, built if there is anything in it.
        is_empty: whether the stage has no body.
        env_paths: the prims whose contents are environments, in order; none if the stage became one environment.
        origins: (num_envs, 3), where the environments' origins are in the stage's world, m.
        scene: what was read.
        grippers: surface grippers by the paths of their prims, of the first environment.

    Raises:
        LoadError: the stage cannot be simulated.
    """

    def __init__(
        self,
        stage: Stage,
        patterns: Iterable[str] = (),
        copies: Sequence[str] = (),
        before: StageWorld | None = None,
        renewed: Collection[str] = (),
        **settings: Any,
    ) -> None:
        paths, why = environments.find(stage, patterns, copies)
        self.kinds: kinds.Kinds | None = None
        different: list[str] = []
        if not paths and why:
            different, _ = environments.candidates(stage, patterns, copies)
            try:
                if different:
                    self._make(stage, different, settings, kinds.group(stage, different))
                    paths = different
            except DifferentKindsError as error:
                why = f"{why}; {error}"
        if self.kinds is None:
            self._make_alike(stage, paths, why, len(different), settings)
        self.is_empty = not self.world.actors and not self.world.all_deformables
        self._view: SimulationView | None = None
        if before is not None:
            self.world.engine.features.update(before.world.engine.features)
        self.reset()
        if before is not None and not self.is_empty:
            self._go_on(before, renewed)
        for told in MADE if not self.is_empty else ():
            told(self)

    def _make_alike(self, stage: Stage, paths: list[str], why: str, count: int, settings: dict[str, Any]) -> None:
        """A world of environments that hold the same, or of one that holds all, which were ``count``."""
        if paths:
            count = len(paths)
            try:
                self._make(stage, paths, settings, None)
            except DifferentKindsError as error:
                paths, why = [], str(error)
        if not paths:
            if why:
                level = logging.WARNING if count >= MANY else logging.INFO
                slow = f", and {count} of them step slowly so" if count >= MANY else ""
                log.log(level, "the stage becomes one environment with all that it holds%s: %s", slow, why)
            self._make(stage, [], settings, None)

    def _make(self, stage: Stage, paths: list[str], settings: dict[str, Any], differ: kinds.Kinds | None) -> None:
        """A world with environments at some prims.

        Raises:
            DifferentKindsError: they cannot be side by side.
        """
        scene = read_stage(stage, visuals=_visuals and differ is None, skip=paths[1:], inertias="keep", loose_ends=True)
        for note in scene.warnings:
            tell_once(note, logging.WARNING if "left out" in note or BETWEEN in note else logging.INFO)
        starts = environments.origins(stage, paths) if paths else np.zeros((1, 3))
        if paths and (why := _outside(scene, paths[0], starts)):
            raise DifferentKindsError(why)
        if differ is not None:
            kinds.read(stage, differ, scene)
            for root, other in zip(differ.roots[1:], differ.scenes[1:], strict=True):
                _move(other, root, environments.origins(stage, [root])[0])
        self.stage, self.env_paths, self.origins, self.scene = stage, paths, starts, scene
        self._numbers = {path: i for i, path in enumerate(paths)}
        self._depth = paths[0].count("/") if paths else 0
        _move(scene, paths[0] if paths else "", starts[0])
        self.world = World(num_envs=len(starts), **settings)
        added = add_scene(scene, self.world)
        self._bodies, self._deformables = added.prims, added.deformable_prims
        self.grippers = surface_grippers.add(self.world, stage, self._owner, set(paths[1:]))
        if differ is not None:
            self.world.build()
            kinds.apply(differ, self.world, settings)
        self.kinds = differ
        self._around = [one.name for one in scene.actors.values() if paths and not _below(one.path, paths[0])]

    def _go_on(self, before: StageWorld, renewed: Collection[str]) -> None:
        """Take over the state of what was there before."""
        carry_state(before.world, self.world, renewed)
        for path, gripper in self.grippers.items():
            if path in before.grippers:
                gripper.go_on(before.grippers[path])

    def step(self) -> None:
        """A step of physics; nothing but time passes on a stage without bodies."""
        if not self.is_empty:
            self.world.step()

    def reset(self, env_ids: Any = None) -> None:
        """:meth:`phalanx.World.reset`; what stands around the environments stays where the stage has it."""
        if not self.is_empty:
            self.world.reset(env_ids)
            self._place_around(env_ids)
            self._place_kinds(env_ids)
            self._set_moving(env_ids)
            envs = np.arange(len(self.origins)) if env_ids is None else self.world.env_indices(env_ids)
            for gripper in self.grippers.values():
                gripper.reset(envs)

    def geometries(self) -> list[Any]:
        """What meshes and height fields were made of; who holds it spares another world of the same stage the work."""
        pieces = (piece for actor in self.world.actors.values() for piece in actor.part.articulation.collisions)
        return [piece.geometry for piece in pieces if piece.geometry is not None]

    def prototype(self, path: str) -> tuple[str, int | None]:
        """The prim of the first environment that a prim is a copy of, and the number of its own environment.

        That is ``None`` for prims outside of environments; those of a stage that became one environment are in 0.
        """
        if not self.env_paths:
            return path, 0
        head = "/".join(path.split("/")[: self._depth + 1])
        number = self._numbers.get(head)
        return (path, None) if number is None else (self.env_paths[0] + path[len(head) :], number)

    @property
    def samples(self) -> dict[str, np.ndarray]:
        """The first of environments that look alike, and (num_envs,) which do; empty without environments."""
        if self.kinds is None:
            return {path: np.ones(len(self.origins), bool) for path in self.env_paths[:1]}
        return {root: self.kinds.looks_of == kind for kind, root in enumerate(self.kinds.looks)}

    def place(self, path: str) -> Place:
        """Where a prim's body is.

        Raises:
            KeyError: no rigid body or static collider was read from the prim.
        """
        first, env = self.prototype(path)
        if first not in self._bodies:
            raise KeyError(f"<{path}> is neither a rigid body nor a static collider that is simulated")
        actor, body = self._bodies[first]
        return Place(actor, body, env)

    def soft_body(self, path: str) -> tuple[str, int | None]:
        """The name of the deformable body or cloth that was read from a prim, and its environment.

        Raises:
            KeyError: none was read from the prim.
        """
        first, env = self.prototype(path)
        if first not in self._deformables:
            raise KeyError(f"<{path}> is no deformable body that is simulated")
        return self._deformables[first], env

    @property
    def bodies(self) -> Mapping[str, tuple[str, str]]:
        """Actors and their bodies by the paths of the prims that they were read from, of the first environment."""
        return self._bodies

    @property
    def deformables(self) -> Mapping[str, str]:
        """Deformable bodies by the paths of the prims that they were read from, of the first environment."""
        return self._deformables

    def has_body(self, path: str) -> bool:
        """Whether a rigid body or a static collider was read from a prim, or from that which it is a copy of."""
        return self.prototype(path)[0] in self._bodies

    def find(self, expression: str) -> list[tuple[str, Place]]:
        """What an expression of :mod:`phalanx.facade.expressions` stands for, in the stage's order.

        That are the bodies among the prims that it matches, and the root bodies of those that are roots of
        articulations.
        """
        found = [(path, self._body_or_root(path)) for path in matching_paths(self.stage, expression)]
        return [(path, place) for path, place in found if place is not None]

    def find_soft(self, expression: str, materials: bool = False) -> list[tuple[str, tuple[str, int], str | None]]:
        """Deformable bodies that an expression matches, in the stage's order: path, name and environment, material.

        With ``materials`` the expression is of materials, and bodies are those that have one of them.
        """
        wanted = matching_paths(self.stage, expression)
        made = self._made({path: name for path, name in self._deformables.items() if name in self.world.deformables})
        found = []
        for path in made if materials else [path for path in wanted if path in made]:
            prim = material_of(self.stage.GetPrimAtPath(path))
            material = None if prim is None else str(prim.GetPath())
            if not materials or material in wanted:
                found.append((path, made[path], material))
        return found

    def _damping_scale(self, path: str) -> float:
        """What the material of a prim, or a material itself, scales damping of elastic motion by."""
        prim = self.stage.GetPrimAtPath(path)
        attribute = prim.GetAttribute("physxDeformableBodyMaterial:dampingScale") if prim else None
        value = attribute.Get() if attribute else None
        return 1.0 if value is None else float(value)

    def find_particles(self, materials: Iterable[str]) -> Iterator[tuple[str, int, Prim]]:
        """Cloth, grains and fluids that have one of some materials: name, environment, material."""
        wanted = set(materials)
        others = {path: name for path, name in self._deformables.items() if name not in self.world.deformables}
        for path, (name, env) in self._made(others).items():
            prim = self.stage.GetPrimAtPath(path)
            system = target(prim, SYSTEM) if prim else None
            found = material_of_particles(prim, self.stage.GetPrimAtPath(system) if system else None) if prim else None
            if found is not None and str(found.GetPath()) in wanted:
                yield name, env, found

    def find_cloth(self, expression: str) -> list[tuple[str, tuple[str, int], DeformableModel]]:
        """Cloth that an expression matches, in the stage's order: path, name and environment, and what was read."""
        made = self._made({path: name for path, name in self._deformables.items() if name in self.world.cloths})
        models = {one.name: one for one in self.scene.deformables}
        wanted = matching_paths(self.stage, expression)
        return [(path, made[path], models[made[path][0]]) for path in wanted if path in made]

    def _made(self, names: Mapping[str, str]) -> dict[str, tuple[str, int]]:
        """Names and environments by paths, from names by paths of the first environment."""
        made: dict[str, tuple[str, int]] = {}
        for first, name in names.items():
            inside = bool(self.env_paths) and _below(first, self.env_paths[0])
            for env, root in enumerate(self.env_paths) if inside else [(0, first)]:
                made[root + first[len(self.env_paths[0]) :] if inside else first] = (name, env)
        return made

    def _body_or_root(self, path: str) -> Place | None:
        if self.has_body(path):
            return self.place(path)
        if not self.stage.GetPrimAtPath(path).HasAPI(UsdPhysics.ArticulationRootAPI):
            return None
        names, env = self.actors_at(path)
        robots = [self.world.robots[name] for name in names if name in self.world.robots]
        return Place(robots[0].name, robots[0].body_names[0], env) if len(robots) == 1 else None

    @property
    def view(self) -> SimulationView:
        """What makes tensor views by :meth:`find`."""
        if self._view is None:
            self._view = SimulationView(
                self.world, self.find, self.origins, self.find_soft, self.find_cloth, self._damping_scale
            )
        return self._view

    def _owner(self, path: str) -> tuple[str, str] | None:
        """Actor and body of the nearest prim at or above a path that is one."""
        while path not in self._bodies and path.count("/") > 1:
            path = path.rpartition("/")[0]
        return self._bodies.get(path)

    def actors_at(self, path: str) -> tuple[list[str], int | None]:
        """The actors that a prim is, is part of as their root, or has below it, and their environment."""
        first, env = self.prototype(path)
        found = [one.name for one in self.scene.actors.values() if _below(one.path, first)]
        owners = (self._bodies[body][0] for body in self._bodies if _below(body, first))
        return list(dict.fromkeys([*found, *owners])), env

    def path_of_deformable(self, number: int, env: int) -> str | None:
        """The prim of a deformable body of the engine by its number, in an environment; ``None`` if there is none."""
        name = list(self.world.all_deformables)[number]
        return next((path for path, made in self._made(self._deformables).items() if made == (name, env)), None)

    def path_of(self, actor: int, body: int, env: int) -> str | None:
        """The prim of a body, by how queries of the engine number actors, bodies and environments.

        Args:
            actor: robots and objects come first, then grounds.
            body: of the actor; of no meaning for grounds.
            env: number of the environment.

        Returns:
            The path in this environment; ``None`` if no prim stands for the body.
        """
        names = list(self.world.actors)
        if actor >= len(names):
            return self.scene.grounds[actor - len(names)].name
        wanted = (names[actor], self.world.actors[names[actor]].body_names[body])
        found = next((path for path, place in self._bodies.items() if place == wanted), None)
        if found is None or not self.env_paths or not _below(found, self.env_paths[0]):
            return found
        return self.env_paths[env] + found[len(self.env_paths[0]) :]

    def body_paths(self, actor: str, env: int | None) -> list[str]:
        """The prims of an actor's bodies, in their order, in an environment; ``None``: the actor is in all of them."""
        order = {name: i for i, name in enumerate(self.world.actors[actor].body_names)}
        found = [""] * len(order)
        for path, (owner, body) in self._bodies.items():
            if owner == actor and not found[order[body]]:
                found[order[body]] = path
        if env is None or not self.env_paths:
            return found
        return [self.env_paths[env] + path[len(self.env_paths[0]) :] for path in found]

    def _set_moving(self, env_ids: Any) -> None:
        """Give bodies and joints the velocities that the stage gives them; those of bodies are of centres of mass."""
        envs = None if env_ids is None else self.world.env_indices(env_ids)
        self._set_cloth_moving(envs)
        for name, actor in self.scene.actors.items():
            start = next((frame for frame in actor.model.keyframes if frame.name == START), None)
            if start is None:
                continue
            if start.root_vel:
                view = RigidBodyView(self.world, [(name, envs)])
                view.set_velocities(np.tile(np.array(start.root_vel, "float32"), (view.count, 1)))
            if start.joint_vel:
                robot = self.world.robots[name]
                speeds = np.array([start.joint_vel.get(joint, 0.0) for joint in robot.joint_names])
                robot.set_joint_state(vel=speeds, env_ids=envs)

    def _set_cloth_moving(self, envs: Any) -> None:
        """Give cloth and particles the velocities that the stage gives it."""
        count = len(self.origins) if envs is None else len(envs)
        for model in self.scene.deformables:
            if model.velocities is not None:
                body = self.world.all_deformables[model.name]
                body.set_node_state(vel=np.tile(model.velocities, (count, 1, 1)), env_ids=envs)

    def _place_around(self, env_ids: Any) -> None:
        """Put what stands outside of environments where the stage has it, seen from each of them."""
        envs = np.arange(len(self.origins)) if env_ids is None else self.world.env_indices(env_ids)
        for name in self._around:
            model = self.scene.actors[name].model
            pose = np.tile(
                [*(model.position or (0.0,) * 3), *(model.orientation or (1.0, 0.0, 0.0, 0.0))], (len(envs), 1)
            )
            pose[:, :3] -= self.origins[envs]
            self.world.actors[name].set_root_state(pose=pose, env_ids=env_ids)

    def _place_kinds(self, env_ids: Any) -> None:
        """Put what environments of other kinds have at other places there, with their joints as they are there."""
        if self.kinds is None:
            return
        envs = np.arange(len(self.origins)) if env_ids is None else self.world.env_indices(env_ids)
        for name, actor in self.world.actors.items():
            poses = kinds.start_poses(self.kinds, name)
            if poses is not None and name not in self._around:
                actor.set_root_state(pose=poses[envs], env_ids=env_ids)


def _below(path: str, root: str) -> bool:
    return path == root or path.startswith(root.rstrip("/") + "/")


def _outside(scene: Scene, first: str, starts: np.ndarray) -> str:
    """Why what stands outside of the environments cannot be in all of them."""
    for actor in scene.actors.values():
        if actor.kind != "static" and not _below(actor.path, first):
            return f"<{actor.path}> moves, and stands outside of the environments"
    for soft in scene.deformables:
        if not _below(soft.path, first):
            return f"<{soft.path}> is deformable, and stands outside of the environments"
    for ground in scene.grounds:
        heights = (starts - starts[0]) @ np.array(ground.normal)
        if np.abs(heights).max() > LEVEL:
            return f"the ground <{ground.name}> is at other heights for other environments"
    return ""


def _move(scene: Scene, first: str, start: np.ndarray) -> None:
    """See what was read of the first environment, and grounds, from that environment's origin."""
    for actor in scene.actors.values():
        if first and _below(actor.path, first):
            x, y, z = (np.array(actor.model.position or (0.0,) * 3) - start).tolist()
            actor.model.position = (x, y, z)
    for soft in scene.deformables:
        if first and _below(soft.path, first):
            x, y, z = (np.array(soft.position) - start).tolist()
            soft.position = (x, y, z)
    for held in scene.held:
        if held.b is None:
            held.arguments["position_b"] = (np.array(held.arguments["position_b"]) - start).tolist()
    for ground in scene.grounds:
        ground.distance -= float(np.array(ground.normal) @ start)
