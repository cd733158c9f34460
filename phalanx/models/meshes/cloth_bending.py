"""How sheets resist bending: a matrix, made once for each mesh."""

from __future__ import annotations

import numpy as np

from phalanx.models.meshes.cloth_mesh import ClothMesh

LEAST = 1e-2
"""Of the singular values of a patch, by the largest, those below are left out: its six points are nearly on a conic."""


def bending_matrix(mesh: ClothMesh, poissons_ratio: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Bending of a sheet that is flat where it is not strained: the energy ``D / 2 sum_ij K_ij x_i . x_j``.

    A triangle has the curvature of the quadratic polynomial through its corners and those across from its edges,
    unfolded into its plane (three for the three coordinates), and the energy of a Kirchhoff plate with it, ``(1 - nu)
    |k|^2 + nu tr(k)^2`` by area. Across free edges are points that take the place where the energy is least, so that
    there is no moment. As long as lengths stay this is quadratic in positions and the same for sheets that are turned
    (Bergou, Wardetzky, Harmon, Zorin and Grinspun, A quadratic bending model for inextensible surfaces, 2006).

    Returns:
        Rows and columns of entries, each once and in order, and their values, 1/m^2.
    """
    opposite = _opposite(mesh)
    points = _unfolded(mesh, opposite)
    size = np.sqrt(mesh.areas)
    x, y = np.moveaxis(points / size[:, None, None], -1, 0)
    terms = np.stack([np.ones_like(x), x, y, x * x / 2, y * y / 2, x * y], axis=2)
    curvature = np.linalg.pinv(terms, rcond=LEAST)[:, 3:] / np.square(size)[:, None, None]
    nu = poissons_ratio
    energy = np.array([[1, nu, 0], [nu, 1, 0], [0, 0, 2 * (1 - nu)]])
    forms = mesh.areas[:, None, None] * (curvature.swapaxes(1, 2) @ energy @ curvature)
    for t in np.flatnonzero((opposite < 0).any(axis=1)):
        loose = 3 + np.flatnonzero(opposite[t] < 0)
        kept = np.setdiff1d(np.arange(6), loose)
        across = forms[t][np.ix_(kept, loose)]
        rest = forms[t][np.ix_(kept, kept)] - across @ np.linalg.pinv(forms[t][np.ix_(loose, loose)]) @ across.T
        forms[t] = 0
        forms[t][np.ix_(kept, kept)] = rest
    nodes = np.concatenate([mesh.triangles, np.maximum(opposite, 0)], axis=1)
    there = np.concatenate([np.ones_like(opposite, bool), opposite >= 0], axis=1)
    both = (there[:, :, None] & there[:, None]).ravel()
    rows, columns = np.repeat(nodes, 6, axis=1).ravel()[both], np.tile(nodes, 6).ravel()[both]
    count = len(mesh.nodes)
    keys, place = np.unique(rows * count + columns, return_inverse=True)
    values = np.bincount(place.reshape(-1), forms.ravel()[both], len(keys))
    return keys // count, keys % count, values


def _opposite(mesh: ClothMesh) -> np.ndarray:
    """(m, 3): the corner of the neighbour across from each edge 0-1, 1-2, 2-0; -1: the edge is free."""
    count = len(mesh.nodes)
    sides = np.sort(mesh.triangles[:, [[0, 1], [1, 2], [2, 0]]], axis=2)
    number = np.searchsorted(mesh.edges[:, 0] * count + mesh.edges[:, 1], sides[..., 0] * count + sides[..., 1])
    users = mesh.edge_triangles[number]
    other = np.where(users[..., 0] == np.arange(len(sides))[:, None], users[..., 1], users[..., 0])
    tip = mesh.triangles[other].sum(axis=2) - sides.sum(axis=2)
    return np.where(other >= 0, tip, -1)


def _unfolded(mesh: ClothMesh, opposite: np.ndarray) -> np.ndarray:
    """(m, 6, 2): corners of triangles and of their neighbours, turned about the edges into the plane of each."""
    p = mesh.nodes[mesh.triangles]
    right = p[:, 1] - p[:, 0]
    right /= np.linalg.norm(right, axis=1, keepdims=True)
    up = p[:, 2] - p[:, 0]
    up -= (up * right).sum(axis=1, keepdims=True) * right
    up /= np.linalg.norm(up, axis=1, keepdims=True)
    own = np.stack([((p - p[:, :1]) * axis[:, None]).sum(axis=2) for axis in (right, up)], axis=2)
    found = [own[:, 0], own[:, 1], own[:, 2]]
    for k in range(3):
        a, b = p[:, k], p[:, (k + 1) % 3]
        along = b - a
        length = np.linalg.norm(along, axis=1)
        tip = np.where(opposite[:, k, None] >= 0, mesh.nodes[np.maximum(opposite[:, k], 0)], a + b - p[:, (k + 2) % 3])
        foot = ((tip - a) * along).sum(axis=1) / length**2
        height = np.linalg.norm(tip - a - foot[:, None] * along, axis=1)
        flat = own[:, (k + 1) % 3] - own[:, k]
        outward = np.stack([flat[:, 1], -flat[:, 0]], axis=1) / length[:, None]
        found.append(own[:, k] + foot[:, None] * flat + height[:, None] * outward)
    return np.stack(found, axis=1)
