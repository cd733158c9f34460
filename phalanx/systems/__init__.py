"""Every system: what happens in a step, one concept a file, and the order of the step.

A substep is: actuate, dynamics, factorize, collide, rows, solve, integrate. Kinematics follow, so that after a step
every pose agrees with the coordinates, and free robots get back the momentum that the change of pose took; then user
systems that sense.
"""

from phalanx.ecs import System
from phalanx.systems import (
    actuation,
    collision,
    dynamics,
    factorization,
    inertia,
    integration,
    kinematics,
    rows,
    solver,
)

SUBSTEP = (
    "actuate",
    "dynamics",
    "factorize",
    "collide",
    "rows",
    "solve",
    "integrate",
    "kinematics",
    "conserve",
    "velocities",
)
"""Phases repeated in every substep."""

REFRESH = ("kinematics", "velocities")
"""Phases that make everything derived agree with coordinates and velocities that the host has written."""

STEP = (*SUBSTEP, "sense")
"""All phases of a step; ``sense`` runs once, after the last substep."""

QUERIES = ("query_bodies", "query_gravity")
"""Run only when somebody asks."""


def systems(contacts: bool) -> list[System]:
    """The engine's systems; those of contacts only where something can touch."""
    found = []
    for module in (actuation, dynamics, inertia, factorization, collision, rows, solver, integration, kinematics):
        found += [value for value in vars(module).values() if isinstance(value, System)]
    if contacts:
        return found
    without = ("contact_jacobians", "contact_responses", "contact_forces")
    return [s for s in found if s.phase != "collide" and s.name not in without]
