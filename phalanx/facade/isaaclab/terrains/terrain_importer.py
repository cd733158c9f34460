"""What environments stand on, and where."""

from __future__ import annotations

from typing import Any

from phalanx.facade.isaaclab.scene.grid import grid_origins
from phalanx.facade.isaaclab.sim.simulation_context import SimulationContext
from phalanx.facade.namespaces import array


class TerrainImporter:
    """A terrain on the stage: a plane.

    Args:
        cfg: a ``TerrainImporterCfg``.

    Attributes:
        terrain_prim_paths: of what was put on the stage.
        terrain_origins: ``None``: planes have no places of their own.
        env_origins: (num_envs, 3): where environments are in the world, m.

    Raises:
        NotImplementedError: it is not a plane.
        RuntimeError: there is no SimulationContext.
        ValueError: there is no spacing.
    """

    def __init__(self, cfg: Any) -> None:
        cfg.validate()
        simulation = SimulationContext.instance()
        if simulation is None:
            raise RuntimeError("TerrainImporter: there is no SimulationContext; make one first")
        if cfg.terrain_type != "plane":
            raise NotImplementedError(
                f'TerrainImporterCfg.terrain_type={cfg.terrain_type!r}: only "plane" is built yet'
            )
        if cfg.env_spacing is None:
            raise ValueError("TerrainImporterCfg.env_spacing is None: a plane needs the distance of environments, m")
        self.cfg = cfg
        self.device = simulation.device
        self.terrain_prim_paths: list[str] = []
        self.terrain_origins = None
        self.import_ground_plane("terrain")
        self.configure_env_origins()

    @property
    def terrain_names(self) -> list[str]:
        """Names of what was put on the stage."""
        return [path.rpartition("/")[2] for path in self.terrain_prim_paths]

    @property
    def flat_patches(self) -> dict[str, Any]:
        """Flat places of generated terrains by name: none."""
        return {}

    @property
    def has_debug_vis_implementation(self) -> bool:
        """Whether there is anything that :meth:`set_debug_vis` can show."""
        return False

    def set_debug_vis(self, debug_vis: bool) -> bool:
        """Show the origins; returns whether that could be done."""
        return False

    def import_ground_plane(self, name: str, size: tuple[float, float] = (2.0e6, 2.0e6)) -> None:
        """Put a plane on the stage.

        Args:
            name: of its prim.
            size: how much of it is drawn, m; it collides without end.

        Raises:
            ValueError: there is one of the name.
        """
        from phalanx.facade.isaaclab.sim.spawners import GroundPlaneCfg

        path = f"{self.cfg.prim_path}/{name}"
        if path in self.terrain_prim_paths:
            raise ValueError(f"TerrainImporter: there is a terrain named {name!r} already; take another name")
        ground = GroundPlaneCfg(physics_material=self.cfg.physics_material, size=size)
        color = getattr(self.cfg.visual_material, "diffuse_color", None)
        if color is not None:
            ground.color = color
        ground.func(path, ground)
        self.terrain_prim_paths.append(path)

    def import_mesh(self, name: str, mesh: Any) -> None:
        """Not built yet."""
        raise NotImplementedError("TerrainImporter.import_mesh is not built yet: spawn the mesh as a static collider")

    def import_usd(self, name: str, usd_path: str) -> None:
        """Not built yet."""
        raise NotImplementedError("TerrainImporter.import_usd is not built yet: spawn the file with UsdFileCfg")

    def configure_env_origins(self, origins: Any = None) -> None:
        """Put environments in a grid.

        Args:
            origins: places of a generated terrain, which is not built yet.
        """
        if origins is not None:
            raise NotImplementedError("TerrainImporter.configure_env_origins: origins of terrains are not built yet")
        grid = grid_origins(self.cfg.num_envs, self.cfg.env_spacing)
        self.env_origins = array(grid, self.device, "float32")

    def update_env_origins(self, env_ids: Any, move_up: Any, move_down: Any) -> None:
        """Move environments to other levels of the terrain: a plane has none, so that nothing changes."""
