"""What scene queries return."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from phalanx.world.queries.tables import QueryTables


@dataclass(frozen=True)
class Touches:
    """Shapes that probes touch, as arrays on the world's device, (n, m) for n environments and m probes.

    Of queries with ``mode="all"`` the arrays but ``total`` are (n, m, max_hits), filled from the front.
    """

    hit: Any
    """bool: something is touched (of ``"all"``: this place holds a hit)."""
    shape: Any
    """int32: row of the table of shapes, -1: none."""
    face: Any
    """int32: of a triangle mesh the face, counted as in the mesh that it was made of; of a height field the triangle,
    as :func:`phalanx.models.meshes.height_fields.grid_triangles` counts them; else -1."""
    total: Any
    """int32, (n, m): shapes that were hit; with ``mode="all"`` more than ``max_hits`` if some had no place."""
    queries: QueryTables

    @property
    def actor(self) -> Any:
        """int32: what was hit, a position in :attr:`phalanx.world.queries.scene_queries.SceneQueries.actor_names`; -1:
        nothing.
        """
        return self.queries.lookup("actor", self.shape)

    @property
    def body(self) -> Any:
        """int32: which of the actor's bodies was hit, a position in its ``body_names``; -1: nothing, or a ground."""
        return self.queries.lookup("body", self.shape)

    def actor_name(self, *index: int) -> str | None:
        """Name of what was hit, e.g. ``actor_name(env, ray)``; ``None`` for nothing. Waits for the device."""
        number = int(self.actor[index])
        return None if number < 0 else self.queries.actor_names[number]

    def body_name(self, *index: int) -> str | None:
        """Name of the body that was hit; ``None`` for nothing or a ground. Waits for the device."""
        number, actor = int(self.body[index]), self.actor_name(*index)
        return None if number < 0 or actor is None else self.queries.actors[actor].body_names[number]


@dataclass(frozen=True)
class Hits(Touches):
    """Where rays and probes hit, nearest first; shapes as of :class:`Touches`, vectors with a last axis of 3."""

    distance: Any
    """m, along the direction; infinite where nothing was hit. Of penetration: the signed distance, negative."""
    position: Any
    """m, on the surface of what was hit, in the environment's frame; infinite where nothing was hit."""
    normal: Any
    """Unit normal of the surface, world axes, towards where the ray or probe came from; zero where nothing was hit."""

    @property
    def depth(self) -> Any:
        """Of penetration: m, how far the probe must move along ``normal`` to be free; 0 where nothing was hit."""
        xp = self.queries.engine.device.xp
        return xp.where(self.hit, -self.distance, xp.zeros_like(self.distance))
