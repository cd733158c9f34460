"""Where numbers are in the tables of looks and lights that kernels read."""

LOOK_NUMBERS = 12
"""Of a row of the scene's table: color r, g, b, roughness, emission r, g, b, metallic, texture's repeats a m along
x and y, opacity, one unused."""

OPACITY = 10

LOOK_PLACES = 4
TEXTURE, UV, COLORS, NORMALS = range(LOOK_PLACES)
"""Of a row: texture less one, first numbers of the uv, colours and normals of the mesh's faces; -1: it has none."""

SEEN, SHADES, DIMS = 1, 2, 4
"""Bits of groups in the table that images are drawn with: what cameras see, what casts shadows, and what only dims the
light that goes through it."""

TEXTURE_NUMBERS = 5
"""First texel, width, height, levels, filter; texture 0 is none."""

LIGHT = 8
"""Kind, direction or position, colour, radius."""

DISTANT, POINT = 0.0, 1.0
