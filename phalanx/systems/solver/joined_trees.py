"""Where the rows of a joint are: dofs of the tree on side a first, then, if it is another, of side b's."""

from phalanx.ecs import function


@function
def tree_rows(first, end, da, db, side):
    """The dofs of one side, and where their rows are.

    Args:
        first, end: DofTopology.tree_first, .tree_end.
        da, db: a dof of each side's tree, -1: it cannot move.
        side: 0: a; 1: b.

    Returns:
        low, high: dofs low to high - 1, none if the side cannot move or its tree is side a's.
        shift: added to a dof it is the dof's row, counted from the first row of the joint.
    """
    d = da if side == 0 else db
    low = first[d, 0] if d >= 0 else 0
    high = end[d, 0] if d >= 0 else 0
    second = side == 1 and da >= 0
    shift = end[da, 0] - first[da, 0] if second else 0
    high = low if second and first[max(da, 0), 0] == low else high
    return low, high, shift - low


@function
def lower_tree_first(first, end, da, db, side):
    """The dofs of the two trees of a contact in ascending order, none where there is no (second) tree.

    Args:
        first, end: DofTopology.tree_first, .tree_end.
        da, db: a dof of each side's tree, -1: it cannot move.
        side: 0: the tree that comes first; 1: the other.

    Returns:
        low, high: dofs low to high - 1.
    """
    swap = da >= 0 and db >= 0 and first[max(db, 0), 0] < first[max(da, 0), 0]
    low, high, _ = tree_rows(first, end, db if swap else da, da if swap else db, side)
    return low, high
