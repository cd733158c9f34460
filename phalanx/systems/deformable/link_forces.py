"""What the contacts and attachments of a deformable body do to a link: sums of forces, stiffness and impulses."""

from phalanx.components import (
    CoupledAttachments,
    CoupledBody,
    CoupledBodySums,
    CoupledBodyTopology,
    CoupledLinkMotion,
    DeformableMotion,
    DeformablePairState,
    DeformablePairTopology,
    DeformableSettings,
    DeformableSurface,
    NodeAttachmentPoint,
    NodeAttachmentState,
    NodeAttachmentTopology,
    NodeContactPoint,
    NodeContactState,
    NodeState,
    Settings,
    SurfaceNodeModel,
    SurfaceNodeTopology,
)
from phalanx.components.node_attachment import OFF, ON
from phalanx.components.node_contact import SLOTS
from phalanx.ecs import function, local, read, real, system, update, write
from phalanx.maths.kernels import cross
from phalanx.systems.deformable.attachments import attachment_force
from phalanx.systems.deformable.contact_force import contact_force, contact_stiffness


@system(over=CoupledBody, phase="deform_begin")
def near_links(
    n,
    e,
    link=read(CoupledBodyTopology.link),
    body=read(CoupledBodyTopology.body),
    first=read(DeformableSurface.first_pair),
    end=read(DeformableSurface.end_pair),
    pair_link=read(DeformablePairTopology.link),
    pair_near=read(DeformablePairState.near),
    first_tie=read(CoupledAttachments.first),
    end_tie=read(CoupledAttachments.end),
    mode=read(NodeAttachmentState.mode),
    near=write(CoupledBodySums.near),
    force=write(CoupledBodySums.force),
    stiffness=write(CoupledBodySums.stiffness),
    impulse=write(CoupledBodySums.impulse),
):
    """Whether any shape of a link is near a body, or the body is tied to it."""
    b = body[n, e]
    found = 0
    for p in range(first[b, e], end[b, e]):
        if pair_link[p, e] == link[n, e] and pair_near[p, e] != 0:
            found = 1
    for a in range(first_tie[n, e], end_tie[n, e]):
        if mode[a, e] != OFF:
            found = 1
    near[n, e] = found
    for k in range(6):
        force[n, k, e] = 0.0
        impulse[n, k, e] = 0.0
    for k in range(21):
        stiffness[n, k, e] = 0.0


@function
def add_even_stiffness(matrix, k, x, y, z):
    """Add what a spring of stiffness k, the same in all directions, at x, y, z is to the motion of a link's origin.

    Args:
        matrix: upper triangle of a 6 x 6 matrix, row by row.
    """
    matrix[0] += k
    matrix[6] += k
    matrix[11] += k
    matrix[4] += k * z
    matrix[5] -= k * y
    matrix[8] -= k * z
    matrix[10] += k * x
    matrix[12] += k * y
    matrix[13] -= k * x
    matrix[15] += k * (y * y + z * z)
    matrix[16] -= k * x * y
    matrix[17] -= k * x * z
    matrix[18] += k * (x * x + z * z)
    matrix[19] -= k * y * z
    matrix[20] += k * (x * x + y * y)


@system(over=CoupledBody, phase="deform_couple")
def sum_link_forces(
    n,
    e,
    link=read(CoupledBodyTopology.link),
    body=read(CoupledBodyTopology.body),
    first=read(CoupledBodyTopology.first_surface),
    end=read(CoupledBodyTopology.end_surface),
    near=read(CoupledBodySums.near),
    pair_link=read(DeformablePairTopology.link),
    node=read(SurfaceNodeTopology.node),
    mass=read(SurfaceNodeModel.mass),
    h=read(Settings.timestep),
    count=read(DeformableSettings.small_steps),
    origin=read(DeformableMotion.origin),
    place=read(CoupledLinkMotion.place),
    pair=read(NodeContactState.pair),
    load=read(NodeContactState.load),
    normal=read(NodeContactPoint.normal),
    anchor=read(NodeContactPoint.anchor),
    friction=read(NodeContactPoint.friction),
    first_tie=read(CoupledAttachments.first),
    end_tie=read(CoupledAttachments.end),
    tied=read(NodeAttachmentTopology.node),
    tie_mass=read(NodeAttachmentTopology.mass),
    mode=read(NodeAttachmentState.mode),
    tie_load=read(NodeAttachmentState.load),
    tie_anchor=read(NodeAttachmentPoint.anchor),
    position=read(NodeState.position),
    force=update(CoupledBodySums.force),
    stiffness=update(CoupledBodySums.stiffness),
):
    """Forces of contacts and attachments on a link, and how they change when it moves."""
    if near[n, e] == 0:
        return
    i, b = link[n, e], body[n, e]
    rate = real(count[0, e]) / h[0, e]
    ox, oy, oz = origin[b, 0, e] - place[i, 0, e], origin[b, 1, e] - place[i, 1, e], origin[b, 2, e] - place[i, 2, e]
    total = local(6)
    matrix = local(21)
    row = local(6)
    for k in range(6):
        total[k] = 0.0
    for k in range(21):
        matrix[k] = 0.0
    for s in range(first[n, e], end[n, e]):
        v = node[s, e]
        for slot in range(SLOTS):
            c = s * SLOTS + slot
            p = pair[c, e]
            if p >= 0 and pair_link[max(p, 0), e] == i:
                nx, ny, nz = normal[c, 0, e], normal[c, 1, e], normal[c, 2, e]
                x, y, z = position[v, 0, e], position[v, 1, e], position[v, 2, e]
                push, across, more, tx, ty, tz, _ = contact_force(
                    True, contact_stiffness(mass[s, e], rate), load[c, e], friction[c, e], nx, ny, nz,
                    x - anchor[c, 0, e], y - anchor[c, 1, e], z - anchor[c, 2, e],
                )  # fmt: skip
                if push > 0.0:
                    x, y, z = x + ox, y + oy, z + oz
                    fx, fy, fz = across * tx - push * nx, across * ty - push * ny, across * tz - push * nz
                    ux, uy, uz = cross(x, y, z, fx, fy, fz)
                    total[0] += fx
                    total[1] += fy
                    total[2] += fz
                    total[3] += ux
                    total[4] += uy
                    total[5] += uz
                    row[0] = nx
                    row[1] = ny
                    row[2] = nz
                    row[3], row[4], row[5] = cross(x, y, z, nx, ny, nz)
                    k = 0
                    for a in range(6):
                        for d in range(a, 6):
                            matrix[k] += more * row[a] * row[d]
                            k += 1
                    add_even_stiffness(matrix, across, x, y, z)
    for a in range(first_tie[n, e], end_tie[n, e]):
        v = tied[a, e]
        x, y, z = position[v, 0, e], position[v, 1, e], position[v, 2, e]
        hold = contact_stiffness(tie_mass[a, e], rate)
        fx, fy, fz, across = attachment_force(
            mode[a, e] == ON, hold, x - tie_anchor[a, 0, e], y - tie_anchor[a, 1, e],
            z - tie_anchor[a, 2, e], tie_load[a, 0, e], tie_load[a, 1, e], tie_load[a, 2, e],
        )  # fmt: skip
        x, y, z = x + ox, y + oy, z + oz
        ux, uy, uz = cross(x, y, z, fx, fy, fz)
        total[0] -= fx
        total[1] -= fy
        total[2] -= fz
        total[3] -= ux
        total[4] -= uy
        total[5] -= uz
        add_even_stiffness(matrix, across, x, y, z)
    for k in range(6):
        force[n, k, e] = total[k]
    for k in range(21):
        stiffness[n, k, e] = matrix[k]


@system(over=CoupledBody, phase="deform_finish")
def sum_link_impulses(
    n,
    e,
    link=read(CoupledBodyTopology.link),
    body=read(CoupledBodyTopology.body),
    first=read(CoupledBodyTopology.first_surface),
    end=read(CoupledBodyTopology.end_surface),
    near=read(CoupledBodySums.near),
    pair_link=read(DeformablePairTopology.link),
    node=read(SurfaceNodeTopology.node),
    origin=read(DeformableMotion.origin),
    begin=read(CoupledLinkMotion.begin),
    pair=read(NodeContactState.pair),
    pulse=read(NodeContactState.pulse),
    first_tie=read(CoupledAttachments.first),
    end_tie=read(CoupledAttachments.end),
    tied=read(NodeAttachmentTopology.node),
    mode=read(NodeAttachmentState.mode),
    pull=read(NodeAttachmentPoint.pulse),
    position=read(NodeState.position),
    impulse=write(CoupledBodySums.impulse),
):
    """What nodes have got in the small step from a link, with the sign turned."""
    px, py, pz, lx, ly, lz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    if near[n, e] != 0:
        i, b = link[n, e], body[n, e]
        for s in range(first[n, e], end[n, e]):
            v = node[s, e]
            for slot in range(SLOTS):
                c = s * SLOTS + slot
                p = pair[c, e]
                if p >= 0 and pair_link[max(p, 0), e] == i:
                    x = (origin[b, 0, e] - begin[i, 0, e]) + position[v, 0, e]
                    y = (origin[b, 1, e] - begin[i, 1, e]) + position[v, 1, e]
                    z = (origin[b, 2, e] - begin[i, 2, e]) + position[v, 2, e]
                    ux, uy, uz = cross(x, y, z, pulse[c, 0, e], pulse[c, 1, e], pulse[c, 2, e])
                    px, py, pz = px - pulse[c, 0, e], py - pulse[c, 1, e], pz - pulse[c, 2, e]
                    lx, ly, lz = lx - ux, ly - uy, lz - uz
        for a in range(first_tie[n, e], end_tie[n, e]):
            if mode[a, e] != OFF:
                v = tied[a, e]
                x = (origin[b, 0, e] - begin[i, 0, e]) + position[v, 0, e]
                y = (origin[b, 1, e] - begin[i, 1, e]) + position[v, 1, e]
                z = (origin[b, 2, e] - begin[i, 2, e]) + position[v, 2, e]
                ux, uy, uz = cross(x, y, z, pull[a, 0, e], pull[a, 1, e], pull[a, 2, e])
                px, py, pz = px - pull[a, 0, e], py - pull[a, 1, e], pz - pull[a, 2, e]
                lx, ly, lz = lx - ux, ly - uy, lz - uz
    impulse[n, 0, e], impulse[n, 1, e], impulse[n, 2, e] = px, py, pz
    impulse[n, 3, e], impulse[n, 4, e], impulse[n, 5, e] = lx, ly, lz
