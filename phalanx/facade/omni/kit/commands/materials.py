"""Commands that make materials and bind them to prims."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Any

from phalanx.facade import stage as stages
from phalanx.facade.isaacsim.core.api.materials import OmniGlass, OmniPBR, PreviewSurface
from phalanx.facade.isaacsim.core.prims.visual_bindings import bind
from phalanx.facade.omni.usd import get_stage_next_free_path
from phalanx.io.formats.usd.bindings import Stage, UsdPhysics, UsdShade

_KINDS = {"OmniPBR": OmniPBR, "OmniGlass": OmniGlass}


def create_preview_surface(mtl_path: str, select_new_prim: bool = False, **unheard: Any) -> None:
    """The command ``CreatePreviewSurfaceMaterialPrim``: a ``UsdPreviewSurface`` at a path."""
    PreviewSurface(str(mtl_path))


def create_mdl(mtl_url: str, mtl_name: str, mtl_path: str, stage: Stage | None = None, **unheard: Any) -> None:
    """The command ``CreateMdlMaterialPrim``: a material like one of NVIDIA's at a path.

    Args:
        mtl_url: the file of MDL, whose name says which.
        mtl_name: of the material in it.
        mtl_path: where it is put.
        stage: that gets it; the current one by default.
        unheard: what a window would do with it.

    Raises:
        NotImplementedError: there is no such material here.
    """
    if mtl_name not in _KINDS:
        raise NotImplementedError(
            f"CreateMdlMaterialPrim: there is no material {mtl_name!r} of {mtl_url!r} here; there are "
            f"{', '.join(_KINDS)}"
        )
    with stages.use_stage(stages.get_stage() if stage is None else stage):
        _KINDS[mtl_name](str(mtl_path))


def create_and_bind_mdl(
    mdl_name: str,
    mtl_name: str = "",
    mtl_created_list: list[str] | None = None,
    bind_selected_prims: Sequence[str] | None = None,
    prim_name: str | None = None,
    **unheard: Any,
) -> None:
    """The command ``CreateAndBindMdlMaterialFromLibrary``: a material below ``Looks``, bound to prims.

    Args:
        mdl_name: the file of MDL, ``"OmniPBR.mdl"`` or ``"OmniGlass.mdl"``.
        mtl_name: of the material in it; or what the prim is to be called, as scripts have it.
        mtl_created_list: gets the path.
        bind_selected_prims: paths of prims that are seen in it.
        prim_name: what the prim is called; the material's name by default.
        unheard: what a window would do with it.

    Raises:
        NotImplementedError: there is no such material here.
    """
    stage = stages.get_stage()
    kind = PurePosixPath(mdl_name).stem
    path = get_stage_next_free_path(stage, f"/Looks/{prim_name or mtl_name or kind}", stage.HasDefaultPrim())
    create_mdl(mdl_name, kind, path)
    if mtl_created_list is not None:
        mtl_created_list.append(path)
    for each in bind_selected_prims or ():
        bind_material(each, path)


def bind_material(
    prim_path: Any, material_path: Any, strength: Any = None, stage: Stage | None = None, **unheard: Any
) -> None:
    """The command ``BindMaterial``: let a prim, or several, be seen in a material.

    Raises:
        ValueError: there is no material at the path.
    """
    found = stages.get_stage() if stage is None else stage
    material = UsdShade.Material(found.GetPrimAtPath(str(material_path)))
    if not material:
        raise ValueError(f"BindMaterial: there is no material at {material_path}")
    weaker = str(strength or "") == str(UsdShade.Tokens.weakerThanDescendants)
    for each in prim_path if isinstance(prim_path, list | tuple) else [prim_path]:
        bind(found.GetPrimAtPath(str(each)), material, weaker)


def add_rigid_body_material(
    stage: Stage,
    path: str,
    staticFriction: float | None = None,
    dynamicFriction: float | None = None,
    restitution: float | None = None,
    density: float | None = None,
    **unheard: Any,
) -> None:
    """The command ``AddRigidBodyMaterial``: a material that is felt at a path; what is ``None`` is not written."""
    prim = UsdShade.Material.Define(stage, str(path)).GetPrim()
    api = UsdPhysics.MaterialAPI.Apply(prim)
    for value, make in (
        (staticFriction, api.CreateStaticFrictionAttr),
        (dynamicFriction, api.CreateDynamicFrictionAttr),
        (restitution, api.CreateRestitutionAttr),
        (density, api.CreateDensityAttr),
    ):
        if value is not None:
            make().Set(float(value))


COMMANDS = {
    "CreatePreviewSurfaceMaterialPrim": create_preview_surface,
    "CreateMdlMaterialPrim": create_mdl,
    "CreateAndBindMdlMaterialFromLibrary": create_and_bind_mdl,
    "BindMaterial": bind_material,
    "AddRigidBodyMaterial": add_rigid_body_material,
}
"""Functions by the names of commands."""
