"""Fixtures of the core's tests."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from ecs.ptx import why_no_ptx


@pytest.fixture(scope="module")
def ptx() -> Iterator[ModuleType]:
    """The CUDA back end, told of a device of compute capability 9.0: helpers are compiled for the current one."""
    if reason := why_no_ptx():
        pytest.skip(reason)
    dispatcher: Any = importlib.import_module("numba.cuda.dispatcher")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dispatcher, "get_current_device", lambda: SimpleNamespace(compute_capability=(9, 0)))
        yield importlib.import_module("phalanx.ecs.cuda.kernels")
