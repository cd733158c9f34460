"""Cloth: sweeps over its nodes, as :mod:`phalanx.systems.deformable.sweep` has them for solid bodies.

In its plane a triangle has the energy of Saint Venant and Kirchhoff of its Green strain, with axes of the material:
``A / 2 (a exx^2 + a eyy^2 + 2 c exx eyy + s (2 exy)^2)``. Of its second derivative by a node the part that stress makes
is taken with its absolute value: what is pressed together buckles, and no faster than by its own size in a sweep.
Bending is quadratic in positions (:mod:`phalanx.models.meshes.cloth_bending`), the work of pressure linear in that of
one node.
"""

import math

from phalanx.components import (
    AttachedNode,
    ClothBendTopology,
    ClothCornerShape,
    ClothCornerTopology,
    ClothElasticity,
    ClothMaterial,
    ClothNode,
    ClothNodeContact,
    Deformable,
    DeformableMaterial,
    DeformableMomentum,
    DeformableSettings,
    DeformableTopology,
    Node,
    NodeAttachmentPoint,
    NodeAttachmentState,
    NodeAttachmentTopology,
    NodeContactPoint,
    NodeContactState,
    NodeModel,
    NodeOrder,
    NodeState,
    NodeStep,
    NodeTarget,
    NodeTopology,
    Settings,
)
from phalanx.components.node_attachment import ON
from phalanx.components.node_contact import SLOTS
from phalanx.ecs import read, real, start, system, update, write
from phalanx.maths.kernels import cross
from phalanx.systems.deformable.attachments import attachment_force
from phalanx.systems.deformable.contact_force import contact_force, contact_stiffness
from phalanx.systems.deformable.sweep import solve_symmetric

CALM = 3e-4
"""Share of the frequency of a node in its plane at which the velocity decays that sweeps begin with.

The minimum that they look for does not depend on where they begin. But sheets that are stiff beside their mass are left
far from it by a few sweeps, and if those begin with the whole velocity, motion grows: a strip of 1e4 N/m and 40
elements, hung by its ends, flew up after a second.
"""


@system(over=Deformable, phase="deform_begin")
def cloth_constants(
    b,
    e,
    young=read(DeformableMaterial.youngs_modulus),
    poisson=read(DeformableMaterial.poissons_ratio),
    thickness=read(ClothMaterial.thickness),
    modulus=read(ClothMaterial.shear_modulus),
    mass=read(DeformableMomentum.mass),
    first=read(DeformableTopology.first_node),
    end=read(DeformableTopology.end_node),
    h=read(Settings.timestep),
    count=read(DeformableSettings.small_steps),
    along=write(ClothElasticity.along),
    across=write(ClothElasticity.across),
    shear=write(ClothElasticity.shear),
    carried=write(ClothElasticity.carried),
):
    """From Young's modulus, Poisson's ratio, shear modulus and thickness, in plane stress.

    Bodies that are no cloth have the thickness 0, and carry all of their velocity.
    """
    nu = poisson[b, e]
    stiff = young[b, e] * thickness[b, e] / (1.0 - nu * nu)
    along[b, e] = stiff
    across[b, e] = nu * stiff
    shear[b, e] = modulus[b, e] * thickness[b, e]
    node = mass[b, e] / real(end[b, e] - first[b, e])
    carried[b, e] = 1.0 / (1.0 + CALM * h[0, e] / real(count[0, e]) * math.sqrt(stiff / node))


@system(over=Node, phase="deform_cloth", in_step=True)
def relax_cloth(
    n,
    e,
    first=start(),
    order=read(NodeOrder.node),
    body=read(NodeTopology.body),
    begin=read(ClothNode.first_corner),
    end=read(ClothNode.end_corner),
    others=read(ClothCornerTopology.others),
    inverse=read(ClothCornerShape.inverse),
    area=read(ClothCornerShape.area),
    along=read(ClothElasticity.along),
    across=read(ClothElasticity.across),
    shear=read(ClothElasticity.shear),
    pressure=read(ClothMaterial.pressure),
    first_bend=read(ClothNode.first_bend),
    end_bend=read(ClothNode.end_bend),
    own=read(ClothNode.bend),
    other=read(ClothBendTopology.other),
    weight=read(ClothBendTopology.weight),
    rigidity=read(ClothMaterial.bending_stiffness),
    mass=read(NodeModel.mass),
    h=read(Settings.timestep),
    count=read(DeformableSettings.small_steps),
    goal=read(NodeStep.goal),
    surface=read(NodeTopology.surface),
    pair=read(NodeContactState.pair),
    load=read(NodeContactState.load),
    normal=read(NodeContactPoint.normal),
    anchor=read(NodeContactPoint.anchor),
    friction=read(NodeContactPoint.friction),
    row=read(ClothNodeContact.row),
    touch=read(ClothNodeContact.force),
    resists=read(ClothNodeContact.stiffness),
    tied=read(AttachedNode.attachment),
    tie_mass=read(NodeAttachmentTopology.mass),
    mode=read(NodeAttachmentState.mode),
    tie_load=read(NodeAttachmentState.load),
    tie_anchor=read(NodeAttachmentPoint.anchor),
    held=read(NodeTarget.held),
    position=update(NodeState.position),
):
    """One colour."""
    v = order[first + n, e]
    o = body[v, e]
    px, py, pz = position[v, 0, e], position[v, 1, e], position[v, 2, e]
    rate = real(count[0, e]) / h[0, e]
    inertia = mass[v, e] * rate * rate
    fx = inertia * (goal[v, 0, e] - px)
    fy = inertia * (goal[v, 1, e] - py)
    fz = inertia * (goal[v, 2, e] - pz)
    even, xx, xy, xz, yy, yz, zz = inertia, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    sixth = pressure[o, e] / 6.0
    for c in range(begin[v, e], end[v, e]):
        i, j = others[c, 0, e], others[c, 1, e]
        ax, ay, az = position[i, 0, e] - px, position[i, 1, e] - py, position[i, 2, e] - pz
        bx, by, bz = position[j, 0, e] - px, position[j, 1, e] - py, position[j, 2, e] - pz
        p, q, r, s = inverse[c, 0, e], inverse[c, 1, e], inverse[c, 2, e], inverse[c, 3, e]
        ux, uy, uz = p * ax + r * bx, p * ay + r * by, p * az + r * bz
        vx, vy, vz = q * ax + s * bx, q * ay + s * by, q * az + s * bz
        g, k = -(p + r), -(q + s)
        sx = 0.5 * (ux * ux + uy * uy + uz * uz - 1.0)
        sy = 0.5 * (vx * vx + vy * vy + vz * vz - 1.0)
        stiff, poisson, slip = area[c, e] * along[o, e], area[c, e] * across[o, e], area[c, e] * shear[o, e]
        sx, sy = stiff * sx + poisson * sy, poisson * sx + stiff * sy
        sxy = slip * (ux * vx + uy * vy + uz * vz)
        wx, wy, wz = k * ux + g * vx, k * uy + g * vy, k * uz + g * vz
        nx, ny, nz = cross(ax, ay, az, bx, by, bz)
        fx += sixth * nx - (sx * g * ux + sy * k * vx + sxy * wx)
        fy += sixth * ny - (sx * g * uy + sy * k * vy + sxy * wy)
        fz += sixth * nz - (sx * g * uz + sy * k * vz + sxy * wz)
        even += math.fabs(sx * g * g + 2.0 * sxy * g * k + sy * k * k)
        p, q, r = stiff * g * g, stiff * k * k, poisson * g * k
        xx += p * ux * ux + q * vx * vx + 2.0 * r * ux * vx + slip * wx * wx
        xy += p * ux * uy + q * vx * vy + r * (ux * vy + uy * vx) + slip * wx * wy
        xz += p * ux * uz + q * vx * vz + r * (ux * vz + uz * vx) + slip * wx * wz
        yy += p * uy * uy + q * vy * vy + 2.0 * r * uy * vy + slip * wy * wy
        yz += p * uy * uz + q * vy * vz + r * (uy * vz + uz * vy) + slip * wy * wz
        zz += p * uz * uz + q * vz * vz + 2.0 * r * uz * vz + slip * wz * wz
    ux, uy, uz = 0.0, 0.0, 0.0
    for c in range(first_bend[v, e], end_bend[v, e]):
        i = other[c, e]
        ux += weight[c, e] * (position[i, 0, e] - px)
        uy += weight[c, e] * (position[i, 1, e] - py)
        uz += weight[c, e] * (position[i, 2, e] - pz)
    stiff = rigidity[o, e]
    fx, fy, fz, even = fx - stiff * ux, fy - stiff * uy, fz - stiff * uz, even + stiff * own[v, e]
    stiffness = contact_stiffness(mass[v, e], rate)
    for slot in range(SLOTS):
        t = surface[v, e] * SLOTS + slot
        nx, ny, nz = normal[t, 0, e], normal[t, 1, e], normal[t, 2, e]
        push, grip, more, tx, ty, tz, _ = contact_force(
            pair[t, e] >= 0, stiffness, load[t, e], friction[t, e], nx, ny, nz,
            px - anchor[t, 0, e], py - anchor[t, 1, e], pz - anchor[t, 2, e],
        )  # fmt: skip
        fx += push * nx - grip * tx
        fy += push * ny - grip * ty
        fz += push * nz - grip * tz
        even += grip
        xx += more * nx * nx
        xy += more * nx * ny
        xz += more * nx * nz
        yy += more * ny * ny
        yz += more * ny * nz
        zz += more * nz * nz
    if row[v, e] >= 0:
        fx += touch[v, 0, e]
        fy += touch[v, 1, e]
        fz += touch[v, 2, e]
        xx += resists[v, 0, e]
        xy += resists[v, 1, e]
        xz += resists[v, 2, e]
        yy += resists[v, 3, e]
        yz += resists[v, 4, e]
        zz += resists[v, 5, e]
    a = max(tied[v, e], 0)
    hold = contact_stiffness(tie_mass[a, e], rate)
    ux, uy, uz, stiff = attachment_force(
        tied[v, e] >= 0 and mode[a, e] == ON, hold, px - tie_anchor[a, 0, e], py - tie_anchor[a, 1, e],
        pz - tie_anchor[a, 2, e], tie_load[a, 0, e], tie_load[a, 1, e], tie_load[a, 2, e],
    )  # fmt: skip
    fx, fy, fz, even = fx + ux, fy + uy, fz + uz, even + stiff
    dx, dy, dz = solve_symmetric(fx, fy, fz, even + xx, xy, xz, even + yy, yz, even + zz)
    free = held[v, e] == 0
    position[v, 0, e] = px + dx if free else px
    position[v, 1, e] = py + dy if free else py
    position[v, 2, e] = pz + dz if free else pz
