"""Networks that stand in for those that were trained on real actuators.

They are called in the same way and give what a plain controller gives: a torque in proportion to the position error,
less one in proportion to the velocity. Gains are those that the networks themselves have, or that the robot had when it
was recorded.
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from phalanx.ecs.whole_files import write_bytes

ANYDRIVE = (86.0, 5.0)
"""Nm/rad and Nms/rad: what the published network of ANYdrive 3 gives for constant errors up to 0.8 rad and constant
velocities up to 6 rad/s, within 8 %. It takes 10 ms for 0.85 of a change; the stand-in takes no time. Gains of Isaac
Lab's analytic model of the drive (40 and 5) are too soft for a robot of 50 kg to stand by in its default pose."""

GO1 = (20.0, 0.5)
"""Nm/rad and Nms/rad: the gains with which data were recorded on the robot."""


def write_lstm(path: Path) -> None:
    """Write what stands in for ANYmal's network: position error and velocity in, torque out, with a hidden state."""
    import torch

    class Drive(torch.nn.Module):
        def __init__(self, stiffness: float, damping: float) -> None:
            super().__init__()
            self.lstm = torch.nn.LSTM(2, 8, 2, batch_first=True)  # users read its size; it has no say in the torque
            self.gains = torch.nn.Parameter(torch.tensor([[stiffness], [-damping]]), requires_grad=False)

        def forward(self, x: torch.Tensor, state: tuple[torch.Tensor, torch.Tensor]) -> Any:
            return (x @ self.gains)[:, -1], state

    drive = Drive(*ANYDRIVE).eval()
    shape = (2, 3, 8)
    example = (torch.zeros(3, 1, 2), (torch.zeros(shape), torch.zeros(shape)))
    _save(torch.jit.trace(drive, example), path)


def write_mlp(path: Path) -> None:
    """Write what stands in for Go1's network: three position errors, negated, and three velocities in, torque out."""
    import torch

    weights = torch.zeros(6, 1)
    weights[0], weights[3] = -GO1[0], -GO1[1]

    class Drive(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weights = torch.nn.Parameter(weights, requires_grad=False)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x @ self.weights

    _save(torch.jit.trace(Drive().eval(), torch.zeros(5, 6)), path)


def write_standing(path: Path) -> None:
    """Write what stands in for the policy that ANYmal C walks by: actions of 12 joints that are all zero."""
    import torch

    class Standing(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return torch.zeros_like(x[:, :12])

    _save(torch.jit.trace(Standing().eval(), torch.ones(5, 48)), path)


def _save(module: Any, path: Path) -> None:
    import torch

    path.parent.mkdir(parents=True, exist_ok=True)
    file = io.BytesIO()
    torch.jit.save(module, file)
    write_bytes(path, file.getvalue())
