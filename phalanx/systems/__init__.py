"""Every system: what happens in a step, one concept a file. The order of the step: :mod:`phalanx.systems.step`.

A substep is: actuate, dynamics, factorize, collide, rows, solve, deform (all that deformable bodies do, see
:mod:`phalanx.systems.deformable`), load (who carries what), sweep (as often as the solver
iterates) around bounce, recouple (from the solver's velocities to those of dofs), integrate. Kinematics follow, so that
after a step every pose agrees with the coordinates, and free robots get back the momentum that the change of pose took;
then user systems that sense.
"""

from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from types import ModuleType

from phalanx.components.shape import PLANE
from phalanx.ecs import System
from phalanx.systems import fluid
from phalanx.systems.collision import (
    broad_phase,
    contacts,
    mesh_contact,
    narrow,
    near_miss_teams,
    near_misses,
    near_pair_teams,
    nearest,
    sdf_contact,
    sweep_and_prune,
    turning,
)
from phalanx.systems.collision import planes as planes_
from phalanx.systems.collision import seams as seams_
from phalanx.systems.collision.sdf_contact import on_planes
from phalanx.systems.deformable import cloth_teams
from phalanx.systems.dynamics import (
    actuation,
    factorization,
    free_spin,
    inertia,
    integration,
    kinematic_targets,
    kinematics,
    midpoint,
    momentum,
    motion_clamping,
    pivot_energy,
    pivots,
    springs,
)
from phalanx.systems.dynamics import forces as dynamics
from phalanx.systems.reports import contact_forces, reactions
from phalanx.systems.sleep import decide as sleep
from phalanx.systems.sleep import sleepers
from phalanx.systems.solver import (
    bouncing,
    contact_rows,
    contact_solver,
    dof_rows,
    dof_solver,
    even_loads,
    grips,
    loads,
    mimics,
    soft_contacts,
    squeezes,
    sweeps,
    torsion,
)
from phalanx.systems.solver import tendons as tendons_
from phalanx.systems.solver.islands import stand_ins as island_solver
from phalanx.systems.solver.loops import limit_rows as loop_limit_rows
from phalanx.systems.solver.loops import limits as loop_limits
from phalanx.systems.solver.loops import matrix as loop_matrix
from phalanx.systems.solver.loops import rows as loop_rows
from phalanx.systems.solver.loops import solver as loop_solver
from phalanx.systems.solver.loops import stiffness as loop_stiffness
from phalanx.systems.step import ORDER, QUERIES, REFRESH, STEP, SUBSTEP

__all__ = [
    "FEATURES",
    "LOOP_LIMITS",
    "ORDER",
    "QUERIES",
    "REFRESH",
    "STEP",
    "SUBSTEP",
    "SUBSTITUTES",
    "deformable",
    "feature_systems",
    "systems",
]

SUBSTITUTES = (
    near_pair_teams.EXCHANGE,
    *mesh_contact.EXCHANGES,
    near_miss_teams.EXCHANGE,
    seams_.EXCHANGE,
    island_solver.SUBSTITUTE,
    cloth_teams.PORTIONS,
    cloth_teams.SMALL_STEPS,
)
"""What stands in for systems on GPUs."""


def _all(*modules: ModuleType) -> list[System]:
    return [value for module in modules for value in vars(module).values() if isinstance(value, System)]


ALWAYS = (
    kinematic_targets,
    actuation,
    dynamics,
    inertia,
    factorization,
    midpoint,
    dof_rows,
    dof_solver,
    mimics,
    sweeps,
    integration,
    momentum,
    kinematics,
)
REACTIONS = (reactions.link_accelerations, reactions.body_needs, reactions.joint_wrenches)
LOOPS = (loop_stiffness, loop_rows, loop_matrix, loop_solver)
LOOP_LIMITS = (loop_limit_rows, loop_limits)
ROWS_OF_CONTACTS = (contact_rows, bouncing, contact_solver)
FEATURES = {
    "moving_surfaces": (contacts.surface_drifts,),
    "turning_supports": (contacts.surface_drifts, turning.arc_drifts),
    "torsion": _all(torsion),
    "sleep": _all(sleep, sleepers),
    "mesh_corners": _all(on_planes),
    "fluid": _all(fluid),
    "soft_contacts": (soft_contacts.soften_contacts,),
    "squeezes": _all(squeezes),
}
"""What is added to a world when something needs it."""


def systems(
    planes: bool = True,
    pairs: set[tuple[int, int]] | None = None,
    together: bool = True,
    listed: bool | None = None,
    optional: bool = True,
    joints: bool = False,
    loops: bool = True,
    tendons: bool = True,
    spring: bool = True,
    limits: bool = True,
    spherical: bool = True,
    seams: bool = True,
    single: bool = True,
    walls: bool = True,
    free: bool = True,
    keep_nearest: bool = False,
) -> list[System]:
    """The engine's systems, as few as a world can do with; all of them by default.

    Args:
        planes: shapes can meet planes.
        pairs: kinds of shapes that can meet each other; ``None``: all kinds.
        together: all environments' contacts move the same one tree, so neighbours go in step.
        listed: allowed pairs are listed, not found by sorting bounds; ``None``: the systems of both ways.
        optional: those of ``FEATURES`` as well.
        joints: bodies are joined to others, by robots' joints or loop joints.
        loops: joints close loops.
        tendons: robots have tendons.
        spring: joints have springs.
        limits: joints that close loops have limits of angles.
        spherical: robots have spherical joints.
        seams: bodies have several shapes.
        single: bodies fly alone.
        walls: bodies or links may meet shapes that contacts do not move, other than planes.
        free: roots of some bodies or robots are free.
        keep_nearest: where slots are too few, the nearest pairs and contacts are kept.
    """
    loose, may_hold = not joints and pairs != set(), single and (joints or pairs is None)
    found = [s for s in _all(*ALWAYS) if free or spherical or s not in _all(midpoint)]
    found += REACTIONS
    if spherical:
        found.remove(inertia.mass_matrix)
        found += [_in_phase(inertia.mass_matrix, "kinematics"), *_all(pivots), *_all(pivot_energy)]
    found += _all(free_spin) if single else []
    if spring:
        found += _all(springs)
    if pairs is None:
        pairs = {(a, b) for b in range(PLANE) for a in range(b + 1)}
    meet = len(pairs) > 0
    joined = (*LOOPS, *LOOP_LIMITS) if limits else LOOPS
    found += _all(tendons_) if tendons else []
    found += _all(*joined) if loops else []
    if planes or meet:
        rows = _all(*ROWS_OF_CONTACTS)
        found += rows if together else [s.lane_by_lane for s in rows]
        found += [
            reactions.contact_reactions,
            contacts.remember_contacts,
            contacts.start_contacts,
            contacts.contact_surfaces,
            even_loads.share_loads,
            *(_all(grips) if may_hold else ()),
            *_all(contact_forces, planes_),
        ]
    found += [s if together else s.lane_by_lane for s in _all(loads)] if loose else []
    if meet:
        by_list = (broad_phase.near_pairs, broad_phase.list_candidates)
        found += [s for s in _all(broad_phase) if listed is not False or s not in by_list]
        found += [] if listed else _all(sweep_and_prune)
        found += [*narrow.systems_for(pairs), *mesh_contact.systems_for(pairs), *sdf_contact.systems_for(pairs)]
        found += [near_misses.drop_near_misses]
        found += _all(seams_) if seams else []
        found += [contacts.place_pair_contacts, contacts.pair_contacts]
        found += _all(motion_clamping) if walls else []
        found += [nearest.keep_nearest_candidates] if keep_nearest else []
    if keep_nearest and (planes or meet):
        found.append(nearest.keep_nearest_contacts)
    names = {s.name for s in found}
    added = {s.name: s for name in FEATURES if optional for s in feature_systems(name, together, names)}
    return [*found, *added.values()]


def feature_systems(feature: str, together: bool, known: Iterable[str]) -> list[System]:
    """The systems of a feature, less those that are only for worlds with one which is not among the known names.

    Args:
        feature: a key of ``FEATURES``.
        together: as for :func:`systems`.
        known: names of the systems that the world has.
    """
    known = set(known)
    found, left = list(FEATURES[feature]), -1
    while left != len(found):
        left = len(found)
        names = {*known, *(s.name for s in found)}
        found = [s for s in found if not s.only_with or s.only_with in names]
    return [s if together or s.over is not None else s.lane_by_lane for s in found]


@cache
def _in_phase(system: System, phase: str) -> System:
    """The same system in another phase."""
    return replace(system, phase=phase)
