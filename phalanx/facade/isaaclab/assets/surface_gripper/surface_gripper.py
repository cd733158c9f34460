"""Grippers that hold by their surface, which are not simulated yet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

from phalanx.facade.isaaclab.assets.asset_base import AssetBase


def _refuse(name: str) -> NoReturn:
    raise NotImplementedError(
        f"{name}: grippers that hold by their surface are not simulated yet; hold by friction, or, in a phalanx.World, "
        'by a joint of add_joint("fixed", ...) that is broken by set_broken()'
    )


class SurfaceGripper(AssetBase):
    """A gripper that holds what is near by its surface, such as a suction cup. None can be made yet.

    Args:
        cfg: a ``SurfaceGripperCfg``.

    Raises:
        NotImplementedError: always, and nothing is put on the stage; so does every member.
    """

    cfg: Any

    def __init__(self, cfg: Any) -> None:
        _refuse(f"SurfaceGripper {cfg.prim_path!r}")

    @property
    def data(self) -> Any:
        """What would be known about it: nothing but its state."""
        _refuse("SurfaceGripper.data")

    @property
    def num_instances(self) -> int:
        """How many there are, in all environments together."""
        _refuse("SurfaceGripper.num_instances")

    @property
    def state(self) -> Any:
        """(n,): -1 open, 0 closing, 1 closed."""
        _refuse("SurfaceGripper.state")

    @property
    def command(self) -> Any:
        """(n,): what they were told: below -0.3 to open, above 0.3 to close, in between nothing."""
        _refuse("SurfaceGripper.command")

    @property
    def gripper_view(self) -> Any:
        """The view of all grippers."""
        _refuse("SurfaceGripper.gripper_view")

    def update_gripper_properties(
        self,
        max_grip_distance: Any = None,
        coaxial_force_limit: Any = None,
        shear_force_limit: Any = None,
        retry_interval: Any = None,
        indices: Sequence[int] | None = None,
    ) -> None:
        """Set properties of some grippers, (n,) each."""
        _refuse("SurfaceGripper.update_gripper_properties")

    def set_grippers_command(self, states: Any, indices: Sequence[int] | None = None) -> None:
        """Tell some grippers to open or to close, (n,); see :attr:`command`."""
        _refuse("SurfaceGripper.set_grippers_command")

    def reset(self, indices: Sequence[int] | None = None) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Open some grippers, or all."""
        _refuse("SurfaceGripper.reset")

    def write_data_to_sim(self) -> None:
        """Hand commands to the simulation."""
        _refuse("SurfaceGripper.write_data_to_sim")

    def update(self, dt: float) -> None:
        """Read states anew."""
        _refuse("SurfaceGripper.update")

    def _initialize_impl(self) -> None:
        _refuse("SurfaceGripper")
