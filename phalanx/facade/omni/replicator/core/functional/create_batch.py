"""Making many prims."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from phalanx.facade.isaaclab.sim.utils.stage import get_current_stage
from phalanx.facade.isaacsim.core.api.materials import OmniPBR
from phalanx.io.formats.usd.bindings import Prim, UsdGeom, UsdShade

LOOKS = "/Replicator/Looks"
"""Below which materials are put."""


def material(
    mdl: str, bind_prims: Sequence[Prim] | None = None, count: int = 1, project_uvw: bool = True, **inputs: Any
) -> list[Prim]:
    """Make materials and let prims show them, the first one the first material and so on.

    Args:
        mdl: ``"OmniPBR.mdl"``.
        bind_prims: what shows them.
        count: how many.
        project_uvw: whether pictures are laid over shapes from outside.
        inputs: of the shaders, by name.

    Returns:
        The materials' prims.

    Raises:
        NotImplementedError: the material is another one.
        ValueError: there are more prims than materials.
    """
    if mdl.removesuffix(".mdl") != "OmniPBR":
        raise NotImplementedError(f"create_batch.material: mdl={mdl!r}; there is OmniPBR.mdl")
    bound = list(bind_prims or ())
    if len(bound) > count:
        raise ValueError(f"create_batch.material: {len(bound)} prims and {count} materials")
    stage = get_current_stage()
    UsdGeom.Scope.Define(stage, LOOKS)
    made = []
    for number in range(count):
        path = _free(stage, number)
        one = OmniPBR(path)
        one.set_project_uvw(project_uvw)
        prim = stage.GetPrimAtPath(path)
        if number < len(bound):
            api = UsdShade.MaterialBindingAPI.Apply(bound[number])
            api.Bind(UsdShade.Material(prim), UsdShade.Tokens.strongerThanDescendants)
        made.append(prim)
    from phalanx.facade.omni.replicator.core.functional.modify import attribute

    for name, value in inputs.items():
        attribute(made, name, [value] * count)
    return made


def _free(stage: Any, number: int) -> str:
    """A path at which there is nothing yet."""
    path, more = f"{LOOKS}/OmniPBR_{number}", number
    while stage.GetPrimAtPath(path).IsValid():
        more += 1
        path = f"{LOOKS}/OmniPBR_{more}"
    return path
