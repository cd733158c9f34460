"""What ``phalanx info`` takes."""

from __future__ import annotations

from phalanx.commands.cli.options import Flag, Report, Robot


def info(robot: Robot, fix_inertias: Flag = False, step: Flag = False, json: Report = None) -> int:
    """Describe a robot: the tree of its links and joints with types, limits, masses and shapes, and what is odd.

    Args:
        robot: a URDF, MJCF or USD file, or the name of a robot that Phalanx ships; or a mesh file, seen as a rigid
            object.
        fix_inertias: replace inertias that no body can have by the nearest that one can have.
        step: instead, print what a step of it is made of: systems by phase, what they read and write, and their times.
        json: write it as JSON to this file too; - prints nothing else.
    """
    from phalanx.commands.info import info
    from phalanx.commands.step_table import show_step

    (show_step if step else info)(robot, fix_inertias, json)
    return 0
