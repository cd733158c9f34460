"""What a world is made of before it is built: the parts (robots and rigid objects).

Plain data. :mod:`phalanx.world.layout.fill` turns it into rows of the engine's tables.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from phalanx.models.articulation import Articulation
from phalanx.models.surface import ALL_GROUPS, DEFAULT_MATERIAL, HasSurface, Material

DYNAMIC, KINEMATIC, STATIC = KINDS = ("dynamic", "kinematic", "static")
"""What moves a part: forces; the user, whatever it meets; nothing."""


@dataclass(frozen=True)
class Part(HasSurface):
    """A robot or a rigid object, with everything that its rows in the tables are made of.

    A rigid object is an articulation of one link, with a fixed base if it is static and a free root otherwise.

    Two shapes can collide if each one's ``mask`` has the bit of the other's ``group`` (``mask >> group & 1``), if they
    belong to links that move apart from each other, and if nothing else here forbids it: two bodies of one part only
    with ``self_collision``, not when a joint connects their links (but see ``base_collision``), and not when
    ``disabled_bodies`` lists them.
    """

    articulation: Articulation = field(repr=False)
    material: Material = DEFAULT_MATERIAL
    kind: str = DYNAMIC
    """``"kinematic"``: all dofs of the free root are prescribed. Robots are ``"dynamic"``, with a fixed base or not."""
    group: int = 0
    """Collision group, 0..31."""
    mask: int = ALL_GROUPS
    """Bits of the groups that it may collide with, 0..2**32 - 1."""
    self_collision: bool = False
    disabled_bodies: tuple[tuple[int, int], ...] = ()
    """Pairs of bodies (numbers of frames of the articulation) that do not collide."""
    material_given: bool = False
    """Whether ``material`` holds for shapes, too, that have one of their own."""
    base_collision: bool = False
    """Bodies collide with a fixed base even where a joint connects them to it."""
    contact_offset: float | None = None
    """m; the world's where ``None``."""
    rest_offset: float = 0.0
    """m; surfaces rest at the sum of the two."""
    linear_damping: float = 0.0
    """1/s, of every link."""
    angular_damping: float = 0.0
    """1/s, of every link."""
    gravity_scale: float = 1.0
    """0: gravity does not act."""
    gyroscopic_forces: bool = True
    max_linear_velocity: float = math.inf
    """m/s, of the root."""
    max_angular_velocity: float = math.inf
    """rad/s, of the root."""
    sleep_threshold: float = 0.0
    """m^2/s^2; 0: it never sleeps."""
    stabilization_threshold: float = 0.0
    """m^2/s^2; 0: it is never damped for the sake of stability."""
    max_depenetration_velocity: float | None = None
    """m/s; the world's where ``None``."""
    locked_axes: tuple[bool, ...] = (False,) * 6
    """Of a free root: translation along x y z, rotation about x y z, world axes."""
    position_iterations: int | None = None
    """The world's where ``None``."""
    velocity_iterations: int | None = None
    """The world's where ``None``."""
