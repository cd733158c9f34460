"""What all assets have in common: they put prims on the stage, and know their bodies once the simulation plays."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from phalanx.facade.isaaclab.assets.asset_base_cfg import AssetBaseCfg
from phalanx.facade.isaaclab.assets.unless_assigned import unless_assigned
from phalanx.facade.isaaclab.sim import utils
from phalanx.facade.isaaclab.sim.debug_vis import DebugVis
from phalanx.facade.isaaclab.sim.simulation_context import SimulationContext
from phalanx.facade.namespaces import array
from phalanx.facade.physics_events import Event, Subscription
from phalanx.io.formats.usd.bindings import UsdGeom

_PLAIN = re.compile(r"\w+")


class AssetBase(DebugVis, ABC):
    """Something with physics on the stage.

    It spawns its prims when it is made. When the simulation starts to play, it looks up its bodies and makes its
    buffers; when it stops, they are gone. The simulation does not keep it alive.

    Args:
        cfg: its configuration, which is copied.

    Raises:
        RuntimeError: no prim matches the path.
    """

    def __init__(self, cfg: AssetBaseCfg) -> None:
        cfg.validate()  # pyright: ignore[reportAttributeAccessIssue]
        self.cfg: Any = cfg.copy()  # pyright: ignore[reportAttributeAccessIssue]
        self.stage: Any = utils.get_current_stage()
        """The stage that it is on."""
        self._is_initialized = False
        for part in self._part_cfgs():
            _put_on_stage(part)
        self._subscriptions = [
            *(Subscription(Event.PLAY, self._on_play, pattern=part.prim_path) for part in self._part_cfgs()),
            Subscription(Event.STOP, self._on_stop),
        ]
        if getattr(self.cfg, "debug_vis", False):  # collections have none
            self.set_debug_vis(True)

    def __del__(self) -> None:
        self._clear_callbacks()

    @property
    def is_initialized(self) -> bool:
        """Whether its bodies are known: the simulation plays, and did when it was made or has been reset since."""
        return self._is_initialized

    @property
    @abstractmethod
    def num_instances(self) -> int:
        """How many there are, in all environments together."""

    @property
    def device(self) -> str:
        """The device of its buffers, ``"cpu"`` or ``"cuda:N"``."""
        return self._simulation().device

    @property
    @abstractmethod
    def data(self) -> Any:
        """What is known about it."""

    def set_visibility(self, visible: bool, env_ids: Sequence[int] | None = None) -> None:
        """Show or hide its prims on the stage.

        Args:
            visible: whether to show them.
            env_ids: which instances; all by default.

        Raises:
            IndexError: there is no such instance.
        """
        chosen = []
        for part in self._part_cfgs():
            prims = utils.find_matching_prims(part.prim_path)
            for i in range(len(prims)) if env_ids is None else env_ids:
                if not -len(prims) <= int(i) < len(prims):
                    raise IndexError(f"set_visibility: there is no instance {int(i)} of {len(prims)}")
                chosen.append(prims[int(i)])
        for prim in chosen:
            image = UsdGeom.Imageable(prim)
            (image.MakeVisible if visible else image.MakeInvisible)()

    @abstractmethod
    def reset(self, env_ids: Sequence[int] | None = None) -> None:
        """Reset buffers of some environments, or all."""

    @abstractmethod
    def write_data_to_sim(self) -> None:
        """Hand what was set to the simulation, before a step."""

    @abstractmethod
    def update(self, dt: float) -> None:
        """Let the buffers know that time has passed, s."""

    # -- for those who write assets --------------------------------------------------------------------------

    @abstractmethod
    def _initialize_impl(self) -> None:
        """Look up bodies and make buffers."""

    @unless_assigned
    def _ALL_INDICES(self) -> Any:
        """(num_instances,): the numbers of all instances; many subclasses and tasks take it for "all of them"."""
        self._check_initialized()
        known = self.__dict__.get("_all_indices")
        if known is None or len(known) != self.num_instances:
            known = self._all_indices = array(list(range(self.num_instances)), self.device, "int64")
        return known

    @unless_assigned
    def _physics_sim_view(self) -> Any:
        """What makes tensor views by paths; ``None`` while the simulation is stopped."""
        return self._simulation().physics_sim_view

    @unless_assigned
    def _device(self) -> str:
        return self.device

    @unless_assigned
    def _backend(self) -> str:
        return self._simulation().backend

    @unless_assigned
    def _root_physx_view(self) -> Any:
        """The tensor view of its bodies, of assets that have one."""
        return self.root_physx_view  # pyright: ignore[reportAttributeAccessIssue]

    @property
    def _who(self) -> str:
        """For messages."""
        return f"{type(self).__name__} {self.cfg.prim_path!r}"

    def _part_cfgs(self) -> list[AssetBaseCfg]:
        """Configurations of what is put on the stage: its own, unless it has several parts."""
        return [self.cfg]

    def _on_play(self) -> None:
        self._initialize_callback(None)

    def _on_stop(self) -> None:
        self._invalidate_initialize_callback(None)

    def _initialize_callback(self, event: Any) -> None:
        """The simulation begins to play; ``event`` is ``None``."""
        if not self._is_initialized:
            self._initialize_impl()
            self._is_initialized = True

    def _invalidate_initialize_callback(self, event: Any) -> None:
        """The simulation has stopped; ``event`` is ``None``."""
        self._is_initialized = False

    def _clear_callbacks(self) -> None:
        """Hear of nothing any more, and show nothing."""
        for one in getattr(self, "_subscriptions", ()):
            one.cancel()
        self._no_longer_shown()

    def _check_initialized(self) -> None:
        if not self._is_initialized:
            raise RuntimeError(f"{self._who} knows its bodies only while the simulation plays: call sim.reset() first")

    def _simulation(self) -> SimulationContext:
        found = SimulationContext.instance()
        if found is None:
            raise RuntimeError(f"{type(self).__name__}: there is no SimulationContext; make one first")
        return found


def _put_on_stage(cfg: AssetBaseCfg) -> None:
    """Spawn what a configuration says, if it says so, and see that it is there."""
    path, place = cfg.prim_path, cfg.init_state
    if cfg.spawn is not None and _PLAIN.fullmatch(path.rpartition("/")[2]):
        cfg.spawn.func(path, cfg.spawn, translation=place.pos, orientation=place.rot)
    if not utils.find_matching_prim_paths(path):
        raise RuntimeError(f"there is no prim {path!r} on the stage: spawn one there, or mend prim_path")
