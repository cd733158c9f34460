"""Utilities of scripts written for Isaac Lab: configurations, names, arrays, buffers, filters, timers."""

import importlib
from typing import Any

from phalanx.facade.isaaclab.utils.array import TENSOR_TYPE_CONVERSIONS, TENSOR_TYPES, TensorData, convert_to_torch
from phalanx.facade.isaaclab.utils.buffers import CircularBuffer, DelayBuffer, TimestampedBuffer
from phalanx.facade.isaaclab.utils.configclass import configclass
from phalanx.facade.isaaclab.utils.dict import (
    class_to_dict,
    convert_dict_to_backend,
    dict_to_md5_hash,
    print_dict,
    replace_slices_with_strings,
    replace_strings_with_slices,
    update_class_from_dict,
    update_dict,
)
from phalanx.facade.isaaclab.utils.interpolation import LinearInterpolation
from phalanx.facade.isaaclab.utils.modifiers import (
    DigitalFilter,
    DigitalFilterCfg,
    Integrator,
    IntegratorCfg,
    ModifierBase,
    ModifierCfg,
)
from phalanx.facade.isaaclab.utils.string import (
    callable_to_string,
    find_root_prim_path_from_regex,
    find_unique_string_name,
    is_lambda_expression,
    resolve_matching_names,
    resolve_matching_names_values,
    string_to_callable,
    string_to_slice,
    to_camel_case,
    to_snake_case,
)
from phalanx.facade.isaaclab.utils.timer import Timer, TimerError
from phalanx.facade.isaaclab.utils.types import ArticulationActions
from phalanx.facade.isaaclab.utils.version import compare_versions, get_isaac_sim_version
from phalanx.facade.submodules import lazily

_LATER = {
    "PRIMITIVE_MESH_TYPES": "mesh",
    "convert_faces_to_triangles": "mesh",
    "create_trimesh_from_geom_mesh": "mesh",
    "create_trimesh_from_geom_shape": "mesh",
    "ColoredFormatter": "logger",
    "RateLimitFilter": "logger",
    "configure_logging": "logger",
}
"""What is imported when it is asked for: meshes need USD; ``logger`` is Isaac Lab's own and comes with its wheel."""

_mesh = lazily(__name__, {name: place for name, place in _LATER.items() if place == "mesh"})


def __getattr__(name: str) -> Any:
    if _LATER.get(name) == "logger":
        try:
            return getattr(importlib.import_module("isaaclab.utils.logger"), name)
        except ModuleNotFoundError as error:
            raise AttributeError(f"isaaclab.utils has no {name!r} without Isaac Lab's wheel: {error}") from None
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _mesh(name)


__all__ = [
    "TENSOR_TYPES",
    "TENSOR_TYPE_CONVERSIONS",
    "ArticulationActions",
    "CircularBuffer",
    "DelayBuffer",
    "DigitalFilter",
    "DigitalFilterCfg",
    "Integrator",
    "IntegratorCfg",
    "LinearInterpolation",
    "ModifierBase",
    "ModifierCfg",
    "TensorData",
    "Timer",
    "TimerError",
    "TimestampedBuffer",
    "callable_to_string",
    "class_to_dict",
    "compare_versions",
    "configclass",
    "convert_dict_to_backend",
    "convert_to_torch",
    "dict_to_md5_hash",
    "find_root_prim_path_from_regex",
    "find_unique_string_name",
    "get_isaac_sim_version",
    "is_lambda_expression",
    "print_dict",
    "replace_slices_with_strings",
    "replace_strings_with_slices",
    "resolve_matching_names",
    "resolve_matching_names_values",
    "string_to_callable",
    "string_to_slice",
    "to_camel_case",
    "to_snake_case",
    "update_class_from_dict",
    "update_dict",
]
