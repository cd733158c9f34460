"""Nodes of a deformable body that are tied to a body, another deformable one or the world: the user's handle."""

from __future__ import annotations

from typing import Any

import numpy as np

from phalanx import components as c
from phalanx.components.node_attachment import OFF, ON, PLACE
from phalanx.world.engine.engine import Engine
from phalanx.world.handle import Handle, on_device


class NodeAttachment(Handle):
    """Nodes tied to a body, to another deformable one, or to the world; made by :meth:`phalanx.World.attach_nodes`.

    Arrays are environment-first, on the world's device (NumPy or CuPy), and yours.
    """

    KIND = "attachment"

    def __init__(
        self,
        engine: Engine,
        body: str,
        nodes: np.ndarray,
        to: tuple[str, str] | str | None,
        points: np.ndarray | None,
        attached: bool,
    ) -> None:
        end = "the world" if to is None else to if isinstance(to, str) else "/".join(to)
        super().__init__(engine, f"{body} to {end}")
        self._ties = isinstance(to, str)
        self._state = c.NodeTieState if self._ties else c.NodeAttachmentState
        self.body_name = body
        """Name of the deformable body."""
        self.nodes = nodes
        """(k,): numbers of its nodes."""
        self.to = to
        """Names of the actor and its body, or that of the deformable body; ``None``: the world."""
        self.points = points
        """(k, 3): in the body's frame (the environment's for the world), m; ``None``: where nodes are when tied."""
        self.starts_attached = attached
        """Whether the nodes are tied after a reset."""
        self._rows: np.ndarray | None = None
        self._spots = points

    def bind(self, rows: np.ndarray, spots: np.ndarray | None) -> None:
        """Called by the world once its tables are filled; spots are points in the frame of the link."""
        self._rows, self._spots = rows, spots

    @property
    def _bound(self) -> np.ndarray:
        if self._rows is None:
            self.engine.build()
            assert self._rows is not None
        return self._rows

    def write_defaults(self, envs: np.ndarray | None) -> None:
        """Tied, or not, as it was made; called by the world's reset."""
        count = self.engine.num_envs if envs is None else len(envs)
        zero = np.zeros((count, len(self.nodes), 3))
        for field in (self._state.load, self._state.impulse):
            self._write(field, self._bound, zero, envs)
        if self._ties:
            self._set_mode(ON if self.starts_attached else OFF, envs)
            return
        spots = zero if self._spots is None else np.broadcast_to(self._spots, zero.shape)
        self._write(c.NodeAttachmentState.spot, self._bound, spots, envs)
        self._set_mode((ON if self._spots is not None else PLACE) if self.starts_attached else OFF, envs)

    def _set_mode(self, mode: int, envs: np.ndarray | None) -> None:
        count = self.engine.num_envs if envs is None else len(envs)
        self._write(self._state.mode, self._bound, np.full((count, len(self.nodes)), mode), envs)

    @property
    @on_device
    def attached(self) -> Any:
        """(n,): whether the nodes are tied."""
        return (self._read(self._state.mode, self._bound) != OFF).all(axis=1)

    @property
    @on_device
    def force(self) -> Any:
        """(n, k, 3): force on each node, N, world axes, mean of the last substep."""
        return self._read(self._state.impulse, self._bound) / (self.engine.dt / self.engine.substeps)

    @on_device
    def attach(self, env_ids: Any = None) -> None:
        """Tie the nodes: to their points, or where they are now if no points were given.

        What is tied to a deformable body keeps the points of it that it was given, or that were nearest at the start.
        """
        envs = None if env_ids is None else self.engine.env_indices(env_ids)
        count = self.engine.num_envs if envs is None else len(envs)
        zero = np.zeros((count, len(self.nodes), 3))
        self._write(self._state.load, self._bound, zero, envs)
        self._set_mode(ON if self._ties or self._spots is not None else PLACE, envs)
        self.engine.touch_state()

    @on_device
    def release(self, env_ids: Any = None) -> None:
        """Let the nodes go."""
        envs = None if env_ids is None else self.engine.env_indices(env_ids)
        self._set_mode(OFF, envs)
        self.engine.touch_state()
