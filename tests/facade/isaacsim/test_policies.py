"""Robots that networks control: what these see, when they are asked, and what joints are told; toy networks stand for
NVIDIA's.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from facade.isaacsim.core_scenes import host
from scipy.spatial.transform import Rotation

from phalanx.assets.building import build
from phalanx.assets.catalogue import chosen
from phalanx.assets.descriptions import MissingPackageError
from phalanx.facade.isaacsim.core.prims import SingleArticulation, SingleRigidPrim
from phalanx.facade.isaacsim.core.utils.stage import add_reference_to_stage
from phalanx.facade.isaacsim.robot.policy.examples.robots import (
    AnymalFlatTerrainPolicy,
    FrankaOpenDrawerPolicy,
    H1FlatTerrainPolicy,
    SpotFlatTerrainPolicy,
)
from phalanx.facade.isaacsim.robot.policy.examples.utils import LstmSeaNetwork, SeaNetwork

torch: Any = pytest.importorskip("torch")

DECIMATION = 4
ENVIRONMENT = f"""
decimation: {DECIMATION}
sim: {{dt: 0.005, render_interval: 4}}
scene:
  robot:
    spawn: {{articulation_props: {{solver_position_iteration_count: 6}}}}
    init_state: {{joint_pos: {{.*finger.*: 0.02, .*: 0.1}}, joint_vel: {{.*: 0.0}}}}
    actuators:
      all: {{joint_names_expr: [.*], effort_limit: 300.0, velocity_limit: 100.0, stiffness: 60.0, damping: 1.5}}
"""
SPOT = "Isaac/Robots/BostonDynamics/spot/spot.usd"


class Counting(torch.nn.Module):
    """Says its own last action plus one, so that calls can be counted; it is at the end of what is seen."""

    def __init__(self, count: int) -> None:
        super().__init__()
        self.count = count

    def forward(self, seen):
        return seen[:, -self.count :] + 1.0


class Spring(torch.nn.Module):
    """An actuator: 100 N m for each rad, and a memory of how often it was asked."""

    def forward(self, seen, memory):
        return 100.0 * seen[:, 0, 0], (memory[0] + 1.0, memory[1])


def put(module: Any, seen: Any, path: Path) -> None:
    """Save a module, which is traced with what it may see."""
    path.parent.mkdir(parents=True, exist_ok=True)
    torch.jit.trace(module, seen).save(str(path))


def spring(path: Path) -> None:
    """Save the actuators."""
    memory = torch.zeros(2, 12, 8)
    put(Spring(), (torch.zeros(12, 1, 2), (memory, memory)), path)


@pytest.fixture(scope="module")
def assets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with Spot, H1, and toy networks where Isaac Sim's server has NVIDIA's."""
    root = tmp_path_factory.mktemp("assets")
    for robot in chosen(["spot", "h1"]):
        build(robot, root)
    policies = root / "Isaac/Samples/Policies"
    for name, count in (("H1", 19), ("Spot", 12), ("Anymal", 12)):
        seen = torch.zeros(1, 12 + 3 * count)
        put(Counting(count), seen, policies / f"{name}_Policies/{name.lower()}_policy.pt")
        (policies / f"{name}_Policies/{name.lower()}_env.yaml").write_text(ENVIRONMENT)
    spring(policies / "Anymal_Policies/sea_net_jit2.pt")
    drawer = policies / "Franka_Policies/Open_Drawer_Policy"
    put(Counting(8), torch.zeros(1, 31), drawer / "policy.pt")
    (drawer / "env.yaml").write_text(ENVIRONMENT)
    return root


@pytest.fixture(autouse=True)
def _root(assets: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PHALANX_ASSET_ROOT", str(assets))


def applied(robot: Any) -> Any:
    return robot.robot.get_applied_action()


def targets(robot: Any) -> np.ndarray:
    return host(applied(robot).joint_positions)


def test_what_spot_sees_and_does(world):
    spot = SpotFlatTerrainPolicy("/World/Spot", position=np.array([0.0, 0.0, 0.8]))
    world.reset()
    spot.initialize()
    assert spot.robot.num_dof == 12 and spot.robot.name == "spot"
    turn = Rotation.from_euler("xyz", [0.3, -0.2, 0.9])
    rng = np.random.default_rng(2)
    joints, speeds = rng.uniform(-0.1, 0.1, 12), rng.normal(size=12)
    spot.robot.set_world_pose(np.array([1.0, 2.0, 0.9]), turn.as_quat(scalar_first=True))
    spot.robot.set_linear_velocity(np.array([1.0, 2.0, 3.0]))
    spot.robot.set_angular_velocity(np.array([-0.5, 0.4, 0.2]))
    spot.robot.set_joint_positions(joints)
    spot.robot.set_joint_velocities(speeds)
    seen = spot._compute_observation([0.7, -0.1, 0.3])
    back = turn.inv()
    wanted = [back.apply(v) for v in ([1.0, 2.0, 3.0], [-0.5, 0.4, 0.2], [0.0, 0.0, -1.0])]
    wanted += [[0.7, -0.1, 0.3], joints - 0.1, speeds, np.zeros(12)]
    np.testing.assert_allclose(seen, np.concatenate(wanted), atol=1e-5)
    for step in range(DECIMATION + 1):
        spot.forward(0.005, [0.0, 0.0, 0.0])
        asked = 1 + step // DECIMATION
        assert spot.action.tolist() == [asked] * 12, "once for each four steps"
        np.testing.assert_allclose(targets(spot), 0.1 + 0.2 * asked, rtol=1e-6)
    gains = [host(each) for each in spot.robot._articulation_view.get_gains()]
    assert (gains[0] == 60.0).all() and (gains[1] == 1.5).all()


def test_joints_of_h1_follow_its_network(world):
    h1 = H1FlatTerrainPolicy("/World/H1", name="H1_0", position=np.array([0.0, 0.0, 2.0]))
    world.reset()
    h1.initialize()
    assert h1._compute_observation(np.zeros(3)).shape == (69,)
    h1.forward(0.005, np.zeros(3))
    np.testing.assert_allclose(targets(h1), np.full(19, 0.1 + 0.5), rtol=1e-6)
    before = host(h1.robot.get_joint_positions())
    for _ in range(3):
        h1.forward(0.005, np.zeros(3))
        world.step(render=False)
    assert np.abs(host(h1.robot.get_joint_positions()) - before).max() > 1e-3


def test_actuators_of_anymal_are_a_network(world, assets):
    """Another robot with twelve joints stands for it."""
    robot = AnymalFlatTerrainPolicy("/World/Robot", usd_path=str(assets / SPOT), position=np.array([0.0, 0.0, 2.0]))
    world.reset()
    robot.initialize()
    robot.robot.set_joint_positions(np.linspace(-0.2, 0.2, 12))
    robot.forward(0.005, np.zeros(3))
    errors = 0.5 * 1.0 + 0.1 - np.linspace(-0.2, 0.2, 12)
    efforts = host(applied(robot).joint_efforts)
    np.testing.assert_allclose(efforts, np.minimum(100.0 * errors, 80.0), rtol=1e-4)
    assert efforts.max() == 80.0 and efforts.min() < 80.0
    assert robot._actuator_network.get_hidden_state().tolist() == [[1.0] * 8] * 12


def test_what_is_missing_is_said(assets, tmp_path, monkeypatch):
    monkeypatch.setenv("PHALANX_ASSET_ROOT", str(tmp_path))
    with pytest.raises(
        FileNotFoundError, match=r"USD file not found at path: '.*spot\.usd'.*phalanx assets build spot"
    ):
        SpotFlatTerrainPolicy("/World/Spot")
    with pytest.raises(FileNotFoundError, match=r"Network of NVIDIA's .*spot_policy\.pt.*put it at .*Spot_Policies"):
        SpotFlatTerrainPolicy("/World/Spot", usd_path=str(assets / SPOT))


def test_a_franka_sees_its_drawer(world, assets):
    try:
        for one in chosen(["franka-sim", "cabinet"]):
            build(one, assets)
    except MissingPackageError as error:
        pytest.skip(str(error))
    add_reference_to_stage(
        str(assets / "Isaac/Props/Sektion_Cabinet/sektion_cabinet_instanceable.usd"), "/World/cabinet"
    )
    cabinet = SingleArticulation("/World/cabinet", "cabinet", position=np.array([0.8, 0.0, 0.4]))
    franka = FrankaOpenDrawerPolicy("/World/franka", cabinet)
    world.reset()
    franka.initialize()
    assert franka.robot.get_solver_position_iteration_count() == 32
    cabinet.set_joint_positions(np.array([0.15]), joint_indices=np.array([franka.drawer_link_idx]))
    seen = franka._compute_observation()
    assert seen.shape == (31,) and seen[18] == pytest.approx(0.15) and not seen[23:].any()
    joints = host(franka.robot.get_joint_positions())
    np.testing.assert_allclose(seen[:9], joints - np.array([0.1] * 7 + [0.02] * 2), atol=1e-6)
    np.testing.assert_allclose(seen[20:23], handle_from_grip("/World/cabinet", "/World/franka"), atol=1e-5)
    for step in range(DECIMATION + 1):
        franka.forward(0.005)
        asked = 1 + step // DECIMATION
        np.testing.assert_allclose(targets(franka), [0.1 + asked] * 7 + [0.02 + asked] * 2, rtol=1e-6)


def handle_from_grip(cabinet: str, franka: str) -> np.ndarray:
    """The same by SciPy."""
    points = []
    for path, offset in (
        (f"{cabinet}/drawer_handle_top", [0.305, 0.0, 0.01]),
        (f"{franka}/panda_hand", [0, 0, 0.1034]),
    ):
        place, turn = (host(each) for each in SingleRigidPrim(path).get_world_pose())
        points.append(place + Rotation.from_quat(turn, scalar_first=True).apply(offset))
    return points[0] - points[1]


def test_memories_of_actuators(tmp_path):
    network = LstmSeaNetwork()
    with pytest.raises(RuntimeError, match="call setup"):
        network.compute_torques(np.zeros(12), np.zeros(12), np.zeros(12))
    spring(tmp_path / "net.pt")
    network.setup(str(tmp_path / "net.pt"), np.full(12, 0.5))
    for asked in (1.0, 2.0):
        efforts, hidden = network.compute_torques(np.full(12, 0.25), np.zeros(12), np.full(12, 0.125))
        np.testing.assert_allclose(efforts, 37.5)
        assert (hidden == asked).all() and hidden.shape == (12, 8)
    network.reset()
    assert not network.get_hidden_state().any()


def test_layers_of_actuators(tmp_path):
    """Against torch's, with errors and velocities of now, 3 and 8 steps ago."""
    rng = np.random.default_rng(4)
    layers = [torch.nn.Linear(a, b) for a, b in ((6, 32), (32, 32), (32, 1))]
    numbers = [w.detach().numpy().reshape(-1) for one in layers for w in (one.weight.T, one.bias)]
    (tmp_path / "weights.csv").write_text(",".join(str(n) for n in np.concatenate(numbers)))
    network = SeaNetwork()
    network.setup(str(tmp_path / "weights.csv"), np.full(12, 0.2))
    places, speeds, actions = rng.normal(size=(3, 12, 12))
    for step in range(12):
        found = network.compute_torques(places[step], speeds[step], actions[step])
    errors = 0.5 * actions + 0.2 - places
    seen = np.concatenate([0.4 * speeds[[3, 8, 11]], 3.0 * errors[[3, 8, 11]]]).T
    value = torch.from_numpy(seen.astype(np.float32))
    for layer in layers[:2]:
        value = torch.nn.functional.softsign(layer(value))
    np.testing.assert_allclose(found, 20.0 * layers[2](value).detach().numpy(), atol=1e-4)
    (tmp_path / "short.csv").write_text("1,2,3")
    with pytest.raises(ValueError, match=r"3 numbers; layers of .* units have 1313"):
        network.setup(str(tmp_path / "short.csv"), np.zeros(12))
