"""Models of robots and rigid objects from the bodies of a stage."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from types import MappingProxyType

import numpy as np

from phalanx.io.formats.usd import properties, tendons
from phalanx.io.formats.usd.bindings import Prim
from phalanx.io.formats.usd.bodies import RigidBody, merges
from phalanx.io.formats.usd.drives import add_drives, mimic, moved_inertia, set_properties
from phalanx.io.formats.usd.frames import orientation_of, position_of, rotation
from phalanx.io.formats.usd.joints import RADIANS
from phalanx.io.formats.usd.links import add_edge
from phalanx.io.formats.usd.masses import mass_of
from phalanx.io.formats.usd.materials import Materials
from phalanx.io.formats.usd.shapes import shape
from phalanx.io.formats.usd.trees import Edge, Tree
from phalanx.io.formats.usd.values import Reading
from phalanx.models.actuators import Keyframe
from phalanx.models.robot_model import Body, RobotModel, Shape

WORLD = "world"
"""Root body of a robot that a joint moves against the world."""

START = "start"
"""Keyframe with the velocities that a stage gives its bodies."""


@dataclass
class ActorModel:
    """A robot or rigid object of a stage.

    ``kind``: "robot", "dynamic", "kinematic" or "static". ``bodies`` and ``joints`` are the names that the model has
    for prims, by path; a joint that moves in several ways has one for each.
    """

    name: str
    kind: str
    model: RobotModel
    path: str
    bodies: dict[str, str] = field(default_factory=dict)
    joints: dict[str, list[str]] = field(default_factory=dict)
    locked_axes: tuple[bool, ...] = (False,) * 6


@dataclass
class Solid:
    """A body with its shapes, by prim; ``colliders`` those that collide."""

    body: Body
    colliders: list[tuple[Prim, Shape]]


def solid(reading: Reading, body: RigidBody, name: str, materials: Materials) -> Solid:
    """The shapes and mass of a body."""
    moves = not body.static and not body.kinematic
    shapes = []
    for prim in body.colliders:
        found = shape(reading, prim, body.local(reading, prim), moves, group=body.group(prim))
        if found is not None:
            shapes.append((prim, found))
    shapes = _merged(body, shapes)
    made = Body(name)
    if not body.static:
        properties_ = mass_of(reading, body, shapes, materials)
        made.mass, made.inertia = properties_.mass, properties_.inertia
        x, y, z = properties_.com.tolist()
        made.com = (x, y, z)
    colliders = [
        (prim, _surface(reading, prim, body.group(prim), one, materials))
        for prim, one in shapes
        if reading.flag(body.group(prim), "physics:collisionEnabled", True)
    ]
    made.collisions = [one for _, one in colliders]
    for prim in body.looks:
        look = shape(reading, prim, body.local(reading, prim), moves, collides=False)
        if look is not None:
            made.visuals.append(look)
    if reading.flag(body.prim, "physxRigidBody:disableGravity", False):
        made.gravity_scale = 0.0
    return Solid(made, colliders)


def _merged(body: RigidBody, shapes: list[tuple[Prim, Shape]]) -> list[tuple[Prim, Shape]]:
    """Shapes of which meshes that one prim merges are one mesh, which is that prim's; primitives stay what they are."""
    parts: dict[Prim, list[Shape]] = {}
    for prim, one in shapes:
        if one.kind == "mesh" and merges(body.group(prim)):
            parts.setdefault(body.group(prim), []).append(one)
    found: dict[Prim, Shape] = {}
    for prim, one in shapes:
        group = body.group(prim)
        if one.kind != "mesh" or group not in parts:
            found[prim] = one
        elif group not in found:
            found[group] = _one_mesh(parts[group], str(group.GetPath()))
    return list(found.items())


def _one_mesh(parts: list[Shape], name: str) -> Shape:
    vertices, faces, count = [], [], 0
    for part in parts:
        assert part.vertices is not None and part.faces is not None
        vertices.append(part.vertices)
        faces.append(part.faces + count)
        count += len(part.vertices)
    return replace(parts[0], name=name, vertices=np.concatenate(vertices), faces=np.concatenate(faces))


def _surface(reading: Reading, prim: Prim, group: Prim, made: Shape, materials: Materials) -> Shape:
    """Material and offsets of a collider."""
    made.material = materials.surface(prim, group)
    length = reading.units.length
    for ours, theirs in (("contact_offset", "contactOffset"), ("rest_offset", "restOffset")):
        value = reading.optional(group, f"physxCollision:{theirs}")
        if value is not None:
            setattr(made, ours, value * length)
    contact, rest = made.contact_offset, made.rest_offset
    if contact is not None and contact <= (rest or 0.0):
        raise reading.error(
            group, f"physxCollision:contactOffset = {contact / length:g} must be above the rest offset."
        )
    return made


def object_model(reading: Reading, body: RigidBody, name: str, made: Solid) -> ActorModel:
    """A rigid object of one body."""
    kind = "static" if body.static else ("kinematic" if body.kinematic else "dynamic")
    model = RobotModel(name, [made.body], [], reading.notes.file)
    model.position, model.orientation = position_of(body.pose), orientation_of(body.pose)
    found = ActorModel(name, kind, model, body.path, {body.path: made.body.name})
    if kind == "dynamic":
        model.options = properties.of_body(reading, body)
        found.locked_axes = properties.locked_axes(reading, body.prim)
        _start(reading, body, model)
    return found


def robot_model(
    reading: Reading, tree: Tree, name: str, solids: dict[str, Solid], joint_names: dict[str, str]
) -> ActorModel:
    """A robot; ``solids`` and ``joint_names`` by path."""
    root = solids[tree.root.path].body
    model = RobotModel(name, [], [], reading.notes.file)
    found = ActorModel(name, "robot", model, tree.root.path if tree.marker is None else str(tree.marker.GetPath()))
    model.fixed_base = tree.fixed
    model.position, model.orientation = position_of(tree.root.pose), orientation_of(tree.root.pose)
    if tree.hinged:
        model.bodies.append(Body(WORLD))
        model.position, model.orientation = (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0)
    else:
        model.bodies.append(root)
    dofs: dict[str, dict[str, list[str]]] = {}
    for n, edge in enumerate(tree.edges):
        parent = WORLD if edge.parent is None else solids[edge.parent.path].body.name
        child, name = solids[edge.child.path].body, joint_names[edge.joint.path]
        last = n + 1 == len(tree.edges) or not tree.edges[n + 1].after
        ends = (model.bodies[-1].name if edge.after else parent, child.name if last else f"{child.name}:{name}")
        dofs[edge.joint.path] = add_edge(reading, edge, model, *ends, name)
        model.bodies.append(child if last else Body(ends[1], hidden=True))
        if not math.isinf(min(edge.joint.break_force, edge.joint.break_torque)):
            reading.notes.add(edge.joint.prim, "joints of robots do not break here; its loads are not limited.")
    for edge in tree.edges:
        set_properties(reading, edge.joint, dofs[edge.joint.path], model)
    moved = moved_inertia(model)
    for edge in tree.edges:
        add_drives(reading, edge.joint, dofs[edge.joint.path], model, moved)
    by_name = {joint.name: joint for joint in model.joints}
    for edge in tree.edges:
        law = mimic(reading, edge.joint, dofs[edge.joint.path], dofs)
        if law is not None:
            by_name[joint_names[edge.joint.path]].mimic = law
    found.bodies = {body.path: solids[body.path].body.name for body in tree.bodies}
    found.joints = {path: [name for names in axes.values() for name in names] for path, axes in dofs.items()}
    connected = [edge.joint for edge in tree.edges]
    model.fixed_tendons = tendons.fixed(reading, connected, dofs)
    model.spatial_tendons = tendons.spatial(
        reading,
        [(body.prim, found.bodies[body.path]) for body in tree.bodies],
        {body.path: partial(_point, reading, body) for body in tree.bodies},
    )
    model.options = properties.of_robot(reading, tree.bodies, tree.marker)
    model.self_collision = _self_collision(reading, tree.marker)
    on_base = _on_base(tree)
    model.base_collision = bool(on_base) and all(edge.joint.collide for edge in on_base)
    for edge in tree.edges:
        meet = model.base_collision and any(edge is one for one in on_base)
        if edge.joint.collide and edge.parent is not None and model.self_collision and not meet:
            text = "bodies of a robot that a joint connects do not collide here, though physics:collisionEnabled is on."
            reading.notes.add(edge.joint.prim, text)
    _start(reading, None if tree.fixed else tree.root, model, _speeds(reading, tree, dofs))
    return found


def _on_base(tree: Tree) -> list[Edge]:
    """The joints that move something against a fixed base, or what is fixed to it."""
    if not tree.fixed or tree.hinged:
        return []
    base, found = [tree.root], []
    for edge in tree.edges:
        if edge.parent in base and edge.joint.kind == "fixed":
            base.append(edge.child)
        elif edge.parent in base:
            found.append(edge)
    return found


def _point(reading: Reading, body: RigidBody, point: np.ndarray) -> np.ndarray:
    """(3,): a point in the frame of a body's prim, in the body's frame, m."""
    return (body.local(reading, body.prim) @ [*point, 1.0])[:3]


def _speeds(reading: Reading, tree: Tree, dofs: dict[str, dict[str, list[str]]]) -> dict[str, float]:
    """Speeds that the state of joints gives dofs, where they are not 0."""
    found = {}
    for edge in tree.edges:
        for axis, (dof,) in dofs[edge.joint.path].items():
            name = f"state:{edge.joint.instance(axis)}:physics:velocity"
            scale = RADIANS if axis.startswith("rot") else reading.units.length
            speed = reading.number(edge.joint.prim, name, 0.0) * scale
            if speed:
                found[dof] = speed
    return found


def _self_collision(reading: Reading, marker: Prim | None) -> bool:
    if marker is None:
        return True
    for name in ("physxArticulation:enabledSelfCollisions", "newton:selfCollisionEnabled"):
        if reading.authored(marker, name):
            return reading.flag(marker, name, True)
    return True


def _start(
    reading: Reading, body: RigidBody | None, model: RobotModel, speeds: Mapping[str, float] = MappingProxyType({})
) -> None:
    """Velocities that a stage gives a free body and joints go into a keyframe."""
    velocity: tuple[float, ...] = ()
    if body is not None:
        # They are in the space that the body is placed in, which is that of what is above it.
        above = rotation(reading.transform(body.prim.GetParent())[:3, :3])
        linear = reading.vector(body.prim, "physics:velocity", (0.0, 0.0, 0.0)) * reading.units.length
        angular = reading.vector(body.prim, "physics:angularVelocity", (0.0, 0.0, 0.0)) * RADIANS
        if linear.any() or angular.any():
            velocity = (*(above @ linear).tolist(), *(above @ angular).tolist())
            reading.notes.add(body.prim, f'it is at rest at first; set_keyframe("{START}") gives it its velocity.')
    if velocity or speeds:
        pose = (*(model.position or ()), *(model.orientation or ()))
        positions = dict(model.joint_pos)
        model.keyframes.append(Keyframe(START, pose, velocity, positions, dict(speeds)))
