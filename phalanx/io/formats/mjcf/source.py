"""One MJCF file with what it includes: settings of its compiler, options, default classes and assets."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from phalanx.io.formats.mjcf import schema
from phalanx.io.formats.mjcf.notes import Notes
from phalanx.io.formats.mjcf.poses import orientation
from phalanx.io.formats.mjcf.values import Defaults, Values
from phalanx.io.reading import limits
from phalanx.io.reading.errors import LoadError
from phalanx.io.reading.paths import FileFinder
from phalanx.io.reading.xmltree import Element, parse_xml
from phalanx.models.checks import nearest
from phalanx.models.robot_model import Medium


@dataclass
class Compiler:
    """Settings that say how a file is to be read; see the format's documentation."""

    degrees: bool = True
    sequence: str = "xyz"
    autolimits: bool = True
    meshdir: str = ""
    texturedir: str = ""
    strippath: bool = False
    bound_mass: float = 0.0
    bound_inertia: float = 0.0
    balance_inertia: bool = False
    total_mass: float = -1.0
    fit_bounds: bool = False
    inertia_from_geom: bool | None = None
    inertia_groups: tuple[int, int] = (0, 5)

    def read(self, element: Element) -> None:
        """Take in a <compiler>."""
        values = Values(element)
        self.degrees = values.choice("angle", "degree" if self.degrees else "radian", ("degree", "radian")) == "degree"
        if values.choice("coordinate", "local", ("local", "global")) == "global":
            raise element.error("global coordinates were dropped from the format; save the file with local ones.")
        self.sequence = values.word("eulerseq", self.sequence)
        if len(self.sequence) != 3 or not set(self.sequence) <= set("xyzXYZ"):
            raise values.error("eulerseq", "it must be three of x, y, z, X, Y, Z")
        self.autolimits = values.flag("autolimits", self.autolimits)
        self.meshdir = values.word("meshdir", values.word("assetdir", self.meshdir))
        self.texturedir = values.word("texturedir", values.word("assetdir", self.texturedir))
        self.strippath = values.flag("strippath", self.strippath)
        self.bound_mass = values.number("boundmass", self.bound_mass)
        self.bound_inertia = values.number("boundinertia", self.bound_inertia)
        self.balance_inertia = values.flag("balanceinertia", self.balance_inertia)
        self.fit_bounds = values.flag("fitaabb", self.fit_bounds)
        self.total_mass = values.number("settotalmass", self.total_mass)
        word = values.choice("inertiafromgeom", "", ("", "true", "false", "auto"))
        if word:
            self.inertia_from_geom = None if word == "auto" else word == "true"
        low, high = values.vector("inertiagrouprange", 2, self.inertia_groups)
        self.inertia_groups = (int(low), int(high))


@dataclass
class Options:
    """What a file's <option> says. ``timestep`` (s) and ``gravity`` (m/s^2) are suggestions for the world.

    ``flags`` are those that are not as by default, by name; ``medium`` is the fluid around the file's bodies, if it
    has any effect.
    """

    timestep: float = 0.002
    gravity: tuple[float, float, float] = (0.0, 0.0, -9.81)
    integrator: str = "Euler"
    flags: dict[str, str] = field(default_factory=dict)
    density: float = 0.0
    viscosity: float = 0.0
    wind: tuple[float, float, float] = (0.0, 0.0, 0.0)
    disabled_groups: frozenset[int] = frozenset()
    """Of actuators."""
    given: frozenset[str] = frozenset()
    """Names of what the file sets."""

    def read(self, element: Element, notes: Notes) -> None:
        """Take in an <option>."""
        values = Values(element)
        self.timestep = values.number("timestep", self.timestep)
        if not self.timestep > 0.0:
            raise values.error("timestep", "it must be positive")
        x, y, z = values.vector("gravity", 3, self.gravity).tolist()
        self.gravity = (x, y, z)
        self.given |= frozenset(element.attributes)
        self.integrator = values.word("integrator", self.integrator)
        self.density = self._positive(values, "density", self.density)
        self.viscosity = self._positive(values, "viscosity", self.viscosity)
        x, y, z = values.vector("wind", 3, self.wind).tolist()
        self.wind = (x, y, z)
        groups = values.numbers("actuatorgroupdisable")
        if np.any(groups != np.round(groups)) or np.any((groups < 0) | (groups > MOST_GROUP)):
            raise values.error("actuatorgroupdisable", f"it must list whole numbers from 0 to {MOST_GROUP}")
        self.disabled_groups |= frozenset(int(group) for group in groups)
        for child in element.children:
            if child.tag != "flag":
                raise schema.unknown(child, ["flag"])
            for name, value in child.attributes.items():
                if name not in FLAGS:
                    raise child.error(f'there is no flag "{name}"{nearest(name, FLAGS)}')
                if value not in ("enable", "disable"):
                    raise child.error(f'{name}="{value}": it must be "enable" or "disable".')
                if value != FLAGS[name]:
                    self.flags[name] = value
                    if name in NOT_SWITCHED:
                        notes.add(child, f'"{name}" cannot be switched; it stays as if it were not mentioned.')
        if self.off("gravity"):
            self.gravity = (0.0, 0.0, 0.0)

    @staticmethod
    def _positive(values: Values, name: str, default: float) -> float:
        found = values.number(name, default)
        if found < 0.0:
            raise values.error(name, "it must not be negative")
        return found

    @property
    def medium(self) -> Medium | None:
        """The fluid around the bodies; switched off with springs and dampers, as in MuJoCo."""
        still = self.off("spring") and self.off("damper")
        if still or not (self.density or self.viscosity):
            return None
        return Medium(self.density, self.viscosity, self.wind)

    def moves_otherwise(self, gravity: tuple[float, ...]) -> bool:
        """Whether the file's bodies fall otherwise in a world with such gravity."""
        return "gravity" in self.given and not self.off("gravity") and tuple(gravity) != self.gravity

    def gravity_scale(self, compensation: float) -> float:
        """Share of gravity that acts on a body of which so much is compensated for."""
        if self.off("gravity"):
            return 0.0
        return 1.0 if self.off("spring") and self.off("damper") else 1.0 - compensation

    def drives(self, group: int) -> bool:
        """Whether actuators of a group do anything."""
        return not self.off("actuation") and group not in self.disabled_groups

    def off(self, name: str) -> bool:
        """Whether a part of the mechanics is switched off, by its own flag or one that covers it."""
        return any(self.flags.get(one) == "disable" for one in (name, *COVERED.get(name, ())))

    def amount(self, values: Values, name: str, notes: Notes) -> float:
        """Stiffness, damping, friction or armature: not negative, and nothing where a flag switches it off.

        Coefficients of higher powers of speed or stretch are told of.
        """
        found = values.numbers(name)
        if self.off(SWITCHES.get(name, "")) or not len(found):
            return 0.0
        if found[0] < 0.0:
            raise values.error(name, "it must not be negative, or it would make energy")
        if np.any(found[1:]):
            notes.add(values.element, f"only the first number of {name} is simulated.")
        return float(found[0])


ON = """constraint equality frictionloss limit contact passive spring damper gravity clampctrl warmstart filterparent
actuation refsafe sensor midphase eulerdamp autoreset nativeccd island multiccd diagexact ipc speculative"""
OFF = "override energy fwdinv invdiscrete sensornoise sleep"
FLAGS = {**dict.fromkeys(ON.split(), "enable"), **dict.fromkeys(OFF.split(), "disable")}
"""Flags and their usual values; some differ between versions, which only matters to the solver."""

MOST_GROUP = 30
"""The last group of actuators that can be switched off."""

SWITCHES = {"stiffness": "spring", "damping": "damper", "frictionloss": "frictionloss"}
"""Flags of what joints and tendons have."""

COVERED = {
    **dict.fromkeys(("contact", "limit", "frictionloss", "equality"), ("constraint",)),
    **dict.fromkeys(("spring", "damper"), ("passive",)),
}
"""Flags that others switch off, too."""

NOT_SWITCHED = frozenset(("filterparent", "override", "sleep"))
"""Flags that change what is simulated, and that nothing here goes by."""


@dataclass
class MeshAsset:
    """A mesh of the file: ``vertices`` (n, 3), ``faces`` (m, 3), transformed and scaled as the asset says."""

    values: Values
    vertices: np.ndarray | None = None
    faces: np.ndarray | None = None
    path: str = ""
    uv: np.ndarray | None = None
    """(m, 3, 2) float32 of :class:`phalanx.models.picture.Picture`, where the asset has texture coordinates itself."""


@dataclass
class Source:
    """A file with all that it includes."""

    root: Element
    finder: FileFinder
    notes: Notes
    compiler: Compiler = field(default_factory=Compiler)
    options: Options = field(default_factory=Options)
    assets: dict[tuple[str, str], Any] = field(default_factory=dict)
    """By kind (mesh, hfield, material, model) and name."""
    names: set[tuple[str, str]] = field(default_factory=set)
    """Tag and name of what the world holds, and of tendons."""
    included: int = 0
    elements: int = 0
    """Of included files."""

    def __post_init__(self) -> None:
        self.defaults = Defaults(self.notes)

    @classmethod
    def load(cls, path: str | Path, asset_dirs: Iterable[str | Path], notes: Notes) -> Source:
        """Read a file, its includes, settings and defaults; the bodies are left to others."""
        root = parse_xml(path)
        if root.tag != "mujoco":
            raise root.error("the root element of an MJCF file is <mujoco>; this is another kind of file.")
        source = cls(root, FileFinder(path, asset_dirs), notes)
        source._include(root, [str(Path(path).resolve())])
        schema.check(root, notes)
        allowed = [word for words in schema.SECTIONS.values() for word in words]
        for section in root.children:
            if section.tag in schema.SECTIONS["refused"]:
                raise section.error(f"<{section.tag}> is not simulated; remove it and what refers to it.")
            if section.tag not in allowed:
                raise schema.unknown(section, allowed)
        for section in root.all("compiler"):
            schema.check(section, notes)
            source.compiler.read(section)
        for section in root.all("option"):
            schema.check(section, notes)
            source.options.read(section, notes)
        for section in root.all("default"):
            source.defaults.read(section)
        for section in root.all("asset"):
            source._read_assets(section)
        for section in (*root.all("worldbody"), *root.all("tendon")):
            source._name(section, section.tag == "tendon")
        return source

    @property
    def path(self) -> str:
        """Where the file really is."""
        return str(Path(self.root.file).resolve())

    def sections(self, tag: str) -> list[Element]:
        """All elements inside top-level sections of a kind, in order."""
        return [child for section in self.root.all(tag) for child in section.children]

    def _include(self, element: Element, inside: list[str]) -> None:
        """Put the contents of included files where <include> stands."""
        children: list[Element] = []
        for child in element.children:
            if child.tag != "include":
                self._include(child, inside)
                children.append(child)
                continue
            schema.check(child, self.notes)
            file = str(self.finder.resolve(child.get("file"), child))
            if file in inside:
                raise child.error(f'"{child.get("file")}" includes itself; break the circle.')
            self.included += 1
            limits.check("includes", self.included, child.error)
            try:
                root = parse_xml(file)
            except LoadError as error:
                raise child.error(f"the included file cannot be used: {error}") from None
            self.elements += sum(1 for _ in root.walk())
            limits.check("elements", self.elements, child.error)
            self._include(root, [*inside, file])
            for grandchild in root.children:
                grandchild.parent = element
            children += root.children
        element.children = children

    def _name(self, element: Element, tendons: bool) -> None:
        for child in element.children:
            if "name" in child.attributes:
                tag = "tendon" if tendons else "joint" if child.tag == "freejoint" else child.tag
                self.names.add((tag, child.attributes["name"]))
            self._name(child, tendons)

    def _read_assets(self, section: Element) -> None:
        ignored = ("skin",)
        kinds = ("mesh", "hfield", "material", "model", "texture")
        for child in section.children:
            if child.tag in ignored:
                continue
            if child.tag not in kinds:
                raise schema.unknown(child, [*kinds, *ignored])
            schema.check(child, self.notes)
            values = self.defaults.values(child, child.tag, "main")
            name = child.attributes.get("name") or Path(values.word("file", "").replace("\\", "/")).stem
            if child.tag == "texture" and (not name or (child.tag, name) in self.assets):
                continue  # only looked at
            if not name:
                raise child.error("it has neither a name nor a file to be named after; name it.")
            if (child.tag, name) in self.assets:
                raise child.error(f'there is already a {child.tag} asset "{name}"; rename one.')
            self.assets[child.tag, name] = MeshAsset(values) if child.tag == "mesh" else values

    def asset(self, kind: str, name: str, element: Element) -> Any:
        """An asset that an element refers to by name."""
        if (kind, name) not in self.assets:
            known = [other for tag, other in self.assets if tag == kind]
            raise element.error(f'the {kind} "{name}" is not among the assets{nearest(name, known)}')
        return self.assets[kind, name]

    def file(self, values: Values) -> Path:
        """The file of a mesh or height field."""
        return self._file(values, self.compiler.meshdir)

    def texture_file(self, values: Values) -> Path:
        """The file of a texture."""
        return self._file(values, self.compiler.texturedir)

    def _file(self, values: Values, folder: str) -> Path:
        name = values.word("file").replace("\\", "/")
        if self.compiler.strippath:
            name = Path(name).name
        given = values.givers("file")[-1]
        return self.finder.resolve(str(Path(folder) / name) if folder else name, given)

    def orientation(self, values: Values) -> np.ndarray:
        """The quaternion that an element's attributes give."""
        return orientation(values, self.compiler.degrees, self.compiler.sequence)

    def pose(self, values: Values) -> tuple[np.ndarray, np.ndarray]:
        """Position and quaternion of an element."""
        return values.vector("pos", 3, (0.0, 0.0, 0.0)), self.orientation(values)

    @property
    def radians(self) -> float:
        """Radians per unit of the file's angles."""
        return np.pi / 180.0 if self.compiler.degrees else 1.0
