"""Momentum that cloth, soft bodies and ropes get from particles: what these got from them, with the sign turned.

With that the momentum of bodies is restored at the end of a substep (:mod:`phalanx.systems.deformable.momentum`,
:mod:`phalanx.systems.deformable.cloth_clusters`), however far the sweeps have come.
"""

from phalanx.components import (
    BodyParticles,
    ClothCornerTriangle,
    ClothNode,
    ClothNodeContact,
    ClothTriangleParticles,
    ClothTriangleTopology,
    Deformable,
    DeformableDynamics,
    DeformableModes,
    DeformableMomentum,
    DeformableMotion,
    DeformableSettings,
    DeformableTopology,
    GroupParticles,
    NodeGroup,
    NodeGroupSums,
    NodeGroupTopology,
    NodeStep,
    Particle,
    ParticleMaterial,
    ParticleMotion,
    ParticleTopology,
    ParticleTouch,
    ParticleTouchPoint,
    Settings,
)
from phalanx.ecs import read, real, rows, system, update, write
from phalanx.maths.kernels import cross


@system(over=NodeGroup, phase="deform_begin", needs=ParticleTouch)
def begin_impulses_of_touched(g, e, impulse=write(GroupParticles.impulse)):
    """Nothing yet."""
    for k in range(6):
        impulse[g, k, e] = 0.0


@system(over=NodeGroup, phase="deform_particles_end", needs=ParticleTouch)
def impulses_of_touched(
    g,
    e,
    particles=rows(Particle),
    own=read(NodeGroupTopology.body),
    begin_node=read(NodeGroupTopology.first_node),
    end_node=read(NodeGroupTopology.end_node),
    row=read(ClothNodeContact.row),
    first_corner=read(ClothNode.first_corner),
    end_corner=read(ClothNode.end_corner),
    corner_triangle=read(ClothCornerTriangle.triangle),
    nodes=read(ClothTriangleTopology.nodes),
    node=read(ParticleTopology.node),
    body=read(ParticleTopology.body),
    radius=read(ParticleMaterial.radius),
    turns=read(ParticleMaterial.turns),
    head=read(ClothTriangleParticles.first),
    next=read(ParticleTouchPoint.next),
    normal=read(ParticleTouchPoint.normal),
    pulse=read(ParticleTouchPoint.impulse),
    turned=read(ParticleTouchPoint.turned),
    give=read(ParticleMotion.give),
    origin=read(DeformableMotion.origin),
    middle=read(DeformableModes.middle),
    begin=read(NodeStep.start),
    impulse=update(GroupParticles.impulse),
    given=write(GroupParticles.pulse),
):
    """What particles do to the triangles whose first node is in the group.

    The moment is about where the particle was, as its angular momentum is; what turns the particle is added, and what
    moving it apart without a push has made.
    """
    b = own[g, e]
    px, py, pz, lx, ly, lz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for v in range(begin_node[g, e], end_node[g, e]):
        for c in range(first_corner[v, e], end_corner[v, e] if row[v, e] >= 0 else first_corner[v, e]):
            t = corner_triangle[c, e]
            s = head[t, e] if nodes[t, 0, e] == v else -1
            while s >= 0:
                p = s % particles
                w, o = node[p, e], body[p, e]
                jx, jy, jz = pulse[s, 0, e], pulse[s, 1, e], pulse[s, 2, e]
                x = (origin[o, 0, e] - origin[b, 0, e]) + (begin[w, 0, e] - middle[b, 0, e])
                y = (origin[o, 1, e] - origin[b, 1, e]) + (begin[w, 1, e] - middle[b, 1, e])
                z = (origin[o, 2, e] - origin[b, 2, e]) + (begin[w, 2, e] - middle[b, 2, e])
                ux, uy, uz = cross(x, y, z, jx, jy, jz)
                px, py, pz, lx, ly, lz = px - jx, py - jy, pz - jz, lx - ux, ly - uy, lz - uz
                if give[p, e] > 0.0:
                    lx, ly, lz = lx - turned[s, 0, e], ly - turned[s, 1, e], lz - turned[s, 2, e]
                if turns[o, e] > 0.0:
                    ux, uy, uz = cross(jx, jy, jz, normal[s, 0, e], normal[s, 1, e], normal[s, 2, e])
                    lx, ly, lz = lx - radius[o, e] * ux, ly - radius[o, e] * uy, lz - radius[o, e] * uz
                s = next[s, e]
    given[g, 0, e], given[g, 1, e], given[g, 2, e] = px, py, pz
    impulse[g, 0, e] += px
    impulse[g, 1, e] += py
    impulse[g, 2, e] += pz
    impulse[g, 3, e] += lx
    impulse[g, 4, e] += ly
    impulse[g, 5, e] += lz


@system(over=Deformable, phase="deform_begin", needs=ParticleTouch)
def begin_bodies_of_touched(
    b,
    e,
    before=read(DeformableMomentum.before),
    momentum=write(BodyParticles.momentum),
    moment=write(BodyParticles.moment),
):
    """What the body has."""
    for k in range(3):
        momentum[b, k, e] = before[b, k, e]
        moment[b, k, e] = 0.0


@system(over=Deformable, phase="deform_particles_end", needs=ParticleTouch)
def follow_bodies_of_touched(
    b,
    e,
    first=read(DeformableTopology.first_group),
    end=read(DeformableTopology.end_group),
    h=read(Settings.timestep),
    count=read(DeformableSettings.small_steps),
    gravity=read(Settings.gravity),
    scale=read(DeformableDynamics.gravity_scale),
    damping=read(DeformableDynamics.damping),
    mass=read(DeformableMomentum.mass),
    middle=read(DeformableModes.middle),
    ahead=read(DeformableModes.ahead),
    pulse=read(GroupParticles.pulse),
    momentum=update(BodyParticles.momentum),
    moment=update(BodyParticles.moment),
):
    """Where the centre of mass goes beside the momentum makes angular momentum about a place that stands still.

    Impulses have their moments about the centre of mass at the start of the small step, which should go by the
    momentum.
    """
    x, y, z = 0.0, 0.0, 0.0
    for g in range(first[b, e], end[b, e]):
        x, y, z = x + pulse[g, 0, e], y + pulse[g, 1, e], z + pulse[g, 2, e]
    step = h[0, e] / real(count[0, e])
    weight = step * mass[b, e] * scale[b, e]
    decay = 1.0 / (1.0 + step * damping[b, e])
    x = decay * (momentum[b, 0, e] + weight * gravity[0, 0, e] + x)
    y = decay * (momentum[b, 1, e] + weight * gravity[0, 1, e] + y)
    z = decay * (momentum[b, 2, e] + weight * gravity[0, 2, e] + z)
    momentum[b, 0, e], momentum[b, 1, e], momentum[b, 2, e] = x, y, z
    x, y, z = cross(
        middle[b, 0, e] - ahead[b, 0, e], middle[b, 1, e] - ahead[b, 1, e], middle[b, 2, e] - ahead[b, 2, e], x, y, z
    )
    moment[b, 0, e] += x
    moment[b, 1, e] += y
    moment[b, 2, e] += z


@system(over=NodeGroup, phase="deform_momentum", needs=ParticleTouch)
def add_impulses_of_touched(
    g,
    e,
    own=read(NodeGroupTopology.body),
    first=read(DeformableTopology.first_group),
    end=read(DeformableTopology.end_group),
    more=read(GroupParticles.impulse),
    ahead=read(DeformableModes.ahead),
    momentum=read(BodyParticles.momentum),
    moment=read(BodyParticles.moment),
    moments=read(NodeGroupSums.moments),
    impulse=update(NodeGroupSums.impulse),
    by_shapes=write(GroupParticles.by_shapes),
):
    """To those of contacts with shapes; that of the way of the centre of mass to a body's first group."""
    b = own[g, e]
    some = impulse[g, 0, e] != 0.0 or impulse[g, 1, e] != 0.0 or impulse[g, 2, e] != 0.0
    by_shapes[g, e] = 1 if some else 0
    for k in range(6):
        impulse[g, k, e] += more[g, k, e]
    if g == first[b, e]:
        m, x, y, z = 0.0, 0.0, 0.0, 0.0
        for n in range(first[b, e], end[b, e]):
            m, x, y, z = m + moments[n, 0, e], x + moments[n, 1, e], y + moments[n, 2, e], z + moments[n, 3, e]
        x, y, z = cross(
            ahead[b, 0, e] - x / m, ahead[b, 1, e] - y / m, ahead[b, 2, e] - z / m,
            momentum[b, 0, e], momentum[b, 1, e], momentum[b, 2, e],
        )  # fmt: skip
        impulse[g, 3, e] += moment[b, 0, e] + x
        impulse[g, 4, e] += moment[b, 1, e] + y
        impulse[g, 5, e] += moment[b, 2, e] + z


@system(over=Deformable, phase="deform_momentum", needs=ParticleTouch)
def find_what_pushes_touched(
    b,
    e,
    first=read(DeformableTopology.first_group),
    end=read(DeformableTopology.end_group),
    by_shapes=read(GroupParticles.by_shapes),
    only=write(BodyParticles.only),
):
    """Whether particles alone push the body: its momentum is known then, see :mod:`.cloth_clusters`."""
    some = 0
    for g in range(first[b, e], end[b, e]):
        some = max(some, by_shapes[g, e])
    only[b, e] = 1 - some
