"""Whether two models are the same robot, one of them written as USD and read back."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from phalanx.io.formats.usd.writer import Written
from phalanx.maths.arrays import matrix
from phalanx.models.meshes.mesh_files import merge
from phalanx.models.pose import body_frames
from phalanx.models.robot_model import Joint, RobotModel, Shape

CLOSE = 1e-6
"""Of numbers of the size of 1: USD keeps most of them in single precision."""

RESISTS = (
    "velocity_limit",
    "armature",
    "friction",
    "damping",
    "limit_stiffness",
    "limit_damping",
    "limit_restitution",
    "swing_limit",
)


def check_same(model: RobotModel, found: RobotModel, written: Written, seed: int = 0) -> None:
    """Raise AssertionError where a model that was read is not the one that was written."""
    bodies = {name: path.rpartition("/")[2] for name, path in written.bodies.items()}
    joints = {name: path.rpartition("/")[2] for name, path in written.joints.items()}
    _bodies(model, found, bodies)
    _joints(model, found, bodies, joints)
    _drives(model, found, joints)
    assert {tuple(map(bodies.__getitem__, pair)) for pair in model.disabled_pairs} == set(found.disabled_pairs)
    assert (bool(model.fixed_base), model.self_collision) == (found.fixed_base, found.self_collision)
    if model.fixed_base and any(joint.type != "fixed" for joint in model.joints):
        assert found.base_collision == model.base_collision
    close(found.position, model.position or (0.0, 0.0, 0.0), "position")
    same_turn(found.orientation, model.orientation or (1.0, 0.0, 0.0, 0.0), "orientation")
    rng = np.random.default_rng(seed)
    moving = [one.name for one in model.joints if one.type in ("revolute", "continuous", "prismatic")]
    for positions in ({}, {name: float(rng.uniform(-1.0, 1.0)) for name in moving}):
        ours = body_frames(found, {joints[name]: value for name, value in positions.items()})
        for name, (rotation, origin) in body_frames(model, positions).items():
            if name in bodies:
                close(ours[bodies[name]][0], rotation, name, 3.0)
                close(ours[bodies[name]][1], origin, name, 3.0)


def _bodies(model: RobotModel, found: RobotModel, names: dict[str, str]) -> None:
    theirs = {body.name: body for body in found.bodies if not body.hidden}
    assert {names[body.name] for body in model.bodies if not body.hidden} == theirs.keys()
    for body in (one for one in model.bodies if not one.hidden):
        other = theirs[names[body.name]]
        close(other.mass, body.mass, f"mass of {body.name}")
        if body.mass > 0.0:
            close(other.com, body.com, f"centre of {body.name}")
        size = max(float(np.abs(body.inertia).max()), 1e-3)
        close(np.array(other.inertia) / size, np.array(body.inertia) / size, f"inertia of {body.name}")
        assert other.gravity_scale == (0.0 if body.gravity_scale == 0.0 else 1.0)
        meeting = [shape for shape in body.collisions if shape.contact_type or shape.contact_affinity]
        shapes(meeting, other.collisions, body.name)
        shapes(body.visuals, other.visuals, body.name, looks=True)


def shapes(expected: list[Shape], found: list[Shape], who: str, looks: bool = False) -> None:
    """The same shapes in the same order."""
    assert [shape.kind for shape in found] == [shape.kind for shape in expected], who
    for mine, other in zip(expected, found, strict=True):
        if mine.kind == "mesh":
            # Meshes may be read in the body's frame.
            assert mine.vertices is not None and mine.faces is not None and other.vertices is not None
            vertices, faces = merge(_placed(mine), np.asarray(mine.faces))
            theirs, their_faces = merge(_placed(other), np.asarray(other.faces))
            span = float(np.ptp(vertices, axis=0).max())
            same = volume(theirs, their_faces)
            assert math.isclose(same, volume(vertices, faces), rel_tol=1e-4, abs_tol=1e-5 * span**3), who
            close(theirs.min(0) / span, vertices.min(0) / span, who)
            close(theirs.max(0) / span, vertices.max(0) / span, who)
            assert len(their_faces) == len(faces), who
        else:
            close(other.size, mine.size, f"size of {mine.kind} of {who}")
            close(other.position, mine.position, f"place of {mine.kind} of {who}")
            same_turn(other.orientation, mine.orientation, f"turn of {mine.kind} of {who}")
        if looks:
            assert (other.color is None) == (mine.color is None)
            close(other.color or (), mine.color or (), "colour")
            continue
        if mine.kind == "mesh":
            assert other.approximation == ("triangle_mesh" if mine.approximation == "none" else mine.approximation)
            if mine.sdf is not None:
                assert other.sdf is not None and other.sdf.resolution == mine.sdf.resolution
                close(other.sdf.margin, mine.sdf.margin, f"margin of {who}")
        for key, value in (mine.material or {}).items():
            assert other.material is not None
            if key == "contact_combine":  # USD has no attribute for it, which the writer notes
                assert key not in other.material
            elif isinstance(value, str):
                assert other.material[key] == value
            else:
                close(other.material[key], value, f"{key} of {who}")
        for key in ("contact_offset", "rest_offset"):
            if getattr(mine, key) is not None:
                close(getattr(other, key), getattr(mine, key), key)


def _placed(shape: Shape) -> np.ndarray:
    return np.asarray(shape.vertices) @ matrix(shape.orientation).T + np.asarray(shape.position)


def volume(vertices: np.ndarray, faces: np.ndarray) -> float:
    """Of a closed mesh; with open ones, a number that tells them apart all the same. Keeps the way that faces look."""
    a, b, c = (vertices[faces[:, n]] for n in range(3))
    return float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum()) / 6.0


def _joints(model: RobotModel, found: RobotModel, bodies: dict[str, str], names: dict[str, str]) -> None:
    kept = [one for one in model.joints if one.type not in ("planar", "free")]
    theirs = {joint.name: joint for joint in found.joints}
    if len(kept) == len(model.joints):
        assert {names[joint.name] for joint in kept} == theirs.keys()
    for joint in kept:
        other = theirs[names[joint.name]]
        unlimited = joint.type == "revolute" and math.isinf(joint.lower) and math.isinf(joint.upper)
        assert other.type == ("continuous" if unlimited else joint.type), joint.name
        if joint.parent in bodies and joint.child in bodies:
            assert (other.parent, other.child) == (bodies[joint.parent], bodies[joint.child])
        if joint.type == "fixed":
            continue
        for key in RESISTS:
            _same_number(getattr(other, key), getattr(joint, key), f"{key} of {joint.name}")
        _same_number(other.static_friction, max(joint.static_friction, joint.friction), f"friction of {joint.name}")
        if joint.type != "continuous":
            low, high = joint.lower, joint.upper
            if joint.type == "spherical" and min(joint.axis) < -0.5:  # the axis is read the other way round
                low, high = -high, -low
            _same_number(other.lower, low, f"lower of {joint.name}")
            _same_number(other.upper, high, f"upper of {joint.name}")
        _mimic(joint, other, names)


def _mimic(joint: Joint, other: Joint, names: dict[str, str]) -> None:
    assert (joint.mimic is None) == (other.mimic is None), joint.name
    if joint.mimic is not None and other.mimic is not None:
        assert other.mimic.joint == names[joint.mimic.joint]
        _same_number(other.mimic.multiplier, joint.mimic.multiplier, f"multiplier of {joint.name}")
        close(other.mimic.offset, joint.mimic.offset, f"offset of {joint.name}")


def _drives(model: RobotModel, found: RobotModel, names: dict[str, str]) -> None:
    """Gains and efforts of all dofs that have none of the notes; efforts of drives and joints count together."""
    by_name = {joint.name: joint for joint in model.joints}

    def renamed(dof: str) -> str:
        return names[dof] if dof in names else names[dof.rpartition(":")[0]] + ":" + dof.rpartition(":")[2]

    for name, drive in model.drives.items():
        other = found.drives[renamed(name)]
        for key in ("stiffness", "damping", "position", "velocity"):
            _same_number(getattr(other, key), getattr(drive, key), f"{key} of {name}")
        own = by_name.get(name) or by_name[name.rpartition(":")[0]]
        _same_number(other.effort_limit, min(drive.effort_limit, own.effort_limit), f"effort of {name}")
    for joint in model.joints:
        if math.isfinite(joint.effort_limit) and joint.type in ("revolute", "continuous", "prismatic"):
            drives = found.drives[names[joint.name]]
            assert drives.effort_limit <= joint.effort_limit * (1.0 + CLOSE)
            if joint.name not in model.drives and not model.actuators:
                assert drives.stiffness == drives.damping == 0.0
    for name, value in model.joint_pos.items():
        close(found.joint_pos.get(renamed(name), 0.0), value, f"start of {name}", 3.0)


def close(found: Any, expected: Any, what: str, factor: float = 1.0) -> None:
    """Equal to single precision."""
    expected = np.asarray(expected, float)
    size = max(1.0, float(np.abs(expected).max(initial=0.0)))
    np.testing.assert_allclose(np.asarray(found, float), expected, rtol=0.0, atol=factor * CLOSE * size, err_msg=what)


def _same_number(found: float, expected: float, what: str) -> None:
    """Also of numbers far from 1, and infinities."""
    np.testing.assert_allclose(found, expected, rtol=CLOSE, atol=1e-9, err_msg=what)


def same_turn(found: Any, expected: Any, what: str) -> None:
    """Equal as rotations."""
    close(matrix(np.array(found, float)), matrix(np.array(expected, float)), what)
