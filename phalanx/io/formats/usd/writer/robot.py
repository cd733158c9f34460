"""A whole robot as a file, or on a stage."""

from __future__ import annotations

import os
from dataclasses import asdict, replace
from typing import Any

from phalanx.ecs.whole_files import replacing
from phalanx.io.formats.usd.bindings import Kind, Prim, Sdf, Stage, Tf, Usd, UsdGeom, UsdPhysics
from phalanx.io.formats.usd.writer.bodies import write_body, write_options
from phalanx.io.formats.usd.writer.drives import write_dynamics
from phalanx.io.formats.usd.writer.filters import write_groups, write_pairs
from phalanx.io.formats.usd.writer.joints import JointPrims, add_mobility, write_joints
from phalanx.io.formats.usd.writer.shapes import Shapes
from phalanx.io.formats.usd.writer.tendons import write_tendons
from phalanx.io.formats.usd.writer.writing import Writing, Written, point, quaternion
from phalanx.maths.arrays import from_matrix, from_rotation_vector, product
from phalanx.models.pose import body_frames
from phalanx.models.robot_model import RobotModel
from phalanx.models.surface import Material


def write_robot(
    model: RobotModel,
    target: str | os.PathLike[str] | Stage,
    prim_path: str = "",
    *,
    fixed_base: bool | None = None,
    root: str = "",
    density: float | None = None,
    alike: bool = True,
    instanceable: bool = False,
) -> Written:
    """Write a robot as USD.

    Reading it back gives the same robot, to single precision: names that are no identifiers are changed, bodies without
    mass get 1e-9 kg, and the notes say what else USD cannot say. Bodies are drawn where ``model.position`` and
    ``joint_pos`` have them.

    Args:
        model: what a reader made of a file.
        target: a file (.usd, .usda or .usdc), which is replaced, with the robot as its default prim; or a stage in
            metres, kilograms and z up, which is not saved.
        prim_path: of the robot's prim, by default its name at the stage's root.
        fixed_base: whether the root is held by a joint to the world; by default as the model says, else not.
        root: the body that is held, or is the articulation's root; by default the model's root.
        density: kg/m^3 of shapes of bodies without mass, 0 for 1000 as in UsdPhysics; ``None``: they have none.
        alike: also write what is the engine's default and not PhysX's, friction and damping, so that what is read moves
            like the model.
        instanceable: whether the visual shapes of each body are an instance.

    Returns:
        Paths of bodies and joints, and what USD cannot say.

    Raises:
        ValueError: the stage has other units, the prim exists, or there is no such body.
        OSError: the file cannot be written.
    """
    if isinstance(target, str | os.PathLike):
        stage = Usd.Stage.CreateInMemory()
    else:
        stage = target
    _check_units(stage)
    path = prim_path or f"/{Tf.MakeValidIdentifier(model.name or 'robot')}"
    if not Sdf.Path.IsValidPathString(path) or not Sdf.Path(path).IsPrimPath() or not path.startswith("/"):
        raise ValueError(f"prim_path={path!r} is no path of a prim; give one such as '/robot'")
    if stage.GetPrimAtPath(path):
        raise ValueError(f"there is already a prim at <{path}>; give another prim_path")
    names = [body.name for body in model.bodies if not body.hidden]
    if root and root not in names:
        raise ValueError(f"root={root!r} is no body of the robot; there are {', '.join(names)}")
    writing = Writing(stage, Written(path))
    prim = UsdGeom.Xform.Define(stage, path).GetPrim()
    Usd.ModelAPI(prim).SetKind(Kind.Tokens.component)
    fixed = bool(model.fixed_base if fixed_base is None else fixed_base)
    _write(writing, model, fixed, root or model.root, density, alike, instanceable)
    if not isinstance(target, str | os.PathLike):
        return writing.done
    stage.SetDefaultPrim(prim)
    save_stage(stage, target)
    return writing.done


def save_stage(stage: Stage, target: str | os.PathLike[str]) -> None:
    """Write a stage's root layer to a file (.usd, .usda or .usdc), which is replaced, also where it is open.

    Raises:
        OSError: the file cannot be written.
    """
    file = os.fspath(target)
    with replacing(file) as made:  # USD itself would follow a link
        try:
            written = stage.GetRootLayer().Export(os.fspath(made))
        except Tf.ErrorException as error:
            raise OSError(f"{file}: the file could not be written: {error}") from None
        if not written:
            raise OSError(f"{file}: the file could not be written; its name must end in .usd, .usda or .usdc")
    known = Sdf.Layer.Find(file)
    if known:  # else stages opened from now on would show what it was
        known.Reload(True)


def _check_units(stage: Stage) -> None:
    """Give a stage that does not say its units ours; refuse others."""
    if not stage.HasAuthoredMetadata("metersPerUnit"):
        UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    if not stage.HasAuthoredMetadata("kilogramsPerUnit"):
        UsdPhysics.SetStageKilogramsPerUnit(stage, 1.0)
    if not stage.HasAuthoredMetadata("upAxis"):
        UsdGeom.SetStageUpAxis(stage, UsdGeom.Tokens.z)
    found = (UsdGeom.GetStageMetersPerUnit(stage), UsdPhysics.GetStageKilogramsPerUnit(stage))
    up = UsdGeom.GetStageUpAxis(stage)
    if found != (1.0, 1.0) or up != UsdGeom.Tokens.z:
        raise ValueError(
            f"the stage has metersPerUnit {found[0]:g}, kilogramsPerUnit {found[1]:g} and upAxis {up}; robots are "
            "written to stages with 1, 1 and Z only: write a file and refer to it"
        )


def _write(
    writing: Writing, model: RobotModel, fixed: bool, root: str, density: float | None, alike: bool, instanceable: bool
) -> None:
    stage, home = writing.stage, writing.done.path
    shown = [body for body in model.bodies if not body.hidden]
    for body in shown:  # before scopes: users look for links by name
        writing.done.bodies[body.name] = writing.free(home, body.name)
    renamed = [name for name, path in writing.done.bodies.items() if path != f"{home}/{name}"]
    if renamed:
        writing.note(f"bodies whose names USD does not allow have others: {', '.join(renamed)}.")
    frames = _drawn(model)
    prototypes = ""
    if instanceable:
        prototypes = writing.free("", f"{home.rpartition('/')[2]}_visuals")
        stage.CreateClassPrim(prototypes)
    shapes = Shapes(writing, prototypes, asdict(Material()) if alike else None)
    prims: dict[str, Prim] = {}
    for body in shown:
        path = writing.done.bodies[body.name]
        prims[body.name] = write_body(writing, path, body, frames[body.name], density)
        shapes.write(path, body)
    scope = writing.free(home, "joints")
    if model.joints:
        UsdGeom.Scope.Define(stage, scope)
    joints = write_joints(writing, model, scope)
    changed = [name for name, path in writing.done.joints.items() if path != f"{scope}/{name}"]
    if changed:
        writing.note(f"joints whose names USD does not allow have others: {', '.join(changed)}.")
    write_dynamics(writing, model, joints)
    write_tendons(writing, model, joints, prims)
    marker = prims[root]
    if fixed:
        anchor = UsdPhysics.FixedJoint.Define(stage, writing.free(home, "root_joint"))
        # No first body: that is what tools look for. Readers of fixed bases go by where the body is, not by the frames.
        anchor.CreateBody1Rel().SetTargets([marker.GetPath()])
        rotation, origin = frames[root]
        anchor.CreateLocalPos0Attr(point(origin))
        anchor.CreateLocalRot0Attr(quaternion(from_matrix(rotation)))
        marker = anchor.GetPrim()
    UsdPhysics.ArticulationRootAPI.Apply(marker)
    if joints.in_rows:
        add_mobility(marker)
    write_options(writing, model, list(prims.values()), marker, alike)
    write_pairs(model, prims)
    write_groups(writing, shapes.written)
    if model.base_collision and fixed:
        _let_collide(model, root, joints, writing.done.bodies)
    if model.keyframes:
        writing.note("keyframes are not written.")


def _let_collide(model: RobotModel, root: str, joints: JointPrims, bodies: dict[str, str]) -> None:
    """Let the fixed base, and what is fixed to it, collide with what joints connect to it."""
    welds = [{joint.parent, joint.child} for joint in model.joints if joint.type == "fixed"]
    base, before = {root}, 0
    while len(base) > before:
        before = len(base)
        base |= {name for pair in welds if pair & base for name in pair}
    paths = {bodies[name] for name in base}
    for joint in map(UsdPhysics.Joint, joints.prims.values()):
        ends = {str(path) for rel in (joint.GetBody0Rel(), joint.GetBody1Rel()) for path in rel.GetTargets()}
        if ends & paths and not joint.GetPrim().IsA(UsdPhysics.FixedJoint):
            joint.CreateCollisionEnabledAttr(True)


def _drawn(model: RobotModel) -> dict[str, Any]:
    """Frames of all bodies as drawn: joints where they start, but for several between two bodies, which are at zero."""
    hidden = {body.name for body in model.bodies if body.hidden}
    rows = {joint.name for joint in model.joints if joint.parent in hidden or joint.child in hidden}
    positions = {name: value for name, value in model.joint_pos.items() if name not in rows}
    joints = []
    for joint in model.joints:
        vector = [model.joint_pos.get(f"{joint.name}:{end}", 0.0) for end in ("rx", "ry", "rz")]
        if joint.type == "spherical" and joint.name not in rows and any(vector):
            w, x, y, z = product(joint.orientation, from_rotation_vector(vector)).tolist()
            joint = replace(joint, orientation=(w, x, y, z))
        joints.append(joint)
    place = (model.position or (0.0, 0.0, 0.0), model.orientation or (1.0, 0.0, 0.0, 0.0))
    return body_frames(replace(model, joints=joints), positions, *place)
