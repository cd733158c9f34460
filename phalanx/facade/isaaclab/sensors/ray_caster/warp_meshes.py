"""What ray casters meet as meshes of Warp, for scripts that cast rays of their own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from phalanx.facade.arrays import is_installed
from phalanx.facade.isaaclab.sensors.ray_caster.geometry import met_paths, triangles

REACH = 1e6
"""m: half the side of the square that stands for a plane without end."""


class WarpMeshes(Mapping[str, Any]):
    """Meshes of Warp by the paths that ``mesh_prim_paths`` of sensors that were initialized name.

    The engine casts its rays without them; each is made from the stage as it is when somebody asks for it.

    Raises:
        KeyError: no sensor meets prims of that path.
        ImportError: ``warp-lang`` is not installed; asked for a mesh.
    """

    def __eq__(self, other: object) -> bool:
        return self is other

    def __len__(self) -> int:
        return len(met_paths())

    def __iter__(self) -> Iterator[str]:
        return iter(met_paths())

    def __getitem__(self, path: str) -> Any:
        device = met_paths()[path]
        if not is_installed("warp"):
            raise ImportError(f"RayCaster.meshes[{path!r}] is a mesh of Warp's: pip install warp-lang")
        import warp  # pyright: ignore[reportMissingImports]

        vertices, faces = triangles("RayCaster.meshes", path, REACH)
        points = warp.array(vertices.astype(np.float32), dtype=warp.vec3, device=device)
        indices = warp.array(faces.astype(np.int32).reshape(-1), dtype=warp.int32, device=device)
        return warp.Mesh(points=points, indices=indices)


__all__ = ["WarpMeshes"]
