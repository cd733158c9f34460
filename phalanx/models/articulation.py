"""From a robot model to the flat arrays that the engine steps.

Bodies joined by fixed joints become one link, with their masses summed; every body of the file stays known as a frame
on its link. Bodies, links and joints are numbered breadth-first from the root, children in file order. A planar joint
becomes two prismatic joints and a revolute one with massless links between them.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

import numpy as np

from phalanx.components.link import FIXED, FREE, PRISMATIC, REVOLUTE, SPHERICAL
from phalanx.io.reading.errors import LoadError
from phalanx.maths.arrays import IDENTITY, inverse, matrix, product, rotate
from phalanx.models.meshes.cooking import Hull, TriangleMesh, cook
from phalanx.models.meshes.height_fields import HeightField
from phalanx.models.meshes.signed_distance import DistanceField
from phalanx.models.robot_model import Body, Joint, Medium, RobotModel, Shape

NUM_COORDS = {FIXED: 7, REVOLUTE: 1, PRISMATIC: 1, SPHERICAL: 4, FREE: 7}
NUM_DOFS = {FIXED: 0, REVOLUTE: 1, PRISMATIC: 1, SPHERICAL: 3, FREE: 6}
_TYPES = {
    "revolute": REVOLUTE,
    "continuous": REVOLUTE,
    "prismatic": PRISMATIC,
    "spherical": SPHERICAL,
    "free": FREE,
}


@dataclass
class LinkData:
    """A link and its inbound joint; see the components of the same names for units and frames."""

    name: str
    parent: int
    joint_type: int
    joint: Joint | None
    position: np.ndarray
    orientation: np.ndarray
    axis: np.ndarray
    mass: float = 0.0
    com: np.ndarray = field(default_factory=lambda: np.zeros(3))
    inertia: np.ndarray = field(default_factory=lambda: np.zeros((3, 3)))
    gravity_scale: float = 1.0


@dataclass
class FrameData:
    """A named body: a frame fixed to a link.

    ``parent`` is the frame that its joint connects it to, ``carrier`` the one whose frame is the link's. Mass, centre
    of mass and inertia about that are the body's own, in the link's frame.
    """

    name: str
    link: int
    position: np.ndarray
    orientation: np.ndarray
    parent: int = -1
    carrier: int = 0
    mass: float = 0.0
    com: np.ndarray = field(default_factory=lambda: np.zeros(3))
    inertia: np.ndarray = field(default_factory=lambda: np.zeros((3, 3)))
    medium: Medium | None = None


@dataclass
class CollisionData:
    """A collision shape in the frame of its link; see ShapeTopology and ShapeGeometry for kinds and sizes.

    ``low`` and ``high`` (3,) bound it in its own frame.
    """

    body: int
    link: int
    kind: int
    size: np.ndarray
    position: np.ndarray
    orientation: np.ndarray
    low: np.ndarray = field(default_factory=lambda: np.zeros(3))
    high: np.ndarray = field(default_factory=lambda: np.zeros(3))
    geometry: Hull | TriangleMesh | HeightField | DistanceField | None = None
    shape: Shape | None = None
    """Which it was made of."""

    @property
    def matrix(self) -> np.ndarray:
        """Rotation matrix (3, 3) from the shape's frame to the link's."""
        return matrix(self.orientation)


@dataclass
class Articulation:
    """Flat description of one robot. ``dof_names`` and ``dof_joints`` leave the free root out."""

    links: list[LinkData]
    frames: list[FrameData]
    collisions: list[CollisionData]
    dof_names: list[str]
    dof_links: list[int]
    fixed_base: bool

    @property
    def num_coords(self) -> int:
        """Number of generalised positions, the root's seven included."""
        return sum(NUM_COORDS[link.joint_type] for link in self.links)

    @property
    def num_velocities(self) -> int:
        """Number of generalised velocities, a free root's six included."""
        return sum(NUM_DOFS[link.joint_type] for link in self.links)


def flatten(model: RobotModel, fixed_base: bool, moves: bool = True) -> Articulation:
    """Merge fixed joints and number everything.

    Args:
        fixed_base: the root cannot move.
        moves: contacts can move the robot; what is static or kinematic may have triangle meshes that collide.

    Raises:
        LoadError: nothing that moves has mass, or a joint type is unknown.
    """
    bodies = {body.name: body for body in model.bodies}
    outgoing = model.outgoing()
    root = bodies[model.root]
    zero = np.zeros(3)
    links = [LinkData(root.name, -1, FIXED if fixed_base else FREE, None, zero, IDENTITY, np.array([1.0, 0.0, 0.0]))]
    frames: list[FrameData] = []
    collisions: list[CollisionData] = []
    dof_names: list[str] = []
    dof_links: list[int] = []
    queue: deque[tuple[Body, int, np.ndarray, np.ndarray, int, int]] = deque([(root, 0, zero, IDENTITY, -1, -1)])
    while queue:
        body, link, position, orientation, above, carrier = queue.popleft()
        here = len(frames)
        carrier = here if carrier < 0 else carrier
        turned = matrix(orientation)
        com = position + turned @ np.array(body.com, float)
        inertia = turned @ np.asarray(body.inertia, float) @ turned.T
        own = (body.mass, com, inertia, body.medium)
        frames.append(FrameData(body.name, link, position, orientation, above, carrier, *own))
        _add_mass(links[link], body, position, orientation)
        for shape in body.collisions:
            still = not moves or (fixed_base and link == 0)
            collisions += _collisions(shape, not still, len(frames) - 1, link, position, orientation)
        for joint in outgoing[body.name]:
            at = position + rotate(orientation, np.array(joint.position))
            facing = product(orientation, np.array(joint.orientation))
            child = bodies[joint.child]
            if joint.type == "fixed":
                offset, turned = child_frame(joint)
                at, facing = at + rotate(facing, offset), product(facing, turned)
                queue.append((child, link, at, facing, here, carrier))
                continue
            parent = link
            in_row = _joints_of_one(joint, bodies, outgoing)
            child = bodies[in_row[-1].child]
            for n, one in enumerate(in_row):
                for name, kind, axis in _single_joints(one):
                    links.append(LinkData(child.name, parent, kind, one, at, facing, axis))
                    parent = len(links) - 1
                    at, facing = zero, IDENTITY
                    count = NUM_DOFS[kind]
                    dof_names += (
                        [name] if count == 1 else [f"{name}:{c}" for c in ("x", "y", "z", "rx", "ry", "rz")[-count:]]
                    )
                    dof_links += [parent] * count
                at, facing = child_frame(one)
                if n + 1 < len(in_row):
                    at = at + rotate(facing, np.array(in_row[n + 1].position))
                    facing = product(facing, np.array(in_row[n + 1].orientation))
            queue.append((child, parent, at, facing, here, -1))
    if not fixed_base and sum(link.mass for link in links) <= 0:
        raise LoadError(
            f"{model.source or model.name}: the robot has no mass; give its links <inertial>, or fix its base"
        )
    return Articulation(links, frames, collisions, dof_names, dof_links, fixed_base)


def _joints_of_one(joint: Joint, bodies: dict[str, Body], outgoing: dict[str, list[Joint]]) -> list[Joint]:
    """The joints, one after the other, that connect a body to the next one that is not hidden."""
    found = [joint]
    while bodies[found[-1].child].hidden:
        following = outgoing[found[-1].child]
        if len(following) != 1 or following[0].type == "fixed":
            raise LoadError(f"body {found[-1].child!r} is hidden, so it must have one moving joint to another body")
        found.append(following[0])
    return found


def child_frame(joint: Joint) -> tuple[np.ndarray, np.ndarray]:
    """Where the child's frame is in the joint's."""
    facing = inverse(joint.child_orientation)
    return -rotate(facing, np.array(joint.child_position, float)), facing


def _single_joints(joint: Joint) -> list[tuple[str, int, np.ndarray]]:
    axis = np.array(joint.axis, float)
    if joint.type == "planar":
        x = np.cross(axis, [0.0, 0.0, 1.0] if abs(axis[2]) < 0.9 else [0.0, 1.0, 0.0])
        x /= np.linalg.norm(x)
        return [
            (f"{joint.name}:x", PRISMATIC, x),
            (f"{joint.name}:y", PRISMATIC, np.cross(axis, x)),
            (f"{joint.name}:turn", REVOLUTE, axis),
        ]
    if joint.type not in _TYPES:
        raise LoadError(f"joint {joint.name!r}: type {joint.type!r} is not supported")
    return [(joint.name, _TYPES[joint.type], axis)]


def _add_mass(link: LinkData, body: Body, position: np.ndarray, orientation: np.ndarray) -> None:
    """Add a body's mass properties, parallel axes and all."""
    total = link.mass + body.mass
    turned = matrix(orientation)
    inertia = turned @ np.asarray(body.inertia, float) @ turned.T
    if total <= 0:
        link.inertia = link.inertia + inertia
        return
    com = position + turned @ np.array(body.com, float)
    link.gravity_scale = (link.mass * link.gravity_scale + body.mass * body.gravity_scale) / total
    joint_com = (link.mass * link.com + body.mass * com) / total
    link.inertia = (
        link.inertia + steiner(link.mass, link.com - joint_com) + inertia + steiner(body.mass, com - joint_com)
    )
    link.mass, link.com = total, joint_com


def steiner(mass: float, offset: np.ndarray) -> np.ndarray:
    """(3, 3): what a point mass that far from a point adds to the inertia about it."""
    return mass * (offset @ offset * np.eye(3) - np.outer(offset, offset))


def _collisions(
    shape: Shape, moves: bool, body: int, link: int, position: np.ndarray, orientation: np.ndarray
) -> list[CollisionData]:
    """What collides in place of a shape; an empty mesh does not."""
    if shape.kind == "mesh" and (shape.vertices is None or len(shape.vertices) == 0):
        return []
    return [
        CollisionData(
            body,
            link,
            piece.kind,
            piece.size,
            position + rotate(orientation, piece.position),
            product(orientation, piece.orientation),
            piece.low,
            piece.high,
            piece.geometry,
            shape,
        )
        for piece in cook(shape, moves)
    ]
