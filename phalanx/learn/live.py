"""The engine's own arrays as torch tensors, without a copy, environment-first; and what follows from them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import cache
from typing import Any

import torch

from phalanx import components as c
from phalanx.ecs import Field
from phalanx.learn.rotations import rotate_back
from phalanx.world.handles.actor import Actor
from phalanx.world.handles.robot import Robot
from phalanx.world.world import World

Rows = slice | None


class Live:
    """Tensors on the memory of a world's arrays; reading one costs nothing, writing into it is writing into the world.

    Args:
        world: a world that is built.
    """

    def __init__(self, world: World) -> None:
        self.world = world
        self.device = torch.device(world.device)
        self._version = world.arrays_version
        self._known: dict[tuple[Field, Any], torch.Tensor] = {}
        self._computed: dict[Any, torch.Tensor] = {}
        self.asked: set[str] = set()
        """Phases of the schedule that reads needed since :meth:`start`."""
        self._fresh: set[str] = set()

    def field(self, field: Field, rows: Rows = None) -> torch.Tensor:
        """(num_envs, rows, *item): a field's array; of one environment-wide value (1, rows, *item)."""
        key = (field, None if rows is None else (rows.start, rows.stop))
        found = self._known.get(key)
        if found is None:
            with torch.inference_mode(False):  # or they could only be written in that mode
                whole = torch.from_dlpack(self.world.live(field))
                found = self._known[key] = (whole if rows is None else whole[rows]).movedim(-1, 0)
        return found

    def has_moved(self) -> bool:
        """Whether the world has replaced arrays since the last call; then they are looked up anew."""
        if self._version == self.world.arrays_version:
            return False
        self._version = self.world.arrays_version
        self._known.clear()
        return True

    def start(self, fresh: set[str]) -> None:
        """The state is another one than before; results of these phases of the schedule are there already."""
        self._computed.clear()
        self.asked, self._fresh = set(), set(fresh)

    def need(self, phase: str) -> None:
        """See that a phase of the schedule has run on the present state."""
        self.asked.add(phase)
        if phase not in self._fresh:
            self.world.compute(phase)
            self._fresh.add(phase)

    def once(self, key: Any, compute: Callable[[], torch.Tensor]) -> torch.Tensor:
        """What is computed once for a state, however often it is read."""
        if key not in self._computed:
            self._computed[key] = compute()
        return self._computed[key]

    def changed(self) -> None:
        """What was computed before no longer holds."""
        self._computed.clear()

    def streams(self) -> Any:
        """A context in which CuPy's current stream is torch's, so that the world runs in order with torch.

        The world's device is the current one within it.
        """
        if self.device.type == "cpu":
            return nullcontext()
        import cupy  # pyright: ignore[reportMissingImports]

        pointer = torch.cuda.current_stream(self.device).cuda_stream
        if torch.cuda.current_device() != self.device.index:
            return _elsewhere(self.device, pointer)
        return nullcontext() if pointer == cupy.cuda.get_current_stream().ptr else _stream(pointer)


@contextmanager
def _elsewhere(device: torch.device, pointer: int) -> Iterator[None]:
    """On a device that is not the current one: streams are entered, and graphs captured, on the current one alone."""
    with torch.cuda.device(device), _stream(pointer):
        yield


@cache
def _stream(pointer: int) -> Any:
    import cupy  # pyright: ignore[reportMissingImports]

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # its successor would destroy torch's stream
        return cupy.cuda.ExternalStream(pointer)


class ObjectState:
    """State of a rigid object or of a robot's root, (num_envs, ...), world frame relative to the environment's origin.

    What is said to be live is the engine's memory: it changes when the world steps, and may be written by
    randomisations. Everything else is computed when it is read, once a step.
    """

    def __init__(self, live: Live, actor: Actor) -> None:
        self._live, self._actor = live, actor
        gravity = torch.tensor(live.world.gravity, device=live.device)
        length = torch.linalg.vector_norm(gravity)
        self._down = gravity / length if length > 0 else torch.tensor((0.0, 0.0, -1.0), device=live.device)

    @property
    def root_pose(self) -> torch.Tensor:
        """(n, 7), live: [x y z qw qx qy qz] of the root link's frame; keep quaternions at length 1."""
        return self._live.field(c.Coordinate.value, self._actor._root_coords)

    @property
    def root_pos(self) -> torch.Tensor:
        """(n, 3), live, m."""
        return self.root_pose[:, :3]

    @property
    def root_quat(self) -> torch.Tensor:
        """(n, 4), live: w x y z."""
        return self.root_pose[:, 3:]

    @property
    def root_vel(self) -> torch.Tensor:
        """(n, 6), live: [linear, angular] velocity of the root link's frame, m/s and rad/s; not of a fixed base."""
        if self._actor.fixed_base:
            raise ValueError(f"{self._actor} has a fixed base: its root has no velocity")
        return self._live.field(c.DofState.velocity, self._actor._root_dofs)

    @property
    def root_lin_vel_b(self) -> torch.Tensor:
        """(n, 3): linear velocity of the root link's frame in its own axes, m/s."""
        return self._once("lin", lambda: rotate_back(self.root_quat, self.root_vel[:, :3]))

    @property
    def root_ang_vel_b(self) -> torch.Tensor:
        """(n, 3): angular velocity of the root link in its own axes, rad/s."""
        return self._once("ang", lambda: rotate_back(self.root_quat, self.root_vel[:, 3:]))

    @property
    def projected_gravity(self) -> torch.Tensor:
        """(n, 3): unit vector along gravity in the root link's axes; (0, 0, -1) while it is upright."""
        return self._once("down", lambda: rotate_back(self.root_quat, self._down.expand(self.root_pose.shape[0], 3)))

    @property
    def body_pose(self) -> torch.Tensor:
        """(n, bodies, 7): [x y z qw qx qy qz] of each body's frame."""
        self._live.need("query_bodies")
        return self._live.field(c.BodyState.pose, self._actor._bound.bodies)

    @property
    def body_vel(self) -> torch.Tensor:
        """(n, bodies, 6): [linear, angular] velocity of each body's frame, m/s and rad/s."""
        self._live.need("query_bodies")
        return self._live.field(c.BodyState.velocity, self._actor._bound.bodies)

    @property
    def contact_force(self) -> torch.Tensor:
        """(n, bodies, 3): sum of contact forces on each body in the last substep, N."""
        self._live.need("query_contacts")
        return self._live.field(c.BodyContact.force, self._actor._bound.bodies)

    def bodies(self, *names: str) -> torch.Tensor:
        """Indices of bodies, by name, for ``body_pose`` and the like; on the device, so that nothing waits for them."""
        return torch.tensor([self._actor.body_index(name) for name in names], device=self._live.device)

    def _once(self, name: str, compute: Callable[[], torch.Tensor]) -> torch.Tensor:
        return self._live.once((self._actor.name, name), compute)


class RobotState(ObjectState):
    """State and targets of a robot, joints in the order of ``robot.joint_names``."""

    def __init__(self, live: Live, robot: Robot) -> None:
        super().__init__(live, robot)
        self._robot = robot
        if robot._scalar_coords is None:
            raise ValueError(f"{robot} has joints of several degrees of freedom, of which phalanx.learn has no reads")
        lower, upper = robot.joint_limits
        self.default_joint_pos = torch.tensor(robot.default_joint_pos, dtype=torch.float32, device=live.device)
        """(num_dof,): positions in which the robot starts, rad or m."""
        self.joint_lower = torch.tensor(lower, dtype=torch.float32, device=live.device)
        self.joint_upper = torch.tensor(upper, dtype=torch.float32, device=live.device)
        """(num_dof,): limits of positions, infinite where there are none."""

    @property
    def joint_pos(self) -> torch.Tensor:
        """(n, num_dof), live, rad or m."""
        return self._live.field(c.Coordinate.value, self._robot._scalar_coords)

    @property
    def joint_vel(self) -> torch.Tensor:
        """(n, num_dof), live, rad/s or m/s."""
        return self._live.field(c.DofState.velocity, self._robot.joint_rows)

    @property
    def joint_acc(self) -> torch.Tensor:
        """(n, num_dof): change of velocity over the last substep, rad/s^2 or m/s^2."""
        return self._live.field(c.DofState.acceleration, self._robot.joint_rows)

    @property
    def applied_effort(self) -> torch.Tensor:
        """(n, num_dof): what drives gave in the last substep, N m or N."""
        return self._live.field(c.DriveEffort.applied, self._robot.joint_rows)

    @property
    def pos_target(self) -> torch.Tensor:
        """(n, num_dof), live: position targets of the drives."""
        return self._live.field(c.DriveTarget.position, self._robot.joint_rows)

    @property
    def vel_target(self) -> torch.Tensor:
        """(n, num_dof), live: velocity targets of the drives."""
        return self._live.field(c.DriveTarget.velocity, self._robot.joint_rows)

    @property
    def effort_target(self) -> torch.Tensor:
        """(n, num_dof), live: efforts that the drives add, N m or N."""
        return self._live.field(c.DriveTarget.effort, self._robot.joint_rows)
