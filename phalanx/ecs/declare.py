"""How data and systems are declared: tables, components with fields, and functions over them.

A *table* is a set of entities of one sort (links, dofs, contacts, ...), the same in every environment.
A *component* is a group of fields on a table. A *system* is a function over a table's rows, whose
default arguments say what it reads and writes::

    Wheel = Table("wheel", "driven wheels")

    class Motor(Component, table=Wheel):
        speed = Field(unit="rad/s", doc="current speed", role="state")
        gain = Field(unit="1/s", doc="how fast it slows", shared=True)

    @system(over=Wheel, phase="sense")
    def slow_down(i, e, dt=read(Settings.dt), gain=read(Motor.gain), speed=update(Motor.speed)):
        speed[i, e] -= dt[0, e] * gain[i, e] * speed[i, e]

Every field is indexed ``[row, *item, environment]``. Fields that all environments share have an
environment axis of length 1; the compiler (:mod:`phalanx.ecs.text.codegen`) takes care of that, the source
does not know.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import FunctionType
from typing import Any, ClassVar, Literal, TypeVar, cast

from phalanx.ecs.errors import DeclarationError

Role = Literal["state", "input", "parameter", "derived"]
F = TypeVar("F", bound=Callable[..., Any])
Order = Literal["parallel", "forward", "reverse"]


@dataclass(frozen=True)
class Table:
    """A sort of entity. ``name`` is used in messages, files and dimension names."""

    name: str
    doc: str = ""


class Field:
    """One array of a component.

    Args:
        shape: item shape, e.g. ``3`` or ``(3, 3)``; empty for a number.
        dtype: ``"real"`` (the world's float type) or ``"int32"``.
        unit: SI unit, for documentation and recordings.
        doc: what it means, with its frame.
        role: ``state`` (continues a simulation, saved), ``input`` (set by the user between steps, saved and
            recorded), ``parameter`` (the model, saved) or ``derived`` (recomputed, not saved).
        shared: one value for all environments until an environment is given its own.
        constant: shared for ever (topology). Programs for GPUs are made from its values: only ``set`` may change them.
        initial: value before anything is written.
        private: means something only while a system goes through one environment, as a sum over rows does; on the GPU
            each thread has its own, in registers. Has one row: its first index is a literal 0.

    Raises:
        DeclarationError: private, and yet shared or kept.
    """

    name: str = ""
    component: type[Component]

    def __init__(
        self,
        shape: int | tuple[int, ...] = (),
        *,
        dtype: Literal["real", "int32"] = "real",
        unit: str = "",
        doc: str = "",
        role: Role = "derived",
        shared: bool = False,
        constant: bool = False,
        initial: float = 0,
        private: bool = False,
    ) -> None:
        if private and (shared or constant or role != "derived"):
            raise DeclarationError(
                "a field cannot be private and shared, constant or of a role: nothing of it is left when a system ends"
            )
        self.shape: tuple[int, ...] = (shape,) if isinstance(shape, int) else tuple(shape)
        self.dtype = dtype
        self.unit = unit
        self.doc = doc
        self.role: Role = role
        self.shared = shared or constant
        self.constant = constant
        self.initial = initial
        self.private = private

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @property
    def table(self) -> Table:
        """The table of the component that holds it."""
        return self.component.table

    @property
    def key(self) -> str:
        """``Component.field``: unique, used in files and messages."""
        return f"{self.component.__name__}.{self.name}"

    def __repr__(self) -> str:
        return f"<Field {self.key}>"


class Component:
    """Base of all components; subclass with ``table=`` and declare :class:`Field` members."""

    table: ClassVar[Table]
    registry: ClassVar[dict[str, type[Component]]] = {}

    def __init_subclass__(cls, *, table: Table, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls.table = table
        for declared in vars(cls).values():
            if isinstance(declared, Field):
                declared.component = cls
        known = Component.registry.get(cls.__name__)
        if known is not None and known.__module__ != cls.__module__:
            raise DeclarationError(
                f"component {cls.__name__} is declared in {cls.__module__} and in {known.__module__}: rename one"
            )
        Component.registry[cls.__name__] = cls

    @classmethod
    def fields(cls) -> Iterator[Field]:
        """The declared fields, in order."""
        return (declared for declared in vars(cls).values() if isinstance(declared, Field))


@dataclass(frozen=True)
class Access:
    """What a system's argument is bound to: a field and how it is used, or the number of rows of a table."""

    mode: Literal["read", "write", "update", "rows"]
    target: Any

    @property
    def reads(self) -> bool:
        """Whether the system sees old values."""
        return self.mode in ("read", "update")

    @property
    def writes(self) -> bool:
        """Whether the system leaves new values."""
        return self.mode in ("write", "update")


def read(target: Any) -> Any:
    """The system reads this field."""
    return Access("read", target)


def write(target: Any) -> Any:
    """The system writes every item of this field that it visits, and reads nothing it did not write."""
    return Access("write", target)


def update(target: Any) -> Any:
    """The system reads this field and writes it back."""
    return Access("update", target)


def start() -> Any:
    """Where the rows begin that a portion of a system is called for (:meth:`System.portion`), as an integer argument.

    The row that the function is called for counts from there; 0 of the system as a whole.
    """
    return Access("rows", 0)


def rows(table: Table) -> Any:
    """The number of rows of a table, as an integer argument."""
    return Access("rows", table)


@dataclass(frozen=True, eq=False)
class System:
    """A function over entities with declared access; made by :func:`system`."""

    function: Callable[..., None]
    over: Table | None
    order: Order
    phase: str
    after: tuple[str, ...] = ()
    before: tuple[str, ...] = ()
    only_with: str = ""
    """A system of its phase without which a world does not have it."""
    arguments: dict[str, Access] = field(default_factory=dict)
    leading: tuple[str, ...] = ()
    one_lane: bool = False
    needs: Table | None = None
    teams_of: Table | None = None
    team_size: int = 0
    block_threads: int = 0
    room: tuple[int, int] = (0, 0)
    """Least and most numbers that each team wants of its block's memory; how many there are, ``team_room`` says."""
    apiece: int = 0
    """Rows that a team takes at a time, where teams share out their table's rows; 0: a team for each row."""
    program: Any = None
    """What has been recorded of it (:class:`~.straight_program.Program`), which is what runs."""
    apart: str = ""
    """Systems that have this in common never meet in an item of the fields that they have in common."""
    used: str = ""
    """The argument that says how many of its table's rows are in use, see :func:`system`."""
    registers: int = 0
    """Most registers of a thread on GPUs, 0: as many as its longest way takes, see :func:`system`."""
    in_step: bool = False
    """Lanes go through its loops together, see :func:`system`."""
    sums: bool = False
    """Threads of the GPU share out its first loop, see :func:`system`."""
    whole: System | None = None
    """What it is a portion of."""
    count: int = -1
    """Number of rows of a portion."""

    @property
    def name(self) -> str:
        """The function's name, unique in a schedule."""
        return self.function.__name__

    @property
    def reads(self) -> set[Field]:
        """Fields whose old values it sees."""
        return {a.target for a in self.arguments.values() if a.reads}

    @property
    def writes(self) -> set[Field]:
        """Fields that it leaves new values in."""
        return {a.target for a in self.arguments.values() if a.writes}

    @property
    def field_arguments(self) -> dict[str, Access]:
        """Arguments that are fields, without those that are numbers of rows."""
        return {name: a for name, a in self.arguments.items() if a.mode != "rows"}

    @property
    def is_native(self) -> bool:
        """Whether it is written for a team of GPU threads (:mod:`phalanx.ecs.text.team_language`)."""
        return self.teams_of is not None

    @cached_property
    def spreads(self) -> bool:
        """Whether it has loops that threads of the GPU share."""
        return "spread" in self.function.__code__.co_names

    def portion(self, first: int, count: int) -> System:
        """The same system for ``count`` rows from ``first`` on; what its text has of that is :func:`start`.

        Raises:
            DeclarationError: it has no such argument, or none of its rows may run in parallel.
        """
        names = [name for name, a in self.arguments.items() if a.mode == "rows" and isinstance(a.target, int)]
        if len(names) != 1 or self.over is None or self.order != "parallel":
            raise DeclarationError(
                f"system {self.name}: a portion needs rows that may run in parallel, and an argument that is start()"
            )
        arguments = {**self.arguments, names[0]: Access("rows", int(first))}
        return replace(self, arguments=arguments, whole=self.whole or self, count=int(count))

    def again(self, name: str, phase: str) -> System:
        """The same system in another phase, under a name of its own."""
        return replace(self, function=renamed(self.function, name), phase=phase)

    @cached_property
    def lane_by_lane(self) -> System:
        """The same system for worlds in which neighbouring environments need different loops: ``lanes`` is one."""
        return replace(self, one_lane=True)

    @cached_property
    def in_rows(self) -> System:
        """The same system for GPUs and so few environments that threads of a warp had better share out rows."""
        mine = self.over is not None and self.order == "parallel" and self.teams_of is None and self.program is None
        if not mine or self.in_step or self.sums or self.spreads:
            return self
        return replace(self, in_step=True, whole=self.whole and self.whole.in_rows)

    def __repr__(self) -> str:
        return f"<System {self.name}>"


def renamed(function: Any, name: str, **constants: Any) -> Callable[..., None]:
    """The same function under another name, with other values for constants of its module."""
    names = {**function.__globals__, **constants} if constants else function.__globals__
    made = FunctionType(function.__code__, names, name)
    made.__phalanx_origin__ = function  # type: ignore[attr-defined]
    return made


@dataclass(frozen=True)
class Bound:
    """A compiled system with what it runs on: ``arguments`` holds, in order, device arrays and row counts."""

    system: System
    compiled: Any
    rows: int
    arguments: list[Any]
    shared: frozenset[str]


def system(
    *,
    phase: str,
    over: Table | None = None,
    order: Order = "parallel",
    after: str | tuple[str, ...] = (),
    before: str | tuple[str, ...] = (),
    only_with: str = "",
    needs: Table | None = None,
    used: str = "",
    in_step: bool = False,
    sums: bool = False,
    registers: int = 0,
) -> Callable[[Callable[..., None]], System]:
    """Declare a system.

    With ``over``, the function's first two arguments are the row and the environment, and it is called for
    each; ``order`` says whether rows may run in parallel or go root to tip (``forward``) or tip to root
    (``reverse``). Without ``over``, the first argument is ``lanes``, an iterable of environments that go
    in step, and the function loops over rows itself, with ``for e in lanes`` innermost: on the CPU those are
    neighbouring environments in one SIMD register, on the GPU the one environment of a thread. What lanes have in
    common, such as a number that was stored for all of them, is read at ``lanes[0]``.

    ``phase`` places it in the step; ``after``/``before`` name systems of the same phase that it must follow or
    precede where the data alone does not say so; the engine's own have their places in :mod:`phalanx.systems.step`
    instead. Where the table that it ``needs`` (or is ``over``) has no rows, it is not run. A part of a feature that
    means nothing without another system names that: ``only_with``.

    Of tables of slots that are filled from the front mostly a few are in use. ``used`` names the argument, a field of
    one row that is only read, which says how many: it does not matter whether the function is called for later rows.

    With ``in_step``, loops of the function that have the same turns in all environments, such as one over the elements
    of a node, are vectorised over environments on the CPU (:mod:`phalanx.ecs.text.in_step`), and where there are few
    environments threads of the GPU share out rows. Numbers that are used before and after such a loop are reals.

    ``sums``: the function's first loop does nothing but add to numbers that were 0 before it, and what comes after it
    stores them. Threads of the GPU share out that loop (:mod:`phalanx.ecs.text.row_sums`).

    ``registers`` limits those of a thread on GPUs. It is for systems that have nothing or little to do for most rows
    and much for a few: what the few need would leave room for fewer threads at once, and they wait for memory.
    """

    def declare(function: Callable[..., None]) -> System:
        parameters = list(inspect.signature(function).parameters.values())
        leading = tuple(p.name for p in parameters if p.default is inspect.Parameter.empty)
        expected = 2 if over is not None else 1
        if len(leading) != expected:
            wanted = "(row, environment)" if over is not None else "(lanes)"
            raise DeclarationError(
                f"system {function.__name__}: takes {wanted} and then "
                f"arguments declared by read(), write(), update() or "
                f"rows(); these have no declaration: {', '.join(leading[expected:]) or 'none given'}"
            )
        arguments = {}
        for parameter in parameters[expected:]:
            if not isinstance(parameter.default, Access):
                raise DeclarationError(
                    f"system {function.__name__}: argument {parameter.name} must be "
                    f"declared by read(), write(), update() "
                    f"or rows(), not {parameter.default!r}"
                )
            arguments[parameter.name] = parameter.default
        if used and (over is None or order != "parallel" or used not in arguments or arguments[used].mode != "read"):
            raise DeclarationError(
                f"system {function.__name__}: used= names an argument declared by read(), of a system over a table "
                f"whose rows may run in parallel, not {used!r}"
            )
        if in_step and (over is None or order != "parallel"):
            raise DeclarationError(
                f"system {function.__name__}: in_step= is for systems over a table whose rows may run in parallel"
            )
        if sums and (over is None or order != "parallel" or used):
            raise DeclarationError(
                f"system {function.__name__}: sums= is for systems over a table whose rows may run in parallel, all of "
                "which are in use"
            )
        if registers and (over is None or not 32 <= registers <= 255):
            raise DeclarationError(
                f"system {function.__name__}: registers= is for systems over a table and 32 to 255, not {registers}"
            )
        return System(
            function,
            over,
            order,
            phase,
            (after,) if isinstance(after, str) else after,
            (before,) if isinstance(before, str) else before,
            only_with,
            arguments,
            leading,
            needs=needs,
            used=used,
            registers=registers,
            in_step=in_step,
            sums=sums,
        )

    return declare


def function(helper: F) -> F:
    """Mark a helper that systems may call; it is compiled together with the systems that reach it."""
    helper.__phalanx_function__ = True  # type: ignore[attr-defined]
    return helper


def primitive(helper: F) -> F:
    """Mark a helper that is only declared, with what it means: back ends have one of that name.

    To call it anywhere else is an error, whatever its body says.
    """

    @functools.wraps(helper)
    def declared(*_: Any, **__: Any) -> Any:
        raise NotImplementedError(f"{helper.__name__}() is for kernels; call it in a system")

    declared.__phalanx_primitive__ = True  # type: ignore[attr-defined]
    return function(cast("F", declared))


def spread(*bounds: int) -> range:
    """In a system over ``lanes``: ``range(end)`` or ``range(start, end)`` whose iterations do not depend on each other.

    On the GPU the threads of a team share them (:mod:`phalanx.ecs.text.teams`). Iterations store to different items, or
    add to common ones by ``+=`` or ``-=``; the loop over lanes is inside, as always.
    """
    return range(*bounds)


def real(number: Any) -> Any:
    """In a kernel: convert a number to the world's float type (an integer in float arithmetic would make it
    float64).
    """
    return float(number)


def local(count: int) -> Any:
    """In a kernel: an array of ``count`` numbers of the world's float type that only this item sees; not initialised.

    ``count`` is made of literals and constants of the module. Helpers may be handed such arrays.
    """
    return [0.0] * count


def local_int(count: int) -> Any:
    """In a kernel: an array of ``count`` int32 numbers that only this item sees; not initialised."""
    return [0] * count


def block_memory(count: int) -> Any:
    """``count`` numbers in the fast memory that threads of a block share; each team uses its own part of them.

    ``count`` is made of literals and constants of the module; 0: what the launch gives, see ``team_room``.
    """
    return [0.0] * count
