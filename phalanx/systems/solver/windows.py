"""Normal impulses of a few contacts, found together.

Points of one face against another one after the other would share the load as the order has it: the first takes all,
the others repair, and what is left of that after a few sweeps turns the body. Together they share it evenly.
"""

from phalanx.ecs import function

WINDOW = 4
"""Most contacts whose normal impulses are solved together."""


@function
def solve_window(k00, k10, k11, k20, k21, k22, k30, k31, k32, k33, s0, s1, s2, s3, g0, g1, g2, g3, x0, x1, x2, x3):
    """Non-negative impulses of up to four contacts: a step that treats all alike, then relaxation.

    Args:
        k00 to k33: velocity of one contact per unit impulse of another (symmetric; 0 for contacts that are not there).
        s0 to s3: inverses of k00, k11, k22, k33; 0 for contacts that keep their impulse.
        g0 to g3: velocity that each is still to gain.
        x0 to x3: impulses to start from.

    Returns:
        The four impulses.
    """
    d0 = g0 if s0 > 0.0 and (g0 > 0.0 or x0 > 0.0) else 0.0
    d1 = g1 if s1 > 0.0 and (g1 > 0.0 or x1 > 0.0) else 0.0
    d2 = g2 if s2 > 0.0 and (g2 > 0.0 or x2 > 0.0) else 0.0
    d3 = g3 if s3 > 0.0 and (g3 > 0.0 or x3 > 0.0) else 0.0
    far = step_length(k00, k10, k11, k20, k21, k22, k30, k31, k32, k33, s0, s1, s2, s3, d0, d1, d2, d3)
    n0, n1 = max(x0 + far * d0, 0.0), max(x1 + far * d1, 0.0)
    n2, n3 = max(x2 + far * d2, 0.0), max(x3 + far * d3, 0.0)
    d0, d1, d2, d3 = n0 - x0, n1 - x1, n2 - x2, n3 - x3
    a0, a1 = k00 * d0 + k10 * d1 + k20 * d2 + k30 * d3, k10 * d0 + k11 * d1 + k21 * d2 + k31 * d3
    a2, a3 = k20 * d0 + k21 * d1 + k22 * d2 + k32 * d3, k30 * d0 + k31 * d1 + k32 * d2 + k33 * d3
    # Impulses cut off at zero may leave a step that makes things worse: then it is not taken.
    gain = d0 * (g0 - 0.5 * a0) + d1 * (g1 - 0.5 * a1) + d2 * (g2 - 0.5 * a2) + d3 * (g3 - 0.5 * a3)
    better = gain > 0.0
    g0, n0 = g0 - a0 if better else g0, n0 if better else x0
    g1, n1 = g1 - a1 if better else g1, n1 if better else x1
    g2, n2 = g2 - a2 if better else g2, n2 if better else x2
    g3, n3 = g3 - a3 if better else g3, n3 if better else x3
    g0, g1, g2, g3, n0, n1, n2, n3 = relax(
        k00, k10, k11, k20, k21, k22, k30, k31, k32, k33, s0, s1, s2, s3, g0, g1, g2, g3, n0, n1, n2, n3
    )
    g0, g1, g2, g3, n0, n1, n2, n3 = relax(
        k00, k10, k11, k20, k21, k22, k30, k31, k32, k33, s0, s1, s2, s3, g0, g1, g2, g3, n0, n1, n2, n3
    )
    return n0, n1, n2, n3


@function
def step_length(k00, k10, k11, k20, k21, k22, k30, k31, k32, k33, s0, s1, s2, s3, d0, d1, d2, d3):
    """How far to go along d, which is what each contact is to gain: steepest descent with exact line search.

    But no further than a contact alone would go: contacts that press on a body from two sides cancel each other, and
    would go as far as rounding lets them.
    """
    bend = k00 * d0 * d0 + k11 * d1 * d1 + k22 * d2 * d2 + k33 * d3 * d3
    bend += 2.0 * (d0 * (k10 * d1 + k20 * d2 + k30 * d3) + d1 * (k21 * d2 + k31 * d3) + d2 * k32 * d3)
    slope = d0 * d0 + d1 * d1 + d2 * d2 + d3 * d3
    most = max(s0 if d0 != 0.0 else 0.0, s1 if d1 != 0.0 else 0.0)
    most = max(most, max(s2 if d2 != 0.0 else 0.0, s3 if d3 != 0.0 else 0.0))
    return min(slope / bend, most) if bend > 0.0 else 0.0


@function
def relax(k00, k10, k11, k20, k21, k22, k30, k31, k32, k33, s0, s1, s2, s3, g0, g1, g2, g3, x0, x1, x2, x3):
    """Projected Gauss-Seidel, there and back; returns what is left to gain, and the impulses."""
    n = max(x0 + s0 * g0, 0.0)
    d = n - x0
    x0, g0, g1, g2, g3 = n, g0 - k00 * d, g1 - k10 * d, g2 - k20 * d, g3 - k30 * d
    n = max(x1 + s1 * g1, 0.0)
    d = n - x1
    x1, g0, g1, g2, g3 = n, g0 - k10 * d, g1 - k11 * d, g2 - k21 * d, g3 - k31 * d
    n = max(x2 + s2 * g2, 0.0)
    d = n - x2
    x2, g0, g1, g2, g3 = n, g0 - k20 * d, g1 - k21 * d, g2 - k22 * d, g3 - k32 * d
    n = max(x3 + s3 * g3, 0.0)
    d = n - x3
    x3, g0, g1, g2, g3 = n, g0 - k30 * d, g1 - k31 * d, g2 - k32 * d, g3 - k33 * d
    n = max(x2 + s2 * g2, 0.0)
    d = n - x2
    x2, g0, g1, g2, g3 = n, g0 - k20 * d, g1 - k21 * d, g2 - k22 * d, g3 - k32 * d
    n = max(x1 + s1 * g1, 0.0)
    d = n - x1
    x1, g0, g1, g2, g3 = n, g0 - k10 * d, g1 - k11 * d, g2 - k21 * d, g3 - k31 * d
    n = max(x0 + s0 * g0, 0.0)
    d = n - x0
    x0, g0, g1, g2, g3 = n, g0 - k00 * d, g1 - k10 * d, g2 - k20 * d, g3 - k30 * d
    return g0, g1, g2, g3, x0, x1, x2, x3
