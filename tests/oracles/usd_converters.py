"""Compares real robots with what converters to USD make of them, as we read it; run by hand, it takes minutes.

    python -m venv /tmp/converters && /tmp/converters/bin/pip install urdf-usd-converter mujoco-usd-converter
    cd tests && python -m oracles.usd_converters /tmp/converters [NAME ...]

The converters pull in a ``pxr`` of their own, so that they need an environment of their own. URDF files are those of
``real_robots``, read by our own reader; MJCF files those of gymnasium and dm_control, read by MuJoCo. Compared are for
each body its mass, its inertia and where it is at random positions of the joints, limits, and numbers of colliders.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import real_robots

from phalanx.io.formats.urdf import load_urdf
from phalanx.io.formats.usd import Scene, load_scene
from phalanx.io.formats.usd.bindings import Usd
from phalanx.io.reading.errors import LoadError
from phalanx.models.pose import body_frames
from phalanx.models.robot_model import RobotModel


def main(folder: str, *names: str) -> None:
    """Compare all files, or those named; prints a line for each."""
    tools = Path(folder) / "bin"
    done = failed = 0
    for name in names or real_robots.URDF_FILES:
        if name in real_robots.URDF_FILES:
            done += 1
            failed += not _report(name, _compare_urdf, tools, real_robots.robot_path(name))
    for file in _mjcf_files():
        if not names or file.stem in names:
            done += 1
            failed += not _report(file.stem, _compare_mjcf, tools, file)
    print(f"{done} files, {failed} differ or were not converted")


def _report(name: str, compare: object, tools: Path, file: Path) -> bool:
    try:
        print(f"{name}: {compare(tools, file)}", flush=True)  # pyright: ignore[reportCallIssue]
    except (AssertionError, LoadError, RuntimeError) as error:
        print(f"{name}: FAILS: {' '.join(str(error).split())[:400]}", flush=True)
        return False
    return True


def _convert(tool: Path, file: Path, into: str) -> Scene:
    done = subprocess.run([str(tool), str(file), into], capture_output=True, text=True, check=False)
    made = [one for one in Path(into).iterdir() if one.suffix in (".usda", ".usdc", ".usd", ".usdz")]
    if not made:
        raise RuntimeError(f"not converted: {(done.stderr or done.stdout).strip()[-300:]}")
    return load_scene(made[0])


def _rename(scene: Scene, file: Path) -> None:
    """Give bodies and joints the names that the URDF file has, which prims cannot always have."""
    stage = Usd.Stage.Open(str(file))

    def name(path: str) -> str:
        prim = stage.GetPrimAtPath(path)
        return prim.GetDisplayName() or prim.GetName()

    for actor in scene.actors.values():
        bodies = {ours: name(path) for path, ours in actor.bodies.items()}
        joints = {ours: name(path) for path, names in actor.joints.items() for ours in names}
        for body in actor.model.bodies:
            body.name = bodies.get(body.name, body.name)
        for joint in actor.model.joints:
            joint.parent, joint.child = bodies.get(joint.parent, joint.parent), bodies.get(joint.child, joint.child)
            joint.name = joints.get(joint.name, joint.name) if joint.type != "fixed" else joint.name


def _robot(scene: Scene) -> RobotModel:
    moving = [one for one in scene.robots if any(joint.type != "fixed" for joint in one.model.joints)] or scene.robots
    moving = moving or [one for one in scene.actors.values() if one.kind == "dynamic"]
    assert len(moving) == 1, f"{len(moving)} robots: {[one.name for one in moving]}"
    return moving[0].model


def _compare_urdf(tools: Path, file: Path) -> str:
    ours = load_urdf(file, visuals=False)
    with tempfile.TemporaryDirectory() as into:
        scene = _convert(tools / "urdf_usd_converter", file, into)
        _rename(scene, next(one for one in Path(into).iterdir() if one.suffix.startswith(".usd")))
    theirs = _robot(scene)
    mine = {body.name: body for body in ours.bodies}
    worst = 0.0
    weighed = [body for body in theirs.bodies if mine[body.name].mass > 0]
    for body in weighed:
        other = mine[body.name]
        scale = max(float(np.abs(other.inertia).max()), 1e-9)
        worst = max(worst, abs(body.mass / other.mass - 1), float(np.abs(body.inertia - other.inertia).max() / scale))
        worst = max(worst, float(np.abs(np.subtract(body.com, other.com)).max()))
        assert len(body.collisions) >= len(other.collisions), f"{body.name}: colliders"  # of scenes of meshes more
    assert worst < 1e-5, f"mass properties differ by {worst:.1e}"
    joints = {joint.name: joint for joint in ours.joints}
    for joint in theirs.joints:
        other = joints.get(joint.name)
        if other is None:
            assert joint.type == "fixed", joint.name
            continue
        if joint.type in ("revolute", "prismatic") and np.isfinite(other.upper - other.lower):
            np.testing.assert_allclose((joint.lower, joint.upper), (other.lower, other.upper), rtol=1e-5, atol=1e-5)
            assert (joint.mimic is None) == (other.mimic is None), f"{joint.name} mimics"
    apart = 0.0
    rng = np.random.default_rng(0)
    for _ in range(5):
        q = {
            j.name: float(rng.uniform(-1, 1)) for j in ours.joints if j.type in ("revolute", "continuous", "prismatic")
        }
        start = (theirs.position or (), theirs.orientation or ())  # a root without mass is no body there
        a, b = body_frames(ours, q), body_frames(theirs, q, *start)
        b.pop("world", None)
        apart = max([apart, *(float(np.abs(a[n][1] - b[n][1]).max()) for n in b)])
        apart = max([apart, *(float(np.abs(a[n][0] - b[n][0]).max()) for n in b)])
    assert apart < 1e-5, f"bodies are {apart:.1e} apart"
    count = f"{len(theirs.bodies)} bodies of {len(ours.bodies)}"
    return f"{count}, mass properties to {worst:.1e}, poses to {apart:.1e}; {len(scene.warnings)} notes"


def _compare_mjcf(tools: Path, file: Path) -> str:
    import mujoco

    model = mujoco.MjModel.from_xml_path(str(file))  # pyright: ignore[reportAttributeAccessIssue]
    data = mujoco.MjData(model)  # pyright: ignore[reportAttributeAccessIssue]
    mujoco.mj_kinematics(model, data)  # pyright: ignore[reportAttributeAccessIssue]
    with tempfile.TemporaryDirectory() as into:
        scene = _convert(tools / "mujoco_usd_converter", file, into)
    worst = apart = 0.0
    count = 0
    for actor in scene.actors.values():
        if actor.kind == "static":
            continue
        root = (actor.model.position or (), actor.model.orientation or ())
        frames = body_frames(actor.model, actor.model.joint_pos, *root)
        for body in actor.model.bodies:
            if body.hidden or body.name == "world":
                continue
            number = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, body.name)  # pyright: ignore
            if number < 0:
                continue
            count += 1
            turned = np.zeros(9)
            mujoco.mju_quat2Mat(turned, model.body_iquat[number])  # pyright: ignore[reportAttributeAccessIssue]
            turned = turned.reshape(3, 3)
            inertia = turned @ np.diag(model.body_inertia[number]) @ turned.T
            scale = float(np.abs(inertia).max()) or 1.0
            worst = max(worst, abs(body.mass / model.body_mass[number] - 1) if model.body_mass[number] else 0.0)
            worst = max(worst, float(np.abs(inertia - body.inertia).max()) / scale)
            apart = max(apart, float(np.abs(frames[body.name][1] - data.xpos[number]).max()))
    assert count > 0, "no body of the same name"
    assert worst < 1e-3, f"{count} bodies: mass properties differ by {worst:.1e}"
    assert apart < 1e-4, f"{count} bodies: {apart:.1e} apart"
    dofs = sum(j.type in ("revolute", "continuous", "prismatic") for a in scene.actors.values() for j in a.model.joints)
    what = f"{count} bodies of {model.nbody - 1}, {dofs} joints of {model.njnt}"
    return f"{what}, masses to {worst:.1e}, poses to {apart:.1e}; {len(scene.warnings)} notes"


def _mjcf_files() -> list[Path]:
    found = []
    for package, where in (("gymnasium", "envs/mujoco/assets"), ("dm_control", "suite")):
        spec = importlib.util.find_spec(package)
        if spec is not None and spec.submodule_search_locations:
            found += sorted((Path(next(iter(spec.submodule_search_locations))) / where).glob("*.xml"))
    return found


if __name__ == "__main__":
    main(*sys.argv[1:])
