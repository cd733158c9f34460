"""Joints that follow others."""

from phalanx.components import (
    Coordinate,
    DofGain,
    DofJacobian,
    DofRow,
    DofSolve,
    DofState,
    DofTopology,
    MassTopology,
    Mimic,
    MimicConstraint,
    Scratch,
    Settings,
    Sweep,
)
from phalanx.ecs import read, real, rows, spread, system, update
from phalanx.systems.solver.sweeps import CORRECTION, parts_gone, sweep_parts


@system(phase="solve", needs=Mimic)
def warm_start_mimics(
    lanes,
    mimics=rows(Mimic),
    chain=read(DofTopology.chain),
    depth=read(DofTopology.depth),
    column=read(MassTopology.column),
    jacobian=read(DofJacobian.value),
    mobility=read(DofSolve.inverse_pivot),
    follower=read(MimicConstraint.follower),
    leader=read(MimicConstraint.leader),
    multiplier=read(MimicConstraint.multiplier),
    impulse=read(MimicConstraint.impulse),
    u=update(DofGain.velocity),
):
    """Apply the impulses of the substep before."""
    for m in range(mimics):
        for side in range(2):
            d = follower[m, 0] if side == 0 else leader[m, 0]
            for s in spread(depth[d, 0]):
                k = column[chain[d, 0] + s, 0]
                for e in lanes:
                    ratio = 1.0 if side == 0 else -multiplier[m, e]
                    u[k, e] += mobility[k, e] * jacobian[chain[d, 0] + s, e] * ratio * impulse[m, e]


@system(phase="sweep", needs=Mimic)
def sweep_mimics(
    lanes,
    mimics=rows(Mimic),
    chain=read(DofTopology.chain),
    depth=read(DofTopology.depth),
    column=read(MassTopology.column),
    coord=read(DofTopology.coord),
    h=read(Settings.timestep),
    position_sweeps=read(Settings.position_iterations),
    projected=read(Settings.projected),
    index=read(Sweep.index),
    q=read(Coordinate.value),
    response=read(DofRow.response),
    qd=read(DofState.velocity),
    jacobian=read(DofJacobian.value),
    mobility=read(DofSolve.inverse_pivot),
    follower=read(MimicConstraint.follower),
    leader=read(MimicConstraint.leader),
    multiplier=read(MimicConstraint.multiplier),
    offset=read(MimicConstraint.offset),
    impulse=update(MimicConstraint.impulse),
    sum=update(Scratch.sum),
    change=update(Scratch.change),
    u=update(DofGain.velocity),
    displacement=read(DofGain.displacement),
):
    """Hold each follower to its leader."""
    sweep = 0
    for e in lanes:
        sweep = index[0, e]
    correct = CORRECTION if sweep < position_sweeps[0, 0] else 0.0
    parts = sweep_parts(projected[0, 0], position_sweeps[0, 0])
    gone = real(parts_gone(projected[0, 0], position_sweeps[0, 0], sweep)) / real(parts)
    for m in range(mimics):
        i, j = follower[m, 0], leader[m, 0]
        for e in lanes:
            ratio = multiplier[m, e]
            speed = qd[i, e] - ratio * qd[j, e]
            error = q[coord[i, 0], e] - offset[m, e] - ratio * q[coord[j, 0], e]
            sum[0, 0, e] = speed
            sum[0, 1, e] = error + gone * h[0, e] * speed
            sum[0, 2, e] = response[i, e] + ratio * ratio * response[j, e]
        for side in range(2):
            d = i if side == 0 else j
            for s in spread(depth[d, 0]):
                k = column[chain[d, 0] + s, 0]
                up = depth[j, 0] - depth[k, 0]
                shared = side == 0 and up >= 0 and column[chain[j, 0] + max(up, 0), 0] == k
                for e in lanes:
                    own = jacobian[chain[d, 0] + s, e]
                    other = jacobian[chain[j, 0] + up, e] if shared else 0.0
                    ratio = 1.0 if side == 0 else -multiplier[m, e]
                    sum[0, 0, e] += ratio * own * u[k, e]
                    sum[0, 1, e] += ratio * own * displacement[k, e]
                    sum[0, 2, e] -= 2.0 * multiplier[m, e] * mobility[k, e] * own * other
        for e in lanes:
            y = sum[0, 2, e]
            goal = -correct * sum[0, 1, e] / (h[0, e] / real(parts))
            # what sleeps answers to no impulse
            change[0, 0, e] = (goal - sum[0, 0, e]) / y if y > 0.0 else 0.0
            impulse[m, e] += change[0, 0, e]
        for side in range(2):
            d = i if side == 0 else j
            for s in spread(depth[d, 0]):
                k = column[chain[d, 0] + s, 0]
                for e in lanes:
                    ratio = 1.0 if side == 0 else -multiplier[m, e]
                    u[k, e] += mobility[k, e] * jacobian[chain[d, 0] + s, e] * ratio * change[0, 0, e]
