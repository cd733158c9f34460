"""Actuators that a network has learned from data: efforts from the history of position errors and velocities."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from phalanx.facade.arrays import is_installed
from phalanx.facade.asset_root import existing_file
from phalanx.facade.isaaclab.actuators.actuator_pd import DCMotor, efforts_only
from phalanx.facade.isaaclab.utils.array import convert_to_torch
from phalanx.facade.isaaclab.utils.types import ArticulationActions
from phalanx.facade.namespaces import as_like, common, device_of, rows, zeros

if TYPE_CHECKING:
    from phalanx.facade.isaaclab.actuators import actuator_net_cfg as configurations


def _load(path: str, device: str, who: str) -> Any:
    """A network from a TorchScript file, on a device, for inference.

    Raises:
        ImportError: torch is not installed.
        FileNotFoundError: there is no such file; :mod:`phalanx.facade.asset_root` says where those of servers are.
    """
    if not is_installed("torch"):
        raise ImportError(f"{who} is a network, which needs torch: pip install torch")
    import torch  # pyright: ignore[reportMissingImports]

    with open(existing_file(path), "rb") as file:
        return torch.jit.load(file, map_location=device).eval()


class _Network(DCMotor):
    """A DC motor's limits around the efforts of a network. Only position targets count."""

    def __init__(self, cfg: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__(cfg, *args, **kwargs)
        self._network_device = device_of(self.stiffness)
        self.network = _load(cfg.network_file, self._network_device, self._who())

    def compute(self, control_action: ArticulationActions, joint_pos: Any, joint_vel: Any) -> ArticulationActions:
        """Efforts for position targets; see :meth:`ActuatorBase.compute`.

        Raises:
            ValueError: there are no position targets, or something has another shape.
        """
        if control_action.joint_positions is None:
            raise ValueError(f"{self._who()} needs joint_positions: the network knows no other targets")
        names = ("joint_positions", "joint_pos", "joint_vel")
        _, wanted, joint_pos, self._joint_vel = self._given(
            control_action.joint_positions, joint_pos, joint_vel, names=names
        )
        effort = self._infer(wanted - joint_pos, self._joint_vel)
        self.computed_effort = as_like(self.stiffness, effort).reshape(self.stiffness.shape)
        self.applied_effort = self._clip_effort(self.computed_effort)
        return efforts_only(control_action, self.applied_effort)

    @abstractmethod
    def _infer(self, error: Any, joint_vel: Any) -> Any:
        """What the network says, (num_envs * num_joints, 1), a tensor."""

    def _infer_from(self, seen: Any) -> Any:
        """The same from a tensor (num_envs, num_joints, 2), float32, of position errors and velocities."""
        return self._infer(seen[..., 0], seen[..., 1])


class ActuatorNetLSTM(_Network):
    """A recurrent network: it remembers the history itself (Rudin et al., *Learning to walk in minutes*, 2022).

    The file has a TorchScript module with a member ``lstm`` that takes (batch, 1, 2), position error and velocity, and
    a pair of states (layers, batch, hidden), and gives efforts and the next pair.
    """

    cfg: configurations.ActuatorNetLSTMCfg
    """The configuration."""

    def __init__(self, cfg: configurations.ActuatorNetLSTMCfg, *args: Any, **kwargs: Any) -> None:
        """Resolve the parameters, see :class:`ActuatorBase`, and load the network.

        Raises:
            ImportError: torch is not installed.
            FileNotFoundError: there is no such file.
        """
        super().__init__(cfg, *args, **kwargs)
        import torch  # pyright: ignore[reportMissingImports]

        weights = self.network.lstm.state_dict()
        layers, hidden = len(weights) // 4, weights["weight_hh_l0"].shape[1]
        shape = (layers, self._num_envs * self.num_joints, hidden)
        self.sea_hidden_state = torch.zeros(shape, device=self._network_device)
        self.sea_cell_state = torch.zeros(shape, device=self._network_device)

    def reset(self, env_ids: Sequence[int]) -> None:
        """Forget the states of some environments; see :meth:`ActuatorBase.reset`."""
        for state in (self.sea_hidden_state, self.sea_cell_state):
            by_env = state.view(state.shape[0], self._num_envs, self.num_joints, -1)
            by_env[:, rows(env_ids)] = 0.0

    def _infer(self, error: Any, joint_vel: Any) -> Any:
        import torch  # pyright: ignore[reportMissingImports]

        error, speed = convert_to_torch(error).float(), convert_to_torch(joint_vel).float()
        return self._infer_from(torch.stack([error, speed], -1))

    def _infer_from(self, seen: Any) -> Any:
        import torch  # pyright: ignore[reportMissingImports]

        with torch.no_grad():
            states = (self.sea_hidden_state, self.sea_cell_state)
            efforts, states = self.network(seen.reshape(-1, 1, 2), states)
        self.sea_hidden_state, self.sea_cell_state = states
        return efforts


class ActuatorNetMLP(_Network):
    """A network without a memory that sees some of the last position errors and velocities (Hwangbo et al., 2019).

    J. Hwangbo et al., *Learning agile and dynamic motor skills for legged robots*, Science Robotics 4, 2019. The file
    has a TorchScript module that takes (batch, 2 * len(input_idx)) and gives (batch, 1).
    """

    cfg: configurations.ActuatorNetMLPCfg
    """The configuration."""

    def __init__(self, cfg: configurations.ActuatorNetMLPCfg, *args: Any, **kwargs: Any) -> None:
        """Resolve the parameters, see :class:`ActuatorBase`, and load the network.

        Raises:
            ImportError: torch is not installed.
            FileNotFoundError: there is no such file.
            ValueError: the order of inputs is unknown, or there are no inputs.
        """
        super().__init__(cfg, *args, **kwargs)
        self._past = list(cfg.input_idx)
        if not self._past or min(self._past) < 0:
            raise ValueError(f"input_idx={self._past} of {self._who()}: must be steps into the past, 0 or more")
        if cfg.input_order not in ("pos_vel", "vel_pos"):
            raise ValueError(
                f'Invalid input order for MLP actuator net: {cfg.input_order!r} must be "pos_vel" or "vel_pos"'
            )
        shape = (self._num_envs, max(self._past) + 1, self.num_joints)
        self._error_history, self._velocity_history = zeros(shape, self._device), zeros(shape, self._device)

    def reset(self, env_ids: Sequence[int]) -> None:
        """Forget errors and velocities of some environments; see :meth:`ActuatorBase.reset`."""
        self._error_history[rows(env_ids)] = 0.0
        self._velocity_history[rows(env_ids)] = 0.0

    def _infer(self, error: Any, joint_vel: Any) -> Any:
        import torch  # pyright: ignore[reportMissingImports]

        cfg = self.cfg
        self._error_history = self._pushed(self._error_history, error)
        self._velocity_history = self._pushed(self._velocity_history, joint_vel)
        errors = self._chosen(self._error_history) * cfg.pos_scale
        speeds = self._chosen(self._velocity_history) * cfg.vel_scale
        parts = [errors, speeds] if cfg.input_order == "pos_vel" else [speeds, errors]
        with torch.inference_mode():
            efforts = self.network(torch.cat(parts, 1)) * cfg.torque_scale
        return efforts.clone()

    def _pushed(self, history: Any, newest: Any) -> Any:
        """The history, (num_envs, length, num_joints), a step later: the latest first."""
        xp, history, newest = common(history, newest)
        return xp.concatenate([newest[:, None], history[:, :-1]], 1)

    def _chosen(self, history: Any) -> Any:
        """What the network sees of a history, (num_envs * num_joints, len(input_idx)), a tensor."""
        seen = convert_to_torch(history).float()[:, self._past]
        return seen.transpose(1, 2).reshape(-1, len(self._past))
