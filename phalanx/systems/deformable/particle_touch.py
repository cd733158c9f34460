"""Contact of particles with cloth, soft bodies and ropes that touch cloth: both give way to each other.

Nodes feel each place as a spring of the particle's inertia to where the particle would go without it. So cloth and the
particles that lie on it go together in one small step, however light the cloth is beside them. Then cloth is to
particles what shapes are: of all that acts on them it comes last, and they end outside of it. The impulses begin as
what the nodes have felt. What a body of cloth gets in a substep is what its particles got from it, with the sign
turned, to rounding (:mod:`phalanx.systems.deformable.particle_touch_momentum`).
"""

import math

from phalanx.components import (
    ClothCornerTriangle,
    ClothNode,
    ClothNodeContact,
    ClothTriangleParticles,
    ClothTriangleTopology,
    DeformableDynamics,
    DeformableModes,
    DeformableSettings,
    Node,
    NodeGroup,
    NodeGroupSums,
    NodeGroupTopology,
    NodeModel,
    NodeOrder,
    NodeState,
    NodeStep,
    Particle,
    ParticleFluid,
    ParticleMaterial,
    ParticleMotion,
    ParticleSpin,
    ParticleTopology,
    ParticleTouch,
    ParticleTouchPoint,
    Settings,
    Status,
)
from phalanx.components.particle_touch import MOST_TOUCHED
from phalanx.ecs import local, read, real, rows, start, system, update, write
from phalanx.maths.kernels import cross
from phalanx.systems.deformable.fluids import EASE, behind_wall
from phalanx.systems.deformable.particle_near import place_of
from phalanx.systems.deformable.particle_touch_force import PLACE, rest_on_places, touch_force

APART = 0.2
"""Share of its overlap by which a particle is moved off a place in a small step, without a push."""

SLOP = 0.005
"""Overlap that is left, in radii."""


@system(over=Node, phase="deform_forces", needs=ParticleTouch)
def touched_forces(
    n,
    e,
    first=start(),
    order=read(NodeOrder.node),
    row=read(ClothNodeContact.row),
    colour=read(ClothNodeContact.colour),
    first_corner=read(ClothNode.first_corner),
    end_corner=read(ClothNode.end_corner),
    corner_triangle=read(ClothCornerTriangle.triangle),
    nodes=read(ClothTriangleTopology.nodes),
    head=read(ClothTriangleParticles.first),
    next=read(ParticleTouchPoint.next),
    shares=read(ParticleTouchPoint.shares),
    normal=read(ParticleTouchPoint.normal),
    gap=read(ParticleTouchPoint.gap),
    way=read(ParticleTouchPoint.way),
    firm=read(ParticleTouchPoint.stiffness),
    across=read(ParticleTouchPoint.across),
    friction=read(ParticleTouchPoint.friction),
    begin=read(NodeStep.start),
    position=read(NodeState.position),
    force=update(ClothNodeContact.force),
    stiffness=update(ClothNodeContact.stiffness),
):
    """Of one colour: what particles do, where all nodes are; see :func:`.cloth_touch.touch_forces`."""
    v = order[first + n, e]
    fx, fy, fz = 0.0, 0.0, 0.0
    xx, xy, xz, yy, yz, zz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for c in range(first_corner[v, e], end_corner[v, e] if row[v, e] >= 0 else first_corner[v, e]):
        t = corner_triangle[c, e]
        s = head[t, e]
        while s >= 0:
            own = shares[s, 2, e]
            own = shares[s, 1, e] if nodes[t, 1, e] == v else own  # a segment of a rope has its second node twice
            own = shares[s, 0, e] if nodes[t, 0, e] == v else own
            if own != 0.0:
                ux, uy, uz = 0.0, 0.0, 0.0  # way of the place
                for k in range(3):
                    i, w = nodes[t, k, e], shares[s, k, e]
                    ux += w * (position[i, 0, e] - begin[i, 0, e])
                    uy += w * (position[i, 1, e] - begin[i, 1, e])
                    uz += w * (position[i, 2, e] - begin[i, 2, e])
                nx, ny, nz = normal[s, 0, e], normal[s, 1, e], normal[s, 2, e]
                x, y, z, more, grip = touch_force(
                    firm[s, e], across[s, e], friction[s, e], gap[s, e], nx, ny, nz,
                    way[s, 0, e] - ux, way[s, 1, e] - uy, way[s, 2, e] - uz,
                )  # fmt: skip
                fx, fy, fz = fx - own * x, fy - own * y, fz - own * z
                answer = 0.0  # of the nodes that are swept together
                for k in range(3):
                    answer += shares[s, k, e] if colour[nodes[t, k, e], e] == colour[v, e] else 0.0
                grip, more = own * answer * grip, own * answer * more
                more -= grip
                xx += more * nx * nx + grip
                xy += more * nx * ny
                xz += more * nx * nz
                yy += more * ny * ny + grip
                yz += more * ny * nz
                zz += more * nz * nz + grip
            s = next[s, e]
    if row[v, e] >= 0:
        force[v, 0, e] += fx
        force[v, 1, e] += fy
        force[v, 2, e] += fz
        stiffness[v, 0, e] += xx
        stiffness[v, 1, e] += xy
        stiffness[v, 2, e] += xz
        stiffness[v, 3, e] += yy
        stiffness[v, 4, e] += yz
        stiffness[v, 5, e] += zz


@system(over=Particle, phase="deform_particles_begin", needs=ParticleTouch)
def begin_touched(
    p,
    e,
    particles=rows(Particle),
    h=read(Settings.timestep),
    count=read(DeformableSettings.small_steps),
    triangle=read(ParticleTouchPoint.triangle),
    nodes=read(ClothTriangleTopology.nodes),
    shares=read(ParticleTouchPoint.shares),
    normal=read(ParticleTouchPoint.normal),
    gap=read(ParticleTouchPoint.gap),
    way=read(ParticleTouchPoint.way),
    firm=read(ParticleTouchPoint.stiffness),
    across=read(ParticleTouchPoint.across),
    friction=read(ParticleTouchPoint.friction),
    begin=read(NodeStep.start),
    position=read(NodeState.position),
    impulse=write(ParticleTouchPoint.impulse),
):
    """Impulses as nodes have felt them."""
    step = h[0, e] / real(count[0, e])
    for n in range(MOST_TOUCHED):
        s = place_of(n, p, particles)
        t = triangle[s, e]
        x, y, z = 0.0, 0.0, 0.0
        if t >= 0:
            ux, uy, uz = 0.0, 0.0, 0.0  # way of the place
            for k in range(3):
                i, w = nodes[t, k, e], shares[s, k, e]
                ux += w * (position[i, 0, e] - begin[i, 0, e])
                uy += w * (position[i, 1, e] - begin[i, 1, e])
                uz += w * (position[i, 2, e] - begin[i, 2, e])
            x, y, z, _, _ = touch_force(
                firm[s, e], across[s, e], friction[s, e], gap[s, e],
                normal[s, 0, e], normal[s, 1, e], normal[s, 2, e],
                way[s, 0, e] - ux, way[s, 1, e] - uy, way[s, 2, e] - uz,
            )  # fmt: skip
        impulse[s, 0, e], impulse[s, 1, e], impulse[s, 2, e] = step * x, step * y, step * z


@system(over=Particle, phase="deform_particles_begin", needs=ParticleTouch)
def fluid_behind_touched(
    p,
    e,
    particles=rows(Particle),
    body=read(ParticleTopology.body),
    h=read(Settings.timestep),
    count=read(DeformableSettings.small_steps),
    radius=read(ParticleMaterial.radius),
    fluid=read(ParticleMaterial.reach),
    lattice=read(ParticleMaterial.lattice_sum),
    triangle=read(ParticleTouchPoint.triangle),
    gap=read(ParticleTouchPoint.gap),
    counts=read(ParticleTouchPoint.behind),
    firm=read(ParticleFluid.firm),
    dense=update(ParticleFluid.dense),
    shift=update(ParticleFluid.shift),
):
    """What is behind cloth counts as fluid at rest, as of shapes (:mod:`phalanx.systems.deformable.fluids`)."""
    b = body[p, e]
    if triangle[p, e] < 0 or fluid[b, e] == 0.0:
        return
    for k in range(MOST_TOUCHED):
        s = place_of(k, p, particles)
        if triangle[s, e] >= 0:
            more, _ = behind_wall(gap[s, e], 2.0 * radius[b, e], fluid[b, e])
            dense[p, e] += counts[s, e] * more / lattice[b, e]
    stiff = firm[p, e] * (real(count[0, e]) / h[0, e])
    shift[p, e] = EASE * max(dense[p, e], 0.0) / stiff if stiff > 0.0 else 0.0


@system(over=Particle, phase="deform_particles", needs=ParticleTouch)
def press_by_touched(
    p,
    e,
    particles=rows(Particle),
    body=read(ParticleTopology.body),
    h=read(Settings.timestep),
    count=read(DeformableSettings.small_steps),
    radius=read(ParticleMaterial.radius),
    fluid=read(ParticleMaterial.reach),
    lattice=read(ParticleMaterial.lattice_sum),
    velocity=read(ParticleMotion.velocity),
    triangle=read(ParticleTouchPoint.triangle),
    nodes=read(ClothTriangleTopology.nodes),
    shares=read(ParticleTouchPoint.shares),
    normal=read(ParticleTouchPoint.normal),
    gap=read(ParticleTouchPoint.gap),
    counts=read(ParticleTouchPoint.behind),
    begin=read(NodeStep.start),
    position=read(NodeState.position),
    behind=write(ParticleFluid.behind),
):
    """How much denser a bit of a fluid gets as cloth and it come nearer."""
    b = body[p, e]
    step = h[0, e] / real(count[0, e])
    grows = 0.0
    for n in range(MOST_TOUCHED if triangle[p, e] >= 0 and fluid[b, e] > 0.0 else 0):
        s = place_of(n, p, particles)
        t = triangle[s, e]
        if t >= 0:
            ux, uy, uz = step * velocity[p, 0, e], step * velocity[p, 1, e], step * velocity[p, 2, e]
            for k in range(3):
                i, w = nodes[t, k, e], shares[s, k, e]
                ux -= w * (position[i, 0, e] - begin[i, 0, e])
                uy -= w * (position[i, 1, e] - begin[i, 1, e])
                uz -= w * (position[i, 2, e] - begin[i, 2, e])
            _, f = behind_wall(gap[s, e], 2.0 * radius[b, e], fluid[b, e])
            grows -= (
                counts[s, e] * f / lattice[b, e] * (normal[s, 0, e] * ux + normal[s, 1, e] * uy + normal[s, 2, e] * uz)
            )
    behind[p, e] = grows


@system(over=Particle, phase="deform_particles", needs=ParticleTouch)
def rest_on_touched(
    p,
    e,
    particles=rows(Particle),
    node=read(ParticleTopology.node),
    body=read(ParticleTopology.body),
    h=read(Settings.timestep),
    steps=read(DeformableSettings.small_steps),
    mass=read(NodeModel.mass),
    radius=read(ParticleMaterial.radius),
    turns=read(ParticleMaterial.turns),
    fluid=read(ParticleMaterial.reach),
    lattice=read(ParticleMaterial.lattice_sum),
    pressure=read(ParticleFluid.pressure),
    rolls=read(ParticleMaterial.rolling_friction),
    give=read(ParticleMotion.give),
    triangle=read(ParticleTouchPoint.triangle),
    nodes=read(ClothTriangleTopology.nodes),
    shares=read(ParticleTouchPoint.shares),
    normal=read(ParticleTouchPoint.normal),
    gap=read(ParticleTouchPoint.gap),
    counts=read(ParticleTouchPoint.behind),
    friction=read(ParticleTouchPoint.friction),
    begin=read(NodeStep.start),
    position=read(NodeState.position),
    impulse=update(ParticleTouchPoint.impulse),
    velocity=update(ParticleMotion.velocity),
    spin=update(ParticleMotion.spin),
):
    """What cloth adds to the velocity that all else has made."""
    if triangle[p, e] < 0 or give[p, e] == 0.0:
        return
    v, b = node[p, e], body[p, e]
    step, m = h[0, e] / real(steps[0, e]), mass[v, e]
    places = local(PLACE * MOST_TOUCHED)
    found = local(3 * MOST_TOUCHED)
    torques = local(3 * MOST_TOUCHED)
    count = 0
    for n in range(MOST_TOUCHED):
        s = place_of(n, p, particles)
        t = triangle[s, e]
        if t >= 0:
            ux, uy, uz = 0.0, 0.0, 0.0  # way of the place
            for k in range(3):
                i, w = nodes[t, k, e], shares[s, k, e]
                ux += w * (position[i, 0, e] - begin[i, 0, e])
                uy += w * (position[i, 1, e] - begin[i, 1, e])
                uz += w * (position[i, 2, e] - begin[i, 2, e])
            c = PLACE * n
            for a in range(3):
                places[c + a] = normal[s, a, e]
                found[3 * n + a] = impulse[s, a, e]
            places[c + 3] = gap[s, e]
            places[c + 4], places[c + 5], places[c + 6] = ux, uy, uz
            places[c + 7] = friction[s, e]
            places[c + 8] = 0.0
            if fluid[b, e] > 0.0:
                _, loses = behind_wall(gap[s, e], 2.0 * radius[b, e], fluid[b, e])
                places[c + 8] = counts[s, e] * pressure[p, e] * loses / lattice[b, e]
            count += 1
    px, py, pz, lx, ly, lz = rest_on_places(
        found, torques, places, count, m, turns[b, e], radius[b, e], rolls[b, e], step,
        step * velocity[p, 0, e], step * velocity[p, 1, e], step * velocity[p, 2, e],
        spin[p, 0, e], spin[p, 1, e], spin[p, 2, e],
    )  # fmt: skip
    for k in range(count):
        s = place_of(k, p, particles)
        for a in range(3):
            impulse[s, a, e] = found[3 * k + a]
    light = turns[b, e] / (m * radius[b, e] * radius[b, e])
    velocity[p, 0, e] += px / m
    velocity[p, 1, e] += py / m
    velocity[p, 2, e] += pz / m
    spin[p, 0, e] += light * lx
    spin[p, 1, e] += light * ly
    spin[p, 2, e] += light * lz


@system(over=NodeGroup, phase="deform_modes", needs=ParticleTouch)
def touched_forces_on_bodies(
    g,
    e,
    begin_node=read(NodeGroupTopology.first_node),
    end_node=read(NodeGroupTopology.end_node),
    row=read(ClothNodeContact.row),
    first_corner=read(ClothNode.first_corner),
    end_corner=read(ClothNode.end_corner),
    corner_triangle=read(ClothCornerTriangle.triangle),
    nodes=read(ClothTriangleTopology.nodes),
    head=read(ClothTriangleParticles.first),
    next=read(ParticleTouchPoint.next),
    shares=read(ParticleTouchPoint.shares),
    normal=read(ParticleTouchPoint.normal),
    gap=read(ParticleTouchPoint.gap),
    way=read(ParticleTouchPoint.way),
    firm=read(ParticleTouchPoint.stiffness),
    across=read(ParticleTouchPoint.across),
    friction=read(ParticleTouchPoint.friction),
    begin=read(NodeStep.start),
    position=read(NodeState.position),
    inertia=update(NodeGroupSums.inertia),
    force=update(NodeGroupSums.force),
):
    """Forces of particles on rigid motions, and their derivatives, of triangles whose first node is in the group."""
    for v in range(begin_node[g, e], end_node[g, e]):
        for c in range(first_corner[v, e], end_corner[v, e] if row[v, e] >= 0 else first_corner[v, e]):
            t = corner_triangle[c, e]
            s = head[t, e] if nodes[t, 0, e] == v else -1
            while s >= 0:
                ux, uy, uz = 0.0, 0.0, 0.0  # way of the place
                for k in range(3):
                    i, w = nodes[t, k, e], shares[s, k, e]
                    ux += w * (position[i, 0, e] - begin[i, 0, e])
                    uy += w * (position[i, 1, e] - begin[i, 1, e])
                    uz += w * (position[i, 2, e] - begin[i, 2, e])
                nx, ny, nz = normal[s, 0, e], normal[s, 1, e], normal[s, 2, e]
                fx, fy, fz, more, m = touch_force(
                    firm[s, e], across[s, e], friction[s, e], gap[s, e], nx, ny, nz,
                    way[s, 0, e] - ux, way[s, 1, e] - uy, way[s, 2, e] - uz,
                )  # fmt: skip
                more -= m
                x, y, z = 0.0, 0.0, 0.0
                for k in range(3):
                    i = nodes[t, k, e]
                    x += shares[s, k, e] * position[i, 0, e]
                    y += shares[s, k, e] * position[i, 1, e]
                    z += shares[s, k, e] * position[i, 2, e]
                ux, uy, uz = cross(x, y, z, fx, fy, fz)
                force[g, 0, e] -= fx
                force[g, 1, e] -= fy
                force[g, 2, e] -= fz
                force[g, 3, e] -= ux
                force[g, 4, e] -= uy
                force[g, 5, e] -= uz
                ux, uy, uz = cross(x, y, z, nx, ny, nz)
                inertia[g, 0, e] += more * nx * nx + m
                inertia[g, 1, e] += more * nx * ny
                inertia[g, 2, e] += more * nx * nz
                inertia[g, 3, e] += more * nx * ux
                inertia[g, 4, e] += more * nx * uy + m * z
                inertia[g, 5, e] += more * nx * uz - m * y
                inertia[g, 6, e] += more * ny * ny + m
                inertia[g, 7, e] += more * ny * nz
                inertia[g, 8, e] += more * ny * ux - m * z
                inertia[g, 9, e] += more * ny * uy
                inertia[g, 10, e] += more * ny * uz + m * x
                inertia[g, 11, e] += more * nz * nz + m
                inertia[g, 12, e] += more * nz * ux + m * y
                inertia[g, 13, e] += more * nz * uy - m * x
                inertia[g, 14, e] += more * nz * uz
                inertia[g, 15, e] += more * ux * ux + m * (y * y + z * z)
                inertia[g, 16, e] += more * ux * uy - m * x * y
                inertia[g, 17, e] += more * ux * uz - m * x * z
                inertia[g, 18, e] += more * uy * uy + m * (x * x + z * z)
                inertia[g, 19, e] += more * uy * uz - m * y * z
                inertia[g, 20, e] += more * uz * uz + m * (x * x + y * y)
                s = next[s, e]


@system(over=Particle, phase="deform_particles_end", needs=ParticleTouch)
def end_on_touched(
    p,
    e,
    particles=rows(Particle),
    node=read(ParticleTopology.node),
    body=read(ParticleTopology.body),
    h=read(Settings.timestep),
    steps=read(DeformableSettings.small_steps),
    diverged=read(Status.diverged),
    broken=read(DeformableModes.broken),
    mass=read(NodeModel.mass),
    radius=read(ParticleMaterial.radius),
    turns=read(ParticleMaterial.turns),
    fluid=read(ParticleMaterial.reach),
    lattice=read(ParticleMaterial.lattice_sum),
    pressure=read(ParticleFluid.pressure),
    rolls=read(ParticleMaterial.rolling_friction),
    most=read(ParticleMaterial.max_velocity),
    damping=read(DeformableDynamics.damping),
    give=read(ParticleMotion.give),
    triangle=read(ParticleTouchPoint.triangle),
    nodes=read(ClothTriangleTopology.nodes),
    shares=read(ParticleTouchPoint.shares),
    normal=read(ParticleTouchPoint.normal),
    gap=read(ParticleTouchPoint.gap),
    counts=read(ParticleTouchPoint.behind),
    friction=read(ParticleTouchPoint.friction),
    begin=read(NodeStep.start),
    impulse=update(ParticleTouchPoint.impulse),
    turned=write(ParticleTouchPoint.turned),
    position=update(NodeState.position),
    velocity=update(NodeState.velocity),
    spin=update(ParticleSpin.value),
):
    """Where particles end that touch cloth, and what they get, with cloth where it is after its move as a whole.

    What overlaps is moved apart without a push.
    """
    v, b = node[p, e], body[p, e]
    if triangle[p, e] < 0 or give[p, e] == 0.0 or diverged[0, e] != 0 or broken[b, e] != 0:
        return
    step, m, r = h[0, e] / real(steps[0, e]), mass[v, e], radius[b, e]
    decay = 1.0 / (1.0 + step * damping[b, e])
    places = local(PLACE * MOST_TOUCHED)
    found = local(3 * MOST_TOUCHED)
    torques = local(3 * MOST_TOUCHED)
    apart = local(3 * MOST_TOUCHED)
    count = 0
    for n in range(MOST_TOUCHED):
        s = place_of(n, p, particles)
        t = triangle[s, e]
        if t >= 0:
            ux, uy, uz = 0.0, 0.0, 0.0  # way of the place
            for k in range(3):
                i, w = nodes[t, k, e], shares[s, k, e]
                ux += w * (position[i, 0, e] - begin[i, 0, e])
                uy += w * (position[i, 1, e] - begin[i, 1, e])
                uz += w * (position[i, 2, e] - begin[i, 2, e])
            c = PLACE * n
            for a in range(3):
                places[c + a] = normal[s, a, e]
                found[3 * n + a] = impulse[s, a, e]
            places[c + 3] = gap[s, e]
            places[c + 4], places[c + 5], places[c + 6] = ux, uy, uz
            places[c + 7] = friction[s, e]
            places[c + 8] = 0.0
            if fluid[b, e] > 0.0:
                _, loses = behind_wall(gap[s, e], 2.0 * radius[b, e], fluid[b, e])
                places[c + 8] = counts[s, e] * pressure[p, e] * loses / lattice[b, e]
            count += 1
    dx, dy, dz = (
        position[v, 0, e] - begin[v, 0, e],
        position[v, 1, e] - begin[v, 1, e],
        position[v, 2, e] - begin[v, 2, e],
    )
    px, py, pz, lx, ly, lz = rest_on_places(
        found, torques, places, count, m, turns[b, e], r, rolls[b, e], step, dx, dy, dz,
        spin[p, 0, e] / decay, spin[p, 1, e] / decay, spin[p, 2, e] / decay,
    )  # fmt: skip
    x, y, z = 0.0, 0.0, 0.0
    for k in range(count):
        s = place_of(k, p, particles)
        for a in range(3):
            impulse[s, a, e] = found[3 * k + a]
        c = PLACE * k
        wanted = -APART * min(gap[s, e] + SLOP * r, 0.0)
        more = max(wanted - (x * places[c] + y * places[c + 1] + z * places[c + 2]), 0.0)
        x, y, z = x + more * places[c], y + more * places[c + 1], z + more * places[c + 2]
        for a in range(3):
            apart[3 * k + a] = more * places[c + a]
    position[v, 0, e] = begin[v, 0, e] + (dx + (step / m * px + x))
    position[v, 1, e] = begin[v, 1, e] + (dy + (step / m * py + y))
    position[v, 2, e] = begin[v, 2, e] + (dz + (step / m * pz + z))
    wx, wy, wz = velocity[v, 0, e], velocity[v, 1, e], velocity[v, 2, e]
    # what other moves without a push make of the impulse
    ux, uy, uz = dx - step / decay * wx, dy - step / decay * wy, dz - step / decay * wz
    ux, uy, uz = cross(ux, uy, uz, px, py, pz)
    x, y, z = wx + decay * px / m, wy + decay * py / m, wz + decay * pz / m
    speed = math.sqrt(x * x + y * y + z * z)
    less = most[b, e] / speed if speed > most[b, e] else 1.0
    x, y, z = less * x, less * y, less * z
    velocity[v, 0, e], velocity[v, 1, e], velocity[v, 2, e] = x, y, z
    for k in range(count):
        c = 3 * k
        s = place_of(k, p, particles)
        tx, ty, tz = cross(apart[c], apart[c + 1], apart[c + 2], m * x, m * y, m * z)
        turned[s, 0, e] = ux + tx + torques[c]
        turned[s, 1, e] = uy + ty + torques[c + 1]
        turned[s, 2, e] = uz + tz + torques[c + 2]
        ux, uy, uz = 0.0, 0.0, 0.0
    light = decay * turns[b, e] / (m * r * r)
    spin[p, 0, e] += light * lx
    spin[p, 1, e] += light * ly
    spin[p, 2, e] += light * lz
