"""Islands: trees that contacts tie together, with their dofs, rows and contacts sorted by them.

For sweeps that take each island by itself (:mod:`phalanx.systems.island_sweeps`).
"""

from phalanx.components import (
    ContactCount,
    ContactImpulse,
    ContactMotion,
    ContactPoint,
    DofRow,
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


@system(phase="sweep")
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
    dofs=write(IslandTree.dofs),
    begin=update(IslandTree.begin),
    contacts=update(IslandTree.contacts),
    first_contact=write(IslandTree.first_contact),
    cursor=update(IslandTree.cursor),
    active_dofs=read(Sweep.dofs),
    row_order=read(DofRow.order),
    dof_rows=update(IslandTree.rows),
    place=update(IslandDof.place),
    row_dof=write(IslandDof.row),
    order=write(IslandDof.order),
    contact_island=update(IslandContact.island),
    contact_order=write(IslandContact.order),
    total=update(ContactImpulse.value),
    left=write(IslandRest.left),
):
    """Find the islands, and sort dofs and contacts by them; what cannot be moved ties nothing."""
    for e in lanes:
        for t in range(trees):
            island[t, e] = t
            contacts[t, e] = 0
            dof_rows[t, e] = 0
        for c in range(count[0, e]):
            a = tree[link[shape_a[c, e], 0], 0] if dof_a[c, e] >= 0 else -1
            b = tree[link[shape_b[c, e], 0], 0] if dof_b[c, e] >= 0 else -1
            a = a if a >= 0 and yields[max(a, 0), 0] == 1 else -1
            b = b if b >= 0 and yields[max(b, 0), 0] == 1 else -1
            contact_island[c, e] = max(a, b)
            if min(a, b) >= 0:
                while island[a, e] != a:
                    a = island[a, e]
                while island[b, e] != b:
                    b = island[b, e]
                island[max(a, b), e] = min(a, b)
        for t in range(trees):
            island[t, e] = island[island[t, e], e]
        for c in range(count[0, e]):
            own = contact_island[c, e]
            if own >= 0:
                own = island[own, e]
                contact_island[c, e] = own
                contacts[own, e] += 1
        n, m, rest = 0, 0, 0
        for t in range(trees):
            size = 0
            if island[t, e] == t:
                begin[t, e] = n
                first_contact[t, e] = m
                cursor[t, e] = m
                m += contacts[t, e]
                for s in range(t, trees):
                    if island[s, e] == t:
                        for d in range(first_dof[s, 0], end_dof[s, 0]):
                            order[n, e] = d
                            place[d, e] = t * MOST_DOFS + size
                            size += 1
                            n += 1
            kind = 1 if size > 0 else 0
            kind = 2 * kind if size > FEW_DOFS or contacts[t, e] > FEW_CONTACTS else kind
            rest = 1 if kind == 2 and (large == 0 or size > MOST_DOFS or contacts[t, e] > MOST_CONTACTS) else rest
            dofs[t, e] = size
            sort[t, e] = kind
        for i in range(active_dofs[0, e]):
            d = row_order[i, e]
            own = place[d, e] // MOST_DOFS
            row_dof[begin[own, e] + dof_rows[own, e], e] = d
            dof_rows[own, e] += 1
        for c in range(count[0, e]):
            own = contact_island[c, e]
            if own >= 0:
                contact_order[cursor[own, e], e] = c
                cursor[own, e] += 1
            else:
                total[c, 0, e], total[c, 1, e], total[c, 2, e] = 0.0, 0.0, 0.0
        left[0, e] = rest
