"""Arrays go from the engine to users and back without copies, under every array API."""

from __future__ import annotations

import gc
import subprocess
import sys
import weakref
from typing import Any

import numpy as np
import pytest
from oracles import host

import phalanx as px
from phalanx.facade import ArrayAPIError, array_api, arrays, set_array_api
from phalanx.facade.namespaces import array, cast, common, device_of, full, integers, namespace, normal, uniform


def engine_array(device: str, shape: tuple[int, ...] = (3, 4)) -> Any:
    """An array as the engine has it."""
    values = np.arange(np.prod(shape), dtype="float32").reshape(shape)
    return arrays.accept(values, device)


def on_host(value: Any) -> np.ndarray:
    """A NumPy copy of an array of any API."""
    return np.array(arrays.accept(value, "cpu"))


def test_what_is_handed_out_belongs_to_the_chosen_api(api, device):
    handed = arrays.hand_out(engine_array(device))
    assert type(handed).__module__.partition(".")[0] == api
    assert device_of(handed) == ("cpu" if api == "numpy" else device)
    assert on_host(handed).tolist() == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]


def is_shared(api: str, device: str) -> bool:
    """Whether users see the engine's memory: NumPy's arrays are copies of a GPU's."""
    return api != "numpy" or device == "cpu"


def test_memory_is_shared_where_the_api_can_see_it(api, device):
    mine = engine_array(device)
    handed = arrays.hand_out(mine)
    handed[1, 2] = -1.0
    assert host(mine)[1, 2] == (-1.0 if is_shared(api, device) else 6.0)
    back = arrays.accept(handed, device)
    back[0, 0] = -2.0
    assert host(mine)[0, 0] == (-2.0 if is_shared(api, device) else 0.0)


def test_memory_is_shared_where_environments_come_last(api, device):
    """The engine keeps environments in the last axis, padded; users see them first."""
    stored = engine_array(device, (2, 3, 16))
    seen = arrays.hand_out(stored[..., :5].transpose(2, 0, 1))
    assert tuple(seen.shape) == (5, 2, 3)
    before = float(host(stored)[1, 2, 4])
    assert float(seen[4, 1, 2]) == before
    seen[4, 1, 2] = 99.0
    assert host(stored)[1, 2, 4] == (99.0 if is_shared(api, device) else before)


def test_arrays_outlive_what_they_came_from(torch):
    set_array_api("torch")
    try:
        mine = np.full((1000,), 7.0, "float32")
        alive = weakref.ref(mine)
        handed = arrays.hand_out(mine)
    finally:
        set_array_api(None)
    del mine
    gc.collect()
    assert alive() is not None and bool((handed == 7.0).all())
    del handed
    gc.collect()
    assert alive() is None


def test_arrays_outlive_their_world(api, device):
    world = px.World(num_envs=3, device=device)
    robot = world.add_robot("double_pendulum")
    robot.set_joint_state([0.25, -0.5])
    handed = arrays.hand_out(robot.joint_pos)
    del world, robot
    gc.collect()
    assert on_host(handed).tolist() == [[0.25, -0.5]] * 3


def test_read_only_arrays_are_copied_where_an_api_has_none(torch):
    set_array_api("torch")
    try:
        frozen = np.broadcast_to(np.float32(3.0), (2, 2))
        handed = arrays.hand_out(frozen)
        handed[0, 0] = 5.0
    finally:
        set_array_api(None)
    assert frozen.tolist() == [[3.0, 3.0], [3.0, 3.0]]


def test_input_of_every_kind(api, device):
    of_api = array([[1.0, 2.0]], device)
    for value in (of_api, [[1.0, 2.0]], ((1, 2),), np.array([[1.0, 2.0]]), [of_api[0]]):
        accepted = arrays.accept(value, device)
        assert type(accepted).__module__.partition(".")[0] == ("numpy" if device == "cpu" else "cupy")
        assert host(accepted).tolist() == [[1.0, 2.0]]
    assert host(arrays.accept(2.5, device)) == 2.5


def test_a_tensor_with_a_gradient_is_accepted(torch):
    assert arrays.accept(torch.ones(2, requires_grad=True)).tolist() == [1.0, 1.0]


def test_the_engine_takes_what_the_facade_hands_out(api, device):
    world = px.World(num_envs=2, device=device)
    robot = world.add_robot("double_pendulum")
    robot.set_joint_state(array([[0.1, 0.2], [0.3, 0.4]], device))
    assert np.allclose(host(robot.joint_pos), [[0.1, 0.2], [0.3, 0.4]])


@pytest.mark.parametrize("name", ["jax", "Numpy", ""])
def test_unknown_apis_are_told(name):
    before = array_api()
    with pytest.raises(ArrayAPIError, match=f"array API {name!r}: must be"):
        set_array_api(name)
    assert array_api() == before


def test_an_api_that_is_not_installed_says_what_to_install():
    program = """
import sys
from importlib.machinery import PathFinder
class Hidden:
    def find_spec(name, path=None, target=None):
        return None if name in ("torch", "cupy") else PathFinder.find_spec(name, path, target)
sys.meta_path[:] = [Hidden if f is PathFinder else f for f in sys.meta_path]
from phalanx.facade import array_api, set_array_api
for name in ("torch", "cupy"):
    try:
        set_array_api(name)
    except ValueError as error:
        print(error)
print(array_api(), array_api("cuda:0"))
import phalanx.facade.namespaces as n
print(type(n.zeros(3)).__name__, n.Array)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [
        'array API "torch": torch is not installed; pip install torch',
        'array API "cupy": cupy is not installed; pip install "phalanx[cuda12]" or "phalanx[cuda13]", as your driver '
        "allows",
        "numpy cupy",
        "ndarray typing.Any",
    ]


def test_cupy_has_no_arrays_of_the_cpu(monkeypatch):
    monkeypatch.setattr(arrays, "_chosen", "cupy")
    with pytest.raises(ArrayAPIError, match="the world is on the CPU"):
        arrays.hand_out(np.zeros(3))


def test_torch_without_cuda_has_no_arrays_of_a_gpu(torch, monkeypatch):
    class OnGPU:
        """Stands for a CuPy array: nothing of it is used before the error."""

    monkeypatch.setattr(arrays, "_chosen", "torch")
    monkeypatch.setattr(arrays, "api_of", lambda value: "cupy")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(ArrayAPIError, match="torch is a build without CUDA"):
        arrays.hand_out(OnGPU())


# -- namespaces --------------------------------------------------------------------------------------------------


def test_values_meet_in_one_namespace(api, device):
    mine = array([1.0, 2.0], device)
    xp, a, b, c, d = common(mine, [3, 4], 5.0, None)
    assert xp is namespace(mine) and a is mine and d is None
    assert xp.__name__ == api
    assert str(c.dtype).endswith("float32") and str(b.dtype).endswith("float32")
    assert "int" in str(common(array([1, 2], device), [3, 4])[2].dtype)
    assert device_of(c) == device_of(mine)


def test_lists_alone_belong_to_the_chosen_api(api):
    xp, a = common([1.0, 2.0])
    assert xp.__name__ == api and str(a.dtype).endswith("float32")
    assert str(common([1, 2])[1].dtype).endswith("float32") and str(common([True])[1].dtype).endswith("bool")


def test_tensors_take_numpy_arrays_along(torch):
    xp, a, b = common(torch.zeros(2), np.ones(2))
    assert xp is torch and b.dtype == torch.float32 and torch.equal(a + b, torch.ones(2))


def test_dtypes_are_kept_and_cast(api, device):
    assert str(array(np.arange(3.0), device).dtype).endswith("float64")
    assert str(array([1, 2], device).dtype).endswith("int64")
    assert str(cast(full(2, 1.0, device), "int64").dtype).endswith("int64")
    assert str(array([1, 0], device, "bool").dtype).endswith("bool")


def test_random_numbers_have_their_range_and_obey_the_seed(api, device):
    def seed() -> None:
        namespace().manual_seed(3) if api == "torch" else namespace().random.seed(3)

    def draw() -> list[np.ndarray]:
        seed()
        return [on_host(x) for x in (uniform(10_000, device), normal((5_000, 2), device), integers(2, 5, 1000, device))]

    (u, n, i), again = draw(), draw()
    assert all((a == b).all() for a, b in zip((u, n, i), again, strict=True))
    assert u.dtype == n.dtype == np.float32 and i.dtype == np.int64
    assert 0 <= u.min() < 0.01 and 0.99 < u.max() < 1 and abs(u.mean() - 0.5) < 0.02
    assert n.shape == (5_000, 2) and abs(n.mean()) < 0.05 and abs(n.std() - 1) < 0.05
    assert set(i.tolist()) == {2, 3, 4}
