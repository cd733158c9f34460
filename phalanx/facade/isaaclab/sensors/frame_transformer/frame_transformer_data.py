"""What a frame transformer has measured."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass
class FrameTransformerData:
    """Poses of M target frames in N environments, seen from a source frame and from the world.

    Attributes:
        target_frame_names: names of the target frames, in the order of the other arrays: that of the configuration, and
            where an expression stands for several bodies, that of the stage.
        target_pos_source: (N, M, 3) positions of the target frames in the source frame, m.
        target_quat_source: (N, M, 4) their orientations, (w, x, y, z).
        target_pos_w: (N, M, 3) positions of the target frames in the world, m.
        target_quat_w: (N, M, 4) their orientations.
        source_pos_w: (N, 3) position of the source frame in the world, m.
        source_quat_w: (N, 4) its orientation.
    """

    target_frame_names: list[str] = None  # pyright: ignore[reportAssignmentType]
    target_pos_source: Any = None
    target_quat_source: Any = None
    target_pos_w: Any = None
    target_quat_w: Any = None
    source_pos_w: Any = None
    source_quat_w: Any = None
