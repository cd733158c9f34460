"""Elastic forces on a node, and how they change with its place.

The energy is the stable Neo-Hookean one without its logarithm (Smith, de Goes and Kim, Stable Neo-Hookean flesh
simulation, 2018; Chen, Liu, Yang and Yuksel, Vertex block descent, 2024)::

    mu / 2 (|F|^2 - 3) + lambda / 2 (J - 1 - mu / lambda)^2,    J = det F

of the deformation gradient F, per volume where nothing is strained. For small strains it is linear elasticity with
Lame's parameters mu and lambda - mu. Corotational bodies (:mod:`phalanx.systems.deformable.corotation`) have other
constants, and more forces. In the place of one node, the others fixed, it is quadratic: |F|^2 is, and J is
linear. So a node's forces and their derivatives give its best place at once, and no step of it can gain energy.
"""

from phalanx.components import Deformable, DeformableElasticity, DeformableMaterial
from phalanx.ecs import function, read, system, write

MOST_POISSON = 0.4999
"""Poisson's ratios above would not be told from 0.5 in float32."""


@system(over=Deformable, phase="deform_begin")
def elastic_constants(
    b,
    e,
    young=read(DeformableMaterial.youngs_modulus),
    poisson=read(DeformableMaterial.poissons_ratio),
    corotational=read(DeformableMaterial.corotational),
    shear=write(DeformableElasticity.shear),
    bulk=write(DeformableElasticity.bulk),
    rest=write(DeformableElasticity.rest),
    second_lame=write(DeformableElasticity.mu),
    first_lame=write(DeformableElasticity.first_lame),
):
    """From Young's modulus and Poisson's ratio."""
    nu = min(poisson[b, e], MOST_POISSON)
    mu = young[b, e] / (2.0 * (1.0 + nu))
    first = 2.0 * mu * nu / (1.0 - 2.0 * nu) + mu
    turns = corotational[b, e] != 0
    shear[b, e] = 2.0 * mu if turns else mu
    bulk[b, e] = first - mu if turns else first
    rest[b, e] = 1.0 if turns else 1.0 + mu / first
    second_lame[b, e] = mu
    first_lame[b, e] = first - mu


@function
def corner_force(ax, ay, az, bx, by, bz, cx, cy, cz, wa, wb, wc, inverse, volume, mu, bulk, rest):
    """Of one tetrahedron on one of its nodes.

    Args:
        ax to cz: the other nodes, from this one.
        wa, wb, wc, inverse, volume: CornerShape's weight, inverse, rest.
        mu, bulk, rest: DeformableElasticity.

    Returns:
        The force, its derivative's part that is a multiple of the unit matrix, and the vector and factor of the rest,
        which is a multiple of the vector's product with itself; derivatives with the sign turned.
    """
    ux, uy, uz = bx - ax, by - ay, bz - az
    vx, vy, vz = cx - ax, cy - ay, cz - az
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    stiff = bulk * inverse
    push = stiff * ((nx * ax + ny * ay + nz * az) + rest * volume)  # less 6 V J is the product of the three edges
    fx = push * nx - mu * (wa * ax + wb * bx + wc * cx)
    fy = push * ny - mu * (wa * ay + wb * by + wc * cy)
    fz = push * nz - mu * (wa * az + wb * bz + wc * cz)
    return fx, fy, fz, -mu * (wa + wb + wc), nx, ny, nz, stiff
