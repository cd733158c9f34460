"""What panels know of the viewer that they are part of."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from phalanx.viewer.cameras import Feed

if TYPE_CHECKING:
    from phalanx.images.pictures.framing import Camera
    from phalanx.images.pictures.picture import WorldPainter
    from phalanx.viewer.hover import Hover
    from phalanx.viewer.pace import Pace
    from phalanx.viewer.scene import Scene
    from phalanx.viewer.selection import Selection
    from phalanx.world.snapshots import Snapshot
    from phalanx.world.world import World


class Placed(Feed, Protocol):
    """A camera that can be put elsewhere."""

    def put(self, position: Any, orientation: Any) -> None:
        """See :meth:`~phalanx.images.world_camera.WorldCamera.set_pose`."""
        ...


class Steered(Protocol):
    """See :class:`~.viewer.Viewer`."""

    world: World
    pace: Pace
    selection: Selection
    scene: Scene
    hover: Hover
    num_envs: int

    @property
    def server(self) -> Any:
        """The ``viser.ViserServer``."""
        ...

    @property
    def body_names(self) -> list[str]:
        """``"actor/body"`` of all bodies."""
        ...

    def do(self, command: Callable[[World], object]) -> None:
        """Call ``command(world)`` between two steps."""
        ...

    def follow(self, body: str | None) -> None:
        """Keep a body in the middle."""
        ...

    def show_names(self, shown: bool) -> None:
        """Show names of what the pointer is over, or no longer."""
        ...

    def body_pose(self, name: str) -> np.ndarray:
        """(7,): [x y z qw qx qy qz], m, of a body ("actor/body") as it was seen last, in its environment."""
        ...

    def new_camera(self, height: int, width: int, **options: Any) -> Placed:
        """A camera of the viewer's own; options are those of :class:`~phalanx.images.world_camera.WorldCamera`."""
        ...

    def seen(self) -> Snapshot:
        """Where everything is now that is seen; called where the world may be read."""
        ...

    def painter(self, camera: Camera, **options: Any) -> WorldPainter:
        """Draws what is seen, where it is seen; options are those of
        :class:`~phalanx.images.pictures.picture.WorldPainter`.
        """
        ...

    def views(self) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        """Of each view its name, where the camera is and where it looks."""
        ...

    def shows_others(self) -> None:
        """Let panels say which environments are seen."""
        ...

    def tell(self, text: str, title: str = "Phalanx") -> None:
        """Show a notice."""
        ...
