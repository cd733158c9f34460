"""Worlds of the tests of Isaac Sim's core: an empty stage each, whose arrays are NumPy's or torch's."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator

import pytest

from phalanx.facade import simulation, stage
from phalanx.facade.isaaclab.sim import SimulationContext as LabContext
from phalanx.facade.isaacsim.core.api import World


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Tests with a backend run for NumPy and torch, or ``--backend``; what a GPU simulates is torch's in both."""
    if "backend" in metafunc.fixturenames:
        names = ["numpy", "torch"] if metafunc.config.getoption("--device") == "cpu" else ["torch"]
        chosen = metafunc.config.getoption("--backend")
        metafunc.parametrize("backend", [chosen] if chosen else names)


@pytest.fixture(autouse=True)
def _on_host(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests without a backend compare by NumPy: let views copy to the host what a GPU simulates."""
    if not {"backend", "handed_out_as_ever"} & set(request.fixturenames):
        monkeypatch.setattr(simulation, "_simulated", lambda backend, device: backend)


@pytest.fixture
def handed_out_as_ever() -> None:
    """For tests without a backend whose arrays are to be what users get."""


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
