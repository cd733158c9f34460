"""The importer of MJCF files: its configuration and its interface."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from phalanx.facade.asset_root import existing_file
from phalanx.facade.isaacsim.asset.importer.places import check_metres, put
from phalanx.facade.isaacsim.asset.importer.settings import Settings
from phalanx.io.formats.mjcf import load_robot
from phalanx.io.formats.mjcf.models import WORLD
from phalanx.io.formats.usd.bindings import Stage
from phalanx.io.formats.usd.writer import Written, write_robot


@dataclass
class ImportConfig(Settings):
    """How an MJCF file becomes USD.

    ``merge_fixed_joints``, ``create_body_for_fixed_joint``, ``override_com``, ``visualize_collision_geoms``,
    ``import_sites``, ``default_drive_strength`` and ``instanceable_usd_path`` are kept and have no effect: bodies are
    those of the file, and drives its actuators.
    """

    merge_fixed_joints: bool = False
    convex_decomp: bool = False
    """Whether meshes that collide are decomposed into convex parts; else each is its convex hull."""
    import_inertia_tensor: bool = False
    """Whether inertias are as in the file; else those of bodies with shapes follow from their mass and shapes."""
    fix_base: bool = True
    """Whether the root is welded to the world. A root that a joint holds to the world is not let go."""
    self_collision: bool = False
    """Whether bodies of the robot collide with each other."""
    density: float = 1000.0
    """kg/m^3 of bodies that have shapes and no mass; 0: 1000."""
    default_drive_strength: float = 100000.0
    distance_scale: float = 1.0
    """Must be 1: metres."""
    create_physics_scene: bool = True
    """Whether a stage without a physics scene gets one."""
    make_default_prim: bool = True
    """Whether the robot becomes the stage's default prim."""
    create_body_for_fixed_joint: bool = True
    override_com: bool = False
    override_inertia_tensor: bool = False
    """Whether inertias follow from mass and shapes whatever the file says."""
    visualize_collision_geoms: bool = False
    import_sites: bool = True
    make_instanceable: bool = False
    """Whether what is drawn of each body is an instance."""
    instanceable_usd_path: str = "./instanceable_meshes.usd"


class Mjcf:
    """Imports MJCF files."""

    def create_asset_mjcf(
        self, fileName: str, primName: str, config: ImportConfig | None = None, stage_identifier: str = ""
    ) -> str:
        """Put the robot of a file on the open stage, or in a USD file.

        Args:
            fileName: the MJCF file, with one robot; grounds and other things in its world are left out.
            primName: path of the robot's prim; a number is added if it is taken. Empty: the robot's name.
            config: how.
            stage_identifier: a USD file that is made or replaced, instead of the open stage.

        Returns:
            The path of the robot's prim.

        Raises:
            FileNotFoundError: there is no such file.
            LoadError: the file cannot be used.
            ValueError: distances are scaled, or the open stage is not in metres, kilograms and z up.
        """
        config = ImportConfig() if config is None else config
        check_metres(config.distance_scale)
        file = existing_file(fileName, "MJCF file")
        model = replace(load_robot(file), self_collision=config.self_collision)
        model.name = model.name or "robot"
        # Without inertias in USD they follow from mass and shapes where it is simulated.
        if config.override_inertia_tensor or not config.import_inertia_tensor:
            model.bodies = [replace(one, inertia=np.zeros((3, 3))) if one.collisions else one for one in model.bodies]
        if config.convex_decomp:
            for body in model.bodies:
                for shape in body.collisions:
                    if shape.kind == "mesh":
                        shape.approximation = "convex_decomposition"
        held = model.root == WORLD and not next(body for body in model.bodies if body.name == WORLD).mass

        def write(stage: Stage, path: str) -> Written:
            return write_robot(
                model,
                stage,
                path,
                fixed_base=bool(config.fix_base or held),
                density=config.density,
                alike=False,
                instanceable=config.make_instanceable,
            )

        _, written = put(
            write,
            model.name,
            file,
            prim_path=primName,
            dest_path=stage_identifier,
            default_prim=config.make_default_prim,
            physics_scene=config.create_physics_scene,
        )
        return written.path


def acquire_mjcf_interface() -> Mjcf:
    """The importer."""
    return Mjcf()


def release_mjcf_interface(interface: Mjcf) -> None:
    """Nothing: the importer holds nothing."""


__all__ = ["ImportConfig", "Mjcf", "acquire_mjcf_interface", "release_mjcf_interface"]
