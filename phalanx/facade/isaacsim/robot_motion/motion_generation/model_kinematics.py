"""The kinematics of a simulated robot, from what the engine simulates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from phalanx.facade import simulation
from phalanx.facade.backends import on_host
from phalanx.facade.isaacsim.core.prims.single_articulation import SingleArticulation
from phalanx.facade.isaacsim.core.utils.stage import get_stage_units
from phalanx.facade.isaacsim.robot_motion.motion_generation.kinematics_interface import KinematicsSolver
from phalanx.maths import arrays as rotations
from phalanx.models.robot_model import RobotModel
from phalanx.models.serial_chain import SerialChain

DISTANCE, ANGLE = 1e-3, 1e-2
"""m and rad: as near a frame shall be unless told otherwise."""


class ModelKinematicsSolver(KinematicsSolver):
    """The kinematics of an articulation that is simulated; there is nothing like it in Isaac Sim.

    It takes the place of ``LulaKinematicsSolver``, and needs no files: it knows what the simulation knows.

    Args:
        robot_articulation: the robot, simulated.
        end_body: the body whose chain of joints from the root is solved for.
        frames: more frames, by name: a body's name, and position, m, and orientation, (w, x, y, z), in it.

    Raises:
        ValueError: the articulation is not simulated.
        KeyError: it has no such body.
    """

    def __init__(
        self,
        robot_articulation: SingleArticulation,
        end_body: str,
        frames: Mapping[str, tuple[str, Sequence[float], Sequence[float]]] | None = None,
    ) -> None:
        self._model = model_of(robot_articulation)
        self._frames: dict[str, tuple[str, Sequence[float], Sequence[float]]] = {
            body.name: (body.name, (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0)) for body in self._model.bodies
        }
        self._frames.update(frames or {})
        self._joints = SerialChain(self._model, end_body).joint_names
        self._chains: dict[str, SerialChain] = {}
        self._position, self._orientation = np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0])
        self.set_robot_base_pose(*robot_articulation.get_world_pose())

    def set_robot_base_pose(self, robot_position: Any, robot_orientation: Any) -> None:
        """Say where the robot's root body is in the world: (3,) in units of the stage, and (w, x, y, z)."""
        self._position = on_host(robot_position, float) * get_stage_units()
        self._orientation = rotations.unit(on_host(robot_orientation, float))

    def get_joint_names(self) -> list[str]:
        """The joints from the root to the end, in the order of all arrays."""
        return list(self._joints)

    def get_all_frame_names(self) -> list[str]:
        """The bodies, and the frames that were given."""
        return list(self._frames)

    def chain(self, frame_name: str) -> SerialChain:
        """The joints from the root to a frame.

        Raises:
            ValueError: there is no such frame, or other joints than those of the end move it.
        """
        if frame_name not in self._frames:
            raise ValueError(f"there is no frame {frame_name!r}; there are {', '.join(self._frames)}")
        if frame_name not in self._chains:
            found = SerialChain(self._model, *self._frames[frame_name])
            if found.joint_names != self._joints[: len(found.joint_names)]:
                raise ValueError(f"frame {frame_name!r} is moved by {found.joint_names}, and not by {self._joints}")
            self._chains[frame_name] = found
        return self._chains[frame_name]

    def compute_forward_kinematics(
        self, frame_name: str, joint_positions: Any, position_only: bool | None = False
    ) -> tuple[np.ndarray, np.ndarray]:
        """Where a frame is in the world: (3,) in units of the stage, and a matrix (3, 3)."""
        chain = self.chain(frame_name)
        pose = chain.frame(on_host(joint_positions, float)[: len(chain.joint_names)])
        turn = rotations.matrix(self._orientation)
        return (turn @ pose[:3, 3] + self._position) / get_stage_units(), turn @ pose[:3, :3]

    def compute_inverse_kinematics(
        self,
        frame_name: str,
        target_position: Any,
        target_orientation: Any = None,
        warm_start: Any = None,
        position_tolerance: float | None = None,
        orientation_tolerance: float | None = None,
    ) -> tuple[np.ndarray, bool]:
        """Positions of the joints that bring a frame to a pose in the world; see :class:`SerialChain`.

        Args:
            frame_name: of the frame.
            target_position: (3,), in units of the stage.
            target_orientation: (w, x, y, z); any by default.
            warm_start: positions to begin with, (joints,); the middle of the limits by default.
            position_tolerance, orientation_tolerance: how near, in units of the stage and rad; 1 mm and 0.01 rad by
                default.

        Returns:
            The best positions that were found, (joints,), and whether they are near enough.
        """
        chain, units = self.chain(frame_name), get_stage_units()
        count = len(chain.joint_names)
        middle = np.nan_to_num((chain.lower + chain.upper) / 2.0, posinf=0.0, neginf=0.0)
        start = middle if warm_start is None else on_host(warm_start, float)[:count]
        back = self._orientation * [1.0, -1.0, -1.0, -1.0]
        place = rotations.rotate(back, on_host(target_position, float) * units - self._position)
        turn = None
        if target_orientation is not None:
            turn = rotations.product(back, rotations.unit(on_host(target_orientation, float)))
        near = DISTANCE if position_tolerance is None else position_tolerance * units
        aligned = ANGLE if orientation_tolerance is None else orientation_tolerance
        found = chain.solve(place, turn, start, distance=near, angle=aligned)
        rest = np.zeros(0) if warm_start is None else on_host(warm_start, float)[count:]
        return np.concatenate([found.positions, rest]), found.distance <= near and found.angle <= aligned


def model_of(articulation: SingleArticulation) -> RobotModel:
    """What the engine simulates of an articulation.

    Raises:
        ValueError: nothing, or the articulation is not in the simulation.
    """
    world = simulation.stage_world()
    names = [] if world is None else world.actors_at(articulation.prim_path)[0]
    robots = [] if world is None else [name for name in names if name in world.world.robots]
    if world is None or len(robots) != 1:
        raise ValueError(f"{articulation.name}: {articulation.prim_path} is not simulated; reset the world first")
    return world.scene.actors[robots[0]].model


__all__ = ["ModelKinematicsSolver"]
