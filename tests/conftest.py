"""Options and fixtures that all tests share: the device to run on, and where real robots are."""

from __future__ import annotations

import gc
from collections.abc import Callable, Generator
from pathlib import Path

import pytest
import real_robots
from hypothesis import HealthCheck, settings

# a machine that is busy fails no test
settings.register_profile("phalanx", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("phalanx")


def _why_no_gpu() -> str:
    """Reason why CUDA cannot be used here; empty when it can."""
    try:
        import cupy  # pyright: ignore[reportMissingImports]
    except ImportError:
        return "CuPy is not installed (pip install 'phalanx[cuda12]')"
    try:
        count = cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError as error:
        return f"CUDA does not answer: {error}"
    return "" if count else "there is no NVIDIA GPU"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--device", default="cpu", help='where worlds run: "cpu" (default) or "cuda:N"')
    parser.addoption(
        "--backend", help="of Isaac Sim's worlds in tests that have one: numpy, torch or warp; else the first two"
    )


def pytest_configure(config: pytest.Config) -> None:
    device = config.getoption("--device")
    if device != "cpu" and (reason := _why_no_gpu()):
        raise pytest.UsageError(f"--device {device}: {reason}")  # skipping everything would look like success


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    marked = [item for item in items if item.get_closest_marker("gpu")]
    if marked and (reason := _why_no_gpu()):
        for item in marked:
            item.add_marker(pytest.mark.skip(reason=reason))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Take what is collected for good: every full collection of garbage would go through 600,000 objects of tests."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.collect()
        gc.freeze()


@pytest.fixture(scope="session")
def device(request: pytest.FixtureRequest) -> str:
    """Device named by ``--device``."""
    return str(request.config.getoption("--device"))


@pytest.fixture(scope="session")
def gpu(request: pytest.FixtureRequest) -> str:
    """A CUDA device's name, the one of ``--device`` if it is one; skips the test where there is none."""
    if reason := _why_no_gpu():
        pytest.skip(reason)
    device = str(request.config.getoption("--device"))
    return device if device != "cpu" else "cuda:0"


@pytest.fixture(scope="session")
def robot_path() -> Callable[[str], Path]:
    """``robot_path("go2")`` is the URDF file of a real robot; see :mod:`real_robots` for the names."""
    return real_robots.robot_path
