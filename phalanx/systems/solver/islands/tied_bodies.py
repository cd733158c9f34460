"""Islands: bodies that contacts tie together, each with all that it touches."""

from phalanx.components import (
    ContactMotion,
    ContactPoint,
    ContactSearch,
    LinkTopology,
    ShapeTopology,
    Sweep,
    Tree,
    TreeSearch,
    TreeTopology,
)
from phalanx.ecs import read, rows, system, update, write


@system(phase="load")
def find_islands(
    lanes,
    trees=rows(Tree),
    contacts=read(Sweep.contacts),
    shape_a=read(ContactPoint.a),
    shape_b=read(ContactPoint.b),
    dof_a=read(ContactMotion.dof_a),
    dof_b=read(ContactMotion.dof_b),
    link=read(ShapeTopology.link),
    tree=read(LinkTopology.tree),
    yields=read(TreeTopology.yields),
    island=update(TreeSearch.island),
    known=write(TreeSearch.known),
    contact_island=write(ContactSearch.island),
):
    """Bodies that contacts tie together; what cannot be moved ties nothing.

    A tree's island is one of a lower number, or itself: so every way to the first of them ends.
    """
    for e in lanes:
        for t in range(trees if contacts[0, e] > 0 else 0):
            island[t, e] = t
            known[t, e] = 0
        for c in range(contacts[0, e]):
            a = tree[link[shape_a[c, e], 0], 0] if dof_a[c, e] >= 0 else -1
            b = tree[link[shape_b[c, e], 0], 0] if dof_b[c, e] >= 0 else -1
            if a >= 0 and b >= 0 and yields[max(a, 0), 0] == 1 and yields[max(b, 0), 0] == 1:
                while island[a, e] != a:
                    a = island[a, e]
                while island[b, e] != b:
                    b = island[b, e]
                island[max(a, b), e] = min(a, b)
        for t in range(trees if contacts[0, e] > 0 else 0):
            island[t, e] = island[island[t, e], e]
        for c in range(contacts[0, e]):
            a = tree[link[shape_a[c, e], 0], 0] if dof_a[c, e] >= 0 else -1
            b = tree[link[shape_b[c, e], 0], 0] if dof_b[c, e] >= 0 else -1
            a = b if a < 0 or yields[a, 0] == 0 else a
            contact_island[c, e] = island[max(a, 0), e]
