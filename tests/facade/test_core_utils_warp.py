"""isaacsim.core.utils.warp against NumPy and SciPy; its arrays are Warp's if warp-lang is installed, else NumPy's."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from phalanx.facade.arrays import is_installed
from phalanx.facade.isaacsim.core.utils import numpy as np_utils
from phalanx.facade.isaacsim.core.utils import warp as utils
from phalanx.io.formats.usd.bindings import Gf

ANGLES = np.random.default_rng(3).uniform(-1.5, 1.5, (20, 3))


def package(array) -> str:
    return type(array).__module__.partition(".")[0]


def number(array):
    """As NumPy's, once it is seen whose array it is and what its elements are."""
    assert package(array) == ("warp" if is_installed("warp") else "numpy")
    return np.array(utils.to_numpy(array))


def reals(array):
    found = number(array)
    assert found.dtype == np.float32
    return found


def test_arrays_are_made():
    assert reals(utils.create_zeros_tensor((2, 3), "float32")).tolist() == [[0] * 3] * 2
    found = utils.convert([[1, 2], [3, 4]])
    assert reals(found).tolist() == [[1, 2], [3, 4]]
    assert number(utils.convert(np.arange(3), "cpu", "int32")).dtype == np.int32
    assert number(utils.create_tensor_from_list([1, 0], "bool")).dtype == np.uint8  # kernels have no arrays of bool
    assert number(utils.create_tensor_from_list([1, 0], "long")).dtype == np.int64
    copy = utils.clone_tensor(found, "cpu")
    utils.assign(9.0, copy, [0])
    assert utils.to_list(copy) == [[9, 9], [3, 4]] and utils.to_list(found) == [[1, 2], [3, 4]]
    assert utils.move_data(found, "cpu") is found
    assert utils.to_list([1, 2]) == [1, 2]
    rows = number(utils.resolve_indices(None, 4, "cpu"))
    assert rows.tolist() == [0, 1, 2, 3] and rows.dtype == np.int32
    assert number(utils.resolve_indices([2, 0], 4, "cpu")).tolist() == [2, 0]
    assert number(utils.as_type(utils.convert([0.0, 0.5, 2.0]), "bool")).tolist() == [0, 1, 1]
    assert number(utils.as_type(found, "int64")).dtype == np.int64
    assert reals(utils.ones(3)).tolist() == [1, 1, 1]
    with pytest.raises(TypeError, match="no elements of type 'float33'"):
        utils.create_zeros_tensor((2,), "float33")


@pytest.mark.parametrize("dims", [1, 2, 3])
def test_all_combinations_of_indices_are_written(dims):
    """Against NumPy's open mesh."""
    rng = np.random.default_rng(dims)
    whole = rng.normal(size=(4, 5, 6)).astype("float32")
    rows = [np.array([2, 0]), np.array([4, 1, 3]), np.array([5, 0])][:dims]
    new = rng.normal(size=whole[np.ix_(*rows)].shape).astype("float32")
    expected = whole.copy()
    expected[np.ix_(*rows)] = new
    target = utils.clone_tensor(whole, "cpu")
    indices = [utils.resolve_indices(one.tolist(), 6, "cpu") for one in rows]
    assert utils.assign(utils.convert(new), target, indices if dims > 1 else indices[0]) is target
    np.testing.assert_array_equal(reals(target), expected)
    with pytest.raises(ValueError, match="what is written has"):
        utils.assign(utils.convert(new[:1]), target, indices if dims > 1 else indices[0])


def test_arrays_are_put_together():
    a, b = np.arange(6.0).reshape(2, 3), np.arange(6.0, 12.0).reshape(2, 3)
    mine, other = utils.convert(a), utils.convert(b)
    np.testing.assert_array_equal(reals(utils.tensor_cat([mine, other], dim=0)), np.concatenate([a, b], 0))
    np.testing.assert_array_equal(reals(utils.tensor_cat([mine, other])), np.concatenate([a, b], -1))
    np.testing.assert_array_equal(reals(utils.tensor_stack([mine, other], dim=1)), np.stack([a, b], 1))
    assert reals(utils.expand_dims(mine, 1)).shape == (2, 1, 3)
    np.testing.assert_array_equal(reals(utils.pad(mine, (1, 1), value=7.0)), np.pad(a, 1, constant_values=7.0))
    np.testing.assert_allclose(reals(utils.finite_diff2(other, mine, 0.5)), (b - a) / 0.5)


def test_rotations():
    turns = Rotation.from_euler("xyz", ANGLES)
    quats = utils.euler_angles_to_quats(utils.convert(ANGLES))
    np.testing.assert_allclose(reals(quats), turns.as_quat(scalar_first=True, canonical=True), atol=1e-6)
    intrinsic = utils.euler_angles_to_quats(utils.convert(np.degrees(ANGLES)), degrees=True, extrinsic=False)
    wanted = Rotation.from_euler("XYZ", ANGLES).as_quat(scalar_first=True, canonical=True)
    np.testing.assert_allclose(reals(intrinsic), wanted, atol=1e-6)
    matrices = utils.convert(turns.as_matrix())
    np.testing.assert_allclose(np.abs(reals(utils.rot_matrices_to_quats(matrices))), np.abs(reals(quats)), atol=1e-5)
    last = utils.wxyz2xyzw(quats)
    np.testing.assert_array_equal(reals(last), reals(quats)[:, [1, 2, 3, 0]])
    np.testing.assert_array_equal(reals(utils.xyzw2wxyz(last)), reals(quats))
    np.testing.assert_allclose(reals(utils.rad2deg(utils.deg2rad(utils.convert([30.0, 90.0])))), [30, 90], rtol=1e-6)
    assert reals(utils.gf_quat_to_tensor(Gf.Quatd(0.5, 0.1, 0.2, 0.3))).tolist() == pytest.approx([0.5, 0.1, 0.2, 0.3])
    pose = utils.normalise_quat_in_pose(utils.convert([[1.0, 2, 3, 0, 0, 3, 4]]))
    np.testing.assert_allclose(reals(pose), [[1, 2, 3, 0, 0, 0.6, 0.8]], rtol=1e-6)


def test_poses():
    """As those of NumPy's, but for get_pose(), which keeps the order of quaternions."""
    rng = np.random.default_rng(4)
    turns = Rotation.from_quat(rng.normal(size=(5, 4)))
    places, quats = rng.normal(size=(5, 3)), turns.as_quat(scalar_first=True, canonical=True)
    mine = utils.convert(places), utils.convert(quats)
    np.testing.assert_allclose(reals(utils.get_pose(*mine, "cpu")), np.concatenate([places, quats], 1), atol=1e-6)
    matrices = utils.tf_matrices_from_poses(*mine)
    np.testing.assert_allclose(reals(matrices), np_utils.tf_matrices_from_poses(places, quats), atol=1e-6)
    parents = np.swapaxes(np_utils.tf_matrices_from_poses(rng.normal(size=(5, 3)), quats[::-1]), 1, 2)
    local = utils.get_local_from_world(utils.convert(parents), *mine, "cpu")
    wanted = np_utils.get_local_from_world(parents, places, quats)
    np.testing.assert_allclose(reals(local[0]), wanted[0], atol=1e-5)
    np.testing.assert_allclose(reals(local[1]), wanted[1], atol=1e-5)
    back = utils.get_world_from_local(utils.convert(parents), *local, "cpu")
    np.testing.assert_allclose(reals(back[0]), places, atol=1e-5)
    given = utils.create_zeros_tensor((5, 7), "float32")
    new = utils.convert([[9.0, 8.0, 7.0]])
    written = utils.assign_pose(*mine, new, None, utils.resolve_indices([2], 5, "cpu"), "cpu", given)
    assert written is given
    expected = np.concatenate([places, turns.as_quat(canonical=True)], 1)
    expected[2, :3] = [9, 8, 7]
    np.testing.assert_allclose(reals(given), expected, atol=1e-6)
