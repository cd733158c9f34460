"""Where the rows of a contact or a joint are: dofs of the tree on side a first, then, if it is another, of side b's."""

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
        shift: added to a dof it is the dof's row, counted from the first row of the contact or joint.
    """
    d = da if side == 0 else db
    low = first[d, 0] if d >= 0 else 0
    high = end[d, 0] if d >= 0 else 0
    second = side == 1 and da >= 0
    shift = end[da, 0] - first[da, 0] if second else 0
    high = low if second and first[max(da, 0), 0] == low else high
    return low, high, shift - low


@function
def both_trees(first, end, da, db):
    """All rows of a contact or a joint, for :func:`dof_of`.

    Returns:
        count: how many.
        count_a: how many are side a's.
        low_a, low_b: first dof of each side's tree.
    """
    low_a = first[da, 0] if da >= 0 else 0
    count_a = end[da, 0] - low_a if da >= 0 else 0
    low_b = first[db, 0] if db >= 0 else 0
    other = db >= 0 and (da < 0 or low_b != low_a)
    count_b = end[db, 0] - low_b if other else 0
    return count_a + count_b, count_a, low_a, low_b


@function
def dof_of(row, count_a, low_a, low_b):
    """The dof that a row belongs to."""
    return low_a + row if row < count_a else low_b + row - count_a
