"""Utilities of scripts written for Isaac Lab: configurations, names, arrays, buffers, filters, timers."""

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
    "configclass",
    "convert_dict_to_backend",
    "convert_to_torch",
    "dict_to_md5_hash",
    "find_unique_string_name",
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
]
