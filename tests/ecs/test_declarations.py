"""Components and systems are declared once, and what cannot work is refused with a sentence that says why."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from phalanx import components
from phalanx.ecs import Component, DeclarationError, Field, System, Table, function, read, rows, system, update, write
from phalanx.ecs.cache import modules
from phalanx.ecs.source.functions import source
from phalanx.ecs.text import codegen

Wheel = Table("wheel", "driven wheels")


class Rolling(Component, table=Wheel):
    """How a wheel turns."""

    speed = Field(unit="rad/s", doc="turning speed", role="state", initial=2.5)
    slip = Field((2, 3), doc="slip by direction and tyre")
    gain = Field(unit="1/s", doc="how fast it slows", role="parameter", shared=True)
    gear = Field(dtype="int32", doc="number of the gear", constant=True)


def test_fields_know_where_they_belong() -> None:
    assert [field.name for field in Rolling.fields()] == ["speed", "slip", "gain", "gear"]
    assert Rolling.speed.key == "Rolling.speed" and Rolling.speed.table is Wheel
    assert Rolling.slip.shape == (2, 3) and Rolling.speed.shape == ()
    assert Rolling.gear.shared and Rolling.gain.shared and not Rolling.speed.shared


def test_two_components_of_one_name() -> None:
    with pytest.raises(DeclarationError, match=r"component Rolling is declared in elsewhere and in .*: rename one"):
        type("Rolling", (Component,), {"__module__": "elsewhere"}, table=Wheel)
    assert Component.registry["Rolling"] is Rolling


def test_access_follows_from_the_signature() -> None:
    @system(over=Wheel, phase="sense", after="a", before=("b", "c"))
    def roll(i, e, n=rows(Wheel), gain=read(Rolling.gain), slip=write(Rolling.slip), speed=update(Rolling.speed)):
        speed[i, e] -= gain[i, e]

    assert isinstance(roll, System) and roll.name == "roll"
    assert roll.reads == {Rolling.gain, Rolling.speed}
    assert roll.writes == {Rolling.slip, Rolling.speed}
    assert list(roll.arguments) == ["n", "gain", "slip", "speed"]
    assert list(roll.field_arguments) == ["gain", "slip", "speed"]
    assert (roll.after, roll.before) == (("a",), ("b", "c"))


def test_the_same_system_in_another_phase() -> None:
    """Of one text, with a name, a phase and a source of its own."""

    @system(over=Wheel, phase="sense")
    def roll(i, e, speed=update(Rolling.speed)):
        speed[i, e] *= 2.0

    other = roll.again("turn", "actuate")
    assert (roll.name, roll.phase, other.name, other.phase) == ("roll", "sense", "turn", "actuate")
    assert other.arguments == roll.arguments and other.over is Wheel
    assert source(other.function) == source(roll.function).replace("def roll", "def turn")


def test_arguments_without_declaration() -> None:
    with pytest.raises(DeclarationError, match=r"system roll: takes \(row, environment\).*no declaration: speed"):

        @system(over=Wheel, phase="sense")
        def roll(i, e, speed):
            pass


def test_lanes_systems_take_one_leading_argument() -> None:
    with pytest.raises(DeclarationError, match=r"system roll: takes \(lanes\).*no declaration: e"):

        @system(phase="sense")
        def roll(lanes, e, speed=read(Rolling.speed)):
            pass


def test_missing_leading_arguments() -> None:
    with pytest.raises(DeclarationError, match=r"system roll: takes \(row, environment\).*none given"):

        @system(over=Wheel, phase="sense")
        def roll(i, speed=read(Rolling.speed)):
            pass


def test_default_that_declares_nothing() -> None:
    with pytest.raises(DeclarationError, match=r"system roll: argument gain must be declared by .* not 3.0"):

        @system(over=Wheel, phase="sense")
        def roll(i, e, gain=3.0):
            pass


# What the body of a system may not do. Each is found when the kernel is generated, before anything is compiled.

LIST = [1.0, 2.0]
TEXT = "three"
SIX = np.arange(6)


def plain_helper(x: float) -> float:
    return x


@function
def uses_numpy(x: float) -> float:
    return np.sqrt(x)


def make_systems() -> dict[str, tuple[System, str]]:
    inside = 2.0
    found: dict[str, tuple[System, str]] = {}

    def refused(message: str) -> Callable[[System], System]:
        def register(made: System) -> System:
            found[made.name] = (made, message)
            return made

        return register

    @refused(r"system writes_what_it_reads, line \d+: writes Rolling.speed, which it declares as read")
    @system(over=Wheel, phase="sense")
    def writes_what_it_reads(i, e, speed=read(Rolling.speed)):
        speed[i, e] = 1.0

    @refused(r"system adds_to_what_it_reads, line \d+: writes Rolling.speed, which it declares as read")
    @system(over=Wheel, phase="sense")
    def adds_to_what_it_reads(i, e, speed=read(Rolling.speed)):
        speed[i, e] += 1.0

    @refused(r"system too_few, line \d+: slip \(Rolling.slip\) takes 4 indices \(row, item..., environment\), not 2")
    @system(over=Wheel, phase="sense")
    def too_few(i, e, slip=write(Rolling.slip)):
        slip[i, e] = 1.0

    @refused(r"system too_many, line \d+: speed \(Rolling.speed\) takes 2 indices \(row, environment\), not 3")
    @system(over=Wheel, phase="sense")
    def too_many(i, e, speed=write(Rolling.speed)):
        speed[i, 0, e] = 1.0

    @refused(r"one_index, line \d+: speed \(Rolling.speed\) takes 2 indices \(row, environment\), not 1")
    @system(over=Wheel, phase="sense")
    def one_index(i, e, speed=write(Rolling.speed)):
        speed[i] = 1.0

    @refused(r"uses_a_list: LIST is a list; kernels may use numbers of their module, math, and helpers .* @function")
    @system(over=Wheel, phase="sense")
    def uses_a_list(i, e, speed=write(Rolling.speed)):
        speed[i, e] = LIST[0]

    @refused(r"uses_text: TEXT is a str; kernels may use numbers")
    @system(over=Wheel, phase="sense")
    def uses_text(i, e, speed=write(Rolling.speed)):
        speed[i, e] = 1.0 if TEXT else 0.0

    @refused(r"uses_an_array: SIX is a ndarray; kernels may use numbers")
    @system(over=Wheel, phase="sense")
    def uses_an_array(i, e, speed=write(Rolling.speed)):
        speed[i, e] = SIX[0]

    @refused(r"uses_an_unmarked_helper: plain_helper is a function; .* helpers marked with @function")
    @system(over=Wheel, phase="sense")
    def uses_an_unmarked_helper(i, e, speed=write(Rolling.speed)):
        speed[i, e] = plain_helper(1.0)

    @refused(r"closes_over: inside is not defined; kernels may use numbers of their module")
    @system(over=Wheel, phase="sense")
    def closes_over(i, e, speed=write(Rolling.speed)):
        speed[i, e] = inside

    @refused(r"misspells: spede is not defined")
    @system(over=Wheel, phase="sense")
    def misspells(i, e, speed=write(Rolling.speed)):
        speed[i, e] = spede[i, e]  # noqa: F821  # pyright: ignore[reportUndefinedVariable]

    @refused(r"uses_numpy: only the module math may be used in kernels, not np")
    @system(over=Wheel, phase="sense")
    def reaches_numpy(i, e, speed=update(Rolling.speed)):
        speed[i, e] = uses_numpy(speed[i, e])

    @refused(r"system returns_in_a_loop: return inside a loop is not supported; use a condition")
    @system(over=Wheel, phase="sense")
    def returns_in_a_loop(i, e, speed=update(Rolling.speed)):
        for _ in range(3):
            if speed[i, e] > 1.0:
                return
            speed[i, e] += 1.0

    @refused(r"system returns_from_lanes: return inside a loop is not supported; use a condition")
    @system(phase="sense")
    def returns_from_lanes(lanes, n=rows(Wheel), speed=update(Rolling.speed)):
        if n > 2:
            return
        for e in lanes:
            speed[0, e] = 0.0

    return found


class Bench(Component, table=Wheel):
    """What a system needs while it runs."""

    sums = Field(2, doc="sums", private=True)


def private_systems() -> list[System]:
    """Systems that address another row of a private field than the first."""

    @system(phase="sense")
    def sums_of_rows(lanes, n=rows(Wheel), sums=update(Bench.sums)):
        for i in range(n):
            for e in lanes:
                sums[i, 0, e] = 0.0

    @system(over=Wheel, phase="sense")
    def second_row(i, e, sums=update(Bench.sums), speed=write(Rolling.speed)):
        speed[i, e] = sums[1, 0, e]

    return [sums_of_rows, second_row]


@pytest.mark.parametrize("target", ["cpu", "cuda"])
@pytest.mark.parametrize("made", private_systems(), ids=lambda made: made.name)
def test_private_fields_have_one_row(made: System, target: modules.Target) -> None:
    message = r"line \d+: sums \(Bench.sums\) is private and has one row, so its first index must be 0, not (i|1); give"
    with pytest.raises(DeclarationError, match=f"system {made.name}, {message}"):
        codegen.generate(made, frozenset(), "float32", target)


@pytest.mark.parametrize("more", [{"shared": True}, {"constant": True}, {"role": "state"}])
def test_private_fields_are_not_kept(more: dict[str, Any]) -> None:
    with pytest.raises(DeclarationError, match="cannot be private and shared, constant or of a role"):
        Field(private=True, **more)


REFUSED = make_systems()


@pytest.mark.parametrize("name", REFUSED)
def test_body_is_refused(name: str) -> None:
    made, message = REFUSED[name]
    with pytest.raises(DeclarationError) as raised:
        codegen.generate(made, frozenset(), "float32", "cpu")
    assert re.search(message, str(raised.value))


def test_source_must_be_in_a_file() -> None:
    namespace: dict[str, Any] = {"system": system, "Wheel": Wheel, "write": write, "Rolling": Rolling}
    exec(
        "@system(over=Wheel, phase='sense')\ndef typed(i, e, speed=write(Rolling.speed)):\n    speed[i, e] = 1.0",
        namespace,
    )
    with pytest.raises(DeclarationError, match=r"typed: its source cannot be read; .* must live in a file"):
        codegen.generate(namespace["typed"], frozenset(), "float32", "cpu")


# The engine's own declarations.

PHYSICAL = re.compile(
    r"\b(position|velocity|acceleration|force|torque|effort|impulse|momentum|mass|inertia|distance|radius|origin|depth|"
    r"stiffness|damping|armature|speed|length)\b"
)
WITHOUT_UNIT = {
    "LinkPose.orientation",
    "BodyFrame.orientation",
    "JointFrame.orientation",
    "PointTopology.rim",
    "Settings.velocity_iterations",
    "ContactPoint.key",
    "DofLimit.restitution",
    "ContactResponse.velocity",
    "SpinResponse.velocity",
    "LoopResponse.velocity",
    "LoopLimitModel.restitution",
    "LoopLimitRow.direction",
    "LoopLimitResponse.jacobian",
    "LoopLimitResponse.velocity",
    "LoopLimitShare.value",
    "DofMotion.axis",
    "IslandLinkNumbers.value",
    "CoupledDofResponse.row",
    "ParticleMaterial.turns",
    "ParticleMaterial.rolling_friction",
}
"""Their docs name a physical quantity, but they are pure numbers, or their unit differs from dof to dof."""

EXPORTED = {n: c for n, c in vars(components).items() if isinstance(c, type) and issubclass(c, Component)}
ENGINE = [field for component in EXPORTED.values() for field in component.fields()]


def test_every_component_is_exported_and_documented() -> None:
    declared = {name for name, c in Component.registry.items() if c.__module__.startswith("phalanx.components.")}
    assert declared <= set(EXPORTED) and len(declared) > 100
    for name in declared:
        doc = Component.registry[name].__doc__
        assert doc and doc.strip().endswith("."), f"component {name} needs a sentence that says what it is"
    tables = {field.table for field in ENGINE}
    assert all(table.doc for table in tables), "every table says what its rows are"
    assert len({table.name for table in tables}) == len(tables)


@pytest.mark.parametrize("field", ENGINE, ids=lambda field: field.key)
def test_every_field_is_documented(field: Field) -> None:
    assert field.doc, f"{field.key} needs doc="
    if field.dtype == "int32":
        assert not field.unit, f"{field.key} counts or names something; it has no unit"
    elif PHYSICAL.search(f"{field.name} {field.doc}".replace("_", " ")) and field.key not in WITHOUT_UNIT:
        assert field.unit, f"{field.key} ({field.doc}) is a physical quantity: give unit="
    assert field.role in ("state", "input", "parameter", "derived")
    if field.constant:
        assert field.role == "derived", f"{field.key}: topology is derived from the model"
    assert math.isfinite(field.initial) or math.isinf(field.initial)
