"""Buffers over time: the last few values, delayed values, and values with the time when they were computed."""

from phalanx.facade.isaaclab.utils.buffers.circular_buffer import CircularBuffer
from phalanx.facade.isaaclab.utils.buffers.delay_buffer import DelayBuffer
from phalanx.facade.isaaclab.utils.buffers.timestamped_buffer import TimestampedBuffer

__all__ = ["CircularBuffer", "DelayBuffer", "TimestampedBuffer"]
