"""Pixels in which boxes can be seen, or their shadows."""

from __future__ import annotations

import numpy as np

_FACES = ((0, 1, 3, 2), (4, 5, 7, 6), (0, 1, 5, 4), (2, 3, 7, 6), (0, 2, 6, 4), (1, 3, 7, 5))
_EDGES = tuple((a, a | bit) for bit in (1, 2, 4) for a in range(8) if not a & bit)
_NEAR = 1e-3  # m before the camera: what is nearer has no bounds in the picture
_FARTHEST = 1e5  # pixels from the picture's corner
_MARGIN = 2  # pixels: half for places within pixels, the rest for how polygons are filled


def footprints(
    corners: np.ndarray,
    eye: np.ndarray,
    axes: np.ndarray,
    focal: float,
    size: tuple[int, int],
    light: np.ndarray,
    floor: float | None = None,
    solid: bool = False,
) -> np.ndarray | None:
    """(height, width) bool: pixels in which boxes or their shadows may be seen, and some around them.

    Args:
        corners: (boxes, 8, 3), m, in the order of ``np.ndindex(2, 2, 2)``; boxes that are not finite are left out.
        eye, axes: of the camera, (3,) m, and right, down and forward as rows (3, 3).
        focal: length, pixels; the principal point is the picture's middle.
        size: width, height, pixels.
        light: (3,), the way it travels, downwards.
        floor: height of the level ground that shadows fall on, m; ``None``: there are no shadows.
        solid: whether they fall on what is above the floor, too.

    Returns:
        ``None`` where a box or shadow reaches beside or behind the camera, so that every pixel may see it.
    """
    from PIL import Image, ImageDraw

    corners = np.asarray(corners, float)
    corners = corners[np.isfinite(corners).all(axis=(1, 2))]
    kinds: list[tuple[np.ndarray, tuple[tuple[int, ...], ...]]] = [(corners, _FACES)]
    if floor is not None:
        fall = np.maximum(corners[..., 2:] - floor, 0.0) / -float(light[2])
        shadows = corners + fall * light
        kinds.append((shadows, _FACES))
        if solid:  # what is between: sides from each edge to its shadow
            both = np.concatenate([corners, shadows], axis=1)
            kinds.append((both, tuple((a, b, b + 8, a + 8) for a, b in _EDGES)))
    image = Image.new("L", size)
    draw = ImageDraw.Draw(image)
    for points, faces in kinds:
        seen = (points - eye) @ axes.T
        if (seen[..., 2] < _NEAR).any():
            return None
        places = 0.5 * np.array(size) + focal * seen[..., :2] / seen[..., 2:]
        if (np.abs(places) > _FARTHEST).any():
            return None
        for polygon in places[:, faces].reshape(-1, 8).tolist():
            draw.polygon(polygon, fill=1, outline=1)
    return _wider(np.asarray(image) != 0)


def _wider(mask: np.ndarray) -> np.ndarray:
    """What is within :data:`_MARGIN` rows and columns of it, too."""
    for axis in (0, 1):
        found = mask.copy()
        for step in range(1, _MARGIN + 1):
            ahead, behind = [slice(None)] * 2, [slice(None)] * 2
            ahead[axis], behind[axis] = slice(step, None), slice(None, -step)
            found[tuple(ahead)] |= mask[tuple(behind)]
            found[tuple(behind)] |= mask[tuple(ahead)]
        mask = found
    return mask
