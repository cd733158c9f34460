"""``phalanx info``."""

from __future__ import annotations


def info(robot: str) -> None:
    """Print what a robot file says and what is odd in it."""
    from phalanx.commands.common import user_mistakes
    from phalanx.io import library
    from phalanx.io.info import describe
    from phalanx.io.urdf import load_urdf

    with user_mistakes():
        model = load_urdf(library.resolve(robot))
    print(describe(model))
