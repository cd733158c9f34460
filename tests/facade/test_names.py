"""Names by regular expression, functions as text, and other handling of text and dictionaries."""

from __future__ import annotations

import functools
import math

import numpy as np
import pytest

from phalanx.facade import ArrayAPIError
from phalanx.facade.isaaclab.utils import dict as dicts
from phalanx.facade.isaaclab.utils import string as strings
from phalanx.facade.isaaclab.utils.array import TENSOR_TYPES, convert_to_torch
from phalanx.facade.namespaces import array

JOINTS = ["left_hip", "left_knee", "right_hip", "right_knee"]


class Thing:
    def run(self) -> int:
        return 1


@pytest.mark.parametrize(
    ("keys", "preserve", "indices"),
    [
        (".*", False, [0, 1, 2, 3]),
        (["right_.*", "left_knee"], False, [1, 2, 3]),
        (["right_.*", "left_knee"], True, [2, 3, 1]),
        ([".*_knee", ".*_hip"], True, [1, 3, 0, 2]),
        (["left_(hip|knee)"], False, [0, 1]),
    ],
)
def test_names_are_found_by_expression(keys, preserve, indices):
    found = strings.resolve_matching_names(keys, JOINTS, preserve)
    assert found == (indices, [JOINTS[i] for i in indices])
    values = {key: n for n, key in enumerate([keys] if isinstance(keys, str) else keys)}
    assert strings.resolve_matching_names_values(values, JOINTS, preserve)[:2] == found


def test_values_follow_their_names():
    found = strings.resolve_matching_names_values({".*_knee": 2.0, "left_hip": 1.0}, JOINTS)
    assert found == ([0, 1, 3], ["left_hip", "left_knee", "right_knee"], [1.0, 2.0, 2.0])
    found = strings.resolve_matching_names_values({".*_knee": 2.0, "left_hip": 1.0}, JOINTS, preserve_order=True)
    assert found == ([1, 3, 0], ["left_knee", "right_knee", "left_hip"], [2.0, 2.0, 1.0])
    with pytest.raises(ValueError, match="'toe' match none"):
        strings.resolve_matching_names_values({".*_knee": 2.0, "toe": 1.0}, JOINTS)
    found = strings.resolve_matching_names_values({".*_knee": 2.0, "toe": 1.0}, JOINTS, strict=False)
    assert found == ([1, 3], ["left_knee", "right_knee"], [2.0, 2.0])
    with pytest.raises(ValueError, match="Multiple matches for 'left_hip'"):
        strings.resolve_matching_names_values({"left_.*": 2.0, ".*_hip": 1.0}, JOINTS, strict=False)


@pytest.mark.parametrize("find", [strings.resolve_matching_names, strings.resolve_matching_names_values])
@pytest.mark.parametrize(
    ("keys", "message"),
    [
        (["left_.*", ".*_hip"], "Multiple matches for 'left_hip': both 'left_.*' and '.*_hip'"),
        (["left_.*", "hip"], "Not all regular expressions are matched: 'hip' match none of left_hip, left_knee"),
    ],
)
def test_wrong_expressions_are_told(find, keys, message):
    with pytest.raises(ValueError) as told:
        find(dict.fromkeys(keys, 1.0) if find is strings.resolve_matching_names_values else keys, JOINTS)
    assert message in str(told.value)
    if find is strings.resolve_matching_names_values:
        with pytest.raises(TypeError, match="not list"):
            find(keys, JOINTS)


@pytest.mark.parametrize(
    ("snake", "camel"), [("my_long_name", "myLongName"), ("x", "x"), ("usd_file2_path", "usdFile2Path")]
)
def test_case(snake, camel):
    assert strings.to_camel_case(snake) == camel and strings.to_snake_case(camel) == snake
    assert strings.to_camel_case(snake, to="CC") == camel[0].upper() + camel[1:]
    assert strings.to_snake_case("USDFile") == "usd_file" and strings.to_snake_case("a-b c") == "a_b_c"
    with pytest.raises(ValueError, match="to='Cc'"):
        strings.to_camel_case(snake, to="Cc")  # pyright: ignore[reportArgumentType]


def test_functions_as_text():
    for function in (math.hypot, Thing, Thing.run, strings.to_snake_case):
        assert strings.string_to_callable(strings.callable_to_string(function)) is function
    a, b = lambda x: x + 1, lambda x: x + 2  # fmt: skip # noqa: E731, RUF100
    assert (strings.callable_to_string(a), strings.callable_to_string(b)) == ("lambda x: x + 1", "lambda x: x + 2")
    scale = 3.0
    inner = lambda x, y=(1,): x * scale  # noqa: E731
    assert strings.callable_to_string(inner) == "lambda x, y=(1,): x * scale"
    assert strings.string_to_callable(" lambda x: x**2 ")(3) == 9


@pytest.mark.parametrize(
    ("text", "is_lambda"),
    [("lambda x: x", True), (" lambda: 0", True), ("lambda", False), ("math:lambda x", False), ("f(lambda: 0)", False)],
)
def test_lambdas_are_recognised(text, is_lambda):
    assert strings.is_lambda_expression(text) is is_lambda


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("math.sqrt", ValueError, '"module:name" or a lambda'),
        ("no_such_module:f", ValueError, "No module named"),
        ("math:no_such", ValueError, "no_such"),
        ("math:pi", AttributeError, "is not callable but float"),
    ],
)
def test_what_is_no_function_is_told(text, error, message):
    with pytest.raises(error, match=message):
        strings.string_to_callable(text)
    for value in (3, functools.partial(math.pow, 2)):
        with pytest.raises(ValueError, match=r"not callable|has no name"):
            strings.callable_to_string(value)  # pyright: ignore[reportArgumentType]


def test_slices_as_text():
    data = {"a": slice(0, None, 2), "b": [slice(None), (slice(-3, 4), 1)], "c": "slicer"}
    text = dicts.replace_slices_with_strings(data)
    assert text == {
        "a": "slice(0, None, 2)",
        "b": ["slice(None, None, None)", ("slice(-3, 4, None)", 1)],
        "c": "slicer",
    }
    assert dicts.replace_strings_with_slices(text) == data
    assert strings.string_to_slice("slice(5)") == slice(5)
    for wrong in ("slice()", "slice(a)", "range(3)", "slice(1,2,3,4)"):
        with pytest.raises(ValueError, match="is not a slice"):
            strings.string_to_slice(wrong)


def test_names_that_are_free():
    taken = {"cube", "cube_1"}
    assert strings.find_unique_string_name("cube", lambda name: name not in taken) == "cube_2"
    assert strings.find_unique_string_name("ball", lambda name: name not in taken) == "ball"


# -- dictionaries ----------------------------------------------------------------------------------------------------


def test_hashes_depend_on_values_only():
    data = {"a": 1.0, "b": [1, (2, 3)], "c": {"d": np.arange(3), "e": slice(1, 2)}, "f": math.sqrt}
    again = {"f": math.sqrt, "c": {"e": slice(1, 2), "d": np.arange(3)}, "b": [1, (2, 3)], "a": 1.0}
    assert dicts.dict_to_md5_hash(data) == dicts.dict_to_md5_hash(again)
    assert len({dicts.dict_to_md5_hash(d) for d in (data, data | {"a": 2.0}, data | {"f": math.exp})}) == 3
    with pytest.raises(TypeError, match="has no values to hash"):
        dicts.dict_to_md5_hash({"a": range(3)})


def test_dictionaries_are_printed_by_level(capsys):
    dicts.print_dict({"a": 1, "b": {"c": math.sqrt, "d": {"e": [1, 2]}}})
    assert capsys.readouterr().out == "a: 1\nb: \n    c: math:sqrt\n    d: \n        e: [1, 2]\n"


def test_arrays_in_dictionaries_are_converted(api, device):
    data = {"a": array([1.0, 2.0], device), "b": {"c": array([3], device), "d": "text"}}
    found = dicts.convert_dict_to_backend(data, "numpy")
    assert isinstance(found["a"], np.ndarray) and isinstance(found["b"]["c"], np.ndarray) and found["b"]["d"] == "text"
    back = dicts.convert_dict_to_backend(found, api)
    assert isinstance(back["a"], TENSOR_TYPES[api]) and back["b"]["c"].tolist() == [3]
    assert dicts.convert_dict_to_backend(found, api, array_types=())["a"] is found["a"]
    with pytest.raises(ValueError, match="'jax' is unknown or not installed"):
        dicts.convert_dict_to_backend(data, "jax")  # pyright: ignore[reportArgumentType]


def test_conversion_to_torch(torch):
    values = np.arange(3, dtype=np.float32)
    shared = convert_to_torch(values)
    shared[0] = 7.0
    assert values[0] == 7.0
    assert convert_to_torch(np.arange(3, dtype=np.uint32)).dtype == torch.int64
    assert convert_to_torch([1, 2], dtype=torch.float32).dtype == torch.float32
    assert convert_to_torch(shared) is shared


def test_conversion_to_torch_says_what_is_missing(monkeypatch):
    monkeypatch.setattr("phalanx.facade.isaaclab.utils.array.is_installed", lambda name: False)
    with pytest.raises(ImportError, match="pip install torch"):
        convert_to_torch([1.0])
    assert issubclass(ArrayAPIError, ValueError)
