"""Sums over many groups: where a body has more of them than a section has, they are added up section by section.

The systems of a whole body go over its groups, with one or eight threads of a GPU. A sheet of 250,000 nodes has 7,800
groups, and such a thread waits for memory once for each that it reads. So runs of them are added up first, all at once,
in rows that follow those of groups: from ``DeformableTopology.first_sum`` on.
"""

from phalanx.components import (
    ClothCluster,
    ClothGroupPartners,
    ClothTriangle,
    NodeGroupSums,
    NodeGroupTopology,
    NodeSection,
    NodeSectionTopology,
)
from phalanx.components.cloth_contact import PARTNERS
from phalanx.ecs import read, real, system, update

INFINITY = float("inf")


@system(over=NodeSection, phase="deform_momentum", in_step=True, sums=True)
def sum_momenta_of_sections(
    s,
    e,
    first=read(NodeSectionTopology.first_group),
    end=read(NodeSectionTopology.end_group),
    row=read(NodeSectionTopology.row),
    moments=update(NodeGroupSums.moments),
    momentum=update(NodeGroupSums.momentum),
    impulse=update(NodeGroupSums.impulse),
    held=update(NodeGroupSums.held),
):
    """What :func:`phalanx.systems.deformable.momentum.sum_momenta` has found of a section's groups."""
    m, mx, my, mz = 0.0, 0.0, 0.0, 0.0
    mxx, mxy, mxz, myy, myz, mzz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    px, py, pz, lx, ly, lz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    fx, fy, fz, tx, ty, tz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    fixed = 0.0
    for g in range(first[s, e], end[s, e]):
        m, mx, my, mz = m + moments[g, 0, e], mx + moments[g, 1, e], my + moments[g, 2, e], mz + moments[g, 3, e]
        mxx, mxy, mxz = mxx + moments[g, 4, e], mxy + moments[g, 5, e], mxz + moments[g, 6, e]
        myy, myz, mzz = myy + moments[g, 7, e], myz + moments[g, 8, e], mzz + moments[g, 9, e]
        px, py, pz = px + momentum[g, 0, e], py + momentum[g, 1, e], pz + momentum[g, 2, e]
        lx, ly, lz = lx + momentum[g, 3, e], ly + momentum[g, 4, e], lz + momentum[g, 5, e]
        fx, fy, fz = fx + impulse[g, 0, e], fy + impulse[g, 1, e], fz + impulse[g, 2, e]
        tx, ty, tz = tx + impulse[g, 3, e], ty + impulse[g, 4, e], tz + impulse[g, 5, e]
        fixed += real(held[g, e])
    r = row[s, e]
    moments[r, 0, e], moments[r, 1, e], moments[r, 2, e], moments[r, 3, e] = m, mx, my, mz
    moments[r, 4, e], moments[r, 5, e], moments[r, 6, e] = mxx, mxy, mxz
    moments[r, 7, e], moments[r, 8, e], moments[r, 9, e] = myy, myz, mzz
    momentum[r, 0, e], momentum[r, 1, e], momentum[r, 2, e] = px, py, pz
    momentum[r, 3, e], momentum[r, 4, e], momentum[r, 5, e] = lx, ly, lz
    impulse[r, 0, e], impulse[r, 1, e], impulse[r, 2, e] = fx, fy, fz
    impulse[r, 3, e], impulse[r, 4, e], impulse[r, 5, e] = tx, ty, tz
    held[r, e] = int(fixed)


@system(over=NodeSection, phase="deform_modes", in_step=True, sums=True)
def sum_sections(
    s,
    e,
    first=read(NodeSectionTopology.first_group),
    end=read(NodeSectionTopology.end_group),
    row=read(NodeSectionTopology.row),
    inertia=update(NodeGroupSums.inertia),
    force=update(NodeGroupSums.force),
    held=update(NodeGroupSums.held),
    middle=update(NodeGroupSums.middle),
):
    """What :func:`phalanx.systems.deformable.modes.sum_groups` has found of a section's groups."""
    a00, a01, a02, a03, a04, a05 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    a11, a12, a13, a14, a15 = 0.0, 0.0, 0.0, 0.0, 0.0
    a22, a23, a24, a25 = 0.0, 0.0, 0.0, 0.0
    a33, a34, a35, a44, a45, a55 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    fx, fy, fz, lx, ly, lz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    fixed, w, wx, wy, wz = 0.0, 0.0, 0.0, 0.0, 0.0
    for g in range(first[s, e], end[s, e]):
        w, wx, wy, wz = w + middle[g, 0, e], wx + middle[g, 1, e], wy + middle[g, 2, e], wz + middle[g, 3, e]
        fx, fy, fz = fx + force[g, 0, e], fy + force[g, 1, e], fz + force[g, 2, e]
        lx, ly, lz = lx + force[g, 3, e], ly + force[g, 4, e], lz + force[g, 5, e]
        a00, a01, a02 = a00 + inertia[g, 0, e], a01 + inertia[g, 1, e], a02 + inertia[g, 2, e]
        a03, a04, a05 = a03 + inertia[g, 3, e], a04 + inertia[g, 4, e], a05 + inertia[g, 5, e]
        a11, a12 = a11 + inertia[g, 6, e], a12 + inertia[g, 7, e]
        a13, a14, a15 = a13 + inertia[g, 8, e], a14 + inertia[g, 9, e], a15 + inertia[g, 10, e]
        a22 += inertia[g, 11, e]
        a23, a24, a25 = a23 + inertia[g, 12, e], a24 + inertia[g, 13, e], a25 + inertia[g, 14, e]
        a33, a34, a35 = a33 + inertia[g, 15, e], a34 + inertia[g, 16, e], a35 + inertia[g, 17, e]
        a44, a45, a55 = a44 + inertia[g, 18, e], a45 + inertia[g, 19, e], a55 + inertia[g, 20, e]
        fixed += real(held[g, e])
    r = row[s, e]
    inertia[r, 0, e], inertia[r, 1, e], inertia[r, 2, e] = a00, a01, a02
    inertia[r, 3, e], inertia[r, 4, e], inertia[r, 5, e] = a03, a04, a05
    inertia[r, 6, e], inertia[r, 7, e] = a11, a12
    inertia[r, 8, e], inertia[r, 9, e], inertia[r, 10, e] = a13, a14, a15
    inertia[r, 11, e] = a22
    inertia[r, 12, e], inertia[r, 13, e], inertia[r, 14, e] = a23, a24, a25
    inertia[r, 15, e], inertia[r, 16, e], inertia[r, 17, e] = a33, a34, a35
    inertia[r, 18, e], inertia[r, 19, e], inertia[r, 20, e] = a44, a45, a55
    force[r, 0, e], force[r, 1, e], force[r, 2, e] = fx, fy, fz
    force[r, 3, e], force[r, 4, e], force[r, 5, e] = lx, ly, lz
    held[r, e] = int(fixed)
    middle[r, 0, e], middle[r, 1, e], middle[r, 2, e], middle[r, 3, e] = w, wx, wy, wz


@system(over=NodeSection, phase="deform_begin", in_step=True)
def section_bounds(
    s,
    e,
    first=read(NodeSectionTopology.first_group),
    end=read(NodeSectionTopology.end_group),
    row=read(NodeSectionTopology.row),
    low=update(NodeGroupSums.low),
    high=update(NodeGroupSums.high),
):
    """Bounds of a section's groups."""
    ax, ay, az, bx, by, bz = INFINITY, INFINITY, INFINITY, -INFINITY, -INFINITY, -INFINITY
    for g in range(first[s, e], end[s, e]):
        ax, ay, az = min(ax, low[g, 0, e]), min(ay, low[g, 1, e]), min(az, low[g, 2, e])
        bx, by, bz = max(bx, high[g, 0, e]), max(by, high[g, 1, e]), max(bz, high[g, 2, e])
    r = row[s, e]
    low[r, 0, e], low[r, 1, e], low[r, 2, e] = ax, ay, az
    high[r, 0, e], high[r, 1, e], high[r, 2, e] = bx, by, bz


@system(over=NodeSection, phase="deform_touch", needs=ClothTriangle)
def partners_of_sections(
    s,
    e,
    first=read(NodeSectionTopology.first_group),
    end=read(NodeSectionTopology.end_group),
    row=read(NodeSectionTopology.row),
    body=read(NodeGroupTopology.body),
    touched=read(ClothCluster.touched),
    count=update(ClothGroupPartners.count),
    met=update(ClothGroupPartners.met),
):
    """The bodies that a section's groups touch."""
    found = 0
    r = row[s, e]
    begin = first[s, e]
    for g in range(begin, end[s, e] if touched[body[r, e], e] != 0 else begin):
        for n in range(count[g, e]):
            other = met[g, n, e]
            new = True
            for k in range(found):
                new = new and met[r, k, e] != other
            if new and found < PARTNERS:
                met[r, found, e] = other
                found += 1
    count[r, e] = found
