"""What materials that are seen have in common."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np

from phalanx.facade import stage as stages
from phalanx.facade.backends import on_host
from phalanx.io.formats.usd.bindings import Gf, Prim, Sdf, UsdShade

log = logging.getLogger("phalanx.facade")


class VisualMaterial:
    """A material on the stage, with its shaders.

    Args:
        name: what it is called.
        prim_path: where it is.
        prim: its prim.
        shaders_list: its shaders, ``UsdShade.Shader``.
        material: the ``UsdShade.Material``.
    """

    def __init__(self, name: str, prim_path: str, prim: Prim, shaders_list: list[Any], material: Any) -> None:
        self._name, self._prim_path, self._prim = name, prim_path, prim
        self._shaders_list, self._material = shaders_list, material

    @property
    def material(self) -> Any:
        """The ``UsdShade.Material``."""
        return self._material

    @property
    def shaders_list(self) -> list[Any]:
        """Its shaders, ``UsdShade.Shader``."""
        return self._shaders_list

    @property
    def name(self) -> str:
        """What it is called."""
        return self._name

    @property
    def prim_path(self) -> str:
        """Where it is."""
        return self._prim_path

    @property
    def prim(self) -> Prim:
        """Its prim."""
        return self._prim

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._prim_path}>"

    # -- for those who derive from it ------------------------------------------------------------------------

    def _write(self, name: str, kind: str, value: Any) -> None:
        """Set an input of the shader, which is created if need be."""
        given = self._shaders_list[0].GetInput(name)
        if not given:
            given = self._shaders_list[0].CreateInput(name, getattr(Sdf.ValueTypeNames, kind))
        if kind in ("Float3", "Color3f"):
            value = Gf.Vec3f(*on_host(value, float).reshape(3).tolist())
        elif kind == "Float2":
            value = Gf.Vec2f(*(float(number) for number in value))
        given.Set(bool(value) if kind == "Bool" else float(value) if kind == "Float" else value)

    def _read(self, name: str, what: str) -> Any:
        """An input of the shader; ``None``, with a warning, if it was never set."""
        given = self._shaders_list[0].GetInput(name)
        found = given.Get() if given else None
        if found is None:
            log.warning("the %s of %s was never set", what, self._prim_path)
        return np.array(found) if isinstance(found, Gf.Vec2f | Gf.Vec3f) else found


def wrapped(prim_path: str, shader: Any) -> tuple[Prim, Any, Any]:
    """Prim, material and shader at a path, defined if there are none.

    Raises:
        ValueError: there is a prim of another type.
    """
    stage = stages.get_stage()
    prim = stage.GetPrimAtPath(prim_path)
    if prim and prim.GetTypeName() not in ("Material", ""):
        raise ValueError(f"the prim at {prim_path} is a {prim.GetTypeName()}, and no material")
    material = UsdShade.Material(prim) if prim and prim.IsA(UsdShade.Material) else None
    if material is None:
        material = UsdShade.Material.Define(stage, prim_path)
    if shader is None:
        found = [stage.GetPrimAtPath(f"{prim_path}/{name}") for name in ("shader", "Shader")]
        there = next((prim for prim in found if prim), None)
        shader = UsdShade.Shader.Define(stage, f"{prim_path}/shader") if there is None else UsdShade.Shader(there)
    return material.GetPrim(), material, shader


def kind_of(shader: Any) -> str:
    """What a shader is: ``"UsdPreviewSurface"``, or the name of a material of MDL; empty if it is nothing yet."""
    if str(shader.GetImplementationSource()) == "sourceAsset":
        attribute = shader.GetPrim().GetAttribute("info:mdl:sourceAsset:subIdentifier")
        return str(attribute.Get() or "") if attribute else ""
    return str(shader.GetShaderId() or "")


def check_kind(shader: Any, wanted: str) -> None:
    """See that a shader is of a kind, or nothing yet.

    Raises:
        ValueError: it is of another one.
    """
    found = kind_of(shader)
    if found not in ("", wanted):
        raise ValueError(f"the shader {shader.GetPath()} is a {found}, and no {wanted}")


def as_mdl(material: Any, shader: Any, name: str) -> None:
    """Let a shader be one of MDL's, ``OmniPBR`` or ``OmniGlass``, and a material use it."""
    tokens = UsdShade.Tokens
    out = shader.CreateOutput("out", Sdf.ValueTypeNames.Token)
    shader.GetImplementationSourceAttr().Set(tokens.sourceAsset)
    shader.SetSourceAsset(Sdf.AssetPath(f"{name}.mdl"), "mdl")
    shader.SetSourceAssetSubIdentifier(name, "mdl")
    for connect in (material.CreateSurfaceOutput, material.CreateVolumeOutput, material.CreateDisplacementOutput):
        connect("mdl").ConnectToSource(out)


__all__ = ["VisualMaterial"]
