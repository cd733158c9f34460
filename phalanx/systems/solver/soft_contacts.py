"""Contacts that give way: a spring and a damper along the normal, for surfaces whose materials ask for it.

A contact presses with max(0, -k s - d v), s its separation and v the speed at which that grows, both at the end of the
substep (implicit Euler; stable for any k, d). With s = s0 + h v the impulse n over a substep h satisfies

    v + c n = -s0 k h c,   c = 1 / (h (h k + d)),

a row with the compliance c (Catto, Soft Constraints, 2011, calls it constraint force mixing). A contact that is still
open at the start of the substep has no damping in it, or it would press before it touches. Of two surfaces one of which
is rigid, the other one's spring holds; two springs are combined as two restitutions are, or are one behind the other
(series). The former is PhysX's way with compliant contacts, as is that they do not bounce by restitution.

The sweeps find -c in the place of the speed of rebound, and in the place of the separation that which gives the speed
wanted if it is to be gone after h.
"""

from phalanx.components import (
    Contact,
    ContactCount,
    ContactMotion,
    ContactPoint,
    ContactSurface,
    Settings,
    ShapeMaterial,
)
from phalanx.components.shape import AVERAGE, MINIMUM, MULTIPLY
from phalanx.ecs import function, read, system, update


@function
def combined(mode, x, y):
    """Stiffness or damping of two surfaces that both give way. Of ``MINIMUM`` the stiffer, as PhysX has it."""
    both = 0.5 * (x + y) if mode == AVERAGE else min(x, y)
    both = max(x, y) if mode == MINIMUM else both
    return x * y if mode == MULTIPLY else both


@function
def in_series(x, y):
    """Stiffness of two springs, or damping of two dampers, one behind the other."""
    return x * y / (x + y) if x + y > 0.0 else 0.0


@system(over=Contact, phase="collide", only_with="contact_surfaces")
def soften_contacts(
    c,
    e,
    count=read(ContactCount.current),
    h=read(Settings.timestep),
    shape_a=read(ContactPoint.a),
    shape_b=read(ContactPoint.b),
    stiffness=read(ShapeMaterial.contact_stiffness),
    damping=read(ShapeMaterial.contact_damping),
    mode=read(ShapeMaterial.restitution_mode),
    series=read(ShapeMaterial.contact_series),
    separation=read(ContactPoint.separation),
    gap=update(ContactMotion.gap),
    rebound=update(ContactMotion.rebound),
    restitution=update(ContactSurface.restitution),
):
    """What the sweeps need to know of contacts that give way."""
    here = c < count[0, e]
    a, b = shape_a[c, e] if here else 0, shape_b[c, e] if here else 0
    k_a, k_b, d_a, d_b = stiffness[a, e], stiffness[b, e], damping[a, e], damping[b, e]
    if here and (k_a > 0.0 or k_b > 0.0):
        both = k_a > 0.0 and k_b > 0.0
        way = max(mode[a, e], mode[b, e])
        spring = combined(way, k_a, k_b) if both else max(k_a, k_b)
        give = 0.5 * (d_a + d_b) if both else (d_a if k_a > 0.0 else d_b)
        if both and series[a, e] == 1 and series[b, e] == 1:
            spring, give = in_series(k_a, k_b), in_series(d_a, d_b)
        give = give if separation[c, e] <= 0.0 else 0.0
        step = h[0, e] * spring
        rebound[c, e] = -1.0 / (h[0, e] * (step + give))
        gap[c, e] = separation[c, e] * (step / (step + give))
        restitution[c, e] = 0.0
