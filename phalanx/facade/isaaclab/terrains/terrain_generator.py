"""Makes one mesh of many sub-terrains."""

from __future__ import annotations

import contextlib
import logging
import os
import zipfile
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from phalanx.ecs.whole_files import replacing
from phalanx.facade.isaaclab.terrains.flat_patches import flat_places
from phalanx.facade.isaaclab.terrains.height_field import HfTerrainBaseCfg
from phalanx.facade.isaaclab.terrains.surface import Surface
from phalanx.facade.isaaclab.terrains.trimesh.utils import join, make_border
from phalanx.facade.isaaclab.terrains.utils import color_meshes_by_height, paint
from phalanx.facade.isaaclab.utils.dict import dict_to_md5_hash
from phalanx.facade.isaaclab.utils.io import dump_yaml
from phalanx.facade.namespaces import array

if TYPE_CHECKING:
    import trimesh

    from phalanx.facade.isaaclab.terrains.sub_terrain_cfg import SubTerrainBaseCfg
    from phalanx.facade.isaaclab.terrains.terrain_generator_cfg import TerrainGeneratorCfg

log = logging.getLogger("phalanx.facade")


class TerrainGenerator:
    """Sub-terrains in rows along x and columns along y, about the world's origin, with a border around.

    At random, kind and difficulty of each are drawn. With a curriculum, each column has one kind, and the difficulty
    grows from row to row. The same seed makes the same terrain, to the bit; NumPy's global generator, which
    functions of sub-terrains draw from, is put back as it was.

    Args:
        cfg: what to make. Its size, scales and threshold are set in the configurations of sub-terrains.
        device: of flat patches.

    Attributes:
        terrain_mesh: all of it, a ``trimesh.Trimesh``.
        terrain_meshes: its parts, where they are in it.
        terrain_origins: (num_rows, num_cols, 3), places that environments have as their origins, m.
        flat_patches: (num_rows, num_cols, num_patches, 3) by name, in the world, m. Sub-terrains that are not asked for
            patches of a name have their origin instead.

    Raises:
        ValueError: there are no sub-terrains, or too few rows or columns.
    """

    terrain_mesh: trimesh.Trimesh
    terrain_meshes: list[trimesh.Trimesh]
    terrain_origins: np.ndarray
    flat_patches: dict[str, Any]

    def __init__(self, cfg: TerrainGeneratorCfg, device: str = "cpu") -> None:
        cfg.validate()  # pyright: ignore[reportAttributeAccessIssue]
        if not cfg.sub_terrains:
            raise ValueError("TerrainGeneratorCfg.sub_terrains is empty: give it at least one configuration")
        if cfg.num_rows < 1 or cfg.num_cols < 1 or min(cfg.size) <= 0.0:
            raise ValueError(
                f"TerrainGeneratorCfg: num_rows={cfg.num_rows} and num_cols={cfg.num_cols} must be at least 1, and "
                f"size={cfg.size} m positive"
            )
        if any(one.proportion < 0.0 for one in cfg.sub_terrains.values()) or not self._shares(cfg).sum() > 0.0:
            raise ValueError("TerrainGeneratorCfg.sub_terrains: proportions must not be negative, nor all of them zero")
        self.cfg, self.device = cfg, device
        for sub in cfg.sub_terrains.values():
            sub.size = cfg.size
            if isinstance(sub, HfTerrainBaseCfg):
                sub.horizontal_scale, sub.vertical_scale = cfg.horizontal_scale, cfg.vertical_scale
                sub.slope_threshold = cfg.slope_threshold
        if cfg.use_cache and cfg.seed is None:
            log.warning("TerrainGeneratorCfg.use_cache without a seed: other seeds make other files each time")
        seed = int(np.random.get_state()[1][0]) if cfg.seed is None else cfg.seed  # type: ignore[index]
        self.np_rng = np.random.default_rng(seed)
        self.terrain_meshes = []
        self.terrain_origins = np.zeros((cfg.num_rows, cfg.num_cols, 3))
        self._patches: dict[str, np.ndarray] = {}
        (self._generate_curriculum_terrains if cfg.curriculum else self._generate_random_terrains)()
        self._add_terrain_border()
        self._join()
        self.flat_patches = {
            name: array(found + self.terrain_origins[:, :, None], device, "float32")
            for name, found in self._patches.items()
        }

    def __str__(self) -> str:
        cfg = self.cfg
        return (
            f"<TerrainGenerator of {cfg.num_rows} x {cfg.num_cols} sub-terrains of {cfg.size[0]:g} x "
            f"{cfg.size[1]:g} m: {', '.join(cfg.sub_terrains)}; {len(self.terrain_mesh.faces)} triangles>"
        )

    # -- which -----------------------------------------------------------------------------------------------

    @staticmethod
    def _shares(cfg: TerrainGeneratorCfg) -> np.ndarray:
        return np.array([one.proportion for one in cfg.sub_terrains.values()], float)

    def _generate_random_terrains(self) -> None:
        """Draw kind and difficulty of each sub-terrain."""
        kinds, shares = list(self.cfg.sub_terrains.values()), self._shares(self.cfg)
        for row, column in np.ndindex(self.cfg.num_rows, self.cfg.num_cols):
            kind = kinds[int(self.np_rng.choice(len(kinds), p=shares / shares.sum()))]
            self._make(float(self.np_rng.uniform(*self.cfg.difficulty_range)), kind, row, column)

    def _generate_curriculum_terrains(self) -> None:
        """One kind for each column, as many columns as is its share; the difficulty by rows."""
        kinds, shares = list(self.cfg.sub_terrains.values()), self._shares(self.cfg)
        ends = np.cumsum(shares / shares.sum())
        low, high = self.cfg.difficulty_range
        for column in range(self.cfg.num_cols):
            number = int(np.searchsorted(ends, column / self.cfg.num_cols + 1e-3, side="right"))
            kind = kinds[min(number, len(kinds) - 1)]
            for row in range(self.cfg.num_rows):
                share = (row + self.np_rng.uniform()) / self.cfg.num_rows
                self._make(float(low + (high - low) * share), kind, row, column)

    # -- making ----------------------------------------------------------------------------------------------

    def _make(self, difficulty: float, kind: SubTerrainBaseCfg, row: int, column: int) -> None:
        """Make a sub-terrain, find its flat patches, and put it where it belongs, the first corner at (0, 0)."""
        cfg = kind.copy()  # pyright: ignore[reportAttributeAccessIssue]
        cfg.seed = int(self.np_rng.integers(2**31))
        with _seeded(cfg.seed):
            mesh, origin = self._get_terrain_mesh(difficulty, cfg)
        with _seeded(cfg.seed):  # anew, since a mesh from a file has drawn nothing
            self._sample(mesh, origin, cfg, row, column)
        shift = np.array([(row + 0.5) * self.cfg.size[0], (column + 0.5) * self.cfg.size[1], 0.0])
        mesh.apply_translation(shift)
        self.terrain_meshes.append(mesh)
        self.terrain_origins[row, column] = origin + shift

    def _sample(self, mesh: trimesh.Trimesh, origin: np.ndarray, cfg: SubTerrainBaseCfg, row: int, column: int) -> None:
        if not cfg.flat_patch_sampling:
            return
        surface = Surface(mesh.vertices, mesh.faces)
        shape = self.terrain_origins.shape[:2]
        for name, one in cfg.flat_patch_sampling.items():
            found = self._patches.setdefault(name, np.zeros((*shape, one.num_patches, 3)))
            if found.shape[2] != one.num_patches:
                raise ValueError(
                    f"flat_patch_sampling[{name!r}]: num_patches={one.num_patches}, but other sub-terrains have "
                    f"{found.shape[2]}; let all that have patches of a name have as many"
                )
            found[row, column] = flat_places(
                surface,
                one.num_patches,
                one.patch_radius,
                origin,
                one.x_range,
                one.y_range,
                one.z_range,
                one.max_height_diff,
            )

    def _get_terrain_mesh(self, difficulty: float, cfg: SubTerrainBaseCfg) -> tuple[trimesh.Trimesh, np.ndarray]:
        """A sub-terrain about its middle, and its origin; from a file if there is one."""
        folder = ""
        if self.cfg.use_cache:
            key = dict_to_md5_hash({**cfg.to_dict(), "difficulty": difficulty})  # pyright: ignore[reportAttributeAccessIssue]
            folder = os.path.join(self.cfg.cache_dir, key)
            if os.path.exists(os.path.join(folder, "cfg.yaml")):  # which is written last
                try:
                    return _kept(os.path.join(folder, "mesh.npz"))
                except (OSError, EOFError, ValueError, KeyError, zipfile.BadZipFile) as error:
                    log.warning("the kept terrain in %s is damaged (%s), and is made anew", folder, error)
        meshes, origin = cfg.function(difficulty, cfg)
        mesh = join(meshes if isinstance(meshes, (list, tuple)) else [meshes])  # some scripts' functions make one mesh
        middle = np.array([0.5 * cfg.size[0], 0.5 * cfg.size[1], 0.0])
        mesh.apply_translation(-middle)
        origin = np.asarray(origin, float) - middle
        if folder:
            os.makedirs(folder, exist_ok=True)
            with replacing(os.path.join(folder, "mesh.npz")) as made:
                np.savez(made, vertices=mesh.vertices, faces=mesh.faces, origin=origin)
            dump_yaml(os.path.join(folder, "cfg.yaml"), cfg)
        return mesh, origin

    def _add_terrain_border(self) -> None:
        cfg = self.cfg
        if not cfg.border_width > 0.0:
            return
        inner = (cfg.num_rows * cfg.size[0], cfg.num_cols * cfg.size[1])
        size = (inner[0] + 2.0 * cfg.border_width, inner[1] + 2.0 * cfg.border_width)
        place = (0.5 * inner[0], 0.5 * inner[1], -0.5 * cfg.border_height)
        border = join(make_border(size, inner, abs(cfg.border_height), place))
        border.update_faces(~(border.triangles[:, :, 2] < -0.1).any(axis=1))  # what nobody can stand on
        border.remove_unreferenced_vertices()
        self.terrain_meshes.append(border)

    def _join(self) -> None:
        """Put the middle of all at the world's origin, and colour it."""
        cfg = self.cfg
        shift = np.array([-0.5 * cfg.num_rows * cfg.size[0], -0.5 * cfg.num_cols * cfg.size[1], 0.0])
        for mesh in self.terrain_meshes:
            mesh.apply_translation(shift)
        self.terrain_origins += shift
        self.terrain_mesh = join(self.terrain_meshes)
        if cfg.color_scheme == "height":
            self.terrain_mesh = color_meshes_by_height([self.terrain_mesh])
        elif cfg.color_scheme == "random":
            count = len(self.terrain_mesh.vertices)
            paint(self.terrain_mesh, self.np_rng.integers(0, 256, (count, 4), dtype=np.uint8))
        elif cfg.color_scheme != "none":
            raise ValueError(f"Invalid color scheme: {cfg.color_scheme!r}: use 'height', 'random' or 'none'")


def _kept(file: str) -> tuple[trimesh.Trimesh, np.ndarray]:
    """A sub-terrain that an earlier run wrote, and its origin."""
    import trimesh

    with np.load(file) as kept:
        return trimesh.Trimesh(kept["vertices"], kept["faces"], process=False), kept["origin"]


@contextlib.contextmanager
def _seeded(seed: int) -> Iterator[None]:
    """Let NumPy's global generator begin with a seed; afterwards it is as it was."""
    before = np.random.get_state()
    np.random.seed(seed)
    try:
        yield
    finally:
        np.random.set_state(before)


__all__ = ["TerrainGenerator"]
