"""The part of a world that knows its grounds, and what passes through what."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Unpack

from phalanx.models.surface import ALL_GROUPS, Ground
from phalanx.world import checking, options
from phalanx.world.engine.engine import Engine
from phalanx.world.jointed import BodyName, Jointed
from phalanx.world.options import SURFACE, Surface


class Collisions(Jointed):
    """Adds grounds, and pairs that do not collide, to what a world can hold."""

    def __init__(self, engine: Engine) -> None:
        super().__init__(engine)
        self._grounds: list[Ground] = []
        self._disabled: set[tuple[int, int]] = set()  # numbers of actors
        self._separated: list[tuple[tuple[str, str], tuple[str, str]]] = []  # (actor, body) each

    @property
    def grounds(self) -> tuple[Ground, ...]:
        """The static planes, in the order in which they were added."""
        return tuple(self._grounds)

    def add_ground(
        self,
        height: float = 0.0,
        normal: Sequence[float] = (0.0, 0.0, 1.0),
        *,
        collision_group: int = 0,
        collision_mask: int | Iterable[int] = ALL_GROUPS,
        contact_type: int = 1,
        contact_affinity: int = 1,
        **surface: Unpack[Surface],
    ) -> None:
        """Add a static plane in every environment, through (0, 0, height).

        Of a vertical plane, ``height`` is the distance from the origin along the normal. Options of its surface are
        those of :class:`phalanx.world.options.Surface`: ``friction=``, ``restitution=``, ``material=`` and so on. Bits
        of ``contact_type`` and ``contact_affinity`` are as of a :class:`phalanx.Shape`.

        Raises:
            ValueError: ``height`` or ``normal`` is not finite, the normal is zero, or an option is unknown.
            RuntimeError: the world is built.
        """
        who = "add_ground"
        self._not_built(who)
        if len(normal) != 3 or not all(map(math.isfinite, (height, *normal))) or not any(normal):
            raise ValueError("add_ground: height and a non-zero normal of 3 must be finite")
        checking.options(who, surface, SURFACE)
        material = options.surface(who, surface)
        x, y, z = map(float, normal)
        groups = options.group(who, collision_group), options.mask(who, collision_mask)
        bits = int(contact_type), int(contact_affinity)
        self._grounds.append(Ground(float(height), (x, y, z), material, *groups, *bits))

    def disable_collision(self, a: BodyName, b: BodyName) -> None:
        """Let two actors pass through each other, or two bodies of different actors.

        Args:
            a, b: actors, their names, ``"actor/body"``, or pairs of an actor and the name of its body.

        Raises:
            ValueError: a name is unknown, or both name one actor.
            RuntimeError: the world is built.
        """
        who = "disable_collision"
        self._not_built(who)
        names, pair, bodies = list(self.actors), [], []
        for given in (a, b):
            first, body = given if isinstance(given, tuple) else (given, "")
            if isinstance(first, str) and first not in names and not body:
                first, _, body = first.partition("/")
            name = first if isinstance(first, str) else first.name
            if name not in names:
                raise ValueError(f"{who}: there is no actor {name!r}; there are {', '.join(names)}")
            if body:
                self.actors[name].body_index(body)  # raises: there is none
            pair.append(names.index(name))
            bodies.append((name, body))
        if pair[0] == pair[1]:
            raise ValueError(
                f"{who}: {names[pair[0]]!r} twice; add_robot(self_collision=False) keeps its bodies from colliding "
                "with each other, and its disable_collisions= some of them"
            )
        if not bodies[0][1] and not bodies[1][1]:
            self._disabled.add((min(pair), max(pair)))
            return
        for first in self._bodies(*bodies[0]):
            for other in self._bodies(*bodies[1]):
                self._separated.append((first, other))

    def _bodies(self, actor: str, body: str) -> list[tuple[str, str]]:
        return [(actor, one) for one in self.actors[actor].body_names if body in ("", one)]

    def _separated_bodies(self) -> list[tuple[tuple[int, int], tuple[int, int]]]:
        """Pairs of bodies that do not collide, (number of actor, number of body) each."""
        numbers = {name: n for n, name in enumerate(self.actors)}

        def place(name: str, body: str) -> tuple[int, int]:
            return numbers[name], self.actors[name].body_index(body)

        return [(place(*a), place(*b)) for a, b in self._separated]
