"""What is in a scene: assets and sensors by name, made from the attributes of its configuration."""

from __future__ import annotations

import dataclasses
import logging
from itertools import chain
from typing import Any

from phalanx.facade.isaaclab import assets
from phalanx.facade.isaaclab.scene.interactive_scene_cfg import InteractiveSceneCfg
from phalanx.facade.isaaclab.sensors.prims import fill_in
from phalanx.facade.isaaclab.sensors.sensor_base_cfg import SensorBaseCfg
from phalanx.facade.isaaclab.sim import utils
from phalanx.facade.isaaclab.sim.views import XformPrimView

log = logging.getLogger("phalanx.facade")


class Entities:
    """Assets and sensors by name."""

    def __init__(self) -> None:
        self._articulations: dict[str, Any] = {}
        self._rigid_objects: dict[str, Any] = {}
        self._rigid_object_collections: dict[str, Any] = {}
        self._deformable_objects: dict[str, Any] = {}
        self._surface_grippers: dict[str, Any] = {}
        self._sensors: dict[str, Any] = {}
        self._extras: dict[str, Any] = {}
        self._terrain: Any = None
        self._global_paths: list[str] = []

    @property
    def articulations(self) -> dict[str, Any]:
        """Articulations by name."""
        return self._articulations

    @property
    def rigid_objects(self) -> dict[str, Any]:
        """Rigid objects by name."""
        return self._rigid_objects

    @property
    def rigid_object_collections(self) -> dict[str, Any]:
        """Collections of rigid objects by name."""
        return self._rigid_object_collections

    @property
    def deformable_objects(self) -> dict[str, Any]:
        """Deformable objects by name."""
        return self._deformable_objects

    @property
    def surface_grippers(self) -> dict[str, Any]:
        """Surface grippers by name."""
        return self._surface_grippers

    @property
    def sensors(self) -> dict[str, Any]:
        """Sensors by name."""
        return self._sensors

    @property
    def extras(self) -> dict[str, Any]:
        """What is only put on the stage, by name: views of its prims."""
        return self._extras

    @property
    def terrain(self) -> Any:
        """The terrain, ``None`` if there is none."""
        return self._terrain

    def keys(self) -> list[str]:
        """Names of all that ``scene[name]`` finds."""
        return ["terrain", *chain.from_iterable(self._families())]

    def __getitem__(self, key: str) -> Any:
        """What has a name; ``"terrain"`` is the terrain.

        Raises:
            KeyError: nothing has.
        """
        if key == "terrain":
            return self._terrain
        for family in self._families():
            if key in family:
                return family[key]
        raise KeyError(f"the scene has no {key!r}; it has {', '.join(self.keys())}")

    def __contains__(self, key: object) -> bool:
        return key in self.keys()

    # -- inside ----------------------------------------------------------------------------------------------

    def _families(self) -> list[dict[str, Any]]:
        return [
            self._articulations,
            self._deformable_objects,
            self._rigid_objects,
            self._rigid_object_collections,
            self._surface_grippers,
            self._sensors,
            self._extras,
        ]

    def _simulated(self) -> list[Any]:
        """Assets with physics."""
        return [*chain.from_iterable(family.values() for family in self._families()[:-2])]

    def _add_entities(self, cfg: InteractiveSceneCfg, env_regex_ns: str) -> bool:
        """Make what a configuration has; whether there is anything. What cannot be made is told before any is."""
        own = {field.name for field in dataclasses.fields(InteractiveSceneCfg)}  # pyright: ignore[reportArgumentType]
        found = {name: value for name, value in vars(cfg).items() if name not in own and value is not None}
        for name, value in found.items():
            _check(name, value)
        if cfg.replicate_physics and cfg.num_envs > 1:
            _tell_alike(found)
        for name, value in found.items():
            if hasattr(value, "prim_path"):
                value.prim_path = value.prim_path.format(ENV_REGEX_NS=env_regex_ns)
            if isinstance(value, SensorBaseCfg):
                fill_in(value, env_regex_ns)
                self._sensors[name] = value.class_type(value)
            elif _is(value, "RigidObjectCollectionCfg"):
                for one in value.rigid_objects.values():
                    one.prim_path = one.prim_path.format(ENV_REGEX_NS=env_regex_ns)
                self._rigid_object_collections[name] = value.class_type(value)
            elif isinstance(value, assets.ArticulationCfg):
                self._articulations[name] = value.class_type(value)
            elif isinstance(value, assets.DeformableObjectCfg):
                self._deformable_objects[name] = value.class_type(value)
            elif isinstance(value, assets.RigidObjectCfg):
                self._rigid_objects[name] = value.class_type(value)
            elif isinstance(value, assets.SurfaceGripperCfg):
                self._surface_grippers[name] = value.class_type(value)
            elif _is(value, "TerrainImporterCfg"):
                value.num_envs, value.env_spacing = cfg.num_envs, cfg.env_spacing
                self._terrain = value.class_type(value)
            else:
                if value.spawn is not None:
                    place = value.init_state
                    value.spawn.func(value.prim_path, value.spawn, translation=place.pos, orientation=place.rot)
                self._extras[name] = XformPrimView(value.prim_path, validate_xform_ops=False)
            if getattr(value, "collision_group", 0) == -1:
                self._global_paths += utils.find_matching_prim_paths(value.prim_path)
        return bool(found)


def _is(value: Any, name: str) -> bool:
    """Whether a value is of a class of Isaac Lab's, or one that inherits from it, by name."""
    return any(one.__name__ == name for one in type(value).__mro__)


def _tell_alike(found: dict[str, Any]) -> None:
    """Say which assets are chosen from several, although all environments are what the first one is."""
    for name, value in found.items():
        ones = value.rigid_objects.values() if _is(value, "RigidObjectCollectionCfg") else (value,)
        for one in ones:
            spawn, of = getattr(one, "spawn", None), ""
            for several in ("assets_cfg", "usd_path"):
                given = getattr(spawn, several, None)
                of = several if isinstance(given, list | tuple) and len(given) > 1 else of
            if of and "{ENV_REGEX_NS}" in one.prim_path:
                log.warning(
                    "InteractiveSceneCfg.%s: with replicate_physics=True, all environments have the one of %s that the "
                    "first has; set replicate_physics=False for several",
                    name,
                    of,
                )


_KINDS = (assets.ArticulationCfg, assets.DeformableObjectCfg, assets.RigidObjectCfg, assets.SurfaceGripperCfg)


def _check(name: str, value: Any) -> None:
    where = f"InteractiveSceneCfg.{name}"
    if _is(value, "RigidObjectCollectionCfg") or isinstance(value, _KINDS):
        return
    if isinstance(value, SensorBaseCfg) or _is(value, "TerrainImporterCfg"):
        return
    if not isinstance(value, assets.AssetBaseCfg):
        raise ValueError(
            f"{where} is {value!r}, not the configuration of an asset, such as RigidObjectCfg or AssetBaseCfg"
        )
    if value.class_type is not None:
        raise NotImplementedError(
            f"{where}: a scene makes no assets of class {value.class_type.__name__}; it makes Articulation, "
            "RigidObject, RigidObjectCollection, DeformableObject and SurfaceGripper: make others in the script"
        )
