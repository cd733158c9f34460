"""What a robot is, as read from a file: named bodies, joints between them, shapes on them.

A :class:`RobotModel` says what the file says, in SI units, and nothing more: fixed joints are still
there, joints are in file order. :mod:`phalanx.io.articulation` turns it into the flat arrays that
the engine steps. Everything here is plain data and survives ``to_dict``/``from_dict`` exactly, which
is how recordings and saved worlds carry their robots with them.

Conventions: metres, kilograms, seconds, radians, newtons; quaternions are (w, x, y, z).
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from phalanx.io.tendons import Attachment, FixedTendon, SpatialTendon

JOINT_TYPES = ("fixed", "revolute", "continuous", "prismatic", "planar", "spherical", "free")
SHAPE_KINDS = ("sphere", "capsule", "cylinder", "box", "cone", "mesh", "height_field", "plane")
APPROXIMATIONS = (
    "convex_hull",
    "convex_decomposition",
    "bounding_cube",
    "bounding_sphere",
    "triangle_mesh",
    "none",
    "sdf",
)


class LoadError(ValueError):
    """A file cannot be used. The message names the file, the line where known, the element, and the remedy."""


@dataclass
class Shape:
    """One piece of geometry, placed in the frame of the body that carries it.

    ``size`` by kind: sphere ``(radius,)``; capsule, cylinder and cone ``(radius, half_length)`` along local z, the
    cone's apex up; box ``(half_x, half_y, half_z)``; mesh ``()``, with ``vertices`` (n, 3) and ``faces`` (m, 3) already
    scaled; height field ``(spacing_x, spacing_y)``, with ``heights`` (rows along x, columns along y) in metres along
    local z, the grid's middle at the origin; plane ``()``: all that is below local z = 0.

    ``approximation``, one of ``APPROXIMATIONS``, is what stands for a mesh in collisions; "none" is the mesh itself, as
    "triangle_mesh" is. See :mod:`phalanx.io.cooking`. With ``double_sided`` those triangles collide from behind, too.
    """

    kind: str
    size: tuple[float, ...] = ()
    position: tuple[float, float, float] = (0.0, 0.0, 0.0)
    orientation: tuple[float, float, float, float] = (1.0, 0.0, 0.0, 0.0)
    vertices: np.ndarray | None = None
    faces: np.ndarray | None = None
    color: tuple[float, float, float, float] | None = None
    name: str = ""
    mesh_file: str = ""  # where a mesh came from, for messages only
    approximation: str = "convex_hull"
    heights: np.ndarray | None = None
    double_sided: bool = False


@dataclass
class Body:
    """A named rigid body (a URDF link). ``inertia`` (3, 3) is about the centre of mass ``com``, in body axes."""

    name: str
    mass: float = 0.0
    com: tuple[float, float, float] = (0.0, 0.0, 0.0)
    inertia: np.ndarray = field(default_factory=lambda: np.zeros((3, 3)))
    collisions: list[Shape] = field(default_factory=list)
    visuals: list[Shape] = field(default_factory=list)


@dataclass(frozen=True)
class Mimic:
    """``q = multiplier * q(joint) + offset``."""

    joint: str
    multiplier: float = 1.0
    offset: float = 0.0


@dataclass
class Joint:
    """Connects ``child`` to ``parent``; its frame sits at ``position``/``orientation`` in the parent body's frame.

    ``axis`` is a unit vector in the joint frame. Limits are infinite where the file gives none.
    ``damping`` is N·m·s/rad (N·s/m), ``friction`` the Coulomb effort in N·m (N).
    """

    name: str
    type: str
    parent: str
    child: str
    position: tuple[float, float, float] = (0.0, 0.0, 0.0)
    orientation: tuple[float, float, float, float] = (1.0, 0.0, 0.0, 0.0)
    axis: tuple[float, float, float] = (1.0, 0.0, 0.0)
    lower: float = -np.inf
    upper: float = np.inf
    velocity_limit: float = np.inf
    effort_limit: float = np.inf
    damping: float = 0.0
    friction: float = 0.0
    armature: float = 0.0
    mimic: Mimic | None = None
    static_friction: float = 0.0
    """Effort that it takes to set the joint moving, N·m (N); not below ``friction``."""
    limit_restitution: float = 0.0
    """Share of its speed with which the joint leaves a limit."""
    limit_stiffness: float = 0.0
    """N·m/rad (N/m); limits are hard where this and the damping are 0."""
    limit_damping: float = 0.0
    """N·m·s/rad (N·s/m)."""
    swing_limit: float = np.inf
    """Of a spherical joint, rad: most angle between its axis in the parent and in the child, above 0 and up to pi. Its
    ``lower`` and ``upper`` limit the twist about the axis, -pi to pi: what is left of the rotation once the axis has
    swung back the shortest way."""


@dataclass
class RobotModel:
    """A tree of bodies. ``warnings`` lists what is odd but usable in the file, one sentence each."""

    name: str
    bodies: list[Body]
    joints: list[Joint]
    source: str = ""
    warnings: list[str] = field(default_factory=list)
    fixed_tendons: list[FixedTendon] = field(default_factory=list)
    spatial_tendons: list[SpatialTendon] = field(default_factory=list)

    @property
    def root(self) -> str:
        """Name of the one body that is no joint's child."""
        children = {joint.child for joint in self.joints}
        return next(body.name for body in self.bodies if body.name not in children)

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready; floats keep every bit (``repr`` round-trips), infinities are the strings ``"inf"``/``"-inf"``."""
        return _plain(self)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> RobotModel:
        """Inverse of :meth:`to_dict`."""
        bodies = [
            Body(
                **{
                    **_numbers(body),
                    "inertia": np.array(body["inertia"], float),
                    "com": tuple(body["com"]),
                    "collisions": [_shape(s) for s in body["collisions"]],
                    "visuals": [_shape(s) for s in body["visuals"]],
                }
            )
            for body in data["bodies"]
        ]
        joints = [
            Joint(**{**_numbers(joint), "mimic": Mimic(**joint["mimic"]) if joint["mimic"] else None})
            for joint in data["joints"]
        ]
        fixed = [FixedTendon(**_numbers(tendon)) for tendon in data.get("fixed_tendons", ())]
        spatial = [
            SpatialTendon(
                **{**_numbers(tendon), "attachments": [Attachment(**_numbers(a)) for a in tendon["attachments"]]}
            )
            for tendon in data.get("spatial_tendons", ())
        ]
        return cls(data["name"], bodies, joints, data["source"], list(data["warnings"]), fixed, spatial)


def _plain(value: Any) -> Any:
    if hasattr(value, "__dataclass_fields__"):
        return {f.name: _plain(getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, np.ndarray | list | tuple):
        return [_plain(v) for v in (value.tolist() if isinstance(value, np.ndarray) else value)]
    if isinstance(value, np.generic):
        return _plain(value.item())
    if isinstance(value, float) and not np.isfinite(value):
        return str(value)
    return value


def _numbers(data: dict[str, Any]) -> dict[str, Any]:
    """Restore infinities and tuples in one level of a plain dictionary."""

    def restore(value: Any) -> Any:
        if value in ("inf", "-inf", "nan"):
            return float(value)
        return tuple(value) if isinstance(value, list) else value

    return {key: value if key in ("name", "source") else restore(value) for key, value in data.items()}


def _shape(data: dict[str, Any]) -> Shape:
    restored = _numbers(data)
    for key, dtype in (("vertices", float), ("faces", np.int64), ("heights", float)):
        if data.get(key) is not None:
            restored[key] = np.array(data[key], dtype)
    return Shape(**restored)
