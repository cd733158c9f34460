"""A robot on wheels."""

from __future__ import annotations

from typing import Any

import numpy as np

from phalanx.facade import stage as stages
from phalanx.facade.backends import on_host
from phalanx.facade.isaacsim.core.api.robots.robot import Robot
from phalanx.facade.isaacsim.core.utils.stage import add_reference_to_stage
from phalanx.facade.isaacsim.core.utils.types import ArticulationAction


class WheeledRobot(Robot):
    """A robot some of whose joints turn wheels. After a reset all its joints are controlled by velocity.

    Args:
        prim_path: of its prim.
        name: for scenes and messages.
        robot_path: of the articulation below that prim, if it is not there itself.
        wheel_dof_names: joints of the wheels.
        wheel_dof_indices: the same by their numbers.
        usd_path: a file that the prim refers to, if it is made.
        create_robot: whether the prim is made if there is none.
        position, orientation: of the prim, (3,) and (w, x, y, z).

    Raises:
        ValueError: neither names nor numbers of joints are given, or there is no prim and none is to be made.
    """

    def __init__(
        self,
        prim_path: str,
        name: str = "wheeled_robot",
        robot_path: str | None = None,
        wheel_dof_names: Any = None,
        wheel_dof_indices: Any = None,
        usd_path: str | None = None,
        create_robot: bool | None = False,
        position: Any = None,
        orientation: Any = None,
    ) -> None:
        if wheel_dof_names is None and wheel_dof_indices is None:
            raise ValueError(f"{name}: wheel_dof_names or wheel_dof_indices must be given")
        if not stages.get_stage().GetPrimAtPath(prim_path):
            if not (create_robot and usd_path):
                raise ValueError(f"{name}: there is no prim at {prim_path}; create_robot and usd_path would make it")
            add_reference_to_stage(usd_path, prim_path)
        below = f"/{robot_path.strip('/')}" if robot_path else ""
        super().__init__(f"{prim_path}{below}", name, position, orientation=orientation)
        self._wheel_dof_names = wheel_dof_names
        self._wheel_dof_indices = wheel_dof_indices
        self._num_wheel_dof = len(wheel_dof_names if wheel_dof_names is not None else wheel_dof_indices)

    @property
    def wheel_dof_indices(self) -> Any:
        """Numbers of the wheels' joints; ``None`` before :meth:`initialize` where only names were given."""
        return self._wheel_dof_indices

    def initialize(self, physics_sim_view: Any = None) -> None:
        """Find the joints.

        Raises:
            ValueError: there is no joint of a name.
        """
        super().initialize(physics_sim_view)
        if self._wheel_dof_names is None:
            return
        known = self.dof_names or []
        for each in self._wheel_dof_names:
            if each not in known:
                raise ValueError(f"{self.name} has no joint {each!r}; it has {', '.join(known)}")
        self._wheel_dof_indices = [known.index(each) for each in self._wheel_dof_names]

    def post_reset(self) -> None:
        """Be in the default state, controlled by velocity."""
        super().post_reset()
        self._articulation_controller.switch_control_mode(mode="velocity")

    def get_wheel_positions(self) -> Any:
        """(wheels,): angles, rad."""
        return self.get_joint_positions(self._wheel_dof_indices)

    def set_wheel_positions(self, positions: Any) -> None:
        """Set angles, (wheels,), rad."""
        self.set_joint_positions(positions, self._wheel_dof_indices)

    def get_wheel_velocities(self) -> Any:
        """(wheels,): velocities, rad/s."""
        return self.get_joint_velocities(self._wheel_dof_indices)

    def set_wheel_velocities(self, velocities: Any) -> None:
        """Set velocities, (wheels,), rad/s."""
        self.set_joint_velocities(velocities, self._wheel_dof_indices)

    def apply_wheel_actions(self, actions: ArticulationAction) -> None:
        """Give the wheels targets; those of all other joints become 0, as in Isaac Sim.

        Args:
            actions: with one value for each wheel.

        Raises:
            ValueError: there are more or fewer.
        """
        length = actions.get_length()
        if length is not None and length != self._num_wheel_dof:
            raise ValueError(f"the action is for {length} joints; {self.name} has {self._num_wheel_dof} wheels")
        whole = ArticulationAction()
        for kind in ("joint_positions", "joint_velocities", "joint_efforts"):
            given = getattr(actions, kind)
            if given is not None:
                values = np.zeros(self.num_dof or 0)
                values[self._wheel_dof_indices] = on_host(given, float)
                setattr(whole, kind, values)
        self.apply_action(whole)

    def get_articulation_controller_properties(self) -> tuple[Any, Any]:
        """Names and numbers of the wheels' joints."""
        return self._wheel_dof_names, self._wheel_dof_indices


__all__ = ["WheeledRobot"]
