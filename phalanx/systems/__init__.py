"""Every system: what happens in a step, one concept a file, and the order of the step.

A substep is: actuate, dynamics, factorize, collide, rows, solve, sweep (as often as the solver iterates), integrate.
Kinematics follow, so that after a step every pose agrees with the coordinates, and free robots get back the momentum
that the change of pose took; then user systems that sense.
"""

from phalanx.ecs import System
from phalanx.systems import (
    actuation,
    collision,
    contact_rows,
    contact_solver,
    dof_rows,
    dof_solver,
    dynamics,
    factorization,
    inertia,
    integration,
    kinematics,
    mimics,
    momentum,
    sweeps,
)

SUBSTEP = (
    "actuate",
    "dynamics",
    "factorize",
    "collide",
    "rows",
    "solve",
    "sweep",
    "integrate",
    "kinematics",
    "conserve",
    "velocities",
)
"""Phases repeated in every substep."""

REPEATED = "sweep"
"""The phase that runs position_iterations + velocity_iterations times in each substep."""

REFRESH = ("kinematics", "velocities")
"""Phases that make everything derived agree with coordinates and velocities that the host has written."""

STEP = (*SUBSTEP, "sense")
"""All phases of a step; ``sense`` runs once, after the last substep."""

QUERIES = ("query_bodies", "query_gravity")
"""Run only when somebody asks."""


MODULES = (
    actuation,
    dynamics,
    inertia,
    factorization,
    collision,
    dof_rows,
    contact_rows,
    sweeps,
    dof_solver,
    mimics,
    contact_solver,
    integration,
    momentum,
    kinematics,
)

OF_CONTACTS = (contact_rows, contact_solver, collision)


def systems(contacts: bool) -> list[System]:
    """The engine's systems; those of contacts only where something can touch."""
    modules = [m for m in MODULES if contacts or m not in OF_CONTACTS]
    return [value for module in modules for value in vars(module).values() if isinstance(value, System)]
