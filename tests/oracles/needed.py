"""Packages that only some tests need, and that a machine may lack: GPUs are lent without Pinocchio and real robots."""

from __future__ import annotations

import importlib
import os
from typing import Any

import pytest


def package(module: str, install: str = "") -> Any:
    """The module; where it is missing, the test that asks, or the whole module that does, is skipped and says why.

    Not in CI, where nothing may be skipped for want of a package that ``make test`` installs.

    Raises:
        ImportError: it is missing, and the environment variable ``CI`` is set.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        if os.environ.get("CI"):
            raise
        pytest.skip(f"{module} is not installed ({error}): pip install {install or module}", allow_module_level=True)
