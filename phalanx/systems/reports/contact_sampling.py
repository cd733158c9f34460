"""Samples of contacts within a step: points, normals, forces and separations, of as many as there is room for."""

from phalanx.components import (
    ContactCount,
    ContactImpulse,
    ContactPoint,
    Coordinate,
    DofSolve,
    LinkTopology,
    SampledContact,
    SampleSlot,
    Settings,
    ShapeTopology,
    Status,
)
from phalanx.components.link import FREE
from phalanx.ecs import Field, System, read, system, write
from phalanx.maths.kernels import cross


@system(phase="sample")
def sample_contact_points(
    lanes,
    slot=read(SampleSlot.current),
    room=read(SampleSlot.contacts),
    contacts=read(ContactCount.current),
    link=read(ShapeTopology.link),
    root=read(LinkTopology.root),
    coord=read(LinkTopology.coord),
    joint_type=read(LinkTopology.joint_type),
    first_dof=read(LinkTopology.first_dof),
    q=read(Coordinate.value),
    displacement=read(DofSolve.displacement),
    diverged=read(Status.diverged),
    shape_a=read(ContactPoint.a),
    arm=read(ContactPoint.arm_a),
    sample=write(SampledContact.point),
):
    """Where surfaces met when the last substep began: arms are from where the root of a's tree was then."""
    count = room[0, lanes[0]]
    first = slot[0, lanes[0]] * count
    for c in range(count):
        for e in lanes:
            x, y, z = 0.0, 0.0, 0.0
            if c < contacts[0, e]:
                i = root[link[shape_a[c, e], e], e]
                at = coord[i, e]
                gone = joint_type[i, e] == FREE and diverged[0, e] == 0
                d = first_dof[i, e] if gone else 0
                x = q[at, e] - (displacement[d, e] if gone else 0.0) + arm[c, 0, e]
                y = q[at + 1, e] - (displacement[d + 1, e] if gone else 0.0) + arm[c, 1, e]
                z = q[at + 2, e] - (displacement[d + 2, e] if gone else 0.0) + arm[c, 2, e]
            sample[first + c, 0, e] = x
            sample[first + c, 1, e] = y
            sample[first + c, 2, e] = z


@system(phase="sample")
def sample_contact_normals(
    lanes,
    slot=read(SampleSlot.current),
    room=read(SampleSlot.contacts),
    contacts=read(ContactCount.current),
    normal=read(ContactPoint.normal),
    sample=write(SampledContact.normal),
):
    """Unit normals, from b to a."""
    count = room[0, lanes[0]]
    first = slot[0, lanes[0]] * count
    for c in range(count):
        for k in range(3):
            for e in lanes:
                sample[first + c, k, e] = normal[c, k, e] if c < contacts[0, e] else 0.0


@system(phase="sample")
def sample_contact_forces(
    lanes,
    slot=read(SampleSlot.current),
    room=read(SampleSlot.contacts),
    h=read(Settings.timestep),
    contacts=read(ContactCount.current),
    normal=read(ContactPoint.normal),
    tangent=read(ContactPoint.tangent),
    impulse=read(ContactImpulse.value),
    sample=write(SampledContact.force),
):
    """Forces on a: normal part and friction, over the last substep."""
    count = room[0, lanes[0]]
    first = slot[0, lanes[0]] * count
    for c in range(count):
        for e in lanes:
            x, y, z = 0.0, 0.0, 0.0
            if c < contacts[0, e]:
                nx, ny, nz = normal[c, 0, e], normal[c, 1, e], normal[c, 2, e]
                tx, ty, tz = tangent[c, 0, e], tangent[c, 1, e], tangent[c, 2, e]
                bx, by, bz = cross(nx, ny, nz, tx, ty, tz)
                rate = 1.0 / h[0, e]
                p, q, r = impulse[c, 0, e] * rate, impulse[c, 1, e] * rate, impulse[c, 2, e] * rate
                x, y, z = p * nx + q * tx + r * bx, p * ny + q * ty + r * by, p * nz + q * tz + r * bz
            sample[first + c, 0, e] = x
            sample[first + c, 1, e] = y
            sample[first + c, 2, e] = z


@system(phase="sample")
def sample_contact_separations(
    lanes,
    slot=read(SampleSlot.current),
    room=read(SampleSlot.contacts),
    contacts=read(ContactCount.current),
    separation=read(ContactPoint.separation),
    sample=write(SampledContact.separation),
):
    """Distances of surfaces, negative when they overlap."""
    count = room[0, lanes[0]]
    first = slot[0, lanes[0]] * count
    for c in range(count):
        for e in lanes:
            sample[first + c, e] = separation[c, e] if c < contacts[0, e] else 0.0


SYSTEMS: dict[Field, tuple[System, Field]] = {
    ContactPoint.arm_a: (sample_contact_points, SampledContact.point),
    ContactPoint.normal: (sample_contact_normals, SampledContact.normal),
    ContactImpulse.value: (sample_contact_forces, SampledContact.force),
    ContactPoint.separation: (sample_contact_separations, SampledContact.separation),
}
"""By the field that names what is sampled: the system, and where it keeps it."""
