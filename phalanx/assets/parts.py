"""Models of robots and objects in few words: bodies of shapes, and the joints between them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from phalanx.maths.arrays import between
from phalanx.models.meshes import mass_properties
from phalanx.models.robot_model import Body, Joint, RobotModel, Shape

Vector = Sequence[float] | np.ndarray
GREY = (0.6, 0.6, 0.65, 1.0)


def _vector(values: Vector) -> tuple[float, float, float]:
    x, y, z = (float(value) for value in values)
    return x, y, z


def turn(axis: str, degrees: float) -> tuple[float, float, float, float]:
    """The quaternion (w, x, y, z) of a turn about ``"x"``, ``"y"`` or ``"z"``."""
    half = math.radians(degrees) / 2.0
    x, y, z = (math.sin(half) if letter == axis else 0.0 for letter in "xyz")
    return math.cos(half), x, y, z


def along(direction: Vector) -> tuple[float, float, float, float]:
    """The quaternion (w, x, y, z) that turns z into a direction."""
    vector = np.asarray(direction, float)
    w, x, y, z = between(np.array([0.0, 0.0, 1.0]), vector / np.linalg.norm(vector)).tolist()
    return w, x, y, z


def box(size: Vector, at: Vector = (0.0, 0.0, 0.0), orientation: Vector = (1.0, 0.0, 0.0, 0.0)) -> Shape:
    """A box of whole edge lengths, m, with its middle at a point."""
    w, x, y, z = orientation
    return Shape("box", tuple(float(edge) / 2.0 for edge in size), _vector(at), (w, x, y, z), color=GREY)


def ball(radius: float, at: Vector = (0.0, 0.0, 0.0)) -> Shape:
    """A sphere."""
    return Shape("sphere", (float(radius),), _vector(at), color=GREY)


def rod(start: Vector, end: Vector, radius: float, kind: str = "capsule") -> Shape:
    """A capsule whose cap centres are two points, or a cylinder between them."""
    a, b = np.asarray(start, float), np.asarray(end, float)
    length = float(np.linalg.norm(b - a))
    return Shape(kind, (float(radius), length / 2.0), _vector((a + b) / 2.0), along(b - a), color=GREY)


def body(
    name: str,
    mass: float,
    *shapes: Shape,
    com: Vector | None = None,
    inertia: Vector | None = None,
    drawn: Iterable[Shape] | None = None,
) -> Body:
    """A body of a mass, kg, with shapes that collide and are drawn.

    Args:
        name: its name.
        mass: kg.
        shapes: what collides; they are filled evenly where nothing else is said.
        com: its centre of mass, m; the shapes' by default.
        inertia: about the centre of mass in the body's axes, kg m^2: xx, yy, zz, and xy, xz, yz; that of the shapes by
            default.
        drawn: what is drawn; the same shapes by default.
    """
    filled = mass_properties.of(shapes or list(drawn or ()), mass=mass) if com is None or inertia is None else None
    if inertia is None:
        assert filled is not None
        tensor = filled.inertia
    else:
        xx, yy, zz, xy, xz, yz = [*map(float, inertia), 0.0, 0.0, 0.0][:6]
        tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    centre = _vector(filled.com if com is None and filled is not None else com or (0.0, 0.0, 0.0))
    return Body(name, float(mass), centre, tensor, list(shapes), list(shapes if drawn is None else drawn))


def joint(
    name: str,
    parent: str,
    child: str,
    axis: str | Vector = "z",
    limits: tuple[float, float] | None = None,
    *,
    at: Vector = (0.0, 0.0, 0.0),
    orientation: Vector = (1.0, 0.0, 0.0, 0.0),
    slides: bool = False,
    effort: float = math.inf,
    speed: float = math.inf,
    armature: float = 0.0,
    damping: float = 0.0,
) -> Joint:
    """A joint that turns or slides.

    Args:
        name: its name.
        parent, child: the bodies; the child's frame is the joint's.
        axis: ``"x"``, ``"-y"`` or a vector, in the joint's frame; ``""`` for a joint that does not move.
        limits: rad or m; none by default.
        at, orientation: of the joint's frame in the parent's, m and (w, x, y, z).
        slides: whether it slides rather than turns.
        effort, speed, armature, damping: N m and so on, or N and so on.
    """
    w, x, y, z = orientation
    if axis == "":
        return Joint(name, "fixed", parent, child, _vector(at), (w, x, y, z))
    kind = "prismatic" if slides else "continuous" if limits is None else "revolute"
    low, high = limits or (-math.inf, math.inf)
    made = Joint(name, kind, parent, child, _vector(at), (w, x, y, z), _axis(axis), low, high, speed, effort)
    made.armature, made.damping = armature, damping
    return made


def _axis(axis: str | Vector) -> tuple[float, float, float]:
    if isinstance(axis, str):
        sign = -1.0 if axis.startswith("-") else 1.0
        return _vector([sign if letter == axis[-1] else 0.0 for letter in "xyz"])
    return _vector(np.asarray(axis, float) / np.linalg.norm(axis))


def robot(name: str, bodies: Iterable[Body], joints: Iterable[Joint], fixed_base: bool = False) -> RobotModel:
    """A robot of bodies and joints."""
    return RobotModel(name, list(bodies), list(joints), fixed_base=fixed_base)
