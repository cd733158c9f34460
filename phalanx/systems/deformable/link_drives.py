"""How the drives and limits of a link's own joint answer while the link presses something, for particles.

Forecasts of links go on with the impulses that the solver found in the last substep. A drive that may reach its effort
limit, and a speed limit, are such impulses, but they change as soon as the link is slowed down: the drive pushes as
hard as its damping says at the new speed, and the speed limit lets go.
"""

import math

from phalanx.components import (
    Coordinate,
    CoupledDofResponse,
    CoupledDofTopology,
    CoupledLink,
    CoupledLinkMotion,
    CoupledLinkTopology,
    DeformableSettings,
    DofGain,
    DofJacobian,
    DofLimit,
    DofModel,
    DofRow,
    DofSolve,
    DofState,
    DofTopology,
    Drive,
    DriveEffort,
    ParticlePart,
    Settings,
)
from phalanx.ecs import local, read, real, system, update, write
from phalanx.systems.solver.dof_solver import softness, solve_dof_row

FAST = 0.999
"""Share of its speed limit from which on a joint is held back by that."""


@system(over=CoupledLink, phase="deform_begin", needs=ParticlePart)
def ease_links(
    n,
    e,
    first=read(CoupledLinkTopology.first_dof),
    end=read(CoupledLinkTopology.end_dof),
    dof=read(CoupledDofTopology.dof),
    row=read(CoupledDofResponse.row),
    h=read(Settings.timestep),
    count=read(DeformableSettings.small_steps),
    fastest_push=read(Settings.max_depenetration_velocity),
    threshold=read(Settings.bounce_threshold),
    coord=read(DofTopology.coord),
    chain=read(DofTopology.chain),
    q=read(Coordinate.value),
    qd=read(DofState.velocity),
    u=read(DofGain.velocity),
    low_limit=read(DofLimit.lower),
    high_limit=read(DofLimit.upper),
    fastest=read(DofLimit.velocity),
    elastic=read(DofLimit.restitution),
    stiffness=read(DofLimit.stiffness),
    damping=read(DofLimit.damping),
    friction=read(DofModel.friction),
    static_friction=read(DofModel.static_friction),
    row_offset=read(DriveEffort.row_offset),
    row_slope=read(DriveEffort.row_slope),
    most_effort=read(Drive.effort_limit),
    active=read(DofRow.active),
    rub=read(DofRow.friction),
    drive=read(DofRow.drive),
    stop=read(DofRow.stop),
    response=read(DofRow.response),
    jacobian=read(DofJacobian.value),
    pivot=read(DofSolve.inverse_pivot),
    mobility=update(CoupledLinkMotion.mobility),
    change=update(CoupledLinkMotion.change),
    unbound=write(CoupledLinkMotion.unbound),
):
    """The forecast with the impulses that the rows of the link's own dof would have without particles, the link's
    mobility with the damping of its drive, and what a speed limit takes, with the sign turned.
    """
    for j in range(6):
        unbound[n, j, e] = 0.0
    d = dof[first[n, e], e]
    if active[d, e] == 0:
        return
    w = qd[d, e]
    moved = local(6)  # velocity of the link per unit impulse on the dof
    for j in range(6):
        moved[j] = 0.0
    for r in range(first[n, e], end[n, e]):
        k = dof[r, e]
        entry = jacobian[chain[d, e] + (r - first[n, e]), e]
        w += entry * u[k, e]
        for j in range(6):
            moved[j] += pivot[k, e] * entry * row[r, j, e]
    own = rub[d, e] + drive[d, e] + stop[d, e]
    y, slope, spring = response[d, e], h[0, e] * row_slope[d, e], h[0, e] * stiffness[d, e]
    give = h[0, e] * (spring + damping[d, e])
    most = h[0, e] * most_effort[d, e]
    soft_drive, soft_both, soft_stop = softness(y, slope, give)
    x = q[coord[d, e], e]
    rubs, drives, stops = solve_dof_row(
        False, w - y * own, y, 1.0 / y, soft_drive, soft_both, soft_stop, h[0, e], 1.0 / h[0, e], 0.0, x, x, qd[d, e],
        low_limit[d, e], high_limit[d, e], spring, give, elastic[d, e], threshold[0, e], fastest[d, e],
        fastest_push[0, e], h[0, e] * row_offset[d, e], slope, most,
        h[0, e] * max(friction[d, e], static_friction[d, e]), h[0, e] * friction[d, e], stop[d, e],
    )  # fmt: skip
    more = rubs + drives + stops - own
    share = 1.0 / real(count[0, e])
    limited = math.fabs(w + y * more) > FAST * fastest[d, e]
    less = slope / (1.0 + y * slope) if math.fabs(drives) < most else 0.0
    k = 0
    for a in range(6):
        change[n, a, e] += more * moved[a]
        unbound[n, a, e] = -share * stops * moved[a] if limited else 0.0
        for b in range(a, 6):
            mobility[n, k, e] -= less * moved[a] * moved[b]
            k += 1
