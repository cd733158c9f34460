"""All rows of loop joints as one system of equations.

One joint after the other, a chain of them would hardly hold together: each sweep carries a pull one joint farther, and
heavy bodies on light ones take hundreds. Their common matrix J (M + implicit terms)^-1 J^T is as sparse as the joints
are apart, since only joints that share a tree meet in it, so it is factorised as L D L^T within the envelope of its
rows (Jennings, 1966): for a chain the work grows with its length.
"""

from phalanx.components import (
    DofSolve,
    DofTopology,
    Loop,
    LoopCellValue,
    LoopFrame,
    LoopJacobian,
    LoopLine,
    LoopLineSolve,
    LoopLineTopology,
    LoopState,
    LoopTopology,
)
from phalanx.components.loop import DISTANCE_LOOP
from phalanx.ecs import function, read, rows, system, update, write

DEPENDENT = 1e-5
"""A row whose pivot is this share of its own response is held by the rows before it."""

IMMOBILE = 1e-10
"""A row whose squared Jacobian is less is held by the mechanism; what is left is rounding. Levers: 10 micrometres."""

RIGID = 1e-6
"""A distance joint whose bounds are this close, relative to the distance, is a rod."""


@function
def acts(kind, broken, nearest, farthest):
    """Whether the rows of a joint hold in both directions."""
    return broken == 0 and (kind != DISTANCE_LOOP or farthest - nearest <= RIGID * farthest)


@system(phase="rows")
def loop_matrix(
    lanes,
    lines=rows(LoopLine),
    first=read(DofTopology.tree_first),
    end=read(DofTopology.tree_end),
    dof_a=read(LoopTopology.dof_a),
    dof_b=read(LoopTopology.dof_b),
    entry=read(LoopTopology.entry),
    loop=read(LoopLineTopology.loop),
    slot=read(LoopLineTopology.slot),
    first_line=read(LoopLineTopology.first),
    first_cell=read(LoopLineTopology.cell),
    jacobian=read(LoopJacobian.value),
    mobility=read(DofSolve.inverse_pivot),
    weight=read(LoopLineSolve.weight),
    response=write(LoopLineSolve.response),
    value=update(LoopCellValue.value),
):
    """The velocity of each row per unit impulse on itself and on those before it."""
    for g in range(lines):
        i, r = loop[g, 0], slot[g, 0]
        for c in range(first_line[g, 0], g + 1):
            j, s = loop[c, 0], slot[c, 0]
            cell = first_cell[g, 0] + c - first_line[g, 0]
            for e in lanes:
                value[cell, e] = 0.0
            for side in range(4):
                # a tree of the row's joint, and one of the other's
                di = dof_a[i, 0] if side < 2 else dof_b[i, 0]
                dj = dof_a[j, 0] if side % 2 == 0 else dof_b[j, 0]
                ai, aj = dof_a[i, 0], dof_a[j, 0]
                own = di >= 0 and dj >= 0 and first[max(di, 0), 0] == first[max(dj, 0), 0]
                own = own and (side < 2 or ai < 0 or first[max(ai, 0), 0] != first[max(di, 0), 0])
                own = own and (side % 2 == 0 or aj < 0 or first[max(aj, 0), 0] != first[max(dj, 0), 0])
                low = first[di, 0] if own else 0
                high = end[di, 0] if own else 0
                base_i, base_j = entry[i, 0] - low, entry[j, 0] - low
                if side >= 2 and ai >= 0:
                    base_i += end[ai, 0] - first[ai, 0]
                if side % 2 == 1 and aj >= 0:
                    base_j += end[aj, 0] - first[aj, 0]
                for k in range(low, high):
                    for e in lanes:
                        value[cell, e] += jacobian[base_i + k, r, e] * mobility[k, e] * jacobian[base_j + k, s, e]
            if c == g:
                for e in lanes:
                    response[g, e] = value[cell, e] if weight[g, e] > IMMOBILE else 0.0


@system(phase="rows")
def factorize_loops(
    lanes,
    lines=rows(LoopLine),
    loop=read(LoopLineTopology.loop),
    first_line=read(LoopLineTopology.first),
    first_cell=read(LoopLineTopology.cell),
    kind=read(LoopTopology.kind),
    broken=read(LoopState.broken),
    nearest=read(LoopFrame.nearest),
    farthest=read(LoopFrame.farthest),
    response=read(LoopLineSolve.response),
    inverse=write(LoopLineSolve.inverse_pivot),
    value=update(LoopCellValue.value),
):
    """In place, row by row; rows that do not act, cannot answer, or only as others do, are left out."""
    for g in range(lines):
        low, j = first_line[g, 0], loop[g, 0]
        base = first_cell[g, 0] - low
        for c in range(low, g):
            below = first_cell[c, 0] - first_line[c, 0]
            for k in range(max(low, first_line[c, 0]), c):
                for e in lanes:
                    value[base + c, e] -= value[base + k, e] * value[below + k, e]
        for c in range(low, g):
            for e in lanes:
                u = value[base + c, e]
                value[base + c, e] = u * inverse[c, e]
                value[base + g, e] -= u * u * inverse[c, e]
        for e in lanes:
            d = value[base + g, e]
            solid = d > DEPENDENT * response[g, e] and response[g, e] > 0.0
            solid = solid and acts(kind[j, 0], broken[j, e], nearest[j, e], farthest[j, e])
            inverse[g, e] = 1.0 / d if solid else 0.0


@system(over=Loop, phase="solve")
def forget_broken(j, e, broken=read(LoopState.broken), impulse=update(LoopState.impulse)):
    """What is broken transmits nothing."""
    for r in range(6):
        impulse[j, r, e] = impulse[j, r, e] if broken[j, e] == 0 else 0.0
