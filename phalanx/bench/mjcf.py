"""A scene's world as MJCF, so that MuJoCo's engines step exactly the same model.

Masses, inertias, frames, shapes, limits, gains and the start are read from the built world. Links without mass between
the hinges of one segment become what MJCF has for that: several joints of one body. What collides with what is carried
over in bits: a robot that may not touch itself has a bit of its own.
"""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from phalanx.bench.build import Setup
from phalanx.components.link import PRISMATIC, REVOLUTE, SPHERICAL
from phalanx.maths.arrays import from_rotation_vector, matrix, product, rotate
from phalanx.models.actor_spec import DYNAMIC, STATIC
from phalanx.models.articulation import Articulation, CollisionData
from phalanx.models.meshes.hulls import Hull
from phalanx.models.primitives import PRIMITIVES
from phalanx.world.handles.actor import Actor
from phalanx.world.layout.collision import material_of

Node = ElementTree.Element
GEOMS = {each.kind: (each.names.mjcf, each.sizes) for each in PRIMITIVES.values() if each.names.mjcf}
ALL_BITS = (1 << 31) - 1
FRICTION_REST = "0.005 0.0001"
"""MuJoCo's coefficients of torsional and rolling friction, which do nothing at three dimensions of contact."""


@dataclass
class _Writer:
    setup: Setup
    contact_bits: dict[str, tuple[int, int]] = field(default_factory=dict)
    qpos: list[float] = field(default_factory=list)
    hulls: list[Hull] = field(default_factory=list)
    next_to_base: list[tuple[str, str]] = field(default_factory=list)

    def text(self) -> str:
        scene, world = self.setup.scene, self.setup.world
        options = scene.mujoco
        root = Node("mujoco", model=scene.name)
        _add(root, "compiler", angle="radian", autolimits="true", inertiafromgeom="false")
        option = _add(
            root,
            "option",
            timestep=_number(scene.dt),
            gravity=_numbers(world.gravity),
            integrator=options.integrator,
            cone=options.cone,
            impratio=_number(options.impratio),
        )
        if not options.eulerdamp:
            _add(option, "flag", eulerdamp="disable")
        default = _add(_add(root, "default"), "default", {"class": "actors"})
        _add(default, "geom", solref=_numbers(options.solref), solimp=_numbers(options.solimp))
        _add(default, "joint", solimplimit=_numbers(options.solimplimit))
        body = _add(root, "worldbody")
        self._bits()
        for number, ground in enumerate(world.grounds):
            assert tuple(ground.normal) == (0.0, 0.0, 1.0), "grounds of benchmark scenes are level"
            _add(
                body,
                "geom",
                name=f"ground{number}",
                type="plane",
                size="0 0 0.05",
                pos=_numbers((0.0, 0.0, ground.height)),
                friction=f"{_number(ground.static_friction)} {FRICTION_REST}",
                contype="1",
                conaffinity=str(ALL_BITS),
            )
        for actor in world.actors.values():
            self._actor(body, actor)
        self._apart(root)
        self._equalities(root)
        self._actuators(root)
        self._meshes(root)
        middle = [actuator.middle for actuator in self.setup.actuators]
        frame = _add(root, "keyframe")
        _add(frame, "key", name="start", qpos=_numbers(self.qpos), ctrl=_numbers(middle))
        ElementTree.indent(root)
        return ElementTree.tostring(root, encoding="unicode")

    def _bits(self) -> None:
        """(contype, conaffinity) of each actor: bit 0 is everything that needs no bit of its own."""
        taken = 0
        for name, actor in self.setup.world.actors.items():
            articulation = actor.part.articulation
            if actor.part.self_collision or len({shape.link for shape in articulation.collisions}) < 2:
                self.contact_bits[name] = (1, ALL_BITS)
                continue
            taken += 1
            if taken > 30:
                raise ValueError("MJCF has room for 30 robots that may not touch themselves")
            self.contact_bits[name] = (1 << taken, ALL_BITS & ~(1 << taken))

    def _actor(self, parent: Node, actor: Actor) -> None:
        articulation = actor.part.articulation
        assert actor.part.kind in (DYNAMIC, STATIC)
        position, orientation = actor.default_root_pose[:3], actor.default_root_pose[3:]
        body = _add(parent, "body", name=f"{actor.name}/{articulation.links[0].name}", childclass="actors")
        body.set("pos", _numbers(position))
        body.set("quat", _numbers(orientation))
        if not articulation.fixed_base:
            _add(body, "freejoint", name=f"{actor.name}/root")
            self.qpos += [*position, *orientation]
        self._link(body, actor, articulation, 0)

    def _link(self, body: Node, actor: Actor, articulation: Articulation, number: int) -> None:
        """Inertia, shapes and children of a link whose body is ``body``."""
        link = articulation.links[number]
        if link.mass > 0:
            i = link.inertia
            full = (i[0, 0], i[1, 1], i[2, 2], i[0, 1], i[0, 2], i[1, 2])
            _add(body, "inertial", mass=_number(link.mass), pos=_numbers(link.com), fullinertia=_numbers(full))
        contype, conaffinity = self.contact_bits[actor.name]
        for shape in articulation.collisions:
            if shape.link != number:
                continue
            friction = material_of(actor.part, shape).static_friction
            _add(
                body,
                "geom",
                self._form(actor, shape),
                pos=_numbers(shape.position),
                quat=_numbers(shape.orientation),
                friction=f"{_number(friction)} {FRICTION_REST}",
                condim="3" if friction > 0 else "1",
                contype=str(contype),
                conaffinity=str(conaffinity),
            )
        for child, other in enumerate(articulation.links):
            if other.parent == number:
                self._child(body, actor, articulation, child)

    def _form(self, actor: Actor, shape: CollisionData) -> dict[str, str]:
        """Attributes that say what a shape looks like."""
        if shape.kind in GEOMS:
            kind, count = GEOMS[shape.kind]
            return {"type": kind, "size": _numbers(shape.size[:count])}
        if not isinstance(shape.geometry, Hull):
            raise ValueError(f"{actor.name}: a shape of kind {shape.kind} has no counterpart here")
        self.hulls.append(shape.geometry)
        return {"type": "mesh", "mesh": f"hull{len(self.hulls) - 1}"}

    def _meshes(self, root: Node) -> None:
        """The hulls that shapes are, in the frames of the shapes."""
        if not self.hulls:
            return
        asset = _add(root, "asset")
        for number, hull in enumerate(self.hulls):
            _add(asset, "mesh", name=f"hull{number}", vertex=_numbers(hull.vertices.ravel()))

    def _apart(self, root: Node) -> None:
        """Links do not touch those next to them. MuJoCo leaves such pairs out, but not children of what is fixed."""
        if not self.next_to_base:
            return
        contact = _add(root, "contact")
        for base, child in self.next_to_base:
            _add(contact, "exclude", body1=base, body2=child)

    def _child(self, parent: Node, actor: Actor, articulation: Articulation, number: int) -> None:
        """A body for a link with mass, with the joints of the links without mass that lead to it."""
        chain = [number]
        while articulation.links[chain[-1]].mass <= 0:
            below = [n for n, link in enumerate(articulation.links) if link.parent == chain[-1]]
            if len(below) != 1 or any(shape.link == chain[-1] for shape in articulation.collisions):
                raise ValueError(
                    f"{actor.name}: {articulation.links[chain[-1]].name} has no mass, but is no mere joint"
                )
            chain += below
        position, orientation = np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0])
        frames = []
        for n in chain:
            link = articulation.links[n]
            position = position + rotate(orientation, link.position)
            orientation = product(orientation, link.orientation)
            frames.append((position, orientation))
        body = _add(parent, "body", name=f"{actor.name}/{articulation.links[chain[-1]].name}")
        body.set("pos", _numbers(position))
        body.set("quat", _numbers(orientation))
        part = actor.part
        if articulation.links[number].parent == 0 and articulation.fixed_base and not part.base_collision:
            self.next_to_base.append((f"{actor.name}/{articulation.links[0].name}", body.get("name", "")))
        back = matrix(orientation).T
        for n, (at, facing) in zip(chain, frames, strict=True):
            axis = back @ rotate(facing, articulation.links[n].axis)
            self._joint(body, actor, articulation, n, back @ (at - position), axis)
        self._link(body, actor, articulation, chain[-1])

    def _joint(
        self,
        body: Node,
        actor: Actor,
        articulation: Articulation,
        number: int,
        position: np.ndarray,
        axis: np.ndarray,
    ) -> None:
        link = articulation.links[number]
        joint = link.joint
        column = articulation.dof_links.index(number)
        start = self.setup.world.robots[actor.name].default_joint_pos
        if link.joint_type == SPHERICAL:
            assert joint is not None and joint.stiffness == 0 and joint.friction == 0
            passive = {"damping": _number(joint.damping), "armature": _number(joint.armature)}
            _add(body, "joint", passive, name=f"{actor.name}/{joint.name}", type="ball", pos=_numbers(position))
            self.qpos += from_rotation_vector(start[column : column + 3]).tolist()
            return
        assert joint is not None and link.joint_type in (REVOLUTE, PRISMATIC)
        made = _add(
            body,
            "joint",
            name=f"{actor.name}/{joint.name}",
            type="hinge" if link.joint_type == REVOLUTE else "slide",
            pos=_numbers(position),
            axis=_numbers(axis),
            damping=_number(joint.damping),
            armature=_number(joint.armature),
            frictionloss=_number(joint.friction),
            stiffness=_number(joint.stiffness),
            springref=_number(joint.rest_position),
        )
        if np.isfinite(joint.lower) or np.isfinite(joint.upper):
            lower, upper = max(joint.lower, -1e3), min(joint.upper, 1e3)
            made.set("range", _numbers((lower, upper)))
        self.qpos.append(float(start[column]))

    def _equalities(self, root: Node) -> None:
        equality = Node("equality")
        for robot in self.setup.world.robots.values():
            for link in robot.part.articulation.links:
                if link.joint is not None and link.joint.mimic is not None:
                    mimic = link.joint.mimic
                    _add(
                        equality,
                        "joint",
                        joint1=f"{robot.name}/{link.joint.name}",
                        joint2=f"{robot.name}/{mimic.joint}",
                        polycoef=_numbers((mimic.offset, mimic.multiplier, 0.0, 0.0, 0.0)),
                    )
        if len(equality):
            root.append(equality)

    def _actuators(self, root: Node) -> None:
        """In the order of the controls."""
        if not self.setup.actuators:
            return
        found = _add(root, "actuator")
        for actuator in self.setup.actuators:
            robot, drive = self.setup.world.robots[actuator.robot], self.setup.drives[actuator.robot]
            joint = f"{robot.name}/{robot.joint_names[actuator.joint]}"
            if actuator.is_torque:
                _add(found, "motor", name=f"{joint}:torque", joint=joint)
                continue
            made = _add(
                found,
                "position",
                name=joint,
                joint=joint,
                kp=_number(drive.stiffness[actuator.joint]),
                kv=_number(drive.damping[actuator.joint]),
            )
            link = robot.part.articulation.links[robot.part.articulation.dof_links[actuator.joint]]
            limit = link.joint.effort_limit if link.joint else np.inf
            if np.isfinite(limit):
                made.set("forcerange", _numbers((-limit, limit)))


def write(setup: Setup) -> str:
    """The MJCF text; its keyframe ``start`` has the start and the middle of the controls.

    Raises:
        ValueError: something in the scene has no counterpart in MJCF.
    """
    return _Writer(setup).text()


def _add(parent: Node, tag: str, also: dict[str, str] | None = None, **attributes: str) -> Node:
    return ElementTree.SubElement(parent, tag, {**attributes, **(also or {})})


def _number(value: float) -> str:
    return repr(float(value))


def _numbers(values: Iterable[float]) -> str:
    return " ".join(_number(value) for value in values)
