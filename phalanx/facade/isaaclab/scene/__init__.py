"""What scripts import as ``isaaclab.scene``: assets in many environments side by side."""

from phalanx.facade.isaaclab.scene.interactive_scene import InteractiveScene
from phalanx.facade.isaaclab.scene.interactive_scene_cfg import InteractiveSceneCfg

__all__ = ["InteractiveScene", "InteractiveSceneCfg"]
