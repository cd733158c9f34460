"""Actuators of articulations as kernels: every model against NumPy, arrays that users replace, models of theirs."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from oracles import host

from phalanx.facade import arrays, physics_events, stage
from phalanx.facade.isaaclab import actuators
from phalanx.facade.isaaclab import sim as sim_utils
from phalanx.facade.isaaclab.assets import Articulation, ArticulationCfg
from phalanx.facade.isaaclab.sim import SimulationCfg, SimulationContext
from phalanx.facade.isaaclab.utils import ArticulationActions
from phalanx.facade.namespaces import array
from phalanx.io.formats import library
from phalanx.io.formats.usd import write_robot

ENVS, ROWS, JOINTS = 3, 6, 12
TABLE = [[-1.0, 1.0, 1.0], [0.6, 1.5, 6.0], [0.8, 1.2, 3.0], [2.0, 1.0, 1.0]]
GAINS: dict[str, Any] = {"stiffness": 30.0, "damping": {".*": 0.5}, "effort_limit": 9.0}
IMPLICIT: dict[str, Any] = {"stiffness": 40.0, "damping": 1.0, "effort_limit_sim": 4.0}
MOTOR: dict[str, Any] = {"saturation_effort": 12.0, "velocity_limit": 10.0}


def legs() -> dict[str, Any]:
    """A model for each sort of joints; the columns of "ideal" are no slice."""
    return {
        "late": actuators.DelayedPDActuatorCfg(
            joint_names_expr=["(FL|FR|RL)_hip_joint"], **GAINS, min_delay=0, max_delay=3
        ),
        "linked": actuators.RemotizedPDActuatorCfg(
            joint_names_expr=["(FL|RR)_thigh_joint"], **GAINS, joint_parameter_lookup=TABLE, max_delay=1
        ),
        "ideal": actuators.IdealPDActuatorCfg(joint_names_expr=["(FR|RL)_thigh_joint", "RL_calf_joint"], **GAINS),
        "motor": actuators.DCMotorCfg(joint_names_expr=["F._calf_joint"], **GAINS, **MOTOR),
        "implicit": actuators.ImplicitActuatorCfg(joint_names_expr=["RR_calf_joint"], **IMPLICIT),
    }  # nothing drives the fourth hip


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The library's quadruped as USD."""
    path = tmp_path_factory.mktemp("usd") / "quadruped.usd"
    write_robot(library.load_robot("quadruped", visuals=False, warn=False), path)
    return str(path)


@pytest.fixture
def robots(device: str, api: str, file: str) -> Iterator[Any]:
    """Makes two quadrupeds in each of three environments, with actuators, and plays."""

    def make(models: dict[str, Any]) -> tuple[SimulationContext, Articulation]:
        stage.new_stage()
        sim = SimulationContext(SimulationCfg(device=device, dt=0.005))
        for i in range(ENVS):
            sim_utils.create_prim(f"/World/envs/env_{i}", "Xform", translation=(4.0 * i, 0.0, 0.0))
        start = ArticulationCfg.InitialStateCfg(pos=(0.0, 0.0, 5.0), joint_pos={".*thigh.*": 0.7, ".*calf.*": -1.4})
        cfg = {"spawn": sim_utils.UsdFileCfg(usd_path=file), "init_state": start, "actuators": models}
        for name in "ab":
            one = ArticulationCfg(prim_path=f"/World/envs/env_.*/robot_{name}", **cfg)
            Articulation(one.replace(actuators={}))  # pyright: ignore[reportAttributeAccessIssue]
        robot = Articulation(ArticulationCfg(**cfg | {"prim_path": "/World/envs/env_.*/robot_.*", "spawn": None}))
        sim.reset()
        return sim, robot

    yield make
    SimulationContext.clear_instance()
    physics_events.clear()


class Reference:
    """The same laws in NumPy, with queues for what is late."""

    def __init__(self, robot: Articulation) -> None:
        self.robot = robot
        self.ids = {name: robot.find_joints(model.joint_names)[0] for name, model in robot.actuators.items()}
        self.queues: dict[str, list[deque[np.ndarray]]] = {}
        self.gains = {name: (30.0, 0.5, 9.0) for name in self.ids} | {"implicit": (40.0, 1.0, 4.0)}

    def forget(self, rows: list[int]) -> None:
        for queues in self.queues.values():
            for row in rows:
                queues[row].clear()

    def late(self, name: str, wanted: np.ndarray) -> np.ndarray:
        """Targets (3, rows, joints) as old as each row has them."""
        model: Any = self.robot.actuators[name]
        queues = self.queues.setdefault(name, [deque(maxlen=4) for _ in range(ROWS)])
        buffers = (model.positions_delay_buffer, model.velocities_delay_buffer, model.efforts_delay_buffer)
        lags = np.array([host(buffer.time_lags) for buffer in buffers]).astype(int)
        found = np.empty_like(wanted)
        for row, queue in enumerate(queues):
            queue.append(wanted[:, row])
            for k in range(3):
                found[k, row] = queue[-1 - min(lags[k, row], len(queue) - 1)][k]
        return found

    def efforts(self, wanted: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Computed and applied efforts of all joints for targets (3, rows, joints)."""
        q, qd = host(self.robot.data.joint_pos), host(self.robot.data.joint_vel)
        computed, applied = np.zeros((ROWS, JOINTS)), np.zeros((ROWS, JOINTS))
        for name, ids in self.ids.items():
            mine = wanted[:, :, ids]
            if name in ("late", "linked"):
                mine = self.late(name, mine)
            kp, kd, most = self.gains[name]
            x, v = q[:, ids], qd[:, ids]
            computed[:, ids] = mine[2] + kp * (mine[0] - x) + kd * (mine[1] - v)
            low, high = np.full_like(x, -most), np.full_like(x, most)
            if name == "motor":
                v = np.clip(v, -10.0 * (1 + most / 12.0), 10.0 * (1 + most / 12.0))
                high = np.minimum(12.0 * (1 - v / 10.0), most)
                low = np.maximum(12.0 * (-1 - v / 10.0), -most)
            if name == "linked":
                high = np.interp(x, [row[0] for row in TABLE], [row[2] for row in TABLE])
                low = -high
            applied[:, ids] = np.clip(computed[:, ids], low, high)
        return computed, applied


def ask(robot: Articulation, rng: np.random.Generator) -> np.ndarray:
    """Ask for random positions, velocities and efforts; (3, rows, joints)."""
    base = host(robot.data.default_joint_pos)
    wanted = np.array([base + rng.uniform(-0.3, 0.3, base.shape), *rng.uniform(-2, 2, (2, *base.shape))], "float32")
    robot.set_joint_position_target(wanted[0])
    robot.set_joint_velocity_target(wanted[1])
    robot.set_joint_effort_target(wanted[2])
    return wanted.astype(float)


def test_every_model_over_time(robots: Any, device: str, api: str) -> None:
    sim, robot = robots(legs())
    assert robot.num_instances == ROWS
    assert (robot._driver is None) == (device != "cpu" and api == "numpy")  # NumPy cannot look at a GPU's memory
    rng, reference, limited = np.random.default_rng(3), Reference(robot), 0
    robot.write_joint_velocity_to_sim(rng.uniform(-8, 8, (ROWS, JOINTS)))
    idle = robot.find_joints("RR_hip_joint")[0]
    implicit = reference.ids["implicit"]
    for step in range(8):
        wanted = ask(robot, rng)
        computed, applied = reference.efforts(wanted)
        robot.write_data_to_sim()
        np.testing.assert_allclose(host(robot.data.computed_torque), computed, rtol=1e-5, atol=2e-5)
        np.testing.assert_allclose(host(robot.data.applied_torque), applied, rtol=1e-5, atol=2e-5)
        for name, ids in reference.ids.items():
            model = robot.actuators[name]
            np.testing.assert_array_equal(host(model.computed_effort), host(robot.data.computed_torque)[:, ids])
            np.testing.assert_array_equal(host(model.applied_effort), host(robot.data.applied_torque)[:, ids])
        given = host(robot.root_physx_view.get_dof_actuation_forces())
        expected = host(robot.data.applied_torque).copy()
        expected[:, implicit] = wanted[2][:, implicit]
        np.testing.assert_array_equal(given, expected)
        assert not given[:, idle].any()
        targets = robot.root_physx_view
        np.testing.assert_array_equal(host(targets.get_dof_position_targets()), np.float32(wanted[0]))
        np.testing.assert_array_equal(host(targets.get_dof_velocity_targets()), np.float32(wanted[1]))
        limited += int((np.abs(computed - applied) > 1e-3).sum())
        sim.step()
        robot.update(0.005)
        if step == 4:
            robot.reset([1, 4])
            reference.forget([1, 4])
    assert limited > 50
    lags = {int(lag) for lag in host(robot.actuators["late"].positions_delay_buffer.time_lags)}
    assert len(lags) > 1  # so that rows differ


def test_arrays_that_users_put_in_place_count(robots: Any, give: Any) -> None:
    """Gains written into or replaced, targets replaced, lags set: as with models that compute by themselves."""
    _, robot = robots(legs())
    reference = Reference(robot)
    ideal, late = robot.actuators["ideal"], robot.actuators["late"]
    ideal.stiffness[:] = 20.0
    ideal.damping = give(np.full((ROWS, 3), 0.25, "float32"))
    ideal.effort_limit = 5.0
    reference.gains["ideal"] = (20.0, 0.25, 5.0)
    wanted = ask(robot, np.random.default_rng(5))
    robot.data.joint_pos_target = give(np.float32(wanted[0] + 0.1))
    wanted[0] = np.float32(wanted[0] + 0.1)
    late.velocities_delay_buffer.set_time_lag(2)
    for _ in range(3):
        computed, applied = reference.efforts(wanted)
        robot.write_data_to_sim()
        np.testing.assert_allclose(host(robot.data.applied_torque), applied, rtol=1e-5, atol=2e-5)
        np.testing.assert_allclose(host(robot.data.computed_torque), computed, rtol=1e-5, atol=2e-5)
    mine = late.compute(
        ArticulationActions(*(array(np.zeros((ROWS, 3), "float32"), robot.device) for _ in range(3))),
        robot.data.joint_pos[:, :3],
        robot.data.joint_vel[:, :3],
    )  # between steps, by hand: it counts as a step
    assert tuple(mine.joint_efforts.shape) == (ROWS, 3)
    _ = reference.late("late", np.zeros((3, ROWS, 3)))
    _, applied = reference.efforts(wanted)
    robot.write_data_to_sim()
    np.testing.assert_allclose(host(robot.data.applied_torque), applied, rtol=1e-5, atol=2e-5)


class Weak(actuators.IdealPDActuator):
    """A law of a user's own."""

    def _clip_effort(self, effort: Any) -> Any:
        return 0.5 * super()._clip_effort(effort)


def test_models_of_users_have_their_own_law(robots: Any) -> None:
    models = {"all": actuators.IdealPDActuatorCfg(joint_names_expr=[".*"], class_type=Weak, **GAINS)}
    _, robot = robots(models)
    assert robot._driver is None
    wanted = ask(robot, np.random.default_rng(6))
    robot.write_data_to_sim()
    expected = wanted[2] + 30.0 * (wanted[0] - host(robot.data.joint_pos)) + 0.5 * wanted[1]
    np.testing.assert_allclose(host(robot.data.computed_torque), expected, rtol=1e-5, atol=2e-5)
    given = host(robot.root_physx_view.get_dof_actuation_forces())
    np.testing.assert_allclose(given, 0.5 * np.clip(expected, -9, 9), rtol=1e-5, atol=2e-5)


def test_joints_of_a_group_are_an_array(robots: Any, api: str, device: str) -> None:
    """Isaac Lab's term that randomises gains of some joints looks for them among each group's, as arrays."""
    _, robot = robots(legs())
    all_of = []
    for model in robot.actuators.values():
        ids = model.joint_indices
        assert arrays.api_of(ids) == api and str(ids.dtype).rpartition(".")[2] == "int64"
        numbers = [int(i) for i in ids]
        assert [robot.joint_names[i] for i in numbers] == model.joint_names and str(numbers) in str(model)
        all_of += numbers
        if api == "torch":
            import torch

            wanted = torch.tensor(numbers[-1:], device=device)
            assert torch.nonzero(torch.isin(ids, wanted)).view(-1).tolist() == [len(numbers) - 1]
        robot.write_joint_stiffness_to_sim(2.0 * model.stiffness[1:2], joint_ids=ids, env_ids=[1])
    undriven = robot.joint_names.index("RR_hip_joint")
    assert sorted(all_of) == [i for i in range(len(robot.joint_names)) if i != undriven]
    models = {"all": actuators.IdealPDActuatorCfg(joint_names_expr=[".*"], **GAINS)}
    assert robots(models)[1].actuators["all"].joint_indices == slice(None)


def test_of_two_models_of_a_joint_the_later_counts(robots: Any, caplog: pytest.LogCaptureFixture) -> None:
    """As in Isaac Lab, whose users write an expression for all joints and then one for wheels."""
    whole = actuators.IdealPDActuatorCfg(joint_names_expr=[".*"], **GAINS)
    hips = {**GAINS, "stiffness": 5.0, "damping": 0.25}
    models = {
        "all": whole,
        "hips": actuators.IdealPDActuatorCfg(joint_names_expr=["F._hip_joint"], **hips),
        "held": actuators.ImplicitActuatorCfg(joint_names_expr=["RL_calf_joint"], stiffness=7.0, damping=2.0),
    }
    _, robot = robots(models)
    assert "'all' and 'hips' both drive FL_hip_joint, FR_hip_joint" in caplog.text
    wanted = ask(robot, np.random.default_rng(8))
    robot.write_data_to_sim()
    late = [robot.joint_names.index(name) for name in ("FL_hip_joint", "FR_hip_joint")]
    held = robot.joint_names.index("RL_calf_joint")
    stiffness, damping = np.full(len(robot.joint_names), GAINS["stiffness"]), np.full(len(robot.joint_names), 0.5)
    stiffness[late], damping[late] = 5.0, 0.25
    expected = wanted[2] + stiffness * (wanted[0] - host(robot.data.joint_pos)) + damping * wanted[1]
    given = host(robot.root_physx_view.get_dof_actuation_forces())
    apart = np.arange(len(robot.joint_names)) != held
    limit = GAINS["effort_limit"]
    np.testing.assert_allclose(given[:, apart], np.clip(expected, -limit, limit)[:, apart], rtol=1e-5, atol=2e-5)
    sim = host(robot.root_physx_view.get_dof_stiffnesses())
    assert (sim[:, held] == 7.0).all() and not sim[:, apart].any()


def test_efforts_that_are_none_are_told(robots: Any, device: str) -> None:
    if device != "cpu":
        pytest.skip("on a GPU nothing waits for numbers; the environment is frozen and told of instead")
    _, robot = robots(legs())
    robot.set_joint_effort_target(float("nan"), joint_ids=robot.find_joints("FL_hip_joint")[0], env_ids=[2])
    with pytest.raises(ValueError, match="efforts of actuators are not finite in row 2"):
        robot.write_data_to_sim()


def test_networks_get_what_they_would_compute_from(robots: Any, network_files: Any, device: str) -> None:
    """Efforts are to the bit those of the same models by themselves, also after a reset of some robots."""
    past: dict[str, Any] = {"pos_scale": 1.0, "vel_scale": 0.5, "torque_scale": 3.0, "input_order": "pos_vel"}
    more: dict[str, Any] = {"effort_limit": 9.0, **MOTOR}
    models = {
        "recurrent": actuators.ActuatorNetLSTMCfg(
            joint_names_expr=["(FR|RL)_thigh_joint", "RL_calf_joint"], network_file=str(network_files["lstm"]), **more
        ),
        "plain": actuators.ActuatorNetMLPCfg(
            joint_names_expr=["F._calf_joint"], network_file=str(network_files["mlp"]), input_idx=[0, 2], **past, **more
        ),
        "implicit": actuators.ImplicitActuatorCfg(joint_names_expr=[".*_hip_joint"], **IMPLICIT),
    }
    sim, robot = robots(models)
    if device != "cpu" and arrays.array_api(device) != "torch":
        pytest.skip("networks are torch's: on a GPU kernels drive them where users' arrays are torch's, too")
    assert robot._driver is not None, "kernels drive it"
    alone = {}
    for name in ("recurrent", "plain"):
        cfg, ids = models[name], [int(i) for i in robot.actuators[name].joint_indices]
        alone[name] = cfg.class_type(cfg, robot.actuators[name].joint_names, ids, ROWS, device)
    rng = np.random.default_rng(5)
    applied = []
    for step in range(12):
        if step == 6:
            robot.reset([1, 4])
            for model in alone.values():
                model.reset([1, 4])
        wanted = array(rng.normal(0.0, 1.0, (ROWS, JOINTS)).astype("float32"), device)
        robot.set_joint_position_target(wanted)
        robot.write_data_to_sim()
        for name, model in alone.items():
            ids = model.joint_indices
            asked = ArticulationActions(wanted[:, ids], wanted[:, ids], wanted[:, ids])
            model.compute(asked, robot.data.joint_pos[:, ids], robot.data.joint_vel[:, ids])
            for of_all, own in (("computed_torque", "computed_effort"), ("applied_torque", "applied_effort")):
                found, expected = host(getattr(robot.data, of_all))[:, ids], host(getattr(model, own))
                np.testing.assert_array_equal(found, expected, err_msg=f"{name} {own} {step}")
                np.testing.assert_array_equal(host(getattr(robot.actuators[name], own)), expected)
        applied.append(host(robot.data.applied_torque).copy())
        sim.step()
        robot.update(sim.get_physics_dt())
    assert (np.ptp(applied, 0)[:, alone["plain"].joint_indices] > 0.5).all(), "networks answer to what they see"
