"""Surfaces: what bodies and grounds are made of where they touch, and who touches whom. Plain data."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from phalanx.components.shape import AVERAGE, MAXIMUM, MINIMUM, MULTIPLY

COMBINE_MODES = {"average": AVERAGE, "min": MINIMUM, "multiply": MULTIPLY, "max": MAXIMUM}
"""Names of the ways in which two surfaces' coefficients are combined, and their codes in the components."""

CONTACT_MODES = ("restitution", "series")
"""Names of the ways in which two surfaces' stiffness and damping are combined; their places are the codes."""

DEFAULT_FRICTION = 0.8

NUM_GROUPS = 32
"""Collision groups are numbered from 0 to this, exclusive; a mask has a bit for each."""

ALL_GROUPS = (1 << NUM_GROUPS) - 1
"""The mask that lets everything collide."""


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
        contact_stiffness, contact_damping: N/m and N s/m, of a contact that gives way: it presses with
            ``max(0, -stiffness * separation - damping * speed of separation)`` at each point, by implicit Euler, and
            does not bounce by its restitution. 0, the default, is rigid; then the damping has no part. If one of two
            surfaces is rigid the other's hold, else they are combined, stiffness by ``restitution_combine`` (where
            ``"min"`` is the stiffer) and damping as the mean. As PhysX's compliant contacts, see
            :mod:`phalanx.systems.solver.soft_contacts`.
        contact_combine: how stiffness and damping of two surfaces that both give way are combined:
            ``"restitution"``, as above, or ``"series"``, as springs and dampers one behind the other,
            ``a b / (a + b)``, if both surfaces say so. Stiffnesses in proportion to what bodies weigh then stand for
            their reduced mass, as MuJoCo has it.

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
    contact_stiffness: float = 0.0
    contact_damping: float = 0.0
    contact_combine: str = "restitution"

    def __post_init__(self) -> None:
        others = ("torsional_patch_radius", "min_torsional_patch_radius", "contact_stiffness", "contact_damping")
        for name in ("static_friction", "dynamic_friction", "restitution", *others):
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
        if self.contact_combine not in CONTACT_MODES:
            raise ValueError(f"contact_combine={self.contact_combine!r}: must be one of {', '.join(CONTACT_MODES)}")

    @property
    def friction_mode(self) -> int:
        """Code of :attr:`friction_combine`, as in ``ShapeMaterial.friction_mode``."""
        return COMBINE_MODES[self.friction_combine]

    @property
    def restitution_mode(self) -> int:
        """Code of :attr:`restitution_combine`, as in ``ShapeMaterial.restitution_mode``."""
        return COMBINE_MODES[self.restitution_combine]

    @property
    def contact_mode(self) -> int:
        """Code of :attr:`contact_combine`, as in ``ShapeMaterial.contact_series``."""
        return CONTACT_MODES.index(self.contact_combine)

    def to_dict(self) -> dict[str, Any]:
        """Its fields, JSON-ready."""
        return asdict(self)

    @classmethod
    def of(cls, who: str, material: Material | Mapping[str, Any] | None = None, **options: Any) -> Material:
        """A material from one, or from a mapping of its fields, with the options that are not ``None`` put in.

        ``friction`` sets both coefficients. With only one coefficient given, the other follows it where it must for the
        dynamic one not to be above the static one. Errors start with ``who``.

        Raises:
            ValueError: a field is unknown or its value is none that a material can have.
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


DEFAULT_MATERIAL = Material()


class HasSurface:
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
class Ground(HasSurface):
    """A static plane; see :meth:`phalanx.World.add_ground`."""

    height: float
    normal: tuple[float, float, float]
    material: Material = DEFAULT_MATERIAL
    group: int = 0
    mask: int = ALL_GROUPS
    contact_type: int = 1
    contact_affinity: int = 1
    """Bits as of :class:`phalanx.Shape`."""
