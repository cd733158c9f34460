"""Reads URDF files into :class:`~phalanx.models.robot_model.RobotModel`.

What the format leaves open is settled like this:

* A revolute or prismatic joint without ``lower`` and ``upper`` is unlimited, with a warning; if one of the two
  is given the other is 0, as the format says.
* ``velocity="0"`` means no velocity limit, and ``effort="0" velocity="0"`` together are an exporter's
  placeholders and mean neither limit; ``effort="0"`` alone is a passive joint and stays 0. Each is warned of.
* A capsule's ``length`` is that of its cylindrical part. A shape of size zero is left out, with a warning.
* ``dont_collapse="true"`` of a joint, which is NVIDIA's, keeps bodies of a fixed joint apart where others are merged.
* Visual shapes are read only when asked for, since their meshes are most of the loading time. One whose mesh is missing
  or cannot be read is left out, with a warning: what is only drawn moves nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import numpy as np

from phalanx.io.reading import limits
from phalanx.io.reading.boundary import Clock, place
from phalanx.io.reading.errors import LoadError
from phalanx.io.reading.paths import FileFinder
from phalanx.io.reading.xmltree import Element, parse_xml
from phalanx.maths.arrays import from_euler, matrix
from phalanx.models.checks import ONE_DOF, Inertias, check_masses, check_mimic, check_tree, nearest
from phalanx.models.meshes.mesh_files import count_flat_triangles, load_mesh
from phalanx.models.meshes.pictured import pictured
from phalanx.models.meshes.textures import TEXTURED
from phalanx.models.picture import check_picture
from phalanx.models.primitives import BLOCK, PRIMITIVES
from phalanx.models.robot_model import Body, Joint, Mimic, RobotModel, Shape

TYPES = {
    "fixed": "fixed",
    "revolute": "revolute",
    "continuous": "continuous",
    "prismatic": "prismatic",
    "planar": "planar",
    "floating": "free",
    "spherical": "spherical",
    "ball": "spherical",
}
# Elements that carry no mechanics, or nothing that is simulated; anything else is warned of once.
SILENT = {
    "robot": {"link", "joint", "material", "transmission", "gazebo", "sensor", "ros2_control", "mujoco", "drake"},
    "link": {"inertial", "visual", "collision", "self_filter", "collision_checking", "origin", "verbose"},
    "joint": {"origin", "parent", "child", "axis", "limit", "dynamics", "mimic", "safety_controller", "calibration"},
}
T = TypeVar("T")

ZERO = (0.0, 0.0, 0.0)
NOT_SHOWN = "a visual is not shown: "
"""What the warning of a visual that is left out begins with."""
FIXED_AXES = "XYZ"
"""Roll, pitch and yaw: about x, y and z of the parent, one after the other."""


def load_urdf(
    path: str | Path,
    package_dirs: Iterable[str | Path] = (),
    visuals: bool = True,
    *,
    fix_inertias: bool = False,
    need_visuals: bool = False,
    need_masses: bool = True,
) -> RobotModel:
    """Read a robot from a URDF file.

    ``package_dirs`` are folders that mesh files may lie in besides the file's own package: each may be a package
    or a folder of packages (see :mod:`phalanx.io.reading.paths`). With ``visuals=False`` the visual shapes are left out
    and their meshes are not opened. With ``fix_inertias`` inertias that no body can have are replaced by the nearest
    that one can have, with a warning; they are errors otherwise. With ``need_visuals``, for visuals that shall collide,
    meshes of visuals that cannot be had are errors, too. Without ``need_masses`` links that have shapes and no mass may
    be all that a joint moves, for users who give them a density.

    Raises :class:`LoadError` with file, line, element and remedy when the file cannot be simulated; what is odd but
    usable is listed in ``model.warnings``.
    """
    root = parse_xml(path)
    with place(root.error):
        _check_root(root)
        inertias: Inertias = "fix" if fix_inertias else "refuse"
        return _Reader(root, FileFinder(path, package_dirs), visuals, need_visuals, inertias, need_masses).read()


def _check_root(root: Element) -> None:
    if root.tag != "robot":
        raise root.error("the root element of a URDF file is <robot>; this is another kind of file.")
    if any(key.startswith("xmlns:xacro") for key in root.attributes) and any(
        child.tag.startswith("xacro:") for child in root.children
    ):
        raise root.error("this is a xacro source; expand it first: xacro FILE > robot.urdf.")


@dataclass
class _Reader:
    root: Element
    finder: FileFinder
    visuals: bool
    need_visuals: bool
    inertias: Inertias
    need_masses: bool
    warnings: list[str] = field(default_factory=list)
    colors: dict[str, tuple[float, ...]] = field(default_factory=dict)
    textures: dict[str, Element] = field(default_factory=dict)

    def read(self) -> RobotModel:
        links, joints = self.named("link"), self.named("joint")
        if not links:
            raise self.root.error("the robot has no <link>; add at least one.")
        limits.check("bodies", len(links), self.root.error)
        self.mention_unknown([self.root, *links.values(), *joints.values()])
        self.read_colors(links.values())
        model = RobotModel(self.root.attributes.get("name", "") or Path(self.root.file).stem, [], [], self.root.file)
        model.joints = [_placed(self.joint, element) for element in joints.values()]
        # The tree comes before the shapes: a wrong structure is found without opening any mesh.
        check_tree(list(links), model.joints, lambda n, t: links[n].error(t), lambda n, t: joints[n].error(t))
        check_mimic(model.joints, lambda n, t: joints[n].error(t))
        clock = Clock(self.root.error)
        for element in links.values():
            model.bodies.append(_placed(self.body, element))
            clock.check()
        errors = (lambda n, t: _inertia(links[n]).error(t), lambda n, t: joints[n].error(t))
        self.warnings += check_masses(model, *errors, self.inertias, self.need_masses)
        model.warnings = list(dict.fromkeys(self.warnings))
        return model

    def named(self, tag: str) -> dict[str, Element]:
        """All top-level elements of one kind by name."""
        found: dict[str, Element] = {}
        for element in self.root.all(tag):
            name = element.get("name")
            if not name:
                raise element.error("its name is empty; name it.")
            if name in found:
                raise element.error(f"there is already a {tag} of that name, in line {found[name].line}; rename one.")
            found[name] = element
        return found

    def mention_unknown(self, elements: Iterable[Element]) -> None:
        for element in elements:
            for child in element.children:
                if child.tag not in SILENT[element.tag]:
                    self.warnings.append(f"<{child.tag}> in <{element.tag}> is not part of URDF and is ignored.")

    def read_colors(self, links: Iterable[Element]) -> None:
        """Colours and textures by material name: those of the robot, and those that a visual defines for all others."""
        scattered = [m for link in links for visual in link.all("visual") for m in visual.all("material")]
        for material in [*reversed(scattered), *self.root.all("material")]:
            color = material.find("color")
            if color is not None and material.attributes.get("name"):
                self.colors[material.get("name")] = color.vector("rgba", 4)
            texture = material.find("texture")
            if texture is not None and material.attributes.get("name"):
                self.textures[material.get("name")] = texture

    # -- joints ----------------------------------------------------------------------------------------------

    def joint(self, element: Element) -> Joint:
        name, word = element.get("name"), element.get("type")
        if word not in TYPES:
            raise element.error(f'the joint type "{word}" is unknown{nearest(word, TYPES)} Use one of {_words(TYPES)}.')
        position, rpy = _origin(element)
        joint = Joint(
            name=name,
            type=TYPES[word],
            parent=element.need("parent").get("link"),
            child=element.need("child").get("link"),
            position=position,
            orientation=_quaternion(rpy),
            keeps_bodies_apart=element.attributes.get("dont_collapse", "").strip().lower() == "true",
        )
        if joint.type in (*ONE_DOF, "planar"):
            joint.axis = self.axis(element)
        if joint.type != "fixed":
            self.limits(joint, element)
            self.dynamics(joint, element)
            joint.mimic = self.mimic(element)
        return joint

    def axis(self, element: Element) -> tuple[float, float, float]:
        axis = element.find("axis")
        if axis is None:
            return (1.0, 0.0, 0.0)
        x, y, z = axis.vector("xyz", 3)
        length = math.hypot(x, y, z)
        if length < 1e-9:
            raise axis.error("the axis is zero; give the direction that the joint moves about or along.")
        if abs(length - 1.0) < 1e-15:
            return (x, y, z)
        return (x / length, y / length, z / length)

    def limits(self, joint: Joint, element: Element) -> None:
        label, limit = f'joint "{joint.name}"', element.find("limit")
        bounded = joint.type in ("revolute", "prismatic")
        if limit is None:
            if bounded:
                self.warnings.append(f"{label} is {joint.type} but has no <limit>; it is read as unlimited.")
            return
        given = [key for key in ("lower", "upper") if key in limit.attributes]
        lower, upper = (limit.number(key, 0.0, infinite=True) for key in ("lower", "upper"))
        if not bounded:
            if given and joint.type == "continuous":
                self.warnings.append(f"{label} is continuous; its position limits are ignored.")
        elif not given:
            self.warnings.append(f"{label} has a <limit> without lower and upper; it is read as unlimited.")
        elif lower > upper:
            raise limit.error(f'lower="{lower:g}" is above upper="{upper:g}"; swap them.')
        else:
            joint.lower, joint.upper = lower, upper
        effort, velocity = (limit.number(key, math.inf, infinite=True) for key in ("effort", "velocity"))
        for key, value in (("effort", effort), ("velocity", velocity)):
            if value < 0.0:
                raise limit.error(f'{key}="{value:g}" is negative; limits are magnitudes.')
        if effort == 0.0 == velocity:
            self.warnings.append(f"{label} has effort and velocity limits of 0; both are read as no limit.")
            effort = velocity = math.inf
        elif velocity == 0.0:
            self.warnings.append(f"{label} has a velocity limit of 0; it is read as no limit.")
            velocity = math.inf
        elif effort == 0.0:
            self.warnings.append(f"{label} has an effort limit of 0; a drive cannot move it.")
        joint.effort_limit, joint.velocity_limit = effort, velocity

    def dynamics(self, joint: Joint, element: Element) -> None:
        dynamics = element.find("dynamics")
        if dynamics is None:
            return
        for key in ("damping", "friction"):
            value = dynamics.number(key, 0.0)
            if value < 0.0:
                raise dynamics.error(f'{key}="{value:g}" is negative and would add energy; make it 0 or more.')
            setattr(joint, key, value)

    def mimic(self, element: Element) -> Mimic | None:
        mimic = element.find("mimic")
        if mimic is None:
            return None
        return Mimic(mimic.get("joint"), mimic.number("multiplier", 1.0), mimic.number("offset", 0.0))

    # -- links -----------------------------------------------------------------------------------------------

    def body(self, element: Element) -> Body:
        body = Body(element.get("name"))
        self.inertial(body, element)
        body.collisions = [shape for e in element.all("collision") for shape in self.shape(e, True)]
        if self.visuals:
            body.visuals = [shape for e in element.all("visual") for shape in self.shape(e, False)]
        return body

    def inertial(self, body: Body, element: Element) -> None:
        inertial = element.find("inertial")
        if inertial is None:
            return
        mass = inertial.need("mass")
        body.mass = mass.number("value")
        if body.mass < 0.0:
            raise mass.error(f'the mass "{body.mass:g}" is negative; give it in kilograms.')
        body.com, rpy = _origin(inertial)
        inertia = inertial.find("inertia")
        if inertia is None:
            return
        xx, yy, zz = (inertia.number(key) for key in ("ixx", "iyy", "izz"))
        xy, xz, yz = (inertia.number(key, 0.0) for key in ("ixy", "ixz", "iyz"))
        local = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        if any(rpy):
            rotation = matrix(from_euler(rpy, FIXED_AXES))
            local = rotation @ local @ rotation.T
            local = 0.5 * (local + local.T)
        body.inertia = local

    def shape(self, element: Element, collision: bool) -> list[Shape]:
        """The shape of a <collision> or <visual>: a list of one, or of none if it has no extent or cannot be shown."""
        geometry = element.need("geometry")
        if len(geometry.children) != 1:
            raise geometry.error(f"holds {len(geometry.children)} shapes; give one of {_words(_KINDS)} or mesh.")
        one = geometry.children[0]
        position, rpy = _origin(element)
        shape = Shape(_KINDS.get(one.tag, one.tag), position=position, orientation=_quaternion(rpy))
        shape.name = element.attributes.get("name", "")
        if one.tag == "mesh":
            try:
                self.mesh(shape, one, collision)
            except LoadError as error:
                if collision or self.need_visuals:
                    raise
                self.warnings.append(f"{NOT_SHOWN}{error}")
                return []
        elif one.tag in _KINDS:
            shape.size = _sizes(one)
            if min(shape.size) < 0.0:
                raise one.error("a dimension is negative; give lengths in metres.")
            # A capsule without a cylindrical part is a sphere and has extent.
            if min(shape.size[:1] if shape.kind == "capsule" else shape.size) == 0.0:
                link = element.parent.get("name") if element.parent else ""
                self.warnings.append(f'link "{link}" has a {one.tag} of size zero, which is left out.')
                return []
        else:
            raise one.error(f"this shape is unknown; use {_words(_KINDS)} or mesh.")
        if collision:
            return [shape]
        shape.color = self.color(element)
        return [self.textured(shape, element)]

    def mesh(self, shape: Shape, element: Element, collision: bool) -> None:
        name = element.get("filename")
        words = element.get("scale", "1 1 1").split()
        scale = element.vector("scale", 1 if len(words) == 1 else 3, (1.0, 1.0, 1.0))
        if 0.0 in scale:
            raise element.error("the scale is zero; leave it out or give three factors.")
        path = self.finder.resolve(name, element)
        try:
            shape.vertices, shape.faces = load_mesh(path, scale if len(scale) == 3 else scale * 3)
        except LoadError as error:
            raise element.error(f'the mesh "{name}" cannot be used: {error}') from None
        shape.mesh_file = str(path)
        if collision and (flat := count_flat_triangles(path)):
            self.warnings.append(f'collision mesh "{name}" has {flat} triangle(s) without area.')

    def textured(self, shape: Shape, element: Element) -> Shape:
        """A visual with the texture of its material, which comes before the colour; what cannot be had is told."""
        material = _material(element)
        if material is None:
            return shape
        texture = material.find("texture")
        if texture is None:
            texture = self.textures.get(material.attributes.get("name", ""))
        if texture is None:
            return shape
        try:
            made = self._pictured(shape, texture)
        except LoadError as error:  # a robot without its texture is still one
            self.warnings.append(f"a texture is not shown: {error}")
            return shape
        made.color = (1.0, 1.0, 1.0, 1.0 if shape.color is None else shape.color[3])
        return made

    def _pictured(self, shape: Shape, texture: Element) -> Shape:
        path, mesh = self.finder.resolve(texture.get("filename"), texture), Path(shape.mesh_file)
        made = pictured(shape, str(path))
        if made is None or (shape.kind == "mesh" and mesh.suffix[1:].lower() not in TEXTURED):
            what = f'the mesh "{mesh.name}"' if shape.kind == "mesh" else f"a {shape.kind}"
            raise texture.error(f"{what} has no texture coordinates.")
        try:
            check_picture(path)
        except LoadError as error:
            raise texture.error(str(error)) from None
        return made

    def color(self, element: Element) -> tuple[float, float, float, float] | None:
        material = _material(element)
        if material is None:
            return None
        if len(element.all("material")) > 1:
            link = element.parent.get("name") if element.parent else ""
            self.warnings.append(f'a visual of link "{link}" has several materials; the first one is shown.')
        color = material.find("color")
        name = material.attributes.get("name", "")
        if color is None and name not in self.colors and material.find("texture") is None:
            self.warnings.append(f'material "{name}" is used but defined nowhere; the default colour is shown.')
        found = color.vector("rgba", 4) if color is not None else self.colors.get(name)
        return (found[0], found[1], found[2], found[3]) if found else None


def _placed(read: Callable[[Element], T], element: Element) -> T:
    """What is read of an element; whatever is raised becomes an error about it."""
    with place(element.error):
        return read(element)


def _material(visual: Element) -> Element | None:
    """The material of a visual, of several the first one: exporters write one for each part of a mesh."""
    return next(iter(visual.all("material")), None)


def _inertia(link: Element) -> Element:
    """The element that says a link's inertia, or the link."""
    inertial = link.find("inertial")
    return link if inertial is None else inertial.find("inertia") or inertial


_KINDS = {each.names.urdf: kind for kind, each in PRIMITIVES.items() if each.names.urdf}
"""Of elements, and kinds of :class:`phalanx.Shape`."""


def _sizes(element: Element) -> tuple[float, ...]:
    dimensions = PRIMITIVES[_KINDS[element.tag]].dimensions
    if dimensions == BLOCK:
        return tuple(0.5 * side for side in element.vector("size", 3))
    read = {"radius": lambda: element.number("radius"), "half_length": lambda: 0.5 * element.number("length")}
    return tuple(read[name]() for name in dimensions)


def _origin(element: Element) -> tuple[tuple[float, float, float], tuple[float, ...]]:
    """(xyz, rpy) of an element's <origin>; zeros where it is absent."""
    origin = element.find("origin")
    if origin is None:
        return ZERO, ZERO
    x, y, z = origin.vector("xyz", 3, ZERO)
    return (x, y, z), origin.vector("rpy", 3, ZERO)


def _words(names: Iterable[str]) -> str:
    return ", ".join(names)


def _quaternion(rpy: tuple[float, ...]) -> tuple[float, float, float, float]:
    """Of roll, pitch and yaw, rad; w >= 0."""
    w, x, y, z = from_euler(rpy, FIXED_AXES).tolist()
    return (w, x, y, z) if w >= 0.0 else (-w, -x, -y, -z)
