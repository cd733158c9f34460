"""Systems that are written for a team of GPU threads, where what :mod:`~.teams` makes of a loop is too slow.

Every thread of a team runs the whole text and stores what it likes; a team has one row of a table in one environment.
A team is a part of a warp, or a whole block, which :func:`block_wait` is for; smaller teams within that have the rest.
Fields are indexed as in other systems, and may be handed whole to :func:`load_four` and its like. Such a system stands
in for others (:mod:`phalanx.ecs.sequences.stand_ins`), since CPUs cannot run it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from phalanx.ecs.declare import System, Table, primitive, renamed, system
from phalanx.ecs.errors import DeclarationError

THREADS = 128
"""Threads of a block, but for those of some variants."""


def team_system(
    *,
    phase: str,
    each: Table,
    size: int,
    threads: int = THREADS,
    room: tuple[int, int] = (0, 0),
    apiece: int = 0,
) -> Callable[[Callable[..., None]], System]:
    """Declare a system that ``size`` GPU threads run for each row of a table, :func:`team_row`, in each environment.

    Arguments are declared as for :func:`~.declare.system`; the first is ``lanes``, the body one loop over them. Blocks
    have ``threads`` threads. ``room``: least and most numbers of a block's memory that a team can use, where how many
    there are is for the launch to say (``block_memory(0)``, :func:`team_room`). With ``apiece`` an environment has
    fewer teams than the table has rows, :func:`team_count`: each takes so many at a time, and then those of its next
    turn.
    """

    def declare(written: Callable[..., None]) -> System:
        made = system(phase=phase)(written)
        return replace(made, teams_of=each, team_size=size, block_threads=threads, room=room, apiece=apiece)

    return declare


def variant(
    declared: System,
    name: str,
    size: int,
    threads: int = THREADS,
    room: tuple[int, int] = (0, 0),
    **constants: int,
) -> System:
    """The same system for teams and blocks of other sizes, with other values for constants of its module."""
    old = declared.function
    if unknown := sorted(set(constants).difference(old.__globals__)):
        raise DeclarationError(f"{name}: {declared.name} has no constants {', '.join(unknown)}")
    made = renamed(old, name, **constants)
    return replace(declared, function=made, team_size=size, block_threads=threads, room=room)


@primitive
def team_row() -> Any:
    """The row that the team is for; with ``apiece`` the team's number in its environment."""


@primitive
def team_count() -> Any:
    """How many teams an environment has."""


@primitive
def team_rank(size) -> Any:
    """The thread's number in its team of so many threads."""


@primitive
def team_slot(size) -> Any:
    """The team's number in its block."""


@primitive
def team_wait(size) -> Any:
    """Until all threads of the team have come here, and see what each has stored."""


@primitive
def block_wait() -> Any:
    """Until all threads of the block have come here, and see what each has stored; for teams that are a whole block."""


@primitive
def team_sum(size, x) -> Any:
    """The sum of every thread's x, the same bits for all."""


@primitive
def part_sum(size, part, x) -> Any:
    """The sum of x over a part of the team, ``part`` neighbours; the same bits for all of them. All of the team ask."""


@primitive
def team_eight_sums(size, a, b, c, d, e, f, g, h) -> Any:
    """The sums of eight numbers of every thread: the first for threads 0, 8, ... of the team, and so on."""


@primitive
def team_ballot(size, condition) -> Any:
    """A number with a bit for each thread of the team: whether the condition holds there; the same for all."""


@primitive
def team_from(size, x, rank) -> Any:
    """The x of the team's thread with that number."""


@primitive
def count_bits(x) -> Any:
    """How many bits of a number of 32 are set."""


@primitive
def lowest_bit(x) -> Any:
    """The place of the lowest bit that is set, from 0."""


@primitive
def as_real(x) -> Any:
    """A number of 32 bits in the place of a float32, as it is; :func:`as_bits` takes it out again."""


@primitive
def as_bits(x) -> Any:
    """See :func:`as_real`."""


@primitive
def load_four(field, index) -> Any:
    """Four numbers of a float32 field's memory, from ``index`` on, a multiple of 4."""


@primitive
def store_four(field, index, a, b, c, d) -> Any:
    """Store four numbers to a float32 field's memory."""


@primitive
def store_one(field, index, x) -> Any:
    """Store a number to a float32 field's memory."""


@primitive
def team_room(size) -> Any:
    """How many numbers of the memory that the launch gives its block a team has, a multiple of 4."""


@primitive
def keep_four(memory, index, a, b, c, d) -> Any:
    """Store four numbers to a block's memory, from ``index`` on, a multiple of 4."""


@primitive
def load_kept_four(wanted, kept, memory, place, field, index) -> Any:
    """Four numbers of a block's memory, from ``place`` on, or, where ``kept`` is 0, of a field's, from ``index`` on.

    Zeros where ``wanted`` is 0. What threads of a team keep, only they themselves find without :func:`team_wait`.
    """
