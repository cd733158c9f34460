"""The declared order of a step holds in worlds of all sorts, and has every system."""

from __future__ import annotations

import importlib
import pkgutil
import random
from itertools import combinations

import phalanx.systems
from phalanx.components.shape import PLANE
from phalanx.ecs import Schedule, System
from phalanx.systems import ORDER, QUERIES, STEP, deformable, systems

STAND_INS = (
    "near_pair_teams",
    "near_miss_teams",
    "convex_height_field_teams",
    "islands.lists",
    "islands.rows",
    "islands.sweeps",
)
"""Modules of what stands in for systems on GPUs; not so ``islands.tied_bodies``."""

APART = (
    "phalanx.systems.queries",
    "phalanx.systems.reports.sampling",
    "phalanx.systems.reports.contact_sampling",
    "phalanx.systems.reports.contact_views",
)
"""What runs outside of steps, on tables of its own."""


def declared() -> dict[str, list[str]]:
    return {phase: [system.name for system in order] for phase, order in ORDER.items()}


def test_every_system_has_its_place() -> None:
    placed = {(phase, name) for phase, names in declared().items() for name in names}
    for found in pkgutil.walk_packages(phalanx.systems.__path__, "phalanx.systems."):
        if found.name.startswith(APART) or found.name.endswith(STAND_INS):
            continue
        for value in vars(importlib.import_module(found.name)).values():
            if isinstance(value, System) and not value.function.__module__.endswith(STAND_INS):
                assert (value.phase, value.name) in placed, f"{value.name} has no place in phalanx/systems/step.py"
    assert all(len(names) == len(set(names)) for names in declared().values())


def check(schedule: Schedule) -> None:
    """Systems that share a field which one of them writes are in the declared order."""
    for phase in schedule.phases:
        order = schedule.phase(phase)
        places = declared().get(phase, [])
        for first, second in combinations(order, 2):
            assert {first.name, second.name} <= set(places), (phase, first.name, second.name)
            if first.writes & (second.reads | second.writes) or second.writes & first.reads:
                assert places.index(first.name) < places.index(second.name), (phase, first.name, second.name)


def test_worlds_keep_the_order() -> None:
    rng = random.Random(3)
    kinds = [(a, b) for b in range(PLANE) for a in range(b + 1)]
    check(Schedule((*STEP, *QUERIES), systems(listed=False, keep_nearest=True)))
    check(Schedule((*STEP, *QUERIES), systems(listed=True)))
    for _ in range(3):
        names = ("planes", "together", "joints", "loops", "tendons", "spring", "limits", "spherical", "seams")
        flags = {name: rng.random() < 0.5 for name in names}
        check(
            Schedule((*STEP, *QUERIES), systems(pairs=set(rng.sample(kinds, 6)), listed=False, optional=False, **flags))
        )


def test_deformable_bodies_keep_the_order() -> None:
    check(Schedule(deformable.PHASES, deformable.systems()))
