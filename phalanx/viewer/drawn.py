"""What is drawn beside bodies, in viewers of worlds and of recordings: details of models, and what users add."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from phalanx.viewer.details import KINDS, Details
from phalanx.viewer.drawings import Drawings, Lines, Points, Read, of_environments
from phalanx.viewer.scene import FORCE_COLOR, POINT_COLOR, ROOT

if TYPE_CHECKING:
    from phalanx.viewer.panels import ViewPanel
    from phalanx.viewer.scene import Scene
    from phalanx.world.world import World


class Drawn:
    """The part of a viewer that draws.

    Attributes:
        drawings: all of them, by name.
        details: reads centres of mass, inertias, joints and trails.
    """

    world: World
    scene: Scene
    view_panel: ViewPanel

    def _add_details(self, rows: Callable[[np.ndarray], np.ndarray]) -> None:
        """Offer what models have; ``rows``: of environments that are seen the numbers in the world that has masses."""
        self.drawings = Drawings(self.scene.server, f"{ROOT}/drawings")
        self.details = Details(self.world, self.scene.frame_size, rows)
        for kind in KINDS:
            self.drawings.add(kind, lambda envs, offsets, kind=kind: self.details.read(kind, envs, offsets))
            self.view_panel.add_drawing(kind, self.drawings, shown=False)

    def add_points(self, label: str, read: Callable[[], Any], color: Any = POINT_COLOR, size: float = 0.015) -> None:
        """Draw dots in the scene, such as hits of rays.

        Args:
            label: what they are called; a box in the tab "View" hides them.
            read: returns (num_envs, n, 3), m, in the frames of the environments; what is not finite is left out. It is
                called between two steps, and not while nobody looks.
            color: (3,), sRGB, 0 to 255.
            size: m.
        """
        rgb = np.asarray(color, np.uint8)
        self.add_drawing(label, of_environments(read, (3,), lambda places: Points(places, rgb, size)))

    def add_lines(
        self, label: str, read: Callable[[], Any], color: Any = FORCE_COLOR, thickness: float = 0.006
    ) -> None:
        """Draw straight lines in the scene.

        Args:
            label, color: as of :meth:`add_points`.
            read: returns the ends, (num_envs, n, 2, 3), m; called as that of :meth:`add_points`.
            thickness: m.
        """
        rgb = np.asarray(color, np.uint8)
        self.add_drawing(label, of_environments(read, (2, 3), lambda ends: Lines(ends, rgb, thickness)))

    def add_drawing(self, label: str, read: Read) -> None:
        """Draw :class:`~.drawings.Points`, :class:`~.drawings.Lines` and :class:`~.drawings.Copies` of meshes.

        Args:
            label: as of :meth:`add_points`; what had it before is replaced.
            read: gets numbers of the environments that are seen, (k,), and where they stand in the scene, (k, 3), m,
                and returns a list of drawings in the scene's coordinates; called as that of :meth:`add_points`.
        """
        self.drawings.add(label, read)
        self.view_panel.add_drawing(label, self.drawings)
