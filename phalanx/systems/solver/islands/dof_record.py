"""The record of a dof's constraints for :mod:`~.sweeps`: ROW numbers of IslandDofNumbers, stored and loaded only here.

A thread stores and loads four numbers at once. What stands first stays while sweeps go on; the impulses, which change,
are four numbers of their own.
"""

from phalanx.ecs import function
from phalanx.ecs.text.team_language import load_four, store_four

IMPULSES = 20
"""Where the impulses are in the record."""


@function
def store_constraints(
    dense, at, response, inverse, soft_drive, soft_both, soft_stop, position, velocity, lower, upper, spring, give,
    springy, fastest, push, slope, most, hold, moved, tree,
):  # fmt: skip
    """Store what does not change in a substep.

    Args:
        dense, at: :attr:`~phalanx.components.IslandDofNumbers.value`, and where the record begins.
        response, inverse: velocity per impulse, and one over it.
        soft_drive, soft_both, soft_stop: :func:`~phalanx.systems.solver.dof_solver.softness` of drive, both and stop.
        position, velocity: of the dof, before the sweeps.
        lower, upper: the limits of the position.
        spring, give, springy: of limits: stiffness and the sum with damping, both times the time step; restitution.
        fastest: the limit of the velocity.
        push, slope, most: of the drive: impulse at rest, its slope, and the largest.
        hold, moved: the largest impulses of friction at rest and in motion.
        tree: the first dof of its tree.
    """
    store_four(dense, at, response, inverse, soft_drive, soft_both)
    store_four(dense, at + 4, soft_stop, position, velocity, lower)
    store_four(dense, at + 8, upper, spring, give, springy)
    store_four(dense, at + 12, fastest, push, slope, most)
    store_four(dense, at + 16, hold, moved, tree, 0.0)


@function
def load_constraints(dense, at):
    """What :func:`store_constraints` stored, in the order of its arguments."""
    response, inverse, soft_drive, soft_both = load_four(dense, at)
    soft_stop, position, velocity, lower = load_four(dense, at + 4)
    upper, spring, give, springy = load_four(dense, at + 8)
    fastest, push, slope, most = load_four(dense, at + 12)
    hold, moved, tree, _ = load_four(dense, at + 16)
    return (
        response, inverse, soft_drive, soft_both, soft_stop, position, velocity, lower, upper, spring, give, springy,
        fastest, push, slope, most, hold, moved, tree,
    )  # fmt: skip


@function
def store_impulses(dense, at, friction, drive, stop):
    """Store what the dof's friction, drive and stop have given; ``at`` as above."""
    store_four(dense, at + IMPULSES, friction, drive, stop, 0.0)


@function
def load_impulses(dense, at):
    """What :func:`store_impulses` stored."""
    friction, drive, stop, _ = load_four(dense, at + IMPULSES)
    return friction, drive, stop
