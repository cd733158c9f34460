"""Tendons of robots, by the attributes of PhysX."""

from __future__ import annotations

import math
from typing import Any

from phalanx.io.formats.usd.bindings import Prim
from phalanx.io.formats.usd.joints import RADIANS, JointPrim
from phalanx.io.formats.usd.values import Reading
from phalanx.models.tendons import Attachment, FixedTendon, SpatialTendon

ALIKE = 1e-3
"""Relative difference from which on a coefficient of force is told to differ from the gearing."""


def fixed(reading: Reading, joints: list[JointPrim], dofs: dict[str, dict[str, list[str]]]) -> list[FixedTendon]:
    """Fixed tendons over joints of a robot, whose dofs are given by path and axis.

    The length is the sum of gearing times position over the axes, in units of the stage and degrees.
    """
    roots = [(one, name) for one in joints for name in reading.applied(one.prim, "PhysxTendonAxisRootAPI")]
    found = []
    for root, name in roots:
        prefix = f"physxTendon:{name}:"
        if not reading.flag(root.prim, prefix + "tendonEnabled", True):
            continue
        coefficients: dict[str, float] = {}
        for joint in joints:
            own = joint is root or name in reading.applied(joint.prim, "PhysxTendonAxisAPI")
            if own:
                coefficients |= _coefficients(reading, joint, prefix, dofs[joint.path])
        if coefficients:
            found.append(FixedTendon(name, coefficients, **_spring(reading, root.prim, prefix)))
            tendon, prim, length = found[-1], root.prim, reading.units.length
            tendon.rest_length = reading.number(prim, prefix + "restLength", 0.0) * length
            tendon.lower, tendon.upper = _limits(reading, prim, prefix)
    return found


def _coefficients(reading: Reading, joint: JointPrim, prefix: str, dofs: dict[str, list[str]]) -> dict[str, float]:
    if len(dofs) != 1:
        reading.notes.add(joint.prim, "fixed tendons run over joints that move in one way only; it is left out of its.")
        return {}
    ((axis, (dof,)),) = dofs.items()
    gearing = reading.numbers(joint.prim, prefix + "gearing")
    scale = reading.units.length / RADIANS if axis.startswith("rot") else 1.0
    length = (float(gearing[0]) if len(gearing) else 1.0) * scale
    forces = reading.numbers(joint.prim, prefix + "forceCoefficient")
    force = float(forces[0]) * (reading.units.length if axis.startswith("rot") else 1.0) if len(forces) else length
    if abs(force - length) > ALIKE * max(abs(force), abs(length)):
        text = "its tendon's force coefficient is not its gearing; the gearing holds for both, which conserves work."
        reading.notes.add(joint.prim, text)
    return {dof: length}


def spatial(reading: Reading, bodies: list[tuple[Prim, str]], local: dict[str, Any]) -> list[SpatialTendon]:
    """Spatial tendons through points of a robot's bodies.

    Args:
        bodies: prims and names of the bodies, root first.
        local: for each body's path a function from a point in the prim's frame to one in the body's, in metres.
    """
    found = []
    for prim, _ in bodies:
        for name in reading.applied(prim, "PhysxTendonAttachmentRootAPI"):
            prefix = f"physxTendon:{name}:"
            if not reading.flag(prim, prefix + "tendonEnabled", True):
                continue
            points = _attachments(reading, prim, name, bodies, local)
            if len(points) > 1:
                made = SpatialTendon(_free(prim, name, found), points, **_spring(reading, prim, prefix))
                found.append(made)
    return found


def _free(prim: Prim, name: str, found: list[SpatialTendon]) -> str:
    return f"{prim.GetName()}_{name}" if any(one.name == name for one in found) else name


def _attachments(
    reading: Reading, root: Prim, name: str, bodies: list[tuple[Prim, str]], local: dict[str, Any]
) -> list[Attachment]:
    """Attachments in an order in which parents come first; each names its parent by body and instance."""
    known = {(str(root.GetPath()), name): 0}
    points = [_attachment(reading, root, name, bodies, local, -1, False)]
    waiting = []
    for prim, _ in bodies:
        for schema in ("PhysxTendonAttachmentAPI", "PhysxTendonAttachmentLeafAPI"):
            for instance in reading.applied(prim, schema):
                link = reading.targets(prim, f"physxTendon:{instance}:parentLink")
                parent = str(reading.value(prim, f"physxTendon:{instance}:parentAttachment") or "")
                if link:
                    waiting.append((prim, instance, (str(link[0]), parent), schema.endswith("LeafAPI")))
    while True:
        ready = next((one for one in waiting if one[2] in known), None)
        if ready is None:
            return points
        waiting.remove(ready)
        prim, instance, parent, leaf = ready
        known[str(prim.GetPath()), instance] = len(points)
        points.append(_attachment(reading, prim, instance, bodies, local, known[parent], leaf))


def _attachment(
    reading: Reading,
    prim: Prim,
    name: str,
    bodies: list[tuple[Prim, str]],
    local: dict[str, Any],
    parent: int,
    leaf: bool,
) -> Attachment:
    prefix, path = f"physxTendon:{name}:", str(prim.GetPath())
    body = next(called for one, called in bodies if str(one.GetPath()) == path)
    x, y, z = local[path](reading.vector(prim, prefix + "localPos", (0.0, 0.0, 0.0))).tolist()
    made = Attachment(body, (x, y, z), reading.number(prim, prefix + "gearing", 1.0), parent)
    if leaf:
        rest = reading.number(prim, prefix + "restLength", -math.inf, infinite=True)
        made.rest_length = rest * reading.units.length if rest >= 0.0 and math.isfinite(rest) else None
        made.lower, made.upper = _limits(reading, prim, prefix)
    return made


def _spring(reading: Reading, prim: Prim, prefix: str) -> dict[str, float]:
    """Stiffness, damping and so on; per length, so that only mass has a unit."""
    mass, length = reading.units.mass, reading.units.length
    names = {"stiffness": "stiffness", "damping": "damping", "limit_stiffness": "limitStiffness"}
    found = {ours: reading.number(prim, prefix + theirs, 0.0, least=0.0) * mass for ours, theirs in names.items()}
    return {**found, "offset": reading.number(prim, prefix + "offset", 0.0) * length}


def _limits(reading: Reading, prim: Prim, prefix: str) -> tuple[float, float]:
    length = reading.units.length
    low = reading.number(prim, prefix + "lowerLimit", -math.inf, infinite=True) * length
    high = reading.number(prim, prefix + "upperLimit", math.inf, infinite=True) * length
    return (low, high) if low <= high else (-math.inf, math.inf)  # PhysX switches limits off like that
