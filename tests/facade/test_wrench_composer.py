"""Wrenches that add up, against NumPy and SciPy, given as Warp's arrays or as NumPy's. No world is stepped."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from oracles import host
from scipy.spatial.transform import Rotation

from phalanx.facade.arrays import is_installed
from phalanx.facade.isaaclab.assets.buffers import set_part
from phalanx.facade.isaaclab.utils.wrench_composer import WrenchComposer
from phalanx.facade.namespaces import array

COUNT, BODIES = 3, 2


class _WarpArray:
    """What the facade asks of Warp's arrays, where the package is not installed: they take no index and no loop."""

    __module__ = "warp._src.types"
    device = SimpleNamespace(is_cpu=True)

    def __init__(self, values: np.ndarray) -> None:
        self._values, self.shape = values, values.shape

    def __len__(self) -> int:
        return len(self._values)

    def __getitem__(self, index: Any) -> Any:
        raise RuntimeError("Item indexing is not supported on wp.array objects")

    def numpy(self) -> np.ndarray:
        return self._values


def warp_array(values: Any) -> Any:
    values = np.asarray(values)
    if not is_installed("warp"):
        return _WarpArray(values)
    import warp  # pyright: ignore[reportMissingImports]

    return warp.array(values, dtype=warp.vec3f if values.dtype == np.float32 else warp.int32, device="cpu")


def asset(com: Any = None, **data: Any) -> Any:
    """An asset that stands turned somewhere; where ``com`` is given, its data tell centres of mass."""
    rng = np.random.default_rng(0)
    turned = Rotation.random(COUNT * BODIES, rng)
    data["body_link_quat_w"] = array(turned.as_quat(scalar_first=True).reshape(COUNT, BODIES, 4).astype(np.float32))
    data["body_link_pos_w"] = array(rng.normal(size=(COUNT, BODIES, 3)).astype(np.float32))
    if com is not None:
        places = turned.apply(np.tile(com, (COUNT * BODIES, 1))).reshape(COUNT, BODIES, 3)
        data["body_com_pos_w"] = array((places + host(data["body_link_pos_w"])).astype(np.float32))
        data["body_com_pos_b"] = array(np.broadcast_to(np.float32(com), (COUNT, BODIES, 3)).copy())
    found = SimpleNamespace(num_instances=COUNT, num_bodies=BODIES, device="cpu", data=SimpleNamespace(**data))
    found.turned = turned
    return found


def numbers(values: Any) -> np.ndarray:
    """Of arrays of Warp or torch, or NumPy's where neither is installed."""
    return values.numpy() if hasattr(values, "numpy") else host(values)


def some(*shape: int) -> np.ndarray:
    return np.random.default_rng(sum(shape)).normal(size=shape).astype(np.float32)


@pytest.mark.parametrize("given", [np.asarray, warp_array, list], ids=["numpy", "warp", "list"])
def test_arrays_of_every_package_choose_and_push(given: Any) -> None:
    envs, bodies = given(np.array([2, 0], np.int32)), given(np.array([1], np.int32))
    forces = warp_array(some(2, 1, 3)) if given is warp_array else some(2, 1, 3)
    composer = WrenchComposer(asset())
    for _ in range(2):
        composer.add_forces_and_torques(forces=forces, torques=forces, body_ids=bodies, env_ids=envs)
    wanted = np.zeros((COUNT, BODIES, 3), np.float32)
    wanted[[2, 0], 1] = 2.0 * some(2, 1, 3)[:, 0]
    np.testing.assert_allclose(host(composer.composed_force_as_torch), wanted, rtol=1e-6)
    np.testing.assert_allclose(numbers(composer.composed_torque), wanted, rtol=1e-6)
    composer.reset(given(np.array([0], np.int32)))
    wanted[0] = 0.0
    np.testing.assert_allclose(numbers(composer.composed_force), wanted, rtol=1e-6)
    buffer = array(np.zeros((COUNT, BODIES), np.float32))
    set_part("test", "value", buffer, 3.0, envs, bodies)
    np.testing.assert_array_equal(host(buffer), [[0, 3], [0, 0], [0, 3]])
    with pytest.raises(IndexError, match=f"no row {COUNT} of {COUNT}"):
        set_part("test", "value", buffer, 3.0, given(np.array([COUNT], np.int32)), bodies)


@pytest.mark.parametrize("com", [None, (0.1, -0.2, 0.3)], ids=["unknown", "known"])
def test_forces_at_points_turn_about_the_centre_of_mass(com: Any) -> None:
    """Of the world's axes and of the links'; where the data tell no centre of mass it is the link's origin."""
    body, force, place = asset(com), some(COUNT, BODIES, 3), some(1, COUNT, BODIES, 3)[0]
    composer = WrenchComposer(body)
    composer.set_forces_and_torques(forces=force, positions=place, is_global=True)
    centre = host(body.data.body_link_pos_w if com is None else body.data.body_com_pos_w)
    flat = np.cross(place - centre, force).reshape(-1, 3)
    in_links = body.turned.inv().apply(flat).reshape(force.shape)
    np.testing.assert_allclose(host(composer.composed_torque_as_torch), in_links, atol=1e-5)
    composer.set_forces_and_torques(forces=force, torques=0.0 * force, positions=place)
    offset = place - np.zeros(3) if com is None else place - np.float32(com)
    np.testing.assert_allclose(host(composer.composed_torque_as_torch), np.cross(offset, force), atol=1e-5)
    np.testing.assert_allclose(host(composer.composed_force_as_torch), force, atol=1e-6)


def test_what_is_not_set_stays() -> None:
    """As in Isaac Lab 2.3.2: torques that are set leave forces alone, and the other way round."""
    composer, force, torque = WrenchComposer(asset((0.0, 0.0, 1.0))), some(COUNT, BODIES, 3), some(1, BODIES, 3)
    torque = np.repeat(torque, COUNT, 0)
    composer.set_forces_and_torques(forces=force, positions=force + torque)
    composer.set_forces_and_torques(torques=torque, positions=force)  # a torque has no point
    moment = np.cross(force + torque - [0.0, 0.0, 1.0], force)
    np.testing.assert_allclose(host(composer.composed_torque_as_torch), moment + torque, atol=1e-5)
    composer.set_forces_and_torques(forces=2.0 * force)
    np.testing.assert_allclose(host(composer.composed_force_as_torch), 2.0 * force, atol=1e-6)
    np.testing.assert_allclose(host(composer.composed_torque_as_torch), torque, atol=1e-6)
    with pytest.raises(ValueError, match="have neither body_link_quat_w nor object_link_quat_w"):
        WrenchComposer(SimpleNamespace(num_instances=1, num_bodies=1, device="cpu", data=SimpleNamespace()))
