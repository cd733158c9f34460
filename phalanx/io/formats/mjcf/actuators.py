"""Actuators: what their elements and shortcuts mean, and what they move."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from phalanx.io.formats.mjcf import schema
from phalanx.io.formats.mjcf.notes import Notes
from phalanx.io.formats.mjcf.references import References
from phalanx.io.formats.mjcf.tree import Context, Tree
from phalanx.io.formats.mjcf.values import ACTUATORS, Values
from phalanx.io.reading.xmltree import Element
from phalanx.models.actuators import Actuator

TAKEN = ("general", "motor", "position", "velocity", "damper")
LEFT_OUT = "it is left out; drive its joint by set_targets() or set_external_wrench()."


@dataclass
class Law:
    """Force law of an actuator: (gain . (1, length, rate)) u + bias . (1, length, rate)."""

    gain: np.ndarray = field(default_factory=lambda: np.array([1.0, 0.0, 0.0]))
    bias: np.ndarray = field(default_factory=lambda: np.zeros(3))
    gain_type: str = "fixed"
    bias_type: str = "none"
    dynamics: str = "none"
    damping_ratio: float = 0.0
    inherit_range: float = 0.0

    def apply(self, element: Element) -> None:
        """What one element, a default or the actuator itself, changes."""
        values = Values(element)
        if element.tag == "general":
            self.gain_type = values.word("gaintype", self.gain_type)
            self.bias_type = values.word("biastype", self.bias_type)
            self.dynamics = values.word("dyntype", self.dynamics)
            self.inherit_range = values.number("inheritrange", self.inherit_range)
            for name, mine in (("gainprm", self.gain), ("biasprm", self.bias)):
                given = values.numbers(name)[:3]
                mine[: len(given)] = given
            return
        if element.tag == "motor":
            self.gain[:], self.bias[:] = (1.0, 0.0, 0.0), 0.0
            self.gain_type, self.bias_type, self.dynamics = "fixed", "none", "none"
        elif element.tag == "position":
            kp = values.number("kp", self.gain[0])
            self.gain[:], self.bias[:2] = (kp, 0.0, 0.0), (0.0, -kp)
            if "kv" in element.attributes and "dampratio" in element.attributes:
                raise element.error("it has kv and dampratio; give one of them.")
            if "kv" in element.attributes:
                self.bias[2], self.damping_ratio = -values.number("kv"), 0.0
            self.damping_ratio = values.number("dampratio", self.damping_ratio)
            if "timeconst" in element.attributes:
                self.dynamics = "filterexact" if values.number("timeconst") > 0.0 else "none"
            self.inherit_range = values.number("inheritrange", self.inherit_range)
            self.gain_type, self.bias_type = "fixed", "affine"
        elif element.tag == "velocity":
            kv = values.number("kv", self.gain[0])
            self.gain[:], self.bias[:] = (kv, 0.0, 0.0), (0.0, 0.0, -kv)
            self.gain_type, self.bias_type, self.dynamics = "fixed", "affine", "none"
        elif element.tag == "damper":  # its control is a coefficient of damping
            self.gain[:] = (0.0, 0.0, -values.number("kv", 0.0))
            self.gain_type, self.bias_type, self.dynamics = "affine", "none", "none"
        else:
            self.dynamics = element.tag  # a default of something that the engine has not


def laws(layers: Sequence[Element]) -> Law:
    """The law that defaults and the actuator's own element, the last one, give in their order.

    A shortcut goes by defaults of its own kind and of <general>, which goes by all.
    """
    found, own = Law(), layers[-1].tag
    for layer in layers:
        if own in ("general", layer.tag) or layer.tag == "general":
            found.apply(layer)
    return found


@dataclass
class Read:
    """An actuator of the scene and the element that it comes from."""

    actuator: Actuator
    law: Law
    values: Values
    context: Context
    joint: str = ""
    tendon: str = ""
    left_out: bool = False
    """It is not simulated, as was said."""


def read(context: Context, tree: Tree, tendons: Iterable[str], notes: Notes) -> list[Read]:
    """Actuators of one file, as they are in the scene; those that cannot be had are told of."""
    found = []
    known = list(tendons)
    for element in context.source.sections("actuator"):
        if element.tag not in ACTUATORS and element.tag != "plugin":
            raise schema.unknown(element, sorted(ACTUATORS))
        if element.tag not in TAKEN:
            if context.outer is None:
                notes.add(element, f"actuators of this kind are not simulated; {LEFT_OUT}")
                found.append(Read(Actuator(""), Law(), Values(element), context, left_out=True))
            continue
        schema.check(element, notes)
        made = _actuator(element, context, tree, known, notes, len(found))
        if made is not None:
            found.append(made)
    return found


def _actuator(
    element: Element, context: Context, tree: Tree, tendons: list[str], notes: Notes, number: int
) -> Read | None:
    values = context.source.defaults.values(element, "actuator", "main")
    law = laws(values.layers)
    if law.gain_type == "fixed":
        law.gain[1:] = 0.0
    if law.bias_type == "none":
        law.bias[:] = 0.0
    wanted: dict[str, tuple[str, tuple[str, ...]]] = {
        "gaintype": (law.gain_type, ("fixed", "affine")),
        "biastype": (law.bias_type, ("none", "affine")),
        "dyntype": (law.dynamics, ("none", "filter", "filterexact")),
    }
    targets = [
        name
        for name in ("joint", "jointinparent", "tendon", "site", "body", "slidersite", "cranksite")
        if values.has(name)
    ]
    if not targets:
        raise element.error("it moves nothing; give it a joint or a tendon.")
    left_out = Read(Actuator(""), law, values, context, left_out=True)
    if targets[0] not in ("joint", "jointinparent", "tendon"):
        notes.add(element, f"actuators that act at a {targets[0]} are not simulated; {LEFT_OUT}")
        return left_out if context.outer is None else None
    what = "tendon" if targets[0] == "tendon" else "joint"
    references = References(context)
    table = tendons if what == "tendon" else list(tree.joints)
    target = references.find(table, values.word(targets[0]), element, what)
    if not references.apply:
        return None
    for name, (value, allowed) in wanted.items():
        if value not in allowed:
            notes.add(element, f'actuators with {name} "{value}" are not simulated; {LEFT_OUT}')
            return left_out
    if law.dynamics != "none":
        notes.add(element, f'the lag of dyntype "{law.dynamics}" is not simulated: forces follow controls at once.')
    own = element.attributes.get("name", "")
    made = Actuator(context.name(own) if own else f"actuator_{number}_{target}", group=values.whole("group", 0))
    if not context.options.drives(made.group):
        law.gain[:], law.bias[:], law.damping_ratio = 0.0, 0.0, 0.0
    made.gain, made.velocity_gain = float(law.gain[0]), float(law.gain[2])
    b0, b1, b2 = law.bias.tolist()
    made.bias = (b0, b1, b2)
    if not context.options.off("clampctrl"):
        made.control_range = _range(values, context, "ctrllimited", "ctrlrange", law.inherit_range > 0.0)
    made.force_range = _range(values, context, "forcelimited", "forcerange", False)
    if law.gain[1] != 0.0:
        notes.add(element, f"gains that depend on length are not simulated; {LEFT_OUT}")
        return left_out
    if b1 > 0.0 or (b2 > 0.0 and not law.damping_ratio) or made.velocity_gain > 0.0:
        notes.add(element, f"gains that push away from where they should pull to are not simulated; {LEFT_OUT}")
        return left_out
    low, high = made.force_range
    if (b1 or b2 or made.velocity_gain or law.damping_ratio) and low != -high:
        notes.add(element, f"limits of a servo's force are even: forcerange is read as +-{max(-low, high):g}.")
    if what == "tendon":
        return Read(made, law, values, context, tendon=target)
    return Read(made, law, values, context, joint=target)


def _range(values: Values, context: Context, flag: str, bounds: str, inherited: bool) -> tuple[float, float]:
    if inherited and not np.any(values.vector(bounds, 2, (0.0, 0.0))):
        return (-np.inf, np.inf)
    if not values.limited(flag, bounds, context.source.compiler.autolimits):
        return (-np.inf, np.inf)
    low, high = values.vector(bounds, 2).tolist()
    if low > high:
        raise values.error(bounds, "the first must not be above the second")
    return (low, high)


def gears(values: Values) -> np.ndarray:
    """All six gears."""
    return values.vector("gear", 6, (1.0, 0.0, 0.0, 0.0, 0.0, 0.0), least=1)
