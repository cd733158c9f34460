"""Interpolation of tables."""

from phalanx.facade.isaaclab.utils.interpolation.linear_interpolation import LinearInterpolation

__all__ = ["LinearInterpolation"]
