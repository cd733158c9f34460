"""Grippers that hold by their surface."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from phalanx.facade.arrays import accept
from phalanx.facade.isaaclab.assets.asset_base import AssetBase
from phalanx.facade.isaaclab.assets.buffers import set_part
from phalanx.facade.isaaclab.assets.surface_gripper.gripper_view import GripperView
from phalanx.facade.isaaclab.sim import utils
from phalanx.facade.namespaces import array, copy, zeros
from phalanx.facade.surface_grippers import PROPERTIES


class SurfaceGripper(AssetBase):
    """A gripper that holds what is near by its surface, such as a suction cup, on a robot that is on the stage.

    It closes when it is told to, and then looks ahead for something that moves, as far as ``max_grip_distance``, until
    it has found something, or ``retry_interval`` has passed. What it has found it holds rigidly, as it is then, until
    it is told to open, or is pulled beyond a limit. n is the number of grippers.

    Args:
        cfg: a ``SurfaceGripperCfg``; its prims are of type ``IsaacSurfaceGripper``.
    """

    cfg: Any

    @property
    def data(self) -> Any:
        """Not there: what is known of it is its :attr:`state`."""
        raise NotImplementedError(
            "SurfaceGripper.data: a surface gripper has no data but its state and command; use state and command"
        )

    @property
    def num_instances(self) -> int:
        """How many there are, in all environments together."""
        return self.gripper_view.count

    @property
    def state(self) -> Any:
        """(n,): -1 open, 0 closing, 1 closed, as of the last :meth:`update`."""
        self._check_initialized()
        return self._state

    @property
    def command(self) -> Any:
        """(n,): what they were told: below -0.3 to open, above 0.3 to close, in between nothing."""
        self._check_initialized()
        return self._command

    @property
    def gripper_view(self) -> GripperView:
        """The view of all grippers."""
        self._check_initialized()
        return self._view

    def update_gripper_properties(
        self,
        max_grip_distance: Any = None,
        coaxial_force_limit: Any = None,
        shear_force_limit: Any = None,
        retry_interval: Any = None,
        indices: Sequence[int] | None = None,
    ) -> None:
        """Set properties of some grippers, or all, (n,) each; those that are ``None`` stay.

        Raises:
            ValueError: there is another number of values, or one is negative; then nothing is changed.
        """
        self.gripper_view.set_surface_gripper_properties(
            max_grip_distance, coaxial_force_limit, shear_force_limit, retry_interval, indices
        )

    def set_grippers_command(self, states: Any, indices: Sequence[int] | None = None) -> None:
        """Tell some grippers, or all, to open or to close, (n,); see :attr:`command`.

        They do at the next :meth:`write_data_to_sim`, and once: one that has lost what it held closes again when it is
        told again.

        Raises:
            ValueError: there is another number of values.
        """
        found = array(states, self.device, "float32")
        if len(found.shape) > 1:
            raise ValueError(f"{self._who}: states have shape {tuple(found.shape)}; they must have one dimension")
        set_part(self._who, "states", self.command[:, None], found.reshape(-1, 1), indices, None)
        self._new[slice(None) if indices is None else np.asarray(accept(indices))] = True

    def reset(self, indices: Sequence[int] | None = None) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Open some grippers, or all, and forget what they were told."""
        self.gripper_view.reset(indices)
        self.set_grippers_command(np.zeros(1, "float32"), indices)
        self.update(0.0)

    def write_data_to_sim(self) -> None:
        """Hand new commands to the simulation."""
        self._check_initialized()
        if self._new.any():
            self._view.apply_gripper_action(accept(self._command)[self._new], np.flatnonzero(self._new))
            self._new[:] = False

    def update(self, dt: float) -> None:
        """Read states anew.

        Args:
            dt: time since the last call, s.
        """
        self._check_initialized()
        self._state = array(self._view.states(), self.device)

    def _initialize_impl(self) -> None:
        cfg, stage_world = self.cfg, self._simulation().stage_world
        self._view = GripperView(stage_world, utils.find_matching_prim_paths(cfg.prim_path))
        given = {name: getattr(cfg, name) for name in PROPERTIES}
        self._view.set_surface_gripper_properties(**given)
        self._command = zeros(self._view.count, self.device)
        self._new = np.zeros(self._view.count, bool)
        self._state = copy(array(self._view.states(), self.device))
