"""Islands: trees that contacts tie together, with their dofs, rows and contacts sorted by them.

For a solver that takes each island by itself (:mod:`~.island_rows`, :mod:`~.island_sweeps`).
"""

from phalanx.components import (
    ContactCount,
    ContactImpulse,
    ContactMotion,
    ContactPoint,
    DofRow,
    DofTopology,
    IslandContact,
    IslandDof,
    IslandRest,
    IslandTree,
    LinkTopology,
    ShapeTopology,
    Sweep,
    Tree,
    TreeTopology,
)
from phalanx.components.island import FEW_CONTACTS, FEW_DOFS, MOST_CONTACTS, MOST_DOFS
from phalanx.ecs import read, rows, system, update, write


@system(phase="rows")
def list_islands(
    lanes,
    trees=rows(Tree),
    count=read(ContactCount.current),
    shape_a=read(ContactPoint.a),
    shape_b=read(ContactPoint.b),
    dof_a=read(ContactMotion.dof_a),
    dof_b=read(ContactMotion.dof_b),
    link=read(ShapeTopology.link),
    tree=read(LinkTopology.tree),
    yields=read(TreeTopology.yields),
    first_dof=read(TreeTopology.first_dof),
    end_dof=read(TreeTopology.end_dof),
    large=rows(Tree),
    island=update(IslandTree.first),
    sort=write(IslandTree.sort),
    groups=write(IslandTree.groups),
    groups_before=write(IslandTree.groups_before),
    begin=write(IslandTree.begin),
    contacts=write(IslandTree.contacts),
    first_contact=write(IslandTree.first_contact),
    order=write(IslandDof.order),
    contact_tree=update(IslandContact.tree),
    contact_yields=write(IslandContact.yields),
    contact_order=write(IslandContact.order),
    total=update(ContactImpulse.value),
    left=write(IslandRest.left),
):
    """Find the islands, and sort groups of dofs and contacts by them; what cannot be moved ties nothing."""
    for e in lanes:
        for t in range(trees):
            island[t, e] = t
        for c in range(count[0, e]):
            a = tree[link[shape_a[c, e], 0], 0] if dof_a[c, e] >= 0 else -1
            b = tree[link[shape_b[c, e], 0], 0] if dof_b[c, e] >= 0 else -1
            a = a if a >= 0 and yields[max(a, 0), 0] == 1 else -1
            b = b if b >= 0 and yields[max(b, 0), 0] == 1 else -1
            contact_tree[c, e] = max(a, b)
            contact_yields[c, e] = (1 if a >= 0 else 0) + (2 if b >= 0 else 0)
            if max(a, b) < 0:
                total[c, 0, e], total[c, 1, e], total[c, 2, e] = 0.0, 0.0, 0.0
            if min(a, b) >= 0 and a != b:
                while island[a, e] != a:
                    a = island[a, e]
                while island[b, e] != b:
                    b = island[b, e]
                island[max(a, b), e] = min(a, b)
        for t in range(trees):
            island[t, e] = island[island[t, e], e]
        n, m, rest = 0, 0, 0
        for t in range(trees):
            size, ends = 0, m
            begin[t, e] = n
            first_contact[t, e] = m
            if island[t, e] == t:
                for s in range(t, trees):
                    if island[s, e] == t:
                        groups_before[s, e] = size
                        for k in range(first_dof[s, 0], end_dof[s, 0], 4):
                            order[n, e] = k
                            size += 1
                            n += 1
                for c in range(count[0, e]):
                    own = contact_tree[c, e]
                    if own >= 0 and island[max(own, 0), e] == t:
                        contact_order[ends, e] = c
                        ends += 1
            kind = 1 if size > 0 else 0
            kind = 2 * kind if 4 * size > FEW_DOFS or ends - m > FEW_CONTACTS else kind
            rest = 1 if kind == 2 and (large == 0 or 4 * size > MOST_DOFS or ends - m > MOST_CONTACTS) else rest
            groups[t, e] = size
            contacts[t, e] = ends - m
            sort[t, e] = kind
            m = ends
        left[0, e] = rest


@system(phase="rows", after="list_islands")
def list_island_rows(
    lanes,
    trees=rows(Tree),
    island=read(IslandTree.first),
    link=read(DofTopology.link),
    tree=read(LinkTopology.tree),
    active=read(Sweep.dofs),
    order=read(DofRow.order),
    first_row=write(IslandTree.first_row),
    count=write(IslandTree.rows),
    row=write(IslandDof.row),
):
    """Sort dofs that have rows by islands; by itself, since rows of contacts need not wait for it."""
    for e in lanes:
        begin = 0
        for t in range(trees):
            end = begin
            first_row[t, e] = begin
            if island[t, e] == t:
                for i in range(active[0, e]):
                    d = order[i, e]
                    if island[tree[link[d, 0], 0], e] == t:
                        row[end, e] = d
                        end += 1
            count[t, e] = end - begin
            begin = end
