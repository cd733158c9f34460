"""Frame transformers."""

from phalanx.facade.isaaclab.sensors.frame_transformer.frame_transformer import FrameTransformer
from phalanx.facade.isaaclab.sensors.frame_transformer.frame_transformer_cfg import FrameTransformerCfg, OffsetCfg
from phalanx.facade.isaaclab.sensors.frame_transformer.frame_transformer_data import FrameTransformerData

__all__ = ["FrameTransformer", "FrameTransformerCfg", "FrameTransformerData", "OffsetCfg"]
