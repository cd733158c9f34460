"""Worlds of the tests of Isaac Sim's core: an empty stage each, whose arrays are NumPy's or torch's."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator

import pytest

from phalanx.facade import simulation, stage
from phalanx.facade.isaaclab.sim import SimulationContext as LabContext
from phalanx.facade.isaacsim.core.api import World


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Tests with a backend run for NumPy and torch."""
    if "backend" in metafunc.fixturenames:
        metafunc.parametrize("backend", ["numpy", "torch"])


@pytest.fixture(autouse=True)
def _new() -> Iterator[None]:
    """Nothing is left of other tests, and of this one."""
    LabContext.clear_instance()
    stage.new_stage()
    yield
    World.clear_instance()
    simulation.get().stop()
    simulation.get().backend = "numpy"
    stage.new_stage()


@pytest.fixture
def world(request: pytest.FixtureRequest, device: str) -> World:
    """A world whose backend is the test's, if it has one."""
    backend = request.getfixturevalue("backend") if "backend" in request.fixturenames else "numpy"
    if backend == "torch" and importlib.util.find_spec("torch") is None:
        pytest.skip("torch is not installed (pip install torch; PyPI's wheel for Linux brings the CUDA libraries)")
    return World(stage_units_in_meters=1.0, backend=backend, device=device)
