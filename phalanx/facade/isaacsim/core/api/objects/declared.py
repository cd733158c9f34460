"""Shapes declared once: constructors and docstrings of their visual, fixed and dynamic classes follow."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from inspect import Parameter, Signature
from typing import Any, Literal, TypeVar

Role = Literal["visual", "fixed", "dynamic"]
T = TypeVar("T", bound=type)

ROLES: dict[Role, str] = {
    "visual": "A {noun} that is only seen. Of a prim that is there already, what is not given stays.",
    "fixed": "A {noun} that collides, and does not move.",
    "dynamic": "A {noun} that collides and moves: a rigid body.",
}

PLACED = """\
prim_path: of the prim; it is made if there is none.
name: for scenes and messages.
position, translation, orientation, scale, visible: see :class:`SingleXFormPrim`.
color: red, green and blue, (3,), of a new prim without ``visual_material``; grey by default."""

SEEN = "visual_material: that it is seen in."

FELT = """\
physics_material: that it is felt as; of a new prim, by default, one with friction 0.2 at rest, 1.0 in motion,
    and no restitution."""

MOVED = """\
physics_material: that it is felt as; see :class:`{fixed}`.
mass: kg; 0.02 of a new prim without a density.
density: kg/m^3; a mass takes precedence.
linear_velocity, angular_velocity: (3,), in the world's axes, in units of the stage per second and rad/s."""

RAISES = """\
TypeError: there is a prim of another type.
ValueError: an array has another shape."""


@dataclass(frozen=True)
class Size:
    """A number that says how large a shape is: an attribute of its prim."""

    name: str
    default: float
    """Of new prims."""
    meaning: str
    """For docstrings."""


@dataclass(frozen=True)
class Declared:
    """What differs between shapes."""

    noun: str
    """In docstrings."""
    word: str
    """In default names, ``visual_<word>``, and, capitalised, in names of prims."""
    schema: str
    """The type in ``UsdGeom``."""
    sizes: tuple[Size, ...]
    visible: bool | None = None
    """What the visual one's constructor has by default."""

    def signature(self, role: Role) -> Signature:
        """Of the constructor in a role."""
        visible = self.visible if role == "visual" else None
        parameters = [("prim_path", "str", Parameter.empty), ("name", "str", f"{role}_{self.word}")]
        parameters += [(name, "Any", None) for name in ("position", "translation", "orientation", "scale")]
        parameters += [("visible", "bool | None", visible), ("color", "Any", None)]
        parameters += [(size.name, "float | None", None) for size in self.sizes]
        parameters += [("visual_material", "Any", None)]
        if role != "visual":
            parameters += [("physics_material", "Any", None)]
        if role == "dynamic":
            parameters += [("mass", "float | None", None), ("density", "float | None", None)]
            parameters += [("linear_velocity", "Any", None), ("angular_velocity", "Any", None)]
        of = Parameter.POSITIONAL_OR_KEYWORD
        first = Parameter("self", of)
        rest = [Parameter(name, of, default=default, annotation=kind) for name, kind, default in parameters]
        return Signature([first, *rest], return_annotation="None")

    def docstring(self, role: Role, fixed: str) -> str:
        """Of the class in a role; ``fixed`` names the class of those that are fixed."""
        sizes = [f"{size.name}: {size.meaning}." for size in self.sizes]
        more = {"visual": [], "fixed": [FELT], "dynamic": [MOVED.format(fixed=fixed)]}[role]
        arguments = _indented("\n".join([PLACED, *sizes, SEEN, *more]))
        head = ROLES[role].format(noun=self.noun)
        return f"{head}\n\n    Args:\n{arguments}\n\n    Raises:\n{_indented(RAISES)}\n    "


def _indented(text: str) -> str:
    return "\n".join(f"        {line}" for line in text.split("\n"))


def constructor(shape: Declared, role: Role) -> Callable[[T], T]:
    """Give a class the constructor and the docstring of a shape in a role.

    Its bases make it: the constructor hands all arguments, by name, to ``_make_<role>`` of
    :class:`phalanx.facade.isaacsim.core.api.objects.shape.Shape`. Which one, does not depend on the class of the
    object, so that constructors of bases can be called as usual.
    """
    signature = shape.signature(role)

    def decorate(cls: T) -> T:
        make = getattr(cls, f"_make_{role}")

        def __init__(*args: Any, **named: Any) -> None:
            try:
                given = signature.bind(*args, **named)
            except TypeError as error:
                raise TypeError(f"{cls.__name__}(): {error}") from None
            given.apply_defaults()
            make(**given.arguments)

        __init__.__qualname__ = f"{cls.__qualname__}.__init__"
        __init__.__module__ = cls.__module__
        __init__.__signature__ = signature  # pyright: ignore[reportAttributeAccessIssue]
        cls.__init__ = __init__
        cls.__doc__ = shape.docstring(role, f"Fixed{cls.__name__.removeprefix(role.capitalize())}")
        return cls

    return decorate
