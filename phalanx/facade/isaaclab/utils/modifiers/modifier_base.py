"""What modifiers with a state have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from phalanx.facade.isaaclab.utils.modifiers.modifier_cfg import ModifierCfg


class ModifierBase(ABC):
    """A function of data that remembers what came before, each environment for itself."""

    def __init__(self, cfg: ModifierCfg, data_dim: tuple[int, ...], device: str) -> None:
        """Make a modifier for data of shape ``data_dim``, the first of which counts environments, on a device."""
        self._cfg, self._data_dim, self._device = cfg, data_dim, device

    @abstractmethod
    def reset(self, env_ids: Sequence[int] | None = None) -> None:
        """Forget what came before in some environments; ``None``: in all."""

    @abstractmethod
    def __call__(self, data: Any) -> Any:
        """Modified data, in the shape of ``data``."""
