"""How a URDF file is converted."""

from __future__ import annotations

from dataclasses import MISSING
from typing import Literal

from phalanx.facade.isaaclab.sim.converters.asset_converter_base_cfg import AssetConverterBaseCfg
from phalanx.facade.isaaclab.utils.configclass import configclass


@configclass
class UrdfConverterCfg(AssetConverterBaseCfg):
    """A URDF file, and what becomes of its links and joints."""

    @configclass
    class JointDriveCfg:
        """Drives of joints. Values are for all joints, or by regular expressions of their names."""

        @configclass
        class PDGainsCfg:
            """Gains as they are."""

            stiffness: dict[str, float] | float | None = MISSING  # pyright: ignore[reportAssignmentType]
            """N m/rad or N/m; ``None``: 0, as the file has none.

            For velocity targets this is what the error of the velocity is multiplied by, N m s/rad or N s/m.
            """

            damping: dict[str, float] | float | None = None
            """N m s/rad or N s/m; ``None``: as in the file. Of no effect for velocity targets."""

        @configclass
        class NaturalFrequencyGainsCfg:
            """Gains of an oscillator: stiffness m f^2, damping 2 r f m.

            m is the inertia that the joint moves where all joints are at zero, or 1 for drives of accelerations.
            """

            natural_frequency: dict[str, float] | float = MISSING  # pyright: ignore[reportAssignmentType]
            """f, rad/s."""

            damping_ratio: dict[str, float] | float = 0.005
            """r; critically damped at 1. Of no effect for velocity targets."""

        drive_type: dict[str, Literal["acceleration", "force"]] | Literal["acceleration", "force"] = "force"
        """Whether gains give efforts, or accelerations."""

        target_type: dict[str, Literal["none", "position", "velocity"]] | Literal["none", "position", "velocity"] = (
            "position"
        )
        """What drives follow; with "none" stiffness and damping are 0."""

        gains: PDGainsCfg | NaturalFrequencyGainsCfg = PDGainsCfg()
        """How strong they are."""

    fix_base: bool = MISSING  # pyright: ignore[reportAssignmentType]
    """Whether the root is welded to the world."""

    root_link_name: str | None = None
    """The link that is the articulation's root; ``None``: the one that is no joint's child."""

    link_density: float = 0.0
    """kg/m^3 of links that have shapes and no <inertial>; 0: that of PhysX, 1000."""

    merge_fixed_joints: bool = True
    """Whether links that fixed joints connect become one."""

    convert_mimic_joints_to_normal_joints: bool = False
    """Whether joints that follow others are joints like all others."""

    joint_drive: JointDriveCfg | None = JointDriveCfg()
    """Drives of joints; ``None`` where there are none to drive."""

    collision_from_visuals: bool = False
    """Whether links without shapes for collisions take those that are drawn."""

    collider_type: Literal["convex_hull", "convex_decomposition"] = "convex_hull"
    """What stands for meshes in collisions."""

    self_collision: bool = False
    """Whether links of the robot collide with each other."""

    replace_cylinders_with_capsules: bool = False
    """Whether cylinders that collide become capsules with round caps on top of their length."""
