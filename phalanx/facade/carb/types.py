"""Small vectors by names of their parts, as scripts hand them over."""

from __future__ import annotations

from typing import NamedTuple


class Float2(NamedTuple):
    """Two numbers."""

    x: float = 0.0
    y: float = 0.0


class Float3(NamedTuple):
    """Three numbers."""

    x: float = 0.0
    y: float = 0.0
    z: float = 0.0


class Float4(NamedTuple):
    """Four numbers."""

    x: float = 0.0
    y: float = 0.0
    z: float = 0.0
    w: float = 0.0


class Int2(NamedTuple):
    """Two whole numbers."""

    x: int = 0
    y: int = 0


class Int3(NamedTuple):
    """Three whole numbers."""

    x: int = 0
    y: int = 0
    z: int = 0


Double2, Double3, Double4 = Float2, Float3, Float4

__all__ = ["Double2", "Double3", "Double4", "Float2", "Float3", "Float4", "Int2", "Int3"]
