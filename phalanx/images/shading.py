"""How bright what is seen is: lights, gloss, and the encoding of images."""

import math

from phalanx.ecs import function
from phalanx.images.layout import DISTANT, LIGHT
from phalanx.rays.primitives import load_floats
from phalanx.rays.scene_kernels import FARTHEST


@function
def light_at(lights, k, px, py, pz):
    """Light k at a place: direction to it (a unit vector), distance, and its r, g, b there."""
    kind, x, y, z = load_floats(lights, LIGHT * k)
    r, g, b, radius = load_floats(lights, LIGHT * k + 4)
    reach = FARTHEST
    x = -x
    y = -y
    z = -z
    if kind != DISTANT:
        x = -x - px
        y = -y - py
        z = -z - pz
        square = x * x + y * y + z * z
        reach = math.sqrt(square)
        scale = 1.0 / reach if reach > 0.0 else 0.0
        x = x * scale
        y = y * scale
        z = z * scale
        square = max(square, max(radius * radius, 1e-6))  # not brighter than at its surface
        r = r / square
        g = g / square
        b = b / square
        reach = max(reach - radius, 0.0)
    return x, y, z, reach, r, g, b


@function
def reflected(facing, nx, ny, nz, lx, ly, lz, vx, vy, vz, roughness, metallic, r, g, b):
    """r, g, b of light from l that a surface sends to the eye, of a light of 1.

    Lambert's law, and gloss by the microfacets of Trowbridge and Reitz, with their shadowing by B. Karis's
    approximation (2013), in units in which a white, dull surface that faces the light gives 1. Gloss is made to vanish
    at a roughness of 1.

    Args:
        facing: product of the normal and the direction to the light, positive.
        v: direction of the ray, away from the eye.
        r, g, b: colour of the surface.
    """
    hx = lx - vx
    hy = ly - vy
    hz = lz - vz
    square = max(hx * hx + hy * hy + hz * hz, 1e-12)
    scale = 1.0 / math.sqrt(square)
    across = max((hx * nx + hy * ny + hz * nz) * scale, 0.0)
    along = max((hx * lx + hy * ly + hz * lz) * scale, 0.3)
    a = max(roughness * roughness, 0.02)
    d = across * across * (a * a - 1.0) + 1.0
    gloss = a * a * (1.0 - a) / (d * d) / (along * along * (4.0 * roughness + 2.0)) * facing
    dull = facing * (1.0 - metallic)
    plain = 0.04 * (1.0 - metallic) * gloss
    shine = metallic * gloss
    return r * (dull + shine) + plain, g * (dull + shine) + plain, b * (dull + shine) + plain


@function
def encoded_byte(x):
    """0 to 255 of a linear number, in sRGB's encoding, the nearest; 0 of what is no number.

    Its power of 5/12 is fitted by roots, to 0.03 of a step: the same to the bit on all devices.
    """
    x = min(x, 1.0) if x > 0.0 else 0.0
    root = math.sqrt(x)
    fourth = math.sqrt(root)
    eighth = math.sqrt(fourth)
    curve = 0.64570601 * root + 0.70845221 * fourth - 0.33537935 * eighth - 0.01881844 * x
    return int(255.0 * (12.92 * x if x <= 0.0031308 else curve) + 0.5)
