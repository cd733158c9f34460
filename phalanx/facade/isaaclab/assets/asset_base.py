"""What all assets have in common: they put prims on the stage, and know their bodies once the simulation plays."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from phalanx.facade.isaaclab.assets.asset_base_cfg import AssetBaseCfg
from phalanx.facade.isaaclab.sim import utils
from phalanx.facade.isaaclab.sim.simulation_context import SimulationContext
from phalanx.facade.physics_events import Event, Subscription
from phalanx.io.usd.bindings import UsdGeom

_PLAIN = re.compile(r"\w+")


class AssetBase(ABC):
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
        self._is_initialized = False
        path = self.cfg.prim_path
        if self.cfg.spawn is not None and _PLAIN.fullmatch(path.rpartition("/")[2]):
            place = self.cfg.init_state
            self.cfg.spawn.func(path, self.cfg.spawn, translation=place.pos, orientation=place.rot)
        if not utils.find_matching_prim_paths(path):
            raise RuntimeError(f"there is no prim {path!r} on the stage: spawn one there, or mend prim_path")
        self._subscriptions = [
            Subscription(Event.PLAY, self._initialize_callback, pattern=path),
            Subscription(Event.STOP, self._invalidate_callback),
        ]

    def __del__(self) -> None:
        for one in getattr(self, "_subscriptions", ()):
            one.cancel()

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

    @property
    def has_debug_vis_implementation(self) -> bool:
        """Whether there is anything that :meth:`set_debug_vis` can show."""
        return False

    def set_visibility(self, visible: bool, env_ids: Sequence[int] | None = None) -> None:
        """Show or hide its prims on the stage.

        Args:
            visible: whether to show them.
            env_ids: which instances; all by default.

        Raises:
            IndexError: there is no such instance.
        """
        prims = utils.find_matching_prims(self.cfg.prim_path)
        for i in range(len(prims)) if env_ids is None else env_ids:
            if not -len(prims) <= int(i) < len(prims):
                raise IndexError(f"set_visibility: there is no instance {int(i)} of {len(prims)}")
            image = UsdGeom.Imageable(prims[int(i)])
            (image.MakeVisible if visible else image.MakeInvisible)()

    def set_debug_vis(self, debug_vis: bool) -> bool:
        """Show what it knows.

        Returns:
            Whether that could be done.
        """
        return False

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

    def _initialize_callback(self) -> None:
        if not self._is_initialized:
            self._initialize_impl()
            self._is_initialized = True

    def _invalidate_callback(self) -> None:
        self._is_initialized = False

    def _check_initialized(self) -> None:
        if not self._is_initialized:
            raise RuntimeError(
                f"{type(self).__name__} {self.cfg.prim_path!r} knows its bodies only while the simulation plays: "
                "call sim.reset() first"
            )

    def _simulation(self) -> SimulationContext:
        found = SimulationContext.instance()
        if found is None:
            raise RuntimeError(f"{type(self).__name__}: there is no SimulationContext; make one first")
        return found
