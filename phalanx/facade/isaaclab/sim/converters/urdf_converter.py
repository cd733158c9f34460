"""Robots from URDF files."""

from __future__ import annotations

import copy
import re
from dataclasses import replace
from logging import INFO, WARNING
from typing import Any

from phalanx.facade.isaaclab.sim.converters.asset_converter_base import AssetConverterBase, logger, tell
from phalanx.facade.isaaclab.sim.converters.urdf_converter_cfg import UrdfConverterCfg
from phalanx.io.formats.urdf import NOT_SHOWN, load_urdf
from phalanx.io.formats.usd.bindings import Stage, Usd, UsdPhysics
from phalanx.io.formats.usd.drives import moved_inertia
from phalanx.io.formats.usd.writer import Written, save_stage, write_robot
from phalanx.models.checks import ONE_DOF
from phalanx.models.merging import merge_fixed_joints
from phalanx.models.robot_model import Joint, JointDrive, RobotModel


class UrdfConverter(AssetConverterBase):
    """Writes the robot of a URDF file as USD, by :func:`phalanx.io.formats.usd.write_robot`.

    What the file does not say is as in PhysX: friction 0.5, angular damping 0.05/s.
    """

    cfg: UrdfConverterCfg

    def _convert_asset(self, cfg: UrdfConverterCfg) -> None:
        model = load_urdf(cfg.asset_path, fix_inertias=True, need_visuals=cfg.collision_from_visuals, need_masses=False)
        for text in model.warnings:
            logger.log(WARNING if text.startswith(NOT_SHOWN) else INFO, "%s: %s", cfg.asset_path, text)
        model = changed_model(model, cfg)
        kinds = _give_drives(model, cfg.joint_drive) if cfg.joint_drive is not None else {}
        stage = Usd.Stage.CreateInMemory()
        written = write_robot(
            model,
            stage,
            fixed_base=cfg.fix_base,
            root=cfg.root_link_name or "",
            density=cfg.link_density,
            alike=False,
            instanceable=cfg.make_instanceable,
        )
        tell(cfg.asset_path, written.notes)
        set_drive_types(stage, written, kinds)
        stage.SetDefaultPrim(stage.GetPrimAtPath(written.path))
        save_stage(stage, self.usd_path)


def changed_model(model: RobotModel, cfg: UrdfConverterCfg) -> RobotModel:
    """A model with the links, shapes and joints that a configuration asks for; drives are not looked at."""
    model = replace(model, self_collision=cfg.self_collision, joints=[copy.copy(joint) for joint in model.joints])
    if cfg.convert_mimic_joints_to_normal_joints:
        for joint in model.joints:
            joint.mimic = None
    for body in model.bodies:
        if cfg.collision_from_visuals and not body.collisions:
            body.collisions = [replace(shape, color=None) for shape in body.visuals]
        for shape in body.collisions:
            if shape.kind == "mesh":
                shape.approximation = cfg.collider_type
            elif shape.kind == "cylinder" and cfg.replace_cylinders_with_capsules:
                shape.kind = "capsule"
    return merge_fixed_joints(model) if cfg.merge_fixed_joints else model


def _give_drives(model: RobotModel, cfg: UrdfConverterCfg.JointDriveCfg) -> dict[str, str]:
    """Set the drives of all joints of one dof that follow no others; hands back their types."""
    driven = [joint for joint in model.joints if joint.type in ONE_DOF and joint.mimic is None]
    names = [joint.name for joint in driven]
    kinds = by_joint(cfg.drive_type, names, "drive_type", "force")
    targets = by_joint(cfg.target_type, names, "target_type", "position")
    _check(kinds, ("acceleration", "force"), "drive_type")
    _check(targets, ("none", "position", "velocity"), "target_type")
    gains = _gains(model, driven, kinds, cfg.gains)
    for joint in driven:
        stiffness, damping = gains[joint.name]
        if targets[joint.name] == "none":
            stiffness = damping = 0.0
        elif targets[joint.name] == "velocity":
            stiffness, damping = 0.0, stiffness
        # The file's damping is in the drive, where users expect to change it.
        joint.damping = 0.0
        model.drives[joint.name] = JointDrive(stiffness, damping, joint.effort_limit)
    return kinds


def _gains(model: RobotModel, joints: list[Joint], kinds: dict[str, str], cfg: Any) -> dict[str, tuple[float, float]]:
    """Stiffness and damping of each joint, per rad or m."""
    names = [joint.name for joint in joints]
    own = {joint.name: joint.damping for joint in joints}
    if isinstance(cfg, UrdfConverterCfg.JointDriveCfg.PDGainsCfg):
        stiffness = by_joint(cfg.stiffness, names, "gains.stiffness", 0.0)
        damping = by_joint(cfg.damping, names, "gains.damping", None)
        return {name: (stiffness[name], own[name] if damping[name] is None else damping[name]) for name in names}
    frequency = by_joint(cfg.natural_frequency, names, "gains.natural_frequency", None)
    ratio = by_joint(cfg.damping_ratio, names, "gains.damping_ratio", 0.005)
    inertia = moved_inertia(replace(model, joint_pos={}))
    found = {}
    for name in names:
        f, m = frequency[name], inertia[name] if kinds[name] == "force" else 1.0
        found[name] = (0.0, own[name]) if f is None else (m * f * f, 2.0 * m * f * ratio[name])
    return found


def by_joint(value: Any, names: list[str], field: str, default: Any) -> dict[str, Any]:
    """A value for each joint: the same for all, or by regular expressions, of which the last that matches counts.

    Args:
        value: the value, a dictionary of values by expression, or ``None`` for the default.
        names: of the joints.
        field: that the value is of, for messages.
        default: of joints that no expression matches.

    Raises:
        ValueError: an expression matches no joint.
    """
    if not isinstance(value, dict):
        return dict.fromkeys(names, default if value is None else value)
    found = dict.fromkeys(names, default)
    for expression, one in value.items():
        matched = [name for name in names if re.fullmatch(expression, name)]
        if not matched:
            raise ValueError(
                f"joint_drive.{field}: the expression {expression!r} matches no joint that can be driven; there are "
                f"{', '.join(names) or 'none'}"
            )
        found |= dict.fromkeys(matched, one)
    return found


def _check(values: dict[str, str], known: tuple[str, ...], field: str) -> None:
    for name, value in values.items():
        if value not in known:
            raise ValueError(f"joint_drive.{field} of {name!r} is {value!r}; it must be one of {', '.join(known)}")


def set_drive_types(stage: Stage, written: Written, kinds: dict[str, str]) -> None:
    """Say of joints that were written whether their drives give forces or accelerations, by the joints' names."""
    for name, kind in kinds.items():
        prim = stage.GetPrimAtPath(written.joints[name])
        for instance in ("angular", "linear"):
            if prim.HasAPI(UsdPhysics.DriveAPI, instance):
                UsdPhysics.DriveAPI(prim, instance).CreateTypeAttr(kind)
