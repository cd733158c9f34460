"""Scene queries: rays and convex probes against all shapes of an environment, when somebody asks.

Systems run outside the step: :data:`POSES`, then :data:`RAYS` or :data:`PROBES`. They read coordinates and the
poses of links, and write nothing that a step reads.
"""

from phalanx.systems.queries.cast_rays import cast_rays
from phalanx.systems.queries.move_probes import move_probes
from phalanx.systems.queries.place_shapes import place_shapes

POSES = (place_shapes,)
RAYS = (*POSES, cast_rays)
PROBES = (*POSES, move_probes)

__all__ = ["POSES", "PROBES", "RAYS", "cast_rays", "move_probes", "place_shapes"]
