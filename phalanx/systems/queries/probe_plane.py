"""Probes against planes: by the probe's lowest point."""

from phalanx.components.query import DEPTH, SWEEP
from phalanx.ecs import function
from phalanx.systems.queries.limits import INF


@function
def probe_plane(task, height, fall):
    """Answer, as of :func:`~phalanx.systems.queries.touch.touch`, and the signed distance that is left there.

    Args:
        height: of the lowest point of the probe over the plane, m.
        fall: how much lower it gets for each metre of the way.
    """
    answer = INF
    left = height
    if height <= 0.0:
        answer = height if task == DEPTH else 0.0
    elif task == SWEEP and fall > 0.0:
        answer = height / fall
        left = 0.0
    return answer, left
