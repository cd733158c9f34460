"""The array APIs that tests of the facade run under."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from typing import Any

import pytest

from phalanx.facade import arrays
from phalanx.facade.namespaces import array


@pytest.fixture(params=["numpy", "torch", "cupy"])
def api(request: pytest.FixtureRequest, device: str) -> Iterator[str]:
    """The name of an array API, chosen for the test; those that cannot be had here are skipped."""
    name = str(request.param)
    if name == "torch" and importlib.util.find_spec("torch") is None:
        pytest.skip("torch is not installed (pip install torch; PyPI's wheel for Linux brings the CUDA libraries)")
    if name == "cupy" and device == "cpu":
        pytest.skip("CuPy's arrays live on a GPU (--device cuda:0)")
    before = arrays._chosen
    arrays.set_array_api(name)  # pyright: ignore[reportArgumentType]
    yield name
    arrays.set_array_api(before)


@pytest.fixture
def give(api: str, device: str) -> Any:
    """Turns NumPy arrays into the chosen API's."""

    def convert(*values: Any) -> Any:
        found = [array(value, device) for value in values]
        return found if len(values) > 1 else found[0]

    return convert


@pytest.fixture(scope="session")
def torch() -> object:
    """The module torch; skips the test where it is not installed."""
    return pytest.importorskip("torch", reason="torch is not installed (pip install torch)")
