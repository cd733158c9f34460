"""Kinematic bodies: the velocity that takes them to their targets."""

import math

from phalanx.components import (
    Coordinate,
    DofMotion,
    DofState,
    Kinematic,
    KinematicState,
    KinematicTarget,
    KinematicTopology,
    Settings,
)
from phalanx.ecs import function, read, real, system, update, write
from phalanx.maths.kernels import quaternion_product


@function
def small_arctangent(x):
    """atan(x) for |x| <= tan(pi/16), to the last digits of float64: the power series."""
    z = x * x
    sum = 1.0 / 17.0 - z * (1.0 / 19.0)
    sum = 1.0 / 15.0 - z * sum
    sum = 1.0 / 13.0 - z * sum
    sum = 1.0 / 11.0 - z * sum
    sum = 1.0 / 9.0 - z * sum
    sum = 1.0 / 7.0 - z * sum
    sum = 1.0 / 5.0 - z * sum
    sum = 1.0 / 3.0 - z * sum
    return x - x * z * sum


@function
def rotation_vector(w, x, y, z):
    """The rotation vector, of at most pi, of a unit quaternion.

    tan(a/4) follows from the half angle a/2 of a quaternion with w >= 0, tan(a/16) from two more halvings.
    """
    sign = -1.0 if w < 0.0 else 1.0
    s = math.sqrt(x * x + y * y + z * z)
    t = s / (sign * w + 1.0)
    t = t / (1.0 + math.sqrt(1.0 + t * t))
    t = t / (1.0 + math.sqrt(1.0 + t * t))
    scale = sign * 16.0 * small_arctangent(t) / s if s > 1e-12 else 2.0 * sign
    return scale * x, scale * y, scale * z


@system(over=Kinematic, phase="actuate")
def follow_targets(
    k,
    e,
    h=read(Settings.timestep),
    first_dof=read(KinematicTopology.first_dof),
    coord=read(KinematicTopology.coord),
    substeps=read(KinematicTopology.substeps),
    target=read(KinematicTarget.pose),
    number=read(KinematicTarget.number),
    q=read(Coordinate.value),
    served=update(KinematicState.served),
    left=update(KinematicState.left),
    velocity=update(DofState.velocity),
    motion=write(DofMotion.velocity),
):
    """Reach a new target in equal parts over a step, then stand still; without targets keep the velocity."""
    d = first_dof[k, e]
    if number[k, e] != served[k, e]:
        served[k, e] = number[k, e]
        left[k, e] = substeps[k, e]
    remaining = left[k, e]
    if remaining < 0:
        left[k, e] = 0
        for j in range(6):
            velocity[d + j, e] = 0.0
    if remaining > 0:
        left[k, e] = remaining - 1 if remaining > 1 else -1
        i = coord[k, e]
        rate = 1.0 / (real(remaining) * h[0, e])
        for j in range(3):
            velocity[d + j, e] = rate * (target[k, j, e] - q[i + j, e])
        w, x, y, z = quaternion_product(
            target[k, 3, e],
            target[k, 4, e],
            target[k, 5, e],
            target[k, 6, e],
            q[i + 3, e],
            -q[i + 4, e],
            -q[i + 5, e],
            -q[i + 6, e],
        )
        x, y, z = rotation_vector(w, x, y, z)
        velocity[d + 3, e], velocity[d + 4, e], velocity[d + 5, e] = rate * x, rate * y, rate * z
    for j in range(6):  # what the velocities phase finds for a root, whose axes are the world's
        for m in range(3):
            motion[d + j, m, e] = velocity[d + 3 + m, e] if j >= 3 + m else 0.0
            motion[d + j, 3 + m, e] = velocity[d + m, e] if j >= m else 0.0
