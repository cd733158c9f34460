"""Sleep: what has been at rest for a while, and all that it touches or is joined to, is not moved until it is woken.

A tree (a robot or a rigid object) is quiet while the kinetic energy per mass of each of its links, 1/2 (v^2 + w . I w /
m), is below its threshold, push-out of penetration included. Trees that touch or are joined by loop joints are an
island; grounds, static and kinematic objects tie nothing together. When all trees of an island have been quiet for
:data:`WAKE_TIME`, all of it falls asleep: its velocities are zero, and it stays where it is to the bit. The energy
criterion, the time and the islands are those that PhysX documents (Rigid Body Dynamics: Sleeping); a threshold of 0,
the default, keeps a tree, and with it its island, awake.

An island wakes, in the substep in which it happens and before anything is solved,

* when something awake touches it, or a kinematic object that moves, or a surface that runs like a conveyor;
* when a pose, velocity, external wrench, drive target or gain of one of its trees is not what it was, or gravity, or a
  loop joint's bounds; when a loop joint breaks;
* when the same happens to anything that it touches, even if that is fixed: take the support away, and it falls;
* when the user wakes one of its trees.

A tree below its stabilization threshold that touches anything is damped by
:data:`phalanx.systems.sleep.sleepers.SETTLING`, so that towers that rock come to rest; what rolls or slides so slowly
is damped, too. Of PhysX's stabilization this is the damping; there is no freezing but sleep.

A tree that was woken has to be quiet for the whole time again. Sleepers are solved along, as what cannot be moved, so
their contacts and joints keep the forces of the last awake substep, which is what reports say. It costs what it cost.
"""

import math

from phalanx.components import (
    Contact,
    ContactCount,
    ContactPoint,
    ContactSurface,
    ContactTouch,
    Coordinate,
    DofMotion,
    DofState,
    Drive,
    DriveTarget,
    ExternalWrench,
    LinkDynamics,
    LinkInertia,
    LinkPose,
    LinkTopology,
    Loop,
    LoopFrame,
    LoopState,
    LoopTopology,
    SeenCoordinate,
    SeenDof,
    SeenLink,
    SeenLoop,
    Settings,
    ShapeTopology,
    Tree,
    TreeSleep,
    TreeTopology,
)
from phalanx.ecs import read, rows, system, update, write
from phalanx.maths.kernels import cross

WAKE_TIME = 0.4
"""s that an island must be quiet before it sleeps."""

NEARLY = 1e-3
"""m: surfaces that come as near as this touch."""


@system(over=Tree, phase="actuate")
def notice_changes(
    t,
    e,
    first_coord=read(TreeTopology.first_coord),
    end_coord=read(TreeTopology.end_coord),
    first_link=read(TreeTopology.first_link),
    end_link=read(TreeTopology.end_link),
    first_dof=read(TreeTopology.first_dof),
    end_dof=read(TreeTopology.end_dof),
    yields=read(TreeTopology.yields),
    asleep=read(TreeSleep.asleep),
    gravity=read(Settings.gravity),
    q=read(Coordinate.value),
    velocity=read(DofState.velocity),
    position=read(DriveTarget.position),
    speed=read(DriveTarget.velocity),
    effort=read(DriveTarget.effort),
    stiffness=read(Drive.stiffness),
    damping=read(Drive.damping),
    force=read(ExternalWrench.force),
    torque=read(ExternalWrench.torque),
    scale=read(LinkDynamics.gravity_scale),
    seen_gravity=update(TreeSleep.gravity),
    seen_q=read(SeenCoordinate.value),
    request=update(SeenDof.request),
    load=update(SeenLink.load),
    stirred=write(TreeSleep.stirred),
):
    """What is not as the last substep left it, or moves though nothing can move it; and what drives and forces are."""
    changed = 0
    for k in range(3):
        changed = 1 if yields[t, e] == 1 and gravity[0, k, e] != seen_gravity[t, k, e] else changed
        seen_gravity[t, k, e] = gravity[0, k, e]
    for k in range(first_coord[t, e], end_coord[t, e]):
        changed = changed if q[k, e] == seen_q[k, e] else 1
    at_rest = asleep[t, e] == 1 or yields[t, e] == 0
    for d in range(first_dof[t, e], end_dof[t, e]):
        changed = 1 if at_rest and velocity[d, e] != 0.0 else changed
        changed = changed if position[d, e] == request[d, 0, e] and speed[d, e] == request[d, 1, e] else 1
        changed = changed if effort[d, e] == request[d, 2, e] else 1
        changed = changed if stiffness[d, e] == request[d, 3, e] and damping[d, e] == request[d, 4, e] else 1
        request[d, 0, e], request[d, 1, e], request[d, 2, e] = position[d, e], speed[d, e], effort[d, e]
        request[d, 3, e], request[d, 4, e] = stiffness[d, e], damping[d, e]
    for i in range(first_link[t, e], end_link[t, e]):
        for k in range(3):
            changed = changed if force[i, k, e] == load[i, k, e] and torque[i, k, e] == load[i, 3 + k, e] else 1
            load[i, k, e], load[i, 3 + k, e] = force[i, k, e], torque[i, k, e]
        changed = changed if scale[i, e] == load[i, 6, e] else 1
        load[i, 6, e] = scale[i, e]
    stirred[t, e] = changed


@system(over=Tree, phase="actuate")
def measure_quiet(
    t,
    e,
    h=read(Settings.timestep),
    first_link=read(TreeTopology.first_link),
    end_link=read(TreeTopology.end_link),
    last_dof=read(LinkTopology.last_dof),
    mass=read(LinkInertia.mass),
    com=read(LinkInertia.com),
    inertia=read(LinkInertia.inertia),
    rotation=read(LinkPose.rotation),
    velocity=read(DofMotion.velocity),
    way=read(TreeSleep.way),
    threshold=read(TreeSleep.threshold),
    energy=write(TreeSleep.energy),
    quiet=update(TreeSleep.quiet),
):
    """How long the energy of each link, and that of the way that the root went, has been below the threshold."""
    most = way[t, e]
    for i in range(first_link[t, e], end_link[t, e]):
        d = last_dof[i, e]
        if d >= 0 and mass[i, e] > 0.0:
            r0, r1, r2 = rotation[i, 0, e], rotation[i, 1, e], rotation[i, 2, e]
            r3, r4, r5 = rotation[i, 3, e], rotation[i, 4, e], rotation[i, 5, e]
            r6, r7, r8 = rotation[i, 6, e], rotation[i, 7, e], rotation[i, 8, e]
            wx, wy, wz = velocity[d, 0, e], velocity[d, 1, e], velocity[d, 2, e]
            u, v, w = r0 * wx + r3 * wy + r6 * wz, r1 * wx + r4 * wy + r7 * wz, r2 * wx + r5 * wy + r8 * wz
            turning = inertia[i, 0, e] * u * u + inertia[i, 3, e] * v * v + inertia[i, 5, e] * w * w
            turning += 2.0 * (inertia[i, 1, e] * u * v + inertia[i, 2, e] * u * w + inertia[i, 4, e] * v * w)
            u, v, w = com[i, 0, e], com[i, 1, e], com[i, 2, e]
            cx, cy, cz = r0 * u + r1 * v + r2 * w, r3 * u + r4 * v + r5 * w, r6 * u + r7 * v + r8 * w
            x, y, z = cross(wx, wy, wz, cx, cy, cz)
            x, y, z = x + velocity[d, 3, e], y + velocity[d, 4, e], z + velocity[d, 5, e]
            most = max(most, 0.5 * (x * x + y * y + z * z + turning / mass[i, e]))
    energy[t, e] = most
    quiet[t, e] = quiet[t, e] + h[0, e] if most < threshold[t, e] else 0.0


@system(over=Tree, phase="actuate")
def begin_islands(
    t, e, island=write(TreeSleep.island), waking=write(TreeSleep.waking), touched=write(TreeSleep.touched)
):
    """Each tree by itself."""
    touched[t, e] = 0
    island[t, e] = t
    waking[t, e] = 0


@system(phase="actuate")
def join_touching(
    lanes,
    count=read(ContactCount.current),
    shape_a=read(ContactPoint.a),
    shape_b=read(ContactPoint.b),
    touching=read(ContactTouch.touching),
    link=read(ShapeTopology.link),
    dof=read(ShapeTopology.dof),
    tree=read(LinkTopology.tree),
    yields=read(TreeTopology.yields),
    touched=update(TreeSleep.touched),
    stirred=update(TreeSleep.stirred),
    island=update(TreeSleep.island),
):
    """Islands of what touched at the end of the last substep; what is stirred but does not yield stirs what it touches.

    A tree's island is one of a lower number, or itself: so every way to the first of them ends.
    """
    for e in lanes:
        for c in range(count[0, e]):
            i, j = link[shape_a[c, e], 0], link[shape_b[c, e], 0]
            if touching[c, e] == 1 and i >= 0:
                touched[tree[i, 0], e] = 1
            if touching[c, e] == 1 and j >= 0:
                touched[tree[j, 0], e] = 1
            if touching[c, e] == 1 and i >= 0 and j >= 0:
                a, b = tree[i, 0], tree[j, 0]
                moves_a = yields[a, 0] == 1 and dof[shape_a[c, e], 0] >= 0
                moves_b = yields[b, 0] == 1 and dof[shape_b[c, e], 0] >= 0
                if moves_a and moves_b:
                    while island[a, e] != a:
                        a = island[a, e]
                    while island[b, e] != b:
                        b = island[b, e]
                    island[max(a, b), e] = min(a, b)
                elif moves_a and stirred[b, e] == 1:
                    stirred[a, e] = 1
                elif moves_b and stirred[a, e] == 1:
                    stirred[b, e] = 1


@system(phase="actuate")
def join_joined(
    lanes,
    loops=rows(Loop),
    link_a=read(LoopTopology.link_a),
    link_b=read(LoopTopology.link_b),
    broken=read(LoopState.broken),
    nearest=read(LoopFrame.nearest),
    farthest=read(LoopFrame.farthest),
    tree=read(LinkTopology.tree),
    yields=read(TreeTopology.yields),
    seen_broken=update(SeenLoop.broken),
    bounds=update(SeenLoop.bounds),
    stirred=update(TreeSleep.stirred),
    island=update(TreeSleep.island),
):
    """The same of loop joints; those that break, or whose bounds change, stir what they join."""
    for e in lanes:
        for n in range(loops):
            i, j = link_a[n, 0], link_b[n, 0]
            a, b = tree[i, 0], tree[max(j, 0), 0]
            kept = bounds[n, 0, e] == nearest[n, e] and bounds[n, 1, e] == farthest[n, e]
            if broken[n, e] != seen_broken[n, e] or not (kept or broken[n, e] != 0):
                stirred[a, e] = 1
                stirred[b, e] = 1 if j >= 0 else stirred[b, e]
            seen_broken[n, e] = broken[n, e]
            bounds[n, 0, e], bounds[n, 1, e] = nearest[n, e], farthest[n, e]
            if broken[n, e] == 0 and j >= 0:
                if yields[a, 0] == 1 and yields[b, 0] == 1:
                    while island[a, e] != a:
                        a = island[a, e]
                    while island[b, e] != b:
                        b = island[b, e]
                    island[max(a, b), e] = min(a, b)
                elif yields[a, 0] == 1 and stirred[b, e] == 1:
                    stirred[a, e] = 1
                elif yields[b, 0] == 1 and stirred[a, e] == 1:
                    stirred[b, e] = 1


@system(phase="actuate")
def judge_islands(
    lanes,
    trees=rows(Tree),
    h=read(Settings.timestep),
    yields=read(TreeTopology.yields),
    threshold=read(TreeSleep.threshold),
    stirred=read(TreeSleep.stirred),
    island=update(TreeSleep.island),
    waking=update(TreeSleep.waking),
    quiet=update(TreeSleep.quiet),
    asleep=update(TreeSleep.asleep),
):
    """Islands of which all trees sleep or have been quiet for long enough sleep; all others are awake."""
    for e in lanes:
        for t in range(trees):
            island[t, e] = island[island[t, e], e]  # those of lower numbers know the first of their island already
            if stirred[t, e] == 1:
                quiet[t, e] = 0.0
            tired = threshold[t, e] > 0.0 and quiet[t, e] > WAKE_TIME - 0.5 * h[0, e]
            if yields[t, 0] == 1 and (stirred[t, e] == 1 or not (asleep[t, e] == 1 or tired)):
                waking[island[t, e], e] = 1
        for t in range(trees):
            if yields[t, 0] == 1:
                if waking[island[t, e], e] == 0:
                    asleep[t, e] = 1
                elif asleep[t, e] == 1:
                    asleep[t, e] = 0
                    quiet[t, e] = 0.0


@system(over=Contact, phase="collide", only_with="contact_surfaces")
def find_touching(
    c,
    e,
    h=read(Settings.timestep),
    gravity=read(Settings.gravity),
    count=read(ContactCount.current),
    shape_a=read(ContactPoint.a),
    shape_b=read(ContactPoint.b),
    arm_a=read(ContactPoint.arm_a),
    arm_b=read(ContactPoint.arm_b),
    normal=read(ContactPoint.normal),
    separation=read(ContactPoint.separation),
    link=read(ShapeTopology.link),
    dof=read(ShapeTopology.dof),
    offset=read(LinkPose.offset),
    motion=read(DofMotion.velocity),
    touching=write(ContactTouch.touching),
):
    """Which contacts are as near as touching, or will be within the substep."""
    touches = 0
    if c < count[0, e]:
        approach = 0.0
        for side in range(2):
            s = shape_a[c, e] if side == 0 else shape_b[c, e]
            i, d = link[s, e], dof[s, e]
            if d >= 0:
                x = (arm_a[c, 0, e] if side == 0 else arm_b[c, 0, e]) - offset[i, 0, e]
                y = (arm_a[c, 1, e] if side == 0 else arm_b[c, 1, e]) - offset[i, 1, e]
                z = (arm_a[c, 2, e] if side == 0 else arm_b[c, 2, e]) - offset[i, 2, e]
                x, y, z = cross(motion[d, 0, e], motion[d, 1, e], motion[d, 2, e], x, y, z)
                x, y, z = x + motion[d, 3, e], y + motion[d, 4, e], z + motion[d, 5, e]
                along = x * normal[c, 0, e] + y * normal[c, 1, e] + z * normal[c, 2, e]
                approach += along if side == 0 else -along
        fall = math.fabs(gravity[0, 0, e]) + math.fabs(gravity[0, 1, e]) + math.fabs(gravity[0, 2, e])
        way = h[0, e] * (h[0, e] * fall - min(approach, 0.0))
        touches = 1 if separation[c, e] < NEARLY + way else 0
    touching[c, e] = touches


@system(phase="collide", only_with="find_touching")
def wake_touched(
    lanes,
    trees=rows(Tree),
    count=read(ContactCount.current),
    shape_a=read(ContactPoint.a),
    shape_b=read(ContactPoint.b),
    touching=read(ContactTouch.touching),
    drift=read(ContactSurface.drift),
    link=read(ShapeTopology.link),
    tree=read(LinkTopology.tree),
    yields=read(TreeTopology.yields),
    stirred=read(TreeSleep.stirred),
    island=read(TreeSleep.island),
    waking=update(TreeSleep.waking),
    quiet=update(TreeSleep.quiet),
    asleep=update(TreeSleep.asleep),
):
    """Islands that something awake touches from now on, or something that moves by itself, wake."""
    for e in lanes:
        any_woken = 0
        for c in range(count[0, e]):
            if touching[c, e] == 1:
                i, j = link[shape_a[c, e], 0], link[shape_b[c, e], 0]
                a = tree[i, 0] if i >= 0 else -1
                b = tree[j, 0] if j >= 0 else -1
                runs = drift[c, 0, e] != 0.0 or drift[c, 1, e] != 0.0
                for side in range(2):
                    t = a if side == 0 else b
                    o = b if side == 0 else a
                    if t >= 0 and asleep[t, e] == 1:
                        wakes = o >= 0 and (stirred[o, e] == 1 or (yields[o, 0] == 1 and asleep[o, e] == 0))
                        if runs or wakes:
                            waking[island[t, e], e] = 1
                            any_woken = 1
        for t in range(trees if any_woken == 1 else 0):
            if asleep[t, e] == 1 and waking[island[t, e], e] == 1:
                asleep[t, e] = 0
                quiet[t, e] = 0.0
