"""The current stage."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from phalanx.facade import stage as stages
from phalanx.facade.isaaclab.sim.utils import add_usd_reference
from phalanx.facade.isaacsim.core.experimental.utils import backend as backends
from phalanx.facade.isaacsim.core.experimental.utils.prim import set_prim_variants
from phalanx.facade.omni.kit import stage_templates
from phalanx.facade.omni.kit.app import get_app
from phalanx.facade.omni.usd import get_stage_next_free_path
from phalanx.facade.stage import use_stage
from phalanx.io.formats.usd.bindings import Prim, Sdf, Stage, Usd, UsdGeom, UsdPhysics


def is_stage_set() -> bool:
    """Whether the thread uses another stage than that of the process."""
    return stages.is_in_memory()


def get_current_stage(*, backend: str | None = None) -> Stage:
    """The current stage.

    Args:
        backend: ``"usd"``, ``"usdrt"`` or ``"fabric"``: it is the same one.

    Raises:
        ValueError: there is no such backend, or no stage.
    """
    if backend is not None and backend not in ("usd", "usdrt", "fabric"):
        raise ValueError(f"backend={backend!r} must be one of usd, usdrt, fabric")
    if backend is None:
        backends.get_current_backend(["usd", "usdrt", "fabric"])
    try:
        return stages.get_stage()
    except RuntimeError as error:
        raise ValueError(str(error)) from None


def get_stage_id(stage: Stage) -> int:
    """The number by which USD's cache of stages knows a stage."""
    return stages.stage_id(stage)


# -- life ------------------------------------------------------------------------------------------------------------


def create_new_stage(*, template: str | None = None) -> Stage:
    """Create a stage, which becomes the current one.

    Args:
        template: what it begins with: nothing by default, ``/World`` (``"empty"``), and a distant light
            (``"sunlight"``), and a sky and a visible ground (``"default stage"``), or one that was registered.

    Raises:
        ValueError: there is no such template.
    """
    if template is None:
        return stages.new_stage()
    stage_templates.new_stage(template=template)
    return stages.get_stage()


async def create_new_stage_async(*, template: str | None = None) -> Stage:
    """See :func:`create_new_stage`; a frame of the application goes by."""
    stage = create_new_stage(template=template)
    await get_app().next_update_async()
    return stage


def open_stage(usd_path: str) -> tuple[bool, Stage | None]:
    """Open a file, which becomes the current stage: whether it could be opened, and the current stage.

    Raises:
        ValueError: USD knows no such kind of file.
    """
    opened = stages.open_stage(usd_path)
    return opened, stages.process_stage()


async def open_stage_async(usd_path: str) -> tuple[bool, Stage | None]:
    """See :func:`open_stage`."""
    return open_stage(usd_path)


def save_stage(usd_path: str) -> bool:
    """Write the root layer of the current stage to a file; the stage stays what it is. Whether it could be written.

    Raises:
        ValueError: USD knows no such kind of file.
    """
    return stages.save_stage(usd_path, reopen=False)


def close_stage() -> bool:
    """Close the current stage; whether there was one."""
    return stages.close_stage()


# -- what is on it ---------------------------------------------------------------------------------------------------


def add_reference_to_stage(
    usd_path: str, path: str, *, prim_type: str = "Xform", variants: Sequence[tuple[str, str]] = ()
) -> Prim:
    """Let a prim refer to a USD file; it is created if need be.

    Args:
        usd_path: of the file.
        path: of the prim.
        prim_type: of a new prim.
        variants: which to choose; see :func:`.prim.set_prim_variants`. Stand-ins for NVIDIA's robots have none: sets
            that a file does not have are left out.

    Raises:
        ValueError: the path is none of a prim, or a variant is not in its set.
        FileNotFoundError: there is no such file, or it is no USD.
    """
    if not Sdf.Path.IsValidPathString(path):
        raise ValueError(f"path={path!r} is no path of a prim")
    prim = add_usd_reference(path, usd_path, prim_type)
    known = prim.GetVariantSets().GetNames()
    set_prim_variants(prim, variants=[each for each in variants if each[0] in known])
    return prim


def define_prim(path: str, type_name: str = "Xform") -> Prim:
    """Define a prim, or find it.

    Raises:
        ValueError: the path is no absolute one of a prim.
        RuntimeError: there is a prim of another type.
    """
    if not Sdf.Path.IsValidPathString(path) or not Sdf.Path(path).IsAbsolutePath():
        raise ValueError(f"path={path!r} is no absolute path of a prim")
    stage = stages.get_stage()
    prim = stage.GetPrimAtPath(path)
    if not prim:
        return stage.DefinePrim(path, type_name)
    if prim.GetTypeName() != type_name:
        raise RuntimeError(f"there is a prim at {path} already, of type {str(prim.GetTypeName())!r}")
    return prim


def generate_next_free_path(path: str | None = None, *, prepend_default_prim: bool = True) -> str:
    """A path at which there is no prim: the given one, or with a number.

    Args:
        path: ``"Prim"`` by default, below the default prim if there is one.
        prepend_default_prim: whether it is meant below the default prim.

    Raises:
        ValueError: it is no path of a prim.
    """
    stage = stages.get_stage()
    if not path or path == "/":
        below = stage.GetDefaultPrim().GetPath().pathString if prepend_default_prim and stage.HasDefaultPrim() else ""
        path = f"{below}/Prim"
    if not Sdf.Path.IsValidPathString(path):
        raise ValueError(f"path={path!r} is no path of a prim")
    return get_stage_next_free_path(stage, path, prepend_default_prim)


# -- units, axes, time -----------------------------------------------------------------------------------------------


def get_stage_units() -> tuple[float, float]:
    """How many metres and kilograms units of the current stage are."""
    stage = stages.get_stage()
    return float(UsdGeom.GetStageMetersPerUnit(stage)), float(UsdPhysics.GetStageKilogramsPerUnit(stage))


def set_stage_units(*, meters_per_unit: float | None = None, kilograms_per_unit: float | None = None) -> None:
    """Set how many metres and kilograms units of the current stage are; ``None`` stays."""
    stage = stages.get_stage()
    if meters_per_unit is not None:
        UsdGeom.SetStageMetersPerUnit(stage, float(meters_per_unit))
    if kilograms_per_unit is not None:
        UsdPhysics.SetStageKilogramsPerUnit(stage, float(kilograms_per_unit))


def get_stage_up_axis() -> str:
    """``"Y"`` or ``"Z"``."""
    return str(UsdGeom.GetStageUpAxis(stages.get_stage()))


def set_stage_up_axis(up_axis: str) -> None:
    """Set which axis is up, ``"Y"`` or ``"Z"``.

    Raises:
        ValueError: it is another one.
    """
    if up_axis.upper() not in ("Y", "Z"):
        raise ValueError(f"up_axis={up_axis!r} must be Y or Z")
    UsdGeom.SetStageUpAxis(stages.get_stage(), up_axis.upper())


def get_stage_time_code() -> tuple[float, float, float]:
    """First and last time code of the current stage, and how many of them are a second."""
    stage = stages.get_stage()
    return stage.GetStartTimeCode(), stage.GetEndTimeCode(), stage.GetTimeCodesPerSecond()


def set_stage_time_code(
    *,
    start_time_code: float | None = None,
    end_time_code: float | None = None,
    time_codes_per_second: float | None = None,
) -> None:
    """Set what :func:`get_stage_time_code` says; ``None`` stays."""
    stage: Any = stages.get_stage()
    for value, put in (
        (start_time_code, Usd.Stage.SetStartTimeCode),
        (end_time_code, Usd.Stage.SetEndTimeCode),
        (time_codes_per_second, Usd.Stage.SetTimeCodesPerSecond),
    ):
        if value is not None:
            put(stage, value)


__all__ = [
    "add_reference_to_stage",
    "close_stage",
    "create_new_stage",
    "create_new_stage_async",
    "define_prim",
    "generate_next_free_path",
    "get_current_stage",
    "get_stage_id",
    "get_stage_time_code",
    "get_stage_units",
    "get_stage_up_axis",
    "is_stage_set",
    "open_stage",
    "open_stage_async",
    "save_stage",
    "set_stage_time_code",
    "set_stage_units",
    "set_stage_up_axis",
    "use_stage",
]
