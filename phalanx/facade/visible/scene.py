"""What cameras see, as a scene for rays that follows the simulation.

Where environments hold the same, a camera in one of them sees that one and what is outside of all; other cameras, and
those on a stage that became one environment, see everything there is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from phalanx import components as c
from phalanx.facade.stage_world import StageWorld
from phalanx.facade.visible.labels import Chain
from phalanx.facade.visible.stage_contents import SeenShape, StageContents
from phalanx.io.formats.usd.bindings import Stage

if TYPE_CHECKING:
    from phalanx.images.looks import Light, Look
    from phalanx.rays.scene import RayScene


@dataclass(frozen=True)
class SeenObject:
    """What a hit's object number stands for: a prim of the stage.

    Attributes:
        path: of the prim; the first environment's, if each camera sees its own.
        own: whether each camera sees that of its environment.
        chain: labels, with paths as the path's.
    """

    path: str
    own: bool
    chain: Chain


@dataclass
class _Member:
    """A shape in the scene, by environments of the cameras (``env`` is ``None``) or in one environment."""

    shape: SeenShape
    env: int | None
    slot: int | None
    seen: np.ndarray


class VisibleScene:
    """What cameras see.

    Args:
        contents: of the stage.
        envs: (n,), the environment of each camera; ``None``: each sees everything.
        count: n, cameras.

    Attributes:
        scene: with an environment for each camera.
        looks: of its instances, by number.
        lights: of the stage.
        objects: by the object numbers that hits report.
        version: grows whenever ``scene`` and what belongs to it are others.
    """

    @classmethod
    def of(cls, stage_world: StageWorld, stage: Stage, envs: list[int] | None, count: int) -> VisibleScene:
        """The scene that cameras of the same environments share."""
        contents = StageContents.of(stage_world, stage)
        key = count if envs is None else tuple(envs)
        found = contents.scenes.get(key)
        if found is None:
            found = contents.scenes[key] = cls(contents, envs, count)
        return found

    def __init__(self, contents: StageContents, envs: list[int] | None, count: int) -> None:
        self._contents, self._count = contents, count
        self._envs = None if envs is None else np.array(envs, np.int32)
        self._structure = self._visibility = -1
        self._placed: Any = None
        self.version = 0
        self.scene: RayScene
        self.looks: dict[int, Look] = {}
        self.lights: list[Light] = []
        self.objects: list[SeenObject] = []
        self._refresh()

    def update(self) -> None:
        """Put everything where it is now, and show what is shown now; on a GPU this only queues work."""
        self._refresh()
        world = self._contents.stage_world.world
        now = (world.step_count, world.state_revision, world.input_revision, self._visibility, self.version)
        if now != self._placed and self.scene.num_bodies:
            self._place(world)
            self._placed = now

    def path_of(self, path: str, own: bool, camera: int) -> str:
        """The path of a prim that a camera sees, from that of an object or of its labels."""
        if not own or self._envs is None:
            return path
        paths = self._contents.stage_world.env_paths
        return paths[self._envs[camera]] + path[len(paths[0]) :]

    def is_inside(self, path: str) -> bool:
        """Whether a prim is in the first environment."""
        paths = self._contents.stage_world.env_paths
        return bool(paths) and path.startswith(paths[0] + "/")

    # -- what there is -------------------------------------------------------------------------------------------

    def _refresh(self) -> None:
        contents = self._contents
        contents.refresh()
        if contents.structure == self._structure and (contents.visibility == self._visibility or self._show()):
            self._visibility = contents.visibility
            return
        self._build()
        self._structure, self._visibility = contents.structure, contents.visibility

    def _build(self) -> None:
        from phalanx.rays.scene import RayScene

        contents, count = self._contents, self._count
        world = contents.stage_world.world
        if not contents.stage_world.is_empty:
            world.build()
        self.scene, self.looks, self.objects = RayScene(count, world.engine.device), {}, []
        self._slots: dict[Any, int] = {}
        self._members = [_Member(shape, env, None, seen) for shape, env, seen in self._candidates()]
        for member in self._members:
            if member.seen.any():
                self._add(member)
        self.lights = contents.lights(self._envs is None)
        self._make_arrays(world)
        self.version += 1

    def _candidates(self) -> list[tuple[SeenShape, int | None, np.ndarray]]:
        """Shapes, in which environment, and (count,) which cameras see them."""
        contents, found = self._contents, []
        for shape in contents.shapes:
            visible = contents.is_visible(shape)
            if self._envs is not None:
                found.append((shape, None, visible[self._envs] if shape.own else np.repeat(visible[:1], self._count)))
            elif not shape.own:
                found.append((shape, 0, np.repeat(visible[:1], self._count)))
            else:
                found += [(shape, env, np.repeat(visible[env], self._count)) for env in range(contents.num_envs)]
        return found

    def _add(self, member: _Member) -> None:
        """Let the scene have a shape. A body of the scene is something that moves alike and is seen alike."""
        shape, env, contents = member.shape, member.env, self._contents
        number, origin = len(self.objects), np.zeros(3)
        path, chain = shape.path, shape.chain
        if env and shape.own:
            first, other = contents.stage_world.env_paths[0], contents.stage_world.env_paths[env]
            path = other + path[len(first) :]
            chain = tuple((other + at[len(first) :] if at.startswith(first) else at, own) for at, own in chain)
        self.objects.append(SeenObject(path, shape.own, chain))
        moves = shape.carrier is not None
        if moves or (shape.own and env is None) or not member.seen.all():
            key = (shape.carrier, env, shape.own or moves, member.seen.tobytes())
            member.slot = self._slots.setdefault(key, len(self._slots))
        elif shape.own and env is not None:
            origin = np.asarray(contents.stage_world.origins[env])
        for piece, look in shape.parts:
            place = dict(piece.place)
            place["position"] = (np.array(place.get("position", (0.0, 0.0, 0.0))) + origin).tolist()
            instance = self.scene.add(piece.geometry, body=member.slot, object=number, **place)
            self.looks[instance] = look

    def _show(self) -> bool:
        """Show what is shown now; whether that is possible without another scene."""
        seen = [now for _, _, now in self._candidates()]
        shown = np.ones((self._count, max(len(self._slots), 1)), np.int32)
        told: dict[int, np.ndarray] = {}
        for member, now in zip(self._members, seen, strict=True):
            if member.slot is None and not np.array_equal(member.seen, now):
                return False
            if member.slot is not None:
                if not np.array_equal(told.setdefault(member.slot, now), now):
                    return False
                shown[:, member.slot] = now
        for member, now in zip(self._members, seen, strict=True):
            member.seen = now
        self.lights = self._contents.lights(self._envs is None)
        with self.scene.device.active():
            self._shown[...] = self.scene.device.xp.asarray(shown)
        return True

    # -- where it is ---------------------------------------------------------------------------------------------

    def _make_arrays(self, world: Any) -> None:
        device, slots = self.scene.device, max(len(self._slots), 1)
        stage_world, count = self._contents.stage_world, self._count
        rows, own = np.full(slots, -1, np.int32), np.full(slots, -1, np.int32)
        shown = np.ones((count, slots), np.int32)
        for (carrier, env, inside, _), slot in self._slots.items():
            if carrier is not None:
                actor = world.actors[carrier.actor]
                rows[slot] = actor._bound.bodies.start + actor.body_index(carrier.body)
            own[slot] = -1 if env is None else env
            if not inside:  # it is where it is in the world
                rows[slot] = -2
        for member in self._members:
            if member.slot is not None:
                shown[:, member.slot] = member.seen
        envs = np.zeros(count, np.int32) if self._envs is None else self._envs
        with device.active():
            xp = device.xp
            self._rows, self._own, self._of = xp.asarray(rows), xp.asarray(own), xp.asarray(envs)
            self._origins = xp.asarray(np.asarray(stage_world.origins, np.float32))
            self._shown = xp.asarray(shown)
            self._position = xp.zeros((count, slots, 3), np.float32)
            self._orientation = xp.zeros((count, slots, 4), np.float32)

    def _place(self, world: Any) -> None:
        from phalanx.rays.body_poses import place_bodies

        scene = self.scene
        if self._contents.stage_world.is_empty:
            poses, stride = self._origins, 1
        else:
            world.compute("query_bodies")
            poses = world.engine.store.array(c.BodyState.pose)
            stride = poses.shape[-1]
            if poses.dtype != np.float32:
                with world.engine.device.active():
                    poses = poses.astype(np.float32)
        slots = self._rows.shape[0]
        tables = (self._rows, self._own, self._of, self._origins, self._position, self._orientation)
        scene.run(place_bodies, self._count * slots, (slots, stride, poses), tables, ())
        scene.place(self._position, self._orientation, self._shown)
