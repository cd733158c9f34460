"""Thrusters: a lag with its own time constants for rise and fall, against a reference in NumPy; wrong use."""

from __future__ import annotations

import itertools
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from oracles import host as get

from phalanx.facade.isaaclab_contrib.actuators import Thruster, ThrusterCfg
from phalanx.facade.isaaclab_contrib.utils.types import MultiRotorActions

ENVS, ROTORS, DT = 7, 3, 0.01
NAMES = ["a", "b", "c"]
MODES = [
    {"use_rps": rps, "use_discrete_approximation": discrete, "integration_scheme": scheme, "target_unit": unit}
    for rps, discrete, scheme, unit in itertools.product((True, False), (True, False), ("rk4", "euler"), ("N", "rps"))
]


def cfg(**more: Any) -> ThrusterCfg:
    given = {
        "thruster_names_expr": [".*"],
        "dt": DT,
        "thrust_range": (-1.0, 6.0),
        "tau_inc_range": (0.02, 0.05),
        "tau_dec_range": (0.05, 0.2),
        "thrust_const_range": (1e-4, 4e-4),
        "max_thrust_rate": 60.0,
    }
    return ThrusterCfg(**(given | more))


def make(device: str, rps: Any = 100.0, **more: Any) -> Thruster:
    speeds = np.full((ENVS, ROTORS), rps, np.float32)
    return Thruster(cfg(**more), NAMES, slice(None), ENVS, device, speeds)


def one_step(model: Thruster, thrust: np.ndarray, target: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Thrusts a step later without and with limits: explicit stages in rev/s or N, in float64."""
    c, k = model.cfg, get(model.thrust_const).astype(float)
    speed = lambda f: np.sign(f) * np.sqrt(np.abs(f) / k)  # noqa: E731
    if c.target_unit == "rps":
        target = k * target * np.abs(target)

    def lag(goal: np.ndarray) -> np.ndarray:
        x, to = (speed(thrust), speed(goal)) if c.use_rps else (thrust, goal)
        tau = np.where((to - x) * np.sign(x) < 0, get(model.tau_dec), get(model.tau_inc)).astype(float)
        rate = lambda y: (to - y) / (tau + DT if c.use_discrete_approximation else tau)  # noqa: E731
        k1 = rate(x)
        if c.integration_scheme == "euler":
            x = x + DT * k1
        else:
            k2 = rate(x + DT / 2 * k1)
            k3 = rate(x + DT / 2 * k2)
            x = x + DT / 6 * (k1 + 2 * k2 + 2 * k3 + rate(x + DT * k3))
        return k * x * np.abs(x) if c.use_rps else x

    low, high = c.thrust_range
    moved = thrust + np.clip(lag(np.clip(target, low, high)) - thrust, -c.max_thrust_rate * DT, c.max_thrust_rate * DT)
    return lag(target), np.clip(moved, low, high)


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: "-".join(str(value) for value in mode.values()))
def test_against_explicit_stages(mode: dict[str, Any], api: str, device: str, give: Any) -> None:
    """Random targets, many out of reach, and resets of single environments at random; 0.6 N a step at most."""
    model, rng = make(device, **mode), np.random.default_rng(3)
    thrust, limited = get(model.applied_thrust).astype(float), 0
    for n in range(60):
        if n % 6 == 0:
            target = rng.uniform(-3, 9, (ENVS, ROTORS)) * (25.0 if mode["target_unit"] == "rps" else 1.0)
        if n % 17 == 16:
            one, others = int(rng.integers(ENVS)), np.arange(ENVS)
            others = others[others != one]
            before = {name: get(getattr(model, name)).copy() for name in ("thrust_const", "tau_inc", "tau_dec")}
            model.reset_idx([one])
            for name, old in before.items():
                np.testing.assert_array_equal(get(getattr(model, name))[others], old[others])
                assert (get(getattr(model, name))[one] != old[one]).all(), name
            thrust[one] = np.clip(1e4 * get(model.thrust_const)[one], -1.0, 6.0)
        action = MultiRotorActions(give(target.astype(np.float32)), slice(None))
        found = model.compute(action)
        computed, wanted = one_step(model, thrust, target.astype(np.float32).astype(float))
        np.testing.assert_allclose(get(model.computed_thrust), computed, rtol=2e-4, atol=2e-5)
        np.testing.assert_allclose(get(found.thrusts), wanted, rtol=1e-4, atol=2e-5)
        np.testing.assert_array_equal(get(found.thrusts), get(model.applied_thrust))
        limited += int((np.abs(np.abs(wanted - thrust) - 0.6) < 1e-9).sum())
        thrust = get(model.applied_thrust).astype(float)
    assert found is action and limited > 20


def test_rise_and_fall_are_exponential(api: str, device: str, give: Any) -> None:
    """Of thrust, integrated to fourth order without approximation: 1 - exp(-t/tau), to 1e-4."""
    more = {"use_rps": False, "use_discrete_approximation": False, "max_thrust_rate": 1e5, "tau_inc_range": None}
    more |= {"tau_dec_range": None, "rise_time_constant": 0.04, "fall_time_constant": 0.08, "thrust_range": (0.0, 9.0)}
    model = make(device, 0.0, **more)
    for target, start, tau in ((5.0, 0.0, 0.04), (2.0, 5.0, 0.08)):
        for _ in range(60):
            model.compute(MultiRotorActions(give(np.full((ENVS, ROTORS), target, np.float32))))
        wanted = target + (start - target) * np.exp(-60 * DT / tau)
        np.testing.assert_allclose(get(model.applied_thrust), wanted, atol=1e-4)
        model.applied_thrust[:] = target
    model.reset([0])
    assert not get(model.applied_thrust)[0].any() and (get(model.applied_thrust)[1:] == 2.0).all()


def test_drawn_parameters_and_first_thrust(api: str, device: str) -> None:
    model = make(device, [[50.0, 100.0, 300.0]])
    for name, low, high in (("thrust_const", 1e-4, 4e-4), ("tau_inc", 0.02, 0.05), ("tau_dec", 0.05, 0.2)):
        drawn = get(getattr(model, name))
        assert low <= drawn.min() < low + 0.3 * (high - low) and high - 0.3 * (high - low) < drawn.max() <= high, name
    thrust = np.clip(get(model.thrust_const) * [[2500.0, 1e4, 9e4]], -1.0, 6.0)
    np.testing.assert_allclose(get(model.applied_thrust), thrust, rtol=1e-6)
    assert model.num_thrusters == 3 and model.thruster_names == NAMES and model.thruster_indices == slice(None)
    assert "3 thrusters: a, b, c" in str(model)


@pytest.mark.parametrize(
    ("more", "text"),
    [
        ({"dt": None}, "dt=None; must be the time between two calls"),
        ({"dt": 0.0}, "dt=0.0"),
        ({"thrust_range": (2.0, 1.0)}, "thrust_range=(2.0, 1.0)"),
        ({"thrust_const_range": (-0.1, 1.0)}, "in order, from 0"),
        ({"tau_inc_range": None}, "set one of rise_time_constant and tau_inc_range, not none"),
        ({"fall_time_constant": 0.1}, "set one of fall_time_constant and tau_dec_range, not both"),
        ({"tau_inc_range": (-0.1, 0.1)}, "in order, from 0"),
        ({"tau_inc_range": 0.1}, "must be two numbers"),
        ({"max_thrust_rate": 0.0}, "max_thrust_rate=0.0"),
        ({"integration_scheme": "heun"}, "must be 'rk4' or 'euler'"),
        ({"target_unit": "rpm"}, "must be 'N' or 'rps'"),
        ({"use_discrete_approximation": False, "tau_inc_range": (0.001, 0.1)}, "would overshoot"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_wrong_configurations(more: dict[str, Any], text: str, device: str) -> None:
    with pytest.raises(ValueError) as told:
        make(device, **more)
    assert text in str(told.value) and "Thruster of a, b, c" in str(told.value)


def test_wrong_targets(device: str) -> None:
    model = make(device)
    for thrusts, text in ((None, "thrusts are None"), (np.zeros((ENVS, 2), np.float32), r"\(7, 2\)")):
        with pytest.raises(ValueError, match=text):
            model.compute(MultiRotorActions(thrusts))
    with pytest.raises(ValueError, match="init_thruster_rps has shape"):
        Thruster(cfg(), NAMES, slice(None), ENVS, device, np.zeros((ENVS, 2), np.float32))


def test_configurations_of_2_3_2_alone_do_and_constants_are_above_zero(device):
    """Those have none of the names of earlier documents."""
    given = cfg(thrust_const_range=(0.0, 0.0)).to_dict()  # pyright: ignore[reportAttributeAccessIssue]
    for name in ("rise_time_constant", "fall_time_constant", "target_unit"):
        given.pop(name)
    model = Thruster(SimpleNamespace(**given), NAMES, slice(None), ENVS, device, np.zeros((ENVS, ROTORS)))  # type: ignore
    assert np.allclose(get(model.thrust_const), 1e-6) and model.num_motors == ROTORS
    out = model.compute(MultiRotorActions(thrusts=np.full((ENVS, ROTORS), 1.0, np.float32)))
    assert np.isfinite(get(out.thrusts)).all() and model.curr_thrust is model.applied_thrust
    assert model.tau_inc_s is model.tau_inc and model.tau_dec_s is model.tau_dec


def test_a_subclass_may_have_another_lag(device):
    """Twice the rate is half the time constants: Euler's step goes twice as far."""

    class Quick(Thruster):
        def continuous_mixing_factor(self, time_constant: Any) -> Any:
            return 2.0 * super().continuous_mixing_factor(time_constant)

    given = cfg(tau_inc_range=(0.1, 0.1), use_discrete_approximation=False, use_rps=False, integration_scheme="euler")
    gone = []
    for kind in (Thruster, Quick):
        model = kind(given, NAMES, slice(None), ENVS, device, np.zeros((ENVS, ROTORS), np.float32))
        gone.append(get(model.compute(MultiRotorActions(thrusts=np.full((ENVS, ROTORS), 1.0, np.float32))).thrusts))
    np.testing.assert_allclose(gone[0], DT / 0.1, rtol=1e-6)
    np.testing.assert_allclose(gone[1], 2.0 * DT / 0.1, rtol=1e-6)
