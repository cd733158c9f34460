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
    World,
)
from phalanx.components.island import FEW_CONTACTS, FEW_DOFS, MOST_CONTACTS, MOST_DOFS
from phalanx.ecs import read, rows, system, update, write
from phalanx.ecs.text.team_language import (
    count_bits,
    lowest_bit,
    team_ballot,
    team_from,
    team_rank,
    team_system,
    team_wait,
)


@team_system(phase="rows", each=World, size=32)
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
    """Find the islands, and sort groups of dofs and contacts by them; what cannot be moved ties nothing.

    Each thread looks at a contact, or at a tree; votes say which of them count, and where in the lists they come.
    """
    for e in lanes:
        rank = team_rank(32)
        below, met = (1 << rank) - 1, count[0, e]
        for t in range(rank, trees, 32):
            island[t, e] = t
        team_wait(32)
        last_a, last_b = -1, -1
        for start in range(0, met, 32):
            c, here = min(start + rank, met - 1), start + rank < met
            a = tree[link[shape_a[c, e], 0], 0] if dof_a[c, e] >= 0 else -1
            b = tree[link[shape_b[c, e], 0], 0] if dof_b[c, e] >= 0 else -1
            a = a if a >= 0 and yields[max(a, 0), 0] == 1 else -1
            b = b if b >= 0 and yields[max(b, 0), 0] == 1 else -1
            if here:
                contact_tree[c, e] = max(a, b)
                contact_yields[c, e] = (1 if a >= 0 else 0) + (2 if b >= 0 else 0)
            if here and max(a, b) < 0:
                total[c, 0, e], total[c, 1, e], total[c, 2, e] = 0.0, 0.0, 0.0
            ties = team_ballot(32, here and min(a, b) >= 0 and a != b)
            while ties != 0:
                which = lowest_bit(ties)
                ties &= ties - 1
                i, j = team_from(32, a, which), team_from(32, b, which)
                if i != last_a or j != last_b:  # contacts of two trees come one after the other
                    last_a, last_b = i, j
                    while island[i, e] != i:
                        i = island[i, e]
                    while island[j, e] != j:
                        j = island[j, e]
                    team_wait(32)
                    if rank == 0:
                        island[max(i, j), e] = min(i, j)
                    team_wait(32)
        for start in range(0, trees, 32):
            t = min(start + rank, trees - 1)
            i = t
            while island[i, e] != i:
                i = island[i, e]
            team_wait(32)
            island[t, e] = i
            team_wait(32)
        n, m, rest = 0, 0, 0
        for t in range(trees):
            size, ends = 0, m
            if island[t, e] == t:
                for start in range(t, trees, 32):
                    votes = team_ballot(32, start + rank < trees and island[min(start + rank, trees - 1), e] == t)
                    while votes != 0:
                        s = start + lowest_bit(votes)
                        votes &= votes - 1
                        if rank == 0:
                            groups_before[s, e] = size
                        for k in range(first_dof[s, 0] + 4 * rank, end_dof[s, 0], 128):
                            order[n + size + ((k - first_dof[s, 0]) >> 2), e] = k
                        size += (end_dof[s, 0] - first_dof[s, 0] + 3) >> 2
                for start in range(0, met, 32):
                    c, here = min(start + rank, met - 1), start + rank < met
                    own = contact_tree[c, e] if here else -1
                    votes = team_ballot(32, own >= 0 and island[max(own, 0), e] == t)
                    if (votes >> rank) & 1 == 1:
                        contact_order[ends + count_bits(votes & below), e] = c
                    ends += count_bits(votes)
            kind = 1 if size > 0 else 0
            kind = 2 * kind if 4 * size > FEW_DOFS or ends - m > FEW_CONTACTS else kind
            rest = 1 if kind == 2 and (large == 0 or 4 * size > MOST_DOFS or ends - m > MOST_CONTACTS) else rest
            if rank == 0:
                begin[t, e] = n
                first_contact[t, e] = m
                groups[t, e] = size
                contacts[t, e] = ends - m
                sort[t, e] = kind
            n += size
            m = ends
        if rank == 0:
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
