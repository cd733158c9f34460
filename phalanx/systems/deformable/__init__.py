"""Deformable bodies: vertex block descent in small steps, with contacts, rigid motions and momentum taken care of.

A substep of theirs comes between the forces on rigid bodies and the sweeps of the constraint solver: the momentum that
bodies have (``deform_momentum``), what they may touch (``deform_begin``); then small steps: which particles are near
which, by a grid (``deform_cells``) whose cells are sorted digit by digit (``deform_sort``, ``deform_pairs``), and
which cloth is near cloth and near particles (``deform_near``), where inertia takes nodes (``deform_predict``), what
touches cloth (``deform_touch``), sweeps over the colours of nodes of soft bodies and of cloth (``deform_sweep``,
``deform_cloth``; before each colour ``deform_forces``, for the nodes of that colour where its systems are over
nodes), ropes from end to end (``deform_rope``), velocities of particles (``deform_particles_begin``) and sweeps over
their pairs (``deform_particles``), before each of which impulses of grains grow together (``deform_level``,
``deform_rounds``, ``deform_loads``), links that nodes push (``deform_couple``), the motion of bodies as rigid ones
(``deform_modes``), where particles go (``deform_particles_end``), velocities (``deform_finish``); and the momentum
that bodies must have (``deform_momentum`` again, ``deform_end``).
"""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType

from phalanx.components import Node
from phalanx.ecs import Schedule, System
from phalanx.systems.deformable import (
    attachments,
    cloth,
    cloth_clusters,
    cloth_near,
    cloth_touch,
    coarse_loads,
    collision_points,
    contact_search,
    contacts,
    corotation,
    coupling,
    damping,
    elasticity,
    fluids,
    grains,
    link_drives,
    link_forces,
    link_motion,
    link_reports,
    mesh_search,
    modes,
    momentum,
    particle_cells,
    particle_links,
    particle_near,
    particle_touch,
    particle_touch_momentum,
    particle_touch_near,
    particle_touch_points,
    pressed_particles,
    rope,
    rope_twist,
    sections,
    small_steps,
    sweep,
    ties,
)

SMALL_STEP = (
    *("deform_cells", "deform_sort", "deform_pairs"),
    *("deform_near", "deform_predict", "deform_touch", "deform_sweep", "deform_cloth", "deform_rope"),
    *("deform_particles_begin", "deform_level", "deform_rounds", "deform_loads", "deform_particles"),
    *("deform_couple", "deform_modes", "deform_particles_end", "deform_finish"),
)
"""Phases of a small step; the systems of ``deform_sweep`` and ``deform_cloth`` run for one colour after the other, as
often as asked for; those of ``deform_rope`` as often, for whole ropes, and those of ``deform_particles``, for all
pairs, after those of :data:`LEVEL`; those of ``deform_sort`` once for each digit of the numbers of cells."""

LEVEL = ("deform_level", "deform_rounds", "deform_loads")
"""Phases before a sweep over pairs of particles, where some are grains."""

QUERIES = ("query_contacts", "query_contact_wrenches", "query_joints")
"""Phases of reports that deformable bodies have a part in."""

PHASES = ("deform_momentum", "deform_begin", *SMALL_STEP, "deform_forces", "deform_end")

MODULES: tuple[ModuleType, ...] = (
    elasticity,
    small_steps,
    sweep,
    contact_search,
    mesh_search,
    contacts,
    attachments,
    ties,
    cloth,
    rope,
    rope_twist,
    cloth_near,
    cloth_touch,
    cloth_clusters,
    damping,
    corotation,
    collision_points,
    link_motion,
    link_drives,
    link_forces,
    coupling,
    link_reports,
    modes,
    momentum,
    sections,
    particle_cells,
    particle_near,
    pressed_particles,
    coarse_loads,
    grains,
    fluids,
    particle_links,
    particle_touch_near,
    particle_touch,
    particle_touch_momentum,
    particle_touch_points,
)


def systems() -> list[System]:
    """All of them."""
    return [value for module in MODULES for value in vars(module).values() if isinstance(value, System)]


def sequence(
    schedule: Schedule,
    small_steps: int,
    sweeps: int,
    colours: Sequence[tuple[int, int]],
    cloth_colours: Sequence[tuple[int, int]],
    soft_sweeps: int,
    cloth_sweeps: int,
    rope_nodes: tuple[int, int],
    rope_sweeps: int,
    digits: int,
    rounds: int,
) -> list[System]:
    """The systems of a substep in the order in which they run.

    Args:
        schedule: which has them.
        small_steps: how many a substep has.
        sweeps: in each of them, of particles.
        colours, cloth_colours: first place and number of nodes of each, of soft bodies and of cloth.
        soft_sweeps, cloth_sweeps: sweeps over soft bodies and over cloth in each small step, in turns.
        rope_nodes: first place and number of nodes of ropes.
        rope_sweeps: Newton steps of ropes in each small step.
        digits: of the numbers of cells that particles are sorted by.
        rounds: of the search for factors by which impulses of grains grow; 0: there is none.
    """
    forces = schedule.phase("deform_forces")

    def portions(phase: str, chosen: Sequence[tuple[int, int]]) -> list[list[System]]:
        found = [*forces, *schedule.phase(phase)] if schedule.phase(phase) else []
        return [[_portion(s, first, count) for s in found] for first, count in chosen]

    soft, cloth_ = portions("deform_sweep", colours), portions("deform_cloth", cloth_colours)
    swept: list[System] = []
    for n in range(max(soft_sweeps, cloth_sweeps)):
        for number, there, back in ((soft_sweeps, soft, soft), (cloth_sweeps, cloth_, cloth_[::-1])):
            if n < number:  # of cloth, every other sweep goes back
                swept += [s for portion in (back if n % 2 else there) for s in portion]
    one: list[System] = []
    for phase in SMALL_STEP:
        found = swept if phase == "deform_sweep" else schedule.phase(phase)
        if phase == "deform_cloth":
            continue
        if phase == "deform_rope" and found:
            found = [*[_portion(s, *rope_nodes) for s in forces], *found]
        often = {"deform_rope": rope_sweeps, "deform_sort": digits}
        if phase == "deform_particles":
            one += _sweeps_of_particles(schedule, sweeps, rounds)
        elif phase not in LEVEL:
            one += found * often.get(phase, 1)
    momentum_ = schedule.phase("deform_momentum")
    return [
        *momentum_,
        *schedule.phase("deform_begin"),
        *one * small_steps,
        *momentum_,
        *schedule.phase("deform_end"),
    ]


def _sweeps_of_particles(schedule: Schedule, sweeps: int, rounds: int) -> list[System]:
    """Sweeps over pairs of particles, each after impulses have grown together, and the velocities that follow."""
    found = schedule.phase("deform_particles")
    moves = found[: next((n for n, s in enumerate(found) if s.name == "relax_pairs"), 0)]
    level: list[System] = []
    if rounds:
        level = [*moves, *schedule.phase("deform_level")]  # with velocities that impulses so far make
        level += schedule.phase("deform_rounds") * rounds + schedule.phase("deform_loads")
    return [*level, *found] * sweeps + moves


def _portion(system: System, first: int, count: int) -> System:
    """The part of a system that is for nodes of one colour; all of it where it is over something else."""
    return system.portion(first, count) if system.over is Node else system
