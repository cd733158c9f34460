"""Small MJCF files for tests."""

from __future__ import annotations

from pathlib import Path

BALL = '<geom size=".1"/>'
"""Something that has mass."""


def save(folder: Path, world: str, rest: str = "") -> Path:
    """A file with ``rest`` in line 2 and the contents of its world from line 4."""
    file = folder / "model.xml"
    file.write_text(f"<mujoco>\n{rest}\n<worldbody>\n{world}\n</worldbody>\n</mujoco>\n")
    return file
