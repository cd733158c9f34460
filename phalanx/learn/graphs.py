"""Functions of torch that are recorded once as CUDA graphs and replayed, so that they cost one launch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

EAGER = 2
"""Calls before one is recorded: libraries set themselves up in them, and the environment learns what is asked for."""


class Graph:
    """A function without arguments and results, whose tensors keep their places.

    Args:
        function: all that it computes goes into tensors that were there before.
        enabled: whether it is recorded; else it is called.
    """

    def __init__(self, function: Callable[[], None], enabled: bool) -> None:
        self._function, self._enabled = function, enabled
        self._calls, self._graph = 0, None

    def forget(self) -> None:
        """Record it anew: tensors have been replaced."""
        self._calls, self._graph = 0, None

    def __call__(self) -> None:
        """Call it, record it, or replay it."""
        if not self._enabled or self._calls < EAGER:
            self._calls += 1
            self._function()
            return
        if self._graph is None:
            self._graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(self._graph):
                self._function()
        self._graph.replay()


class Tensors:
    """Notices that a function has replaced tensors of an object rather than written into them."""

    def __init__(self, owner: Any) -> None:
        self._owner, self._known = owner, _tensors(owner)

    def check(self) -> None:
        """Raise if so.

        Raises:
            RuntimeError: says which attribute it was.
        """
        for name, tensor in _tensors(self._owner).items():
            if name in self._known and self._known[name] is not tensor:
                raise RuntimeError(
                    f"{type(self._owner).__name__}: self.{name} was assigned a new tensor while the environment ran; "
                    f"write into it instead, self.{name}[:] = ..., since GPUs replay what was recorded"
                )


def _tensors(owner: Any) -> dict[str, torch.Tensor]:
    return {name: value for name, value in vars(owner).items() if isinstance(value, torch.Tensor)}
