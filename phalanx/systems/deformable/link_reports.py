"""What deformable bodies do to rigid ones, as reports of contact forces and of joints have it."""

from phalanx.components import (
    Body,
    BodyContact,
    BodyFrame,
    BodyReaction,
    BodyTopology,
    CoupledLink,
    CoupledLinkMotion,
    CoupledLinkTopology,
    DeformablePairTopology,
    NodeContact,
    NodeContactPoint,
    NodeContactState,
    Settings,
    ShapeTopology,
)
from phalanx.ecs import read, rows, system, update


@system(phase="query_contacts", needs=NodeContact)
def clear_contact_forces(lanes, bodies=rows(Body), force=update(BodyContact.force)):
    """Begin with nothing, also where no rigid bodies can touch each other."""
    for b in range(bodies):
        for k in range(3):
            for e in lanes:
                force[b, k, e] = 0.0


@system(phase="query_contacts", needs=NodeContact)
def contact_forces_of_nodes(
    lanes,
    contacts=rows(NodeContact),
    h=read(Settings.timestep),
    link=read(ShapeTopology.link),
    body=read(ShapeTopology.body),
    shape=read(DeformablePairTopology.shape),
    plane=read(DeformablePairTopology.plane),
    pair=read(NodeContactState.pair),
    impulse=read(NodeContactState.impulse),
    force=update(BodyContact.force),
):
    """Add what nodes push with to the contact forces of bodies, in the order of slots."""
    for c in range(contacts):
        for e in lanes:
            p = pair[c, e]
            if p >= 0 and plane[max(p, 0), 0] < 0:
                s = shape[max(p, 0), 0]
                if link[s, 0] >= 0:
                    b = body[s, 0]
                    force[b, 0, e] -= impulse[c, 0, e] / h[0, e]
                    force[b, 1, e] -= impulse[c, 1, e] / h[0, e]
                    force[b, 2, e] -= impulse[c, 2, e] / h[0, e]


@system(phase="query_contact_wrenches", needs=NodeContact)
def clear_normal_forces(lanes, bodies=rows(Body), force=update(BodyContact.normal_force)):
    """Begin with nothing, also where no rigid bodies can touch each other."""
    for b in range(bodies):
        for k in range(3):
            for e in lanes:
                force[b, k, e] = 0.0


@system(phase="query_contact_wrenches", needs=NodeContact)
def normal_forces_of_nodes(
    lanes,
    contacts=rows(NodeContact),
    h=read(Settings.timestep),
    link=read(ShapeTopology.link),
    body=read(ShapeTopology.body),
    shape=read(DeformablePairTopology.shape),
    plane=read(DeformablePairTopology.plane),
    pair=read(NodeContactState.pair),
    impulse=read(NodeContactState.impulse),
    normal=read(NodeContactPoint.normal),
    force=update(BodyContact.normal_force),
):
    """Add the normal part of what nodes push with, in the order of slots."""
    for c in range(contacts):
        for e in lanes:
            p = pair[c, e]
            if p >= 0 and plane[max(p, 0), 0] < 0:
                s = shape[max(p, 0), 0]
                if link[s, 0] >= 0:
                    b = body[s, 0]
                    nx, ny, nz = normal[c, 0, e], normal[c, 1, e], normal[c, 2, e]
                    push = nx * impulse[c, 0, e] + ny * impulse[c, 1, e] + nz * impulse[c, 2, e]
                    push /= h[0, e]
                    force[b, 0, e] -= push * nx
                    force[b, 1, e] -= push * ny
                    force[b, 2, e] -= push * nz


BEFORE = ("tendon_reactions", "fluid_reactions", "loop_reactions", "loop_limit_reactions")
"""Reports that add to the same sums, where a world has them."""


@system(phase="query_joints", needs=CoupledLink)
def deformable_reactions(
    lanes,
    coupled=rows(CoupledLink),
    bodies=rows(Body),
    h=read(Settings.timestep),
    own=read(CoupledLinkTopology.link),
    link=read(BodyFrame.link),
    carrier=read(BodyTopology.carrier),
    impulse=read(CoupledLinkMotion.impulse),
    acting=update(BodyReaction.acting),
):
    """Add what contacts with deformable bodies and ties to them do to a link, at the body that carries it."""
    for n in range(coupled):
        for b in range(bodies):
            if link[b, 0] == own[n, 0] and carrier[b, 0] == b:
                for k in range(3):
                    for e in lanes:
                        acting[b, k, e] += impulse[n, 3 + k, e] / h[0, e]
                        acting[b, 3 + k, e] += impulse[n, k, e] / h[0, e]
