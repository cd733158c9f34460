"""The array APIs that tests of the facade run under."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from phalanx.facade import arrays
from phalanx.facade.namespaces import array, module


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Tests with an array API run for all that have arrays on the device: CuPy's live on a GPU."""
    if "api" in metafunc.fixturenames:
        names = ["numpy", "torch"] if metafunc.config.getoption("--device") == "cpu" else ["numpy", "torch", "cupy"]
        metafunc.parametrize("api", names, indirect=True)


@pytest.fixture
def api(request: pytest.FixtureRequest) -> Iterator[arrays.ArrayAPI]:
    """The name of an array API, chosen for the test, and seeded; skipped where torch is wanted and not installed."""
    name: arrays.ArrayAPI = request.param
    if name == "torch" and importlib.util.find_spec("torch") is None:
        pytest.skip("torch is not installed (pip install torch; PyPI's wheel for Linux brings the CUDA libraries)")
    before = arrays._chosen
    arrays.set_array_api(name)
    module(name).manual_seed(0) if name == "torch" else module(name).random.seed(0)
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


@pytest.fixture(scope="session")
def network_files(torch: Any, tmp_path_factory: Any) -> dict[str, Path]:
    """TorchScript files of a recurrent network and of one without a memory."""

    class Recurrent(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.lstm = torch.nn.LSTM(2, 8, 2, batch_first=True)
            self.out = torch.nn.Linear(8, 1)

        def forward(self, x, states: tuple[torch.Tensor, torch.Tensor]):  # pyright: ignore[reportAttributeAccessIssue]
            x, states = self.lstm(x, states)
            return 60.0 * self.out(x[:, -1]), states

    torch.manual_seed(3)
    folder = tmp_path_factory.mktemp("networks")
    plain = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Softsign(), torch.nn.Linear(8, 1))
    for name, network in (("lstm", Recurrent()), ("mlp", plain)):
        network.requires_grad_(False)
        torch.jit.script(network).save(str(folder / f"{name}.pt"))
    return {name: folder / f"{name}.pt" for name in ("lstm", "mlp")}
