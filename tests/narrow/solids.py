"""One solid of each kind, and all pairs of them."""

from __future__ import annotations

import numpy as np
from narrow.pairs import Solid, box, capsule, cone, cylinder, hull, sphere

SOLIDS: dict[str, Solid] = {
    "sphere": sphere(0.3),
    "capsule": capsule(0.2, 0.4),
    "box": box(0.3, 0.4, 0.5),
    "cylinder": cylinder(0.3, 0.4),
    "cone": cone(0.35, 0.4),
    "hull": hull(np.random.default_rng(0).normal(size=(30, 3)) * 0.3),
}
PAIRS = [(a, b) for i, a in enumerate(SOLIDS) for b in list(SOLIDS)[i:]]
