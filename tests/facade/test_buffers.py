"""Buffers over time, tables, noise, filters, timers and files, under every array API."""

from __future__ import annotations

import re
import time
from enum import IntEnum

import numpy as np
import pytest
from facade.compare import close, get
from scipy.signal import lfilter

from phalanx.facade.isaaclab.utils import (
    ArticulationActions,
    CircularBuffer,
    DelayBuffer,
    DigitalFilter,
    DigitalFilterCfg,
    Integrator,
    IntegratorCfg,
    LinearInterpolation,
    Timer,
    TimerError,
    TimestampedBuffer,
    configclass,
    io,
    modifiers,
)
from phalanx.facade.isaaclab.utils import noise as noises
from phalanx.facade.namespaces import array


def test_a_buffer_keeps_the_last_values(api, device):
    buffer = CircularBuffer(3, 2, device)
    assert (buffer.max_length, buffer.batch_size, buffer.device) == (3, 2, device)
    with pytest.raises(RuntimeError, match="empty"):
        buffer[[0, 0]]
    with pytest.raises(ValueError, match="each of 2 environments"):
        buffer[[0, 0, 0]]
    for t in range(5):
        buffer.append(array([[t, t], [10 + t, 10 + t]], device, "float32"))
        assert get(buffer.current_length).tolist() == [min(t + 1, 3)] * 2
        if t == 0:
            assert get(buffer.buffer)[1, :, 0].tolist() == [10, 10, 10]
    assert get(buffer.buffer)[..., 1].tolist() == [[2, 3, 4], [12, 13, 14]]
    assert get(buffer[[0, 2]]).tolist() == [[4, 4], [12, 12]]
    assert get(buffer[array([7, 1], device)]).tolist() == [[2, 2], [13, 13]]


def test_managers_see_whether_there_is_anything_yet(api, device):
    """By the name that Isaac Lab's observation manager asks for, where histories are not to be written to."""
    buffer = CircularBuffer(3, 2, device)
    assert buffer._buffer is None
    buffer.append(array(np.ones((2, 1)), device))
    assert get(buffer._buffer).shape == (3, 2, 1)


def test_environments_are_reset_alone(api, device):
    buffer = CircularBuffer(3, 3, device)
    for t in range(4):
        buffer.append(array([t, 10 + t, 20 + t], device, "float32"))
    before = get(buffer.buffer)
    buffer.reset([1])
    assert get(buffer.current_length).tolist() == [3, 0, 3]
    assert get(buffer.buffer)[[0, 2]].tolist() == before[[0, 2]].tolist()
    with pytest.raises(RuntimeError, match="after its reset"):
        buffer[[0, 0, 0]]
    buffer.append(array([4.0, 14.0, 24.0], device))
    assert get(buffer.buffer).tolist() == [[2, 3, 4], [14, 14, 14], [22, 23, 24]]
    assert get(buffer[[1, 1, 1]]).tolist() == [3, 14, 23]
    with pytest.raises(ValueError, match="3 environments"):
        buffer.append(array([1.0, 2.0], device))
    with pytest.raises(ValueError, match="3 environments"):
        buffer[[0]]
    with pytest.raises(ValueError, match="max_len=0"):
        CircularBuffer(0, 3, device)


def test_values_come_as_late_as_each_environment_asks_for(api, device):
    lags = [0, 1, 3]
    buffer = DelayBuffer(3, 3, device)
    buffer.set_time_lag(array(lags, device))
    assert (buffer.min_time_lag, buffer.max_time_lag, buffer.history_length) == (0, 3, 3)
    assert get(buffer.time_lags).tolist() == lags
    for t in range(8):
        found = get(buffer.compute(array([[t], [t], [t]], device, "float32")))[:, 0]
        assert found.tolist() == [max(t - lag, 0) for lag in lags]
    buffer.reset([2])
    buffer.set_time_lag(2, [2])
    for t in range(8, 12):
        found = get(buffer.compute(array([[t], [t], [t]], device, "float32")))[:, 0]
        assert found.tolist() == [t, t - 1, max(t - 2, 8)]


def test_scripts_look_at_what_is_on_its_way(api, device):
    """Tasks with delayed actions observe the newest one by the buffer within, which has a name of Isaac Lab's."""
    buffer = DelayBuffer(2, 1, device)
    buffer.set_time_lag(2)
    for t in range(3):
        buffer.compute(array([[t]], device, "float32"))
    assert get(buffer._circular_buffer.buffer[:, -1, :]).tolist() == [[2.0]]
    assert get(buffer._time_lags).tolist() == [2]


@pytest.mark.parametrize(
    ("lag", "error", "message"),
    [
        (-1, ValueError, "negative: -1"),
        (4, ValueError, "lag 4 is longer than the history of 3"),
        (1.0, TypeError, "not float"),
        (np.array([0.5, 1.0]), TypeError, "integers, not of"),
        ("1", TypeError, "not str"),
    ],
)
def test_wrong_delays_change_nothing(lag, error, message, device):
    buffer = DelayBuffer(3, 2, device)
    buffer.set_time_lag(2)
    with pytest.raises(error, match=message):
        buffer.set_time_lag(lag)
    assert get(buffer.time_lags).tolist() == [2, 2]


def test_plain_types():
    assert TimestampedBuffer() == TimestampedBuffer(None, -1.0)
    assert vars(ArticulationActions()) == dict.fromkeys(
        ["joint_positions", "joint_velocities", "joint_efforts", "joint_indices"]
    )


# -- tables ----------------------------------------------------------------------------------------------------------


def test_tables_are_interpolated(api, device):
    rng = np.random.default_rng(1)
    x, y = np.sort(rng.normal(size=9)).astype("float32"), rng.normal(size=9).astype("float32")
    q = rng.normal(size=(7, 5)).astype("float32") * 2
    q[0, 0], q[0, 1], q[0, 2] = x[0], x[-1], x[3]
    table = LinearInterpolation(array(x, device), array(y, device), device)
    assert close(table.compute(array(q, device)), np.interp(q, x, y).astype("float32"), 2e-6)
    assert get(LinearInterpolation([1.0], [3.0], device).compute(array([0.0, 9.0], device))).tolist() == [3.0, 3.0]


@pytest.mark.parametrize(
    ("x", "y", "message"),
    [
        ([[0.0, 1.0]], [0.0, 1.0], "one dimension"),
        ([0.0, 1.0], [0.0], "as many points, not 2 and 1"),
        ([], [], "nor none"),
        ([0.0, 0.0], [0.0, 1.0], "must increase"),
        ([1.0, 0.0], [0.0, 1.0], "must increase"),
    ],
)
def test_wrong_tables_are_told(x, y, message, device):
    with pytest.raises(ValueError, match=message):
        LinearInterpolation(x, y, device)


# -- noise -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("operation", ["add", "scale", "abs"])
def test_noise_has_its_distribution(api, device, operation):
    data = array(np.full((200, 100), 2.0, "float32"), device)
    uniform = noises.UniformNoiseCfg(n_min=0.5, n_max=1.5, operation=operation)
    normal = noises.GaussianNoiseCfg(mean=1.0, std=0.1, operation=operation)
    constant = noises.ConstantNoiseCfg(bias=0.25, operation=operation)
    offset, factor = {"add": (2.0, 1.0), "scale": (0.0, 2.0), "abs": (0.0, 1.0)}[operation]
    found = get(uniform.func(data, uniform))
    assert found.min() >= offset + 0.5 * factor and found.max() <= offset + 1.5 * factor and found.dtype == np.float32
    assert abs(found.mean() - offset - factor) < 0.02 and abs(found.std() - factor / 12**0.5) < 0.01
    found = get(normal.func(data, normal))
    assert abs(found.mean() - offset - factor) < 0.01 and abs(found.std() - 0.1 * factor) < 0.005
    assert np.unique(get(constant.func(data, constant))).tolist() == [offset + 0.25 * factor]
    assert noises.AdditiveUniformNoiseCfg is noises.UniformNoiseCfg


def test_bounds_of_noise_may_differ_by_component(api, device):
    cfg = noises.UniformNoiseCfg(n_min=array([0.0, 5.0], device), n_max=array([1.0, 6.0], device))
    found = get(cfg.func(array(np.zeros((50, 2), "float32"), device), cfg))
    assert (found.min(0) >= [0, 5]).all() and (found.max(0) <= [1, 6]).all() and found.std(0).min() > 0.2


@pytest.mark.parametrize("per_component", [True, False])
def test_biases_stay_until_their_environment_is_reset(api, device, per_component):
    cfg = noises.NoiseModelWithAdditiveBiasCfg(
        noise_cfg=noises.ConstantNoiseCfg(bias=10.0),
        bias_noise_cfg=noises.UniformNoiseCfg(n_min=1.0, n_max=2.0),
        sample_bias_per_component=per_component,
    )
    model = cfg.class_type(cfg, 3, device)
    model.reset()
    data = array(np.zeros((3, 4), "float32"), device)
    first = get(model(data))
    assert (first >= 11).all() and (first <= 12).all()
    assert len(np.unique(first)) == (12 if per_component else 3)
    assert (get(model.apply(data)) == first).all()
    model.reset([1])
    second = get(model(data))
    assert (second[[0, 2]] == first[[0, 2]]).all() and (second[1] != first[1]).all()


def test_noise_takes_the_place_of_data_that_are_not_finite(api, device):
    cfg = noises.ConstantNoiseCfg(bias=0.5, operation="abs")
    assert get(cfg.func(array([np.nan, np.inf, 1.0], device), cfg)).tolist() == [0.5, 0.5, 0.5]


def test_wrong_operations_are_told():
    cfg = noises.ConstantNoiseCfg(operation="sub")  # pyright: ignore[reportArgumentType]
    with pytest.raises(ValueError, match="unknown operation in noise: 'sub'"):
        cfg.func(np.zeros(2), cfg)


# -- modifiers -------------------------------------------------------------------------------------------------------


def test_modifiers_without_a_state(api, device):
    data = array([[-2.0, 0.5, 3.0]], device)
    assert get(modifiers.scale(data, 2.0)).tolist() == [[-4.0, 1.0, 6.0]]
    assert get(modifiers.bias(data, 1.0)).tolist() == [[-1.0, 1.5, 4.0]]
    assert get(modifiers.clip(data, (-1.0, 1.0))).tolist() == [[-1.0, 0.5, 1.0]]
    assert get(modifiers.clip(data, (None, 1.0))).tolist() == [[-2.0, 0.5, 1.0]]
    assert get(modifiers.clip(data, (None, None))).tolist() == get(data).tolist()


@pytest.mark.parametrize(("a", "b"), [([-0.5, 0.1], [0.2, 0.3, -0.1]), ([], [1.0, 1.0]), ([-0.9], [0.1])])
def test_filters_agree_with_scipy(api, device, a, b):
    cfg = DigitalFilterCfg(A=a, B=b)
    smooth = cfg.func(cfg, (3, 2), device)
    assert isinstance(smooth, DigitalFilter)
    signal = np.random.default_rng(2).normal(size=(20, 3, 2))
    expected = np.asarray(lfilter(b, [1.0, *a], signal, axis=0))
    for x, y in zip(signal, expected, strict=True):
        assert close(smooth(array(x, device, "float32")), y.astype("float32"), 1e-5)
    smooth.reset([1])
    after = get(smooth(array(signal[0], device, "float32")))
    assert np.allclose(after[1], expected[0, 1], atol=1e-6)
    assert np.abs(after[0] - expected[0, 0]).max() > 1e-3
    with pytest.raises(ValueError, match="coefficients B"):
        DigitalFilter(DigitalFilterCfg(A=[1.0], B=[]), (1,), device)


def test_integrals(api, device):
    cfg = IntegratorCfg(dt=0.5)
    integrator = Integrator(cfg, (2, 1), device)
    values = np.array([[1.0, 2.0], [3.0, -2.0], [0.0, 4.0]])
    found = [get(integrator(array(v[:, None], device, "float32")))[:, 0].tolist() for v in values]
    assert found == [[0.25, 0.5], [1.25, 0.5], [2.0, 1.0]]
    last = integrator(array([[1.0], [1.0]], device))
    integrator.reset([0])
    assert get(last)[:, 0].tolist() == [2.25, 2.25]  # what was handed out stays
    assert get(integrator(array([[1.0], [1.0]], device)))[:, 0].tolist() == [0.25, 2.75]


# -- timers and files ------------------------------------------------------------------------------------------------


def test_timers(capsys):
    timer = Timer(name="sleep")
    for call in (timer.stop, lambda: timer.time_elapsed, lambda: Timer.get_timer_info("none")):
        with pytest.raises(TimerError):
            call()
    timer.start()
    with pytest.raises(TimerError, match="is running"):
        timer.start()
    time.sleep(0.002)
    assert timer.time_elapsed >= 0.002
    timer.stop()
    assert timer.total_run_time == timer.time_elapsed == Timer.get_timer_info("sleep") >= 0.002
    assert str(timer) == f"{timer.total_run_time:0.6f} seconds"

    @Timer("it took")
    def work() -> int:
        return 3

    assert work() == 3 and work() == 3
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2 and all(re.fullmatch(r"it took: \d+\.\d{6} seconds", line) for line in lines)


class Mode(IntEnum):
    """As Isaac Lab's recorders have one."""

    ALL = 1


@configclass
class Cfg:
    """What is written to files."""

    gains: dict = {"hip": 1.0}  # noqa: RUF012
    pos: tuple[float, float] = (1.0, 2.0)
    part: slice = slice(0, 3)
    kind: type = Timer
    values: np.ndarray = np.arange(2)
    name: str | None = None
    mode: Mode = Mode.ALL


def test_configurations_in_files(tmp_path):
    io.dump_yaml(str(tmp_path / "new" / "cfg"), Cfg(gains={"knee": 2.0}))
    found = io.load_yaml(str(tmp_path / "new" / "cfg.yaml"))
    assert found == {
        "gains": {"knee": 2.0}, "pos": (1.0, 2.0), "part": "slice(0, 3, None)",
        "kind": "phalanx.facade.isaaclab.utils.timer:Timer", "values": [0, 1], "name": None, "mode": 1,
    }  # fmt: skip
    found.pop("values")
    cfg = Cfg()
    cfg.from_dict(found)  # pyright: ignore[reportAttributeAccessIssue]
    assert cfg.pos == (1.0, 2.0) and cfg.part == slice(0, 3) and cfg.kind is Timer
    assert cfg.mode is Mode.ALL
    assert cfg.gains == {"hip": 1.0, "knee": 2.0}
    (tmp_path / "other.yaml").write_text("a: !!python/tuple [1, 2]\nb: x\n")
    assert io.load_yaml(str(tmp_path / "other.yaml")) == {"a": (1, 2), "b": "x"}
    io.dump_pickle(str(tmp_path / "cfg"), {"a": (1, 2)})
    assert io.load_pickle(str(tmp_path / "cfg.pkl")) == {"a": (1, 2)}


def test_yaml_files_make_no_objects(tmp_path):
    import yaml

    path = tmp_path / "bad.yaml"
    path.write_text("a: !!python/object/apply:os.getcwd []\n")
    with pytest.raises(yaml.YAMLError, match="could not determine a constructor"):
        io.load_yaml(str(path))
    for text, words in ((b"a: " + b"[" * 3000, "too deep"), (b"a: 2020-99-99", "month"), (b"a: \xff", "utf-8")):
        path.write_bytes(text)
        with pytest.raises(yaml.YAMLError, match=rf"bad\.yaml.*{words}"):
            io.load_yaml(str(path))
    path.write_text("")
    with pytest.raises(TypeError, match="NoneType in place of a dictionary"):
        Cfg().from_dict(io.load_yaml(str(path)))  # pyright: ignore[reportAttributeAccessIssue]
