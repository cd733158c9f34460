"""Robots from MJCF files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from phalanx.facade.isaaclab.sim.converters.asset_converter_base import AssetConverterBase, tell
from phalanx.facade.isaaclab.sim.converters.mjcf_converter_cfg import MjcfConverterCfg
from phalanx.io.formats.mjcf import load_robot
from phalanx.io.formats.mjcf.models import WORLD
from phalanx.io.formats.usd.writer import write_robot


class MjcfConverter(AssetConverterBase):
    """Writes the one robot of an MJCF file as USD, by :func:`phalanx.io.formats.usd.write_robot`.

    Actuators become drives. A robot that a joint holds to the world has a root body "world", which has no mass.
    """

    cfg: MjcfConverterCfg

    def _convert_asset(self, cfg: MjcfConverterCfg) -> None:
        model = replace(load_robot(cfg.asset_path), self_collision=cfg.self_collision)
        notes = list(model.warnings)
        if cfg.import_sites and "<site" in Path(cfg.asset_path).read_text(errors="replace"):
            notes.append("its sites are not imported.")
        held = model.root == WORLD and not next(body for body in model.bodies if body.name == WORLD).mass
        if held and not cfg.fix_base:
            notes.append("a joint holds the robot to the world, so its base is fixed though fix_base is off.")
        if not cfg.import_inertia_tensor:
            model.bodies = [replace(one, inertia=np.zeros((3, 3))) if one.collisions else one for one in model.bodies]
        written = write_robot(
            model,
            self.usd_path,
            fixed_base=bool(cfg.fix_base or held),
            density=cfg.link_density,
            alike=False,
            instanceable=cfg.make_instanceable,
        )
        tell(cfg.asset_path, notes + written.notes)
