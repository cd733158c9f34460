"""What of a stage can be seen, read once for all cameras, and anew where the stage was edited since."""

from __future__ import annotations

import weakref
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary, WeakValueDictionary

import numpy as np

from phalanx.facade.once import tell_once
from phalanx.facade.stage_world import Place, StageWorld
from phalanx.facade.visible import PRODUCTS
from phalanx.facade.visible.drawn_prims import DrawnPrim, drawn_prims, is_hidden, told_by_environments
from phalanx.facade.visible.geometry import Piece, pieces, placed
from phalanx.facade.visible.labels import Chain, Labels
from phalanx.facade.visible.lights import lights_of
from phalanx.facade.visible.materials import Materials
from phalanx.io.formats.usd.bindings import Prim, Stage, Tf, Usd, UsdGeom
from phalanx.io.formats.usd.frames import inverse, rigid, sheared

if TYPE_CHECKING:
    from phalanx.images.looks import Light, Look, Texture

MOST_POINTS = 1000
"""Shapes of one point instancer that are drawn."""

NOT_LOOKS = ("physics:", "physx", "drive:", "state:", "limit:", "newton:", "omni:", "ui:", "extent", "collection:")
"""Beginnings of properties that do not change how things look."""


@dataclass
class SeenShape:
    """A prim that is drawn.

    Attributes:
        path: of the prim; the first environment's for what each of them has.
        own: whether each environment has one.
        carrier: the rigid body that it moves with.
        parts: its geometry, in the carrier's frame, or that of the environment's origin, or the world; with looks.
        chain: its labels.
        above: paths of the prim and of all above it.
        envs: (num_envs,), which environments have it; ``None``: all, or it is outside of them.
    """

    path: str
    own: bool
    carrier: Place | None
    parts: list[tuple[Piece, Look]]
    chain: Chain
    above: tuple[str, ...]
    envs: np.ndarray | None = None


_known: WeakKeyDictionary[StageWorld, StageContents] = WeakKeyDictionary()


class StageContents:
    """Shapes, lights and labels of the stage that a world was made of.

    Attributes:
        shapes: what is drawn, unless it is hidden now.
        structure: grows whenever they are read anew.
        visibility: grows whenever something is shown or hidden.
        scenes: made of them, which cameras share.
    """

    @classmethod
    def of(cls, stage_world: StageWorld, stage: Stage) -> StageContents:
        """Those that cameras of a world share."""
        if stage_world not in _known:
            _known[stage_world] = cls(stage_world, stage)
        return _known[stage_world]

    def __init__(self, stage_world: StageWorld, stage: Stage) -> None:
        self._world = weakref.ref(stage_world)
        self._stage = stage
        self._geometry: dict[str, tuple[bytes, list[Piece]]] = {}
        self._textures: dict[str, Texture | None] = {}
        self._edited: set[str] = set()
        self._shown: set[str] = set()
        self.structure = self.visibility = 0
        self.shapes: list[SeenShape] = []
        self._lights: list[DrawnPrim] = []
        self._hidden: dict[str, np.ndarray] = {}
        self.scenes: WeakValueDictionary[Any, Any] = WeakValueDictionary()
        self._read()
        me = weakref.ref(self)

        def told(notice: Any, _sender: Any) -> None:
            found = me()
            if found is not None:
                found._note(notice)

        self._told = told  # USD does not keep it alive
        self._listening = Tf.Notice.Register(Usd.Notice.ObjectsChanged, told, stage)

    def __del__(self) -> None:
        if hasattr(self, "_listening"):
            self._listening.Revoke()

    @property
    def stage_world(self) -> StageWorld:
        """The world of the stage.

        Raises:
            RuntimeError: the simulation has let it go.
        """
        found = self._world()
        if found is None:
            raise RuntimeError("the world that these cameras see is gone: call sim.reset() first")
        return found

    @property
    def num_envs(self) -> int:
        """Environments of the world."""
        return len(self.stage_world.origins)

    def refresh(self) -> None:
        """Read anew what was edited since the last time."""
        if self._edited:
            self._read()
        elif self._shown:
            for path in self._shown:
                self._look_at(path)
            self._shown.clear()
            self.visibility += 1

    def is_visible(self, shape: SeenShape) -> np.ndarray:
        """(num_envs,): in which environments a shape is not hidden."""
        found = np.ones(self.num_envs, bool) if shape.envs is None else shape.envs.copy()
        for path in shape.above:
            if path in self._hidden:
                found &= ~self._hidden[path]
        return found

    def lights(self, together: bool) -> list[Light]:
        """Lights now.

        Args:
            together: whether the environments are seen in one scene; else lamps in environments have no place that
                would hold for all, and are left out, which is told.
        """
        found: list[DrawnPrim] = []
        on = [one for one in self._lights if not self._is_off(one.path)]
        for one in on:
            lamp = not str(one.prim.GetTypeName()).startswith(("Dome", "Distant"))
            if one.own and lamp and not together and self.num_envs > 1:
                tell_once(f"<{one.path}> is in each environment: cameras see only lamps that are outside of them")
                continue
            found.append(one)
        return lights_of(found) if found or on or not self._lights else []

    # -- reading -------------------------------------------------------------------------------------------------

    def _read(self) -> None:
        for path in self._edited:
            self._forget(path)
        self._edited.clear()
        self._shown.clear()
        stage_world, labels, materials = self.stage_world, Labels(), Materials(self._textures)
        shapes, self._lights, hidden = drawn_prims(self._stage, stage_world)
        before, self._hidden = self._hidden, {}
        told = told_by_environments(self._stage, stage_world.env_paths[1:])
        for path in dict.fromkeys([*hidden, *before, *told]):
            self._look_at(path)
        samples = {f"{root}/": envs for root, envs in stage_world.samples.items()} if stage_world.kinds else {}
        self.shapes = []
        cache = UsdGeom.XformCache(Usd.TimeCode.EarliestTime())
        for one in shapes:
            frame, (path, env) = np.eye(4), stage_world.prototype(one.path)
            if one.own:
                frame[:3, 3] = stage_world.origins[env or 0]
            if one.carrier is not None:
                prim = self._stage.GetPrimAtPath(one.carrier)
                frame = rigid(np.array(cache.GetLocalToWorldTransform(prim)).T)
            carrier = None if one.carrier is None else stage_world.place(one.carrier)
            local = inverse(frame) @ one.transform
            if one.prim.IsA(UsdGeom.PointInstancer):
                parts = self._points(one.prim, local, materials)
            else:
                parts = [(piece, materials.look(one.prim, piece)) for piece in self._pieces(one.prim, one.path, local)]
            if parts:
                envs = next((mask for root, mask in samples.items() if one.path.startswith(root)), None)
                chain = tuple((stage_world.prototype(at)[0], own) for at, own in labels.chain(one.prim))
                self.shapes.append(SeenShape(path, one.own, carrier, parts, chain, _at_and_above(path), envs))
        self.structure += 1
        self.visibility += 1

    def _pieces(self, prim: Prim, path: str, transform: np.ndarray) -> list[Piece]:
        """Geometry of a prim, which is kept until it is edited; a mesh is one for all places and instances.

        None of what a scale of 0 makes flat, as arrows for commands to stand are: it has no axes to be turned by.
        """
        if not np.linalg.norm(transform[:3, :3], axis=0).all():
            return []
        if prim.IsA(UsdGeom.Mesh) and not sheared(transform[:3, :3]):
            source = prim.GetPrimInPrototype() if prim.IsInstanceProxy() else prim
            name = str(source.GetPath())
            if self._geometry.get(name, (b"", []))[0] != b"mesh":
                self._geometry[name] = b"mesh", pieces(source, np.eye(4))
            return [replace(piece, place=placed(transform)) for piece in self._geometry[name][1]]
        key = np.round(transform, 9).tobytes()
        if path not in self._geometry or self._geometry[path][0] != key:
            self._geometry[path] = key, pieces(prim, transform)
        return self._geometry[path][1]

    def _points(self, prim: Prim, local: np.ndarray, materials: Materials) -> list[tuple[Piece, Look]]:
        """Copies of the prototypes of a point instancer."""
        instancer = UsdGeom.PointInstancer(prim)
        time = Usd.TimeCode.EarliestTime()
        sorts = instancer.GetProtoIndicesAttr().Get(time)
        targets = instancer.GetPrototypesRel().GetForwardedTargets()
        if sorts is None or not len(sorts) or not targets:
            return []
        mask = instancer.ComputeMaskAtTime(time)
        frames = instancer.ComputeInstanceTransformsAtTime(
            time, time, UsdGeom.PointInstancer.IncludeProtoXform, UsdGeom.PointInstancer.IgnoreMask
        )
        prototypes = [self._prototype(target, materials) for target in targets]
        found: list[tuple[Piece, Look]] = []
        for i, sort in enumerate(sorts):
            if (len(mask) and not mask[i]) or not 0 <= sort < len(prototypes):
                continue
            for part, transform, look in prototypes[sort]:
                if len(found) == MOST_POINTS:
                    tell_once(f"<{prim.GetPath()}> has many points, of which cameras see {MOST_POINTS}")
                    return found
                name = f"{part.GetPath()}#{prim.GetPath()}#{i}"
                whole = local @ np.array(frames[i]).T @ transform
                found += [(piece, look) for piece in self._pieces(part, name, whole)]
        return found

    def _prototype(self, target: Any, materials: Materials) -> list[tuple[Prim, np.ndarray, Look]]:
        """Prims with geometry at and below a prototype, in its frame, and their looks; hidden ones are left out."""
        root = self._stage.GetPrimAtPath(target)
        found: list[tuple[Prim, np.ndarray, Look]] = []
        if not root:
            return found
        cache = UsdGeom.XformCache(Usd.TimeCode.EarliestTime())
        base = np.linalg.inv(np.array(cache.GetLocalToWorldTransform(root)).T)
        walk: Any = iter(Usd.PrimRange(root, Usd.TraverseInstanceProxies()))
        for prim in walk:
            if is_hidden(prim):
                walk.PruneChildren()
            elif prim.IsA(UsdGeom.Gprim):
                transform = base @ np.array(cache.GetLocalToWorldTransform(prim)).T
                parts = self._pieces(prim, str(prim.GetPath()), transform)
                found += [(prim, transform, materials.look(prim, piece)) for piece in parts[:1]]
        return found

    # -- what is edited ------------------------------------------------------------------------------------------

    def _note(self, notice: Any) -> None:
        """Remember which prims were edited."""
        stage_world = self._world()
        if stage_world is None:
            return
        for path in (*notice.GetResyncedPaths(), *notice.GetChangedInfoOnlyPaths()):
            if path.IsPrimPath() and path not in notice.GetResyncedPaths():
                continue
            name = path.name if path.IsPropertyPath() else ""
            prim = str(path.GetPrimPath())
            if name == "visibility":
                self._shown.add(prim)
            elif not (prim + "/").startswith(PRODUCTS + "/") and not (name and name.startswith(NOT_LOOKS)):
                first, env = stage_world.prototype(prim)
                if env in (None, 0) or first == prim or stage_world.env_paths[env] in stage_world.samples:
                    self._edited.add(prim)

    def _forget(self, path: str) -> None:
        for known in list(self._geometry):  # instances may be of what was edited
            if known == path or known.startswith((path + "/", path + "#", "/__Prototype")):
                del self._geometry[known]

    def _look_at(self, path: str) -> None:
        """Note in which environments a prim is hidden."""
        stage_world = self.stage_world
        first, env = stage_world.prototype(path)
        if env is None or not stage_world.env_paths:
            self._hide(path, slice(None), path)
        else:
            for i in range(self.num_envs) if first == path and env == 0 else (env,):
                self._hide(first, slice(i, i + 1), stage_world.env_paths[i] + first[len(stage_world.env_paths[0]) :])

    def _hide(self, key: str, envs: slice, path: str) -> None:
        prim = self._stage.GetPrimAtPath(path)
        hidden = bool(prim) and is_hidden(prim)
        if key not in self._hidden:
            if not hidden:
                return
            self._hidden[key] = np.zeros(self.num_envs, bool)
        self._hidden[key][envs] = hidden

    def _is_off(self, path: str) -> bool:
        """Whether a light is hidden in the first environment, or anywhere if it is outside."""
        return any(self._hidden[one][0] for one in _at_and_above(path) if one in self._hidden)


def _at_and_above(path: str) -> tuple[str, ...]:
    """A path, and those of all prims above it, from the root down."""
    names = path.split("/")
    return tuple("/".join(names[:k]) for k in range(2, len(names) + 1))
