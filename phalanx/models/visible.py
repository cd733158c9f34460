"""What bodies show: which of a model's shapes, and in which colours."""

from __future__ import annotations

from phalanx.models.pose import bodies_in_order
from phalanx.models.robot_model import RobotModel, Shape

DEFAULT_COLORS = ("#39424e", "#e9e6df", "#e8823a", "#4f5d6e", "#d9d5cc", "#5b8fb0", "#39424e")
"""sRGB, of bodies whose file gives none, by distance from the root; of single bodies, one after the other."""

Color = tuple[float, float, float]


def hex_color(color: str) -> Color:
    """sRGB, 0 to 1, of ``"#rrggbb"``."""
    return (int(color[1:3], 16) / 255, int(color[3:5], 16) / 255, int(color[5:7], 16) / 255)


def visible_shapes(model: RobotModel, number: int = 0) -> list[tuple[str, list[tuple[Shape, Color]]]]:
    """Name of each body in the order of ``body_pose``, with the shapes that it shows and their colours (sRGB, 0 to 1).

    Bodies show their visual shapes, or where a model has none its collision shapes; planes, which have no end, and what
    a file makes wholly transparent are left out.

    Args:
        model: a robot or a rigid object.
        number: which default colour a single body has.
    """
    visuals = any(body.visuals for body in model.bodies)
    bodies = {
        body.name: [s for s in (body.visuals if visuals else body.collisions) if _shows(s)] for body in model.bodies
    }
    inbound = {joint.child: joint for joint in model.joints}
    depth = {model.root: 0 if model.joints else number}
    shown = []
    for name in bodies_in_order(model):
        joint = inbound.get(name)
        while joint is not None and joint.parent not in depth:  # past hidden bodies
            joint = inbound[joint.parent]
        if joint is not None:
            depth[name] = depth[joint.parent] + (inbound[name].type != "fixed")
        default = hex_color(DEFAULT_COLORS[depth[name] % len(DEFAULT_COLORS)])
        shown.append((name, [(s, s.color[:3] if s.color is not None else default) for s in bodies[name]]))
    return shown


def _shows(shape: Shape) -> bool:
    return shape.kind != "plane" and (shape.color is None or shape.color[3] > 0.0)
