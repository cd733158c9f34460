"""Default classes, and the attributes of an element as they are once its classes' defaults are put in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from phalanx.io.formats.mjcf import schema
from phalanx.io.formats.mjcf.notes import Notes
from phalanx.io.reading.errors import LoadError
from phalanx.io.reading.xmltree import Element
from phalanx.models.checks import nearest

ACTUATORS = frozenset(
    ("general", "motor", "position", "velocity", "damper", "intvelocity", "cylinder", "muscle", "adhesion")
) | {"orientation", "pid", "dcmotor"}
"""All of these share one set of defaults."""

DEFAULTED = (
    frozenset(["mesh", "material", "texture", "joint", "geom", "site", "camera", "light", "pair", "equality", "tendon"])
    | ACTUATORS
)


class Values:
    """The attributes of ``element``, each from itself or else from the nearest default.

    ``layers`` are the elements that may give them, the most general first.
    """

    def __init__(self, element: Element, layers: Sequence[Element] = ()) -> None:
        self.element = element
        self.layers = [*layers, element]

    def givers(self, name: str) -> list[Element]:
        """Elements that give an attribute, the most general first."""
        return [layer for layer in self.layers if name in layer.attributes]

    def has(self, name: str) -> bool:
        """Whether anybody gives an attribute."""
        return any(name in layer.attributes for layer in self.layers)

    def error(self, name: str, text: str) -> LoadError:
        """An error about an attribute, to be raised by the caller, which points at whoever gave it."""
        givers = self.givers(name) or [self.element]
        value = givers[-1].attributes.get(name, "")
        return givers[-1].error(f'{name}="{value}": {text.rstrip(".")}.')

    def word(self, name: str, default: str | None = None) -> str:
        """An attribute's text; an error where nobody gives it and there is no default."""
        givers = self.givers(name)
        return givers[-1].get(name) if givers else self.element.get(name, default)

    def choice(self, name: str, default: str, allowed: Sequence[str]) -> str:
        """One of some words."""
        found = self.word(name, default)
        if found not in allowed:
            raise self.error(name, f"it must be one of {', '.join(allowed)}")
        return found

    def flag(self, name: str, default: bool, auto: bool | None = None) -> bool:
        """true or false, or what ``auto`` stands for here."""
        words = ("true", "false") if auto is None else ("true", "false", "auto")
        found = self.choice(name, "true" if default else "false", words) if self.has(name) else None
        if found is None:
            return default
        return bool(auto) if found == "auto" else found == "true"

    def limited(self, flag: str, bounds: str, autolimits: bool) -> bool:
        """Whether two bounds hold: where a flag says so, or where they are given and the compiler takes that for a yes.

        Raises:
            LoadError: the flag says so, but there are none.
        """
        has = self.has(bounds) and bool(np.any(self.vector(bounds, 2)))
        on = self.flag(flag, has and autolimits, auto=has and autolimits)
        if on and not has:
            raise self.error(flag, f"there is no {bounds}; give one")
        return on

    def number(self, name: str, default: float | None = None) -> float:
        """A finite number."""
        givers = self.givers(name)
        return givers[-1].number(name) if givers else self.element.number(name, default)

    def whole(self, name: str, default: int | None = None) -> int:
        """A whole number."""
        value = self.number(name, None if default is None else float(default))
        if value != int(value):
            raise self.error(name, "it must be a whole number")
        return int(value)

    def vector(
        self, name: str, length: int, default: Sequence[float] | np.ndarray | None = None, least: int | None = None
    ) -> np.ndarray:
        """``length`` numbers; or at least ``least``, where the rest comes from more general layers and the default."""
        givers = self.givers(name)
        if default is None and not givers:
            self.element.get(name)  # raises: it is missing
        found = np.array(default if default is not None else [0.0] * length, float)
        for giver in givers:
            words = giver.get(name).split()
            if not (length if least is None else least) <= len(words) <= length:
                need = str(length) if least is None else f"{least} to {length}"
                raise giver.error(f'{name}="{giver.get(name)}" has {len(words)} number(s); it needs {need}.')
            found[: len(words)] = giver.vector(name, len(words))
        return found

    def numbers(self, name: str) -> np.ndarray:
        """Any number of numbers."""
        givers = self.givers(name)
        if not givers:
            return np.zeros(0)
        return np.array(givers[-1].vector(name, len(givers[-1].get(name).split())), float)


@dataclass
class Defaults:
    """Default classes of one file: for each class the elements that give defaults to a kind of element, in order."""

    notes: Notes
    classes: dict[str, dict[str, list[Element]]] = field(default_factory=lambda: {"main": {}})

    def read(self, root: Element) -> None:
        """Take in a top-level <default>."""
        self._read(root, "main", None)

    def _read(self, element: Element, name: str, parent: str | None) -> None:
        schema.check(element, self.notes)
        if parent is None:
            given = element.attributes.get("class", "main")
            if given != "main":
                raise element.error(
                    f'the outermost class is called "main", not "{given}"; nest it in another <default>.'
                )
        else:
            if name in self.classes:
                raise element.error(f'there is already a default class "{name}"; rename one.')
            self.classes[name] = {tag: list(layers) for tag, layers in self.classes[parent].items()}
        for child in element.children:
            if child.tag == "default":
                continue
            if child.tag not in DEFAULTED:
                raise schema.unknown(child, sorted(DEFAULTED | {"default"}))
            schema.check(child, self.notes)
            tag = "actuator" if child.tag in ACTUATORS else child.tag
            self.classes[name].setdefault(tag, []).append(child)
        for child in element.all("default"):
            self._read(child, child.get("class"), name)

    def values(self, element: Element, tag: str, inherited: str) -> Values:
        """An element with the defaults of its class, or of the class that it inherits."""
        name = element.attributes.get("class", inherited)
        if name not in self.classes:
            raise element.error(f'the default class "{name}" does not exist{nearest(name, self.classes)}')
        return Values(element, self.classes[name].get(tag, ()))
