"""Kernels over rays: given one by one, or as a pattern that moves with a sensor."""

from phalanx.ecs import function
from phalanx.maths.kernels import rotate
from phalanx.rays.primitives import Int, Ints, Real, Reals, Words, narrow, split
from phalanx.rays.scene_kernels import store_hit


@function
def given_ray(ray, origins, directions, limits, has_limits, limit):
    """Origin, direction and reach of a ray."""
    # Not min(), which on a GPU takes the other one where one is NaN: nothing is within a reach that is none.
    reach = limit if has_limits == 0 or limits[ray] >= limit else limits[ray]
    return (
        origins[3 * ray], origins[3 * ray + 1], origins[3 * ray + 2],
        directions[3 * ray], directions[3 * ray + 1], directions[3 * ray + 2], reach,
    )  # fmt: skip


@function
def pattern_ray(
    ray, per_environment, width, starts, has_starts, directions, patterns, sensor_position, sensor_orientation
):  # fmt: skip
    """Environment of a pattern's ray, its number there, origin and direction."""
    e, p = split(ray, per_environment)
    if width > 0:
        tile, lane = split(p, 32)
        v, u = split(tile, width >> 3)
        p = (4 * v + (lane >> 3)) * width + 8 * u + (lane & 7)
    at = 3 * p if patterns == 0 else 3 * (e * per_environment + p)
    w = sensor_orientation[4 * e]
    x = sensor_orientation[4 * e + 1]
    y = sensor_orientation[4 * e + 2]
    z = sensor_orientation[4 * e + 3]
    ox = sensor_position[3 * e]
    oy = sensor_position[3 * e + 1]
    oz = sensor_position[3 * e + 2]
    if has_starts == 1:
        sx, sy, sz = rotate(w, x, y, z, starts[at], starts[at + 1], starts[at + 2])
        ox = ox + sx
        oy = oy + sy
        oz = oz + sz
    dx, dy, dz = rotate(w, x, y, z, directions[at], directions[at + 1], directions[at + 2])
    return e, p, ox, oy, oz, dx, dy, dz


def cast_rays(
    ray,
    per_environment: Int,
    origins: Reals,
    directions: Reals,
    limits: Reals,
    has_limits: Int,
    limit: Real,
    shared: Int,
    own: Int,
    table: Ints,
    sizes: Reals,
    frames: Reals,
    boxes: Reals,
    bounds: Reals,
    nodes: Words,
    triangles: Reals,
    samples: Reals,
    groups: Int,
    sides: Int,
    any_hit: Int,
    distance: Reals,
    position: Reals,
    has_position: Int,
    normal: Reals,
    has_normal: Int,
    ids: Ints,
    has_ids: Int,
):
    """Cast one ray; its direction may have any length. No length, or numbers that are not finite: it hits nothing.

    Args:
        ray: environment * per_environment + its number there.
        origins, directions, limits: 3, 3 and 1 a ray, world; ``limit`` holds for all.
        shared .. any_hit: see :func:`~.scene_kernels.cast_one`.
        distance, position, normal: results; m along the ray, place, unit outward normal. Without a hit: inf, inf, 0.
        ids: result, 3 each: face (-1 unless a mesh or height field is hit), object, instance (-1 without a hit).
    """
    e, _rest = split(ray, per_environment)
    ox, oy, oz, dx, dy, dz, reach = given_ray(ray, origins, directions, limits, has_limits, limit)
    store_hit(
        ray, e, table, sizes, frames, boxes, bounds, nodes, triangles, samples,
        shared, own, groups, sides, any_hit, ox, oy, oz, dx, dy, dz, reach,
        distance, position, has_position, normal, has_normal, ids, has_ids,
    )  # fmt: skip


def cast_pattern(
    ray,
    per_environment: Int,
    width: Int,
    starts: Reals,
    has_starts: Int,
    directions: Reals,
    patterns: Int,
    sensor_position: Reals,
    sensor_orientation: Reals,
    limit: Real,
    shared: Int,
    own: Int,
    table: Ints,
    sizes: Reals,
    frames: Reals,
    boxes: Reals,
    bounds: Reals,
    nodes: Words,
    triangles: Reals,
    samples: Reals,
    groups: Int,
    sides: Int,
    any_hit: Int,
    distance: Reals,
    position: Reals,
    has_position: Int,
    normal: Reals,
    has_normal: Int,
    ids: Ints,
    has_ids: Int,
):
    """Cast one ray of a pattern that is the same in all environments, or each environment's own.

    Args:
        ray: environment * per_environment + number in the pattern.
        width: of a pattern that is an image, row by row, of 8 n columns and 4 m rows; else 0. Its rays are taken in
            tiles of 8 x 4, for what neighbouring threads do alike.
        starts, directions: 3 a ray of the pattern, in the sensor's frame.
        patterns: 1 if each environment has its own.
        sensor_position, sensor_orientation: 3 and 4 (w, x, y, z, a unit quaternion) an environment.
        others: see :func:`cast_rays`.
    """
    e, p, ox, oy, oz, dx, dy, dz = pattern_ray(
        ray, per_environment, width, starts, has_starts, directions, patterns, sensor_position, sensor_orientation
    )
    store_hit(
        narrow(e * per_environment + p), e, table, sizes, frames, boxes, bounds, nodes, triangles, samples,
        shared, own, groups, sides, any_hit, ox, oy, oz, dx, dy, dz, limit,
        distance, position, has_position, normal, has_normal, ids, has_ids,
    )  # fmt: skip
