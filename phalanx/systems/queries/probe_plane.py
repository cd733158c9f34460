"""Probes against planes: by the probe's lowest point."""

from phalanx.components.query import DEPTH, SWEEP
from phalanx.ecs import function
from phalanx.systems.collision.narrow.support import precision
from phalanx.systems.queries.limits import INF


@function
def probe_plane(task, height, fall, tolerance):
    """Answer, as of :func:`~phalanx.systems.queries.touch.touch`, and the signed distance that is left there.

    Args:
        height: of the lowest point of the probe over the plane, m.
        fall: how much lower it gets for each metre of the way.
        tolerance: less than this, a sweep's start is no overlap, m.
    """
    answer = INF
    left = height
    if task != SWEEP:
        answer = INF if height > 0.0 else (height if task == DEPTH else 0.0)
    elif height < -tolerance:
        answer = 0.0
    elif fall > precision():
        answer = max(height, 0.0) / fall
        left = 0.0
    return answer, left
