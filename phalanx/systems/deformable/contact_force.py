"""What a contact of a node does: it pushes along the normal, and holds along the surface as far as friction goes."""

import math

from phalanx.ecs import function

STIFFNESS = 20.0
"""Stiffness of a contact, in units of the node's mass per square of the small step.

As a multiple of the node's elastic stiffness, contacts of stiff bodies chatter; the body as a whole takes up what one
node cannot (:mod:`phalanx.systems.deformable.modes`). Compared in docs/decisions/0039-soft-bodies.md.
"""

LEARNING = 0.1
"""Share of what a contact's overlap pushes with that its load takes over in a small step: at rest nothing overlaps."""

OPENS = 0.05
"""m/s: what opens faster has let go, and keeps no load. Loads that went on pushing would give bodies energy."""

GENTLE = 0.02
"""The same share for overlaps from the start: a cube that begins 20 mm deep comes up at about 0.3 m/s."""


@function
def next_load(on, stiffness, load, gap, speed):
    """Load of a contact for the next small step.

    It takes over some of what the overlap pushes with, and is positive only while the contact does not open. Negative
    loads are those of contacts that overlap from the start: they come up from there, so that these open gently.

    Args:
        on, stiffness, load: as of :func:`contact_force`.
        gap: of the node from its anchor, m.
        speed: the lesser of those at which the node and its body have left the anchor in the small step, m/s.
    """
    share = LEARNING if load >= 0.0 else GENTLE
    found = max(load - share * stiffness * gap, stiffness * min(gap, 0.0))
    return (min(found, 0.0) if speed > OPENS else found) if on else 0.0


@function
def contact_stiffness(mass, rate):
    """Of a node, N/m; ``rate`` is the inverse of the small step."""
    return STIFFNESS * mass * rate * rate


@function
def contact_force(on, stiffness, load, friction, nx, ny, nz, x, y, z):
    """Force of a contact on its node.

    Args:
        on: whether there is a contact.
        stiffness: of the contact, N/m.
        load, friction: NodeContactState.load, NodeContactPoint.friction.
        nx, ny, nz: normal.
        x, y, z: the node, from its anchor.

    Returns:
        The force along the normal; the stiffness along the surface (less than the other where it slides), and by how
        much the one along the normal is more; the way from the anchor along the surface, and the gap.
    """
    gap = nx * x + ny * y + nz * z
    push = load - stiffness * gap
    touches = on and push > 0.0
    push = push if touches else 0.0
    tx, ty, tz = x - gap * nx, y - gap * ny, z - gap * nz
    way = math.sqrt(tx * tx + ty * ty + tz * tz)
    bound = friction * push
    slides = stiffness * way > bound
    across = (bound / way if way > 0.0 else 0.0) if slides else stiffness
    across = across if touches else 0.0
    return push, across, (stiffness - across) if touches else 0.0, tx, ty, tz, gap
