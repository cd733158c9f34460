"""isaacsim.core.utils on arrays: rotations and poses against SciPy."""

from __future__ import annotations

import importlib
import math

import numpy as np
import pytest
from oracles import host
from scipy.spatial.transform import Rotation

from phalanx.facade import stage as stages
from phalanx.facade.isaacsim.core.utils import (
    constants,
    distance_metrics,
    prims,
    rotations,
    string,
    types,
)
from phalanx.facade.isaacsim.core.utils import math as vectors
from phalanx.facade.isaacsim.core.utils import numpy as np_utils
from phalanx.io.formats.usd.bindings import Gf, UsdGeom

pytest.importorskip("pxr", reason="usd-core is not installed (pip install 'phalanx[isaac]')")


@pytest.fixture(autouse=True)
def stage():
    """A new stage."""
    return stages.new_stage()


def wxyz(rotation: Rotation) -> np.ndarray:
    """Quaternions (w, x, y, z), w not negative."""
    return rotation.as_quat(canonical=True, scalar_first=True)


def same(found, expected: Rotation, tolerance: float = 1e-12) -> None:
    """Quaternions that mean the same rotations."""
    found = Rotation.from_quat(host(found), scalar_first=True)
    assert (found.inv() * expected).magnitude() == pytest.approx(0.0, abs=tolerance)


# -- rotations -----------------------------------------------------------------------------------------------------

ANGLES = np.random.default_rng(3).uniform(-1.5, 1.5, (50, 3))


@pytest.mark.parametrize("extrinsic", [True, False])
@pytest.mark.parametrize("degrees", [True, False])
def test_euler_angles_as_scipy_has_them(extrinsic, degrees):
    angles = np.degrees(ANGLES) if degrees else ANGLES
    expected = Rotation.from_euler("xyz" if extrinsic else "XYZ", angles, degrees=degrees)
    same(np_utils.euler_angles_to_quats(angles, degrees=degrees, extrinsic=extrinsic), expected)
    assert np_utils.quats_to_euler_angles(wxyz(expected), degrees, extrinsic) == pytest.approx(angles)
    one = rotations.euler_angles_to_quat(angles[0], degrees, extrinsic)
    assert one.shape == (4,) and one.dtype == np.float64
    same(one, expected[0])
    assert rotations.euler_to_rot_matrix(angles[0], degrees, extrinsic) == pytest.approx(expected[0].as_matrix())
    assert rotations.matrix_to_euler_angles(expected[0].as_matrix(), degrees, extrinsic) == pytest.approx(angles[0])
    assert rotations.quat_to_euler_angles(one, degrees, extrinsic) == pytest.approx(angles[0])


def test_other_forms_of_rotations():
    expected = Rotation.from_euler("xyz", ANGLES)
    quats = wxyz(expected)
    assert np_utils.quats_to_rot_matrices(quats) == pytest.approx(expected.as_matrix())
    same(np_utils.rot_matrices_to_quats(expected.as_matrix()), expected)
    assert np_utils.quats_to_rotvecs(quats) == pytest.approx(expected.as_rotvec())
    same(np_utils.rotvecs_to_quats(expected.as_rotvec(degrees=True), degrees=True), expected)
    assert np_utils.rotvecs_to_quats(np.zeros(3)).tolist() == [1, 0, 0, 0]
    assert np_utils.wxyz2xyzw(quats) == pytest.approx(expected.as_quat(canonical=True))
    assert np_utils.xyzw2wxyz(np_utils.wxyz2xyzw(quats[0])).tolist() == quats[0].tolist()
    assert np_utils.deg2rad(np.array([180, 90])) == pytest.approx([math.pi, math.pi / 2])
    assert np_utils.rad2deg(np.zeros(2, np.float32)).dtype == np.float32
    for kind in (Gf.Quatd, Gf.Quatf, Gf.Quath):
        assert rotations.gf_quat_to_np_array(kind(0.5, 0.5, -0.5, 0.5)).tolist() == [0.5, 0.5, -0.5, 0.5]
    assert rotations.gf_rotation_to_np_array(Gf.Rotation(Gf.Vec3d(0, 0, 1), 90)) == pytest.approx(
        wxyz(Rotation.from_euler("z", 90, degrees=True))
    )
    with pytest.raises(ValueError, match=r"shape \(3,\) or \(N, 3\), not \(2,\)"):
        rotations.euler_angles_to_quat(np.zeros(2))


def test_a_camera_looks_at_its_target():
    eye, target = np.array([1.0, 2.0, 3.0]), np.array([-2.0, 0.5, 1.0])
    quat = rotations.lookat_to_quatf(Gf.Vec3f(*eye.tolist()), Gf.Vec3f(*target.tolist()), Gf.Vec3f(0, 0, 1))
    matrix = rotations.quat_to_rot_matrix(rotations.gf_quat_to_np_array(quat))
    assert -matrix[:, 2] == pytest.approx((target - eye) / np.linalg.norm(target - eye), abs=1e-6)
    assert matrix[2, 0] == pytest.approx(0.0, abs=1e-6) and matrix[2, 1] > 0.0
    with pytest.raises(ValueError, match="no orientation looks from"):
        rotations.lookat_to_quatf(Gf.Vec3f(0, 0, 1), Gf.Vec3f(0, 0, 0), Gf.Vec3f(0, 0, 1))


def test_distances_of_rotations_and_positions():
    a, b = Rotation.from_euler("xyz", ANGLES[0]), Rotation.from_euler("xyz", ANGLES[1])
    angle = (a.inv() * b).magnitude()
    assert distance_metrics.rotational_distance_angle(a.as_matrix(), b.as_matrix()) == pytest.approx(angle)
    small = Rotation.from_rotvec([0, 1e-9, 0]) * a
    assert distance_metrics.rotational_distance_angle(a.as_matrix(), small.as_matrix()) == pytest.approx(1e-9, rel=1e-5)
    half = Rotation.from_rotvec([0, math.pi, 0]) * a
    assert distance_metrics.rotational_distance_angle(a.as_matrix(), half.as_matrix()) == pytest.approx(math.pi)
    deviation = distance_metrics.rotational_distance_identity_matrix_deviation(a.as_matrix(), b.as_matrix())
    assert deviation == pytest.approx(np.sqrt(8) * np.sin(angle / 2))
    usd = [Gf.Matrix4d(Gf.Rotation(Gf.Quatd(*wxyz(r).tolist())), Gf.Vec3d(1, 2, 3)) for r in (a, b)]
    axis = np.array([0.0, 0.0, 2.0])
    for pair in ((a.as_matrix(), b.as_matrix()), usd):
        tilt = distance_metrics.rotational_distance_single_axis(pair[0], pair[1], axis)
        assert math.cos(tilt) == pytest.approx(a.apply([0, 0, 1]) @ b.apply([0, 0, 1]))
    assert distance_metrics.weighted_translational_distance(usd[0], np.zeros(3)) == pytest.approx(np.sqrt(14))
    weights = np.diag([4.0, 1.0, 0.0])
    assert distance_metrics.weighted_translational_distance([1, 2, 3], [0, 0, 0], weights) == pytest.approx(np.sqrt(8))
    with pytest.raises(ValueError, match=r"not \(2, 2\)"):
        distance_metrics.rotational_distance_angle(np.eye(2), np.eye(2))


# -- arrays --------------------------------------------------------------------------------------------------------


@pytest.fixture(params=["numpy", "torch"])
def backend(request):
    """The utilities on arrays of one package, and what makes its arrays and calls with a device."""
    if request.param == "torch":
        pytest.importorskip("torch", reason="torch is not installed (pip install torch)")
    return importlib.import_module(f"phalanx.facade.isaacsim.core.utils.{request.param}")


@pytest.fixture
def where(backend, device):
    """The device of arrays: NumPy's are on the host."""
    return "cpu" if backend is np_utils else device


def test_arrays_are_made_and_written(backend, where):
    made = backend.create_zeros_tensor((3, 4), "float32", device=where)
    rows, columns = backend.resolve_indices([0, 2], 3, where), backend.create_tensor_from_list([1, 3], "int64", where)
    written = backend.assign(1.0, made, [backend.expand_dims(rows, 1), columns])
    assert written is made and backend.to_list(made) == [[0, 1, 0, 1], [0, 0, 0, 0], [0, 1, 0, 1]]
    assert backend.to_list(backend.assign(2.0, backend.clone_tensor(made, where), [1]))[1] == [2, 2, 2, 2]
    assert backend.to_list(made)[1] == [0, 0, 0, 0]
    assert backend.to_list(backend.resolve_indices(None, 3, where)) == [0, 1, 2]
    assert backend.to_list(backend.as_type(made, "bool"))[0] == [False, True, False, True]
    assert str(backend.convert([1, 2], where).dtype).endswith("float32")
    assert backend.move_data(made, where) is made and backend.to_list([1]) == [1]
    assert isinstance(backend.to_numpy(made), np.ndarray)
    assert backend.to_list(backend.tensor_cat([rows, columns], dim=-1)) == [0, 2, 1, 3]
    assert backend.to_list(backend.tensor_stack([rows, columns])) == [[0, 2], [1, 3]]
    assert tuple(backend.pad(made, (1, 1)).shape) == ((5, 6) if backend is np_utils else (3, 6))
    matrix = backend.convert([[0.0, 1.0], [-2.0, 0.0]], where)
    assert backend.to_list(backend.matmul(matrix, backend.inverse(matrix))) == [[1, 0], [0, 1]]
    assert backend.to_list(backend.transpose_2d(matrix)) == [[0, -2], [1, 0]]
    assert backend.to_list(backend.cos(made))[1] == [1] * 4 and backend.to_list(backend.sin(made))[1] == [0] * 4
    with pytest.raises(TypeError):
        backend.as_type(made, "float33")


def test_poses_in_frames_of_scaled_and_mirrored_parents(backend, where, stage):
    rng = np.random.default_rng(0)
    parents, positions = [], rng.normal(size=(6, 3))
    turns = Rotation.from_quat(rng.normal(size=(6, 4)))
    for i in range(6):
        parent = UsdGeom.Xform.Define(stage, f"/Parent_{i}")
        scale = [0.5, 2.0, -1.5][i % 3]
        prims.create_prim(f"/Parent_{i}/Child", "Xform")
        frame = Gf.Matrix4d().SetScale(scale) * Gf.Matrix4d().SetRotate(Gf.Rotation(Gf.Vec3d(1, 2, i), 50.0 * i))
        parent.AddTransformOp().Set(frame * Gf.Matrix4d().SetTranslate(Gf.Vec3d(*rng.normal(size=3).tolist())))
        parents.append(np.array(UsdGeom.XformCache().GetLocalToWorldTransform(parent.GetPrim())))
    moved, quats = backend.get_local_from_world(np.array(parents), positions, wxyz(turns), where)
    tolerance = 1e-12 if backend is np_utils else 1e-5
    for i, parent in enumerate(parents):  # as USD multiplies: rows from the left
        assert np.append(host(moved[i]), 1.0) @ parent == pytest.approx([*positions[i], 1.0], abs=tolerance * 10)
        of_parent = np.linalg.det(parent[:3, :3]) ** (-1 / 3) if np.linalg.det(parent[:3, :3]) > 0 else -1 / 1.5
        whole = Rotation.from_matrix(parent[:3, :3].T * of_parent)
        same(quats[i], whole.inv() * turns[i], 3e-3 if tolerance > 1e-6 else 1e-7)
    back, quats = backend.get_world_from_local(np.array(parents), moved, quats, where)
    assert host(back) == pytest.approx(positions, abs=10 * tolerance)
    same(quats, turns, 3e-3 if tolerance > 1e-6 else 1e-7)


def test_rows_of_seven_numbers(backend, where):
    turns = Rotation.from_quat(np.random.default_rng(1).normal(size=(4, 4)))
    positions = backend.convert(np.arange(12.0).reshape(4, 3), where)
    quats = backend.convert(wxyz(turns), where)
    pose = backend.get_pose(positions, quats, where)
    assert host(pose)[:, 3:] == pytest.approx(turns.as_quat(canonical=True), abs=1e-6)
    one = backend.convert([[9.0, 8.0, 7.0]], where)
    written = backend.assign_pose(positions, quats, one, None, backend.resolve_indices([2], 4, where), where)
    assert host(written)[2, :3].tolist() == [9, 8, 7]
    assert np.delete(host(written), 2, 0).tolist() == np.delete(host(pose), 2, 0).tolist()
    assert host(written)[2, 3:].tolist() == host(pose)[2, 3:].tolist()
    given = backend.create_zeros_tensor((4, 7), "float32", where)
    assert backend.assign_pose(positions, quats, None, quats[:1], [1], where, given) is given
    assert host(given)[1].tolist() == [3, 4, 5, *host(pose)[0, 3:].tolist()]
    matrices = host(backend.tf_matrices_from_poses(positions, quats))
    assert matrices[:, :3, :3] == pytest.approx(turns.as_matrix(), abs=1e-6)
    assert matrices[:, :3, 3].tolist() == host(positions).tolist()


def test_only_torch_has_these(torch, device):
    utils = importlib.import_module("phalanx.facade.isaacsim.core.utils.torch")
    pose = utils.normalise_quat_in_pose(torch.tensor([[1.0, 2, 3, 0, 0, 3, 4]], device=device))
    assert pose.tolist() == [pytest.approx([1, 2, 3, 0, 0, 0.6, 0.8])]
    assert utils.set_seed(7) == 7
    first = torch.rand(3), np.random.rand()
    assert utils.set_seed(7) == 7 and torch.equal(first[0], torch.rand(3)) and first[1] == np.random.rand()
    assert utils.unscale_np(np.array([1.0, 2.0]), 1.0, 3.0).tolist() == [-1, 0]
    same(utils.euler_angles_to_quats(torch.tensor(ANGLES, device=device)), Rotation.from_euler("xyz", ANGLES))
    assert utils.gf_quat_to_tensor(Gf.Quatf(1, 0, 0, 0)).dtype == torch.float32
    assert utils.wxyz2xyzw(torch.tensor([1.0, 2, 3, 4], device=device)).tolist() == [2, 3, 4, 1]


def test_how_torsos_stand_and_where_they_head(torch, device):
    utils = importlib.import_module("phalanx.facade.isaacsim.core.utils.torch")
    rng = np.random.default_rng(2)
    torso, start = Rotation.from_euler("xyz", ANGLES[:5]), Rotation.from_euler("xyz", ANGLES[5:10])
    places, goals, v, w = rng.normal(size=(4, 5, 3))
    given = [torch.tensor(each, device=device) for each in (wxyz(torso), wxyz(start.inv()), goals - places)]
    ahead, above = (torch.tensor(np.tile(np.eye(3)[i], (5, 1)), device=device) for i in (0, 2))
    turn, up_share, facing, up, heading = utils.compute_heading_and_up(*given, ahead, above, 2)
    expected = torso * start.inv()
    same(turn, expected)
    way = (goals - places) / np.linalg.norm(goals - places, axis=1, keepdims=True)
    assert host(up) == pytest.approx(expected.apply([0, 0, 1])) and up_share.tolist() == up[:, 2].tolist()
    assert host(heading) == pytest.approx(expected.apply([1, 0, 0]))
    assert host(facing) == pytest.approx((expected.apply([1, 0, 0]) * way).sum(1))
    found = utils.compute_rot(*(torch.tensor(each, device=device) for each in (wxyz(torso), v, w, goals, places)))
    assert host(found[0]) == pytest.approx(torso.inv().apply(v))
    assert host(found[1]) == pytest.approx(torso.inv().apply(w))
    angles = np.stack([host(each) for each in found[2:5]], 1)
    assert angles == pytest.approx(ANGLES[:5] % (2 * np.pi))
    assert host(found[5]) == pytest.approx(np.arctan2(way[:, 2], way[:, 0]) - angles[:, 2])
    intrinsic = torch.stack(utils.get_euler_xyz(given[0], extrinsic=False), 1)
    assert host(utils.normalize_angle(intrinsic)) == pytest.approx(torso.as_euler("XYZ"))
    assert host(utils.quat_axis(given[0], 1)) == pytest.approx(torso.apply([0, 1, 0]))
    x = torch.tensor([1.0, 2.0, 5.0], device=device)
    assert utils.scale(utils.unscale(x, 1.0, 3.0), 1.0, 3.0).tolist() == x.tolist()
    assert utils.tensor_clamp(x, torch.zeros(3, device=device), torch.full((3,), 2.0, device=device)).tolist() == [
        1,
        2,
        2,
    ]
    drawn = utils.torch_rand_float(2.0, 3.0, (100, 2), device)
    assert drawn.shape == (100, 2) and 2.0 <= drawn.min() < 2.1 and 2.9 < drawn.max() <= 3.0
    assert utils.normalize(torch.tensor([[0.0, 0.0], [3.0, 4.0]], device=device)).tolist() == [
        [0, 0],
        [pytest.approx(0.6), pytest.approx(0.8)],
    ]


def test_actions_and_states():
    action = types.ArticulationAction(np.array([1.0, 2.0]), joint_efforts=[5.0, None], joint_indices=np.array([7, 3]))
    assert action.get_dof_action(3) == {"position": 2.0} and action.get_dof_action(0) == {}
    assert action.get_dof_action(7) == {"position": 1.0, "effort": 5.0}
    assert action.get_length() == 2 and types.ArticulationAction().get_length() is None
    assert action.get_dict() == {"joint_positions": [1, 2], "joint_velocities": None, "joint_efforts": [5, None]}
    frame = types.DataFrame(3, 0.1, {"a": 1})
    assert types.DataFrame.init_from_dict(frame.get_dict()).data == {"a": 1}
    assert types.ArticulationActions().joint_positions is None
    assert constants.AXES_INDICES["z"] == 2 and constants.AXES_TOKEN["x"] == "X"


def test_vectors():
    assert vectors.cross([1, 2, 3], np.array([4, 5, 6])) == np.cross([1, 2, 3], [4, 5, 6]).tolist()
    v, w = np.array([0.0, 3.0, 4.0]), [3.0, 0.0, 4.0]
    assert vectors.normalize(v) is v and v.tolist() == [0, 0.6, 0.8]
    assert vectors.normalized(w) == [0.6, 0, 0.8] and w == [3, 0, 4]
    assert vectors.normalized(Gf.Vec3d(0, 0, 2)) == Gf.Vec3d(0, 0, 1)
    assert vectors.radians_to_degrees(np.array([math.pi])) == pytest.approx([180])
    with pytest.raises(ValueError, match="has no direction: its length is 0"):
        vectors.normalize(np.zeros(3))
    assert string.find_root_prim_path_from_regex("/World/envs/env_.*/Robot[12]") == ("/World/envs", 3)
    assert string.find_root_prim_path_from_regex("/World/Robot") == (None, None)
    assert string.find_unique_string_name("a", lambda name: name not in ("a", "a_1")) == "a_2"
