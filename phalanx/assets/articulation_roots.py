"""Where stand-ins have the root of their articulation."""

from __future__ import annotations

from phalanx.io.formats.usd.bindings import Stage, UsdPhysics


def root_at_default_prim(stage: Stage) -> None:
    """Let the articulation's root be the default prim, as in Isaac Sim's own files, with what is said of it."""
    root = stage.GetDefaultPrim()
    before = next(prim for prim in stage.Traverse() if prim.HasAPI(UsdPhysics.ArticulationRootAPI))
    before.RemoveAPI(UsdPhysics.ArticulationRootAPI)
    UsdPhysics.ArticulationRootAPI.Apply(root)
    before.RemoveAppliedSchema("PhysxArticulationAPI")
    root.AddAppliedSchema("PhysxArticulationAPI")
    for told in before.GetPropertiesInNamespace("physxArticulation"):
        told.FlattenTo(root)
        before.RemoveProperty(told.GetName())
