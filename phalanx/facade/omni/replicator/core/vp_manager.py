"""Textures that windows and render products are drawn into: there are none to take care of."""

from __future__ import annotations


def destroy_hydra_textures(hydra_texture_name: str = "") -> None:
    """Nothing: what draws goes with the camera or the render product that it belongs to."""


__all__ = ["destroy_hydra_textures"]
