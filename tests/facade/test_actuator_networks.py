"""Actuators that are networks against NumPy, under every array API."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from facade.compare import get

from phalanx.facade.isaaclab import actuators
from phalanx.facade.isaaclab.actuators.actuator_net import _Network
from phalanx.facade.isaaclab.utils import ArticulationActions
from phalanx.facade.namespaces import array

SHAPES = json.loads((Path(__file__).parent / "documented_shapes.json").read_text())["ActuatorBase"]
ENVS, JOINTS, STEPS = 3, ["a", "b"], 6
SHAPE = (ENVS, len(JOINTS))
LIMITS: Any = {
    "joint_names_expr": [".*"], "effort_limit": 4.0, "velocity_limit": 10.0, "saturation_effort": 6.0
}  # fmt: skip


@pytest.fixture(scope="module")
def files(network_files: dict[str, Path]) -> dict[str, Path]:
    return network_files


@pytest.fixture
def exact(torch: Any, monkeypatch: Any) -> None:
    """On a GPU, recurrent networks are computed in float32, as on the CPU, rather than with ten bits of mantissa."""
    monkeypatch.setattr(torch.backends.cudnn, "allow_tf32", False)


@pytest.mark.parametrize("count", [1, 7])
@pytest.mark.parametrize(("kind", "more"), [("LSTM", {}), ("MLP", {
    "pos_scale": 1.0, "vel_scale": 1.0, "torque_scale": 1.0, "input_order": "pos_vel", "input_idx": [0, 1]
})])  # fmt: skip
def test_shapes_are_the_documented_ones(api, device, files, kind, more, count):
    cfg = getattr(actuators, f"ActuatorNet{kind}Cfg")(**LIMITS, network_file=str(files[kind.lower()]), **more)
    model = cfg.class_type(cfg, JOINTS, slice(None), count, device)
    given = [array(np.zeros((count, 2), "float32"), device) for _ in range(5)]
    model.compute(ArticulationActions(*given[:3]), *given[3:])
    sizes = {"num_envs": count, "num_joints": 2}
    for name, shape in SHAPES.items():
        assert tuple(getattr(model, name).shape) == tuple(sizes[n] for n in shape), name


def weights(torch: Any, path: Path) -> dict[str, np.ndarray]:
    return {name: value.numpy() for name, value in torch.jit.load(str(path)).state_dict().items()}


def motion(seed: int) -> list[np.ndarray]:
    """Targets, positions and velocities, each (steps, num_envs, num_joints)."""
    rng = np.random.default_rng(seed)
    return [rng.normal(size=(STEPS, *SHAPE)).astype("float32") * scale for scale in (1.0, 1.0, 4.0)]


def run(model: Any, device: str, targets: np.ndarray, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
    """Computed efforts of a motion; limits and the form of actions are checked on the way."""
    found = []
    for target, position, speed in zip(targets, q, qd, strict=True):
        wanted = ArticulationActions(array(target, device), array(0 * target, device), array(0 * target, device))
        action = model.compute(wanted, array(position, device), array(speed, device))
        computed, applied = get(model.computed_effort), get(model.applied_effort)
        high = np.clip(6.0 * (1 - speed / 10.0), 0.0, 4.0)
        low = np.clip(6.0 * (-1 - speed / 10.0), -4.0, 0.0)
        assert np.allclose(applied, np.clip(computed, low, high), atol=1e-6)
        assert action.joint_efforts is model.applied_effort
        assert action.joint_positions is None and action.joint_velocities is None
        found.append(computed.copy())
    return np.array(found)


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


class LSTM:
    """The recurrent network in NumPy, for one environment and joint."""

    def __init__(self, w: dict[str, np.ndarray]) -> None:
        self.w, self.h, self.c = w, np.zeros((2, 8)), np.zeros((2, 8))

    def __call__(self, error: float, speed: float) -> float:
        x = np.array([error, speed])
        for k in range(2):
            w = {n: self.w[f"lstm.{n}_l{k}"] for n in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")}
            gates = w["weight_ih"] @ x + w["bias_ih"] + w["weight_hh"] @ self.h[k] + w["bias_hh"]
            i, f, g, o = np.split(gates, 4)
            self.c[k] = sigmoid(f) * self.c[k] + sigmoid(i) * np.tanh(g)
            self.h[k] = x = sigmoid(o) * np.tanh(self.c[k])
        return 60.0 * float(self.w["out.weight"][0] @ x + self.w["out.bias"][0])


def test_recurrent_networks(api, device, torch, files, exact):
    cfg = actuators.ActuatorNetLSTMCfg(**LIMITS, network_file=str(files["lstm"]))
    model = cfg.class_type(cfg, JOINTS, slice(None), ENVS, device)
    w = weights(torch, files["lstm"])
    references = [[LSTM(w) for _ in JOINTS] for _ in range(ENVS)]

    def expected(targets: np.ndarray, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        return np.array([
            [[references[e][j](targets[t, e, j] - q[t, e, j], qd[t, e, j]) for j in range(2)] for e in range(ENVS)]
            for t in range(STEPS)
        ])  # fmt: skip

    first, second = motion(1), motion(2)
    found, wanted = run(model, device, *first), expected(*first)
    assert np.allclose(found, wanted, atol=1e-4) and np.abs(wanted).max() > 4.0
    model.reset([1])
    references[1] = [LSTM(w) for _ in JOINTS]
    assert np.allclose(run(model, device, *second), expected(*second), atol=1e-4)


@pytest.mark.parametrize(("order", "past"), [("pos_vel", [0, 3]), ("vel_pos", [2, 0])])
def test_networks_without_a_memory(api, device, torch, files, order, past, exact):
    cfg = actuators.ActuatorNetMLPCfg(
        **LIMITS, network_file=str(files["mlp"]), pos_scale=-1.0, vel_scale=0.3, torque_scale=25.0,
        input_order=order, input_idx=past,
    )  # fmt: skip
    model = cfg.class_type(cfg, JOINTS, slice(None), ENVS, device)
    w = weights(torch, files["mlp"])

    def expected(targets: np.ndarray, q: np.ndarray, qd: np.ndarray, start: np.ndarray) -> np.ndarray:
        """Efforts of steps when the history of environments begins at step ``start``."""
        found = np.zeros((len(q), *SHAPE))
        for t, e, j in np.ndindex(found.shape):
            known = [t - i if t - i >= start[e] else None for i in past]
            error = [0.0 if s is None else -1.0 * (targets[s, e, j] - q[s, e, j]) for s in known]
            speed = [0.0 if s is None else 0.3 * qd[s, e, j] for s in known]
            x = w["0.weight"] @ np.array(error + speed if order == "pos_vel" else speed + error) + w["0.bias"]
            found[t, e, j] = 25.0 * (w["2.weight"][0] @ (x / (1 + np.abs(x))) + w["2.bias"][0])
        return found

    both = [np.concatenate(pair) for pair in zip(motion(1), motion(2), strict=True)]
    found = run(model, device, *(x[:STEPS] for x in both))
    model.reset([0])
    again = run(model, device, *(x[STEPS:] for x in both))
    zero = np.zeros(ENVS)
    assert np.allclose(found, expected(*both, start=zero)[:STEPS], atol=1e-4)
    assert np.allclose(again, expected(*both, start=np.array([STEPS, 0, 0]))[STEPS:], atol=1e-4)
    assert not np.allclose(again[:, 0], expected(*both, start=zero)[STEPS:, 0], atol=1e-4)
    assert np.abs(found).max() > 4.0


def test_wrong_use_is_told(torch, files, tmp_path, device):
    good: Any = LIMITS | {
        "network_file": str(files["mlp"]), "pos_scale": 1.0, "vel_scale": 1.0, "torque_scale": 1.0,
        "input_order": "pos_vel", "input_idx": [0, 1],
    }  # fmt: skip

    def make(**changes: Any) -> Any:
        cfg = actuators.ActuatorNetMLPCfg(**good | changes)
        return cfg.class_type(cfg, JOINTS, slice(None), ENVS, device)

    with pytest.raises(ValueError, match="Invalid input order for MLP actuator net: 'vel'"):
        make(input_order="vel")
    with pytest.raises(ValueError, match=r"input_idx=\[\]"):
        make(input_idx=[])
    with pytest.raises(FileNotFoundError, match=r"none\.pt"):
        make(network_file=str(tmp_path / "none.pt"))
    with pytest.raises(ValueError, match="needs joint_positions"):
        make().compute(ArticulationActions(), *(array(np.zeros(SHAPE), device) for _ in range(2)))


def test_a_network_that_infers_nothing_cannot_be_made(device):
    with pytest.raises(TypeError, match=r"abstract method.* '?_infer"):
        _Network(actuators.ActuatorNetMLPCfg(**LIMITS), JOINTS, slice(None), ENVS, device)  # pyright: ignore[reportAbstractUsage]


def test_without_torch_networks_say_what_to_install(monkeypatch, device):
    monkeypatch.setattr("phalanx.facade.isaaclab.actuators.actuator_net.is_installed", lambda name: False)
    cfg = actuators.ActuatorNetLSTMCfg(**LIMITS, network_file="any.pt")
    with pytest.raises(ImportError, match=r"ActuatorNetLSTM on joints a, b is a network.*pip install torch"):
        cfg.class_type(cfg, JOINTS, slice(None), ENVS, device)
