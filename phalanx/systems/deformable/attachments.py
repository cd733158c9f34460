"""Nodes that are tied to links or to the world: anchors, impulses and loads, as contacts have them, but both ways."""

from phalanx.components import (
    Coordinate,
    CoupledLinkMotion,
    DeformableModes,
    DeformableMotion,
    DeformableSettings,
    LinkPose,
    LinkTopology,
    NodeAttachment,
    NodeAttachmentPoint,
    NodeAttachmentState,
    NodeAttachmentTopology,
    NodeState,
    NodeTarget,
    NodeTopology,
    Settings,
)
from phalanx.components.node_attachment import OFF, ON, PLACE
from phalanx.ecs import function, read, real, system, update, write
from phalanx.maths.kernels import cross
from phalanx.systems.collision.narrow.pose import inverse_turn, turn
from phalanx.systems.deformable.contact_force import contact_stiffness


@function
def attachment_force(on, stiffness, x, y, z, lx, ly, lz):
    """Force of an attachment on its node, and its stiffness, the same in all directions; 0 where there is none.

    Args:
        on: whether the node is tied.
        stiffness: of the spring, N/m.
        x, y, z: the node, from its anchor.
        lx, ly, lz: NodeAttachmentState.load.
    """
    k = stiffness if on else 0.0
    fx = lx - stiffness * x if on else 0.0
    fy = ly - stiffness * y if on else 0.0
    fz = lz - stiffness * z if on else 0.0
    return fx, fy, fz, k


@system(over=NodeAttachment, phase="deform_begin")
def begin_attachments(
    a,
    e,
    node=read(NodeAttachmentTopology.node),
    link=read(NodeAttachmentTopology.link),
    body=read(NodeTopology.body),
    root=read(LinkTopology.root),
    coord=read(LinkTopology.coord),
    q=read(Coordinate.value),
    offset=read(LinkPose.offset),
    rotation=read(LinkPose.rotation),
    origin=read(DeformableMotion.origin),
    position=read(NodeState.position),
    mode=update(NodeAttachmentState.mode),
    spot=update(NodeAttachmentState.spot),
    impulse=write(NodeAttachmentState.impulse),
    anchor=write(NodeAttachmentPoint.anchor),
    moment=write(NodeAttachmentPoint.moment),
):
    """Anchors are where links have them; those that have no place yet get that of their node."""
    v = node[a, e]
    b = body[v, e]
    i = link[a, e]
    ox, oy, oz = -origin[b, 0, e], -origin[b, 1, e], -origin[b, 2, e]
    r0, r1, r2, r3, r4, r5, r6, r7, r8 = 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0
    if i >= 0:
        k = coord[root[i, e], e]
        ox = (ox + q[k, e]) + offset[i, 0, e]
        oy = (oy + q[k + 1, e]) + offset[i, 1, e]
        oz = (oz + q[k + 2, e]) + offset[i, 2, e]
        r0, r1, r2 = rotation[i, 0, e], rotation[i, 1, e], rotation[i, 2, e]
        r3, r4, r5 = rotation[i, 3, e], rotation[i, 4, e], rotation[i, 5, e]
        r6, r7, r8 = rotation[i, 6, e], rotation[i, 7, e], rotation[i, 8, e]
    if mode[a, e] == PLACE:
        x, y, z = position[v, 0, e] - ox, position[v, 1, e] - oy, position[v, 2, e] - oz
        ux, uy, uz = inverse_turn(r0, r1, r2, r3, r4, r5, r6, r7, r8, x, y, z)
        spot[a, 0, e], spot[a, 1, e], spot[a, 2, e] = ux, uy, uz
        mode[a, e] = ON
    x, y, z = turn(r0, r1, r2, r3, r4, r5, r6, r7, r8, spot[a, 0, e], spot[a, 1, e], spot[a, 2, e])
    anchor[a, 0, e], anchor[a, 1, e], anchor[a, 2, e] = x + ox, y + oy, z + oz
    for j in range(3):
        impulse[a, j, e] = 0.0
        moment[a, j, e] = 0.0


@system(over=NodeAttachment, phase="deform_predict")
def move_attachments(
    a,
    e,
    node=read(NodeAttachmentTopology.node),
    coupled=read(NodeAttachmentTopology.coupled),
    body=read(NodeTopology.body),
    h=read(Settings.timestep),
    count=read(DeformableSettings.small_steps),
    origin=read(DeformableMotion.origin),
    place=read(CoupledLinkMotion.place),
    velocity=read(CoupledLinkMotion.velocity),
    anchor=update(NodeAttachmentPoint.anchor),
):
    """Anchors go with their links."""
    i = coupled[a, e]
    if i >= 0:
        b = body[node[a, e], e]
        step = h[0, e] / real(count[0, e])
        x = (origin[b, 0, e] - place[i, 0, e]) + anchor[a, 0, e]
        y = (origin[b, 1, e] - place[i, 1, e]) + anchor[a, 1, e]
        z = (origin[b, 2, e] - place[i, 2, e]) + anchor[a, 2, e]
        ux, uy, uz = cross(velocity[i, 3, e], velocity[i, 4, e], velocity[i, 5, e], x, y, z)
        anchor[a, 0, e] += step * (velocity[i, 0, e] + ux)
        anchor[a, 1, e] += step * (velocity[i, 1, e] + uy)
        anchor[a, 2, e] += step * (velocity[i, 2, e] + uz)


@system(over=NodeAttachment, phase="deform_couple")
def give_attachments(
    a,
    e,
    node=read(NodeAttachmentTopology.node),
    coupled=read(NodeAttachmentTopology.coupled),
    body=read(NodeTopology.body),
    origin=read(DeformableMotion.origin),
    place=read(CoupledLinkMotion.place),
    give=read(CoupledLinkMotion.give),
    anchor=update(NodeAttachmentPoint.anchor),
):
    """Anchors give way with their links."""
    i = coupled[a, e]
    if i >= 0:
        b = body[node[a, e], e]
        x = (origin[b, 0, e] - place[i, 0, e]) + anchor[a, 0, e]
        y = (origin[b, 1, e] - place[i, 1, e]) + anchor[a, 1, e]
        z = (origin[b, 2, e] - place[i, 2, e]) + anchor[a, 2, e]
        ux, uy, uz = cross(give[i, 3, e], give[i, 4, e], give[i, 5, e], x, y, z)
        anchor[a, 0, e] += give[i, 0, e] + ux
        anchor[a, 1, e] += give[i, 1, e] + uy
        anchor[a, 2, e] += give[i, 2, e] + uz


@system(over=NodeAttachment, phase="deform_modes")
def add_attachment_impulses(
    a,
    e,
    node=read(NodeAttachmentTopology.node),
    body=read(NodeTopology.body),
    mass=read(NodeAttachmentTopology.mass),
    h=read(Settings.timestep),
    count=read(DeformableSettings.small_steps),
    held=read(NodeTarget.held),
    mode=read(NodeAttachmentState.mode),
    load=read(NodeAttachmentState.load),
    anchor=read(NodeAttachmentPoint.anchor),
    position=read(NodeState.position),
    move=read(DeformableModes.move),
    middle=read(DeformableModes.middle),
    impulse=update(NodeAttachmentState.impulse),
    moment=update(NodeAttachmentPoint.moment),
    pulse=write(NodeAttachmentPoint.pulse),
):
    """The impulse of the small step, where the move of the body takes the node: what body and link get of it."""
    v = node[a, e]
    b = body[v, e]
    step = h[0, e] / real(count[0, e])
    px, py, pz = position[v, 0, e], position[v, 1, e], position[v, 2, e]
    ux, uy, uz = cross(move[b, 3, e], move[b, 4, e], move[b, 5, e], px, py, pz)
    free = 1.0 if held[v, e] == 0 else 0.0
    px, py, pz = px + free * (move[b, 0, e] + ux), py + free * (move[b, 1, e] + uy), pz + free * (move[b, 2, e] + uz)
    stiffness = contact_stiffness(mass[a, e], 1.0 / step)
    fx, fy, fz, _ = attachment_force(
        mode[a, e] == ON, stiffness, px - anchor[a, 0, e], py - anchor[a, 1, e], pz - anchor[a, 2, e],
        load[a, 0, e], load[a, 1, e], load[a, 2, e],
    )  # fmt: skip
    x, y, z = step * fx, step * fy, step * fz
    pulse[a, 0, e], pulse[a, 1, e], pulse[a, 2, e] = x, y, z
    impulse[a, 0, e] += x
    impulse[a, 1, e] += y
    impulse[a, 2, e] += z
    ux, uy, uz = cross(px - middle[b, 0, e], py - middle[b, 1, e], pz - middle[b, 2, e], x, y, z)
    moment[a, 0, e] += ux
    moment[a, 1, e] += uy
    moment[a, 2, e] += uz


@system(over=NodeAttachment, phase="deform_finish")
def finish_attachments(
    a,
    e,
    node=read(NodeAttachmentTopology.node),
    mass=read(NodeAttachmentTopology.mass),
    learning=read(NodeAttachmentTopology.learning),
    h=read(Settings.timestep),
    count=read(DeformableSettings.small_steps),
    mode=read(NodeAttachmentState.mode),
    anchor=read(NodeAttachmentPoint.anchor),
    position=read(NodeState.position),
    load=update(NodeAttachmentState.load),
):
    """Loads take over some of what springs hold."""
    v = node[a, e]
    share = learning[a, e] * contact_stiffness(mass[a, e], real(count[0, e]) / h[0, e])
    for k in range(3):
        kept = load[a, k, e] - share * (position[v, k, e] - anchor[a, k, e])
        load[a, k, e] = 0.0 if mode[a, e] == OFF else kept
