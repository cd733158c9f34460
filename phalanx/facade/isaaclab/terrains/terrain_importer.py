"""What environments stand on, and where."""

from __future__ import annotations

from typing import Any

import numpy as np

from phalanx.facade.isaaclab.markers import VisualizationMarkers
from phalanx.facade.isaaclab.markers.config import FRAME_MARKER_CFG
from phalanx.facade.isaaclab.scene.grid import grid_origins
from phalanx.facade.isaaclab.sim.simulation_context import SimulationContext
from phalanx.facade.isaaclab.terrains.utils import create_prim_from_mesh
from phalanx.facade.namespaces import array, cast, integers, namespace, rows

TYPES = ("generator", "plane", "usd")


class TerrainImporter:
    """A terrain on the stage: a plane, a file, or one that is generated; and where environments stand on it.

    On generated terrains, an environment belongs to a column of sub-terrains (its type) and moves along it, from row
    to row (its level). Type by type, columns have as many environments. All environments collide with it as it is,
    and it is in memory once.

    Args:
        cfg: a ``TerrainImporterCfg``.

    Attributes:
        terrain_prim_paths: of what was put on the stage.
        terrain_origins: (rows, columns, 3), of sub-terrains, m; ``None`` where environments stand in a grid.
        env_origins: (num_envs, 3): where environments are in the world, m.
        terrain_levels: (num_envs,): the row of each environment; only if there are ``terrain_origins``.
        terrain_types: (num_envs,): the column of each; likewise.
        max_terrain_level: number of rows; likewise.

    Raises:
        RuntimeError: there is no SimulationContext.
        ValueError: the type is unknown, or what it needs is missing from the configuration.
    """

    terrain_levels: Any
    terrain_types: Any
    max_terrain_level: int

    def __init__(self, cfg: Any) -> None:
        cfg.validate()
        simulation = SimulationContext.instance()
        if simulation is None:
            raise RuntimeError("TerrainImporter: there is no SimulationContext; make one first")
        if cfg.terrain_type not in TYPES:
            raise ValueError(f"Terrain type '{cfg.terrain_type}' not available: use one of {', '.join(TYPES)}")
        if cfg.terrain_type == "generator" and cfg.terrain_generator is None:
            raise ValueError("Input terrain type is 'generator' but no value provided for 'terrain_generator'.")
        if cfg.terrain_type == "usd" and cfg.usd_path is None:
            raise ValueError("Input terrain type is 'usd' but no value provided for 'usd_path'.")
        own = cfg.terrain_type == "generator" and cfg.use_terrain_origins
        if not own:
            self._check_spacing(cfg)
        self.cfg = cfg
        self.device = simulation.device
        self.terrain_prim_paths: list[str] = []
        self.terrain_origins: Any = None
        self.env_origins: Any = None
        self._flat_patches: dict[str, Any] = {}
        self._markers: Any = None
        origins = None
        if cfg.terrain_type == "generator":
            made = cfg.terrain_generator.class_type(cfg=cfg.terrain_generator, device=self.device)
            self.import_mesh("terrain", made.terrain_mesh)
            self._flat_patches = made.flat_patches
            origins = made.terrain_origins if own else None
        elif cfg.terrain_type == "usd":
            self.import_usd("terrain", cfg.usd_path)
        else:
            self.import_ground_plane("terrain")
        self.configure_env_origins(origins)
        self.set_debug_vis(cfg.debug_vis)

    @property
    def terrain_names(self) -> list[str]:
        """Names of what was put on the stage."""
        return [path.rpartition("/")[2] for path in self.terrain_prim_paths]

    @property
    def flat_patches(self) -> dict[str, Any]:
        """Flat places of generated terrains by name, (rows, columns, num_patches, 3), in the world, m."""
        return self._flat_patches

    @property
    def has_debug_vis_implementation(self) -> bool:
        """Whether there is anything that :meth:`set_debug_vis` can show: origins."""
        return True

    def set_debug_vis(self, debug_vis: bool) -> bool:
        """Show the origins of sub-terrains, or of environments in a grid, as frames, or hide them.

        Returns:
            True: it can be done.
        """
        if not debug_vis:
            if self._markers is not None:
                self._markers.set_visibility(False)
            return True
        if self._markers is None:
            self._markers = VisualizationMarkers(FRAME_MARKER_CFG.replace(prim_path="/Visuals/TerrainOrigin"))  # pyright: ignore[reportAttributeAccessIssue]
        origins = self.env_origins if self.terrain_origins is None else self.terrain_origins
        self._markers.visualize(origins.reshape(-1, 3))
        self._markers.set_visibility(True)
        return True

    # -- putting terrain on the stage ------------------------------------------------------------------------

    def import_ground_plane(self, name: str, size: tuple[float, float] = (2.0e6, 2.0e6)) -> None:
        """Put a plane on the stage.

        Args:
            name: of its prim.
            size: how much of it is drawn, m; it collides without end.

        Raises:
            ValueError: there is one of the name.
        """
        from phalanx.facade.isaaclab.sim.spawners import GroundPlaneCfg

        path = self._free(name)
        ground = GroundPlaneCfg(physics_material=self.cfg.physics_material, size=size)
        color = getattr(self.cfg.visual_material, "diffuse_color", None)
        if color is not None:
            ground.color = color
        ground.func(path, ground)
        self.terrain_prim_paths.append(path)

    def import_mesh(self, name: str, mesh: Any) -> None:
        """Put a mesh on the stage, with the configuration's materials; it collides as its triangles.

        Args:
            name: of its prim; the mesh is at ``mesh`` below it.
            mesh: a ``trimesh.Trimesh``, in the world, m.

        Raises:
            ValueError: there is one of the name.
        """
        path = self._free(name)
        materials = {key: getattr(self.cfg, key) for key in ("visual_material", "physics_material")}
        create_prim_from_mesh(path, mesh, **materials)
        self.terrain_prim_paths.append(path)

    def import_usd(self, name: str, usd_path: str) -> None:
        """Put what a USD file has on the stage, as it is.

        Args:
            name: of its prim.
            usd_path: the file.

        Raises:
            ValueError: there is one of the name.
            FileNotFoundError: there is no such file.
        """
        from phalanx.facade.isaaclab.sim.spawners import UsdFileCfg

        path = self._free(name)
        file = UsdFileCfg(usd_path=usd_path)
        file.func(path, file)
        self.terrain_prim_paths.append(path)

    # -- where environments are ------------------------------------------------------------------------------

    def configure_env_origins(self, origins: Any = None) -> None:
        """Put environments on sub-terrains, or in a grid.

        Their rows are drawn, up to ``max_init_terrain_level``; columns are filled one after the other.

        Args:
            origins: (rows, columns, 3), of sub-terrains, m; ``None`` is a grid.

        Raises:
            ValueError: there is no spacing for a grid, or origins are of another shape.
        """
        count = self.cfg.num_envs
        if origins is None:
            self._check_spacing(self.cfg)
            self.terrain_origins = None
            self.env_origins = array(grid_origins(count, self.cfg.env_spacing), self.device, "float32")
            return
        self.terrain_origins = array(origins, self.device, "float32")
        if self.terrain_origins.ndim != 3 or self.terrain_origins.shape[2] != 3:
            raise ValueError(f"origins must be (rows, columns, 3), not {tuple(self.terrain_origins.shape)}")
        levels, types = self.terrain_origins.shape[:2]
        highest = levels - 1 if self.cfg.max_init_terrain_level is None else self.cfg.max_init_terrain_level
        self.max_terrain_level = int(levels)
        self.terrain_levels = integers(0, max(min(highest, levels - 1), 0) + 1, count, self.device)
        self.terrain_types = array(np.arange(count) * types // count, self.device, "int64")
        self.env_origins = self.terrain_origins[self.terrain_levels, self.terrain_types]

    def update_env_origins(self, env_ids: Any, move_up: Any, move_down: Any) -> None:
        """Move environments to other rows of the terrain, as they do well or badly; in a grid nothing changes.

        Who goes beyond the last row is put on any row; who goes below the first stays there.

        Args:
            env_ids: (n,), which environments.
            move_up: (n,), whether each moves one row up.
            move_down: (n,), whether each moves one row down.
        """
        if self.terrain_origins is None:
            return
        ids = rows(env_ids)
        up, down = (cast(array(moved, self.device), "int64") for moved in (move_up, move_down))
        levels = self.terrain_levels[ids] + up - down
        xp = namespace(levels)
        drawn = integers(0, self.max_terrain_level, len(levels), self.device)
        levels = xp.where(levels >= self.max_terrain_level, drawn, xp.where(levels < 0, 0 * levels, levels))
        self.terrain_levels[ids] = levels
        self.env_origins[ids] = self.terrain_origins[levels, self.terrain_types[ids]]

    # -- inside ----------------------------------------------------------------------------------------------

    def _free(self, name: str) -> str:
        path = f"{self.cfg.prim_path}/{name}"
        if path in self.terrain_prim_paths:
            raise ValueError(f"TerrainImporter: there is a terrain named {name!r} already; take another name")
        return path

    @staticmethod
    def _check_spacing(cfg: Any) -> None:
        if cfg.env_spacing is None:
            raise ValueError("TerrainImporterCfg.env_spacing is None: a grid of environments needs their distance, m")
