"""What computes actions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from phalanx.facade.isaacsim.core.utils.types import ArticulationAction


class BaseController(ABC):
    """What computes actions for an articulation; scripts derive from it.

    Args:
        name: what it is called.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    @abstractmethod
    def forward(self, *args: Any, **kwargs: Any) -> ArticulationAction:
        """The action to apply now."""

    def reset(self) -> None:  # noqa: B027 - those who derive from it need not have it
        """Begin anew."""


__all__ = ["BaseController"]
