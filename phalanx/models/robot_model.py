"""What a robot is, as read from a file: named bodies, joints between them, shapes on them.

A :class:`RobotModel` says what the file says, in SI units, and nothing more: fixed joints are still
there, joints are in file order. :mod:`phalanx.models.articulation` turns it into the flat arrays that
the engine steps. Everything here is plain data and survives ``to_dict``/``from_dict`` exactly, which
is how recordings and saved worlds carry their robots with them.

Conventions: metres, kilograms, seconds, radians, newtons; quaternions are (w, x, y, z).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

from phalanx.io.reading.errors import LoadError as LoadError
from phalanx.models.actuators import Actuator, Keyframe
from phalanx.models.picture import Picture
from phalanx.models.primitives import PRIMITIVES
from phalanx.models.sdf_options import SdfOptions
from phalanx.models.tendons import Attachment, FixedTendon, SpatialTendon

JOINT_TYPES = ("fixed", "revolute", "continuous", "prismatic", "planar", "spherical", "free")
SHAPE_KINDS = (*PRIMITIVES, "mesh", "height_field", "plane")
APPROXIMATIONS = (
    "convex_hull",
    "convex_decomposition",
    "bounding_cube",
    "bounding_sphere",
    "triangle_mesh",
    "none",
    "sdf",
)


@dataclass
class Shape:
    """One piece of geometry, placed in the frame of the body that carries it.

    ``size`` by kind: sphere ``(radius,)``; capsule, cylinder and cone ``(radius, half_length)`` along local z, the
    cone's apex up; box ``(half_x, half_y, half_z)``; mesh ``()``, with ``vertices`` (n, 3) and ``faces`` (m, 3) already
    scaled; height field ``(spacing_x, spacing_y)``, with ``heights`` (rows along x, columns along y) in metres along
    local z, the grid's middle at the origin; plane ``()``: all that is below local z = 0.

    ``approximation``, one of ``APPROXIMATIONS``, is what stands for a mesh in collisions; "none" is the mesh itself, as
    "triangle_mesh" is. See :mod:`phalanx.models.meshes.cooking`. With ``double_sided`` those triangles collide from
    behind, too. ``sdf`` is for the approximation "sdf"; ``None``: :class:`phalanx.SdfOptions` as they are.

    ``picture`` is what the robot's file puts on a mesh; a colour tints it.

    ``material`` holds fields of :class:`phalanx.Material` that its actor's material does not have; offsets (m) are its
    actor's where they are ``None``. Two shapes can meet only if the bits of one's ``contact_type`` and of the other's
    ``contact_affinity`` have any in common, either way round.
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
    sdf: SdfOptions | None = None
    material: dict[str, Any] | None = None
    contact_offset: float | None = None
    rest_offset: float | None = None
    contact_type: int = 1
    contact_affinity: int = 1
    picture: Picture | None = None


@dataclass(frozen=True)
class Medium:
    """A fluid that resists the motion of a body, which stands for the box of its mass and inertia.

    ``density`` in kg/m³, ``viscosity`` in Pa·s, ``wind`` its velocity, m/s, world. See :mod:`phalanx.systems.fluid`.
    """

    density: float = 0.0
    viscosity: float = 0.0
    wind: tuple[float, float, float] = (0.0, 0.0, 0.0)


@dataclass
class Body:
    """A named rigid body (a URDF link). ``inertia`` (3, 3) is about the centre of mass ``com``, in body axes.

    A ``hidden`` body has no mass and no shapes: it stands between the joints of a body that has several, and is not
    among the bodies that users see.
    """

    name: str
    mass: float = 0.0
    com: tuple[float, float, float] = (0.0, 0.0, 0.0)
    inertia: np.ndarray = field(default_factory=lambda: np.zeros((3, 3)))
    collisions: list[Shape] = field(default_factory=list)
    visuals: list[Shape] = field(default_factory=list)
    hidden: bool = False
    gravity_scale: float = 1.0
    """Share of gravity that acts on it."""
    medium: Medium | None = None
    """What it moves through, if that resists."""


@dataclass(frozen=True)
class Mimic:
    """``q = multiplier * q(joint) + offset``."""

    joint: str
    multiplier: float = 1.0
    offset: float = 0.0


@dataclass
class Joint:
    """Connects ``child`` to ``parent``; its frame sits at ``position``/``orientation`` in the parent body's frame.

    In the child's it sits at ``child_position``/``child_orientation``, at its origin unless a file says otherwise.
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
    child_position: tuple[float, float, float] = (0.0, 0.0, 0.0)
    child_orientation: tuple[float, float, float, float] = (1.0, 0.0, 0.0, 0.0)
    stiffness: float = 0.0
    """Of a spring in the joint, whatever drives it: N·m/rad (N/m). Only joints of one dof can have one."""
    rest_position: float = 0.0
    """Where that spring gives no effort, rad (m)."""
    keeps_bodies_apart: bool = False
    """Of a fixed joint: whether what it connects stays two bodies where fixed joints are merged."""


@dataclass
class JointDrive:
    """What drives a dof unless told otherwise: a spring to ``position`` and a damper to ``velocity``.

    ``stiffness`` in N·m/rad (N/m), ``damping`` in N·m·s/rad (N·s/m), ``effort_limit`` in N·m (N), the targets in rad
    and rad/s (m and m/s).
    """

    stiffness: float = 0.0
    damping: float = 0.0
    effort_limit: float = np.inf
    position: float = 0.0
    velocity: float = 0.0


@dataclass
class RobotModel:
    """A tree of bodies. ``warnings`` lists what is odd but usable in the file, one sentence each.

    What ``add_robot`` goes by unless told otherwise, if a file says it: whether the base is fixed, the root's pose,
    initial joint positions by name, and whether bodies collide with each other. Two bodies of ``disabled_pairs`` never
    do. Two that a joint connects do not, either, unless one is the fixed base and ``base_collision`` is set.
    """

    name: str
    bodies: list[Body]
    joints: list[Joint]
    source: str = ""
    warnings: list[str] = field(default_factory=list)
    fixed_tendons: list[FixedTendon] = field(default_factory=list)
    spatial_tendons: list[SpatialTendon] = field(default_factory=list)
    actuators: list[Actuator] = field(default_factory=list)
    keyframes: list[Keyframe] = field(default_factory=list)
    fixed_base: bool | None = None
    position: tuple[float, float, float] | None = None
    orientation: tuple[float, float, float, float] | None = None
    joint_pos: dict[str, float] = field(default_factory=dict)
    self_collision: bool = False
    disabled_pairs: list[tuple[str, str]] = field(default_factory=list)
    base_collision: bool = False
    drives: dict[str, JointDrive] = field(default_factory=dict)
    """By name of the dof that they drive."""
    options: dict[str, Any] = field(default_factory=dict)
    """Of :class:`phalanx.world.options.ActorOptions`, that ``add_robot`` goes by unless told otherwise."""

    def __repr__(self) -> str:
        moving = sum(joint.type != "fixed" for joint in self.joints)
        mass = sum(body.mass for body in self.bodies)
        return f"<RobotModel {self.name!r}: {len(self.bodies)} bodies, {moving} moving joints, {mass:.4g} kg>"

    @property
    def root(self) -> str:
        """Name of the one body that is no joint's child."""
        children = {joint.child for joint in self.joints}
        return next(body.name for body in self.bodies if body.name not in children)

    def outgoing(self) -> dict[str, list[Joint]]:
        """Of every body the joints that it carries, in the order of the file."""
        found: dict[str, list[Joint]] = {body.name: [] for body in self.bodies}
        for joint in self.joints:
            found[joint.parent].append(joint)
        return found

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
                    "medium": Medium(**_numbers(body["medium"])) if body.get("medium") else None,
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
        made = cls(data["name"], bodies, joints, data["source"], list(data["warnings"]), fixed, spatial)
        made.actuators = [Actuator(**_numbers(actuator)) for actuator in data.get("actuators", ())]
        made.keyframes = [Keyframe(**_numbers(keyframe)) for keyframe in data.get("keyframes", ())]
        made.disabled_pairs = [(a, b) for a, b in data.get("disabled_pairs", ())]
        made.joint_pos = dict(data.get("joint_pos", {}))
        made.drives = {name: JointDrive(**_numbers(drive)) for name, drive in data.get("drives", {}).items()}
        made.options = _numbers(data.get("options", {}))
        for key in ("fixed_base", "position", "orientation", "self_collision", "base_collision"):
            if data.get(key) is not None:
                setattr(made, key, tuple(data[key]) if isinstance(data[key], list) else data[key])
        return made


def _plain(value: Any) -> Any:
    if hasattr(value, "__dataclass_fields__"):
        return {f.name: _plain(getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, np.ndarray) and np.isfinite(value).all():
        return value.tolist()  # meshes have millions of numbers
    if isinstance(value, np.ndarray | list | tuple):
        return [_plain(v) for v in (value.tolist() if isinstance(value, np.ndarray) else value)]
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
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
        return tuple(restore(each) for each in value) if isinstance(value, list) else value

    return {key: value if key in ("name", "source") else restore(value) for key, value in data.items()}


def _shape(data: dict[str, Any]) -> Shape:
    restored = _numbers(data)
    for key, dtype in (("vertices", float), ("faces", np.int64), ("heights", float)):
        if data.get(key) is not None:
            restored[key] = np.array(data[key], dtype)
    if data.get("sdf") is not None:
        restored["sdf"] = SdfOptions(**data["sdf"])
    return Shape(**restored)


def with_tendons(model: RobotModel, tendons: Iterable[FixedTendon | SpatialTendon]) -> RobotModel:
    """The model with more tendons; itself if there are none."""
    more = list(tendons)
    if not more:
        return model
    fixed = [tendon for tendon in more if isinstance(tendon, FixedTendon)]
    spatial = [tendon for tendon in more if isinstance(tendon, SpatialTendon)]
    if len(fixed) + len(spatial) < len(more):
        raise TypeError("tendons must be FixedTendon or SpatialTendon")
    return replace(
        model,
        fixed_tendons=[*model.fixed_tendons, *fixed],
        spatial_tendons=[*model.spatial_tendons, *spatial],
    )
