"""What scripts import as ``omni.kit.stage_templates``: what new stages begin with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from phalanx.facade import stage as stages
from phalanx.io.formats.usd.bindings import Gf, Stage, UsdGeom, UsdLux

_templates: dict[str, Callable[[Stage], Any]] = {}


def register_template(name: str, new_stage_fn: Callable[[Stage], Any], group: int = 0, rebuild: bool = True) -> bool:
    """Let stages begin with what a function puts on them; whether the name was free."""
    free = name not in _templates
    _templates.setdefault(name, new_stage_fn)
    return free


def unregister_template(name: str) -> bool:
    """Forget a template; whether it was known."""
    return _templates.pop(name, None) is not None


def get_stage_template_list() -> list[dict[str, Callable[[Stage], Any]]]:
    """The templates by name."""
    return [dict(_templates)]


def get_stage_template(name: str) -> Callable[[Stage], Any] | None:
    """What puts a template on a stage; ``None`` if there is none of the name."""
    return _templates.get(name)


def get_default_template() -> str:
    """The template of stages for which none is named."""
    return "empty"


def new_stage(on_new_stage_fn: Callable[[bool, str], Any] | None = None, template: str | None = None) -> bool:
    """Create a stage, which becomes the current one.

    Args:
        on_new_stage_fn: called with whether it worked, and an error.
        template: what it begins with: the prim ``/World`` by default.

    Raises:
        ValueError: there is no such template.
    """
    name = get_default_template() if template is None else template
    if name not in _templates:
        raise ValueError(f"template={name!r} must be one of {', '.join(_templates)}")
    _templates[name](stages.new_stage())
    if on_new_stage_fn is not None:
        on_new_stage_fn(True, "")
    return True


async def new_stage_async(template: str | None = None) -> tuple[bool, str]:
    """See :func:`new_stage`: whether it worked, and an error."""
    return new_stage(template=template), ""


def _empty(stage: Stage) -> None:
    stage.SetDefaultPrim(UsdGeom.Xform.Define(stage, "/World").GetPrim())


def _sunlight(stage: Stage) -> None:
    _empty(stage)
    sun = UsdLux.DistantLight.Define(stage, "/Environment/defaultLight")
    sun.CreateIntensityAttr(3000.0)
    sun.CreateAngleAttr(1.0)
    UsdGeom.XformCommonAPI(sun).SetRotate(Gf.Vec3f(45.0, 0.0, 90.0))


def _default_stage(stage: Stage) -> None:
    _sunlight(stage)
    UsdLux.DomeLight.Define(stage, "/Environment/sky").CreateIntensityAttr(1000.0)
    ground = UsdGeom.Plane.Define(stage, "/Environment/ground")
    ground.CreateWidthAttr(100.0)
    ground.CreateLengthAttr(100.0)


register_template("empty", _empty)
register_template("sunlight", _sunlight)
register_template("default stage", _default_stage)
