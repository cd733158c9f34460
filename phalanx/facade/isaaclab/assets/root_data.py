"""What is known about the root of an asset."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Collection
from typing import Any

from phalanx.facade.isaaclab.assets.lazy_data import joined, part, same
from phalanx.facade.isaaclab.assets.state_data import READ, StateData
from phalanx.facade.isaaclab.assets.together import Group, Together
from phalanx.facade.physx.state_kernels import frame_reading, root_reading
from phalanx.facade.shared_device import shares_memory

ROOT = READ
"""Of the root, what is read from the simulation; the rest is computed from it."""


STATE = "root_link_pose_w root_com_vel_w"

FRAMES = {
    "link velocity": "link_velocity",
    "link velocity b": "link_velocity_b",
    "com velocity b": "com_velocity_b",
    "gravity": "gravity_b",
    "heading": "heading",
}
"""What follows from the state, and the kernel's results."""


class RootData(StateData):
    """State of the root in all instances.

    ``link`` is the root's own frame, ``com`` its centre of mass. ``_w`` is in the simulation's world, ``_b`` in the
    link's frame. Poses are [x y z qw qx qy qz], velocities linear and angular, m/s and rad/s; n is the number of
    instances, and of rows.
    """

    def __init__(self, view: Any, device: str, gravity: Any) -> None:
        """Of the rows of a tensor view, with gravity's vector in m/s^2."""
        super().__init__((view.count,), device, gravity)
        self._view = view
        self._steps: dict[str, int] = {}  # of the simulation, after which values were read or written
        by_kernels = shares_memory(view.world) and view.has_roots and view.placement is not None
        self._together = Together(view.world, self._make_groups() if by_kernels else ())

    def update(self, dt: float) -> None:
        """See :meth:`LazyData.update`."""
        self._together.update()
        super().update(dt)

    def _make_groups(self) -> list[Group]:
        """Values that kernels read together."""
        state = {"link pose": (0, 7), "com velocity": (7, 13), STATE: None}
        self._around = self.GRAVITY_VEC_W, self.FORWARD_VEC_B
        return [
            Group({n: ("state", part) for n, part in state.items()}, lambda: root_reading(self._view), whole=(STATE,)),
            Group(
                {name: (result, None) for name, result in FRAMES.items()},
                lambda: frame_reading(self._view, *self._around),
                follows_from=("link pose", "com velocity"),
                is_around=True,
            ),
        ]

    def _now(self, name: str, compute: Callable[[], Any]) -> Any:
        """See :meth:`LazyData._now`; values that a kernel reads together are known together."""
        value = self._values.get(name)
        if value is None and (group := self._together.of.get(name)) is not None:
            self._read_together(group)
            value = self._values.get(name)
        if type(value) is tuple:
            results, key, columns = value
            value = self._values[name] = results.get(key, columns)
        return super()._now(name, compute) if value is None else value

    def _read_together(self, group: Group) -> None:
        """Let what a group reads be known: arrays, or where they are, (results, name, columns), until they are used."""
        values, steps, step = self._values, self._steps, self._view.world.step_count
        if any(steps.get(name) != step for name in group.follows_from if name in values):
            return
        if group.function is not None:
            found = dict.fromkeys(group.parts, group.function())
        else:
            around = self.GRAVITY_VEC_W, self.FORWARD_VEC_B
            if group.is_around and any(a is not b for a, b in zip(around, self._around, strict=True)):
                self._around = around
                self._together.renew(group)
            results = self._together.read(group)
            found = {name: (results, *place) for name, place in group.parts.items()}
        some_known = not values.keys().isdisjoint(found)
        for name, value in found.items():
            if name not in values and not (some_known and name in group.whole):
                values[name], steps[name] = value, step

    def _forget(self) -> None:
        """See :meth:`LazyData._forget`."""
        self._together.forget()
        super()._forget()

    def _written(self, name: str, value: Any, kept: Collection[str], env_ids: Any) -> None:
        """See :meth:`LazyData._written`."""
        self._together.forget()
        self._steps[name] = self._view.world.step_count
        super()._written(name, value, kept, env_ids)

    @property
    @abstractmethod
    def root_link_pose_w(self) -> Any:
        """(n, 7) pose of the link."""

    @property
    @abstractmethod
    def root_com_vel_w(self) -> Any:
        """(n, 6) velocity of the centre of mass."""

    @property
    @abstractmethod
    def body_com_pose_b(self) -> Any:
        """(n, bodies, 7) poses of the centres of mass in the links' frames; the root is the first body."""

    _link_pose = same("root_link_pose_w")
    _com_velocity = same("root_com_vel_w")

    @property
    def _com_in_link(self) -> Any:
        return self.body_com_pose_b[:, 0]

    # -- computed from it ------------------------------------------------------------------------------------

    @property
    def root_com_pose_w(self) -> Any:
        """(n, 7) pose of the centre of mass."""
        return self._com_pose

    @property
    def root_link_vel_w(self) -> Any:
        """(n, 6) velocity of the link's origin."""
        return self._link_velocity

    root_link_lin_vel_b = part("_link_vel_b", 0, 3, "(n, 3) linear velocity of the link's origin in its axes.")
    root_link_ang_vel_b = part("_link_vel_b", 3, 6, "(n, 3) angular velocity in the link's axes.")
    root_com_lin_vel_b = part("_com_vel_b", 0, 3, "(n, 3) linear velocity of the centre of mass in the link's axes.")
    root_com_ang_vel_b = part("_com_vel_b", 3, 6, "(n, 3) angular velocity in the link's axes.")

    root_state_w = joined("root_link_pose_w", "root_com_vel_w", "(n, 13) the link's pose, the com's velocity.")
    root_link_state_w = joined("root_link_pose_w", "root_link_vel_w", "(n, 13) pose and velocity of the link.")
    root_com_state_w = joined("root_com_pose_w", "root_com_vel_w", "(n, 13) pose and velocity of the centre of mass.")

    root_link_pos_w = part("root_link_pose_w", 0, 3, "(n, 3) position of the link.")
    root_link_quat_w = part("root_link_pose_w", 3, 7, "(n, 4) orientation of the link.")
    root_link_lin_vel_w = part("root_link_vel_w", 0, 3, "(n, 3) linear velocity of the link's origin.")
    root_link_ang_vel_w = part("root_link_vel_w", 3, 6, "(n, 3) angular velocity.")
    root_com_pos_w = part("root_com_pose_w", 0, 3, "(n, 3) position of the centre of mass.")
    root_com_quat_w = part("root_com_pose_w", 3, 7, "(n, 4) orientation of the principal axes.")
    root_com_lin_vel_w = part("root_com_vel_w", 0, 3, "(n, 3) linear velocity of the centre of mass.")
    root_com_ang_vel_w = part("root_com_vel_w", 3, 6, "(n, 3) angular velocity.")

    root_pose_w = same("root_link_pose_w")
    root_pos_w = same("root_link_pos_w")
    root_quat_w = same("root_link_quat_w")
    root_vel_w = same("root_com_vel_w")
    root_lin_vel_w = same("root_com_lin_vel_w")
    root_ang_vel_w = same("root_com_ang_vel_w")
    root_lin_vel_b = same("root_com_lin_vel_b")
    root_ang_vel_b = same("root_com_ang_vel_b")
