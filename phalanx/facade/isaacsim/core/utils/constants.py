"""Axes by their letters."""

AXES_INDICES = {"X": 0, "x": 0, "Y": 1, "y": 1, "Z": 2, "z": 2}
"""The number of an axis."""

AXES_TOKEN = {"X": "X", "x": "X", "Y": "Y", "y": "Y", "Z": "Z", "z": "Z"}
"""What USD calls an axis."""

__all__ = ["AXES_INDICES", "AXES_TOKEN"]
