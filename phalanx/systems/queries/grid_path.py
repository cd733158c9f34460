"""The way of a point or a box over the cells of a height field, column by column along its longer side."""

import math

from phalanx.ecs import function, real
from phalanx.systems.collision.mesh_contact.grid import cell_of
from phalanx.systems.collision.narrow.support import precision


@function
def column_path(column, spacing, samples, width, o, d, low, high):
    """Interval within low..high in which o + t d is in a column of cells, or less than ``width`` beside it."""
    slack = width + 8.0 * precision() * spacing * real(samples)
    left = 0.5 * real(2 * column - samples + 1) * spacing - slack - o
    right = left + spacing + 2.0 * slack
    if math.fabs(d) > precision() * precision():
        a = left / d
        b = right / d
        low = max(low, min(a, b))
        high = min(high, max(a, b))
    return low, high


@function
def cell_range(spacing, samples, width, o, d, low, high):
    """First and last cell along an axis that the interval low..high of o + t d, ``width`` to either side, meets."""
    slack = width + 8.0 * precision() * spacing * real(samples)
    a = o + low * d
    b = o + high * d
    return cell_of(min(a, b) - slack, spacing, samples), cell_of(max(a, b) + slack, spacing, samples)
