"""Puts one of several assets below each of many parents."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

from phalanx.facade.isaaclab.sim.spawners.from_files import UsdFileCfg
from phalanx.facade.isaaclab.sim.spawners.geometry import Pose, refuse_existing
from phalanx.facade.isaaclab.sim.utils import create_prim, find_matching_prim_paths, get_current_stage
from phalanx.facade.isaaclab.sim.utils.edits import copy_prim, remove_prims
from phalanx.facade.isaaclab.sim.utils.queries import PLAIN_NAME, get_next_free_prim_path
from phalanx.io.formats.usd.bindings import Prim

if TYPE_CHECKING:
    from phalanx.facade.isaaclab.sim.spawners.spawner_cfg import SpawnerCfg
    from phalanx.facade.isaaclab.sim.spawners.wrappers import wrappers_cfg

TEMPLATE = "/World/Template"
"""Where assets are made before they are copied."""

COMMON = ("mass_props", "rigid_props", "collision_props", "deformable_props")
"""What goes before the same of the assets where it is given."""


def spawn_multi_asset(
    prim_path: str,
    cfg: wrappers_cfg.MultiAssetSpawnerCfg,
    translation: Pose = None,
    orientation: Pose = None,
    clone_in_fabric: bool = False,
    replicate_physics: bool = False,
    **kwargs: Any,
) -> Prim:
    """Put one of several assets below each parent.

    Each asset is made once and copied.

    Args:
        prim_path: where; the parent may be a regular expression, and then each parent that matches gets one.
        cfg: which.
        translation: (x, y, z) in the parent's frame, m; as the assets have it by default.
        orientation: quaternion (w, x, y, z) in the parent's frame; as the assets have it by default.
        clone_in_fabric: nothing here.
        replicate_physics: nothing here: environments may differ.
        kwargs: nothing here.

    Returns:
        The first prim.

    Raises:
        ValueError: there are no assets, no parent matches, or there is a prim at one of the paths already.
    """
    if not cfg.assets_cfg:
        raise ValueError("assets_cfg has no assets to choose from")
    parent, _, name = prim_path.rpartition("/")
    parents = [parent] if _plain(parent) else find_matching_prim_paths(parent)
    if not parents:
        raise ValueError(f"there is no prim that matches '{parent}', the parent of '{prim_path}': create it first")
    paths = [f"{one}/{name}" for one in parents]
    for path in paths:
        refuse_existing(path)
    stage, template = get_current_stage(), get_next_free_prim_path(TEMPLATE)
    create_prim(template, "Scope")
    made = []
    try:
        for n, asset in enumerate(cfg.assets_cfg):
            made.append(f"{template}/Asset_{n:04d}")
            asset = _with_common(asset, cfg)
            asset.func(made[-1], asset, translation=translation, orientation=orientation)
        chosen = [random.choice(made) if cfg.random_choice else made[n % len(made)] for n in range(len(paths))]
        for source in made:
            copy_prim(stage, source, [path for path, choice in zip(paths, chosen, strict=True) if choice == source])
    finally:
        remove_prims(stage, [template])
    return stage.GetPrimAtPath(paths[0])


def spawn_multi_usd_file(
    prim_path: str,
    cfg: wrappers_cfg.MultiUsdFileCfg,
    translation: Pose = None,
    orientation: Pose = None,
    clone_in_fabric: bool = False,
    replicate_physics: bool = False,
    **kwargs: Any,
) -> Prim:
    """Put one of several USD files below each parent, by reference; else as :func:`spawn_multi_asset`.

    Raises:
        FileNotFoundError: there is no such file.
    """
    from phalanx.facade.isaaclab.sim.spawners.wrappers.wrappers_cfg import MultiAssetSpawnerCfg

    files = [cfg.usd_path] if isinstance(cfg.usd_path, str) else cfg.usd_path
    own = {"func", "usd_path", "random_choice"}
    common = {name: value for name, value in vars(cfg).items() if name not in own}
    assets: list[SpawnerCfg] = [UsdFileCfg(usd_path=file, **common) for file in files]
    multi = MultiAssetSpawnerCfg(assets_cfg=assets, random_choice=cfg.random_choice)
    return spawn_multi_asset(prim_path, multi, translation, orientation, clone_in_fabric, replicate_physics)


def _plain(path: str) -> bool:
    """Whether a path is no expression."""
    return all(PLAIN_NAME.fullmatch(part) for part in path.split("/")[1:])


def _with_common(asset: SpawnerCfg, cfg: wrappers_cfg.MultiAssetSpawnerCfg) -> SpawnerCfg:
    """A copy of an asset's configuration with what is given for all of them."""
    made = asset.copy()  # pyright: ignore[reportAttributeAccessIssue]
    for name in COMMON:
        if getattr(cfg, name) is not None and hasattr(made, name):
            setattr(made, name, getattr(cfg, name))
    if cfg.activate_contact_sensors and hasattr(made, "activate_contact_sensors"):
        made.activate_contact_sensors = True
    if cfg.semantic_tags is not None:
        made.semantic_tags = [*(made.semantic_tags or []), *cfg.semantic_tags]
    return made
