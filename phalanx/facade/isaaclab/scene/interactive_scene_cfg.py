"""Configuration of scenes."""

from __future__ import annotations

from dataclasses import MISSING

from phalanx.facade.isaaclab.utils.configclass import configclass


@configclass
class InteractiveSceneCfg:
    """Configuration of a scene; what is in it are attributes of classes that inherit from it.

    They are made in the order in which they are written, so that what others refer to comes first. In their paths,
    ``{ENV_REGEX_NS}`` is the expression for the environments' prims::

        @configclass
        class MySceneCfg(InteractiveSceneCfg):
            ground = AssetBaseCfg(prim_path="/World/ground", spawn=sim_utils.GroundPlaneCfg())
            robot = ROBOT_CFG.replace(prim_path="{ENV_REGEX_NS}/Robot")
    """

    num_envs: int = MISSING  # pyright: ignore[reportAssignmentType]
    """Number of environments."""
    env_spacing: float = MISSING  # pyright: ignore[reportAssignmentType]
    """Distance between the origins of neighbouring environments, m."""
    lazy_sensor_update: bool = True
    """Whether sensors compute their data only when it is asked for."""
    replicate_physics: bool = True
    """Whether all environments are what the first one is, to which they then refer. Without it, spawners put prims into
    each of them, which may then differ."""
    filter_collisions: bool = True
    """Whether environments do not meet each other. Environments that hold the same never do here."""
    clone_in_fabric: bool = False
    """No meaning: there is no Fabric."""
