"""Random numbers, points and orientations; they come from the generator that the array API's own seed function seeds.

``size`` is a number or a shape, ``device`` where the result lives; results are float32 arrays of the user's API.
"""

import math

import numpy as np

from phalanx.facade.isaaclab.utils.math.general import normalize
from phalanx.facade.isaaclab.utils.math.quaternions import quat_from_angle_axis
from phalanx.facade.namespaces import Array, array, common, namespace, normal, uniform, zeros


def default_orientation(num: int, device: str) -> Array:
    """Quaternions that do not rotate, (num, 4)."""
    found = zeros((num, 4), device)
    found[:, 0] = 1.0
    return found


def random_orientation(num: int, device: str) -> Array:
    """Quaternions, (num, 4), uniform over all rotations."""
    return normalize(normal((num, 4), device))


def random_yaw_orientation(num: int, device: str) -> Array:
    """Quaternions, (num, 4), of rotations about z by angles uniform in [-π, π)."""
    return quat_from_angle_axis((2.0 * uniform(num, device) - 1.0) * math.pi, array([0.0, 0.0, 1.0], device))


def sample_uniform(lower: Array | float, upper: Array | float, size: int | tuple[int, ...], device: str) -> Array:
    """Numbers uniform in [lower, upper), which broadcast to ``size``."""
    if isinstance(lower, int | float) and isinstance(upper, int | float):  # nothing is brought to a GPU
        low, high = np.float32(lower), np.float32(upper)
        return uniform(size, device) * float(high - low) + float(low)
    _, numbers, lower, upper = common(uniform(size, device), lower, upper)
    return numbers * (upper - lower) + lower


def sample_log_uniform(lower: Array | float, upper: Array | float, size: int | tuple[int, ...], device: str) -> Array:
    """Positive numbers whose logarithm is uniform in [log lower, log upper)."""
    xp, numbers, lower, upper = common(uniform(size, device), lower, upper)
    low, high = xp.log(xp.asarray(lower)), xp.log(xp.asarray(upper))
    return xp.exp(numbers * (high - low) + low)


def sample_gaussian(mean: Array | float, std: Array | float, size: int | tuple[int, ...], device: str) -> Array:
    """Numbers with a normal distribution of a mean and a standard deviation, which broadcast to ``size``."""
    _, numbers, mean, std = common(normal(size, device), mean, std)
    return numbers * std + mean


def sample_triangle(lower: float, upper: float, size: int | tuple[int, ...], device: str) -> Array:
    """Numbers in [lower, upper) whose density grows in proportion to the distance from the middle of the range."""
    numbers = 2.0 * uniform(size, device) - 1.0
    xp = namespace(numbers)
    return (xp.sign(numbers) * xp.sqrt(abs(numbers)) + 1.0) * (0.5 * (upper - lower)) + lower


def sample_cylinder(
    radius: float, h_range: float | tuple[float, float], size: int | tuple[int, ...], device: str
) -> Array:
    """Points uniform on the side of a cylinder about z, (*size, 3), m.

    Args:
        radius: of the cylinder.
        h_range: from where to where it reaches, or its height, with the origin in its middle.
        size: a number or a shape.
        device: where the result lives.
    """
    low, high = h_range if isinstance(h_range, tuple | list) else (-0.5 * h_range, 0.5 * h_range)
    angles = (2.0 * uniform(size, device) - 1.0) * math.pi
    xp = namespace(angles)
    return xp.stack([radius * xp.cos(angles), radius * xp.sin(angles), sample_uniform(low, high, size, device)], -1)
