"""Small steps: where inertia takes nodes, and the velocities that follow from where they have gone.

A substep is cut into small steps with a few sweeps each, rather than having more sweeps: errors of implicit Euler and
of unfinished sweeps both shrink (Macklin et al., Small steps in physics simulation, 2019). Compared in
docs/decisions/0039-soft-bodies.md.
"""

from phalanx.components import (
    ClothDrift,
    ClothElasticity,
    ClothNodeContact,
    DeformableDynamics,
    DeformableModes,
    DeformableMotion,
    DeformableSettings,
    DeformableTopology,
    Node,
    NodeState,
    NodeStep,
    NodeTarget,
    NodeTopology,
    Settings,
    Status,
    World,
)
from phalanx.ecs import read, real, system, update, write


@system(over=Node, phase="deform_predict")
def predict_nodes(
    v,
    e,
    body=read(NodeTopology.body),
    h=read(Settings.timestep),
    count=read(DeformableSettings.small_steps),
    total=read(DeformableSettings.total),
    done=read(DeformableSettings.done),
    gravity=read(Settings.gravity),
    scale=read(DeformableDynamics.gravity_scale),
    diverged=read(Status.diverged),
    origin=read(DeformableMotion.origin),
    carried=read(ClothElasticity.carried),
    target=read(NodeTarget.position),
    held=read(NodeTarget.held),
    velocity=read(NodeState.velocity),
    start=write(NodeStep.start),
    goal=write(NodeStep.goal),
    position=update(NodeState.position),
):
    """Begin where the velocity leads, without gravity: then what is at rest begins where it is.

    Held nodes share out the way to their target over the small steps of a step.
    """
    b = body[v, e]
    step = h[0, e] / real(count[0, e])
    share = 1.0 / real(total[0, e] - done[0, e])
    frozen = diverged[0, e] != 0
    for k in range(3):
        x = position[v, k, e]
        away = (target[v, k, e] - origin[b, k, e] - x) * share if held[v, e] != 0 else step * velocity[v, k, e]
        away = 0.0 if frozen else away
        falls = step * step * scale[b, e] * gravity[0, k, e]
        start[v, k, e] = x
        goal[v, k, e] = x + away + falls
        position[v, k, e] = x + (away if held[v, e] != 0 else carried[b, e] * away)


@system(over=Node, phase="deform_finish")
def finish_nodes(
    v,
    e,
    body=read(NodeTopology.body),
    loose=read(DeformableTopology.loose),
    h=read(Settings.timestep),
    count=read(DeformableSettings.small_steps),
    damping=read(DeformableDynamics.damping),
    diverged=read(Status.diverged),
    broken=read(DeformableModes.broken),
    held=read(NodeTarget.held),
    row=read(ClothNodeContact.row),
    kept=read(ClothNodeContact.kept),
    drift=read(ClothDrift.way),
    start=read(NodeStep.start),
    position=update(NodeState.position),
    velocity=update(NodeState.velocity),
):
    """Velocities are what nodes have gone by; what is not finite goes back and stands still.

    Cloth goes no farther beside its drift than it may without meeting cloth.
    """
    b = body[v, e]
    if loose[b, e] != 0:
        return
    step = h[0, e] / real(count[0, e])
    decay = 1.0 if held[v, e] != 0 else 1.0 / (1.0 + step * damping[b, e])
    back = diverged[0, e] != 0 or broken[b, e] != 0
    sx, sy, sz = drift[0, 0, e], drift[0, 1, e], drift[0, 2, e]
    x = position[v, 0, e] - start[v, 0, e] - sx
    y = position[v, 1, e] - start[v, 1, e] - sy
    z = position[v, 2, e] - start[v, 2, e] - sz
    ux, uy, uz = x, y, z
    if row[v, e] >= 0 and held[v, e] == 0:
        ux, uy, uz = kept[v, e] * x, kept[v, e] * y, kept[v, e] * z
    wx = position[v, 0, e] if ux == x else start[v, 0, e] + (sx + ux)
    wy = position[v, 1, e] if uy == y else start[v, 1, e] + (sy + uy)
    wz = position[v, 2, e] if uz == z else start[v, 2, e] + (sz + uz)
    for k in range(3):
        x = wx if k == 0 else (wy if k == 1 else wz)
        x = start[v, k, e] if back else x
        position[v, k, e] = x
        velocity[v, k, e] = (x - start[v, k, e]) * (decay / step)


@system(over=World, phase="deform_finish")
def count_small_steps(w, e, total=read(DeformableSettings.total), done=update(DeformableSettings.done)):
    """Small steps of a step."""
    done[w, e] = done[w, e] + 1 if done[w, e] + 1 < total[0, e] else 0
