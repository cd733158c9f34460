"""Options that robots and rigid objects share, checked and turned into the fields of a part."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypedDict, get_type_hints

from phalanx.models.actor_spec import Part
from phalanx.models.surface import ALL_GROUPS, NUM_GROUPS, Material
from phalanx.world import checking


class Surface(TypedDict, total=False):
    """Options of every surface.

    * ``material``: a :class:`phalanx.Material`, or a mapping of its fields.
    * ``friction``: both coefficients of friction; ``static_friction``, ``dynamic_friction``, ``restitution``,
      ``friction_combine``, ``restitution_combine``, ``torsional_patch_radius``, ``min_torsional_patch_radius``,
      ``contact_stiffness``, ``contact_damping``, ``contact_combine``: fields of the material that differ from
      ``material`` or the defaults.
    """

    material: Material | Mapping[str, Any] | None
    friction: float | None
    static_friction: float | None
    dynamic_friction: float | None
    restitution: float | None
    friction_combine: str | None
    restitution_combine: str | None
    torsional_patch_radius: float | None
    min_torsional_patch_radius: float | None
    contact_stiffness: float | None
    contact_damping: float | None
    contact_combine: str | None


class ActorOptions(Surface, total=False):
    """Options of robots and rigid objects, besides those of :class:`Surface`.

    * ``collision_group``: 0 to 31; ``collision_mask``: the groups that it may collide with, as bits or as numbers in a
      list. Two actors collide if each one's mask has the other's group.
    * ``contact_offset``: contacts exist below the sum of two shapes', m; the world's by default. ``rest_offset``:
      surfaces come to rest at the sum of two shapes', m; less than ``contact_offset``.
    * ``linear_damping``, ``angular_damping``: decay of velocities, 1/s.
    * ``max_linear_velocity`` (m/s), ``max_angular_velocity`` (rad/s): caps on the motion of the root.
    * ``max_depenetration_velocity``: how fast contacts push it out of what it penetrates, m/s; the world's by default.
      Of two actors the smaller cap holds for both; grounds and static objects have none.
    * ``sleep_threshold``: kinetic energy per mass of each of its links, m^2/s^2, below which it may go to sleep, see
      :mod:`phalanx.systems.sleep.decide`; 0, the default: never. ``stabilization_threshold``: the same, below which it
      is damped while it touches anything, so that what rocks comes to rest.
    * ``disable_gravity``: gravity does not act on it; ``gyroscopic_forces``: whether those of rotation do.
    * ``position_iterations``, ``velocity_iterations``: sweeps of the solver that it asks for; all of the world gets the
      greatest of these and of the world's own, since what touches is solved together.
    """

    collision_group: int
    collision_mask: int | Iterable[int]
    contact_offset: float | None
    rest_offset: float
    linear_damping: float
    angular_damping: float
    max_linear_velocity: float
    max_angular_velocity: float
    max_depenetration_velocity: float | None
    sleep_threshold: float
    stabilization_threshold: float
    disable_gravity: bool
    gyroscopic_forces: bool
    position_iterations: int | None
    velocity_iterations: int | None


SURFACE = tuple(get_type_hints(Surface))
OPTIONS = tuple(get_type_hints(ActorOptions))
ITERATIONS = {"position_iterations": 1, "velocity_iterations": 0}
"""Kinds of sweeps of the solver, and the least number of each."""


def surface(who: str, options: Mapping[str, Any]) -> Material:
    """The material that the options of :class:`Surface` among these give."""
    return Material.of(who, **{key: value for key, value in options.items() if key in SURFACE})


def part_fields(who: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Fields of a :class:`phalanx.models.actor_spec.Part` from :class:`ActorOptions`.

    Raises:
        TypeError: an option is unknown.
        ValueError: a value is out of its range.
    """
    checking.options(who, options, OPTIONS)
    found: dict[str, Any] = {"material": surface(who, options)}
    found["material_given"] = any(options.get(name) is not None for name in SURFACE)
    if "collision_group" in options:
        found["group"] = group(who, options["collision_group"])
    if "collision_mask" in options:
        found["mask"] = mask(who, options["collision_mask"])
    for name in ("linear_damping", "angular_damping", "sleep_threshold", "stabilization_threshold"):
        if name in options:
            found[name] = checking.number(f"{who}: {name}", options[name])
    for name in ("max_linear_velocity", "max_angular_velocity"):
        if name in options:
            found[name] = checking.number(f"{who}: {name}", options[name], above=0, infinite=True)
    if options.get("max_depenetration_velocity") is not None:
        found["max_depenetration_velocity"] = checking.number(
            f"{who}: max_depenetration_velocity", options["max_depenetration_velocity"], above=0
        )
    if options.get("contact_offset") is not None:
        found["contact_offset"] = checking.number(f"{who}: contact_offset", options["contact_offset"], above=0)
    if "rest_offset" in options:
        found["rest_offset"] = checking.number(f"{who}: rest_offset", options["rest_offset"], least=-math.inf)
        if found["rest_offset"] >= found.get("contact_offset", math.inf):
            raise ValueError(f"{who}: rest_offset must be less than contact_offset={found['contact_offset']}")
    for name in ITERATIONS:
        if options.get(name) is not None:
            found[name] = iterations(who, name, options[name])
    if options.get("disable_gravity"):
        found["gravity_scale"] = 0.0
    if "gyroscopic_forces" in options:
        found["gyroscopic_forces"] = bool(options["gyroscopic_forces"])
    return found


def iterations(who: str, name: str, value: Any) -> int:
    """A number of sweeps, at least 1 that move."""
    return checking.whole(f"{who}: {name}", value, ITERATIONS[name], checking.MOST_ITERATIONS)


def group(who: str, value: Any) -> int:
    """A collision group."""
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < NUM_GROUPS:
        raise ValueError(f"{who}: collision group {value!r} must be a whole number from 0 to {NUM_GROUPS - 1}")
    return value


def mask(who: str, value: Any) -> int:
    """Bits of a collision mask, from bits or from the groups that it lets through."""
    if isinstance(value, int) and not isinstance(value, bool):
        if not 0 <= value <= ALL_GROUPS:
            raise ValueError(f"{who}: collision mask {value:#x} must have {NUM_GROUPS} bits, 0 to {ALL_GROUPS:#x}")
        return value
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise TypeError(f"{who}: collision mask {value!r} must be an int of bits, or a list of groups")
    bits = 0
    for number in value:
        bits |= 1 << group(who, number)
    return bits


def locked(who: str, value: Any) -> tuple[bool, ...]:
    """Six flags, from flags or from the names of axes: ``"x"``, ``"rz"`` and so on, rotations with an r."""
    names = ("x", "y", "z", "rx", "ry", "rz")
    if isinstance(value, str):
        value = value.split()
    if not isinstance(value, Sequence):
        raise TypeError(f"{who}: locked_axes={value!r} must be names of axes ({', '.join(names)}), or six flags")
    if all(isinstance(item, str) for item in value):
        wrong = [item for item in value if item not in names]
        if wrong:
            raise ValueError(f"{who}: locked_axes: there is no axis {wrong[0]!r}; there are {', '.join(names)}")
        return tuple(name in value for name in names)
    if len(value) != 6:
        raise ValueError(f"{who}: locked_axes needs six flags ({', '.join(names)}), not {len(value)}")
    return tuple(bool(item) for item in value)


def plain(options: Mapping[str, Any], part: Part) -> dict[str, Any]:
    """The same options, JSON-ready: a material spelled out, a mask as bits."""
    found = {key: value for key, value in options.items() if key not in SURFACE and value is not None}
    if "collision_mask" in found:
        found["collision_mask"] = part.mask
    for name in ("max_linear_velocity", "max_angular_velocity"):
        if name in found and math.isinf(found[name]):
            del found[name]
    return {**found, "material": part.material.to_dict()} if part.material_given else found
