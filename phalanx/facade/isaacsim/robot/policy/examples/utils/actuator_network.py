"""Networks that stand for series-elastic actuators: from errors and velocities of joints to efforts."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from phalanx.facade.backends import on_host

JOINTS = 12
STRONGEST = 80.0
"""N m: no more comes out of :class:`LstmSeaNetwork`."""
FASTEST = 20.0
"""rad/s: no more goes into it."""
LAYERS, UNITS = 2, 8
"""Of the memory of :class:`LstmSeaNetwork`."""

AGES = (8, 3, 0)
"""Steps ago of what :class:`SeaNetwork` sees."""
SIZES = (6, 32, 32, 1)
"""Its layers."""


class LstmSeaNetwork:
    """A network with a memory (LSTM), in TorchScript, for twelve joints: it is called with (12, 1, 2), error of
    position, rad, and velocity, rad/s, and its memory, twice (2, 12, 8), and says efforts, (12,), N m, and a memory.
    """

    def __init__(self) -> None:
        self._network: Any = None
        self._default_joint_pos = np.zeros(JOINTS)
        self.reset()

    def setup(self, path_or_buffer: Any, default_joint_pos: Any) -> None:
        """Read the network.

        Args:
            path_or_buffer: a file, or what has been read of one, written by ``torch.jit.save``. Such files can execute
                code: take none from strangers.
            default_joint_pos: positions that actions are about, (12,), rad.
        """
        import torch  # pyright: ignore[reportMissingImports]

        self._network = torch.jit.load(path_or_buffer)
        self._default_joint_pos = np.asarray(on_host(default_joint_pos), np.float32)

    def reset(self) -> None:
        """Forget what was."""
        import torch  # pyright: ignore[reportMissingImports]

        self._memory = torch.zeros(LAYERS, JOINTS, UNITS), torch.zeros(LAYERS, JOINTS, UNITS)

    def get_hidden_state(self) -> np.ndarray:
        """(12, 8): what the last layer says of each joint."""
        return self._memory[0][-1].detach().numpy()

    def compute_torques(self, joint_pos: Any, joint_vel: Any, actions: Any) -> tuple[np.ndarray, np.ndarray]:
        """What the actuators do, for one step.

        Args:
            joint_pos, joint_vel: of the joints, (12,), rad and rad/s.
            actions: wanted positions from the default ones, (12,), rad.

        Returns:
            Efforts, (12,), N m, and :meth:`get_hidden_state`.

        Raises:
            RuntimeError: :meth:`setup` was not called.
        """
        import torch  # pyright: ignore[reportMissingImports]

        if self._network is None:
            raise RuntimeError("LstmSeaNetwork: call setup(path, default_joint_pos) first")
        error = on_host(actions) + self._default_joint_pos - on_host(joint_pos)
        speed = np.clip(on_host(joint_vel), -FASTEST, FASTEST)
        seen = torch.from_numpy(np.stack([error, speed], axis=1).astype(np.float32))[:, None]
        with torch.no_grad():
            efforts, self._memory = self._network(seen, self._memory)
        return efforts.detach().reshape(-1).clip(-STRONGEST, STRONGEST).numpy(), self.get_hidden_state()


class SeaNetwork:
    """A network of three layers for twelve joints alike, which sees errors and velocities now, 3 and 8 steps ago.

    Actions are in units of half a radian.
    """

    _VELOCITY_SCALE, _POSITION_SCALE, _EFFORT_SCALE, _ACTION_SCALE = 0.4, 3.0, 20.0, 0.5

    def __init__(self) -> None:
        self._layers: list[tuple[np.ndarray, np.ndarray]] = []
        self._default_joint_pos = np.zeros(JOINTS)
        self.reset()

    def setup(self, weights_path: str, default_joint_pos: Any) -> None:
        """Read the weights.

        Args:
            weights_path: a text file of numbers between commas: of each layer weights, input by input, and biases.
            default_joint_pos: positions that actions are about, (12,), rad.

        Raises:
            ValueError: there are not as many numbers as the layers have.
        """
        numbers = np.genfromtxt(weights_path, delimiter=",").reshape(-1).astype(np.float32)
        needed = sum((before + 1) * after for before, after in itertools.pairwise(SIZES))
        if len(numbers) != needed:
            raise ValueError(f"{weights_path}: {len(numbers)} numbers; layers of {SIZES} units have {needed}")
        self._layers, start = [], 0
        for before, after in itertools.pairwise(SIZES):
            middle, end = start + before * after, start + (before + 1) * after
            self._layers.append((numbers[start:middle].reshape(before, after), numbers[middle:end]))
            start = end
        self._default_joint_pos = np.asarray(on_host(default_joint_pos), float)

    def reset(self) -> None:
        """Forget what was."""
        self._errors, self._speeds = np.zeros((2, AGES[0] + 1, JOINTS))

    def compute_torques(self, joint_pos: Any, joint_vel: Any, actions: Any) -> np.ndarray:
        """What the actuators do, for one step.

        Args:
            joint_pos, joint_vel: of the joints, (12,), rad and rad/s.
            actions: wanted positions from the default ones, (12,), in half radians.

        Returns:
            Efforts, (12, 1), N m.

        Raises:
            RuntimeError: :meth:`setup` was not called.
        """
        if not self._layers:
            raise RuntimeError("SeaNetwork: call setup(path, default_joint_pos) first")
        error = self._ACTION_SCALE * on_host(actions) + self._default_joint_pos - on_host(joint_pos)
        self._errors = np.concatenate([self._errors[1:], [error]])
        self._speeds = np.concatenate([self._speeds[1:], [on_host(joint_vel)]])
        rows = [AGES[0] - age for age in AGES]
        seen = np.concatenate([self._VELOCITY_SCALE * self._speeds[rows], self._POSITION_SCALE * self._errors[rows]])
        value = seen.T.astype(np.float32)
        for n, (weights, biases) in enumerate(self._layers):
            value = value @ weights + biases
            if n < len(self._layers) - 1:
                value = value / (1.0 + np.abs(value))
        return self._EFFORT_SCALE * value


__all__ = ["LstmSeaNetwork", "SeaNetwork"]
