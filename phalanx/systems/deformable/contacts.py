"""Contacts of nodes from substep to substep and from small step to small step: anchors, loads, slip, impulses."""

import math

from phalanx.components import (
    Coordinate,
    CoupledLink,
    CoupledLinkMotion,
    DeformableModes,
    DeformableMotion,
    DeformablePairTopology,
    DeformableSettings,
    DeformableSurface,
    DeformableTopology,
    LinkTopology,
    MeshTriangleGeometry,
    NodeContact,
    NodeContactPoint,
    NodeContactState,
    NodeState,
    NodeStep,
    NodeTarget,
    PreviousNodeContact,
    Settings,
    ShapeMaterial,
    ShapePose,
    ShapeTopology,
    SurfaceNodeModel,
    SurfaceNodeTopology,
)
from phalanx.components.node_contact import SLOTS
from phalanx.ecs import read, real, system, update, write
from phalanx.maths.kernels import cross
from phalanx.systems.collision.contacts import combine
from phalanx.systems.collision.narrow.pose import inverse_turn, turn
from phalanx.systems.deformable.contact_force import contact_force, contact_stiffness, next_load

SAME_FACE = 0.7
"""Cosine: contacts with faces of a mesh whose normals differ by more are not the same."""


@system(over=NodeContact, phase="deform_begin")
def remember_node_contacts(
    c,
    e,
    pair=read(NodeContactState.pair),
    load=read(NodeContactState.load),
    spot=read(NodeContactState.spot),
    slides=read(NodeContactState.slides),
    face=read(NodeContactState.face),
    old_pair=write(PreviousNodeContact.pair),
    old_load=write(PreviousNodeContact.load),
    old_spot=write(PreviousNodeContact.spot),
    old_slides=write(PreviousNodeContact.slides),
    old_face=write(PreviousNodeContact.face),
):
    """Keep what the last substep has left."""
    old_pair[c, e] = pair[c, e]
    old_load[c, e] = load[c, e]
    old_slides[c, e] = slides[c, e]
    old_face[c, e] = face[c, e]
    for k in range(3):
        old_spot[c, k, e] = spot[c, k, e]


@system(over=NodeContact, phase="deform_begin")
def begin_node_contacts(
    c,
    e,
    node=read(SurfaceNodeTopology.node),
    body=read(SurfaceNodeTopology.body),
    mass=read(SurfaceNodeModel.mass),
    h=read(Settings.timestep),
    count=read(DeformableSettings.small_steps),
    shape=read(DeformablePairTopology.shape),
    plane=read(DeformablePairTopology.plane),
    static=read(DeformableSurface.static_friction),
    dynamic=read(DeformableSurface.dynamic_friction),
    mode=read(DeformableSurface.friction_mode),
    shape_static=read(ShapeMaterial.static_friction),
    shape_dynamic=read(ShapeMaterial.dynamic_friction),
    shape_mode=read(ShapeMaterial.friction_mode),
    link=read(ShapeTopology.link),
    root=read(LinkTopology.root),
    coord=read(LinkTopology.coord),
    q=read(Coordinate.value),
    offset=read(ShapePose.offset),
    rotation=read(ShapePose.rotation),
    old_pair=read(PreviousNodeContact.pair),
    old_load=read(PreviousNodeContact.load),
    old_spot=read(PreviousNodeContact.spot),
    old_slides=read(PreviousNodeContact.slides),
    old_face=read(PreviousNodeContact.face),
    face_normal=read(MeshTriangleGeometry.normal),
    origin=read(DeformableMotion.origin),
    position=read(NodeState.position),
    pair=read(NodeContactState.pair),
    face=read(NodeContactState.face),
    gap=read(NodeContactPoint.gap),
    normal=read(NodeContactPoint.normal),
    load=write(NodeContactState.load),
    spot=write(NodeContactState.spot),
    slides=write(NodeContactState.slides),
    impulse=write(NodeContactState.impulse),
    moment=write(NodeContactState.moment),
    anchor=write(NodeContactPoint.anchor),
    friction=write(NodeContactPoint.friction),
):
    """A contact goes on with what the node had with the same shape, of a mesh the same face or one that is nearly as
    steep; a new one begins where the node is, and unloaded:
    what overlaps at first is not thrown out but moved, at a pace that loads learn.

    What holds a node is a point of the shape, wherever that has been moved meanwhile.
    """
    n = c // SLOTS
    v = node[n, e]
    p = pair[c, e]
    on = p >= 0
    s = shape[max(p, 0), e]
    b = body[n, e]
    moves = on and plane[max(p, 0), e] < 0
    keeps, sliding, old = 0.0, 0, -1
    best = SAME_FACE
    for k in range(SLOTS):
        o = n * SLOTS + k
        alike = 1.0
        if on and face[c, e] >= 0 and old_face[o, e] >= 0:
            i, j = face[c, e] // 2, old_face[o, e] // 2
            alike = face_normal[i, 0, e] * face_normal[j, 0, e] + face_normal[i, 1, e] * face_normal[j, 1, e]
            alike += face_normal[i, 2, e] * face_normal[j, 2, e]
            alike = alike if face[c, e] % 2 == old_face[o, e] % 2 else -alike
        if on and old_pair[o, e] == p and alike > best:
            best = alike
            keeps = old_load[o, e]
            sliding = old_slides[o, e]
            old = o
    ox, oy, oz = origin[b, 0, e], origin[b, 1, e], origin[b, 2, e]
    if moves:  # else it has no link
        i = coord[root[link[s, e], e], e]
        ox -= q[i, e] + offset[s, 0, e]
        oy -= q[i + 1, e] + offset[s, 1, e]
        oz -= q[i + 2, e] + offset[s, 2, e]
    r0, r1, r2 = rotation[s, 0, e], rotation[s, 1, e], rotation[s, 2, e]
    r3, r4, r5 = rotation[s, 3, e], rotation[s, 4, e], rotation[s, 5, e]
    r6, r7, r8 = rotation[s, 6, e], rotation[s, 7, e], rotation[s, 8, e]
    px, py, pz = position[v, 0, e], position[v, 1, e], position[v, 2, e]
    nx, ny, nz = normal[c, 0, e], normal[c, 1, e], normal[c, 2, e]
    x, y, z = 0.0, 0.0, 0.0
    if old >= 0:
        x, y, z = old_spot[old, 0, e], old_spot[old, 1, e], old_spot[old, 2, e]
        ux, uy, uz = turn(r0, r1, r2, r3, r4, r5, r6, r7, r8, x, y, z)
        x, y, z = px - ((ux if moves else x) - ox), py - ((uy if moves else y) - oy), pz - ((uz if moves else z) - oz)
        along = x * nx + y * ny + z * nz
        x, y, z = x - along * nx, y - along * ny, z - along * nz
    d = gap[c, e]
    stiffness = contact_stiffness(mass[c // SLOTS, e], real(count[0, e]) / h[0, e])
    load[c, e] = keeps if old >= 0 else (stiffness * min(d, 0.0) if on else 0.0)
    slides[c, e] = sliding
    x, y, z = px - d * nx - x, py - d * ny - y, pz - d * nz - z
    anchor[c, 0, e], anchor[c, 1, e], anchor[c, 2, e] = x, y, z
    x, y, z = x + ox, y + oy, z + oz
    ux, uy, uz = inverse_turn(r0, r1, r2, r3, r4, r5, r6, r7, r8, x, y, z)
    spot[c, 0, e], spot[c, 1, e], spot[c, 2, e] = ux if moves else x, uy if moves else y, uz if moves else z
    both = max(mode[b, e], shape_mode[s, e])
    rubs = combine(both, dynamic[b, e], shape_dynamic[s, e])
    sticks = combine(both, static[b, e], shape_static[s, e])
    friction[c, e] = rubs if sliding == 1 else sticks
    for k in range(3):
        impulse[c, k, e] = 0.0
        moment[c, k, e] = 0.0


@system(over=NodeContact, phase="deform_predict", needs=CoupledLink)
def move_anchors(
    c,
    e,
    body=read(SurfaceNodeTopology.body),
    link=read(DeformablePairTopology.link),
    h=read(Settings.timestep),
    count=read(DeformableSettings.small_steps),
    origin=read(DeformableMotion.origin),
    place=read(CoupledLinkMotion.place),
    velocity=read(CoupledLinkMotion.velocity),
    pair=read(NodeContactState.pair),
    anchor=update(NodeContactPoint.anchor),
):
    """Anchors go with their shapes."""
    p = pair[c, e]
    i = link[max(p, 0), e]
    if p >= 0 and i >= 0:
        b = body[c // SLOTS, e]
        step = h[0, e] / real(count[0, e])
        x = (origin[b, 0, e] - place[i, 0, e]) + anchor[c, 0, e]
        y = (origin[b, 1, e] - place[i, 1, e]) + anchor[c, 1, e]
        z = (origin[b, 2, e] - place[i, 2, e]) + anchor[c, 2, e]
        ux, uy, uz = cross(velocity[i, 3, e], velocity[i, 4, e], velocity[i, 5, e], x, y, z)
        anchor[c, 0, e] += step * (velocity[i, 0, e] + ux)
        anchor[c, 1, e] += step * (velocity[i, 1, e] + uy)
        anchor[c, 2, e] += step * (velocity[i, 2, e] + uz)


@system(over=NodeContact, phase="deform_modes")
def add_impulses(
    c,
    e,
    node=read(SurfaceNodeTopology.node),
    body=read(SurfaceNodeTopology.body),
    loose=read(DeformableTopology.loose),
    mass=read(SurfaceNodeModel.mass),
    h=read(Settings.timestep),
    count=read(DeformableSettings.small_steps),
    held=read(NodeTarget.held),
    pair=read(NodeContactState.pair),
    load=read(NodeContactState.load),
    normal=read(NodeContactPoint.normal),
    anchor=read(NodeContactPoint.anchor),
    friction=read(NodeContactPoint.friction),
    position=read(NodeState.position),
    move=read(DeformableModes.move),
    middle=read(DeformableModes.middle),
    impulse=update(NodeContactState.impulse),
    moment=update(NodeContactState.moment),
    pulse=update(NodeContactState.pulse),
):
    """The impulse of the small step, as the move of the body has changed it, within the cone of friction.

    This and no other is what the body gets and what the link of the shape gets, however far the sweeps have come.
    """
    n = c // SLOTS
    v = node[n, e]
    b = body[n, e]
    if loose[b, e] != 0:
        return
    step = h[0, e] / real(count[0, e])
    nx, ny, nz = normal[c, 0, e], normal[c, 1, e], normal[c, 2, e]
    px, py, pz = position[v, 0, e], position[v, 1, e], position[v, 2, e]
    push, across, more, tx, ty, tz, _ = contact_force(
        pair[c, e] >= 0, contact_stiffness(mass[c // SLOTS, e], 1.0 / step), load[c, e], friction[c, e], nx, ny, nz,
        px - anchor[c, 0, e], py - anchor[c, 1, e], pz - anchor[c, 2, e],
    )  # fmt: skip
    wx, wy, wz = cross(move[b, 3, e], move[b, 4, e], move[b, 5, e], px, py, pz)
    free = 1.0 if held[v, e] == 0 else 0.0
    dx, dy, dz = free * (move[b, 0, e] + wx), free * (move[b, 1, e] + wy), free * (move[b, 2, e] + wz)
    along = nx * dx + ny * dy + nz * dz
    tx, ty, tz = across * (tx + dx - along * nx), across * (ty + dy - along * ny), across * (tz + dz - along * nz)
    push = max(push - (more + across) * along, 0.0)
    rub = math.sqrt(tx * tx + ty * ty + tz * tz)
    bound = friction[c, e] * push
    scale = bound / rub if (more > 0.0 or rub > bound) and rub > 0.0 else 1.0  # what slides rubs as much as it may
    x, y, z = step * (push * nx - scale * tx), step * (push * ny - scale * ty), step * (push * nz - scale * tz)
    pulse[c, 0, e], pulse[c, 1, e], pulse[c, 2, e] = x, y, z
    impulse[c, 0, e] += x
    impulse[c, 1, e] += y
    impulse[c, 2, e] += z
    ux, uy, uz = cross(px + dx - middle[b, 0, e], py + dy - middle[b, 1, e], pz + dz - middle[b, 2, e], x, y, z)
    moment[c, 0, e] += ux
    moment[c, 1, e] += uy
    moment[c, 2, e] += uz


@system(over=NodeContact, phase="deform_finish")
def finish_node_contacts(
    c,
    e,
    node=read(SurfaceNodeTopology.node),
    body=read(SurfaceNodeTopology.body),
    loose=read(DeformableTopology.loose),
    mass=read(SurfaceNodeModel.mass),
    h=read(Settings.timestep),
    count=read(DeformableSettings.small_steps),
    shape=read(DeformablePairTopology.shape),
    plane=read(DeformablePairTopology.plane),
    rotation=read(ShapePose.rotation),
    pair=read(NodeContactState.pair),
    normal=read(NodeContactPoint.normal),
    friction=read(NodeContactPoint.friction),
    begin=read(NodeStep.start),
    middle=read(DeformableModes.middle),
    ahead=read(DeformableModes.ahead),
    position=read(NodeState.position),
    anchor=update(NodeContactPoint.anchor),
    gap=update(NodeContactPoint.gap),
    load=update(NodeContactState.load),
    spot=update(NodeContactState.spot),
    slides=update(NodeContactState.slides),
):
    """What slides takes its anchor along; loads take over some of what overlaps push with."""
    v = node[c // SLOTS, e]
    b = body[c // SLOTS, e]
    if loose[b, e] != 0:
        return
    rate = real(count[0, e]) / h[0, e]
    stiffness = contact_stiffness(mass[c // SLOTS, e], rate)
    nx, ny, nz = normal[c, 0, e], normal[c, 1, e], normal[c, 2, e]
    on = pair[c, e] >= 0
    _, across, _, tx, ty, tz, now = contact_force(
        on, stiffness, load[c, e], friction[c, e], nx, ny, nz,
        position[v, 0, e] - anchor[c, 0, e],
        position[v, 1, e] - anchor[c, 1, e],
        position[v, 2, e] - anchor[c, 2, e],
    )  # fmt: skip
    share = across / stiffness
    slides[c, e] = 1 if on and share < 1.0 else 0
    x, y, z = (1.0 - share) * tx, (1.0 - share) * ty, (1.0 - share) * tz
    anchor[c, 0, e] += x
    anchor[c, 1, e] += y
    anchor[c, 2, e] += z
    p = max(pair[c, e], 0)
    s = shape[p, e]
    ux, uy, uz = inverse_turn(
        rotation[s, 0, e], rotation[s, 1, e], rotation[s, 2, e], rotation[s, 3, e], rotation[s, 4, e],
        rotation[s, 5, e], rotation[s, 6, e], rotation[s, 7, e], rotation[s, 8, e], x, y, z,
    )  # fmt: skip
    moves = plane[p, e] < 0
    spot[c, 0, e] += ux if moves else x
    spot[c, 1, e] += uy if moves else y
    spot[c, 2, e] += uz if moves else z
    opens = now - gap[c, e]
    ux, uy, uz = ahead[b, 0, e] - middle[b, 0, e], ahead[b, 1, e] - middle[b, 1, e], ahead[b, 2, e] - middle[b, 2, e]
    ux, uy, uz = ux - position[v, 0, e], uy - position[v, 1, e], uz - position[v, 2, e]
    ux, uy, uz = ux + begin[v, 0, e], uy + begin[v, 1, e], uz + begin[v, 2, e]
    leaves = opens + (nx * ux + ny * uy + nz * uz)  # by the way of the centre of mass, in place of the node's
    load[c, e] = next_load(on, stiffness, load[c, e], now, min(opens, leaves) * rate)
    gap[c, e] = now
