"""Where links are and how they move, from generalised positions and velocities."""

from phalanx.components import (
    Body,
    BodyFrame,
    BodyState,
    Coordinate,
    Dof,
    DofMotion,
    DofState,
    DofTopology,
    JointFrame,
    Link,
    LinkPose,
    LinkTopology,
)
from phalanx.components.link import PRISMATIC, REVOLUTE, SPHERICAL
from phalanx.ecs import read, system, update, write
from phalanx.systems.math3d import cross, quaternion_product, rotate, rotation_matrix, sine_cosine


@system(over=Link, order="forward", phase="kinematics")
def place_links(
    i,
    e,
    parent=read(LinkTopology.parent),
    joint_type=read(LinkTopology.joint_type),
    coord=read(LinkTopology.coord),
    origin=read(JointFrame.position),
    frame=read(JointFrame.orientation),
    axis=read(JointFrame.axis),
    q=read(Coordinate.value),
    position=write(LinkPose.position),
    orientation=write(LinkPose.orientation),
    rotation=write(LinkPose.rotation),
):
    """Forward kinematics: pose of the link = pose of the parent * joint frame * joint motion."""
    kind = joint_type[i, e]
    k = coord[i, e]
    if kind == REVOLUTE:
        s, w = sine_cosine(0.5 * q[k, e])
        x, y, z = s * axis[i, 0, e], s * axis[i, 1, e], s * axis[i, 2, e]
        dx, dy, dz = 0.0, 0.0, 0.0
    elif kind == PRISMATIC:
        w, x, y, z = 1.0, 0.0, 0.0, 0.0
        dx, dy, dz = q[k, e] * axis[i, 0, e], q[k, e] * axis[i, 1, e], q[k, e] * axis[i, 2, e]
    elif kind == SPHERICAL:
        w, x, y, z = q[k, e], q[k + 1, e], q[k + 2, e], q[k + 3, e]
        dx, dy, dz = 0.0, 0.0, 0.0
    else:
        dx, dy, dz = q[k, e], q[k + 1, e], q[k + 2, e]
        w, x, y, z = q[k + 3, e], q[k + 4, e], q[k + 5, e], q[k + 6, e]
    fw, fx, fy, fz = frame[i, 0, e], frame[i, 1, e], frame[i, 2, e], frame[i, 3, e]
    dx, dy, dz = rotate(fw, fx, fy, fz, dx, dy, dz)
    px, py, pz = dx + origin[i, 0, e], dy + origin[i, 1, e], dz + origin[i, 2, e]
    w, x, y, z = quaternion_product(fw, fx, fy, fz, w, x, y, z)
    p = parent[i, e]
    if p >= 0:
        aw, ax, ay, az = orientation[p, 0, e], orientation[p, 1, e], orientation[p, 2, e], orientation[p, 3, e]
        px, py, pz = rotate(aw, ax, ay, az, px, py, pz)
        px, py, pz = px + position[p, 0, e], py + position[p, 1, e], pz + position[p, 2, e]
        w, x, y, z = quaternion_product(aw, ax, ay, az, w, x, y, z)
    position[i, 0, e], position[i, 1, e], position[i, 2, e] = px, py, pz
    orientation[i, 0, e], orientation[i, 1, e], orientation[i, 2, e], orientation[i, 3, e] = w, x, y, z
    a, b, c, d, f, g, h, m, n = rotation_matrix(w, x, y, z)
    rotation[i, 0, e], rotation[i, 1, e], rotation[i, 2, e] = a, b, c
    rotation[i, 3, e], rotation[i, 4, e], rotation[i, 5, e] = d, f, g
    rotation[i, 6, e], rotation[i, 7, e], rotation[i, 8, e] = h, m, n


@system(over=Dof, phase="kinematics")
def motion_axes(
    d,
    e,
    link=read(DofTopology.link),
    angular=read(DofTopology.angular),
    which=read(DofTopology.axis),
    parent=read(LinkTopology.parent),
    root=read(LinkTopology.root),
    frame=read(JointFrame.orientation),
    joint_axis=read(JointFrame.axis),
    position=read(LinkPose.position),
    orientation=read(LinkPose.orientation),
    axis=write(DofMotion.axis),
):
    """The motion subspace of each dof, world axes, about the reference point."""
    i = link[d, e]
    k = which[d, e]
    if k < 0:
        x, y, z = joint_axis[i, 0, e], joint_axis[i, 1, e], joint_axis[i, 2, e]
    else:
        x = 1.0 if k == 0 else 0.0
        y = 1.0 if k == 1 else 0.0
        z = 1.0 if k == 2 else 0.0
    x, y, z = rotate(frame[i, 0, e], frame[i, 1, e], frame[i, 2, e], frame[i, 3, e], x, y, z)
    p = parent[i, e]
    if p >= 0:
        x, y, z = rotate(
            orientation[p, 0, e], orientation[p, 1, e], orientation[p, 2, e], orientation[p, 3, e], x, y, z
        )
    if angular[d, e] == 1:
        r = root[i, e]
        mx, my, mz = cross(
            position[i, 0, e] - position[r, 0, e],
            position[i, 1, e] - position[r, 1, e],
            position[i, 2, e] - position[r, 2, e],
            x,
            y,
            z,
        )
        axis[d, 0, e], axis[d, 1, e], axis[d, 2, e] = x, y, z
        axis[d, 3, e], axis[d, 4, e], axis[d, 5, e] = mx, my, mz
    else:
        axis[d, 0, e], axis[d, 1, e], axis[d, 2, e] = 0.0, 0.0, 0.0
        axis[d, 3, e], axis[d, 4, e], axis[d, 5, e] = x, y, z


@system(over=Dof, order="forward", phase="kinematics")
def spatial_velocities(
    d,
    e,
    parent=read(DofTopology.parent),
    axis=read(DofMotion.axis),
    qd=read(DofState.velocity),
    velocity=write(DofMotion.velocity),
):
    """Velocity after a dof = velocity before it + axis * generalised velocity."""
    p = parent[d, e]
    u = qd[d, e]
    if p >= 0:
        for k in range(6):
            velocity[d, k, e] = velocity[p, k, e] + axis[d, k, e] * u
    else:
        for k in range(6):
            velocity[d, k, e] = axis[d, k, e] * u


@system(over=Body, phase="query_bodies")
def body_states(
    b,
    e,
    link=read(BodyFrame.link),
    offset=read(BodyFrame.position),
    turn=read(BodyFrame.orientation),
    last_dof=read(LinkTopology.last_dof),
    root=read(LinkTopology.root),
    position=read(LinkPose.position),
    orientation=read(LinkPose.orientation),
    motion=read(DofMotion.velocity),
    pose=write(BodyState.pose),
    velocity=write(BodyState.velocity),
):
    """Pose and velocity of every named body's frame."""
    i = link[b, e]
    r = root[i, e]
    w, x, y, z = orientation[i, 0, e], orientation[i, 1, e], orientation[i, 2, e], orientation[i, 3, e]
    ox, oy, oz = rotate(w, x, y, z, offset[b, 0, e], offset[b, 1, e], offset[b, 2, e])
    ox, oy, oz = ox + position[i, 0, e], oy + position[i, 1, e], oz + position[i, 2, e]
    w, x, y, z = quaternion_product(w, x, y, z, turn[b, 0, e], turn[b, 1, e], turn[b, 2, e], turn[b, 3, e])
    pose[b, 0, e], pose[b, 1, e], pose[b, 2, e] = ox, oy, oz
    pose[b, 3, e], pose[b, 4, e], pose[b, 5, e], pose[b, 6, e] = w, x, y, z
    d = last_dof[i, e]
    if d >= 0:
        wx, wy, wz = motion[d, 0, e], motion[d, 1, e], motion[d, 2, e]
        vx, vy, vz = cross(
            wx, wy, wz, ox - position[r, 0, e], oy - position[r, 1, e], oz - position[r, 2, e]
        )
        velocity[b, 0, e] = vx + motion[d, 3, e]
        velocity[b, 1, e] = vy + motion[d, 4, e]
        velocity[b, 2, e] = vz + motion[d, 5, e]
        velocity[b, 3, e], velocity[b, 4, e], velocity[b, 5, e] = wx, wy, wz
    else:
        for k in range(6):
            velocity[b, k, e] = 0.0
