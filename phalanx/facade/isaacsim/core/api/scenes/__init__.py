"""What scripts import as ``isaacsim.core.api.scenes``."""

from phalanx.facade.isaacsim.core.api.scenes.scene import Scene
from phalanx.facade.isaacsim.core.api.scenes.scene_registry import SceneRegistry

__all__ = ["Scene", "SceneRegistry"]
