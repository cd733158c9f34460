"""What a ray sees where it hits: the surface's normal, colour and texture."""

import math

from phalanx.components.shape import HEIGHT_FIELD, PLANE
from phalanx.ecs import function, real
from phalanx.images.layout import COLORS, LOOK_NUMBERS, LOOK_PLACES, NORMALS, TEXTURE, TEXTURE_NUMBERS, UV
from phalanx.rays.primitives import as_int, load_floats
from phalanx.rays.scene_kernels import ENTRIES, FIELDS, MESHES, normal_to_world
from phalanx.rays.triangle import corner_and_edges

SMOOTH = 1
"""1 where a mesh has normals of its own, and so on: kernels are made without what a scene has not."""
TEXTURED = 1


@function
def below(x):
    """The greatest whole number that is not above x, of less than 2**31."""
    whole = int(x)
    return whole - 1 if real(whole) > x else whole


@function
def shares(triangles, t, x, y, z):
    """Barycentric coordinates of a place in triangle t's plane, those of the second and third corner, kept in 0 to 1.

    Returns:
        them, and the triangle's area.
    """
    ax, ay, az, ux, uy, uz, vx, vy, vz = corner_and_edges(triangles, t)
    px = x - ax
    py = y - ay
    pz = z - az
    nx = uy * vz - uz * vy
    ny = uz * vx - ux * vz
    nz = ux * vy - uy * vx
    size = nx * nx + ny * ny + nz * nz
    scale = 1.0 / size if size > 0.0 else 0.0
    second = (nx * (py * vz - pz * vy) + ny * (pz * vx - px * vz) + nz * (px * vy - py * vx)) * scale
    third = (nx * (uy * pz - uz * py) + ny * (uz * px - ux * pz) + nz * (ux * py - uy * px)) * scale
    return min(max(second, 0.0), 1.0), min(max(third, 0.0), 1.0), 0.5 * math.sqrt(size)


@function
def mixed(attributes, at, width, second, third):
    """A number of a face's three corners, ``width`` apart, at barycentric coordinates."""
    first = attributes[at]
    return first + second * (attributes[at + width] - first) + third * (attributes[at + 2 * width] - first)


@function
def smooth_normal(places, attributes, frames, f, triangles, hit, face, x, y, z, nx, ny, nz):
    """The normal that a mesh's corners give at a place in its frame, world; n where they give none."""
    start = places[LOOK_PLACES * hit + NORMALS]
    if start >= 0:
        second, third, _area = shares(triangles, face, x, y, z)
        at = start + 9 * as_int(triangles[12 * face + 9])
        sx = mixed(attributes, at, 3, second, third)
        sy = mixed(attributes, at + 1, 3, second, third)
        sz = mixed(attributes, at + 2, 3, second, third)
        sx, sy, sz = normal_to_world(frames, f, sx, sy, sz)
        if sx * nx + sy * ny + sz * nz > 0.0:
            nx = sx
            ny = sy
            nz = sz
    return nx, ny, nz


@function
def look_texel(texels, decoded, at):
    """Linear r, g, b of a texel."""
    word = texels[at]
    return decoded[word & 255], decoded[word >> 8 & 255], decoded[word >> 16 & 255]


@function
def look_level(texels, decoded, first, width, height, linear, u, v):
    """Linear r, g, b of one level of a texture; u, v in 0 to 1 from its upper left."""
    x = u * real(width)
    y = v * real(height)
    if linear == 0:
        return look_texel(texels, decoded, first + min(int(y), height - 1) * width + min(int(x), width - 1))
    i = below(x - 0.5)
    j = below(y - 0.5)
    a = x - 0.5 - real(i)
    b = y - 0.5 - real(j)
    left = i if i >= 0 else width - 1
    right = i + 1 if i + 1 < width else 0
    upper = first + (j if j >= 0 else height - 1) * width
    lower = first + (j + 1 if j + 1 < height else 0) * width
    r0, g0, b0 = look_texel(texels, decoded, upper + left)
    r1, g1, b1 = look_texel(texels, decoded, upper + right)
    r2, g2, b2 = look_texel(texels, decoded, lower + left)
    r3, g3, b3 = look_texel(texels, decoded, lower + right)
    r0 = r0 + a * (r1 - r0)
    g0 = g0 + a * (g1 - g0)
    b0 = b0 + a * (b1 - b0)
    return (
        r0 + b * (r2 + a * (r3 - r2) - r0),
        g0 + b * (g2 + a * (g3 - g2) - g0),
        b0 + b * (b2 + a * (b3 - b2) - b0),
    )


@function
def look_texture(textures, texels, decoded, number, u, v, footprint):
    """Linear r, g, b of a texture.

    Args:
        u, v: from its lower left, in widths and heights of it.
        footprint: how much of its width and height a pixel sees, in the mean: if that is more than a texel, what is
            seen is between the two levels of it whose texels are a little less and a little more.
    """
    first = textures[TEXTURE_NUMBERS * number]
    width = textures[TEXTURE_NUMBERS * number + 1]
    height = textures[TEXTURE_NUMBERS * number + 2]
    levels = textures[TEXTURE_NUMBERS * number + 3]
    linear = textures[TEXTURE_NUMBERS * number + 4]
    # Numbers too large for what follows, and those that are none, are not in the texture anywhere.
    u = u if math.fabs(u) < 1e9 else 0.0
    v = v if math.fabs(v) < 1e9 else 0.0
    u = u - real(below(u))
    v = 1.0 - (v - real(below(v)))
    seen = footprint * math.sqrt(real(width) * real(height))
    step = 0
    level = 0
    while level + 1 < levels and seen > 1.0:
        seen = 0.5 * seen
        first = first + step
        width = width if level == 0 else max(width >> 1, 1)
        height = height if level == 0 else max(height >> 1, 1)
        step = width * height
        level += 1
    r, g, b = look_level(texels, decoded, first, width, height, linear, u, v)
    if level > 0:
        share = min(max(2.0 * seen - 1.0, 0.0), 1.0)
        r1, g1, b1 = look_level(texels, decoded, first + step, max(width >> 1, 1), max(height >> 1, 1), linear, u, v)
        r = r + share * (r1 - r)
        g = g + share * (g1 - g)
        b = b + share * (b1 - b)
    return r, g, b


@function
def surface_color(
    table, frames, f, triangles, looks, places, textures, texels, decoded, attributes,
    hit, face, x, y, z, mx, my, mz, across,
):  # fmt: skip
    """Linear r, g, b of what a surface reflects.

    Args:
        looks .. attributes: see :class:`~.LookTables`.
        hit, face: row of the scene's table, number of the triangle.
        x, y, z: the place, in the instance's frame.
        m: normal in that frame, any length.
        across: m: side of a square as large as what a pixel sees of the surface.
    """
    r, g, b, _rough = load_floats(looks, LOOK_NUMBERS * hit)
    colors = places[LOOK_PLACES * hit + COLORS]
    if MESHES and colors >= 0:
        at = colors + 3 * as_int(triangles[12 * face + 9])
        r = r * attributes[at]
        g = g * attributes[at + 1]
        b = b * attributes[at + 2]
    number = places[LOOK_PLACES * hit + TEXTURE] + 1
    if TEXTURED and number > 0:
        along, up, _one, _two = load_floats(looks, LOOK_NUMBERS * hit + 8)
        start = places[LOOK_PLACES * hit + UV]
        u = x * along
        v = y * up
        footprint = across * math.sqrt(along * up)
        if MESHES and start >= 0:
            second, third, area = shares(triangles, face, x, y, z)
            at = start + 6 * as_int(triangles[12 * face + 9])
            u = mixed(attributes, at, 2, second, third)
            v = mixed(attributes, at + 1, 2, second, third)
            du1 = attributes[at + 2] - attributes[at]
            dv1 = attributes[at + 3] - attributes[at + 1]
            du2 = attributes[at + 4] - attributes[at]
            dv2 = attributes[at + 5] - attributes[at + 1]
            covered = 0.5 * math.fabs(du1 * dv2 - du2 * dv1)
            footprint = across * math.sqrt(covered / area) if area > 0.0 else 0.0
        else:
            kind = table[ENTRIES * hit]
            flat = kind == PLANE or (FIELDS and kind == HEIGHT_FIELD)
            if not flat:  # along the two axes that the surface is most along
                ax = math.fabs(mx)
                ay = math.fabs(my)
                az = math.fabs(mz)
                if ax > ay and ax > az:
                    u = (y if mx > 0.0 else -y) * along
                    v = z * up
                elif ay > az:
                    u = (-x if my > 0.0 else x) * along
                    v = z * up
        tr, tg, tb = look_texture(textures, texels, decoded, number, u, v, footprint)
        r = r * tr
        g = g * tg
        b = b * tb
    return r, g, b
