"""The actuators of an articulation as one program of kernels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from phalanx.facade.arrays import accept, array_api, hand_out
from phalanx.facade.isaaclab.actuators import actuator_net, actuator_pd, kernels
from phalanx.facade.isaaclab.actuators.actuator_base import ActuatorBase
from phalanx.facade.isaaclab.utils.buffers import CircularBuffer
from phalanx.facade.physx.articulation_view import ArticulationView
from phalanx.facade.shared_device import in_order, shares_memory
from phalanx.world.engine.launches import Kernels, Launch, constants, flat

NETWORKS = (actuator_net.ActuatorNetLSTM, actuator_net.ActuatorNetMLP)

KNOWN = (
    *NETWORKS,
    actuator_pd.RemotizedPDActuator,
    actuator_pd.DelayedPDActuator,
    actuator_pd.DCMotor,
    actuator_pd.IdealPDActuator,
    actuator_pd.ImplicitActuator,
)
"""Models whose laws are kernels, subclasses first; of networks what is around them."""

LAW = ("compute", "_pd_effort", "_clip_effort", "_infer", "_infer_from")
"""What a model of a user's own that has another law overrides."""

PARAMETERS = {
    "stiffness": kernels.Gains.stiffness,
    "damping": kernels.Gains.damping,
    "effort_limit": kernels.Gains.effort_limit,
    "velocity_limit": kernels.Gains.velocity_limit,
    "_saturation_effort": kernels.Gains.saturation,
}
EFFORTS = {"computed_effort": kernels.Made.own_computed, "applied_effort": kernels.Made.own_applied}
TARGETS = {
    "joint_pos_target": kernels.Asked.position,
    "joint_vel_target": kernels.Asked.velocity,
    "joint_effort_target": kernels.Asked.effort,
}
TORQUES = {"computed_torque": kernels.Made.computed, "applied_torque": kernels.Made.applied}
DELAYS = {
    "positions_delay_buffer": (kernels.Asked.position, kernels.AskedLate.position),
    "velocities_delay_buffer": (kernels.Asked.velocity, kernels.AskedLate.velocity),
    "efforts_delay_buffer": (kernels.Asked.effort, kernels.AskedLate.effort),
}


def drives(view: ArticulationView, actuators: Sequence[ActuatorBase]) -> bool:
    """Whether there are kernels for all of some actuators, and for the rows of a view."""
    if not view.max_dofs or view.dof_coordinates is None or view.placement is None:
        return False
    laws = [law_of(actuator) for actuator in actuators]
    # networks are torch's, whose work is in order with ours on a GPU where users hold its tensors, too
    is_in_order = not view.world.engine.device.is_cuda or array_api(view.world.device) == "torch"
    return shares_memory(view.world) and None not in laws and (is_in_order or not any(law in NETWORKS for law in laws))


def law_of(actuator: ActuatorBase) -> type[ActuatorBase] | None:
    """The model with a kernel whose law an actuator has; none if it has another one."""
    kind = type(actuator)
    known = next((one for one in KNOWN if isinstance(actuator, one)), None)
    if known is None or any(getattr(kind, name, None) is not getattr(known, name, None) for name in LAW):
        return None
    return None if "compute" in vars(actuator) else known


class JointDriver:
    """Turns what is asked of an articulation's joints into what the engine's drives are to do, in one program.

    Buffers of targets and efforts, and parameters of models, become parts of a few arrays that kernels read and write.
    Users may write into them, or put others in their place, which are then copied at each step.

    Args:
        view: the joints; :func:`drives` is true of it and of the actuators.
        actuators: models, each of joints of its own.
        data: where the buffers of targets and torques are.
    """

    def __init__(self, view: ArticulationView, actuators: Sequence[ActuatorBase], data: Any) -> None:
        self._view, self._world, self._data, self._actuators = view, view.world, data, list(actuators)
        self._histories: list[_History] = []
        self._ours: list[tuple[Any, str, Any]] = []  # holder, name, and the array that it should be
        self._checks = not self._world.engine.device.is_cuda
        with in_order(self._world):
            self._build()

    def run(self) -> None:
        """Compute efforts, and give drives their targets.

        Raises:
            ValueError: an effort is not finite, as far as that can be known without waiting for a GPU.
        """
        for holder, name, mine in self._ours:
            theirs = getattr(holder, name)
            if theirs is not mine:
                mine[...] = theirs
        with in_order(self._world):
            moved = [history.is_elsewhere() for history in self._histories]
            if any(moved):
                self._bind()
            (self._shows if self._networks else self._kernels).run()
        if self._networks:  # torch's work, on its own stream, which waits for what is above
            for actuator, seen, said in self._networks:
                said[...] = actuator._infer_from(seen).reshape(said.shape)
            with in_order(self._world):
                self._kernels.run()
        for history in self._histories:
            history.went_on()
        self._world.engine.touch_inputs()
        if self._checks and not np.isfinite(self._applied.sum()):
            row = int(np.argwhere(~np.isfinite(self._applied.reshape(self._view.count, -1)))[0][0])
            raise ValueError(f"efforts of actuators are not finite in row {row}: look at targets and gains")

    # -- making it -------------------------------------------------------------------------------------------

    def _build(self) -> None:
        view, world = self._view, self._world
        columns, joints = len(view.dof_rows), view.max_dofs
        env_step, starts = view.placement  # pyright: ignore[reportGeneralTypeIssues]
        place: dict[str, Any] = {name: np.zeros((columns, joints), np.int32) for name in _PLACE}
        place["dof"], place["coord"] = view.dof_rows, view.dof_coordinates
        place["offset"] = starts[:, None] * joints + np.arange(joints)
        self._row_step, self._starts, self._joints = env_step, starts, joints
        self._arrays: dict[Any, Any] = {}
        angles, efforts, first = [], [], 0
        self._blocks: list[tuple[ActuatorBase, np.ndarray, int]] = []
        for actuator in self._actuators:
            mine = np.arange(joints)[_host(actuator.joint_indices)]
            width = len(mine)
            law = law_of(actuator)
            kind = kernels.NETWORK if law in NETWORKS else kernels.EXPLICIT
            place["kind"][:, mine] = kernels.IMPLICIT if actuator.is_implicit_model else kind
            place["first"][:, mine] = first + starts[:, None] * width + np.arange(width)
            place["step"][:, mine] = env_step * width
            motor = law is actuator_pd.DCMotor or law in NETWORKS
            place["slows"][:, mine] = motor and actuator._limited_by_speed  # pyright: ignore
            place["owns"][:, mine] = _progression(mine) is None
            place["late"][:, mine] = isinstance(actuator, actuator_pd.DelayedPDActuator)
            place["points"][:, mine] = place["end"][:, mine] = len(angles)
            if isinstance(actuator, actuator_pd.RemotizedPDActuator):
                angles += _host(actuator.angle_samples).tolist()
                efforts += _host(actuator.max_torque_samples).tolist()
                place["end"][:, mine] = len(angles)
            self._blocks.append((actuator, mine, first))
            first += view.count * width
        self._place_buffers()
        self._place_parameters(max(first, 1))
        self._share_efforts(max(first, 1))
        self._place_networks(max(first, 1))
        self._rows = columns * joints
        tables = {kernels.Linkage.angle: angles or [0.0], kernels.Linkage.effort: efforts or [0.0]}
        named = {getattr(kernels.JointPlace, name): values for name, values in place.items()}
        self._arrays |= constants(world.engine, named | tables)
        self._late_rows = np.arange(self._rows).reshape(columns, joints)
        self._offsets = place["offset"]
        some_late = any(isinstance(actuator, actuator_pd.DelayedPDActuator) for actuator in self._actuators)
        for _, late in DELAYS.values():
            shape = (self._rows, world.engine.store.stride) if some_late else (1, 1)
            self._arrays[late] = world.engine.device.xp.zeros(shape, world.dtype)
        for actuator, mine, _ in self._blocks:
            if isinstance(actuator, actuator_pd.DelayedPDActuator):
                self._histories += [_History(self, actuator, mine, name) for name in DELAYS]
        self._implicit = any(actuator.is_implicit_model for actuator in self._actuators)
        self._bind()

    def _place_parameters(self, size: int) -> None:
        """Parameters of models become parts of one array each."""
        xp, world = self._world.engine.device.xp, self._world
        for name, one in PARAMETERS.items():
            whole = self._arrays[one] = xp.zeros((size, 1), world.dtype)
            for actuator, mine, first in self._blocks:
                if not hasattr(actuator, name):
                    continue
                shape = (self._view.count, len(mine))
                part = hand_out(whole[first : first + shape[0] * shape[1], 0].reshape(shape))
                part[...] = getattr(actuator, name)
                setattr(actuator, name, part)
                self._ours.append((actuator, name, part))

    def _share_efforts(self, size: int) -> None:
        """Efforts of models become columns of the articulation's where these are a slice, else arrays of their own."""
        xp, world = self._world.engine.device.xp, self._world
        for (name, own), of_all in zip(EFFORTS.items(), TORQUES, strict=True):
            alone = any(_progression(mine) is None for _, mine, _ in self._blocks)
            whole = self._arrays[own] = xp.zeros((size if alone else 1, 1), world.dtype)
            for actuator, mine, first in self._blocks:
                columns, shape = _progression(mine), (self._view.count, len(mine))
                if columns is None:
                    part = hand_out(whole[first : first + shape[0] * shape[1], 0].reshape(shape))
                else:
                    part = getattr(self._data, of_all)[:, columns]
                setattr(actuator, name, part)

    def _place_networks(self, size: int) -> None:
        """What networks see and say becomes parts of one array each, of torch's."""
        xp, world = self._world.engine.device.xp, self._world
        mine = [block for block in self._blocks if law_of(block[0]) in NETWORKS]
        size = size if mine else 1
        seen = self._arrays[kernels.Learned.seen] = xp.zeros((2 * size, 1), world.dtype)
        said = self._arrays[kernels.Learned.said] = xp.zeros((size, 1), world.dtype)
        self._networks: list[tuple[Any, Any, Any]] = []
        for actuator, columns, first in mine:
            shape = (self._view.count, len(columns))
            part = slice(first, first + shape[0] * shape[1])
            looks = seen[2 * part.start : 2 * part.stop, 0].reshape(*shape, 2)
            self._networks.append((actuator, hand_out(looks, "torch"), hand_out(said[part, 0].reshape(shape), "torch")))

    def _place_buffers(self) -> None:
        """Targets and torques of the articulation become arrays that kernels see."""
        xp, world, data = self._world.engine.device.xp, self._world, self._data
        for name, one in (TARGETS | TORQUES).items():
            whole = self._arrays[one] = xp.zeros((self._view.count * self._joints, 1), world.dtype)
            mine = hand_out(whole.reshape(self._view.count, self._joints))
            mine[...] = getattr(data, name)
            setattr(data, name, mine)
            if name in TARGETS:
                self._ours.append((data, name, mine))
        self._applied = self._arrays[kernels.Made.applied]

    def _bind(self) -> None:
        numbers = {
            kernels.Joint: self._rows,
            kernels.Step: self._row_step * self._joints,
            kernels.Drives: int(self._implicit),
        }
        if self._networks:
            shows = Launch(kernels.show_networks, self._rows, self._arrays, numbers)
            self._shows = Kernels(self._world.engine, [shows])
        launches = [launch for history in self._histories for launch in history.launches(numbers)]
        launches.append(Launch(kernels.actuate_joints, self._rows, self._arrays, numbers))
        self._kernels = Kernels(self._world.engine, launches)


_PLACE = ("dof", "coord", "kind", "offset", "first", "step", "slows", "late", "points", "end", "owns")


class _History:
    """Targets of one sort of a delayed actuator, in the buffer that users know."""

    def __init__(self, driver: JointDriver, actuator: Any, mine: np.ndarray, name: str) -> None:
        self._driver, self._mine, self._field = driver, mine, DELAYS[name]
        self._delays = getattr(actuator, name)
        self._newest = driver._world.engine.device.xp.zeros((driver._view.count, 1), "int32")
        self._seen: tuple[Any, ...] = ()
        self._expected = -2

    @property
    def _buffer(self) -> CircularBuffer:
        return self._delays._circular_buffer

    def is_elsewhere(self) -> bool:
        """Whether the buffer's arrays are others than those that kernels know; and let kernels know the newest."""
        buffer = self._buffer
        buffer.reserve((self._driver._view.count, len(self._mine)))
        if buffer._newest != self._expected:
            self._newest[...] = self._expected = buffer._newest
        now = (buffer._buffer, buffer._pushes, self._delays._time_lags)
        moved = len(self._seen) != 3 or any(a is not b for a, b in zip(now, self._seen, strict=True))
        self._seen = now
        return moved

    def went_on(self) -> None:
        """The kernels have kept a value."""
        buffer = self._buffer
        buffer._newest = self._expected = (buffer._newest + 1) % buffer.max_length
        buffer._some_empty = False

    def launches(self, numbers: dict[Any, int]) -> list[Launch]:
        """What keeps targets and hands on older ones."""
        driver, asked, late = self._driver, *self._field
        self.is_elsewhere()
        values, pushes, lags = (accept(each, driver._world.device) for each in self._seen)
        starts, width = driver._starts, len(self._mine)
        place = {
            kernels.LatePlace.joint: driver._late_rows[:, self._mine],
            kernels.LatePlace.offset: driver._offsets[:, self._mine],
            kernels.LatePlace.first: starts[:, None] * width + np.arange(width),
            kernels.LatePlace.step: np.full((len(starts), width), driver._row_step * width),
            kernels.LatePlace.row: np.repeat(starts, width),
            kernels.ColumnPlace.row: starts,
        }
        arrays = constants(driver._world.engine, place) | {
            kernels.History.asked: driver._arrays[asked],
            kernels.History.late: driver._arrays[late],
            kernels.History.kept: flat(values),
            kernels.History.newest: self._newest,
            kernels.History.lags: flat(lags.view("int32")),
            kernels.History.pushes: flat(pushes.view("int32")),
        }
        numbers = numbers | {
            kernels.Late: len(starts) * width,
            kernels.RowStep: driver._row_step,
            kernels.Length: self._buffer.max_length,
            kernels.Slice: driver._view.count * width,
        }
        return [
            Launch(kernels.delay_targets, len(starts) * width, arrays, numbers),
            Launch(kernels.count_targets, len(starts), arrays, numbers),
        ]


def _progression(columns: np.ndarray) -> slice | None:
    """Columns as a slice, if they are one."""
    step = int(columns[1] - columns[0]) if len(columns) > 1 else 1
    if step < 1 or (np.diff(columns) != step).any():
        return None
    return slice(int(columns[0]), int(columns[-1]) + 1, step)


def _host(value: Any) -> Any:
    """Indices or numbers as NumPy has them."""
    if isinstance(value, slice | list | tuple):
        return value
    found = accept(value)
    return found if isinstance(found, np.ndarray) else np.asarray(found)
