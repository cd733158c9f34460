"""The command line as a user meets it: a process, its two outputs and its exit code."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import cast

import numpy as np
import pytest
import zarr
from PIL import Image

import phalanx as px
from phalanx.commands.cli import main
from phalanx.commands.controllers import controller, gains
from phalanx.commands.loading import load
from phalanx.commands.run import RunOptions
from phalanx.io.recordings.replay import open_recording
from phalanx.systems import ORDER

PHALANX = [sys.executable, "-m", "phalanx"]


def phalanx(*arguments: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*PHALANX, *map(str, arguments)], cwd=cwd, capture_output=True, text=True, timeout=300, check=False
    )


def succeeds(*arguments: object, cwd: Path) -> str:
    done = phalanx(*arguments, cwd=cwd)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr and "\r" not in done.stderr  # bars are for terminals
    return done.stdout


def options(robot: str, **changes: object) -> RunOptions:
    values: dict[str, object] = {
        "num_envs": 4, "steps": 10, "dt": 0.005, "device": "cpu", "dtype": "float64", "base": "auto",
        "ground": True, "height": None, "controller": "hold", "stiffness": None, "damping": None, "seed": 0,
        "record": None, "record_every": 1, "picture": None,
    }  # fmt: skip
    return RunOptions(robot=robot, **{**values, **changes})  # type: ignore[arg-type]


def test_help_is_quick_and_names_every_command(tmp_path):
    succeeds("--help", cwd=tmp_path)
    start = time.perf_counter()
    text = succeeds("--help", cwd=tmp_path)
    assert time.perf_counter() - start < 5.0
    for command in ("info", "run", "replay", "bench", "warmup", "exec", "tasks", "assets", "doctor"):
        assert re.search(rf"\b{command}  +[A-Z]", text), text
    loaded = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys, phalanx.commands.cli; print([m for m in ('numba', 'zarr', 'PIL') if m in sys.modules])",
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    assert loaded.stdout.strip() == "[]"


def test_help_of_a_command_lists_the_options(tmp_path):
    text = succeeds("run", "--help", cwd=tmp_path)
    for option in (
        "--num-envs", "--steps", "--dt auto|S", "--device auto|cpu|cuda:N", "--dtype {float32,float64}", "--fixed-base",
        "--free-base", "--no-ground", "--height auto|Z", "--keyframe NAME|none", "--fix-inertias",
        "--controller {auto,hold,sine,random,none}", "--stiffness", "--damping", "--seed",
        "--record OUT.zarr", "--record-every", "--picture OUT.png", "--video OUT.mp4|OUT.gif", "--fps",
    ):  # fmt: skip
        assert option in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("", "Expected one of {info, run, view, replay, export, .*, completion}. See phalanx --help."),
        ("rn quadruped", "Unrecognized options"),
        ("run", "Missing from phalanx run: ROBOT. See phalanx run --help."),
        ("info arm --device cpu", "Unrecognized or misplaced options: --device cpu. See phalanx info --help."),
        (
            "run arm --num-envs 10000000000000000",
            "10 links in 10+ environments take at least [0-9.]+ GB, .* make fewer environments",
        ),
        ("run quadruped --num-envs many", "Error parsing --num-envs: invalid literal for int.*See phalanx run --help"),
        ("run quadruped --num-env 3", "Unrecognized options: --num-env, 3; perhaps you meant --num-envs"),
        ("run quadruped --controller swim", r"--controller.*\('auto', 'hold', 'sine', 'random', 'none'\)"),
        ("run quadruped --num-envs 0", "--num-envs must be at least 1, not 0."),
        ("run quadruped --steps -3", "--steps must be at least 1, not -3."),
        ("run quadruped --dt 0", "--dt must be a positive number of seconds, not 0.0."),
        ("run quadruped --stiffness -1", "--stiffness must be a number that is not negative, not -1.0."),
        ("run quadruped --height nan", "--height must be a finite number of metres or auto"),
        ("run quadruped --device cuda:77", "cuda:77"),
        ("run quadruped --device gpu", "gpu"),
        ("run quadruped --picture out.jpg", "out.jpg: the name must end in .png."),
        ("run quadruped --picture no/out.png", "no/out.png: there is no folder no; make it first."),
        ("run quadruped --record no/out.zarr", "there is no folder no"),
        ("run quadruped --record kept", "kept: it exists and is not a recording"),
        ("run quadrupe", '"quadrupe" is neither a file nor a shipped robot; did you mean "quadruped"?'),
        ("info nothing.urdf", "nothing.urdf: no such file"),
        ("info broken.urdf", "broken.urdf"),
        # which of the two hangs on what else is installed, since that decides whether noise is text
        ("info noise.stl", r"noise\.stl: (this is not a readable stl file .*|the mesh holds no triangles; .*)"),
        (
            "bench nothing",
            "no benchmark named nothing; there are humanoid, .*, and the families soft, cloth, .*, chains, spheres, ",
        ),
        ("bench --json out.txt", "out.txt: the name must end in .json."),
        ("bench arm --repeats 0", "--repeats must be at least 1, not 0."),
        ("bench arm --num-envs 4 -2", "--num-envs must be at least 1, not -2."),
        ("bench arm --device cuda:77", "cuda:77"),
        ("bench arm --export no", "no: there is no such folder; make it first."),
        ("warmup nothing", '"nothing" is neither a file nor a shipped robot'),
        ("warmup broken.urdf", "broken.urdf"),
        ("assets build nothing", "There is no stand-in 'nothing'; there are cartpole, "),
        ("assets fetch", "Say which files to fetch: phalanx assets fetch anymal-c franka"),
        ("assets steal", r"'action'.*\('list', 'build', 'fetch'\)"),
        ("tasks --json out.txt", "out.txt: the name must end in .json."),
        ("replay nothing.zarr", "nothing.zarr: there is no such folder."),
        ("replay kept", "kept: is no recording"),
    ],
)
def test_mistakes_are_one_line_and_leave_nothing(tmp_path, monkeypatch, capfd, arguments, message):
    """In this process, since others take a second each to begin; the first mistake about each command in one."""
    (tmp_path / "kept").mkdir()
    (tmp_path / "noise.stl").write_bytes(bytes(range(256)) * 4)
    (tmp_path / "broken.urdf").write_text('<robot name="r"><link name="a">')
    before = sorted(tmp_path.rglob("*"))
    monkeypatch.chdir(tmp_path)
    assert main(arguments.split()) == 2
    outcomes = [tuple(capfd.readouterr())]
    if arguments in ("", "run", "info nothing.urdf", "bench nothing", "warmup nothing", "replay nothing.zarr"):
        done = phalanx(*arguments.split(), cwd=tmp_path)
        assert done.returncode == 2
        outcomes.append((done.stdout, done.stderr))
    for output, errors in outcomes:
        assert output == ""
        lines = [line for line in errors.splitlines() if not line.startswith("Compiling")]
        assert len(lines) == 1 and lines[0].startswith("phalanx: "), errors
        assert re.search(message if "*" in message else re.escape(message), lines[0]), lines[0]
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("run quadruped --video out.avi", "out.avi: the name of a video must end in .mp4 or .gif."),
        ("run quadruped --video no/out.mp4", "no/out.mp4: there is no folder no; make it first."),
        ("run quadruped --video out.gif --fps 60", "a GIF shows 50 frames a second at most, not 60"),
        ("replay a.zarr --video out.mov", "out.mov: the name of a video must end in .mp4 or .gif."),
        (
            "replay a.zarr --video out.mp4 --size 321 240",
            "width and height of an .mp4 file must be even, not 321 x 240.",
        ),
        ("replay a.zarr --picture out.png --size 8 8", "--size must be from 16 to 8192 pixels, not 8 8."),
        ("replay a.zarr --sensor camera", "--sensor camera needs --video or --picture."),
        ("replay a.zarr --sensor radar:base", "--sensor radar:base: there are camera, camera:BODY, imu:BODY,"),
        ("replay a.zarr --sensor imu", "--sensor imu: say of which body, imu:BODY."),
        ("replay a.zarr --sensor camera camera:a --video a.gif", "--sensor: one camera at a time."),
        ("replay a.zarr --eye 1 1 1", "--eye needs --video or --picture."),
        ("replay a.zarr --show depth", "--show needs --video or --picture."),
        ("replay a.zarr --picture a.png --target 1 1 1", "--target needs --eye."),
        (
            "replay a.zarr --picture a.png --sensor camera:a --eye 1 1 1",
            "--eye and --target: give both of a camera that a body carries, or neither.",
        ),
        ("replay a.zarr --follow robot", "--follow needs --video or --picture."),
        ("replay a.zarr --picture a.png --sensor camera:a --follow a", "goes along with that body."),
        ("replay a.zarr --out a.csv", "--out needs a --sensor that it is to hold: imu:BODY, scan:BODY or contact."),
        ("replay a.zarr --sensor contact --out a.txt", "must end in .zarr or .csv."),
        ("replay a.zarr --sensor contact --out kept.zarr", "holds something else than readings of sensors."),
        ("replay a.zarr --env 0 all", "--env must be numbers of environments, or all."),
    ],
)
def test_mistakes_about_pictures_and_sensors(tmp_path, monkeypatch, capsys, arguments, message):
    """Told before anything is simulated or read."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "kept.zarr").mkdir()
    assert main(arguments.split()) == 2
    said = capsys.readouterr()
    assert said.out == "" and said.err.startswith("phalanx: ") and said.err.count("\n") == 1 and message in said.err
    assert list(tmp_path.iterdir()) == [tmp_path / "kept.zarr"]


def test_sensors_of_a_recording_are_known_before_anything_is_drawn(tmp_path, monkeypatch, capsys):
    """And one that is named twice is made once."""
    monkeypatch.chdir(tmp_path)
    world = px.World()
    world.add_rigid_object(px.Shape("sphere", (0.1,)), "ball")
    with px.Recorder(world, "a.zarr"):
        world.step(2)
    assert main(["replay", "a.zarr", "--video", "a.gif", "--sensor", "imu:ball", "imu:foot"]) == 2
    assert capsys.readouterr().err == "phalanx: --sensor imu:foot: there is no body 'foot'; there are ball/ball.\n"
    assert list(tmp_path.iterdir()) == [tmp_path / "a.zarr"]
    assert main(["replay", "a.zarr", "--sensor", "imu:ball", "imu:ball", "--out", "a.csv"]) == 0
    titles = (tmp_path / "a.csv").read_text().splitlines()[0].split(",")
    assert len(titles) == len(set(titles)) == 2 + 4 * 3 + 4


def test_info(tmp_path):
    text = succeeds("info", "quadruped", cwd=tmp_path)
    assert "quadruped" in text and "FL_calf_joint" in text and "12" in text


def test_info_step(tmp_path):
    """Phases and systems are in the declared order, and each names what it reads, writes and costs."""
    text = succeeds("info", "quadruped", "--step", cwd=tmp_path)
    assert max(map(len, text.splitlines())) <= 100
    phases = re.findall(r"^ *\d+ (\w+)$", text, re.MULTILINE)
    assert phases == [phase for phase in ORDER if phase in phases] and {"actuate", "sweep", "kinematics"} <= set(phases)
    drives = re.search(
        r"^   drive_joints +(\d+\.\d) us\n      reads  (.*?)      writes (.*?)\n(?=   \w|\n)", text, re.M | re.S
    )
    assert drives and float(drives[1]) > 0 and "Drive.damping" in drives[2] and "DriveEffort.offset" in drives[3]


def test_run_record_replay_verify_picture(tmp_path, device):
    text = succeeds(
        "run", "quadruped", "--num-envs", 5, "--steps", 150, "--controller", "random", "--seed", 3, "--device", device,
        "--record", "a.zarr", "--record-every", 2, "--picture", "a.png", cwd=tmp_path,
    )  # fmt: skip
    assert f"5 environments for 0.75 s (150 steps of 0.005 s) on {device}, float32" in text
    assert re.search(r"speed +[\d,]+ env-steps/s", text)
    height = re.search(r"base height +(\d\.\d+) m on average", text)
    assert height and 0.15 < float(height[1]) < 0.4
    assert "a.zarr: 76 samples" in text
    with Image.open(tmp_path / "a.png") as picture:
        assert picture.size == (1280, 960)
        assert np.asarray(picture).std() > 5
    text = succeeds("replay", "a.zarr", "--env", 4, "--verify", "--picture", "b.png", "--size", 320, 240, cwd=tmp_path)
    assert "robot in environment 4:" in text
    assert "The same to the last bit: 76 samples over 150 steps" in text
    assert (tmp_path / "b.png").stat().st_size > 10_000

    text = succeeds(
        "replay", "a.zarr", "--env", 1, 3, "--video", "b.mp4", "--fps", 20, "--size", 160, 120, "--show", "normals",
        "--sensor", "imu:base", "scan:base", "contact", cwd=tmp_path,
    )  # fmt: skip
    assert "b.mp4: environments 1, 3, 16 frames, 0.8 s" in text
    assert frames(tmp_path / "b.mp4") == (16, 160, 120)
    assert "a.sensors.zarr: imu:base, scan:base, contact of environments 1, 3" in text
    sensors = cast(zarr.Group, zarr.open_group(str(tmp_path / "a.sensors.zarr"), mode="r"))
    assert cast(zarr.Array, sensors["imu/base/lin_acc"]).shape == (76, 2, 3)
    assert cast(zarr.Array, sensors["scan/base/height"]).shape == (76, 2, 17, 11)
    recorded = open_recording(tmp_path / "a.zarr")["robot"].net_contact_force[[1, 3]].swapaxes(0, 1)
    np.testing.assert_array_equal(cast(zarr.Array, sensors["contact/robot/force"])[...], recorded)
    text = succeeds(
        "replay",
        "a.zarr",
        "--picture",
        "c.png",
        "--sensor",
        "camera:base",
        "--size",
        64,
        48,
        "--show",
        "normals",
        cwd=tmp_path,
    )
    with Image.open(tmp_path / "c.png") as picture:
        assert picture.size == (64, 48)

    velocity = open_recording(tmp_path / "a.zarr")["robot"].joint_vel
    array = zarr.open_array(str(tmp_path / "a.zarr/robots/robot/joint_vel"), mode="r+")
    array[30, 2, 7] = velocity[2, 30, 7] + np.float32(1.0)
    done = phalanx("replay", "a.zarr", "--verify", cwd=tmp_path)
    assert done.returncode == 1
    assert "Differs first at step 60" in done.stdout and "in environment 2" in done.stdout
    assert open_recording(tmp_path / "a.zarr")["robot"].joint_names[7] in done.stdout


def frames(path: Path) -> tuple[int, int, int]:
    """How many frames a video has, and their width and height."""
    av = pytest.importorskip("av", reason="PyAV is not installed")
    with av.open(str(path)) as container:
        images = [image.to_ndarray(format="rgb24") for image in container.decode(video=0)]
    assert all(image.shape == images[0].shape for image in images)
    return len(images), images[0].shape[1], images[0].shape[0]


def test_a_video_of_a_run(tmp_path, device):
    """Frames every 40 ms, first and last steps included, of a step of 3 ms; who moves is seen to move."""
    text = succeeds(
        "run", "quadruped", "--num-envs", 2, "--steps", 100, "--dt", 0.003, "--controller", "sine", "--device", device,
        "--video", "a.gif", "--fps", 25, cwd=tmp_path,
    )  # fmt: skip
    assert "video        a.gif: 8 frames, 0.32 s" in text
    with Image.open(tmp_path / "a.gif") as video:
        assert video.size == (640, 480) and getattr(video, "n_frames", 1) == 8
        first = np.asarray(video.convert("RGB")).astype(int)
        video.seek(7)
        last = np.asarray(video.convert("RGB")).astype(int)
    moved = np.abs(first - last).max(axis=-1) > 60
    assert 100 < moved.sum() < 0.2 * moved.size
    assert list(tmp_path.iterdir()) == [tmp_path / "a.gif"]


def test_an_interrupted_video_leaves_no_file(tmp_path):
    succeeds(
        "run", "double_pendulum", "--num-envs", 1, "--steps", 400, "--device", "cpu", "--record", "a.zarr", cwd=tmp_path
    )
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    process = subprocess.Popen(
        [*PHALANX, "replay", "a.zarr", "--video", "a.mp4", "--fps", "1000", "--show", "normals"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    signal.signal(signal.SIGINT, before)
    try:
        deadline = time.monotonic() + 200
        while not list(tmp_path.glob(".a.*.mp4")):
            assert process.poll() is None and time.monotonic() < deadline
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    finally:
        process.kill()
        process.wait()
    assert process.returncode == 130 and "phalanx: Interrupted." in errors and "Traceback" not in errors
    assert list(tmp_path.iterdir()) == [tmp_path / "a.zarr"]


def test_an_interrupt_of_generated_code_is_told_as_any_other(tmp_path):
    """CPython ends by the signal if Ctrl-C came while it executed a text, which kernels are made of."""
    (tmp_path / "interrupted.py").write_text(
        "import sys\nfrom phalanx.commands import cli\n"
        "cli._dispatch = lambda arguments: exec('raise KeyboardInterrupt')\nsys.exit(cli.main([]))\n"
    )
    found = subprocess.run([sys.executable, "-m", "interrupted"], cwd=tmp_path, capture_output=True, text=True)
    assert (found.returncode, found.stderr) == (130, "\nphalanx: Interrupted.\n")


def test_interrupted_recording_is_closed_and_kept(tmp_path, device):
    arguments = f"run quadruped --num-envs 2 --steps 100000000 --device {device} --record a.zarr"
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # shells start background jobs deaf to Ctrl-C
    process = subprocess.Popen(
        [*PHALANX, *arguments.split()],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    signal.signal(signal.SIGINT, before)
    try:
        deadline = time.monotonic() + 200
        while not (tmp_path / "a.zarr/robots/robot/joint_pos/c.0.0.0").exists():
            assert process.poll() is None and time.monotonic() < deadline
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=60)
    finally:
        process.kill()
        process.wait()
    assert process.returncode == 130 and output == ""
    assert "Traceback" not in errors
    said = re.search(r"phalanx: Interrupted after (\d+) of 100000000 steps. a.zarr keeps (\d+) samples.", errors)
    assert said, errors
    recording = open_recording(tmp_path / "a.zarr")
    assert recording.closed and recording.num_samples == int(said[2]) > 100
    assert int(recording.step[-1]) in (int(said[1]) - 1, int(said[1]))  # the last step may not have been sampled


def test_a_real_robot_starts_on_the_ground_and_stays_up(tmp_path, robot_path: Callable[[str], Path]):
    """Height and gains come from the model: the feet touch, nothing sinks or jumps."""
    robot = robot_path("anymal_c")
    text = succeeds(
        "run", robot, "--num-envs", 2, "--steps", 200, "--record", "a.zarr", "--device", "cpu", cwd=tmp_path
    )
    odd = [line for line in text.splitlines() if line.startswith("warning")]
    assert odd and all("link" in line and "violates the triangle inequality" in line for line in odd), text
    height = open_recording(tmp_path / "a.zarr")["robot"].root_pose[0, :, 2]
    assert 0.55 < height[0] < 0.7
    assert height[0] - 0.005 < height.min() and height.max() < height[0] + 1e-3


def test_gains_follow_effort_limits_and_damp_critically(robot_path: Callable[[str], Path]):
    (robot,) = load(options(str(robot_path("go2")))).robots
    stiffness, damping = gains(robot)
    limits = {joint.name: joint.effort_limit for joint in robot.model.joints}
    np.testing.assert_allclose(stiffness, [limits[name] / 0.25 for name in robot.joint_names])
    inertia = np.asarray(robot.mass_matrix())[0].diagonal()[6:]
    np.testing.assert_allclose(damping / (2.0 * np.sqrt(stiffness * inertia)), 1.0)


@pytest.mark.parametrize("name", ["sine", "random"])
def test_targets_stay_within_limits_and_do_not_depend_on_other_environments(name):
    (robot,) = load(options("quadruped")).robots
    lower, upper = robot.joint_limits
    few, _ = controller(name, robot, range(4), 4, seed=1)
    assert few is not None
    seen = np.array([few(0.25 * i) for i in range(12)])
    assert (seen >= lower).all() and (seen <= upper).all()
    assert np.ptp(seen, axis=0).min() > 0.05
    assert np.abs(seen - robot.default_joint_pos).max() <= 0.75
    if name == "random":
        many, _ = controller(name, robot, range(40), 40, seed=1)
        other, _ = controller(name, robot, range(4), 4, seed=2)
        assert many is not None and other is not None
        np.testing.assert_array_equal(many(1.5)[:4], few(1.5))
        assert not np.array_equal(other(1.5), few(1.5))


def test_hold_and_none_have_no_targets_of_their_own():
    (robot,) = load(options("quadruped")).robots
    assert all(controller(name, robot, range(4), 4, 0)[0] is None for name in ("hold", "none"))


def test_a_wrong_number_of_threads(tmp_path, monkeypatch):
    monkeypatch.setenv("PHALANX_NUM_THREADS", "many")
    done = phalanx("run", "arm", "--device", "cpu", cwd=tmp_path)
    assert done.returncode == 2 and done.stdout == ""
    lines = [line for line in done.stderr.splitlines() if not line.startswith("Compiling")]
    assert lines == ["phalanx: PHALANX_NUM_THREADS='many': must be a positive whole number"]


def test_a_reader_that_goes_away_is_no_mistake(tmp_path):
    for arguments in (["bench", "--list"], ["info", "quadruped"]):
        process = subprocess.Popen(
            [*PHALANX, *arguments], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert process.stdout is not None and process.stderr is not None
        process.stdout.close()
        assert (process.stderr.read(), process.wait(timeout=300)) == ("", 141)
        process.stderr.close()


def test_no_permission(tmp_path):
    if os.geteuid() == 0:
        short = ("--num-envs", 1, "--steps", 1, "--size", 64, 48)
        done = phalanx("run", "quadruped", *short, "--picture", "/proc/a.png", cwd=tmp_path)
    else:
        (tmp_path / "locked").mkdir(mode=0o500)
        done = phalanx("run", "quadruped", "--picture", "locked/a.png", cwd=tmp_path)
    assert done.returncode == 2 and "Traceback" not in done.stderr
    assert "a.png" in done.stderr.splitlines()[-1]
