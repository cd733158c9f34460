"""Live views: the engine's own memory as environment-first arrays, without a copy."""

from __future__ import annotations

from typing import Any

import numpy as np

from phalanx import components as c
from phalanx.ecs import Field
from phalanx.world.engine.engine import Engine

ALWAYS = {"root_pose": (c.Coordinate.value, "_root_coords"), "root_vel": (c.DofState.velocity, "_root_dofs")}
JOINTS = {
    "joint_pos": (c.Coordinate.value, "_scalar_coords"),
    "joint_vel": (c.DofState.velocity, "joint_rows"),
    "joint_pos_target": (c.DriveTarget.position, "joint_rows"),
    "joint_vel_target": (c.DriveTarget.velocity, "joint_rows"),
    "joint_effort_target": (c.DriveTarget.effort, "joint_rows"),
    "joint_stiffness": (c.Drive.stiffness, "joint_rows"),
    "joint_damping": (c.Drive.damping, "joint_rows"),
    "joint_effort_limit": (c.Drive.effort_limit, "joint_rows"),
}
"""For each name the field, and which of the actor's attributes says its rows."""


class Live:
    """State and inputs of a robot or a rigid object as live views: ``robot.live.joint_pos[3] = 0.5`` acts at once.

    Each name gives an array of the device, NumPy's or CuPy's, that is the engine's memory: (n, num_dof) for what is of
    joints, ``root_pose`` (n, 7) [x y z qw qx qy qz], ``root_vel`` (n, 6); units are those of the handle's attributes of
    these names. It changes when the world steps, and what is written into it is the world's state as soon as it is
    written: poses are computed anew when they are next read, recorders hear of it, and what slept under other
    conditions wakes. ``torch.from_dlpack(robot.live.joint_pos)`` is the same memory as a tensor.

    Arrays are not contiguous: the environment is the last axis in memory. Numbers are not checked; keep quaternions at
    length 1. As long as a view is alive, or an array or tensor made from it without a copy, the world takes it that it
    may have been written: each read of poses and each call of ``step`` costs a computation of poses, and a recorder
    keeps a whole state at each call of ``step``. So drop views of the state that you do not need. On a GPU work of
    CuPy's current stream is in order with the world's; other streams are yours to order.

    Raises:
        ValueError: a joint has several coordinates, so there is no array of positions; or the root cannot move.
    """

    def __init__(self, actor: Any) -> None:
        self._actor = actor

    @property
    def _names(self) -> dict[str, tuple[Field, str]]:
        names = dict(ALWAYS)
        if self._actor.fixed_base:
            del names["root_vel"]
        return names | (JOINTS if getattr(self._actor, "num_dof", 0) else {})

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        names = self._names
        if name not in names:
            if name == "root_vel":
                raise ValueError(f"{self._actor} has a fixed base: its root has no velocity")
            raise AttributeError(f"{self._actor} has no live view {name!r}; it has {', '.join(names)}")
        field, place = names[name]
        engine = self._actor.engine
        engine.build()
        rows = getattr(self._actor, place)
        if rows is None:
            raise ValueError(f"{self._actor} has joints of several coordinates: read and set its joint_pos by itself")
        return _lent(engine, field, rows)

    def __dir__(self) -> list[str]:
        return [*self._names]

    def __repr__(self) -> str:
        return f"<live views of {self._actor}: {', '.join(self._names)}>"


class Loan:
    """What a live view keeps: while it is alive the world cannot know what is written."""

    __array_interface__: dict[str, Any]

    def __init__(self, engine: Engine, field: Field, memory: Any) -> None:
        self._engine, self._field, self._memory = engine, field, memory
        self.notice()

    def notice(self) -> None:
        """Tell the engine that the field may have been written."""
        self._engine.touch(self._field)

    def __del__(self) -> None:
        self.notice()  # of what was written last


def _lent(engine: Engine, field: Field, rows: slice) -> Any:
    """The view (n, rows) of a field's memory, with a loan as its owner."""
    device = engine.device
    with engine.store.active():
        memory = engine.store.view(field)[rows]
        view = device.xp.moveaxis(memory, -1, 0)
        loan = Loan(engine, field, memory)
        if device.is_cuda:
            data, start = memory.data, memory.data.mem
            whole = device.xp.cuda.UnownedMemory(start.ptr, start.size, loan, start.device_id)
            pointer = device.xp.cuda.MemoryPointer(whole, data.ptr - start.ptr)
            made = device.xp.ndarray(view.shape, view.dtype, pointer, strides=view.strides)
        else:
            loan.__array_interface__ = view.__array_interface__
            made = np.asarray(loan)
    engine.loans.add(loan)
    return made
