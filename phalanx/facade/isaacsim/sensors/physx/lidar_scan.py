"""What a turning lidar measures: rays cast against what collides."""

from __future__ import annotations

import math
import weakref
from typing import Any

import numpy as np

from phalanx.facade import live_poses, physics_steps, simulation
from phalanx.facade import stage as stages
from phalanx.facade.backends import on_host
from phalanx.facade.event_streams import Event
from phalanx.facade.stage_world import StageWorld
from phalanx.io.formats.usd.bindings import Prim, Sdf, UsdGeom

DEFAULTS: dict[str, Any] = {
    "minRange": 0.4,
    "maxRange": 100.0,
    "drawPoints": False,
    "drawLines": False,
    "horizontalFov": 360.0,
    "verticalFov": 30.0,
    "horizontalResolution": 0.4,
    "verticalResolution": 4.0,
    "rotationRate": 20.0,
    "highLod": True,
    "yawOffset": 0.0,
    "enableSemantics": False,
}
"""Attributes of lidars, and what holds where nothing is written: m, degrees, 1/s."""

LONGEST = 1.0 / 30.0
"""s: of more time than that, a step scans no more columns; a lidar turns no more often than every so long."""

NOTHING = 65535
"""The depth where nothing was hit."""


def is_lidar(prim: Prim) -> bool:
    """Whether a prim is a lidar."""
    return bool(prim) and prim.HasAttribute("horizontalFov") and prim.HasAttribute("rotationRate")


def make_lidar(path: str, **values: Any) -> Prim:
    """Make a prim a lidar, which is created if it is not there, and write attributes that it has not.

    Args:
        path: of the prim.
        values: of attributes; see :data:`DEFAULTS` for those that are not given.
    """
    stage = stages.get_stage()
    prim = stage.GetPrimAtPath(path)
    if not prim:
        prim = UsdGeom.Xform.Define(stage, path).GetPrim()
    elif not prim.IsA(UsdGeom.Xformable):
        prim.SetTypeName("Xform")  # files of Isaac Sim have a type of its own, which USD alone does not know
    for name, default in DEFAULTS.items():
        if name in values or not prim.HasAttribute(name):
            kind = Sdf.ValueTypeNames.Bool if isinstance(default, bool) else Sdf.ValueTypeNames.Float
            prim.CreateAttribute(name, kind, False).Set(type(default)(values.get(name, default)))
    return prim


class LidarScan:
    """The scan of a lidar.

    A lidar has columns, each of which looks into one direction about its z axis, and rows, each at an angle of its own
    to the horizontal. It turns so often a second; with each step of physics it scans those columns that pass in that
    time, or all of them if it does not turn. ``highLod`` false means one row, at the horizontal.

    Rays begin at the least distance, and are cast when somebody asks for what they hit. What collides is hit, whether
    it is seen or not.

    Args:
        path: of the prim.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self._key: Any = None
        self._world: StageWorld | None = None
        self._found: dict[str, Any] | None = None
        self._read()
        me = weakref.ref(self)

        def stepped(event: Event) -> None:
            if (scan := me()) is not None:
                scan._stepped(event.payload["dt"])

        self._listener = physics_steps.AFTER.create_subscription_to_pop(stepped)

    @property
    def prim(self) -> Prim:
        """The lidar's prim."""
        return stages.get_stage().GetPrimAtPath(self.path)

    # -- columns and rows ------------------------------------------------------------------------------------

    def _read(self) -> None:
        """Have what the prim says; a scan begins anew where it says something else."""
        prim = self.prim
        given = {name: prim.GetAttribute(name).Get() for name in DEFAULTS if prim.HasAttribute(name)}
        value = {name: default if given.get(name) is None else given[name] for name, default in DEFAULTS.items()}
        if value == self._key:
            return
        self._key = value
        across = min(max(value["horizontalResolution"], 0.005), 1024.0)
        up = min(max(value["verticalResolution"], 0.005), 1024.0)
        wide = min(max(value["horizontalFov"], across), 360.0)
        high = min(max(value["verticalFov"], up), 360.0)
        self.columns = int(wide / across + 1e-4)
        self.rows = int(high / up + 1e-4) + 1 if value["highLod"] else 1
        start = -0.5 * wide + value["yawOffset"]
        self._azimuths = np.deg2rad(start + across * np.arange(self.columns)).astype(np.float32)
        zeniths = np.deg2rad(-0.5 * high + up * np.arange(self.rows)) if value["highLod"] else np.zeros(1)
        self.zeniths = zeniths.astype(np.float32)
        self.rate = min(max(value["rotationRate"], 0.0), 1.0 / LONGEST)
        self.least = max(value["minRange"], 0.0)
        self.most = max(value["maxRange"], self.least)
        self._names = bool(value["enableSemantics"])
        self._begin()

    def _begin(self) -> None:
        """Scan from the first column on."""
        self._left, self._next = 0.0, 0
        self._scanned = np.arange(self.columns) if not self.rate else np.zeros(0, int)
        self._found = None

    def _stepped(self, dt: float) -> None:
        """A step of physics has passed."""
        prim = self.prim
        if not prim:
            return
        self._read()
        world = simulation.stage_world()
        if world is not self._world:
            self._world = world
            self._begin()
        self._found = None
        if not self.rate:
            self._scanned = np.arange(self.columns)
            return
        speed = self.columns * self.rate
        self._left += dt
        count = min(int(speed * self._left + 1e-6), int(speed * LONGEST + 1e-6))
        self._left = math.fmod(self._left - count / speed, LONGEST) if count else self._left
        self._left = max(self._left, 0.0)
        self._scanned = (self._next + np.arange(count)) % self.columns
        self._next = (self._next + count) % self.columns

    @property
    def azimuths(self) -> np.ndarray:
        """(columns of the last step,): angles about the z axis, rad."""
        return self._azimuths[self._scanned]

    # -- rays ------------------------------------------------------------------------------------------------

    def result(self, name: str) -> Any:
        """What the last step's columns measured, each (columns, rows) or (columns, rows, 3).

        * ``"linear_depth"``: float32, distance from the lidar, m; the greatest one where nothing is.
        * ``"depth"``: uint16, the same, by the greatest one and times 65535, which stands for nothing.
        * ``"intensity"``: uint8, 255 where something is.
        * ``"point_cloud"``: float32, in the lidar's frame, units of the stage.
        * ``"prims"``: paths of what was hit, empty for nothing; a list, column by column. Only with
          ``enableSemantics``.
        """
        if self._found is None:
            self._found = self._cast()
        return self._found[name]

    def _cast(self) -> dict[str, Any]:
        self._read()
        world, count = simulation.stage_world(), len(self._scanned) * self.rows
        azimuth, zenith = self.azimuths[:, None].astype(float), self.zeniths[None, :].astype(float)
        # a turn about z, then about the y axis that results: what points up has a negative angle
        ways = np.stack(
            [np.cos(azimuth) * np.cos(zenith), np.sin(azimuth) * np.cos(zenith), -np.sin(zenith) + 0.0 * azimuth], -1
        ).reshape(-1, 3)
        unit = UsdGeom.GetStageMetersPerUnit(stages.get_stage())
        distance = np.full(count, np.inf)
        prims = [""] * count
        if world is not None and count and not (world.is_empty and not world.scene.grounds):
            distance = self._distances(world, ways, unit, prims)
        hit = np.isfinite(distance)
        far = np.where(hit, distance + self.least, self.most)
        reached = np.where(hit, far, self.most + self.least)[:, None] * ways / unit
        shape = len(self._scanned), self.rows
        depth = np.where(hit, np.floor(far / max(self.most, 1e-9) * 65535.0).clip(0, 65535), NOTHING)
        return {
            "linear_depth": far.reshape(shape).astype(np.float32),
            "depth": depth.reshape(shape).astype(np.uint16),
            "intensity": np.where(hit, 255, 0).reshape(shape).astype(np.uint8),
            "point_cloud": reached.reshape(*shape, 3).astype(np.float32),
            "prims": prims,
        }

    def _distances(self, world: StageWorld, ways: np.ndarray, unit: float, prims: list[str]) -> np.ndarray:
        """(rays,): from where rays begin to what they hit, m; inf for nothing."""
        transform = live_poses.rigid(live_poses.transforms([self.prim], live_poses.of([self.path])))[0]
        turned = ways @ transform[:3, :3].T
        begin = transform[:3, 3] * unit + self.least * turned
        _, env = world.prototype(self.path)
        envs = np.arange(len(world.origins)) if env is None else np.array([env])
        origins = begin[None] - np.asarray(world.origins)[envs][:, None]
        hits = world.world.queries.raycast(
            origins, np.broadcast_to(turned, origins.shape), self.most, env_ids=envs, both_sides=True
        )
        far = on_host(hits.distance, float)
        nearest = far.argmin(axis=0)
        if self._names:
            actors, bodies = on_host(hits.actor), on_host(hits.body)
            for ray, row in enumerate(nearest):
                if np.isfinite(far[row, ray]):
                    path = world.path_of(int(actors[row, ray]), int(bodies[row, ray]), int(envs[row]))
                    prims[ray] = path or ""
        return far.min(axis=0)


_scans: dict[str, LidarScan] = {}


def scan_of(path: str) -> LidarScan | None:
    """The scan of the lidar at a path of the current stage; ``None`` if there is none."""
    if not is_lidar(stages.get_stage().GetPrimAtPath(path)):
        _scans.pop(path, None)
        return None
    if path not in _scans:
        _scans[path] = LidarScan(path)
    return _scans[path]


__all__ = ["LidarScan", "is_lidar", "make_lidar", "scan_of"]
