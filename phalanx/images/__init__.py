"""Images of scenes by ray casting: colours, depth, normals, motion and ids, of thousands of cameras at once.

:class:`ImageSensor` draws what a :class:`phalanx.rays.RayScene` holds, on the CPU and on NVIDIA GPUs, from one source;
see docs/decisions/0025-images.md.
"""

from phalanx.images.looks import DAYLIGHT, Light, Look, Texture
from phalanx.images.sensor import TYPES, ImageSensor

__all__ = ["DAYLIGHT", "TYPES", "ImageSensor", "Light", "Look", "Texture"]
