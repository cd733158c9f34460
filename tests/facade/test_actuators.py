"""Actuator models against their formulas, joint by joint in plain Python, under every array API."""

from __future__ import annotations

import inspect
import json
import logging
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from facade.compare import get

from phalanx.facade.isaaclab import actuators
from phalanx.facade.isaaclab.utils import ArticulationActions
from phalanx.facade.namespaces import array

SHAPES = json.loads((Path(__file__).parent / "documented_shapes.json").read_text())["ActuatorBase"]
ENVS = 5
JOINTS = ["left_hip", "left_knee", "right_hip", "right_knee"]
SHAPE = (ENVS, len(JOINTS))
LIMITS = [8.0, 4.0, 8.0, 4.0]
SPEEDS = [6.0, 12.0, 6.0, 12.0]
GAINS: dict[str, Any] = {
    "joint_names_expr": [".*"],
    "stiffness": {".*_hip": 20.0, ".*_knee": 10.0},
    "damping": 0.5,
    "effort_limit": {".*_hip": 8.0, ".*_knee": 4.0},
    "velocity_limit": {".*_hip": 6.0, ".*_knee": 12.0},
}
TABLE = [[-1.0, 1.0, 2.0], [0.0, 1.5, 6.0], [0.5, 1.2, 3.0], [2.0, 1.0, 1.0]]


def make(cfg: Any, device: str, **file: Any) -> Any:
    """The model of a configuration on all joints."""
    return cfg.class_type(cfg, JOINTS, slice(None), ENVS, device, **file)


def random(seed: int, scale: float = 1.0) -> np.ndarray:
    return (np.random.default_rng(seed).normal(size=SHAPE) * scale).astype("float32")


def act(model: Any, device: str, seed: int = 0) -> tuple[dict[str, np.ndarray], Any]:
    """Random input for a model, and what it makes of it."""
    given = {name: random(seed * 10 + i, scale) for i, (name, scale) in enumerate(
        {"pos": 0.5, "vel": 5.0, "ff": 2.0, "q": 0.8, "qd": 8.0}.items()
    )}  # fmt: skip
    action = ArticulationActions(*(array(given[name], device) for name in ("pos", "vel", "ff")))
    return given, model.compute(action, array(given["q"], device), array(given["qd"], device))


def expected_efforts(given: dict[str, np.ndarray]) -> np.ndarray:
    """Efforts of the law before limits, joint by joint."""
    found = np.zeros(SHAPE)
    for e in range(ENVS):
        for j, stiffness in enumerate([20.0, 10.0, 20.0, 10.0]):
            error = float(given["pos"][e, j]) - float(given["q"][e, j])
            slip = float(given["vel"][e, j]) - float(given["qd"][e, j])
            found[e, j] = stiffness * error + 0.5 * slip + float(given["ff"][e, j])
    return found


def near(found: Any, expected: np.ndarray) -> bool:
    return get(found).shape == expected.shape and bool(np.allclose(get(found), expected, rtol=1e-5, atol=1e-5))


# -- laws ------------------------------------------------------------------------------------------------------------


def test_ideal_actuators(api, device):
    model = make(actuators.IdealPDActuatorCfg(**GAINS), device)
    limited = 0
    for seed in range(5):
        given, action = act(model, device, seed)
        computed = expected_efforts(given)
        assert near(model.computed_effort, computed)
        assert near(model.applied_effort, np.clip(computed, -np.array(LIMITS), LIMITS))
        assert action.joint_efforts is model.applied_effort
        assert action.joint_positions is None and action.joint_velocities is None
        limited += int((np.abs(computed) > LIMITS).sum())
    assert 20 < limited < 80
    assert not model.is_implicit_model and get(model.effort_limit_sim).min() >= 1e9


def test_implicit_actuators_hand_actions_on(api, device):
    model = make(actuators.ImplicitActuatorCfg(**GAINS), device)
    given, action = act(model, device)
    for name, value in (("joint_positions", "pos"), ("joint_velocities", "vel"), ("joint_efforts", "ff")):
        assert (get(getattr(action, name)) == given[value]).all()
    computed = expected_efforts(given)
    assert near(model.computed_effort, computed)
    assert near(model.applied_effort, np.clip(computed, -np.array(LIMITS), LIMITS))
    assert model.is_implicit_model and get(model.effort_limit_sim)[0].tolist() == LIMITS
    model.reset([0])
    model.reset(env_ids=None)


def motor_range(speed: float, saturation: float, limit: float, fastest: float) -> tuple[float, float]:
    """Least and greatest effort; beyond the speed at which the line of the stall torque meets the limit, it stays."""
    corner = fastest * (1.0 + limit / saturation)
    speed = min(max(speed, -corner), corner)
    highest = min(saturation * (1.0 - speed / fastest), limit)
    lowest = max(saturation * (-1.0 - speed / fastest), -limit)
    return lowest, highest


@pytest.mark.parametrize("saturation", [10.0, {".*_hip": 12.0, ".*_knee": 5.0}])
def test_dc_motors(api, device, saturation):
    model = make(actuators.DCMotorCfg(**GAINS, saturation_effort=saturation), device)
    peaks = [10.0] * 4 if isinstance(saturation, float) else [12.0, 5.0, 12.0, 5.0]
    for seed in range(5):
        given, action = act(model, device, seed)
        expected = expected_efforts(given)
        assert near(model.computed_effort, expected)
        for e in range(ENVS):
            for j in range(4):
                low, high = motor_range(float(given["qd"][e, j]), peaks[j], LIMITS[j], SPEEDS[j])
                expected[e, j] = min(max(expected[e, j], low), high)
        assert near(model.applied_effort, expected) and near(action.joint_efforts, expected)


def test_dc_motors_at_their_corners(api, device):
    model = make(actuators.DCMotorCfg(
        joint_names_expr=[".*"], stiffness=0.0, damping=0.0, effort_limit=6.0, velocity_limit=10.0,
        saturation_effort=12.0,
    ), device)  # fmt: skip
    for speed, low, high in [
        (0, -6, 6),
        (5, -6, 6),
        (7.5, -6, 3),
        (10, -6, 0),
        (12.5, -6, -3),
        (15, -6, -6),
        (20, -6, -6),
        (-7.5, -3, 6),
        (-10, 0, 6),
        (-12.5, 3, 6),
        (-20, 6, 6),
    ]:
        for push, expected in ((100.0, high), (-100.0, low)):
            action = ArticulationActions(joint_efforts=array(np.full(SHAPE, push, "float32"), device))
            model.compute(action, array(np.zeros(SHAPE, "float32"), device), array(np.full(SHAPE, speed), device))
            assert (get(model.applied_effort) == expected).all()
    unlimited = make(actuators.DCMotorCfg(**GAINS, saturation_effort=math.inf), device)
    given, _ = act(unlimited, device)
    assert near(unlimited.applied_effort, np.clip(expected_efforts(given), -np.array(LIMITS), LIMITS))


def test_linkages_limit_efforts_by_angle(api, device):
    model = make(actuators.RemotizedPDActuatorCfg(**GAINS, joint_parameter_lookup=TABLE), device)
    for seed in range(3):
        given, action = act(model, device, seed)
        computed = expected_efforts(given)
        limit = np.interp(given["q"], [row[0] for row in TABLE], [row[2] for row in TABLE])
        assert near(model.computed_effort, computed)
        assert near(action.joint_efforts, np.clip(computed, -limit, limit))
        assert near(model.applied_effort, np.clip(computed, -limit, limit))
    assert get(model.angle_samples).tolist() == [-1.0, 0.0, 0.5, 2.0]
    assert get(model.transmission_ratio_samples).tolist() == [1.0, 1.5, np.float32(1.2), 1.0]
    assert get(model.max_torque_samples).tolist() == [2.0, 6.0, 3.0, 1.0]
    assert np.isinf(get(model.effort_limit)).all() and model.cfg.effort_limit == GAINS["effort_limit"]


@pytest.mark.parametrize("missing", ["joint_positions", "joint_velocities", "joint_efforts"])
def test_a_target_that_is_not_given_takes_its_term_along(api, device, missing):
    model = make(actuators.IdealPDActuatorCfg(**GAINS), device)
    given, _ = act(model, device)
    targets = {"joint_positions": "pos", "joint_velocities": "vel", "joint_efforts": "ff"}
    action = ArticulationActions(**{k: array(given[v], device) for k, v in targets.items() if k != missing})
    model.compute(action, array(given["q"], device), array(given["qd"], device))
    given[targets[missing]] = {"joint_positions": given["q"], "joint_velocities": given["qd"]}.get(
        missing, 0 * given["q"]
    )
    assert near(model.computed_effort, expected_efforts(given))


# -- delays ----------------------------------------------------------------------------------------------------------


def delayed(device: str, **delays: Any) -> Any:
    """A model whose computed effort is the position target, late."""
    cfg = actuators.DelayedPDActuatorCfg(joint_names_expr=[".*"], stiffness=1.0, damping=0.0, **delays)
    return make(cfg, device)


def follow(model: Any, device: str, steps: range) -> np.ndarray:
    """Computed efforts, (steps, num_envs), while the target counts steps."""
    zero = array(np.zeros(SHAPE, "float32"), device)
    found = []
    for t in steps:
        model.compute(ArticulationActions(array(np.full(SHAPE, t, "float32"), device)), zero, zero)
        found.append(get(model.computed_effort)[:, 0].copy())
    return np.array(found)


def test_targets_come_late(api, device):
    model = delayed(device, min_delay=2, max_delay=2)
    assert (follow(model, device, range(6)) == np.array([0, 0, 0, 1, 2, 3])[:, None]).all()


def test_delays_are_drawn_at_resets_and_others_go_on(api, device):
    model = delayed(device, min_delay=0, max_delay=4)
    before = get(model.positions_delay_buffer.time_lags).copy()
    first = follow(model, device, range(10))
    assert (first == np.maximum(np.arange(10)[:, None] - before, 0)).all()
    seen = set()
    for _ in range(20):
        model.reset([1, 3])
        seen |= {tuple(get(b.time_lags)[[1, 3]]) for b in (model.velocities_delay_buffer, model.efforts_delay_buffer)}
    after = get(model.positions_delay_buffer.time_lags).copy()
    assert (after[[0, 2, 4]] == before[[0, 2, 4]]).all()
    assert len(seen) > 5 and {lag for pair in seen for lag in pair} == {0, 1, 2, 3, 4}
    oldest = np.array([0, 10, 0, 10, 0])  # the others have targets from before
    second = follow(model, device, range(10, 18))
    assert (second == np.maximum(np.arange(10, 18)[:, None] - after, oldest)).all()
    model.reset([])
    assert (get(model.positions_delay_buffer.time_lags) == after).all()


@pytest.mark.parametrize("kind", ["DelayedPDActuatorCfg", "RemotizedPDActuatorCfg"])
def test_a_delay_of_zero_is_the_ideal_actuator(api, device, kind):
    table = {"joint_parameter_lookup": [[0.0, 1.0, 1e6], [1.0, 1.0, 1e6]]} if kind.startswith("R") else {}
    model = make(getattr(actuators, kind)(**GAINS, **table), device)
    for seed in range(3):
        given, _ = act(model, device, seed)
        limits = np.array(LIMITS) if not table else np.inf
        assert near(model.applied_effort, np.clip(expected_efforts(given), -limits, limits))


# -- parameters ------------------------------------------------------------------------------------------------------

PARAMETERS = ["stiffness", "damping", "armature", "friction", "dynamic_friction", "viscous_friction"]


@pytest.mark.parametrize("name", [*PARAMETERS, "effort_limit", "velocity_limit"])
def test_every_parameter_in_every_form(api, device, name):
    basis: Any = {"joint_names_expr": [".*"], "stiffness": 1.0, "damping": 1.0}
    by_joint = {"left_.*": 1.5, "right_hip": 2.5, "right_knee": 3}
    for configured, expected in ((2, [2.0] * 4), (0.5, [0.5] * 4), (by_joint, [1.5, 1.5, 2.5, 3.0])):
        model = make(actuators.IdealPDActuatorCfg(**basis | {name: configured}), device)
        found = getattr(model, name)
        assert get(found).tolist() == [expected] * ENVS and get(found).dtype == np.float32
    file = random(7, 1.0)
    for given, expected in ((file, file), (array(file, device), file), (4.0, np.full(SHAPE, 4.0))):
        model = make(actuators.IdealPDActuatorCfg(**basis | {name: None}), device, **{name: given})
        assert (get(getattr(model, name)) == expected).all()
    given = array(file.copy(), device)
    model = make(actuators.IdealPDActuatorCfg(**basis | {name: None}), device, **{name: given})
    getattr(model, name)[0, 0] = 77.0
    assert float(given[0, 0]) == file[0, 0]
    default = get(getattr(make(actuators.IdealPDActuatorCfg(**basis | {name: None}), device), name))
    assert (default == (math.inf if name.endswith("limit") else 0.0)).all()


@pytest.mark.parametrize("name", PARAMETERS)
def test_joints_that_no_expression_matches_have_none(name, device):
    basis: Any = {"joint_names_expr": [".*"], "stiffness": 1.0, "damping": 1.0}
    model = make(actuators.IdealPDActuatorCfg(**basis | {name: {".*_hip": 3.0}}), device, **{name: 9.0})
    assert get(getattr(model, name))[0].tolist() == [3.0, 0.0, 3.0, 0.0]


def test_limits_of_explicit_models_and_of_the_simulation(device):
    basis: Any = {"joint_names_expr": [".*"], "stiffness": 1.0, "damping": 1.0}
    file: Any = {"effort_limit": 30.0, "velocity_limit": 20.0}
    cases: list[tuple[dict[str, Any], list[float]]] = [
        ({}, [30.0, 1e9, 20.0, 20.0]),
        ({"effort_limit": 5.0, "velocity_limit": 3.0}, [5.0, 1e9, 3.0, 20.0]),
        ({"effort_limit_sim": 50.0, "velocity_limit_sim": 40.0}, [30.0, 50.0, 40.0, 40.0]),
        ({"effort_limit": 5.0, "effort_limit_sim": 50.0}, [5.0, 50.0, 20.0, 20.0]),
    ]
    for limits, expected in cases:
        model = make(actuators.IdealPDActuatorCfg(**basis, **limits), device, **file)
        names = ("effort_limit", "effort_limit_sim", "velocity_limit", "velocity_limit_sim")
        assert [float(getattr(model, name)[0, 0]) for name in names] == expected


def test_limits_of_implicit_models_are_those_of_the_simulation(caplog, device):
    basis: Any = {"joint_names_expr": [".*"], "stiffness": 1.0, "damping": 1.0}
    file: Any = {"effort_limit": 30.0, "velocity_limit": 20.0}
    cases: list[tuple[dict[str, Any], list[float]]] = [
        ({}, [30.0, 30.0, 20.0, 20.0]),
        ({"effort_limit": 5.0}, [5.0, 5.0, 20.0, 20.0]),
        ({"effort_limit_sim": 6.0, "velocity_limit_sim": 7.0}, [6.0, 6.0, 7.0, 7.0]),
        ({"effort_limit": 5.0, "effort_limit_sim": 5.0}, [5.0, 5.0, 20.0, 20.0]),
    ]
    names = ("effort_limit", "effort_limit_sim", "velocity_limit", "velocity_limit_sim")
    with caplog.at_level(logging.WARNING):
        for limits, expected in cases:
            model = make(actuators.ImplicitActuatorCfg(**basis, **limits), device, **file)
            assert [float(getattr(model, name)[0, 0]) for name in names] == expected
            told = model.cfg
            assert told.effort_limit == told.effort_limit_sim == (expected[0] if "effort" in str(limits) else None)
            assert told.velocity_limit == told.velocity_limit_sim == limits.get("velocity_limit_sim")
        assert not caplog.records
        model = make(actuators.ImplicitActuatorCfg(**basis, velocity_limit=3.0), device, **file)
    assert [float(getattr(model, name)[0, 0]) for name in names[2:]] == [20.0, 20.0]
    assert model.cfg.velocity_limit is None
    assert "velocity_limit has no effect in an implicit model" in caplog.text
    for kind in ("effort_limit", "velocity_limit"):
        with pytest.raises(ValueError, match=f"both {kind}=1.0 and {kind}_sim=2.0, which differ"):
            make(actuators.ImplicitActuatorCfg(**basis | {kind: 1.0, f"{kind}_sim": 2.0}), device)


def test_what_a_model_says_of_itself(device):
    cfg = actuators.IdealPDActuatorCfg(joint_names_expr=["left_.*"], stiffness=1.0, damping=1.0)
    model = cfg.class_type(cfg, ["left_hip", "left_knee"], [0, 1], 3, device)
    assert model.num_joints == 2 and model.joint_names == ["left_hip", "left_knee"] and model.joint_indices == [0, 1]
    assert str(model) == "<class IdealPDActuator> of 2 joints (joints [0, 1]): left_hip, left_knee"
    assert make(actuators.ImplicitActuatorCfg(**GAINS), device).joint_indices == slice(None)


@pytest.mark.parametrize("count", [1, 7])
@pytest.mark.parametrize(("kind", "more"), [
    ("ImplicitActuator", {}), ("IdealPDActuator", {}), ("DCMotor", {"saturation_effort": 9.0}),
    ("DelayedPDActuator", {}), ("RemotizedPDActuator", {"joint_parameter_lookup": TABLE}),
])  # fmt: skip
def test_shapes_are_the_documented_ones(kind, more, count, api, device):
    cfg = getattr(actuators, f"{kind}Cfg")(**GAINS, **more)
    model = cfg.class_type(cfg, JOINTS, slice(None), count, device)
    given = [array(np.zeros((count, len(JOINTS)), "float32"), device) for _ in range(5)]
    action = model.compute(ArticulationActions(*given[:3]), *given[3:])
    sizes = {"num_envs": count, "num_joints": len(JOINTS)}
    for name, shape in SHAPES.items():
        assert tuple(getattr(model, name).shape) == tuple(sizes[n] for n in shape), name
    assert tuple(action.joint_efforts.shape) == (count, len(JOINTS))


@pytest.mark.parametrize(
    ("kind", "changes", "file", "error", "message"),
    [
        ("IdealPD", {"stiffness": {"hip": 1.0}}, {}, ValueError, "'hip' match none of left_hip"),
        ("IdealPD", {"stiffness": {".*": 1.0, ".*_hip": 2.0}}, {}, ValueError, "Multiple matches for 'left_hip'"),
        ("IdealPD", {"effort_limit": {".*_hip": 1.0}}, {}, ValueError, "there is none for left_knee, right_knee"),
        ("IdealPD", {"stiffness": "stiff"}, {}, TypeError, "stiffness of IdealPDActuator on joints left_hip"),
        ("IdealPD", {"damping": [1.0]}, {}, TypeError, "must be a number, or a dictionary"),
        ("IdealPD", {"armature": None}, {"armature": np.zeros(4)}, ValueError, r"shape \(4,\) must be \(5, 4\)"),
        (
            "DCMotor",
            {"velocity_limit": None, "saturation_effort": 1.0},
            {},
            ValueError,
            "velocity limit must be provided",
        ),
        ("DCMotor", {}, {}, TypeError, "saturation_effort of DCMotor on joints .* is MISSING"),
        ("DelayedPD", {"min_delay": 3, "max_delay": 2}, {}, ValueError, "min_delay=3 and max_delay=2 must be 0 <= min"),
        ("DelayedPD", {"min_delay": -1}, {}, ValueError, "min_delay=-1"),
        ("RemotizedPD", {"joint_parameter_lookup": [[0.0, 1.0]]}, {}, ValueError, r"\(1, 2\) must be \(num_lookup"),
        ("RemotizedPD", {"joint_parameter_lookup": TABLE[::-1]}, {}, ValueError, "x must increase"),
    ],
)
def test_wrong_configurations_are_told(kind, changes, file, error, message, device):
    name = f"{kind}Cfg" if kind == "DCMotor" else f"{kind}ActuatorCfg"
    with pytest.raises(error, match=message):
        make(getattr(actuators, name)(**GAINS | changes), device, **file)


@pytest.mark.parametrize("wrong", ["joint_positions", "joint_velocities", "joint_efforts", "joint_pos", "joint_vel"])
@pytest.mark.parametrize("kind", ["Implicit", "IdealPD", "DCMotor", "DelayedPD"])
def test_wrong_shapes_are_told(kind, wrong, device):
    cfg = getattr(actuators, f"{kind}Cfg" if kind == "DCMotor" else f"{kind}ActuatorCfg")(**GAINS)
    cfg.saturation_effort = 9.0
    model = make(cfg, device)
    names = ("joint_positions", "joint_velocities", "joint_efforts", "joint_pos", "joint_vel")
    values = {name: array(np.zeros(SHAPE if name != wrong else SHAPE[::-1], "float32"), device) for name in names}
    q, qd = values.pop("joint_pos"), values.pop("joint_vel")
    with pytest.raises(ValueError, match=rf"{wrong} for {model.__class__.__name__} .* shape \(4, 5\) must be \(5, 4\)"):
        model.compute(ArticulationActions(**values), q, qd)


def test_configurations_go_to_dictionaries_and_back():
    cfg: Any = actuators.DCMotorCfg(**GAINS, saturation_effort=9.0)
    other: Any = actuators.DCMotorCfg(joint_names_expr=["a"], stiffness={}, damping=1.0)
    other.from_dict(cfg.to_dict())
    assert other == cfg and other.class_type is actuators.DCMotor
    with pytest.raises(TypeError, match="joint_names_expr"):
        actuators.DCMotorCfg().validate()  # pyright: ignore[reportAttributeAccessIssue]


@pytest.mark.parametrize("kind", ["DCMotor", "DelayedPDActuator", "RemotizedPDActuator"])
def test_models_show_the_parameters_that_they_take(kind):
    """Also those that hand them on."""
    shown = inspect.signature(getattr(actuators, kind).__init__)
    assert shown == inspect.signature(actuators.ActuatorBase.__init__) and "joint_names" in shown.parameters
