"""Render products: prims that say which camera is rendered at which resolution. Nothing renders them here."""

from __future__ import annotations

from typing import Any

from phalanx.facade.isaaclab.sim.utils.edits import current
from phalanx.io.formats.usd.bindings import Gf, Prim, Sdf


def _product(path: str) -> Prim:
    prim = current(None).GetPrimAtPath(path) if Sdf.Path.IsValidPathString(path) else None
    if not prim or str(prim.GetTypeName()) != "RenderProduct":
        raise RuntimeError(f"{path!r} is no render product: there is no prim of type RenderProduct")
    return prim


def get_camera_prim_path(render_product_path: str) -> str:
    """The path of the camera of a render product; empty if it has none.

    Raises:
        RuntimeError: there is no such render product.
    """
    found = _product(render_product_path).GetRelationship("camera").GetTargets()
    return str(found[0]) if found else ""


def set_camera_prim_path(render_product_path: str, camera_prim_path: str) -> None:
    """Let a render product have another camera.

    Raises:
        RuntimeError: there is no such render product.
    """
    _product(render_product_path).CreateRelationship("camera", False).SetTargets([camera_prim_path])


def get_resolution(render_product_path: str) -> tuple[int, int]:
    """Width and height of a render product, pixels.

    Raises:
        RuntimeError: there is no such render product.
    """
    width, height = _product(render_product_path).GetAttribute("resolution").Get()
    return int(width), int(height)


def set_resolution(render_product_path: str, resolution: tuple[int, int]) -> None:
    """Let a render product have another width and height, pixels.

    Raises:
        RuntimeError: there is no such render product.
    """
    width, height = map(int, resolution)
    attribute = _product(render_product_path).CreateAttribute("resolution", Sdf.ValueTypeNames.Int2, False)
    attribute.Set(Gf.Vec2i(width, height))


def add_aov(render_product_path: str, aov_name: str) -> None:
    """Let a render product have another picture, such as depth: a prim ``/Render/Vars/<name>`` of type RenderVar.

    Raises:
        RuntimeError: there is no such render product, or the name cannot be a prim's.
    """
    product = _product(render_product_path)
    if not Sdf.Path.IsValidIdentifier(aov_name):
        raise RuntimeError(f"the render var {aov_name!r} cannot be created: that is no name of a prim")
    var = current(None).DefinePrim(f"/Render/Vars/{aov_name}", "RenderVar")
    var.CreateAttribute("sourceName", Sdf.ValueTypeNames.String, False).Set(aov_name)
    product.CreateRelationship("orderedVars", False).AddTarget(var.GetPath())


def create_hydra_texture(resolution: tuple[int, int], camera_prim_path: str) -> Any:
    """Not built: there is no renderer that a texture could come from."""
    raise NotImplementedError(
        "isaacsim.core.utils.render_product.create_hydra_texture: there is no renderer; use isaaclab.sensors"
    )


__all__ = [
    "add_aov",
    "create_hydra_texture",
    "get_camera_prim_path",
    "get_resolution",
    "set_camera_prim_path",
    "set_resolution",
]
