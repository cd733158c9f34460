"""What a benchmark scene is: data, from which our world and the peers' models are made alike."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

import numpy as np

from phalanx.io.formats import library
from phalanx.models.robot_model import RobotModel, Shape

Patterns = tuple[tuple[str, float], ...]
"""Pattern of joint names and their value; the first that matches counts, joints that none matches get 0."""


@dataclass(frozen=True)
class RobotItem:
    """A robot of a scene.

    ``source`` is the name of a shipped robot, or a function that makes the model. ``gains`` are (pattern, stiffness,
    damping) of position drives; a shipped robot has its own. ``torques`` (N·m or N) act on joints all the time. The
    controls move about all that: position targets by up to ``jitter`` (rad or m), and torques by up to ``noise`` of
    ``gears`` (N·m or N); targets also move on by ``travel`` (rad/s or m/s).
    """

    source: str | Callable[[], RobotModel]
    name: str = "robot"
    position: tuple[float, float, float] | None = None
    orientation: tuple[float, float, float, float] = (1.0, 0.0, 0.0, 0.0)
    fixed_base: bool | None = None
    joint_pos: dict[str, float] | None = None
    gains: tuple[tuple[str, float, float], ...] = ()
    gears: Patterns = ()
    torques: Patterns = ()
    travel: Patterns = ()
    jitter: float = 0.0
    noise: float = 0.0
    self_collision: bool = False
    friction: float = 0.8

    def drives(self, joint_names: Sequence[str]) -> Drives:
        """Everything about its joints in their order."""
        gains = self.gains
        if not gains and isinstance(self.source, str):
            gains = library.defaults(self.source).drives
        return Drives(
            _values(joint_names, [(pattern, stiffness) for pattern, stiffness, _ in gains]),
            _values(joint_names, [(pattern, damping) for pattern, _, damping in gains]),
            _values(joint_names, self.gears),
            _values(joint_names, self.torques),
            _values(joint_names, self.travel),
        )


@dataclass(frozen=True)
class Drives:
    """Arrays (num_dof,): gains of position drives, torque of a control of 1, constant torque, speed of targets."""

    stiffness: np.ndarray
    damping: np.ndarray
    gears: np.ndarray
    torques: np.ndarray
    travel: np.ndarray


@dataclass(frozen=True)
class ObjectItem:
    """A rigid object of a scene: one shape."""

    shape: Shape
    name: str
    position: tuple[float, float, float]
    orientation: tuple[float, float, float, float] = (1.0, 0.0, 0.0, 0.0)
    kind: str = "dynamic"
    mass: float | None = None
    friction: float = 0.8


@dataclass(frozen=True)
class SoftItem:
    """A soft body of a scene; the peers have none."""

    shape: Shape
    name: str
    position: tuple[float, float, float]
    resolution: int = 6
    youngs_modulus: float = 1e5
    mass: float = 0.2
    friction: float = 0.8


@dataclass(frozen=True)
class ClothItem:
    """A rectangle of cloth, width by height (m), of columns by rows of squares; the peers have none."""

    size: tuple[float, float]
    squares: tuple[int, int]
    name: str
    position: tuple[float, float, float]
    thickness: float = 2e-3
    bending_stiffness: float = 1e-5
    touches_cloth: bool = False
    friction: float = 0.6


@dataclass(frozen=True)
class RopeItem:
    """A straight rope along x; the peers have none."""

    length: float
    segments: int
    name: str
    position: tuple[float, float, float]
    radius: float = 5e-3
    friction: float = 0.5


@dataclass(frozen=True)
class ParticlesItem:
    """A block of grains, or of a fluid, so many along each axis; the peers have none."""

    counts: tuple[int, int, int]
    name: str
    position: tuple[float, float, float]
    radius: float = 5e-3
    fluid: bool = False
    viscosity: float = 0.0
    friction: float = 0.5
    rolling_friction: float | None = None


@dataclass(frozen=True)
class MujocoOptions:
    """What is MuJoCo's own in a scene, as its own benchmarks have it where they have the scene.

    ``cone`` is that of friction, ``impratio`` the ratio of the impedances of friction and of normal forces.
    ``solref`` and ``solimp`` are those of all shapes but the ground, ``solimplimit`` that of limits of joints.
    ``nconmax`` and ``njmax`` are MuJoCo Warp's rooms for contacts and constraint rows of an environment; ``None``: half
    as much again as MuJoCo's C engine needs in the same scene.
    """

    integrator: str = "implicitfast"
    eulerdamp: bool = True
    cone: str = "pyramidal"
    impratio: float = 1.0
    solref: tuple[float, float] = (0.02, 1.0)
    solimp: tuple[float, float, float] = (0.9, 0.95, 0.001)
    solimplimit: tuple[float, float, float] = (0.9, 0.95, 0.001)
    nconmax: int | None = None
    njmax: int | None = None


@dataclass(frozen=True)
class Scene:
    """A benchmark.

    All environments start alike; controls are drawn anew every ``hold`` steps, for each environment. ``watch`` names
    bodies (``actor/body``, or a deformable body) whose mean height is reported. ``steps`` are run on a GPU; on a CPU as
    many as ``cpu_work`` environment-steps allow, but at least two stretches of ``hold``. ``contact_offset`` (m) and
    ``max_contacts`` are the world's: MuJoCo looks for contacts at no distance, so the offset is small for the contacts
    to be about as many.
    """

    name: str
    doc: str
    robots: tuple[RobotItem, ...] = ()
    objects: tuple[ObjectItem, ...] = ()
    soft: tuple[SoftItem, ...] = ()
    cloth: tuple[ClothItem, ...] = ()
    ropes: tuple[RopeItem, ...] = ()
    particles: tuple[ParticlesItem, ...] = ()
    ground: bool = True
    ground_friction: float = 0.8
    gravity: tuple[float, float, float] = (0.0, 0.0, -9.81)
    dt: float = 0.005
    steps: int = 1000
    hold: int = 50
    cpu_work: int = 400_000
    contact_offset: float = 0.005
    max_contacts: int | None = None
    position_iterations: int = 4
    cpu_envs: tuple[int, ...] = (1, 256, 4096)
    cuda_envs: tuple[int, ...] = (1, 256, 4096, 8192, 32768)
    watch: tuple[str, ...] = ()
    mujoco: MujocoOptions = MujocoOptions()
    family: str = ""
    """Scenes of a family are run by the family's name, and not unless named."""

    @property
    def is_deformable(self) -> bool:
        """Whether something in it deforms, which the peers do not have."""
        return bool(self.soft or self.cloth or self.ropes or self.particles)

    def frames(self, num_envs: int, device: str, steps: int | None = None) -> int:
        """Number of stretches of ``hold`` steps, from ``steps`` or what suits the device."""
        if steps is None:
            steps = self.steps if device != "cpu" else min(self.steps, self.cpu_work // num_envs)
            return max(2, steps // self.hold)
        return max(1, -(-steps // self.hold))


def _values(names: Sequence[str], patterns: Sequence[tuple[str, float]]) -> np.ndarray:
    found = [next((value for pattern, value in patterns if fnmatchcase(name, pattern)), 0.0) for name in names]
    return np.array(found, float)
