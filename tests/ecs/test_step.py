"""The declared order of a step has every system, holds in worlds of all sorts, and lets nothing read too early."""

from __future__ import annotations

import importlib
import pkgutil
import random

import numpy as np

import phalanx as px
import phalanx.systems
from phalanx.bench.robots.simple import chain
from phalanx.components.shape import PLANE, ShapeTopology
from phalanx.ecs import Field, Schedule, System
from phalanx.models.robot_model import Body, RobotModel, Shape
from phalanx.systems import ORDER, QUERIES, STEP, deformable, systems

STAND_INS = (
    ".cloth_teams",
    "near_pair_teams",
    "near_miss_teams",
    "convex_height_field_teams",
    "convex_mesh_teams",
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


OLD = {
    "actuate": "notice_changes",
    "collide": "remember_spins remember_contacts",
    "deform_begin": "remember_node_contacts forecast_dofs forecast_links hold_links",
    "deform_sort": "count_digits sort_keys",
    "deform_rope": "turn_rope bend_rope row_of_rope",
    "deform_particles_begin": "find_press_rates",
    "deform_particles": "push_fluid move_particles rest_on_touched",
    "deform_couple": "push_of_particles sum_link_forces",
    "deform_modes": "tie_forces_on_bodies pull_of_ties_on_bodies sum_groups touched_forces_on_bodies "
    "add_impulses add_attachment_impulses add_tie_impulses",
    "deform_finish": "bound_cloth",
    "deform_end": "restore_momentum_of_deformables",
    "load": "look_for_loads",
    "sweep": "sweep_dofs sweep_mimics sweep_tendons sweep_loops sweep_ropes sweep_loop_limits sweep_normals",
    "bounce": "find_bounces",
    "integrate": "keep_limits carry_energy check_finite keep_spin_energy",
}
"""Of each phase, systems that are meant to read a field before any system of the phase has written it anew: what was
there a substep or a turn ago, or what is changed behind them."""


def test_systems_follow_what_they_read() -> None:
    found = {}
    for phase, order in ORDER.items():
        written: set[Field] = set()
        for place, made in enumerate(order):
            later = {field for other in order[place + 1 :] for field in other.writes}
            if (made.reads - made.writes - written) & later:
                found.setdefault(phase, []).append(made.name)
            written |= made.writes
    assert {phase: " ".join(names) for phase, names in found.items()} == OLD


def check(schedule: Schedule) -> None:
    """Systems are in the declared order."""
    for phase in schedule.phases:
        order = [s.name for s in schedule.phase(phase)]
        assert order == [name for name in declared().get(phase, []) if name in order]


def test_worlds_keep_the_order() -> None:
    rng = random.Random(3)
    kinds = [(a, b) for b in range(PLANE) for a in range(b + 1)]
    for _ in range(5):
        names = ("planes", "together", "joints", "loops", "tendons", "spring", "limits", "spherical", "seams", "free")
        flags = {name: rng.random() < 0.5 for name in (*names, "listed", "optional", "keep_nearest")}
        made = [*systems(pairs=set(rng.sample(kinds, 6)), **flags), *deformable.systems()]
        rng.shuffle(made)
        check(Schedule((*STEP, *deformable.PHASES, *QUERIES), made, order=ORDER))


def test_worlds_go_without_what_cannot_act_in_them() -> None:
    """The mean of free turns is for free roots."""
    names = {}
    for free in (False, True):
        world = px.World(1, device="cpu")
        world.add_robot(chain(2), "arm", fixed_base=True)
        if free:
            world.add_rigid_object(Shape("box", (0.1, 0.1, 0.1)), "box", position=(1.0, 0.0, 0.5))
        names[free] = {system.name for system in world.build().schedule.systems()}
    assert {"mean_turn", "turn_evenly"} <= names[True]
    assert not {"mean_turn", "turn_evenly"} & names[False]
    assert names[False] < names[True]


def test_shapes_know_whether_their_links_carry_others() -> None:
    """Contacts of loose bodies of one shape each are not compared with those of neighbours."""
    world = px.World(1, device="cpu")
    box = Shape("box", (0.1, 0.1, 0.1))
    both = [box, Shape("box", (0.1, 0.1, 0.1), position=(0.2, 0.0, 0.0))]
    world.add_ground()
    world.add_rigid_object(box, "before", position=(-1.0, 0.0, 0.5))
    model = RobotModel("pair", [Body("pair", 1.0, inertia=np.eye(3), collisions=both)], [])
    world.add_robot(model, "pair", position=(0.0, 0.0, 0.5))
    world.add_rigid_object(box, "behind", position=(1.0, 0.0, 0.5))
    store = world.build().engine.store
    link, sole = (store.view(field)[:, 0].tolist() for field in (ShapeTopology.link, ShapeTopology.sole))
    assert sorted(zip(link, sole, strict=True)) == [(-1, 0), (0, 1), (1, 0), (1, 0), (2, 1)]
