"""``phalanx run`` on files of all sorts: whole scenes with their options, robots that stand, arms, what diverges."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mjcf_files import save
from oracles.mjcf_oracle import MjcfOracle, mj

import phalanx as px
from phalanx.commands.cli import main
from phalanx.commands.run import DIVERGED
from phalanx.io.recordings.replay import open_recording

BODIES = """
<geom type="plane" size="9 9 1"/>
<body name="arm" pos="0 0 1"><joint name="yaw" axis="0 0 1"/><joint name="pitch" axis="0 1 0" damping=".1"/>
  <geom type="capsule" size=".05 .2" pos=".2 0 0"/></body>
<body name="leg" pos="2 0 .8"><joint name="hip" axis="0 1 0"/><geom type="capsule" size=".05 .2" pos="0 0 -.2"/></body>
<body name="ball" pos="4 0 .2"><freejoint/><geom size=".1"/></body>
<body name="shelf" pos="6 0 .5"><geom type="box" size=".3 .3 .02"/></body>
"""
HEAD = """<option timestep=".004" gravity="0 0 -4"><flag sleep="enable"/></option>
<actuator><position name="yaw" joint="yaw" kp="5"/></actuator><keyframe>
<key name="up" qpos=".5 -.4 .3  4 0 .9 1 0 0 0" qvel="0 0 1  0 0 0 0 0 0" ctrl=".5"/>
<key name="home" qpos="-.5 -.4 .3  4 0 .5 1 0 0 0" ctrl="-.5"/></keyframe>"""


def said(capsys: pytest.CaptureFixture[str], code: int, *arguments: object) -> str:
    """What a command prints that ends with a code."""
    assert main([str(argument) for argument in arguments]) == code, capsys.readouterr()
    return capsys.readouterr().out


@pytest.mark.parametrize(("asked", "name"), [((), "home"), (("--keyframe", "up"), "up"), (("--keyframe", "none"), "")])
def test_a_scene_runs_with_its_options_and_keyframe(
    asked: tuple[str, ...], name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], device: str
) -> None:
    """Motion, velocities and controls of the keyframe included, is that of MuJoCo with the same time step."""
    file = save(tmp_path, BODIES, HEAD)
    record = tmp_path / "a.zarr"
    common = ("--num-envs", 2, "--steps", 40, "--device", device, "--dtype", "float64", "--record", record)
    text = said(capsys, 0, "run", file, *common, *asked)
    assert "objects      2: ball, shelf" in text and text.count("robot        ") == 2
    assert "40 steps of 0.004 s" in text and ("a ground at height 0" not in text)
    assert (f"keyframe '{name}'" in text) == bool(name)
    assert '"sleep" cannot be switched' in text
    recording = open_recording(record)
    oracle = MjcfOracle(file)
    if name:
        mj.mj_resetDataKeyframe(oracle.model, oracle.data, ["up", "home"].index(name))
    mj.mj_step(oracle.model, oracle.data, 40)
    arm, leg, ball = recording.robots["arm"], recording.robots["leg"], recording.objects["ball"]
    np.testing.assert_allclose(arm.joint_pos[1, -1], oracle.data.qpos[:2], atol=2e-3)
    np.testing.assert_allclose(leg.joint_pos[1, -1], oracle.data.qpos[2:3], atol=2e-3)
    np.testing.assert_allclose(ball.root_pose[1, -1, 2], oracle.data.qpos[5], atol=2e-3)
    if name == "up":
        assert abs(leg.joint_pos[0, 1, 0] - 0.3) > 1e-3, "it starts with the keyframe's velocity"


def test_what_a_scene_is_asked_for_wrongly(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = save(tmp_path, BODIES, HEAD)
    empty = tmp_path / "empty.xml"
    empty.write_text('<mujoco><worldbody><geom type="plane" size="1 1 1"/></worldbody></mujoco>')
    for arguments, message in (
        (("run", file, "--keyframe", "down"), "has no keyframe 'down'; it has up, home."),
        (("run", file, "--free-base"), "--free-base is for URDF files"),
        (("run", file, "--height", 1), "--height is for files with one robot"),
        (("run", empty), "there is nothing in it to simulate"),
        (("run", "quadruped", "--keyframe", "home"), "--keyframe is for MJCF and USD files"),
        (("run", "quadruped", "--fixed-base", "--free-base"), "give one of them"),
    ):
        assert main([str(argument) for argument in arguments]) == 2
        assert message in capsys.readouterr().err


def test_objects_alone_run_and_a_ground_is_added(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = save(tmp_path, '<body name="a" pos="0 0 .3"><freejoint/><geom size=".1"/></body>')
    text = said(
        capsys, 0, "run", file, "--num-envs", 2, "--steps", 300, "--device", "cpu", "--record", tmp_path / "a.zarr"
    )
    assert "objects      1: a" in text and "on a ground at height 0" in text and "robot  " not in text
    assert open_recording(tmp_path / "a.zarr").objects["a"].root_pose[0, -1, 2] == pytest.approx(0.1, abs=1e-3)
    said(capsys, 0, "run", file, "--num-envs", 2, "--steps", 300, "--device", "cpu", "--no-ground")


def test_usd_scenes_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("pxr", reason="usd-core is not installed")
    from phalanx.io.formats import library
    from phalanx.io.formats.usd import write_robot

    write_robot(library.load_robot("cartpole", False), tmp_path / "a.usda")
    text = said(capsys, 0, "run", tmp_path / "a.usda", "--num-envs", 2, "--steps", 5, "--device", "cpu")
    assert "2 degrees of freedom" in text and "fixed base" in text


LINK = """<link name="{}"><inertial><mass value="1"/><inertia ixx="{}" iyy=".01" izz=".01" ixy="0" ixz="0" iyz="0"/>
</inertial>
<collision><origin xyz="0 0 -.15"/><geometry><cylinder radius=".03" length=".3"/></geometry></collision></link>
"""
HINGE = """<joint name="{0}{1}" type="revolute"><parent link="{0}"/><child link="{1}"/><origin xyz="0 0 {2}"/>
<axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="20" velocity="9"/></joint>"""


def arm(folder: Path, moment: float = 0.01) -> Path:
    links = "".join(LINK.format(name, moment) for name in "abcd")
    joints = "".join(HINGE.format(*pair, -0.3) for pair in ("ab", "bc", "cd"))
    (folder / "arm.urdf").write_text(f'<robot name="arm">{links}{joints}</robot>')
    return folder / "arm.urdf"


def test_the_base_of_an_arm_is_fixed_and_it_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    common = ("run", arm(tmp_path), "--num-envs", 1, "--steps", 2, "--device", "cpu")
    text = said(capsys, 0, *common)
    assert "fixed base" in text and "its base is fixed, as it is an arm; --free-base undoes it" in text
    text = said(capsys, 0, *common, "--free-base")
    assert "free base" in text and "is an arm" not in text


def test_inertias_are_repaired_and_it_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    common = ("run", arm(tmp_path, 0.05), "--num-envs", 1, "--steps", 2, "--device", "cpu")
    assert main([str(argument) for argument in common]) == 2
    assert 'arm.urdf:1: <inertia> of <link name="a">: its inertia violates' in capsys.readouterr().err
    text = said(capsys, 0, *common, "--fix-inertias")
    assert text.count("the nearest that one can have is taken") == 4
    assert "the nearest that one can have is taken" in " ".join(
        said(capsys, 0, "info", common[1], "--fix-inertias").split()
    )


def test_what_diverges_has_an_exit_code_of_its_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One environment turns so fast that its state is soon no longer a number."""
    step = px.World.step
    done: list[int] = []

    def poisoned(self: px.World, steps: int = 1) -> Any:
        if not done:
            self.robots["robot"].set_joint_state(vel=3e38, env_ids=[1])
        done.append(steps)
        return step(self, steps)

    monkeypatch.setattr(px.World, "step", poisoned)
    text = said(capsys, DIVERGED, "run", "double_pendulum", "--num-envs", 3, "--steps", 20, "--device", "cpu")
    assert DIVERGED == 3
    assert "diverged     1 of 3 environments: 1" in text and "warning      1 of 3 environments diverged" in text


# Robots that stand.


@pytest.mark.parametrize(
    ("name", "bent", "height"),
    [
        ("go2", True, 0.394),
        ("a1", True, 0.361),
        ("anymal_c", False, 0.630),
        ("g1", False, 0.792),
        ("talos", False, 1.083),
    ],
)
def test_legged_robots_stand(name: str, bent: bool, height: float, robot_path: Any, device: str) -> None:
    """For a second, on drives that hold the pose; which pose it is, is said once."""
    from phalanx.commands.controllers import gains

    world = px.World(2, device=device)
    world.add_ground()
    with pytest.warns(UserWarning, match="does not say where it starts, so it starts") as caught:
        robot = world.add_robot(robot_path(name))
    assert [("legs bent" in str(each.message)) for each in caught] == [bent]
    assert robot.default_root_pose[2] == pytest.approx(height, abs=5e-3)
    world.build()
    stiffness, damping = gains(robot)
    robot.set_drive(stiffness=stiffness, damping=damping)
    world.step(200)
    pose = np.asarray(robot.root_pose)
    assert pose[:, 2] == pytest.approx(height, abs=0.04)
    assert np.abs(pose[:, 3]).min() > 0.99, "it has not tilted by more than 16 degrees"


def test_legged_robots_start_where_they_are_told(robot_path: Any, device: str) -> None:
    world = px.World(2, device=device)
    for k, place in enumerate((np.array([0.0, 0.0, 0.5]), [1.0, 0.0, 0.5])):
        robot = world.add_robot(robot_path("go2"), f"robot {k}", position=place)
        assert robot.default_root_pose[:3].tolist() == [k, 0.0, 0.5]
