"""What a world is made of before it is built: surfaces, grounds, and the parts (robots and rigid objects).

Plain data. :mod:`phalanx.layout` turns it into rows of the engine's tables.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from phalanx.components.shape import AVERAGE, MAXIMUM, MINIMUM, MULTIPLY
from phalanx.io.articulation import Articulation

COMBINE_MODES = {"average": AVERAGE, "min": MINIMUM, "multiply": MULTIPLY, "max": MAXIMUM}
"""Names of the ways in which two surfaces' coefficients are combined, and their codes in the components."""

DEFAULT_FRICTION = 0.8

NUM_GROUPS = 32
"""Collision groups are numbered from 0 to this, exclusive; a mask has a bit for each."""

ALL_GROUPS = (1 << NUM_GROUPS) - 1
"""The mask that lets everything collide."""

DYNAMIC, KINEMATIC, STATIC = KINDS = ("dynamic", "kinematic", "static")
"""What moves a part: forces; the user, whatever it meets; nothing."""


@dataclass(frozen=True)
class Material:
    """A surface.

    Args:
        static_friction, dynamic_friction: Coulomb's coefficients, not negative; dynamic not above static.
        restitution: ratio of the normal speeds after and before an impact, 0 to 1.
        friction_combine, restitution_combine: how the coefficients of two surfaces in contact become one:
            ``"average"``, ``"min"``, ``"multiply"`` or ``"max"``. Of two different modes the later in this list holds.
        torsional_patch_radius, min_torsional_patch_radius: a contact at one point resists spinning about its normal
            with the torque of friction at a radius of ``max(min_torsional_patch_radius, sqrt(torsional_patch_radius *
            penetration))``, m; of two surfaces the larger values hold. By default nothing resists.

    Raises:
        ValueError: a number is out of its range, or a mode is unknown; ``Material.of`` says whose it is.
    """

    static_friction: float = DEFAULT_FRICTION
    dynamic_friction: float = DEFAULT_FRICTION
    restitution: float = 0.0
    friction_combine: str = "average"
    restitution_combine: str = "average"
    torsional_patch_radius: float = 0.0
    min_torsional_patch_radius: float = 0.0

    def __post_init__(self) -> None:
        radii = ("torsional_patch_radius", "min_torsional_patch_radius")
        for name in ("static_friction", "dynamic_friction", "restitution", *radii):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value) or value < 0:
                raise ValueError(f"{name}={value!r}: must be a finite number, not negative")
            object.__setattr__(self, name, float(value))
        if self.dynamic_friction > self.static_friction:
            raise ValueError(
                f"dynamic_friction={self.dynamic_friction}: must not be above static_friction={self.static_friction}"
            )
        if self.restitution > 1:
            raise ValueError(f"restitution={self.restitution}: must lie in 0..1, or contacts would make energy")
        for name in ("friction_combine", "restitution_combine"):
            if getattr(self, name) not in COMBINE_MODES:
                raise ValueError(f"{name}={getattr(self, name)!r}: must be one of {', '.join(COMBINE_MODES)}")

    @property
    def friction_mode(self) -> int:
        """Code of :attr:`friction_combine`, as in ``ShapeMaterial.friction_mode``."""
        return COMBINE_MODES[self.friction_combine]

    @property
    def restitution_mode(self) -> int:
        """Code of :attr:`restitution_combine`, as in ``ShapeMaterial.restitution_mode``."""
        return COMBINE_MODES[self.restitution_combine]

    def to_dict(self) -> dict[str, Any]:
        """Its fields, JSON-ready."""
        return asdict(self)

    @classmethod
    def of(cls, who: str, material: Material | Mapping[str, Any] | None = None, **options: Any) -> Material:
        """A material from one, or from a mapping of its fields, with the options that are not ``None`` put in.

        ``friction`` sets both coefficients. With only one coefficient given, the other follows it where it must for the
        dynamic one not to be above the static one. Errors start with ``who``.
        """
        try:
            given: dict[str, Any] = {k: v for k, v in options.items() if v is not None}
            if "friction" in given:
                both = given.pop("friction")
                given = {"static_friction": both, "dynamic_friction": both, **given}
            base: dict[str, Any] = {}
            if material is not None:
                base = asdict(material) if isinstance(material, Material) else dict(material)
            unknown = sorted((base.keys() | given.keys()) - {f.name for f in fields(cls)})
            if unknown:
                raise ValueError(f"a material has no {unknown[0]}; it has {', '.join(f.name for f in fields(cls))}")
            values = {**base, **given}
            if "static_friction" not in given and "static_friction" not in base and "dynamic_friction" in given:
                values["static_friction"] = max(DEFAULT_FRICTION, given["dynamic_friction"])
            if "dynamic_friction" not in given and "static_friction" in given:
                values["dynamic_friction"] = min(
                    base.get("dynamic_friction", DEFAULT_FRICTION), given["static_friction"]
                )
            return cls(**values)
        except (ValueError, TypeError) as error:
            raise type(error)(f"{who}: {error}") from None


class _Surface:
    """Coefficients by their own names, for whoever has a material."""

    material: Material

    @property
    def static_friction(self) -> float:
        """Static friction coefficient."""
        return self.material.static_friction

    @property
    def dynamic_friction(self) -> float:
        """Dynamic friction coefficient."""
        return self.material.dynamic_friction

    @property
    def restitution(self) -> float:
        """Restitution coefficient."""
        return self.material.restitution


@dataclass(frozen=True)
class Ground(_Surface):
    """A static plane; see :meth:`phalanx.World.add_ground`."""

    height: float
    normal: tuple[float, float, float]
    material: Material = Material()
    group: int = 0
    mask: int = ALL_GROUPS
    contact_type: int = 1
    contact_affinity: int = 1
    """Bits as of :class:`phalanx.Shape`."""


@dataclass(frozen=True)
class Part(_Surface):
    """A robot or a rigid object, with everything that its rows in the tables are made of.

    A rigid object is an articulation of one link, with a fixed base if it is static and a free root otherwise.

    Two shapes can collide if each one's ``mask`` has the bit of the other's ``group`` (``mask >> group & 1``), if they
    belong to links that move apart from each other, and if nothing else here forbids it: two bodies of one part only
    with ``self_collision``, not when a joint connects their links (but see ``base_collision``), and not when
    ``disabled_bodies`` lists them.
    """

    articulation: Articulation
    material: Material = Material()
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
