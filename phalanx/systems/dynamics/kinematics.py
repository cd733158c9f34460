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
from phalanx.ecs import read, system, write
from phalanx.maths.kernels import cross, quaternion_product, rotate, rotation_matrix, sine_cosine


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
    offset=write(LinkPose.offset),
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
        offset[i, 0, e], offset[i, 1, e], offset[i, 2, e] = (
            px + offset[p, 0, e],
            py + offset[p, 1, e],
            pz + offset[p, 2, e],
        )
        w, x, y, z = quaternion_product(aw, ax, ay, az, w, x, y, z)
    else:
        offset[i, 0, e], offset[i, 1, e], offset[i, 2, e] = 0.0, 0.0, 0.0
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
    which=read(DofTopology.axis),
    parent=read(LinkTopology.parent),
    frame=read(JointFrame.orientation),
    joint_axis=read(JointFrame.axis),
    orientation=read(LinkPose.orientation),
    axis=write(DofMotion.axis),
):
    """The axis of each dof: the joint's, or one of its parent frame's."""
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
    axis[d, 0, e], axis[d, 1, e], axis[d, 2, e] = x, y, z


@system(over=Dof, order="forward", phase="velocities")
def link_velocities(
    d,
    e,
    parent=read(DofTopology.parent),
    link=read(DofTopology.link),
    angular=read(DofTopology.angular),
    offset=read(LinkPose.offset),
    axis=read(DofMotion.axis),
    qd=read(DofState.velocity),
    velocity=write(DofMotion.velocity),
):
    """Velocity after a dof: that before it, carried over to the link's origin, and axis * generalised velocity."""
    p = parent[d, e]
    u = qd[d, e]
    ax, ay, az = u * axis[d, 0, e], u * axis[d, 1, e], u * axis[d, 2, e]
    wx, wy, wz, vx, vy, vz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    if p >= 0:
        wx, wy, wz = velocity[p, 0, e], velocity[p, 1, e], velocity[p, 2, e]
        i, j = link[d, e], link[p, e]
        vx, vy, vz = cross(
            wx,
            wy,
            wz,
            offset[i, 0, e] - offset[j, 0, e],
            offset[i, 1, e] - offset[j, 1, e],
            offset[i, 2, e] - offset[j, 2, e],
        )
        vx, vy, vz = vx + velocity[p, 3, e], vy + velocity[p, 4, e], vz + velocity[p, 5, e]
    if angular[d, e] == 1:
        wx, wy, wz = wx + ax, wy + ay, wz + az
    else:
        vx, vy, vz = vx + ax, vy + ay, vz + az
    velocity[d, 0, e], velocity[d, 1, e], velocity[d, 2, e] = wx, wy, wz
    velocity[d, 3, e], velocity[d, 4, e], velocity[d, 5, e] = vx, vy, vz


@system(over=Body, phase="query_bodies")
def body_states(
    b,
    e,
    link=read(BodyFrame.link),
    place=read(BodyFrame.position),
    turn=read(BodyFrame.orientation),
    last_dof=read(LinkTopology.last_dof),
    root=read(LinkTopology.root),
    coord=read(LinkTopology.coord),
    q=read(Coordinate.value),
    offset=read(LinkPose.offset),
    orientation=read(LinkPose.orientation),
    motion=read(DofMotion.velocity),
    pose=write(BodyState.pose),
    velocity=write(BodyState.velocity),
):
    """Pose and velocity of every named body's frame."""
    i = link[b, e]
    k = coord[root[i, e], e]
    w, x, y, z = orientation[i, 0, e], orientation[i, 1, e], orientation[i, 2, e], orientation[i, 3, e]
    rx, ry, rz = rotate(w, x, y, z, place[b, 0, e], place[b, 1, e], place[b, 2, e])
    pose[b, 0, e] = q[k, e] + (offset[i, 0, e] + rx)
    pose[b, 1, e] = q[k + 1, e] + (offset[i, 1, e] + ry)
    pose[b, 2, e] = q[k + 2, e] + (offset[i, 2, e] + rz)
    w, x, y, z = quaternion_product(w, x, y, z, turn[b, 0, e], turn[b, 1, e], turn[b, 2, e], turn[b, 3, e])
    pose[b, 3, e], pose[b, 4, e], pose[b, 5, e], pose[b, 6, e] = w, x, y, z
    d = last_dof[i, e]
    if d >= 0:
        wx, wy, wz = motion[d, 0, e], motion[d, 1, e], motion[d, 2, e]
        vx, vy, vz = cross(wx, wy, wz, rx, ry, rz)
        velocity[b, 0, e] = vx + motion[d, 3, e]
        velocity[b, 1, e] = vy + motion[d, 4, e]
        velocity[b, 2, e] = vz + motion[d, 5, e]
        velocity[b, 3, e], velocity[b, 4, e], velocity[b, 5, e] = wx, wy, wz
    else:
        for k in range(6):
            velocity[b, k, e] = 0.0
