"""What cannot work is refused with a sentence that says what was wrong, where, and what to do; nothing is half-done."""

from __future__ import annotations

import importlib.util
import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracles import host
from small_robots import arm, ball

import phalanx as px
from phalanx.components import Drive, LinkInertia, LinkTopology
from phalanx.ecs.device import cuda_available
from phalanx.models.robot_model import Body, RobotModel
from phalanx.world.saving import FORMAT

# The world's own arguments.

GREATEST = "and the greatest number of float32 is 3.403e+38; correct it, or pass another dtype= to World"
NO_NUMBER = "is no number of float32, which has 1.18e-38 to 3.4e+38"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"num_envs": 0}, "num_envs=0: must be a whole number, at least 1"),
        ({"num_envs": -3}, "num_envs=-3: must be a whole number, at least 1"),
        ({"num_envs": 2.5}, "num_envs=2.5: must be a whole number, at least 1"),
        ({"num_envs": True}, "num_envs=True: must be a whole number, at least 1"),
        ({"substeps": 0}, "substeps=0: must be a whole number, at least 1"),
        ({"dt": 0.0}, "dt=0.0: the step must be a positive number of seconds"),
        ({"dt": -0.01}, "dt=-0.01: the step must be a positive number of seconds"),
        ({"dt": float("nan")}, "dt=nan: the step must be a positive number of seconds"),
        ({"dtype": "float16"}, 'dtype \'float16\': must be "float32" or "float64"'),
        ({"gravity": -9.81}, "gravity=-9.81: must be three finite numbers, m/s^2"),
        ({"gravity": (0, -9.81)}, "gravity=(0, -9.81): must be three finite numbers, m/s^2"),
        ({"gravity": (0, 0, float("inf"))}, "gravity=(0, 0, inf): must be three finite numbers, m/s^2"),
        ({"position_iterations": 0}, "position_iterations=0: must be a whole number, at least 1"),
        ({"gravity": (0, 0, -1e39)}, f"gravity=(0, 0, -1e+39): has -1e+39, {GREATEST}"),
        ({"gravity": (0, 0, 10**400)}, "gravity=(0, 0, 1" + "0" * 192 + ": must be three finite numbers, m/s^2"),
        ({"dt": 10**400}, "dt=1" + "0" * 39 + ": the step must be a positive number of seconds"),
        ({"dt": b"1"}, "dt=b'1': the step must be a positive number of seconds"),
        (
            {"bounce_threshold": 10**400},
            "bounce_threshold=1" + "0" * 19 + "...: must be a number that fits into 64 bits",
        ),
        ({"gravity": "down"}, "gravity='down': must be three finite numbers, m/s^2"),
        ({"dt": 1e39}, f"dt=1e+39: a substep of 1e+39 s {NO_NUMBER}"),
        ({"dt": 1e-50}, f"dt=1e-50: a substep of 1e-50 s {NO_NUMBER}"),
        ({"dt": 1e-37, "substeps": 100}, f"dt=1e-37: a substep of 1e-39 s {NO_NUMBER}"),
        ({"dt": "fast"}, "dt='fast': the step must be a positive number of seconds"),
        ({"position_iterations": 1.5}, "position_iterations=1.5: must be a whole number, at least 1"),
        ({"position_iterations": 10**9}, "position_iterations=1000000000: must be at most 10000"),
        ({"substeps": 10**9}, "substeps=1000000000: must be at most 10000"),
        ({"velocity_iterations": -1}, "velocity_iterations=-1: must be a whole number, at least 0"),
        ({"velocity_iterations": 0.5}, "velocity_iterations=0.5: must be a whole number, at least 0"),
        ({"velocity_iterations": float("nan")}, "velocity_iterations=nan: must be a whole number, at least 0"),
        ({"max_contacts": -1}, "max_contacts=-1: must be a whole number, at least 0"),
        ({"max_contacts": 2.5}, "max_contacts=2.5: must be a whole number, at least 0"),
        *(
            ({name: value}, f"{name}={value}: must be finite and at least 0")
            for name in ("contact_offset", "max_depenetration_velocity", "bounce_threshold")
            for value in (float("nan"), float("inf"), -1.0)
        ),
        *(
            ({name: 1e39}, f"{name} is 1e+39, {GREATEST}")
            for name in ("contact_offset", "max_depenetration_velocity", "bounce_threshold")
        ),
        ({"speculative": 0.5}, "speculative=0.5: must be True or False"),
    ],
    ids=lambda value: str(value)[:60] if isinstance(value, dict) else "",
)
def test_world_arguments(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError) as raised:
        px.World(**arguments)
    assert str(raised.value) == message


@pytest.mark.parametrize("device", ["tpu", "gpus", "gpu:x", "cuda:x", "cuda:-1", "", 0, None])
def test_device_that_does_not_exist(device: Any) -> None:
    with pytest.raises(px.DeviceError) as raised:
        px.World(device=device)
    assert str(raised.value) == f'device {device!r}: must be "cpu", "cuda", "cuda:N" or "gpu" (worlds take "auto", too)'


@pytest.mark.parametrize("index", [0, 99])
def test_device_that_is_not_there(index: int) -> None:
    if index == 0 and cuda_available():
        pytest.skip("cuda:0 is there")
    with pytest.raises(px.DeviceError) as raised:
        px.World(device=f"cuda:{index}")
    if importlib.util.find_spec("cupy") is None or importlib.util.find_spec("numba_cuda") is None:
        expected = (
            rf'device "cuda:{index}" needs (cupy|numba_cuda).*: install "phalanx\[cuda12\]" .* or use device="cpu"'
        )
    elif cuda_available():
        expected = rf"device cuda:{index} is not there; this machine has \d+, from cuda:0 to cuda:\d+"
    else:
        expected = r'no CUDA device can be used on this machine \(.*\); use device="cpu"'
    assert re.fullmatch(expected, str(raised.value)), raised.value


# What is put into a world.


def test_empty_world(device: str) -> None:
    for act in (lambda w: w.build(), lambda w: w.step(), lambda w: w.reset(), lambda w: w.state()):
        world = px.World(device=device)
        world.add_ground()
        with pytest.raises(ValueError) as raised:
            act(world)
        assert str(raised.value) == (
            "this world is empty: call add_robot() or add_rigid_object() before build() or step()"
        )


def test_two_robots_of_one_name() -> None:
    world = px.World()
    world.add_robot(ball(), name="one")
    with pytest.raises(ValueError) as raised:
        world.add_robot(ball(), name="one")
    assert str(raised.value) == "add_robot: there is already an actor named 'one'; pass another name="
    assert list(world.robots) == ["one"]
    world.add_robot(ball(), name="two")


def test_adding_after_build(device: str) -> None:
    world = px.World(device=device)
    world.add_robot(ball())
    world.build()
    late: list[tuple[str, Callable[[], Any]]] = [
        ("add_robot", lambda: world.add_robot(ball(), name="two")),
        ("add_ground", lambda: world.add_ground()),
        ("add_rows", lambda: world.add_rows(LinkTopology.table, 1)),
        ("add_system", lambda: world.add_system(world.schedule.systems()[0])),
    ]
    for name, act in late:
        with pytest.raises(RuntimeError) as raised:
            act()
        assert str(raised.value) == f"{name}() must come before build() and the first step()"
    assert list(world.robots) == ["robot"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"position": (0, 0)},
            "add_robot: position must be 3 finite numbers, orientation 4, not all zero; got (0, 0) and",
        ),
        ({"position": (0, 0, 0, 1), "orientation": (0, 0, 0)}, "add_robot: position must be 3 finite numbers, "),
        ({"position": (0, 0, float("nan"))}, "add_robot: position must be 3 finite numbers"),
        ({"orientation": (0, 0, 0, 0)}, "orientation 4, not all zero; got (0.0, 0.0, 0.0) and (0, 0, 0, 0)"),
        ({"joint_pos": [0.1]}, "robot 'robot': joint_pos needs 3 numbers, got shape (1,)"),
        ({"joint_pos": {"elbow": float("inf")}}, "robot 'robot': joint_pos must be finite"),
        ({"friction": -1}, "add_robot: static_friction=-1: must be a finite number, not negative"),
        (
            {"static_friction": 0.1, "dynamic_friction": 0.2},
            "add_robot: dynamic_friction=0.2: must not be above static_friction=0.1",
        ),
        ({"restitution": 1.5}, "add_robot: restitution=1.5: must lie in 0..1"),
        ({"friction_combine": "sum"}, "add_robot: friction_combine='sum': must be one of average, min, multiply, max"),
        ({"collision_group": 32}, "add_robot: collision group 32 must be a whole number from 0 to 31"),
        ({"collision_mask": -1}, "add_robot: collision mask -0x1 must have 32 bits"),
        ({"linear_damping": -1.0}, "add_robot: linear_damping=-1.0: must be finite and at least 0"),
        ({"contact_offset": 0.0}, "add_robot: contact_offset=0.0: must be finite and above 0"),
        ({"disable_collisions": [("base", "hand")]}, "add_robot: disable_collisions: there is no body 'hand'"),
        ({"name": ""}, "add_robot: name='': must be text, not empty"),
    ],
    ids=lambda value: str(value)[:60] if isinstance(value, dict) else "",
)
def test_robot_arguments(arguments: dict[str, Any], message: str) -> None:
    world = px.World()
    with pytest.raises(ValueError) as raised:
        world.add_robot(arm(), **arguments)
    assert message in str(raised.value)
    assert not world.robots and not world.describe()["robots"], "nothing half-added is left"
    world.add_robot(arm())


def test_unknown_names() -> None:
    robot = px.World().add_robot(arm())
    unknown: list[tuple[Callable[[], Any], str]] = [
        (lambda: robot.joint_index("knee"), "robot 'robot' has no joint 'knee'; it has shoulder, elbow, slide"),
        (lambda: robot.body_index("hand"), "robot 'robot' has no body 'hand'; it has base, upper, lower, tip"),
        (lambda: px.World().add_robot(arm(), joint_pos={"knee": 1.0}), "robot 'robot' has no joint 'knee'"),
        (lambda: robot.set_external_wrench(force=1.0, body="hand"), "robot 'robot' has no body 'hand'"),
    ]
    for act, message in unknown:
        with pytest.raises(KeyError) as raised:
            act()
        assert message in str(raised.value)


def test_unknown_robot() -> None:
    with pytest.raises(px.LoadError, match=r'"quadrupde" is neither a file nor a shipped robot.*quadruped'):
        px.World().add_robot("quadrupde")
    with pytest.raises(px.LoadError, match=r"nowhere/robot.urdf: no such file; check the path"):
        px.World().add_robot("nowhere/robot.urdf")


def test_nothing_that_moves_has_mass() -> None:
    with pytest.raises(px.LoadError, match="ghost: the robot has no mass; give its links <inertial>, or fix its base"):
        px.World().add_robot(RobotModel("ghost", [Body("ghost")], []))


@pytest.mark.parametrize(
    "arguments",
    [{"normal": (0, 0, 0)}, {"height": float("nan")}, {"normal": (0, 1)}, {"normal": (0, 0, float("inf"))}],
    ids=str,
)
def test_ground(arguments: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="add_ground: height and a non-zero normal of 3 must be finite"):
        px.World().add_ground(**arguments)


def test_ground_coefficients() -> None:
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"friction": -0.1}, "add_ground: static_friction=-0.1: must be a finite number, not negative"),
        ({"restitution": -1.0}, "add_ground: restitution=-1.0: must be a finite number, not negative"),
        ({"static_friction": 0.2, "dynamic_friction": 0.3}, "add_ground: dynamic_friction=0.3: must not be above stat"),
        ({"material": {"grip": 1.0}}, "add_ground: a material has no grip; it has static_friction, "),
    ]
    for arguments, message in wrong:
        with pytest.raises(ValueError) as raised:
            px.World().add_ground(**arguments)
        assert message in str(raised.value)


# What is asked of a running world.


@pytest.fixture(scope="module")
def robot(device: str) -> px.Robot:
    world = px.World(num_envs=4, device=device)
    robot = world.add_robot(arm(), fixed_base=False)
    world.build()
    return robot


NAN, INF = float("nan"), float("inf")
IN_ENV_2 = np.array([[0.0, 0, 0], [0, 0, 0], [0, NAN, 0], [0, 0, 0]])


@pytest.mark.parametrize(
    ("method", "arguments", "message"),
    [
        ("set_targets", {"pos": NAN}, "position target is not a number (NaN) in environment 0, column 0"),
        ("set_targets", {"pos": IN_ENV_2}, "position target is not a number (NaN) in environment 2, column 1"),
        ("set_targets", {"vel": [0, 0, NAN]}, "velocity target is not a number (NaN) in environment 0, column 2"),
        ("set_targets", {"effort": [0, INF, 0]}, "effort target is infinite in environment 0, column 1"),
        (
            "set_targets",
            {"effort": [[NAN]], "env_ids": [3]},
            "effort target is not a number (NaN) in environment 3, column 0",
        ),
        ("set_joint_state", {"pos": NAN}, "joint position is not a number (NaN) in environment 0, column 0"),
        ("set_joint_state", {"vel": -INF}, "joint velocity is infinite in environment 0, column 0"),
        (
            "set_root_state",
            {"pose": [0, 0, NAN, 1, 0, 0, 0]},
            "root pose is not a number (NaN) in environment 0, column 2",
        ),
        ("set_root_state", {"vel": INF}, "root velocity is infinite in environment 0, column 0"),
        ("set_root_state", {"pose": [0, 0, 1, 0, 0, 0, 0]}, "root pose has a quaternion of zero length"),
        ("set_drive", {"stiffness": -1.0}, "stiffness is negative in environment 0, column 0"),
        ("set_drive", {"damping": [0, 0, -1e-9]}, "damping is negative in environment 0, column 2"),
        ("set_drive", {"effort_limit": -5, "env_ids": 2}, "effort limit is negative in environment 2, column 0"),
        ("set_drive", {"stiffness": INF}, "stiffness is infinite in environment 0, column 0"),
        ("set_drive", {"effort_limit": NAN}, "effort limit is not a number (NaN) in environment 0, column 0"),
        ("set_external_wrench", {"force": NAN}, "force is not a number (NaN) in environment 0, column 0"),
        ("set_external_wrench", {"torque": [0, INF, 0]}, "torque is infinite in environment 0, column 1"),
        ("set_targets", {"pos": [0, 0]}, "position target has shape (2,); it must broadcast to (4, 3)"),
        ("set_targets", {"pos": np.zeros((3, 3))}, "position target has shape (3, 3); it must broadcast to (4, 3)"),
        ("set_targets", {"pos": np.zeros((4, 3)), "env_ids": [0, 1]}, "has shape (4, 3); it must broadcast to (2, 3)"),
        (
            "set_targets",
            {"pos": np.zeros((1, 4, 3))},
            "position target has shape (1, 4, 3); it must broadcast to (4, 3)",
        ),
        ("set_joint_state", {"vel": np.zeros((3, 4))}, "joint velocity has shape (3, 4); it must broadcast to (4, 3)"),
        ("set_root_state", {"pose": np.zeros((4, 6))}, "root pose has shape (4, 6); it must broadcast to (4, 7)"),
        ("set_root_state", {"vel": np.zeros(7)}, "root velocity has shape (7,); it must broadcast to (4, 6)"),
        ("set_drive", {"stiffness": np.zeros(5)}, "stiffness has shape (5,); it must broadcast to (4, 3)"),
        ("set_external_wrench", {"force": np.zeros(2)}, "force has shape (2,); it must broadcast to (4, 3)"),
    ],
    ids=lambda value: str(value) if isinstance(value, str) and " " not in value else "",
)
def test_values(robot: px.Robot, method: str, arguments: dict[str, Any], message: str) -> None:
    before = {key: value.tobytes() for key, value in robot.world.state().items()}
    with pytest.raises(ValueError) as raised:
        getattr(robot, method)(**arguments)
    assert str(raised.value).startswith("robot 'robot': ") and message in str(raised.value)
    assert {key: value.tobytes() for key, value in robot.world.state().items()} == before, "it was refused, but written"


def test_one_bad_value_spoils_the_call(robot: px.Robot) -> None:
    """Nothing of it is written."""
    before = {key: value.tobytes() for key, value in robot.world.state().items()}
    calls: list[Callable[[], Any]] = [
        lambda: robot.set_joint_state(pos=0.3, vel=NAN),
        lambda: robot.set_root_state(pose=[0, 0, 9, 1, 0, 0, 0], vel=NAN),
        lambda: robot.set_targets(pos=0.3, effort=NAN),
        lambda: robot.set_drive(stiffness=3.0, damping=-1.0),
        lambda: robot.set_drive(stiffness=3.0, explicit=[0, 1]),
        lambda: robot.set_external_wrench(force=1.0, torque=NAN),
    ]
    for call in calls:
        with pytest.raises(ValueError):
            call()
        assert {key: value.tobytes() for key, value in robot.world.state().items()} == before


@pytest.mark.parametrize("value", ["0.5", ["a", "b", "c"], [None, 0, 0], np.zeros((4, 3), complex)], ids=str)
def test_values_that_are_no_numbers(robot: px.Robot, value: Any) -> None:
    with pytest.raises(TypeError, match="robot 'robot': position target must be numbers, not "):
        robot.set_targets(pos=value)


def test_an_infinite_effort_limit_is_fine(robot: px.Robot) -> None:
    robot.set_drive(effort_limit=[1.0, INF, 2.0])
    assert host(robot.world[Drive].effort_limit)[-3:, 0].tolist() == [1, INF, 2]


@pytest.mark.parametrize(
    ("ids", "error", "message"),
    [
        ([4], IndexError, "env_ids must lie in 0..3, or in -4..-1 from the end; got 4 to 4"),
        ([0, -5], IndexError, "env_ids must lie in 0..3, or in -4..-1 from the end; got -5 to 0"),
        (slice("a", 2), ValueError, "env_ids must be a slice of whole numbers, not slice('a', 2, None): "),
        (slice(None, None, 0), ValueError, "env_ids must be a slice of whole numbers, not slice(None, None, 0): "),
        (99, IndexError, "env_ids must lie in 0..3, or in -4..-1 from the end; got 99 to 99"),
        ([0.5], ValueError, "env_ids must be whole numbers, not [0.5]"),
        (["a"], ValueError, "env_ids must be whole numbers, not ['a']"),
        ([True, False], ValueError, "env_ids must be whole numbers, not [True, False]"),
        ([[0, 1]], ValueError, "env_ids must be whole numbers, not [[0, 1]]"),
    ],
    ids=str,
)
def test_env_ids(robot: px.Robot, ids: Any, error: type[Exception], message: str) -> None:
    acts: list[Callable[[], Any]] = [
        lambda: robot.set_targets(pos=0.0, env_ids=ids),
        lambda: robot.set_root_state(vel=0.0, env_ids=ids),
        lambda: robot.world.reset(ids),
    ]
    for act in acts:
        with pytest.raises(error) as raised:
            act()
        assert str(raised.value).startswith(message) and (message.endswith(": ") or str(raised.value) == message)


@pytest.mark.parametrize("count", [-1, 1.5, "3", None, True])
def test_number_of_steps(robot: px.Robot, count: Any) -> None:
    with pytest.raises(ValueError) as raised:
        robot.world.step(count)
    assert str(raised.value) == f"step({count!r}): the number of steps must be a whole number, not negative"
    assert robot.world.step_count == 0


def test_component_arrays(robot: px.Robot) -> None:
    with pytest.raises(AttributeError, match="component LinkInertia has no field 'weight'; it has mass, com, inertia"):
        _ = robot.world[LinkInertia].weight
    with pytest.raises(ValueError, match="broadcast"):
        robot.world[LinkInertia].mass = np.zeros((2, 2))
    with pytest.raises(ValueError, match=r"LinkTopology.parent is the same in all environments by construction"):
        robot.world[LinkTopology].parent = np.zeros((4, 4), int)


def test_number_of_threads() -> None:
    with pytest.raises(ValueError, match=r"set_num_threads\(0\): at least 1 thread is needed"):
        px.set_num_threads(0)


# States and files.


@pytest.fixture
def world(device: str) -> px.World:
    world = px.World(num_envs=2, device=device)
    world.add_robot(arm())
    return world.build()


def test_states_that_do_not_fit(world: px.World) -> None:
    state = world.state()
    before = {key: value.tobytes() for key, value in state.items()}
    with pytest.raises(
        ValueError, match=r"state has Nothing.here, which this world does not hold; was it saved from another one"
    ):
        world.set_state({**state, "Nothing.here": np.zeros(3)})
    with pytest.raises(ValueError, match=r"state has Coordinate.value of shape \(2, 2\); this world needs \(10, 2\)"):
        world.set_state({**state, "Coordinate.value": np.zeros((2, 2))})
    assert {key: value.tobytes() for key, value in world.state().items()} == before


def corrupt(folder: Path, world: px.World) -> dict[str, Path]:
    """Files that are no saved world, by what is wrong with them."""
    world.save(folder / "good")
    good = (folder / "good").read_bytes()
    files = {name: folder / name for name in ("empty", "text", "array", "other arrays", "cut short", "flipped", "zip")}
    files["empty"].write_bytes(b"")
    files["text"].write_text("not a world at all")
    with files["array"].open("wb") as file:
        np.save(file, np.zeros(3))
    with files["other arrays"].open("wb") as file:
        np.savez(file, a=np.zeros(3), b=np.ones(2))
    files["cut short"].write_bytes(good[: len(good) // 2])
    at = good.index(b"NUMPY", 200) + 300
    files["flipped"].write_bytes(good[:at] + bytes([good[at] ^ 0xFF]) + good[at + 1 :])
    with zipfile.ZipFile(files["zip"], "w") as archive:
        archive.writestr("world.npy", "rubbish")
    with np.load(folder / "good") as data:
        arrays = {key: data[key] for key in data.files if key != "digest"}  # which tells all changes alike
    older = str(arrays["world"]).replace(f'"format": {FORMAT}', '"format": 0')
    for name, changed in (
        ("older format", {**arrays, "world": np.array(older)}),
        ("no json", {**arrays, "world": np.array("{")}),
        ("other json", {**arrays, "world": np.array(f'{{"format": {FORMAT}}}')}),
        ("lacks a field", {key: value for key, value in arrays.items() if key != "Coordinate.value"}),
        ("wrong shape", {**arrays, "Coordinate.value": np.zeros((3, 3))}),
        ("pickle", {**arrays, "Coordinate.value": np.array([{}], object)}),
    ):
        files[name] = folder / name
        with files[name].open("wb") as file:
            np.savez(file, allow_pickle=True, **changed)
    return files


def test_files_that_are_no_saved_world(world: px.World, device: str, tmp_path: Path) -> None:
    expected = {
        "older format": f"not a saved world (this description has another format than {FORMAT}",
        "lacks a field": "the saved world lacks Coordinate.value; did another version save it?",
        "wrong shape": "state has Coordinate.value of shape (3, 3); this world needs ",
    }
    for name, path in corrupt(tmp_path, world).items():
        with pytest.raises(px.LoadError) as raised:
            px.World.load(path, device=device)
        message = str(raised.value)
        assert message.startswith(f"{path}: ") and expected.get(name, "not a saved world") in message, (name, message)
        if name not in ("lacks a field", "wrong shape"):
            assert "it must come from World.save()" in message
    assert px.World.load(tmp_path / "good", device=device).num_envs == 2


def test_loading_what_is_not_there(tmp_path: Path) -> None:
    for path in (tmp_path / "nothing", tmp_path):
        with pytest.raises(px.LoadError) as raised:
            px.World.load(path)
        assert str(raised.value) == f"{path}: no such file"


def test_saving_where_it_cannot_be(world: px.World, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    for path in (tmp_path / "missing" / "world", tmp_path / "folder"):
        with pytest.raises(OSError) as raised:
            world.save(path)
        assert str(raised.value) == f"{path}: cannot save a world here; give the name of a file in a folder that exists"
    assert [p.name for p in tmp_path.rglob("*")] == ["folder"]


def test_a_save_that_fails_leaves_the_old_file(
    world: px.World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "world"
    world.save(path)
    good = path.read_bytes()

    def full(file: Any, **arrays: Any) -> None:
        file.write(b"half of it")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np, "savez", full)
    world.step(3)
    with pytest.raises(OSError, match="No space left on device"):
        world.save(path)
    assert path.read_bytes() == good and [p.name for p in tmp_path.iterdir()] == ["world"]


HALF_WRONG: list[tuple[str, dict[str, Any], type[Exception], str]] = [
    ("set_damping", {"linear": 1.0, "angular": -1.0}, ValueError, "angular damping is negative"),
    ("set_damping", {"linear": 1.0, "angular": "x"}, TypeError, "angular damping must be numbers"),
    ("set_max_velocity", {"linear": 1.0, "angular": 0.0}, ValueError, "cap on the angular velocity must be above 0"),
    ("set_max_velocity", {"linear": 1.0, "angular": np.ones((2, 2))}, ValueError, "has shape"),
    ("set_link_mass", {"mass": 2.0, "scale_inertia": np.ones(2)}, TypeError, "scale_inertia=.*must be True or False"),
    ("set_mass", {"mass": 2.0, "scale_inertia": "yes"}, TypeError, "scale_inertia='yes': must be True or False"),
    ("set_mass", {"mass": 1e-320}, ValueError, "is 1e-320, and the least number of float32 that is not 0 is 1.175e-38"),
]


@pytest.mark.parametrize(("method", "arguments", "error", "words"), HALF_WRONG)
def test_what_is_half_wrong_changes_nothing(
    method: str, arguments: dict[str, Any], error: type[Exception], words: str
) -> None:
    """Of several arguments one is wrong; each was found by random calls."""
    world = px.World(2)
    ball = world.add_rigid_object(px.Shape("sphere", (0.1,)), "ball", mass=1.0)
    before = world.state()
    with pytest.raises(error, match=words):
        getattr(ball, method)(**arguments)
    after = world.state()
    assert all(np.array_equal(before[key], after[key], equal_nan=True) for key in before)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"Coordinate.value": 1.0}, "state has Coordinate.value of float: must be an array of numbers"),
        ({"Coordinate.value": np.array(["x"])}, "state has Coordinate.value of ndarray: must be an array of numbers"),
        ({"ContactPoint.key": None}, "state has ContactPoint.key of NoneType: must be an array of numbers"),
        ({"step_count": 0.5}, "step_count=0.5: must be a whole number, at least 0"),
        ({"step_count": "7"}, "step_count='7': must be a whole number, at least 0"),
    ],
)
def test_states_of_something_else_than_numbers(changes: dict[str, Any], words: str) -> None:
    world = px.World(2)
    world.add_ground()
    world.add_rigid_object(px.Shape("sphere", (0.1,)), "ball", mass=1.0)
    before = world.state()
    with pytest.raises(ValueError, match=words):
        world.set_state({**before, **changes})
    assert all(np.array_equal(before[key], value) for key, value in world.state().items())


def test_what_is_not_there_says_so() -> None:
    """A bare NotImplementedError tells nobody what is missing, or what to do."""
    package = Path(px.__file__).parent
    assert not [path for path in package.rglob("*.py") if "raise NotImplementedError\n" in path.read_text()]
