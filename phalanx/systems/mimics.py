"""Joints that follow others."""

from phalanx.components import (
    Coordinate,
    DofResponse,
    DofSolve,
    DofTopology,
    Mimic,
    MimicConstraint,
    Scratch,
    Settings,
    Sweep,
)
from phalanx.ecs import read, real, rows, system, update
from phalanx.systems.sweeps import CORRECTION, sweep_parts


@system(phase="solve", after=("start_sweeps", "warm_start_dofs"), needs=Mimic)
def warm_start_mimics(
    lanes,
    mimics=rows(Mimic),
    first=read(DofTopology.tree_first),
    end=read(DofTopology.tree_end),
    relations=read(DofTopology.relations),
    response=read(DofResponse.velocity),
    follower=read(MimicConstraint.follower),
    leader=read(MimicConstraint.leader),
    multiplier=read(MimicConstraint.multiplier),
    impulse=read(MimicConstraint.impulse),
    v=update(DofSolve.velocity),
):
    """Apply the impulses of the substep before."""
    for m in range(mimics):
        i, j = follower[m, 0], leader[m, 0]
        for k in range(first[i, 0], end[i, 0]):
            for e in lanes:
                both = response[relations[i, 0] + k, e] - multiplier[m, e] * response[relations[j, 0] + k, e]
                v[k, e] += both * impulse[m, e]


@system(phase="sweep", after="sweep_dofs", before="advance", needs=Mimic)
def sweep_mimics(
    lanes,
    mimics=rows(Mimic),
    first=read(DofTopology.tree_first),
    end=read(DofTopology.tree_end),
    relations=read(DofTopology.relations),
    coord=read(DofTopology.coord),
    h=read(Settings.timestep),
    position_sweeps=read(Settings.position_iterations),
    projected=read(Settings.projected),
    index=read(Sweep.index),
    q=read(Coordinate.value),
    response=read(DofResponse.velocity),
    follower=read(MimicConstraint.follower),
    leader=read(MimicConstraint.leader),
    multiplier=read(MimicConstraint.multiplier),
    offset=read(MimicConstraint.offset),
    impulse=update(MimicConstraint.impulse),
    change=update(Scratch.change),
    v=update(DofSolve.velocity),
    displacement=read(DofSolve.displacement),
):
    """Hold each follower to its leader."""
    sweep = 0
    for e in lanes:
        sweep = index[0, e]
    correct = CORRECTION if sweep < position_sweeps[0, 0] else 0.0
    share = 1.0 / real(sweep_parts(projected[0, 0], position_sweeps[0, 0]))
    for m in range(mimics):
        i, j = follower[m, 0], leader[m, 0]
        for e in lanes:
            part = h[0, e] * share
            ratio = multiplier[m, e]
            error = q[coord[i, 0], e] + displacement[i, e] - offset[m, e]
            error = error - ratio * (q[coord[j, 0], e] + displacement[j, e])
            goal = -correct * error / part
            yii, yij, yjj = (
                response[relations[i, 0] + i, e],
                response[relations[i, 0] + j, e],
                response[relations[j, 0] + j, e],
            )
            y = yii - ratio * (yij + yij) + ratio * ratio * yjj
            # what sleeps answers to no impulse
            change[0, 0, e] = (goal - (v[i, e] - ratio * v[j, e])) / y if y > 0.0 else 0.0
            impulse[m, e] += change[0, 0, e]
        for k in range(first[i, 0], end[i, 0]):
            for e in lanes:
                both = response[relations[i, 0] + k, e] - multiplier[m, e] * response[relations[j, 0] + k, e]
                v[k, e] += both * change[0, 0, e]
