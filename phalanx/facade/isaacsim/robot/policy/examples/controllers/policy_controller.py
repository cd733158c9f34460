"""A robot and the network that controls it."""

from __future__ import annotations

from typing import Any

import numpy as np

from phalanx.facade import stage as stages
from phalanx.facade.asset_root import below_root, existing_file
from phalanx.facade.isaacsim.core.api.controllers import BaseController
from phalanx.facade.isaacsim.core.prims import SingleArticulation
from phalanx.facade.isaacsim.core.utils.stage import add_reference_to_stage
from phalanx.facade.isaacsim.robot.policy.examples.controllers.config_loader import (
    get_articulation_props,
    get_physics_properties,
    get_robot_joint_properties,
    parse_env_config,
)


class PolicyController(BaseController):
    """A robot that a network in TorchScript controls. Who derives from it says what the network sees and does.

    Args:
        name: of the robot.
        prim_path: of the robot; it is put there if there is nothing yet.
        root_path: of the root of its articulation; ``prim_path`` by default.
        usd_path: of its file.
        position: of the robot in the world, (3,), m.
        orientation: (4,), (w, x, y, z).

    Attributes:
        robot: the robot.
        policy: the network, after :meth:`load_policy`.
        policy_env_params: the configuration of the environment that it was trained in.
        default_pos: positions of joints at the start there, (dofs,), after :meth:`initialize`.
        default_vel: velocities.

    Raises:
        ValueError: there is nothing at ``prim_path``, and no file is given.
    """

    def __init__(
        self,
        name: str,
        prim_path: str,
        root_path: str | None = None,
        usd_path: str | None = None,
        position: Any = None,
        orientation: Any = None,
    ) -> None:
        super().__init__(name)
        if not stages.get_stage().GetPrimAtPath(prim_path):
            if not usd_path:
                raise ValueError(f"PolicyController: there is no robot at {prim_path}; give its file by usd_path")
            add_reference_to_stage(usd_path, prim_path)
        self.robot = SingleArticulation(root_path or prim_path, name, position=position, orientation=orientation)
        self.policy: Any = None
        self.policy_env_params: dict[str, Any] = {}
        self.default_pos: Any = None
        self.default_vel: Any = None

    def load_policy(self, policy_file_path: str, policy_env_path: str) -> None:
        """Read a network, and the configuration of the environment that it was trained in.

        Args:
            policy_file_path: written by ``torch.jit.save``. Such files can execute code: take none from strangers.
            policy_env_path: Isaac Lab's ``params/env.yaml``.

        Raises:
            FileNotFoundError: one of them is not there.
        """
        import torch  # pyright: ignore[reportMissingImports]

        what = (
            "network of NVIDIA's (phalanx train and Isaac Lab train others)"
            if below_root(policy_file_path)
            else "policy"
        )
        self.policy = torch.jit.load(existing_file(policy_file_path, what))
        self.policy_env_params = parse_env_config(policy_env_path)
        self._decimation, self._dt, self.render_interval = get_physics_properties(self.policy_env_params)

    def initialize(
        self,
        physics_sim_view: Any = None,
        effort_modes: str = "force",
        control_mode: str = "position",
        set_gains: bool = True,
        set_limits: bool = True,
        set_articulation_props: bool = True,
    ) -> None:
        """Let the robot be as it was in training, while a simulation plays.

        Args:
            physics_sim_view: see ``SingleArticulation.initialize``.
            effort_modes: ``"force"`` or ``"acceleration"``.
            control_mode: ``"position"``, ``"velocity"`` or ``"effort"``.
            set_gains: whether to set stiffnesses and dampings.
            set_limits: whether to set limits of efforts and velocities.
            set_articulation_props: whether to set numbers of iterations and thresholds.
        """
        self.robot.initialize(physics_sim_view)
        controller = self.robot.get_articulation_controller()
        controller.set_effort_modes(effort_modes)
        controller.switch_control_mode(control_mode)
        rows = [
            np.array(each, np.float32)
            for each in get_robot_joint_properties(self.policy_env_params, self.robot.dof_names or [])
        ]
        self.default_pos, self.default_vel = rows[4], rows[5]
        view = self.robot._articulation_view
        if set_gains:
            view.set_gains(rows[2][None], rows[3][None])
        if set_limits:
            view.set_max_efforts(rows[0][None])
            view.set_max_joint_velocities(rows[1][None])
        if set_articulation_props:
            self._set_articulation_props()

    def _set_articulation_props(self) -> None:
        found = get_articulation_props(self.policy_env_params) or {}
        for name, put in (
            ("solver_position_iteration_count", self.robot.set_solver_position_iteration_count),
            ("solver_velocity_iteration_count", self.robot.set_solver_velocity_iteration_count),
            ("stabilization_threshold", self.robot.set_stabilization_threshold),
            ("enabled_self_collisions", self.robot.set_enabled_self_collisions),
            ("sleep_threshold", self.robot.set_sleep_threshold),
        ):
            value = found.get(name)
            if value is not None and value != float("inf"):
                put(value)

    def _compute_action(self, obs: Any) -> np.ndarray:
        """What the network does, of what it sees, (n,)."""
        import torch  # pyright: ignore[reportMissingImports]

        with torch.no_grad():
            seen = torch.as_tensor(np.asarray(obs, np.float32)).view(1, -1)
            return self.policy(seen).detach().view(-1).numpy()

    def _compute_observation(self, *arguments: Any) -> Any:
        raise NotImplementedError(
            f"{type(self).__name__}._compute_observation: return what the network sees, in the order of the "
            "configuration's observations"
        )

    def forward(self, *arguments: Any) -> Any:
        """Let the robot act; for those who derive from it.

        Raises:
            NotImplementedError: they do not say how.
        """
        raise NotImplementedError(f"{type(self).__name__}.forward: apply _compute_action(_compute_observation()) here")

    def post_reset(self) -> None:
        """Let the robot go back to its default state."""
        self.robot.post_reset()


__all__ = ["PolicyController"]
